"""A loopback server that answers as the API of Zotero does, as far as it is used here.

Written from the documentation of the web API, version 3, and from what pyzotero 1.16 sends to the
program; Zotero itself was never asked.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

LARGEST_WRITE, LONGEST_TAG = 50, 255
OF_EVERY_ITEM = {
    "key", "version", "itemType", "tags", "collections", "parentItem", "deleted", "creators"
}  # fmt: skip
_COMMON = "title abstractNote date url extra"
FIELDS = {
    "journalArticle": f"{_COMMON} language publicationTitle volume issue pages ISSN DOI",
    "preprint": f"{_COMMON} language repository archiveID DOI",
    "conferencePaper": f"{_COMMON} language proceedingsTitle publisher volume pages ISBN DOI",
    "bookSection": f"{_COMMON} language bookTitle publisher volume pages ISBN",
    "book": f"{_COMMON} language series publisher volume ISBN",
    "thesis": f"{_COMMON} language university",
    "report": f"{_COMMON} language seriesTitle institution pages",
    "dataset": f"{_COMMON} language repository DOI",
    "computerProgram": f"{_COMMON} company",
    "webpage": f"{_COMMON} language websiteTitle",
    "standard": f"{_COMMON} language organization",
    "document": f"{_COMMON} language publisher",
    "note": "note",
    "attachment": "linkMode title url",
}
"""By type, from memory: what Zotero has is asked for, and may be more."""
KEY = "CANARY-key-of-zotero-0001"
OWNER = 475425


@dataclass
class ZoteroServer:
    """The library of one person.

    Attributes:
        key: that it asks for; "": it is the program on this machine.
        largest_page: entries in one answer, whatever is asked for.
        place: of the library, where it is not the owner's.
        group_rights: of the key, by group; `all` for those that are not named.
        server_id: of the program; "": it is one that takes no writes.
        dialogs: what the person answers in them: "once", "always" or "deny".
        local_keys: that it gave, and whether each outlasts a write.
        faults: answers that the next requests get instead.
        lose_answer: what the next write is answered with, after it was done.
        meddle: what somebody writes to an item just before the next write.
        refused_titles: of items that are not taken.
        requests: all that came.
    """

    address: str
    key: str = ""
    may_write: bool = True
    largest_page: int = 100
    version: int = 1
    collections: dict[str, dict[str, Any]] = field(default_factory=dict)
    items: dict[str, dict[str, Any]] = field(default_factory=dict)
    lose_answer: Response | None = None
    place: str = ""
    group_rights: dict[str, dict[str, bool]] = field(default_factory=dict)
    server_id: str = ""
    dialogs: list[str] = field(default_factory=list)
    local_keys: dict[str, bool] = field(default_factory=dict)
    meddle: dict[str, Any] = field(default_factory=dict)
    refused_titles: set[str] = field(default_factory=set)
    faults: list[Response] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)

    @property
    def writes(self) -> list[list[dict[str, Any]]]:
        """What was sent to be written, request by request."""
        bodies = (json.loads(each.get_data()) for each in self.requests if each.method == "POST")
        return [body for body in bodies if isinstance(body, list)]

    @property
    def environment(self) -> dict[str, str]:
        return {"ZOTERO_URL": self.address} | ({"ZOTERO_API_KEY": self.key} if self.key else {})

    def add_collection(self, key: str, name: str, parent: str | None = None) -> None:
        self.collections[key] = {"key": key, "name": name, "parentCollection": parent or False}

    def add_item(self, collection: str, key: str, **fields: Any) -> None:
        base = {"itemType": "journalArticle", "collections": [collection], "tags": []}
        self.items[key] = {"key": key, "version": self.version, **base, **fields}

    def answer(self, request: Request) -> Response:
        self.requests.append(request)
        answer = self.faults.pop(0) if self.faults else self._checked(request)
        if self.server_id:
            answer.headers["Zotero-Server-ID"] = self.server_id
        return answer

    def _checked(self, request: Request) -> Response:
        if request.headers.get("Zotero-API-Version") != "3":
            return Response("the version of the API is missing", 400)
        if self.key and request.headers.get("Zotero-API-Key") != self.key:
            return Response("Invalid key", 403)
        place = self.place or f"/users/{OWNER if self.key else 0}"
        return self._sound(request, request.path.removeprefix(place).strip("/").split("/"))

    def _sound(self, request: Request, parts: list[str]) -> Response:
        match parts:
            case ["keys", "current"]:
                rights = {"library": True, "write": self.may_write}
                access = {"user": rights, "groups": self.group_rights}
                return _json({"key": self.key, "userID": OWNER, "access": access})
            case ["itemTypeFields"]:
                names = FIELDS[request.args["itemType"]].split()
                return _json([{"field": name, "localized": name.title()} for name in names])
            case ["collections"]:
                every = list(self.collections.values())
            case ["collections", key, "items", "top"] if key in self.collections:
                every = [item for item in self.items.values() if key in item.get("collections", [])]
            case ["local", "authorize"] if self.server_id:
                return self._dialog(request)
            case ["items"] if request.method == "POST":
                return self._write(request)
            case ["items"]:
                keys = request.args["itemKey"].split(",")
                assert len(keys) <= LARGEST_WRITE
                every = [self.items[key] for key in keys if key in self.items]
            case _:
                return Response("Not found", 404)
        if request.args.get("includeTrashed") != "1":
            every = [each for each in every if not each.get("deleted")]
        return self._page(request, every)

    def _may_write(self, request: Request) -> bool:
        if self.key:
            return self.may_write
        is_same = request.headers.get("Zotero-Server-ID") == self.server_id != ""
        key = request.headers.get("Zotero-API-Key", "")
        is_known = key in self.local_keys
        if is_known and not self.local_keys[key]:
            del self.local_keys[key]
        return is_same and is_known

    def _dialog(self, request: Request) -> Response:
        assert json.loads(request.get_data())["appName"] == "paper-search"
        reply = self.dialogs.pop(0)
        if reply == "deny":
            return Response("denied", 403)
        key = f"CANARY-local-key-{len(self.dialogs)}"
        self.local_keys[key] = reply == "always"
        return _json({"key": key, "remember": reply == "always"})

    def _write(self, request: Request) -> Response:
        """Create or patch; what has not the version of its item fails, and the others go in."""
        objects: list[dict[str, Any]] = json.loads(request.get_data())
        if not self._may_write(request) or len(objects) > LARGEST_WRITE:
            return Response("Write access denied", 401)
        meddling, self.meddle = self.meddle, {}
        if meddling:
            self.version += 1
            self.items[meddling["key"]] |= {**meddling, "version": self.version}
        self.version += 1
        written: dict[str, Any] = {}
        failed: dict[str, Any] = {}
        for place, change in enumerate(objects):
            item = self.items.get(change["key"], {})
            fault = self._fault_of(change, item)
            if fault is not None:
                failed[str(place)] = {"key": change["key"], "code": fault[0], "message": fault[1]}
                continue
            self.items[change["key"]] = {**item, **change, "version": self.version}
            written[str(place)] = change["key"]
        lost, self.lose_answer = self.lose_answer, None
        return lost or _json({"success": written, "unchanged": {}, "failed": failed})

    def _fault_of(self, change: dict[str, Any], item: dict[str, Any]) -> tuple[int, str] | None:
        kind = {**item, **change}["itemType"]
        unknown = change.keys() - OF_EVERY_ITEM - {*FIELDS.get(kind, "").split()}
        is_stale = change["version"] != item.get("version", 0)
        is_orphan = "parentItem" in change and change["parentItem"] not in self.items
        faults = {
            (412, f"modified since version {change['version']}"): is_stale,
            (400, "'title' is refused"): change.get("title") in self.refused_titles,
            (409, "Parent item not found"): is_orphan,
            (400, f"no field of type {kind!r}: {unknown}"): unknown,
            (400, "a creator without a name"): not all(map(any, _names(change))),
            (413, "Tag is too long"): any(
                len(tag["tag"]) > LONGEST_TAG for tag in change.get("tags", [])
            ),
        }
        return next((fault for fault, is_so in faults.items() if is_so), None)

    def _page(self, request: Request, every: list[dict[str, Any]]) -> Response:
        start, limit = int(request.args.get("start", 0)), int(request.args.get("limit", 25))
        shown = every[start : start + min(limit, self.largest_page)]
        body = [
            {"key": each["key"], "version": each.get("version", 1), "data": each} for each in shown
        ]
        headers = {"Total-Results": str(len(every)), "Last-Modified-Version": str(self.version)}
        return _json(body, headers)


def _names(change: dict[str, Any]) -> list[list[str]]:
    return [
        [text for part, text in creator.items() if part != "creatorType"]
        for creator in change.get("creators", [])
    ]


def _json(value: Any, headers: dict[str, str] | None = None) -> Response:
    return Response(json.dumps(value), content_type="application/json", headers=headers)


def zotero_at(httpserver: HTTPServer, key: str = "") -> ZoteroServer:
    server = ZoteroServer(httpserver.url_for("").rstrip("/"), key)
    httpserver.expect_request(re.compile(".*")).respond_with_handler(server.answer)
    return server

"""A loopback server that answers as the API of Zotero does, as far as it is used here.

Written from the documentation of the web API, version 3, and from what pyzotero 1.16 sends to the
program; Zotero itself was never asked.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

KEY = "CANARY-key-of-zotero-0001"
OWNER = 475425


@dataclass
class ZoteroServer:
    """The library of one person.

    Attributes:
        key: that it asks for; "": it is the program on this machine.
        largest_page: entries in one answer, whatever is asked for.
        faults: answers that the next requests get instead.
        requests: all that came.
    """

    address: str
    key: str = ""
    may_write: bool = True
    largest_page: int = 100
    version: int = 1
    collections: dict[str, dict[str, Any]] = field(default_factory=dict)
    items: dict[str, dict[str, Any]] = field(default_factory=dict)
    faults: list[Response] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)

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
        if self.faults:
            return self.faults.pop(0)
        if request.headers.get("Zotero-API-Version") != "3":
            return Response("the version of the API is missing", 400)
        if self.key and request.headers.get("Zotero-API-Key") != self.key:
            return Response("Invalid key", 403)
        if request.path == "/keys/current":
            rights = {"library": True, "write": self.may_write}
            return _json({"key": self.key, "userID": OWNER, "access": {"user": rights}})
        place = f"/users/{OWNER if self.key else 0}"
        if not request.path.startswith(place):
            return Response("Not found", 404)
        return self._of_library(request, request.path.removeprefix(place).strip("/").split("/"))

    def _of_library(self, request: Request, parts: list[str]) -> Response:
        match parts:
            case ["collections"]:
                return self._page(request, list(self.collections.values()))
            case ["collections", key, "items", "top"] if key in self.collections:
                within = [
                    item for item in self.items.values() if key in item.get("collections", [])
                ]
                return self._page(request, within)
        return Response("Not found", 404)

    def _page(self, request: Request, every: list[dict[str, Any]]) -> Response:
        start, limit = int(request.args.get("start", 0)), int(request.args.get("limit", 25))
        shown = every[start : start + min(limit, self.largest_page)]
        body = [
            {"key": each["key"], "version": each.get("version", 1), "data": each} for each in shown
        ]
        headers = {"Total-Results": str(len(every)), "Last-Modified-Version": str(self.version)}
        return _json(body, headers)


def _json(value: Any, headers: dict[str, str] | None = None) -> Response:
    return Response(json.dumps(value), content_type="application/json", headers=headers)


def zotero_at(httpserver: HTTPServer, key: str = "") -> ZoteroServer:
    server = ZoteroServer(httpserver.url_for("").rstrip("/"), key)
    httpserver.expect_request(re.compile(".*")).respond_with_handler(server.answer)
    return server

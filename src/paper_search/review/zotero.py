"""A Zotero library, of the program on this machine or on zotero.org, and its collections."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

from paper_search.config import AppConfig
from paper_search.errors import InputError, UnknownNameError, ZoteroError
from paper_search.exports.zotero import DECISION, ITEM_KINDS
from paper_search.http.client import HttpClient, HttpSettings
from paper_search.http.errors import HttpError, HttpStatusError, HttpUnreachableError

T = TypeVar("T")
PREFIX = "zotero:"
"""Distinguishes a collection from a file."""
_ON_THIS_MACHINE, _ON_THE_WEB = "http://127.0.0.1:23119/api", "https://api.zotero.org"
_KEY, _SERVER = "Zotero-API-Key", "Zotero-Server-ID"
_DIALOG_S = 170.0
"""Time for a person to answer; a repeated request would open another dialog."""
_PAGE, _BATCH = 100, 50
STALE = "it has changed in the meantime"
_MAX_BYTES = 200_000_000
"""The program on this machine may send all items of a collection at once."""
_WITHOUT_TITLE = {"attachment", "note", "annotation"}
_IN_EXTRA = re.compile(r"(?im)(?:^|;)[ \t]*(DOI|PMID|PMCID|arXiv|ISBN|ISSN):[ \t]*([^\s;]+)")
_TYPES = {kind.name: csl for csl, kind in ITEM_KINDS.items()}
_VENUES = sorted({kind.venue for kind in ITEM_KINDS.values()})
_PUBLISHERS = sorted({kind.publisher for kind in ITEM_KINDS.values()})
_ALLOW = (
    'in its settings, under Advanced, tick "Allow other applications on this computer to '
    'communicate with Zotero"'
)


class Collection(NamedTuple):
    """A collection and its path: `Reviews/Bees`."""

    key: str
    path: str


class ZoteroLibrary:
    """An async context manager, whose errors say what to do."""

    def __init__(self, config: AppConfig) -> None:
        settings = config.zotero
        self._is_local = not settings.api_key
        usual = _ON_THIS_MACHINE if self._is_local else _ON_THE_WEB
        self._url = (settings.url or usual).rstrip("/")
        kind, _, number = settings.library.partition(":")
        self._path = f"/{kind}s/{number}" if kind else "/users/0" if self._is_local else ""
        self._key_info: dict[str, Any] = {}
        self._headers = {"Zotero-API-Version": "3"}
        if settings.api_key:
            self._headers[_KEY] = settings.api_key
        self._keeps_key = True
        limits, secrets = config.http_limits_path, (settings.api_key,)
        patience = _DIALOG_S if self._is_local else 60.0
        http = HttpSettings(
            0.0, 1, patience, deadline_s=180.0, max_bytes=_MAX_BYTES, secrets=secrets
        )
        self._http = HttpClient(http, limits_path=limits, network=config.network)

    async def __aenter__(self) -> Self:
        await self._http.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._http.__aexit__(*error)

    async def collection(self, name: str) -> Collection:
        """Return the collection with a key, a name or a path of names."""
        entries = {entry["key"]: entry["data"] for entry in await self._pages("/collections")}
        every = [Collection(key, _path_of(key, entries)) for key in entries]
        for matches in (
            [entry for entry in every if name in {entry.key, entry.path}],
            [entry for entry in every if entry.path.rpartition("/")[2].lower() == name.lower()],
        ):
            if len(matches) == 1:
                return matches[0]
            if matches:
                keys = ", ".join(f"{entry.key} ({entry.path})" for entry in matches)
                raise InputError(f"several collections are called {name!r}; give a key: {keys}")
        raise UnknownNameError("collection of Zotero", name, [entry.path for entry in every])

    async def items_of(self, collection: Collection) -> list[dict[str, Any]]:
        """Return the fields of its items, without attachments, notes and subcollections."""
        path = f"/collections/{collection.key}/items/top"
        every = await self._pages(path, sort="dateAdded", direction="asc")
        return [e["data"] for e in every if e["data"].get("itemType") not in _WITHOUT_TITLE]

    async def items(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Return the fields of existing items by key, including those in the trash."""
        entries: list[dict[str, Any]] = []
        for some in batched(keys):
            entries += await self._pages("/items", itemKey=",".join(some), includeTrashed="1")
        return {entry["key"]: entry["data"] for entry in entries}

    async def fields_of(self, item_type: str) -> set[str]:
        fields, _ = await self._ask("/itemTypeFields", {"itemType": item_type})
        return {field["field"] for field in fields}

    async def require_writing(self) -> None:
        """Raise ZoteroError if this library cannot be written to, saying what would allow it."""
        if self._is_local and _SERVER not in self._headers:
            raise ZoteroError(
                "the Zotero on this machine is read-only for other programs: update to Zotero 10 "
                "or later, or set ZOTERO_API_KEY to a key of zotero.org that may write"
            )
        if self._is_local:
            return
        access = (await self._about_key()).get("access") or {}
        kind, _, number = (await self._place()).strip("/").partition("/")
        groups = {"all": None, **(access.get("groups") or {})}
        own = access.get("user") if kind == "users" else groups.get(number, groups["all"])
        if not (own or {}).get("write"):
            raise ZoteroError(
                f"the key in ZOTERO_API_KEY may not write to {kind}/{number}; "
                "change that at zotero.org/settings/keys"
            )

    async def write(self, objects: Sequence[dict[str, Any]]) -> dict[str, str]:
        """Create or change items; return the reasons for failures by key, such as `STALE`.

        Each has a key and the version that it changes, 0 for a new one, so that repeated requests
        create nothing twice.
        """
        failures: dict[str, str] = {}
        for some in batched(objects):
            if _KEY not in self._headers:  # the Zotero on this machine asks the person in a dialog
                grant, _ = await self._ask("/local/authorize", json={"appName": "paper-search"})
                self._headers[_KEY], self._keeps_key = grant["key"], bool(grant.get("remember"))
            answer, _ = await self._ask(await self._place() + "/items", json=some)
            if not self._keeps_key:
                del self._headers[_KEY]
            for place, failure in (answer.get("failed") or {}).items():
                is_stale = failure.get("code") == HTTPStatus.PRECONDITION_FAILED
                reason = STALE if is_stale else str(failure.get("message"))
                failures[some[int(place)]["key"]] = reason
        return failures

    async def _pages(self, path: str, **params: str) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = []
        while True:
            bounds = {"limit": _PAGE, "start": len(entries)}
            page, headers = await self._ask(await self._place() + path, {**params, **bounds})
            if not isinstance(page, list) or not all(map(_is_entry, page)):
                raise ZoteroError(f"{self._url} does not answer like Zotero; ZOTERO_URL sets it")
            entries += page
            total = headers.get("Total-Results", "")
            if total.isdecimal() and len(entries) >= int(total):
                return entries
            if not page:
                if total.isdecimal():
                    raise ZoteroError(f"Zotero gave {len(entries)} of {total} entries; try again")
                return entries

    async def _place(self) -> str:
        """Return the path of the library; the owner of a key is requested once."""
        if not self._path:
            self._path = f"/users/{(await self._about_key()).get('userID')}"
        return self._path

    async def _about_key(self) -> dict[str, Any]:
        if not self._key_info:
            about_key, _ = await self._ask("/keys/current")
            self._key_info = about_key if isinstance(about_key, dict) else {}
        return self._key_info

    async def _ask(
        self, path: str, params: dict[str, str | int] | None = None, *, json: Any = None
    ) -> tuple[Any, Mapping[str, str]]:
        url, headers = self._url + path, self._headers
        try:
            answer = await self._http.ask(url, params=params, headers=headers, json=json)
            if self._is_local and _SERVER in answer.headers:
                self._headers[_SERVER] = answer.headers[_SERVER]
            return answer.json(), answer.headers
        except HttpError as error:
            raise ZoteroError(self._explain(error)) from None

    def _explain(self, error: HttpError) -> str:
        status = error.status if isinstance(error, HttpStatusError) else None
        if isinstance(error, HttpUnreachableError) and self._is_local:
            return (
                f"Zotero does not answer at {self._url}: start it, and {_ALLOW}; "
                "or set ZOTERO_API_KEY to use a library on zotero.org"
            )
        if status in {HTTPStatus.FORBIDDEN, HTTPStatus.UNAUTHORIZED}:
            if self._is_local:
                return f"Zotero refused access, or you did in its dialog: {_ALLOW}"
            return (
                "the key in ZOTERO_API_KEY is unknown or may not do this; create or change keys "
                "at zotero.org/settings/keys"
            )
        if status == HTTPStatus.NOT_FOUND and self._path:
            return (
                f"Zotero has no library {self._path.strip('/')!r} for you; name another in "
                "ZOTERO_LIBRARY: user:ID or group:ID"
            )
        if status == HTTPStatus.CONFLICT:
            return "the library of Zotero is locked, perhaps by a synchronisation; try again soon"
        reason = f" ({error.body})" if isinstance(error, HttpStatusError) and error.body else ""
        return f"the request to Zotero failed: {error}{reason}; what was written is not repeated"


def batched(entries: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(entries)
    while some := list(islice(rest, _BATCH)):
        yield some


def _is_entry(value: Any) -> bool:
    return isinstance(value, dict) and "key" in value and isinstance(value.get("data"), dict)


def _path_of(key: str, entries: dict[str, dict[str, Any]]) -> str:
    names: list[str] = []
    visited: set[str] = set()
    while key in entries and key not in visited:
        visited.add(key)
        names.insert(0, str(entries[key].get("name")))
        key = str(entries[key].get("parentCollection") or "")
    return "/".join(names)


def collection_name(reference: str) -> str:
    name = reference.removeprefix(PREFIX).strip()
    if not reference.startswith(PREFIX) or not name:
        raise InputError(f"{reference!r} is not a collection: give {PREFIX}NAME or {PREFIX}KEY")
    return name


async def collection_file(config: AppConfig, reference: str, directory: Path) -> Path:
    """Write the items of `zotero:COLLECTION` as JSON lines that the importers read."""
    name = collection_name(reference)
    async with ZoteroLibrary(config) as library:
        collection = await library.collection(name)
        items = await library.items_of(collection)
    if not items:
        raise InputError(f"the collection {collection.path!r} of Zotero has no papers of its own")
    path = directory / f"{collection.key}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(record_fields(data)) + "\n" for data in items)
    return path


def record_fields(data: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of an item by names that `bibliography.fields` knows."""
    people = [person for person in data.get("creators") or [] if isinstance(person, dict)]
    types = [person.get("creatorType") for person in people]
    main = "author" if "author" in types else next(iter(types), None)
    archive = str(data.get("archiveID") or "")
    return {
        **{name.lower(): value for name, value in _IN_EXTRA.findall(str(data.get("extra") or ""))},
        **({"arxiv_id": archive} if archive.lower().startswith("arxiv:") else {}),
        **{name: value for name, value in data.items() if value},
        "venue": next(filter(None, map(data.get, _VENUES)), None),
        "publisher": next(filter(None, map(data.get, _PUBLISHERS)), None),
        "publication_type": _TYPES.get(str(data.get("itemType"))),
        "creators": [
            {"literal": p.get("name"), "family": p.get("lastName"), "given": p.get("firstName")}
            for p in people
            if p.get("creatorType") == main
        ],
        "keywords": [
            tag["tag"] for tag in data.get("tags") or [] if not tag["tag"].startswith(DECISION)
        ],
    }

"""Zotero: one library, of the program on this machine or of zotero.org, and its collections."""

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
"""Of what names a collection where files are named, too."""
_ON_THIS_MACHINE, _ON_THE_WEB = "http://127.0.0.1:23119/api", "https://api.zotero.org"
_KEY, _SERVER = "Zotero-API-Key", "Zotero-Server-ID"
_DIALOG_S = 170.0
"""For a person to answer in; a request that is sent again would ask in another dialog."""
_PAGE, _BATCH = 100, 50
STALE = "it has changed meanwhile"
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
    """A collection, and where it is: `Reviews/Bees`."""

    key: str
    path: str


class ZoteroLibrary:
    """An async context manager; what it raises says what to do."""

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
        """Return the collection of a key, a name, or a path of names."""
        entries = {entry["key"]: entry["data"] for entry in await self._pages("/collections")}
        every = [Collection(key, _path_of(key, entries)) for key in entries]
        for meant in (
            [each for each in every if name in {each.key, each.path}],
            [each for each in every if each.path.rpartition("/")[2].lower() == name.lower()],
        ):
            if len(meant) == 1:
                return meant[0]
            if meant:
                keys = ", ".join(f"{each.key} ({each.path})" for each in meant)
                raise InputError(f"several collections are called {name!r}; give a key: {keys}")
        raise UnknownNameError("collection of Zotero", name, [each.path for each in every])

    async def items_of(self, collection: Collection) -> list[dict[str, Any]]:
        """Return the fields of its own items, without attachments, notes and subcollections."""
        path = f"/collections/{collection.key}/items/top"
        every = await self._pages(path, sort="dateAdded", direction="asc")
        return [e["data"] for e in every if e["data"].get("itemType") not in _WITHOUT_TITLE]

    async def items(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Return the fields of those items that there are, in the trash, too, by key."""
        entries: list[dict[str, Any]] = []
        for some in batched(keys):
            entries += await self._pages("/items", itemKey=",".join(some), includeTrashed="1")
        return {entry["key"]: entry["data"] for entry in entries}

    async def fields_of(self, item_type: str) -> set[str]:
        fields, _ = await self._ask("/itemTypeFields", {"itemType": item_type})
        return {field["field"] for field in fields}

    async def require_writing(self) -> None:
        """Raises ZoteroError: this library cannot be written to, and what would allow it."""
        if self._is_local and _SERVER not in self._headers:
            raise ZoteroError(
                "the Zotero on this machine is read only for other programs: Zotero 10 or later "
                "is not; or set ZOTERO_API_KEY to a key of zotero.org that may write"
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
                "zotero.org/settings/keys lets it"
            )

    async def write(self, objects: Sequence[dict[str, Any]]) -> dict[str, str]:
        """Create or change items; return by key why some were not, `STALE`: changed meanwhile.

        Each has a key and the version that it changes, 0 for a new one: none is made twice, however
        often a request is sent.
        """
        failures: dict[str, str] = {}
        for some in batched(objects):
            if _KEY not in self._headers:  # the Zotero on this machine asks the person in a dialog
                leave, _ = await self._ask("/local/authorize", json={"appName": "paper-search"})
                self._headers[_KEY], self._keeps_key = leave["key"], bool(leave.get("remember"))
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
                raise ZoteroError(f"{self._url} answers as Zotero does not; ZOTERO_URL sets it")
            entries += page
            total = headers.get("Total-Results", "")
            if total.isdecimal() and len(entries) >= int(total):
                return entries
            if not page:
                if total.isdecimal():
                    raise ZoteroError(f"Zotero gave {len(entries)} of {total} entries; try again")
                return entries

    async def _place(self) -> str:
        """Return the path of the library; that of a key's owner is asked for once."""
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
            raise ZoteroError(self._explained(error)) from None

    def _explained(self, error: HttpError) -> str:
        status = error.status if isinstance(error, HttpStatusError) else None
        if isinstance(error, HttpUnreachableError) and self._is_local:
            return (
                f"Zotero does not answer at {self._url}: start it, and {_ALLOW}; "
                "or set ZOTERO_API_KEY to use a library on zotero.org"
            )
        if status in {HTTPStatus.FORBIDDEN, HTTPStatus.UNAUTHORIZED}:
            if self._is_local:
                return f"Zotero refuses other programs, or you did in its dialog: {_ALLOW}"
            return (
                "the key in ZOTERO_API_KEY is unknown or may not do this; "
                "zotero.org/settings/keys makes one and says what each may do"
            )
        if status == HTTPStatus.NOT_FOUND and self._path:
            return (
                f"Zotero has no library {self._path.strip('/')!r} for you; ZOTERO_LIBRARY names "
                "another: user:ID or group:ID"
            )
        if status == HTTPStatus.CONFLICT:
            return "the library of Zotero is locked, by a synchronisation perhaps; try again soon"
        reason = f" ({error.body})" if isinstance(error, HttpStatusError) and error.body else ""
        return (
            f"Zotero cannot be asked: {error}{reason}; what was written stays, and is not repeated"
        )


def batched(entries: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(entries)
    while some := list(islice(rest, _BATCH)):
        yield some


def _is_entry(value: Any) -> bool:
    return isinstance(value, dict) and "key" in value and isinstance(value.get("data"), dict)


def _path_of(key: str, entries: dict[str, dict[str, Any]]) -> str:
    names: list[str] = []
    seen: set[str] = set()
    while key in entries and key not in seen:
        seen.add(key)
        names.insert(0, str(entries[key].get("name")))
        key = str(entries[key].get("parentCollection") or "")
    return "/".join(names)


def collection_name(reference: str) -> str:
    name = reference.removeprefix(PREFIX).strip()
    if not reference.startswith(PREFIX) or not name:
        raise InputError(f"{reference!r} names no collection: give {PREFIX}NAME or {PREFIX}KEY")
    return name


async def collection_file(config: AppConfig, reference: str, directory: Path) -> Path:
    """Write the items of `zotero:COLLECTION` as JSON lines that the importers read."""
    name = collection_name(reference)
    async with ZoteroLibrary(config) as library:
        collection = await library.collection(name)
        items = await library.items_of(collection)
    if not items:
        raise InputError(f"the collection {collection.path!r} of Zotero holds no papers of its own")
    path = directory / f"{collection.key}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(record_fields(data)) + "\n" for data in items)
    return path


def record_fields(data: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of an item by names that `bibliography.fields` knows."""
    people = [each for each in data.get("creators") or [] if isinstance(each, dict)]
    types = [each.get("creatorType") for each in people]
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
            each["tag"] for each in data.get("tags") or [] if not each["tag"].startswith(DECISION)
        ],
    }

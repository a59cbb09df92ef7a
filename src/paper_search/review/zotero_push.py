"""Write the papers of a search and their decisions to a Zotero collection.

Nothing is deleted, and only our own items are changed. An item is ours if it has the key derived
from its thread and paper, and our line in `extra`. Once written, its fields belong to the person:
only our tags, our note and its place in the collection are updated.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from paper_search.config import AppConfig
from paper_search.errors import ZoteroError
from paper_search.exports.text import safe_address, single_line
from paper_search.exports.zotero import DECISION, decision_tags, item_of, kind_of, note_of
from paper_search.models import Paper
from paper_search.review.zotero import STALE, Collection, ZoteroLibrary, collection_name

Outcome = Literal["created", "updated", "unchanged", "left", "refused"]
Fields = dict[str, Any]
_LETTERS = "23456789ABCDEFGHIJKMNPQRSTUVWXZ"
"""Letters of Zotero's keys, without those that some versions refuse."""
_ROUNDS = 3
"""How often items that changed in the meantime are read and written again."""


@dataclass
class PushSummary:
    """The outcome for each paper.

    Attributes:
        collection: its path.
        outcomes: by paper id; `left`: the item is in the trash, or no longer marked as ours.
        refusals: why Zotero refused an item, a note or a link, by its key.
    """

    collection: str
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    refusals: dict[str, str] = field(default_factory=dict)

    @property
    def counts(self) -> dict[Outcome, int]:
        count = Counter(self.outcomes.values())
        return {name: count[name] for name in get_args(Outcome)}


async def push(
    config: AppConfig, reference: str, thread: str, papers: Sequence[Paper], others: Iterable[Paper]
) -> PushSummary:
    """Write papers of a thread to `zotero:COLLECTION`; repeating it changes nothing.

    Existing items of `others` get their present decisions.
    """
    name = collection_name(reference)
    async with ZoteroLibrary(config) as library:
        collection = await library.collection(name)
        await library.require_writing()
        return await _Push(library, collection, thread).run(papers, list(others))


class _Push:
    def __init__(self, library: ZoteroLibrary, collection: Collection, thread: str) -> None:
        self._library = library
        self._collection = collection
        self._thread = thread
        self._summary = PushSummary(collection.path)
        self._fields: dict[str, set[str]] = {}

    async def run(self, papers: Sequence[Paper], others: Sequence[Paper]) -> PushSummary:
        for _ in range(_ROUNDS):
            keys = await self._items(papers, others)
            if keys is not None and await self._children([*papers, *others], keys):
                return self._summary
        raise ZoteroError(
            "items of Zotero change while they are written; try again later: none is created twice"
        )

    async def _items(
        self, papers: Sequence[Paper], others: Sequence[Paper]
    ) -> dict[str, str] | None:
        """Write the items; return their keys by paper, None if some changed in the meantime."""
        every = [*papers, *others]
        present = await self._library.items(key for paper in every for key in self._keys_of(paper))
        paper_ids = {paper.id for paper in papers}
        new = [paper for paper in papers if present.keys().isdisjoint(self._keys_of(paper))]
        for item_type in {kind_of(paper).name for paper in new} - self._fields.keys():
            self._fields[item_type] = await self._library.fields_of(item_type)
        keys, changes = dict[str, str](), list[Fields]()
        for paper in every:
            key = next((key for key in self._keys_of(paper) if key in present), None)
            if key is None and paper.id not in paper_ids:
                continue
            change = self._change(paper, present.get(key or ""), is_wanted=paper.id in paper_ids)
            if change is not None:
                keys[paper.id] = key or self._keys_of(paper)[0]
                changes += [{"key": keys[paper.id], **change}] if change else []
        is_current = await self._write(changes)
        for paper_id in [i for i, key in keys.items() if key in self._summary.refusals]:
            self._summary.outcomes[paper_id] = "refused"
            del keys[paper_id]
        return keys if is_current else None

    def _change(self, paper: Paper, item: Fields | None, *, is_wanted: bool) -> Fields | None:
        """Return what to write to an item, {} for nothing, None if it must be left alone."""
        within, outcomes = self._collection.key, self._summary.outcomes
        if item is None:
            outcomes[paper.id] = "created"
            fields = item_of(paper, self._fields[kind_of(paper).name])
            extra = "\n".join(filter(None, [fields["extra"], self._mark(paper.id)]))
            return {**fields, "version": 0, "collections": [within], "extra": extra}
        lines = str(item.get("extra") or "").splitlines()
        if item.get("deleted") or not any(self._mark(i) in lines for i in _ids_of(paper)):
            outcomes[paper.id] = "left"
            return None
        change: Fields = {}
        tags = [tag for tag in item.get("tags") or [] if not tag["tag"].startswith(DECISION)]
        tags += [{"tag": tag} for tag in decision_tags(paper)]
        if {tag["tag"] for tag in tags} != {tag["tag"] for tag in item.get("tags") or []}:
            change["tags"] = tags
        if is_wanted and within not in (places := item.get("collections") or []):
            change["collections"] = [*places, within]
        outcomes.setdefault(paper.id, "unchanged")
        return self._with_version(paper, item, change)

    def _with_version(self, paper: Paper, item: Fields, change: Fields) -> Fields:
        if change and self._summary.outcomes[paper.id] == "unchanged":
            self._summary.outcomes[paper.id] = "updated"
        return {**change, "version": item["version"]} if change else {}

    async def _children(self, papers: Iterable[Paper], keys: dict[str, str]) -> bool:
        """Write notes and links; return whether none changed in the meantime."""
        parents = [(paper, keys[paper.id]) for paper in papers if paper.id in keys]
        names = [_key(parent, kind) for _, parent in parents for kind in ("note", "link")]
        present, changes = await self._library.items(names), list[Fields]()
        for paper, parent in parents:
            note, link = _key(parent, "note"), _key(parent, "link")
            change = self._note_change(paper, present.get(note), parent)
            changes += [{"key": note, **change}] if change else []
            if link not in present and (url := safe_address(paper.full_text_url)):
                fields = {"itemType": "attachment", "linkMode": "linked_url", "title": "Open text"}
                changes.append(
                    {"key": link, "version": 0, "parentItem": parent, **fields, "url": url}
                )
        return await self._write(changes)

    def _note_change(self, paper: Paper, item: Fields | None, parent: str) -> Fields:
        text = note_of(paper) or ("<p>undecided</p>" if item else "")
        # Zotero may change the HTML, so the text is compared by its digest.
        mark, digest = f"paper-search: {parent}-", hashlib.sha256(text.encode()).hexdigest()[:12]
        note = f"{text}<p>{mark}{digest}: kept up to date; write in a note of your own</p>"
        if item is None:
            new = {"itemType": "note", "version": 0, "parentItem": parent, "note": note}
            return new if text else {}
        own = str(item.get("note"))
        if item.get("deleted") or mark not in own or mark + digest in own:
            return {}
        return self._with_version(paper, item, {"note": note})

    async def _write(self, changes: Sequence[Fields]) -> bool:
        """Write items not refused before; return whether none changed in the meantime."""
        refusals = self._summary.refusals
        failures = await self._library.write([c for c in changes if c["key"] not in refusals])
        refusals |= {key: reason for key, reason in failures.items() if reason != STALE}
        return STALE not in failures.values()

    def _keys_of(self, paper: Paper) -> list[str]:
        return [_key(self._thread, paper_id) for paper_id in _ids_of(paper)]

    def _mark(self, paper_id: str) -> str:
        return single_line(f"paper-search: {self._thread}/{paper_id}")


def _ids_of(paper: Paper) -> list[str]:
    return list(dict.fromkeys([paper.id, *paper.merged_from]))


def _key(*parts: str) -> str:
    number = int.from_bytes(hashlib.sha256("\n".join(parts).encode()).digest())
    return "".join(_LETTERS[number // len(_LETTERS) ** place % len(_LETTERS)] for place in range(8))

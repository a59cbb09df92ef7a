"""The records of one thread, in the LangGraph store; the state holds only their ids.

Namespaces, each under `("paper_search", <thread>)`:
`records` as sources returned them · `rounds` the arrivals of each search, when and how · `works`
merged records, where they differ from a record · `members` the work of each record ·
`judgements` score, reason, tags · `judged_before` those that a round replaced · `papers` in full,
where an organizer changed them · `final` the same of the final result · `approvals` what a person
approved · `marks` made while screening (`paper_search.workflow.marks`) · `reviews` the marks of
each reviewer, and `reviewers` who they are (`paper_search.workflow.reviewers`) · `full_texts` and
what belongs to them (`paper_search.review`) · `order` of a result that was judged again.
"""

import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from paper_search.models import (
    MAX_SEEDS,
    Arrival,
    MarkedPaper,
    Paper,
    PaperCollection,
    RawPaper,
    ScoredPaper,
    SearchStrategy,
    Seed,
)
from paper_search.persistence.encryption import DamagedError
from paper_search.persistence.leases import lease_memory
from paper_search.skills.result_organizer import facets_of
from paper_search.threads.records import MOST_ROWS, Approvals, RecordStore, RowT, storable
from paper_search.workflow.counts import SearchedRound
from paper_search.workflow.listing import ThreadCatalog
from paper_search.workflow.rows import (
    VERDICT,
    add_sightings,
    is_plain,
    is_same,
    record_row,
    verdict_row,
    with_unique_ids,
)
from paper_search.workflow.state import CollectionRef

_SEED_CANDIDATES = 100
"""First papers of a result, of which the best become seeds."""
_MIN_SEED_SCORE = 0.8
"""A record that addresses the judge never gets this score."""
_LATEST = "latest"


class SearchRecords(RecordStore):
    """Reads and writes the records of one search. Writing twice changes nothing."""

    listed_in = ThreadCatalog.listed_in
    _of_results = frozenset({"works", "members", "judgements", "order", "papers"})
    cached_parts = frozenset({"approvals", "batches", "records", "rounds"}) | _of_results

    async def save_records(self, papers: Sequence[RawPaper]) -> list[str]:
        """Store the records of a search and return their ids, in order.

        Two different records with one id are both kept, with different ids. A record of an
        earlier round keeps its sightings of then.
        """
        rows = await self.get("records", [storable(paper.id) for paper in papers])
        records = with_unique_ids(papers, {name: row.get("source") for name, row in rows.items()})
        before = await self.get("records", [paper.id for paper in records])
        new = {p.id: add_sightings(record_row(p), before.get(p.id)) for p in records}
        await self.put("records", new, before)
        return [paper.id for paper in records]

    async def save_round(self, searched: SearchedRound) -> None:
        """Store one search; it replaces an earlier one of the same round."""
        value = storable(searched.model_dump(mode="json"))
        await self.put("rounds", {str(searched.iteration): value}, current={})

    async def rounds(self, iterations: Collection[int]) -> list[SearchedRound]:
        """Return these rounds in order; all of them must have been searched."""
        keys = [str(iteration) for iteration in sorted(iterations)]
        return self.in_order(await self._searches(keys), keys, "round")

    async def _searches(self, keys: Sequence[str]) -> dict[str, SearchedRound]:
        rows = await self.get("rounds", keys)
        return self._validate("searches", rows, lambda _, row: SearchedRound(**row))

    async def arrivals(self, iteration: int, waits: int) -> list[Arrival]:
        """Return the arrivals of a round before its wait number `waits`."""
        rounds = await self._searches([str(iteration)] if waits else [])
        return [row for round_ in rounds.values() for row in round_.arrivals if row.waits < waits]

    async def records(self, ids: Sequence[str]) -> list[RawPaper]:
        return _copies(self._models(await self.get("records", ids), ids))

    async def save_works(
        self, works: Sequence[RawPaper], records: Sequence[RawPaper] = ()
    ) -> list[str]:
        """Store merged records and return their ids, in order.

        A work that was found in an earlier round keeps its id. A work that equals one of the
        `records`, which the caller has just read, is not compared with the file.
        """
        works_ = with_unique_ids(await self._with_earlier_ids(works), {})
        before = await self.get("works", [work.id for work in works_])
        records_by_id = {record.id: record for record in records}
        fresh = [w for w in works_ if w.id in before or not is_same(w, records_by_id.get(w.id))]
        rows = await self.get("records", [work.id for work in fresh]) | before
        new = {work.id: record_row(work) for work in fresh}
        changed = {i: row for i, row in new.items() if row != rows.get(i)}
        await self.put("works", changed, before)
        members = {i: {"work": w.id} for w in works_ for i in w.merged_from if i != w.id}
        alone = await self.get("members", [w.id for w in works_])
        await self.put("members", {i: {"work": i} for i in alone} | members)
        return [record.id for record in works_]

    async def regroup(self, result: CollectionRef) -> None:
        """Group records as in a result, whatever was merged or split after it."""
        ids = [*result.paper_ids, *result.set_aside_ids]
        paper_of = {i: own for own in ids for i in result.members.get(own, [own])}
        known = await self.get("members", list(paper_of))
        rows = {i: {"work": own} for i, own in paper_of.items() if i != own or i in known}
        await self.put("members", rows)

    async def works(self, ids: Sequence[str]) -> list[RawPaper]:
        return _copies(await self._works(ids))

    async def _works(self, ids: Sequence[str]) -> list[RawPaper]:
        whole = await self.get("works", ids)
        plain = await self.get("records", [work_id for work_id in ids if work_id not in whole])
        return self._models({**plain, **whole}, ids)

    def _models(self, rows: Mapping[str, dict[str, Any]], ids: Sequence[str]) -> list[RawPaper]:
        return self.in_order(self._validate("models", rows, self._model), ids)

    def _validate(
        self, name: str, rows: Mapping[str, Any], model_of: Callable[[str, Any], RowT]
    ) -> dict[str, RowT]:
        """Return rows as models; each row is validated once per lease."""
        memory = lease_memory(self.thread_id)
        models: dict[str, tuple[Any, RowT]]
        models = {} if memory is None else memory.setdefault(name, {})
        if len(models) > MOST_ROWS:
            models.clear()
        for row_id, row in rows.items():
            if row_id not in models or models[row_id][0] is not row:
                models[row_id] = row, model_of(row_id, row)
        return {row_id: models[row_id][1] for row_id in rows}

    def _model(self, row_id: str, row: Mapping[str, Any]) -> RawPaper:
        with contextlib.suppress(ValidationError):
            record = RawPaper.model_validate(row)
            if record.id == row_id:
                return record
        raise DamagedError(f"record {row_id!r} of thread {self.thread_id!r}")

    async def save_judgements(
        self, scored: Sequence[ScoredPaper], works: Sequence[RawPaper], iteration: int
    ) -> dict[str, float]:
        """Store the verdicts of a round and return the scores by id, in order."""
        works_by_id = {work.id: work for work in works}
        papers = [verdict.paper for verdict in scored]
        changed = [paper for paper in papers if not is_same(paper, works_by_id.get(paper.id))]
        await self.put("works", {paper.id: record_row(paper) for paper in changed})
        await self.put("order", {_LATEST: None})
        verdicts = {verdict.paper.id: verdict_row(verdict) for verdict in scored}
        before, key = await self.get("judgements", list(verdicts)), str(iteration)
        if replaced := {i: row for i, row in before.items() if row != verdicts[i]}:
            kept = (await self.get("judged_before", [key])).get(key, {})
            await self.put("judged_before", {key: {**replaced, **kept}})
        await self.put("judgements", verdicts)
        return {verdict.paper.id: verdict.relevance_score for verdict in scored}

    async def undo_judgements(self, iteration: int) -> None:
        """Restore the verdicts from before a round, and their order."""
        rows = await self.rows("judged_before")
        if undone := sorted((key for key in rows if int(key) >= iteration), key=int, reverse=True):
            verdicts = {i: row for key in undone for i, row in rows[key].items()}
            await self.put("judgements", verdicts)
            await self.apply_judgements(await self.scored(list(verdicts)), ())
            await self.put("judged_before", dict.fromkeys(undone))

    async def scored(self, ids: Sequence[str]) -> list[ScoredPaper]:
        return await self._scored(ids, await self.works(ids))

    async def _scored(self, ids: Sequence[str], works: Sequence[RawPaper]) -> list[ScoredPaper]:
        verdicts = self.in_order(await self.get("judgements", ids), ids)
        pairs = zip(works, verdicts, strict=True)
        return [ScoredPaper(paper=work, **verdict) for work, verdict in pairs]

    async def save_collection(
        self,
        collection: PaperCollection,
        limit: int | None = None,
        *,
        part: str = "papers",
        scored: Sequence[ScoredPaper] = (),
    ) -> CollectionRef:
        """Store a collection and return the reference to it.

        `limit`: show only so many papers; None for all. `part`: where to store; a step must not
        write where it reads, or it could not be repeated. `scored`: the verdicts on its papers;
        empty for the stored ones. A paper that equals work and verdict is not stored again.
        """
        papers = collection.papers if limit is None else collection.papers[:limit]
        beyond = collection.papers[len(papers) :]
        set_aside = [paper.id for paper in (*beyond, *collection.set_aside)]
        # An organizer may have changed a paper that a person then excluded.
        papers_ = [*papers, *beyond, *(paper for paper in collection.set_aside if paper.screening)]
        ids = [paper.id for paper in papers_]
        verdicts = {v.paper.id: v for v in scored or await self.scored(await self.judged_ids(ids))}
        more = [paper for paper in papers_ if not is_plain(paper, verdicts.get(paper.id))]
        whole = {paper.id: record_row(paper) for paper in more}
        every = (*papers_, *collection.set_aside)
        await self.put(part, {paper.id: whole.get(paper.id) for paper in every})
        return CollectionRef(
            metadata=collection.metadata,
            facets=facets_of(papers) if beyond else collection.facets,
            paper_ids=[paper.id for paper in papers],
            set_aside_ids=set_aside,
            earlier_ids=[paper.id for paper in collection.earlier],
            hidden=len(beyond),
            members={
                paper.id: paper.merged_from
                for paper in (*papers, *beyond, *collection.set_aside)
                if paper.merged_from and paper.merged_from != [paper.id]
            },
            part=part,
        )

    async def collection(
        self, reference: CollectionRef, first: int | None = None
    ) -> PaperCollection:
        """Return the collection, in full or with only its first papers.

        Records are grouped as they were when the collection was made: a later round that a fork
        left may have merged or split them since.
        """
        ids = await self._in_order(reference)
        count = len(reference.paper_ids)
        ids_ = ids[:count] if first is None else ids[: min(first, count)]
        rest = ids[count:] if first is None else []
        every = await self.papers([*ids_, *rest], part=reference.part)
        grouped = [_of_records(paper, reference.members.get(paper.id, [])) for paper in every]
        papers, set_aside = grouped[: len(ids_)], grouped[len(ids_) :]
        has_moved = first is None and set(ids_) != set(reference.paper_ids)
        return PaperCollection(
            metadata=reference.metadata,
            facets=facets_of(papers) if has_moved else reference.facets,
            papers=papers,
            set_aside=set_aside,
            earlier=[] if first is not None else await self.papers(reference.earlier_ids),
        )

    async def judged_ids(self, ids: Sequence[str]) -> list[str]:
        verdicts = await self.get("judgements", ids)
        return [paper_id for paper_id in ids if paper_id in verdicts]

    async def best_graded(self, result: CollectionRef | None) -> list[Seed]:
        """Return the papers that a model graded best as seeds, the best first."""
        ids = result.paper_ids[:_SEED_CANDIDATES] if result else []
        scored = await self.scored(await self.judged_ids(ids))
        best = [v for v in scored if v.grades and v.relevance_score >= _MIN_SEED_SCORE]
        best.sort(key=lambda verdict: -verdict.relevance_score)
        seeds = [Seed.of(verdict.paper) for verdict in best]
        return [seed for seed in seeds if seed.is_followable][:MAX_SEEDS]

    async def apply_judgements(self, scored: Sequence[ScoredPaper], order: Sequence[str]) -> None:
        """Apply verdicts from after the search to papers stored in full; store the new order."""
        verdicts = {verdict.paper.id: verdict_row(verdict) for verdict in scored}
        for part in ("papers", "final"):
            old = await self.get(part, list(verdicts))
            rest = {i: {n: v for n, v in r.items() if n not in VERDICT} for i, r in old.items()}
            await self.put(part, {i: {**row, **verdicts[i]} for i, row in rest.items()})
        await self.put("order", {_LATEST: {"ids": list(order)}})

    async def _in_order(self, reference: CollectionRef) -> list[str]:
        """Return the ids of a collection, in the order of a later judgement if there is one."""
        ids = [*reference.paper_ids, *reference.set_aside_ids]
        row = (await self.get("order", [_LATEST])).get(_LATEST, {})
        places = {paper_id: place for place, paper_id in enumerate(row.get("ids", []))}
        # If other papers are in the order, it is that of another result.
        return sorted(ids, key=places.__getitem__) if places.keys() == set(ids) else ids

    async def papers(self, ids: Sequence[str], *, part: str = "papers") -> list[Paper]:
        """Return papers in order: as stored in full, else from work and verdict."""
        whole = await self.get(part, ids)
        rest = [paper_id for paper_id in ids if paper_id not in whole]
        plain = await self._scored(rest, await self._works(rest))
        papers = {verdict.paper.id: Paper.from_scored(verdict) for verdict in plain}
        papers |= {paper_id: Paper.model_validate(row) for paper_id, row in whole.items()}
        return [papers[paper_id] for paper_id in ids]

    async def marked_papers(self, marks: Mapping[str, bool]) -> list[MarkedPaper]:
        """Return marked papers with text to learn from; merged ones have the id of their work."""
        works = await self.works_of(list(marks))
        return [
            MarkedPaper(
                id=works.get(paper.id, paper.id),
                title=paper.title,
                abstract=paper.text,
                is_relevant=marks[paper.id],
                seed=Seed.of(paper),
            )
            for paper in await self.papers(list(marks))
        ]

    async def works_of(self, ids: Sequence[str]) -> dict[str, str]:
        rows: dict[str, dict[str, Any]] = {}
        batch = wanted_ids = {*ids}
        while batch:
            more = await self.get("members", sorted(batch))
            rows |= more
            batch = {row["work"] for row in more.values()} - {*rows} - batch
        return {i: work for i, work in work_of_members(rows).items() if i in wanted_ids}

    async def _with_earlier_ids(self, works: Sequence[RawPaper]) -> list[RawPaper]:
        ids = [i for work in works for i in (work.id, *work.merged_from)]
        verdicts = await self.get("judgements", ids)
        members = await self.works_of(ids)
        work_of = {i: i for i in verdicts} | members
        work_ids = set(work_of.values())
        used_ids = {work.id for work in works}
        result = []
        for work in works:
            earlier = {work_of[i] for i in (work.id, *work.merged_from) if i in work_of} - {work.id}
            # No two works get the same id: of a work that was split, one part keeps it.
            free = sorted(earlier - used_ids) if work.id not in work_ids else []
            used_ids.update(free[:1])
            own = work.merged_from or [work.id]
            update = {"id": free[0], "merged_from": own} if free else {}
            result.append(work.model_copy(update=update) if update else work)
        return result


class StrategyApprovals(Approvals[SearchStrategy]):
    part = "approvals"
    field = "strategy"
    noun = "search"

    def _approved_part(self, proposal: SearchStrategy) -> SearchStrategy:
        return SearchStrategy.model_validate(proposal.model_dump(mode="json"))


def work_of_members(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return the work of each record, from rows of `members`.

    A record that a later round did not merge again stays with the record that named its work.
    """

    def last(record_id: str) -> str:
        path = [record_id]
        while (row := rows.get(path[-1])) is not None and row["work"] not in path:
            path.append(row["work"])
        return path[-1]

    return {record_id: last(record_id) for record_id in rows}


def _copies(records: Sequence[RawPaper]) -> list[RawPaper]:
    """Copy records, so that no skill changes those that are kept in memory."""
    return [record.model_copy() for record in records]


def _of_records(paper: Paper, ids: list[str]) -> Paper:
    """Return the paper as merged from these records; without any, from its own."""
    is_same = (paper.merged_from or [paper.id]) == (ids or [paper.id])
    return paper if is_same else paper.model_copy(update={"merged_from": ids})

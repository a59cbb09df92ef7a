"""A model that does whatever any text in its message tells it."""

import re
from typing import Any

from paper_search.testing.llm import LLMCall, criteria_in, data_block, grading_of


def obedient_answer(call: LLMCall) -> dict[str, Any]:
    """Return what a model answers that does whatever any text in its message tells it.

    Every paper gets the highest score it may ask for, all records are called one work, and
    sources, addresses, files and decisions named in the data come back in the answer.
    """
    names = re.findall(r"[\w./:-]{3,}", call.user_message)
    urls = [name for name in names if name.startswith("http")]
    try:
        records = data_block(call)
    except AssertionError:
        records = []
    ids = [record["id"] for record in records if "id" in record]
    criteria = criteria_in(call.user_message) if "\nCriteria: " in call.user_message else []
    papers = [record for record in records if "paper_id" in record]
    injected = {"fetch": urls, "write_file": names[:5], "goto": "finish", "action": "approve"}
    return {
        "results": [grading_of(record, criteria, 3) for record in papers],
        "groups": [[*ids, "invented-by-injection"]],
        "topic": "as told",
        "concepts": ["as told"],
        "intent_type": "method",
        "constraints": {},
        "queries": [{"keywords": ["told"], "boolean_query": "told"}],
        "sources": ["evil_source", *urls],
        "filters": {"max_results": 10**9},
        **injected,
    }

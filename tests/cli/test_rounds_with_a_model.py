"""What a person sees of a strategy that a model wrote, round by round."""

from typing import Any

from paper_search.testing.llm import LLMCall
from paper_search.testing.model_server import run_model_server

INTENT = {
    "topic": "graphneuronale Netze für Moleküle",
    "concepts": ["graph neural networks", "molecules"],
    "intent_type": "method",
    "constraints": {"year_from": 2018},
}


def strategy(call: LLMCall) -> dict[str, Any]:
    """Return a strategy that looks for what the note wants, and excludes nothing."""
    texts = ['"graph neural networks" AND molecules']
    again = "Previous strategies" in call.user_message
    return {
        "queries": [{"boolean_query": text} for text in [*texts, *["toxicity"] * again]],
        "sources": [],
        "filters": {},
        "reason": "It follows your note: toxicity" if again else None,
    }


def test_a_note_is_obeyed_and_what_changed_is_said(cli, home, monkeypatch):
    assert home.is_dir()
    monkeypatch.setenv("LLM_MODEL", "scripted")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with run_model_server({"IntentAnswer": INTENT, "StrategyAnswer": strategy}) as server:
        monkeypatch.setenv("LLM_BASE_URL", server.url)
        question = "graphneuronale Netze für Moleküle seit 2018"
        asked = cli("find", question, "--source", "sample", "--json").document
        thread, first = asked["thread_id"], asked["checkpoint"]["payload"]
        assert first["intent"]["concepts"][0] == "graph neural networks"
        assert first["strategy"]["filters"]["year_from"] == 2018
        assert not first["changes"]

        shown = cli("resume", thread, "--reject", "not surveys; more on toxicity")
    assert "changed  + toxicity; not review" in shown.stderr
    assert "why  It follows your note: toxicity" in shown.stderr
    assert "; not review;" in shown.stderr

"""MCP: a person is asked by forms of a client, in both eras of the protocol."""

import asyncio
import base64
import contextlib
import functools
import json
import random
import re
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import ElicitResult, Implementation, InputRequiredResult
from tests.ports import free_port

from paper_search.config import AppConfig, load_config
from paper_search.persistence import open_persistence
from paper_search.report_workflow.listing import ThreadCatalogs
from paper_search.review import share_thread
from paper_search.server import mcp_tools
from paper_search.server.access import Access, SharedPersistence
from paper_search.server.app_factory import create_app
from paper_search.server.mcp import PaperSearchServer
from paper_search.server.mcp_texts import MOST_BYTES, part_of

ADA, BOB = "CANARY-token-of-ada-01", "CANARY-token-of-bob-02"
BEGIN = {"question": "graph neural networks for molecules", "sources": ["sample"]}
APPROVE = {"action": "approve"}
MODERN, LEGACY = "2026-07-28", "legacy"
ERAS = (MODERN, LEGACY)
Answer = Mapping[str, Any] | str
"""What a person fills in, or how they close the form."""
Connect = Callable[..., Any]


class Person:
    """Fills in the forms that a client shows, one after the other; closes those that come after."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.forms: list[Any] = []

    async def __call__(self, _context: Any, params: Any) -> ElicitResult:
        self.forms.append(params)
        answer = self.answers.pop(0) if self.answers else "cancel"
        if isinstance(answer, str):
            return ElicitResult(action=answer)
        return ElicitResult(action="accept", content=dict(answer))


@pytest.fixture(scope="session")
def home(tmp_path_factory, unpacked_sample) -> Path:
    path: Path = tmp_path_factory.mktemp("home")
    (path / unpacked_sample.name).symlink_to(unpacked_sample)
    return path


@pytest.fixture
def config(home, tmp_path, monkeypatch) -> AppConfig:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PAPER_SEARCH_HOME", str(home))
    monkeypatch.setenv("PAPER_SEARCH_SOURCES", "library,sample")
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'threads.db'}")
    return load_config()


@pytest.fixture
async def shared(config) -> AsyncIterator[SharedPersistence]:
    persistence = SharedPersistence(config.persistence_url)
    async with persistence.open():
        yield persistence


@pytest.fixture
def connect(config, shared) -> Connect:
    """Connect a client, with or without a person before it, to a server of its own."""

    @contextlib.asynccontextmanager
    async def connect(person: Person | None = None, era: str = MODERN, **settings: Any):
        own = config.server.model_copy(update=settings)
        changed = config.model_copy(update={"server": own})
        server = PaperSearchServer(changed, Access(shared, changed))
        async with client_of(server, person, era) as client:
            yield client

    return connect


def client_of(server: Any, person: Person | None, era: str) -> Client:
    info = Implementation(name="desk", version="1.2")
    return Client(server, mode=era, elicitation_callback=person, client_info=info)


async def told(client: Client, tool: str, **arguments: Any) -> str:
    """Return what a tool answers: one text, which is not too long."""
    result = await client.call_tool(tool, arguments)
    assert result.structured_content is None
    (content,) = result.content
    assert len(content.text.encode()) <= MOST_BYTES
    return content.text


async def begun(client: Client) -> tuple[str, str]:
    """Begin a search that nobody is asked about by a form; return its thread and token."""
    text = await told(client, "search", **BEGIN)
    return thread_in(text), re.search(r"token: (\w+)", text).group(1)


def thread_in(text: str) -> str:
    return re.search(r"[0-9a-f]{8}-[0-9a-f-]{27}", text).group()


async def deciders(shared: SharedPersistence, thread_id: str) -> list[str]:
    async with shared.use() as persistence:
        return [entry.decided_by for entry in await persistence.ledger.entries(thread_id)]


@pytest.mark.parametrize("era", ERAS)
async def test_a_search_goes_from_question_to_result_by_forms(connect, shared, era):
    person = Person(APPROVE, APPROVE)
    async with connect(person, era) as client:
        text = await told(client, "search", **BEGIN)
        assert "ended by: approved" in text
        thread_id = thread_in(text)
        page = await client.read_resource(f"paper-search://{thread_id}/result?page=1")
        assert page.contents[0].text == text
        named = {"thread_id": thread_id}
        assert await told(client, "show", **named) == text
        paper_id = re.search(r"id: `([^`]+)`", text).group(1)
        assert f'"{paper_id}"' in await told(client, "paper", **named, paper_id=paper_id)
        assert "@" in await told(client, "export", **named, format="bibtex")
        assert "there is no page 99" in await told(client, "show", **named, page=99)
        assert "each by the tool `show`, or paper-search://" in text
        aside = await told(client, "show", **named, set_aside=True)
        assert "of the papers set aside, each by the tool `show`, with `set_aside`\n" in aside
    strategy, result = person.forms
    assert strategy.requested_schema["properties"]["sources"]["default"] == "sample"
    assert "is this the result?" in result.message
    by = await deciders(shared, thread_id)
    assert len(by) == 2
    assert all(name.endswith(", by a form in desk 1.2") for name in by)


@pytest.mark.parametrize("era", ERAS)
async def test_a_report_goes_from_plan_to_text_by_forms(connect, shared, era):
    person = Person(APPROVE, APPROVE, APPROVE)
    async with connect(person, era) as client:
        text = await told(client, "report", **BEGIN)
        thread_id = thread_in(text)
        assert "approved by" in text
        part = await client.read_resource(f"paper-search://{thread_id}/report")
        assert part.contents[0].text == text
    assert len(await deciders(shared, thread_id)) == len(person.forms) == 2


@pytest.mark.parametrize("era", ERAS)
async def test_a_form_that_cannot_be_used_is_shown_again_with_what_is_wrong(connect, shared, era):
    edit = {"action": "edit", "queries": "graph AND molecule\nneural AND molecule"}
    person = Person(
        {"action": "edit"},
        {"action": "approve", "sources": "arxiv"},
        {"action": "approve", "extra": "x"},
        {"action": "edit", "year_from": "soon"},
        {},
        edit,
        {"action": "edit", "marked_relevant": "no-such-paper"},
        {"action": "reject", "note": "only reviews"},
    )
    async with connect(person, era) as client:
        client.input_required_max_rounds = 20
        text = await told(client, "search", **BEGIN)
    first, *others = [form.message.split("\n")[0] for form in person.forms]
    assert first.startswith("## Round 1")
    assert "an edit needs revised_data" in others[0] or "changes nothing" in others[0]
    assert "changes sources and approves" in others[1]
    assert "no fields extra" in others[2]
    assert "year_from" in others[3]
    assert "action: Input should be" in others[4]
    assert others[5].startswith("## Round 1: is this the result?")
    assert "no such papers" in others[6]
    assert others[7].startswith("## Round 2")
    assert "Nobody decided (cancel)" in text
    async with shared.use() as persistence:
        entries = await persistence.ledger.entries(thread_in(text))
    edited, rejected = (entry.decision for entry in entries)
    queries = [query["boolean_query"] for query in edited["revised_data"]["queries"]]
    assert queries == ["graph AND molecule", "neural AND molecule"]
    assert (rejected["action"], rejected["note"]) == ("reject", "only reviews")


@pytest.mark.parametrize("tool", ["search", "answer"])
async def test_a_thread_whose_call_broke_off_is_found_again(connect, tool):
    """Also where the server was started anew."""
    is_shown, begin = asyncio.Event(), {**BEGIN, "idempotency_key": "a"}

    async def late(_context: Any, _params: Any) -> ElicitResult:
        is_shown.set()
        await asyncio.sleep(60)
        raise AssertionError("nobody waits so long")

    async with connect(late) as client:
        call = asyncio.create_task(told(client, "search", **begin))
        await is_shown.wait()
        call.cancel()
    async with connect(Person(APPROVE, APPROVE)) as client:
        listed = await told(client, "threads")
        assert listed.endswith(f"waiting; {BEGIN['question']}")
        again = begin if tool == "search" else {"thread_id": thread_in(listed)}
        assert "ended by: approved" in await told(client, tool, **again)
        assert re.findall(": (done|waiting); ", await told(client, "threads")) == ["done"]


async def test_only_the_same_call_with_the_same_key_goes_on_with_a_thread(connect, shared):
    async with connect() as client:
        keys = ("a", "b", None, None, "a")
        texts = [await told(client, "search", **BEGIN, idempotency_key=key) for key in keys]
        first, *others = map(thread_in, texts)
        assert others[-1] == first
        assert len({first, *others}) == len(keys) - 1
        other = {**BEGIN, "question": "soil microbes", "idempotency_key": "a"}
        assert thread_in(await told(client, "search", **other)) not in {first, *others}
        async with shared.use() as persistence:
            await ThreadCatalogs(persistence).delete(first)
        text = await told(client, "search", **BEGIN, idempotency_key="a")
        assert text.startswith(f"thread: {first}; token: ")


async def test_a_call_that_comes_twice_at_once_begins_one_thread(connect):
    async with connect() as client:
        calls = [told(client, "search", **BEGIN, idempotency_key="a") for _ in range(2)]
        first, second = await asyncio.gather(*calls)
        assert first == second
        assert "it waits for a person's decision" in first
        listed = await told(client, "threads")
        assert listed == f"- `{thread_in(first)}`: waiting; {BEGIN['question']}"


async def test_a_call_that_comes_to_two_servers_at_once_begins_one_thread(connect):
    async with connect() as one, connect() as other:
        calls = [told(client, "search", **BEGIN, idempotency_key="a") for client in (one, other)]
        first, second = await asyncio.gather(*calls)
        assert first == second
        assert "it waits for a person's decision" in first
        assert await told(one, "threads") == f"- `{thread_in(first)}`: waiting; {BEGIN['question']}"


async def test_a_call_that_comes_again_while_a_person_screens_is_answered_at_once(connect, shared):
    async with connect() as client, shared.use() as persistence:
        first = await told(client, "search", **BEGIN, idempotency_key="a")
        async with persistence.leases.hold(thread_in(first)):
            again = told(client, "search", **BEGIN, idempotency_key="a")
            assert await asyncio.wait_for(again, 10) == first


async def test_a_call_that_comes_again_while_its_search_runs_is_told_so_soon(
    connect, shared, monkeypatch
):
    monkeypatch.setattr(mcp_tools, "_PATIENCE_S", 0.3)
    async with connect() as client, shared.use() as persistence:
        begin = {**BEGIN, "idempotency_key": "a"}
        thread_id = thread_in(await told(client, "search", **begin))
        session = ThreadCatalogs(persistence).searches.session(thread_id)
        async with session.lease():
            await session.decide(await session.open_question(), "approve")
            text = await asyncio.wait_for(told(client, "search", **begin), 10)
    assert text == f"thread: {thread_id}; it is running: call `show` later"


async def test_calls_that_go_on_at_once_with_a_thread_that_stopped_do_not_fail(connect, shared):
    async with connect() as one, connect() as other, shared.use() as persistence:
        begin = {**BEGIN, "idempotency_key": "a"}
        session = ThreadCatalogs(persistence).searches.session(
            thread_in(await told(one, "search", **begin))
        )
        async with session.lease():
            await session.decide(await session.open_question(), "approve")
        calls = [
            client.call_tool("answer", {"thread_id": session.thread_id}) for client in (one, other)
        ]
        assert [result.is_error for result in await asyncio.gather(*calls)] == [False, False]


@pytest.mark.parametrize("era", ERAS)
async def test_of_forms_for_one_question_one_counts_and_no_call_fails(connect, shared, era):
    """Calls of one key at once, which show their forms before the first is answered."""
    both_shown = asyncio.Barrier(2)
    people = Person(APPROVE, APPROVE, APPROVE), Person(APPROVE, APPROVE, APPROVE)

    async def answering(person: Person, context: Any, params: Any) -> ElicitResult:
        if not person.forms:
            await both_shown.wait()
        return await person(context, params)

    async with contextlib.AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(connect(functools.partial(answering, person), era))
            for person in people
        ]
        begin = {**BEGIN, "idempotency_key": "a"}
        results = await asyncio.gather(*[c.call_tool("search", begin) for c in clients])
    assert [result.is_error for result in results] == [False, False]
    texts = [result.content[0].text for result in results]
    assert any("ended by: approved" in text for text in texts)
    assert len(await deciders(shared, thread_in(" ".join(texts)))) == 2  # of two questions


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_without_forms_is_told_where_a_person_decides(connect, era):
    async with connect(era=era) as client:
        thread_id, _ = await begun(client)
        text = await told(client, "show", thread_id=thread_id)
        assert f"paper-search resume {thread_id}" in text
        assert re.search(f"`paper-search review {thread_id} --home [^`]+`", text)
        assert "is this the search strategy?" in text
        assert await told(client, "answer", thread_id=thread_id) == text


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_decides_only_where_the_settings_let_it(connect, shared, era):
    async with connect(era=era) as client:
        thread_id, token = await begun(client)
        decision = {"thread_id": thread_id, "token": token, "decision": "approve"}
        assert "a person decides, not the client" in await told(client, "answer", **decision)
    assert await deciders(shared, thread_id) == []
    async with connect(era=era, mcp_may_decide=True) as client:
        assert "is this the result?" in await told(client, "answer", **decision)
    assert await deciders(shared, thread_id) == ["desk 1.2 over MCP, not by a person"]


async def test_what_cannot_be_used_is_told(connect):
    async with connect() as client:
        assert "has no arguments n, questions; known: " in await told(
            client, "search", questions="x", n=1
        )
        assert "empty" in await told(client, "search", question=" ")
        assert "there is no thread" in await told(client, "show", thread_id="x")
        assert (await told(client, "show", thread_id="x", page=0)).startswith("show: page: Input")
        text = await told(client, "search", question="q", sources=["arxiv"])
        assert "arxiv: not enabled here (enabled: library, sample" in text
        with pytest.raises(MCPError, match="there is no thread"):
            await client.read_resource("paper-search://x/result")


def test_a_long_text_comes_in_parts_that_are_it_together():
    text = "\n".join(f"line {number} " + "é" * 300 for number in range(500)) + "x" * MOST_BYTES
    assert part_of("short", 1, "uri") == "part 1 of 1, each by uri\n\nshort"
    parts = [part_of(text, number, "uri").split("\n\n", 1)[1] for number in range(1, 11)]
    assert "".join(parts) == text
    assert all(len(part.encode()) <= MOST_BYTES for part in parts)


# --- attacks --------------------------------------------------------------------------------------


async def question_of(client: Client, thread_id: str) -> InputRequiredResult:
    return await client.session.call_tool(
        "answer", {"thread_id": thread_id}, allow_input_required=True
    )


async def attack(client: Client, arguments: dict[str, Any], state: Any, tool="answer") -> Any:
    """Send an answer that approves, with some state; return what comes back, or the refusal."""
    reply = ElicitResult(action="accept", content={"action": "approve"})
    try:
        return await client.session.call_tool(
            tool,
            arguments,
            input_responses={"question": reply},
            request_state=state,
            allow_input_required=True,
        )
    except MCPError as error:
        return error


def forged(state: str, dice: random.Random) -> str:
    """Return a state that the server did not make: one letter differs, or it is made up."""
    if dice.random() < 0.5:
        place = dice.randrange(len(state))
        letter = dice.choice("ABCDEFGHabcdefgh01234567".replace(state[place], ""))
        return state[:place] + letter + state[place + 1 :]
    claims = {"s": json.dumps({"thread": "x", "token": "y"}), "v": 1, "n": dice.random()}
    return "v1." + base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")


async def test_of_100_answers_that_nobody_gave_none_counts(connect, shared):
    dice = random.Random(34)  # noqa: S311  # not for secrets
    async with connect(Person()) as client, connect(Person()) as elsewhere:
        one = thread_in(await told(client, "search", **BEGIN))
        other = thread_in(await told(client, "search", **BEGIN))
        state = (await question_of(client, one)).request_state
        foreign = (await question_of(elsewhere, one)).request_state
        for _ in range(25):
            assert isinstance(
                await attack(client, {"thread_id": one}, forged(state, dice)), MCPError
            )
            assert isinstance(await attack(client, {"thread_id": one}, foreign), MCPError)
            # The state of one thread sent for another, or with another tool.
            assert isinstance(await attack(client, {"thread_id": other}, state), MCPError)
            # Answers that no question asked for: the question is asked anew.
            answer = await attack(client, {"thread_id": one}, None)
            assert isinstance(answer, InputRequiredResult)
        assert isinstance(await attack(client, dict(BEGIN), state, tool="search"), MCPError)
        assert await deciders(shared, one) == await deciders(shared, other) == []
        asked = await attack(client, {"thread_id": one}, state)
        assert "is this the result?" in asked.input_requests["question"].params.message
        for _ in range(25):  # given again, and late: the question about the result stays open
            asked = await attack(client, {"thread_id": one}, state)
            message = asked.input_requests["question"].params.message
            assert message.startswith("**This form was for another question")
        assert len(await deciders(shared, one)) == 1


# --- over HTTP and stdio --------------------------------------------------------------------------


@pytest.fixture
async def url(config, monkeypatch) -> AsyncIterator[str]:
    """The address of a real server with two owners."""
    monkeypatch.setenv("PAPER_SEARCH_MCP", "true")
    monkeypatch.setenv("PAPER_SEARCH_TOKENS", f"ada={ADA}, bob={BOB}")
    config = load_config()
    app = create_app(config, Access(SharedPersistence(config.persistence_url), config))
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110  # it sets no event
        await asyncio.sleep(0.01)
    yield f"http://127.0.0.1:{port}/mcp"
    server.should_exit = True
    await serving


@contextlib.asynccontextmanager
async def visiting(url: str, token: str, person: Person | None, era: str) -> AsyncIterator[Client]:
    headers = {"authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(url, http_client=http)
        async with client_of(transport, person, era) as client:
            yield client


@pytest.mark.parametrize("era", ERAS)
async def test_over_http_a_thread_and_its_forms_are_their_owners__sec_02(url, era, monkeypatch):
    monkeypatch.setattr(mcp_tools, "_LISTED", 1)
    async with visiting(url, ADA, Person(APPROVE), era) as client:
        text = await told(client, "search", **BEGIN)
        assert text.startswith("Nobody decided (cancel)")
        thread_id = thread_in(text)
        assert f"{url.removesuffix('/mcp')}/review/threads/{thread_id}" in text
        assert "--home" not in text, "a visitor is not told where the threads are"
        state = None
        if era == MODERN:
            state = (await question_of(client, thread_id)).request_state
        question = BEGIN["question"]
        assert await told(client, "threads") == f"- `{thread_id}`: waiting; {question}"
    async with visiting(url, BOB, Person(APPROVE, APPROVE), era) as client:
        assert await told(client, "threads") == "no searches or reports of yours"
        for tool in ("show", "answer", "export"):
            assert "no thread" in await told(client, tool, thread_id=thread_id)
        with pytest.raises(MCPError, match="no thread"):
            await client.read_resource(f"paper-search://{thread_id}/result")
        if state:
            assert isinstance(await attack(client, {"thread_id": thread_id}, state), MCPError)
        await told(client, "search", **BEGIN)
    async with visiting(url, ADA, Person(APPROVE), era) as client:
        assert thread_id in await told(client, "threads")
        assert "ended by: approved" in await told(client, "answer", thread_id=thread_id)


async def test_who_is_invited_reads_over_mcp_and_decides_nothing__sec_02(url, config):
    async with visiting(url, ADA, Person(APPROVE), MODERN) as client:
        thread_id = thread_in(await told(client, "search", **BEGIN))
        page = await told(client, "show", thread_id=thread_id, page=2)
        paper_id = re.search(r"id: `([^`]+)`", page).group(1)
    calls = {"show": {"page": 2}, "paper": {"paper_id": paper_id}, "export": {}, "answer": {}}

    async def shared_as(role: str) -> dict[str, str]:
        async with open_persistence(config.persistence_url) as persistence:
            await share_thread(persistence, thread_id, "bob", role, accounts=["ada", "bob"])
        async with visiting(url, BOB, Person(APPROVE), MODERN) as client:
            named = {tool: {"thread_id": thread_id, **more} for tool, more in calls.items()}
            replies = {tool: await told(client, tool, **more) for tool, more in named.items()}
            try:
                result = await client.read_resource(f"paper-search://{thread_id}/result")
            except MCPError as error:
                result = error
            return {**replies, "result": str(result)}

    reader = await shared_as("reader")
    assert "a reader, who may not decide" in reader.pop("answer")
    assert not any("refused" in text or "no thread" in text for text in reader.values()), reader
    assert paper_id in reader["show"]
    reviewer = await shared_as("reviewer")
    assert "a reviewer, who may not decide" in reviewer.pop("answer")
    assert all("without seeing the decisions of others" in text for text in reviewer.values()), (
        reviewer
    )
    nobody = await shared_as("none")
    assert all("no thread" in text for text in nobody.values()), nobody
    async with open_persistence(config.persistence_url) as persistence:
        assert len(await persistence.ledger.entries(thread_id)) == 1


async def test_a_session_is_no_use_to_somebody_else__sec_02(url):
    begin = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "desk", "version": "1"},
        },
    }
    accept = {"accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(headers=accept) as http:
        assert (await http.post(url, json=begin)).status_code == 401
        ada = {"authorization": f"Bearer {ADA}"}
        session = (await http.post(url, json=begin, headers=ada)).headers["mcp-session-id"]
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        for token, status in ((BOB, 404), (ADA, 200)):
            headers = {"authorization": f"Bearer {token}", "mcp-session-id": session}
            assert (await http.post(url, json=ping, headers=headers)).status_code == status


@pytest.mark.parametrize("params", [[1], "find", 7, {"name": ["search"]}, {"name": {"a": 1}}])
async def test_parameters_in_another_form_are_no_failure_of_the_server(url, params):
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    headers = {"authorization": f"Bearer {ADA}", "accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(headers=headers) as http:
        for version in ("2025-06-18", MODERN):
            answer = await http.post(url, json=message, headers={"mcp-protocol-version": version})
            assert 400 <= answer.status_code < 500
            assert isinstance(params, dict) or "params: expected an object" in answer.text


async def test_the_command_speaks_over_stdio(config):
    program = [str(Path(sys.executable).with_name("paper-search")), "mcp"]
    environment = {
        "PAPER_SEARCH_HOME": str(config.home),
        "DATABASE_URL": config.persistence_url,
        "PAPER_SEARCH_SOURCES": "sample",
        "PATH": "/usr/bin:/bin",
    }
    server = StdioServerParameters(command=program[0], args=program[1:], env=environment)
    async with client_of(server, Person(APPROVE, APPROVE), MODERN) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == [
            *("search", "report", "answer", "threads", "show", "paper", "export"),
            "library_search",
        ]
        assert "ended by: approved" in await told(client, "search", **BEGIN)

"""The page in a real browser: what a person does there, and what comes of it."""

import json
import re

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Route, expect
from tests.end_to_end.served import command_line
from tests.web.browser.conftest import QUESTION, Reviewer, beside_the_browser
from tests.web.test_reports import begin_reports
from tests.web.test_same_work import at_the_result

pytestmark = pytest.mark.slow


def shown(reviewer: Reviewer, thread: str) -> dict:
    """Return what the command line says of a thread."""
    name = thread.rpartition("/")[2]
    told = command_line(reviewer.environment, "show", name, "--json")
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout)


def serious(page: Page, *rules: str) -> list[str]:
    """Return what is wrong with a page by some rules of axe, or by all of them."""
    only = {"runOnly": {"type": "rule", "values": rules}} if rules else {}
    found = Axe().run(page, options={"resultTypes": ["violations"], **only}).response["violations"]
    return [
        f"{row['id']}: {row['nodes'][0]['html']}"
        for row in found
        if row["impact"] in {"serious", "critical"}
    ]


def test_a_question_is_searched_screened_by_keys_and_approved(reviewer):
    page = reviewer.page
    thread = reviewer.search_by_hand()
    reviewer.open(f"{thread}/screen")
    for count in range(1, 9):
        page.keyboard.press("r" if count % 3 == 0 else "i")
        expect(page.locator(".progress svg")).to_have_attribute(
            "aria-label", re.compile(f"^{count // 3} relevant, {count - count // 3} irrelevant")
        )
        if count == 4:
            page.reload()
    page.keyboard.press("u")
    expect(page.locator(".progress svg")).to_have_attribute(
        "aria-label", re.compile("^2 relevant, 5 irrelevant")
    )
    reviewer.open(f"{thread}/results")
    page.click("button[value=approve]")
    expect(page.locator(".pill.done")).to_have_text("Done")
    detail = shown(reviewer, thread)
    assert detail["ended_by"] == "approved"
    assert [item["detail"]["action"] for item in detail["decisions"]] == ["approve", "approve"]
    feedback = detail["history"][-1]["feedback"]
    assert (len(feedback["marked_relevant"]), len(feedback["marked_irrelevant"])) == (2, 5)


def test_of_what_is_pasted_nothing_is_cut_off(reviewer):
    page = reviewer.page
    reviewer.open()
    page.focus("#question")
    page.keyboard.insert_text("moss " * 2_001)
    page.click("button.primary")
    expect(page.get_by_role("alert")).to_contain_text("10,005 characters; 1 to 10,000 are allowed")
    expect(page.locator("#question")).to_have_value("moss " * 2_001)


def test_a_strategy_is_edited_in_its_groups_and_its_limits(reviewer):
    page = reviewer.page
    thread = reviewer.begin()
    group = page.locator("textarea[name^=group-0-0-]").first
    group.fill(f"{group.input_value()}\ntransformer network")
    page.fill("input[name=year_from]", "2030")
    page.fill("input[name=year_to]", "2015")
    page.click("button[value=approve]")
    expect(page.get_by_role("alert")).to_contain_text("year_from 2030 is after year_to 2015")
    expect(page.locator("input[name=year_from]")).to_have_value("2030")
    page.fill("input[name=year_from]", "2010")
    page.click("button[value=approve]")
    page.wait_for_url("**/results")
    [decision] = shown(reviewer, thread)["decisions"]
    assert decision["detail"]["action"] == "edit"
    strategy = shown(reviewer, thread)["open_checkpoint"]["payload"]["collection"]["metadata"]
    asked = strategy["search_strategy"]
    assert '"transformer network"' in asked["queries"][0]["boolean_query"]
    assert (asked["filters"]["year_from"], asked["filters"]["year_to"]) == (2010, 2015)


def test_a_query_that_is_sent_is_the_one_that_is_seen(reviewer):
    page = reviewer.page
    thread = reviewer.begin()
    boxes, text = page.locator(".query .boxes"), page.locator("textarea[name=query-0]")
    group = page.locator("textarea[name=group-0-0-0]")
    first = group.input_value()
    group.fill("wasps\nhornets")
    page.click("button[value=preview]")
    expect(group).to_have_value("wasps\nhornets")
    reviewer.open(f"{thread}/strategy")
    expect(boxes).to_be_hidden()
    expect(text).to_have_value(re.compile("wasps OR hornets"))
    page.click("[data-boxes]")
    expect(group).to_have_value("wasps\nhornets")
    group.fill(first)
    text.evaluate("field => { field.closest('details').open = true }")
    text.fill("bees")
    expect(boxes).to_be_hidden()
    page.click("button[value=approve]")
    page.wait_for_url("**/results")
    payload = shown(reviewer, thread)["open_checkpoint"]["payload"]
    asked = payload["collection"]["metadata"]["search_strategy"]["queries"]
    assert [query["boolean_query"] for query in asked] == ["bees"]


def test_enter_beside_a_field_of_a_paper_saves_that_field(reviewer):
    page = reviewer.page
    reviewer.search()
    paper = page.locator(".paper").first
    for field, words in (("reason", "Excluded: wrong species"), ("note", "Your note: see page 2")):
        paper.locator(".marks summary").click()
        paper.locator(f"input[name={field}]").fill(words.partition(": ")[2])
        page.keyboard.press("Enter")
        expect(paper.get_by_text(words)).to_be_visible()
        expect(paper).to_have_class("paper excluded")
    page.fill("#answer input[name=note]", "more on wasps")
    page.keyboard.press("Enter")
    expect(page.locator(".pill.waiting")).to_be_visible()


def test_a_result_is_filtered_marked_and_searched_again(reviewer):
    page = reviewer.page
    thread = reviewer.search()
    total = int(page.locator(".found").inner_text().split()[0])
    page.fill("input[name=text]", "protein")
    expect(page.locator(".found")).not_to_contain_text(str(total))
    expect(page.locator("input[name=text]")).to_be_focused()
    found = page.locator(".paper").all_text_contents()
    assert 0 < len(found) < total
    assert all("protein" in text.lower() for text in found)
    first = page.locator(".paper").first
    first.locator("button[value=relevant]").click()
    expect(first.locator("button[value=relevant]")).to_have_attribute("aria-pressed", "true")
    decided = page.locator("select[name=decision] option")
    expect(decided.filter(has_text="(1)")).to_have_attribute("value", "included")
    first.locator(".marks summary").click()
    first.locator("input[name=note]").fill("see figure 2")
    first.locator("button[value=note]").click()
    expect(page.locator(".my-note")).to_have_text("Your note: see figure 2")
    page.locator(".parts a").nth(1).click()
    expect(page.locator(".parts a").nth(1)).to_have_attribute("aria-current", "true")
    page.go_back()
    expect(page.locator(".parts a").first).to_have_attribute("aria-current", "true")
    expect(page.locator("input[name=text]")).to_have_value("protein")
    page.reload()
    expect(page.locator("input[name=text]")).to_have_value("protein")
    expect(page.locator(".paper.included")).to_have_count(1)
    page.fill("#answer input[name=note]", "less on molecules")
    page.click("button[value=edit]")
    page.wait_for_url("**/strategy")
    expect(page.locator("#before + p")).to_contain_text("less on molecules")
    feedback = shown(reviewer, thread)["history"][0]["feedback"]
    assert len(feedback["marked_relevant"]) == 1


def test_what_was_typed_and_said_survives_a_server_that_is_away(reviewer):
    page = reviewer.page
    thread = reviewer.search()
    page.fill("#answer input[name=note]", "a draft")
    reviewer.open(f"{thread}/screen")
    page.keyboard.press("i")
    expect(page.locator(".progress b").nth(1)).to_have_text("1")
    page.context.set_offline(True)
    page.keyboard.press("i")
    expect(page.locator("#told")).to_contain_text("this may not be saved")
    page.context.set_offline(False)
    page.keyboard.press("i")
    expect(page.locator(".progress b").nth(1)).to_have_text("2")
    reviewer.open(f"{thread}/results")
    expect(page.locator("#answer input[name=note]")).to_have_value("a draft")


def test_what_was_said_of_two_papers_survives_a_reload(reviewer):
    page = reviewer.page
    database = reviewer.folder / "home" / "threads.db"
    beside_the_browser(at_the_result(f"sqlite:///{database}"))
    reviewer.open("/threads/t/results")
    page.get_by_label("The same work").check()
    page.reload()
    expect(page.get_by_label("The same work")).to_be_checked()


def test_a_reason_for_an_exclusion_is_typed_once_and_then_has_a_key(reviewer):
    page = reviewer.page
    thread = reviewer.search()
    reviewer.open(f"{thread}/screen")
    page.fill("#reason", "wrong population")
    page.keyboard.press("Enter")
    expect(page.locator(".reasons button")).to_have_text(["1 wrong population"])
    page.keyboard.press("1")
    expect(page.locator(".progress b").nth(1)).to_have_text("2")
    page.keyboard.press("i")
    expect(page.locator(".progress b").nth(1)).to_have_text("3")
    reviewer.open(f"{thread}/results")
    page.click("button[value=approve]")
    expect(page.locator(".pill.done")).to_have_text("Done")
    feedback = shown(reviewer, thread)["history"][-1]["feedback"]
    assert list(feedback["reasons"].values()) == ["wrong population"] * 2


def test_labels_of_ones_own_are_given_by_keys_filtered_and_exported(reviewer):
    page = reviewer.page
    thread = reviewer.search()
    reviewer.open(f"{thread}/screen")
    title = page.locator("article h3").inner_text()
    page.keyboard.press("l")
    page.keyboard.type("for chapter 2, Follow up")
    page.keyboard.press("Enter")
    given = page.locator(".labels button[aria-pressed=true]")
    expect(given).to_have_text(["for chapter 2", "Follow up"])
    expect(page.locator("article h3")).to_have_text(title)
    given.nth(1).click()
    expect(given).to_have_text(["for chapter 2"])
    page.reload()
    expect(given).to_have_text(["for chapter 2"])
    page.keyboard.press("r")
    expect(page.locator(".progress b").first).to_have_text("1")
    expect(given).to_have_count(0)
    page.locator(".labels button", has_text="for chapter 2").click()
    expect(given).to_have_text(["for chapter 2"])
    name = thread.rpartition("/")[2]
    told = command_line(reviewer.environment, "export", name, "--format", "ris")
    assert told.stdout.count("KW  - for chapter 2\n") == 2


def test_a_key_pressed_before_the_next_paper_is_shown_decides_nothing_and_says_so(reviewer):
    page = reviewer.page
    reviewer.open(f"{reviewer.search()}/screen")

    def press_another(saving: Route) -> None:
        page.keyboard.press("r")
        expect(page.locator("#told")).to_contain_text("this key was not used")
        saving.continue_()

    page.route("**/marks*", press_another, times=1)
    page.keyboard.press("i")
    expect(page.locator(".progress b")).to_have_text(["0", "1", re.compile(r"\d+")])
    page.keyboard.press("r")
    expect(page.locator(".progress b")).to_have_text(["1", "1", re.compile(r"\d+")])


def test_two_tabs_screen_one_list(reviewer):
    thread = reviewer.search()
    reviewer.open(f"{thread}/screen")
    other = reviewer.page.context.new_page()
    other.goto(reviewer.page.url)
    reviewer.page.keyboard.press("i")
    expect(reviewer.page.locator(".progress b").nth(1)).to_have_text("1")
    other.keyboard.press("r")
    expect(other.locator("#told")).to_contain_text("Already decided in another window")
    expect(other.locator(".progress b")).to_have_text(["0", "1", re.compile(r"\d+")])
    other.keyboard.press("n")
    other.keyboard.type("riim")
    other.keyboard.press("Enter")
    expect(other.locator("#note")).to_have_value("riim")
    expect(other.locator(".progress b").nth(1)).to_have_text("1")


def test_files_of_records_are_merged_and_screened(reviewer, tmp_path):
    page = reviewer.page
    entry = "TY  - JOUR\nTI  - Graph networks, part {}\nDO  - 10.1000/{}\nER  -\n\n"
    (tmp_path / "a.ris").write_text("".join(entry.format(n, n) for n in range(120)))
    (tmp_path / "b.ris").write_text(entry.format(7, 7))
    reviewer.open()
    page.click("text=Screen records you already have")
    page.fill("#import input[name=question]", "Records of two files")
    page.set_input_files("#import input[type=file]", [tmp_path / "a.ris", tmp_path / "b.ris"])
    page.evaluate(
        """addEventListener("pagehide", () => {
          sessionStorage.disabled = document.querySelector("#import button").disabled;
        })"""
    )
    page.dblclick("#import button")
    page.wait_for_url("**/results")
    expect(page.locator(".found")).to_contain_text("120 papers")
    assert page.evaluate("sessionStorage.disabled") == "true"  # while the result is loaded
    page.go_back()
    expect(page.locator("#import button")).to_be_enabled()
    page.go_forward()
    page.click("nav.tabs >> text=Screen")
    page.wait_for_url("**/screen")
    page.keyboard.press("r")
    expect(page.locator(".progress b")).to_have_text(["1", "0", "119"])
    reviewer.open()
    expect(page.get_by_role("link", name="Records of two files")).to_have_count(1)


def test_every_page_is_accessible_and_fits_in_both_schemes_at_any_width(reviewer):
    page = reviewer.page
    home = f"sqlite:///{reviewer.folder / 'home' / 'threads.db'}"
    three = beside_the_browser(begin_reports(home))
    waiting = reviewer.begin("A strategy that waits")
    thread = reviewer.search()
    page.click(".paper button[value=irrelevant] >> nth=0")
    expect(page.locator(".paper.excluded")).to_have_count(1)
    found: dict[str, list[str]] = {}
    reviewer.open(f"{thread}/reviewers")
    for place, (name, key) in enumerate((("ada", "r"), ("bo", "i"))):
        page.fill("input[name=reviewer]", name)
        page.click("button[value=join]")
        page.wait_for_url("**/screen?reviewer=*")
        page.keyboard.press(key)
        expect(page.locator(".progress b").nth(place)).to_have_text("1")
        found[f"screen as {name}"] = serious(page)
        page.click("button[value=done]")
        page.wait_for_url("**/reviewers")
    names = ("results", "screen", "reviewers", "pictures", "downloads", "log", "strategy")
    names = (*names, "papers?format=none")
    for path in (
        *("", f"{waiting}/strategy", *(f"{thread}/{name}" for name in names), "/threads/none"),
        *(f"/reports/{name}" for name in three),
    ):
        reviewer.open(path)
        page.evaluate(OPEN_ALL_OF_A_FEW)
        # A page that was wide has remembered how wide its papers were.
        for scheme, width, rules in (("light", 1280, ()), ("dark", 360, OF_LOOKS)):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 740})
            wide = page.evaluate("document.documentElement.scrollWidth") > width
            found[f"{path} {scheme} {width}"] = serious(page, *rules) + ["too wide"] * wide
    assert found == {name: [] for name in found}


OF_LOOKS = ("color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size")
"""What colours and width change; names, roles and order are those of the same document."""
OPEN_ALL_OF_A_FEW = """() => {
    for (const paper of [...document.querySelectorAll(".paper")].slice(3)) paper.remove();
    for (const each of document.querySelectorAll("details")) each.open = true;
}"""
"""Papers are all made alike, and axe takes a second of work for four."""


def test_the_keyboard_alone_reaches_everything_in_order_and_its_focus_is_seen(reviewer):
    page = reviewer.page
    thread = reviewer.search()
    for tab in ("results", "screen", "downloads"):
        reviewer.open(f"{thread}/{tab}")
        places = []
        for _ in range(11):
            page.keyboard.press("Tab")
            place = page.evaluate(FOCUSED)
            assert place["outline"] == "solid", (tab, places, place)
            places.append(place["order"])
        assert places == sorted(set(places)), tab
    reviewer.open(f"{thread}/log")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


FOCUSED = """() => {
    const it = document.activeElement;
    const style = getComputedStyle(it.closest(".file") ?? it);
    const every = [...document.querySelectorAll("*")];
    return { outline: style.outlineStyle, order: every.indexOf(it), html: it.outerHTML };
}"""


def test_the_page_works_without_its_script(reviewer, browser):
    context = browser.new_context(java_script_enabled=False)
    reviewer.page = context.new_page()
    thread = reviewer.search_by_hand()
    reviewer.page.fill("input[name=text]", "protein")
    reviewer.page.click("button.apply")
    assert "text=protein" in reviewer.page.url
    reviewer.page.click(".paper button[value=irrelevant] >> nth=0")
    expect(reviewer.page.locator(".paper.excluded")).to_have_count(1)
    reviewer.open(f"{thread}/screen")
    reviewer.page.click("button[value=relevant]")
    expect(reviewer.page.locator(".progress b").first).to_have_text("1")
    context.close()


def test_a_foreign_page_can_neither_send_a_form_nor_frame_this_one(reviewer):
    url, here = f"{reviewer.server.url}/review", reviewer.server.url
    form = {"question": QUESTION}
    assert httpx.post(f"{url}/threads", data=form).status_code == 403
    assert httpx.post(f"{url}/threads", data=form, headers={"origin": here}).status_code == 403
    first = httpx.get(url)
    token = first.cookies["paper_search_form"]
    cookies, sent = {"paper_search_form": token}, {**form, "csrf": token}
    foreign = {"origin": "https://evil.example"}
    refused = httpx.post(f"{url}/threads", data=sent, cookies=cookies, headers=foreign)
    assert refused.status_code == 403
    assert httpx.get(url, headers={"host": "evil.example"}).status_code == 400
    policy = first.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "<script>" not in first.text
    assert "style=" not in first.text

"""What the page shows of requests that fail, and of states that change under it."""

import re

import pytest
from playwright.sync_api import Route, expect

pytestmark = pytest.mark.slow


def sign_out(route: Route) -> None:
    """Answer as the server does to somebody whose session ended."""
    route.fulfill(status=303, headers={"location": "/review/sign-in"})


def test_a_mark_of_somebody_who_is_signed_out_is_not_shown_as_saved(reviewer):
    page = reviewer.page
    thread = reviewer.search()
    page.route("**/marks*", sign_out)
    include = page.locator(".paper button[value=relevant]").first
    include.click()
    expect(page.locator("#told")).to_contain_text("signed out")
    expect(include).to_have_attribute("aria-pressed", "false")
    reviewer.open(f"{thread}/screen")
    title = page.locator("article h3").inner_text()
    page.keyboard.press("i")
    expect(page.locator("#told")).to_contain_text("signed out")
    expect(page.locator("article h3")).to_have_text(title)


def test_a_filter_that_the_server_does_not_answer_is_not_shown_as_used(reviewer):
    page = reviewer.page
    reviewer.search()
    for answer, cause in (
        (sign_out, "You are signed out"),
        (lambda route: route.abort(), "The server does not answer"),
        (lambda route: route.fulfill(status=500), "The server failed (500)"),
    ):
        page.route("**/results?*fragment=1*", answer, times=1)
        page.fill("input[name=text]", "protein")
        expect(page.locator(".found")).to_contain_text(
            f"{cause}; the papers below are those of before"
        )
        expect(page.locator(".paper")).to_have_count(50)
        page.fill("input[name=text]", "")
        expect(page.locator(".found")).to_contain_text("1 to 50 shown")


def test_a_mark_is_not_called_lost_where_only_the_counts_beside_it_are(reviewer):
    page = reviewer.page
    reviewer.search()
    page.route("**/results?*fragment=1*", lambda route: route.abort())
    page.locator(".paper button[value=relevant]").first.click()
    expect(page.locator("#told")).to_contain_text("the decision is saved")
    expect(page.locator(".paper").first).to_have_class("paper included")


def test_a_reason_is_shown_as_long_as_it_counts(reviewer):
    page = reviewer.page
    reviewer.search()
    paper = page.locator(".paper").first
    paper.locator(".marks summary").click()
    paper.locator("input[name=reason]").fill("wrong species")
    page.keyboard.press("Enter")
    expect(paper.get_by_text("Excluded: wrong species")).to_be_visible()
    paper.locator("button[value=relevant]").click()
    expect(paper).to_have_class("paper included")
    expect(paper.get_by_text("Excluded: wrong species")).to_have_count(0)


def test_a_note_that_was_typed_is_saved_with_the_verdict(reviewer):
    page = reviewer.page
    thread = reviewer.search()
    reviewer.open(f"{thread}/screen")
    page.keyboard.press("n")
    page.keyboard.type("see figure 2")
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    expect(page.locator(".progress b").first).to_have_text("1")
    page.keyboard.press("u")
    expect(page.locator("#note")).to_have_value("see figure 2")


def test_a_draft_of_a_rejected_strategy_does_not_return_in_the_next(reviewer):
    page = reviewer.page
    reviewer.begin()
    group = page.locator("textarea[name=group-0-0-0]")
    group.fill("wasps\nhornets")
    page.fill("input[name=year_from]", "2019")
    page.fill("input[name=note]", "exclude molecules")
    page.click("button[value=reject]")
    page.wait_for_url("**/strategy")
    expect(group).not_to_have_value(re.compile("wasps"))
    expect(page.locator("input[name=year_from]")).to_have_value("")


def test_who_is_signed_out_does_not_wait_for_a_run_for_ever(reviewer):
    page = reviewer.page
    page.route("**/progress", sign_out)
    reviewer.open()
    page.fill("#question", "graph neural networks for protein structure")
    page.click("button.primary")
    page.wait_for_url("**/strategy")

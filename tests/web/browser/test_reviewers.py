"""Reviewers on the page: each screens blind, then they settle what they disagree on."""

import json

import pytest
from playwright.sync_api import expect
from tests.end_to_end.served import command_line
from tests.web.browser.conftest import Reviewer


def screens_as(person: Reviewer, thread: str, name: str, keys: str) -> list[str]:
    """Screen some papers as a reviewer; return their titles."""
    page, titles = person.page, []
    person.open(f"{thread}/reviewers")
    page.fill("input[name=reviewer]", name)
    page.click("button[value=join]")
    page.wait_for_url("**/screen?reviewer=*")
    expect(page.locator("main")).to_contain_text(f"as {name}")
    for count, key in enumerate(keys, start=1):
        titles.append(page.locator("article h3").inner_text())
        page.keyboard.press(key)
        included = keys[:count].count("r")
        expect(page.locator(".progress b").first).to_have_text(str(included))
        expect(page.locator(".progress b").nth(1)).to_have_text(str(count - included))
    return titles


@pytest.mark.slow
def test_two_reviewers_screen_blind_and_settle_their_conflicts_on_the_page(reviewer):
    page = reviewer.page
    thread = reviewer.search()
    name = thread.rpartition("/")[2]
    [first] = screens_as(reviewer, thread, "ada", "r")
    page.reload()
    expect(page.locator(".progress b").first).to_have_text("1")
    page.click("button[value=done]")
    page.wait_for_url("**/reviewers")
    expect(page.locator(".reviewer")).to_contain_text(["ada 1 of"])
    expect(page.locator("main")).to_contain_text("shown when all are done")
    assert screens_as(reviewer, thread, "bo", "i") == [first]
    reviewer.open(f"{thread}/reviewers")
    expect(page.locator(".conflict")).to_have_count(0)
    reviewer.open(f"{thread}/screen")
    expect(page.locator(".progress b").first).to_have_text("0")

    reviewer.open(f"{thread}/screen?reviewer=bo")
    page.keyboard.press("n")
    page.click("button[value=done]")
    page.wait_for_url("**/reviewers")
    expect(page.locator("main")).to_contain_text("Cohen's kappa")
    conflict = page.locator(".conflict")
    expect(conflict).to_have_count(1)
    expect(conflict.locator("h3")).to_have_text(first)
    expect(conflict.locator("th")).to_have_text(["ada", "bo"])
    expect(conflict.locator("td")).to_have_text(["Relevant", "Irrelevant"])
    conflict.locator("input[name=reason]").fill("no proteins")
    conflict.locator("button[value=exclude]").click()
    expect(conflict).to_contain_text("Settled: exclude")
    expect(conflict).to_contain_text("no proteins")
    told = json.loads(command_line(reviewer.environment, "reconcile", name, "--json").stdout)
    assert [message["settled"] for message in told["conflicts"]] == ["exclude"]
    reviewer.open(f"{thread}/results?decision=excluded")
    expect(page.locator(".paper h3")).to_have_text([first])
    expect(page.locator(".my-note")).to_have_text("Excluded: no proteins")

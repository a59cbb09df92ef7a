"""Full texts in front of a browser: a file is dropped onto its work."""

import base64

import pytest
from playwright.sync_api import Locator, expect
from tests.pages.site import pdf
from tests.web.browser.conftest import Reviewer

ATTACK = "<script>window.broken = 1</script><img src=x onerror=window.broken=1>"
DROP = """(work, [name, content]) => {
  const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([bytes], name));
  work.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
}"""


def include_first(person: Reviewer, count: int) -> str:
    """Include the first papers of a search and approve it; return the path of the thread."""
    page, thread = person.page, person.search()
    for number in range(count):
        button = page.locator(".paper button[value=relevant]").nth(number)
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
    page.click("button[value=approve]")
    page.wait_for_selector("text=The result")
    page.click("text=Full texts")
    page.wait_for_url("**/full-texts")
    return thread


def drop(work: Locator, name: str, content: bytes) -> None:
    work.evaluate(DROP, [name, base64.b64encode(content).decode()])


@pytest.mark.slow
def test_a_pdf_that_is_dropped_onto_a_work_is_its_text(reviewer):
    page = reviewer.page
    include_first(reviewer, 2)
    works = page.locator("li[data-paper]")
    expect(works).to_have_count(2)
    drop(works.nth(1), "page.pdf", b"<html><body>Sign in</body></html>")
    expect(works.nth(1).locator(".problem")).to_contain_text("it is a web page (HTML), not a PDF")
    drop(works.nth(1), "own.pdf", pdf([ATTACK[:33], ATTACK[33:]]))
    expect(works.nth(1).locator(".pill")).to_have_text("retrieved")
    expect(works.nth(0).locator(".pill")).to_have_text("sought")
    chosen = {"name": f"{ATTACK}.pdf", "mimeType": "application/pdf", "buffer": pdf(["Chosen"])}
    works.nth(0).locator("input[type=file]").set_input_files(chosen)
    expect(works.nth(0).locator(".pill")).to_have_text("retrieved")
    expect(works.nth(0)).to_contain_text(ATTACK)

    works.nth(1).locator("h3 a").click()
    expect(page.locator(".text")).to_contain_text(ATTACK[33:])
    page.fill("input[name=reason]", "wrong population")
    page.keyboard.press("Enter")
    expect(page.locator(".text")).to_contain_text("Chosen")
    page.locator(".text").press("1")  # the first reason of the list
    page.wait_for_url("**/full-texts")
    expect(works.locator(".pill")).to_have_text(["excluded", "excluded"])
    expect(page.locator("dd").nth(3)).to_have_text("2: wrong population 2")
    assert page.evaluate("window.broken") is None

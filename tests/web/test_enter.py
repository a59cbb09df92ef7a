"""Enter in a field presses the first button of its form, whatever that decides."""

from html.parser import HTMLParser

from tests.web.test_sharing import screen


class Forms(HTMLParser):
    """The forms of a page: their fields of one line, and their buttons in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.forms: list[tuple[list[str], list[dict[str, str | None]]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag == "form":
            self.forms.append(([], []))
        elif tag == "input" and named.get("type", "text") in {"text", "search"}:
            self.forms[-1][0].append(named["name"] or "")
        elif tag == "button" and named.get("type") != "button":
            self.forms[-1][1].append(named)

    @property
    def with_a_choice(self) -> list[tuple[list[str], list[dict[str, str | None]]]]:
        return [form for form in self.forms if form[0] and len(form[1]) > 1]


def test_enter_in_a_field_of_a_form_with_several_buttons_decides_nothing(page, place):
    screen(page, place, "ada", "relevant")
    screen(page, place, "bo", "irrelevant")
    for name in ("results", "screen", "reviewers", "strategy"):
        if name == "strategy":
            page.begin()
        else:
            page.open(f"{place}/{name}")
        forms = Forms(page.text).with_a_choice
        assert forms, name
        assert [fields for fields, buttons in forms if "disabled" not in buttons[0]] == []

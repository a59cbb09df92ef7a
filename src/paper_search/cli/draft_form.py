"""The text of a report in an editor: written as Markdown with the marks, read as an edit."""

from __future__ import annotations

import re
from typing import Any

from paper_search.errors import InvalidDecisionError
from paper_search.report.document import MARKS, Report

_HELP = """<!--
Change the text, save, and close the editor. Citations are [@key], as they stand. Words in brackets
behind a sentence, such as [{marks}], say how far its source bears it; they are no part of the text.
"# " is the title, "## Abstract" and "## Conclusion" are these, every other "## " is a section.
-->
"""
_COMMENT = re.compile(r"<!--.*?-->\s*", re.DOTALL)
_MARK = re.compile(rf" \[(?:{'|'.join(map(re.escape, MARKS.values()))})\]")
_FRAME = {"Abstract": "abstract", "Conclusion": "conclusion"}


def write_draft(report: Report) -> str:
    """Return the text of a report as a person edits it."""
    parts = [
        f"# {report.title}",
        f"## Abstract\n\n{report.marked('abstract', report.abstract)}",
        *(
            f"## {section.title}\n\n{report.marked(section.section_id, section.content)}"
            for section in report.sections
        ),
        f"## Conclusion\n\n{report.marked('conclusion', report.conclusion)}",
    ]
    return _HELP.format(marks=next(iter(MARKS.values()))) + "\n\n".join(parts) + "\n"


def read_draft(text: str) -> dict[str, Any]:
    """Return the fields of a draft that a text holds.

    Raises:
        InvalidDecisionError: it has no title, or no section.
    """
    fields: dict[str, Any] = {"sections": []}
    plain = _MARK.sub("", _COMMENT.sub("", text, count=1))
    for block in re.split(r"(?m)^(?=##? )", plain):
        head, _, body = block.strip().partition("\n")
        if head.startswith("# "):
            fields["title"] = head[2:].strip()
        elif head.startswith("## "):
            name = head[3:].strip()
            if name in _FRAME:
                fields[_FRAME[name]] = body.strip()
            else:
                fields["sections"].append({"title": name, "content": body.strip()})
        elif head:
            raise InvalidDecisionError(f"the text begins with {head[:60]!r}, not with '# TITLE'")
    if not fields.get("title") or not fields["sections"]:
        raise InvalidDecisionError("the text needs a title ('# ...') and a section ('## ...')")
    return fields


def changes(before: str, after: str) -> dict[str, Any]:
    """Return the fields that differ between two texts; none: nothing was changed.

    Raises:
        InvalidDecisionError: the second has no title, or no section.
    """
    old, new = read_draft(before), read_draft(after)
    return {name: value for name, value in new.items() if value != old.get(name)}

r"""A report as LaTeX with its bibliography: \cite with the keys of the .bib beside it."""

from __future__ import annotations

import re

from paper_search.exports.bibtex import export_bibtex
from paper_search.exports.citation_keys import citation_keys
from paper_search.exports.text import single_line
from paper_search.report.document import Report
from paper_search.report.outputs.blocks import blocks, rendered
from paper_search.report.outputs.markdown import notes
from paper_search.report.outputs.references import cited_collection

_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "“": "``",
        "”": "''",
        "\u00a0": "~",
    }
)
_PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage{iftex}
\ifpdftex
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\fi
\usepackage[a4paper,margin=2.5cm]{geometry}
\usepackage[numbers]{natbib}
\usepackage{url}
"""
_KINDS = {"bullet": "itemize", "number": "enumerate"}


def render_latex(report: Report, *, bibliography: str = "references") -> str:
    """Return the report as a LaTeX document for pdfLaTeX, XeLaTeX or LuaLaTeX.

    Args:
        report: what.
        bibliography: name of the .bib file beside it, without the suffix.
    """
    lines = [_PREAMBLE, rf"\title{{{escaped(report.title)}}}", r"\date{}", r"\begin{document}"]
    lines += [r"\maketitle", r"\begin{quote}\small"]
    lines += [escaped(note) + r"\par" for note in notes(report)]
    lines.append(r"\end{quote}")
    if report.abstract:
        lines += [r"\begin{abstract}", *_text(report, report.abstract), r"\end{abstract}"]
    for section in report.sections:
        lines += [rf"\section{{{escaped(section.title)}}}", *_text(report, section.content)]
    if report.conclusion:
        lines += [r"\section{Conclusion}", *_text(report, report.conclusion)]
    if report.cited:
        name = re.sub(r"[^A-Za-z0-9_-]", "", bibliography) or "references"
        lines += [r"\bibliographystyle{plainnat}", rf"\bibliography{{{name}}}"]
    return "\n".join([*lines, r"\end{document}"]) + "\n"


def render_bibtex(report: Report) -> str:
    """Return the cited sources as BibTeX, under the keys that the LaTeX cites."""
    return export_bibtex(cited_collection(report))


def latex_keys(report: Report) -> dict[str, str]:
    """Return the report's keys with those that the .bib has: of the cited sources alone."""
    keys = sorted(report.cited)
    return dict(zip(keys, citation_keys(cited_collection(report).papers), strict=True))


def escaped(text: str) -> str:
    """Return text that LaTeX sets as it is."""
    return single_line(text).translate(_SPECIAL)


def _text(report: Report, text: str) -> list[str]:
    keys = latex_keys(report)
    lines: list[str] = []
    environment: str | None = None
    for block in blocks(text):
        line = rendered(
            block.spans,
            text=_inline,
            bold=lambda words: rf"\textbf{{{escaped(words)}}}",
            citation=lambda named: _citation(named, keys),
        )
        wanted = _KINDS.get(block.kind)
        if environment != wanted:
            lines += [rf"\end{{{environment}}}"] if environment else []
            lines += [rf"\begin{{{wanted}}}"] if wanted else []
            environment = wanted
        if wanted:
            lines.append(rf"\item {line}")
        elif block.kind == "heading":
            lines.append(rf"\subsection{{{line}}}")
        else:
            lines += [line, ""]
    return [*lines, rf"\end{{{environment}}}"] if environment else lines


def _inline(text: str) -> str:
    head = " " if text[:1].isspace() else ""
    tail = " " if text[-1:].isspace() and text.strip() else ""
    return f"{head}{escaped(text)}{tail}"


def _citation(named: tuple[str, ...], keys: dict[str, str]) -> str:
    known = [keys[key] for key in named if key in keys]
    unknown = [escaped(f"[?{key}]") for key in named if key not in keys]
    return (rf"\cite{{{','.join(known)}}}" if known else "") + "".join(unknown)

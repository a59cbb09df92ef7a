r"""A report as LaTeX with its bibliography: \cite with the keys of the .bib beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from anyascii import anyascii
from pylatexenc.latexencode import unicode_to_latex

from paper_search.exports.bibtex import export_bibtex
from paper_search.exports.citation_keys import citation_keys
from paper_search.exports.text import single_line
from paper_search.report.document import Report
from paper_search.report.outputs.blocks import (
    Block,
    Contents,
    Element,
    Figure,
    Heading,
    Notice,
    Span,
    Table,
    kind_of,
    rendered,
    spaced,
)
from paper_search.report.outputs.layout import layout, written_on
from paper_search.report.outputs.references import cited_collection

_SPECIAL = str.maketrans(
    {
        **{sign: rf"\{sign}" for sign in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        '"': r"\textquotedbl{}",
        "“": "``",
        "”": "''",
        "\u00a0": "~",
    }
)
PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage{iftex}
\ifpdftex
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\fi
\usepackage[a4paper,margin=2.5cm]{geometry}
\usepackage{array,booktabs,longtable,graphicx,xcolor}
\usepackage[numbers,sort]{natbib}
\usepackage[hidelinks]{hyperref}
\urlstyle{same}
\definecolor{tint}{HTML}{F6F4EC}
\definecolor{mark}{HTML}{8A3B12}
\newcommand{\reportmark}[1]{~{\footnotesize\color{mark}\textsf{[#1]}}}
\newcommand{\reportbox}[1]{\par\medskip\noindent\fcolorbox{tint}{tint}{%
\parbox{\dimexpr\linewidth-2\fboxsep-2\fboxrule}{\setlength{\parskip}{4pt}#1}}\par\medskip}
\providecommand{\doi}[1]{\href{https://doi.org/#1}{doi:\nolinkurl{#1}}}
\setlength{\parindent}{0pt}\setlength{\parskip}{6pt plus 2pt}
\setlength{\emergencystretch}{3em}
\renewcommand{\arraystretch}{1.25}
\makeatletter\renewcommand*{\l@section}{\@dottedtocline{1}{0em}{1.8em}}\makeatother
"""
_LISTS = {"bullet": "itemize", "number": "enumerate"}
_LAST_OF_T1 = "\u017f"
_IN_FONTS = frozenset("–—‘’‚“”„…•†‡‰‹›€™−")
"""Beyond Latin letters, what pdfLaTeX sets without being told how."""
_IN_FORMULAS = frozenset(
    "ΓΔΘΛΞΠΣΦΨΩαβγδεζηθικλμνξπρστυφχψω≤≥≈≠≡∼∝→←↔∞√∑∏∫∂∇∈∉⊂⊆∪∩≪≫₀₁₂₃₄₅₆₇₈₉⁰⁴⁵⁶⁷⁸⁹⁺⁻"
)
"""What plain LaTeX has a macro for, of what titles and abstracts hold."""


def render_latex(
    report: Report, *, bibliography: str = "references", figures: Mapping[str, str] | None = None
) -> str:
    """Return the report as a LaTeX document for pdfLaTeX, XeLaTeX or LuaLaTeX.

    `bibliography`: name of the .bib file beside it, without the suffix. `figures`: file of each
    figure by its name, a PDF or an image.
    """
    files = figures or {}
    writer = _Writer(report, files)
    body = [rf"\title{{{escaped(report.title)}}}", rf"\date{{{escaped(written_on(report))}}}"]
    body += [r"\begin{document}", r"\maketitle", *writer.all(layout(report, files))]
    if report.cited:
        name = re.sub(r"[^A-Za-z0-9_-]", "", bibliography) or "references"
        body += [r"\bibliographystyle{plainnat}", rf"\bibliography{{{name}}}"]
    text = "\n".join([*body, r"\end{document}"]) + "\n"
    return PREAMBLE + _declared(text + render_bibtex(report)) + text


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


@dataclass(frozen=True)
class _Writer:
    """Writes the elements of one report."""

    report: Report
    files: Mapping[str, str]

    @cached_property
    def keys(self) -> dict[str, str]:
        return latex_keys(self.report)

    def all(self, elements: list[Element]) -> Iterator[str]:
        for kind, some in groupby(elements, key=kind_of):
            if (environment := _LISTS.get(kind)) is not None:
                yield rf"\begin{{{environment}}}"
                yield from (rf"\item {self._element(item)}" for item in some)
                yield rf"\end{{{environment}}}"
            else:
                yield from map(self._element, some)

    def _element(self, element: Element) -> str:
        match element:
            case Heading():
                return rf"\section{{{escaped(element.text)}}}"
            case Notice():
                size = r"\small " if element.kind == "status" else ""
                lines = "\n\n".join(self._line(block.spans) for block in element.blocks)
                return rf"\reportbox{{{size}{lines}}}"
            case Contents():
                return r"{\setlength{\parskip}{0pt}\small\tableofcontents}"
            case Table():
                return self._table(element)
            case Figure():
                image = rf"\includegraphics[width=\linewidth]{{{self.files[element.name]}}}"
                caption = rf"\par\smallskip{{\small {escaped(element.caption)}}}"
                return rf"\begin{{center}}{image}{caption}\end{{center}}"
            case Block():
                forms = {"heading": r"\subsection*{%s}", "paragraph": "%s\n"}
                return forms.get(element.kind, "%s").replace("%s", self._line(element.spans))

    def _table(self, table: Table) -> str:
        columns = "".join(
            rf">{{\raggedright\arraybackslash}}p{{{width * 0.9:.3f}\linewidth}}"
            for width in table.widths
        )
        head = " & ".join(rf"\textbf{{{escaped(cell)}}}" for cell in table.head)
        rows = "\n".join(f"{' & '.join(map(self._line, row))} \\\\" for row in table.rows)
        count = len(table.head)
        return (
            rf"{{\small\setlength{{\tabcolsep}}{{3pt}}\begin{{longtable}}{{@{{}}{columns}@{{}}}}"
            "\n"
            rf"\multicolumn{{{count}}}{{@{{}}l}}{{\textbf{{{escaped(table.caption)}}}}}\\[4pt]"
            f"\n\\toprule\n{head} \\\\\n\\midrule\\endhead\n{rows}\n"
            "\\bottomrule\n\\end{longtable}}"
        )

    def _line(self, spans: tuple[Span, ...]) -> str:
        return rendered(
            spans,
            {
                "text": lambda span: spaced(span.text, escaped(span.text)),
                "bold": lambda span: rf"\textbf{{{escaped(span.text)}}}",
                "citation": lambda span: _citation(span.keys, self.keys),
                "mark": lambda span: rf"\reportmark{{{span.text}}}",
                "study": lambda span: f"{escaped(span.text)}~{_citation(span.keys, self.keys)}",
            },
        ).replace("[", "{[}")


def _declared(text: str) -> str:
    """Return how pdfLaTeX is to set the characters that its fonts do not have.

    Without that it stops at the first of them. The other two read the characters themselves.
    """
    lines = [
        rf"\DeclareUnicodeCharacter{{{ord(letter):04X}}}{{{_set_by_pdftex(letter)}}}"
        for letter in sorted(set(text))
        if letter > _LAST_OF_T1 and letter not in _IN_FONTS
    ]
    return "\n".join(["\\ifpdftex", *lines, "\\fi", ""]) if lines else ""


def _set_by_pdftex(letter: str) -> str:
    """Return a macro for a character of formulas, any other in Latin letters."""
    if letter in _IN_FORMULAS:
        return str(unicode_to_latex(letter))  # type: ignore[no-untyped-call]  # it has no types
    return anyascii(letter).translate(_SPECIAL)


def _citation(named: tuple[str, ...], keys: dict[str, str]) -> str:
    known = [keys[key] for key in named if key in keys]
    unknown = [escaped(f"[?{key}]") for key in named if key not in keys]
    return (rf"\cite{{{','.join(known)}}}" if known else "") + "".join(unknown)

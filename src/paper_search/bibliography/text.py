"""Convert text from sources (LaTeX, HTML, unusual Unicode) to plain text."""

import html
import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

_LATEX = re.compile(r"[\\{]|\$(?!\s)[^$]{1,500}(?<!\s)\$")
"""A command, a brace or a formula, but not "US$5 and $10"."""
_LONGEST_LATEX = 20_000
"""Characters; longer texts are no bibliographic fields and would take seconds to decode."""
_TYPE_COMMANDS = re.compile(
    r"(?:rm|bf|it|sl|sf|tt|sc|em|cal|mit|normalfont|(?:rm|sf|tt)family|(?:bf|md)series|(?:it|sc|up)shape"
    r"|tiny|(?:script|footnote|normal)size|small|large|Large|LARGE|huge|Huge|(?:display|text|script)style"
    r"|limits|nolimits|left|right|[Bb]igg?[lr]?|xspace|relax|noindent|indent|par|newline|linebreak"
    r"|pagebreak|newpage|hfill|vfill|(?:small|med|big)skip|centering|raggedright|protect|hline)"
)
"""Typesetting commands without an argument."""
_UNESCAPED_SPECIAL = re.compile(r"(?<!\\)([%#&])")
_TAG_NAMES = (
    "p|br|b|i|u|em|strong|sub|sup|span|div|a|sc|scp|small|tt|code|inf|italic|bold|font|img|title"
    "|sec|ul|ol|li|h[1-6]|math|mi|mo|mn|mrow|msub|msup|msubsup|mfrac|mtext|semantics"
    r"|[a-z]{2,10}:[a-z][a-z-]{0,30}"
)
_TAG = re.compile(
    rf"</?(?:{_TAG_NAMES})(?:\s+[\w:-]{{1,40}}\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>]+))*\s*/?>",
    re.IGNORECASE,
)
"""Known tags only, because titles may have "<5 mg" or "<GNN>"."""
_BLOCK_TAG = re.compile(r"</?(?:\w{1,10}:)?(?:p|br|div|title|sec|li|h[1-6])\b", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
SURROGATES = re.compile("[\ud800-\udfff]")
WORD = re.compile(r"[^\W_]+")
"""Letters and digits of any script."""
NOT_A_TO_Z_OR_DIGIT = re.compile(r"[^a-z0-9]+")
_KEPT_MARKS = re.compile("[\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3099\u309a]")


def clean(text: str) -> str:
    """Return the text on one line, without markup, control or invisible characters.

    Tags and entities of HTML and JATS are resolved, LaTeX is not (see `plain`). Lone surrogates
    become U+FFFD, so that the result can be encoded as UTF-8.
    """
    if "<" in text:
        text = _TAG.sub(_space_of_blocks, text)
    for _ in range(2):  # Crossref has titles that are escaped twice
        if "&" in text and _ENTITY.search(text):
            text = html.unescape(text)
    return one_line(text)


def one_line(text: str) -> str:
    """Return a plain text on one line, without control or invisible characters."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", SURROGATES.sub("\ufffd", text))
    if text.isprintable() and "  " not in text:  # the usual and fastest case
        return text.strip()
    return " ".join(remove_invisible(" ".join(text.split())).split())


def remove_invisible(text: str) -> str:
    """Remove control characters other than line breaks and tabs, and invisible characters."""
    return text if text.isprintable() else _INVISIBLE.sub("", text)


def plain(text: str) -> str:
    r"""Clean the text and decode its LaTeX (`Schr{\"o}dinger`, `$\alpha$`).

    Decoding takes milliseconds, so it is skipped without a command, a brace or a formula.
    """
    return clean(_decode_latex(text) if _LATEX.search(text) else text)


def normalised_title(text: str) -> str:
    """Return the letters and digits of a title for comparison, in NFKD and case-folded.

    Accents, punctuation, spaces and tags are removed. Letters of every script and the vowel signs
    of Indic scripts and Thai stay. LaTeX must have been decoded by `plain`.
    """
    if "<" in text or "&" in text:
        text = clean(text)
    if text.isascii():
        return NOT_A_TO_Z_OR_DIGIT.sub("", text.lower())
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(c for c in folded if c.isalnum() or _KEPT_MARKS.match(c))


def _decode_latex(text: str) -> str:
    if len(text) > _LONGEST_LATEX:
        return text
    try:
        # A bare % would start a comment, and a bare & is no column of a table.
        return _latex()(_UNESCAPED_SPECIAL.sub(r"\\\1", text))
    except (LookupError, ValueError, TypeError, AttributeError, RecursionError):
        return text  # invalid, or hundreds of nested braces, which the decoder does not check


def _space_of_blocks(match: re.Match[str]) -> str:
    return " " if _BLOCK_TAG.match(match.group()) else ""


@cache
def _latex() -> Callable[[str], str]:
    from pylatexenc import latex2text, latexwalker, macrospec  # noqa: PLC0415  # slow to import

    to_text, walker, spec = map(_untyped, (latex2text, latexwalker, macrospec))
    texts, arguments = (part.get_default_latex_context_db() for part in (to_text, walker))
    # The library does not know that a link has two arguments.
    link = to_text.MacroTextSpec("href", simplify_repl=_words_of_link)
    plain = {"textasciicircum": "^", "textasciitilde": "~"}  # accents in the library
    plain |= {"textless": "<", "textgreater": ">"}
    letters = [to_text.MacroTextSpec(name, simplify_repl=text) for name, text in plain.items()]
    texts.add_context_category("links", macros=[link, *letters], prepend=True)
    texts.set_unknown_macro_spec(to_text.MacroTextSpec("", simplify_repl=_unknown_command))
    two = spec.MacroSpec("href", args_parser=spec.MacroStandardArgsParser("{{"))
    arguments.add_context_category("links", macros=[two], prepend=True)
    decoder = to_text.LatexNodes2Text(
        math_mode="text", keep_comments=True, strict_latex_spaces=False, latex_context=texts
    )
    return lambda text: str(decoder.latex_to_text(text, latex_context=arguments))


def _untyped(module: Any) -> Any:
    return module


def _words_of_link(node: Any, l2tobj: Any) -> str:
    return str(l2tobj.nodelist_to_text([node.nodeargd.argnlist[1]]))


def _unknown_command(node: Any, l2tobj: Any) -> str:
    """Return the name of an unknown command, such as a word after a stray backslash.

    Typesetting commands, and commands with an argument, have no text of their own.
    """
    if arguments := [part for part in getattr(node.nodeargd, "argnlist", None) or () if part]:
        return str(l2tobj.nodelist_to_text(arguments))
    rest = node.parsing_state.s[node.pos + node.len :]
    if rest.startswith(("{", "[")) or _TYPE_COMMANDS.fullmatch(node.macroname):
        return str(node.macro_post_space)
    return str(node.macroname + node.macro_post_space)


_HEADING = re.compile(
    r"<((?:\w{1,10}:)?(?:title|h[1-6]|label))\b[^>]{0,200}>(.{0,200}?)</\1\s*>",
    re.IGNORECASE | re.DOTALL,
)
_BOLD_HEADING = re.compile(
    r"(^|<p\b[^>]{0,100}>|<br\s*/?>|\.\s)\s*<(b|strong|bold|jats:bold)>\s*([A-Z][\w /&]{2,40})\s*"
    r":?\s*</\2>\s*:?",
)
_TEX_COPY = re.compile(
    r"<((?:\w{1,10}:)?(?:tex-math|annotation))\b[^>]{0,300}>.{0,5000}?</\1\s*>",
    re.IGNORECASE | re.DOTALL,
)
_MATHML = re.compile(r"<(?:\w{1,10}:)?math\b", re.IGNORECASE)
_ESCAPED_MARKUP = re.compile(r"&(?:amp|lt;/?(?:\w{1,10}:)?(?:p|b|i|br|sub|sup|title|sec|h[1-6])\b)")
_OWN_NAME = re.compile(r"^(?:abstract|summary)\s*[:.—–-]\s+(?=\S)", re.IGNORECASE)
_SHOUTED = re.compile(r"^ABSTRACT\s+(?=\S)")
# fmt: off
_SELF_TITLES = frozenset({
    "abstract", "summary", "abstracts", "zusammenfassung", "résumé", "resumen", "resumo",
    "riassunto", "unlabelled", "unassigned",
})
_NONE_AT_ALL = frozenset({
    "", "no abstract available", "no abstract", "abstract not available", "not available", "n/a",
    "null", "none", "abstract", "-",
})
# fmt: on


def plain_abstract(text: str | None, *, has_latex: bool = True) -> str | None:
    """Return an abstract on one line without markup, or None if it is empty.

    The text may be plain, HTML or JATS (possibly escaped twice), and LaTeX with `has_latex`.
    Headings other than "Abstract" become labels ("Methods: ..."). For formulas in both MathML and
    TeX, the TeX is removed.
    """
    text = text or ""
    if _ESCAPED_MARKUP.search(text):
        text = html.unescape(text)
    if "<" in text:
        if _MATHML.search(text):
            text = _TEX_COPY.sub(" ", text)
        text = _BOLD_HEADING.sub(lambda match: f"{match[1]} <h4>{match[3]}</h4> ", text)
        text = _HEADING.sub(lambda match: f" {_label(match[2])} ", text)
    return _meaningful(plain(text) if has_latex else clean(text))


def join_abstract(parts: Iterable[tuple[str | None, str | None]]) -> str | None:
    """Join the labelled parts of an abstract; None if all are empty."""
    texts = ((_label(label or ""), clean(text or "")) for label, text in parts)
    return _meaningful(" ".join(f"{label} {text}".strip() for label, text in texts if text))


def indexed_abstract(index: object) -> str | None:
    """Return the abstract of an inverted index of words and positions (OpenAlex), or None."""
    entries = index.items() if isinstance(index, dict) else ()
    places = {
        place: str(word)
        for word, positions in entries
        for place in (positions if isinstance(positions, list) else ())
        if isinstance(place, int)
    }
    return plain_abstract(" ".join(places[place] for place in sorted(places)))


def _label(heading: str) -> str:
    """Return a heading as a label ("Methods:"), or an empty string for "Abstract" and the like."""
    words = clean(heading).strip(" .:;–-")
    if not words or words.lower() in _SELF_TITLES:
        return ""
    if words.isupper() and len(words) > 5:  # noqa: PLR2004  # longer than an acronym
        words = words.capitalize()
    return f"{words}:"


def _meaningful(text: str) -> str | None:
    text = _SHOUTED.sub("", _OWN_NAME.sub("", text.strip()))
    return None if text.lower().strip(" .[]()") in _NONE_AT_ALL else text

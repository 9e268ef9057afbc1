"""The difference of two patterns as a table: alternatives side by side, with texts that tell them apart."""

from __future__ import annotations

from html import escape

from explorer.analysis.pattern_difference import (
    NONE,
    AlternativePair,
    PatternDifference,
    Text,
    pieces,
    summary,
    verdict,
)
from explorer.engine.regexes.pattern import Alternative
from explorer.stages.pre_tokenizers.alternatives import takes
from explorer.text import visible


def difference_html(found: PatternDifference, left: str, right: str) -> str:
    """The table; the classes are those of `ui/explore/caret.css`. left, right: the names of the patterns.

    >>> from explorer.analysis.pattern_difference import difference, known_pattern
    >>> html = difference_html(difference(known_pattern("qwen-2"), known_pattern("llama-3")), "<a>", "b")
    >>> "<th>&lt;a&gt;</th>" in html, html.count("<tr")
    (True, 8)
    """
    heads = "".join(f"<th>{escape(name)}</th>" for name in (left, right, "Texts that tell them apart"))
    body = "".join(row_html(found, pair) for pair in found.pairs)
    return (
        f'<div class="tk-difference"><p>{escape(summary(found))}</p><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def row_html(found: PatternDifference, pair: AlternativePair) -> str:
    """One row of the table."""
    sides = ((found.left, pair.left), (found.right, pair.right))
    cells = "".join(f"<td>{alternative_html(alternatives, index)}</td>" for alternatives, index in sides)
    texts = "".join(text_html(text) for text in pair.texts) or f"<small>{verdict(pair)}</small>"
    return f'<tr class="{"same" if pair.same else "other"}">{cells}<td>{texts}</td></tr>'


def alternative_html(alternatives: tuple[Alternative, ...], index: int | None) -> str:
    """One alternative with what it takes."""
    if index is None:
        return NONE
    each = alternatives[index]
    return f"<small>{index + 1}</small> <code>{escape(visible(each.regex))}</code><p>{escape(takes(each))}</p>"


def text_html(text: Text) -> str:
    """One text with the pieces of both sides."""
    return (
        f"<p><b>{escape(visible(text.text))}</b> <bdi>{escape(pieces(text.left))}</bdi> "
        f"<small>and</small> <bdi>{escape(pieces(text.right))}</bdi></p>"
    )

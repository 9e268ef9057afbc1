"""A visitor's pattern as HTML: whether it works, or where it is wrong; the difference of two as a table."""

from html import escape

from explorer.analysis.pattern_difference import (
    NONE,
    AlternativePair,
    PatternDifference,
    ShortText,
    pieces,
    summary,
    verdict,
)
from explorer.engine.regexes.safe import Alternative, PatternError
from explorer.errors import InputError
from explorer.stages.pre_tokenizers.scanner import takes
from explorer.text import visible
from explorer.text.say import Text, Words

LAST_VALID = "Until you fix it, you see the result of the last valid pattern."
AROUND = 32
"""Characters shown on each side of the error."""


def verdict_html(
    pattern: str, error: InputError | None, reader: str = "Python's regex module", words: Words = str
) -> str:
    """One line about a typed pattern; the classes are those of `ui/styles/caret.css`. reader: the dialect's program.

    words: says a text in the visitor's language.

    >>> verdict_html("a", None)[:66]
    '<div class="tk-verdict" role="status">This pattern now cuts the te'
    """
    if error is None:
        fine = "This pattern now cuts the text, read as {0:t} reads it. Everything else stays as in the file."
        return f'<div class="tk-verdict" role="status">{words(Text(fine, reader))}</div>'
    shown = caret_html(pattern, error.at) if isinstance(error, PatternError) else ""
    return (
        f'<div class="tk-verdict tk-wrong" role="alert">{shown}<p><b>{words("Pattern error.")}</b> '
        f"{escape(words(error.args[0]))}. {words(LAST_VALID)}</p></div>"
    )


def caret_html(pattern: str, at: int) -> str:
    """The text around code point `at` of a pattern, with a caret below it.

    >>> caret_html("a(<b", 4)
    '<pre dir="ltr">a(&lt;b<span> </span></pre>'
    >>> caret_html("ab)c", 2)
    '<pre dir="ltr">ab<span>)</span>c</pre>'
    """
    before, here, after = pattern[:at], pattern[at : at + 1], pattern[at + 1 :]
    left = ("…" if len(before) > AROUND else "") + before[-AROUND:]
    right = after[:AROUND] + ("…" if len(after) > AROUND else "")
    parts = [escape(visible(part).replace("␣", " ")) for part in (left, here, right)]
    return f'<pre dir="ltr">{parts[0]}<span>{parts[1] or " "}</span>{parts[2]}</pre>'


def difference_html(found: PatternDifference, left: str, right: str, words: Words = str) -> str:
    """The table; the classes are those of `ui/styles/caret.css`. left, right: the names of the patterns. words: says a
    text in the visitor's language.

    >>> from explorer.analysis.pattern_difference import difference, known_pattern
    >>> html = difference_html(difference(known_pattern("qwen-2"), known_pattern("llama-3")), "<a>", "b")
    >>> "<th>&lt;a&gt;</th>" in html, html.count("<tr")
    (True, 8)
    """
    heads = "".join(f"<th>{escape(name)}</th>" for name in (left, right, words("Texts that tell them apart")))
    body = "".join(row_html(found, pair, words) for pair in found.pairs)
    return (
        f'<div class="tk-difference"><p>{escape(words(summary(found)))}</p><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def row_html(found: PatternDifference, pair: AlternativePair, words: Words) -> str:
    """One row of the table."""
    sides = ((found.left, pair.left), (found.right, pair.right))
    cells = "".join(f"<td>{alternative_html(alternatives, index, words)}</td>" for alternatives, index in sides)
    texts = "".join(text_html(text, words) for text in pair.texts) or f"<small>{words(verdict(pair))}</small>"
    return f'<tr class="{"same" if pair.same else "other"}">{cells}<td>{texts}</td></tr>'


def alternative_html(alternatives: tuple[Alternative, ...], index: int | None, words: Words) -> str:
    """One alternative with what it takes."""
    if index is None:
        return NONE
    each = alternatives[index]
    return f"<small>{index + 1}</small> <code>{escape(visible(each.regex))}</code><p>{escape(words(takes(each)))}</p>"


def text_html(text: ShortText, words: Words) -> str:
    """One text with the pieces of both sides."""
    return (
        f"<p><b>{escape(visible(text.text))}</b> <bdi>{escape(pieces(text.left))}</bdi> "
        f"<small>{words('and')}</small> <bdi>{escape(pieces(text.right))}</bdi></p>"
    )

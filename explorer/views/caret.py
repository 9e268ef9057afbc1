"""The verdict on a pattern that a visitor types: that it works, or where it is wrong."""

from __future__ import annotations

from html import escape

from explorer.engine.regexes.safe import PatternError
from explorer.errors import InputError
from explorer.text import visible

AROUND = 32
"""Characters shown on each side of the error."""


def verdict_html(pattern: str, error: InputError | None, reader: str = "Python's regex module") -> str:
    """One line about a typed pattern; the classes are those of `ui/explore/caret.css`. reader: the dialect's program.

    >>> verdict_html("a", None)[:66]
    '<div class="tk-verdict" role="status">This pattern now cuts the te'
    """
    if error is None:
        fine = f"This pattern now cuts the text, read as {reader} reads it. Everything else stays as in the file."
        return f'<div class="tk-verdict" role="status">{fine}</div>'
    shown = caret_html(pattern, error.at) if isinstance(error, PatternError) else ""
    return (
        f'<div class="tk-verdict tk-wrong" role="alert">{shown}<p><b>Pattern error.</b> {escape(str(error))}. '
        "Until you fix it, you see the result of the last valid pattern.</p></div>"
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

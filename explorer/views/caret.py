"""What is to be said about a pattern somebody types: that it does, or where it is wrong."""

from __future__ import annotations

from html import escape

from explorer.engine.regexes.safe import PatternError
from explorer.errors import InputError
from explorer.text import visible

AROUND = 32
"""Characters shown on each side of the place."""


def verdict_html(pattern: str, error: InputError | None, reader: str = "Python's regex module") -> str:
    """One line about a typed pattern; the classes are those of `ui/caret.css`. reader: who reads it so.

    >>> verdict_html("a", None)[:66]
    '<div class="tk-verdict" role="status">Every piece is cut by this p'
    """
    if error is None:
        fine = f"Every piece is cut by this pattern, read as {reader} reads it. All else stays as the file has it."
        return f'<div class="tk-verdict" role="status">{fine}</div>'
    place = caret_html(pattern, error.at) if isinstance(error, PatternError) else ""
    return (
        f'<div class="tk-verdict tk-wrong" role="alert">{place}<p><b>Not like this.</b> {escape(str(error))}. '
        "Until then you see what the last good pattern makes of the text.</p></div>"
    )


def caret_html(pattern: str, at: int) -> str:
    """What stands around code point `at` of a pattern, with a caret under it.

    >>> caret_html("a(<b", 4)
    '<pre dir="ltr">a(&lt;b<span> </span></pre>'
    >>> caret_html("ab)c", 2)
    '<pre dir="ltr">ab<span>)</span>c</pre>'
    """
    before, there, after = pattern[:at], pattern[at : at + 1], pattern[at + 1 :]
    left = ("…" if len(before) > AROUND else "") + before[-AROUND:]
    right = after[:AROUND] + ("…" if len(after) > AROUND else "")
    parts = [escape(visible(part).replace("␣", " ")) for part in (left, there, right)]
    return f'<pre dir="ltr">{parts[0]}<span>{parts[1] or " "}</span>{parts[2]}</pre>'

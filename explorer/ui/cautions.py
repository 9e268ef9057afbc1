"""What to know before reading the result, above it and once: warnings of the file's card, a BOS that is there twice."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import streamlit as st

END = 1_000
"""Characters. No special token is as long."""

SHOWN = 3
"""Warnings that are open to see; the others are a click away."""


def ends(text: str) -> str:
    """Of a long text both ends: what is looked for stands there, and a page need not tokenize the rest for it."""
    return text if len(text) <= 2 * END else text[:END] + text[-END:]


def said(warnings: Iterable[str]) -> None:
    """Draws them; always a place of its own, so that nothing below it is put together anew when they come or go."""
    with st.container(key="cautions"):
        lines = list(dict.fromkeys(warnings))
        if not lines:
            return
        first, rest = lines[:SHOWN], lines[SHOWN:]
        more = f"<details><summary>{len(rest)} more</summary><ul>{items(rest)}</ul></details>" if rest else ""
        title = "Warning" if len(lines) == 1 else f"{len(lines)} warnings"
        st.html(
            '<div role="note" style="border:1px solid #d08700;border-left-width:4px;border-radius:8px;padding:6px 14px;'
            'background:color-mix(in srgb, #d08700 8%, transparent);overflow-wrap:anywhere;font-size:0.9rem">'
            f'<b>{title}</b><ul style="margin:0;padding-left:1.2em">{items(first)}</ul>{more}</div>'
        )


def items(lines: Iterable[str]) -> str:
    """Lines as a list, escaped and each its own stretch of text, whichever way it is written."""
    return "".join(f"<li><bdi>{escape(line)}</bdi></li>" for line in lines)

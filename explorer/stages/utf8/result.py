"""How many characters, code points and bytes a text is, in a sentence."""

from __future__ import annotations

import regex

from explorer.text.say import Say, plural


def utf8_result(text: str) -> Say:
    """How many characters a reader sees, and how many code points and bytes they are."""
    size = len(text.encode())
    if not text:
        return Say.of("The text is empty: no code points, no bytes.")
    clusters = len(regex.findall(r"\X", text))
    seen = "" if clusters == len(text) else f"What a reader sees as {plural(clusters, 'character')} are "
    widths = sorted({len(ch.encode()) for ch in set(text)})
    range_of_widths = str(widths[0]) if len(widths) == 1 else f"{widths[0]} to {widths[-1]}"
    width = "one byte each" if widths == [1] else f"{range_of_widths} bytes each"
    points = plural(len(text), "code point")
    return Say.of("{0:t}{1:t} in {2:t} of UTF-8, {3:t}.", seen, points, plural(size, "byte"), width)

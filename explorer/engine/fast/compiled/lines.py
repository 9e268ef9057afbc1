"""Lines as texts, and what a block of them counts: one pass over its bytes, which also says whether they are UTF-8.

The other pass counts ids. Source for Python and for numba (`build`).
"""

from __future__ import annotations

from typing import Any, Final

from explorer.engine.fast.compiled.utf8 import END, code_point, valid_width

# words of the state
CHARACTERS: Final = 0
WORDS: Final = 1
"""Runs of characters other than white space."""
LINE_ENDS: Final = 2
TEXTS: Final = 3
LONGEST: Final = 4
"""Bytes of the longest line, with its end."""

LINE_END: Final = 0x0A


def spread(data: Any, stop: int, classes: Any, front: Any, front_size: int, text: Any, state: Any) -> int:
    """Writes each line, with `front` before it and END after it, to `text`; returns how many bytes, -1 for bytes that
    are not UTF-8.

    A line goes up to its line end, which belongs to it. classes: 1 for white space, by code point.
    """
    at = made = begin = 0
    characters, words, line_ends, texts, longest, blank = 0, 0, 0, 0, 0, 1
    while at < stop:
        if at == begin:
            for offset in range(front_size):
                text[made] = front[offset]
                made += 1
        first = data[at]
        characters += 1
        if first < 0x80:
            kind = classes[first]
            text[made] = first
            made += 1
            at += 1
        else:
            wide = valid_width(data, at, stop)
            if wide == 0:
                return -1
            kind = classes[code_point(data, at)]
            for _ in range(wide):
                text[made] = data[at]
                made += 1
                at += 1
        words += blank & (kind ^ 1)
        blank = kind
        if first == LINE_END or at == stop:
            line_ends += first == LINE_END
            text[made] = END
            made += 1
            texts += 1
            longest = max(longest, at - begin)
            begin = at
    state[CHARACTERS] = characters
    state[WORDS] = words
    state[LINE_ENDS] = line_ends
    state[TEXTS] = texts
    state[LONGEST] = longest
    return made


def count_ids(ids: Any, count: int, kind_of: Any, counts: Any, kinds: Any) -> int:
    """Counts ids, each in `counts` and its kind in `kinds`; returns 0."""
    for index in range(count):
        counts[ids[index]] += 1
        kinds[kind_of[ids[index]]] += 1
    return 0

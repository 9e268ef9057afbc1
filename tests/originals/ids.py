"""Compares this engine's ids with an original's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import explorer


def id_differences(
    ours: explorer.Tokenizer, original: Callable[[str], Sequence[int]], samples: Iterable[str], add: bool, parse: bool
) -> list[object]:
    """Texts whose ids differ, with both; traced and untraced ids must agree, too."""
    found: list[object] = []
    for text in samples:
        want = original(text)
        got = ours.encode(text, add_special=add, parse_special=parse).ids
        traced = ours.trace(text, add_special=add, parse_special=parse).ids
        if not got == traced == want:
            found.append((text, want, got, traced))
    return found

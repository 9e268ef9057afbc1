"""A text → ids by a walk through a trie: RWKV's longest match, and the loop that stops at the first miss.

No text is cut into pieces and none is remembered: the walk is about as fast as looking a piece up. Source for Python
and for numba (`build`).
"""

from __future__ import annotations

from typing import Any

from explorer.engine.fast.compiled.pieces import DONE, MORE, START, TEXTS, UNSOLVED, WRITTEN
from explorer.engine.fast.compiled.tries import SLOT, first_miss, longest
from explorer.engine.fast.compiled.utf8 import END, width


def walk(
    data: Any, stop: int, most: int, ids: Any, text_ends: Any, state: Any, nodes: Any, tokens: Any, by_characters: int,
    unknown: int,
) -> int:  # fmt: skip
    """Writes the ids of up to `most` tokens to `ids`, and how many there are after each text to `text_ends`.

    by_characters: the loop that stops at the first miss (`models.first_miss`). unknown: the id of a byte that begins no
    token, -1 for none. The state and why it stops are those of `pieces.encode`.
    """
    at, made, ended = state[START], state[WRITTEN], state[TEXTS]
    reason = DONE
    while at < stop:
        if data[at] == END:
            text_ends[ended] = made
            ended += 1
            at += 1
            continue
        if most <= 0:
            reason = MORE
            break
        most -= 1
        found = first_miss(nodes, data, at) if by_characters else longest(nodes, 0, data, at)
        if found >= 0:
            ids[made] = tokens[found & SLOT]
            made += 1
            at = found >> 32
        elif by_characters:
            for _ in range(width(data[at])):
                ids[made] = data[at] + 1
                made += 1
                at += 1
        elif unknown >= 0:
            ids[made] = unknown
            made += 1
            at += 1
        else:
            reason = UNSOLVED
            break
    state[START] = at
    state[WRITTEN] = made
    state[TEXTS] = ended
    return reason

"""Runs `walks.walk` over texts: one thread's buffers. The walk of RWKV needs no pieces and no memory of them."""

from __future__ import annotations

from typing import Final

import numpy as np

from explorer.engine.fast.compiled import build, pieces
from explorer.engine.fast.compiled.arrays import Call, Numbers, Octets, Words, octets
from explorer.engine.fast.compiled.trie_tables import TrieTables
from explorer.engine.fast.compiled.utf8 import END
from explorer.engine.fast.compiled.worker import Solve, stop_of
from explorer.engine.limits.budget import MODEL, ask

TOKENS: Final = 1 << 20
"""Tokens between two returns to Python, at most."""


class Walker:
    """One thread's. by_characters: the walk stops at the first miss. unknown: the id of an unknown byte, -1 for none.

    solve: raises the error for a text with such a byte.
    """

    def __init__(
        self, trie: TrieTables, by_characters: bool, unknown: int, solve: Solve, functions: build.Functions
    ) -> None:
        self.solve = solve
        self.walk = Call("walk", functions)
        self.state = np.zeros(8, np.int64)
        self.ids = np.empty(0, np.int32)
        self.text_ends = np.empty(0, np.int64)
        self.walk.give(
            **trie._asdict(), by_characters=int(by_characters), unknown=unknown, state=self.state, most=TOKENS
        )

    def run(self, data: bytes | Octets, texts: int) -> tuple[Numbers, Words]:
        """The ids of texts, and how many there are after each. Both are overwritten by the next call.

        data: each text with END after it, then padding. texts: how many. Raises InputError if they are too long.
        """
        stop = stop_of(data)
        if len(self.text_ends) < texts:
            self.text_ends = np.empty(texts, np.int64)
        if len(self.ids) < stop:
            self.ids = np.empty(stop, np.int32)
        self.state[:] = 0
        self.walk.give(data=octets(data), stop=stop, ids=self.ids, text_ends=self.text_ends)
        while (reason := self.walk()) != pieces.DONE:
            if reason == pieces.UNSOLVED:
                ended = int(self.state[pieces.TEXTS])
                self.solve(bytes(data).split(bytes([END]), ended + 1)[ended])
                raise AssertionError("a byte that begins no token has an id")
            ask(MODEL)
        return self.ids[: self.state[pieces.WRITTEN]], self.text_ends[:texts]

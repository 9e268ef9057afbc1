"""The pieces of a Unigram vocabulary that no other path through their own lattice beats, found for all at once.

The pieces form a trie. Each of its nodes is a text, and the best path through that text ends with one of its suffixes,
after the best path through the rest, which is an ancestor. The suffixes of a node that are nodes themselves are those
of its parent, each one character further. So the nodes of each depth are solved together, with numpy, in the order and
with the sums of `engine/fast/piece_encoder.py`.

Left out: pieces with a character that is not a piece, and long ones. What is left out may be uncut, too.
"""

from collections.abc import Mapping
from itertools import compress
from typing import Any

import numpy as np

from explorer.engine.budget import ask

WHAT = "the check"
"""The name of this in errors."""

LONGEST = 32
"""Characters of a piece that is looked at."""

MOST = 1 << 22
"""Characters of all pieces: a bound of the nodes. Those of XLM-RoBERTa have 1.4 million."""

CODE = 21
"""Bits of a code point."""

Numbers = np.ndarray[Any, Any]


def uncut_pieces(scores: Mapping[str, float]) -> frozenset[str]:
    """The pieces that are their own best path. Of equal sums, the path whose last token begins first is the best.

    scores: of every text that may be a token; finite.

    >>> sorted(uncut_pieces({"a": -1.0, "b": -1.0, "ab": -1.5, "ba": -2.0, "aba": -2.6}))
    ['a', 'ab', 'b', 'ba']
    """
    texts = sorted([text for text in scores if len(text) <= LONGEST])
    if not texts or sum(map(len, texts)) > MOST:
        return frozenset()
    trie = Trie(texts)
    own = np.full(len(trie), -np.inf)
    own[trie.node_of] = list(map(scores.__getitem__, texts))
    return frozenset(compress(texts, are_uncut(trie, own)[trie.node_of].tolist()))


class Trie:
    """A trie of sorted texts. Its nodes are numbered by depth, and in the order of the texts; the root is 0.

    depths: by depth, the first node and one after the last. parent, code: by node. node_of: by text.
    """

    def __init__(self, texts: list[str]) -> None:
        lengths = np.array(list(map(len, texts)))
        width = int(lengths.max())
        codes = np.array(texts, dtype=f"U{width}").view(np.uint32).reshape(len(texts), width)
        differ = np.ones((len(texts) - 1, width + 1), bool)
        differ[:, :-1] = codes[1:] != codes[:-1]
        # a short text is filled up with zeros, which might be characters of a longer one
        shared = np.concatenate(([0], np.minimum(differ.argmax(axis=1), lengths[:-1])))
        self.depths, self.node_of = [(0, 1)], np.zeros(len(texts), np.int64)
        parents, found, here, end = [np.zeros(1, np.int64)], [np.zeros(1, np.int64)], self.node_of, 1
        for depth in range(1, width + 1):
            ask(WHAT)
            new = np.flatnonzero((lengths >= depth) & (shared < depth))
            self.depths.append((end, end + len(new)))
            parents.append(here[new])
            found.append(codes[new, depth - 1].astype(np.int64))
            here = np.zeros(len(texts), np.int64)
            here[new] = np.arange(end, end + len(new))
            # a text that begins like the one before it has the same node
            here = np.maximum.accumulate(here)
            self.node_of = np.where(lengths == depth, here, self.node_of)
            end += len(new)
        self.parent, self.code = np.concatenate(parents), np.concatenate(found)
        self.keys = self.parent[1:] << CODE | self.code[1:]
        """of each node but the root; they ascend"""

    def __len__(self) -> int:
        return len(self.parent)

    def children(self, nodes: Numbers, codes: Numbers) -> Numbers:
        """The child of each node for a character; -1 for none, and for the node -1."""
        made = np.full(len(nodes), -1)
        alive = np.flatnonzero(nodes >= 0)
        wanted = nodes[alive] << CODE | codes[alive]
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        made[alive] = np.where(self.keys[at] == wanted, at + 1, -1)
        return made


def are_uncut(trie: Trie, own: Numbers) -> Numbers:
    """By node, whether no path beats its own score. own: by node, its score, -inf where it is not a piece."""
    # -1, no node, is the last one
    best, known, uncut = np.append(own, -np.inf), np.ones(len(own), bool), np.zeros(len(own), bool)
    own = best.copy()
    best[0] = 0.0
    suffixes = [np.zeros(1, np.int64)]
    """by length, for the nodes of one depth: the node of the suffix, or -1"""
    for depth, (begin, end) in enumerate(trie.depths[1:], 1):
        ask(WHAT)
        parent, code = trie.parent[begin:end], trie.code[begin:end]
        above = parent - trie.depths[depth - 1][0]
        longer = [trie.children(one[above], code) for one in suffixes[: depth - 1]]
        others, rest = np.full(end - begin, -np.inf), parent
        for suffix in longer:
            others = np.maximum(others, best[rest] + own[suffix])
            rest = trie.parent[rest]
        suffixes = [np.zeros(end - begin, np.int64), *longer, np.arange(begin, end)]
        known[begin:end] = known[parent] & (own[suffixes[1]] > -np.inf)
        uncut[begin:end] = known[begin:end] & (own[begin:end] >= others)
        best[begin:end] = np.maximum(own[begin:end], others)
    return uncut

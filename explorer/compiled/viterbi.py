"""Unigram: the best path through the lattice of a piece, by Viterbi's algorithm over bytes.

Adds and compares as `models.unigram` does, in the same order and in 64 bits: candidates by where they begin, then by
length; one wins if its sum is higher than the best so far. One walk through a trie finds the pieces that begin at a
byte. Left out: sums in 32 bits, which depend on all text before a piece, and Hugging Face's second look-up of unknown
text.

Source for Python and for numba (`build`).
"""

from typing import Any

from explorer.compiled.tries import ENDS, child
from explorer.compiled.utf8 import Model, Scratch, width

# words of the rules
UNKNOWN = 0
"""The id of the unknown token, -1 for none."""
RULES = 1
"""Bits: what is done about unknown characters."""
LONGEST = 2
"""Bytes of the longest piece."""

# bits of RULES
FUSED = 1
"""Unknown tokens next to each other become one."""
FALLBACK = 2
"""An unknown character becomes its bytes, if each has a token."""

MOST_STEPS = 1 << 32
"""Steps of the longest walk; a piece that may take more is left to Python, which asks for the time."""

TOKEN = (1 << 31) - 1
"""The bits of a candidate that hold its id; one more than where it begins is above them."""


def best_path(text: Any, size: int, ids: Any, at: int, most: int, model: Model, scratch: Scratch) -> int:
    """Writes the ids of a piece to `ids[at]` and after it; returns how many, -1 where Python has to solve it.

    most: ids that have room. The model has the score of the unknown token, then those by id, and the ids of bytes as
    its byte symbols, -1 for none.
    """
    rules, links = model.rules, scratch.links
    if size * rules[LONGEST] > MOST_STEPS or not forward(text, size, model, scratch):
        return -1
    # followed back: where each token ends, the last one first
    count, end = 0, size
    while end > 0:
        links[size + 1 + count] = end
        count += 1
        end = (links[end] >> 31) - 1
    unknown, what = rules[UNKNOWN], rules[RULES]
    start, made = 0, 0
    after_unknown = False
    while count > 0:
        count -= 1
        end = links[size + 1 + count]
        token = links[end] & TOKEN
        if made + 1 > most:
            return -1
        if token != unknown:
            ids[at + made] = token
            made += 1
            start = end
            after_unknown = False
            continue
        fell_back = 0
        if what & FALLBACK:
            if made + end - start > most:
                return -1
            fell_back = bytes_written(text, start, end, ids, at + made, model.byte_symbols)
            made += fell_back
        if fell_back == 0:
            if not (after_unknown and what & FUSED):
                ids[at + made] = token
                made += 1
            after_unknown = True
        start = end
    return made


def forward(text: Any, size: int, model: Model, scratch: Scratch) -> bool:
    """Fills the lattice from the left: the best candidate that ends at each byte goes to `links`, its sum to `sums`.

    False if a character is unknown and there is no unknown token.
    """
    nodes, scores, rules = model.nodes, model.scores, model.rules
    sums, links = scratch.sums, scratch.links
    for end in range(size + 1):
        links[end] = 0
    sums[0] = 0.0
    start = 0
    while start < size:
        here = sums[start]
        alone = start + width(text[start])
        is_piece = False
        node, end = 0, start
        while end < size:
            node = child(nodes, node, text[end])
            if node < 0:
                break
            end += 1
            if nodes[node] & ENDS:
                token = model.tokens[node]
                challenge = here + scores[token + 1]
                if end == alone:
                    is_piece = True
                if links[end] == 0 or challenge > sums[end]:
                    sums[end] = challenge
                    links[end] = (start + 1) << 31 | token
        if not is_piece:
            if rules[UNKNOWN] < 0:
                return False
            challenge = here + scores[0]
            if links[alone] == 0 or challenge > sums[alone]:
                sums[alone] = challenge
                links[alone] = (start + 1) << 31 | rules[UNKNOWN]
        start = alone
    return True


def bytes_written(text: Any, start: int, end: int, ids: Any, at: int, byte_symbols: Any) -> int:
    """Writes the ids of bytes; returns how many, 0 if one of them has none."""
    for offset in range(start, end):
        id = byte_symbols[text[offset]]
        if id < 0:
            return 0
        ids[at + offset - start] = id
    return end - start

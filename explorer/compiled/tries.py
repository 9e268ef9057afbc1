"""Tries over bytes as double arrays: the longest piece that begins at a byte, one look-up for each byte of it.

A node is a word: the slot of its parent plus one, whether it ends a piece, and its base. Its child by a byte is in the
slot base XOR byte, if that slot names it as its parent. Node 0 is the root. See J. Aoe, "An efficient digital search
algorithm by using a double-array structure" (1989); the XOR is that of Darts-clone.

RWKV's longest match is a walk of the whole text, which is about as fast as looking a piece up: no text is cut into
pieces, and none is remembered. Pieces have no END, so a walk ends there.

Words of BERT are each character as the normalization spells it, and the longest piece that matches, repeatedly. What a
character becomes comes from a table that Python fills when it meets one (`spellings`). A piece with a character that is
not in it, or that its neighbors may change, is solved in Python. Both originals of WordPiece in
`models.longest_match`: Hugging Face's goes on from another node, that of `##`;
llama.cpp's begins words with a ▁ of its own.

Source for Python and for numba (`build`).
"""

from typing import Any

from explorer.compiled.utf8 import (
    DONE,
    END,
    MORE,
    START,
    TEXTS,
    UNSOLVED,
    WRITTEN,
    Model,
    Numbers,
    Octets,
    Spelled,
    Words,
    code_point,
    width,
)

BASE = (1 << 31) - 1
"""The bits of a node that hold its base."""

ENDS = 1 << 31
"""The bit of a node that ends a piece."""

NO_PARENT = 1 << 30
"""The root's parent."""

SLOT = (1 << 32) - 1
"""The bits of a result that hold a slot; the index after the piece is above them."""

BLOCK = 256
"""Slots that may hold the children of one node."""

TRIED = 512
"""Slots tried for the children of a node before a new block is begun."""

# memory for making a trie, in words
LABELS = 0
"""The bytes that lead on from a node."""
FIRSTS = 256
"""For each of them its first piece, and the index after the last one."""
STACK = 513
"""Nodes whose children are yet to be made: slot, first piece, the index after the last one, depth. The deepest is next,
so that the end of a long piece lies close together."""


def child(nodes: Any, node: int, byte: int) -> int:
    """The node that a byte leads to, -1 if there is none."""
    after = (nodes[node] & BASE) ^ byte
    return after if nodes[after] >> 32 == node + 1 else -1


def longest(nodes: Any, node: int, data: Any, at: int) -> int:
    """The longest piece from a byte on: the index after it · 2³² + its slot, -1 for none. node: its start."""
    found = -1
    entry = nodes[node]
    while True:
        after = (entry & BASE) ^ data[at]
        entry = nodes[after]
        if entry >> 32 != node + 1:
            return found
        node = after
        at += 1
        if entry & ENDS:
            found = at << 32 | node


def node_after(nodes: Any, data: Any, size: int) -> int:
    """The node that all these bytes lead to, -1 if there is none."""
    node = 0
    for at in range(size):
        node = child(nodes, node, data[at])
        if node < 0:
            return -1
    return node


def walk(
    data: Octets,
    stop: int,
    most: int,
    ids: Numbers,
    text_ends: Words,
    state: Words,
    nodes: Words,
    tokens: Numbers,
    unknown: int,
) -> int:
    """Writes the ids of up to `most` tokens to `ids`, and how many there are after each text to `text_ends`.

    unknown: the id of a byte that begins no token, -1 for none. Returns why it stops.
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
        found = longest(nodes, 0, data, at)
        if found >= 0:
            ids[made] = tokens[found & SLOT]
            made += 1
            at = found >> 32
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


def fill_trie(
    nodes: Words, room: int, tokens: Numbers, texts: Octets, starts: Words, ids: Numbers, count: int, scratch: Words
) -> int:
    """Makes the trie of pieces in order of their bytes; returns how many slots it takes, -1 if it needs more.

    Piece i is `texts[starts[i]:starts[i + 1]]`, and `ids[i]` goes to `tokens` at its slot. nodes: `room` zeros.
    scratch: STACK words, and four for each node.
    """
    nodes[0] = NO_PARENT << 32
    used, free = BLOCK, 1
    scratch[STACK] = 0
    scratch[STACK + 1] = 0
    scratch[STACK + 2] = count
    scratch[STACK + 3] = 0
    top = STACK + 4
    while top > STACK:
        top -= 4
        node, first, stop, depth = scratch[top], scratch[top + 1], scratch[top + 2], scratch[top + 3]
        if first < stop and starts[first] + depth == starts[first + 1]:
            nodes[node] |= ENDS
            tokens[node] = ids[first]
            first += 1
        labels = labeled(texts, starts, first, stop, depth, scratch)
        if labels == 0:
            continue
        while free < used and nodes[free] != 0:
            free += 1
        base = base_for(nodes, free, used, labels, scratch)
        if base < 0:
            base = used
            used += BLOCK
            if used > room:
                return -1
        nodes[node] |= base
        for index in range(labels):
            slot = base ^ scratch[LABELS + index]
            nodes[slot] = (node + 1) << 32
            scratch[top] = slot
            scratch[top + 1] = scratch[FIRSTS + index]
            scratch[top + 2] = scratch[FIRSTS + index + 1]
            scratch[top + 3] = depth + 1
            top += 4
    return used


def labeled(texts: Any, starts: Any, first: int, stop: int, depth: int, scratch: Any) -> int:
    """Writes the bytes at a depth of pieces to LABELS, and to FIRSTS where each begins; returns how many there are."""
    labels = 0
    before = -1
    for piece in range(first, stop):
        byte = int(texts[starts[piece] + depth])
        if byte != before:
            scratch[LABELS + labels] = byte
            scratch[FIRSTS + labels] = piece
            labels += 1
            before = byte
    scratch[FIRSTS + labels] = stop
    return labels


def base_for(nodes: Any, free: int, used: int, labels: int, scratch: Any) -> int:
    """A base at which the slots of all LABELS are free, -1 if none is found soon."""
    for slot in range(free, min(used, free + TRIED)):
        base = slot ^ scratch[LABELS]
        index = 0
        while index < labels and nodes[base ^ scratch[LABELS + index]] == 0:
            index += 1
        if index == labels:
            return int(base)
    return -1


# words of the rules
LATER = 0
"""The node from which a piece within a word is looked for, -1 for none."""
MOST = 1
"""Characters of the longest word that is tried."""
UNKNOWN = 2
"""The id of a word that pieces cannot spell, -1 for none."""
FRONT = 3
"""Bytes in `word` that every word begins with."""

SPACE = 0x20


def words_solved(data: Any, start: int, size: int, ids: Any, at: int, most: int, spelled: Spelled, model: Model) -> int:
    """Writes the ids of the words in a text to `ids[at]` and after it; returns how many, -1 where Python has to.

    most: ids that have room. A space in the spelling of a character separates words.
    """
    characters, spellings, word = spelled.characters, spelled.spellings, spelled.word
    made, offset = 0, start
    front = model.rules[FRONT]
    used = front
    while offset < start + size:
        spelling = characters[code_point(data, offset)]
        if spelling <= 0:
            return -1
        for index in range(spelling + 1, spelling + 1 + spellings[spelling]):
            byte = spellings[index]
            if byte != SPACE:
                word[used] = byte
                used += 1
                if used == spelled.word_room:
                    return -1
            elif used > front:
                count = word_matched(word, used, ids, at + made, most - made, model)
                if count < 0:
                    return -1
                made += count
                used = front
        offset += width(data[offset])
    if used > front:
        count = word_matched(word, used, ids, at + made, most - made, model)
        if count < 0:
            return -1
        made += count
    return int(made)


def word_matched(word: Any, size: int, ids: Any, at: int, most: int, model: Model) -> int:
    """Writes the ids of a word; returns how many, -1 where Python has to."""
    rules = model.rules
    word[size] = END
    made, begin, node = 0, 0, 0
    known = size <= rules[MOST] or characters_in(word, size) <= rules[MOST]
    while known and begin < size:
        found = longest(model.nodes, node, word, begin) if node >= 0 else -1
        if found < 0:
            known = False
        elif made == most:
            return -1
        else:
            ids[at + made] = model.tokens[found & SLOT]
            made += 1
            begin = found >> 32
            node = rules[LATER]
    if known:
        return made
    if rules[UNKNOWN] < 0 or most == 0:
        return -1
    ids[at] = rules[UNKNOWN]
    return 1


def characters_in(word: Any, size: int) -> int:
    """How many characters bytes are."""
    count = 0
    for at in range(size):
        count += word[at] & 0xC0 != 0x80
    return count

"""Words of BERT: each character as the normalization spells it, and the longest piece that matches, repeatedly.

What a character becomes comes from a table that Python fills when it meets one (`spellings`). A piece with a character
that is not in it, or that its neighbors may change, is solved in Python. Both originals of `models.wordpiece`: Hugging
Face's goes on from another node, that of `##`; llama.cpp's begins words with a ▁ of its own.

Source for Python and for numba (`build`).
"""

from __future__ import annotations

from typing import Any, Final

from explorer.compiled.records import Model, Spelled
from explorer.compiled.tries import SLOT, longest
from explorer.compiled.utf8 import END, code_point, width

# words of the rules
LATER: Final = 0
"""The node from which a piece within a word is looked for, -1 for none."""
MOST: Final = 1
"""Characters of the longest word that is tried."""
UNKNOWN: Final = 2
"""The id of a word that pieces cannot spell, -1 for none."""
FRONT: Final = 3
"""Bytes in `word` that every word begins with."""

SPACE: Final = 0x20


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

"""What a vocabulary of Hugging Face begins with, and words written in it.

Ids are given in this order: special tokens as listed, the characters of the alphabet by code point, then each character
with a prefix or suffix when a word first has it. Follows `add_special_tokens`, `compute_alphabet` and
`tokenize_words` of `models/bpe/trainer.rs` (tokenizers 0.23).

Surprises that are kept: nothing but `limit_alphabet` bounds the alphabet, so `vocab_size` 0 still gives every
character; a character that is not in the alphabet is skipped, and its neighbors become adjacent; a special token of one
character counts as in the alphabet.

The original leaves two orders to a randomly seeded hash map, and its result then differs between two runs. Here they
are fixed: characters with a prefix or suffix are numbered by first occurrence in the words (or as `order` says, which
can be the order one run of the original came to); of equally frequent characters at the limit, the lower code points
stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from explorer.engine.budget import asking
from explorer.engine.trace import Emit
from explorer.errors import InputError
from explorer.training.rows import Train
from explorer.training.symbols import MOST_SYMBOLS
from explorer.training.training import TRAINER
from explorer.training.words import Words


@dataclass
class Tokens:
    """A growing vocabulary: what each id spells, and the id of each spelling."""

    texts: list[str] = field(default_factory=list)
    ids: dict[str, int] = field(default_factory=dict)

    def id(self, text: str) -> int:
        """The id of a text, a new one where it has none."""
        id = self.ids.setdefault(text, len(self.texts))
        if id == len(self.texts):
            if id == MOST_SYMBOLS:
                raise InputError(f"the vocabulary has more than {MOST_SYMBOLS:,} tokens; choose a smaller vocab_size")
            self.texts.append(text)
        return id


def begin(
    words: Words, special_tokens: Iterable[str], initial_alphabet: Iterable[str], limit: int | None, emit: Emit
) -> Tokens:
    """The vocabulary of special tokens and characters.

    >>> begin({"ba": 2}, ["<s>"], ["z"], None, lambda *row: None).texts
    ['<s>', 'a', 'b', 'z']
    """
    tokens = Tokens()
    for number, special in enumerate(special_tokens):
        known = special in tokens.ids
        emit(Train.SPECIAL_REPEATED if known else Train.SPECIAL, number, tokens.id(special), 0)
    counts: dict[str, int] = {}
    for word in asking(list(words), TRAINER):
        for ch in word:
            counts[ch] = counts.get(ch, 0) + words[word]
    wanted = dict.fromkeys(initial_alphabet)
    for ch in wanted:
        counts.setdefault(ch, 0)
    kept = sorted(counts)
    if limit is not None and limit < len(kept):
        by_count = sorted(kept, key=lambda ch: (ch not in wanted, -counts[ch]))
        for ch in by_count[limit:]:
            emit(Train.LETTER_DROPPED, ord(ch), 0, counts[ch])
        kept = sorted(by_count[:limit])
    for ch in kept:
        kind = Train.LETTER_KNOWN if ch in tokens.ids else Train.LETTER
        emit(kind, ord(ch), tokens.id(ch), counts[ch])
    return tokens


def write(
    words: Words, tokens: Tokens, prefix: str | None, suffix: str | None, order: Sequence[str], emit: Emit
) -> list[str]:
    """Each word as a string of symbols; characters with a prefix or suffix join the vocabulary.

    order: characters with a prefix or suffix that get the next ids, in this order, before any word is read.

    >>> tokens = begin({"ab": 1}, [], [], None, lambda *row: None)
    >>> write({"ab": 1}, tokens, "##", None, [], lambda *row: None), tokens.texts
    (['\\x00\\x02'], ['a', 'b', '##b'])
    """
    for text in order:
        tokens.id(text)
    written: dict[tuple[bool, bool, str], str] = {}
    """first in its word, last in it, character → symbol"""
    done = []
    for at, (word, times) in enumerate(asking(list(words.items()), TRAINER)):
        emit(Train.WORD, at, len(word), times)
        symbols: list[str] = []
        last = len(word) - 1
        for position, ch in enumerate(word):
            key = position == 0, position == last, ch
            if key not in written:
                written[key] = ""
                if ch in tokens.ids:
                    text = ("" if position == 0 else prefix or "") + ch + ("" if position < last else suffix or "")
                    if text not in tokens.ids:
                        emit(Train.AFFIXED, ord(ch), at, len(tokens.texts))
                    written[key] = chr(tokens.id(text))
            symbol = written[key]
            if symbol:
                emit(Train.SYMBOL, at, len(symbols), ord(symbol))
                symbols.append(symbol)
            else:
                emit(Train.LETTER_SKIPPED, at, position, ord(ch))
        done.append("".join(symbols))
    return done

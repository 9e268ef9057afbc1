"""Runs tokenizers on texts, each pair at most once, and only if the ids don't rule it out.

A long text takes up to a second to tokenize, and most attempts can't give the expected ids: another token would be at
the start, or the ids have a special token that nothing added. Both show without tokenizing. For other options on the
same text, only the stages that depend on them run again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple
from unicodedata import normalize

from explorer.analysis.expected.answers import Tried
from explorer.analysis.plausible import is_bundled, is_plausible
from explorer.engine.part import Options
from explorer.engine.post_processors.lengths import Padding, Truncation
from explorer.engine.results import Encoding, Trace
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.vocabulary import PieceKind

PRINTED: Final = frozenset(map(chr, range(0x21, 0x7F)))


class AddedIds(NamedTuple):
    """The ids that `add_special` adds before and after every text."""

    front: tuple[int, ...] = ()
    back: tuple[int, ...] = ()


class Attempts:
    """The attempts for one question. given: the tokenizer's own trace of the text."""

    def __init__(self, tokenizer: Opened, given: Trace) -> None:
        self.tokenizer, self.given = tokenizer, given
        self.encodings: dict[tuple[Opened, str, Options], Encoding | None] = {}
        self.added_ids = cache(added_ids)
        self.printed = cache(printed)
        self.tried: set[tuple[Opened, str, Options]] = set()
        self.ruled_out: set[str] = set()
        """names of tokenizers that figures alone rule out"""

    def gives(self, tokenizer: Opened, expected: Sequence[int], text: str, options: Options) -> bool:
        """Whether a tokenizer gives exactly these ids for a text."""
        self.tried.add((tokenizer, text, options))
        if not self.may(tokenizer, expected, text, options) or not is_plausible(tokenizer, expected, text):
            return False
        encoding = self.encoding(tokenizer, text, options)
        return encoding is not None and encoding.ids == list(expected)

    def counts(self) -> Tried:
        """How many tokenizers were tried, and how many ways to run the one in question."""
        own = self.tokenizer.name, self.tokenizer.implementation
        names = [(tokenizer.name, tokenizer.implementation) for tokenizer, *_ in self.tried]
        known = {own, *names}
        return Tried(len(known) + len(self.ruled_out - {name for name, _ in known}), names.count(own))

    def encoding(self, tokenizer: Opened, text: str, options: Options) -> Encoding | None:
        """The tokens of a text; None if the vocabulary can't encode it."""
        key = tokenizer, text, options
        if key not in self.encodings:
            try:
                if tokenizer is self.tokenizer and text == self.given.text:
                    self.encodings[key] = tokenizer.trace_lazily(text, **options._asdict(), like=self.given).encoding
                else:
                    self.encodings[key] = tokenizer.encode(text, **options._asdict())
            except InputError:
                self.encodings[key] = None
        return self.encodings[key]

    def may(self, tokenizer: Opened, expected: Sequence[int], text: str, options: Options) -> bool:
        """False if the special tokens among the ids alone prove that they don't belong to this text."""
        around = self.added_ids(tokenizer)
        if around is None:
            return True
        inner = expected
        if options.add_special:
            front, back = around
            stop = len(expected) - len(back)
            if stop < len(front) or tuple(expected[: len(front)]) != front or tuple(expected[stop:]) != back:
                return False
            inner = expected[len(front) : stop]
        return not self.unwritten(tokenizer, inner, text)

    def unwritten(self, tokenizer: Opened, ids: Sequence[int], text: str) -> Counter[int]:
        """The counts of special tokens that the text does not contain, so that something must have added them.

        Empty for a file that is not bundled, because its normalizer may insert anything.
        """
        if not is_bundled(tokenizer):
            return Counter()
        vocabulary = tokenizer.vocabulary
        unwritten = Counter(
            {
                id: times
                for id, times in Counter(ids).items()
                if 0 <= id < len(vocabulary) and vocabulary.kind(id) == PieceKind.CONTROL
            }
        )
        for id in list(unwritten):
            if printed(vocabulary.pieces[id].decode("utf-8", "replace")) in self.printed(text):
                del unwritten[id]
        if tokenizer.model.unknown is not None:  # one that says "unknown" with a special token
            unwritten.pop(tokenizer.model.unknown, None)
        return unwritten


def added_ids(tokenizer: Opened) -> AddedIds | None:
    """The ids added around every text; None if they depend on the text's length."""
    depends = any(isinstance(part, (Padding, Truncation)) for part in tokenizer.parts)
    return None if depends else added_around(tokenizer)


def added_around(tokenizer: Opened) -> AddedIds:
    """The ids that `add_special` adds around a text.

    >>> import explorer
    >>> added_around(explorer.load("bert-uncased"))
    AddedIds(front=(101,), back=(102,))
    """
    try:
        tokens = tokenizer.encode("a").tokens
    except InputError:
        return AddedIds()
    of_text = [index for index, token in enumerate(tokens) if token.start >= 0]
    if not of_text:
        return AddedIds()
    ids = [token.id for token in tokens]
    return AddedIds(tuple(ids[: of_text[0]]), tuple(ids[of_text[-1] + 1 :]))


def printed(text: str) -> str:
    """The printable ASCII characters of a text, lowercased, compatibility-decomposed and without marks.

    >>> printed("＜S\\u200b\\u0301＞ ▁x")
    '<s>x'
    """
    return "".join(filter(PRINTED.__contains__, normalize("NFKD", text).lower()))

"""Attempts to give the expected ids: tokenizers run on a text or on its parts, only if the ids don't rule it out.

A long text takes up to a second to tokenize, and most attempts can't give the expected ids: another token would be at
the start, or the ids have a special token that nothing added. Both show without tokenizing. Each pair of tokenizer and
text runs at most once; for other options on the same text, only the stages that depend on them run again.

Whether ids can belong to a text at all shows in the letters (`is_plausible`). Every bundled tokenizer keeps the letters
a to z and the digits of a text, in order, possibly lowercased; only a mark may be composed with one. So they are in the
decoded ids, too, unless an id is the unknown token, which may cover anything. And no bundled tokenizer adds letters to
an ASCII text: apart from special tokens, the letters of the decoded ids are in the text. The ids of another text or
vocabulary almost never pass, and the check takes milliseconds. Mostly the catalog alone suffices (`rules_out`), without
opening the file. Other files can't be checked this way: a tokenizer.json may have a normalizer that removes letters.

A text may have been split, and each part encoded separately (`Parts`). The search goes on near the first id that
differs: up to there both lists are of the same text, and a cut has an effect at once. Each part must give exactly its
share of the expected ids. One cut is tried before several. Leaves out texts split into so many parts that these have
fewer than two ids each, because then cuts explain nothing, and whatever exceeds `BUDGET`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise
from typing import Final, NamedTuple
from unicodedata import normalize

from explorer.analysis.expected.answers import Encoded, Tried
from explorer.analysis.ownership import common, is_within
from explorer.analysis.what_if import adds_tokens
from explorer.engine.part import Options
from explorer.engine.post_processors import Padding, Truncation
from explorer.engine.tokenizer import Encoding, Trace
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.opening.catalog import Model, catalog
from explorer.vocabulary import PieceKind

LETTERS: Final = re.compile(r"[0-9A-Za-z](?![^\x00-\x7F])")
"""What a tokenizer neither changes nor drops: a letter or digit without a mark after it."""

NO_LETTERS: Final = bytes(byte for byte in range(256) if not chr(byte).isalnum() or byte > 0x7F)

SAYS_ITSELF: Final = (PieceKind.NORMAL, PieceKind.BYTE)
"""The kinds of pieces that decode to what they match. Others may be spelled differently in the text."""


def is_plausible(tokenizer: Opened, ids: Sequence[int], text: str) -> bool:
    """False if a tokenizer can't give these ids for this text under any options.

    >>> import explorer
    >>> tok = explorer.load("gpt-2")
    >>> is_plausible(tok, tok.encode("Hello world").ids, "Hello world"), is_plausible(tok, [15496], "Hello world")
    (True, False)
    """
    if not is_bundled(tokenizer):
        return True
    vocabulary, alone = tokenizer.vocabulary, tokenizer.decoder.alone
    said, least = dict[int, bytes](), dict[int, bytes]()
    for id in dict.fromkeys(ids):
        if not 0 <= id < len(vocabulary):
            return False
        kind = vocabulary.kind(id)
        if kind == PieceKind.UNKNOWN or id == tokenizer.model.unknown:
            return True
        itself = kind in SAYS_ITSELF
        said[id] = alone(id) if itself else alone(id) + vocabulary.pieces[id]
        least[id] = said[id] if itself else b""
    few = letters(text)
    if not is_within(few, only_letters(b"".join(map(said.__getitem__, ids)))):
        return False
    return not text.isascii() or is_within(only_letters(b"".join(map(least.__getitem__, ids))), few)


def rules_out(model: Model, ids: Sequence[int], text: str) -> bool:
    """Whether the catalog's figures alone prove that a model can't give these ids for this text.

    >>> from explorer.opening.catalog import Model, catalog
    >>> rules_out(catalog()["gpt-2"], [50257], ""), rules_out(catalog()["gpt-2"], [1, 2], "a" * 100)
    (True, True)
    """
    if ids and not 0 <= max(ids) < model.tokens:
        return True
    return len(ids) * model.letters < len(letters(text)) and not set(model.unknown).intersection(ids)


def is_bundled(tokenizer: Opened) -> bool:
    """Whether a tokenizer is an unchanged file of the catalog: no choices, no custom pattern."""
    files, choices, patterns = tokenizer.origin.files, tokenizer.origin.choices, tokenizer.origin.patterns
    return not choices and not patterns and len(files) == 1 and files[0].sha256 in digests()


def note_on(tokenizer: Opened) -> str:
    """What distinguishes a bundled file, as its default implementation runs it, from its maker's; empty if nothing.

    >>> import explorer
    >>> "post_processor=updated" in note_on(explorer.load("llama-3")), note_on(explorer.load("llama-3@llama.cpp"))
    (True, '')
    """
    model = catalog().get(tokenizer.name)
    of_file = model is not None and tokenizer.implementation == model.implementations[0] and is_bundled(tokenizer)
    return model.note if model is not None and of_file else ""


@cache
def digests() -> frozenset[str]:
    """The sha256 of every bundled file."""
    return frozenset(model.sha256 for model in catalog().values())


def only_letters(data: bytes) -> bytes:
    """The ASCII letters and digits of bytes, lowercased."""
    return data.lower().translate(None, NO_LETTERS)


def letters(text: str) -> bytes:
    """The letters and digits of a text that every tokenizer keeps, lowercased.

    >>> letters("Is A\\u030a 1?")
    b'is1'
    """
    if text.isascii():
        return only_letters(text.encode())
    return "".join(LETTERS.findall(text)).lower().encode()


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
        # some models say "unknown" with a special token
        special = {
            id: times
            for id, times in Counter(ids).items()
            if 0 <= id < len(vocabulary) and vocabulary.kind(id) == PieceKind.CONTROL and id != tokenizer.model.unknown
        }
        spelled = {id: printed(vocabulary.pieces[id].decode("utf-8", "replace")) for id in special}
        return Counter({id: times for id, times in special.items() if spelled[id] not in self.printed(text)})


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


BUDGET: Final = 400_000
"""The most characters that are encoded for one search; the encoding of the whole text is known."""

TRACED: Final = 4
"""The relative cost of encoding with spans."""

MOST_CUTS: Final = 64
TRIES: Final = 160
"""The most positions that are tried for one cut, the nearest first."""


class SplitText(NamedTuple):
    """A text in parts. offsets: of the cuts. how: which parts have special tokens, in words, if it matters."""

    offsets: tuple[int, ...]
    parts: tuple[Encoded, ...]
    how: str


def in_parts(
    attempts: Attempts, text: str, expected: Sequence[int], options: Options, most: int = MOST_CUTS
) -> SplitText | None:
    """The parts whose ids are exactly the expected ones; None if there are none. most: the number of cuts.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> found = in_parts(Attempts(tok, tok.trace("What is")), "What is", [1, 1724, 474, 1, 269], Options())
    >>> found and found.offsets
    (6,)
    """
    tokenizer = attempts.tokenizer
    if not is_plausible(tokenizer, expected, text):
        return None
    expected = list(expected)
    off, on = Options(False, options.parse_special), Options(True, options.parse_special)
    settings = [
        ((on, on), ", each part with its special tokens"),
        ((on, off), ", only the first part with special tokens"),
        ((off, off), ", all without special tokens"),
    ]
    if not adds_tokens(tokenizer):
        settings = [((options, options), "")]
    elif not options.add_special:
        settings.reverse()
    left = BUDGET
    for (first, rest), how in settings:
        if not possible(attempts, text, expected, first, rest):
            continue
        search = Search(attempts, text, expected, first, rest, left)
        try:
            # one cut is tried before several
            offsets = search.cuts(0, 0, 1) or (search.cuts(0, 0, most) if most > 1 else None)
        except InputError:
            return None  # the vocabulary can't encode a part
        left = search.left
        if offsets and (len(offsets) == 1 or 2 * (len(offsets) + 1) <= len(expected)):
            edges = (0, *offsets, len(text))
            parts = tuple(Encoded(tokenizer, text[a:b], first if a == 0 else rest) for a, b in pairwise(edges))
            return SplitText(tuple(offsets), parts, how)
    return None


def possible(attempts: Attempts, text: str, expected: list[int], first: Options, rest: Options) -> bool:
    """Whether the ids have exactly the special tokens that these options give the parts."""
    around = attempts.added_ids(attempts.tokenizer)
    if around is None:
        return True
    front, back = map(list, around)
    if first.add_special and expected[: len(front)] != front:
        return False
    if rest.add_special and (back or front):
        # the tokens added to every part occur between two parts
        seam, last = [*back, *front], len(expected) - len(back)
        starts = range(len(front) or 1, len(expected))
        return expected[last:] == back and any(expected[at : at + len(seam)] == seam for at in starts)
    unwritten = attempts.unwritten(attempts.tokenizer, expected, text)
    return unwritten <= (Counter([*front, *back]) if first.add_special else Counter())


@dataclass
class Search:
    """A search with options for the first part and for the rest. left: characters that may still be encoded."""

    attempts: Attempts
    text: str
    expected: list[int]
    first: Options
    rest: Options
    left: int

    def cuts(self, at: int, index: int, most: int) -> list[int] | None:
        """The cuts of the text from `at` on that give the expected ids from `index` on; None if there are none.

        most: the number of cuts that may still be made.
        """
        text, wanted, options = self.text[at:], self.expected[index:], self.rest if at else self.first
        tokenizer, known = self.attempts.tokenizer, text == self.attempts.given.text
        if not known and not self.spend(len(text)):
            return None
        asked = options._asdict()
        encoding = self.attempts.encoding(tokenizer, text, options) if known else tokenizer.encode(text, **asked)
        if encoding is None:
            return None
        ids = encoding.ids
        if ids == wanted:
            return [] if at else None
        if not most or (not known and not self.spend(TRACED * len(text))):
            return None
        of_text = [token for token in encoding.tokens[common(ids, wanted) :] if token.start >= 0]
        start, end = (of_text[0].start, of_text[0].end) if of_text else (len(text), len(text))
        for length in nearest(start, end, len(text)):
            if not self.spend(length):
                return None
            front = tokenizer.encode(text[:length], **asked).ids
            if wanted[: len(front)] == front:
                rest = self.cuts(at + length, index + len(front), most - 1)
                if rest is not None:
                    return [at + length, *rest]
        return None

    def spend(self, characters: int) -> bool:
        """Uses some of the budget; returns whether it sufficed."""
        self.left -= characters
        return self.left >= 0


def nearest(start: int, end: int, size: int) -> Iterator[int]:
    """The lengths that a part may have: those in [start, end] from the longest down, then outwards.

    >>> list(nearest(2, 3, 6))
    [3, 2, 1, 4, 5]
    """
    lengths = list(range(min(end, start + TRIES), start - 1, -1))
    for step in range(1, TRIES):
        lengths += [start - step, end + step]
    return islice((length for length in lengths if 0 < length < size), TRIES)

"""The index of a tokenizer's vocabulary, computed once per tokenizer: of every token its bytes, text, class, script and
lengths.

The bytes are what the decoder gives for the token alone (`Decoder.alone`). 256,000 tokens take about a second and
50 MB. A facet is a property with few values; each of its values is a set of ids.

The class of a token is that of its text, its script Unicode's property Script of its letters and marks, those shared by
several scripts (Common, Inherited) apart. A token does not reveal a language. Both depend only on the class and script
of each character, so the texts of a vocabulary have few different answers.

A set of ids is a whole number: bit i is set if id i is in the set. Intersecting two sets of 256,000 ids takes
microseconds, and so does counting one, so the counts of all facets are computed anew for every search.

A vocabulary of all code points has a million tokens by rule, of which only the named ones are stored. Its bytes and
texts are computed when they are read; class and script are the same for long runs of code points.

A search in a vocabulary: by text, regular expression, bytes or ids, within facets, sorted.

A regular expression is untrusted: its cost is computed before it is compiled (`engine/regexes/safe.py`), and all its
matches together have a time limit. It is matched against the text of each token, in which a malformed byte is a lone
surrogate (U+DC80 to U+DCFF), as Python's `surrogateescape` reads it.
"""

import re
from abc import abstractmethod
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, cached_property, lru_cache, reduce
from itertools import chain, compress, islice, pairwise, repeat
from operator import and_, or_
from sys import byteorder
from threading import Lock
from time import monotonic, thread_time
from typing import Any, AnyStr, Generic, NamedTuple, TypeVar, overload

from explorer.analysis.vocabulary.derivation import built_pieces, lattice_of, merging
from explorer.engine import budget
from explorer.engine.budget import ask, asking
from explorer.engine.models.lookup import SIZE, SURROGATES, CodePointIds, CodePointPieces
from explorer.engine.regexes.safe import compiled
from explorer.errors import InputError, shown
from explorer.implementations.opened import Opened
from explorer.stages.spelling import How, Spelling, spelling_of
from explorer.vocabulary import SPACE_MARK, PieceKind

Match = Callable[[str], Any]
"""Matches a whole text: the match, or None."""


class TokenClass(StrEnum):
    """What a token consists of. A token of text has the first class that fits."""

    WORD_START = "start of a word"
    """A space and letters; where a vocabulary marks pieces within words, letters without that mark."""
    LETTERS = "letters"
    NUMBER = "number"
    """Digits, with signs or without."""
    SPACE = "white space"
    SIGNS = "signs only"
    MIXED = "letters and signs"
    PART = "part of a character"
    """Its bytes aren't valid UTF-8."""
    BYTE = "byte"
    """A piece for a single byte, such as `<0x0A>`."""
    SPECIAL = "special"
    ADDED = "added"
    """Found in a text before the model runs: user-defined, or added and not special."""
    UNUSED = "unused"
    NO_BYTES = "no bytes"
    """It decodes to nothing."""
    NO_TOKEN = "no token"  # a name, not a password
    """An id without a piece."""


SEARCHED = frozenset({TokenClass.SPECIAL, TokenClass.ADDED})
"""Classes of tokens that are searched for in a text before the model runs."""

GIVEN = SEARCHED | {TokenClass.UNUSED, TokenClass.NO_TOKEN, TokenClass.BYTE}
"""Classes of tokens that no training learns."""

OF_TEXT = (
    (TokenClass.WORD_START, r"(?: [\p{L}\p{M}]+)"),
    (TokenClass.LETTERS, r"(?:[\p{L}\p{M}]+)"),
    (TokenClass.NUMBER, r"(?:[^\p{L}\p{M}\p{N}]*+\p{N}[^\p{L}\p{M}]*+)"),
    (TokenClass.SPACE, r"(?:\s+)"),
    (TokenClass.SIGNS, r"(?:[^\p{L}\p{M}]+)"),
    (TokenClass.MIXED, r"(?s:.+)"),
)
"""Patterns of a whole text, in order."""

PATTERN = "|".join(f"({pattern})" for _, pattern in OF_TEXT)

SCRIPTS = tuple(
    "Latin Han Cyrillic Arabic Hangul Hiragana Katakana Greek Thai Hebrew Devanagari Bengali Tamil Telugu Kannada"
    " Malayalam Gujarati Gurmukhi Oriya Sinhala Myanmar Khmer Lao Georgian Armenian Ethiopic Tibetan Mongolian Thaana"
    " Syriac Cherokee Canadian_Aboriginal Bopomofo Yi Coptic Runic Ogham Gothic Braille Tifinagh Nko Vai Javanese"
    " Balinese Sundanese Cham Lisu Ol_Chiki Meetei_Mayek Glagolitic Cuneiform Egyptian_Hieroglyphs Syloti_Nagri Tai_Le"
    " Limbu New_Tai_Lue Tai_Tham Tai_Viet Lepcha Saurashtra Kayah_Li Rejang Bamum Phags_Pa Tagalog Hanunoo Buhid"
    " Tagbanwa Buginese Batak Samaritan Mandaic Deseret Adlam Chakma Osage Mro Miao".split()
)
"""Names of the property, those that vocabularies contain most first."""

SCRIPT_PATTERN = "|".join(rf"(\p{{Script={name}}})" for name in SCRIPTS)

SEVERAL = "several"
NO_SCRIPT = "none"
OTHER = "other"
"""In place of a script: letters of more than one, no letters, a script that is not listed."""

SHARED = r"[\p{Script=Common}\p{Script=Inherited}]|[^\p{L}\p{M}]"
"""Characters that belong to no script of their own."""


def class_and_script(text: str) -> tuple[TokenClass, str]:
    """`class_of` and `script_of` of a text that isn't empty.

    >>> class_and_script(" word")
    (<TokenClass.WORD_START: 'start of a word'>, 'Latin')
    """
    return of_outline(text.translate(_alike))


class Alike(dict[int, str]):
    """Code point → a character with the same class and script, the same one for all of them.

    >>> alike = Alike()
    >>> ["don't".translate(alike), "wasn’t".translate(alike), " é".translate(alike)]
    ["ddd'd", "dddd'd", ' d']
    """

    def __init__(self) -> None:
        self.first: dict[tuple[bool, TokenClass, str], str] = {}

    def __missing__(self, code: int) -> str:
        ch = chr(code)
        # only the space itself begins a word
        found = self[code] = self.first.setdefault((ch == " ", class_of(ch), script_of_character(ch)), ch)
        return found


_alike = Alike()


@lru_cache(1 << 12)
def of_outline(outline: str) -> tuple[TokenClass, str]:
    """The answers for a text of few different characters."""
    return class_of(outline), script_of(outline)


def class_of(text: str) -> TokenClass:
    """The class of a text that isn't empty.

    >>> [class_of(text).name for text in (" the", "the", "ทำ", "42", " ", "\\n//", "don't")]
    ['WORD_START', 'LETTERS', 'LETTERS', 'NUMBER', 'SPACE', 'SIGNS', 'MIXED']
    """
    if text.isascii() and text.isalpha():
        return TokenClass.LETTERS
    found = matcher(PATTERN)(text)
    assert found is not None, "the last pattern matches anything"
    return OF_TEXT[found.lastindex - 1][0]


def script_of(text: str) -> str:
    """The script of a text's letters.

    >>> [script_of(text) for text in (" word", "猫である", "123", "猫", "aж", "ー")]
    ['Latin', 'several', 'none', 'Han', 'several', 'none']
    """
    if text.isascii():
        return "Latin" if text.isalpha() or any(map(str.isalpha, text)) else NO_SCRIPT
    found: set[str] = set(map(script_of_character, text))
    found.discard(NO_SCRIPT)
    if len(found) > 1:
        return SEVERAL
    return next(iter(found), NO_SCRIPT)


def script_of_character(ch: str) -> str:
    """The script of one character."""
    if matcher(SHARED)(ch):
        return NO_SCRIPT
    found = matcher(SCRIPT_PATTERN)(ch)
    return OTHER if found is None else SCRIPTS[found.lastindex - 1]


@cache
def matcher(pattern: str) -> Match:
    """Matches a whole text; compiled when it is first asked for."""
    return compiled(pattern).fullmatch


FLAGS = bytes.maketrans(b"01", b"\x00\x01")
DIGITS = bytes.maketrans(b"\x00\x01", b"01")

Selection = int
"""A set of ids."""


def selection_of(ids: Iterable[int], size: int) -> Selection:
    """The set of some ids. size: the number of ids of the vocabulary.

    >>> selection_of([0, 3], 5)
    9
    """
    flags = bytearray(size)
    for id in ids:
        flags[id] = 1
    return of_flags(flags)


def of_flags(flags: bytes | bytearray) -> Selection:
    """The set of the ids whose byte is 1; the others are 0."""
    return int(flags[::-1].translate(DIGITS) or b"0", 2)


def flags_of(selection: Selection, size: int) -> bytes:
    """One byte per id: 1 if it is in the set.

    >>> flags_of(9, 5)
    b'\\x01\\x00\\x00\\x01\\x00'
    """
    return format(selection, f"0{size}b").encode()[::-1].translate(FLAGS) if size else b""


def ids_in(selection: Selection, size: int) -> Iterator[int]:
    """The ids of a set, ascending.

    >>> list(ids_in(9, 5))
    [0, 3]
    """
    return compress(range(size), flags_of(selection, size))


def everything(size: int) -> Selection:
    """The set of all ids."""
    return (1 << size) - 1


Read = TypeVar("Read")
Value = TypeVar("Value", bound=str)


class Computed(Sequence[Read]):
    """A sequence whose items are computed when they are read."""

    @abstractmethod
    def at(self, index: int) -> Read:
        """The item at an index from 0."""

    @overload
    def __getitem__(self, index: int) -> Read: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Read, ...]: ...

    def __getitem__(self, index: int | slice) -> Read | tuple[Read, ...]:
        place = range(len(self))[index]
        return self.at(place) if isinstance(place, int) else tuple(map(self.at, place))


@dataclass(eq=False)
class Runs(Computed[Value], Generic[Value]):
    """A value for each id, the same one for many in a row. starts: the first id of each run. size: the number of ids.

    >>> runs = Runs([0, 2], ["a", "b"], 5)
    >>> runs[1], runs[2], list(runs), {value: bin(ids) for value, ids in runs.selections().items()}
    ('a', 'b', ['a', 'a', 'b', 'b', 'b'], {'a': '0b11', 'b': '0b11100'})
    """

    starts: Sequence[int]
    values: Sequence[Value]
    size: int

    def __len__(self) -> int:
        return self.size

    def at(self, index: int) -> Value:
        """The value of an id."""
        return self.values[bisect_right(self.starts, index) - 1]

    def __iter__(self) -> Iterator[Value]:
        for value, start, stop in zip(self.values, self.starts, [*self.starts[1:], self.size], strict=True):
            yield from repeat(value, stop - start)

    def selections(self) -> dict[str, Selection]:
        """By value, the ids that have it."""
        found: dict[str, bytearray] = {}
        for value, start, stop in zip(self.values, self.starts, [*self.starts[1:], self.size], strict=True):
            flags = found.setdefault(value, bytearray())
            flags += bytes(start - len(flags)) + b"\x01" * (stop - start)
        return {str(value): of_flags(flags) for value, flags in found.items()}


BY_KIND: dict[int, TokenClass] = {
    PieceKind.UNKNOWN: TokenClass.SPECIAL,
    PieceKind.CONTROL: TokenClass.SPECIAL,
    PieceKind.BYTE: TokenClass.BYTE,
    PieceKind.USER_DEFINED: TokenClass.ADDED,
    PieceKind.UNUSED: TokenClass.UNUSED,
}
"""The classes that the vocabulary itself names."""

LONGEST = 4_096
"""Bytes of a token that are classified; what is longer counts by these."""

BYTES_A_TOKEN = 700
"""Memory that an index takes for each token."""


@dataclass(frozen=True, eq=False, repr=False)
class VocabularyIndex:
    """The tokens of one tokenizer.

    data: the bytes of each id. texts: those as text, a malformed byte as a lone surrogate. classes, scripts: by id.
    """

    tokenizer: Opened
    spelling: Spelling
    data: Sequence[bytes]
    texts: Sequence[str]
    classes: Sequence[TokenClass]
    scripts: Sequence[str]

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        return f"<VocabularyIndex of {self.tokenizer.name}, {len(self)} tokens>"

    @property
    def weight(self) -> int:
        """Bytes of memory, as a cache counts them."""
        return BYTES_A_TOKEN * len(self)

    def ids_by_data(self) -> Mapping[bytes, int]:
        """The id of each token by its bytes; of several the last."""
        return {data: id for id, data in enumerate(self.data) if data}

    @cached_property
    def lowered(self) -> Sequence[str]:
        """The texts in lower case."""
        return tuple(map(str.lower, self.texts))

    @cached_property
    def letters(self) -> Mapping[str, tuple[int, ...]]:
        """The ids by their text in lower case without white space around it: those of more than one token."""
        return several((key, id) for id, text in enumerate(self.lowered) if (key := text.strip()))

    @cached_property
    def same_bytes(self) -> Mapping[bytes, tuple[int, ...]]:
        """The ids by their bytes, where several tokens have the same ones. Special tokens don't count."""
        classes = self.classes
        return several(
            (data, id) for id, data in enumerate(self.data) if data and classes[id] is not TokenClass.SPECIAL
        )

    @cached_property
    def kinds(self) -> Mapping[str, Selection]:
        """By class, the ids."""
        return by_value(self.classes)

    @cached_property
    def facets(self) -> Mapping[str, Mapping[str, Selection]]:
        """By facet and value, the ids; values with most ids first."""
        return {
            "kind": self.kinds,
            "script": by_value(self.scripts),
            "with": {"a space first": self.spaced, "whole words": self.whole_words, "no valid UTF-8": self.broken},
        }

    @cached_property
    def spaced(self) -> Selection:
        """The tokens that begin with a space."""
        return of_flags(bytes(data[:1] == b" " for data in self.data))

    @cached_property
    def whole_words(self) -> Selection:
        """The tokens that can be a word by themselves: those that begin one, and their twins without the space."""
        kinds, texts = self.kinds, self.texts
        begin = kinds.get(TokenClass.WORD_START, 0)
        if not begin:
            return 0
        starts = {texts[id] for id in ids_in(begin, len(self))}
        letters = ids_in(kinds.get(TokenClass.LETTERS, 0), len(self))
        return begin | selection_of((id for id in letters if f" {texts[id]}" in starts), len(self))

    @cached_property
    def built(self) -> bytes:
        """A flag for each token: whether it is known that merges alone build it, without merging its symbols."""
        model, pieces = merging(self.tokenizer), self.tokenizer.vocabulary.pieces
        return bytes(map(built_pieces(model).__contains__, pieces)) if model is not None else bytes(len(self))

    @cached_property
    def uncut(self) -> frozenset[str]:
        """Pieces that are known to be the best path through their own lattice; none of a model without one."""
        # numpy takes a tenth of a second
        from explorer.analysis.vocabulary.uncut_pieces import uncut_pieces

        lattice = lattice_of(self.tokenizer)
        return uncut_pieces(lattice.scores) if lattice is not None else frozenset()

    @cached_property
    def broken(self) -> Selection:
        """The tokens whose bytes aren't valid UTF-8."""
        return selection_of((id for id, text in enumerate(self.texts) if is_broken(text)), len(self))

    @cached_property
    def byte_lengths(self) -> Mapping[int, Selection]:
        """By length in bytes, the ids."""
        return of_lengths([len(data) for data in self.data])

    @cached_property
    def character_lengths(self) -> Mapping[int, Selection]:
        """By length in code points, the ids; a malformed byte counts as one."""
        return of_lengths([len(text) for text in self.texts])

    @cached_property
    def all(self) -> Selection:
        """All ids with a token."""
        return everything(len(self)) & ~self.kinds.get(TokenClass.NO_TOKEN, 0)


def columns(
    spelling: Spelling, tokenizer: Opened, ids: Iterable[int]
) -> tuple[tuple[bytes, ...], tuple[str, ...], tuple[TokenClass, ...], tuple[str, ...]]:
    """The bytes, texts, classes and scripts of these tokens."""
    alone = tokenizer.decoder.alone
    data, texts, classes, scripts = [], [], [], []
    for id in ids:
        found = alone(id)
        text = found.decode("utf-8", "surrogateescape")
        data.append(found)
        texts.append(text)
        of_text, script = class_and_script(text[:LONGEST]) if text else (TokenClass.NO_BYTES, NO_SCRIPT)
        of = class_in(spelling, id, text[:LONGEST], of_text)
        classes.append(of)
        scripts.append(script if of is not TokenClass.SPECIAL else NO_SCRIPT)
    return tuple(data), tuple(texts), tuple(classes), tuple(scripts)


def class_in(spelling: Spelling, id: int, text: str, found: TokenClass) -> TokenClass:
    """The class of a token of this vocabulary. text: the beginning of its text. found: the class of that."""
    vocabulary = spelling.vocabulary
    kind = vocabulary.kinds[id]
    if kind in BY_KIND:
        return BY_KIND[kind]
    piece = vocabulary.pieces[id]
    if not piece and kind == PieceKind.UNDEFINED:
        return TokenClass.NO_TOKEN
    if is_broken(text):
        return TokenClass.PART
    if found is TokenClass.LETTERS and begins_word(spelling, piece):
        return TokenClass.WORD_START
    return found


def begins_word(spelling: Spelling, piece: bytes) -> bool:
    """Whether a piece is marked as the beginning of a word, or the others are marked."""
    if spelling.how is How.PHANTOM:
        return piece.startswith(SPACE_MARK.encode())
    return bool(spelling.prefix) and not piece.startswith(spelling.prefix)


def is_broken(text: str) -> bool:
    """Whether a text contains a malformed byte."""
    return not text.isascii() and MALFORMED.search(text) is not None


MALFORMED = re.compile("[\udc80-\udcff]")
"""A byte of malformed UTF-8, as "surrogateescape" spells it."""


def by_value(values: Sequence[str]) -> Mapping[str, Selection]:
    """By value, the ids that have it; those with most ids first."""
    if isinstance(values, Runs):
        return most_first(values.selections())
    flags_of_value: dict[str, bytearray] = {}
    for id, value in enumerate(values):
        if value not in flags_of_value:
            flags_of_value[value] = bytearray(len(values))
        flags_of_value[value][id] = 1
    return most_first({str(value): of_flags(flags) for value, flags in flags_of_value.items()})


def several(pairs: Iterable[tuple[AnyStr, int | None]]) -> dict[AnyStr, tuple[int, ...]]:
    """By key, its ids, for keys of more than one."""
    groups: dict[AnyStr, list[int]] = defaultdict(list)
    for key, id in pairs:
        if id is not None:
            groups[key].append(id)
    # most keys have one id, and some have one twice
    sets = {key: frozenset(ids) for key, ids in groups.items() if len(ids) > 1}
    return {key: tuple(sorted(ids)) for key, ids in sets.items() if len(ids) > 1}


def most_first(selections: Mapping[str, Selection]) -> dict[str, Selection]:
    """The selections by size, the largest first."""
    return dict(sorted(selections.items(), key=lambda each: -each[1].bit_count()))


def of_lengths(lengths: list[int]) -> dict[int, Selection]:
    """By length, the ids, ascending."""
    by_length: dict[int, list[int]] = defaultdict(list)
    for id, length in enumerate(lengths):
        by_length[length].append(id)
    return {length: selection_of(ids, len(lengths)) for length, ids in sorted(by_length.items())}


WEIGHT = 6_000_000
"""Bytes of memory that the runs, and the sets made of them, take."""

OF_ONE: dict[str, str] = {
    TokenClass.LETTERS: r"[\p{L}\p{M}]",
    TokenClass.NUMBER: r"\p{N}",
    TokenClass.SPACE: r"\s",
    TokenClass.SIGNS: r"[^\p{L}\p{M}\p{N}\s]",
}
"""The patterns of the classes that one character can have."""

SHARED_SCRIPTS = "Common Inherited"
"""Scripts of letters that belong to no script of their own."""

Made = TypeVar("Made")


class Mapped(Computed[Made]):
    """What a function makes of each item of a sequence, made when it is read.

    >>> mapped = Mapped("ab", str.upper)
    >>> mapped[1], list(mapped)
    ('B', ['A', 'B'])
    """

    def __init__(self, items: Sequence[Read], make: Callable[[Read], Made]) -> None:
        self.items: Sequence[Any] = items
        self.make: Callable[[Any], Made] = make

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Made]:
        return map(self.make, self.items)

    def at(self, index: int) -> Made:
        """What is made of one item."""
        return self.make(self.items[index])


@dataclass(frozen=True, eq=False, repr=False)
class CodePointIndex(VocabularyIndex):
    """The tokens of such a vocabulary. named: the ids that aren't just a character, with their bytes."""

    named: Mapping[int, bytes]

    @property
    def weight(self) -> int:
        """Bytes of memory, as a cache counts them."""
        return WEIGHT + super().weight * len(self.named) // len(self)

    def ids_by_data(self) -> Mapping[bytes, int]:
        """The id of each token by its bytes. A character's own id comes before that of a named token."""
        return CodePointIds({data: id for id, data in self.named.items() if data and self.plain(data) is None})

    def plain(self, data: bytes) -> int | None:
        """The id of the character with these bytes, if that is not a named token."""
        id = CHARACTERS.get(data)
        return None if id in self.named else id

    @cached_property
    def lowered(self) -> Sequence[str]:
        """The texts in lower case."""
        return Mapped(self.texts, str.lower)

    @cached_property
    def letters(self) -> Mapping[str, tuple[int, ...]]:
        """The ids by their text in lower case without white space around it: those of more than one token."""
        pairs = [
            (key, id)
            for id, (text, low) in enumerate(zip(self.texts, self.lowered, strict=True))
            if (key := low.strip()) and (key != text or id in self.named)
        ]
        plain = ((key, self.plain(key.encode("utf-8", "surrogateescape"))) for key, _ in pairs)
        return several(chain(pairs, plain))

    @cached_property
    def same_bytes(self) -> Mapping[bytes, tuple[int, ...]]:
        """The ids by their bytes, where several tokens have the same ones. Special tokens don't count."""
        pairs = [(data, id) for id, data in self.named.items() if data and self.classes[id] is not TokenClass.SPECIAL]
        return several(chain(pairs, ((data, self.plain(data)) for data, _ in pairs)))

    @cached_property
    def spaced(self) -> Selection:
        """The tokens that begin with a space."""
        ids = {id for id, data in self.named.items() if data[:1] == b" "}
        plain = self.plain(b" ")
        return selection_of(ids if plain is None else {*ids, plain}, len(self))

    @cached_property
    def broken(self) -> Selection:
        """The tokens whose bytes aren't valid UTF-8."""
        return selection_of((id for id in self.named if is_broken(self.texts[id])), len(self))

    @cached_property
    def byte_lengths(self) -> Mapping[int, Selection]:
        """By length in bytes, the ids."""
        return self.of_lengths(len, ((0x80, 1), (0x800, 2), (SURROGATES.start, 3), (SURROGATES.stop, 0), (0x10000, 3),
                                     (SIZE, 4), (len(self), 0)))  # fmt: skip

    @cached_property
    def character_lengths(self) -> Mapping[int, Selection]:
        """By length in code points, the ids; a malformed byte counts as one."""
        return self.of_lengths(
            lambda data: len(data.decode("utf-8", "surrogateescape")),
            ((SURROGATES.start, 1), (SURROGATES.stop, 0), (SIZE, 1), (len(self), 0)),
        )

    def of_lengths(self, measure: Callable[[bytes], int], stops: Sequence[tuple[int, int]]) -> Mapping[int, Selection]:
        """By length, the ids, ascending. stops: where the runs of characters with a length end, and that length."""
        own = of_lengths([measure(data) for data in self.named.values()])
        ids = tuple(self.named)
        named = selection_of(ids, len(self))
        found: dict[int, Selection] = defaultdict(int)
        for (start, _), (stop, length) in pairwise(((0, 0), *stops)):
            found[length] |= ((1 << stop) - (1 << start)) & ~named
        for length, at in own.items():
            found[length] |= selection_of((ids[each] for each in range(len(ids)) if at >> each & 1), len(self))
        return {length: selection for length, selection in sorted(found.items()) if selection}


CHARACTERS = CodePointIds({})


def indexed(tokenizer: Opened) -> CodePointIndex:
    """The index of a tokenizer whose pieces are `CodePointPieces`."""
    vocabulary, spelling = tokenizer.vocabulary, spelling_of(tokenizer)
    pieces = vocabulary.pieces
    assert isinstance(pieces, CodePointPieces)
    size = len(vocabulary)
    by_kind = (id for kind in PieceKind if kind not in (PieceKind.NORMAL, PieceKind.UNDEFINED)
               for id in vocabulary.of_kind(kind))  # fmt: skip
    ids = sorted({*pieces.others, *by_kind})
    own, _, classes, scripts = columns(spelling, tokenizer, ids)
    named = dict(zip(ids, own, strict=True))
    values = dict(zip(ids, zip(classes, scripts, strict=True), strict=True))
    starts: list[int] = []
    found: list[tuple[TokenClass, str]] = []
    for start, of in runs(size, ids):
        starts.append(start)
        found.append(values.get(start, of))
    data = CodePointPieces(named)
    texts = Mapped(data, lambda each: each.decode("utf-8", "surrogateescape"))
    kinds, names = [of for of, _ in found], [script for _, script in found]
    return CodePointIndex(tokenizer, spelling, data, texts, Runs(starts, kinds, size), Runs(starts, names, size), named)


def runs(size: int, apart: Sequence[int]) -> Iterator[tuple[int, tuple[TokenClass, str]]]:
    """Where runs of code points with the same class and script begin, and these two. apart: ids that are a run each."""
    # a list of a million strings would take 60 MB
    characters = array("I", range(SIZE)).tobytes().decode(f"utf-32-{byteorder[0]}e", "surrogatepass")
    stops = sorted({*apart, *(id + 1 for id in apart), SURROGATES.start, SURROGATES.stop, SIZE, size})
    at = 0
    while at < size:
        stop = stops[bisect_right(stops, at)]
        if at in SURROGATES or at >= SIZE:
            yield at, (TokenClass.NO_TOKEN, NO_SCRIPT)
            at = stop
            continue
        of, script = class_of(characters[at]), script_of_character(characters[at])
        yield at, (of, script)
        if of is TokenClass.LETTERS:
            stop = run_of(SHARED_SCRIPTS if script == NO_SCRIPT else script)(characters, at, stop).end()
        at = run_of(of)(characters, at, stop).end()


@cache
def run_of(name: str) -> Callable[[str, int, int], Any]:
    """Matches characters in a row that have a class or a script; the latter for letters and marks alone."""
    if name == OTHER:
        listed = "".join(rf"\p{{Script={each}}}" for each in (*SCRIPTS, *SHARED_SCRIPTS.split()))
        pattern = f"[^{listed}]"
    else:
        scripts = "".join(rf"\p{{Script={each}}}" for each in name.split())
        pattern = OF_ONE.get(name, f"[{scripts}]")
    found: Callable[[str, int, int], Any] = compiled(f"{pattern}++").match
    return found


# --- the index of any vocabulary --------------------------------------------------------------------------------------

SECONDS = 30.0
"""Processor time that an index may take."""


def index_of(tokenizer: Opened) -> VocabularyIndex:
    """The index of a tokenizer, the same one each time. Raises InputError if it takes too long.

    >>> import explorer
    >>> index = index_of(explorer.load("gpt-2"))
    >>> index.data[262], index.classes[262].value, index.scripts[262]
    (b' the', 'start of a word', 'Latin')
    >>> index.facets["kind"]["part of a character"].bit_count()
    344
    """
    with _lock:
        # on the tokenizer itself, so that both are freed together
        index: VocabularyIndex | None = tokenizer.__dict__.get(KEPT)
        if index is None:
            with budget.within("this vocabulary", SECONDS):
                index = tokenizer.__dict__[KEPT] = built(tokenizer)
        return index


KEPT = "vocabulary_index"
_lock = Lock()


def built(tokenizer: Opened) -> VocabularyIndex:
    """Computes an index."""
    if isinstance(tokenizer.vocabulary.pieces, CodePointPieces):
        return indexed(tokenizer)
    spelling, ids = spelling_of(tokenizer), asking(range(len(tokenizer.vocabulary)), "the index")
    return VocabularyIndex(tokenizer, spelling, *columns(spelling, tokenizer, ids))


# --- a search ---------------------------------------------------------------------------------------------------------


IGNORE_CASE = re.IGNORECASE
"""The same number in the `regex` module."""

SEARCH_SECONDS = 3.0
"""Processor time that a regular expression may take for all tokens together."""

LONGEST_QUERY = 1_000
"""Characters of a query."""

SPAN = re.compile(r"(\d{1,9})(?:\s*[-–]\s*(\d{1,9}))?")
"""An id, or a range of ids."""

HEX = re.compile(r"(?:0x|\\x)?([0-9a-fA-F]{2}(?:[0-9a-fA-F]{2})*)")
"""Bytes in hexadecimal."""


class By(StrEnum):
    """What a query is."""

    TEXT = "text"
    REGEX = "regex"
    BYTES = "bytes"
    IDS = "ids"


class Sort(StrEnum):
    """The order of the tokens found."""

    ID = "id"
    TEXT = "text"
    LENGTH = "length"
    """The longest first."""
    SCORE = "score"
    """The highest first."""


class Query(NamedTuple):
    """What is asked for.

    facets: by facet, the values of which a token must have one. bytes, characters: the lengths [least, most] wanted.

    >>> Query("20 74", By.BYTES).by.value
    'bytes'
    """

    text: str = ""
    by: By = By.TEXT
    match_case: bool = False
    facets: tuple[tuple[str, tuple[str, ...]], ...] = ()
    bytes: tuple[int, int] | None = None
    characters: tuple[int, int] | None = None
    sort: Sort = Sort.ID


class Found(NamedTuple):
    """What a search found. selection: the tokens. counts: by facet and value, the tokens found if that value alone were
    asked for in its facet. lengths: by bytes, the tokens found, whatever length is asked for."""

    selection: Selection
    counts: Mapping[str, Mapping[str, int]]
    lengths: Mapping[int, int]

    @property
    def total(self) -> int:
        """The number of tokens found."""
        return self.selection.bit_count()


@dataclass(frozen=True)
class Search:
    """Searches one vocabulary. extra: further facets, by name.

    >>> import explorer
    >>> from explorer.analysis.vocabulary.index import index_of
    >>> search = Search(index_of(explorer.load("gpt-2")))
    >>> found = search.find(Query("token", facets=(("kind", ("start of a word",)),)))
    >>> search.ids(found, Query(), 3), found.counts["kind"]["letters"]
    ([11241, 16326, 29130], 3)
    >>> search.find(Query("^.[!?]+$", By.REGEX)).total, search.find(Query("f0 9f", By.BYTES)).total
    (25, 7)
    """

    index: VocabularyIndex
    extra: Mapping[str, Mapping[str, Selection]] = field(default_factory=dict)

    @property
    def facets(self) -> Mapping[str, Mapping[str, Selection]]:
        """All facets."""
        return {**self.index.facets, **self.extra}

    def find(self, query: Query) -> Found:
        """The tokens found, and the counts of all facets. Raises InputError for a query that can't be read."""
        index, facets = self.index, self.facets
        base = index.all & self.by_text(query) & in_range(index.character_lengths, query.characters)
        asked = {name: union(facets.get(name, {}), values) for name, values in query.facets if values}
        of_length = in_range(index.byte_lengths, query.bytes)
        without_length = reduce(and_, asked.values(), base)
        counts = {}
        for name, values in facets.items():
            others = reduce(and_, (each for other, each in asked.items() if other != name), base & of_length)
            counts[name] = {value: (ids & others).bit_count() for value, ids in values.items()}
        lengths = {length: (ids & without_length).bit_count() for length, ids in index.byte_lengths.items()}
        return Found(without_length & of_length, counts, lengths)

    def by_text(self, query: Query) -> Selection:
        """The tokens that match the text of a query; all for an empty one."""
        if not query.text:
            return self.index.all
        if len(query.text) > LONGEST_QUERY:
            size = len(query.text)
            raise InputError(f"the query has {size} characters, at most {LONGEST_QUERY} are read; shorten it")
        return SEARCHES[query.by](self.index, query)

    def ids(self, found: Found, query: Query, most: int | None = None) -> list[int]:
        """The ids found, in the order of the query. most: how many."""
        if query.sort is Sort.ID:
            return list(islice(ids_in(found.selection, len(self.index)), most))
        flags = flags_of(found.selection, len(self.index))
        return list(islice((id for id in self.order(query.sort) if flags[id]), most))

    def order(self, sort: Sort) -> Sequence[int]:
        """All ids in an order."""
        index, scores = self.index, self.index.tokenizer.vocabulary.scores
        keys: Mapping[Sort, Callable[[int], object]] = {
            Sort.TEXT: lambda id: (index.lowered[id].strip(), index.texts[id]),
            Sort.LENGTH: lambda id: -len(index.data[id]),
            Sort.SCORE: (lambda id: -scores[id]) if scores else (lambda id: id),
        }
        known: dict[Sort, Sequence[int]] = index.__dict__.setdefault("orders", {})
        if sort not in known:
            known[sort] = sorted(range(len(index)), key=keys[sort])  # type: ignore[arg-type]  # comparable
        return known[sort]


def union(values: Mapping[str, Selection], names: Iterable[str]) -> Selection:
    """The tokens that have one of these values. Raises InputError for a value that no token has."""
    unknown = next((name for name in names if name not in values), None)
    if unknown is not None:
        known = ", ".join(list(values)[:12])
        raise InputError(f"no token here is {shown(unknown)}; use one of: {known}")
    return reduce(or_, (values[name] for name in names), 0)


def in_range(lengths: Mapping[int, Selection], wanted: tuple[int, int] | None) -> Selection:
    """The tokens whose length is in a range."""
    if wanted is None:
        return -1
    return reduce(or_, (ids for length, ids in lengths.items() if wanted[0] <= length <= wanted[1]), 0)


def by_text(index: VocabularyIndex, query: Query) -> Selection:
    """The tokens that contain a text."""
    texts = index.texts if query.match_case else index.lowered
    wanted = query.text if query.match_case else query.text.lower()
    return of_flags(bytes([wanted in text for text in texts]))


def by_bytes(index: VocabularyIndex, query: Query) -> Selection:
    """The tokens that contain bytes."""
    wanted = read_bytes(query.text)
    return of_flags(bytes([wanted in data for data in index.data]))


def read_bytes(text: str) -> bytes:
    """Bytes in hexadecimal. Raises InputError.

    >>> read_bytes("20 74"), read_bytes("0xF09F"), read_bytes("\\\\xe2\\\\x96")
    (b' t', b'\\xf0\\x9f', b'\\xe2\\x96')
    """
    words = re.sub(r"(?<=[0-9a-fA-F])\\x", r" \\x", text).replace(",", " ").split()
    matches = [HEX.fullmatch(word) for word in words]
    for word, match in zip(words, matches, strict=True):
        if match is None:
            raise InputError(f"{shown(word)} is not hexadecimal bytes; write two digits a byte, as in 20 74 or F09F")
    return b"".join(bytes.fromhex(match[1]) for match in matches if match is not None)


def by_ids(index: VocabularyIndex, query: Query) -> Selection:
    """Ids and ranges of ids."""
    flags = bytearray(len(index))
    for word in filter(None, re.split(r"[,;\s]+", re.sub(r"\s*[-–]\s*", "-", query.text.strip("[]() ")))):
        match = SPAN.fullmatch(word)
        if match is None:
            raise InputError(f"{shown(word)} is not an id; write ids and ranges, as in 262, 1000-1010")
        first, last = int(match[1]), int(match[2] or match[1])
        if first > last:
            raise InputError(f"{shown(word)} ends before it begins; write {last}-{first}")
        if first >= len(index):
            raise InputError(f"{shown(word)} is larger than any id here; the last is {len(index) - 1}")
        for id in range(first, min(last + 1, len(index))):
            flags[id] = 1
    return of_flags(flags)


def by_regex(index: VocabularyIndex, query: Query) -> Selection:
    """The tokens in which a regular expression matches. Raises PatternError, or InputError if it takes too long."""
    search = compiled(query.text, 0 if query.match_case else IGNORE_CASE).search
    found, began, until = bytearray(len(index)), thread_time(), monotonic() + SEARCH_SECONDS
    for id, text in enumerate(index.texts):
        if not id & 63:
            ask("the search")
        while True:
            try:
                # the module counts the time of all threads, so its limit may come early: then it matches again
                if search(text, timeout=max(0.001, until - monotonic())) is not None:
                    found[id] = 1
                if monotonic() < until:
                    break
            except TimeoutError:
                pass
            left = SEARCH_SECONDS - (thread_time() - began)
            if left <= 0:
                raise InputError(
                    f"this regular expression takes more than {SEARCH_SECONDS:g} s for the whole vocabulary; "
                    "simplify it"
                ) from None
            until = monotonic() + left
    return of_flags(found)


SEARCHES: Mapping[By, Callable[[VocabularyIndex, Query], Selection]] = {
    By.TEXT: by_text,
    By.REGEX: by_regex,
    By.BYTES: by_bytes,
    By.IDS: by_ids,
}

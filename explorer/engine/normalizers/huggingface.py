"""The normalizers of Hugging Face: those of its tokenizers, and those of `transformers` that are written in Python.

Hugging Face's normalizers: replace, prepend, strip, lowercase, nmt, bytes, BERT's, the precompiled character map.

Each follows the normalizer of the same name in its tokenizers; the Unicode forms are in `unicode_forms`.

`BertNormalizer` makes several passes over the text, each a normalizer here (`bert_normalizers`): drop controls, turn
white space into spaces, put spaces around Chinese characters (`IsolateChineseChars`), NFD, drop nonspacing marks,
lowercase. llama.cpp keeps only the first code point of each decomposition (`NfdFirst`); the rest happens in the loop
that also finds the words (`pre_tokenizers.wpm`). Both agree on Å; of 각 Hugging Face keeps three jamo, llama.cpp one.
Two quirks of the originals are kept. Hugging Face drops vertical tab, form feed and next line as controls; llama.cpp
and the first BERT treat them as white space. And both omit U+2B820 to U+2B91F from the Han extensions: a typo in
`tokenizers` that llama.cpp repeats on purpose.

`Precompiled` applies the character map of a SentencePiece model grapheme by grapheme, which sentencepiece does not: a
grapheme of less than 6 bytes is replaced whole by the rule for its *shortest* prefix that has one, so the characters
after that prefix are lost; any other grapheme is replaced character by character, each by its shortest rule. White
space is left to other normalizers. In the original's offsets, if the map drops the first characters of a text, all
later ones are shifted by them. Graphemes are those of Unicode 17, as in Hugging Face's `unicode-segmentation`, as far
as graphemes of less than 6 bytes can show.

What the tokenizers of `transformers` that are written in Python do to a text, with the Unicode of this Python.

Follows `PreTrainedTokenizer.tokenize` of its version 4, and `BasicTokenizer` of `models/bert/tokenization_bert.py`.
Differs from `BertNormalizer` in this: characters without a category are dropped as controls, the text is composed (NFC)
before anything else, words that are special tokens stay as they are, and capitals are lowercased before added tokens
are looked for, too.
"""

import re
import unicodedata
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

import regex

from explorer.engine.normalizers.charsmap import PrecompiledCharsmap
from explorer.engine.normalizers.stage import (
    WHAT,
    ByCharacter,
    NormalizeEvent,
    Normalizer,
    Step,
    Written,
    covering,
    each,
    emit_text,
    rewritten,
    without,
)
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.engine.part import Aligned, Emit, LengthBudget, Segment
from explorer.engine.regexes.safe import LIKELY, FindSpans
from explorer.engine.unicode.versions import is_any_mark, is_control, is_mark, lower
from explorer.text.code_points import HAN_RANGES, code_points, first_of_nfd, is_white_space
from explorer.vocabulary import printable


@dataclass(eq=False)
class Replace(Aligned):
    """Replaces each match of a pattern by a text (`Replace`).

    The replacement has the span of the match, in the original that of its last character; for an empty match, that of
    the character before.

    >>> Replace(Literal(" "), "▁").apply(Segment.of("a b"), 0, False, lambda *row: None).text
    'a▁b'
    """

    spans: FindSpans
    content: str

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment with the matches replaced. Raises InputError if the text gets too long."""
        text, starts, ends = segment
        made: list[str] = []
        new_starts, new_ends = array("i"), array("i")
        done = -1
        """the end of the last match, -1 before the first one"""
        budget = LengthBudget.at(WHAT, segment)
        for low, high in self.spans(text):
            begin = max(done, 0)
            budget.check(len(new_starts) + low - begin + len(self.content), self)
            emit_text(emit, NormalizeEvent.REPLACE if high > low else NormalizeEvent.INSERT, item, low, self.content)
            for at in range(low + 1, high):
                emit(NormalizeEvent.ALSO, item, at, ord(text[at]))
            made += (text[begin:low], self.content)
            new_starts.extend(starts[begin:low])
            new_ends.extend(ends[begin:low])
            first = high - 1 if self.as_original or low == high else low
            near = (starts[first], ends[high - 1]) if high else (starts[0], starts[0])
            new_starts.extend((near[0],) * len(self.content))
            new_ends.extend((near[1],) * len(self.content))
            done = high
        if done < 0:
            return segment
        made.append(text[done:])
        new_starts.extend(starts[done:])
        new_ends.extend(ends[done:])
        return Segment("".join(made), new_starts, new_ends)


class Literal:
    """Finds the occurrences of a literal text, from the left and without overlaps.

    >>> list(Literal("aa")("aaa")), list(Literal("")("ab"))
    ([(0, 2)], [(0, 0), (1, 1), (2, 2)])
    """

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted

    def __call__(self, text: str) -> Iterator[tuple[int, int]]:
        """The spans [start, end)."""
        wanted = self.wanted
        at = text.find(wanted) if text else -1
        while at >= 0:
            yield at, at + len(wanted)
            at = text.find(wanted, at + max(len(wanted), 1)) if at < len(text) else -1


class Prepend(Aligned):
    """Prepends a text to every segment (`Prepend`). It has the span of the first character.

    >>> made = Prepend("▁").apply(Segment.of("a", 3), 0, False, lambda *row: None)
    >>> made.text, list(made.starts), list(made.ends)
    ('▁a', [3, 3], [4, 4])
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment with the text in front."""
        if not segment.text:
            return segment
        if not self.text:
            # in the original the first character then has an empty span
            ends = array("i", [segment.starts[0], *segment.ends[1:]])
            return segment._replace(ends=ends) if self.as_original else segment
        LengthBudget.at(WHAT, segment).check(len(self.text) + len(segment.text), self)
        emit_text(emit, NormalizeEvent.PREFIX, item, 0, self.text)
        return in_front(self.text, segment)


def in_front(text: str, segment: Segment) -> Segment:
    """A segment with a text in front that has the span of its first character."""
    starts, ends = segment.starts, segment.ends
    return Segment(
        text + segment.text,
        array("i", [starts[0]] * len(text) + [*starts]),
        array("i", [ends[0]] * len(text) + [*ends]),
    )


@dataclass(eq=False, kw_only=True)
class Strip:
    """Strips white space from the beginning, the end or both (`Strip`).

    >>> Strip(left=True, right=False).apply(Segment.of("\\u3000a "), 0, False, lambda *row: None)
    Segment(text='a ', starts=range(1, 3), ends=range(2, 4))
    """

    left: bool
    right: bool

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment without that white space."""
        text = segment.text
        low, high = 0, len(text)
        while self.left and low < high and is_white_space(text[low]):
            low += 1
        while self.right and low < high and is_white_space(text[high - 1]):
            high -= 1
        for at in (*range(low), *range(high, len(text))):
            emit(NormalizeEvent.STRIP, item, at, ord(text[at]))
        return segment.slice(low, high)


class Lowercase(ByCharacter):
    """The full lower case of each character on its own (`Lowercase`): İ becomes two, Σ never the final ς.

    >>> Lowercase().apply(Segment.of("ΣΑΣ İ"), 0, False, lambda *row: None)[0].split()
    ['σασ', 'i̇']
    """

    def __init__(self) -> None:
        super().__init__(lower, NormalizeEvent.LOWER)


@dataclass(eq=False)
class Drop:
    """Drops the characters that satisfy a predicate; each is an event of one kind."""

    matches: Callable[[str], bool]
    kind: NormalizeEvent

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment without those characters."""
        dropped = {ch for ch in set(segment.text) if self.matches(ch)}
        if not dropped:
            return segment
        for at, ch in enumerate(segment.text):
            if ch in dropped:
                emit(self.kind, item, at, ord(ch))
        return without(segment, dropped)


class StripAccents(Drop):
    """Drops every combining mark of any kind (`StripAccents`); it does not decompose, so é stays.

    >>> StripAccents().apply(Segment.of("e\\u0301é"), 0, False, lambda *row: None).text
    'eé'
    """

    def __init__(self) -> None:
        super().__init__(is_any_mark, NormalizeEvent.DROP_MARK)


class ToSpace(ByCharacter):
    """Replaces the characters that satisfy a predicate by spaces."""

    def __init__(self, matches: Callable[[str], bool]) -> None:
        super().__init__(lambda ch: " " if matches(ch) else ch, NormalizeEvent.SPACE)


NMT_CONTROLS = frozenset(map(chr, (*range(0x01, 0x09), 0x0B, *range(0x0E, 0x20), 0x7F, 0x8F, 0x9F)))
NMT_SPACES = frozenset("\t\n\f\r\u1680\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u2581\ufeff\ufffd")


def nmt() -> tuple[Drop, ToSpace]:
    """`Nmt`, what SentencePiece's nmt_nfkc does besides NFKC: drop controls; turn invisible characters, ▁ and U+FFFD
    into spaces.

    >>> drop, spaces = nmt()
    >>> spaces.apply(drop.apply(Segment.of("a\\x01▁b"), 0, False, lambda *row: None), 0, False, lambda *row: None).text
    'a b'
    """
    return Drop(NMT_CONTROLS.__contains__, NormalizeEvent.DROP_CONTROL), ToSpace(NMT_SPACES.__contains__)


class SpellBytes(ByCharacter):
    """Spells each character's bytes as printable characters (the normalizer `ByteLevel`).

    >>> SpellBytes().apply(Segment.of(" é"), 0, False, lambda *row: None).text
    'ĠÃ©'
    """

    def __init__(self) -> None:
        super().__init__(lambda ch: printable(ch.encode()), NormalizeEvent.BYTES)


CHINESE_CHARS = (*HAN_RANGES, (0x2B920, 0x2CEAF))
"""The ranges of `is_chinese_char` in both originals, first and last code point. Kana and Hangul are not included."""


def is_chinese_char(ch: str) -> bool:
    """Whether BERT isolates a character as Chinese: `is_chinese_char` of `tokenizers` and of llama.cpp's WPM.

    >>> is_chinese_char("漢"), is_chinese_char("か"), is_chinese_char("\\U0002b820")
    (True, False, False)
    """
    return ch >= "\u3400" and any(first <= ord(ch) <= last for first, last in CHINESE_CHARS)


def is_dropped(ch: str) -> bool:
    """Whether `clean_text` drops a character.

    >>> [is_dropped(ch) for ch in "\\t\\u200d\\v"]
    [False, True, True]
    """
    return ch not in "\t\n\r" and (ch in "\0\ufffd" or is_control(ch))


class IsolateChineseChars:
    """Puts a space on either side of every Chinese character.

    >>> IsolateChineseChars().apply(Segment.of("ab漢"), 0, False, lambda *row: None).text
    'ab 漢 '
    """

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment with spaces around its Chinese characters."""
        chinese = {ch for ch in set(segment.text) if is_chinese_char(ch)}
        if not chinese:
            return segment
        for at, ch in enumerate(segment.text):
            if ch in chinese:
                emit(NormalizeEvent.ISOLATE, item, at, ord(ch))
        return each(segment, lambda ch: f" {ch} " if ch in chinese else ch)


def bert_normalizers(
    *,
    clean_text: bool = True,
    handle_chinese_chars: bool = True,
    strip_accents: bool | None = None,
    lowercase: bool = True,
) -> list[Normalizer]:
    """The passes of Hugging Face's `BertNormalizer` for its settings. strip_accents None: as `lowercase`.

    >>> [type(one).__name__ for one in bert_normalizers(clean_text=False, lowercase=False)]
    ['IsolateChineseChars']
    """
    passes: list[Normalizer] = []
    if clean_text:
        passes += (Drop(is_dropped, NormalizeEvent.DROP_CONTROL), ToSpace(is_white_space))
    if handle_chinese_chars:
        passes.append(IsolateChineseChars())
    if lowercase if strip_accents is None else strip_accents:
        passes += (UnicodeForm("NFD"), Drop(is_mark, NormalizeEvent.DROP_MARK))
    if lowercase:
        passes.append(Lowercase())
    return passes


class NfdFirst(ByCharacter):
    """llama.cpp's decomposition: each character becomes the first code point of its canonical decomposition.

    Follows `unicode_cpts_normalize_nfd` of llama.cpp's `src/unicode.cpp`; the table it searches is in `nfd_ranges`.
    The other code points are lost. What llama.cpp does next is in `pre_tokenizers.wpm`.

    >>> NfdFirst().apply(Segment.of("ÅWhat 각"), 0, False, lambda *row: None).text
    'AWhat ᄀ'
    """

    def __init__(self) -> None:
        super().__init__(first_of_nfd, NormalizeEvent.FIRST_OF_NFD)


GRAPHEME_BYTES = 6
"""Graphemes with fewer bytes are looked up whole."""

GRAPHEME = regex.compile(r"\X")

_MARKS_OF_17 = "1ACF-1ADD 1AE0-1AEB 10EFA-10EFB 11B60-11B67 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5"
_MARKS_OF_18 = (
    "5C8-5C9 B53-B54 1ADE-1ADF 1AEC-1AF0 10ECB-10ECF 10EF0-10EF9 11DF0 1D127-1D128 1D250-1D252 1D25B-1D25C 1D25F "
    "1D280-1D281"
)
STAND_INS = dict.fromkeys(code_points(_MARKS_OF_17), "\u0300") | dict.fromkeys(code_points(_MARKS_OF_18), "\U00040000")
"""Marks that some version of `regex`, or the original, does not know → one that behaves the same in all versions."""


def graphemes(text: str) -> Iterator[tuple[int, int]]:
    """The spans [start, end) of the graphemes of a text.

    >>> list(graphemes("e\u0301x"))
    [(0, 2), (2, 3)]
    """
    seen = text if text.isascii() or LIKELY.search(text) is None else text.translate(STAND_INS)
    return (grapheme.span() for grapheme in GRAPHEME.finditer(seen))


class Precompiled(Aligned):
    """The normalizer `Precompiled`.

    >>> import explorer
    >>> table = explorer.load("xlm-r").parts[1].charsmap
    >>> Precompiled(table).apply(Segment.of("ﬁne Ａ"), 0, False, lambda *row: None).text
    'fine A'
    """

    def __init__(self, charsmap: PrecompiledCharsmap) -> None:
        self.charsmap = charsmap

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment rewritten by the map. Raises InputError if the text gets too long."""
        written: list[Written] = []
        budget, size = LengthBudget.at(WHAT, segment), 0
        changed = False
        for at, end in graphemes(segment.text):
            text = segment.text[at:end]
            whole = self.rule(text) if len(text.encode()) < GRAPHEME_BYTES else None
            if whole is not None:
                kind = NormalizeEvent.GRAPHEME if len(text) > 1 else NormalizeEvent.MAP
                emit_text(emit, kind, item, at, whole)
                for index in range(at + 1, end):
                    emit(NormalizeEvent.ALSO, item, index, ord(segment.text[index]))
                size += len(whole)
                budget.check(size, self)
                written.append((whole, at, end))
                changed = True
                continue
            for index, ch in enumerate(text, at):
                now = self.rule(ch)
                if now is not None:
                    emit_text(emit, NormalizeEvent.MAP, item, index, now)
                    changed = True
                written.append((ch if now is None else now, index, index + 1))
                size += len(written[-1][0])
                budget.check(size, self)
        if not changed:
            return segment
        if not self.as_original:
            # what is dropped at the beginning has nothing before it to belong to: a Metaspace for the first piece still
            # finds the text's first character
            kept = next((index for index, (now, _, _) in enumerate(written) if now), 0)
            now, _, end = written[kept]
            written[kept] = now, 0, end
            return covering(segment, written)
        steps: list[Step] = []
        for now, low, high in written:
            replace(steps, high - low, now)
        return rewritten(segment, steps)

    def rule(self, text: str) -> str | None:
        """The string of the rule for the shortest prefix of a text; None if no prefix has a rule."""
        found = self.charsmap.matches(text.encode(), 0)
        return self.charsmap.string(found[0][1]) if found else None


def replace(steps: list[Step], old: int, new: str) -> None:
    """Appends the steps that replace so many characters by `new`: extra ones are insertions, missing ones are dropped
    after the last character."""
    steps += [(ch, int(index >= old)) for index, ch in enumerate(new)]
    if len(new) < old and steps:
        ch, step = steps[-1]
        steps[-1] = ch, step + len(new) - old


def is_dropped_in_python(ch: str) -> bool:
    """Whether `_clean_text` drops a character: a control, a format character, one that Unicode does not assign.

    >>> [is_dropped(ch) for ch in "\\t\\u200d\\ue000a"]
    [False, True, True, False]
    """
    return ch not in "\t\n\r" and (ch in "\0\ufffd" or unicodedata.category(ch)[0] == "C")


def is_space(ch: str) -> bool:
    """Whether `_clean_text` writes a space for a character."""
    return ch in " \t\n\r" or unicodedata.category(ch) == "Zs"


def is_punctuation_in_python(ch: str) -> bool:
    """Whether a character is a word of its own."""
    if ch < "\x80":
        return ch.isprintable() and not ch.isalnum() and ch != " "
    return unicodedata.category(ch)[0] == "P"


def is_mark_in_python(ch: str) -> bool:
    """Whether a character is a nonspacing mark."""
    return unicodedata.category(ch) == "Mn"


def composed(first: str, second: str) -> str | None:
    """The character that decomposes to these two, None if none does."""
    one = unicodedata.normalize("NFC", first + second)
    if len(one) != 1:
        return None
    # Python 3.14.8 decomposes a syllable of Hangul into all letters, and older ones not
    pair = unicodedata.decomposition(one)
    return one if "가" <= one <= "힣" or pair == f"{ord(first):04X} {ord(second):04X}" else None


class PythonForm(UnicodeForm):
    """A normalization form as `unicodedata` has it.

    >>> PythonForm("NFC").apply(Segment.of("ne\u0301"), 0, False, lambda *row: None).text
    'né'
    """

    unknown: frozenset[str] = frozenset()
    combining_class = staticmethod(unicodedata.combining)
    composed = staticmethod(composed)

    def decomposed(self, ch: str) -> str:
        """The decomposition of a character."""
        return unicodedata.normalize("NFKD" if self.compatible else "NFD", ch)


class LowercaseExcept:
    """Lowercases each character on its own, except within the spellings of some tokens. A line feed ends a line.

    >>> LowercaseExcept(["[CLS]"]).apply(Segment.of("A[CLS]ΑΣ"), 0, False, lambda *row: None).text
    'a[CLS]ασ'
    """

    def __init__(self, kept: Iterable[str]) -> None:
        self.kept = re.compile("|".join(map(re.escape, kept)))

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment lowercased."""
        text = segment.text
        if text.lower() == text:
            return segment
        inside = bytearray(len(text))
        for match in self.kept.finditer(text):
            inside[match.start() : match.end()] = b"\1" * (match.end() - match.start())
        written: list[Written] = []
        for at, ch in enumerate(text):
            now = ch if inside[at] else ch.lower()
            if now != ch:
                emit_text(emit, NormalizeEvent.LOWER, item, at, now)
            written.append((now, at, at + 1))
        return covering(segment, written)


class Uppercase(ByCharacter):
    """The upper case of each character: ß becomes two.

    >>> Uppercase().apply(Segment.of("aß"), 0, False, lambda *row: None).text
    'ASS'
    """

    def __init__(self) -> None:
        super().__init__(str.upper, NormalizeEvent.REPLACE)


class LowercaseWords:
    """Lowercases words, those that are special tokens excepted. The last Σ of a word becomes ς.

    >>> LowercaseWords(["[A]"]).apply(Segment.of("[A] ΟΔΟΣ X"), 0, False, lambda *row: None).text
    '[A] οδος x'
    """

    def __init__(self, kept: Collection[str] = ()) -> None:
        self.kept = frozenset(kept)

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment lowercased."""
        written: list[Written] = []
        for match in WORDS.finditer(segment.text):
            word = match[0]
            low, done = word if word in self.kept else word.lower(), 0
            for at, ch in enumerate(word, match.start()):
                size = 1 if low is word else len(ch.lower())
                now = low[done : done + size]
                done += size
                if now != ch:
                    emit_text(emit, NormalizeEvent.LOWER, item, at, now)
                written.append((now, at, at + 1))
        return covering(segment, written)


WORDS = re.compile(r"\s+|\S+")


def cleaned() -> list[Normalizer]:
    """The passes of `BasicTokenizer` before words, without spaces around Chinese characters."""
    return [Drop(is_dropped_in_python, NormalizeEvent.DROP_CONTROL), ToSpace(is_space), PythonForm("NFC")]


def stripped() -> list[Normalizer]:
    """The passes that strip accents."""
    return [PythonForm("NFD"), Drop(is_mark_in_python, NormalizeEvent.DROP_MARK)]

"""The splitters that only Hugging Face's tokenizers have, and those of `transformers` that are written in Python.

They split by an Oniguruma pattern, by classes of characters, by script, by number of characters, and at spaces
(Metaspace). Alignment follows the original (see `normalizers/stage`): a prepended character has the span of the
piece's first character. Oniguruma's syntax and the script tables are imported when a text is split by them.

Of the latter, with the Unicode of this Python: follows `BasicTokenizer` of `models/bert/tokenization_bert.py`. Where
another program finds the words, with a dictionary of its own, the stages end at the text that it would get
(`WordsElsewhere`).
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final, Literal, NoReturn

import regex

from explorer.engine.normalizers.huggingface import in_front, is_punctuation_in_python
from explorer.engine.part import Emit, Segment
from explorer.engine.pre_tokenizers.by_regex import (
    AlternativeMatch,
    Behavior,
    PreTokenizeEvent,
    RegexSplit,
    Splitter,
    split_at,
)
from explorer.engine.regexes.safe import Alternative, Pattern
from explorer.engine.unicode.versions import is_numeric, is_punctuation
from explorer.errors import Unfinished, shown
from explorer.text.code_points import is_white_space


class OnigurumaSplit(RegexSplit):
    """Splits by a pattern whose alternatives `oniguruma` has translated; empty matches split, too (`Split`).

    >>> from explorer.engine.regexes import oniguruma
    >>> split = OnigurumaSplit(Pattern("", "", oniguruma.alternatives(""), nested_sets=True))
    >>> [piece.text for piece in split.split(Segment.of("abc"), 0, lambda *row: None)]
    ['a', 'b', 'c']
    """

    def find_iter(self, text: str, seconds: float) -> Iterator[regex.Match[str]]:
        """The matches as Oniguruma yields them, empty ones included. Raises TimeoutError."""
        from explorer.engine.regexes.oniguruma import find_iter

        return find_iter(self.regex, text, seconds)


CharClass = tuple[Alternative, Callable[[str], bool]]
"""A class of characters, and the predicate for its members."""


class CharSplit(Splitter):
    """Splits at the characters of some classes, each a match of its own; the first class that has a character wins.

    >>> split = CharSplit([PUNCTUATION], Behavior.MERGED_WITH_PREVIOUS)
    >>> [piece.text for piece in split.split(Segment.of("Hey!! You"), 0, lambda *row: None)]
    ['Hey!', '!', ' You']
    """

    def __init__(self, classes: Sequence[CharClass], behavior: Behavior) -> None:
        self.classes, self.behavior = tuple(classes), behavior
        self.alternatives = tuple(alternative for alternative, _ in classes)

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        """The pieces between and within the matches."""
        class_of = {ch: self.class_of(ch) for ch in set(piece.text)}
        matches = self.matches(piece.text, class_of) if max(class_of.values(), default=-1) >= 0 else ()
        return split_at(piece, matches, first, emit, self.behavior)

    def matches(self, text: str, class_of: Mapping[str, int]) -> Iterator[AlternativeMatch]:
        """The matches from the left. class_of: the class of each character of the text, -1 for none."""
        # a run is one match if its characters are dropped or joined anyway
        together = self.behavior in (Behavior.REMOVED, Behavior.CONTIGUOUS)
        stop = 0
        while stop < len(text):
            start, found = stop, class_of[text[stop]]
            stop += 1
            while together and stop < len(text) and class_of[text[stop]] == found:
                stop += 1
            if found >= 0:
                yield AlternativeMatch(start, stop, found)

    def class_of(self, ch: str) -> int:
        """The index of the first class that has the character, -1 for none."""
        return next((index for index, (_, is_member) in enumerate(self.classes) if is_member(ch)), -1)


WHITE: CharClass = Alternative(r"\s", "White space."), is_white_space
PUNCTUATION: CharClass = (
    Alternative(r"[\p{P}$+<=>^`|~]", "A punctuation mark of Unicode 8, or one of ASCII's symbols."),
    is_punctuation,
)


def digits(individual: bool) -> CharSplit:
    """`Digits`: isolates runs of numeric characters, or each one. Numeric is Rust's `char::is_numeric`, that is \\p{N}.

    >>> [piece.text for piece in digits(individual=True).split(Segment.of("a12"), 0, lambda *row: None)]
    ['a', '1', '2']
    """
    says = (
        Alternative(r"\p{N}", "One digit, always alone.") if individual else Alternative(r"\p{N}+", "A run of digits.")
    )
    behavior = Behavior.ISOLATED if individual else Behavior.CONTIGUOUS
    return CharSplit([(says, is_numeric)], behavior)


WORDS = Pattern(
    "words",
    "Hugging Face tokenizers, Whitespace",
    (
        Alternative(r"\w+", "A word: letters, marks, digits, _ and joiners."),
        Alternative(r"[^\w\s]+", "Anything else that is visible."),
    ),
)


def whitespace() -> RegexSplit:
    """`Whitespace`: keeps words and runs of characters that are neither word nor white space; drops white space.

    >>> [piece.text for piece in whitespace().split(Segment.of("Hey friend!"), 0, lambda *row: None)]
    ['Hey', 'friend', '!']
    """
    return RegexSplit(WORDS, Behavior.REMOVED, invert=True)


def fixed_length(size: int) -> RegexSplit:
    """`FixedLength`: splits into pieces of `size` characters; the last one may be shorter.

    >>> [piece.text for piece in fixed_length(2).split(Segment.of("abcde"), 0, lambda *row: None)]
    ['ab', 'cd', 'e']
    """
    says = f"Any {size} characters; fewer at the end." if size > 1 else "Any one character."
    return RegexSplit(Pattern("fixed length", "FixedLength", (Alternative(f"(?s:.{{1,{size}}})", says),)))


class UnicodeScripts(Splitter):
    """Splits where the script changes (`UnicodeScripts`); spaces and characters without a script join the piece before.

    A quirk of the original is kept: the text before the first character with a script is lost.

    >>> [piece.text for piece in UnicodeScripts().split(Segment.of(" ab かな漢字!"), 0, lambda *row: None)]
    ['ab ', 'かな漢字', '!']
    """

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        """The pieces of one script each."""
        from explorer.engine.unicode.versions import script_of

        text, starts, ends = piece
        cuts: list[tuple[int, int]] = []
        """the index where a script begins, and the script"""
        for at, ch in enumerate(text):
            script = script_of(ch)
            if script >= 0 and (not cuts or cuts[-1][1] != script):
                cuts.append((at, script))
        begin = cuts[0][0] if cuts else len(text)
        if begin:
            emit(PreTokenizeEvent.REST_REMOVED, starts[0], ends[begin - 1], -1)
        pieces = []
        for index, (start, script) in enumerate(cuts):
            stop = cuts[index + 1][0] if index + 1 < len(cuts) else len(text)
            emit(PreTokenizeEvent.SCRIPT, starts[start], ends[stop - 1], script)
            pieces.append(piece.slice(start, stop))
        return pieces


class PrefixSpace(Splitter):
    """Prepends a space to each piece that does not begin with one (`ByteLevel` with add_prefix_space).

    always: also to one that does, as llama.cpp's add_space_prefix does.
    """

    def __init__(self, always: bool = False) -> None:
        self.always = always

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        """The one piece, with a space in front."""
        return [_prefixed(piece, " ", emit, self.always)]


def _prefixed(piece: Segment, ch: str, emit: Emit, always: bool = False) -> Segment:
    """The piece with a character in front, unless it begins with that character."""
    start = piece.starts[0]
    if piece.text.startswith(ch) and not always:
        emit(PreTokenizeEvent.NO_PREFIX, start, start + 1, ord(ch))
        return piece
    emit(PreTokenizeEvent.PREFIX, start, start, ord(ch))
    return in_front(ch, piece)


Scheme = Literal["always", "first", "never"]


class MetaspaceSplit(Splitter):
    """Writes every space as another character, prepends one, and splits before each (`Metaspace`).

    scheme: prepend to every piece, only to the one at the beginning of the text, or never. cuts: whether it splits.

    >>> [piece.text for piece in MetaspaceSplit("▁", "always").split(Segment.of("a  b"), 0, lambda *row: None)]
    ['▁a', '▁', '▁b']
    """

    def __init__(self, replacement: str, scheme: Scheme, *, cuts: bool = True) -> None:
        self.replacement, self.scheme, self.cuts = replacement, scheme, cuts
        says = f"{replacement} begins a piece and joins the text after it."
        self.alternatives = (Alternative(replacement, says),) if cuts else ()

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        """The pieces, each beginning with the character."""
        text, starts, ends = piece
        mark = self.replacement
        at = text.find(" ") if mark != " " else -1
        while at >= 0:
            emit(PreTokenizeEvent.SPELLED, starts[at], ends[at], ord(mark))
            at = text.find(" ", at + 1)
        piece = Segment(text.replace(" ", mark), starts, ends)
        if self.scheme == "always" or (self.scheme == "first" and starts[0] == 0):
            piece = _prefixed(piece, mark, emit)
        elif self.scheme == "first":
            emit(PreTokenizeEvent.NO_PREFIX, starts[0], starts[0], ord(mark))
        if not self.cuts:
            return [piece]
        matches = (AlternativeMatch(at, at + 1, 0) for at, ch in enumerate(piece.text) if ch == mark)
        return split_at(piece, matches, first, emit, Behavior.MERGED_WITH_NEXT)


# Hugging Face's `BertPreTokenizer`: splits text into words at white space and punctuation.
#
# White space is dropped, and each punctuation mark and ASCII symbol is a word. Chinese characters are not handled,
# because the normalizer has put spaces around them. llama.cpp's loop for the same words is in `wpm`.


def bert_pre_tokenizer() -> list[CharSplit]:
    """Hugging Face's `BertPreTokenizer`.

    >>> from explorer.engine.part import Segment
    >>> white, marks = bert_pre_tokenizer()
    >>> [word.text for word in white.split(Segment.of("is lora?"), 0, lambda *row: None)]
    ['is', 'lora?']
    >>> [word.text for word in marks.split(Segment.of("lora?"), 0, lambda *row: None)]
    ['lora', '?']
    """
    return [CharSplit([WHITE], Behavior.REMOVED), CharSplit([PUNCTUATION], Behavior.ISOLATED)]


# --- words as tokenizers of `transformers` in Python find them, with the Unicode of this Python ----------------------

PYTHON_WHITE: CharClass = Alternative(r"\s", "White space."), str.isspace
PYTHON_PUNCTUATION: CharClass = (
    Alternative(r"[\p{P}$+<=>^`|~]", "A punctuation mark, or one of ASCII's symbols."),
    is_punctuation_in_python,
)


def white_space() -> CharSplit:
    """Drops white space between words."""
    return CharSplit([PYTHON_WHITE], Behavior.REMOVED)


class MarksExcept(Splitter):
    """Isolates punctuation marks, but not in words that are special tokens.

    >>> [piece.text for piece in MarksExcept(["[A]"]).split(Segment.of("[A]"), 0, lambda *row: None)]
    ['[A]']
    """

    marks: Final = CharSplit([PYTHON_PUNCTUATION], Behavior.ISOLATED)
    alternatives: tuple[Alternative, ...] = marks.alternatives

    def __init__(self, kept: Collection[str]) -> None:
        self.kept = frozenset(kept)

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        """The pieces between and within the marks."""
        return [piece] if piece.text in self.kept else self.marks.split(piece, first, emit)


class WordsElsewhere(Splitter):
    """Ends the stages at any text that is not an added token. says: who finds its words.

    >>> WordsElsewhere("MeCab cuts").split(Segment.of("a"), 0, lambda *row: None)
    Traceback (most recent call last):
    explorer.errors.Unfinished: MeCab cuts; the first text that it would get is 'a'
    """

    def __init__(self, says: str) -> None:
        self.says = says

    def split(self, piece: Segment, first: int, emit: Emit) -> NoReturn:
        """Raises Unfinished."""
        raise Unfinished(f"{self.says}; the first text that it would get is {shown(piece.text)}")

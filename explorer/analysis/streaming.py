"""A stream of ids: after each, what every method shows, what it holds back, and what is wrong with that.

Each method is given the ids in order and says which text it shows after each, and at the end. What it has not shown yet
it holds back; what it has shown it cannot take back, except for the first, which writes everything again.

`whole`          all ids so far, decoded together
`alone`          each id decoded by itself: what a program does that knows nothing of its tokenizer
`llama.cpp`      `process_token` and `validate_utf8` of its server: bytes, held while they end within a character
`transformers`   `TextStreamer` (generation/streamers.py): decodes what came since the last line, shows whole words
`vllm`           `detokenize_incrementally` (transformers_utils/detokenizer_utils.py)
`sglang`         `_decode_batch_token_id_output` (srt/managers/detokenizer_manager.py of 0.5.23)
`tokenizers`     `DecodeStream` (`step_decode_stream` in tokenizer/mod.rs)
`tiktoken`       `decode_single_token_bytes`, and an incremental decoder of UTF-8

Such methods decode again and again: everything so far, or the ids since some point. A stretch of ids that only grows is
not decoded from its beginning each time (`Windows`). Where two neighboring ids are *plain* (each gives text of its own,
and neither is a byte), what comes before them can no longer change, because the decoders in `_is_local` see a token,
whether it is the first, and runs of bytes; so the rest is decoded with one of the two in front. Any other decoder
starts over.

Leaves out stop strings, which llama.cpp, vLLM and SGLang look for in the same place, and prompts: the stream is all
there is.

The measure is the text of all ids, decoded together. A method shows its text in pieces. Each piece is aligned with what
the whole text has at that point: with as few characters lost and added as possible, where a U+FFFD may stand for one
other character. Each mark is at the step where the method shows, or fails to show, that character. A method that holds
text back may show less than has arrived; one that doesn't has to show all of it at once.
"""

import codecs
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property
from itertools import accumulate, groupby
from operator import attrgetter
from typing import ClassVar, NamedTuple

from explorer.analysis.ownership import common
from explorer.engine import budget
from explorer.engine.budget import ask
from explorer.engine.decoders.huggingface import (
    ByteFallbackDecoder,
    ByteLevelDecoder,
    ChainDecoder,
    FuseDecoder,
    MetaspaceDecoder,
    ReplaceDecoder,
    SpaceJoiner,
    StripDecoder,
    WordPieceDecoder,
    check_ids,
)
from explorer.engine.decoders.pieces import PieceDecoder, SentencePieceDecoder, WpmDecoder
from explorer.engine.part import Decoder, silent
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.stages.decoders.changes import is_left_out
from explorer.text import decode_utf8
from explorer.text.say import number, plural

STRETCH = 4
"""Ids that are decoded again before what comes before them is settled."""

KEPT = 16
"""Texts that are kept: several methods decode the same ids at a step."""

_BYTE_TOKEN = re.compile(rb"<0x.{1,2}>")


class Windows:
    """The texts of all stretches of some ids. unparse_special: as for `Tokenizer.decode`.

    >>> import explorer
    >>> windows = Windows(explorer.load("llama-2"), [15043, 29871, 243], True)
    >>> windows.text(0, 1), windows.text(1, 2), windows.text(0, 3)
    ('Hello', '', 'Hello \ufffd')
    """

    def __init__(self, tokenizer: Tokenizer, ids: Sequence[int], unparse_special: bool) -> None:
        self.tokenizer, self.ids, self.unparse_special = tokenizer, ids, unparse_special
        self._local, self._joins = _is_local(tokenizer.decoder), _joining(tokenizer.decoder)
        self._growing: dict[int, _Growing] = {}
        self._texts: dict[tuple[int, int], str] = {}
        self.is_plain, self.is_hidden = cache(self._is_plain), cache(self._is_hidden)

    def text(self, start: int, stop: int) -> str:
        """The text of the ids [start, stop); malformed bytes become U+FFFD."""
        known = self._texts.get((start, stop))
        if known is None:
            if len(self._texts) >= KEPT:
                self._texts.clear()
            known = self._texts[start, stop] = self._data(start, stop).decode("utf-8", "replace")
        return known

    def _data(self, start: int, stop: int) -> bytes:
        if stop - start <= STRETCH or not self._local:
            return b"".join(self.parts(start, stop))
        growing = self._growing.get(start)
        if growing is None or stop < growing.cut:
            growing = self._growing[start] = _Growing(start)
        return growing.data(self, stop)

    def parts(self, start: int, stop: int) -> list[bytes]:
        """The bytes of each id of a stretch."""
        ask("the decoder")
        return self.tokenizer.decoder.run(self.ids[start:stop], False, self.unparse_special, silent)

    def _is_hidden(self, id: int) -> bool:
        """Whether the token is left out because it is special."""
        return not self.unparse_special and is_left_out(self.tokenizer.decoder, id)

    def _is_plain(self, id: int) -> bool:
        """Whether the token has a text by itself and is not a byte."""
        (part,) = self.tokenizer.decoder.run([id], False, self.unparse_special, silent)
        byte = _BYTE_TOKEN.fullmatch(self.tokenizer.vocabulary.pieces[id])
        try:
            text = part.decode()
        except UnicodeDecodeError:
            # part of a character: decoders of bytes leave it as it is
            return _keeps_bytes(self.tokenizer.decoder) and chr(part[-1]) not in self._joins
        return bool(text) and "\ufffd" not in text and not byte and text[-1] not in self._joins


class _Growing:
    """A stretch that grows to the right. cut: what is before this index is settled; the id before it is plain."""

    def __init__(self, start: int) -> None:
        self.start, self.cut, self.settled = start, start, b""

    def data(self, windows: Windows, stop: int) -> bytes:
        """The bytes of the stretch up to `stop`."""
        begin = self.cut if self.cut == self.start else self.cut - 1
        parts = windows.parts(begin, stop)[self.cut - begin :]
        whole = self.settled + b"".join(parts)
        if stop - self.cut > 2 * STRETCH:
            for cut in range(stop - STRETCH, self.cut + 1, -1):
                if windows.is_plain(windows.ids[cut - 1]) and windows.is_plain(windows.ids[cut]):
                    self.settled += b"".join(parts[: cut - self.cut])
                    self.cut = cut
                    break
        return whole


def _is_local(decoder: Decoder) -> bool:
    """Whether a decoder gives a token the same bytes after any plain token that is not the first one."""
    if isinstance(decoder, ChainDecoder):
        fused = False
        for step in decoder.steps:
            if isinstance(step, ReplaceDecoder):
                local = isinstance(step.find, str) and not fused
            elif isinstance(step, StripDecoder):
                local = not fused or not step.stop
            else:
                local = type(step) in _LOCAL_STEPS
            if not local:
                return False
            fused = fused or step.fuses
        return True
    return isinstance(decoder, PieceDecoder | WpmDecoder | SentencePieceDecoder)


def _keeps_bytes(decoder: Decoder) -> bool:
    """Whether a decoder gives the bytes of each token, also those that are part of a character."""
    if isinstance(decoder, ChainDecoder):
        return bool(decoder.steps) and all(isinstance(step, ByteLevelDecoder) and step.last for step in decoder.steps)
    return isinstance(decoder, PieceDecoder)


def _joining(decoder: Decoder) -> str:
    """The characters after which llama.cpp's clean-up may drop a space of the next token, or their own."""
    cleans = isinstance(decoder, WpmDecoder) or (isinstance(decoder, PieceDecoder) and decoder.clean_spaces)
    return " 'rv" if cleans else ""


_LOCAL_STEPS = (
    ByteFallbackDecoder,
    ByteLevelDecoder,
    FuseDecoder,
    MetaspaceDecoder,
    SpaceJoiner,
    WordPieceDecoder,
)


REPLACEMENT = "\ufffd"


class Method(StrEnum):
    """A way to show a stream."""

    WHOLE = "whole"
    ALONE = "alone"
    LLAMA_CPP = "llama.cpp"
    TRANSFORMERS = "transformers"
    VLLM = "vllm"
    SGLANG = "sglang"
    TOKENIZERS = "tokenizers"
    TIKTOKEN = "tiktoken"

    @property
    def label(self) -> str:
        """Its name for people."""
        return SHOWS[self].label


class FailedError(Exception):
    """The original raises an error here and shows nothing more."""


class Show(ABC):
    """What a method shows. label: the method's name for people."""

    label: ClassVar[str]

    def __init__(self, windows: Windows) -> None:
        self.windows = windows

    @abstractmethod
    def put(self, stop: int) -> str:
        """The text shown when id number `stop` (from 1) arrives. Raises FailedError."""

    def end(self) -> str:
        """The text shown when the stream ends; what most hold back then is never shown."""
        return ""


class Whole(Show):
    """All ids so far, decoded; the text is the whole one each time."""

    label = "All ids so far"

    def put(self, stop: int) -> str:
        """The whole text so far."""
        return self.windows.text(0, stop)


class Alone(Show):
    """Each id decoded by itself."""

    label = "Each id alone"

    def put(self, stop: int) -> str:
        """The text of the last id."""
        return self.windows.text(stop - 1, stop)


class ByteStream(Show):
    """The bytes of each token, as long as they end within a character held back by an incremental decoder."""

    label = "tiktoken's bytes"

    def __init__(self, windows: Windows) -> None:
        super().__init__(windows)
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def put(self, stop: int) -> str:
        """The characters that the token's bytes complete."""
        return self.decoder.decode(token_data(self.windows, stop))

    def end(self) -> str:
        """U+FFFD for a character that did not become whole."""
        return self.decoder.decode(b"", True)


class LlamaServer(Show):
    """llama.cpp's server: it sends nothing while its bytes end within a character, and then all of them."""

    label = "llama.cpp"

    unsent = b""

    def put(self, stop: int) -> str:
        """All bytes that were not sent yet, unless they are incomplete. JSON makes U+FFFD of malformed ones."""
        self.unsent += token_data(self.windows, stop)
        if ends_within_a_character(self.unsent):
            return ""
        sent, self.unsent = self.unsent, b""
        return sent.decode("utf-8", "replace")


class TextStreamer(Show):
    """Text up to the last space, all of it after a line break or a CJK ideograph."""

    label = "transformers' TextStreamer"

    start = stop = printed = 0

    def put(self, stop: int) -> str:
        """The words that the id completes."""
        self.stop = stop
        text = self.windows.text(self.start, stop)
        if text.endswith("\n"):
            shown = text[self.printed :]
            self.start, self.printed = stop, 0
            return shown
        shown = text[self.printed :] if text and is_ideograph(text[-1]) else text[self.printed : text.rfind(" ") + 1]
        self.printed += len(shown)
        return shown

    def end(self) -> str:
        """What is left."""
        return self.windows.text(self.start, self.stop)[self.printed :] if self.stop > self.start else ""


class Incremental(Show):
    """vLLM: the last few ids are decoded without and with the new one; the difference is shown unless it ends in �."""

    label = "vLLM"

    prefix = read = stop = 0

    def new(self, stop: int) -> str:
        """What the text of the last few ids has beyond the one without the new ids."""
        self.stop = stop
        return self.windows.text(self.prefix, stop)[len(self.windows.text(self.prefix, self.read)) :]

    def put(self, stop: int) -> str:
        """What the new text has beyond the old one."""
        new = self.new(stop)
        if not new or new.endswith(REPLACEMENT):
            return ""
        self.prefix, self.read = self.read, stop
        return new


class PrintableIncremental(Incremental):
    """SGLang: the same, but of a difference that ends in � what `printable` gives is shown, and at the end the rest.

    sent: characters of the difference that are shown already.
    """

    label = "SGLang"

    sent = 0

    def put(self, stop: int) -> str:
        """What the new text has beyond the old one and beyond what was shown of it."""
        sent, whole = self.sent, super().put(stop)
        if whole:
            self.sent = 0
            return whole[sent:]
        shown = printable(self.new(stop))
        self.sent = len(shown)
        return shown[sent:]

    def end(self) -> str:
        """What is left, with U+FFFD for a character that did not become whole."""
        return self.new(self.stop)[self.sent :]


class DecodeStream(Show):
    """tokenizers: the same idea, but a text that does not continue the one before is an error."""

    label = "tokenizers' DecodeStream"

    start = stop = prefix_stop = 0
    prefix = ""

    def put(self, stop: int) -> str:
        """What the new text has beyond the prefix. Raises FailedError where it does not begin with it."""
        if not self.prefix and self.stop > self.start:
            text = self.windows.text(self.start, self.stop)
            if not text.endswith(REPLACEMENT):
                self.prefix, self.prefix_stop = text, self.stop
        self.stop = stop
        text = self.windows.text(self.start, stop)
        if len(text.encode()) <= len(self.prefix.encode()) or text.endswith(REPLACEMENT):
            return ""
        if not text.startswith(self.prefix):
            raise FailedError
        shown = text[len(self.prefix) :]
        self.start, self.prefix_stop = self.prefix_stop, stop
        self.prefix = self.windows.text(self.start, stop)
        return shown


SHOWS: dict[Method, type[Show]] = {
    Method.WHOLE: Whole,
    Method.ALONE: Alone,
    Method.LLAMA_CPP: LlamaServer,
    Method.TRANSFORMERS: TextStreamer,
    Method.VLLM: Incremental,
    Method.SGLANG: PrintableIncremental,
    Method.TOKENIZERS: DecodeStream,
    Method.TIKTOKEN: ByteStream,
}


def token_data(windows: Windows, stop: int) -> bytes:
    """The bytes of a token wherever it stands; none of a special token that is left out."""
    id = windows.ids[stop - 1]
    return b"" if windows.is_hidden(id) else windows.tokenizer.decoder.alone(id)


def ends_within_a_character(data: bytes) -> bool:
    """Whether llama.cpp takes the last bytes for a character that is not whole yet: it looks at lead bytes only.

    >>> [ends_within_a_character(data) for data in (b"a", b"\\xf0\\x9f\\xa4", b"\\xf0\\x9f\\xa4\\x97", b"\\x9f\\xa4")]
    [False, True, False, False]
    """
    for back in range(1, min(4, len(data)) + 1):
        lead = data[-back]
        size = 2 if lead & 0xE0 == 0xC0 else 3 if lead & 0xF0 == 0xE0 else 4 if lead & 0xF8 == 0xF0 else 0
        if back < size:
            return True
    return False


def printable(text: str) -> str:
    """What SGLang shows of a text that is not complete: whole words, and ideographs.

    >>> printable("two wo"), printable("猫\\ufffd"), printable("猫"), printable("a\\n")
    ('two ', '猫', '猫', 'a\\n')
    """
    if text.endswith("\n") or (text and is_ideograph(text[-1])):
        return text
    return text[:-1] if len(text) > 1 and is_ideograph(text[-2]) else text[: text.rfind(" ") + 1]


_IDEOGRAPHS = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002ceaf\U0002f800-\U0002fa1f]"
)
"""What transformers and SGLang take for CJK ideographs."""


def is_ideograph(ch: str) -> bool:
    """Whether transformers takes a character for an ideograph: not kana, and not Hangul.

    >>> is_ideograph("猫"), is_ideograph("ね")
    (True, False)
    """
    return _IDEOGRAPHS.fullmatch(ch) is not None


MOST_CELLS = 250_000
"""The largest table of an alignment; longer pieces that differ are lost and added whole."""


class MarkKind(StrEnum):
    """What is wrong with a step of a method."""

    EARLY = "early"
    SPACE_LOST = "space-lost"
    SPACE_DOUBLED = "space-doubled"
    SPACE_ADDED = "space-added"
    TEXT_LOST = "text-lost"
    TEXT_ADDED = "text-added"
    TAKEN_BACK = "taken-back"
    FAILED = "failed"

    @property
    def words(self) -> str:
        """The mark in words."""
        return WORDS.get(self, self.value.replace("-", " "))


WORDS = {
    MarkKind.EARLY: "\ufffd too early",
    MarkKind.TAKEN_BACK: "text taken back",
    MarkKind.FAILED: "ends with an error",
}
"""What the other kinds' names don't say."""


class Mark(NamedTuple):
    """kind: what is wrong. text: the characters that are lost, added or taken back."""

    kind: MarkKind
    text: str


KIND_OF = attrgetter("kind")


class ShownText:
    """One method's text against the whole text. at: how many of its characters are shown or lost.

    >>> text = ShownText("Hello 🤗")
    >>> text.show("Hello", 6, holds=False), text.show("\ufffd", 6, holds=False), text.at
    ((Mark(kind=<MarkKind.SPACE_LOST: 'space-lost'>, text=' '),), (Mark(kind=<MarkKind.EARLY: 'early'>, text='�'),), 6)
    """

    def __init__(self, text: str) -> None:
        self.text, self.at, self.last = text, 0, ""

    def show(self, piece: str, arrived: int, holds: bool) -> tuple[Mark, ...]:
        """What is wrong with the next piece. arrived: the characters of the text that its ids so far complete."""
        begin, self.last = self.at, piece[-1:] or self.last
        before = self.text[begin - 1 : begin]
        if self.text.startswith(piece, begin) and (
            begin + len(piece) == arrived or (holds and begin + len(piece) < arrived)
        ):
            self.at += len(piece)
            return ()
        stop = max(arrived, begin)
        wanted = self.text[begin : min(stop, begin + 2 * len(piece) + 64) if holds else stop]
        pairs, used = aligned(piece, wanted, holds)
        self.at = begin + used
        following = self.text[self.at : self.at + 1]
        marks = [
            Mark(kind, shown or meant)
            for index, (shown, meant) in enumerate(pairs)
            if (kind := _kind(shown, meant, _neighbors(pairs, index, before, following)))
        ]
        return tuple(Mark(kind, "".join(each.text for each in group)) for kind, group in groupby(marks, KIND_OF))

    def end(self) -> tuple[Mark, ...]:
        """What was never shown."""
        left = self.text[self.at :]
        self.at = len(self.text)
        return tuple(
            Mark(MarkKind.SPACE_LOST if space else MarkKind.TEXT_LOST, "".join(group))
            for space, group in groupby(left, lambda ch: ch == " ")
        )


Pairs = list[tuple[str, str]]
"""Characters shown and meant; an empty string where there is none."""


def aligned(piece: str, wanted: str, open_end: bool) -> tuple[Pairs, int]:
    """The pairs of characters with the fewest lost and added, and how many of `wanted` they use up.

    open_end: characters at the end of `wanted` may be left.

    >>> aligned("a  b", "a b", False)
    ([('a', 'a'), (' ', ''), (' ', ' '), ('b', 'b')], 3)
    """
    rows, columns = len(piece), len(wanted)
    if rows * columns > MOST_CELLS:
        left = "" if open_end else wanted
        return [*((ch, "") for ch in piece), *(("", ch) for ch in left)], len(left)
    cost = [list(range(columns + 1))]
    for row, shown in enumerate(piece, 1):
        above, line = cost[-1], [row]
        for column, meant in enumerate(wanted, 1):
            best = min(above[column], line[column - 1]) + 1
            if shown == meant:
                best = min(best, above[column - 1])
            elif shown == REPLACEMENT:
                best = min(best, above[column - 1] + 1)
            line.append(best)
        cost.append(line)
    used = min(range(columns + 1), key=cost[rows].__getitem__) if open_end else columns
    row, column, pairs = rows, used, Pairs()
    while row or column:
        here = cost[row][column]
        if row and column:
            shown, meant = piece[row - 1], wanted[column - 1]
            step = 0 if shown == meant else 1 if shown == REPLACEMENT else 3
            if here == cost[row - 1][column - 1] + step:
                row, column = row - 1, column - 1
                pairs.append((shown, meant))
                continue
        if row and here == cost[row - 1][column] + 1:
            row -= 1
            pairs.append((piece[row], ""))
        else:
            column -= 1
            pairs.append(("", wanted[column]))
    return pairs[::-1], used


def _neighbors(pairs: Pairs, index: int, before: str, following: str) -> tuple[str, str]:
    """The characters of the whole text on both sides of a pair."""
    left = next((meant for _, meant in reversed(pairs[:index]) if meant), before)
    return left, next((meant for _, meant in pairs[index + 1 :] if meant), following)


def _kind(shown: str, meant: str, neighbors: tuple[str, str]) -> MarkKind | None:
    """What is wrong with a character, if anything. neighbors: of an added one, in the whole text."""
    if shown == meant:
        return None
    if not shown:
        return MarkKind.SPACE_LOST if meant == " " else MarkKind.TEXT_LOST
    if shown == REPLACEMENT and (meant or neighbors[1] != REPLACEMENT):
        return MarkKind.EARLY
    if shown == " ":
        return MarkKind.SPACE_DOUBLED if " " in neighbors else MarkKind.SPACE_ADDED
    return MarkKind.TEXT_ADDED


LONGEST = 10_000
"""Ids of a stream."""


class Shown(NamedTuple):
    """What a method does when an id arrives.

    back: characters of its text that it takes back first; only the whole decoder can. text: what it then adds. held:
    the bytes that have arrived and are not shown. marks: what is wrong.
    """

    back: int
    text: str
    held: bytes
    marks: tuple[Mark, ...]


class StreamStep(NamedTuple):
    """An id that arrives.

    data: the token's bytes wherever it stands. part: what it gives in the text of all ids. shown: by method, in the
    order of `Stream.methods`.
    """

    id: int
    data: bytes
    part: bytes
    shown: tuple[Shown, ...]


@dataclass(frozen=True)
class Stream:
    """A stream of ids.

    text: of all ids together. steps: one for each id. ends: what each method does when the stream ends, in the order of
    `methods`.

    >>> import explorer
    >>> stream = explorer.load("llama-2").stream([15043, 29871, 243, 162, 167, 154])
    >>> stream.text, stream.text_of("alone"), [mark.words for mark in stream.kinds_of("alone")]
    ('Hello 🤗', 'Hello\ufffd\ufffd\ufffd\ufffd', ['space lost', '� too early'])
    >>> [step.shown[stream.index("llama.cpp")].held.hex() for step in stream.steps]
    ['', '', 'f0', 'f09f', 'f09fa4', '']
    """

    ids: tuple[int, ...]
    methods: tuple[Method, ...]
    text: str
    steps: tuple[StreamStep, ...]
    ends: tuple[Shown, ...]

    def index(self, method: str) -> int:
        """The index of a method in `methods`. Raises InputError for one that was not asked for."""
        if method not in self.methods:
            raise InputError(f"this stream has no method {method!r}; it has {', '.join(self.methods)}")
        return self.methods.index(Method(method))

    def shown(self, method: str) -> list[Shown]:
        """What a method does at each step, and at the end."""
        at = self.index(method)
        return [*(step.shown[at] for step in self.steps), self.ends[at]]

    def text_of(self, method: str, stop: int | None = None) -> str:
        """All text that a method shows, or that of the first `stop` ids."""
        text = ""
        for back, more, *_ in self.shown(method)[:stop]:
            text = text[: len(text) - back] + more
        return text

    def kinds_of(self, method: str) -> list[MarkKind]:
        """The kinds of marks of a method, each once, in the order in which they come."""
        return list(dict.fromkeys(mark.kind for each in self.shown(method) for mark in each.marks))

    def count(self, method: str, kind: MarkKind) -> int:
        """At how many steps a method has marks of a kind."""
        return sum(any(mark.kind == kind for mark in each.marks) for each in self.shown(method))

    @cached_property
    def right(self) -> tuple[Method, ...]:
        """The methods whose text is that of all ids in the end."""
        return tuple(method for method in self.methods if self.text_of(method) == self.text)


def stream(
    tokenizer: Tokenizer,
    ids: Iterable[int],
    *,
    methods: Sequence[str] = tuple(Method),
    unparse_special: bool = True,
) -> Stream:
    """Lets ids arrive one by one. methods: those of `Method`. unparse_special: as for `decode`.

    BOS is an id like any other: a model that generates text gives none. Raises InputError for an id outside the
    vocabulary, a method that is none, and more than 10,000 ids.
    """
    given = list(budget.ids(ids))
    budget.switch(unparse_special, "unparse_special")
    asked = tuple(map(_method, methods))
    if len(given) > LONGEST:
        raise InputError(f"{number(len(given))} ids are too many for a stream; give at most {number(LONGEST)}")
    check_ids(given, tokenizer.vocabulary)
    seconds = 2 * budget.SECONDS + budget.SECONDS_AN_ID * len(given)
    with budget.within(f"a stream of {plural(len(given), 'id')}", seconds):
        return _Writer(Windows(tokenizer, given, unparse_special), asked).write()


def _method(name: str) -> Method:
    try:
        return Method(name)
    except ValueError:
        raise InputError(f"there is no method {str(name)[:40]!r}; give one of {', '.join(Method)}") from None


class _Writer:
    """Plays a stream with every method."""

    def __init__(self, windows: Windows, methods: tuple[Method, ...]) -> None:
        self.windows, self.methods, self.ids = windows, methods, windows.ids
        self.parts = windows.parts(0, len(self.ids))
        self.data = b"".join(self.parts)
        self.text = self.data.decode("utf-8", "replace")
        self.offsets = [0, *accumulate(each.length for each in decode_utf8(self.data))]
        """by character of the text, its byte offset"""

    def write(self) -> Stream:
        """The stream."""
        # side by side, because methods decode the same ids at a step
        plays = [self._whole() if method == Method.WHOLE else self._pieces_of(method) for method in self.methods]
        alone = self.windows.tokenizer.decoder.alone
        steps = tuple(
            StreamStep(id, alone(id), part, tuple(map(next, plays)))
            for id, part in zip(self.ids, self.parts, strict=True)
        )
        return Stream(tuple(self.ids), self.methods, self.text, steps, tuple(map(next, plays)))

    def _whole(self) -> Iterator[Shown]:
        """The whole decoder, which shows all of the text anew."""
        shows, before = SHOWS[Method.WHOLE](self.windows), ""
        for at, id in enumerate(self.ids):
            now = shows.put(at + 1)
            kept = common(before, now)
            marks = []
            if kept < len(before):
                marks.append(Mark(MarkKind.TAKEN_BACK, before[kept:]))
            early = now[common(now, self.text) :]
            if REPLACEMENT in early:
                marks.append(Mark(MarkKind.EARLY, early))
            data = self.windows.tokenizer.decoder.alone(id)
            if data == b" " + self.parts[at]:
                marks.append(Mark(MarkKind.SPACE_LOST, " "))
            yield Shown(len(before) - kept, now[kept:], b"", tuple(marks))
            before = now
        yield Shown(0, "", b"", ())

    def _pieces_of(self, method: Method) -> Iterator[Shown]:
        """A method that shows pieces of text."""
        shows, text = SHOWS[method](self.windows), ShownText(self.text)
        arrived_bytes = arrived = 0
        failed = False
        for at, part in enumerate(self.parts):
            arrived_bytes += len(part)
            while arrived < len(self.text) and self.offsets[arrived + 1] <= arrived_bytes:
                arrived += 1
            piece, marks = "", tuple[Mark, ...]()
            if not failed:
                try:
                    piece = shows.put(at + 1)
                    marks = text.show(piece, arrived, method != Method.ALONE)
                except FailedError:
                    failed, marks = True, (Mark(MarkKind.FAILED, ""),)
            held = b"" if method == Method.ALONE else self.data[self.offsets[text.at] : arrived_bytes]
            yield Shown(0, piece, held, marks)
        piece = "" if failed else shows.end()
        marks = (*text.show(piece, len(self.text), True), *text.end())
        yield Shown(0, piece, b"", marks)

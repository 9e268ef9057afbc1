"""How programs make text of ids that arrive one by one.

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

Leaves out stop strings, which llama.cpp, vLLM and SGLang look for in the same place, and prompts: the stream is all
there is.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from enum import StrEnum
from typing import Final, Protocol

from explorer.analysis.streaming.windows import Windows

REPLACEMENT: Final = "\ufffd"


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
        return LABELS[self]


LABELS: Final = {
    Method.WHOLE: "All ids so far",
    Method.ALONE: "Each id alone",
    Method.LLAMA_CPP: "llama.cpp",
    Method.TRANSFORMERS: "transformers' TextStreamer",
    Method.VLLM: "vLLM",
    Method.SGLANG: "SGLang",
    Method.TOKENIZERS: "tokenizers' DecodeStream",
    Method.TIKTOKEN: "tiktoken's bytes",
}


class FailedError(Exception):
    """The original raises an error here and shows nothing more."""


class Show(Protocol):
    """What a method shows."""

    def put(self, stop: int) -> str:
        """The text shown when id number `stop` (from 1) arrives. Raises FailedError."""

    def end(self) -> str:
        """The text shown when the stream ends."""


class Whole(Show):
    """All ids so far, decoded; the text is the whole one each time."""

    def __init__(self, windows: Windows) -> None:
        self.windows = windows

    def put(self, stop: int) -> str:
        """The whole text so far."""
        return self.windows.text(0, stop)

    def end(self) -> str:
        """Nothing: all of it is shown."""
        return ""


class Alone(Whole):
    """Each id decoded by itself."""

    def put(self, stop: int) -> str:
        """The text of the last id."""
        return self.windows.text(stop - 1, stop)


class ByteStream(Show):
    """The bytes of each token, as long as they end within a character held back by an incremental decoder."""

    def __init__(self, windows: Windows) -> None:
        self.windows, self.decoder = windows, codecs.getincrementaldecoder("utf-8")("replace")

    def put(self, stop: int) -> str:
        """The characters that the token's bytes complete."""
        return self.decoder.decode(token_data(self.windows, stop))

    def end(self) -> str:
        """U+FFFD for a character that did not become whole."""
        return self.decoder.decode(b"", True)


class LlamaServer(Show):
    """llama.cpp's server: it sends nothing while its bytes end within a character, and then all of them."""

    def __init__(self, windows: Windows) -> None:
        self.windows, self.unsent = windows, b""

    def put(self, stop: int) -> str:
        """All bytes that were not sent yet, unless they are incomplete. JSON makes U+FFFD of malformed ones."""
        self.unsent += token_data(self.windows, stop)
        if ends_within_a_character(self.unsent):
            return ""
        sent, self.unsent = self.unsent, b""
        return sent.decode("utf-8", "replace")

    def end(self) -> str:
        """Nothing: in a stream the last message has no text."""
        return ""


class TextStreamer(Show):
    """Text up to the last space, all of it after a line break or a CJK ideograph."""

    def __init__(self, windows: Windows) -> None:
        self.windows = windows
        self.start, self.stop, self.printed = 0, 0, 0

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

    def __init__(self, windows: Windows) -> None:
        self.windows = windows
        self.prefix, self.read, self.stop = 0, 0, 0

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

    def end(self) -> str:
        """Nothing: what is held back is never shown."""
        return ""


class PrintableIncremental(Incremental):
    """SGLang: the same, but of a difference that ends in � what `printable` gives is shown, and at the end the rest.

    sent: characters of the difference that are shown already.
    """

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

    def __init__(self, windows: Windows) -> None:
        self.windows = windows
        self.start, self.stop, self.prefix, self.prefix_stop = 0, 0, "", 0

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

    def end(self) -> str:
        """Nothing: what is held back is never shown."""
        return ""


SHOWS: Final[dict[Method, Callable[[Windows], Show]]] = {
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


_IDEOGRAPHS: Final = (
    range(0x4E00, 0xA000),
    range(0x3400, 0x4DC0),
    range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2B740),
    range(0x2B740, 0x2B820),
    range(0x2B820, 0x2CEB0),
    range(0xF900, 0xFB00),
    range(0x2F800, 0x2FA20),
)
"""What transformers and SGLang take for CJK ideographs."""


def is_ideograph(ch: str) -> bool:
    """Whether transformers takes a character for an ideograph: not kana, and not Hangul.

    >>> is_ideograph("猫"), is_ideograph("ね")
    (True, False)
    """
    return any(ord(ch) in block for block in _IDEOGRAPHS)

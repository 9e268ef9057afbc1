"""The text of a stretch of ids, decoded as if there were no others.

Methods that stream decode again and again: everything so far, or the ids since some point. A stretch that only grows is
not decoded from its beginning each time. Where two neighboring ids are *plain* (each gives text of its own, and neither
is a byte), what comes before them can no longer change, because the decoders in `_is_local` see a token, whether it is
the first, and runs of bytes; so the rest is decoded with one of the two in front. Any other decoder starts over.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from explorer.engine.budget import ask
from explorer.engine.decoders.chain import ChainDecoder
from explorer.engine.decoders.huggingface import (
    ByteFallbackDecoder,
    ByteLevelDecoder,
    FuseDecoder,
    MetaspaceDecoder,
    ReplaceDecoder,
    SpaceJoiner,
    StripDecoder,
    WordPieceDecoder,
)
from explorer.engine.decoders.pieces import PieceDecoder, WpmDecoder
from explorer.engine.decoders.sentencepiece import SentencePieceDecoder
from explorer.engine.part import Decoder
from explorer.engine.tokenizer import Tokenizer
from explorer.engine.trace import silent
from explorer.stages.decoders.changes import is_left_out

STRETCH: Final = 4
"""Ids that are decoded again before what comes before them is settled."""

KEPT: Final = 16
"""Texts that are kept: several methods decode the same ids at a step."""

_BYTE_TOKEN: Final = re.compile(rb"<0x.{1,2}>")


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
        self._plain: dict[int, bool] = {}
        self._hidden: dict[int, bool] = {}

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

    def is_hidden(self, id: int) -> bool:
        """Whether the token is left out because it is special."""
        if self.unparse_special:
            return False
        known = self._hidden.get(id)
        if known is None:
            known = self._hidden[id] = is_left_out(self.tokenizer.decoder, id)
        return known

    def is_plain(self, id: int) -> bool:
        """Whether the token has a text by itself and is not a byte."""
        known = self._plain.get(id)
        if known is None:
            (part,) = self.tokenizer.decoder.run([id], False, self.unparse_special, silent)
            byte = _BYTE_TOKEN.fullmatch(self.tokenizer.vocabulary.pieces[id])
            try:
                text = part.decode()
                known = bool(text) and "\ufffd" not in text and not byte and text[-1] not in self._joins
            except UnicodeDecodeError:
                # part of a character: decoders of bytes leave it as it is
                known = _keeps_bytes(self.tokenizer.decoder) and chr(part[-1]) not in self._joins
            self._plain[id] = known
        return known


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
    return isinstance(decoder, (PieceDecoder, WpmDecoder, SentencePieceDecoder))


def _keeps_bytes(decoder: Decoder) -> bool:
    """Whether a decoder gives the bytes of each token, also those that are part of a character."""
    if isinstance(decoder, ChainDecoder):
        return bool(decoder.steps) and all(isinstance(step, ByteLevelDecoder) and step.last for step in decoder.steps)
    return isinstance(decoder, PieceDecoder)


def _joining(decoder: Decoder) -> str:
    """The characters after which llama.cpp's clean-up may drop a space of the next token, or their own."""
    cleans = isinstance(decoder, WpmDecoder) or (isinstance(decoder, PieceDecoder) and decoder.clean_spaces)
    return " 'rv" if cleans else ""


_LOCAL_STEPS: Final = (
    ByteFallbackDecoder,
    ByteLevelDecoder,
    FuseDecoder,
    MetaspaceDecoder,
    SpaceJoiner,
    WordPieceDecoder,
)

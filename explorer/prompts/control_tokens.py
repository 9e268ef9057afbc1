"""Control tokens that a message's text spells, read as text: `sanitize_control_tokens` of `transformers` 5.23.

They are marked in the call's strings before the template runs, with two characters for private use around each, and cut
out of what it writes. Each is encoded by itself, as plain text, and so is what stands between them. A marker that lost
its partner (the template cut the text there) is dropped, and the text is still cut there.

Dict keys aren't marked, and control tokens that the template joins from parts of a message aren't seen.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

from explorer.engine.items import Token
from explorer.engine.part import Options
from explorer.errors import InputError
from explorer.prompts.traced_text import TracedText, joined
from explorer.vocabulary import PieceKind

if TYPE_CHECKING:
    from explorer.implementations.opened import Opened

START: Final = "\U000f0000"
END: Final = "\U000f0001"


class Piece(NamedTuple):
    """A part of a prompt that is encoded by itself. start, end: in the prompt's text. as_text: a marked token."""

    start: int
    end: int
    as_text: bool


def control_tokens(tokenizer: Opened, literals: str) -> tuple[str, ...]:
    """The control tokens of a tokenizer: special ones, and other added tokens that the template's texts hold.

    The longest come first, so that a token is marked before those inside it.
    """
    vocabulary = tokenizer.vocabulary
    special = [vocabulary.spelling(id) for id in vocabulary.of_kind(PieceKind.CONTROL)]
    added = (vocabulary.spelling(id) for id in vocabulary.of_kind(PieceKind.USER_DEFINED))
    return tuple(
        sorted([*special, *(each for each in added if each in literals and not each.isspace())], key=len)[::-1]
    )


class Marks:
    """Marks control tokens, and cuts them out again."""

    def __init__(self, tokens: Iterable[str]) -> None:
        """Marks for these tokens, the longest first."""
        spelled = "|".join(map(re.escape, tokens)) or "(?!)"
        self._tokens = re.compile(spelled)
        self._marked = re.compile(f"{START}({spelled}){END}|[{START}{END}]")

    def put(self, text: TracedText) -> TracedText:
        """The text with its control tokens marked. Markers that it holds are dropped first."""
        text = text.replace(START, "").replace(END, "")
        pieces: list[str] = []
        at = 0
        for found in self._tokens.finditer(text):
            pieces += [text[at : found.start()], START, text[found.start() : found.end()], END]
            at = found.end()
        return joined([*pieces, text[at:]]) if pieces else text

    def cut(self, text: TracedText) -> tuple[TracedText, tuple[Piece, ...]]:
        """The text without markers, and its pieces."""
        pieces: list[TracedText] = []
        as_text: list[bool] = []
        at = 0
        for found in self._marked.finditer(text):
            pieces.append(text[at : found.start()])
            marked = found.span(1) if found[1] is not None else (0, 0)
            pieces.append(text[marked[0] : marked[1]])
            as_text += [False, True]
            at = found.end()
        pieces.append(text[at:])
        as_text.append(False)
        return joined(pieces), tuple(_places(pieces, as_text))

    def moved(self, text: TracedText) -> Callable[[int], int]:
        """Where a position of a text with markers is in the text without them."""
        ranges: list[tuple[int, int]] = []
        at = 0
        for found in self._marked.finditer(text):
            ranges += [(at, found.start()), *([found.span(1)] if found[1] is not None else [])]
            at = found.end()
        ranges.append((at, len(text)))
        starts = [start for start, _ in ranges]
        before = list(accumulate((end - start for start, end in ranges), initial=0))

        def position(at: int) -> int:
            index = max(0, bisect_right(starts, at) - 1)
            start, end = ranges[index]
            return before[index] + min(max(at, start), end) - start

        return position


def _places(pieces: list[TracedText], as_text: list[bool]) -> Iterator[Piece]:
    at = 0
    for piece, plain in zip(pieces, as_text, strict=True):
        yield Piece(at, at + len(piece), plain)
        at += len(piece)


def encoded(tokenizer: Opened, text: str, pieces: Iterable[Piece]) -> Iterator[Token]:
    """The tokens of a prompt whose pieces are encoded one by one. Raises InputError where a marked token stays one."""
    for piece in pieces:
        part = text[piece.start : piece.end]
        if piece.start and not part:
            continue
        tokens = _of_piece(tokenizer, part, parse_special=not piece.as_text, first=not piece.start)
        if piece.as_text and tokenizer.vocabulary.ids.get(part.encode()) in {token.id for token in tokens}:
            raise InputError(f"{part!r} can't be read as text: the tokenizer makes it of plain text, too.")
        yield from (
            token if token.start < 0 else token._replace(start=token.start + piece.start, end=token.end + piece.start)
            for token in tokens
        )


def _of_piece(tokenizer: Opened, part: str, *, parse_special: bool, first: bool) -> list[Token]:
    """The tokens of a piece. Inside a prompt it is encoded behind a line break, which is taken off again: so a
    SentencePiece tokenizer puts no space in front."""
    options = Options(add_special=False, parse_special=parse_special)
    if not first:
        line = tokenizer.encode("\n", add_special=False).ids
        tokens = tokenizer.encode("\n" + part, **options._asdict()).tokens
        if [token.id for token in tokens[: len(line)]] == line:
            return [
                token if token.start < 0 else token._replace(start=token.start - 1, end=token.end - 1)
                for token in tokens[len(line) :]
            ]
    return list(tokenizer.encode(part, **options._asdict()).tokens)

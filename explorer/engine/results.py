"""What a tokenizer gives: an encoding, a batch, and the traces of encoding and decoding."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeAlias

from explorer.engine import arguments
from explorer.engine.budget import TooSlow
from explorer.engine.items import AnyEvents, Items, Token
from explorer.engine.part import Decoder, Options, Part
from explorer.errors import InputError
from explorer.vocabulary import Vocabulary


class Encoding:
    """The result of `encode`: ids, and their spans on demand.

    ids: of the tokens. vocabulary: theirs. align: returns the tokens with their spans; called at most once.
    bytes_of: the bytes of one token; by default those of its piece, as in tiktoken's vocabularies.
    """

    def __init__(
        self,
        ids: Sequence[int],
        vocabulary: Vocabulary,
        align: Callable[[], tuple[Token, ...]],
        bytes_of: Callable[[int], bytes] | None = None,
    ) -> None:
        self._ids, self.vocabulary, self._align = ids, vocabulary, align
        self.bytes_of = bytes_of or vocabulary.pieces.__getitem__

    @classmethod
    def of(
        cls, tokens: Sequence[Token], vocabulary: Vocabulary, bytes_of: Callable[[int], bytes] | None = None
    ) -> Encoding:
        """An encoding of tokens already computed."""
        return cls([token.id for token in tokens], vocabulary, lambda: tuple(tokens), bytes_of)

    def __eq__(self, other: object) -> bool:
        """Whether ids, spans and vocabulary are the same."""
        if not isinstance(other, Encoding) or self.vocabulary is not other.vocabulary:
            return NotImplemented
        return list(self._ids) == list(other._ids) and self.tokens == other.tokens

    def __hash__(self) -> int:
        return hash(tuple(self._ids))

    def __len__(self) -> int:
        """The number of tokens."""
        return len(self._ids)

    def __repr__(self) -> str:
        return f"<Encoding of {len(self)} tokens>"

    def _repr_html_(self) -> str:
        """The tokens in color, for notebooks."""
        from explorer.notebook import encoding_html

        return encoding_html(self)

    @property
    def ids(self) -> list[int]:
        """The ids of the tokens."""
        return list(self._ids)

    @property
    def pieces(self) -> list[str]:
        """The vocabulary's spelling of each token."""
        return [self.vocabulary.spelling(id) for id in self._ids]

    @property
    def bytes(self) -> list[bytes]:
        """The bytes of each token, however the vocabulary spells it (`Tokenizer.token_bytes`)."""
        return [self.bytes_of(id) for id in self._ids]

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens: ids with their spans of the original text."""
        return self._align()

    @property
    def spans(self) -> list[tuple[int, int] | None]:
        """The span [start, end) of each token in code points of the original text; None for an added token (BOS).

        If a character is split into several tokens, they have the same span. A token made of inserted text only (the
        space prefix) has an empty span.
        """
        return [None if token.start < 0 else (token.start, token.end) for token in self.tokens]


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a trace.

    before, after: its items; each knows its span of the original text. events: its decisions.
    """

    name: str
    part: Part
    before: Items
    after: Items
    events: AnyEvents


@dataclass(frozen=True, slots=True)
class Trace:
    """The trace of a text: the ids of `encode`, and every stage with its events.

    tokenizer: the `Tokenizer` that made it, None where its stages were put together otherwise.
    """

    text: str
    options: Options
    stages: tuple[Stage, ...]
    encoding: Encoding
    tokenizer: Any = field(default=None, compare=False, repr=False)

    @property
    def ids(self) -> list[int]:
        """The ids of the tokens."""
        return self.encoding.ids

    def stage(self, name: str) -> Stage:
        """The stage of that name. Raises KeyError if this tokenizer has none."""
        for stage in self.stages:
            if stage.name == name:
                return stage
        raise KeyError(name)

    def _repr_html_(self) -> str:
        """The output of each stage, for notebooks."""
        from explorer.notebook import trace_html

        return trace_html(self)


@dataclass(frozen=True, slots=True)
class DecodeTrace:
    """The trace of decoding: the bytes of each id, and every decision.

    parts: the bytes of each id. decoder: which made them.
    """

    ids: tuple[int, ...]
    parts: tuple[bytes, ...]
    events: AnyEvents
    decoder: Decoder

    @property
    def data(self) -> bytes:
        """All bytes, joined."""
        return b"".join(self.parts)

    @property
    def text(self) -> str:
        """The text; invalid UTF-8 becomes U+FFFD, as in the originals' string functions."""
        return self.data.decode("utf-8", "replace")


Arrays: TypeAlias = "tuple[array[int], array[int]]"
"""Ids, and offsets from 0 to their number."""

CHUNK: Final = 4_000_000
"""Characters encoded at once, about."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The ids of text i are `ids[offsets[i] : offsets[i + 1]]`.

    ids: 32 bits each. offsets: 64 bits each, one more than texts. NumPy reads both without copying:
    `numpy.frombuffer(batch.ids, "uint32")`.

    >>> batch = Batch(array("I", [7, 8, 9]), array("Q", [0, 1, 1, 3]))
    >>> len(batch), [list(ids) for ids in batch]
    (3, [[7], [], [8, 9]])
    """

    ids: array[int]
    offsets: array[int]

    def __len__(self) -> int:
        """The number of texts."""
        return len(self.offsets) - 1

    def __getitem__(self, text: int) -> array[int]:
        """The ids of one text."""
        index = text + len(self) if text < 0 else text
        if not 0 <= index < len(self):
            raise IndexError(f"text {text} of {len(self)}")
        return self.ids[self.offsets[index] : self.offsets[index + 1]]

    def __iter__(self) -> Iterator[array[int]]:
        """The ids of each text."""
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        return f"<Batch of {len(self)} texts, {len(self.ids)} tokens>"


def encoded(
    texts: Iterable[str], encode: Callable[[str], list[int]], at_once: Callable[[list[str]], Arrays | None]
) -> Batch:
    """The batch of these texts. Raises InputError naming the text that cannot be encoded, as `texts[i]`.

    encode: for one text. at_once: for many; None where they are to be encoded one by one.
    """
    ids, offsets = array("I"), array("Q", [0])
    for chunk in chunks(arguments.texts(texts)):
        try:
            arrays = at_once(chunk) if set(map(type, chunk)) == {str} else None
        except TooSlow:
            raise
        except InputError:
            # one by one, so that the error can name the text
            arrays = None
        if arrays is not None:
            before = len(ids)
            if len(offsets) == 1:
                ids, offsets = arrays
            else:
                ids += arrays[0]
                offsets += array("Q", [before + offset for offset in arrays[1][1:]]) if before else arrays[1][1:]
            continue
        for text in chunk:
            try:
                ids.fromlist(encode(arguments.text(text)))
            except InputError as error:
                raise InputError(f"texts[{len(offsets) - 1}]: {error}") from None
            offsets.append(len(ids))
    return Batch(ids, offsets)


def chunks(texts: Iterable[str]) -> Iterator[list[str]]:
    """Texts in lists of about CHUNK characters."""
    if isinstance(texts, list) and set(map(type, texts)) == {str} and sum(map(len, texts)) <= CHUNK:
        yield texts
        return
    chunk: list[str] = []
    size = 0
    for text in texts:
        chunk.append(text)
        size += len(text) if isinstance(text, str) else 0
        if size >= CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk

"""A tokenizer, and what it gives: encodings, batches, traces.

A tokenizer is a list of stages, run in order.

    text ─► partition ─► normalize ─► pre-tokenize ─► model ─► post-process ─► ids

Every implementation is such a list with other parts; a stage that an implementation does not have is left out. `trace`
gives each stage a sink that stores its events. `encode` runs the same stages without events if spans are wanted; for
ids alone it takes the fast path (`fast`), which caches pieces. The stages have the names of Hugging Face's
`tokenizers`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from explorer.engine import budget
from explorer.engine.budget import TooSlow
from explorer.engine.decoders.huggingface import check_ids
from explorer.engine.fast import FastPath
from explorer.engine.part import (
    AnyEvents,
    Decoder,
    Emit,
    Events,
    Items,
    Model,
    Options,
    Part,
    TextTokens,
    Token,
    initial_items,
    run_through,
    silent,
)
from explorer.engine.post_processors import Padding
from explorer.errors import InputError, Unfinished
from explorer.text import visible
from explorer.text.say import Text
from explorer.vocabulary import Vocabulary

if TYPE_CHECKING:
    from explorer.engine.fast.decoding import FastDecoder
    from explorer.engine.fast.encoder import Batches


class Encoding:
    """The result of `encode`: ids, and their spans on demand.

    ids: of the tokens. vocabulary: theirs. align: returns the tokens with their spans; called at most once.
    bytes_of: the bytes of one token; by default those of its piece, as in tiktoken's vocabularies.
    """

    def __init__(
        self,
        ids: Sequence[int],
        vocabulary: Vocabulary,
        align: Callable[[], TextTokens],
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
    def tokens(self) -> TextTokens:
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

CHUNK = 4_000_000
"""Characters encoded at once, about."""
NEAR = 5
"""Ids at each end that are checked for equal neighbors. No known model adds more at one end."""


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
    for chunk in chunks(budget.texts(texts)):
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
                ids.fromlist(encode(budget.text(text)))
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


@dataclass(frozen=True, eq=False, repr=False)
class Tokenizer:
    """A vocabulary and the stages that run on it. Immutable, so threads and sessions can share it.

    name: as requested. family: the algorithm, such as "SPM". implementation: the original it reproduces.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> tok.encode("What is LoRA?").ids
    [1, 1724, 338, 4309, 4717, 29973]
    >>> tok.decode([1, 1724, 338, 4309, 4717, 29973])
    'What is LoRA?'
    """

    name: str
    family: str
    implementation: str
    vocabulary: Vocabulary
    parts: tuple[Part, ...]
    decoder: Decoder

    def __repr__(self) -> str:
        return f"<Tokenizer {self.name} as {self.implementation}, {self.family}, {len(self.vocabulary)} pieces>"

    def encode(self, text: str, *, add_special: bool = True, parse_special: bool = True) -> Encoding:
        """The tokens of `text`. Raises InputError for a lone surrogate, and for anything but a str.

        The ids come from the fast path, several times as fast as the stages, which run when spans are asked for.
        """
        text, options = budget.text(text), checked(add_special, parse_special)
        # `budget.run`, inlined: calling it would cost a short text several per cent
        try:
            state = budget.THREAD.state
        except AttributeError:
            state = budget.thread_state()
        before = state.run
        state.run = len(text)
        try:
            ids = self.untraced.ids(text, options)
        finally:
            state.run = before
        return Encoding(ids, self.vocabulary, lambda: self._tokens(text, options), self.decoder.alone)

    def encode_batch(self, texts: Iterable[str], *, add_special: bool = True, parse_special: bool = True) -> Batch:
        """The ids of many texts in one array, and the offset at which each text begins in another.

        Where numba is installed, most tokenizers run compiled after enough text (`engine.fast.batches`).
        Raises InputError as `encode` does, naming the text.

        >>> import explorer
        >>> batch = explorer.load("gpt-2").encode_batch(["hello world", "", "hi"])
        >>> batch.ids.tolist(), batch.offsets.tolist()
        ([31373, 995, 5303], [0, 2, 2, 3])
        """
        options = checked(add_special, parse_special)
        with budget.run(budget.growing()) as all_of_them:

            def ids(text: str) -> list[int]:
                all_of_them.grow(len(text))
                return self.untraced.ids(text, options)

            def at_once(chunk: list[str]) -> Arrays | None:
                found = self.batches.encode(chunk, options)
                if found is not None:
                    all_of_them.grow(sum(map(len, chunk)))
                return found

            return encoded(texts, ids, at_once)

    @cached_property
    def model(self) -> Model:
        """The stage that turns text into tokens."""
        return next(part for part in self.parts if isinstance(part, Model))

    @cached_property
    def untraced(self) -> FastPath:
        """The fast path of `encode`, with its cache."""
        return FastPath(self.parts)

    @cached_property
    def fast_decoder(self) -> FastDecoder | None:
        """The fast path of `decode`."""
        from explorer.engine.fast.decoding import fast_decoder

        return fast_decoder(self.decoder, self.vocabulary)

    @cached_property
    def batches(self) -> Batches:
        """The fast path of `encode_batch`."""
        from explorer.engine.fast.encoder import Batches

        return Batches(self.untraced)

    def trace(self, text: str, *, add_special: bool = True, parse_special: bool = True) -> Trace:
        """The tokens of `text`, with every stage and every decision. Raises InputError as `encode` does.

        Unfinished has the stages up to where they end.
        """

        def stage_of(part: Part, before: Items, options: Options) -> Stage:
            events: AnyEvents = Events(part.row)
            budget.count_events(events.filled)
            return Stage(part.name, part, before, tuple(part.run(before, options, events.emit)), events)

        return self._traced(text, checked(add_special, parse_special), stage_of)

    def trace_lazily(
        self, text: str, *, add_special: bool = True, parse_special: bool = True, like: Trace | None = None
    ) -> Trace:
        """The same trace, but the events of a stage are computed on first access, by running that stage once more.

        That pays off where most stages are only compared. like: another trace, possibly of a tokenizer that shares some
        parts; a stage with the same input there is not run again.
        """
        known = {id(stage.part): stage for stage in like.stages} if like else {}

        def stage_of(part: Part, before: Items, options: Options) -> Stage:
            stage = known.get(id(part))
            if stage is not None and like is not None and does_the_same(stage, before, like.options, options):
                return stage
            after = tuple(part.run(before, options, silent))
            later: AnyEvents = Events.later(part.row, partial(rerun_stage, part, before, options, len(text)))
            return Stage(part.name, part, before, after, later)

        return self._traced(text, checked(add_special, parse_special), stage_of)

    def decode(self, ids: Iterable[int], *, remove_special: bool = True, unparse_special: bool = True) -> str:
        """The text of `ids`; invalid UTF-8 becomes U+FFFD.

        remove_special: drop the tokens that `add_special` adds around a text. unparse_special: write special tokens
        within the text as they are spelled, otherwise leave them out. Raises InputError for an id outside the
        vocabulary, and for anything but integers.
        """
        if type(ids) is list and unparse_special is True and type(remove_special) is bool and self.fast_decoder:
            text = self.fast_decoder.text(ids, remove_special)
            if text is not None:
                return text
        return self.trace_decode(ids, remove_special=remove_special, unparse_special=unparse_special).text

    def token_bytes(self, id: int) -> bytes:
        """The bytes of a token by itself. Raises InputError for an id outside the vocabulary.

        Leaves out what decoding does by neighbors and position (a space between words, none at the beginning). A lone
        byte of a character is that byte.

        >>> import explorer
        >>> [explorer.load(name).token_bytes(id) for name, id in (("gpt-2", 12520), ("llama-2", 1724))]
        [b' \\xf0\\x9f', b' What']
        """
        id = budget.an_id(id, "the id")
        check_ids([id], self.vocabulary)
        return self.decoder.alone(id)

    @cached_property
    def added_ids(self) -> tuple[Sequence[int], Sequence[int]]:
        """The ids that `add_special` adds before and after a text, without padding."""
        tokens = self.encode("a").tokens
        of_text = [index for index, token in enumerate(tokens) if token.start >= 0] or [len(tokens), -1]
        ids = [token.id for token in tokens]
        return self._unpadded(ids[: of_text[0]]), self._unpadded(ids[of_text[-1] + 1 :])

    def _unpadded(self, ids: Sequence[int]) -> Sequence[int]:
        """The ids without padding."""
        pad = next((part.token for part in self.parts if isinstance(part, Padding)), None)
        start, stop = 0, len(ids)
        while start < stop and ids[start] == pad:
            start += 1
        while start < stop and ids[stop - 1] == pad:
            stop -= 1
        return ids[start:stop]

    def doubled(self, ids: Sequence[int], add_special: bool) -> tuple[Text, ...]:
        """Warnings about special tokens that the text of these ids contains and `add_special` adds again.

        >>> import explorer
        >>> tok = explorer.load("llama-2")
        >>> tok.doubled(tok.encode("<s>Hi").ids, True)
        ('<s> (1) occurs twice: the text begins with it, and “Add BOS/EOS” adds another one. Remove one of them.',)
        """
        ends = ids[:NEAR], ids[-NEAR:]
        if not add_special or not any(one == other for end in ends for one, other in pairwise(end)):
            return ()
        before, after = self.added_ids
        ids = self._unpadded(ids)
        own = ids[len(before) : len(ids) - len(after)]
        found: list[Text] = []
        for is_first, own_id, added in ((True, own[:1], before[-1:]), (False, own[-1:], after[:1])):
            if own_id and [*own_id] == [*added]:
                spelled, id = visible(self.vocabulary.spelling(own_id[0])), own_id[0]
                found += [
                    Text(
                        "{0:t} ({1:i}) occurs twice: the text begins with it, and “Add BOS/EOS” adds another one. "
                        "Remove one of them.",
                        *(spelled, id),
                    )
                    if is_first
                    else Text(
                        "{0:t} ({1:i}) occurs twice: the text ends with it, and “Add BOS/EOS” adds another one. "
                        "Remove one of them.",
                        *(spelled, id),
                    )
                ]
        return tuple(found)

    def trace_decode(
        self, ids: Iterable[int], *, remove_special: bool = True, unparse_special: bool = True
    ) -> DecodeTrace:
        """The text of `ids`, with the bytes of each id and every decision. Parameters and errors as for `decode`."""
        ids = budget.ids(ids)
        budget.switch(remove_special, "remove_special")
        budget.switch(unparse_special, "unparse_special")
        events: AnyEvents = Events(self.decoder.row)
        with budget.run(budget.of_ids(len(ids))):
            budget.count_events(events.filled)
            parts = self.decoder.run(ids, remove_special, unparse_special, events.emit)
        return DecodeTrace(tuple(ids), tuple(parts), events, self.decoder)

    def _traced(self, text: str, options: Options, stage_of: Callable[[Part, Items, Options], Stage]) -> Trace:
        stages, items = list[Stage](), initial_items(budget.text(text))
        with budget.run(budget.of_text(len(text))):
            for part in self.parts:
                try:
                    stages.append(stage_of(part, tuple(items), options))
                except Unfinished as error:
                    error.stages = tuple(stages)
                    raise
                items = stages[-1].after
        encoding = Encoding.of(tokens_of(items), self.vocabulary, self.decoder.alone)
        return Trace(text, options, tuple(stages), encoding, self)

    def _tokens(self, text: str, options: Options) -> TextTokens:
        with budget.run(budget.of_text(len(text))):
            return tokens_of(run_through(self.parts, initial_items(text), options))


def rerun_stage(part: Part, before: Items, options: Options, characters: int, emit: Emit) -> None:
    """Runs a stage once more for its events. characters: length of the whole text, for the budget."""
    with budget.run(budget.of_text(characters)):
        part.run(before, options, emit)


BOTH = Options(True, True)


def checked(add_special: bool, parse_special: bool) -> Options:
    """The options of a call. Raises InputError for anything but True and False."""
    if add_special is True and parse_special is True:
        return BOTH
    budget.switch(add_special, "add_special")
    budget.switch(parse_special, "parse_special")
    return Options(add_special, parse_special)


def does_the_same(stage: Stage, before: Items, once: Options, now: Options) -> bool:
    """Whether a stage would do the same if it ran again: its items are the same, and its options are or do not matter.

    Options matter for stages that search special tokens or add tokens around a text.
    """
    return stage.before == before and (once == now or stage.name in WITHOUT_OPTIONS)


WITHOUT_OPTIONS = ("normalize", "pre-tokenize", "model")
"""Stages that ignore the options."""


def tokens_of(items: Items) -> TextTokens:
    """The items after the last stage, all of them tokens."""
    tokens = tuple(item for item in items if isinstance(item, Token))
    assert len(tokens) == len(items), "the model stage leaves no text"
    return tokens

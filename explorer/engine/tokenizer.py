"""A tokenizer: a list of stages, run in order.

    text ─► partition ─► normalize ─► pre-tokenize ─► model ─► post-process ─► ids

Every implementation is this list with other parts; a stage that an implementation does not have is left out. `trace`
gives each stage a sink that keeps its decisions, and `encode` one that does not where spans are wanted; for ids alone
it puts a memory of pieces in front of the same stages (`fast`). The names of the stages are those of Hugging Face's
`tokenizers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Final

from explorer.engine import arguments
from explorer.engine.batch import Batch, encoded
from explorer.engine.decoders.rows import check_ids
from explorer.engine.fast import FastPath
from explorer.engine.items import Items, Token, start
from explorer.engine.limits import budget
from explorer.engine.options import Options
from explorer.engine.part import Decoder, Model, Part, run_through
from explorer.engine.trace import AnyEvents, Emit, Events, silent
from explorer.engine.variants import Variants
from explorer.facts import Choosable, Fact
from explorer.origin import Origin
from explorer.vocabulary import Vocabulary


class Encoding:
    """What `encode` gives: ids, and where they come from once somebody asks.

    ids: of the tokens. vocabulary: whose. align: gives the tokens with their spans; it is called at most once.
    bytes_of: the bytes of one token; without it they are those of its piece, as in tiktoken's vocabularies.
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
        """Tokens that are there already."""
        return cls([token.id for token in tokens], vocabulary, lambda: tuple(tokens), bytes_of)

    def __eq__(self, other: object) -> bool:
        """The same ids at the same places, of the same vocabulary."""
        if not isinstance(other, Encoding) or self.vocabulary is not other.vocabulary:
            return NotImplemented
        return list(self._ids) == list(other._ids) and self.tokens == other.tokens

    def __hash__(self) -> int:
        return hash(tuple(self._ids))

    def __len__(self) -> int:
        """How many tokens."""
        return len(self._ids)

    def __repr__(self) -> str:
        return f"<Encoding of {len(self)} tokens>"

    def _repr_html_(self) -> str:
        """The tokens in their colours, for notebooks."""
        from explorer.notebook import encoding_html

        return encoding_html(self)

    @property
    def ids(self) -> list[int]:
        return list(self._ids)

    @property
    def pieces(self) -> list[str]:
        """The vocabulary's own spelling of each token."""
        return [self.vocabulary.spelling(id) for id in self._ids]

    @property
    def bytes(self) -> list[bytes]:
        """The bytes that each token stands for, however the vocabulary spells them (`Tokenizer.token_bytes`)."""
        return [self.bytes_of(id) for id in self._ids]

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Ids with the spans of the original text they stand for."""
        return self._align()

    @property
    def spans(self) -> list[tuple[int, int] | None]:
        """Per token [start, end) in code points of the original text; None for one that was added (BOS).

        The tokens of one character that was cut have the same span; a token made of inserted text only (the space
        prefix) has an empty one.
        """
        return [None if token.start < 0 else (token.start, token.end) for token in self.tokens]


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a trace: what it was given, what it made of it, and every decision between.

    The alignment travels with the items: each segment and token knows its place in the original text.
    """

    name: str
    part: Part
    before: Items
    after: Items
    events: AnyEvents


@dataclass(frozen=True, slots=True)
class Trace:
    """A text's whole way: the same ids as `encode`, every stage with its events."""

    text: str
    options: Options
    stages: tuple[Stage, ...]
    encoding: Encoding

    @property
    def ids(self) -> list[int]:
        return self.encoding.ids

    def stage(self, name: str) -> Stage:
        """The stage of that name; KeyError where this tokenizer has none."""
        for stage in self.stages:
            if stage.name == name:
                return stage
        raise KeyError(name)

    def _repr_html_(self) -> str:
        """What each stage gives, for notebooks."""
        from explorer.notebook import trace_html

        return trace_html(self)


@dataclass(frozen=True, slots=True)
class DecodeTrace:
    """The way back: the bytes of each id, all of them joined, the text they make, and every decision.

    decoder: who decoded them. text: invalid UTF-8 is replaced by U+FFFD, as the originals' string functions do.
    """

    ids: tuple[int, ...]
    parts: tuple[bytes, ...]
    events: AnyEvents
    decoder: Decoder

    @property
    def data(self) -> bytes:
        return b"".join(self.parts)

    @property
    def text(self) -> str:
        return self.data.decode("utf-8", "replace")


@dataclass(frozen=True, eq=False, repr=False)
class Tokenizer:
    """A vocabulary and the stages that run on it. Immutable: share it between threads and sessions.

    name: as it was asked for. family: of the algorithm, such as "SPM". implementation: whose behaviour this is.
    facts: what the file it was made from says, for people. origin: that file, and what was chosen for it. choosable:
    what may be chosen of it when it is opened. variants: its settings as switches.

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
    facts: tuple[Fact, ...] = ()
    origin: Origin = field(default_factory=Origin)
    choosable: tuple[Choosable, ...] = ()
    variants: Variants = field(default_factory=Variants)

    def __repr__(self) -> str:
        return f"<Tokenizer {self.name} as {self.implementation}, {self.family}, {len(self.vocabulary)} pieces>"

    def encode(self, text: str, *, add_special: bool = True, parse_special: bool = True) -> Encoding:
        """The tokens of `text`. Raises InputError for half a surrogate pair, and for what is no text.

        The ids are had without their spans and several times as fast (`fast`); asked for spans, the stages run.
        """
        text, options = arguments.text(text), checked(add_special, parse_special)
        # `budget.run`, written out: which would cost a short text several per cent
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
        """The ids of many texts in one array, with the offset at which each text begins in another.

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

            return encoded(texts, ids)

    @cached_property
    def model(self) -> Model:
        """The stage that turns text into tokens."""
        return next(part for part in self.parts if isinstance(part, Model))

    @cached_property
    def untraced(self) -> FastPath:
        """The fast path of `encode`, with what it remembers."""
        return FastPath(self.parts)

    def trace(self, text: str, *, add_special: bool = True, parse_special: bool = True) -> Trace:
        """The same, with every stage and every decision."""
        text, options = arguments.text(text), checked(add_special, parse_special)
        stages, items = [], start(text)
        with budget.run(budget.of_text(len(text))):
            for part in self.parts:
                before = tuple(items)
                events: AnyEvents = Events(part.row)
                budget.count_events(events)
                items = part.run(before, options, events.emit)
                stages.append(Stage(part.name, part, before, tuple(items), events))
        return self._traced(text, options, stages, items)

    def trace_lazily(
        self, text: str, *, add_special: bool = True, parse_special: bool = True, like: Trace | None = None
    ) -> Trace:
        """The same trace, but a stage's decisions are found when somebody asks for them, by running that stage again.

        That pays where most stages are only compared. like: another trace, perhaps of a tokenizer that shares some
        parts; a stage that does there what it does here is not run again.
        """
        text, options = arguments.text(text), checked(add_special, parse_special)
        stages, items = [], start(text)
        known = {id(stage.part): stage for stage in like.stages} if like else {}
        with budget.run(budget.of_text(len(text))):
            for part in self.parts:
                before, stage = tuple(items), known.get(id(part))
                if stage is None or like is None or not does_the_same(stage, before, like.options, options):
                    after = tuple(part.run(before, options, silent))
                    later: AnyEvents = Events.later(part.row, partial(again, part, before, options, len(text)))
                    stage = Stage(part.name, part, before, after, later)
                stages.append(stage)
                items = stage.after
        return self._traced(text, options, stages, items)

    def decode(self, ids: Iterable[int], *, remove_special: bool = True, unparse_special: bool = True) -> str:
        """The text of `ids`; bytes that are no UTF-8 become U+FFFD.

        remove_special: drop what `add_special` adds around a text. unparse_special: write the special tokens within
        the text as they are spelled, else leave them out. Raises InputError for an id outside the vocabulary, and for
        what is no id.
        """
        return self.trace_decode(ids, remove_special=remove_special, unparse_special=unparse_special).text

    def token_bytes(self, id: int) -> bytes:
        """The bytes that a token stands for. Raises InputError for an id outside the vocabulary.

        What decoding does by neighbours and position (a space between words, none at the beginning) is left out, and a
        lone byte of a character is that byte: joined, the bytes of all tokens are the text before that.

        >>> import explorer
        >>> [explorer.load(name).token_bytes(id) for name, id in (("gpt-2", 12520), ("llama-2", 1724))]
        [b' \\xf0\\x9f', b' What']
        """
        id = arguments.whole(id, "the id")
        check_ids([id], self.vocabulary)
        return self.decoder.alone(id)

    def trace_decode(
        self, ids: Iterable[int], *, remove_special: bool = True, unparse_special: bool = True
    ) -> DecodeTrace:
        """The same, with the bytes of each id and every decision."""
        ids = arguments.ids(ids)
        arguments.switch(remove_special, "remove_special")
        arguments.switch(unparse_special, "unparse_special")
        events: AnyEvents = Events(self.decoder.row)
        with budget.run(budget.of_ids(len(ids))):
            budget.count_events(events)
            parts = self.decoder.run(ids, remove_special, unparse_special, events.emit)
        return DecodeTrace(tuple(ids), tuple(parts), events, self.decoder)

    def _traced(self, text: str, options: Options, stages: Sequence[Stage], items: Items) -> Trace:
        encoding = Encoding.of(tokens_of(items), self.vocabulary, self.decoder.alone)
        return Trace(text, options, tuple(stages), encoding)

    def _tokens(self, text: str, options: Options) -> tuple[Token, ...]:
        with budget.run(budget.of_text(len(text))):
            return tokens_of(run_through(self.parts, start(text), options))


def again(part: Part, before: Items, options: Options, characters: int, emit: Emit) -> None:
    """Runs a stage once more for its decisions. characters: of the whole text."""
    with budget.run(budget.of_text(characters)):
        part.run(before, options, emit)


BOTH: Final = Options(True, True)


def checked(add_special: bool, parse_special: bool) -> Options:
    """The options of a call. Raises InputError for what is no switch."""
    if add_special is True and parse_special is True:
        return BOTH
    arguments.switch(add_special, "add_special")
    arguments.switch(parse_special, "parse_special")
    return Options(add_special, parse_special)


def does_the_same(stage: Stage, before: Items, once: Options, now: Options) -> bool:
    """Whether a stage does what it did once: the same items, and the options the same or none of its business.

    Options are for what looks for special tokens, and for what is added around a text.
    """
    return stage.before == before and (once == now or stage.name in HEED_NO_OPTIONS)


HEED_NO_OPTIONS: Final = ("normalize", "pre-tokenize", "model")
"""Stages that do the same whatever the options are."""


def tokens_of(items: Items) -> tuple[Token, ...]:
    """The items after the last stage, which are tokens all."""
    tokens = tuple(item for item in items if isinstance(item, Token))
    assert len(tokens) == len(items), "the model stage leaves no text"
    return tokens

"""A tokenizer: a list of stages, run in order.

    text ─► partition ─► normalize ─► pre-tokenize ─► model ─► post-process ─► ids

Every implementation is such a list with other parts; a stage that an implementation does not have is left out. `trace`
gives each stage a sink that stores its events. `encode` runs the same stages without events if spans are wanted; for
ids alone it takes the fast path (`fast`), which caches pieces. The stages have the names of Hugging Face's
`tokenizers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from explorer.engine import arguments, budget
from explorer.engine.decoders.events import check_ids
from explorer.engine.fast import FastPath
from explorer.engine.items import AnyEvents, Emit, Events, Items, Token, initial_items, silent
from explorer.engine.part import Decoder, Model, Options, Part, run_through
from explorer.engine.results import Arrays, Batch, DecodeTrace, Encoding, Stage, Trace, encoded
from explorer.errors import Unfinished
from explorer.vocabulary import Vocabulary

if TYPE_CHECKING:
    from explorer.engine.fast.batches import Batches


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
        text, options = arguments.text(text), checked(add_special, parse_special)
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
    def batches(self) -> Batches:
        """The fast path of `encode_batch`."""
        from explorer.engine.fast.batches import Batches

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
        return self.trace_decode(ids, remove_special=remove_special, unparse_special=unparse_special).text

    def token_bytes(self, id: int) -> bytes:
        """The bytes of a token by itself. Raises InputError for an id outside the vocabulary.

        Leaves out what decoding does by neighbors and position (a space between words, none at the beginning). A lone
        byte of a character is that byte.

        >>> import explorer
        >>> [explorer.load(name).token_bytes(id) for name, id in (("gpt-2", 12520), ("llama-2", 1724))]
        [b' \\xf0\\x9f', b' What']
        """
        id = arguments.an_id(id, "the id")
        check_ids([id], self.vocabulary)
        return self.decoder.alone(id)

    def trace_decode(
        self, ids: Iterable[int], *, remove_special: bool = True, unparse_special: bool = True
    ) -> DecodeTrace:
        """The text of `ids`, with the bytes of each id and every decision. Parameters and errors as for `decode`."""
        ids = arguments.ids(ids)
        arguments.switch(remove_special, "remove_special")
        arguments.switch(unparse_special, "unparse_special")
        events: AnyEvents = Events(self.decoder.row)
        with budget.run(budget.of_ids(len(ids))):
            budget.count_events(events.filled)
            parts = self.decoder.run(ids, remove_special, unparse_special, events.emit)
        return DecodeTrace(tuple(ids), tuple(parts), events, self.decoder)

    def _traced(self, text: str, options: Options, stage_of: Callable[[Part, Items, Options], Stage]) -> Trace:
        stages, items = list[Stage](), initial_items(arguments.text(text))
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

    def _tokens(self, text: str, options: Options) -> tuple[Token, ...]:
        with budget.run(budget.of_text(len(text))):
            return tokens_of(run_through(self.parts, initial_items(text), options))


def rerun_stage(part: Part, before: Items, options: Options, characters: int, emit: Emit) -> None:
    """Runs a stage once more for its events. characters: length of the whole text, for the budget."""
    with budget.run(budget.of_text(characters)):
        part.run(before, options, emit)


BOTH: Final = Options(True, True)


def checked(add_special: bool, parse_special: bool) -> Options:
    """The options of a call. Raises InputError for anything but True and False."""
    if add_special is True and parse_special is True:
        return BOTH
    arguments.switch(add_special, "add_special")
    arguments.switch(parse_special, "parse_special")
    return Options(add_special, parse_special)


def does_the_same(stage: Stage, before: Items, once: Options, now: Options) -> bool:
    """Whether a stage would do the same if it ran again: its items are the same, and its options are or do not matter.

    Options matter for stages that search special tokens or add tokens around a text.
    """
    return stage.before == before and (once == now or stage.name in WITHOUT_OPTIONS)


WITHOUT_OPTIONS: Final = ("normalize", "pre-tokenize", "model")
"""Stages that ignore the options."""


def tokens_of(items: Items) -> tuple[Token, ...]:
    """The items after the last stage, all of them tokens."""
    tokens = tuple(item for item in items if isinstance(item, Token))
    assert len(tokens) == len(items), "the model stage leaves no text"
    return tokens

"""A tokenizer's fast path, put together from its parts.

Many texts at once: compiled (`explorer.compiled`) where that applies and pays, otherwise one after the other.

The compiled code is loaded, and its tables are made, after enough text to pay for it, or if that much is known to
follow: 4 million characters, or 64 million where the code has to be compiled first. `EXPLORER_COMPILED=always` and
`=never` decide otherwise.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterator, Sequence
from math import inf
from threading import Lock
from time import thread_time
from typing import TYPE_CHECKING

from explorer.compiled.kept import NOTHING_KEPT
from explorer.engine.budget import excuse
from explorer.engine.models.longest_match import TrieMatch
from explorer.engine.part import Options, Segment, has_adjacent_texts, initial_items, run_through
from explorer.engine.partition.special_tokens import AddedTokenPartition, Beginnings, SpecialTokenPartition

if TYPE_CHECKING:
    from explorer.compiled.worker import Encoded
    from explorer.engine.fast.compiling.encoder import Compiled, CompiledEncoder, Preprocessing


from functools import cached_property
from typing import TYPE_CHECKING

from explorer.engine.budget import TooSlow
from explorer.engine.part import ADDED, TIMES, Part, Token
from explorer.engine.post_processors import AddSpecial
from explorer.errors import InputError
from explorer.text.input import clean

if TYPE_CHECKING:
    from explorer.engine.fast.cache import PieceCache
    from explorer.engine.fast.strategies import Strategy


LOADING_PAYS = 4_000_000
"""Below this many characters, loading compiled code and making its tables costs more than they save."""

COMPILING_PAYS = 64_000_000
"""Below this many characters, compiling costs more than it saves."""

SWITCH = "EXPLORER_COMPILED"
"""The environment variable that decides whether compiled code runs: always, never; otherwise where it pays."""


class Batches:
    """Encodes many texts under one tokenizer. path: its fast path."""

    def __init__(self, path: FastPath) -> None:
        self.path = path
        self.seen = 0
        """characters met so far"""
        self.expected = 0
        """characters that are known to come"""
        self.keep = NOTHING_KEPT
        """keeps the tables of the compiled encoder"""
        self.why_not = ""
        """why nothing is compiled, as a clause; empty while something is, or before that has been asked"""
        self._encoder: CompiledEncoder | None = None
        self._preprocessing: dict[Options, Preprocessing | None] = {}
        self._lock = Lock()

    def encode(self, texts: Sequence[str], options: Options) -> tuple[array[int], array[int]] | None:
        """The ids of texts and their offsets; None where they are not encoded compiled. Raises InputError."""
        self.seen += sum(map(len, texts))
        encoder = self.encoder()
        if encoder is None or (before := self.preprocessing(options)) is None:
            return None
        ids, offsets = encoder.encode(texts, before)
        made = array("I"), array("Q")
        made[0].frombytes(ids.view("uint8").data)
        made[1].frombytes(offsets.view("uint8").data)
        return made

    def encode_lines(self, data: bytes, options: Options) -> Encoded | None:
        """The ids of lines in UTF-8; None where they are to be given as texts."""
        encoder = self.encoder()
        if encoder is None or (before := self.preprocessing(options)) is None:
            return None
        return encoder.encode_lines(data, before)

    def encoder(self) -> CompiledEncoder | None:
        """The compiled encoder, if it pays by now."""
        if self._encoder is None and not self.why_not and self.pays(max(self.seen, self.expected)):
            with self._lock:
                if self._encoder is None and not self.why_not:
                    self.make()
        return self._encoder

    def pays(self, characters: int) -> bool:
        """Whether compiled code pays for this many characters. Sets `why_not` where it never does."""
        from explorer.compiled import build

        asked = os.environ.get(SWITCH, "")
        if asked == "never":
            self.why_not = f"{SWITCH} is never"
        elif not build.is_installed():
            self.why_not = "numba is not installed"
        elif asked == "always" or build.is_loaded():
            return True
        elif characters >= LOADING_PAYS:
            return characters >= COMPILING_PAYS or build.is_compiled()
        return False

    def why_not_compiled(self, characters: int) -> str:
        """Why a job over this many characters does not run compiled, as a clause; empty where it does."""
        from explorer.engine.fast.compiling.encoder import NotCompiled

        pays = self.pays(self.seen + characters)
        if self.why_not:
            return self.why_not
        try:
            self.parts()
        except NotCompiled as error:
            return str(error)
        return "" if pays else "the text is too short for loading or compiling the code to pay"

    def parts(self) -> Compiled:
        """What is compiled. Raises NotCompiled."""
        from explorer.engine.fast.compiling.encoder import NotCompiled, at_spaces, parts_of

        path = self.path
        if path.lengths:
            raise NotCompiled("its ids are truncated or padded")
        if path.partitions_again:
            raise NotCompiled("it looks for special tokens in the normalized text, too")
        if not all(isinstance(part, (AddedTokenPartition, SpecialTokenPartition)) for part in path.partitions):
            raise NotCompiled("its text is cut before the pre-tokenizer")
        if isinstance(path.model, TrieMatch) and not path.between:
            return path.model
        try:
            # first, because the strategy of a pattern takes a tenth of a second to make
            return parts_of(path.between, path.model)
        except NotCompiled:
            found = at_spaces(path.strategy)
            if found is None:
                raise
            return found

    def make(self) -> None:
        """Makes the compiled encoder, or notes why there is none."""
        from explorer.compiled import build
        from explorer.engine.fast.compiling.encoder import CompiledEncoder, NotCompiled

        began = thread_time()
        try:
            self._encoder = CompiledEncoder.of(self.parts(), build.compiled(), keep=self.keep)
        except NotCompiled as error:
            self.why_not = str(error)
        except ImportError as error:
            self.why_not = f"numba cannot be imported ({error})"
        # loading, or compiling, is not the text's fault
        excuse(thread_time() - began)

    def preprocessing(self, options: Options) -> Preprocessing | None:
        """What precedes the compiled code under these options, None where a template repeats the text."""
        if options not in self._preprocessing:
            self._preprocessing[options] = self.make_preprocessing(options)
        return self._preprocessing[options]

    def make_preprocessing(self, options: Options) -> Preprocessing | None:
        """What precedes the compiled code under these options, computed anew."""
        from explorer.engine.fast.compiling.encoder import AtPieces, Parts, Preprocessing
        from explorer.engine.fast.piece_encoder import PieceEncoder
        from explorer.engine.fast.strategies import ByPattern

        path, encoder = self.path, self._encoder
        template = path.template(options)
        if encoder is None or template.count(None) != 1:
            return None
        at, found = template.index(None), self.parts()
        most = found.most if isinstance(found, AtPieces) else inf
        # what is done to a text that is cut at white space is done to its pieces; a Unicode form is made later
        pattern = ByPattern(found.before if isinstance(found, Parts) else (), (), PieceEncoder(path.model))
        normalizes = bool(pattern.before) and pattern.form is None
        normalized = pattern.normalized if normalizes else str
        cutting = path.partitions[0] if len(path.partitions) == 1 and options.parse_special else None

        def parts(text: str) -> list[str | int] | None:
            if len(text) > most:
                return None
            if isinstance(cutting, AddedTokenPartition) and (pieces := cutting.pieces(clean(text))) is not None:
                return [each if isinstance(each, int) else normalized(each) for each in pieces]
            items = run_through(path.partitions, initial_items(text), options)
            if has_adjacent_texts(items):
                return None
            return [normalized(item.text) if isinstance(item, Segment) else item.id for item in items]

        def changes(text: str) -> bool:
            return normalizes or len(text) > most

        return Preprocessing(
            Beginnings(contents(path, options)),
            changes if normalizes or most < inf else None,
            0 if normalizes else most,
            parts,
            lambda text: path.ids(text, options),
            tuple(id for id in template[:at] if id is not None),
            tuple(id for id in template[at + 1 :] if id is not None),
        )


def contents(path: FastPath, options: Options) -> Iterator[str]:
    """Every special token that is searched for."""
    for part in path.partitions:
        if isinstance(part, SpecialTokenPartition):
            yield from (one.text for one in part.special_tokens if options.parse_special or not one.only_if_parsed)
        elif isinstance(part, AddedTokenPartition):
            yield from (one.content for one in part.tokens if options.parse_special or not one.special)


PAYS = 2_000
"""Characters. Finding a strategy takes up to a third of a second, more than the stages need for the first texts."""


class FastPath:
    """From text to ids.

    parts: the tokenizer's stages.

    >>> import explorer
    >>> FastPath(explorer.load("llama-2").parts).ids("What is LoRA?" * 200, Options())[:3]
    [1, 1724, 338]
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        names = [part.name for part in parts]
        first = next(index for index, name in enumerate(names) if not name.startswith("partition"))
        last = names.index("model")
        self.parts, self.partitions, self.after = tuple(parts), tuple(parts[:first]), tuple(parts[last + 1 :])
        self.between, self.model = tuple(parts[first:last]), parts[last]
        self.partitions_again = any(part.name.startswith("partition") for part in self.between)
        """whether special tokens are looked for once more, in the normalized text"""
        self.lengths = any(
            part.name != "post-process" or (isinstance(part, AddSpecial) and part.once) for part in self.after
        )
        """whether what follows the model depends on the text's ids: on how many there are, or on the last one"""
        self._templates: dict[Options, list[int | None]] = {}
        """what post-processing adds, by options (`template`)"""
        self._seen = 0
        """characters encoded by the stages so far, up to PAYS"""

    @cached_property
    def strategy(self) -> Strategy:
        """How fragments of text become ids. Imported here, because the first short texts do without."""
        from explorer.engine.fast.strategies import strategy_for

        return strategy_for(self.between, self.model)

    @cached_property
    def of_one_text(self) -> tuple[Callable[[str], object], Callable[[str], list[int]]] | None:
        """Whether a token may be cut out of a text, and the ids of one where none is; None for other stages."""
        from explorer.engine.fast.strategies import ByText

        match self.partitions:
            case (SpecialTokenPartition(any=search),) | (AddedTokenPartition(search=search),) if (
                search is not None and isinstance(self.strategy, ByText)
            ):
                return search.search, self.strategy.ids_of_text
        return None

    @property
    def memory(self) -> PieceCache:
        """The strategy's cache, with its counts."""
        return self.strategy.cache

    def ids(self, text: str, options: Options) -> list[int]:
        """The ids of `text`. Raises InputError as the stages do."""
        try:
            return self.unlocated(text, options)
        except TooSlow:
            raise
        except InputError:
            # the error may count within a piece; the stages know the position in the text
            return self.by_stages(text, options)

    def unlocated(self, text: str, options: Options) -> list[int]:
        """The ids of `text`. A position in an InputError may be one within a piece."""
        if self.lengths or not text:  # a stage may put something in front of no text
            return self.by_stages(text, options)
        if self._seen < PAYS:
            self._seen += len(text)
            if self._seen < PAYS:
                return self.by_stages(text, options)
        if self.partitions_again and not options.parse_special:
            return self.by_stages(text, options)
        # most texts are one fragment and many are short, so the work per text counts
        if self.of_one_text is not None and not self.of_one_text[0](text := clean(text)):
            return self.post_processed(self.of_one_text[1](text), options)
        items = run_through(self.partitions, initial_items(text), options)
        if len(items) == 1 and isinstance(items[0], Segment):
            return self.post_processed(self.strategy.ids(items[0]), options)
        if has_adjacent_texts(items):
            return self.by_stages(text, options)
        ids: list[int] = []
        for item in items:
            if isinstance(item, Segment):
                ids += self.strategy.ids(item)
            else:
                ids.append(item.id)
        return self.post_processed(ids, options)

    def by_stages(self, text: str, options: Options) -> list[int]:
        """The ids of `text` from the stages themselves."""
        return [item.id for item in run_through(self.parts, initial_items(text), options) if isinstance(item, Token)]

    def post_processed(self, ids: list[int], options: Options) -> list[int]:
        """The ids with those that post-processing adds."""
        template = self._templates.get(options) or self.template(options)
        if template == [None]:
            return ids
        if template.count(None) > TIMES:
            # a template that repeats the text; the stage limits how often
            items = run_through(self.after, [Token(id, 0, 0) for id in ids], options)
            return [item.id for item in items if isinstance(item, Token)]
        done: list[int] = []
        for id in template:
            if id is None:
                done += ids
            else:
                done.append(id)
        return done

    def template(self, options: Options) -> list[int | None]:
        """The ids that post-processing adds, None where the text goes."""
        items = run_through(self.after, [Token(0, 0, 0)], options)
        self._templates[options] = found = [
            item.id if item.start == ADDED else None for item in items if isinstance(item, Token)
        ]
        return found

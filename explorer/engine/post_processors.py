"""Post-processors add the tokens that a model wants around a text, and cut or pad its ids to a length.

`AddSpecial` follows the end of llama.cpp's `tokenize` for SPM, if the caller asks for special tokens and the vocabulary
says so. A text that already begins with BOS gets a second one, as in the original; the trace reports it.

Hugging Face's post-processors are applied in turn, each to a list of parts. At first there is one part, the tokens of
the text. A template adds special tokens, and each of its slots becomes a part. The number of parts determines what the
next processor does: for one part it uses its template for a single text, for two that for a pair, whatever the parts
are. Follows `processors/` of Hugging Face's tokenizers.

Truncation and padding follow `TokenizerImpl::post_process`, `utils/truncation.rs` and `utils/padding.rs` of Hugging
Face's tokenizers, for one text. Truncation comes before post-processing and leaves room for the tokens added there;
padding is last. If the added tokens alone exceed the length, the original's count underflows and it cuts nothing; this
is reproduced.

Left out: pairs of texts, type ids, batches, and the parts that are cut off (`overflowing`): the trace only counts them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple, Protocol

from explorer.engine.budget import ask
from explorer.engine.part import ADDED, AT_LEAST, TIMES, Emit, Items, Options, TextToken, Token, silent
from explorer.errors import InputError
from explorer.text import WHITE_SPACE
from explorer.vocabulary import PRINTABLE


class PostProcessEvent(IntEnum):
    """What a `PostProcessRow` says."""

    FIRST = 0
    """A token was added at the beginning."""
    LAST = 1
    """A token was added at the end."""
    TWICE = 2
    """The text itself begins with the token that was added at the beginning."""
    NOT_ASKED = 3
    """The model has such a token, but `add_special` is off."""
    SPARE = 4
    """The original has another option, not `add_special`, that adds this token. `unused` is 1 for a token after the
    text, 0 for one before it."""
    TRIMMED = 5
    """White space at the ends of the token was removed from its span: the file asks for trimmed offsets."""
    AGAIN = 6
    """The template contains the text more than once: this is another copy of the token."""
    LEFT_OUT = 7
    """The template does not contain the text: its tokens are left out. `unused` is how many; token is -1."""
    PRESENT = 8
    """The text itself ends with the token to add at the end, so it is not added."""


class PostProcessRow(NamedTuple):
    """One decision of post-processing."""

    kind: int
    """A `PostProcessEvent`."""
    position: int
    """Index in the ids, -1 for NOT_ASKED, SPARE, LEFT_OUT and PRESENT."""
    unused: int
    """0 except for LEFT_OUT and SPARE."""
    token: int
    """The token's id."""


@dataclass(eq=False)
class AddSpecial:
    """Adds one token at the beginning, one at the end, both or none.

    first, last: their ids. spare: tokens that another option of the original adds, each with 1 if it comes after the
    text and 0 otherwise. once: `last` is not added to a text that ends with it (`ByT5Tokenizer` of transformers).

    >>> AddSpecial(first=1).run([Token(338, 0, 3)], Options(), lambda *row: None)
    [Token(id=1, start=-1, end=-1), Token(id=338, start=0, end=3)]
    """

    name = "post-process"
    row = PostProcessRow
    kinds = PostProcessEvent

    first: int | None = None
    last: int | None = None
    spare: Sequence[tuple[int, int]] = ()
    once: bool = False

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The tokens with those that are added."""
        done = list(items)
        if not options.add_special:
            for token in (self.first, self.last):
                if token is not None:
                    emit(PostProcessEvent.NOT_ASKED, -1, 0, token)
            return done
        if self.first is not None:
            if done and done[0].id == self.first:  # type: ignore[union-attr]  # after the model all items are tokens
                emit(PostProcessEvent.TWICE, 1, 0, self.first)
            done.insert(0, Token(self.first, ADDED, ADDED))
            emit(PostProcessEvent.FIRST, 0, 0, self.first)
        if self.once and self.last is not None and done and done[-1].id == self.last:  # type: ignore[union-attr]  # as above
            emit(PostProcessEvent.PRESENT, -1, 0, self.last)
        elif self.last is not None:
            emit(PostProcessEvent.LAST, len(done), 0, self.last)
            done.append(Token(self.last, ADDED, ADDED))
        for token, is_after in self.spare:
            emit(PostProcessEvent.SPARE, -1, is_after, token)
        return done


FROM_TEXT = -1
"""The `how` of a token that no processor has changed."""


class Entry(NamedTuple):
    """A token in a part. how: the `PostProcessEvent` to emit for it at the end, or FROM_TEXT."""

    token: Token
    how: int = FROM_TEXT


Parts = list[list[Entry]]


class Processor(Protocol):
    """One post-processor."""

    @property
    def added(self) -> int:
        """How many tokens it claims to add to a single text, for which truncation leaves room."""

    def process(self, parts: Parts, add_special: bool, emit: Emit) -> Parts:
        """The parts after it. Raises InputError for a number of parts that the original does not support."""


def inserted(ids: Sequence[int], how: PostProcessEvent, add_special: bool, emit: Emit) -> list[Entry]:
    """Tokens to add, none without `add_special`, which is emitted."""
    if add_special:
        return [Entry(Token(id, ADDED, ADDED), how) for id in ids]
    for id in ids:
        emit(PostProcessEvent.NOT_ASKED, -1, 0, id)
    return []


Slot = int | tuple[int, ...]
"""A slot of a template: the index of a part, or the ids of a special token."""


class Template:
    """Adds special tokens around and between parts (TemplateProcessing).

    single, pair: the slots, for one part and for two.

    >>> template = Template([(1, 2), 0, (3,)], [])
    >>> [[entry.token.id for entry in part] for part in template.process([[Entry(Token(7, 0, 1))]], True, silent)]
    [[1, 2], [7], [3]]
    """

    def __init__(self, single: Sequence[Slot], pair: Sequence[Slot]) -> None:
        self.single, self.pair = tuple(single), tuple(pair)
        self.added = sum(len(slot) for slot in self.single if isinstance(slot, tuple))

    def process(self, parts: Parts, add_special: bool, emit: Emit) -> Parts:
        """The template with its slots filled."""
        if len(parts) not in (1, 2):
            raise InputError(f"a template for one text or two gets {len(parts)} parts from the processor before it")
        template = self.single if len(parts) == 1 else self.pair
        made: Parts = []
        used: set[int] = set()
        count = sum(map(len, parts))
        left = most = AT_LEAST + TIMES * count
        for slot in template:
            left -= len(slot) if isinstance(slot, tuple) else len(parts[slot]) if slot < len(parts) else 0
            if left < 0:
                raise InputError(
                    f"the template makes more than {most} tokens of {count}, far more than any real template; give "
                    "another file, or a shorter text"
                )
            if isinstance(slot, tuple):
                special = inserted(slot, PostProcessEvent.LAST if used else PostProcessEvent.FIRST, add_special, emit)
                if add_special:
                    made.append(special)
                continue
            if slot >= len(parts):
                raise InputError("the template for a single text asks for the second text of a pair")
            made.append(
                [Entry(token, PostProcessEvent.AGAIN) for token, _ in parts[slot]] if slot in used else parts[slot]
            )
            used.add(slot)
        for index, part in enumerate(parts):
            if index not in used and part:
                emit(PostProcessEvent.LEFT_OUT, -1, len(part), -1)
        return made


@dataclass(eq=False)
class BertProcessing:
    """Adds one token before the first part and one after every part.

    first, last: their ids.

    >>> BertProcessing(1, 2).process([[]], True, silent)[0][1].token.id
    2
    """

    added = 2
    doubles_separator = False
    """whether `sep` also precedes every part but the first"""

    first: int
    last: int

    def process(self, parts: Parts, add_special: bool, emit: Emit) -> Parts:
        """The parts with the two tokens."""
        made: Parts = []
        for index, part in enumerate(parts):
            front: list[Entry] = []
            if not index:
                front = inserted((self.first,), PostProcessEvent.FIRST, add_special, emit)
            elif self.doubles_separator:
                front = inserted((self.last,), PostProcessEvent.LAST, add_special, emit)
            made.append([*front, *part, *inserted((self.last,), PostProcessEvent.LAST, add_special, emit)])
        return made


class RobertaProcessing(BertProcessing):
    """Adds the separator before every part but the first as well. `TrimOffsets` trims offsets.

    >>> [len(part) for part in RobertaProcessing(1, 2).process([[], []], True, silent)]
    [2, 2]
    """

    doubles_separator = True


SPACES = frozenset([*map(chr, WHITE_SPACE), PRINTABLE[0x20]])
"""White space at the ends of a piece: Unicode's, and the printable spelling of a space."""


class TrimOffsets:
    """Removes white space at the ends of a piece from its span (ByteLevel and RobertaProcessing, trim_offsets).

    It counts characters of the piece's spelling, or of the token's text (`TextToken`), whatever they are in the input.

    spellings: by id. prefix_space: one space at the beginning of the text counts as the one that a pre-tokenizer put
    there, and stays in the span.

    >>> TrimOffsets([" is".encode()], False).process([[Entry(Token(0, 4, 7))]], True, silent)
    [[Entry(token=Token(id=0, start=5, end=7), how=<PostProcessEvent.TRIMMED: 5>)]]
    """

    added = 0

    def __init__(
        self, spellings: Sequence[bytes], prefix_space: bool, others: Mapping[int, bytes] | None = None
    ) -> None:
        """others: the model's pieces of ids that an added token has taken over."""
        self.spellings, self.prefix_space, self.others = spellings, prefix_space, others or {}
        self._spaces: dict[int, tuple[int, int]] = {}

    def spaces(self, id: int) -> tuple[int, int]:
        """How many white space characters a piece begins and ends with."""
        found = self._spaces.get(id)
        if found is None:
            found = self._spaces[id] = at_ends(self.others.get(id, self.spellings[id]).decode("utf-8", "replace"))
        return found

    def process(self, parts: Parts, add_special: bool, emit: Emit) -> Parts:
        """The parts with all spans trimmed."""
        return [[self.trimmed(entry, index) for index, entry in enumerate(part)] for part in parts]

    def trimmed(self, entry: Entry, index: int) -> Entry:
        """The entry with its span trimmed. index: of the token within its part."""
        was = entry.token
        id, start, end = was
        front, back = at_ends(was.text) if isinstance(was, TextToken) else self.spaces(id)
        if (not front and not back) or start == ADDED:
            return entry
        if not (front == 1 and self.prefix_space and (index == 0 or start == 0)):
            start = min(start + front, end)
        if back and end >= back:
            end = max(end - back, start)
        token = TextToken.of(id, start, end, was.text) if isinstance(was, TextToken) else Token(id, start, end)
        return entry if token == was else Entry(token, PostProcessEvent.TRIMMED)


def at_ends(text: str) -> tuple[int, int]:
    """How many white space characters a text begins and ends with.

    >>> at_ends(" Ġa "), at_ends("  ")
    ((2, 1), (2, 2))
    """
    front = next((index for index, ch in enumerate(text) if ch not in SPACES), len(text))
    return front, next((index for index, ch in enumerate(reversed(text)) if ch not in SPACES), len(text))


class PostProcessing:
    """The stage: processors applied in turn.

    before, after: the ids they add before and after a text, which decoding may drop.

    >>> stage = PostProcessing([Template([(1,), 0], [])])
    >>> [token.id for token in stage.run([Token(7, 0, 1)], Options(), silent)], stage.before
    ([1, 7], (1,))
    """

    name = "post-process"
    row = PostProcessRow
    kinds = PostProcessEvent

    def __init__(self, processors: Sequence[Processor]) -> None:
        self.processors = tuple(processors)

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The tokens with those that are added."""
        parts = self.parts([Entry(item) for item in items if isinstance(item, Token)], options.add_special, emit)
        done: list[Token] = []
        begun = False
        for token, how in (entry for part in parts for entry in part):
            if token.start != ADDED and not begun:
                begun = True
                if done and done[0].id == token.id:
                    emit(PostProcessEvent.TWICE, len(done), 0, token.id)
            if how != FROM_TEXT:
                emit(how, len(done), 0, token.id)
            done.append(token)
        return done

    def parts(self, entries: list[Entry], add_special: bool, emit: Emit) -> Parts:
        """The parts after the last processor."""
        parts: Parts = [entries]
        for processor in self.processors:
            ask("post-processing")
            parts = processor.process(parts, add_special, emit)
        return parts

    @property
    def added(self) -> int:
        """How many tokens the processors claim to add to a single text."""
        return sum(processor.added for processor in self.processors)

    @cached_property
    def around(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The ids added before and after a text."""
        text = Token(0, 0, 0)
        entries = [entry.token for part in self.parts([Entry(text)], True, silent) for entry in part]
        inside = [index for index, token in enumerate(entries) if token.start != ADDED] or [len(entries)]
        ids = [token.id for token in entries]
        return tuple(ids[: inside[0]]), tuple(ids[inside[-1] + 1 :])

    @property
    def before(self) -> tuple[int, ...]:
        """The ids added before a text."""
        return self.around[0]

    @property
    def after(self) -> tuple[int, ...]:
        """The ids added after a text."""
        return self.around[1]


MOST = 1_000_000
"""The largest padded length, in tokens."""


class LengthEvent(IntEnum):
    """What a `LengthRow` says."""

    CUT = 0
    """The tokens [start, end) are cut off: they exceed the length."""
    FILLED = 1
    """`token` fills the positions [start, end)."""


class LengthRow(NamedTuple):
    """One decision about the length."""

    kind: int
    """A `LengthEvent`."""
    start: int
    """First index; CUT: among the tokens before the stage; FILLED: among those after it."""
    end: int
    """One after the last."""
    token: int
    """FILLED: the padding token's id, else -1."""


@dataclass(eq=False)
class Truncation:
    """Cuts the tokens of a text to a length, before special tokens are added.

    longest: the length in tokens, added ones included. added: how many are added later. left: cut at the beginning, not
    at the end. stride: by how many tokens the parts overlap. second_only: only the second text of a pair may be cut.

    >>> tokens = [Token(id, id, id + 1) for id in range(5)]
    >>> [token.id for token in Truncation(5, added=2).run(tokens, Options(), lambda *row: None)]
    [0, 1, 2]
    """

    name = "truncate"
    row = LengthRow
    kinds = LengthEvent

    longest: int
    _: KW_ONLY
    added: int = 0
    left: bool = False
    stride: int = 0
    second_only: bool = False

    def room(self, options: Options) -> int | None:
        """How many tokens the text itself may have; None: any number."""
        if not options.add_special:
            return self.longest
        return self.longest - self.added if self.longest >= self.added else None

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The tokens that remain. Raises InputError where the original stops."""
        room, size = self.room(options), len(items)
        if room is None or size <= room:
            return items
        if room and self.second_only:
            raise InputError(
                f"the text has {size} tokens, {room} are allowed, and only the second text of a pair may be cut "
                "(OnlySecond); give a shorter text, or another file"
            )
        if room and self.stride >= room:
            raise InputError(
                f"the parts would overlap by {self.stride} tokens, but a part has {room}; tokenizers refuses that, "
                "so give a file with a smaller stride"
            )
        start, end = (0, size - room) if self.left else (room, size)
        emit(LengthEvent.CUT, start, end, -1)
        return [*items[:start], *items[end:]]

    def parts(self, size: int, room: int) -> Iterator[tuple[int, int]]:
        """The parts [start, end) that the original makes of `size` tokens; it keeps the first.

        >>> list(Truncation(4, stride=1).parts(8, 4)), list(Truncation(4, left=True).parts(6, 4))
        ([(0, 4), (3, 7), (6, 8)], [(2, 6), (0, 2)])
        """
        if not room:
            yield from ((0, 0), (0, size))
            return
        for at in range(0, size, room - self.stride):
            part = (at, min(at + room, size))
            yield (max(size - at - room, 0), size - at) if self.left else part
            if part[1] == size:
                return


@dataclass(eq=False)
class Padding:
    """Pads ids to a length, after all other stages.

    token: the padding token's id. length: None for padding to the longest of a batch, which leaves a single text as it
    is. multiple: the length is rounded up to a multiple of this. left: pad at the beginning, not at the end.

    >>> [token.id for token in Padding(0, 4).run([Token(7, 0, 1)], Options(), lambda *row: None)]
    [7, 0, 0, 0]
    """

    name = "pad"
    row = LengthRow
    kinds = LengthEvent

    token: int
    length: int | None
    _: KW_ONLY
    multiple: int = 0
    left: bool = False

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The tokens with padding."""
        size = len(items)
        length = size if self.length is None else self.length
        if self.multiple:
            length = -(-length // self.multiple) * self.multiple
        if length <= size:
            return items
        filling = [Token(self.token, ADDED, ADDED)] * (length - size)
        emit(LengthEvent.FILLED, *((0, length - size) if self.left else (size, length)), self.token)
        return [*filling, *items] if self.left else [*items, *filling]

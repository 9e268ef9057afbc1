"""Post-processing as Hugging Face does it: processors in a row, each over a list of parts.

At first there is one part, the tokens of the text. A template puts special tokens around it, and each place of the
template is a part from then on. How many parts there are decides what the next one does: of one it takes its template
for a single text, of two the one for a pair, whatever the parts are. Follows `processors/` of Hugging Face's
tokenizers.

Left out: pairs of texts, type ids, and what is only for truncated texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple, Protocol, TypeAlias

from explorer.engine.items import ADDED, Items, Token
from explorer.engine.limits.budget import ask
from explorer.engine.limits.length import AT_LEAST, TIMES
from explorer.engine.options import Options
from explorer.engine.partition.added_tokens import StrippedToken
from explorer.engine.post_processors.rows import PostProcessEvent, PostProcessRow
from explorer.engine.trace import Emit, silent
from explorer.engine.unicode.byte_map import PRINTABLE
from explorer.errors import InputError
from explorer.text import WHITE_SPACE

FROM_TEXT: Final = -1
"""How a token came here that nothing was done to."""


class Entry(NamedTuple):
    """A token on its way. how: the `PostProcessEvent` kind that the stage says of it at the end, or FROM_TEXT."""

    token: Token
    how: int = FROM_TEXT


Parts: TypeAlias = list[list[Entry]]


class Processor(Protocol):
    """One post-processor. Raises InputError for a number of parts that the original cannot go on with.

    added: how many tokens it says it adds to a single text, for which truncation leaves room.
    """

    @property
    def added(self) -> int: ...

    def process(self, parts: Parts, add_special: bool, emit: Emit) -> Parts: ...


def inserted(ids: Sequence[int], how: PostProcessEvent, add_special: bool, emit: Emit) -> list[Entry]:
    """Tokens that are not from the text; where they are not asked for the trace says so and there are none."""
    if add_special:
        return [Entry(Token(id, ADDED, ADDED), how) for id in ids]
    for id in ids:
        emit(PostProcessEvent.NOT_ASKED, -1, 0, id)
    return []


Slot: TypeAlias = int | tuple[int, ...]
"""A place in a template: the number of a part, from 0, or the ids of a special token."""


class Template:
    """Special tokens around the text, or between its parts (TemplateProcessing).

    single, pair: the places, for one part and for two.

    >>> template = Template([(1, 2), 0, (3,)], [])
    >>> [[entry.token.id for entry in part] for part in template.process([[Entry(Token(7, 0, 1))]], True, silent)]
    [[1, 2], [7], [3]]
    """

    def __init__(self, single: Sequence[Slot], pair: Sequence[Slot]) -> None:
        self.single, self.pair = tuple(single), tuple(pair)
        self.added = sum(len(slot) for slot in self.single if isinstance(slot, tuple))

    def process(self, parts: Parts, add_special: bool, emit: Emit) -> Parts:
        if len(parts) not in (1, 2):
            raise InputError(f"a template for one text or two is given {len(parts)} parts by the processor before it")
        template = self.single if len(parts) == 1 else self.pair
        made: Parts = []
        used: set[int] = set()
        given = sum(map(len, parts))
        left = AT_LEAST + TIMES * given
        for slot in template:
            left -= len(slot) if isinstance(slot, tuple) else len(parts[slot]) if slot < len(parts) else 0
            if left < 0:
                raise InputError(
                    f"the template makes more than {AT_LEAST + TIMES * given} tokens of the {given} it is given, far "
                    "more than any real one; give another file, or a shorter text"
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
        for place, part in enumerate(parts):
            if place not in used and part:
                emit(PostProcessEvent.LEFT_OUT, -1, len(part), -1)
        return made


class Enclose:
    """One token in front of the first part and one behind every part (BertProcessing, RobertaProcessing).

    doubled: the one that stands behind stands in front of every part but the first as well (RobertaProcessing).

    >>> Enclose(1, 2).process([[]], True, silent)[0][1].token.id
    2
    """

    added = 2

    def __init__(self, first: int, last: int, doubled: bool = False) -> None:
        self.first, self.last, self.doubled = first, last, doubled

    def process(self, parts: Parts, add_special: bool, emit: Emit) -> Parts:
        made: Parts = []
        for place, part in enumerate(parts):
            front: list[Entry] = []
            if not place:
                front = inserted((self.first,), PostProcessEvent.FIRST, add_special, emit)
            elif self.doubled:
                front = inserted((self.last,), PostProcessEvent.LAST, add_special, emit)
            made.append([*front, *part, *inserted((self.last,), PostProcessEvent.LAST, add_special, emit)])
        return made


SPACES: Final = frozenset([*map(chr, WHITE_SPACE), PRINTABLE[0x20]])
"""What counts for white space at the end of a piece: Unicode's, and the printable spelling of a space."""


class TrimOffsets:
    """White space at the ends of a piece is taken from its span (ByteLevel and RobertaProcessing, trim_offsets).

    Pieces are counted in characters, whatever they stood for in the text; of an added token counts all that it took.

    spellings: of each id. prefix_space: one space at the beginning of the text is taken for the one that a
    pre-tokenizer put there, and stays in the span.

    >>> TrimOffsets([" is".encode()], False).process([[Entry(Token(0, 4, 7))]], True, silent)
    [[Entry(token=Token(id=0, start=5, end=7), how=<PostProcessEvent.TRIMMED: 90>)]]
    """

    added = 0

    def __init__(
        self, spellings: Sequence[bytes], prefix_space: bool, others: Mapping[int, bytes] | None = None
    ) -> None:
        """others: ids that are spelled otherwise in the text than in `spellings`."""
        self.spellings, self.prefix_space, self.others = spellings, prefix_space, others or {}
        self._spaces: dict[int, tuple[int, int]] = {}

    def spaces(self, id: int) -> tuple[int, int]:
        """How many white space characters a piece begins and ends with."""
        found = self._spaces.get(id)
        if found is None:
            found = self._spaces[id] = at_ends(self.others.get(id, self.spellings[id]).decode("utf-8", "replace"))
        return found

    def process(self, parts: Parts, add_special: bool, emit: Emit) -> Parts:
        return [[self.trimmed(entry, place) for place, entry in enumerate(part)] for part in parts]

    def trimmed(self, entry: Entry, place: int) -> Entry:
        """The entry with its span trimmed. place: of the token within its part."""
        was = entry.token
        id, start, end = was
        front, back = at_ends(was.text) if isinstance(was, StrippedToken) else self.spaces(id)
        if (not front and not back) or start == ADDED:
            return entry
        if not (front == 1 and self.prefix_space and (place == 0 or start == 0)):
            start = min(start + front, end)
        if back and end >= back:
            end = max(end - back, start)
        token = StrippedToken.of(id, start, end, was.text) if isinstance(was, StrippedToken) else Token(id, start, end)
        return entry if token == was else Entry(token, PostProcessEvent.TRIMMED)


def at_ends(text: str) -> tuple[int, int]:
    """How many white space characters a text begins and ends with.

    >>> at_ends(" Ġa "), at_ends("  ")
    ((2, 1), (2, 2))
    """
    front = next((place for place, ch in enumerate(text) if ch not in SPACES), len(text))
    return front, next((place for place, ch in enumerate(reversed(text)) if ch not in SPACES), len(text))


class PostProcessing:
    """The stage: processors in turn.

    before, behind: the ids that they put in front of a text and behind it, which decoding may drop.

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
        parts: Parts = [entries]
        for processor in self.processors:
            ask("post-processing")
            parts = processor.process(parts, add_special, emit)
        return parts

    @property
    def added(self) -> int:
        """How many tokens the processors say they add to a single text."""
        return sum(processor.added for processor in self.processors)

    @cached_property
    def around(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        text = Token(0, 0, 0)
        entries = [entry.token for part in self.parts([Entry(text)], True, silent) for entry in part]
        inside = [place for place, token in enumerate(entries) if token.start != ADDED] or [len(entries)]
        ids = [token.id for token in entries]
        return tuple(ids[: inside[0]]), tuple(ids[inside[-1] + 1 :])

    @property
    def before(self) -> tuple[int, ...]:
        return self.around[0]

    @property
    def behind(self) -> tuple[int, ...]:
        return self.around[1]

"""Compares two runs on one text: where the ids differ, at which stage first, and why.

The ids are aligned on the characters of the original text and differ in *regions*, the smallest stretches at whose
ends both sides have a cut. A token inserted between two characters belongs to the region after it. Cuts inside a
stretch of equal characters with different spans don't count. The cause of a region is the first stage, in pipeline
order, whose output differs there and keeps differing up to the model (`states` says when two outputs count as equal
although they are spelled differently). Nothing outside a region matters inside it: where both sides end a token, the
text beyond took no part in merges, best path or longest match. There are two exceptions: a special token ends the
text before it, and what a character became may decide where a pre-tokenizer cuts (`text_causes`).

A stage may also differ without consequence for the ids. Those differences are listed separately, as `harmless`.

Two tokenizers on the lines of files: how many lines differ, grouped by stage and kind, with examples. Lines are read
one at a time and not kept (`inputs.py`). Both sides encode each line; only a line whose ids differ is traced and
compared.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from explorer.analysis.divergence.matching import (
    AlignedGroup,
    Boundary,
    TextDifferences,
    aligned_groups,
    overlap,
    touching,
)
from explorer.analysis.divergence.model_causes import ModelCauses, added_tokens, lengths, truncation
from explorer.analysis.divergence.result import (
    BY_SPAN,
    NORMALIZE,
    ORDER,
    PAD,
    PARTITION,
    POST_PROCESS,
    PRE_TOKENIZE,
    TEXT_STAGES,
    TRUNCATE,
    Comparison,
    DifferenceKind,
    Divergence,
    Harmless,
    Run,
    Side,
    TextEvents,
    TokenRanges,
    labels,
    run,
    states,
    where,
)
from explorer.analysis.divergence.text_causes import TextCauses
from explorer.analysis.inputs import Line
from explorer.analysis.ownership import Span, cells_of
from explorer.engine.budget import many_runs
from explorer.engine.part import Options
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.text.say import Say

LIST_STAGES = (TRUNCATE, POST_PROCESS, PAD)
"""Stages that work on the list of tokens, whatever the text."""


def compare(left: Run, right: Run) -> Comparison:
    """Compares two runs on one text. Raises InputError if the texts differ.

    >>> import explorer
    >>> from explorer.analysis.divergence.result import runs
    >>> qwen = [explorer.load(spec) for spec in ("qwen2.5", "qwen2.5@llama.cpp")]
    >>> print(compare(*runs(qwen, "A\\u030angstrom")).sentence)
    normalize, characters 1 to 2: Hugging Face composes A + U+030A to Å (NFC); llama.cpp leaves two code points.
    """
    if left.text != right.text:
        raise InputError("the two texts are not the same; compare tokenizers on one text")
    with many_runs("a comparison", len(left.text)):
        return Comparer(left, right).comparison()


class Comparer:
    """Compares two runs: finds the regions, asks for each one's cause, and writes both down as divergences."""

    def __init__(self, left: Run, right: Run) -> None:
        self.size = len(left.text)
        self.runs = (left, right)
        self.sides = (states(left), states(right))
        self.differences = TextDifferences(*self.sides)
        self.texts = TextCauses(self.differences)
        self.models = ModelCauses(*self.sides)
        sides = self.sides
        self._special_tokens = tuple(frozenset(side.specials) for side in sides)
        self.events = cache(lambda side, stage: TextEvents(sides[side], stage))
        """by side and stage"""

    def comparison(self) -> Comparison:
        """Everything that differs, with and without consequence for the ids."""
        divergences = () if self.runs[0].ids == self.runs[1].ids else tuple(map(self._said, self._divergences()))
        return Comparison(*self.runs, divergences, tuple(self._harmless(divergences)))

    # --- where the ids differ ---------------------------------------------------------------------------------------

    def _divergences(self) -> Iterator[Divergence]:
        """All divergences: added in front, by length, in the text, added at the end."""
        front, end = added_tokens(self.sides, self.size)
        if front:
            yield front
        yield from lengths(*self.runs)
        for region, tokens, cause in self._joined(self._causes()):
            yield self._divergence(region, tokens, cause)
        if end:
            yield end

    def _causes(self) -> Iterator[tuple[Span, TokenRanges, Divergence]]:
        """Each region with its tokens and its cause; not those that both sides truncate."""
        truncated = [frozenset(truncation(run).tokens) for run in self.runs]
        for region, tokens in regions(self.differences):
            if not all(self.sides[side].tokens[index] in truncated[side] for side in (0, 1) for index in tokens[side]):
                yield region, tokens, self._cause(region, tokens)

    @staticmethod
    def _joined(
        found: Iterable[tuple[Span, TokenRanges, Divergence]],
    ) -> Iterator[tuple[Span, TokenRanges, Divergence]]:
        """Adjacent regions with the same cause as one region."""
        pending: tuple[Span, TokenRanges, Divergence] | None = None
        for region, tokens, cause in found:
            if pending is not None and is_same_cause(pending[2], cause) and pending[0].end == region.start:
                region = Span(pending[0].start, region.end)
                tokens = adjacent(pending[1][0], tokens[0]), adjacent(pending[1][1], tokens[1])
                cause = pending[2]
            elif pending is not None:
                yield pending
            pending = region, tokens, cause
        if pending is not None:
            yield pending

    def _divergence(self, region: Span, tokens: TokenRanges, cause: Divergence) -> Divergence:
        """A cause with its region: its tokens, and the events that the cause left to be found by their spans."""
        if cause.kind == DifferenceKind.OTHER_IDS:  # adjacent regions may have been joined
            cause = (self._other_special_ids if cause.stage == PARTITION else self.models.other_ids)(region, tokens)
        left, right = (
            side._replace(
                event=self._event(number, side, cause),
                tokens=tuple(self.sides[number].tokens[index] for index in each),
            )
            for number, (side, each) in enumerate(zip((cause.left, cause.right), tokens, strict=True))
        )
        return cause._replace(region=region, left=left, right=right)

    def _said(self, difference: Divergence) -> Divergence:
        """A difference with its sentence: the stage, the position, and what each side does there."""
        at = where(difference.spot, self.size)
        stage = difference.stage if difference.stage in LIST_STAGES else f"{difference.stage}, {at}"
        clauses = [
            each
            for run, side in zip(self.runs, (difference.left, difference.right), strict=True)
            for each in (run.subject, side.says)
        ]
        return difference._replace(say=Say("{0:t}: {1:t} {2}; {3:t} {4}.", stage, *clauses))

    def _event(self, number: int, side: Side, cause: Divergence) -> int | None:
        """A side's event, or the one of its stage about the span of a cause, where the cause left it to be found."""
        if side.event != BY_SPAN or side.stage is None:
            return None if side.event == BY_SPAN else side.event
        code_points = self.differences.text[slice(*cause.spot)] + cause.left.text + cause.right.text
        return self.events(number, side.stage).find(*cause.spot, code_points, cause.token)

    # --- why a region differs ---------------------------------------------------------------------------------------

    def _cause(self, region: Span, tokens: TokenRanges) -> Divergence:
        """The first stage whose output differs in a region, and why.

        The first question that has an answer decides. The model is the last: it always has one.
        """
        return (
            self._special_token(region)
            or self._special_ids(region, tokens)
            or self._text_inside(region)
            or self._cut_inside(region)
            or self._cut_at_edge(region, tokens)
            or self.models.cause(region, tokens)
        )

    def _special_token(self, region: Span) -> Divergence | None:
        """A special token that only one side finds in the region."""
        for special in self.differences.specials_touching(*region):
            if special.start < region.end and region.start < special.end:
                return self.texts.of_token(special)
        return None

    def _special_ids(self, region: Span, tokens: TokenRanges) -> Divergence | None:
        """Both sides find only special tokens in the region, with different ids."""
        sides = zip(self.sides, self._special_tokens, tokens, strict=True)
        if all(tokens) and all(side.tokens[index] in specials for side, specials, each in sides for index in each):
            return self._other_special_ids(region, tokens)
        return None

    def _other_special_ids(self, region: Span, tokens: TokenRanges) -> Divergence:
        """Special tokens at the same span with different ids."""
        cause = self.models.other_ids(region, tokens)
        left, right = (
            side._replace(stage=states.last[PARTITION], event=BY_SPAN)
            for side, states in zip((cause.left, cause.right), self.sides, strict=True)
        )
        return cause._replace(stage=PARTITION, left=left, right=right, token=self.sides[0].tokens[tokens[0][0]].id)

    def _text_inside(self, region: Span) -> Divergence | None:
        """Characters of the region that differ before the model; the cause at the earliest stage counts."""
        near = touching(self.differences.spots[PRE_TOKENIZE], *region)
        causes = (self.texts.of_spot(spot) for spot in near if self.differences.belongs(spot, region))
        return min(causes, key=lambda cause: (ORDER.index(cause.stage), cause.spot), default=None)

    def _cut_inside(self, region: Span) -> Divergence | None:
        """A position inside the region where only one pre-tokenizer cuts."""
        cuts = [cut for cut in self._cuts_near(region) if region.start <= cut.since and cut.at < region.end]
        return self.texts.of_cut(cuts[0]) if cuts else None

    def _cut_at_edge(self, region: Span, tokens: TokenRanges) -> Divergence | None:
        """A cut at the edge of the region, for models whose tokens depend on it."""
        if not self.models.edges_matter(region, tokens):
            return None
        for cut in self._cuts_near(region):
            return self.texts.of_cut(cut)
        begins = [side.before_model.begins_piece(region.start) for side in self.sides]
        if begins[0] == begins[1]:
            return None
        cut = Boundary(region.start, begins[0], region.start - 1)
        if self.texts.still_cuts(1, cut, NORMALIZE):
            return self.texts.of_cut(cut)
        # the last difference within the piece that goes on across the edge on one side
        piece = self.sides[begins.index(False)].before_model
        first = piece.starts[piece.piece(piece.index_at(region.start)).start]
        for spot in reversed(touching(self.differences.spots[PRE_TOKENIZE], first, region.start)):
            return self.texts.of_spot(spot)
        return None

    def _cuts_near(self, region: Span) -> list[Boundary]:
        """The positions in a region or at its edges where only one side cuts."""
        found = self.differences.boundaries
        return found[bisect_left(found, (region.start,)) : bisect_left(found, (region.end + 1,))]

    # --- what differs without consequence ---------------------------------------------------------------------------

    def _harmless(self, divergences: Iterable[Divergence]) -> Iterator[Harmless]:
        """The differences between stages where the ids are the same, one entry per stage and kind."""
        regions_taken = [each.region for each in divergences if each.stage not in LIST_STAGES]
        groups = defaultdict[tuple[str, DifferenceKind], list[Divergence]](list)
        for cause in self._harmless_causes(regions_taken):
            groups[cause.stage, cause.kind].append(cause)
        for first, *others in groups.values():
            left, right = (
                side._replace(event=self._event(number, side, first))
                for number, side in enumerate((first.left, first.right))
            )
            yield Harmless(self._said(first._replace(left=left, right=right)), 1 + len(others))

    def _harmless_causes(self, divergent: list[Span]) -> Iterator[Divergence]:
        """The causes of all differences outside the regions whose ids differ."""
        differences = self.differences
        for special in differences.specials:
            near = touching(divergent, special.start, special.end)
            if not any(special.start < end and start < special.end for start, end in near):
                yield self.texts.of_token(special)
        for number, stage in enumerate(TEXT_STAGES):
            before = TEXT_STAGES[:number]
            for spot in differences.spots[stage]:
                earlier = (each for other in before for each in touching(differences.spots[other], *spot[:2]))
                is_known = any(overlap(spot, each) for each in earlier)
                inside = any(differences.belongs(spot, region) for region in touching(divergent, *spot[:2]))
                if not is_known and not inside:
                    yield self.texts.at_stage(stage, spot)
        for cut in differences.boundaries:
            if not touching(divergent, cut.at, cut.at):
                yield self.texts.of_cut(cut)


def is_same_cause(one: Divergence, other: Divergence) -> bool:
    """Whether two adjacent regions differ for the same reason."""
    return (one.stage, one.kind) == (other.stage, other.kind) and (
        one.spot == other.spot or one.kind == DifferenceKind.OTHER_IDS
    )


def regions(differences: TextDifferences) -> Iterator[tuple[Span, TokenRanges]]:
    """The regions in the order of the text."""
    size = len(differences.text)
    left, right = (list(cells_of(side.tokens, size)) for side in differences.sides)
    pending: AlignedGroup | None = None
    for group in aligned_groups(left, right, size):
        if pending is not None:
            group = AlignedGroup(pending.start, group.end, list(map(adjacent, pending.ranges, group.ranges)))
            pending = None
        ours, theirs = (
            [side.tokens[index].id for index in tokens]
            for side, tokens in zip(differences.sides, group.ranges, strict=True)
        )
        is_different = ours != theirs
        if differences.is_moved(group.end) or (group.start == group.end < size and is_different):
            pending = group
        elif is_different:
            yield Span(group.start, group.end), (group.ranges[0], group.ranges[1])


def adjacent(one: range, other: range) -> range:
    """Two adjacent ranges as one; either may be empty."""
    return range(one.start, other.stop) if one and other else one or other


EXAMPLES = 3
"""The number of lines kept as examples of each kind."""


class Example(NamedTuple):
    """A line that differs, and why."""

    line: Line
    sentence: str


class DifferenceGroup(NamedTuple):
    """The lines that differ at one stage by one kind of difference. regions: how many such regions they have."""

    stage: str
    kind: DifferenceKind
    lines: int
    regions: int
    examples: tuple[Example, ...]


class Report(NamedTuple):
    """The result. Groups are sorted by stage, then by number of lines. A line may be in several groups.

    specs: the tokenizers as NAME@IMPLEMENTATION. labels: their names in sentences.
    """

    specs: tuple[str, ...]
    labels: tuple[str, ...]
    lines: int
    differing: int
    groups: tuple[DifferenceGroup, ...]

    @property
    def same(self) -> bool:
        """Whether no line differs."""
        return not self.differing


Progress = Callable[[int, int], None]
"""Receives the number of lines so far, and how many of them differ."""


def compared(line: Line, sides: tuple[Opened, Opened], names: Sequence[str], options: Options) -> Comparison | None:
    """The comparison on a line, None if the ids are the same. Raises InputError naming the line."""
    asked = options._asdict()
    try:
        with many_runs("a comparison", len(line.text)):
            one, other = (each.encode(line.text, **asked).ids for each in sides)
            if one == other:
                return None
            return compare(*(run(each, line.text, name, **asked) for each, name in zip(sides, names, strict=True)))
    except InputError as error:
        raise InputError(f"{line.location}: {error}") from None


def diff_lines(
    left: Opened,
    right: Opened,
    lines: Iterable[Line],
    options: Options = Options(),  # noqa: B008  # immutable
    progress: Progress = lambda lines, differing: None,
) -> Report:
    """Compares two tokenizers on every line.

    >>> import explorer
    >>> both = [explorer.load(spec) for spec in ("qwen2.5", "qwen2.5@llama.cpp")]
    >>> report = diff_lines(*both, [Line("x", 1, "plain"), Line("x", 2, "A\\u030a and e\\u0301")])
    >>> [(group.stage, group.kind.value, group.lines, group.regions) for group in report.groups]
    [('normalize', 'composition', 1, 2)]
    """
    names = labels([left, right])
    count = differing = 0
    in_lines, regions = Counter[tuple[str, DifferenceKind]](), Counter[tuple[str, DifferenceKind]]()
    examples = defaultdict[tuple[str, DifferenceKind], list[Example]](list)
    for line in lines:
        count += 1
        found = compared(line, (left, right), names, options)
        if found is not None:
            differing += 1
            firsts = {(each.stage, each.kind): each for each in reversed(found.divergences)}
            regions.update((each.stage, each.kind) for each in found.divergences)
            in_lines.update(firsts.keys())
            for key, first in firsts.items():
                if len(examples[key]) < EXAMPLES:
                    examples[key].append(Example(line, first.sentence))
        progress(count, differing)
    groups = [
        DifferenceGroup(stage, kind, in_lines[stage, kind], regions[stage, kind], tuple(examples[stage, kind]))
        for stage, kind in sorted(in_lines, key=lambda key: (ORDER.index(key[0]), -in_lines[key], key[1]))
    ]
    specs = tuple(f"{each.name}@{each.implementation}" for each in (left, right))
    return Report(specs, names, count, differing, tuple(groups))

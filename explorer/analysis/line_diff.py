"""Compares two tokenizers on the lines of files: how many lines differ, grouped by stage and kind, with examples.

Lines are read one at a time and not kept (`inputs.py`). Both sides encode each line; only a line whose ids differ is
traced and compared.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import Comparison, DifferenceKind
from explorer.analysis.divergence.states import ORDER, labels, run
from explorer.analysis.inputs import Line
from explorer.engine.budget import many_runs
from explorer.engine.part import Options
from explorer.errors import InputError
from explorer.implementations.opened import Opened

EXAMPLES: Final = 3
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

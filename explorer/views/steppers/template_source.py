"""A template's source as the stepper draws it: for Algorithm in rows that follow its tags, for Implementation verbatim.

A row of Algorithm is a line, or a part of one that holds several statements: many published templates are a single
line. Rows that did nothing in this run are folded where there are several. Lines are counted in the source; both kinds
of rows name theirs.
"""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from explorer.prompts.layout import Tag, layout
from explorer.prompts.rendering import Rendering

MOST_ROWS = 2_000
"""Rows of each kind that are sent."""
FURTHEST = 20_000
"""Rows that are looked at."""
LONGEST_ROW = 6_000
"""Characters of a row that are sent."""
PREVIEW = 44
"""Characters of what folded rows would write."""
CROWDED = 100
"""Characters of a line from which it is cut at each of its statements."""

DID, IDLE, NEUTRAL = "did", "idle", ""
"""What a row is: it did something, it could have, or there is nothing in it that does."""


class Row(NamedTuple):
    """A row. line: counted from 1. start, end: in the source. depth: how many blocks it stands in.

    state: DID, IDLE or NEUTRAL.
    """

    line: int
    start: int
    end: int
    depth: int
    state: str = NEUTRAL


def acting(run: Rendering) -> dict[int, bool]:
    """The operands that do something by themselves, and whether they did in this run."""
    ran = {step.operand for step in run.steps} | {each.operand for each in run.origins if each.operand >= 0}
    return {index: index in ran for index, each in enumerate(run.operands) if each.kind not in ("part", "literal")}


def lines_that_ran(run: Rendering) -> set[int]:
    """The lines of the template that did something, counted from 1."""
    found: set[int] = set()
    for index, did in acting(run).items():
        if did:
            operand = run.operands[index]
            inside = run.source.count("\n", operand.start, operand.end) if operand.kind != "data" else 0
            found |= set(range(operand.line, operand.line + inside + 1))
    return found


def rows_of(run: Rendering, failed: int = 0) -> list[Row]:
    """The rows of Algorithm, none folded yet. failed: the line at which the template stopped, 0 for none."""
    made = layout(run.source)
    starts, ends = [tag.start for tag in made.tags], [tag.end for tag in made.tags]
    found: list[Row] = []
    at = 0
    for number, text in enumerate(made.source.split("\n"), 1):
        if inner := text.strip():
            start = at + text.index(inner)
            end = start + len(inner)
            # the tags that begin in the line, and the one that reaches into it
            tags = made.tags[bisect_right(ends, start) : bisect_left(starts, end)]
            found += _pieces(made.source, Row(number, start, end, tags[0].depth if tags else 0), tags)
        at += len(text) + 1
        if len(found) > FURTHEST:
            break
    return _with_states(found, run, failed)


def _pieces(source: str, row: Row, tags: Sequence[Tag]) -> list[Row]:
    """A line, cut at its statements if there are several and it is long. tags: those in it."""
    statements = [tag for tag in tags if tag.kind == "statement"]
    if len(statements) < 2 or row.end - row.start < CROWDED:
        return [row]
    # a statement is a row of its own, what stands between two is one
    inner = {at for tag in statements for at in (tag.start, tag.end) if row.start < at < row.end}
    pieces, depths = [], iter(tags)
    tag = next(depths)
    for start, end in pairwise([row.start, *sorted(inner), row.end]):
        text = source[start:end]
        while tag.end <= start and (following := next(depths, None)):
            tag = following
        if text.strip():
            pieces.append(Row(row.line, start + len(text) - len(text.lstrip()), end, tag.depth))
    return pieces


def _with_states(rows: Sequence[Row], run: Rendering, failed: int) -> list[Row]:
    """Rows with what they did."""
    spans = sorted((run.operands[index].start, run.operands[index].end, did) for index, did in acting(run).items())
    waiting = deque(span for span in spans if span[0] < span[1])
    active: list[tuple[int, int, bool]] = []
    found = []
    for row in rows:
        while waiting and waiting[0][0] < row.end:
            active.append(waiting.popleft())
        active = [span for span in active if span[1] > row.start]
        inside = [did for start, _, did in active if start < row.end]
        state = DID if any(inside) or row.line == failed else IDLE if inside else NEUTRAL
        found.append(row._replace(state=state))
    return found


def folded(rows: Sequence[Row]) -> list[Row | list[Row]]:
    """Rows, and lists of those that are folded: two or more together, one of which could have done something."""
    found: list[Row | list[Row]] = []
    for did, group in groupby(rows, lambda row: row.state == DID):
        together = list(group)
        # the ends of blocks before the first idle row belong to what ran
        first = next((index for index, row in enumerate(together) if row.state == IDLE), len(together))
        if did or len(together) - first < 2:
            found += together
        else:
            found += [*together[:first], together[first:]]
    return found


def track(run: Rendering, failed: int) -> dict[str, Any]:
    """The track of the source. Its rows: [line, last line, start, depth, text, folded], the last as words or ""."""
    rows: list[list[Any]] = []
    texts = _texts(run)
    reached = max((run.operands[step.operand].line for step in run.steps), default=0) if failed else 0
    for each in folded(rows_of(run, failed))[:MOST_ROWS]:
        if isinstance(each, Row):
            rows.append([each.line, each.line, each.start, each.depth, _text(run.source, each.start, each.end), ""])
            continue
        first, last = each[0], each[-1]
        says = (
            "not reached"
            if failed and first.line > max(failed, reached)
            else _would(run.source, texts, first.start, last.end)
        )
        rows.append([first.line, last.line, first.start, first.depth, "", says])
    lines, at = [], 0
    for number, text in enumerate(run.source.split("\n")[:MOST_ROWS], 1):
        lines.append([number, number, at, 0, text[:LONGEST_ROW], ""])
        at += len(text) + 1
    return {
        "name": "source",
        "type": "template",
        "title": "Template",
        "tab": "Template",
        "brief": rows,
        "lines": lines,
        "count": run.source.count("\n") + 1,
        "cut": [list(each) for each in layout(run.source).cut],
        "places": {str(index): [run.operands[index].start, run.operands[index].end]
                   for index in dict.fromkeys(step.operand for step in run.steps)},
    }  # fmt: skip


def _texts(run: Rendering) -> list[tuple[int, int]]:
    """Where the texts stand that the template can write: [start, end), sorted."""
    writes = sorted((each.start, each.end) for each in run.operands if each.kind == "write")
    found = []
    for each in run.operands:
        around = bisect_right(writes, (each.start, len(run.source))) - 1
        written = around >= 0 and each.start < writes[around][1] and run.source[each.start - 1] != "["
        if each.kind == "data" or (each.kind == "literal" and written):
            found.append((each.start, each.end))
    return sorted(found)


def _would(source: str, texts: Sequence[tuple[int, int]], start: int, end: int) -> str:
    """What folded rows would do: write their first text, if they have one. texts: [start, end), sorted."""
    first = bisect_left(texts, (start, 0))
    for at, stop in texts[first : first + 20]:
        words = " ".join(source[at : min(stop, at + LONGEST_ROW)].split())
        if at < end and any(map(str.isalnum, words)):
            return f"would write {words if len(words) <= PREVIEW else words[: PREVIEW - 1] + '…'}"
    return "skipped"


def _text(source: str, start: int, end: int) -> str:
    return source[start : min(end, start + LONGEST_ROW)]

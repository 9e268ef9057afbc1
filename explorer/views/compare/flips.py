"""The switches of a tokenizer, flipped one at a time: a row of tokens for each, those that change the most first."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from explorer.analysis.divergence.result import Comparison, Run
from explorer.analysis.ownership import Cell, CellKind, CutKind, TokenRow, align, cut_kinds
from explorer.analysis.what_if import WORDS, Switch, Variation
from explorer.engine.tokenizer import Encoding
from explorer.facts import listed
from explorer.stages.spelling import implementation_title, speller_of
from explorer.tables import Record
from explorer.text.say import Say, Text, in_a_row, paragraph, plural, shortened, visible_words, worded
from explorer.views.compare.aligned import (
    BOLD,
    ELSEWHERE,
    FEWER,
    MORE,
    Picture,
    StyledLine,
    aligned,
    part_at,
    part_words,
    unknown,
)


def more_say(comparison: Comparison) -> Say | None:
    """How many differences there are in all, and how many change no id; None if there is only one."""
    parts = []
    count = len(comparison.divergences)
    if count > 1:
        parts.append(Say("The ids differ in {0:t}.", plural(count, "place")))
    if comparison.harmless:
        times = sum(each.times for each in comparison.harmless)
        many = "{0} intermediate differences change no id."
        parts.append(Say("{0} intermediate difference changes no id.", times, many=many))
    return paragraph(parts) if parts else None


def flip_say(variation: Variation, comparison: Comparison) -> Say:
    """A switch, its new value, and the effect on the number of tokens."""
    of_folder = variation.switch == Switch.SETTING
    to = "" if of_folder else variation.spec
    to = to or ("off" if variation.on else "on")
    count = len(comparison.right.ids) - len(comparison.left.ids)
    if comparison.same:
        change = "no id changes"
    elif count:
        change = f"{plural(abs(count), 'token')} {'more' if count > 0 else 'fewer'}"
    else:
        change = "as many tokens, different ids"
    name = variation.spec if of_folder else WORDS[variation.switch].get("shown", variation.switch.value)
    return Say("{0:t} → {1:t}: {2:t}", name, to, change)


LONGEST = 20
"""Characters of the text shown in a row's name."""


class Words(NamedTuple):
    """A flipped switch: the name of its row, and what begins a sentence about it."""

    name: str
    doing: str


def words_of(variation: Variation) -> Words:
    """The words for a switch in its new state."""
    spec = variation.spec
    if variation.switch == Switch.IMPLEMENTATION:
        title = implementation_title(spec.rpartition("@")[2])
        return Words(Text("{0:t} instead", title), Text("Running it with {0:t}", title))
    state = "off" if variation.on else "on"
    found = WORDS[variation.switch].get(state)
    if found:
        return Words(*map(Text, found))
    named = worded(spec or variation.switch.value)
    return Words(Text(f"{{0:t}} {state}", named), Text(f"Turning {{0:t}} {state}", named))


class Flip(NamedTuple):
    """A switch flipped. changed: how many tokens of either side the other one lacks."""

    variation: Variation
    comparison: Comparison

    @property
    def more(self) -> int:
        """How many more tokens there are with it."""
        return len(self.comparison.right.ids) - len(self.comparison.left.ids)

    @property
    def changed(self) -> int:
        """How many tokens change: the larger number of those that one side has and the other lacks."""
        one, other = (Counter(side.encoding.tokens) for side in (self.comparison.left, self.comparison.right))
        return max((one - other).total(), (other - one).total())


def by_size(flips: Sequence[Flip]) -> list[Flip]:
    """The switches that change the most first; those that change nothing last."""
    return sorted(flips, key=lambda flip: (flip.comparison.same, -abs(flip.more), -flip.changed))


def flips_say(flips: Sequence[Flip], title: str, tokens: int) -> StyledLine:
    """The largest change. title: of the tokenizer; tokens: how many it gives as it is."""
    if not flips:
        return StyledLine(Say("{0:t} has no switch to flip.", title))
    first = by_size(flips)[0]
    if first.comparison.same:
        return StyledLine(Say("No switch of {0:t} changes this text.", title))
    doing = Say("{0:t} ", words_of(first.variation).doing)
    if first.more:
        now = (Say("{0:t}", plural(tokens + first.more, "token")), BOLD)
        lost = unknown(first.comparison.right.encoding) - unknown(first.comparison.left.encoding)
        end = Say(", but text is lost: {0:t}.", plural(lost, "unknown token")) if lost > 0 else "."
        return StyledLine(doing, "makes it ", now, " instead of ", (Say("{0}", tokens), BOLD), end)
    share = (Say("{0} of {1:t}", first.changed, plural(tokens, "token")), BOLD)
    return StyledLine(doing, "changes ", share, ", not how many there are.")


def effect(flip: Flip) -> str:
    """What a switch does to this text, in a few words."""
    variation, comparison = flip
    left, right = comparison.sides
    if comparison.same:
        return Text("the same ids")
    side = left if variation.on else right
    if variation.switch == Switch.ADD_SPECIAL:
        added = [spelled(side, token.id) for token in side.encoding.tokens if token.start < 0]
        how = "without {0:t}" if variation.on else "with {0:t}"
        return Text(how, listed(added, 3)) if added else places(flip)
    if variation.switch == Switch.PARSE_SPECIAL:
        vocabulary = side.encoding.vocabulary
        of_text = [token.id for token in side.encoding.tokens if token.start >= 0]
        special = list(dict.fromkeys(spelled(side, id) for id in of_text if vocabulary.is_special(id)))
        if special:
            return Text("it spells {0:t} out" if variation.on else "it finds {0:t}", listed(special, 2))
    return places(flip)


def places(flip: Flip) -> str:
    """Where the ids differ: the text of the first place, and how many others there are."""
    first, *others = flip.comparison.divergences
    text = shortened(flip.comparison.left.text[first.region.start : first.region.end], LONGEST)
    where = Text("at {0:t}", visible_words(text).replace("␣", "·"))
    if not text:
        where = Text("at the end" if first.region.start else "at the start")
    return Text("{0:t} and {1:t}", where, plural(len(others), "more place")) if others else where


def spelled(run: Run, id: int) -> str:
    """A token as the page shows it."""
    return speller_of(run.trace, stored=False).token(id)


def flips_picture(flips: Sequence[Flip], now: Run, title: str, name: str) -> Picture:
    """The text as it is, and a row for each switch. title, name: of the tokenizer, for people and URLs."""
    order = by_size(flips)
    runs = [now, *(flip.comparison.right for flip in order)]
    # all spelled as the tokenizer itself does: another program may decode the same ids otherwise
    spelled_alike = [Encoding.of(run.encoding.tokens, run.encoding.vocabulary, now.encoding.bytes_of) for run in runs]
    rows = [(str(index), encoding) for index, encoding in enumerate(spelled_alike)]
    alignment = align(now.text, rows, 0, len(rows))
    base = alignment.rows[0]
    merged = tuple(row if row is base else with_inserted(row, base) for row in alignment.rows)
    kinds = [kinds_beside(row, base) for row in merged]
    beside: list[Record] = [
        {"label": Text("{0:t} as it is", title), "family": implementation_title(now.tokenizer.implementation)},
        *(
            {
                "label": words_of(flip.variation).name,
                "family": effect(flip),
                "same": flip.comparison.same,
                "why": why(flip)._asdict(),
                "link": link_of(flip, name),
            }
            for flip in order
        ),
    ]
    starts = [each.region.start for flip in order for each in flip.comparison.divergences[:1]]
    part = part_at(now.text, min(starts, default=0))
    drawn = aligned(alignment._replace(rows=merged), [run.tokenizer for run in runs], part, kinds=kinds, beside=beside)
    unchanged = [words_of(flip.variation).name for flip in order if flip.comparison.same]
    frame = {
        "said": flips_say(flips, title, len(now.ids)).data,
        "note": StyledLine(
            Say("Each row flips one switch of {0:t} and leaves the rest alone. ", title),
            "Gray: the same tokens. ", ("Orange: more. ", MORE), ("Green: fewer. ", FEWER),
            ("Violet: as many, but others.", ELSEWHERE),
        ).data,
        "head": Text("the text"),
        "hint": Text("Point at a row's name for the reason."),
        "fold": True,
        "part": part_words(part, now.text),
        "folded": {"names": in_a_row(*unchanged), "show": Text("Show it" if len(unchanged) == 1 else "Show them")}
        if unchanged and len(unchanged) < len(flips)
        else None,
    }  # fmt: skip
    return Picture(frame, drawn)


def why(flip: Flip) -> Say:
    """The reason of a change: what the switch is, and the first stage that differs; or that nothing changes."""
    comparison = flip.comparison
    cause = comparison.say
    if comparison.same:
        cause = Say("This text has the same {0:t} either way.", plural(len(comparison.left.ids), "id"))
    said = [cause, *filter(None, [more_say(comparison)])]
    return Say("{0:t}", Text(WORDS[flip.variation.switch]["does"])).then(*said)


def link_of(flip: Flip, name: str) -> Record | None:
    """A link to the step where two implementations part."""
    if flip.variation.switch != Switch.IMPLEMENTATION or flip.comparison.same:
        return None
    sides = {"left": name, "right": flip.variation.spec}
    return {
        "text": Text("See the first difference"),
        "query": {"view": "Where they part", **sides},
        "add": flip.variation.spec,
    }


def with_inserted(row: TokenRow, base: TokenRow) -> TokenRow:
    """A row whose tokens of inserted text alone share the cell of the characters after them.

    Unless the tokenizer gives such a token there as it is.
    """
    known = {cell.start for cell in base.cells if cell.kind == CellKind.INSERTED}
    cells: list[Cell] = []
    for cell in row.cells:
        before = cells[-1] if cells else None
        if (
            before is not None
            and before.kind == CellKind.INSERTED
            and before.start == cell.start
            and cell.kind == CellKind.TEXT
            and cell.start not in known
        ):
            cells[-1] = cell._replace(first=before.first)
        else:
            cells.append(cell)
    return row._replace(cells=tuple(cells))


def kinds_beside(row: TokenRow, base: TokenRow) -> list[int]:
    """The kind of each cell of a row beside the row as it is; other ids on the same characters are as many, others."""
    known = {(cell.start, cell.end, ids_of(base, cell)) for cell in base.cells}
    return [
        CutKind.ELSEWHERE if kind == CutKind.SAME and (cell.start, cell.end, ids_of(row, cell)) not in known else kind
        for cell, kind in zip(row.cells, cut_kinds(row, base), strict=True)
    ]


def ids_of(row: TokenRow, cell: Cell) -> tuple[int, ...]:
    """The ids of a cell."""
    return tuple(token.id for token in row.encoding.tokens[cell.first : cell.last])

"""Ids above those that a tokenizer gives, aligned on the text: expected ids, ids encoded again, examples of ids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any, Final

from explorer.analysis.alignment import Alignment, align
from explorer.analysis.expected.answers import Explanation, Reason, placed
from explorer.analysis.expected.explainer import Example
from explorer.analysis.ownership import Span
from explorer.analysis.round_trip import IdsAgain, added, changed_say, stages_say, tokens_on_bytes
from explorer.engine.part import ADDED, Options, Token
from explorer.engine.tokenizer import Encoding
from explorer.implementations.opened import Opened
from explorer.stages.spelling import speller_of
from explorer.text.say import Say, Text, number, plural
from explorer.views.compare.aligned import BOLD, FEWER, FOCUS, MORE, Line, Picture, aligned, part_at, part_words
from explorer.views.compare.verdict import (
    SWITCHED,
    Kind,
    causes,
    clauses,
    differs_words,
    evidence,
    ids_of,
    remedy,
    verdict,
    word_before,
)

SAME, DIFFERS = 0, 4
"""Kinds of cells, as `aligned.css` has their colors."""
SHOWN: Final = 40
"""Ids shown of an example."""


MOST_EMPTY: Final = 60
"""Tokens without characters drawn in a row; any list may be pasted."""


def expected_picture(found: Explanation, tokenizer: Opened, title: str, name: str, asked: Options) -> Picture:
    """The pasted ids, those given, and what gives the pasted ones. title, name: of the tokenizer, for people and URLs.

    asked: the options on the page.
    """
    known = causes(found, tokenizer, asked)
    whose, every = placed(found, tokenizer)
    kept = thinned(every)
    tokens = [every[index] for index in kept]
    pasted = Encoding.of(tokens, whose.vocabulary, whose.decoder.alone)
    rows = [("Pasted", pasted), (f"{title} gives", found.given)]
    if known:
        rows.append((title, pasted))
    alignment = align(found.text, rows, 1)
    theirs = {index for each in found.stretches if not each.same for index in each.expected}
    ours = {index for each in found.stretches if not each.same for index in each.given}
    drawn_of_theirs = {number for number, index in enumerate(kept) if index in theirs}
    kinds = [kinds_of(alignment, 0, drawn_of_theirs, DIFFERS), kinds_of(alignment, 1, ours, DIFFERS)]
    words = differs_words(found)
    beside: list[dict[str, Any]] = [
        {"family": ids_of(found.expected), "note": [[line, "" if found.same else FOCUS] for line in words]},
        {"family": ids_of(found.given.ids), "note": []},
    ]
    if known:
        kinds.append([SAME] * len(alignment.rows[2].cells))
        count = number(len(found.expected))
        says = [[f"{count} of {count} ✓", f"{BOLD} {FEWER}"]]
        beside.append({"family": str(Line.of(clauses(known))), "note": says, "rule": True})
    starts = [region.span.start for region in found.regions if region.span is not None]
    part = part_at(found.text, min(starts, default=0))
    drawn = aligned(alignment, [whose, tokenizer, whose][: len(rows)], part, kinds=kinds, beside=beside)
    change = remedy(known[0], tokenizer.family, title) if known else None
    said, note = verdict(found, tokenizer, title, known), evidence(found, title, tokenizer, known)
    frame = frame_of(said, note.data, not found.same, part, found.text)
    frame["link"] = link_of(found, known[0].kind, name) if known else None
    return Picture(frame if change is None else frame | {"remedy": change}, drawn)


def frame_of(said: Line, note: list[Any], differs: bool, part: Span | None, text: str) -> dict[str, Any]:
    """What stands around two rows of ids. differs: whether they have a place to go to."""
    return {
        "said": said.data,
        "note": note,
        "head": Text.of("the text"),
        "hint": Text.of("N goes to the next place that differs.") if differs else "",
        "fold": True,
        "part": part_words(part, text),
    }


def thinned(tokens: Sequence[Token]) -> list[int]:
    """The indices of the tokens that are drawn: of many in a row without characters, the first ones.

    >>> len(thinned([Token(1, 0, 1), *[Token(2, -1, -1)] * 1000, Token(1, 1, 2)]))
    62
    """
    kept: list[int] = []
    run = 0
    for index, (_, start, end) in enumerate(tokens):
        run = run + 1 if start == end else 0
        if run <= MOST_EMPTY:
            kept.append(index)
    return kept


def kinds_of(alignment: Alignment, row: int, differ: set[int], kind: int) -> list[int]:
    """The kind of each cell of a row. differ: its tokens that the other row lacks, and their kind."""
    cells = alignment.rows[row].cells
    return [SAME if differ.isdisjoint(range(cell.first, cell.last)) else kind for cell in cells]


def link_of(found: Explanation, kind: Kind, name: str) -> dict[str, Any] | None:
    """A button that shows more on another tab: its text, and the parameters that it changes."""
    if kind in SWITCHED:
        return {"text": Text.of("See it in What if"), "query": {"view": "What if", "of": name}}
    if kind == Kind.IMPLEMENTATION and found.specs:
        sides = {"left": name, "right": found.specs[0]}
        return {
            "text": Text.of("See the first difference"),
            "query": {"view": "Where they part", **sides},
            "add": found.specs[0],
        }
    return None


# --- nothing pasted ---------------------------------------------------------------------------------------------------


def examples_picture(
    made: Sequence[Example], text: str, given: Encoding, tokenizer: Opened, title: str, problem: str = ""
) -> Picture:
    """What to do, the tokenizer's own ids, and the examples. problem: what is wrong with what was pasted."""
    if problem:
        said = Line.of(Say.of("{0:t}", problem))
        note = Line.of("For example: ", Say.of("{0:q}.", "1, 1724, 338"))
    elif not text:
        said, note = Line.of("The text is empty. Type the one whose ids you have."), Line.of("")
    else:
        said = Line.of("Paste the ids that another program gives for this text.")
        note = Line.of(
            "Any list of numbers will do: JSON, Python, a printed tensor, the output of a tool. "
            "You will see where they differ from ",
            Say.of("{0:t}'s, and why.", title),
        )
    speller = speller_of(tokenizer.trace(""), stored=False)
    own = given.ids
    rows = [listed_ids(Text.of("{0:t} gives", title), Text.of("{0:t} for this text", ids_of(own)), own, range(0))]
    for example in made:
        name, about = example_words(example, text, own, speller.token)
        marked = marked_of(example.ids, own)
        row = listed_ids(name, about, example.ids, marked)
        if not marked and len(example.ids) < len(own):
            row["gone"] = [
                marked.start,
                " ".join(map(speller.token, own[marked.start :][: len(own) - len(example.ids)])),
            ]
        rows.append(row)
    heading = [Text.of("Or click an example"), Text.of("ids that other programs often give for this text")]
    return Picture({"said": said.data, "note": note.data, "list": {"rows": rows, "heading": heading if made else []}})


def listed_ids(name: str, about: str, ids: Sequence[int], marked: range) -> dict[str, Any]:
    """A row of ids. marked: the indices of those that differ."""
    kinds = [DIFFERS if index in marked else SAME for index in range(min(SHOWN, len(ids)))]
    return {"name": name, "about": about, "ids": list(ids[:SHOWN]), "kinds": kinds, "more": len(ids) > SHOWN}


def marked_of(ids: Sequence[int], own: Sequence[int]) -> range:
    """The ids of an example between what it begins and ends with in common with the tokenizer's own."""
    front = shared(ids, own)
    back = min(shared(ids[::-1], own[::-1]), min(len(ids), len(own)) - front)
    return range(front, len(ids) - back)


def shared(one: Iterable[int], other: Iterable[int]) -> int:
    """How many ids two lists begin with in common."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def example_words(example: Example, text: str, own: Sequence[int], token: Any) -> tuple[str, str]:
    """The name of an example, and a few words about it. token: spells an id."""
    differ = len(marked_of(example.ids, own))
    changed = Text.of("the first token differs" if differ == 1 else "{0:t} differ", plural(differ, "token"))
    match example.reason:
        case Reason.LEADING_SPACE:
            return Text.of("With a space in front" if example.with_it else "Without the space in front"), changed
        case Reason.MISSING_SPECIAL | Reason.EXTRA_SPECIAL:
            if example.with_it:
                return Text.of("With {0:t} at the start", token(example.ids[0])), Text.of("Add BOS/EOS was on")
            return Text.of("Without {0:t} at the start", token(own[0])), Text.of("Add BOS/EOS was off")
        case Reason.DOUBLED:
            return Text.of("With {0:t} twice", token(example.ids[0])), Text.of("the text had one already")
        case Reason.PARTS:
            return Text.of("Encoded in two parts"), Text.of("cut after {0:q}", word_before(text, example.cut))
        case Reason.WHITE_SPACE:
            return Text.of("With a line break at the end"), changed
    return Text.of("The ids of {0:t}", example.name), Text.of("another vocabulary")


CANONICAL, APART = 1, 2
"""Kinds of cells, as `aligned.css` has their colors."""
LABELS: Final = ("These ids", "Canonical")


def again_picture(found: IdsAgain, tokenizer: Opened, stored: bool = False, part: Span | None = None) -> Picture:
    """Both rows. part: of the text that is drawn; by default all of a short text, else what is around the first drift.

    >>> import explorer
    >>> from explorer.analysis.round_trip import ids_again
    >>> gpt2 = explorer.load("gpt-2")
    >>> again_picture(ids_again(gpt2, [5450, 25, 1003]), gpt2).frame["part"]
    ''
    """
    front, back = added(tokenizer, found.ids)
    inner = found.ids[len(front) : len(found.ids) - len(back)]
    parts = tokenizer.trace_decode(inner, remove_special=False).parts
    rows = tokens_on_bytes(tokenizer, inner, parts), tokenizer.encode(found.text, add_special=False).tokens
    encodings = [
        Encoding.of([*_around(front), *tokens, *_around(back)], tokenizer.vocabulary, tokenizer.decoder.alone)
        for tokens in rows
    ]
    alignment = align(found.text, list(zip(LABELS, encodings, strict=True)))
    given, canonical = set[int](), set[int]()
    shift = 0
    for each in found.drifts:
        given |= set(range(each.start, each.end))
        canonical |= set(range(each.start + shift, each.start + shift + len(each.canonical)))
        shift += len(each.canonical) - (each.end - each.start)
    kinds = [kinds_of(alignment, 0, given, APART), kinds_of(alignment, 1, canonical, CANONICAL)]
    first = encodings[0].tokens[min(given)].start if given else 0
    part = part or part_at(found.text, max(0, first))
    counts = [len(encoding.ids) for encoding in encodings]
    notes = [[[plural(len(found.drifts), "stretch differs", "stretches differ"), f"k{APART}"]], []]
    beside = [
        {"family": plural(count, "id"), "note": note if found.drifts else []}
        for count, note in zip(counts, notes, strict=True)
    ]
    drawn = aligned(alignment, [tokenizer] * 2, part, stored, kinds=kinds, beside=beside)
    said = Line.of(
        stages_say(found), " ", ("Orange: these ids.", MORE), " ", ("Green: what encoding gives instead.", FEWER)
    )
    note = said.data if found.drifts else []
    return Picture(frame_of(Line.of(changed_say(found)), note, bool(found.drifts), part, found.text), drawn)


def _around(ids: Sequence[int]) -> list[Token]:
    """Tokens that are not from the text."""
    return [Token(id, ADDED, ADDED) for id in ids]

"""The kinds of step of both Unigrams: from the left, as sentencepiece does it, and from the end, as PLaMo-2 does it."""

from __future__ import annotations

from functools import partial
from typing import Final

from explorer.engine.models.plamo2 import LAST_RESORT, UNIT
from explorer.text.quantities import number
from explorer.views.steppers.model_script import FOLLOW
from explorer.views.steppers.script import StepKind

CODE: Final = (
    "best[0] = 0; no other offset is reached yet",
    "for each offset, from the left:",
    "    for each piece that begins there:",
    "        sum = best[offset] + score of the piece",
    "        if its end is not reached, or sum > best[end]:",
    "            best[end] = sum, by this piece",
    "    if the character is not a piece:",
    "        the same for the unknown token",
    "offset = the end",
    "while offset > 0:",
    "    take the best piece that ends at offset",
    "    offset = its start",
    "output the pieces taken, from the left;",
    "    unknown characters as one token, or as bytes",
)
CODE_FROM_END: Final = (
    "best[end] = 0",
    "for each offset, from the right:",
    "    for each piece that begins there, longest first:",
    "        sum = score of the piece + best[its end]",
    "        if there is none yet, or sum > best[offset]:",
    "            best[offset] = sum, by this piece",
    "    the same for the character as its bytes",
    "offset = 0",
    "while offset < the end:",
    "    output the best piece from offset, or bytes",
    "    offset = its end",
)
WON, FAILED, UNKNOWN_WON, UNKNOWN_FAILED = (2, 3, 4, 5), (2, 3, 4), (6, 7, 4, 5), (6, 7, 4)
BYTES_WON, BYTES_FAILED = (6, 3, 4, 5), (6, 3, 4)
OUT, OUT_UNKNOWN, OUT_FROM_END = (12,), (12, 13), (9,)
PATH: Final = "abcdef"
"""The fields of the pieces of the path that a sentence names, counted from the last."""

EQUAL: Final = "A candidate has to score higher: of equal sums, the first stays."
EQUAL_FROM_END: Final = "A candidate has to score higher: of equal sums, the longer piece stays, which was tried first."
PENALTY: Final = "The unknown token scores 10 less than the lowest piece: a last resort."
RESORT: Final = f"As its bytes a character scores {number(LAST_RESORT / UNIT)}: a last resort."
ONE_BEST: Final = "Each position keeps only its best path."
LOST: Final = "The text is lost."

ADDED = "start end piece:q score:t sum:t short:t"
AGAINST = f"{ADDED} rival:q rival_sum:t rival_short:t"
SPAN = "start end text:q id:t piece:q"
SEGMENT = StepKind(
    "segment",
    "info",
    "A new fragment of {size} begins.",
    "new fragment, {size}",
    "It has a lattice of its own: no piece crosses a token.",
    fields="size:t",
)
TOKEN = partial(
    StepKind,
    "token",
    "token",
    "{text} from offset {start} to {end} is token {id}.",
    "{text} {id}",
    height=70,
    story="{text} is token {id}.",
    fields=SPAN,
)


def back(label: str, say: str, log: str, lines: tuple[int, ...], story: str, arrow: str) -> dict[str, StepKind]:
    """The steps that find the pieces of the path, by how many there are: a story names all of them, or the last few.

    >>> list(back("back", "", "", (), "Back: ", "←").values())[1].story
    'Back: {a} ← {b}'
    """
    found = {}
    for count in range(1, len(PATH) + 2):
        told = f" {arrow} ".join(f"{{{name}}}" for name in PATH[:count])
        more = f"… {arrow} " if count > len(PATH) else ""
        fields = " ".join(("start end piece:q why:t", *(f"{name}:q" for name in PATH[:count])))
        found[f"back {count}"] = StepKind(
            label,
            "merge",
            say,
            log,
            "",
            lines,
            "dot",
            80,
            story=f"{story}{more}{told}",
            story_why="{why}",
            fields=fields,
        )
    return found


_SCORES = "From offset {start}: {piece} scores {score}, {sum} in all."
_UNKNOWN = "From offset {start}: {piece} is not a piece. As the unknown token it scores {score}, {sum} in all."
_FIRST = "Offset {end} is reached for the first time."
_LOSES = "{rival} with {rival_sum} stays the best path to offset {end}."
_COMES = "{piece} reaches this position with {short}"
_beaten = partial(
    StepKind,
    story=f"{_COMES}. {{rival}} with {{rival_short}} stays better.",
    story_why=ONE_BEST,
    fields=AGAINST,
)
_tied = partial(
    StepKind,
    story=f"{_COMES}, no better than {{rival}}, which came first.",
    story_why="Of equal sums, the first stays.",
    fields=AGAINST,
)
_loses = ("loses", "miss", f"{_SCORES} {_LOSES}", "{piece} loses to {rival} at {end}", EQUAL, FAILED, "ring", 25)
_unknown_loses = (
    "unknown",
    "byte",
    f"{_UNKNOWN} {_LOSES}",
    "{piece} unknown loses",
    PENALTY,
    UNKNOWN_FAILED,
    "ring",
    25,
)
KINDS: Final = {
    **back(
        "back",
        "Back from offset {end}: the best path to it ends with {piece}, from offset {start}.",
        "{end} ← {start} by {piece}",
        (9, 10, 11),
        "Walk back from the end: ",
        "←",
    ),
    "segment": SEGMENT,
    "first": StepKind(
        "reaches",
        "push",
        f"{_SCORES} {_FIRST}",
        "{piece} to {end}: {sum}",
        "",
        WON,
        "dot",
        60,
        True,
        f"{_COMES}, the first path to it.",
        "Scores add up along a path; the highest sum wins.",
        fields=ADDED,
    ),
    "beats": StepKind(
        "beats",
        "merge",
        f"{_SCORES} That beats {{rival}} with {{rival_sum}}: it is now the best path to offset {{end}}.",
        "{piece} beats {rival} at {end}: {sum}",
        "",
        WON,
        "dot",
        100,
        True,
        f"{_COMES}, better than {{rival}} with {{rival_short}}.",
        ONE_BEST,
        fields=AGAINST,
    ),
    "loses": _beaten(*_loses),
    "unknown first": StepKind(
        "unknown",
        "byte",
        f"{_UNKNOWN} {_FIRST}",
        "{piece} unknown to {end}: {sum}",
        PENALTY,
        UNKNOWN_WON,
        "dot",
        60,
        True,
        "{piece} is not a piece. As the unknown token it reaches this position with {short}.",
        PENALTY,
        fields=ADDED,
    ),
    "unknown beats": StepKind(
        "unknown",
        "byte",
        f"{_UNKNOWN} That still beats {{rival}} with {{rival_sum}} at offset {{end}}.",
        "{piece} unknown beats {rival}",
        PENALTY,
        UNKNOWN_WON,
        "dot",
        60,
        True,
        "{piece} is not a piece. As the unknown token it still beats {rival}: {short} against {rival_short}.",
        PENALTY,
        fields=AGAINST,
    ),
    "unknown loses": _beaten(*_unknown_loses),
    "unused": StepKind(
        "unused",
        "stale",
        "From offset {start}: {piece} fits, but it is marked unused.",
        "{piece} is unused",
        "sentencepiece skips such pieces; llama.cpp takes them like any other.",
        (2,),
        "diamond",
        45,
        story="{piece} fits, but it is marked unused.",
        story_why="sentencepiece skips such pieces; llama.cpp takes them.",
        fields="start end piece:q",
    ),
    "rebased": StepKind(
        "rebase",
        "info",
        "The sum at offset {start} has reached {sum}: it is set to 0, and all later sums are lowered by the same "
        "amount.",
        "sums rebased at {start}",
        "sentencepiece does this to stay precise on long texts: its sums have 32 bits. The best path does not change.",
        (3,),
        "diamond",
        45,
        story="The sum has become large: it is set to 0, and all later sums are lowered with it.",
        story_why="The best path does not change.",
        fields="start sum:t",
    ),
    "token": TOKEN(lines=OUT),
    "unknown token": StepKind(
        "unknown token",
        "byte",
        "{text} from offset {start} to {end} becomes {piece}, token {id}.",
        "{text} → {piece} {id}",
        LOST,
        OUT_UNKNOWN,
        "dot",
        70,
        story="{text} becomes {piece}, token {id}.",
        story_why=LOST,
        fields=SPAN,
    ),
    "joined": StepKind(
        "unknown token",
        "byte",
        "{text} from offset {start} to {end} is unknown too: it joins the {piece} before it.",
        "{text} joins {piece}",
        "A run of unknown characters is one token.",
        OUT_UNKNOWN,
        "ring",
        70,
        story="{text} is unknown too: it joins the {piece} before it.",
        story_why="A run of unknown characters is one token.",
        fields=SPAN,
    ),
    "byte": StepKind(
        "byte",
        "byte",
        "{text} from offset {start} to {end} is unknown: its byte {byte} becomes {piece}, token {id}.",
        "byte {piece} {id}",
        "Byte fallback loses nothing.",
        OUT_UNKNOWN,
        "dot",
        70,
        story="{text} is unknown: its byte {byte} becomes {piece}, token {id}.",
        story_why="Byte fallback loses nothing.",
        fields=f"{SPAN} byte",
    ),
    "follow": FOLLOW,
    "ties": _tied(*_loses),
    "unknown ties": _tied(*_unknown_loses),
}
"""Unigram from the left."""

_SCORES = "From offset {start} to {end}: {piece} scores {score}, {sum} to the end."
_BYTES = "From offset {start}: {piece} as its bytes scores {score}, {sum} to the end."
_FIRST = "It is the first path from there."
_LOSES = "{rival} with {rival_sum} stays the best."
_LEADS = "{piece} leads to the end with {short}"
_beaten = partial(
    StepKind,
    story=f"{_LEADS}. {{rival}} with {{rival_short}} stays better.",
    story_why=ONE_BEST,
    fields=AGAINST,
)
_tied = partial(
    StepKind,
    story=f"{_LEADS}, no better than {{rival}}, which was tried first.",
    story_why="Of equal sums, the first stays.",
    fields=AGAINST,
)
_loses = (
    "loses",
    "miss",
    f"{_SCORES} {_LOSES}",
    "{start}: {piece} loses to {rival}",
    EQUAL_FROM_END,
    FAILED,
    "ring",
    25,
)
_bytes_lose = (
    "bytes",
    "byte",
    f"{_BYTES} {_LOSES}",
    "{start}: {piece} as bytes loses",
    RESORT,
    BYTES_FAILED,
    "ring",
    25,
)
KINDS_FROM_END: Final = {
    **back(
        "follow",
        "From offset {start} the best path takes {piece}, to offset {end}.",
        "{start} → {end} by {piece}",
        (8, 10),
        "Follow the best path from the left: ",
        "→",
    ),
    "segment": SEGMENT,
    "first": StepKind(
        "reaches",
        "push",
        f"{_SCORES} {_FIRST}",
        "{start}: {piece} {sum}",
        "",
        WON,
        "dot",
        60,
        True,
        f"{_LEADS}, the first path from here.",
        "Scores add up from the end; the highest sum wins.",
        fields=ADDED,
    ),
    "beats": StepKind(
        "beats",
        "merge",
        f"{_SCORES} That beats {{rival}} with {{rival_sum}}.",
        "{start}: {piece} beats {rival}, {sum}",
        "",
        WON,
        "dot",
        100,
        True,
        f"{_LEADS}, better than {{rival}} with {{rival_short}}.",
        ONE_BEST,
        fields=AGAINST,
    ),
    "loses": _beaten(*_loses),
    "unknown first": StepKind(
        "bytes",
        "byte",
        f"{_BYTES} {_FIRST}",
        "{start}: {piece} as bytes",
        RESORT,
        BYTES_WON,
        "dot",
        60,
        True,
        "{piece} as its bytes leads to the end with {short}.",
        RESORT,
        fields=ADDED,
    ),
    "unknown beats": StepKind(
        "bytes",
        "byte",
        f"{_BYTES} That still beats {{rival}} with {{rival_sum}}.",
        "{start}: {piece} as bytes beats {rival}",
        RESORT,
        BYTES_WON,
        "dot",
        60,
        True,
        "{piece} as its bytes still beats {rival}: {short} against {rival_short}.",
        RESORT,
        fields=AGAINST,
    ),
    "unknown loses": _beaten(*_bytes_lose),
    "dropped": StepKind(
        "dropped",
        "stale",
        "The byte order mark at the beginning is dropped.",
        "byte order mark dropped",
        "",
        (),
        "diamond",
        45,
    ),
    "token": TOKEN(lines=OUT_FROM_END),
    "byte": StepKind(
        "byte",
        "byte",
        "Byte {byte} of {text} becomes {piece}, token {id}.",
        "byte {piece} {id}",
        "Bytes lose nothing.",
        OUT_FROM_END,
        "dot",
        70,
        fields=f"{SPAN} byte",
    ),
    "follow": FOLLOW,
    "ties": _tied(*_loses),
    "unknown ties": _tied(*_bytes_lose),
}
"""PLaMo-2, from the end."""

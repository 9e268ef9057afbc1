"""The kinds of step of both Unigrams: from the left, as sentencepiece does it, and from the end, as PLaMo-2 does it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from explorer.script.model_script import FOLLOW
from explorer.script.script import StepKind, kinds

CODE: Final = """\
best[0] = 0; no other offset is reached yet
for each offset, from the left:
    for each piece that begins there:
        sum = best[offset] + score of the piece
        if its end is not reached, or sum > best[end]:
            best[end] = sum, by this piece
    if the character is not a piece:
        the same for the unknown token
offset = the end
while offset > 0:
    take the best piece that ends at offset
    offset = its start
output the pieces taken, from the left;
    unknown characters as one token, or as bytes
""".splitlines()
CODE_FROM_END: Final = """\
best[end] = 0
for each offset, from the right:
    for each piece that begins there, longest first:
        sum = score of the piece + best[its end]
        if there is none yet, or sum > best[offset]:
            best[offset] = sum, by this piece
    the same for the character as its bytes
offset = 0
while offset < the end:
    output the best piece from offset, or bytes
    offset = its end
""".splitlines()
PATH: Final = "abcdef"
"""The fields of the pieces of the path that a sentence names, counted from the last."""

SEGMENT: Final = """
segment: segment
    look: info dot 60
    fields: size:t
    say: A new fragment of {size} begins.
    why: It has a lattice of its own: no piece crosses a token.
    log: new fragment, {size}
"""
"""A fragment begins, for whatever has a lattice."""

_KINDS: Final = """
back: back
    look: merge dot 80
    lines: 9 10 11
    fields: start end piece:q why:t a:q
    say: Back from offset {end}: the best path to it ends with {piece}, from offset {start}.
    log: {end} ← {start} by {piece}
    story: Walk back from the end: {a}
    story_why: {why}

first: reaches
    look: push dot 60 landmark
    lines: 2 3 4 5
    fields: start end piece:q score:t sum:t short:t
    say: From offset {start}: {piece} scores {score}, {sum} in all. Offset {end} is reached for the first time.
    log: {piece} to {end}: {sum}
    story: {piece} reaches this position with {short}, the first path to it.
    story_why: Scores add up along a path; the highest sum wins.

beats: beats
    look: merge dot 100 landmark
    lines: 2 3 4 5
    fields: start end piece:q score:t sum:t short:t rival:q rival_sum:t rival_short:t
    say: From offset {start}: {piece} scores {score}, {sum} in all. That beats {rival} with {rival_sum}: it is now
        the best path to offset {end}.
    log: {piece} beats {rival} at {end}: {sum}
    story: {piece} reaches this position with {short}, better than {rival} with {rival_short}.
    story_why: Each position keeps only its best path.

loses: loses
    look: miss ring 25
    lines: 2 3 4
    fields: start end piece:q score:t sum:t short:t rival:q rival_sum:t rival_short:t
    say: From offset {start}: {piece} scores {score}, {sum} in all. {rival} with {rival_sum} stays the best path to
        offset {end}.
    why: A candidate has to score higher: of equal sums, the first stays.
    log: {piece} loses to {rival} at {end}
    story: {piece} reaches this position with {short}. {rival} with {rival_short} stays better.
    story_why: Each position keeps only its best path.

unknown first: unknown
    look: byte dot 60 landmark
    lines: 6 7 4 5
    fields: start end piece:q score:t sum:t short:t
    say: From offset {start}: {piece} is not a piece. As the unknown token it scores {score}, {sum} in all. Offset
        {end} is reached for the first time.
    why: The unknown token scores 10 less than the lowest piece: a last resort.
    log: {piece} unknown to {end}: {sum}
    story: {piece} is not a piece. As the unknown token it reaches this position with {short}.

unknown beats like unknown first
    fields: start end piece:q score:t sum:t short:t rival:q rival_sum:t rival_short:t
    say: From offset {start}: {piece} is not a piece. As the unknown token it scores {score}, {sum} in all. That
        still beats {rival} with {rival_sum} at offset {end}.
    log: {piece} unknown beats {rival}
    story: {piece} is not a piece. As the unknown token it still beats {rival}: {short} against {rival_short}.

unknown loses: unknown
    look: byte ring 25
    lines: 6 7 4
    fields: start end piece:q score:t sum:t short:t rival:q rival_sum:t rival_short:t
    say: From offset {start}: {piece} is not a piece. As the unknown token it scores {score}, {sum} in all. {rival}
        with {rival_sum} stays the best path to offset {end}.
    why: The unknown token scores 10 less than the lowest piece: a last resort.
    log: {piece} unknown loses
    story: {piece} reaches this position with {short}. {rival} with {rival_short} stays better.
    story_why: Each position keeps only its best path.

unused: unused
    look: stale diamond 45
    lines: 2
    fields: start end piece:q
    say: From offset {start}: {piece} fits, but it is marked unused.
    why: sentencepiece skips such pieces; llama.cpp takes them like any other.
    log: {piece} is unused
    story: {piece} fits, but it is marked unused.
    story_why: sentencepiece skips such pieces; llama.cpp takes them.

rebased: rebase
    look: info diamond 45
    lines: 3
    fields: start sum:t
    say: The sum at offset {start} has reached {sum}: it is set to 0, and all later sums are lowered by the same
        amount.
    why: sentencepiece does this to stay precise on long texts: its sums have 32 bits. The best path does not
        change.
    log: sums rebased at {start}
    story: The sum has become large: it is set to 0, and all later sums are lowered with it.
    story_why: The best path does not change.

token: token
    look: token dot 70
    lines: 12
    fields: start end text:q id:t piece:q
    say: {text} from offset {start} to {end} is token {id}.
    log: {text} {id}
    story: {text} is token {id}.

unknown token: unknown token
    look: byte dot 70
    lines: 12 13
    fields: start end text:q id:t piece:q
    say: {text} from offset {start} to {end} becomes {piece}, token {id}.
    why: The text is lost.
    log: {text} → {piece} {id}
    story: {text} becomes {piece}, token {id}.

joined: unknown token
    look: byte ring 70
    lines: 12 13
    fields: start end text:q id:t piece:q
    say: {text} from offset {start} to {end} is unknown too: it joins the {piece} before it.
    why: A run of unknown characters is one token.
    log: {text} joins {piece}
    story: {text} is unknown too: it joins the {piece} before it.

byte: byte
    look: byte dot 70
    lines: 12 13
    fields: start end text:q id:t piece:q byte
    say: {text} from offset {start} to {end} is unknown: its byte {byte} becomes {piece}, token {id}.
    why: Byte fallback loses nothing.
    log: byte {piece} {id}
    story: {text} is unknown: its byte {byte} becomes {piece}, token {id}.

ties like loses
    story: {piece} reaches this position with {short}, no better than {rival}, which came first.
    story_why: Of equal sums, the first stays.

unknown ties like unknown loses
    story: {piece} reaches this position with {short}, no better than {rival}, which came first.
    story_why: Of equal sums, the first stays.
"""

_KINDS_FROM_END: Final = """
back: follow
    look: merge dot 80
    lines: 8 10
    fields: start end piece:q why:t a:q
    say: From offset {start} the best path takes {piece}, to offset {end}.
    log: {start} → {end} by {piece}
    story: Follow the best path from the left: {a}
    story_why: {why}

first: reaches
    look: push dot 60 landmark
    lines: 2 3 4 5
    fields: start end piece:q score:t sum:t short:t
    say: From offset {start} to {end}: {piece} scores {score}, {sum} to the end. It is the first path from there.
    log: {start}: {piece} {sum}
    story: {piece} leads to the end with {short}, the first path from here.
    story_why: Scores add up from the end; the highest sum wins.

beats: beats
    look: merge dot 100 landmark
    lines: 2 3 4 5
    fields: start end piece:q score:t sum:t short:t rival:q rival_sum:t rival_short:t
    say: From offset {start} to {end}: {piece} scores {score}, {sum} to the end. That beats {rival} with
        {rival_sum}.
    log: {start}: {piece} beats {rival}, {sum}
    story: {piece} leads to the end with {short}, better than {rival} with {rival_short}.
    story_why: Each position keeps only its best path.

loses: loses
    look: miss ring 25
    lines: 2 3 4
    fields: start end piece:q score:t sum:t short:t rival:q rival_sum:t rival_short:t
    say: From offset {start} to {end}: {piece} scores {score}, {sum} to the end. {rival} with {rival_sum} stays the
        best.
    why: A candidate has to score higher: of equal sums, the longer piece stays, which was tried first.
    log: {start}: {piece} loses to {rival}
    story: {piece} leads to the end with {short}. {rival} with {rival_short} stays better.
    story_why: Each position keeps only its best path.

unknown first: bytes
    look: byte dot 60 landmark
    lines: 6 3 4 5
    fields: start end piece:q score:t sum:t short:t
    say: From offset {start}: {piece} as its bytes scores {score}, {sum} to the end. It is the first path from
        there.
    why: As its bytes a character scores −1,000: a last resort.
    log: {start}: {piece} as bytes
    story: {piece} as its bytes leads to the end with {short}.

unknown beats like unknown first
    fields: start end piece:q score:t sum:t short:t rival:q rival_sum:t rival_short:t
    say: From offset {start}: {piece} as its bytes scores {score}, {sum} to the end. That still beats {rival} with
        {rival_sum}.
    log: {start}: {piece} as bytes beats {rival}
    story: {piece} as its bytes still beats {rival}: {short} against {rival_short}.

unknown loses: bytes
    look: byte ring 25
    lines: 6 3 4
    fields: start end piece:q score:t sum:t short:t rival:q rival_sum:t rival_short:t
    say: From offset {start}: {piece} as its bytes scores {score}, {sum} to the end. {rival} with {rival_sum} stays
        the best.
    why: As its bytes a character scores −1,000: a last resort.
    log: {start}: {piece} as bytes loses
    story: {piece} leads to the end with {short}. {rival} with {rival_short} stays better.
    story_why: Each position keeps only its best path.

dropped: dropped
    look: stale diamond 45
    say: The byte order mark at the beginning is dropped.
    log: byte order mark dropped

token: token
    look: token dot 70
    lines: 9
    fields: start end text:q id:t piece:q
    say: {text} from offset {start} to {end} is token {id}.
    log: {text} {id}
    story: {text} is token {id}.

byte: byte
    look: byte dot 70
    lines: 9
    fields: start end text:q id:t piece:q byte
    say: Byte {byte} of {text} becomes {piece}, token {id}.
    why: Bytes lose nothing.
    log: byte {piece} {id}

ties like loses
    story: {piece} leads to the end with {short}, no better than {rival}, which was tried first.
    story_why: Of equal sums, the first stays.

unknown ties like unknown loses
    story: {piece} leads to the end with {short}, no better than {rival}, which was tried first.
    story_why: Of equal sums, the first stays.
"""


def with_paths(made: dict[str, StepKind], arrow: str) -> dict[str, StepKind]:
    """The kinds with a step back for each number of pieces found: its story names all of them, or the last few.

    >>> with_paths({"back": StepKind("back", "merge", "", "", story="Back: {a}", fields="a:q")}, "←")["back 2"].story
    'Back: {a} ← {b}'
    """
    back = made.pop("back")
    found = {}
    for count in range(1, len(PATH) + 2):
        told = f" {arrow} ".join(f"{{{name}}}" for name in PATH[:count])
        story = back.story.replace("{a}", f"… {arrow} {told}" if count > len(PATH) else told)
        names = " ".join(f"{name}:q" for name in PATH[:count])
        found[f"back {count}"] = replace(back, story=story, fields=f"start end piece:q why:t {names}")
    return found | made


KINDS: Final = with_paths(kinds((), SEGMENT, _KINDS, FOLLOW), "←")
"""Unigram from the left."""
KINDS_FROM_END: Final = with_paths(kinds((), SEGMENT, _KINDS_FROM_END, FOLLOW), "→")
"""PLaMo-2, from the end."""

"""The kinds of merge step: what each says at every level, and the code it runs.

A model merges by one of three priorities: the score of the piece that a pair makes, its number in a list of merges, or
the rank of the joined bytes. words.toml has what differs between them. Besides a kind for each event of
`engine/models/merges.py` there are some for facts found while drawing. In a story a pair *joins*, and an entry *waits*
or is *out of date*; what fills the queue or leaves it without a merge is inner: Story passes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from explorer.engine.models.merges import MergeEvent
from explorer.script.model_script import FOLLOW
from explorer.script.script import StepKind, kinds
from explorer.tables import read_toml

Key: TypeAlias = (
    MergeEvent | Literal["unlisted", "could be built", "could not be built", "merge last", "merge equal", "follow"]
)
"""A kind of step: an event; a pair that isn't listed although it makes a token; a piece taken whole that the merges
give as well, or never do; a merge when no other pair waits, or one of the same priority; the tokens after the last
fragment."""


RULES: Final[Mapping[str, Mapping[str, str]]] = read_toml(__file__, "words.toml")
"""Priority a model merges by → its words."""
_CODE: Final = """\
for each pair of neighbors: offer(left, right)
while the queue is not empty:
    take the pair with the {best}
    if left or right has changed: skip it
    left ← left + right; right leaves the row
    offer(the one before left, left)
    offer(left, the one after it)
for each symbol that is left:
    a piece → its id
    not a piece → one token for each byte
offer: {asked},
    queue {queued}
"""
"""The algorithm in plain words."""
_SOURCE: Final = """\
for each pair of neighbors: try_pair(left, right)
while the queue is not empty:
    left, right, size = pop the best pair
    if either has size 0, or the sizes do not
        add up to size: skip it, it is stale
    left absorbs right; right.size = 0
    left.next = right.next
    try_pair(left.prev, left)
    try_pair(left, left.next)
for each symbol still in the chain:
    if its text is a piece: output its id
    else: output its bytes, one token each

try_pair: {asked},
          push {queued}
"""
"""The algorithm with the fields that the originals keep."""


CODE: Final = {
    priority: [each.format_map(words).splitlines() for each in (_CODE, _SOURCE)] for priority, words in RULES.items()
}
"""Priority → the algorithm in plain words, and with its fields."""

_KINDS: Final = """
SEGMENT: segment
    look: info dot 60
    fields: symbols:t number unit:t
    say: Fragment {number} begins: {symbols}.
    why: The queue is empty: fragments never merge with each other.
    log: fragment {number}, {symbols}
    story: The next {unit} begins, with {symbols}.
    story_why: Merges never cross from one {unit} to the next.

PUSH: push
    look: push dot 60 inner
    lines: 10 11
    source: 13 14
    fields: left right joined:q priority:t one:q other:q
    say: Cells {left} and {right} would make {joined}, a piece with score {priority}: push it.
    why: The pair with the highest score is popped first; of equal scores, the leftmost.
    log: push {joined} {priority}
    story: {one} + {other} would make {joined}: it waits with {priority}.
    story_why: The highest score goes first.
    10: {joined:t}: yes
    11: {priority}

MISS: no piece
    look: miss ring 25 inner
    lines: 10
    source: 13
    fields: left right joined:q one:q other:q future:t
    say: Cells {left} and {right} would make {joined}, which is not in the vocabulary.
    why: {future}
    log: {joined}: no piece
    story: {one} + {other} don't make a piece.
    10: {joined:t}: no

MERGE: merge
    look: merge dot 100 landmark
    lines: 2 4
    source: 2 5 6
    fields: left right joined:q priority:t one:q other:q rival:q rival_priority:t
    say: Pop {joined} ({priority}): cell {left} absorbs cell {right}.
    why: Neither symbol has changed since the pair was pushed. Cell {right} now has n = 0 and leaves the chain.
    log: merge {left}+{right} → {joined}
    story: {one} + {other} → {joined}. The best pair left: {priority} beats {rival} ({rival_priority}).
    story_why: The pair with the highest score goes first, wherever it is in the text.
    2: {joined:t}, {priority}
    4: {one:t} + {other:t} → {joined:t}

STALE_LEFT: stale
    look: stale diamond 45 inner
    lines: 2 3
    source: 2 3 4
    fields: left right joined:q priority:t one:q other:q changed:q now:q
    say: Pop {joined} ({priority}): stale, skip it. Cell {left} has been absorbed.
    why: Entries stay in the queue when their symbols change. They are checked only when they are popped.
    log: skip stale {joined} {priority}
    story: {joined} is out of date: its {changed} is part of {now} now. Skip it.
    story_why: Entries stay in the queue and are checked only when they come up.
    2: {joined:t}, {priority}
    3: {changed:t} has changed

STALE_RIGHT like STALE_LEFT
    say: Pop {joined} ({priority}): stale, skip it. Cell {right} has been absorbed.

STALE_SIZE like STALE_LEFT
    say: Pop {joined} ({priority}): stale, skip it. Cell {right} has grown.

TOKEN: token
    look: token dot 70
    lines: 7 8
    source: 9 10
    fields: cell piece:q id:t
    say: Cell {cell} holds {piece}, which is token {id}.
    log: cell {cell} → {piece} {id}
    story: {piece} is a piece: token {id}.
    8: {piece:t} → {id}

UNMERGE: split again
    look: stale diamond 45
    lines: 7
    source: 9
    fields: left right piece:q score:t
    say: {piece} is a piece that may not be output: split it again at cell {right}.
    why: sentencepiece marks such pieces UNUSED. llama.cpp has the same code, but can't reach it.
    log: split {piece} again
    story: {piece} may not be output: it is split again.
    story_why: The vocabulary marks it as unused.

BYTE: byte
    look: byte dot 70
    lines: 7 9
    source: 9 11
    fields: cell text:q byte size piece:q id:t
    say: Cell {cell}: {text} is not a piece. Its byte {byte} of {size} becomes {piece}, token {id}.
    why: Its name is spelled out: <0x + hex[byte >> 4] + hex[byte & 15] + >. If no piece has that name, llama.cpp
        looks for the raw byte. In a BPE or WordPiece vocabulary it looks for the byte's printable character
        instead.
    log: byte {piece} {id}
    story: {text} is not a piece. Its byte {byte} of {size} becomes {piece}, token {id}.
    story_why: A character that is not a piece costs one token for each byte.
    9: {piece:t} → {id}

RAW_BYTE like BYTE
    why: The vocabulary has no <0x…> for this byte and spells it as itself.
    story: {text} is not a piece. Its byte {byte} of {size} becomes token {id}.

UNKNOWN like BYTE: unknown
    look: byte ring 70
    say: Cell {cell}: {text} is not a piece, and its byte {byte} of {size} has no token: it becomes {piece}, token
        {id}.
    why: The character is lost.
    log: unknown {piece} {id}
    story: {text} is not a piece, and its byte {byte} of {size} has no token: it becomes {piece}.
    story_why: The character is lost.

UNKNOWN_SYMBOL: unknown
    look: byte ring 70
    lines: 7 9
    source: 9 11
    fields: cell text:q piece:q id:t
    say: Cell {cell}: {text} is not a piece: it becomes {piece}, token {id}.
    why: This model has no byte tokens, so the character is lost.
    log: unknown {text}
    story: {text} is not a piece, and there are no byte tokens: it becomes {piece}.
    story_why: The character is lost.

UNKNOWN_JOINED like UNKNOWN_SYMBOL
    say: Cell {cell}: {text} is not a piece either: it joins the {piece} before it.
    why: sentencepiece outputs one unknown token for a run of unknown characters.
    log: unknown {text} joins
    story: {text} is not a piece either: it joins the {piece} before it.
    story_why: A run of unknown characters is one token.

WHOLE: whole
    look: merge dot 100 landmark
    fields: piece:q id:t
    say: {piece} as a whole is token {id}: nothing is merged.
    why: It is looked up whole before any merge.
    log: whole {piece} {id}

could be built like WHOLE
    why: It is looked up whole before any merge. The merges alone give the same token.

could not be built like WHOLE
    fields: piece:q id:t count:t tokens:t
    why: It is looked up whole before any merge. The merges alone can't build it: they give {count}, {tokens}.

NOT_WHOLE: no token
    look: miss ring 25
    fields: symbols:t text:q
    say: {text} is looked up as a whole: it is not a token.
    why: So it is built from {symbols}.
    log: {text}: no token

DROPPED: dropped
    look: stale ring 70
    lines: 7 9
    source: 9 11
    fields: cell text:q byte size
    say: Cell {cell}: {text} is not a piece, and its byte {byte} of {size} has no token: it is dropped.
    why: llama.cpp drops it silently.
    log: byte dropped
    story: {text} is not a piece, and its byte {byte} of {size} has no token: it is dropped.
    story_why:

FALLBACK: byte fallback
    look: byte dot 70
    fields: cell text:q bytes:t
    say: {text} is not a piece: it becomes {bytes}, from cell {cell} on.
    why: Byte tokens replace it before the first merge.
    log: {text} as {bytes}
    story: {text} is not a piece: it is written as {bytes}.
    story_why: The bytes take part in the merges like any symbol.

UNKNOWN_RUN: unknown
    look: byte ring 70
    fields: cell text:q
    say: {text} is not a piece: cell {cell} is the unknown token instead.
    why: Adjacent unknown characters share one unknown token if the model fuses them. They are lost.
    log: {text} unknown
    story: {text} is not a piece: it becomes the unknown token.
    story_why: The character is lost.

SKIPPED: dropped
    look: stale ring 70
    fields: text:q
    say: {text} is not a piece, and the model has no unknown token: it is dropped.
    why: The character is lost.
    log: {text} dropped

PREFIXED: prefix
    look: info ring 30
    fields: affix:q
    say: Every symbol but the first gets the prefix {affix}.
    why: The prefix marks pieces that continue a word. A merge keeps the left symbol's prefix and drops the right
        one's.
    log: prefix {affix}

SUFFIXED: suffix
    look: info ring 30
    fields: affix:q
    say: The last symbol gets the suffix {affix}.
    why: The suffix marks pieces that end a word.
    log: suffix {affix}

merge last like MERGE
    fields: left right joined:q priority:t one:q other:q future:t drawn:t
    story: {one} + {other} → {joined}. No other pair waits{drawn}.
    story_why: {future}

merge equal like MERGE
    story: {one} + {other} → {joined}. {rival} has {rival_priority} too.
    story_why: Of equal scores, the left one goes first.
"""

_LISTED: Final = """
SEGMENT
    say: A new {unit} begins: {symbols}.
    why: The queue is empty: merges never cross from one {unit} to the next.
    log: new {unit}, {symbols}

PUSH
    say: Cells {left} and {right} make {joined}, number {priority} in the list of merges: push it.
    why: The merge with the lowest number is popped first; of the same merge, the leftmost pair.
    story: {one} + {other} make {joined}: it waits as merge {priority}.
    story_why: The lowest number goes first.

MISS: no merge
    say: Cells {left} and {right} would make {joined}, but this pair is not in the list of merges.
    log: {joined}: no merge
    story: {one} + {other} is not in the list of merges.

MERGE
    story: {one} + {other} → {joined}. Merge {priority} comes before merge {rival_priority} ({rival}).
    story_why: The list is in the order of training: what was frequent is early.

BYTE
    why: A character without a piece costs one token per byte b, spelled <0x, hex[b >> 4], hex[b & 15], >.

merge equal
    story: {one} + {other} → {joined}. The same merge waits again.
    story_why: Of equal pairs, the left one goes first.

unlisted: no merge
    look: miss ring 25 inner
    lines: 10
    source: 13
    fields: left right joined:q one:q other:q future:t also:t
    say: Cells {left} and {right} would make {joined}, but this pair is not in the list of merges.
    why: {also} tiktoken asks only whether the joined bytes are a token, so it would push this pair. {future}
    log: {joined}: no merge
    story: {one} + {other} is not in the list of merges.
    story_why: {also} {future}
    10: {joined:t}: no
"""
"""What differs for a list of merges."""

_RANKED: Final = """
SEGMENT
    say: A new {unit} begins: {symbols}.
    why: The queue is empty: merges never cross from one {unit} to the next.
    log: new {unit}, {symbols}

PUSH
    say: Cells {left} and {right} make {joined}, a token with rank {priority}: push it.
    why: The pair with the lowest rank is popped first; of equal ranks, the leftmost.
    story: {one} + {other} make {joined}: it waits with rank {priority}.
    story_why: The lowest rank goes first.

MISS: no token
    say: Cells {left} and {right} would make {joined}, which is not a token.
    log: {joined}: no token
    story: {one} + {other} don't make a token.

MERGE
    story: {one} + {other} → {joined}. Rank {priority} comes before rank {rival_priority} ({rival}).
    story_why: Ranks are in the order of training: what was frequent is early.

BYTE
    why: A character without a piece costs one token per byte b, spelled <0x, hex[b >> 4], hex[b & 15], >.

merge equal
    story: {one} + {other} → {joined}. The same pair waits again.
    story_why: Of equal pairs, the left one goes first.
"""
"""What differs for ranks."""

KINDS: Final[Mapping[str, Mapping[Key, StepKind]]] = {
    "score": kinds(MergeEvent, _KINDS, FOLLOW),
    "merge": kinds(MergeEvent, _KINDS, _LISTED, FOLLOW),
    "rank": kinds(MergeEvent, _KINDS, _RANKED, FOLLOW),
}
"""Priority a model merges by → its kinds of step."""

START: Final = "{what} is cut into {cut}."
"""The story of the initial state."""

# --- what becomes of a pair after its step: only the rest of the run decides it ------------------------------------

JOIN: Final = "They join later, when one of them has grown."
APART: Final = "They meet again when one of them has grown, but never join."
NEVER: Final = "Neither grows after this, so they can't join."
NEW_PAIR: Final = "It makes a new pair with a neighbor."
NO_PAIR: Final = "It makes no new pair, so the merges end."
NO_PAIR_DRAWN: Final = "It makes no new pair."
DRAWN: Final = " in the part that is drawn"
"""Of a text of which a window is drawn."""

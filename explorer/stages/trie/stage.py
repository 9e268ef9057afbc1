"""Walks over bytes, as everybody else asks about them: the trie's, and the loop that stops at the first miss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from explorer.engine.items import Segment
from explorer.engine.models.trie import FirstMiss, FirstMissEvent, TrieEvent, TrieRow
from explorer.engine.results import Stage, Trace
from explorer.engine.trace import silent
from explorer.stages.spelling import Speller
from explorer.stages.stage import DRAWN, Drawing, ModelKind, by_kind, of_stage
from explorer.stages.trie.first_miss_story import first_miss_script
from explorer.stages.trie.question import longest_match
from explorer.stages.trie.walk_story import trie_script
from explorer.stages.trie.why import FirstMisses, Walks
from explorer.text.say import Say, plural
from explorer.text.utf8 import character_of_each_byte
from explorer.vocabulary import Vocabulary


def drawing(stage: Stage, segment: Segment, rows: Sequence[tuple[int, TrieRow]], speller: Speller) -> Drawing | None:
    """The longest walk through the trie: its bytes, and the tokens it passed."""
    data = segment.text.encode()
    walks: dict[int, list[TrieRow]] = {}
    for _, row in rows:
        walks.setdefault(row.start, []).append(row)
    if not walks:
        return None
    longest = max(walks.values(), key=lambda walk: sum(row.kind in (TrieEvent.NODE, TrieEvent.SEEN) for row in walk))
    nodes: list[list[Any]] = []
    for row in longest[: DRAWN - 4]:
        if row.kind not in (TrieEvent.NODE, TrieEvent.SEEN):
            break
        seen = row.kind == TrieEvent.SEEN
        text = data[row.start : row.at + 1].decode("utf-8", "replace") if seen else ""
        nodes.append([f"{data[row.at]:02X}", row.token if seen else -1, "" if "\ufffd" in text else text])
    taken = max((at for at, node in enumerate(nodes) if node[1] >= 0), default=-1)
    stop = next((row for row in longest if row.kind == TrieEvent.NO_EDGE), None)
    return {"kind": "walk", "nodes": nodes, "taken": taken, "stop": "" if stop is None else f"{data[stop.at]:02X}"}


def first_miss_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How many tokens the loop that stops at the first miss makes, how many the trie, and where they first differ.

    >>> import explorer
    >>> from explorer.text.say import plain
    >>> tok = explorer.load("rwkv-world@first-miss")
    >>> trace = tok.trace("a!--")
    >>> plain(first_miss_result(trace, trace.stage("model"), tok.vocabulary))
    'The loop makes 3 tokens of this text, the trie 2. They first differ at character 2.'
    """
    model = cast(FirstMiss, stage.part)
    by_loop = by_trie = 0
    first = -1
    for item in stage.before:
        if isinstance(item, Segment):
            data = item.text.encode()
            loop, trie = model.tokenize(data, silent), model.trie.tokenize(data, silent)
            by_loop, by_trie = by_loop + len(loop), by_trie + len(trie)
            differ = set(loop) ^ set(trie)
            if differ and first < 0:
                character = character_of_each_byte(data)[min(match.start for match in differ)]
                first = item.starts[character]
    if first < 0:
        return Say.of("The loop and the trie make the same tokens of this text.")
    words = "The loop makes {0:t} of this text, the trie {1:t}. They first differ at character {2:t}."
    return Say.of(words, plural(by_loop, "token"), f"{by_trie:,}", f"{first + 1:,}")


TRIE: Final = ModelKind(
    title="A walk through the trie",
    purpose="Starting at each position, the bytes are followed down a tree; the last token passed is taken.",
    name="Longest match",
    script=of_stage(trie_script),
    account=Walks,
    clause=lambda model: "takes the longest token along a trie",
    outputs=by_kind(TrieEvent.TAKE, TrieEvent.FALL_BACK, TrieEvent.UNKNOWN),
    questions={"longest-match": longest_match},
    drawing=drawing,
)
FIRST_MISS: Final = ModelKind(
    title="The loop that stops at the first miss",
    purpose="Starting at each position, characters are added as long as the result is a token. This common misreading "
    "of the trie is not a longest match; each step says where the trie takes another token.",
    name="First miss",
    script=of_stage(first_miss_script),
    result=first_miss_result,
    account=FirstMisses,
    clause=lambda model: "adds characters until the string is not a token",
    outputs=by_kind(FirstMissEvent.TAKE, FirstMissEvent.BYTE),
)

"""The stages of a trace in a row, each with its result in two or three words.

A stage that changed nothing says so ("none", "unchanged") and is marked, so that a reader sees at a glance where a
text was changed. Counts come from the items before and after a stage, or from its events; nothing is run again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from explorer.engine.items import Items, Segment, Token
from explorer.engine.models.char_word import CharWordRow
from explorer.engine.models.first_miss import FirstMissRow
from explorer.engine.models.merges import MergeEvent, MergeRow
from explorer.engine.models.trie import TrieRow
from explorer.engine.models.unigram import UnigramRow
from explorer.engine.models.word_level import WordLevelRow
from explorer.engine.models.wordpiece import WordPieceEvent, WordPieceRow
from explorer.engine.results import DecodeTrace, Stage, Trace
from explorer.text.quantities import plural
from explorer.vocabulary import SPACE_MARK


class Node(NamedTuple):
    """A stage in the row. key: of its section. changed: False draws it dim."""

    key: str
    name: str
    result: str
    changed: bool


NAMES: Mapping[str, str] = MappingProxyType(
    {
        "partition": "Special tokens",
        "partition-normalized": "Special, normalized",
        "normalize": "Normalize",
        "dna": "DNA",
        "pre-tokenize": "Pre-tokenize",
        "model": "Model",
        "truncate": "Truncate",
        "pad": "Pad",
        "post-process": "Ids",
    }
)

MODELS: Mapping[type[Any], str] = MappingProxyType(
    {
        MergeRow: "Merge",
        WordPieceRow: "Longest match",
        TrieRow: "Longest match",
        FirstMissRow: "First miss",
        UnigramRow: "Best path",
        CharWordRow: "Look-up",
        WordLevelRow: "Look-up",
    }
)
"""What the model stage is called, by the row type of its events."""


def ribbon(trace: Trace, decoded: DecodeTrace) -> list[Node]:
    """All stages in order: the bytes first, the text again last.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> trace = tok.trace("What is LoRA?")
    >>> [node.result for node in ribbon(trace, tok.trace_decode(trace.ids))]
    ['13 bytes', 'none', '+1 space', '9 merges', '6 tokens', 'the same']
    """
    size = len(trace.text.encode())
    first = Node("utf8", "Bytes", plural(size, "byte"), size != len(trace.text))
    same = decoded.text == trace.text
    last = Node("decode", "Text again", "the same" if same else "differs", not same)
    stages = [Node(stage.name, name_of(stage), *result_of(stage)) for stage in trace.stages]
    return [first, *stages, last]


def name_of(stage: Stage) -> str:
    """What a stage is called."""
    model = MODELS.get(stage.part.row) if stage.name == "model" else None  # type: ignore[call-overload]
    return model or NAMES.get(stage.name, stage.name.capitalize())


Result = tuple[str, bool]
"""What came out, and whether that is more than nothing."""


def result_of(stage: Stage) -> Result:
    """A stage's result."""
    return RESULTS.get(stage.name, tokens)(stage)


def special(stage: Stage) -> Result:
    """Special tokens found in the text."""
    found = sum(isinstance(item, Token) for item in stage.after) - sum(isinstance(item, Token) for item in stage.before)
    return (f"{found:,} found", True) if found else ("none", False)


def normalized(stage: Stage) -> Result:
    """How the text changed."""
    before, after = text_of(stage.before), text_of(stage.after)
    if before == after:
        return "unchanged", False
    return described(before, after), True


def described(before: str, after: str) -> str:
    """The difference in a few words: a space in front, case alone, else how the length changed.

    >>> described("a b", "▁a▁b"), described("Å", "å"), described("é", "e\u0301"), described("ﬁ", "fi")
    ('+1 space', 'lowercase', '1 → 2 characters', '1 → 2 characters')
    """
    plain = after.replace(SPACE_MARK, " ")
    if plain == before:
        return f"spaces → {SPACE_MARK}"
    if plain == " " + before:
        return "+1 space"
    if after == before.lower():
        return "lowercase"
    if len(before) == len(after):
        changed = sum(one != other for one, other in zip(before, after, strict=True))
        return f"{changed:,} changed"
    return f"{len(before):,} → {plural(len(after), 'character')}"


def pre_tokens(stage: Stage, word: str = "pre-token") -> Result:
    """Stretches of text, no longer one."""
    count = sum(isinstance(item, Segment) for item in stage.after)
    return plural(count, word), count > 1 or text_of(stage.before) != text_of(stage.after)


def fragments(stage: Stage) -> Result:
    """Text beside DNA."""
    return pre_tokens(stage, "fragment")


def modeled(stage: Stage) -> Result:
    """What the model did, counted in its own steps."""
    wanted, word = STEPS.get(stage.part.row, (None, "token"))  # type: ignore[call-overload]
    if wanted is None:
        count = sum(isinstance(item, Token) for item in stage.after)
    else:
        count = stage.events.data[:: stage.events.width].count(wanted)
    return plural(count, *([word] if isinstance(word, str) else word)), True


STEPS: Mapping[type[Any], tuple[int, str | tuple[str, str]]] = MappingProxyType(
    {MergeRow: (int(MergeEvent.MERGE), "merge"), WordPieceRow: (int(WordPieceEvent.HIT), ("match", "matches"))}
)
"""By the row type of a model's events: which kind of event is counted, and what it is called."""


def tokens(stage: Stage) -> Result:
    """Tokens after the stage."""
    count = sum(isinstance(item, Token) for item in stage.after)
    return plural(count, "token"), True


def text_of(items: Items) -> str:
    """The text that has not become tokens yet."""
    return "".join(item.text for item in items if isinstance(item, Segment))


RESULTS: Mapping[str, Callable[[Stage], Result]] = MappingProxyType(
    {
        "partition": special,
        "partition-normalized": special,
        "normalize": normalized,
        "dna": fragments,
        "pre-tokenize": pre_tokens,
        "model": modeled,
    }
)


def focus_of(nodes: Sequence[Node], wanted: str | None) -> str:
    """The stage to show: the one asked for, else the model's.

    >>> nodes = [Node("utf8", "", "", True), Node("model", "", "", True)]
    >>> focus_of(nodes, "utf8"), focus_of(nodes, "none of these"), focus_of(nodes, None)
    ('utf8', 'model', 'model')
    """
    keys = [node.key for node in nodes]
    return wanted if wanted in keys else "model" if "model" in keys else keys[0]

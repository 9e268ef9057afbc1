"""A question about a pattern: which pre-token does an alternative match?

Wrong pieces are cut by other alternatives, or by other known patterns at the same position.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, cast

from explorer.engine.pre_tokenizers.by_regex import RegexSplit
from explorer.engine.pre_tokenizers.patterns import PATTERNS
from explorer.engine.pre_tokenizers.patterns_llama_cpp import PATTERNS as LLAMA_CPP
from explorer.engine.pre_tokenizers.stage import PreTokenization, PreTokenizeEvent
from explorer.engine.results import Stage
from explorer.stages.question import Choice, Draft, Scene, quoted_row, richest, shown, start_of
from explorer.text.say import Say

OTHER_PATTERNS: Final = ("gpt-2", "qwen-2", "llama-3")
"""Whose pieces at the same position are wrong choices: what one pattern does is easily taken for another's."""


def pattern_stage(stages: tuple[Stage, ...]) -> Stage | None:
    """The stage that splits by a pattern."""
    return next((each for each in stages if isinstance(each.part, PreTokenization) and each.part.alternatives), None)


def matched_piece(scene: Scene) -> Draft | None:
    """Which pre-token does the alternative match?"""
    stage = pattern_stage(scene.trace.stages)
    if stage is None:
        return None
    pieces: dict[int, list[tuple[int, int, int]]] = {}
    """by alternative: the event, start and end of each piece"""
    for event, row in enumerate(stage.events):
        if row.kind == PreTokenizeEvent.PIECE and row.end > row.start:
            pieces.setdefault(row.choice, []).append((event, row.start, row.end))
    order = scene.random.sample(sorted(pieces), len(pieces))
    return richest(_matched_piece(scene, stage, pieces, choice) for choice in order)


def _matched_piece(scene: Scene, stage: Stage, pieces: Mapping[int, list[tuple[int, int, int]]], choice: int) -> Draft:
    """The question about an alternative."""
    text = scene.trace.text
    event, start, end = scene.random.choice(pieces[choice])
    alternative = cast(PreTokenization, stage.part).alternatives[choice]
    own = {text[a:b] for _, a, b in pieces[choice]}
    at_same = [
        (text[start:stop], Say("Another tokenizer's pattern cuts that here.")) for stop in other_ends(text, start)
    ]
    elsewhere = [
        (text[a:b], Say.of("Alternative {0} matches that.", other + 1))
        for other, found in pieces.items()
        if other != choice
        for _, a, b in found
    ]
    scene.random.shuffle(elsewhere)
    # a character more or less, where the other pieces are few
    ends = (end + 1, end - 1, end + 2, end - 2, end + 3)
    nearby = [(text[start:stop], Say("No alternative cuts that.")) for stop in ends if start < stop <= len(text)]
    wrong = [
        Choice(quoted_row([shown(piece)]), why=why)
        for piece, why in (*at_same, *elsewhere, *nearby)
        if piece not in own
    ]
    said = Say.of("{0:t} Here that is {1:q}.", alternative.says, shown(text[start:end]))
    prompt = scene.say(
        "The pattern cuts {0:q} from the left. Which pre-token does alternative {1}, {2:q}, match?",
        start_of(text.encode()),
        choice + 1,
        alternative.regex,
    )
    before = next((at - 1 for at in range(event, -1, -1) if at == 0 or stage.events[at - 1].start != start), event)
    return Draft(prompt, Choice(quoted_row([shown(text[start:end])])), wrong, said, stage.name, before, event)


def other_ends(text: str, start: int) -> Iterator[int]:
    """Where other known patterns end the piece that begins at an offset, if they begin one there."""
    for name in OTHER_PATTERNS:
        found = {match.start: match.end for match in splitter(name).matches(text)}
        if start in found:
            yield found[start]


@cache
def splitter(name: str) -> RegexSplit:
    """A known pattern, ready to run."""
    return RegexSplit((PATTERNS | LLAMA_CPP)[name])

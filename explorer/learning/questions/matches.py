"""Questions about longest matches: which piece of a pattern's alternative, where the longest match ends.

Wrong pieces are cut by other alternatives, or by other known patterns at the same position. Wrong ends are windows or
nodes that the model tried, shorter pieces that it passed, and where the loop that stops at the first miss ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import takewhile, zip_longest
from typing import Final, cast

from explorer.analysis.pattern_difference import known_pattern
from explorer.engine.models.trie import TrieEvent
from explorer.engine.models.wordpiece import WordPieceEvent, WordPieceRow
from explorer.engine.pre_tokenizers.by_regex import RegexSplit
from explorer.engine.pre_tokenizers.stage import PreTokenization, PreTokenizeEvent
from explorer.engine.results import Stage
from explorer.learning.questions.question import LONGEST_SHOWN, Choice, Draft, Scene, richest, row
from explorer.stages.answers import WhyStep
from explorer.stages.family import Made, SegmentEvents
from explorer.stages.speller import Form, plain_bytes
from explorer.stages.trie.why import Walks, WordPieces
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
    for event, row_ in enumerate(stage.events):
        if row_.kind == PreTokenizeEvent.PIECE and row_.end > row_.start:
            pieces.setdefault(row_.choice, []).append((event, row_.start, row_.end))
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
    wrong = [Choice(row([shown(piece)]), why=why) for piece, why in (*at_same, *elsewhere, *nearby) if piece not in own]
    said = Say.of("{0:t} Here that is {1:q}.", alternative.says, shown(text[start:end]))
    prompt = scene.say(
        "The pattern cuts {0:q} from the left. Which pre-token does alternative {1}, {2:q}, match?",
        start_of(text.encode()),
        choice + 1,
        alternative.regex,
    )
    before = next((at - 1 for at in range(event, -1, -1) if at == 0 or stage.events[at - 1].start != start), event)
    return Draft(prompt, Choice(row([shown(text[start:end])])), wrong, said, stage.name, before, event)


def other_ends(text: str, start: int) -> Iterator[int]:
    """Where other known patterns end the piece that begins at an offset, if they begin one there."""
    for name in OTHER_PATTERNS:
        found = {match.start: match.end for match in splitter(name).matches(text)}
        if start in found:
            yield found[start]


@cache
def splitter(name: str) -> RegexSplit:
    """A known pattern, ready to run."""
    return RegexSplit(known_pattern(name))


def start_of(data: bytes, space: str = "␣") -> str:
    """Bytes for people, shortened after a whole character. space: how one is written; the pre-tokenizers' panels draw
    ␣, those of the models ·.

    >>> start_of(b"\\x98\\x8a!")
    '98 8A !'
    """
    text = data.decode("utf-8", "surrogateescape")
    if len(text) <= LONGEST_SHOWN:
        return plain_bytes(data, space)
    return plain_bytes(text[:LONGEST_SHOWN].encode("utf-8", "surrogateescape"), space) + "…"


def shown(text: str) -> str:
    """Text of the original for people."""
    return plain_bytes(text.encode())


# --- longest match ----------------------------------------------------------------------------------------------------


def longest_match(scene: Scene) -> Draft | None:
    """Where does the longest match end?"""
    return richest(in_words(scene) if isinstance(scene.asked.family, WordPieces) else in_trie(scene))


def in_words(scene: Scene) -> Iterator[Draft]:
    """The longest matches of WordPiece."""
    family = cast(WordPieces, scene.asked.family)
    found = [
        (fragment, event, hit)
        for fragment in family.fragments.values()
        for event, hit in family.rows(fragment)
        if hit.kind == WordPieceEvent.HIT and family.size(fragment) - hit.start > 1
    ]
    shuffled = scene.random.sample(found, len(found))
    # a match that takes the whole rest asks for little
    shuffled.sort(key=lambda each: each[2].end == family.size(each[0]))
    for fragment, event, hit in shuffled:
        yield in_word(scene, family, fragment, event, hit)


def in_word(scene: Scene, family: WordPieces, fragment: SegmentEvents, event: int, hit: WordPieceRow) -> Draft:
    """The longest match in a word, which an event found."""
    start, size = hit.start, family.size(fragment)
    missed = sorted(
        row_.end for _, row_ in family.rows(fragment) if row_.kind == WordPieceEvent.MISS and row_.start == start
    )
    tried = [event for event, row_ in family.rows(fragment) if row_.start == start and row_.end in missed]
    ids = family.model.ids
    passed = [end for end in range(hit.end - 1, start, -1) if family.window(fragment, start, end) in ids]
    ends = [end for pair in zip_longest(missed[:2], passed[:2]) for end in pair if end]
    # a match that takes the whole rest has missed nothing: shorter starts, pieces or not
    ends += [*missed[-1:], *range(hit.end - 1, start, -1)]
    wrong = [
        Choice(
            row([family.shown(fragment, start, end)]),
            "",
            Say("It is a piece, but not the longest.") if end in passed else Say("It is not a piece."),
        )
        for end in ends
    ]
    rest = family.shown(fragment, start, size)
    prompt = scene.say("{0:t} looks for the longest piece at the start of {1:q}. Where does it end?", scene.name, rest)
    right = family.shown(fragment, start, hit.end)
    said = Say.of("{0:q} is token {1:t}.", right, str(hit.token))
    if missed:
        longer = Say.of(
            "{0:q} is the next longer start, and it is not a piece.", family.shown(fragment, start, missed[0])
        )
        said = said.then(longer)
    return Draft(prompt, Choice(row([right])), wrong, said, scene.stage.name, max(tried, default=event - 1), event)


def in_trie(scene: Scene) -> Iterator[Draft]:
    """The longest matches of a trie: shorter tokens that the walk passed, and nodes that are none."""
    family = cast(Walks, scene.asked.family)
    found = []
    for token in family.made:
        walk = family.walk(token) if token.kind in (TrieEvent.TAKE, TrieEvent.FALL_BACK) else []
        nodes = [step for step in walk if step.makes]
        if len(nodes) > 1 and len(nodes[-1].makes) <= LONGEST_SHOWN:
            found.append((token, walk, nodes))
    shuffled = scene.random.sample(found, len(found))
    # a walk through tokens alone asks for little
    shuffled.sort(key=lambda each: all(step.kind == TrieEvent.SEEN.name for step in each[2]))
    for token, walk, nodes in shuffled:
        yield on_walk(scene, family, token, walk, nodes)


def on_walk(scene: Scene, family: Walks, made: Made, walk: list[WhyStep], nodes: list[WhyStep]) -> Draft:
    """The longest match of a walk. nodes: the steps that lead to one."""
    data = family.data(made)
    right = family.prefix(data, made.start, made.end)
    tokens = [step for step in nodes if step.kind == TrieEvent.SEEN.name and step.makes != right]
    beyond = [step for step in nodes if family.events[step.event].at >= made.end]
    within = [step for step in nodes if step.kind == TrieEvent.NODE.name and step not in beyond]
    first_miss = list(takewhile(lambda step: step.kind == TrieEvent.SEEN.name, nodes))[-1:]
    order = [*first_miss, *beyond[-1:], *tokens[-1:], *tokens[:1], *within[-1:], *tokens, *beyond, *within]
    wrong = [
        Choice(
            row([step.makes]),
            "",
            Say("A token, but a longer one follows.")
            if step.kind == TrieEvent.SEEN.name
            else Say("A node of the trie, but not a token."),
        )
        for step in order
    ]
    end = family.events[walk[-1].event].at
    if walk[-1].kind == TrieEvent.NO_EDGE.name:
        wrong.insert(2, Choice(row([family.prefix(data, made.start, end + 1)]), "", Say("No edge leads there.")))
    rest = start_of(data[made.start :], Form.AS_TEXT.value)
    prompt = scene.say("The walk through the trie begins at {0:q}. Where does the longest match end?", rest)
    said = family.end(made, walk).then(Say.of("The last token passed is {0:q}, token {1:t}.", right, str(made.id)))
    seen = [step for step in walk if step.kind != TrieEvent.NO_EDGE.name]  # that step names the match
    return Draft(prompt, Choice(row([right])), wrong, said, scene.stage.name, seen[-1].event, made.event)

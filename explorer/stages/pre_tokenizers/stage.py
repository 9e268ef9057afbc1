"""How a text is cut before the model, as everybody else asks about it.

Which events are about a span or a cut, and a question about a pattern: which pre-token does an alternative match? Wrong
pieces are cut by other alternatives, or by other known patterns at the same position.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache, partial
from itertools import islice
from typing import cast

import regex

from explorer.engine.part import Segment
from explorer.engine.pre_tokenizers.by_regex import PreTokenization, PreTokenizeEvent, PreTokenizeRow, RegexSplit
from explorer.engine.pre_tokenizers.patterns import PATTERNS
from explorer.engine.pre_tokenizers.patterns_llama_cpp import PATTERNS as LLAMA_CPP
from explorer.engine.pre_tokenizers.scanners import ScannerSplit
from explorer.engine.pre_tokenizers.wpm import WpmEvent
from explorer.engine.tokenizer import Stage, Trace
from explorer.facts import listed
from explorer.implementations.opened import Opened
from explorer.stages.partition.stage import pieces_result
from explorer.stages.pre_tokenizers.scanner import LONGEST, lost_by_rewriting
from explorer.stages.pre_tokenizers.story import PatternScript
from explorer.stages.pre_tokenizers.words_story import WordsScript
from explorer.stages.stage import (
    Choice,
    Draft,
    Kind,
    Painted,
    Scene,
    Seam,
    StageKind,
    WhyStep,
    kinds_of,
    pre_tokens,
    quoted_row,
    richest,
    shown,
    start_of,
)
from explorer.text import label, visible
from explorer.text.code_points import after_15, after_16
from explorer.text.say import Say, plural
from explorer.vocabulary import Vocabulary

PIECES = (
    PreTokenizeEvent.PIECE,
    PreTokenizeEvent.GAP,
    PreTokenizeEvent.REMOVED,
    PreTokenizeEvent.REST_REMOVED,
    PreTokenizeEvent.MERGED_PREVIOUS,
    PreTokenizeEvent.MERGED_NEXT,
    PreTokenizeEvent.JOINED,
)
"""The kinds of event that are about a piece of the text."""

TURNS: Mapping[WpmEvent, Say] = {
    WpmEvent.WHITE_SPACE: Say("white space: it ends a word"),
    WpmEvent.DROP: Say("a control: it is dropped"),
    WpmEvent.DROP_MARK: Say("a mark: it is dropped"),
    WpmEvent.ALONE: Say("punctuation, an ASCII symbol or a Chinese character: a word by itself"),
    WpmEvent.APPEND: Say("appended to the last word"),
}
"""What a turn of llama.cpp's loop does."""


def pattern_spans(stage: Stage) -> Iterator[tuple[int, int, int]]:
    """(start, end, event) of the pieces and inserted prefixes."""
    for event, row in enumerate(stage.events):
        if row.kind in PIECES or row.kind == PreTokenizeEvent.PREFIX:
            yield row.start, row.end, event


def word_spans(stage: Stage) -> Iterator[tuple[int, int, int]]:
    """The same of llama.cpp's loop: a turn is about the code point it looks at."""
    for event, row in enumerate(stage.events):
        segment = stage.before[row.item]
        if isinstance(segment, Segment) and row.kind not in (WpmEvent.BEGIN, WpmEvent.POP):
            yield segment.starts[row.at], segment.ends[row.at], event


def pattern_seam(seam: Seam) -> Iterator[WhyStep]:
    """The events about the pieces on both sides of a cut, and about what is between them."""
    end, first = seam.between
    last = end - 1
    seen = set()
    for event, row in enumerate(seam.stage.events):
        # a later splitter of the stage may find the same piece again
        if row.kind not in PIECES or (row.start, row.end, row.kind) in seen:
            continue
        seen.add((row.start, row.end, row.kind))
        kept = row.kind not in (PreTokenizeEvent.REMOVED, PreTokenizeEvent.REST_REMOVED)
        beside = (row.start <= last < row.end) != (row.start <= first < row.end)
        # a space that normalization inserts has the span of its neighbor, which is not removed
        start, stop = (row.start, row.end) if kept else (max(row.start, last + 1), min(row.end, first))
        if beside if kept else start < stop:
            text = visible(seam.text[start:stop])
            kind = PreTokenizeEvent(row.kind).name
            yield WhyStep(seam.number, event, kind, (text,), text if kept else "", why(seam.stage, row), good=kept)


def why(stage: Stage, row: PreTokenizeRow) -> Say:
    """Why a piece is one."""
    part = stage.part
    if row.choice >= 0 and isinstance(part, PreTokenization):
        return Say(part.alternatives[row.choice].says)
    return Say("between two matches of the pattern")


def word_seam(seam: Seam) -> Iterator[WhyStep]:
    """The turns of llama.cpp's loop around a cut: the last one of a word, those between, the first of the next."""
    one, other = seam.sides
    for start, end, event in word_spans(seam.stage):
        if one.starts[-1] <= start and end <= other.ends[0]:
            row = seam.stage.events[event]
            text = visible(seam.text[seam.in_read(start) : seam.in_read(end)])
            kind, kept = WpmEvent(row.kind), row.code_point >= 0
            made = chr(row.code_point) if kept else ""
            yield WhyStep(seam.number, event, kind.name, (text,), made, TURNS[kind], good=kept)


def pretokenize_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How many pieces, and what that means for the model; then where the original is not today's pattern or Unicode."""
    part, counts = cast(PreTokenization, stage.part), Counter(kinds_of(stage))
    pieces = sum(isinstance(item, Segment) for item in stage.after)
    dropped = counts[PreTokenizeEvent.REMOVED] + counts[PreTokenizeEvent.REST_REMOVED]
    also = [Say("{0:t} removed.", plural(dropped, "stretch is", "stretches are"))] if dropped else []
    if counts[PreTokenizeEvent.BYTE]:
        also.append(Say("Every byte is then spelled as a printable character, as in the vocabulary."))
    if not pieces:
        said, also = Say("There is no text to cut."), []
    elif pieces == sum(isinstance(item, Segment) for item in stage.before) and not part.alternatives:
        said, also = Say("The text is not cut."), also[bool(dropped) :]
    else:
        said = Say("The text is cut into {0:t}; no token crosses a cut.", plural(pieces, "pre-token"))
    return said.then(*also, *rewritten_says(trace, stage, part), *newer_says(trace.text, part))


def rewritten_says(trace: Trace, stage: Stage, part: PreTokenization) -> Iterator[Say]:
    """The first match of the model's own pattern that llama.cpp's rewritten one misses, if any."""
    for event in stage.events:
        if event.kind != PreTokenizeEvent.FAILED or not part.alternatives[event.choice].rewritten:
            continue
        tried = part.alternatives[event.choice]
        if lost := lost_by_rewriting(tried, trace.text[event.start : event.start + LONGEST]):
            yield Say(
                "At character {0} the model's own pattern would take {1:q} with {2:q}. llama.cpp has rewritten it for "
                "ASCII letters and does not.",
                event.start + 1,
                visible(lost),
                visible(tried.rewritten),
            )
            return


ASKS = regex.compile(r"\\[pPwW]")
"""An alternative that uses the category of a character."""


def newer_says(text: str, part: PreTokenization) -> list[Say]:
    """Characters newer than the original's Unicode version, if its pattern uses their category.

    >>> from explorer.engine.pre_tokenizers.patterns import GPT2
    >>> from explorer.engine.pre_tokenizers.by_regex import RegexSplit
    >>> [say.texts for say in newer_says("a\\U0003e784", PreTokenization([RegexSplit(GPT2)]))]
    [('16', 'U+3E784')]
    """
    for splitter in () if text.isascii() else part.splitters:
        version = splitter.unicode
        if version and any(ASKS.search(alternative.regex) for alternative in splitter.alternatives):
            newer = after_16() if version == "16" else after_15()
            labels = [label(ch) for ch in dict.fromkeys(text) if ord(ch) in newer]
            if labels:
                words = "Newer than Unicode {0:t}, so unassigned to the original, neither letter nor number: {1:t}."
                return [Say(words, version, listed(labels))]
    return []


CLASSES = (
    "Unicode defines what a character is (a letter, a number, white space …), and its versions differ: another program "
    "may cut differently at a recently added character."
)

PATTERN = StageKind(
    title="Pre-tokenizer",
    purpose="The text is cut into pre-tokens, and no token crosses a cut. At each position the alternatives of a "
    f"pattern are tried in order. {CLASSES}",
    name="Pre-tokenize",
    script=PatternScript.of,
    count=pre_tokens,
    result=pretokenize_result,
    finder=lambda stage: Painted(pattern_spans(stage)),
    seam=pattern_seam,
)
WORDS = StageKind(
    title="Words",
    purpose="The text is cut into words in one loop over its code points. What it does with one depends on twelve "
    f"flags that llama.cpp has in a table, not on a pattern. {CLASSES}",
    name="Pre-tokenize",
    script=WordsScript.of,
    count=pre_tokens,
    result=pieces_result,
    finder=lambda stage: Painted(word_spans(stage)),
    seam=word_seam,
)


OTHER_PATTERNS = ("gpt-2", "qwen-2", "llama-3")
"""Whose pieces at the same position are wrong choices: what one pattern does is easily taken for another's."""


def has_pattern(tokenizer: Opened) -> bool:
    """Whether a tokenizer splits by a pattern. A scanner's rules try more than one alternative at once."""
    stages = [part for part in tokenizer.parts if isinstance(part, PreTokenization)]
    scans = any(isinstance(splitter, ScannerSplit) for part in stages for splitter in part.splitters)
    return not scans and any(part.alternatives for part in stages)


@partial(
    Kind,
    "matched-piece",
    "Which pre-token does the alternative match?",
    suits=has_pattern,
)
@richest
def matched_piece(scene: Scene) -> Iterator[Draft]:
    """The question about each alternative of the first pattern, in random order."""
    parts = (each for each in scene.trace.stages if isinstance(each.part, PreTokenization) and each.part.alternatives)
    for stage in islice(parts, 1):
        pieces: dict[int, list[tuple[int, int, int]]] = {}
        """by alternative: the event, start and end of each piece"""
        for event, row in enumerate(stage.events):
            if row.kind == PreTokenizeEvent.PIECE and row.end > row.start:
                pieces.setdefault(row.choice, []).append((event, row.start, row.end))
        for choice in scene.random.sample(sorted(pieces), len(pieces)):
            yield _matched_piece(scene, stage, pieces, choice)


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
        (text[a:b], Say("Alternative {0} matches that.", other + 1))
        for other, found in pieces.items()
        if other != choice
        for _, a, b in found
    ]
    scene.random.shuffle(elsewhere)
    # a character more or less, where the other pieces are few
    ends = (end + 1, end - 1, end + 2, end - 2, end + 3)
    nearby = [(text[start:stop], Say("No alternative cuts that.")) for stop in ends if start < stop <= len(text)]
    wrong = [
        Choice(quoted_row([shown(piece)]), why) for piece, why in (*at_same, *elsewhere, *nearby) if piece not in own
    ]
    said = Say(alternative.says).then(Say("Here that is {0:q}.", shown(text[start:end])))
    prompt = Say(
        "The pattern cuts {0:q} from the left. Which pre-token does alternative {1}, {2:q}, match?",
        start_of(text.encode()),
        choice + 1,
        alternative.regex,
    )
    before = next((at - 1 for at in range(event, -1, -1) if at == 0 or stage.events[at - 1].start != start), event)
    return Draft(prompt, Choice(quoted_row([shown(text[start:end])])), wrong, said, before, event, stage=stage.name)


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

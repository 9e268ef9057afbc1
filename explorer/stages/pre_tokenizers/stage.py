"""How a text is cut before the model, as everybody else asks about it."""

from __future__ import annotations

from typing import Final, cast

import regex

from explorer.engine.items import Segment
from explorer.engine.pre_tokenizers.stage import PreTokenization, PreTokenizeEvent
from explorer.engine.results import Stage, Trace
from explorer.facts import listed
from explorer.stages.finders import Painted
from explorer.stages.partition.stage import pieces_result
from explorer.stages.pre_tokenizers.alternatives import LONGEST, lost_by_rewriting
from explorer.stages.pre_tokenizers.finding import pattern_seam, pattern_spans, word_seam, word_spans
from explorer.stages.pre_tokenizers.story import pretokenize_script
from explorer.stages.pre_tokenizers.words_story import words_script
from explorer.stages.results import pre_tokens
from explorer.stages.stage import StageKind, of_stage
from explorer.text import label, visible
from explorer.text.code_points import after_15, after_16
from explorer.text.say import Say, plural
from explorer.vocabulary import Vocabulary


def pretokenize_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How many pieces, and what that means for the model; then where the original is not today's pattern or Unicode."""
    part = cast(PreTokenization, stage.part)
    return cut_say(stage, part).then(*rewritten_says(trace, stage, part), *newer_says(trace.text, part))


def cut_say(stage: Stage, part: PreTokenization) -> Say:
    """How many pieces, and what that means for the model."""
    pieces = sum(isinstance(item, Segment) for item in stage.after)
    if not pieces:
        return Say.of("There is no text to cut.")
    spelled = any(event.kind == PreTokenizeEvent.BYTE for event in stage.events)
    how = "" if not spelled else " Every byte is then spelled as a printable character, as in the vocabulary."
    dropped = sum(event.kind in (PreTokenizeEvent.REMOVED, PreTokenizeEvent.REST_REMOVED) for event in stage.events)
    out = f" {plural(dropped, 'stretch is', 'stretches are')} removed." if dropped else ""
    if pieces == sum(isinstance(item, Segment) for item in stage.before) and not part.alternatives:
        return Say.of("The text is not cut.{0:t}", how)
    return Say.of("The text is cut into {0:t}; no token crosses a cut.{1:t}", plural(pieces, "pre-token"), out + how)


def rewritten_says(trace: Trace, stage: Stage, part: PreTokenization) -> list[Say]:
    """The first match of the model's own pattern that llama.cpp's rewritten one misses, if any."""
    for event in stage.events:
        if event.kind != PreTokenizeEvent.FAILED or not part.alternatives[event.choice].rewritten:
            continue
        tried = part.alternatives[event.choice]
        lost = lost_by_rewriting(tried, trace.text[event.start : event.start + LONGEST])
        if lost:
            return [
                Say.of(
                    "At character {0} the model's own pattern would take {1:q} with {2:q}. llama.cpp has rewritten it "
                    "for ASCII letters and does not.",
                    event.start + 1,
                    visible(lost),
                    visible(tried.rewritten),
                )
            ]
    return []


ASKS: Final = regex.compile(r"\\[pPwW]")
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
                return [Say.of(words, version, listed(labels))]
    return []


CLASSES: Final = (
    "Unicode defines what a character is (a letter, a number, white space …), and its versions differ: another program "
    "may cut differently at a recently added character."
)

PATTERN: Final = StageKind(
    title="Pre-tokenizer",
    purpose="The text is cut into pre-tokens, and no token crosses a cut. At each position the alternatives of a "
    f"pattern are tried in order. {CLASSES}",
    name="Pre-tokenize",
    script=of_stage(pretokenize_script),
    count=pre_tokens,
    result=pretokenize_result,
    finder=lambda stage: Painted(pattern_spans(stage)),
    seam=pattern_seam,
)
WORDS: Final = StageKind(
    title="Words",
    purpose="The text is cut into words in one loop over its code points. What it does with one depends on twelve "
    f"flags that llama.cpp has in a table, not on a pattern. {CLASSES}",
    name="Pre-tokenize",
    script=of_stage(words_script),
    count=pre_tokens,
    result=pieces_result,
    finder=lambda stage: Painted(word_spans(stage)),
    seam=word_seam,
)

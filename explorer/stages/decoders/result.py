"""What decoding gave: the same text, or a sentence for each stage that lost something."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Final, NamedTuple

from explorer.engine.decoders.chain import DecodeEvent
from explorer.engine.tokenizer import DecodeTrace, Trace
from explorer.stages.decoders.changes import WORDS
from explorer.stages.decoders.losses import DECODE, Insertion, Loss, Losses, RoundTrip
from explorer.text import visible
from explorer.text.input import is_utf8
from explorer.text.say import Say, plural, shortened
from explorer.vocabulary import SPACE_MARK


class StageTerms(NamedTuple):
    """The words for a stage. changed, gone: what it did to a character, in the past tense.

    why: explains a space it inserted that stays.
    """

    name: str
    changed: str
    gone: str
    why: str = ""


STAGES: Final = {stage: StageTerms(**words) for stage, words in WORDS["stages"].items()}
"""By the name of a stage."""

REASONS: Final[Mapping[int, str]] = {DecodeEvent[name]: why for name, why in WORDS["reasons"].items()}
"""What decoding did to a character's token → why the character is lost; the first that applies."""

LOOKS_LIKE_A_SPACE = "the vocabulary writes spaces as ▁ (U+2581), so a real ▁ looks like a space"


def decode_result(trace: Trace, round_trip: RoundTrip) -> Say:
    """Whether the text comes back, and why its tokens can't be decoded separately."""
    split = split_says(trace, round_trip.decoded)
    if trace.text == round_trip.decoded.text:
        return Say.of("All bytes joined and read as UTF-8 give back exactly your text.").then(*split)
    return lost_say(trace, round_trip.decoded, round_trip.losses).then(*split)


def split_says(trace: Trace, decoded: DecodeTrace) -> list[Say]:
    """The first character spread over several tokens: these cannot be decoded separately."""
    tokens = trace.encoding.tokens
    for index, (token, part) in enumerate(zip(tokens, decoded.parts, strict=True)):
        neighbors = (*tokens[max(index - 1, 0) : index], *tokens[index + 1 : index + 2])
        shared = any(other.start < token.end and token.start < other.end for other in neighbors)
        if shared and token.start >= 0 and not is_utf8(part):
            words = (
                "{0:q} (character {1:t}) is spread over several tokens: decoded separately they would give \ufffd, "
                "and their lengths would no longer add up."
            )
            return [Say.of(words, shortened(trace.text[token.start : token.end]), f"{token.start + 1:,}")]
    return []


def lost_say(trace: Trace, decoded: DecodeTrace, found: Losses) -> Say:
    """The result for a text that does not come back: one sentence in all, and one per stage.

    >>> import explorer
    >>> from explorer.stages.decoders.losses import losses
    >>> from explorer.text.say import plain
    >>> tok = explorer.load("xlm-r")
    >>> trace = tok.trace("a <mask>")
    >>> decoded = tok.trace_decode(trace.ids)
    >>> plain(lost_say(trace, decoded, losses(trace, decoded, tok.vocabulary)))
    '1 of 8 characters does not come back. \
A token cut out of the text stripped 1: “␣” (character 2).'
    """
    count = len(found.lost)
    if not count:
        said = ["The text that comes back is different, but nothing is lost."]
    elif count == len(trace.text):
        said = ["None of the text comes back."]
    else:
        some = "does" if count == 1 else "do"
        said = [f"{count:,} of {plural(len(trace.text), 'character')} {some} not come back."]
    by_stage: dict[str, list[Loss]] = {}
    for each in found.lost:
        by_stage.setdefault(each.stage, []).append(each)
    why = reasons(trace, decoded, found)
    names = dict.fromkeys([*(stage.name for stage in trace.stages), DECODE])
    said += [stage_say(trace, by_stage[name], why) for name in names if name in by_stage]
    said += [added_say(each) for each in found.added]
    return Say.of("{0:t}", " ".join(said))


def terms_of(stage: str) -> StageTerms:
    """The words for a stage, also for one that is not in the table."""
    return STAGES.get(stage) or StageTerms(f"The stage {stage}", "changed", "dropped")


def stage_say(trace: Trace, lost: list[Loss], reasons: Mapping[int, str]) -> str:
    """`Normalization rewrote 2 and dropped 1; the first: “W” (character 1) became “w”.`"""
    about, changed = terms_of(lost[0].stage), sum(bool(each.became) for each in lost)
    counts = (about.changed, changed), (about.gone, len(lost) - changed)
    parts = [f"{did} {count:,}" for did, count in counts if count]
    example, why = became(trace, lost[0]), reasons.get(lost[0].at, "")
    return f"{about.name} {' and '.join(parts)}{'; the first' if len(lost) > 1 else ''}: {example}{why and '; '}{why}."


def became(trace: Trace, lost: Loss) -> str:
    """`“W” (character 1) became “w”`"""
    source = trace.text[lost.start : lost.end]
    many = f"characters {lost.start + 1:,} to {lost.end:,}"
    said = f"“{shortened(source)}” ({f'character {lost.start + 1:,}' if len(source) == 1 else many})"
    if not lost.became:
        return said
    said += f" became “{shortened(lost.became)}”"
    same = unicodedata.normalize("NFC", source) == unicodedata.normalize("NFC", lost.became)
    return f"{said}, which looks the same but has other code points" if same else said


def reasons(trace: Trace, decoded: DecodeTrace, found: Losses) -> dict[int, str]:
    """Position in the text → why decoding lost that character."""
    wanted = {each.at: each for each in found.lost if each.stage == DECODE}
    did: dict[int, set[int]] = {}
    for event in decoded.events if wanted else ():
        did.setdefault(event.position, set()).add(event.kind)
    said: dict[int, str] = {}
    for index, token in enumerate(trace.encoding.tokens if wanted else ()):
        for at in range(max(token.start, 0), token.end):
            if at not in wanted or at in said:
                continue
            kinds = did.get(index, set())
            said[at] = next((why for kind, why in REASONS.items() if kind in kinds), "")
            if wanted[at].became == " " and trace.text[at] == SPACE_MARK:
                said[at] = LOOKS_LIKE_A_SPACE
    return said


def added_say(added: Insertion) -> str:
    """`Decoding inserted 1 character: “␣” before character 2.`"""
    about = terms_of(added.stage)
    first = "; the first" if added.size > 1 else ""
    say = (
        f"{about.name} inserted {plural(added.size, 'character')}{first}: “{visible(added.first)}” before character "
        f"{added.at + 1:,}."
    )
    return f"{say} {about.why}" if about.why and added.first == " " else say

"""What of a text does not come back, in a sentence for each stage that lost some of it, and character by character."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from explorer.analysis.round_trip.groups import Loss
from explorer.analysis.round_trip.losses import DECODE, Insertion, Losses
from explorer.engine.decoders.rows import DecodeEvent
from explorer.engine.tokenizer import DecodeTrace, Trace
from explorer.text import visible
from explorer.text.quantities import plural
from explorer.views.boards.board import BoardRow, cell, code_points, glyph, row, shortened
from explorer.views.say import Say
from explorer.views.window import Window
from explorer.vocabulary import SPACE_MARK


class Words(NamedTuple):
    """How a stage is spoken of. changed, gone: what it did to a character, in the past tense.

    why: said of a space that it put in and that stays.
    """

    name: str
    changed: str
    gone: str
    why: str = ""


STAGES: Mapping[str, Words] = MappingProxyType(
    {
        "partition": Words("A token that was cut out", "rewrote", "swallowed"),
        "normalize": Words(
            "Normalization", "rewrote", "dropped", "Decoding takes such a space away only at the very beginning."
        ),
        "partition-normalized": Words("A token that was looked for later", "rewrote", "swallowed"),
        "pre-tokenize": Words("The pre-tokenizer", "rewrote", "left out"),
        "model": Words("The model", "could not spell", "left out"),
        "truncate": Words("Truncation", "rewrote", "cut off"),
        "post-process": Words("Post-processing", "rewrote", "left out"),
        "decode": Words("Decoding", "rewrote", "left out", "It guesses where spaces stood."),
    }
)
"""By the name of a stage."""

REASONS: Mapping[DecodeEvent, str] = MappingProxyType(
    {
        DecodeEvent.DROP: "the token is one that is added around a text, and those are dropped",
        DecodeEvent.HIDDEN: "this kind of token is not written",
        DecodeEvent.SPACE: "a space at the very beginning is taken for the one that normalization puts there",
        DecodeEvent.REPLACED: "its bytes are no character",
        DecodeEvent.CLEANED: "it cleans up spaces beside punctuation",
        DecodeEvent.STRIPPED: "the decoder takes such characters away at the ends of a piece",
        DecodeEvent.METASPACE: "the decoder takes the first space away, wherever it came from",
        DecodeEvent.SUBSTITUTED: "the decoder writes it otherwise",
        DecodeEvent.DENORMALIZED: "the denormalizer rewrites it",
        DecodeEvent.SAME: "the decoder leaves out a piece that repeats the one before it",
        DecodeEvent.TIDIED: "clean_up_tokenization_spaces of transformers takes spaces beside punctuation away",
        DecodeEvent.CLEANED_SPACES: "for this vocabulary llama.cpp cleans up spaces before punctuation and "
        "contractions",
    }
)
"""Why decoding lost a character, by what it did to the character's token."""

LOOKS_LIKE_A_SPACE = "the vocabulary writes spaces as ▁ (U+2581), so a real ▁ cannot be told from one"


def lost_say(trace: Trace, decoded: DecodeTrace, found: Losses) -> Say:
    """The verdict for a text that does not come back: a sentence in all, and one for each stage.

    >>> import explorer
    >>> from explorer.analysis.round_trip.losses import losses
    >>> from explorer.views.say import plain
    >>> tok = explorer.load("xlm-r")
    >>> trace = tok.trace("a <mask>")
    >>> decoded = tok.trace_decode(trace.ids)
    >>> plain(lost_say(trace, decoded, losses(trace, decoded, tok.vocabulary)))
    'Not the same text: 1 of its 8 characters does not come back. \
A token that was cut out swallowed 1: “␣” (character 2).'
    """
    count = len(found.lost)
    if not count:
        said = ["Not the same text, though nothing of it is lost."]
    elif count == len(trace.text):
        said = ["Not the same text: nothing of it comes back."]
    else:
        some = "does" if count == 1 else "do"
        said = [f"Not the same text: {count:,} of its {plural(len(trace.text), 'character')} {some} not come back."]
    by_stage: dict[str, list[Loss]] = {}
    for each in found.lost:
        by_stage.setdefault(each.stage, []).append(each)
    why = reasons(trace, decoded, found)
    names = dict.fromkeys([*(stage.name for stage in trace.stages), DECODE])
    said += [stage_say(trace, by_stage[name], why) for name in names if name in by_stage]
    said += [added_say(each) for each in found.added]
    return Say.of("{0:t}", " ".join(said))


def words(stage: str) -> Words:
    return STAGES.get(stage) or Words(f"The stage {stage}", "changed", "dropped")


def stage_say(trace: Trace, lost: list[Loss], reasons: Mapping[int, str]) -> str:
    """`Normalization rewrote 2 and dropped 1, the first: “W” (character 1) became “w”.`"""
    about = words(lost[0].stage)
    changed = [each for each in lost if each.became]
    parts = []
    if changed:
        parts.append(f"{about.changed} {len(changed):,}")
    if len(changed) < len(lost):
        parts.append(f"{about.gone} {len(lost) - len(changed):,}")
    example, why = became(trace, lost[0]), reasons.get(lost[0].at, "")
    return f"{about.name} {' and '.join(parts)}{', the first' if len(lost) > 1 else ''}: {example}{why and '; '}{why}."


def became(trace: Trace, lost: Loss) -> str:
    """`“W” (character 1) became “w”`"""
    source = trace.text[lost.start : lost.end]
    many = f"characters {lost.start + 1:,} to {lost.end:,}"
    said = f"“{shortened(source)}” ({f'character {lost.start + 1:,}' if len(source) == 1 else many})"
    if not lost.became:
        return said
    said += f" became “{shortened(lost.became)}”"
    same = unicodedata.normalize("NFC", source) == unicodedata.normalize("NFC", lost.became)
    return f"{said}, the same to a reader, but other code points" if same else said


def reasons(trace: Trace, decoded: DecodeTrace, found: Losses) -> dict[int, str]:
    """Why decoding lost what it lost, by the place in the text."""
    wanted = {each.at: each for each in found.lost if each.stage == DECODE}
    did: dict[int, set[int]] = {}
    for event in decoded.events if wanted else ():
        did.setdefault(event.position, set()).add(event.kind)
    said: dict[int, str] = {}
    for place, token in enumerate(trace.encoding.tokens if wanted else ()):
        for at in range(max(token.start, 0), token.end):
            if at not in wanted or at in said:
                continue
            kinds = did.get(place, set())
            said[at] = next((why for kind, why in REASONS.items() if kind in kinds), "")
            if wanted[at].became == " " and trace.text[at] == SPACE_MARK:
                said[at] = LOOKS_LIKE_A_SPACE
    return said


def added_say(added: Insertion) -> str:
    """`Decoding put in 1 character that was not there: “␣” before character 2.`"""
    about = words(added.stage)
    first = ", the first" if added.size > 1 else ""
    say = (
        f"{about.name} put in {plural(added.size, 'character')} that the text does not have{first}: "
        f"“{visible(added.first)}” before character {added.at + 1:,}."
    )
    return f"{say} {about.why}" if about.why and added.first == " " else say


def lost_row(trace: Trace, decoded: DecodeTrace, found: Losses, window: Window) -> list[BoardRow]:
    """The characters of the window that do not come back, each with the stage that lost it; no row without any."""
    inside = [each for each in found.lost if window.holds(each.at)]
    why = reasons(trace, decoded, found)
    cells = []
    for each in inside:
        shown = glyph(trace.text[each.at])
        tip = [
            ["character", f"{each.at + 1} · {code_points(trace.text[each.at])}"],
            ["lost by", words(each.stage).name],
            ["became", shortened(each.became) if each.became else "nothing"],
        ]
        if why.get(each.at):
            tip.append(["why", why[each.at]])
        look = "changed" if each.became else "dropped"
        cells.append(cell(shown.pop("t"), each.at, each.at + 1, sub=each.stage, look=look, tip=tip, **shown))
    if not cells:
        return []
    before = sum(each.at < window.start for each in found.lost)
    return [row("chips", "What does not come back", cells, note="under each character the stage that lost it",
                limit=200, outside=(before, len(found.lost) - before - len(cells)))]  # fmt: skip

"""Notes on a comparison: the setting or class that causes a difference, a bundled file that its maker has changed, and
differences in the decoded text.

A setting, or a class with parts of its own, is named only if it is proved to be the cause: with the setting flipped, or
with the parts of the file, the same text has the same ids in that region. Each candidate is tried. The same holds for
decoding: clean-up is named as the cause of different decoded texts only if they are the same without it.
"""

from collections.abc import Iterator, Mapping

from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import (
    MODEL,
    NORMALIZE,
    PARTITION,
    POST_PROCESS,
    PRE_TOKENIZE,
    Comparison,
    Divergence,
    Run,
    run,
)
from explorer.analysis.expected.explainer import note_on
from explorer.engine.budget import many_runs
from explorer.errors import InputError
from explorer.implementations.llama_cpp.pre_tokenized import RUN_OTHERWISE
from explorer.implementations.opened import Opened, Variant
from explorer.text.say import Say, shortened
from explorer.vocabulary import SPACE_MARK

CLEAN_UP = "clean_up_tokenization_spaces"
SETTINGS: Mapping[str, tuple[str, ...]] = {
        PARTITION: ("split_special_tokens",),
        NORMALIZE: (
            "add_prefix_space", "legacy", "do_lower_case", "strip_accents", "tokenize_chinese_chars",
            "keep_accents",
        ),
        PRE_TOKENIZE: (
            "add_prefix_space", "legacy", "tokenize_chinese_chars", "split_by_punct", "fix_mistral_regex",
        ),
        POST_PROCESS: ("add_bos_token", "add_eos_token", "legacy_behaviour"),
    }  # fmt: skip
"""By stage, the settings that may cause a difference there."""

OF_CLASS = ("tokenizer_class", "model_type", "model_name")
"""The keys that choose the class of a folder, of whatever file."""
LONGEST = 10_000
"""The most characters of a text on which settings are tried."""
MOST = 4
"""The most divergences that are examined, the first of each stage and kind."""


def notes(comparison: Comparison) -> tuple[Say, ...]:
    """Sentences about a comparison."""
    with many_runs("a comparison", len(comparison.left.text)):
        settings = dict.fromkeys(setting_notes(comparison))
        others = (*file_notes(comparison), *decoding_notes(comparison))
        return (*spelling_notes(comparison), *settings, *others)


def file_notes(comparison: Comparison) -> Iterator[Say]:
    """What distinguishes a bundled file from its maker's, where other tokens are added around the text."""
    if any(each.stage == POST_PROCESS for each in comparison.divergences):
        for side in comparison.sides:
            if note := note_on(side.tokenizer):
                yield Say("{0:t}: {1:t}", side.subject, note)


def spelling_notes(comparison: Comparison) -> Iterator[Say]:
    """A vocabulary of SentencePiece that runs as byte-level, where the other side gives one of its pieces with ▁."""
    sides = comparison.sides
    for one, other in (sides, sides[::-1]) if not comparison.same else ():
        known, pieces = one.tokenizer.vocabulary.ids, other.tokenizer.vocabulary.pieces
        for fact in one.tokenizer.facts:
            if RUN_OTHERWISE in fact.says and any(
                SPACE_MARK.encode() in pieces[id] and pieces[id] in known for id in other.ids
            ):
                yield Say("{0:t}: {1:t}", one.subject, fact.says)


def setting_notes(comparison: Comparison) -> Iterator[Say]:
    """The settings that cause different ids, as sentences."""
    sides = comparison.sides
    own = [(one, other) for one, other in (sides, sides[::-1]) if one.tokenizer.variants.own]
    if len(comparison.left.text) > LONGEST or not (own or any(side.tokenizer.variants.all for side in sides)):
        return
    firsts = {(each.stage, each.kind): each for each in reversed(comparison.divergences)}
    for divergence in list(firsts.values())[-MOST:]:
        found = [
            (one, variant)
            for one, other in (sides, sides[::-1])
            for variant in one.tokenizer.variants.all
            if variant.removed or variant.name in SETTINGS.get(divergence.stage, ())
            if is_cause(variant, one, other, divergence)
        ]
        # settings from the files come before defaults
        for one, variant in [each for each in found if each[1].said] or found:
            flip = "Without it" if variant.removed else "With false" if variant.on else "With true"
            yield Say("{0:t}: {1:t}. {2:t} the ids are the same in this region.", one.subject, variant.says, flip)
        # a setting says more than the class, unless it names the class
        said_more = any(not variant.name.endswith(OF_CLASS) for _, variant in found)
        for one, other in own if divergence.stage in (NORMALIZE, PRE_TOKENIZE, MODEL) and not said_more else ():
            # the fewest parts that have to be exchanged
            for variant in one.tokenizer.variants.own:
                if is_cause(variant, one, other, divergence):
                    template = "{0:t}: {1:t}. With the file's the ids are the same in this region."
                    yield Say(template, one.subject, variant.says)
                    break


def is_cause(variant: Variant, one: Run, other: Run, divergence: Divergence) -> bool:
    """Whether the ids are the same in the region of a divergence once a setting is flipped."""
    try:
        flipped = run(
            variant.flipped, one.text, one.label, words=one.words, read_escapes=one.read != one.text,
            **one.options._asdict(),
        )  # fmt: skip
    except InputError:
        return False
    start, end = divergence.region
    return not any(
        each.region == divergence.region or (each.region.start < end and start < each.region.end)
        for each in compare(flipped, other).divergences
    )


# --- decoding -------------------------------------------------------------------------------------------------------


def decoding_notes(comparison: Comparison) -> Iterator[Say]:
    """Different decoded texts, as sentences: for the same ids, or if clean-up is the cause."""
    sides = comparison.sides
    try:
        one, other = (decoded(side, side.tokenizer) for side in sides)
    except InputError:  # ids that can't be decoded are reported elsewhere
        return
    if one == other:
        return
    cleaners = [
        (side, variant)
        for side, text, wanted in zip(sides, (one, other), (other, one), strict=True)
        for variant in side.tokenizer.variants.named([CLEAN_UP])
        if variant.on and decoded(side, variant.flipped) == wanted != text
    ]
    texts = Say("{0:q} and {1:q}", shortened(one), shortened(other))
    for side, variant in cleaners:
        template = "decode: the ids become {0}, because {1:t} cleans up: {2:t}. Without it both give the same text."
        yield Say(template, texts, side.subject, variant.says)
    if not cleaners and comparison.same:
        yield Say("decode: the same ids become {0}.", texts)


def decoded(side: Run, tokenizer: Opened) -> str:
    """The text that a tokenizer makes of a run's ids."""
    return tokenizer.decode(side.ids, remove_special=side.options.add_special)

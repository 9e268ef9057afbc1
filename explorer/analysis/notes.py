"""What there is to say of two tokenizers beside where their ids part: the setting that is behind it, and other text.

A setting is named only where it is one: with it the other way round, the same text has the same ids in that place. That
is tried out, not concluded. So it is with what decoding gives: where both decode to other texts, and clean-up is the
cause, they decode to the same without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import Comparison, Divergence
from explorer.analysis.divergence.states import NORMALIZE, PARTITION, POST_PROCESS, PRE_TOKENIZE
from explorer.analysis.run import Run, run
from explorer.engine.limits.budget import many_runs
from explorer.engine.variants import Variant
from explorer.errors import InputError
from explorer.text.visible import shortened

CLEAN_UP: Final = "clean_up_tokenization_spaces"
SETTINGS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        PARTITION: ("split_special_tokens",),
        NORMALIZE: (
            "add_prefix_space", "legacy", "do_lower_case", "strip_accents", "tokenize_chinese_chars",
        ),
        PRE_TOKENIZE: ("add_prefix_space", "legacy", "tokenize_chinese_chars"),
        POST_PROCESS: ("add_bos_token", "add_eos_token"),
    }
)  # fmt: skip
"""Stage → the settings that may be behind what it does."""

LONGEST: Final = 10_000
"""Characters of a text that settings are tried out on."""
MOST: Final = 4
"""Places that are looked into, the first of each stage and kind."""


def notes(comparison: Comparison) -> tuple[str, ...]:
    """Sentences about two runs that were compared."""
    with many_runs("a comparison", len(comparison.left.text)):
        return (*dict.fromkeys(behind(comparison)), *decoded_apart(comparison))


def behind(comparison: Comparison) -> Iterator[str]:
    """The settings that the ids part by, as sentences."""
    sides = comparison.left, comparison.right
    if len(comparison.left.text) > LONGEST or not any(side.tokenizer.variants.all for side in sides):
        return
    firsts = {(each.stage, each.kind): each for each in reversed(comparison.divergences)}
    for divergence in list(firsts.values())[-MOST:]:
        found = [
            (one, variant)
            for one, other in (sides, sides[::-1])
            for variant in one.tokenizer.variants.named(SETTINGS.get(divergence.stage, ()))
            if is_behind(variant, one, other, divergence)
        ]
        # what a file says comes before what nobody said
        said = [each for each in found if each[1].said]
        for one, variant in said or found:
            yield (
                f"{one.subject}: {variant.says}. With {'false' if variant.on else 'true'} the ids are the same in this "
                "place."
            )


def is_behind(variant: Variant, one: Run, other: Run, divergence: Divergence) -> bool:
    """Whether the ids are the same in the place of a divergence once a setting is flipped."""
    try:
        flipped = run_like(one, variant)
    except InputError:
        return False
    start, end = divergence.region
    return not any(
        each.region == divergence.region or (each.region.start < end and start < each.region.end)
        for each in compare(flipped, other).divergences
    )


def run_like(one: Run, variant: Variant) -> Run:
    """The same text with a setting flipped."""
    return run(
        variant.flipped, one.text, one.label, words=one.words, read_escapes=one.read != one.text,
        **one.options._asdict(),
    )  # fmt: skip


# --- decoding -------------------------------------------------------------------------------------------------------


def decoded_apart(comparison: Comparison) -> Iterator[str]:
    """What both decode their ids to, where that is said: the ids are the same, or a clean-up is behind it."""
    sides = comparison.left, comparison.right
    try:
        one, other = (decoded(side, side.ids) for side in sides)
    except InputError:  # ids that cannot be decoded say so elsewhere
        return
    if one == other:
        return
    cleaners = [
        (side, variant)
        for side, text, wanted in zip(sides, (one, other), (other, one), strict=True)
        for variant in side.tokenizer.variants.named([CLEAN_UP])
        if variant.on and cleaned(variant, side) == wanted != text
    ]
    texts = f"“{shortened(one)}” and “{shortened(other)}”"
    for side, variant in cleaners:
        yield (
            f"decode: the ids become {texts}, because {side.subject} cleans up: {variant.says}. Without it both give "
            "the same text."
        )
    if not cleaners and comparison.same:
        yield f"decode: the same ids become {texts}."


def decoded(side: Run, ids: list[int]) -> str:
    """The text of a run's ids."""
    return side.tokenizer.decode(ids, remove_special=side.options.add_special)


def cleaned(variant: Variant, side: Run) -> str:
    """The same without the clean-up."""
    return variant.flipped.decode(side.ids, remove_special=side.options.add_special)

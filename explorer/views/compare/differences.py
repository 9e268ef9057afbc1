"""Where two tokenizers part, as sentences and a table."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from explorer.analysis.divergence.result import Comparison, Half, numbered_span
from explorer.analysis.what_if import Switch, Variation
from explorer.text import visible
from explorer.text.quantities import plural
from explorer.views.say import Say
from explorer.vocabulary import Vocabulary

MOST = 500
"""Rows of the table at most; the counts are of all."""


SWITCHES: Mapping[Switch, str] = MappingProxyType(
    {
        Switch.ADD_SPECIAL: "Tokens that the model wants around every text, such as one for its beginning.",
        Switch.PARSE_SPECIAL: "Is the spelling of a special token in the text that token, or text like any other?",
        Switch.ESCAPES: "Is a backslash and an n a line break, or two characters?",
        Switch.IMPLEMENTATION: "The same vocabulary, run by another program.",
        Switch.NORMALIZER: "What changes the text before it is cut: letters composed, made small, and the like.",
        Switch.PREFIX_SPACE: "A space put in front, so that a word at the beginning is cut like one in the middle.",
        Switch.IGNORE_MERGES: "A piece that is a token as it stands is taken whole, and no merges are done.",
        Switch.SETTING: "A setting of the model's folder (tokenizer_config.json), read by the class of its tokenizer.",
    }
)
"""What each switch is, for somebody who sees it for the first time."""


def parting_say(comparison: Comparison) -> Say:
    """The answer: the first stage whose output differs and what each side does there, or that nothing differs."""
    return Say.of("{0:t}", comparison.sentence)


def more_say(comparison: Comparison) -> Say | None:
    """How many places there are in all, and what differs without consequence; None where there is no more to say."""
    parts = []
    count = len(comparison.divergences)
    if count > 1:
        parts.append(f"The ids differ in {plural(count, 'place')}.")
    if comparison.harmless:
        times = sum(each.times for each in comparison.harmless)
        parts.append(f"{plural(times, 'difference')} on the way {'changes' if times == 1 else 'change'} no id.")
    return Say.of("{0:t}", " ".join(parts)) if parts else None


def flip_say(variation: Variation, comparison: Comparison) -> Say:
    """One switch, what it is flipped to, and what that does to the number of tokens."""
    of_folder = variation.switch == Switch.SETTING
    to = "" if of_folder else variation.spec
    to = to or ("off" if variation.on else "on")
    count = len(comparison.right.ids) - len(comparison.left.ids)
    if comparison.same:
        change = "no id changes"
    elif count:
        change = f"{plural(abs(count), 'token')} {'more' if count > 0 else 'fewer'}"
    else:
        change = "as many tokens, other ids"
    return Say.of("{0:t} → {1:t}: {2:t}", variation.spec if of_folder else variation.switch.value, to, change)


def side_say(label: str, title: str, half: Half) -> Say:
    """What one side's stage is, and what it leaves in the place of the difference."""
    if not half.points:
        return Say.of("{0:t}: {1:t}.", label, title)
    return Say.of("{0:t}: {1:t}. Behind it there stands {2:t}.", label, title, named(half))


def absent_say(label: str, stage: str, half: Half) -> Say:
    """That one side has no such stage, and what therefore stays as it was."""
    if not half.points:
        return Say.of("{0:t} has no stage “{1:t}”: there the text stays as it is.", label, stage)
    return Say.of("{0:t} has no stage “{1:t}”: there stays {2:t}.", label, stage, named(half))


def named(half: Half) -> str:
    """The code points in the place of the difference, with their names."""
    return " and ".join(half.points)


def table_of_divergences(comparison: Comparison) -> pd.DataFrame:
    """One row a place in which the ids differ: the place, the stage, the kind, both sides."""
    left, right = comparison.left, comparison.right
    return pd.DataFrame(
        [
            {
                "characters": numbered_span(each.region),
                "text": visible(left.text[each.region.start : each.region.end][:60]),
                "stage": each.stage,
                "kind": each.kind.value,
                left.label: tokens_of(each.left, left.tokenizer.vocabulary),
                right.label: tokens_of(each.right, right.tokenizer.vocabulary),
                "because": each.sentence,
            }
            for each in comparison.divergences[:MOST]
        ]
    )


def table_of_harmless(comparison: Comparison) -> pd.DataFrame:
    """One row a stage and kind that differs and changes no id."""
    return pd.DataFrame(
        [
            {"stage": each.stage, "kind": each.kind.value, "times": each.times, "the first": each.sentence}
            for each in comparison.harmless
        ]
    )


def tokens_of(half: Half, vocabulary: Vocabulary, most: int = 8) -> str:
    """The tokens of one side in words: pieces with their ids."""
    shown = " ".join(f"{visible(vocabulary.spelling(token.id))}·{token.id}" for token in half.tokens[:most])
    return shown + (f" … {len(half.tokens)} in all" if len(half.tokens) > most else "") if half.tokens else "nothing"

"""Where two tokenizers differ, as sentences."""

from __future__ import annotations

from typing import Final

from explorer.analysis.divergence.result import Comparison
from explorer.analysis.what_if import Switch, Variation
from explorer.text.say import Say, plural

SWITCHES: Final = {
    Switch.ADD_SPECIAL: "Tokens that the model expects around every text, such as one for its beginning.",
    Switch.PARSE_SPECIAL: "Does text spelled like a special token become that token, or ordinary text?",
    Switch.ESCAPES: "Are a backslash and an n a line break, or two characters?",
    Switch.IMPLEMENTATION: "The same vocabulary, run by another program.",
    Switch.NORMALIZER: "Rewrites the text before it is cut: letters are composed, lowercased and so on.",
    Switch.PREFIX_SPACE: "A space before the text, so that its first word is tokenized like one in the middle.",
    Switch.IGNORE_MERGES: "A pre-token that is itself a token is taken whole, without merges.",
    Switch.BYTE_FALLBACK: "A character that is not a piece becomes its bytes. Without it, a run of such characters "
    "becomes one unknown token in sentencepiece, and the text can't be rebuilt.",
    Switch.SETTING: "A setting in the model's folder (tokenizer_config.json), read by its tokenizer class.",
}
"""Switch → what it does, for a first-time reader."""


def more_say(comparison: Comparison) -> Say | None:
    """How many differences there are in all, and how many change no id; None if there is only one."""
    parts = []
    count = len(comparison.divergences)
    if count > 1:
        parts.append(Say.of("The ids differ in {0:t}.", plural(count, "place")))
    if comparison.harmless:
        times = sum(each.times for each in comparison.harmless)
        changes = "changes" if times == 1 else "change"
        parts.append(Say.of("{0:t} {1:t} no id.", plural(times, "intermediate difference"), changes))
    return parts[0].then(*parts[1:]) if parts else None


def flip_say(variation: Variation, comparison: Comparison) -> Say:
    """A switch, its new value, and the effect on the number of tokens."""
    of_folder = variation.switch == Switch.SETTING
    to = "" if of_folder else variation.spec
    to = to or ("off" if variation.on else "on")
    count = len(comparison.right.ids) - len(comparison.left.ids)
    if comparison.same:
        change = "no id changes"
    elif count:
        change = f"{plural(abs(count), 'token')} {'more' if count > 0 else 'fewer'}"
    else:
        change = "as many tokens, different ids"
    return Say.of("{0:t} → {1:t}: {2:t}", variation.spec if of_folder else variation.switch.value, to, change)


def cause_say(comparison: Comparison) -> Say:
    """Why a flipped switch changes ids: the first stage that differs; or that it changes none."""
    if not comparison.same:
        return comparison.say
    return Say.of("This text has the same {0:t} either way.", plural(len(comparison.left.ids), "id"))

"""The answer to "where do they part?": a sentence that says what each side does there, and one that says what follows.

Names come first, then what they do; positions and rules are in the downloads and the panels. A space is a ·.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Final, NamedTuple

from explorer.analysis.divergence.kinds import DifferenceKind
from explorer.analysis.divergence.result import Comparison, Divergence, Place, Side
from explorer.analysis.divergence.states import NORMALIZE, PARTITION, PRE_TOKENIZE, TEXT_STAGES, is_decided
from explorer.text.say import Say, plural
from explorer.text.visible import dotted

STAGE_NAMES: Final[Mapping[str, str]] = {
    PARTITION: "Special tokens",
    NORMALIZE: "Normalize",
    PRE_TOKENIZE: "Pre-tokenize",
}
"""The stages whose differences may change no id, as pages call them."""

ONLY_NUMBERS: Final = Say("Both cut the text the same way. Only the numbers differ.")
NOT_NEEDED: Final = Say("No id depends on it.")


class Headline(NamedTuple):
    """say: what each side does; more: what follows."""

    say: Say
    more: Say


def headline(comparison: Comparison, number: int | None = None) -> Headline:
    """The answer for a whole text, or with `number` for one of its places.

    >>> import explorer
    >>> from explorer.analysis.divergence.comparer import compare
    >>> from explorer.analysis.run import runs
    >>> from explorer.text.say import plain
    >>> qwen = [explorer.load(spec) for spec in ("qwen2.5", "qwen2.5@llama.cpp")]
    >>> print(*map(plain, headline(compare(*runs(qwen, "A cafe\\u0301")))), sep="\\n")
    Hugging Face composes e + ◌́ to é (NFC). llama.cpp leaves two code points.
    So “·caf...” is 1 token with Hugging Face and 2 tokens with llama.cpp. Everything else gets the same ids.
    """
    if number is not None:
        return at_place(comparison, comparison.places[number])
    if comparison.same:
        return same_ids(comparison)
    first = comparison.first_place
    assert first is not None, "the ids differ"
    if all(place.only_ids for place in comparison.places if not place.harmless):
        count = len(comparison.left.ids)
        tokens = "token" if count == 1 else f"{count:,} tokens"
        return Headline(ONLY_NUMBERS, Say.of("Their vocabularies number the same {0:t} differently.", tokens))
    return at_place(comparison, comparison.places[first])


def same_ids(comparison: Comparison) -> Headline:
    """The answer where no id differs."""
    count = len(comparison.left.ids)
    ids = "id" if count == 1 else f"{count:,} ids"
    if not comparison.harmless:
        return Headline(Say.of("Both give the same {0:t}.", ids), Say("Every stage gives the same."))
    stages: dict[str, int] = {}
    for first, times in comparison.harmless:
        name = STAGE_NAMES.get(first.stage, first.stage)
        stages[name] = stages.get(name, 0) + times
    differs = " and ".join(f"{name} differs in {plural(times, 'place')}" for name, times in stages.items())
    return Headline(Say.of("Both give the same {0:t}, by different ways.", ids),
                    Say.of("{0:t}, and no id depends on it.", differs))  # fmt: skip


def at_place(comparison: Comparison, place: Place) -> Headline:
    """The answer for one place."""
    difference = place.difference
    if place.harmless:
        return Headline(what_sides_do(comparison, difference), NOT_NEEDED)
    text = comparison.left.text[slice(*difference.region)]
    if place.only_ids:
        say = Say.of("Both cut {0:q} the same way. Only the numbers differ.", dotted(text))
    else:
        say = what_sides_do(comparison, difference)
    more = [each for each in (what_follows(comparison, difference, text), elsewhere(comparison, place)) if each]
    return Headline(say, more[0].then(*more[1:]))


def what_sides_do(comparison: Comparison, difference: Divergence) -> Say:
    """A sentence for each side."""
    clauses = (clause(comparison.left.text, side) for side in (difference.left, difference.right))
    runs = (comparison.left, comparison.right)
    one, other = (Say.of("{0:t} {1}.", run.subject, said) for run, said in zip(runs, clauses, strict=True))
    return one.then(other)


def clause(text: str, side: Side) -> Say:
    """What a side does, its spaces as · and its marks on a dotted circle."""
    said = side.brief or side.says
    spaced = said.texts if "␣" in text else (each.replace("␣", "·") for each in said.texts)
    return said._replace(texts=tuple(LABEL.sub(marked, each) for each in spaced))


LABEL: Final = re.compile(r"\bU\+([0-9A-F]{4,6})\b")


def marked(label: re.Match[str]) -> str:
    """The mark that a label such as U+0301 names, on a dotted circle; other labels stay."""
    ch = chr(int(label[1], 16))
    return f"◌{ch}" if unicodedata.category(ch) == "Mn" else label[0]


def what_follows(comparison: Comparison, difference: Divergence, text: str) -> Say | None:
    """What the difference means for the tokens: “So …” only where an experiment shows that it decides their number."""
    if difference.kind == DifferenceKind.OTHER_IDS:
        return None
    if difference.stage not in TEXT_STAGES or difference.kind == DifferenceKind.PRE_TOKEN or not text:
        return Say(difference.kind.says)
    runs = comparison.left, comparison.right
    counts = len(difference.left.tokens), len(difference.right.tokens)
    if counts[0] == counts[1]:
        return Say.of("{0:q} is {1:t} on both sides, with other ids.", dotted(text), plural(counts[0], "token"))
    sides = zip(counts, runs, strict=True)
    one, other = (Say.of("{0:t} with {1:t}", plural(count, "token"), run.label) for count, run in sides)
    decided = is_decided(*runs, difference.stage, difference.region, counts)
    said = Say.of("So {0:q} is {1} and {2}." if decided else "{0:q} is {1} and {2}.", dotted(text), one, other)
    if decided is not False:
        return said
    swapped = "An experiment shows another reason: with {0:t} swapped, neither side gives as many as the other."
    return said.then(Say.of(swapped, STAGE_NAMES[difference.stage]))


def elsewhere(comparison: Comparison, place: Place) -> Say:
    """What the other places are like."""
    others = [each for each in comparison.places if not each.harmless and each.difference is not place.difference]
    numbers = sum(each.only_ids for each in others)
    if not others:
        return Say("Everything else gets the same ids.")
    if numbers == len(others):
        where = "place" if numbers == 1 else f"{numbers} places"
        return Say.of("At the other {0:t} only the numbers differ.", where)
    more = Say.of("The ids differ in {0:t}.", plural(len(others), "other place"))
    return more.then(Say.of("In {0:t} both cut the text the same way.", f"{numbers} of them")) if numbers else more

"""A conclusion about a count names a cause that an experiment showed to change that count.

The oracle runs the named stage in the other side by other code than the headline does (`tests.analysis.swapping`).
"""

from __future__ import annotations

import re
from itertools import permutations
from pathlib import Path

import pytest

import explorer
from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import Comparison, Divergence, Run, headline, run
from explorer.text.say import plain
from tests.analysis.swapping import CannotSwap, is_within, swapped
from tests.bundled import bundled
from tests.tiers import amount

NAMES = ("llama-2", "gpt-2", "bert-uncased", "xlm-r", "mistral-v1", "qwen2.5", "qwen2.5@llama.cpp", "cl100k_base")
TEXTS = (
    "Ångström is 1 unit", "A café, not a cafe\u0301.", "Hello World ﬁne  x", " a<s>b  É", "naïve É", "ﬁ Å",
    "Straße 5 €",
    "the\u00a0end", "ＡＢ ｶﾞ", "İstanbul \u1100\u1161\u11a8", "x\u0323\u0307 q", "\u2460 Ⅳ", "ŋá fi",
)  # fmt: skip


def count(made: Run, each: Divergence) -> int:
    """How many tokens a run has in the region of a divergence."""
    tokens = [token for token in made.trace.stage("model").after if hasattr(token, "id")]
    return sum(is_within(each.region, token, len(made.text)) for token in tokens)


def decides(found: Comparison, each: Divergence) -> bool:
    """Whether one side gives the other's number of tokens with the other's stage. Raises CannotSwap."""
    one, other = count(found.left, each), count(found.right, each)
    with_left, with_right = (
        swapped(found.left, found.right, each.stage),
        swapped(found.right, found.left, each.stage),
    )
    return count(with_left, each) == one or count(with_right, each) == other


def test_a_conclusion_about_a_count_has_an_experiment() -> None:
    said = {True: 0, False: 0}
    wrong = []
    pairs = list(permutations(NAMES, 2))
    for text in TEXTS:
        runs = {name: run(bundled(name), text, name) for name in NAMES}
        for one, other in pairs[:: max(1, 56 // amount(28))]:
            found = compare(runs[one], runs[other])
            for number, place in enumerate(found.places):
                more = plain(headline(found, number).more)
                concludes, denies = more.startswith("So "), "experiment" in more
                if not concludes and not denies:
                    continue
                try:
                    if decides(found, place.difference) != concludes:
                        wrong.append((one, other, text, place.difference.sentence, more))
                except CannotSwap:
                    continue
                said[concludes] += 1
    assert not wrong, wrong[:3]
    assert said[True] > 10
    assert said[False] > 1


@pytest.mark.parametrize(("one", "other", "text"), [
    ("llama-2", "gpt-2", "Ångström"), ("mistral-v1", "gpt-2", "Å"), ("gpt-2", "llama-2", "Ångström"),
    ("gpt-2", "mistral-v1", "Å"),
])  # fmt: skip
def test_a_prefix_space_is_no_reason_for_what_it_does_not_change(one: str, other: str, text: str) -> None:
    found = compare(*(run(bundled(name), text, name) for name in (one, other)))
    more = plain(headline(found).more)
    assert not more.startswith("So ")
    assert "Normalize" in more


def test_no_other_sentence_of_a_comparison_concludes() -> None:
    root = Path(explorer.__file__).parent
    for folder in ("analysis/divergence", "views/compare", "ui/compare"):
        for path in sorted((root / folder).rglob("*.py")):
            found = re.findall(
                r'(?:Say|Say\.of|Line\.of)\(\s*f?"[^"]*\b(?:[Ss]o|[Tt]herefore|[Tt]hus)\b [^"]*"',
                path.read_text("utf-8"),
            )
            assert len(found) == (path.name == "result.py"), (path.name, found)

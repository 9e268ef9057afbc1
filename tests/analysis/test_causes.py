"""The named cause of a difference is its cause.

Three oracles, over all pairs of the bundled tokenizers, over files that differ in one setting, and over generated text:

- A named stage gives different plain text on the two sides, or cuts it differently (`differs`, which uses Python's
  difflib and not the tested code).
- With the named stage of the left side instead of its own, the right side no longer differs there (`swapping.py`).
- Two models are named only for equal input: the left side's model gives the left side's ids for the right side's input.

Swaps that can't be run are counted, and the tests limit their number. Post-processing doesn't transform text (added
tokens are compared directly), and a ▁ that a normalizer inserts is indistinguishable from a space in a vocabulary that
spells spaces that way.

`python -m tests.analysis.test_causes [TEXTS]` runs everything over more texts and prints the counts.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import (
    MODEL,
    POST_PROCESS,
    PRE_TOKENIZE,
    TEXT,
    TEXT_STAGES,
    Comparison,
    DifferenceKind,
    Divergence,
    Run,
    States,
    run,
    states,
)
from tests.analysis import one_setting
from tests.analysis.swapping import CannotSwap, model_swapped, same_contents, swapped, went_away
from tests.bundled import bundled
from tests.meaning import mentions
from tests.originals.generators import strings, texts
from tests.tiers import amount

BUNDLED = tuple(
    f"{model.name}@{implementation}"
    for model in explorer.catalog().values()
    for implementation in model.implementations
)
FIXED = ("hello world", "Hello World", " hello  world ", "a▁b", "été naïve Å <s> the </s>x", "  a  b<s> Hello")
LONGEST = 60
MARK = "\0special\0"
"""Marks the special tokens in a plain text."""


def some_texts(count: int, seed: int) -> list[str]:
    """Texts that implementations disagree about, and generated ones."""
    return [*FIXED, *(text[:LONGEST] for text in random.Random(seed).sample(strings(seed, 900), count))]


# --- the oracles ------------------------------------------------------------------------------------------------------


def rendered(side: States, stage: str) -> tuple[list[str], list[int], list[int]]:
    """The plain text after a stage with a mark for each special token and each cut, and the spans of its characters."""
    found = side.plain[stage]
    shown, starts, ends = [], [], []
    specials = list(found.specials)
    for index, (ch, start, end) in enumerate(zip(found.text, found.starts, found.ends, strict=True)):
        while specials and specials[0] <= start:
            at = specials.pop(0)
            shown.append(MARK)
            starts.append(at)
            ends.append(at)
        if stage == PRE_TOKENIZE and index and found.items[index] != found.items[index - 1]:
            shown.append("|")
            starts.append(start)
            ends.append(start)
        shown.append(ch)
        starts.append(start)
        ends.append(end)
    for at in specials:
        shown.append(MARK)
        starts.append(at)
        ends.append(at)
    return shown, starts, ends


def differs(found: Comparison, each: Divergence) -> bool:
    """Whether the output of the named stage differs between the sides, within the named spot if that can be decided.

    Equal text at both ends is taken off first; of a run of equal characters it is open which one is extra, so what
    must lie at the spot is what is left between.
    """
    one, other = states(found.left), states(found.right)
    left, right = rendered(one, each.stage), rendered(other, each.stage)
    opcodes = [code for code in SequenceMatcher(None, left[0], right[0], autojunk=False).get_opcodes()
               if code[0] != "equal"]  # fmt: skip
    if not opcodes:
        return False
    first, last = opcodes[0], opcodes[-1]
    starts = [*left[1][first[1] : last[2]], *right[1][first[3] : last[4]]]
    ends = [*left[2][first[1] : last[2]], *right[2][first[3] : last[4]]]
    # the spot may be in a run of equal characters before the first difference, of either side's next character
    low = min(starts) - max(run_before(left[0], first[1]), run_before(right[0], first[3])) - 1
    return low <= each.spot.end and each.spot.start <= max(ends) + 1


def run_before(shown: list[str], at: int) -> int:
    """How many equal characters precede a position."""
    count = 0
    while at - count - 1 >= 0 and shown[at - count - 1] == shown[min(at, len(shown) - 1)]:
        count += 1
    return count


def examine(found: Comparison, count: Counter[str]) -> Iterator[str]:
    """Everything that is wrong in a comparison."""
    exchanged: dict[str, Comparison | CannotSwap] = {}
    for each in found.divergences:
        count[each.stage] += 1
        if each.stage in (POST_PROCESS, TEXT):
            count[f"not swapped: {each.stage}"] += 1
            continue
        if each.kind == DifferenceKind.OTHER_IDS:
            count["same pieces, other ids"] += 1
            if not same_contents(found, each):
                yield f"the pieces are not the same: {each.sentence}"
            continue
        if each.stage == MODEL:
            tokens = [token.id for token in model_swapped(found.left, found.right, each.region)]
            count["swapped: model"] += 1
            if tokens != [token.id for token in each.left.tokens]:
                yield f"the models were given different text: {each.sentence}"
            continue
        if not differs(found, each):
            yield f"the stage gives the same on both sides: {each.sentence}"
        if each.stage not in exchanged:
            try:
                again = swapped(found.left, found.right, each.stage)
                exchanged[each.stage] = compare(found.left, again)
            except CannotSwap as why:
                exchanged[each.stage] = why
        instead = exchanged[each.stage]
        if isinstance(instead, CannotSwap):
            count[f"not swapped: {instead}"] += 1
        elif went_away(each, instead):
            count[f"swapped: {each.stage}"] += 1
        else:
            yield f"it is still there with that stage exchanged: {each.sentence}"
    for harmless, _ in found.harmless:
        count["harmless"] += 1
        if harmless.stage in TEXT_STAGES and rendered_equal(found, harmless.stage):
            yield f"a stage that gives the same is listed as a difference: {harmless.sentence}"


def rendered_equal(found: Comparison, stage: str) -> bool:
    one, other = states(found.left), states(found.right)
    return rendered(one, stage)[0] == rendered(other, stage)[0]


def violations(
    tokenizers: Mapping[str, explorer.Tokenizer], pairs: Iterable[tuple[str, str]], text: str, count: Counter[str]
) -> list[str]:
    """Everything that is wrong for pairs of tokenizers on one text."""
    runs: dict[str, Run] = {}
    wrong = []
    for pair in pairs:
        for name in pair:
            if name not in runs:
                runs[name] = run(tokenizers[name], text, name)
        count["comparisons"] += 1
        wrong += [f"{text!r}: {each}" for each in examine(compare(runs[pair[0]], runs[pair[1]]), count)]
    return wrong


# --- over everything there is -----------------------------------------------------------------------------------------


def all_bundled() -> dict[str, explorer.Tokenizer]:
    return {spec: bundled(spec) for spec in BUNDLED}


def all_settings() -> dict[str, explorer.Tokenizer]:
    bases = {base: one_setting.opened(base) for base in one_setting.BASES}
    return bases | {f"{base}/{setting}": one_setting.opened(base, setting) for base, setting in one_setting.settings()}


def setting_pairs(names: Iterable[str], share: float, seed: int) -> list[tuple[str, str]]:
    """Every file with its base in both orders, and a share of all other pairs."""
    chance = random.Random(seed)
    return [
        (one, other)
        for one, other in permutations(names, 2)
        if (one.split("/")[0] == other.split("/")[0] and "/" not in one + other.removeprefix(one))
        or (one in other or other in one)
        or chance.random() < share
    ]


@pytest.mark.long
def test_over_all_pairs_of_the_bundled_tokenizers() -> None:
    count: Counter[str] = Counter()
    tokenizers = all_bundled()
    wrong = [
        each
        for text in some_texts(amount(8), 0)
        for each in violations(tokenizers, permutations(tokenizers, 2), text, count)
    ]
    assert not wrong, wrong[:5]
    assert count["swapped: normalize"] > amount(500)
    assert count["swapped: model"] > amount(1000)
    assert count["swapped: partition"] > amount(20)


@pytest.mark.long
def test_over_files_that_differ_in_one_setting() -> None:
    count: Counter[str] = Counter()
    tokenizers = all_settings()
    wrong = [
        each
        for number, text in enumerate(some_texts(amount(8), 0))
        for each in violations(tokenizers, setting_pairs(tokenizers, 0.02, number), text, count)
    ]
    assert not wrong, wrong[:5]
    unable = sum(times for what, times in count.items() if what.startswith("not swapped: a ▁"))
    assert unable < count["swapped: normalize"] / 20


@settings(max_examples=amount(60))
@given(texts(), st.sampled_from(BUNDLED), st.sampled_from(BUNDLED))
def test_over_generated_text(text: str, one: str, other: str) -> None:
    assert not violations(all_bundled(), [(one, other)], text, Counter())


# --- what was wrong ---------------------------------------------------------------------------------------------------


def headline(one: explorer.Tokenizer, other: explorer.Tokenizer, text: str) -> str:
    return compare(run(one, text, "one"), run(other, text, "other")).sentence


def test_a_prefix_space_of_both_sides_is_no_difference_whatever_its_span() -> None:
    """llama.cpp gives the inserted space an empty span, Hugging Face its neighbor's."""
    converted = one_setting.opened("converted")
    said = compare(run(bundled("llama-2"), "hello world", "one", add_special=False),
                   run(converted, "hello world", "other", add_special=False))  # fmt: skip
    assert {each.stage for each in said.divergences} == {MODEL}
    assert not said.harmless
    metaspace = one_setting.opened("converted", "metaspace")
    assert compare(run(converted, "hello world"), run(metaspace, "hello world")).same


def test_a_missing_merge_is_the_cause_and_not_the_prefix_space() -> None:
    said = headline(one_setting.opened("converted"), one_setting.opened("converted", "a merge less"), "hello world")
    assert mentions(said, "model, characters 1 to 5: one merges “"), said


def test_lowercasing_is_recognized_after_an_inserted_space() -> None:
    lower = one_setting.opened("converted", "lowercase last")
    said = compare(run(bundled("llama-2"), "Hello", "one", add_special=False),
                   run(lower, "Hello", "other", add_special=False))  # fmt: skip
    assert mentions(said.sentence, "normalize, character 1: one leaves H unchanged; other lowercases H to h.")


def test_a_special_token_is_the_cause_of_changes_next_to_it() -> None:
    one = one_setting.opened("byte-level", "strip")
    other = one_setting.opened("byte-level", "no added tokens")
    assert mentions(headline(one, other, "the <s> hello"), "takes “<s>” for the special token")
    # but not of what would differ without it
    lower = headline(one_setting.opened("byte-level", "lowercase in front"), other, "A<s>")
    assert mentions(lower, "partition, characters 2 to 4")
    found = compare(run(one_setting.opened("byte-level", "lowercase in front"), "A<s>"), run(other, "A<s>"))
    assert any(each.sentence.startswith("normalize, character 1: ") for each in found.divergences)


def test_a_pre_tokenizer_that_cuts_anyway_is_the_cause_and_not_a_change_elsewhere_in_the_piece() -> None:
    other = one_setting.opened("byte-level", "a removed")
    for setting, text, at in (("digits", "the hat a 12", 11), ("white space split", "hello naive the", 11)):
        one = one_setting.opened("byte-level", setting)
        found = compare(run(one, text), run(other, text))
        assert (PRE_TOKENIZE, at) in {(each.stage, each.spot.start) for each in found.divergences}


def test_different_ids_of_special_tokens_belong_to_the_partition() -> None:
    found = compare(run(bundled("llama-2"), "a<s>b", "one"), run(bundled("xlm-r"), "a<s>b", "other"))
    assert mentions(
        [each.sentence for each in found.divergences],
        "partition, characters 2 to 4: one numbers “<s>” 1; other numbers “<s>” 0.",
    )


def main(count: int) -> int:
    """Runs all oracles over `count` generated texts; prints what was checked and what is wrong."""
    wrong = []
    for name, tokenizers in (("bundled", all_bundled()), ("one setting", all_settings())):
        total: Counter[str] = Counter()
        for number, text in enumerate(some_texts(count, count)):
            pairs = list(permutations(tokenizers, 2)) if name == "bundled" else setting_pairs(tokenizers, 0.1, number)
            wrong += violations(tokenizers, pairs, text, total)
        print(name, f"({len(tokenizers)} tokenizers, {len(FIXED) + count} texts)")
        for what, times in sorted(total.items()):
            print(f"  {times:>8,} {what}")
    print(f"{len(wrong)} violations", *wrong[:20], sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100))

"""The answer to "where do they part?": what it says, against the tokens, the pieces and the characters themselves."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from hypothesis import given, settings

from explorer.analysis.divergence.result import Comparison, DifferenceKind, Headline, headline
from explorer.engine.part import Segment
from explorer.engine.tokenizer import Trace
from explorer.text.say import plain
from tests.analysis.pairs import TWINS, compared
from tests.bundled import bundled
from tests.meaning import QUOTED
from tests.originals.generators import texts
from tests.tiers import amount

NAMES = ("gpt-2", "llama-3", "llama-2", "bert-uncased", "cl100k_base")


def said(answer: Headline) -> tuple[str, str]:
    return plain(answer.say), plain(answer.more)


def pieces(trace: Trace) -> list[str]:
    """What the pre-tokenizer cut, in the text's own characters."""
    stage = next(stage for stage in trace.stages if stage.name == "pre-tokenize")
    return [trace.text[min(item.starts) : max(item.ends)] for item in stage.after if isinstance(item, Segment)]


# --- each state, by eye ---------------------------------------------------------------------------------------------


def test_a_cut_names_the_pieces_of_both_sides() -> None:
    comparison = compared("gpt-2", "llama-3", "He's 1234567 LoRA")
    say, more = said(headline(comparison))
    assert say == "gpt-2 takes “·1234567” as one piece. llama-3 cuts it into “·”, “123”, “456” and “7”."
    assert "3 other places" in more
    assert "2 of them" in more
    for name in ("gpt-2", "llama-3"):
        own = [piece.replace(" ", "·") for piece in pieces(bundled(name).trace("He's 1234567 LoRA"))]
        named = QUOTED.findall(say)[:1] if name == "gpt-2" else QUOTED.findall(say)[1:]
        assert set(named) <= set(own)


def test_a_composition_names_the_letter_the_mark_and_what_becomes_of_the_tokens() -> None:
    comparison = compared("qwen2.5", "qwen2.5@llama.cpp", "A café, not a cafe\u0301.")
    say, more = said(headline(comparison))
    assert say.startswith("Hugging Face composes e + ◌\u0301 to é")
    assert "llama.cpp leaves" in say
    assert more.startswith("So “·cafe\u0301” is 1 token with Hugging Face and 2 tokens with llama.cpp.")
    assert "Everything else" in more
    assert len(bundled("qwen2.5").encode(" cafe\u0301").ids) == 1
    assert len(bundled("qwen2.5@llama.cpp").encode(" cafe\u0301").ids) == 2


def test_numbers_alone_are_told_apart_from_cuts() -> None:
    comparison = compared("gpt-2", "cl100k_base", "Hello world")
    say, more = said(headline(comparison))
    assert say == "Both cut the text the same way. Only the numbers differ."
    assert "2 tokens" in more
    one, other = (bundled(name).encode("Hello world") for name in ("gpt-2", "cl100k_base"))
    assert [token[1:] for token in one.tokens] == [token[1:] for token in other.tokens]
    assert "the same token differently" in said(headline(compared("gpt-2", "cl100k_base", "Hello")))[1]
    first = said(headline(compared("gpt-2", "llama-3", "He's 12345"), 0))
    assert first[0] == "Both cut “He's” the same way. Only the numbers differ."


def test_the_same_ids_say_whether_the_ways_differ() -> None:
    assert said(headline(compared("gpt-2", "gpt-2@llama.cpp", "abc"))) == (
        "Both give the same id.", "Every stage gives the same."
    )  # fmt: skip
    comparison = compared("bert-uncased", "bert-uncased@llama.cpp", "Héllo  naïve 東京")
    say, more = said(headline(comparison))
    assert say == f"Both give the same {len(comparison.left.ids)} ids, by different ways."
    assert (
        more
        == f"Normalize differs in {sum(times for _, times in comparison.harmless)} places, and no id depends on it."
    )
    say, more = said(headline(comparison, 0))
    assert say == "Hugging Face lowercases H to h. llama.cpp leaves H unchanged."
    assert more == "No id depends on it."


def test_added_tokens_and_a_stage_that_one_side_lacks() -> None:
    assert "128000" in said(headline(compared("llama-3", "llama-3@llama.cpp", "Hi")))[0]
    say, more = said(headline(compared("llama-2", "gpt-2", "What is LoRA?")))
    assert say == "llama-2 adds a prefix space. gpt-2 adds no prefix space."
    assert more.startswith("“What” is 1 token on both sides, with other ids.")


# --- what holds for every answer --------------------------------------------------------------------------------------


def check(comparison: Comparison) -> None:
    """Both sides are named, counts are those of the ids, and pieces are of the text."""
    places = comparison.places
    assert [place.difference for place in places if not place.harmless] == sorted(
        comparison.divergences, key=lambda each: each.region
    )
    assert (comparison.first_place is None) is (not places)
    assert comparison.first is None or places[comparison.first_place or 0].difference is comparison.first
    answers = [headline(comparison), *(headline(comparison, number) for number in range(len(places)))]
    for number, answer in enumerate(answers):
        say, more = said(answer)
        assert say.endswith((".", "”."))
        assert "{" not in answer.say.template.replace("{{", "") or answer.say.args
        assert more
        place = places[number - 1] if number else None
        if place is None or place.harmless:
            continue
        others = [each for each in places if not each.harmless and each is not place]
        if not others:
            assert "else" in more
        elif all(each.difference.kind == DifferenceKind.OTHER_IDS for each in others):
            assert "only the numbers" in more
        else:
            assert f"{len(others):,} other place" in more
        counts = re.match(r"(?:So )?“.*” is ([\d,]+) tokens? .*?(?:and ([\d,]+) token|both sides)", more, re.DOTALL)
        if counts:
            sides = place.difference.left, place.difference.right
            given = [int(count.replace(",", "")) for count in counts.groups() if count]
            assert {len(side.tokens) for side in sides} == set(given)
    if comparison.same:
        count = len(comparison.left.ids)
        assert ("same id" if count == 1 else f"{count:,} ids") in said(answers[0])[0]


TEXTS = (
    "",
    " ",
    "He's 1234567 LoRA",
    "naïve cafe\u0301 ﬁ",
    "<s>x</s> 東京🤗",
    "a\u200bb  \n\nc\td",
    "{0} {braces} “q”",
)


@pytest.mark.sample(6)
@pytest.mark.parametrize(("one", "other"), [*combinations(NAMES, 2), *TWINS])
def test_every_answer_is_true_of_its_place(one: str, other: str) -> None:
    for text in TEXTS:
        check(compared(one, other, text))


@settings(max_examples=amount(15), deadline=None)
@given(texts())
def test_every_answer_about_any_text_is_true(text: str) -> None:
    check(compared("qwen2.5", "qwen2.5@llama.cpp", text))
    check(compared("gpt-2", "llama-3", text))

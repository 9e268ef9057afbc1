"""The questions about patterns: typed ones and those of files take part as the known ones do."""

from __future__ import annotations

from explorer.answers.explore import PatternChoice, pattern_difference, patterns_of
from explorer.answers.offers import TokenizerSpec
from explorer.answers.offers import bundled as offers
from explorer.answers.questions import specs_in


def test_a_typed_pattern_is_compared_with_a_known_one_and_with_the_models_own() -> None:
    offer = offers()["gpt-2"]
    spec = TokenizerSpec(offer, offer.implementations[0])
    typed = spec._replace(pattern=r"\p{N}|\P{N}+")
    assert (patterns_of(spec), patterns_of(typed)) == (("gpt-2",), ("",))
    choice = PatternChoice(spec=typed)
    assert list(specs_in((choice, PatternChoice("gpt-2")))) == [typed], "so that a worker answers it"
    found = pattern_difference(choice, PatternChoice(spec=spec))
    assert [each.regex for each in found.left] == [r"\p{N}", r"\P{N}+"]
    assert "11" in {text.text for pair in found.pairs for text in pair.texts}

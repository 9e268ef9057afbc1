"""While typing: rows, colors and sentences follow from the tokens of every prefix."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysis.boundary.followers import stability
from explorer.stages.spelling import speller_of
from explorer.text.say import plain
from explorer.views.compare.typing import (
    ADDED,
    EARLIER,
    KEPT,
    LAST,
    MOST_PAIRS,
    MOST_ROWS,
    keys_of,
    kinds_of,
    summary,
    typing_note,
    typing_picture,
    typing_say,
)  # fmt: skip
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.tiers import amount

LONG = "The unaffable tokenization of Donaudampfschiff, said Dr. Ångström, is what it is."


def picture(name: str, text: str) -> dict[str, Any]:
    tok = bundled(name)
    found = typing_picture(stability(tok, text), speller_of(tok.trace(""), stored=False), name)
    return found | json.loads(found["typed"])


def test_the_staircase_of_a_word_by_eye() -> None:
    found = stability(bundled("gpt-2"), "unaffable token")
    keys = list(keys_of(found))
    assert kinds_of(keys[0]) == [ADDED]
    assert kinds_of(keys[3]) == [LAST, LAST], "una becomes un af"
    assert kinds_of(keys[5]) == [ADDED]
    assert kinds_of(keys[14]) == [EARLIER]
    assert [key.earlier for key in keys] == [False] * 14 + [True]
    assert (len(keys[14].gone), len(keys[14].new), keys[14].prefix.reach) == (2, 1, 5)
    assert "5 characters back" in str(typing_say(found, "GPT-2"))


def test_sentences_for_texts_in_which_nothing_or_only_the_last_token_changes() -> None:
    gpt = bundled("gpt-2")
    assert "empty" in str(typing_say(stability(gpt, ""), "GPT-2"))
    assert "none of" in str(typing_say(stability(gpt, "a b"), "GPT-2")) or "only the last" in str(
        typing_say(stability(gpt, "a b"), "GPT-2")
    )
    last = stability(gpt, "una")
    assert not any(key.earlier for key in keys_of(last))
    assert "only the last token" in str(typing_say(last, "GPT-2"))


def test_a_long_text_shows_the_keys_that_reach_back_before_and_after() -> None:
    found = stability(bundled("gpt-2"), LONG)
    earlier = [index for index, key in enumerate(keys_of(found)) if key.earlier]
    note = str(typing_note(found))
    assert f"{len(earlier)} of {len(LONG)} keys" in note
    drawn = picture("gpt-2", LONG)
    assert drawn["paired"]
    assert drawn["shown"] == sorted(
        {at for index in earlier[:MOST_PAIRS] for index in (index - 1, index) for at in [index]}
    )
    assert str(len(LONG) - len(earlier)) in drawn["folded"][0]
    assert picture("gpt-2", "unaffable token")["folded"] is None
    assert len(picture("o200k_base", "a b " * 10)["shown"]) <= MOST_ROWS


@settings(max_examples=amount(25), deadline=None)
@given(texts(), st.sampled_from(("gpt-2", "llama-2", "bert-uncased", "xlm-r", "rwkv-world")))
def test_rows_add_up_to_the_tokens_of_each_prefix(text: str, name: str) -> None:
    tok = bundled(name)
    found = stability(tok, text)
    drawn = picture(name, text)
    tokens: list[list[int]] = []
    for key, (length, kept, tail, kinds, gone, new, back) in zip(keys_of(found), drawn["rows"], strict=True):
        before, tokens = tokens, [*tokens[:kept], *tail]
        spelled = speller_of(tok.trace(""), stored=False)
        assert length == key.prefix.length
        assert [each[:2] for each in tokens] == [list(token[1:]) for token in key.tokens]
        assert len(kinds) == len(tail)
        assert (back > 0) <= key.earlier
        assert Counter(kinds)[KEPT] + len(new) == len(tail)
        assert len(gone) == key.prefix.changed
        texts_now = [drawn["texts"][each[2]] for each in tokens]
        assert texts_now == [shown(spelled.token(token.id)) for token in key.tokens]
        assert len(before) - len(gone) + len(new) == len(tokens)


def shown(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"


@pytest.mark.parametrize("name", ["gpt-2", "llama-2", "bert-uncased", "rwkv-world"])
def test_tokens_are_drawn_as_on_other_pages(name: str) -> None:
    """A space, part of a character and a letter beyond ASCII: none of the stand-ins of a vocabulary's file."""
    assert set(picture(name, " né 🤗 né")["texts"]).isdisjoint({"Ġ", "Ã", "ðŁ", "▁"})


def test_the_summary_of_the_downloads_counts_what_is_replaced() -> None:
    found = stability(bundled("gpt-2"), "unaffable token")
    assert str(sum(prefix.changed for prefix in found.prefixes)) in plain(summary(found))

"""How special tokens begin: never missed, in texts and in bytes."""

from __future__ import annotations

import random

from explorer.engine.partition.special_tokens import FEW, Beginnings
from tests.tiers import amount


def test_a_text_with_a_token_is_found_and_one_without_its_first_two_characters_is_not() -> None:
    choose = random.Random(7)
    letters = "a[|é\udcff\n"
    for _ in range(amount(4000)):
        contents = {
            "".join(choose.choices(letters, k=choose.randrange(1, 12))) for _ in range(choose.choice((1, 3, 40)))
        }
        beginnings = Beginnings(contents)
        text = "".join(choose.choices(letters, k=choose.randrange(9)))
        if choose.random() < 0.5:
            text += choose.choice(sorted(contents)) + text
        data = text.encode("utf-8", "surrogateescape")
        assert beginnings.in_text(text) >= any(content in text for content in contents)
        assert beginnings.in_text(text) <= any(content[:2] in text for content in contents)
        assert beginnings.in_bytes(data) == beginnings.in_text(text), ascii(text)


def test_an_empty_token_may_be_anywhere_and_no_token_nowhere() -> None:
    assert Beginnings([""]).in_text("")
    assert not Beginnings([]).in_bytes(b"a")


def test_many_tokens_with_one_first_character_are_looked_for_by_two_characters() -> None:
    contents = [f"<{letter}x>" for letter in "abcdefghij"]
    assert len(contents) > FEW
    found = Beginnings(contents)
    assert found.in_text("<c")
    assert found.in_bytes(b"1<j!")
    assert not found.in_text("<k <")

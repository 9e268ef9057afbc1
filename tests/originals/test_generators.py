"""The nasty texts contain every promised character, are repeatable, and can be encoded."""

import unicodedata

import pytest
from hypothesis import find, given, settings

from explorer.text import WHITE_SPACE
from tests.originals.generators import MARKS, NUMBERS, PIECES, all_strings, code_point, texts
from tests.tiers import amount


def test_the_same_seed_gives_the_same_texts():
    assert all_strings(7, 2000) == all_strings(7, 2000)
    assert all_strings(7, 2000) != all_strings(8, 2000)
    assert [len(all_strings(7, count)) for count in (0, 1, 5, 1000)] == [0, 1, 5, 1000]


def test_the_listed_pieces_come_first():
    assert all_strings(1, 1 + len(PIECES)) == ["", *PIECES]
    assert len(all_strings(1, 3000)) == 3000


@pytest.mark.parametrize(
    "piece",
    [
        *(*map(chr, WHITE_SPACE), "'s", "'ſ", "’", "<s>", "<s", "</s>", "<unk>", "<0x0A>", "<|endoftext|>", "▁", "\0"),
        *(
            "\uffff",
            "\ufdd0",
            "\ue000",
            "\u202e",
            "\u2066",
            "\u200d",
            "\ufe0f",
            "👩\u200d👩\u200d👧",
            "❤\ufe0f",
            "1\ufe0f\u20e3",
        ),
        *("\u1100", "\u1161", "\U00020000", "\U00030000", "\u212b", "\t", "\r\n", "\U0010ffff", "\U000e007f", "½"),
    ],
)
def test_every_required_character_occurs(piece):
    assert any(piece in some for some in all_strings(3, 2000)[len(PIECES) :])


def test_seeded_texts():
    some = all_strings(5, 5000)
    for one in some:
        one.encode()  # raises for a surrogate
    assert 900 <= max(map(len, some)) <= 1000
    assert len(set(some)) > 4500
    characters = set("".join(some))
    assert {ord(ch) >> 16 for ch in characters} == set(range(17))
    scripts = {unicodedata.name(ch).split(" DIGIT")[0] for ch in characters if unicodedata.category(ch) == "Nd"}
    assert len(scripts) > 50
    assert len(NUMBERS) > 1700
    assert "\u00c5" in MARKS


def test_code_points_are_never_surrogates():
    class Low:
        """A random source that returns surrogates first."""

        offered = iter((0xD800, 0xDFFF, 0xE000))

        def choice(self, options):
            return options[-1]

        def randint(self, low, high):
            return next(self.offered)

    assert code_point(Low()) == "\ue000"


@settings(max_examples=amount(300))
@given(texts())
def test_hypothesis_texts_can_be_encoded(some):
    assert some.encode().decode() == some


@pytest.mark.parametrize("wanted", ["<s>", "\u202e", "▁▁", "\0", "e\u0301"])
def test_hypothesis_finds_and_shrinks_texts(wanted):
    rules = settings(max_examples=amount(5000), derandomize=True, database=None)
    found = find(texts(), lambda some: wanted in some, settings=rules)
    assert len(found) < 10

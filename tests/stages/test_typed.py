"""What is kept of a vocabulary between key presses changes no script: typed letter by letter, and from scratch."""

from __future__ import annotations

import pytest

import explorer
from explorer.answers.offers import bundled
from explorer.script.script import pack, window_of
from explorer.stages.decoders.losses import round_trip
from explorer.views.overview import sections

TEXT = "Whose cafés aa é\u0301🙂\n"


def scripts(tokenizer: explorer.Tokenizer, text: str) -> list[tuple[str, bytes]]:
    """The packed script of every stage, as the page draws it."""
    trace = tokenizer.trace(text)
    drawn = sections(tokenizer, trace, round_trip(tokenizer, trace), window_of(trace), stored=False)
    return [(each.key, pack(each.script)) for each in drawn if each.script is not None]


@pytest.mark.parametrize("name", bundled())
def test_typing_gives_what_the_whole_text_gives(name: str) -> None:
    typed, whole = explorer.load(name), explorer.load(name)
    prefixes = [TEXT[:end] for end in range(0, len(TEXT) + 1, 2)]
    drawn = [scripts(typed, prefix) for prefix in prefixes]
    assert drawn[::-1] == [scripts(whole, prefix) for prefix in reversed(prefixes)]
    assert drawn == [scripts(typed, prefix) for prefix in prefixes]

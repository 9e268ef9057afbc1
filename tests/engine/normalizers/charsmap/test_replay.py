"""The events of a character map are a full account: replayed, they give the stage's text."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.engine.normalizers.charsmap import (
    CharsmapNormalization,
    CharsmapRow,
    Whitespace,
    llama_cpp_whitespace,
    sentencepiece_whitespace,
)
from explorer.engine.normalizers.charsmap_replay import SegmentReplay
from explorer.engine.part import Events, Options, Segment
from explorer.engine.partition.user_defined import SymbolTree
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.tiers import amount

RULES = [Whitespace(*each) for each in product((True, False), repeat=4)]
TREE = SymbolTree(["ab", "▁x", "漢字"])


def replayed(part: CharsmapNormalization, text: str) -> tuple[str, str]:
    """The stage's text, and the text replayed."""
    events: Events[CharsmapRow] = Events(CharsmapRow)
    segment = Segment.of(text, 7)
    after = part.run([segment], Options(), events.emit)
    replay = SegmentReplay(part, segment)
    for row in events:
        replay.take(row)
    return "".join(item.text for item in after if isinstance(item, Segment)), replay.text


@pytest.mark.parametrize("whitespace", [sentencepiece_whitespace, llama_cpp_whitespace])
@given(
    text=st.one_of(texts(), st.text("a ▁ \u3000ﬁ\u200b¨bx漢字é", max_size=14)),
    rules=st.sampled_from(RULES),
    mapped=st.booleans(),
)
@settings(max_examples=amount(300))
def test_a_replay_gives_the_text_of_the_stage(whitespace, text: str, rules: Whitespace, mapped: bool) -> None:  # type: ignore[no-untyped-def]
    bundled_part = bundled("xlm-r").parts[1]
    assert isinstance(bundled_part, CharsmapNormalization)
    part = CharsmapNormalization(bundled_part.charsmap if mapped else None, rules, TREE, whitespace=whitespace)
    if text:
        ours, replay = replayed(part, text)
        assert replay == ours, (ascii(text), rules)

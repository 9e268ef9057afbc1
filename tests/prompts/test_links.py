"""A call in a link: what goes in comes out, and a stranger's link is bounded before it is inflated."""

from __future__ import annotations

import base64
import json
import random
import tracemalloc
import zlib
from string import ascii_letters
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.errors import InputError
from explorer.prompts.messages import LONGEST_LINK, MOST_BYTES, packed, unpacked

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=9,
)


@given(VALUES)
def test_what_goes_in_comes_out(value: Any) -> None:
    link = packed(value)
    assert link is not None
    assert set(link) <= set(ascii_letters + "0123456789-_")
    assert json.loads(unpacked(link)) == value


def test_a_long_call_has_no_link() -> None:
    letters = "".join(random.Random(1).choices(ascii_letters, k=12_000))
    assert packed([letters]) is None
    assert packed(["a" * 12_000]) is not None, "it is the link that is short"


def test_a_bomb_is_refused_before_it_is_inflated() -> None:
    bomb = base64.urlsafe_b64encode(zlib.compress(b"[" + b" " * 5_000_000 + b"]", 9)).decode().rstrip("=")
    assert len(bomb) < LONGEST_LINK
    tracemalloc.start()
    with pytest.raises(InputError, match=f"{MOST_BYTES:,}"):
        unpacked(bomb)
    assert tracemalloc.get_traced_memory()[1] < 4 * MOST_BYTES
    tracemalloc.stop()


@pytest.mark.parametrize(
    "link", ["", "a", "!!", "AAAA", "eJw", "é", packed([1])[:-3], "A" * (LONGEST_LINK + 1)], ids=range(8)
)  # type: ignore[index]
def test_what_is_no_link_is_an_error_of_one_line(link: str) -> None:
    with pytest.raises(InputError) as error:
        unpacked(link)
    assert "\n" not in str(error.value)

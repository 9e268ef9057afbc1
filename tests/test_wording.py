"""The sentences are the ones in wording.txt: what a change of wording alters stands there, and nowhere else."""

from __future__ import annotations

import pytest

from tests.wording import SECTIONS, recorded, written

pytestmark = pytest.mark.xdist_group("wording")  # each tokenizer is opened once


@pytest.mark.sample(len(SECTIONS))
@pytest.mark.parametrize("title", SECTIONS)
def test_the_wording_is_the_one_that_was_read(title: str) -> None:
    assert written(title) == recorded()[title], "run `python -m tests.wording`, and read its difference"


def test_the_file_has_these_parts() -> None:
    assert list(recorded()) == list(SECTIONS)

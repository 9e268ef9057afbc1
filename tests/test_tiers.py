"""The tiers of the tests: none is in no tier, and the samples are what they say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tiers import amount, generating, spread

ROOT = Path(__file__).parent.parent
SAMPLED = "tests/opening/test_catalog.py"
"""It has a test that is sampled, one that is long, and no generated texts."""


def collected(tier: str) -> set[str]:
    """The tests of a file that a tier runs."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--collect-only",
        "-q",
        "-p",
        "no:cacheprovider",
        "--tier",
        tier,
        SAMPLED,
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return {line for line in done.stdout.splitlines() if "::" in line}


@pytest.mark.long
def test_quick_and_long_together_run_every_test() -> None:
    quick, long, everything = map(collected, ("quick", "long", "all"))
    assert quick
    assert long
    assert not quick & long
    assert quick | long <= everything
    tests = {node.partition("[")[0] for node in everything}
    assert {node.partition("[")[0] for node in quick | long} == tests


def test_only_tests_in_the_browser_and_large_generators_are_left_to_all() -> None:
    marked = {
        path.parent.name for path in (ROOT / "tests").rglob("test_*.py") if "mark.rest\n" in path.read_text("utf-8")
    }
    assert marked == {"browser", "regexes"}


def test_a_sample_is_spread_evenly() -> None:
    assert spread(range(10), 3) == [0, 3, 6]
    assert spread(range(2), 3) == [0, 1]


def test_an_amount_is_at_least_one() -> None:
    assert 1 <= amount(1) <= amount(6_000) <= 6_000


def test_a_test_is_in_both_tiers_if_its_own_definitions_generate(tmp_path: Path) -> None:
    module = tmp_path / "test_some.py"
    module.write_text(
        "TEXTS = strings(1, 2)\n"
        "@given(max_examples=amount(5))\n"
        "def test_marked(): ...\n"
        "def each(): return TEXTS\n"
        "def test_through_another(): each()\n"
        "def test_by_a_fixture(each): ...\n"
        "def test_of_one_text(): check('amount')\n"
    )
    found = {name for name in generating(module) if name.startswith("test")}
    assert found == {"test_marked", "test_through_another", "test_by_a_fixture"}

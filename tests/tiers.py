"""The tiers of the tests: what answers in minutes, what takes longer, and every case.

    quick   the default: every subject, on a sample where its tests are many
    long    the tests that quick leaves out, and more cases of the others
    all     every case of every test; `.ci/run` has no room for it

`@pytest.mark.long` leaves a test to `long`, `@pytest.mark.rest` to `all`: a test in the browser of what a faster test
covers from another side. Of a test marked `@pytest.mark.sample(n)`, quick runs n cases, spread
evenly, and of any other parametrized test `CASES`; long runs some of the rest. `@pytest.mark.quick` takes a
test out of a module that is marked long: the closest mark counts. Generated texts are fewer in quick, an eighth, and
in long, a quarter (`amount`), so the tests that use them run in both tiers. The end of a run prints, per folder, what
ran and what was left.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

import pytest

TIERS: Final = ("quick", "long", "all")
MARKS: Final = frozenset({"long", "sample", "quick", "rest"})
FEWER: Final = {"quick": 8, "long": 4, "all": 1}
"""Of so many generated texts a tier takes one."""
CASES: Final = 1
"""Of a parametrized test without a mark quick runs so many cases: the first."""
MORE_CASES: Final = 3
"""Of what quick leaves of such a test long runs so many cases,"""
LONG_CASES: Final = 2
"""and so many of a parametrized test with a mark, or with generated texts."""
GENERATORS: Final = frozenset({"amount", "strings"})

Case = TypeVar("Case")
chosen_tier = "quick"
"""The tier of this run; set by conftest.py before a test module is imported."""


def amount(full: int) -> int:
    """How many generated texts, or examples of hypothesis, this tier tries."""
    return max(1, full // FEWER[chosen_tier])


def spread(cases: Sequence[Case], count: int) -> list[Case]:
    """So many of the cases, from the first on at even distances.

    >>> spread("abcdefgh", 3)
    ['a', 'c', 'f']
    """
    count = min(count, len(cases))
    return [cases[index * len(cases) // count] for index in range(count)]


def quick(items: Iterable[pytest.Item]) -> set[str]:
    """The node ids that the quick tier runs."""
    chosen: set[str] = set()
    sampled: dict[tuple[str, int], list[str]] = defaultdict(list)
    for item in items:
        marks = [mark for mark in item.iter_markers() if mark.name in MARKS]
        if marks and marks[0].name == "quick":
            chosen.add(item.nodeid)
        elif not marks or marks[0].name == "sample":
            count = marks[0].args[0] if marks else CASES
            sampled[item.nodeid.partition("[")[0], count].append(item.nodeid)
    for (_, count), cases in sampled.items():
        chosen.update(spread(cases, count))
    return chosen


def long(items: Iterable[pytest.Item]) -> set[str]:
    """The node ids that the long tier runs, of the tests that are not only in the quick one."""
    cases: dict[tuple[str, int], list[str]] = defaultdict(list)
    for item in items:
        marked = any(mark.name in MARKS for mark in item.iter_markers())
        count = LONG_CASES if marked or in_both(item) else MORE_CASES
        cases[item.nodeid.partition("[")[0], count].append(item.nodeid)
    return {node for (_, count), each in cases.items() for node in spread(each, count)}


def in_both(item: pytest.Item) -> bool:
    """Whether a test uses generated texts, of which `long` tries more."""
    path, name = item.path, getattr(item, "originalname", item.name)
    return name in generating(path) if path.suffix == ".py" else False


@cache
def generating(path: Path) -> set[str]:
    """The names of a module whose definitions use a generator, themselves or through others of the module."""
    uses: dict[str, set[str]] = {}
    for node in ast.parse(path.read_text("utf-8")).body:
        used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        used |= {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            uses[node.name] = used
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            uses |= {each.id: used for each in targets if isinstance(each, ast.Name)}
    found = set(GENERATORS)
    while more := {name for name, used in uses.items() if name not in found and used & found}:
        found |= more
    return found


class Tiers:
    """Selects the tests of a tier and prints what ran and what was left out."""

    def __init__(self, tier: str) -> None:
        self.tier = tier
        self.ran: Counter[str] = Counter()
        self.left: Counter[str] = Counter()
        self.seconds: Counter[str] = Counter()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        if self.tier == "all":
            return
        chosen = quick(items)
        if self.tier == "long":
            asked = [item for item in items if item.nodeid not in chosen or in_both(item)]
            chosen = long(item for item in asked if not item.get_closest_marker("rest"))
        kept = [item for item in items if item.nodeid in chosen]
        left = [item for item in items if item.nodeid not in chosen]
        config.hook.pytest_deselected(items=left)
        self.left.update(folder(item.nodeid) for item in left)
        items[:] = kept

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[folder(report.nodeid)] += report.duration
        if report.when == "call":
            self.ran[folder(report.nodeid)] += 1

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A worker of pytest-xdist tells the process that prints what it left out."""
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["left"] = dict(self.left)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Every worker collects all tests, so the answer of any of them is whole."""
        self.left = Counter(getattr(node, "workeroutput", {}).get("left", self.left))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        left = {"quick": "left out", "long": "left out", "all": ""}[self.tier]
        terminalreporter.section(f"tier {self.tier}")
        terminalreporter.line(f"{'':24}{'ran':>8}{'seconds':>9}{left:>15}")
        for name in sorted({*self.ran, *self.left}):
            terminalreporter.line(row(name, self.ran[name], self.seconds[name], self.left[name]))
        sums = self.ran.total(), self.seconds.total(), self.left.total()
        terminalreporter.line(row("all", *sums))


def row(name: str, ran: int, seconds: float, left: int) -> str:
    """A line of the table at the end of a run."""
    return f"{name:24}{ran:8,}{seconds:9.0f}{left or '':>15}"


def in_browser(node: str) -> bool:
    """Whether a test, or a group of tests, runs in Chromium."""
    return node.startswith("tests/browser/")


def folder(node: str) -> str:
    """The room of a test by its node id.

    >>> folder("tests/engine/models/test_spm.py::test_a[1]"), folder("tests/test_floors.py::test_b")
    ('tests/engine', 'tests')
    """
    return "/".join(node.partition("::")[0].split("/")[:-1][:2])

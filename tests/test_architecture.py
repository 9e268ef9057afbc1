"""Documents name what exists, and their links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("explorer", "tests", "benchmarks", "vocabs", "deploy")
IN_THE_WHEEL = {"explorer/bundle/"}
WALK = 15
"""Python files that a reader of the walk opens, at most."""


def files() -> list[Path]:
    """All Python files of the project."""
    return [ROOT / "app.py", *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))]


def named(document: str) -> set[str]:
    """The paths of Python files, and of folders, that a document names."""
    return set(re.findall(r"`([\w/]+(?:\.py|/))`", (ROOT / document).read_text("utf-8")))


DESIGN = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/design/*.md"))


@pytest.mark.parametrize("document", ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/additions.md", *DESIGN])
def test_what_is_named_exists(document: str) -> None:
    known = [f"/{path.relative_to(ROOT).as_posix()}" for path in files()]
    folders = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_dir()]
    known += [f"/{path.relative_to(ROOT).as_posix()}/" for path in [*folders, *map(ROOT.joinpath, FOLDERS)]]
    wanted = named(document) - IN_THE_WHEEL
    assert len(wanted) > 3
    assert {path for path in wanted if not any(each.endswith(f"/{path}") for each in known)} == set()


def test_links_of_the_documents_lead_somewhere() -> None:
    lost = set()
    # the links of docs/index.md are those of the site, which mkdocs checks (tests/test_documents.py)
    documents = {*ROOT.glob("docs/*.md"), *ROOT.glob("docs/design/*.md")} - {ROOT / "docs/index.md"}
    for path in [
        *ROOT.glob("*.md"),
        *documents,
        *ROOT.glob("docs/design/*.md"),
        *ROOT.glob("deploy/*.md"),
        *ROOT.glob("vocabs/*.md"),
    ]:
        for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text("utf-8")):
            file, _, heading = link.partition("#")
            target = path.parent / file if file else path
            if "://" in link or (not target.suffix and target.is_dir()):
                continue
            if not target.is_file() or (heading and heading not in headings(target)):
                lost.add((path.name, link))
    assert lost == set()


def headings(path: Path) -> set[str]:
    """The names that links give to the headings of a document."""
    found = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", each).strip().lower().replace(" ", "-") for each in found}


def test_the_walk_is_short_and_names_each_file_once() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    walk = text.partition("## A walk")[2].partition("\n## ")[0]
    steps = re.findall(r"^\d+\. `([\w/]+\.py)`", walk, re.MULTILINE)
    assert 5 < len(steps) <= WALK
    assert len(set(steps)) == len(steps)
    assert set(re.findall(r"`([\w/]+\.py)`", walk)) == set(steps)
    assert [step for step in steps if not (ROOT / "explorer" / step).is_file()] == []

"""The documents to learn from: what they type runs and prints what they say, and their site is whole.

A block `console` has commands after `$` and what they print below, `…` for lines left out; `pycon` is a doctest;
`tests/test_document_blocks.py` runs the other kinds.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import explorer
from tests.cli.command import command
from tests.modules import deployed
from tests.test_document_blocks import DOCUMENTS, blocks, write_json

ROOT = Path(explorer.__file__).parent.parent
DESIGN = sorted((ROOT / "docs" / "design").glob("*.md"))
RUN = [path for path in DOCUMENTS if re.search(r"^```(console|pycon)$", path.read_text("utf-8"), re.M)]


@pytest.mark.parametrize("path", RUN, ids=lambda path: path.stem)
def test_a_document_does_what_it_says(path: Path, tmp_path: Path) -> None:
    for block in blocks(path):
        if block.kind == "json":
            write_json(block, tmp_path)
        elif block.kind == "console":
            for typed, said in re.findall(r"^\$ explorer (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
                _, out, complaints = command(*shlex.split(typed), at=tmp_path)
                assert said_of((out + complaints).decode(), said), (typed, out.decode(), complaints.decode())
    examples = "\n".join(block.text for block in blocks(path) if block.kind == "pycon")
    test = doctest.DocTestParser().get_doctest(examples, {}, path.name, str(path), 0)
    with chdir(tmp_path):
        assert not doctest.DocTestRunner().run(test).failed


def said_of(printed: str, said: str) -> bool:
    """Whether what was printed is what a document says, whose `…` stand for any lines."""
    pattern = "".join("(?:.*\n)*?" if line == "…" else f"{re.escape(line)}\n" for line in said.splitlines())
    return re.fullmatch(pattern, printed) is not None


def test_lines_left_out_are_any() -> None:
    assert said_of("a\nb\nc\n", "a\n…\nc\n")
    assert said_of("a\n", "a\n…\n")
    assert not said_of("a\nb\n", "a\n")
    assert not said_of("b\na\n", "a\n…\n")


@pytest.mark.long
def test_the_site_of_the_documents_is_whole(tmp_path: Path) -> None:
    """mkdocs is strict: a link or an anchor that leads nowhere, or a page in no list, is an error."""
    # the command of CONTRIBUTING.md, which unlike `python -m mkdocs` doesn't find packages of the current directory
    mkdocs = Path(sys.executable).with_name("mkdocs")
    build = [mkdocs, "build", "--quiet", "--site-dir", tmp_path / "site"]
    done = subprocess.run(
        build, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    )
    assert done.returncode == 0, done.stderr
    api = (tmp_path / "site" / "reference" / "api.html").read_text("utf-8")
    for name in explorer.__all__:
        assert name.startswith("_") or f"{name}</span>" in api or f">{name}<" in api, name
    for path in DESIGN:
        html = (tmp_path / "site" / "design" / f"{path.stem}.html").read_text("utf-8")
        assert html.count('role="img"') == path.read_text("utf-8").count("```drawing ") > 0, path.stem
    commands = (tmp_path / "site" / "reference" / "commands.html").read_text("utf-8")
    assert 'id="encode"' in commands
    assert 'id="vocab-find"' in commands


def test_the_design_has_short_pages_of_one_form() -> None:
    assert len(DESIGN) > 20
    for path in DESIGN:
        text = path.read_text("utf-8")
        assert len(text.splitlines()) <= 120, path.stem
        assert "```drawing " in text, path.stem
        headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
        assert {"An example", "Why this way", "Where in the code"} <= set(headings), path.stem
        assert f"](design/{path.name})" in (ROOT / "docs" / "design.md").read_text("utf-8"), path.stem


def runs_the_app(path: Path) -> Any:
    """A case of a page; one whose drawing runs the app is left to the long tier."""
    return pytest.param(path, marks=[pytest.mark.long] * ("drawing key-press" in path.read_text("utf-8")), id=path.stem)


@pytest.mark.parametrize("path", [runs_the_app(path) for path in DESIGN])
def test_a_drawing_is_text_of_12_pixels_with_an_alternative(path: Path) -> None:
    text = path.read_text("utf-8")
    drawn = deployed("docs_drawings").drawings(text)
    assert len(drawn) == text.count("```drawing ") > 0
    for (_, html), rows in zip(drawn, re.findall(r"```drawing \S+\n(.*?)```", text, re.DOTALL), strict=True):
        figure = ElementTree.fromstring(html)
        svg, caption = figure[0], figure[1].text
        label = svg.get("aria-label", "")
        assert f"shows: {caption}\n" in rows
        assert label.startswith(f"{caption}. ")
        words = [each.text or "" for each in svg.iter("text")]
        assert len(words) > 3
        assert set(re.findall(r"\d+", " ".join(words))) <= set(re.findall(r"\d+", label))
        sizes = [float(each.get("font-size", svg.get("font-size", "0"))) for each in svg.iter("text")]
        assert min(sizes) >= 12
        assert float(svg.get("viewBox", "").split()[2]) <= 358, "a phone of 390 pixels leaves 358"
        assert not re.search(r"(?:fill|stroke)=\"(?!none|currentColor)", html), "a color that is not the text's"


def test_a_drawing_that_can_not_be_made_says_why() -> None:
    for block, why in {
        "```drawing circle\nshows: a\n```": "use one of flow",
        "```drawing flow\nshows: a\nwithout a colon\n```": "`key: value`",
        "```drawing flow\nshows: a\nb: {answers.turns.SLICES}\n```": "has no SLICES",
    }.items():
        with pytest.raises(ValueError, match=re.escape(why)):
            deployed("docs_drawings").drawings(block)


def test_a_limit_in_a_drawing_is_that_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    drawings = deployed("docs_drawings").drawings
    monkeypatch.setattr("explorer.answers.processes.SECONDS", 77.0)
    html = dict(
        deployed("docs_drawings").drawings("```drawing flow\nshows: a\nworker: {answers.processes.SECONDS} s\n```")
    )["flow"]
    assert "worker: 77 s" in html
    monkeypatch.setattr("explorer.vocabulary.MOST_PIECES", 3_000_000)
    html = dict(drawings("```drawing flow\nshows: a\npieces: {vocabulary.MOST_PIECES}\n```"))["flow"]
    assert "pieces: 3,000,000." in html

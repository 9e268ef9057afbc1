"""The tests of a source file are found by imports, by words of a page, or by their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.of import MOST, chosen, files, modules_of


@pytest.mark.parametrize(
    ("source", "tests"),
    [
        ("explorer/engine/models/spm.py", "tests/engine/models/test_spm.py"),
        ("explorer/text/input.py", "tests/text/test_utf8.py"),
        ("explorer/cli/pieces.py", "tests/cli/test_stream.py"),  # main imports it by its name
        ("explorer/learning/lessons/files/trie.toml", "tests/learning/test_lessons.py"),
        ("explorer/ui/pages/vocabulary.py", "tests/ui/test_vocabulary.py"),
        ("explorer/ui/components/lesson/card.js", "tests/browser/test_lecture.py"),
        ("explorer/ui/components/aligned/aligned.css", "tests/browser/test_compare.py"),
        ("tests/engine/models/test_spm.py", "tests/engine/models/test_spm.py"),
    ],
)
@pytest.mark.sample(8)
def test_the_closest_tests_of_a_file(source: str, tests: str) -> None:
    assert Path(tests) in modules_of(Path(source))[:2]


@pytest.mark.long
def test_every_source_file_has_tests() -> None:
    sources = [path for path in files() if path.parts[0] == "explorer"]
    assert len(sources) > 500
    assert all(modules_of(path) for path in sources)


def test_only_scripts_and_styles_need_a_browser() -> None:
    modules = modules_of(Path("explorer/ui/frame.py"))
    assert modules
    assert not [path for path in modules if "browser" in path.parts]


def test_a_module_of_two_files_runs_once() -> None:
    one, two = Path("explorer/engine/models/spm.py"), Path("explorer/engine/models/merges.py")
    modules = chosen([one, two], MOST)
    assert len(modules) == len(set(modules)) > MOST


def test_what_is_no_source_file_is_refused() -> None:
    with pytest.raises(LookupError, match="README"):
        modules_of(Path("README.md"))

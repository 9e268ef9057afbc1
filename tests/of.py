"""Runs the tests of a source file, closest first.

Run it with ``python -m tests.of FILE…``; what else stands on the command line goes to pytest. ``--list`` prints the
modules of tests instead, ``--most N`` takes more of them.

A module of tests is a file's if it imports or names it, itself or through others. The closest ones are a few imports
away and lie where the file lies: `tests/engine/models/test_spm.py` is closest to `explorer/engine/models/spm.py`. A
test in a browser imports nothing of the page; it belongs to the scripts and styles whose words it looks for, the rarest
words count most. Leaves out: which lines a test runs.
"""

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
FOLDERS: Final = ("explorer", "tests", "benchmarks")
NAMED: Final = {".py", ".js", ".css", ".mjs", ".toml", ".json", ".tsv"}
"""Files that others may name."""
IMPORT: Final = re.compile(r"^\s*(?:from ([\w.]+) import (\([^)]*\)|[^\n#]+)|import ([\w., ]+))", re.MULTILINE)
FILE: Final = re.compile(r"[\"'](?:[\w.-]*/)*([\w-]+\.(?:py|js|css|mjs|toml|json|tsv))[\"']")
QUOTED: Final = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`]*`|^[^{}\n]*\{", re.MULTILINE)
"""What holds the words of a page: strings, and the selectors of a style sheet."""
WORD: Final = re.compile(r"[A-Za-z][\w-]{3,}")
MOST: Final = 5
"""Modules of tests that run unless --most says otherwise."""


@cache
def files() -> dict[Path, str]:
    """The text of every source file and test, by its path from the root."""
    paths = [ROOT / "app.py", *(path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")))]
    return {path.relative_to(ROOT): path.read_text("utf-8") for path in paths if path.suffix in NAMED}


def imported(text: str) -> Iterator[str]:
    """The modules a text imports, and what it takes out of them, which may be modules.

    >>> list(imported("from explorer.text import say, utf8 as bytes_\\nimport json"))
    ['explorer.text', 'explorer.text.say', 'explorer.text.input', 'json']
    """
    for package, names, modules in IMPORT.findall(text):
        taken = [name.split()[0] for name in re.split(r"[,\n]", (names or modules).strip("() ")) if name.split()]
        yield from [package, *(f"{package}.{name}" for name in taken)] if package else taken


@cache
def importers() -> Mapping[Path, set[Path]]:
    """The files that import or name each file."""
    modules = {".".join(path.with_suffix("").parts).removesuffix(".__init__"): path for path in files()}
    by_name = defaultdict(list)
    for path in files():
        by_name[path.name].append(path)
    found: dict[Path, set[Path]] = defaultdict(set)
    for path, text in files().items():
        if path.suffix != ".py" or path.name == "test_of.py":  # its own tests name files of every sort
            continue
        for module in imported(text):
            if module in modules:
                found[modules[module]].add(path)
        for name in FILE.findall(text):
            if same_name := by_name[name]:
                # of files with the same name, the one that lies closest
                found[max(same_name, key=lambda other: shared_folders(path, other))].add(path)
    return found


def shared_folders(one: Path, other: Path) -> int:
    """The number of folders in which two files both lie; a folder of tests counts as the one it tests."""
    return sum(left == right for left, right in zip(one.parts[1:-1], other.parts[1:-1], strict=False))


def words_of(path: Path) -> set[str]:
    """The words of a path below its first folder.

    >>> sorted(words_of(Path("tests/engine/models/test_spm_merges.py")))
    ['engine', 'merges', 'models', 'spm']
    """
    return set(re.split(r"[/_]", "/".join(path.with_suffix("").parts[1:]))) - {"test"}


def path_similarity(one: Path, other: Path) -> float:
    """The share of words that two paths have in common, from 0 to 1."""
    return len(words_of(one) & words_of(other)) / len(words_of(one) | words_of(other))


def by_imports(source: Path) -> dict[Path, float]:
    """The modules of tests that reach a file, each with its distance: imports, less what their paths have in common."""
    distance, reached, border = 0, {source}, {source}
    found = {}
    while border:
        for path in border:
            if path.name.startswith("test_"):
                found[path] = distance - 3 * path_similarity(source, path)
        border = {importer for path in border for importer in importers().get(path, ())} - reached
        reached |= border
        distance += 1
    return found


@cache
def page_words() -> Counter[str]:
    """In how many scripts and styles each word of a page occurs."""
    return Counter(word for path in files() if path.suffix in (".js", ".css") for word in quoted_words(path))


@cache
def quoted_words(path: Path) -> frozenset[str]:
    """The words within the strings and selectors of a file."""
    return frozenset(word for quoted in QUOTED.findall(files()[path]) for word in WORD.findall(quoted))


def by_words(source: Path) -> dict[Path, float]:
    """The tests in browsers that look for words of a script or style sheet; the lowest value is the closest."""
    tests = [path for path in files() if path.match("tests/browser/test_*.py")]
    return {
        path: -weight
        for path in tests
        if (weight := sum(1 / page_words()[word] for word in quoted_words(source) & quoted_words(path)))
    }


def by_path(source: Path) -> dict[Path, float]:
    """The modules of tests whose paths share words with a file's; a command's module is imported by its name."""
    tests = [path for path in files() if path.name.startswith("test_")]
    return {path: -shared for path in tests if (shared := path_similarity(source, path))}


def modules_of(source: Path) -> list[Path]:
    """The modules of tests of a file, closest first. Raises LookupError for a file that no test reaches.

    >>> modules_of(Path("explorer/engine/models/spm.py"))[0].as_posix()
    'tests/engine/models/test_spm.py'
    """
    if source not in files():
        raise LookupError(f"{source} is not a source file below {', '.join(FOLDERS)}")
    found = by_words(source) if source.suffix in (".js", ".css") else {}
    found = found or by_imports(source) or by_path(source)
    if source.suffix == ".py":  # a browser takes a minute
        found = {path: far for path, far in found.items() if "browser" not in path.parts}
    if not found:
        raise LookupError(f"no test imports or names {source}")
    return sorted(found, key=lambda path: (found[path], path))


def chosen(sources: Iterable[Path], most: int) -> list[Path]:
    """The closest modules of tests of each file, each module once."""
    return list(dict.fromkeys(path for source in sources for path in modules_of(source)[:most]))


def main() -> int:
    """Run pytest on the tests of the files; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.of", description="Run the tests of source files.")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="source files, or modules of tests")
    parser.add_argument("--most", type=int, default=MOST, help=f"modules of tests for each file ({MOST})")
    parser.add_argument("--list", action="store_true", help="print the modules of tests and don't run them")
    options, for_pytest = parser.parse_known_args()
    try:
        modules = chosen([path.resolve().relative_to(ROOT) for path in options.files], options.most)
    except (LookupError, ValueError) as error:
        parser.error(str(error))
    print(*modules, sep="\n", flush=True)
    return 0 if options.list else int(pytest.main(["-q", *map(str, modules), *for_pytest]))


if __name__ == "__main__":
    sys.exit(main())

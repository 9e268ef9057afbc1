"""Holds every pattern of the package over `re` against the `regex` module: `python -m benchmarks.live_patterns`.

A live Explore runs the module's own Python over `re` (`engine/regexes/in_python.py`). Patterns are those that are
compiled while every bundled model opens as every implementation and traces a text. Each finds its matches, groups and
all, in the strings of a reference (`--strings`, the file of ../shared/parity) and in random texts of many scripts
(`--texts`); both sides write a hash for each hundred texts. Ends with the patterns that differ, or that `re` refuses.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import shutil
import subprocess
import sys
import tempfile
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import regex

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT.parent / "shared" / "parity" / "reference.json.xz"
POOL = (
    "ab cdKk\u017f\u212a\xdf1S's\u0130\u0131 12\u0663\n\r\t\u2028\xa0 \xe9 e\u0301 \u65e5\u672c \u3072\u30ab\ud55c"
    "\uad6d \u200d\U0001f469\U0001f1e9\U0001f1ea\U0001f3fd.,!_-\u01c5\u03b1\u03a9\u0e01\u0e33\u0915\u094d\u0937\u093f"
    "\x00\uffff'll 've 're </s> def x(): 3.14 {}[]#$%&\u0627\u0644\u0639"
)


def texts(strings: list[str], count: int) -> list[str]:
    """The strings, and random texts: of a pool, of any characters, and cut from the strings."""
    drawn = random.Random(20)

    def character() -> str:
        if drawn.random() < 0.85:
            return drawn.choice(POOL)
        return chr(drawn.choice((drawn.randrange(0x20, 0xD800), drawn.randrange(0xE000, 0x20000))))

    whole = "".join(strings)
    made = []
    for number in range(count):
        size = drawn.randrange(1, 40)
        start = drawn.randrange(max(1, len(whole) - size))
        made.append(whole[start : start + size] if number % 4 == 0 else "".join(character() for _ in range(size)))
    return strings + made


def compiled_by_package() -> list[tuple[str, int]]:
    """Every pattern that the package compiles, with its flags."""
    found: dict[tuple[str, int], None] = {}
    main: Any = import_module("regex._main")
    own = main._regex

    def compile(pattern: Any, flags: int, *rest: Any) -> Any:
        if isinstance(pattern, str):
            found[pattern, flags & ~regex.DEBUG] = None
        return own.compile(pattern, flags, *rest)

    main._regex = SimpleNamespace(**{name: getattr(own, name) for name in dir(own)} | {"compile": compile})
    compiled_forms: Any = import_module("explorer.opening.compiled_forms")
    compiled_forms.SMALLEST = 1 << 60
    import explorer
    from explorer.opening.catalog import catalog

    for name, model in catalog().items():
        for implementation in model.implementations:
            explorer.load(name, implementation).trace("What is LoRA? नमस्ते 🤗")
    return list(found)


def hashes(patterns: list[tuple[str, int]], found: list[str]) -> list[list[str]]:
    """Of each pattern, a hash of all matches for each hundred texts; its error, where it is refused."""
    said = []
    for pattern, flags in patterns:
        try:
            compiled = regex.compile(pattern, flags)
        except regex.error as wrong:
            said.append([str(wrong)])
            continue
        rows = []
        for at in range(0, len(found), 100):
            matches = [[each.regs for each in compiled.finditer(text)] for text in found[at : at + 100]]
            rows.append(sha256(repr(matches).encode()).hexdigest()[:12])
        said.append(rows)
    return said


def over_re(folder: Path) -> Path:
    """A folder whose `regex` is the module's own Python over `re`."""
    from explorer.saved.live import properties

    package = folder / "regex"
    package.mkdir()
    for file in Path(regex.__file__).parent.glob("*.py"):
        shutil.copy(file, package)
    shutil.copy(ROOT / "explorer/engine/regexes/in_python.py", package / "_regex.py")
    (package / "properties.json").write_text(json.dumps(properties()))
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strings", type=Path, default=REFERENCE)
    parser.add_argument("--texts", type=int, default=20_000)
    parser.add_argument("--asked", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    strings = json.loads(lzma.decompress(given.strings.read_bytes()))["strings"]
    if given.asked:  # over `re`
        patterns = [(pattern, flags) for pattern, flags in json.loads(given.asked.read_text())]
        print(json.dumps(hashes(patterns, texts(strings, given.texts))))
        return
    patterns = compiled_by_package()
    with tempfile.TemporaryDirectory() as temporary:
        asked = Path(temporary, "patterns.json")
        asked.write_text(json.dumps(patterns))
        path = [str(over_re(Path(temporary))), str(ROOT)]
        run = f"import sys; sys.path[:0] = {path!r}; from benchmarks.live_patterns import main; main()"
        words = ["--strings", str(given.strings), "--texts", str(given.texts), "--asked", str(asked)]
        other = subprocess.run([sys.executable, "-c", run, *words], stdout=subprocess.PIPE, check=True)
    both = zip(patterns, hashes(patterns, texts(strings, given.texts)), json.loads(other.stdout), strict=True)
    differ = [(pattern, over[0]) for (pattern, _), native, over in both if native != over]
    same = f"{len(patterns) - len(differ)} of {len(patterns)} patterns: the same matches"
    print(f"{same} in {len(strings)} strings and {given.texts:,} random texts")
    for pattern, said in differ:
        print(f"  {said[:60]:60} {pattern[:150]!r}")
    sys.exit(bool(differ))


if __name__ == "__main__":
    main()

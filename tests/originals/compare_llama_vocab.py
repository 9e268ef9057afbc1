"""Compares the table of pre-tokenizers with a copy of llama.cpp's source, which it reads and never runs.

usage, from the project's root:   python -m tests.originals.compare_llama_vocab PATH/TO/llama.cpp/src/llama-vocab.cpp

Prints the tokenizer models and the names of `tokenizer.ggml.pre` that only one side has, and each name whose patterns
or settings differ. Exit status 0 only without differences. For a new version of llama.cpp, apply the output to
`explorer/implementations/llama_cpp/pre_tokenizers.py`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

from explorer.engine.pre_tokenizers.scanners import SCANNERS
from explorer.implementations.llama_cpp import MODELS, NONE
from explorer.implementations.llama_cpp.pre_tokenizers import PRE, Pre

PREFIX = "LLAMA_VOCAB_PRE_TYPE_"
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "'": "'"}
FLAGS = {
    "ignore_merges": "ignore_merges", "add_bos": "add_bos", "add_sep": "add_sep", "clean_spaces": "clean_spaces",
    "escape_whitespaces": "escape_spaces", "normalizer_opts.lowercase": "lowercase", "special_bos_id": "bos",
}  # fmt: skip
"""llama.cpp's name of a setting → this engine's; special_bos_id is only ever set to null."""


class Theirs(NamedTuple):
    """The patterns and settings of one name in the source."""

    patterns: list[str]
    settings: dict[str, bool]


def literal(text: str) -> str:
    """A C++ string literal without its quotes."""
    return re.sub(r"\\(.)", lambda match: ESCAPES[match[1]], text)


def literals(block: str) -> list[str]:
    """The strings of a list. Adjacent literals are joined, and comments are skipped."""
    code = "\n".join(line for line in block.splitlines() if not line.strip().startswith("//"))
    found: list[str] = []
    end = None
    for match in STRING.finditer(code):
        if end is not None and "," not in code[end : match.start()]:
            found[-1] += literal(match[1])
        else:
            found.append(literal(match[1]))
        end = match.end()
    return found


def patterns_by_type(source: str) -> dict[str, tuple[list[str], bool]]:
    """Type of pre-tokenizer → its patterns, and whether bytes are spelled; "" is the default."""
    start = source.index("switch (vocab.get_pre_type())")
    code = source[start : source.index("bool byte_encode", start)]
    found = {}
    for block in code.split("break;"):
        types = re.findall(rf"case {PREFIX}(\w+):", block) or ([""] if "default:" in block else [])
        listed = re.search(r"regex_exprs = \{(.*?)\n\s*\};", block, re.DOTALL)
        if listed:
            for each in types:
                found[each] = (literals(listed[1]), "byte_encode = false" not in block)
    return found


def read(source: str) -> dict[str, Theirs]:
    """Name → its patterns and settings."""
    types = patterns_by_type(source)
    start = source.index('tokenizer_pre == "default"')
    code = source[start : source.index("unknown pre-tokenizer type", start)]
    found = {}
    for block in code.split("} else "):
        kind = re.search(rf"pre_type = {PREFIX}(\w+)", block)
        if kind is None:
            continue
        patterns, spelled = types.get(kind[1], types[""])
        settings = {"bytes_spelled": spelled, "line_feeds_whole": kind[1] == "GEMMA4"}
        for name, value in re.findall(r"([\w.]+)\s*=\s*(true|false|LLAMA_TOKEN_NULL);", block):
            settings[FLAGS[name]] = value == "true"
        for name in re.findall(r'tokenizer_pre == "([^"]+)"', "tokenizer_pre ==" + block):
            found[name] = Theirs(patterns, settings)
    first = re.search(rf'tokenizer_pre == "default"\) \{{\s*pre_type = {PREFIX}(\w+)', source)
    assert first is not None, "the source has another shape than this script knows"
    found["default"] = Theirs(types.get(first[1], types[""])[0], {})
    return found


def differences(name: str, theirs: Theirs) -> list[str]:
    """The differences between the source and the table for one name."""
    ours, none = PRE[name], Pre(())
    found = []
    if [pattern.regex for pattern in ours.patterns] != theirs.patterns:
        found.append(f"{name}: the patterns are {theirs.patterns}")
    for setting in none._fields[1:]:
        want = theirs.settings.get(setting, getattr(none, setting))
        if getattr(ours, setting) != want:
            found.append(f"{name}: {setting} is {want}")
    return found


def compare(vocab: str, unicode: str) -> list[str]:
    """Every difference between the table and the two sources, one line each."""
    found = []
    models = set(re.findall(r'tokenizer_model == "([^"]+)"', vocab)) - set(NONE)
    found += [f"tokenizer model only there: {name}" for name in sorted(models - set(MODELS))]
    found += [f"tokenizer model only here: {name}" for name in sorted(set(MODELS) - models)]
    theirs = read(vocab)
    found += [f"name only there: {name}" for name in theirs if name not in PRE]
    found += [f"name only here: {name}" for name in PRE if name not in theirs]
    for name in theirs:
        found += differences(name, theirs[name]) if name in PRE else []
    scanned = {literal(each) for each in re.findall(r'regex_expr == "((?:[^"\\]|\\.)*)"', unicode)}
    used = {pattern for each in theirs.values() for pattern in each.patterns}
    found += [f"run by a scanner only there: {each}" for each in sorted(scanned & used - set(SCANNERS))]
    found += [f"run by a scanner only here: {each}" for each in sorted(set(SCANNERS) - scanned)]
    return found


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    path = Path(sys.argv[1])
    found = compare(path.read_text("utf-8"), path.with_name("unicode.cpp").read_text("utf-8"))
    print("\n".join(found) or f"our table of {len(PRE)} names says the same")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

"""Folders opened by the originals and by this engine, compared on the same texts."""

from __future__ import annotations

import atexit
import json
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import explorer
from explorer.errors import InputError
from tests.auto_tokenizer.environments import python
from tests.originals.generators import strings

ANSWERS = Path(__file__).with_name("answers.py")

OWN_TEXTS = (
    "Hello , world ! it ' s n't <a><left> x", "the word words <image> <eoi>  <boi>", "<s> a </s> [MASK] [CLS]",
    "do not . <|endoftext|> <extra_id_0> <pad><own> <unk>", " x", "Ünïcode ÅNGSTRÖM 漢字 ﬁ\u00a0…", "", "  ",
)  # fmt: skip
"""Texts that the settings of the folders affect."""


def texts(count: int) -> list[str]:
    """`count` nasty texts, after `OWN_TEXTS`."""
    listed = strings(11, 1100)
    return [*OWN_TEXTS, *listed[: count // 2], *listed[-(count // 2) :]]


def originals(version: int, folders: Sequence[Path], asked: Sequence[str]) -> list[dict[str, Any]]:
    """The answers of a version's AutoTokenizer for folders, from `answers.py`."""
    process = answering(version)
    assert process.stdin is not None
    assert process.stdout is not None
    question = {"folders": list(map(str, folders)), "texts": list(asked)}
    process.stdin.write(json.dumps(question) + "\n")
    process.stdin.flush()
    line = process.stdout.readline()
    assert line, f"transformers {version} ended with {process.wait()}; what it said is on standard error"
    found: list[dict[str, Any]] = json.loads(line)
    return found


@cache
def answering(version: int) -> subprocess.Popen[str]:
    """The process that answers for a version; it ends with the tests, when its standard input closes."""
    process = subprocess.Popen(
        [python(version), ANSWERS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    atexit.register(process.communicate)
    return process


def differences(version: int, folder: Path, theirs: dict[str, Any], asked: Sequence[str]) -> Iterator[str]:
    """The differing answers; an InputError matches any error of the original."""
    try:
        ours = explorer.load(folder, f"transformers-{version}")
    except InputError as error:
        # the original fails at the first text, this engine when the folder is opened
        if "error" not in theirs and not all(isinstance(each, dict) for each in theirs["answers"]):
            yield f"{folder.name}: ours stops ({error}), theirs is {theirs['class']}"
        return
    if "error" in theirs:
        yield f"{folder.name}: theirs stops ({theirs['error'][:200]}), ours opens it"
        return
    for text, answer in zip(asked, theirs["answers"], strict=True):
        got = answered(ours, text, answer)
        if got != answer:
            yield f"{folder.name}: {text!r}: theirs {answer}, ours {got}"


def answered(ours: explorer.Tokenizer, text: str, theirs: Any) -> Any:
    """This engine's answers in the same form, with the original's error where both fail."""
    try:
        ids = ours.encode(text).ids
        bare = ours.encode(text, add_special=False).ids
        plain = ours.decode(ids, remove_special=False)
        hidden = ours.decode(ids, remove_special=False, unparse_special=False)
    except InputError as error:
        return theirs if isinstance(theirs, dict) else f"InputError: {error}"
    if ours.trace(text).ids != ids:
        return "ours gives other ids when traced"
    return [ids, bare, plain, hidden]

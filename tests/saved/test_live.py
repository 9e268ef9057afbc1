"""A live page's Python, without a browser: patterns over `re`, and what the page may ask."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import regex

from tests.modules import DEPLOY, deployed

PATTERNS = (
    (r"(?i)'s|[^\W\d_]+|stra\u00dfe|\u017f|K", regex.VERSION0),
    (r"(?>a+)b|\bfoo\b|(?m)^x$|\Ay|\z", regex.VERSION1),
    (r"[\p{L}--[a-z]]+|[[:alpha:]&&[^a]]|[\w~~\d]", regex.VERSION1),
    (r"(a)\1|(?P<n>b)(?P=n)|(?<=a)b|(?<!a)c(?!d)|(?=e).", regex.VERSION0),
    (r"\p{Han}+|\p{Lu}\p{Ll}*|\p{Script=Greek}|\P{N}{2,3}?|\p{White_Space}++", regex.VERSION0),
    (r"(?i)[k-m]+|\R|\h+|(?s:.)x|.{2}", regex.VERSION1),
)
RUN = r"""
import json, random, sys
import regex
import explorer
from explorer.opening import compiled_forms

patterns = json.loads(sys.argv[1])
rnd = random.Random(7)
pool = (
    "ab cdKk\u017f\u212a\xdf1S's\u0130\u0131 12\u0663\n\r\t\u2028\xa0 \xe9 e\u0301 \u65e5\u672c \u3072\u30ab\ud55c"
    "\uad6d \u200d\U0001f469\U0001f1e9\U0001f1ea\U0001f3fd.,!_-\u01c5"
    "\u03b1\u03a9\u0e01\u0e33\u0915\u094d\u0937\u093f\x00\uffff"
)


def character():
    return rnd.choice(pool) if rnd.random() < 0.9 else chr(rnd.randrange(0x20, 0xD000))


texts = ["".join(character() for _ in range(rnd.randrange(30))) for _ in range(100)]
compiled_forms.SMALLEST = 1 << 60
compiled = [regex.compile(pattern, flags) for pattern, flags in patterns]
said = [[[each.regs for each in pattern.finditer(text)] for text in texts] for pattern in compiled]
for name in ("gpt-2", "bert-uncased", "qwen2.5", "o200k_base"):
    tokenizer = explorer.load(name)
    said.append([tokenizer.trace(text).ids for text in texts])
print(json.dumps([regex._regex.__file__.rpartition("/")[2], said]))
"""


@cache
def over_re(folder: Path) -> Path:
    """A folder whose `regex` is the module's own Python over `re`."""
    package = folder / "regex"
    package.mkdir()
    for file in Path(regex.__file__).parent.glob("*.py"):
        shutil.copy(file, package)
    shutil.copy(DEPLOY / "live" / "regex_in_python.py", package / "_regex.py")
    (package / "properties.json").write_text(json.dumps(deployed("live/build").properties()))
    return folder


def said(*first: Path) -> tuple[str, object]:
    """What the script above says, with these folders before all others."""
    path = [*map(str, first), str(DEPLOY.parent)]
    code = f"import sys; sys.path[:0] = {path!r}\n{RUN}"
    run = subprocess.run(
        [sys.executable, "-c", code, json.dumps(PATTERNS), "7"], capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
    file, answers = json.loads(run.stdout)
    return file, answers


def test_patterns_over_re_match_what_the_regex_module_matches(tmp_path: Path) -> None:
    ours, over = said(over_re(tmp_path))
    theirs, native = said()
    assert (ours, theirs.startswith("_regex."), theirs == ours) == ("_regex.py", True, False)
    assert over == native


def test_what_re_does_not_have_is_refused_by_the_module_s_own_error(tmp_path: Path) -> None:
    code = f"import sys; sys.path.insert(0, {str(over_re(tmp_path))!r})\nimport regex\n" + (
        "for each in (r'(?<=a|bc+)x', r'a(?R)?b', r'(?:abc){e<=1}', r'\\p{Block=Arrows}'):\n"
        "    try: regex.compile(each)\n"
        "    except regex.error as error: print(error.msg)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert [line.endswith("is not available in a browser") for line in run.stdout.splitlines()] == [True] * 4


def ask(what: str, **of: object) -> dict[str, object]:
    answer = json.loads(deployed("live/answers").answer(json.dumps({"what": what, "of": of})))
    assert isinstance(answer, dict)
    return answer


SHARED = {"text": "What is LoRA?", "special": True, "parse": True, "stored": False, "language": "en"}


def test_a_request_is_answered_and_a_refusal_is_an_answer() -> None:
    explored = ask("explore", name="llama-2", start=0, **SHARED)["is"]
    assert isinstance(explored, dict)
    assert [each["id"] for each in explored["overview"]["tokens"]] == [1, 1724, 338, 4309, 4717, 29973]
    assert "model" in explored["sections"]
    assert explored["whys"] is None
    assert isinstance(ask("why", name="llama-2", start=0, asked="token 3", **SHARED)["is"], dict)
    assert ask("why", name="llama-2", start=0, asked="token 99", **SHARED)["is"] is None
    rows = ask("rows", names=["llama-2", "gpt-2"], **SHARED)["is"]
    assert isinstance(rows, dict)
    assert len(json.loads(rows["drawn"])["rows"]) == 2
    assert ask("decode", name="gpt-2", ids=[15496]) == {"is": "Hello"}
    back = ask("backwards", name="gpt-2", ids=[15496, 612], stored=False, language="de")["is"]
    assert isinstance(back, dict)
    assert list(back["sections"]) == ["decode", "utf8"]
    assert [each["id"] for each in back["overview"]["tokens"]] == [15496, 612]
    for refused in (ask("decode", name="gpt-2", ids=[99_999]), ask("explore", name="nope", start=0, **SHARED)):
        assert list(refused) == ["error"]


@pytest.mark.parametrize("name", ["build", "answers", "regex_in_python"])
def test_its_examples_are_true(name: str) -> None:
    import doctest

    assert doctest.testmod(deployed(f"live/{name}")).failed == 0

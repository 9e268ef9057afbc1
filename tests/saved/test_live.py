"""A live page's Python, without a browser: patterns over `re`, and what the page may ask."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from types import ModuleType
from urllib.error import URLError

import pytest
import regex

from benchmarks.live_patterns import ROOT, over_re
from explorer.answers import live as answers
from explorer.answers.compare import parting_view
from explorer.answers.explore import Request
from explorer.answers.saved import spec_of
from explorer.compiled import kept
from explorer.engine.regexes import in_python
from explorer.errors import InputError
from explorer.saved import live

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


def said(*first: Path) -> tuple[str, object]:
    """What the script above says, with these folders before all others."""
    path = [*map(str, first), str(ROOT)]
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
    code = f"import sys; sys.path[:0] = {[str(over_re(tmp_path)), str(ROOT)]!r}\nimport regex\n" + (
        "for each in (r'(?<=a|bc+)x', r'a(?R)?b', r'(?:abc){e<=1}', r'\\p{Block=Arrows}'):\n"
        "    try: regex.compile(each)\n"
        "    except regex.error as error: print(error.msg)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert [line.endswith("is not available in a browser") for line in run.stdout.splitlines()] == [True] * 4


def ask(what: str, **of: object) -> dict[str, object]:
    answer = json.loads(answers.answer(json.dumps({"what": what, "of": of})))
    assert isinstance(answer, dict)
    return answer


SHARED = {"text": "What is LoRA?", "special": True, "parse": True, "stored": False, "language": "en"}


def test_a_request_is_answered_and_a_refusal_is_an_answer() -> None:
    explored = ask("explore", name="llama-2", start=0, **SHARED)["is"]
    assert isinstance(explored, dict)
    assert [each["id"] for each in explored["overview"]["tokens"]] == [1, 1724, 338, 4309, 4717, 29973]
    assert "model" in explored["sections"]
    assert explored["whys"] is None
    assert isinstance(ask("why", name="llama-2", start=0, card="token 3", **SHARED)["is"], dict)
    assert ask("why", name="llama-2", start=0, card="token 99", **SHARED)["is"] is None
    rows = ask("rows", names=["llama-2", "gpt-2"], **SHARED)["is"]
    assert isinstance(rows, dict)
    assert len(json.loads(rows["drawn"])["rows"]) == 2
    assert (rows["names"], rows["labels"]) == (["llama-2", "gpt-2@huggingface"], ["Llama 2", "GPT-2"])
    assert ask("decode", name="gpt-2", ids="15496", special=True) == {"is": "Hello"}
    back = ask("backwards", name="gpt-2", ids="[15496, 612]", special=True, stored=False, language="de")["is"]
    assert isinstance(back, dict)
    assert list(back["sections"]) == ["decode", "utf8"]
    assert [each["id"] for each in back["overview"]["tokens"]] == [15496, 612]
    assert back["overview"]["stages"][0]["name"] == "Zurück zum Text"
    for refused in (
        ask("decode", name="gpt-2", ids="99999", special=True),
        ask("explore", name="nope", start=0, **SHARED),
    ):
        assert list(refused) == ["error"]


def test_two_tokenizers_part_where_the_app_says() -> None:
    first = ask("parting", names=["llama-2", "gpt-2"], place=None, **SHARED)["is"]
    assert isinstance(first, dict)
    view = parting_view(Request(spec_of("llama-2", ()), "What is LoRA?"), spec_of("gpt-2", ()), None)
    assert (first["number"], first["count"]) == (view.place, len(view.picture["places"]))
    assert first["place"]["say"] == json.loads(json.dumps(view.say._asdict()))
    assert {side["script"] for side in first["place"]["panels"] if side["script"]} == first["scripts"].keys()
    german = ask("parting", names=["llama-2", "gpt-2"], place=None, **{**SHARED, "language": "de"})["is"]
    assert isinstance(german, dict)
    assert german["place"]["say"]["template"] != first["place"]["say"]["template"]
    same = ask("parting", names=["gpt-2", "gpt-2"], place=None, **SHARED)["is"]
    assert isinstance(same, dict)
    assert (same["number"], same["scripts"]) == (None, {})


def test_a_part_that_cannot_be_fetched_or_is_another_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(address: str, timeout: float) -> BytesIO:
        raise URLError("no network")

    monkeypatch.setattr(kept, "root", lambda: tmp_path)
    monkeypatch.setattr(live, "urlopen", nothing)
    there = tmp_path / "live" / live.PARTS["msgspec"]["file"]
    with pytest.raises(InputError) as error:
        live.part("msgspec")
    assert all(each in str(error.value) for each in (live.PARTS["msgspec"]["from"], "no network", str(there)))
    monkeypatch.setattr(live, "urlopen", lambda address, timeout: BytesIO(b"another"))
    with pytest.raises(InputError, match="sha256"):
        live.part("msgspec")


@pytest.mark.parametrize("module", [answers, in_python], ids=lambda each: each.__name__)
def test_its_examples_are_true(module: ModuleType) -> None:
    done = doctest.testmod(module)
    assert done.attempted > 1
    assert done.failed == 0

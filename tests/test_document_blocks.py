"""Every block of code in the documents is run, or is named here with what runs it instead.

| block | what the tests do with it |
|---|---|
| `console` | runs it, and compares what it prints |
| `pycon` | runs it as a doctest |
| `python` | runs it; a comment that begins with a value must be what the line gives, `…` for the rest |
| `sh` | runs `explorer …` in a folder with the files it names; checks the others, which are in `ELSEWHERE` |
| `json` | writes its file: its title, or `chat.json` |
| `toml` | reads it as a lesson, or as a part of one |
| `html`, `js` | parses it |
| `drawing` | draws it (`tests/test_documents.py`) |
| `text` | is output or a layout, never typed |
"""

from __future__ import annotations

import ast
import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import chdir
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import explorer
from explorer.cli.parser import parser
from explorer.learning.lessons import read_lesson
from tests.cli.command import command
from tests.cli.example_files import write_more_files
from tests.opening.hub_server import Hub

ROOT = Path(explorer.__file__).parent.parent
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md", "deploy/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
KINDS = {"console", "pycon", "python", "sh", "json", "toml", "html", "js", "drawing", "text"}

ELSEWHERE = {
    "python3 -m venv .venv": ".ci/run: README's commands, word for word",
    "pip install": ".ci/run: an environment of its own",
    "/opt/explorer/.venv/bin/pip install": "benchmarks/image.py: the same files",
    ".venv/bin/streamlit run": "tests/browser",
    "EXPLORER_TOKENIZERS=models .venv/bin/streamlit run": "tests/browser",
    ".venv/bin/python -m tests.of": "tests/test_of.py",
    ".venv/bin/python -m pytest": ".ci/run",
    ".venv/bin/ruff check": ".ci/run",
    ".ci/run": ".ci/run",
    ".venv/bin/mkdocs build": "tests/test_documents.py",
    "pip-compile": "a maintainer: needs PyPI as it is that day (tests/test_lock.py reads the lock)",
    "cyclonedx-py": "a maintainer",
    "python -m build": "a maintainer (tests/test_installed.py builds the wheel)",
    "twine": "a maintainer, before a release",
    "git tag": "a maintainer",
    "apt-get install": "benchmarks/image.py",
    "adduser": "an operator, as root",
    "install -m 600": "an operator, as root",
    "echo": "an operator, as root",
    "cp deploy/": "an operator, as root (tests/browser/test_deploy.py reads the files)",
    "ln -sf": "an operator, as root",
    "systemctl": "an operator, as root",
    "nginx -t": "tests/browser/test_deploy.py",
    "EXPLORER_HOSTS=explorer.example.org docker compose": "an operator (tests/browser/test_containers.py)",
    "deploy/space": "tests/browser/test_containers.py",
    "cd ../my-space": "an operator with an account",
    "dask scheduler": "python -m benchmarks.corpus_job starts both",
    "PYTHONPATH=/shared/tokenizer-explorer dask worker": "python -m benchmarks.corpus_job starts both",
    "python -m http.server": "Python",
}  # fmt: skip
"""The beginning of a line → what runs it, or who."""
ANSWERS_LATER = {"app", "docs"}
"""Commands that serve until they are stopped; their lines are parsed."""
NOT_HERE = {
    "ollama:llama3.2": "tests/opening/test_model_names.py",
    "--live": "tests/browser/test_live.py",
    "--scheduler": "python -m benchmarks.corpus_job",
    "--workers": "python -m benchmarks.corpus_job",
    "~/": "folders of other programs",
}
"""What a line names that tests have no equal of → where it is tried; such a line is parsed."""


class Block(NamedTuple):
    kind: str
    settings: str
    text: str


def blocks(path: Path) -> list[Block]:
    return [Block(*found) for found in FENCE.findall(path.read_text("utf-8"))]


def lines(block: str) -> Iterator[str]:
    """The commands of a block without their comments, each line with what continues it."""
    for line in block.replace("\\\n", " ").splitlines():
        if words := shlex.split(line, comments=True):
            yield shlex.join(words) if "#" in line and not words[0].startswith("cp") else line.strip()


def with_blocks(*kinds: str) -> list[Any]:
    """A case for each document that has such blocks; all but the tutorials are left to the long tier."""
    having = [path for path in DOCUMENTS if any(block.kind in kinds for block in blocks(path))]
    names = [path.relative_to(ROOT).as_posix() for path in having]
    marks = [[pytest.mark.long] * ("tutorials" not in name) for name in names]
    return [pytest.param(path, id=name, marks=mark) for path, name, mark in zip(having, names, marks, strict=True)]


def test_every_block_has_a_kind_that_is_run() -> None:
    for path in DOCUMENTS:
        text = path.read_text("utf-8")
        assert len(re.findall(r"^ *```", text, re.MULTILINE)) == 2 * len(blocks(path)), path
        assert {block.kind for block in blocks(path)} <= KINDS, path


def test_every_line_is_run_or_says_where() -> None:
    used = set()
    for path in DOCUMENTS:
        for block in blocks(path):
            for line in lines(block.text) if block.kind == "sh" else ():
                if line.startswith(("explorer ", "python -m benchmarks.")):
                    continue
                where = [beginning for beginning in ELSEWHERE if line.startswith(beginning)]
                assert where, f"{path.name}: nothing runs {line}"
                used.update(where)
    assert used == set(ELSEWHERE)
    for said in ELSEWHERE.values():
        for named in re.findall(r"(?:tests|benchmarks|\.ci)/[\w/.]+(?<!\.)", said):
            assert (ROOT / named).exists(), named


@pytest.mark.timeout(900)  # docs/cli.md has sixty commands
@pytest.mark.parametrize("path", with_blocks("sh"))
def test_the_commands_of_a_document_run(
    path: Path, tmp_path: Path, hub: Hub, cache: Path, here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_more_files(tmp_path / "files")
    monkeypatch.setenv("HOME", str(folder))
    model = {each.name: each.read_bytes() for each in (folder / "my-model").iterdir()}
    hub.put("Qwen/Qwen3-8B", model)
    hub.put("org/name", {**model, "model-Q4_K_M.gguf": (folder / "my" / "model.gguf").read_bytes()})
    for block in blocks(path):
        if block.kind == "json":
            write_json(block, folder)
        for line in lines(block.text) if block.kind == "sh" else ():
            if line.startswith("python -m benchmarks."):
                check_benchmark(line)
            elif line.startswith("explorer "):
                run_line(line, folder)


def run_line(line: str, folder: Path) -> None:
    """Runs a command, whose `<` and `>` are files."""
    words, data, output = shlex.split(line)[1:], b"", None
    if "<" in words:
        at = words.index("<")
        data, words = (folder / words[at + 1]).read_bytes(), words[:at] + words[at + 2 :]
    if ">" in words:
        at = words.index(">")
        output, words = folder / words[at + 1], words[:at] + words[at + 2 :]
    if words[0] in ANSWERS_LATER or any(each in line for each in NOT_HERE):
        parsed, rest = parser().parse_known_args(words)
        assert not rest or parsed.passes_on, line
        return
    status, out, complaints = command(*words, data=data, at=folder)
    assert status in (0, 1), (line, complaints.decode())
    assert b"Traceback" not in complaints
    assert status == 0 or out, (line, complaints.decode())
    if output:
        output.write_bytes(out)


def check_benchmark(line: str) -> None:
    """A measurement exists, and knows the options of its line."""
    words = shlex.split(line)
    found = find_spec(words[2])
    assert found is not None, line
    source = Path(str(found.origin)).read_text("utf-8")
    for option in words[3:]:
        assert not option.startswith("--") or f'"{option}"' in source, line


@pytest.mark.parametrize("path", with_blocks("python"))
def test_the_python_of_a_document_gives_what_it_says(
    path: Path, tmp_path: Path, hub: Hub, cache: Path, here: None
) -> None:
    folder = write_more_files(tmp_path / "files")
    model = {each.name: each.read_bytes() for each in (folder / "my-model").iterdir()}
    hub.put("Qwen/Qwen3-8B", model)
    hub.put("org/name", {f"tokenizer/{name}": data for name, data in model.items()})
    if "ids/rwkv-world" in path.read_text("utf-8"):
        assert command("corpus", "-m", "rwkv-world", "texts/", "--write", "ids/", at=folder)[0] == 0
    names: dict[str, Any] = {}
    with chdir(folder):
        for block in blocks(path):
            if block.kind == "python":
                run_python(block.text, names)


def run_python(text: str, names: dict[str, Any]) -> None:
    """Runs each statement; where one is a value with a comment that begins with a value, compares them."""
    typed = text.splitlines()
    for statement in ast.parse(text).body:
        assert statement.end_lineno is not None
        source = "\n".join(typed[statement.lineno - 1 : statement.end_lineno])
        if not isinstance(statement, ast.Expr):
            exec(source, names)
            continue
        value = eval(compile(ast.Expression(statement.value), "block", "eval"), names)
        comment = (
            typed[statement.end_lineno - 1].encode()[statement.end_col_offset :].decode().partition("#")[2].strip()
        )
        if re.match(r"""["'\[({\d]|None|True|False|b'|array|Way""", comment):
            assert says(comment, repr(value)) or says(comment, ascii(value)), (source, value)


def says(comment: str, value: str) -> bool:
    """Whether a comment, up to where its words begin, is the value.

    >>> says("(False, 'a'): because", "(False, 'a')"), says("[1, …]", "[1, 2, 3]"), says("[1]", "[2]")
    (True, True, False)
    """
    ends = [len(comment), *(found.start() for found in re.finditer(r"[:;] |: |, then|, with", comment))]
    return any(re.fullmatch(re.escape(comment[:end]).replace("…", ".*"), value, re.DOTALL) is not None for end in ends)


def test_a_comment_is_compared_with_its_value() -> None:
    assert says("(False, 'a'): because", "(False, 'a')")
    assert says("[1, …]", "[1, 2, 3]")
    assert not says("[1]", "[2]")
    with pytest.raises(AssertionError):
        run_python("1 + 1  # 3: wrong", {})
    run_python("x = 1\nx + 1  # 2\nx  # any words", {})


def write_json(block: Block, folder: Path) -> None:
    """Writes the file of a block: records, where its name says so."""
    name = (re.findall(r'title="(.+)"', block.settings) or ["chat.json"])[0]
    for part in block.text.splitlines() if name.endswith("l") else [block.text]:
        json.loads(part)
    (folder / name).write_text(block.text, "utf-8")


def test_the_lesson_of_a_document_is_one() -> None:
    whole, *parts = [block.text for block in blocks(ROOT / "docs" / "LESSONS.md") if block.kind == "toml"]
    lesson = read_lesson(whole.encode(), "lesson.toml")
    assert len(lesson.cards) == 2
    assert len(parts) == 2
    for part in parts:
        card = '\n[[card]]\ntitle = "One more"\nwords = "Choose."\ntext = "Hello @World"\ntokenizer = "gpt-2"\n'
        assert len(read_lesson((whole + card + part).encode(), "lesson.toml").cards) == 3


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_html_and_scripts_of_the_documents_parse(tmp_path: Path) -> None:
    for path in DOCUMENTS:
        for block in blocks(path):
            if block.kind == "html":
                tags = Tags()
                tags.feed(block.text)
                assert not tags.open
            elif block.kind == "js":
                (tmp_path / "block.mjs").write_text(block.text, "utf-8")
                subprocess.run(["node", "--check", tmp_path / "block.mjs"], check=True)

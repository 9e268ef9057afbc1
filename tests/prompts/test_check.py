"""A template tried with many conversations: verdicts, lines and repairs, held against templates built to have each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import explorer
from explorer.cli import prompt_check
from explorer.implementations.opened import Opened
from explorer.prompts.check import (
    ALIKE,
    COLUMNS,
    MOST_STOPPED,
    NOW,
    Check,
    Trial,
    Verdict,
    bad_cells,
    check_template,
    conversations,
    junit,
    record,
)
from explorer.prompts.messages import Call
from explorer.prompts.repairs import repairs
from tests.bundled import bundled
from tests.cli.command import command

LOOP = "{% for m in messages %}"
ROLE = "<{{ m.role }}>"
ASKS = "{% if add_generation_prompt %}<assistant>{% endif %}"
CHATML = bundled("qwen2.5").chat.named()
PLAIN = LOOP + ROLE + "{{ m.content }}{% for c in m.tool_calls %}[{{ c.function.name }} {{ c.function.arguments }}]"
PLAIN += "{% endfor %}{{ m.reasoning_content }}{% endfor %}{{ tools | tojson if tools else '' }}" + ASKS
CALLS = LOOP + ROLE + "{{ m.content }}{% for c in m.tool_calls %}{{ c.function | tojson }}{% endfor %}{% endfor %}"
TYPED = LOOP + "{{ m.content }}{% for c in m.tool_calls %} {{ c.function.arguments.exact }} {% endfor %}{% endfor %}"
NAMES = "{{ tools[0].function.parameters.required }}" + LOOP + "{{ m.content }}{% endfor %}"
PARTS = LOOP + ROLE + "{% if m.content is string %}{{ m.content }}{% else %}{% for p in m.content %}|{{ p.text }}"
PARTS += "{% endfor %}{% endif %}{% endfor %}"
RAISES = (
    LOOP + "{% if loop.index0 and m.role == messages[loop.index0 - 1].role %}{{ raise_exception('twice') }}{% endif %}"
)
RAISES += "\n" + ROLE + "{{ m.content }}{% endfor %}"
FIRST = "{% for m in messages[:1] %}" + ROLE + "{{ m.content }}{% endfor %}"
BACKWARDS = LOOP.replace("messages", "messages | reverse") + "{{ m.content }}{% endfor %}"
ENDLESS = "{% for i in range(100000) %}{% for j in range(100000) %}x{% endfor %}{% endfor %}"

BUILT = [
    (PLAIN, "system first", "transformers", Verdict.AS_SENT),
    (PLAIN, "text parts", "transformers", Verdict.DATA),
    (PLAIN, "text parts", "vllm", Verdict.JOINED_LINE),
    (PLAIN, "text parts", "sglang", Verdict.JOINED_SPACE),
    (PLAIN, "call, arguments an object", "transformers", Verdict.DATA),
    (PLAIN, "assistant last", "sglang", Verdict.USER),
    (PLAIN, "assistant last", "llama.cpp", Verdict.CONTINUES),
    (PLAIN, "control token in a text", "transformers", Verdict.TURN),
    (PLAIN.replace("m.content }}", "m.content | trim }}"), "space around a text", "transformers", Verdict.TRIMMED),
    (PLAIN, "space around a text", "transformers", Verdict.AS_SENT),
    (CALLS, "call, arguments a text", "transformers", Verdict.AGAIN),
    (CALLS + "{{ tools | tojson }}", "call, arguments a text", "vllm", Verdict.AS_OBJECT),
    (CALLS, "call, broken arguments", "vllm", Verdict.EMPTIED),
    (CALLS, "call, broken arguments", "sglang", Verdict.REFUSED),
    (CALLS, "tools, no call", "transformers", Verdict.LOST),
    (TYPED, "call, nested arguments", "transformers", Verdict.DATA),
    (TYPED.replace("exact", "exact | tojson"), "call, nested arguments", "transformers", Verdict.LOST),
    (NAMES, "tools, no call", "transformers", Verdict.DATA),
    (NAMES.replace("required", "required | join"), "tools, no call", "transformers", Verdict.LOST),
    ("One of ['a', 'b']. " + NAMES, "tools, no call", "transformers", Verdict.LOST),
    ("True? " + TYPED, "call, nested arguments", "transformers", Verdict.LOST),
    (PARTS.replace("|", ""), "text parts", "transformers", Verdict.JOINED),
    (PARTS, "text parts", "transformers", Verdict.AS_SENT),
    (LOOP + ROLE + "{{ m.content }}{% endfor %}", "call, broken arguments", "vllm", Verdict.LOST),
    (LOOP + ROLE + "{{ m.content + '' }}{% endfor %}", "text parts", "transformers", Verdict.CRASHED),
    (LOOP + ROLE + "{{ m.content | e }}{% endfor %}", "markup in a text", "transformers", Verdict.HTML),
    (LOOP + ROLE + "{{ m.content }}{{ m.content }}{% endfor %}", "system first", "transformers", Verdict.TWICE),
    (BACKWARDS, "many turns", "vllm", Verdict.MOVED),
    (RAISES, "two users in a row", "transformers", Verdict.REFUSED),
    (FIRST, "two users in a row", "sglang", Verdict.LOST),
    (PLAIN.replace(ASKS, "<assistant>"), "no generation prompt", "transformers", Verdict.IGNORED),
    (PLAIN, "no generation prompt", "transformers", Verdict.AS_SENT),
    (PLAIN + "{{ strftime_now('%d %b') }}", "another day", "transformers", Verdict.DATED),
    ("{% if messages[0].role != 'system' %}<system>Be kind.{% endif %}" + PLAIN, "no system", "vllm", Verdict.ADDED),
    (LOOP + "{% if m.role == 'developer' %}{% set r = 'system' %}{% else %}{% set r = m.role %}{% endif %}"
     "<{{ r }}>{{ m.content }}{% endfor %}", "developer", "transformers", Verdict.AS_SYSTEM),
    (PLAIN.replace("m.content }}", "m.content or '' }}"), "no content, no call", "transformers", Verdict.AS_EMPTY),
    (ENDLESS, "no user", "vllm", Verdict.STOPPED),
    ("{{ 1 +", "no user", "transformers", Verdict.CRASHED),
]  # fmt: skip


def checked(source: str, *, lines: bool = False, known: dict[tuple[str, bool], Check] = {}) -> Check:  # noqa: B006
    """A check, made once."""
    if (source, lines) not in known:
        known[source, lines] = check_template(None, source=source, lines=lines)
    return known[source, lines]


ROWS = {row.name: row for row in conversations()}


@pytest.mark.sample(len(BUILT))
@pytest.mark.parametrize(("source", "name", "server", "verdict"), BUILT, ids=[f"{row[3]}-{row[2]}" for row in BUILT])
def test_each_verdict_is_that_of_a_template_built_for_it(source: str, name: str, server: str, verdict: Verdict) -> None:
    assert Trial.of(None, source=source).cell(ROWS[name], server).verdict is verdict


def test_a_template_that_does_not_end_is_not_tried_again_and_again() -> None:
    found = checked(ENDLESS)
    verdicts = [cell.verdict for cell in found.cells]
    assert verdicts.count(Verdict.STOPPED) == MOST_STOPPED
    assert verdicts.count(Verdict.UNTRIED) == len(verdicts) - MOST_STOPPED == len(ROWS) * len(COLUMNS) - MOST_STOPPED


def test_conversations_are_calls_and_name_what_can_be_compared() -> None:
    rows = conversations()
    assert len({row.name for row in rows}) == len(rows) >= 42
    for row in rows:
        assert Call.from_json(dict(row.call)).messages
        assert row.why.endswith(".")
        assert set(row.alike) <= ALIKE.keys()


QWEN = {
    "system first": "as sent|as sent|as sent|as sent",
    "no system": "own system|own system|own system|own system",
    "developer": "loses text|as system|as system|loses text",
    "call, arguments a text": "twice encoded|as object|as object|as object",
    "call, broken arguments": "twice encoded|refuses|becomes {}|refuses",
    "no content, no call": "crashes|as empty|as empty|as empty",
    "text parts": "crashes|joined by ↵|joined by ↵|joined by a space",
    "assistant last": "as sent|continues it|as sent|becomes user",
    "reasoning, earlier turn": "loses text|loses text|loses text|loses text",
    "emoji, accents": "as sent|as sent|as sent|as sent",
    "control token in a text": "a new turn|a new turn|a new turn|a new turn",
}


def test_a_published_template_has_the_verdicts_of_its_servers() -> None:
    found = check_template(bundled("qwen2.5"))
    for name, verdicts in QWEN.items():
        assert "|".join(found.cell(name, server).verdict for server in COLUMNS) == verdicts, name
    own = found.cell("no system")
    assert own.words.values == (16,)
    # a line to blame, and repairs that were tried
    lines = CHATML.split("\n")
    parts = found.cell("text parts")
    assert "message.content" in lines[parts.line - 1]
    assert parts.repair is not None
    assert (
        check_template(None, source=parts.repair.source, lines=False).cell("text parts").verdict is Verdict.JOINED_LINE
    )
    encoded = found.cell("call, arguments a text")
    assert "tojson" in lines[encoded.line - 1]
    assert encoded.repair is not None
    assert encoded.repair.line == encoded.line


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", ["text parts", "call, arguments a text", "no content, no call", "developer"])
def test_a_repaired_template_writes_what_was_fine_as_before(name: str) -> None:
    before = checked(CHATML, lines=True)
    repair = before.cell(name).repair
    assert repair is not None
    after = check_template(None, source=repair.source, lines=False)
    assert not after.cell(name).verdict.is_bad
    fine = [cell for cell in before.cells if cell.server == "transformers" and not cell.verdict.is_bad and cell.text]
    assert len(fine) > 30
    for cell in fine:
        assert after.cell(cell.conversation).text == cell.text


def test_the_line_to_blame_is_that_of_the_test_or_the_error() -> None:
    source = LOOP + "\n{% if m.role in ['user', 'assistant'] %}\n" + ROLE + "{{ m.content }}\n{% endif %}{% endfor %}"
    found = checked(source, lines=True)
    assert found.cell("system first").line == 2
    assert found.cell("tools, no call").line in (0, 2)
    refused = checked(RAISES, lines=True).cell("two users in a row")
    assert refused.line == 1
    assert refused.repair is not None
    assert "raise_exception" not in refused.repair.source
    again = checked(CALLS.replace("{{ c.function | tojson", "\n{{ c.function | tojson"), lines=True)
    assert again.cell("call, arguments a text").line == 2


def test_looking_for_repairs_takes_no_longer_for_a_hostile_template() -> None:
    tries = [
        "{# " + "{{ " * 30_000 + "#}",
        "{{ raise_exception(" * 5_000,
        "{{ " + "a" * 90_000 + " }}",
        "{{ a" + "['a']" * 15_000,
    ]
    for source in tries:
        for verdict in Verdict:
            assert all(repair.source != source for repair in repairs(source, verdict, 1))


def test_a_check_says_what_became_worse() -> None:
    before, after = checked(PLAIN), checked(CALLS)
    worse = dict(after.worse_than(before))
    assert after.cell("tools, no call") in worse
    assert before.worse_than(before) == ()
    kept = {("tools, no call", "vllm"): "as sent", ("gone", "vllm"): "as sent", ("no user", "vllm"): "unheard of"}
    assert [cell.conversation for cell, _ in after.worse_than(kept)] == ["tools, no call"]


def test_the_day_and_the_model_do_not_change_a_check() -> None:
    dated = checked(PLAIN + "{{ strftime_now('%Y-%m-%d') }}")
    assert str(dated.cell("system first").text).endswith(NOW.strftime("%Y-%m-%d"))


FORMATS = [("harmony", "openai-harmony", Verdict.AS_SENT), ("deepseek-v4", "encoding_dsv4.py", Verdict.TURN)]


@pytest.mark.sample(2)
@pytest.mark.parametrize(("name", "package", "control"), FORMATS, ids=["harmony", "deepseek-v4"])
def test_a_format_has_one_column_with_its_package(name: str, package: str, control: Verdict) -> None:
    found = check_template(bundled("gpt-oss-20b"), f"format:{name}")
    assert [(cell.conversation, cell.server) for cell in found.cells] == [(row, package) for row in ROWS]
    # a format that writes ids never takes a control token from a text: known by ids, and without a model by pieces
    alone = check_template(None, f"format:{name}", lines=False)
    for each in (found, alone):
        assert each.cell("control token in a text").verdict is control
        assert each.cell("one text part").verdict is Verdict.AS_TEXT
    refused = found.cell("continue the last message")
    assert refused.verdict is Verdict.REFUSED
    assert refused.reason
    assert f"format:{name} ({package})" in str(refused.reason.values)
    # it isn't repaired here, and only the package drops what is lost
    assert not any(cell.repair for cell in found.cells)
    assert found.cell("reasoning, earlier turn").lost == ("Low rank.",)
    assert set(record(found)["servers"]) == {package}
    (suite,) = ElementTree.fromstring(junit([found], [bad_cells(found)]))
    assert int(suite.attrib["tests"]) == len(ROWS) == len(suite)


def test_a_format_is_compared_with_a_check_of_its_package_alone(files: Path) -> None:
    new, old = "format:deepseek-v4", "format:deepseek-v4-preview"
    status, said, _ = command("prompt", "--check", new, "--before", old)
    assert status == 0
    assert b"encoding_dsv4.py" in said
    assert b"llama.cpp" not in said
    for other in (("--before", "ours:chatml"), ("--baseline", str(files / "kept.json"))):
        status, said, complained = command("prompt", "--check", new, *other)
        assert (status, said) == (2, b"")
        assert b"encoding_dsv4.py" in complained


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", autouse=True)
def _each_check_once() -> Iterator[None]:
    """The commands of this module that check the same template share the check."""
    known: dict[str, Check] = {}

    def once(tokenizer: Opened | None, *given: str, **more: Any) -> Check:
        key = repr((id(tokenizer), given, sorted(more.items())))
        if key not in known:
            known[key] = check_template(tokenizer, *given, **more)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prompt_check, "check_template", once)
        yield


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two templates, and a check of the better one."""
    folder = tmp_path_factory.mktemp("templates")
    (folder / "good.jinja").write_text(PLAIN.replace("m.content }}", "m.content or '' }}"), "utf-8")
    (folder / "bad.jinja").write_text(CALLS, "utf-8")
    config = {"chat_template": PLAIN, "bos_token": {"content": "<b>"}}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    status, said, _ = command("prompt", "--check", str(folder / "good.jinja"), "--json")
    assert status == 0
    (folder / "kept.json").write_bytes(said)
    return folder


def test_the_status_says_whether_a_template_became_worse(files: Path) -> None:
    good, bad, kept = (str(files / name) for name in ("good.jinja", "bad.jinja", "kept.json"))
    assert command("prompt", "--check", good, "--baseline", kept)[0] == 0
    status, said, complained = command("prompt", "--check", bad, "--baseline", kept)
    assert status == 1
    assert b"tools, no call" in said
    assert complained.count(b"worse: ") > 3
    assert command("prompt", "--check", bad, "--before", good)[0] == 1
    assert command("prompt", "--check", good, good)[0] == 0
    assert command("prompt", "--check", bad)[0] == 0
    assert command("prompt", "--check", bad, "--strict")[0] == 1
    status, said, _ = command("prompt", "--check", bad, "--before", good, "--json")
    found = json.loads(said)
    assert status == 1
    assert {"conversation": "tools, no call", "server": "vllm", "before": "as sent", "after": "loses text"} in found[
        "worse"
    ]


def test_a_report_for_ci_has_a_case_for_each_cell(files: Path) -> None:
    report = files / "report.xml"
    assert command("prompt", "--check", str(files / "bad.jinja"), "--junit", str(report))[0] == 0
    top = ElementTree.fromstring(report.read_bytes())
    cells = checked(CALLS).cells
    assert len(top.findall(".//testcase")) == len(cells)
    assert len(top.findall(".//failure")) == sum(cell.verdict.is_bad for cell in cells) > 0
    for suite in top:
        assert int(suite.attrib["failures"]) == len(suite.findall(".//failure"))


def test_a_template_is_read_from_its_file_its_model_and_its_settings(files: Path) -> None:
    found = json.loads(command("prompt", "--check", str(files / "tokenizer_config.json"), "--json")[1])
    assert found["template_source"] == PLAIN
    own = json.loads(command("prompt", "-m", "qwen2.5", "--check", "--json")[1])
    assert own["template_source"] == CHATML
    assert own["cells"][0]["tokens"] == len(bundled("qwen2.5").prompt(conversations()[0].call).ids)
    assert command("prompt", "--check", "ours:chatml")[0] == 0


@pytest.mark.sample(11)
@pytest.mark.parametrize(
    "arguments",
    [
        ("--check",),
        ("--check", "ours:chatml", "--before", "missing.jinja"),
        ("--check", "missing.jinja"),
        ("--check", "ours:nothing"),
        ("chat.json", "-m", "gpt-2", "--check"),
        ("--check", "ours:chatml", "--ids"),
        ("--check", "ours:chatml", "--engine", "llama.cpp"),
        ("--check", "ours:chatml", "--server", "vllm"),
        ("--check", "ours:chatml", "--baseline", "tests/cli/cases/bpe-without-alphabet.json"),
        ("-m", "gpt-2"),
        ("-m", "gpt-2", "chat.json", "--junit", "x.xml"),
    ],
)
def test_wrong_use_ends_with_2_and_one_line(arguments: tuple[str, ...]) -> None:
    status, said, complained = command("prompt", *arguments)
    assert (status, said) == (2, b"")
    assert complained.strip().count(b"error: ") + complained.strip().count(b"explorer: ") == 1


def test_the_library_has_it() -> None:
    found = explorer.check_template(explorer.load("gpt-2"), "ours:chatml", lines=False)
    assert isinstance(found, explorer.Check)
    assert found.cell("system first").tokens
    with pytest.raises(explorer.InputError, match="nothing"):
        found.cell("nothing")

"""A template that never leaves one operation ends with its process, and whoever watches that process says so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from explorer.answers import worker_process
from explorer.answers.offers import TokenizerSpec, bundled, server_offer
from explorer.answers.prompt import PromptRequest, cards_of, prompt_view, settings_of
from explorer.answers.sessions import Session
from explorer.prompts import guards
from explorer.prompts.messages import Call
from explorer.prompts.model_input import rendered
from explorer.prompts.run import TemplateStopped
from explorer.prompts.templates import formats
from tests.prompts.formats import largest_requests
from tests.ui.small_files import tokenizer_json

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX limits")

ENDLESS = "{{ 1 | round(10**12, 'floor') }}"
HUGE = "{{ strftime_now('%1250Y' * 700000) }}"
CHAT = json.dumps([{"role": "user", "content": "Hi"}])
LONG = largest_requests()[1]
"""More turns than a format writes in the time of these tests."""
SOONER = "from explorer.prompts import guards; guards.SECONDS = 0.75; "
"""What a process of these tests begins with: a second of work shows what the app's three would."""
GPT_2 = TokenizerSpec(bundled()["gpt-2"], "huggingface")


@pytest.fixture(scope="module")
def _stopped_sooner() -> Iterator[None]:
    """The workers of these tests are forked from a server of their own."""

    def started(command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        *python, code = command
        return subprocess.Popen([*python, SOONER + code], **options)

    worker_process.FORKS.end()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker_process, "subprocess", SimpleNamespace(Popen=started, DEVNULL=subprocess.DEVNULL))
        worker_process.FORKS.start()
    yield
    worker_process.FORKS.end()


@pytest.fixture
def visitor(_stopped_sooner: None) -> Iterator[Session]:
    made = Session()
    yield made
    made.release()


def test_the_page_says_that_a_template_was_stopped_and_answers_the_next(visitor: Session) -> None:
    asked = PromptRequest(GPT_2._replace(template=ENDLESS), CHAT)
    view = visitor.answer(prompt_view, (asked, "template"))
    assert view.fault is not None
    assert view.fault.kind == "stopped"
    # the process that ended was replaced once; nothing else asks for the template again
    assert visitor.process is not None
    process = visitor.process.pid
    assert len(visitor.answer(cards_of, (asked,))) == 7
    assert visitor.answer(settings_of, (asked,)).source == ENDLESS
    honest = asked._replace(spec=GPT_2._replace(template="{{ messages[0].content }}"))
    assert visitor.answer(prompt_view, (honest, "template")).text == "Hi"
    assert visitor.process.pid == process


def test_what_ends_a_process_is_a_template_or_one_request_of_a_format(visitor: Session) -> None:
    def fault(spec: TokenizerSpec, call: str) -> str:
        found = visitor.answer(prompt_view, (PromptRequest(spec, call), "prompt")).fault
        return found.kind if found else ""

    template = "{{ 1 | round(10 ** (12 if messages | length > 1 else 0), 'floor') }}"
    assert fault(GPT_2._replace(template=template), LONG) == "stopped"
    assert fault(GPT_2._replace(template=template), CHAT) == "stopped"
    # a stranger wrote the template, but not the format
    spec = TokenizerSpec(bundled()["mistral-v1"], "sentencepiece", template=formats()["mistral-v1"].source)
    assert fault(spec, LONG) == "stopped"
    assert visitor.process is not None
    process = visitor.process.pid
    assert fault(spec, CHAT) == ""
    assert fault(spec, LONG) == "stopped"
    assert visitor.process.pid == process


def test_only_the_engine_that_never_ends_is_stopped(visitor: Session) -> None:
    # llama.cpp has no documents
    slow = "{{ ('\\n' * 99999) | indent | indent | indent }}"
    template = "{% if documents is defined %}Hi{% else %}" + slow + "{% endif %}"
    asked = PromptRequest(GPT_2._replace(template=template), CHAT)
    view = visitor.answer(prompt_view, (asked, "engines"))
    assert view.text == "Hi"
    assert view.fault is None
    assert view.stage is not None
    assert view.stage["verdict"] == "fails in llama.cpp"


def run(tmp_path: Path, source: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "own.jinja").write_text(source)
    code = SOONER + "from explorer.cli.main import main; exit(main())"
    command = ("prompt", "-m", "gpt-2", "--text", "--template-file", str(tmp_path / "own.jinja"), "-")
    return subprocess.run(
        [sys.executable, "-c", code, *command], input=CHAT, capture_output=True, text=True, timeout=100,
        check=False,
    )  # fmt: skip


def test_the_command_line_says_it_in_one_line(tmp_path: Path) -> None:
    done = run(tmp_path, ENDLESS)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"explorer: {guards.ENDED}\n")


def test_a_template_that_ends_prints_once(tmp_path: Path) -> None:
    done = run(tmp_path, "{{ messages[0].content }}")
    assert (done.returncode, done.stdout) == (0, "Hi")


def test_memory_is_refused_to_a_run_and_given_again_afterward() -> None:
    guards.set_guard(lambda run: guards.limited())
    try:
        with pytest.raises(TemplateStopped):
            rendered(GPT_2.open(), "transformers", HUGE, Call.from_json(json.loads(CHAT)), {})
    finally:
        guards.set_guard(None)
    assert len(bytes(guards.MEMORY + 100_000_000)) > guards.MEMORY


@pytest.mark.parametrize(("command", "same"), [("models", True), ("prompt -m gpt-2 --template ours:chatml -", False)])
def test_only_the_command_that_renders_goes_on_in_a_child(command: str, same: bool) -> None:
    code = f"""
import os, sys
before = os.getpid()
sys.argv = "explorer {command}".split()
from explorer.cli.main import main
main()
import explorer
explorer.load("gpt-2").prompt([{{"role": "user", "content": "Hi"}}], "ours:chatml")
print(before == os.getpid())
"""
    done = subprocess.run([sys.executable, "-c", code], input=CHAT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == str(same)


def test_the_template_of_the_operator_s_model_runs_apart_from_the_server(visitor: Session, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes(tokenizer_json())
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": ENDLESS}))
    offer = server_offer(tmp_path, "mine", [tmp_path / "tokenizer.json", tmp_path / "tokenizer_config.json"])
    view = visitor.answer(prompt_view, (PromptRequest(TokenizerSpec(offer, "huggingface"), CHAT), "template"))
    assert view.fault is not None
    assert view.fault.kind == "stopped"


def test_what_is_never_compiled_ends_one_process(visitor: Session) -> None:
    source = "{{ " + "~".join(["1"] * 90_000) + " }}"
    asked = PromptRequest(GPT_2._replace(template=source), CHAT)
    view = visitor.answer(prompt_view, (asked, "template"))
    assert view.fault is not None
    assert view.fault.kind == "stopped"
    assert visitor.process is not None
    process = visitor.process.pid
    assert visitor.answer(settings_of, (asked,)).variables == ()
    assert visitor.process.pid == process

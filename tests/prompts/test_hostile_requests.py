"""Requests of strangers: every entrance reads them alike, refuses the same ones, and none ends in anything else."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

import explorer
from explorer.answers.offers import TokenizerSpec, bundled
from explorer.answers.prompt import PromptRequest, cards_of, file_names, prompt_view, settings_of
from explorer.cli.main import main
from explorer.errors import InputError
from explorer.prompts.engines import compare_engines
from explorer.prompts.model_input import prompt
from explorer.views.prompt.registry import VIEWS
from tests.sources import GROUP, nodes

HALF = "\\ud800"
MESSAGE = '"messages": [{"role": "user", "content": "Hi"}]'
REFUSED = {
    "no messages": "[]",
    "none in an object": '{"messages": []}',
    "half a pair": f'[{{"role": "user", "content": "{HALF}"}}]',
    "half a pair as a key": f'[{{"role": "user", "{HALF}": ""}}]',
    "5,000 digits": f'[{{"role": "user", "content": {"1" * 5_000}}}]',
    "a key twice": '[{"role": "user", "role": "user", "content": ""}]',
    "NaN": '[{"role": "user", "content": NaN}]',
    "deep": "[" * 5_000,
    "no object": "[7]",
    "a number": "7",
    "nothing": "",
    "no list": '{"messages": 7}',
    "tools of no kind": f'{{{MESSAGE}, "tools": [7]}}',
    "variables of no kind": f'{{{MESSAGE}, "chat_template_kwargs": "x"}}',
    "a number to continue": f'{{{MESSAGE}, "continue_final_message": 7}}',
}
ODD = {
    "no role": "[{}]",
    "a number beyond a double": f'[{{"role": "user", "content": {"1" * 400}}}]',
    "a call's number beyond a double": f'[{{"role": "assistant", "tool_calls": [{"1" * 400}]}}]',
    "an argument beyond a double": '[{"role": "assistant", "tool_calls": [{"type": "function", "function": '
    f'{{"name": "f", "arguments": {{"a": {"1" * 400}}}}}}}]}}]',
    "a variable beyond a double": f'{{{MESSAGE}, "chat_template_kwargs": {{"a": {"1" * 400}}}}}',
    "a role of no kind": '[{"role": null, "content": []}]',
    "parts of no kind": '[{"role": "system", "content": [7]}, {"role": "user"}]',
    "calls of no kind": '[{"role": "assistant", "content": "a", "tool_calls": 7}]',
    "a call of no kind": '[{"role": "assistant", "tool_calls": [{"function": 7}]}]',
}
ENGINES = ["huggingface", "llama.cpp"]


def spec(implementation: str) -> TokenizerSpec:
    return TokenizerSpec(bundled()["qwen2.5"], implementation)


@pytest.mark.sample(2)
@pytest.mark.parametrize("implementation", ENGINES)
def test_every_view_of_a_request_is_an_answer(implementation: str) -> None:
    for name, text in {**REFUSED, **ODD}.items():
        asked = PromptRequest(spec(implementation), text)
        for view in VIEWS:
            found = prompt_view(asked, view.name)
            if name in REFUSED:
                assert found.fault is not None, name
                assert found.fault.kind in ("call", "empty"), name
        cards_of(asked), settings_of(asked), file_names(asked)


@pytest.mark.sample(2)
@pytest.mark.parametrize("implementation", ENGINES)
def test_the_command_refuses_what_the_page_refuses(
    implementation: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "messages.json"
    for name, text in REFUSED.items():
        file.write_text(text)
        command = ["prompt", "-m", f"qwen2.5@{implementation}", str(file)]
        assert main(command) == 1, name
        said = capsys.readouterr().err.strip()
        assert said.count("\n") == 0, name
        assert "Traceback" not in said, name


def test_the_library_refuses_what_no_json_holds() -> None:
    tok = explorer.load("qwen2.5")
    texts: list[Any] = [
        [],
        [{"role": "user", "content": "\ud800"}],
        [{"role": "user", "content": 10**5_000}],
        [{"role": "user", "content": float("nan")}],
        [{"role": "user", "content": "a" * 1_000_000}],
        [{"role": "user", "content": [[]] * 30_000}],
    ]
    for messages in texts:
        for engine in ("transformers", "llama.cpp"):
            with pytest.raises(InputError):
                prompt(tok, messages, "ours:chatml", engine=engine)
        try:
            found = compare_engines(tok, messages, "ours:chatml")
        except InputError:
            continue
        assert not messages, found


CHANGES: dict[str, tuple[Any, ...]] = {
    "tools": (7, "x", [7], {"a": 1}, [None]),
    "documents": (7, "x", [7], {"a": 1}, [None]),
    "variables": (None, 7, "x", [7], {"a": "\ud800"}, {"a": float("nan")}),
    "continue_final": (7, ["content"], {"a": 1}),
}


def test_the_library_refuses_what_a_request_has_of_another_kind() -> None:
    tok = explorer.load("qwen2.5")
    hello = [{"role": "user", "content": "a"}]
    for engine in ("transformers", "llama.cpp"):
        for name, values in CHANGES.items():
            for value in values:
                with pytest.raises(InputError):
                    prompt(tok, hello, "ours:chatml", engine=engine, **{name: value})
        for messages in (7, None, "x", {}, {"messages": "x"}, [7], ["x"], [10**5_000], [None], {1, 2}):
            with pytest.raises(InputError):
                prompt(tok, messages, "ours:chatml", engine=engine)


KEPT = {
    "corpus/documents.py": "a document of a corpus, which refuses with its line",
    "corpus/sample/__init__.py": "of this package",
    "corpus/counter.py": "what a job wrote",
    "answers/corpus_jobs.py": "what a job's process writes",
    "answers/corpus_process.py": "what the server wrote for a job",
    "ui/components/every_page.py": "what a component reports, read or left out",
    "views/corpus.py": "charts of this package",
    "implementations/huggingface/from_vocab.py": "sections of files, of this package",
    "languages/__init__.py": "a text in quotes, of this package's catalogs",
    "ui/serving/limits.py": "what a component reports, read or left out",
    "training/words.py": "what another process of a training wrote",
    "script/script.py": "a script that was packed here",
    "opening/hub/client.py": "what the server asks of its process",
    "opening/hub/fetching.py": "what the process answers",
    "opening/remote_gguf.py": "a note of this cache",
    "formats/strict_json.py": "the reader",
    "formats/not_vocabularies.py": "only to say what a file is",
    "prompts/findings.py": "only to say whether a text is JSON",
    "prompts/check.py": "of this package, and to say whether a text is JSON",
    "prompts/requests.py": "as servers read arguments",
    "prompts/parsers/answer.py": "as parsers read calls",
    "prompts/parsers/reading.py": "as parsers read calls",
    "prompts/parsers/message.py": "as parsers read calls",
    "prompts/parsers/harmony.py": "as the servers read arguments",
    "answers/live.py": "what the visitor's own page asks, in their browser",
    "engine/regexes/in_python.py": "of this package",
    "prompts/parsers/response_template.py": "as transformers reads calls",
    "prompts/formats/__init__.py": "as mistral-common and the encoders read arguments",
    "prompts/llama_cpp/conversation.py": "as llama.cpp's own reader reads arguments",
    "views/components.py": "of this package",
    "corpus/measures.py": "of this package",
    "opening/compiled_forms.py": "what the strict reader has read",
    "compiled/kept.py": "what this cache wrote",
}
"""Where else JSON is read, by what it is."""


@GROUP
def test_what_strangers_send_is_read_by_the_strict_reader() -> None:
    root = Path(explorer.__file__).parent
    reading = set()
    for path in root.rglob("*.py"):
        calls = {ast.unparse(each.func) for each in nodes(path, ast.Call)}
        if calls & {"json.loads", "json.load", "JSONDecoder", "json.JSONDecoder"}:
            reading.add(path.relative_to(root).as_posix())
    assert reading == set(KEPT)


def test_a_call_reads_what_it_writes() -> None:
    from explorer.prompts.messages import Call

    for text in ('[{"role": "user", "content": "Hi"}]', f'{{{MESSAGE}, "continue_final_message": true}}'):
        call = Call.read(text, "it")
        assert Call.read(json.dumps(call.to_json()), "it") == call

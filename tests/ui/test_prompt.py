"""The Prompt page, run in Python: what a link opens, and what the browser is sent."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import pytest
from streamlit.testing.v1 import AppTest

from explorer.answers.explore import tokenizer
from explorer.answers.offers import TokenizerSpec, bundled
from explorer.answers.prompt import PromptRequest, cards_of, check_file, check_part, prompt_view, scene_of, settings_of
from explorer.prompts.check import MOST_STOPPED, ROWS, bad_cells, check_template, conversations, parts, record
from explorer.prompts.messages import packed
from explorer.ui import PAGES
from explorer.ui.prompt import Asked, PromptState, links_of, read_asked
from explorer.views.examples import FIRST_CONVERSATION
from explorer.views.prompt.check import BESIDE, LONGEST, differing
from explorer.views.prompt.registry import VIEWS
from tests.prompts.test_servers import ANTHROPIC, NOTED
from tests.ui.app import APP, data_of, html_of


def page(**query: str) -> AppTest:
    at = AppTest.from_file(APP, default_timeout=120)
    at.run()
    for name, value in query.items():
        at.query_params[name] = value
    at.switch_page(str(PAGES / "prompt.py")).run()
    assert not at.exception
    return at


def call(**more: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": "Hi"}], **more}


def request(given: object, template: str = "ours:chatml", **more: Any) -> PromptRequest:
    offer = bundled()["qwen2.5"]
    text = given if isinstance(given, str) else json.dumps(given)
    return PromptRequest(TokenizerSpec(offer, offer.implementations[0]), text, template, **more)


def test_the_first_visit_opens_with_an_example_and_two_warnings() -> None:
    at = page()
    stage = data_of(at, "tokens")
    assert json.loads(stage["ids"])[:3] == [151644, 8948, 198]
    assert len(stage["tokens"]) == 57
    assert [each["kind"] for each in stage["stage"]["warnings"]] == ["control", "straddles"]
    cards = data_of(at, "cards")
    assert [card["key"] for card in cards["cards"]] == [view.name for view in VIEWS]
    assert cards["cards"][1]["warnings"] == 2
    assert data_of(at, "asked")["asked"]["template"] == ""


def test_a_link_opens_messages_switches_a_template_and_a_view() -> None:
    chat = packed(call(chat_template_kwargs={"date_string": "1 Jan"}))
    assert chat is not None
    at = page(m="qwen2.5", chat=chat, template="ours:trap-date", then="nothing", off="enable_thinking", as_text="1",
              date="2026-11-23", view="turns")  # fmt: skip
    asked = data_of(at, "asked")["asked"]
    assert json.loads(asked["call"]) == call(
        add_generation_prompt=False, chat_template_kwargs={"date_string": "1 Jan", "enable_thinking": False}
    )
    assert (asked["template"], asked["as_text"], asked["date"]) == ("ours:trap-date", True, "2026-11-23")
    stage = data_of(at, "tokens")
    assert stage["focus"] == "turns"
    assert "23 November 2026" in stage["text"]


@pytest.mark.parametrize(
    "chat",
    ["zzz", "A" * 9_000, packed([]), packed(7), packed({"messages": 7})],
    ids=["no link", "too long", "none", "a number", "a number for messages"],
)
def test_a_link_that_holds_no_messages_says_so_and_the_page_stands(chat: str) -> None:
    at = page(m="qwen2.5", chat=chat)
    assert data_of(at, "cards")["cards"]
    stage = data_of(at, "tokens")
    assert stage["fault"] or "alert" in html_of(at)


@pytest.mark.parametrize("model", ["gpt-2", "llama-2", "bert-uncased", "o200k_base"])
@pytest.mark.parametrize("template", ["", "ours:llama-3"])
def test_a_model_without_a_template_borrows_one_and_says_so(model: str, template: str) -> None:
    offer = bundled()[model]
    stage = data_of(page(m=model, **({"template": template} if template else {})), "tokens")
    borrowed = stage["borrowed"]
    assert borrowed["texts"] == [offer.title, "Llama 3's turns" if template else "ChatML"]
    assert "no chat template" in borrowed["template"]
    spec = TokenizerSpec(offer, offer.implementations[0])
    made = scene_of(PromptRequest(spec, json.dumps(FIRST_CONVERSATION.call), template or "ours:chatml"))
    assert made.prompt is not None
    assert stage["ids"] == str(made.prompt.ids)


@pytest.mark.parametrize("query", [{}, {"m": "llama-3"}, {"m": "qwen2.5", "template": "ours:chatml"}])
def test_a_model_with_a_template_borrows_none(query: dict[str, str]) -> None:
    assert data_of(page(**query), "tokens")["borrowed"] is None


def test_a_borrowed_template_stays_behind_with_its_model() -> None:
    at = page(m="gpt-2")
    at.selectbox(key="m").set_value("qwen2.5").run()
    stage = data_of(at, "tokens")
    assert stage["borrowed"] is None
    assert len(stage["tokens"]) == 57
    assert data_of(at, "asked")["asked"]["template"] == ""


CHATML = "{% for m in messages %}{{ m.content }}\n{% endfor %}"


@pytest.mark.parametrize(
    ("given", "source", "kind", "line"),
    [
        ({"messages": []}, CHATML, "empty", 0),
        (call(), "{% for a in range(10**9) %}{% endfor %}", "fails", 1),
        ("[", CHATML, "call", 0),
        ('{"messages": 7}', CHATML, "call", 0),
        (call(), "\n{{ raise_exception('no') }}", "refused", 2),
        (call(), "\n\n{{ messages[0].content + messages }}", "fails", 3),
        (call(), "a\n{% for %}", "fails", 2),
        (call(), "{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}", "stopped", 1),
        (call(), "{{ 'a' * 10**9 }}", "stopped", 1),
    ],
)
def test_why_there_is_no_prompt(given: object, source: str, kind: str, line: int) -> None:
    asked = request(given)
    asked = asked._replace(spec=asked.spec._replace(template=source))
    view = prompt_view(asked, "prompt")
    assert view.fault is not None
    assert (view.fault.kind, view.fault.line) == (kind, line)
    assert all(card.result for card in cards_of(asked))


def test_what_a_failed_template_had_written_is_drawn() -> None:
    source = "{{ messages[0].content }}\n{{ messages[0].content + messages }}"
    asked = request(call())
    view = prompt_view(asked._replace(spec=asked.spec._replace(template=source)), "prompt")
    assert view.fault is not None
    assert [(cell["t"], cell["m"]) for cell in view.tokens][:1] == [("Hi", 0)]


def test_a_visitor_s_own_template_runs_in_the_worker() -> None:
    spec = request(call()).spec._replace(template=CHATML)
    assert spec.untrusted
    assert not spec.without_pattern.untrusted
    scene = scene_of(request(call())._replace(spec=spec))
    assert scene.prompt is not None
    assert scene.prompt.text == "Hi\n"


def test_what_the_browser_reports_is_checked() -> None:
    good = {"rev": 0, "call": "{}", "template": "a", "source": None, "as_text": True, "date": "2026-01-01"}
    assert read_asked(good, 0) == Asked("{}", "a", None, True, "2026-01-01")
    for bad in (
        None,
        7,
        {},
        {"rev": 0},
        {**good, "rev": 1},
        {**good, "call": ["a"]},
        {**good, "call": "a" * 1_000_001},
    ):
        assert read_asked(bad, 0) is None
    strange = read_asked({**good, "template": {"a": 1}, "source": 7, "date": None, "call": "\ud83d"}, 0)
    assert strange is not None
    assert strange.source is None
    strange.call.encode()


def test_a_prompt_knows_where_its_messages_end() -> None:
    said = ["What is LoRA?", "\nA cheap way", "And QLoRA? 🤗"]
    roles = ["user", "assistant", "user"]
    chat = call(messages=[{"role": role, "content": each} for role, each in zip(roles, said, strict=True)])
    spec = TokenizerSpec(bundled()["qwen2.5"], "huggingface")
    view = prompt_view(PromptRequest(spec, json.dumps(chat), "ours:chatml"), "")
    assert sorted(view.ends) == [0, 1, 2]
    for message, end in view.ends.items():
        assert view.text[:end].endswith(said[message])
        assert view.text[end:].startswith("<|im_end|>")


@pytest.mark.parametrize(
    ("model", "implementation"), [("qwen2.5", "huggingface"), ("llama-2", "llama.cpp"), ("qwen2.5", "llama.cpp")]
)
def test_links_to_explore_and_compare_give_the_prompt_s_ids(model: str, implementation: str) -> None:
    chat = call(messages=[{"role": "user", "content": "And QLoRA?<|im_end|>"}])
    asked = PromptRequest(TokenizerSpec(bundled()[model], implementation), json.dumps(chat), "ours:llama-2")
    made = scene_of(asked).prompt
    assert made is not None
    links = {name: parse_qs(urlsplit(url).query) for name, url in links_of(asked, made.text).items()}
    explore, compare = links["explore"], links["compare"]
    assert (explore["m"], explore["as"]) == ([model], [implementation])
    known = {TokenizerSpec(offer, each).name for offer in bundled().values() for each in offer.implementations}
    assert set(compare["with"]) <= known
    assert len(set(compare["with"])) == 2
    assert compare["with"][0] == asked.spec.name
    for query, add, parse in ((explore, "special", "parse"), (compare, "addspecial", "parsespecial")):
        switches = [query.get(name, ["true"]) == ["true"] for name in (add, parse)]
        found = made.tokenizer.encode(query["text"][0], add_special=switches[0], parse_special=switches[1])
        assert found.ids == made.ids
    assert links_of(asked, "a" * 3_000) == {}


def test_links_read_no_control_token_where_messages_are_read_as_text() -> None:
    links = links_of(request(call(), as_text=True), "Hi")
    assert "parse=false" in links["explore"]
    assert "parsespecial=false" in links["compare"]


def test_a_date_that_was_chosen_is_no_warning() -> None:
    for date, warned in (("", True), ("2026-11-23", False)):
        view = prompt_view(request(call(), "ours:trap-date", date=date), "prompt")
        assert view.stage is not None
        assert ("date" in {each["kind"] for each in view.stage["warnings"]}) == warned
        assert ("23 November 2026" in view.text) == bool(date)


def test_sent_says_what_each_server_makes_of_which_field() -> None:
    at = page(m="qwen2.5", chat=packed(NOTED) or "", view="sent")
    stage = data_of(at, "tokens")["stage"]
    counts = {each["name"]: each["count"] for each in stage["servers"]}
    assert counts == {"transformers": 211, "vllm": 202, "sglang": 214, "llama.cpp": 202, "ollama": None}
    letters = {each["name"]: each["letter"] for each in stage["servers"]}
    assert letters["vllm"] == letters["llama.cpp"] != letters["transformers"]
    assert {letter: cells[0]["id"] for letter, cells in stage["prompts"].items()} == dict.fromkeys("ABC", 151644)
    rows = {row["path"]: dict(zip(counts, row["cells"], strict=True)) for row in stage["rows"]}
    arguments = rows["messages[2].tool_calls[0].function.arguments"]
    assert [name for name in arguments if arguments[name]["tone"] == "lost"] == ["transformers"]
    assert "_postprocess_messages" in arguments["vllm"]["why"]
    assert [name for name, cell in rows["messages[0]"].items() if cell["tone"] == "lost"] == ["transformers", "sglang"]
    assert rows["messages[2].reasoning_content"]["vllm"]["tone"] == "lost"
    vllm = stage["servers"][1]["parting"]
    assert vllm["line"] == 6
    assert "developer" in "".join(vllm["say"]["texts"])
    # the card knows once the view was in focus
    cards = {each["name"]: each for each in data_of(at, "cards")["cards"]}
    assert (cards["Sent"]["warnings"], cards["Sent"]["changed"]) == (2, True)
    assert not cards_of(request(call()))[0].changed


DEVELOPERS = {
    "messages": [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello."},
        {"role": "developer", "content": "Be kind."},
        {"role": "user", "content": "And you?"},
    ]
}


def test_the_chosen_server_s_prompt_is_what_all_views_show() -> None:
    text = json.dumps(DEVELOPERS)
    offer = request(text, "")
    tok = tokenizer(offer.spec)
    vllm = tok.prompt(DEVELOPERS, server="vllm")
    for view in ("prompt", "sent", "turns", "engines", "training"):
        seen = prompt_view(offer._replace(server="vllm"), view)
        assert json.loads(seen.ids) == vllm.ids != json.loads(prompt_view(offer, view).ids)
        assert seen.served == ["vLLM", "0.33.0", 4]
    # its tokens stand beside the messages of the request
    seen = prompt_view(offer._replace(server="vllm"), "prompt")
    assert {cell["row"] for cell in seen.tokens} == {0, 1, 2, 4, -1}
    assert seen.text[: seen.ends[0]].endswith("Be kind.")
    # the answer was asked for before the second developer's message came
    turns = prompt_view(offer._replace(server="vllm"), "turns").stage
    assert turns is not None
    before = tok.prompt({"messages": DEVELOPERS["messages"][:2]}, server="vllm")
    assert turns["turns"][0]["ids"][:2] == [[*before.ids, *tok.encode("Hello.", add_special=False).ids], vllm.ids]
    assert turns["turns"][0]["message"] == 2
    for server, word in (("ollama", "Go"), ("nobody", "nobody")):
        fault = prompt_view(offer._replace(server=server), "prompt").fault
        assert fault is not None
        assert (fault.kind, word in fault.say) == ("refused", True)


def test_a_field_in_focus_has_its_tokens_in_each_prompt_and_the_line_that_writes_them() -> None:
    asked = request(NOTED, "")
    view = prompt_view(asked, "sent")
    assert view.stage is not None
    row = next(each for each in view.stage["rows"] if each["path"].endswith("arguments"))
    for letter, field in row["fields"].items():
        cells = view.stage["prompts"][letter][slice(*field["tokens"])]
        assert "Oslo" in "".join(each["t"] for each in cells).replace("\\", "")
        assert field["line"] == 36
        assert "tool_call.arguments | tojson" in field["text"]
    lost = next(each for each in view.stage["rows"] if each["path"] == "messages[0]")
    assert sorted(letter for letter, field in lost["fields"].items() if field) == ["B"]


def test_a_call_in_anthropic_s_form_is_converted_once() -> None:
    state = PromptState(Asked(json.dumps(ANTHROPIC)), "")
    state.convert()
    made = json.loads(state.asked.call)
    assert [each["role"] for each in made["messages"]] == ["system", "user", "assistant", "tool", "user"]
    assert state.rev == 1
    state.convert()
    assert state.rev == 1
    # what is none stays, and is refused where it is read
    state = PromptState(Asked(json.dumps({"system": "a", "messages": 3})), "")
    state.convert()
    assert (state.rev, json.loads(state.asked.call)["messages"]) == (0, 3)


def test_a_check_comes_part_by_part_and_is_what_the_command_line_writes() -> None:
    at = page(m="qwen2.5", view="check")
    first = data_of(at, "tokens")["stage"]
    assert (first["part"], len(first["rows"])) == (0, ROWS)
    assert data_of(at, "cards")["focus"] == "engines"
    spec = request(call()).spec
    every = [check_part(spec, "", part) for part in range(parts())]
    assert {each["id"] for each in every} == {first["id"]}
    whole = check_template(tokenizer(spec))
    drawn = [row for each in every[parts() // 2 :] for row in each["rows"]]
    assert [row["id"] for row in drawn] == [row.name for row in conversations()]
    cells = [cell for row in drawn for cell in row["cells"]]
    assert [cell["line"] for cell in cells] == [cell.line for cell in whole.cells]
    assert [cell["tokens"] for cell in cells] == [cell.tokens for cell in whole.cells]
    assert sum(cell["repair"] is not None for cell in cells) == sum(cell.repair is not None for cell in whole.cells) > 5
    kept = json.loads(check_file(spec, "", "json"))
    assert kept["cells"] == record(whole)["cells"]
    report = ElementTree.fromstring(check_file(spec, "", "xml").encode())
    assert len(report.findall(".//failure")) == len(bad_cells(whole)) > 0


def test_a_check_of_a_format_is_drawn_with_its_package_alone() -> None:
    stage = data_of(page(m="mistral-v1", template="format:mistral-v1", view="check"), "tokens")["stage"]
    assert [name for name, *_ in stage["servers"]] == ["mistral-common"]
    assert {len(row["cells"]) for row in stage["rows"]} == {1}
    assert len(stage["rows"]) == ROWS
    # of another vocabulary: said, and nothing is tried
    assert "problem" in data_of(page(m="qwen2.5", template="format:harmony", view="check"), "tokens")["stage"]


def test_a_check_of_a_template_that_does_not_end_ends_and_says_so() -> None:
    source = "{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}"
    spec = request(call()).spec._replace(template=source)
    every = [check_part(spec, "", part) for part in range(parts())]
    tones = [cell["tone"] for each in every for row in each["rows"] for cell in row["cells"]]
    assert tones.count("stops") == 2 * MOST_STOPPED
    assert set(tones) == {"stops", "none"}


def test_what_differs_between_prompts_is_cut_out_with_what_stands_beside_it() -> None:
    one, other = "a" * 500 + "x" + "b" * 500, "a" * 500 + "yy" + "b" * 500
    for text, middle in zip((one, other), ("x", "yy"), strict=True):
        (shown,) = {each for each in differing([one, other, None]) if middle in each}
        assert shown == f"…{'a' * BESIDE}{middle}{'b' * BESIDE}…"
        assert shown[1:-1] in text
    assert differing([one, one, None]) == ["", "", ""]
    assert all(len(each) <= LONGEST + 2 for each in differing(["", one]))


def test_a_format_is_offered_and_drawn_where_the_model_has_its_tokens() -> None:
    offer = bundled()["mistral-v1"]
    chat = json.dumps([{"role": "user", "content": "Hi </s>"}])
    asked = PromptRequest(TokenizerSpec(offer, offer.implementations[0]), chat, "format:mistral-v1", as_text=True)
    assert [name for name, _ in settings_of(asked).formats] == ["format:mistral-v1"]
    assert not settings_of(asked).text
    assert not settings_of(request(call())).formats
    for view in VIEWS:
        drawn = prompt_view(asked, view.name)
        assert drawn.fault is None
        assert drawn.text == "<s>[INST] Hi </s> [/INST]"
    assert len(cards_of(asked)) == len(VIEWS)
    refused = prompt_view(request(call(), "format:mistral-v3"), "prompt").fault
    assert refused
    assert "no control token" in refused.say

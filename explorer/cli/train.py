"""What the command `train` takes: `train ALGORITHM --as WHOM --vocab-size N --output FILE PATHS…`; `train_job` runs it.

The options are those of the original's trainer, under its names; an option that the trainer does not have is a usage
error that says which ones have it. Words are counted in parts, which `--resume` continues; sentencepiece's trainers
read whole texts instead. Exit status: 0 done, 1 bad input, 2 wrong usage, 130 interrupted.

Kept apart from the trainers, so that `--help` starts fast; `tests/cli/test_train.py` holds the names against theirs.
"""

import argparse
from argparse import BooleanOptionalAction
from typing import Any

from explorer.cli.parser import declared
from explorer.cli.shared import Parsed, say
from explorer.errors import nearest, no_longer_offered

ALGORITHMS = ("bpe", "wordpiece", "unigram", "wordlevel")
FOLLOWED = ("huggingface", "sentencepiece", "minbpe", "likelihood", "tensorflow-text")
CUTTINGS = ("byte-level", "whitespace", "bert", "metaspace", "none")

OPTIONS: dict[str, Any] = declared("commands.train")["commands"]["train"]["options"]["own"]["options"]
"""The options of all trainers."""
FLAGS = {option.removeprefix("--"): each.get("action") == "append" for option, each in OPTIONS.items()}
"""Their names; whether one may be given several times."""


def trainer_name(name: str) -> str:
    """A value of --as. Of one that is no longer offered, it says so and takes the nearest."""
    if sentence := no_longer_offered("trainer", name):
        say(f"explorer: {sentence}", error=True)
    return nearest("trainer", name)


class Replay(argparse.Action):
    """Takes a recipe, which names the algorithm: of the positional arguments the first may then be a path."""

    def __call__(self, parser: Any, namespace: Parsed, values: Any, option_string: Any = None) -> None:
        """Called by argparse when it meets the option."""
        namespace.replay = values
        next(action for action in parser._actions if action.dest == "paths").required = False


__all__ = ["ALGORITHMS", "CUTTINGS", "FLAGS", "FOLLOWED", "BooleanOptionalAction", "Replay", "trainer_name"]

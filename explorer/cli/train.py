"""The command that learns a vocabulary: `train ALGORITHM --as WHOM --vocab-size N --output FILE PATHS…`.

The options are those of the original's trainer, under its names; an option that the trainer does not have is a usage
error that says which ones have it. Words are counted in parts, which `--resume` continues; sentencepiece's trainers
read whole texts instead. Exit status: 0 done, 1 bad input, 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import argparse
from typing import Any

from explorer.cli.corpus import add_reading
from explorer.cli.shared import Parsed, add_command, add_value
from explorer.cli.train_flags import (
    ALGORITHMS,
    CUTTINGS,
    FOLLOWED,
    FRACTIONS,
    LISTS,
    NAMES,
    NUMBERS,
    SWITCHES,
    TEXTS,
    trainer_name,
)


def add_commands(commands: Any) -> None:
    command = add_command(
        commands,
        "train",
        run,
        "Learn a vocabulary from texts, exactly as an original trainer does.",
        ("bpe --vocab-size 2000 --words byte-level --output my.json book.txt", "my.json: 2,000 tokens"),
        ("bpe --as sentencepiece --vocab-size 40 --output my.model notes.txt", "my.model: 40 tokens"),
        ("unigram --vocab-size 500 --words metaspace --unk-token '<unk>' --output my.json notes.txt", ""),
        ("bpe --vocab-size 30 --words metaspace --why text notes.txt", "“text” is "),
        usage="%(prog)s ALGORITHM [--as WHOM] [OPTION …] [--output FILE] PATH…",
    )
    add_value(command, "algorithm", "ALGORITHM", f"{', '.join(ALGORITHMS)}; left out with --replay")
    paths = add_value(command, "paths", "PATH", "files, folders, patterns, as for corpus", nargs="+")
    command.add_argument(
        "--as",
        dest="whom",
        type=trainer_name,
        choices=FOLLOWED,
        default="huggingface",
        help="the trainer to follow (default: huggingface)",
    )
    command.add_argument(
        "--words",
        choices=CUTTINGS,
        default=None,
        help="how texts are cut into words (byte-level; wordpiece: bert; unigram: metaspace; wordlevel: whitespace)",
    )
    add_value(command, "--output", "FILE", "write the vocabulary to this file")
    command.add_argument(
        "--why",
        action="append",
        metavar="TOKEN",
        help="explain why this text is a token or not, with the decisions behind it; may be repeated",
    )
    add_value(command, "--normalizer-of", "MODEL", "sentencepiece: normalize as this .model does, not by named rules")
    add_reading(command)
    add_value(
        command,
        "--recipe",
        "FILE",
        "write a recipe that repeats the training: its options, and the sha256 of the corpus",
    )
    command.add_argument(
        "--replay",
        action=Replay,
        paths=paths,
        metavar="FILE",
        help="repeat a training with the algorithm and options of its recipe; another corpus is refused",
    )
    own = command.add_argument_group("options of the trainers, under their names")
    for name in NUMBERS:
        own.add_argument(f"--{name}", type=int, metavar="N")
    for name in FRACTIONS:
        own.add_argument(f"--{name}", type=float, metavar="X")
    for name in TEXTS:
        own.add_argument(f"--{name}", choices=NAMES.get(name), metavar=None if name in NAMES else "TEXT")
    for name in LISTS:
        own.add_argument(f"--{name}", action="append", metavar="TEXT", help="may be repeated")
    for name in SWITCHES:
        own.add_argument(f"--{name}", action=argparse.BooleanOptionalAction, default=None)


class Replay(argparse.Action):
    """Takes a recipe, which names the algorithm: of the positional arguments the first may then be a path."""

    def __init__(self, *args: Any, paths: argparse.Action, **options: Any) -> None:
        super().__init__(*args, **options)
        self.paths = paths

    def __call__(self, parser: Any, namespace: Parsed, values: Any, option_string: Any = None) -> None:
        """Called by argparse when it meets the option."""
        namespace.replay = values
        self.paths.required = False


def run(parsed: Parsed) -> int:
    """`train`. Imports what only it needs, so that `--help` starts fast."""
    from explorer.cli.train_job import train

    return train(parsed)

"""The flags of the command `train`, by kind: the options of all trainers under their names.

Kept apart from the trainers, so that `--help` starts fast; `tests/cli/test_train.py` holds them against the trainers'.
"""

from __future__ import annotations

from typing import Final

from explorer.cli.shared import say
from explorer.errors import nearest, no_longer_offered

ALGORITHMS: Final = ("bpe", "wordpiece", "unigram", "wordlevel")
FOLLOWED: Final = ("huggingface", "sentencepiece", "minbpe", "likelihood", "tensorflow-text")
CUTTINGS: Final = ("byte-level", "whitespace", "bert", "metaspace", "none")


def trainer_name(name: str) -> str:
    """A value of --as. Of one that is no longer offered, it says so and takes the nearest."""
    if sentence := no_longer_offered("trainer", name):
        say(f"explorer: {sentence}", error=True)
    return nearest("trainer", name)


NUMBERS: Final = (
    "vocab-size", "min-frequency", "limit-alphabet", "max-token-length", "max-piece-length", "n-sub-iterations",
    "max-sentence-length", "max-sentencepiece-length", "seed-sentencepiece-size", "num-threads", "num-sub-iterations",
    "unk-id", "bos-id", "eos-id", "pad-id", "upper-thresh", "lower-thresh", "num-iterations", "max-input-tokens",
    "max-unique-chars",
)  # fmt: skip
FRACTIONS: Final = ("character-coverage", "shrinking-factor", "slack-ratio")
TEXTS: Final = (
    "continuing-subword-prefix", "end-of-word-suffix", "unk-token", "required-chars", "unk-piece", "bos-piece",
    "eos-piece", "pad-piece", "joiner", "initial-alphabet", "normalization-rule-name",
)  # fmt: skip
NAMES: Final = {"normalization-rule-name": ("nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity")}
"""What a text may be, where not everything."""
SWITCHES: Final = (
    "auto-character-coverage", "split-by-unicode-script", "split-by-number", "split-by-whitespace",
    "treat-whitespace-as-suffix", "allow-whitespace-only-pieces", "split-digits", "byte-fallback", "hard-vocab-limit",
    "add-dummy-prefix", "remove-extra-whitespaces", "include-joiner-token",
)  # fmt: skip
LISTS: Final = ("special-token", "reserved-token", "control-symbol", "user-defined-symbol")
"""May be given several times."""

FLAGS: Final = (*NUMBERS, *FRACTIONS, *TEXTS, *LISTS, *SWITCHES)

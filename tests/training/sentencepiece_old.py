"""sentencepiece 0.2.1 beside ours, in an environment of its own.

`python -m tests.training.sentencepiece_old` records what it learns, BPE from corpora with many pairs and Unigram from
generated ones, for the tests that run without it (`sentencepiece-0.2.1.json`). `EXPLORER_SENTENCEPIECE=DIR` names the
folder of the environment; else it is `.sentencepiece/` in the root of the repository.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import random
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from explorer.training.sentencepiece.options import Options
from tests.environment import environment
from tests.training.corpora import generated, many_pairs
from tests.training.sentencepiece import Piece, pieces_of, settings_of, unigram_options_of

VERSION: Final = "0.2.1"
ROOT: Final = Path(__file__).parents[2]
RECORDED: Final = Path(__file__).parent / f"sentencepiece-{VERSION}.json"
SEEDS: Final = range(16)

TRAIN: Final = """
import base64, io, json, sys
import sentencepiece
for line in sys.stdin:
    texts, settings = json.loads(line)
    written = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(texts), model_writer=written, **settings)
        print(base64.b64encode(written.getvalue()).decode(), flush=True)
    except (RuntimeError, OSError, ValueError):
        print("refused", flush=True)
"""
"""What runs there: a line a training, in and out."""

Job = tuple[Sequence[str], Options, str]
"""Texts, options, and the name of the character map."""


def python() -> Path:
    """The Python of the environment; made on first use."""
    folder = Path(os.environ.get("EXPLORER_SENTENCEPIECE") or ROOT / ".sentencepiece")
    return environment(folder, f"sentencepiece=={VERSION}")


def originals(jobs: Iterable[Job]) -> Iterator[list[Piece] | None]:
    """The pieces of each training, None where the original refuses it."""
    return (None if data is None else pieces_of(data) for data in models(jobs))


def models(jobs: Iterable[Job]) -> Iterator[bytes | None]:
    """The model of each training, None where the original refuses it."""
    process = subprocess.Popen([python(), "-c", TRAIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        for texts, options, rule in jobs:
            process.stdin.write(json.dumps([list(texts), settings_of(options, rule)]) + "\n")
            process.stdin.flush()
            line = process.stdout.readline().strip()
            assert line, (texts, options, rule)
            yield None if line == "refused" else base64.b64decode(line)
        process.stdin.close()


def job(seed: int) -> Job:
    """A training that has to choose among its pairs."""
    choose = random.Random(seed)
    options = Options(
        vocab_size=choose.choice((900, 1_300)), hard_vocab_limit=False, add_dummy_prefix=choose.random() < 0.3,
        character_coverage=choose.choice((0.9995, 1.0)), byte_fallback=choose.random() < 0.2,
        normalization_rule_name="identity",
    )  # fmt: skip
    return many_pairs(seed), options, "identity"


def unigram_job(seed: int) -> Job:
    """A training of a Unigram model that it does not refuse."""
    choose = random.Random(seed)
    options = replace(
        unigram_options_of(choose), hard_vocab_limit=False, required_chars="", character_coverage=1.0,
        byte_fallback=False, vocab_size=400, normalization_rule_name="identity",
    )  # fmt: skip
    return [*generated(seed), "a word"], options, "identity"


def digest(pieces: Iterable[Piece]) -> str:
    """A short name of a list of pieces."""
    return hashlib.sha256(json.dumps(list(pieces)).encode()).hexdigest()[:16]


def main() -> None:
    found = {
        kind: [digest(pieces or ()) for pieces in originals(map(make, SEEDS))]
        for kind, make in (("bpe", job), ("unigram", unigram_job))
    }
    RECORDED.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()

"""Measures what the Train page waits for: `python -m benchmarks.train_page [FILE …] [--tokens N]`.

For each trainer of the page: a traced training of 2,000 characters, the script of the stepper, and the bytes that go to
the browser. Without a file the text is the beginning of Python's standard library. Times are processor time of the
fastest of three runs.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from benchmarks.timing import timed
from benchmarks.training import beginning, standard_library
from explorer.script.script import pack
from explorer.training.trainers import OFFERED, TrainRequest, learned_from
from explorer.ui.train import LONGEST
from explorer.views.steppers.training_script import training_script

TOKENS: Final = 500
WANTED: Final = "wanted: less than 300 ms, less than 100,000 bytes"


def measured(request: TrainRequest) -> str:
    """One line of the table."""

    def run() -> tuple[bytes, int]:
        found = learned_from(request)
        return pack(training_script(found, request.trainer_id)), len(found.training.learned.tokens)

    taken, (sent, tokens) = timed(run)
    return f"{' as '.join(request.trainer_id):36}{tokens:8,}{1000 * taken:9.0f} ms{len(sent):9,} bytes"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--tokens", type=int, default=TOKENS, metavar="N", help=f"to learn ({TOKENS})")
    given = parser.parse_args()
    for path in given.files or [None]:
        text = beginning(standard_library() if path is None else [path.read_text("utf-8")], 4 * LONGEST)[:LONGEST]
        print(f"{path or 'standard library'}, {len(text):,} characters; {WANTED}\n{'':36}{'tokens':>8}")
        for trainer_id, offered in OFFERED.items():
            cutting = offered.cuttings[0] if offered.cuttings else "none"
            print(measured(TrainRequest(trainer_id, cutting, text, given.tokens, offered.options)), flush=True)


if __name__ == "__main__":
    main()

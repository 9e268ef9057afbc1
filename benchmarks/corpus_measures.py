"""The measures for a paper over a text of full size: `python -m benchmarks.corpus_measures SIZE [-m MODEL …]`.

The text is that of `benchmarks.corpus_job`. Printed: seconds, MB/s, the peak memory of each process, and the first
measures with their intervals, for a tenth of the size and for all of it, so that one sees whether memory grows.
`--minutes N` ends a run that takes longer and prints what was reached.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.corpus_job import PARTS, Job, write_text
from explorer.cli.corpus import size
from explorer.corpus.measures import cell

SHOWN = {"fertility": ".3f", "bytes_per_token": ".3f", "renyi": ".4f", "to_gzip": ".3f"}


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m benchmarks.corpus_measures", description="Measures at full size.")
    asked.add_argument("size", type=size, help="of the text, such as 20M or 1G")
    asked.add_argument("-m", "--model", action="append", help="tokenizers (gpt-2)")
    asked.add_argument("--minutes", type=float, default=20.0, help="of a run at most (20)")
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for share in (10, 1):
            run(Path(folder), given.size // share, given.model or ["gpt-2"], given.minutes)


def run(folder: Path, wanted: int, models: list[str], minutes: float) -> None:
    """One job, watched."""
    text, output = folder / f"text-{wanted}.txt", folder / f"{wanted}.json"
    write_text(text, wanted)
    length = text.stat().st_size
    named = [option for model in models for option in ("-m", model)]
    job = Job([text, *named, "--measures", "all", "--part", str(-(-length // PARTS)), "--output", output])
    parts = output.with_name(f"{output.name}.parts")
    late = job.until(lambda: time.monotonic() - job.begun > 60 * minutes)
    seconds = time.monotonic() - job.begun
    if late:
        done = len(list(parts.glob("*.tally")))
        job.process.kill()
        print(f"{length:,} bytes: {done} of {PARTS} parts after {minutes:g} minutes, peak memory {job.memory}")
        sys.exit(1)
    job.ended()
    print(f"{length:,} bytes: {seconds:.0f} s, {length / seconds / 1e6:.1f} MB/s, peak memory {job.memory}", flush=True)
    values = json.loads(output.read_bytes())["measures"]["values"]
    for name, form in SHOWN.items():
        print(f"  {name}: {', '.join(cell(each, form) for each in values[name])}", flush=True)


if __name__ == "__main__":
    main()

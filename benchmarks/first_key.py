"""Measures what a dropped file costs: `python -m benchmarks.first_key`, against another checkout with `--other FOLDER`.

A visitor drops a file, then types. Measured are the seconds until the page is drawn with the file, with the first
change of the text, and with later ones (median). Both checkouts alternate, each time with their own server; the ratio
of the medians is what counts.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks.served import served
from benchmarks.socket_session import Session
from tests.browser.conftest import ROOT

PORT: Final = 8596
FILES: Final = ("gpt2.tokenizer.json", "llama3.tokenizer.json", "ggml-vocab-llama-spm.gguf")
TEXT: Final = "What is LoRA? It is a way to train a model, and 3.14 is no integer. " * 4
KEYS: Final = 10
READ: Final = 4.0
"""Seconds between the first page and the file."""


def measured(folder: Path, file: Path) -> tuple[float, float, float]:
    """Seconds for the file, for the first key, and for a later key."""
    with served(PORT, folder) as server:
        server.wait()
        session = Session(server.address.removeprefix("http://"), "m=gpt-2&text=a")
        session.open()
        time.sleep(READ)
        dropped = session.send_file("mine" + file.suffix, file.read_bytes())
        keys = [session.type(TEXT + "x" * count) for count in range(KEYS)]
        session.close()
    return dropped, keys[0], median(keys[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--other", type=Path, metavar="FOLDER", help="another checkout, to compare")
    parser.add_argument("--times", type=int, default=5)
    asked = parser.parse_args()
    folders = [ROOT, *([asked.other] if asked.other else [])]
    print(f"{'file':<28} {'checkout':<10} {'drop':>7} {'first':>7} {'next':>7}  seconds, medians of {asked.times}")
    for name in FILES:
        found: dict[Path, list[tuple[float, float, float]]] = {folder: [] for folder in folders}
        for _ in range(asked.times):
            for folder in folders:
                found[folder].append(measured(folder, ROOT / "vocabs" / name))
        middles = [[median(column) for column in zip(*found[folder], strict=True)] for folder in folders]
        for folder, each in zip(folders, middles, strict=True):
            print(f"{name:<28} {folder.name:<10} {each[0]:7.2f} {each[1]:7.2f} {each[2]:7.2f}")
        if len(middles) == 2:
            ratios = [one / other for one, other in zip(*middles, strict=True)]
            print(f"{'':<28} {'ratio':<10} {ratios[0]:7.2f} {ratios[1]:7.2f} {ratios[2]:7.2f}", flush=True)


if __name__ == "__main__":
    main()

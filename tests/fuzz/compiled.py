"""Fuzzes the compiled encoder: `python -m tests.fuzz.compiled [SECONDS [SEED]]`; 30 seconds from a random seed.

Encodes hostile texts with every bundled tokenizer that runs compiled: at once and one by one, with special tokens or
without, with memories that forget after a few pieces. Ids must be those of the stages. Prints the number of texts and
the seed; the first difference, with the seed that repeats it, ends the run with status 1. Compiled code checks no
bounds, so a crash is a finding, too: faulthandler prints where.
"""

from __future__ import annotations

import faulthandler
import random
import sys
import time
from functools import cache
from typing import Final

from explorer.compiled import build
from explorer.engine.fast.batches import Batches
from explorer.engine.options import Options
from tests.bundled import bundled
from tests.compiled.hostile import COMPILED, batches, expected, found, hostile

SLOTS: Final = (16, 1 << 10)
TEXTS: Final = 48


@cache
def encoder(spec: str, slots: int) -> Batches:
    """The compiled way of a tokenizer; its memory goes on from seed to seed."""
    return batches(bundled(spec).parts, build.compiled(), slots)


def difference(seed: int) -> str | None:
    """What differs for a seed."""
    choose = random.Random(seed)
    spec, slots = choose.choice(COMPILED), choose.choice(SLOTS)
    options = Options(choose.random() < 0.5, choose.random() < 0.5)
    texts = hostile(seed, TEXTS)
    groups = [[text] for text in texts] if choose.random() < 0.3 else [texts]
    for group in groups:
        made, wanted = found(encoder(spec, slots), group, options), expected(spec, group, options)
        for text, one, other in zip(group, made, wanted, strict=True):
            if one != other:
                return f"{spec}, {slots} slots, {options}: {ascii(text)[:1000]}\n  {one[:50]}\n  {other[:50]}"
    return None


def main(arguments: list[str]) -> int:
    faulthandler.enable()
    seconds = float(arguments[0]) if arguments else 30.0
    seed = first = int(arguments[1]) if len(arguments) > 1 else random.randrange(1 << 40)
    build.compiled()
    until = time.monotonic() + seconds
    print(f"from seed {first}", flush=True)
    while time.monotonic() < until:
        if said := difference(seed):
            print(f"seed {seed}: {said}")
            return 1
        seed += 1
    print(f"{seed - first:,} rounds of about {TEXTS} texts, {len(COMPILED)} tokenizers: no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

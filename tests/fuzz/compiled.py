"""Fuzzes the compiled encoder: `python -m tests.fuzz.compiled [SECONDS [SEED]]`; 30 seconds from a random seed.

Encodes hostile texts with every bundled tokenizer that runs compiled, and with each random tokenizer.json that does: at
once and one by one, with special tokens or without, with memories that forget after a few pieces. Ids must be those of
the stages. Prints the number of texts and the seed; the first difference, with the seed that repeats it, ends the run
with status 1. Compiled code checks no bounds, so a crash is a finding, too: faulthandler prints where.
"""

from __future__ import annotations

import faulthandler
import json
import random
import sys
import time
from functools import cache, partial
from typing import Final

from explorer.compiled import build
from explorer.engine.fast.encoder import Batches
from explorer.engine.part import Options
from explorer.engine.tokenizer import Tokenizer
from explorer.formats.tokenizer_json import read
from explorer.implementations.huggingface import from_tokenizer_json
from tests.bundled import bundled
from tests.compiled.hostile import COMPILED, batches, expected, found, hostile
from tests.fuzz.sections import Refused, compiled, outcome
from tests.fuzz.tokenizer_files import texts_for, whole_file

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
    together, tokenizer = encoder(spec, slots), bundled(spec)
    if choose.random() < 0.7 and (drawn := of_a_file(choose, slots)) is not None:
        spec, together, tokenizer, texts = "a random file", *drawn
    groups = [[text] for text in texts] if choose.random() < 0.3 else [texts]
    for group in groups:
        if outcome(partial(together.encode, group, options)) is None:
            return None  # a template repeats the text
        wanted = outcome(partial(expected, tokenizer, group, options))
        made = outcome(partial(found, together, group, options))
        if isinstance(made, Refused) or isinstance(wanted, Refused):
            if made != wanted:
                return f"{spec}, {slots} slots, {options}: {ascii(group)[:1000]}\n  {made}\n  {wanted}"
            continue
        for text, one, other in zip(group, made, wanted, strict=True):
            if one != other:
                return f"{spec}, {slots} slots, {options}: {ascii(text)[:1000]}\n  {one[:50]}\n  {other[:50]}"
    return None


def of_a_file(choose: random.Random, slots: int) -> tuple[Batches, Tokenizer, list[str]] | None:
    """The compiled way of a random tokenizer.json, its tokenizer, and texts for it; None if it has none."""
    file = whole_file(choose)
    made = outcome(lambda: from_tokenizer_json(read(json.dumps(file).encode(), "toy"), "toy"))
    together = None if isinstance(made, Refused) else compiled(made, build.compiled(), slots)
    return None if together is None else (together, made, texts_for(choose, file, TEXTS))


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
    print(f"{seed - first:,} rounds of about {TEXTS} texts, {len(COMPILED)} tokenizers and random files: no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

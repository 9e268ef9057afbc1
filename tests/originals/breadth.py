"""Every tokenizer file of a folder beside its original, on hard texts: ids, spans, decoding, refusals, batches.

    python -m tests.originals.breadth FOLDER [--texts 300] [--only WORD]

Files are found by their content, at any depth, equal ones once. Each runs in the original that its format is for:
Hugging Face's tokenizers, tiktoken, sentencepiece, mistral-common, RWKV's tokenizer or llama.cpp. Where a file doesn't
say enough (the pattern of unknown ranks), the first answer on offer is taken, in both. The table counts differences:

    ids, special, literal   ids alone; with the tokens around a text; with special tokens read as plain text
    spans                   where each token comes from, if the original tells
    decode, random          the text of those ids, and of random ids
    refused                 texts that only one of both refuses
    batch                   ids of all texts at once, compiled where that is possible

Exit status: 0 only if nothing differs.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import explorer
from explorer.errors import ChoiceNeeded, InputError
from explorer.formats.vocab_files import looks_like_vocab
from explorer.opening.formats import is_vocabulary, merges_names
from explorer.opening.sources import HEAD, first_bytes
from tests.originals.generators import all_strings
from tests.originals.of_file import MODES, Original, original
from tests.tiers import spread

COLUMNS = ("ids", "special", "literal", "spans", "decode", "random", "refused", "batch")
SMALLEST, LARGEST = 20, 1 << 27
"""Bytes of the files that are tried."""


def files(folder: Path) -> Iterator[Path]:
    """The tokenizer files of a folder, equal ones once."""
    seen: set[str] = set()
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or not SMALLEST <= path.stat().st_size <= LARGEST or "node_modules" in path.parts:
            continue
        if not is_vocabulary(first_bytes(path, HEAD), path.name):
            continue
        data = path.read_bytes()
        if data.lstrip().startswith(b"{") and not is_of_tokenizer(data, path):
            continue
        digest = sha256(data).hexdigest()
        if digest not in seen:
            seen.add(digest)
            yield path


def is_of_tokenizer(data: bytes, path: Path) -> bool:
    """Whether a JSON file is a tokenizer's: with a vocabulary, or with merges next to it."""
    if looks_like_vocab(data[:HEAD]):
        return any(path.with_name(name).exists() for name in merges_names(path.name))
    return b'"vocab"' in data and (b'"model"' in data or b'"token_bytes"' in data)


def opened(path: Path) -> explorer.Tokenizer:
    """The tokenizer of a file, with the first answer wherever one is needed."""
    answers: dict[str, str] = {}
    while True:
        try:
            return explorer.load(path, **answers)
        except ChoiceNeeded as needed:
            if needed.key in answers or not needed.options:
                raise
            answers[needed.key] = needed.options[0]


class Row:
    """The differences of one file. counts: by column. examples: of each, the first. checks: how many in all."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.examples: dict[str, str] = {}
        self.checks = 0
        self.has_spans = False

    def check(self, column: str, want: object, got: object, about: object) -> None:
        self.checks += 1
        if want != got:
            self.counts[column] += 1
            self.examples.setdefault(column, f"{about!a}: theirs {want!a}, ours {got!a}"[:400])


def compared(ours: explorer.Tokenizer, theirs: Original, texts: list[str], seed: int) -> Row:
    """Every check of one file."""
    row, choose = Row(), random.Random(seed)
    taken: list[tuple[str, str, list[int]]] = []
    for text in texts:
        for column, options in zip(COLUMNS[:3], MODES, strict=True):
            want = theirs.encode(text, options)
            try:
                encoding = ours.encode(text, **options._asdict())
            except InputError as error:
                row.check("refused", want is None, True, (text, str(error)))
                continue
            if want is None:
                row.check("refused", True, False, text)
                continue
            row.check(column, want.ids, encoding.ids, text)
            taken.append((column, text, want.ids))
            if want.spans is not None and column != "literal":
                row.has_spans = True
                row.check("spans", want.spans, explorer.offsets(ours, text, **options._asdict()), text)
    for column, text, ids in taken:
        if column == "special":
            decodings(row, "decode", ours, theirs, ids, text)
    for _ in texts:
        ids = [choose.choice(theirs.ids) for _ in range(choose.randint(1, 12))]
        decodings(row, "random", ours, theirs, ids, ids)
    for column, options in zip(COLUMNS[:2], MODES, strict=False):
        some = [(text, ids) for name, text, ids in taken if name == column]
        batch = ours.encode_batch([text for text, _ in some], **options._asdict())
        for place, (text, ids) in enumerate(some):
            row.check("batch", ids, batch.ids[batch.offsets[place] : batch.offsets[place + 1]].tolist(), text)
    return row


def decodings(row: Row, column: str, ours: explorer.Tokenizer, theirs: Original, ids: list[int], about: object) -> None:
    """The text of ids with special tokens, and without if the original can leave them out."""
    for hidden in (False, True) if theirs.hides else (False,):
        want = theirs.decode(ids, hidden)
        try:
            got: object = ours.decode(ids, remove_special=False, unparse_special=not hidden)
        except InputError as error:
            got = str(error)
        if want is not None:
            row.check(column, want, got, (about, hidden))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--texts", type=int, default=300, help="texts for each file (default: 300)")
    parser.add_argument("--only", default="", help="only paths that contain this")
    given = parser.parse_args()
    os.environ.setdefault("EXPLORER_COMPILED", "always")
    texts = spread(all_strings(4711, 4_000), given.texts)
    print("| file | original | tokens | checks | " + " | ".join(COLUMNS) + " | s |")
    print("|---|---|" + "--:|" * (len(COLUMNS) + 3))
    total: Counter[str] = Counter()
    for path in files(given.folder):
        name = str(path.relative_to(given.folder))
        if given.only not in name:
            continue
        total["files"] += 1
        start = time.perf_counter()
        try:
            ours = opened(path)
        except InputError as error:
            total["refused"] += 1
            print(f"| {name} | – | refused: {str(error).replace('|', '¦')[:150]} |", flush=True)
            continue
        try:
            theirs = original(path, ours)
        except Exception as error:  # whatever an original raises on a file that opens here is a difference to look at
            total["unmatched"] += 1
            print(f"| {name} | – | no original: {type(error).__name__}: {str(error)[:150]} |", flush=True)
            continue
        row = compared(ours, theirs, texts, 4711)
        total += Counter({"checks": row.checks, "differences": row.counts.total(), "compared": 1})
        cells = ["–" if key == "spans" and not row.has_spans else str(row.counts[key]) for key in COLUMNS]
        size, took = len(ours.vocabulary), time.perf_counter() - start
        print(f"| {name} | {theirs.name} | {size:,} | {row.checks:,} | {' | '.join(cells)} | {took:.0f} |", flush=True)
        for column, example in row.examples.items():
            print(f"    {column}: {example}", flush=True)
        theirs.close()
    print(
        f"\n{total['files']} files: {total['compared']} compared in {total['checks']:,} checks with "
        f"{total['differences']:,} differences; {total['refused']} refused, {total['unmatched']} without an original"
    )
    return 1 if total["differences"] or total["unmatched"] or not total["compared"] else 0


if __name__ == "__main__":
    sys.exit(main())

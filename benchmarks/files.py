"""Compares a user's vocabulary files with their originals: `python -m benchmarks.files PATH… [--texts 300]`.

Each file is opened in a process of its own, which reports the processor seconds and its peak growth in memory. Then
this engine and the original encode and decode hard texts (`tokenizers` for a tokenizer.json, `sentencepiece` for a
`.model`, `mistral-common` for a tekken.json, if installed); the table shows how many differ in ids, in offsets and in
decoding.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import explorer
from benchmarks.opening import measured
from explorer.errors import InputError
from tests.originals.generators import strings


class Original(NamedTuple):
    """encode: ids, and offsets or None if it reports none. decode: with or without special tokens."""

    encode: Callable[[str], tuple[list[int], list[tuple[int, int]] | None]]
    decode: Callable[[list[int], bool], str | None]


def hugging_face(path: Path) -> Original:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()

    def encode(text: str) -> tuple[list[int], list[tuple[int, int]]]:
        encoding = tokenizer.encode(text)
        return encoding.ids, encoding.offsets

    return Original(encode, lambda ids, skip: str(tokenizer.decode(ids, skip_special_tokens=skip)))


def sentencepiece(path: Path) -> Original:
    from sentencepiece import SentencePieceProcessor

    processor = SentencePieceProcessor(model_file=str(path))
    around = {"add_bos": processor.bos_id() >= 0, "add_eos": processor.eos_id() >= 0}
    return Original(
        lambda text: (processor.encode(text, **around), None),
        lambda ids, skip: None if skip else processor.decode(ids),
    )


def mistral_common(path: Path) -> Original:
    from mistral_common.tokens.tokenizers.base import SpecialTokenPolicy
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    tokenizer = Tekkenizer.from_file(path)
    policies = {True: SpecialTokenPolicy.IGNORE, False: SpecialTokenPolicy.KEEP}
    return Original(
        lambda text: (tokenizer.encode(text, bos=True, eos=False), None),
        lambda ids, skip: tokenizer.decode(ids, special_token_policy=policies[skip]),
    )


ORIGINALS = {"huggingface": hugging_face, "sentencepiece": sentencepiece, "mistral-common": mistral_common}


def compared(path: Path, texts: Sequence[str]) -> str:
    """How many texts differ from the original in ids, offsets and decoding."""
    ours = explorer.load(path)
    make = ORIGINALS.get(ours.implementation)
    if make is None:
        return "no original here"
    try:
        theirs = make(path)
    except ImportError:
        return "the original is not installed"
    choose = random.Random(1)
    ids = offsets = decoded = 0
    for text in texts:
        want, spans = theirs.encode(text)
        encoding = ours.encode(text)
        wrong = encoding.ids != want
        ids += wrong
        offsets += not wrong and spans is not None and [span or (0, 0) for span in encoding.spans] != spans
        some = [*want, *(choose.randrange(len(ours.vocabulary)) for _ in range(3))]
        for skip in (False, True):
            back = theirs.decode(some, skip)
            try:
                decoded += (
                    back is not None and ours.decode(some, remove_special=False, unparse_special=not skip) != back
                )
            except InputError:  # an id that no token has
                continue
    return f"{len(texts)} texts: {ids} differ in ids, {offsets} in offsets, {decoded} in decoding"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--texts", type=int, default=300, help="how many texts are compared")
    asked = parser.parse_args()
    texts = strings(71, 4 * asked.texts)[-asked.texts :]
    print(f"{'file':<28}{'MB':>6}{'open s':>9}{'encode s':>10}{'peak MB':>9}  compared with the original")
    for path in asked.paths:
        size = path.stat().st_size / 1e6
        try:
            opened, encoded, memory = measured(str(path))
        except ValueError as error:
            print(f"{path.name:<28}{size:>6.1f}  {error}")
            continue
        print(
            f"{path.name:<28}{size:>6.1f}{opened:>9.2f}{encoded:>10.3f}{memory:>9.0f}  {compared(path, texts)}",
            flush=True,
        )


if __name__ == "__main__":
    main()

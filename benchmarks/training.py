"""Measures training against the originals on the same text, in processor time of one thread.

`python -m benchmarks.training [FILE …] [--bytes 1M …] [--sizes N …]` trains BPE like Hugging Face's tokenizers (byte
level, GPT-2's pattern) and like sentencepiece, and Unigram like sentencepiece, counting included, and prints both
times, their ratio, the largest ratio wanted, and whether the results are equal. Without a file it uses Python's
standard library, so many bytes of it.
"""

from __future__ import annotations

import argparse
import io
import os
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path
from time import process_time
from typing import Final, TypeVar

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from explorer.cli.corpus import size as amount
from explorer.engine.pre_tokenizers.by_regex import ByteLevel, PreTokenization, RegexSplit
from explorer.engine.pre_tokenizers.patterns import GPT2
from explorer.training import words
from explorer.training.huggingface import bpe
from explorer.training.sentencepiece import bpe as sentencepiece_bpe
from explorer.training.sentencepiece import unigram
from explorer.training.sentencepiece.sentences import Options
from tests.training.corpora import lines_of

SIZES: Final = (1_000, 8_000, 32_000)
MEGABYTE: Final = 1_000_000
WANTED: Final = {"bpe as Hugging Face": 3, "bpe as sentencepiece": 8, "unigram as sentencepiece": 20}
"""The largest ratio of each trainer."""

Result = TypeVar("Result")


def timed(run: Callable[[], Result]) -> tuple[float, Result]:
    """The processor seconds of a call, and its result."""
    begin = process_time()
    result = run()
    return process_time() - begin, result


def standard_library() -> Iterator[str]:
    """The modules of Python's standard library, those of packages last."""
    root = Path(os.__file__).parent
    for path in (*sorted(root.glob("*.py")), *sorted(root.glob("*/**/*.py"))):
        if "site-packages" not in path.parts:
            yield path.read_text("utf-8", "replace")


def beginning(texts: Iterable[str], size: int) -> str:
    """So many bytes of texts, or fewer, up to a whole character."""
    found, left = [], size
    for text in texts:
        found.append(text.encode()[:left])
        left -= len(found[-1])
        if not left:
            break
    return b"".join(found).decode("utf-8", "ignore")


def huggingface(text: str, size: int) -> str:
    """BPE over bytes."""
    lines = lines_of(text)
    parts = [PreTokenization([RegexSplit(GPT2), ByteLevel()])]

    def theirs() -> dict[str, int]:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=size, show_progress=False))
        return tokenizer.get_vocab()

    def ours() -> dict[str, int]:
        return bpe.train(words.counted(lines, parts), bpe.Options(vocab_size=size)).learned.ids

    return compared("bpe as Hugging Face", size, timed(ours), timed(theirs))


def by_sentencepiece(text: str, size: int, kind: str) -> str:
    """BPE or Unigram with the default normalization."""
    lines = text.splitlines()
    written = io.BytesIO()

    def theirs() -> list[str]:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines), model_writer=written, model_type=kind, vocab_size=size, num_threads=1,
            hard_vocab_limit=False, minloglevel=4,
        )  # fmt: skip
        proto.ParseFromString(written.getvalue())
        return [piece.piece for piece in proto.pieces]

    proto = sentencepiece_model_pb2.ModelProto()
    their_time = timed(theirs)
    charsmap = proto.normalizer_spec.precompiled_charsmap

    def ours() -> list[str]:
        if kind == "bpe":
            options = Options(size, hard_vocab_limit=False, charsmap=charsmap)
            return list(sentencepiece_bpe.train(lines, options).learned.tokens)
        more = unigram.Options(size, hard_vocab_limit=False, charsmap=charsmap, num_threads=1)
        return list(unigram.train(lines, more).learned.tokens)

    return compared(f"{kind} as sentencepiece", size, timed(ours), their_time)


def compared(name: str, size: int, ours: tuple[float, Result], theirs: tuple[float, Result]) -> str:
    """One line of the table."""
    equal, ratio = "equal" if ours[1] == theirs[1] else "DIFFERENT", ours[0] / theirs[0]
    return f"{name:24}{size:8,}{ours[0]:8.2f} s{theirs[0]:8.2f} s{ratio:7.1f} ×{WANTED[name]:7} ×  {equal}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--bytes", nargs="+", type=amount, default=[MEGABYTE], metavar="N", help="of each text: 1M 10M")
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, metavar="N", help="tokens to learn")
    given = parser.parse_args()
    # the library reads it when it creates its threads
    os.environ["RAYON_NUM_THREADS"] = "1"
    for most, path in product(given.bytes, given.files or [None]):
        text = beginning(standard_library() if path is None else [path.read_text("utf-8")], most)
        print(f"{path or 'standard library'}, {len(text.encode()):,} bytes")
        print(f"{'':24}{'tokens':>8}{'ours':>10}{'original':>10}{'ratio':>9}{'wanted':>9}")
        for tokens in given.sizes:
            print(huggingface(text, tokens), flush=True)
            print(by_sentencepiece(text, tokens, "bpe"), flush=True)
            print(by_sentencepiece(text, tokens, "unigram"), flush=True)


if __name__ == "__main__":
    main()

"""One attempt: a changed file is opened, a short nasty text encoded and traced, ids decoded.

The outcome must be a result or an `InputError`, within a memory limit and a time limit.
"""

from __future__ import annotations

import signal
import traceback
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from random import Random
from types import FrameType, MappingProxyType
from typing import Final, NamedTuple

from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.opening.formats import FORMATS, Format, Source, format_of, open_source
from tests.fuzz import mutate, seeds
from tests.fuzz.seeds import Files

TEXTS: Final = (
    "Hello the wörld! 123\t<s>[CLS]▁漢字 A\u030a e\u0301🙂 it's…\n\0",
    "  [u]wor the<|endoftext|></s> <0x41>\ufeff\U0010ffff\r\n\r\n  ",
)
SECONDS: Final = 10
"""Processor time after which an attempt counts as hanging; usually it takes a hundredth of a second."""
PER_BYTE: Final = 100
AT_LEAST: Final = 16_000_000
"""The memory limit of an attempt, in bytes: PER_BYTE for each byte of its files, plus AT_LEAST."""


class Reader(NamedTuple):
    """A reader to fuzz: its format, its seeds, its mutation, and the choices a user may have made."""

    format: Format
    seeds: Callable[[], list[Files]]
    mutated: Callable[[Random, bytes], bytes] = mutate.bytes_mutated
    choices: tuple[Mapping[str, str], ...] = ({},)


def format_named(name: str) -> Format:
    return next(each for each in FORMATS if each.name == name)


def json_or_bytes(choose: Random, data: bytes) -> bytes:
    way = mutate.json_mutated if choose.random() < 0.7 else mutate.bytes_mutated
    return way(choose, data)


def message_or_bytes(choose: Random, data: bytes) -> bytes:
    for _ in range(choose.choice((1, 1, 1, 2, 4))):
        way = mutate.message_mutated if choose.random() < 0.8 else mutate.bytes_mutated
        data = way(choose, data)
    return data


def vocab_or_merges(choose: Random, data: bytes) -> bytes:
    return json_or_bytes(choose, data) if data.startswith(b"{") else mutate.bytes_mutated(choose, data)


PATTERNS = ({}, *({"pattern": pattern} for pattern in ("r50k_base", r"\w+|\s+|.", r" ?\S+|\s+", "gpt-2", "(a|")))
ENCODERS = (
    *PATTERNS, {"encoder": "characters"}, {"encoder": "metaspace"}, {"encoder": "byte-level", "prefix_space": "yes"}
)  # fmt: skip
LENGTHS = ({}, {"pad_and_truncate": "yes"})
AROUND = ({}, *({"add_special": answer} for answer in ("both", "none", "?")))
READERS: Final[Mapping[str, Reader]] = MappingProxyType(
    {
        "gguf": Reader(format_named("a GGUF file"), seeds.gguf),
        "tokenizer_json": Reader(format_named("a tokenizer.json"), seeds.tokenizer_json, json_or_bytes, LENGTHS),
        "sentencepiece_model": Reader(
            format_named("a SentencePiece model"), seeds.sentencepiece, message_or_bytes, AROUND
        ),
        "tiktoken_ranks": Reader(format_named("a ranks file"), seeds.tiktoken, choices=PATTERNS),
        "tekken": Reader(format_named("a tekken.json"), seeds.tekken, json_or_bytes),
        "vocab_txt": Reader(format_named("a BERT vocab.txt"), seeds.vocab_txt, choices=({}, {"case": "cased"})),
        "rwkv_txt": Reader(format_named("an RWKV vocabulary"), seeds.rwkv),
        "rwkv_json": Reader(format_named("an RWKV vocabulary in JSON"), seeds.rwkv_json, json_or_bytes),
        "vocab_merges": Reader(format_named("a vocab.json"), seeds.vocab_merges, vocab_or_merges, ENCODERS),
    }
)


class Finding(NamedTuple):
    """An unexpected error. where: the line of the project that raised it, so that equal findings count as one."""

    reader: str
    number: int
    what: str
    where: str
    trace: str


class Hangs(BaseException):
    """The attempt exceeded its time. Not an Exception, so that no handler in between catches it."""


@contextmanager
def alarm() -> Iterator[None]:
    def hangs(signum: int, frame: FrameType | None) -> None:
        raise Hangs(f"not done after {SECONDS} seconds of computing")

    before = signal.signal(signal.SIGVTALRM, hangs)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def files_of(name: str, number: int) -> tuple[Files, Random]:
    """The changed files of an attempt, reproducible from its number."""
    choose = Random(f"{name} {number}")
    reader = READERS[name]
    files = dict(choose.choice(reader.seeds()))
    for each in choose.sample(list(files), k=choose.randint(1, len(files))):
        files[each] = reader.mutated(choose, files[each])
    return files, choose


@cache
def warm(name: str) -> None:
    """Fills the caches with the seeds, so that their memory counts for no attempt."""
    for files in READERS[name].seeds():
        for seed in range(8):
            used(name, files, Random(seed))


def attempt(name: str, number: int) -> tuple[bool, Finding | None]:
    """Whether the changed file opens, and the unexpected error, if any. `name`: of the reader."""
    warm(name)
    files, choose = files_of(name, number)
    allowed = AT_LEAST + PER_BYTE * sum(map(len, files.values()))
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    works = False
    try:
        with alarm():
            works = used(name, files, choose)
        taken = tracemalloc.get_traced_memory()[1] - before
        assert taken < allowed, f"{taken:,} bytes of memory for {sum(map(len, files.values())):,} of files"
    except (Exception, Hangs) as error:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/explorer/" in frame.filename]
        where = f"{frames[-1].filename.rpartition('/explorer/')[2]}:{frames[-1].lineno}" if frames else "attempt"
        what = f"{type(error).__name__}: {error}"[:300]
        return works, Finding(name, number, what, where, "".join(traceback.format_exception(error)))
    return works, None


def used(name: str, files: Files, choose: Random) -> bool:
    """Opens the files and uses the tokenizer; False if they are refused."""
    reader = READERS[name]
    main, *others = files
    try:
        format_of(files[main], main)
    except InputError as error:
        check(error)
    source = Source(files[main], {other: files[other] for other in others})
    implementation = choose.choice(list(reader.format.implementations))
    try:
        tokenizer = open_source(source, reader.format, main, implementation, choose.choice(reader.choices))
    except InputError as error:
        check(error)
        return False
    use(tokenizer, choose)
    return True


def use(tokenizer: Tokenizer, choose: Random) -> None:
    """Encodes, traces and decodes; failures must be `InputError`s."""
    repr(tokenizer.facts)
    for text in TEXTS:
        try:
            ids = tokenizer.encode(text).ids
        except InputError as error:
            check(error)
            continue
        assert tokenizer.trace(text).ids == ids, "traced and untraced differ"
        size = len(tokenizer.vocabulary)
        for some in (ids, [choose.randrange(-1, size + 1) for _ in range(8)], [0], [size - 1], []):
            try:
                tokenizer.decode(some)
            except InputError as error:
                check(error)


def check(error: InputError) -> None:
    message = str(error)
    assert message.isprintable(), f"an error that is not one line of printable text: {message[:200]!a}"
    assert len(message) < 3_000, f"an error of {len(message)} characters"

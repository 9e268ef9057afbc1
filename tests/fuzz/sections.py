"""Fuzzes tokenizer.json against the original: `python -m tests.fuzz.sections [COUNT [SEED]]`; 2,000 files from seed 1.

Each file is opened by this engine and by `tokenizers`. Both must open it, or both refuse. Of random texts, plain and
traced ids, those of the compiled encoder, offsets and decoded texts must be the original's, except what `NAMED` lists.
Prints each difference with the seed that repeats it, then what was compared and what was named. Exit status 1 if there
is a difference.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any, Final, NamedTuple

from tokenizers import Tokenizer as Original

from explorer.compiled import build
from explorer.engine.fast.compiling.encoder import NotCompiled
from explorer.engine.fast.encoder import Batches
from explorer.engine.part import Options
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.facts import Fact
from explorer.formats.tokenizer_json import read
from explorer.implementations.huggingface import from_tokenizer_json
from explorer.implementations.offsets import offsets
from tests.compiled.hostile import batches
from tests.fuzz.tokenizer_files import EMPTY, Section, texts_for, whole_file

TEXTS: Final = 10
"""Texts of a file, and lists of random ids."""

SHOWN: Final = 2
"""Differences of one file that are printed."""


@dataclass(frozen=True)
class Refused:
    """What a call raised. Two are equal, whatever they say."""

    why: str = field(compare=False)


def outcome(call: Callable[[], Any]) -> Any:
    """What a call returns or raises. The original's panics are no Exceptions."""
    try:
        return call()
    except InputError as error:
        return Refused(str(error))
    except BaseException as error:
        if type(error).__name__ == "PanicException" or type(error) is Exception:
            return Refused(f"{type(error).__name__}: {error}")
        raise


class Case(NamedTuple):
    """A comparison: of what, of which file, what both made of it. original, facts: of the tokenizers that opened."""

    what: str
    file: Section
    ours: Any
    theirs: Any
    original: Any = None
    facts: Sequence[Fact] = ()


def says(case: Case, words: str) -> bool:
    """Whether this engine refuses with these words."""
    return isinstance(case.ours, Refused) and words in case.ours.why


def inserts_in_front(normalizer: Any) -> bool:
    """Whether a Replace matches nothing at the beginning of a text, or a Prepend writes nothing there."""
    if not isinstance(normalizer, dict):
        return False
    inner = normalizer.get("normalizers", ())
    return normalizer.get("prepend") == "" or normalizer.get("pattern") in EMPTY or any(map(inserts_in_front, inner))


def counts_what_is_not_there(case: Case) -> bool:
    """Whether offsets may count the bytes of a prefix or suffix."""
    model = case.file["model"]
    return (
        case.what == "offsets"
        and bool(model.get("byte_fallback"))
        and bool(model.get("continuing_subword_prefix") or model.get("end_of_word_suffix"))
    )


NAMED: Final[dict[str, Callable[[Case], bool]]] = {
    "the original panics": lambda case: isinstance(case.theirs, Refused) and case.theirs.why.startswith("Panic"),
    "an added token is empty once normalized: the original cuts every text there": lambda case: says(
        case, "is empty once normalized"
    ),
    "a template gets parts it has no slots for: the original panics, with special tokens or without": lambda case: (
        says(case, "TemplateProcessing.single cannot be run")
        and any(
            isinstance(outcome(partial(case.original.encode, "a", add_special_tokens=add)), Refused)
            for add in (False, True)
        )
    ),
    "two added tokens are the same once normalized: which one the original finds is undefined": lambda case: any(
        "are the same once normalized" in fact.says for fact in case.facts
    ),
    "what a Replace inserts in front of a text is rewritten again: the original garbles it, or panics": lambda case: (
        case.what != "lists of ids decoded" and inserts_in_front(case.file["normalizer"])
    ),
    "a post-processor adds an id that no token has": lambda case: says(case, "but the ids are"),
    "an id that no token has is decoded: the original leaves it out": lambda case: says(case, "without a token"),
    "BPE's offsets count bytes of a prefix or suffix that the text does not have": counts_what_is_not_there,
}
"""Where this engine differs from the original on purpose, and why."""


def differ(case: Case, seen: Counter[str]) -> bool:
    """Whether both differ, and no rule names how."""
    seen[case.what] += 1
    if case.ours == case.theirs:
        return False
    name = next((name for name, holds in NAMED.items() if holds(case)), None)
    if name is not None:
        seen[f"named: {name}"] += 1
    return name is None


def differences(seed: int, functions: build.Functions, seen: Counter[str]) -> Iterator[str]:
    """What differs for the file of a seed. seen: counts what is compared."""
    choose = Random(seed)
    file = whole_file(choose)
    text = json.dumps(file)
    ours = outcome(lambda: from_tokenizer_json(read(text.encode(), "toy"), "toy"))
    theirs = outcome(lambda: Original.from_str(text))
    if isinstance(ours, Refused) or isinstance(theirs, Refused):
        # one that opened differs from one that was refused
        if differ(Case("files refused", file, ours, theirs, theirs), seen):
            yield f"opening:\n    theirs {theirs}\n    ours   {ours}"
        return
    seen["files opened"] += 1
    theirs.no_truncation()
    theirs.no_padding()
    texts = texts_for(choose, file, TEXTS)
    for case, said in (
        *of_ids(file, ours, theirs, texts, functions),
        *of_decoding(choose, file, ours, theirs, texts),
    ):
        if differ(case._replace(facts=ours.facts), seen):
            yield f"{said}: {case.what}\n    theirs {case.theirs!a}\n    ours   {case.ours!a}"


def of_ids(
    file: Section, ours: Tokenizer, theirs: Original, texts: list[str], functions: build.Functions
) -> Iterator[tuple[Case, str]]:
    """Ids and offsets of both."""
    ours.untraced._seen = 1 << 30  # the fast path begins at once
    together = compiled(ours, functions)
    for options in (Options(), Options(False, False)):
        theirs.encode_special_tokens = not options.parse_special
        asked = options._asdict()
        for text in texts:
            want = outcome(partial(theirs.encode, text, add_special_tokens=options.add_special))
            ids, where = (want, want) if isinstance(want, Refused) else (want.ids, want.offsets)
            said = f"{options}, {text!a}"
            plain, traced = outcome(partial(ours.encode, text, **asked)), outcome(partial(ours.trace, text, **asked))
            for what, got in (("texts plain", plain), ("texts traced", traced)):
                yield Case(what, file, got if isinstance(got, Refused) else got.ids, ids), said
            yield Case("offsets", file, outcome(partial(offsets, ours, text, **asked)), where), said
            made = None if together is None else outcome(partial(together.encode, [text], options))
            if made is not None:
                yield Case("texts compiled", file, made if isinstance(made, Refused) else [*made[0]], ids), said


def compiled(ours: Tokenizer, functions: build.Functions, slots: int = 16) -> Batches | None:
    """The compiled way of a tokenizer, None if it has none."""
    try:
        return batches(ours.parts, functions, slots)
    except NotCompiled:
        return None


def of_decoding(
    choose: Random, file: Section, ours: Tokenizer, theirs: Original, texts: list[str]
) -> Iterator[tuple[Case, str]]:
    """Decoded texts of both, of the ids of texts and of random ones."""
    lists = [outcome(partial(ours.encode, text)) for text in texts]
    ids_of = [made.ids for made in lists if not isinstance(made, Refused)]
    size = len(ours.vocabulary)
    for ids in [*ids_of, *([choose.randrange(size) for _ in range(choose.randrange(9))] for _ in range(TEXTS))]:
        for skip in (False, True):
            want = outcome(partial(theirs.decode, ids, skip_special_tokens=skip))
            got = outcome(partial(ours.decode, ids, remove_special=False, unparse_special=not skip))
            yield Case("lists of ids decoded", file, got, want), f"{ids}, {skip=}"


def main(arguments: list[str]) -> int:
    count = int(arguments[0]) if arguments else 2_000
    first = int(arguments[1]) if len(arguments) > 1 else 1
    functions = build.compiled() if build.is_installed() else build.PLAIN
    seen: Counter[str] = Counter()
    wrong = 0
    for seed in range(first, first + count):
        found = [*differences(seed, functions, seen)]
        wrong += bool(found)
        for said in found[:SHOWN]:
            print(f"seed {seed}: {said}", flush=True)
    print(f"{count:,} files from seed {first}: {wrong} with differences")
    for what, times in sorted(seen.items()):
        print(f"{times:>9,} {what}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

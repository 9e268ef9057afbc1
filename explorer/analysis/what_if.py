"""Flips one switch of a tokenizer and compares the ids.

The switches are the options of the call (add special tokens, parse special tokens, read escapes), the implementation,
four settings of the parts (the normalizer, the prefix space, `ignore_merges`, byte fallback), and the settings of a
model's folder, such as add_bos_token. Only switches that this tokenizer has and that affect it are offered. A flipped
tokenizer is the same list of parts with one replaced. What the vocabulary needs to read any text, such as a
space written ▁, stays.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Final, NamedTuple

from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import Comparison
from explorer.analysis.divergence.states import Run, run
from explorer.engine.budget import many_runs
from explorer.engine.items import Segment, silent
from explorer.engine.models.bpe import Bpe, KnownCharacters
from explorer.engine.models.lookup import CharWord
from explorer.engine.models.spm import Spm
from explorer.engine.models.unigram import Unigram
from explorer.engine.normalizers.charsmap import CharsmapNormalization
from explorer.engine.normalizers.stage import Normalization, Normalizer, SpacePrefix
from explorer.engine.part import Part
from explorer.engine.pre_tokenizers.by_regex import PreTokenization, Splitter
from explorer.engine.pre_tokenizers.huggingface import MetaspaceSplit, PrefixSpace
from explorer.engine.pre_tokenizers.wpm import WpmWords
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.opening.catalog import catalog, load
from explorer.stages.spelling import implementation_title
from explorer.text import unescape
from explorer.vocabulary import SPACE_MARK, Vocabulary

Loader = Callable[[str], Opened]
"""Opens a tokenizer by its name, such as `explorer.load`."""


class Switch(StrEnum):
    """What can be flipped. The value is its name."""

    ADD_SPECIAL = "add special"
    PARSE_SPECIAL = "parse special"
    ESCAPES = "read escapes"
    IMPLEMENTATION = "implementation"
    NORMALIZER = "normalizer"
    PREFIX_SPACE = "prefix space"
    IGNORE_MERGES = "ignore merges"
    BYTE_FALLBACK = "byte fallback"
    SETTING = "setting"


class Variation(NamedTuple):
    """A switch that this tokenizer has.

    on: its current state. spec: for IMPLEMENTATION the other tokenizer, for SETTING the name of the setting in the
    folder's files.
    """

    switch: Switch
    on: bool = True
    spec: str = ""


def variations(
    tokenizer: Opened, text: str, *, add_special: bool = True, parse_special: bool = True
) -> tuple[Variation, ...]:
    """The switches that a tokenizer has, in order. `text` matters for escapes only.

    >>> import explorer
    >>> [each.switch.value for each in variations(explorer.load("llama-2"), "What is LoRA?")]
    ['add special', 'parse special', 'prefix space', 'byte fallback']
    """
    switches = []
    if tokenizer.encode("").ids != tokenizer.encode("", add_special=False).ids or adds_tokens(tokenizer):
        switches.append(Variation(Switch.ADD_SPECIAL, add_special))
    if parses(tokenizer):
        switches.append(Variation(Switch.PARSE_SPECIAL, parse_special))
    if has_escapes(text):
        switches.append(Variation(Switch.ESCAPES, False))
    model = catalog().get(tokenizer.name)
    others = (each for each in (model.implementations if model else ()) if each != tokenizer.implementation)
    switches += [Variation(Switch.IMPLEMENTATION, True, f"{tokenizer.name}@{each}") for each in others]
    switches += [Variation(Switch.SETTING, variant.on, variant.name) for variant in tokenizer.variants.all]
    parts = (switch for switch in FLIPS if flipped(tokenizer, switch) is not None)
    return (*switches, *(Variation(switch, is_on(tokenizer, switch)) for switch in parts))


def flip(now: Run, variation: Variation, *, open_other: Loader = load) -> Comparison:
    """Compares a run with the same text after one switch is flipped. Only stages that the switch affects run again.

    Raises InputError if the tokenizer has no such switch.

    >>> import explorer
    >>> now = run(explorer.load("qwen2.5"), "A\\u030a")
    >>> print(flip(now, Variation(Switch.NORMALIZER)).sentence)
    normalize, characters 1 to 2: with the normalizer it composes A + U+030A to Å (NFC); \
without the normalizer it leaves two code points.
    """
    switch, on, spec = variation
    before = after = now.tokenizer
    options = now.options._asdict()
    with many_runs("a comparison", len(now.text)):
        if switch in (Switch.ADD_SPECIAL, Switch.PARSE_SPECIAL):
            option = "add_special" if switch == Switch.ADD_SPECIAL else "parse_special"
            options[option] = not options[option]
        elif switch == Switch.IMPLEMENTATION:
            after = open_other(spec)
        elif switch != Switch.ESCAPES:
            chosen = before.variants.named([spec] if switch == Switch.SETTING else [])
            other = chosen[0].flipped if chosen else flipped(before, switch)
            if other is None:
                raise InputError(f"{before.name} has no switch “{spec or switch.value}”; choose another one")
            after = other
        names = [f"{'with' if state else 'without'} {NAMES.get(switch, spec)}" for state in (on, not on)]
        words = [f"{name} it" for name in names]
        if switch == Switch.IMPLEMENTATION:
            names = words = [implementation_title(each.implementation) for each in (before, after)]
        reads = switch == Switch.ESCAPES
        return compare(
            replace(now, label=names[0], words=words[0]),
            run(after, now.text, names[1], words=words[1], read_escapes=reads, like=now.trace, **options),
        )


NAMES: Final = {
    Switch.ADD_SPECIAL: "add special",
    Switch.PARSE_SPECIAL: "parse special",
    Switch.ESCAPES: "escapes read",
    Switch.IMPLEMENTATION: "implementation",
    Switch.NORMALIZER: "the normalizer",
    Switch.PREFIX_SPACE: "the space in front",
    Switch.IGNORE_MERGES: "ignore merges",
    Switch.BYTE_FALLBACK: "byte fallback",
}
"""Switches as they are named in sentences."""


# --- which switches there are -----------------------------------------------------------------------------------------


def adds_tokens(tokenizer: Opened) -> bool:
    """Whether tokens are added around a text that has characters."""
    return tokenizer.encode("a").ids != tokenizer.encode("a", add_special=False).ids


def parses(tokenizer: Opened) -> bool:
    """Whether some special token is left as text if special tokens are not parsed, according to the events."""
    trace = tokenizer.trace("a", parse_special=False)
    kinds = ((stage, row.kind) for stage in trace.stages if stage.name == "partition" for row in stage.events)
    return any(stage.part.kinds(kind).name == "NOT_PARSED" for stage, kind in kinds)


def has_escapes(text: str) -> bool:
    """Whether a text has escapes that can be replaced."""
    try:
        return unescape(text) != text
    except InputError:
        return False


# --- flipped parts ----------------------------------------------------------------------------------------------------


def flipped(tokenizer: Opened, switch: Switch) -> Opened | None:
    """The tokenizer with one of its parts changed; None if it has no such switch."""
    flip = FLIPS.get(switch)
    made: list[Part] = []
    changed = False
    for part in tokenizer.parts:
        other = part if flip is None or (changed and switch != Switch.NORMALIZER) else flip(part)
        changed = changed or other is not part
        if other is not None:
            made.append(other)
    if not changed:
        return None
    other_tokenizer = replace(tokenizer, parts=tuple(made))
    if switch == Switch.PREFIX_SPACE and other_tokenizer.encode("a").ids == tokenizer.encode("a").ids:
        return None  # white space is inserted before each word anyway
    return other_tokenizer


def is_on(tokenizer: Opened, switch: Switch) -> bool:
    """The state of a switch of the parts."""
    return switch not in STATES or any(map(STATES[switch], tokenizer.parts))


def without_normalizer(part: Part) -> Part | None:
    """A normalizer that only spells spaces; the part itself if it does nothing else."""
    if isinstance(part, WpmWords):  # llama.cpp lowercases in its loop
        return WpmWords(strip_accents=False, lowercase=False) if part.strip_accents or part.lowercase else part
    if part.name != "normalize":
        return part
    if isinstance(part, CharsmapNormalization):
        made = copy.copy(part)
        made.charsmap = None
        return part if part.charsmap is None else made
    if isinstance(part, Normalization):
        kept = [each for each in part.normalizers if spells_only(each)]
        if len(kept) == len(part.normalizers):
            return part
        return Normalization(kept) if kept else None
    return None


PROBE: Final = " A\u030a É ﬁ\u200b\t漢 "
"""A text that is changed by every normalizer that does more than spell spaces."""


def spells_only(normalizer: Normalizer) -> bool:
    """Whether a normalizer only writes spaces as ▁ and adds a prefix space."""
    return normalizer.apply(Segment.of(PROBE), 0, False, silent).text.replace(SPACE_MARK, " ") in (PROBE, " " + PROBE)


def with_other_prefix(part: Part) -> Part:
    """A part with the prefix space turned off or on; or the part itself if it has no such setting."""
    if isinstance(part, Normalization):
        rest = [each for each in part.normalizers if not puts_in_front(each.apply(Segment.of("a"), 0, False, silent))]
        if len(rest) < len(part.normalizers):
            return Normalization(rest)
        if any(each.apply(Segment.of(" "), 0, True, silent).text == SPACE_MARK for each in rest):
            return Normalization([SpacePrefix(), *rest])
    if isinstance(part, CharsmapNormalization):
        made = copy.copy(part)
        made.rules = part.rules._replace(add_dummy_prefix=not part.rules.add_dummy_prefix)
        return made
    if isinstance(part, PreTokenization):
        if has_prefix(part):
            return PreTokenization(list(without_prefix(part.splitters)))
        return PreTokenization([PrefixSpace(always=True), *part.splitters])
    return part


def puts_in_front(made: Segment) -> bool:
    """Whether something was added before the letter a."""
    return made.text.endswith("a") and made.text != "a"


def has_prefix(part: Part) -> bool:
    """Whether a part adds a prefix space."""
    if isinstance(part, CharsmapNormalization):
        return part.rules.add_dummy_prefix
    if isinstance(part, Normalization):
        return any(puts_in_front(each.apply(Segment.of("a"), 0, False, silent)) for each in part.normalizers)
    return isinstance(part, PreTokenization) and any(map(prefixes, part.splitters))


def prefixes(splitter: Splitter) -> bool:
    """Whether a splitter adds a prefix space."""
    return puts_in_front(splitter.split(Segment.of("a"), 0, silent)[0])


def without_prefix(splitters: Sequence[Splitter]) -> Iterator[Splitter]:
    """Splitters without the prefix space."""
    for each in splitters:
        if isinstance(each, MetaspaceSplit):
            yield MetaspaceSplit(each.replacement, "never", cuts=each.cuts)
        elif not prefixes(each):
            yield each


def with_other_whole(part: Part) -> Part:
    """A merging model with `ignore_merges` flipped."""
    if not isinstance(part, Bpe):
        return part
    made = copy.copy(part)
    made.whole = not part.whole
    return made


# --- byte fallback, in every model whose vocabulary has a piece for each byte


def byte_pieces(vocabulary: Vocabulary) -> list[int]:
    """The ids of `<0x00>` to `<0xFF>`; empty unless all of them are pieces."""
    found = [vocabulary.ids.get(b"<0x%02X>" % byte) for byte in range(256)]
    return [id for id in found if id is not None] if None not in found else []


def falls_back(part: Part) -> bool | None:
    """Whether a model falls back to bytes; None if it cannot."""
    if isinstance(part, (Spm, Unigram, CharWord)):
        if part.unknown is None or not byte_pieces(part.vocabulary):
            return None
        if isinstance(part, Spm):
            return part.byte_fallback
        return part.rules.byte_fallback if isinstance(part, Unigram) else bool(part.byte_tokens)
    if isinstance(part, Bpe) and isinstance(part.initial, KnownCharacters):
        ids = part.initial.ids
        known = part.initial.unknown in ids and all(b"<0x%02X>" % byte in ids for byte in range(256))
        return part.initial.byte_fallback if known else None
    return None


def with_other_fallback(part: Part) -> Part:
    """A model with byte fallback turned the other way; the part itself if it has none."""
    now = falls_back(part)
    if now is None:
        return part
    other = copy.copy(part)
    if isinstance(other, Spm):
        other.byte_fallback = not now
    elif isinstance(other, Unigram):
        # a run of unknown characters is one token only where it isn't bytes
        other.rules = other.rules._replace(byte_fallback=not now, fuse_unknown=now)
        other.bytes = [] if now else list(byte_pieces(other.vocabulary))
    elif isinstance(other, CharWord):
        other.byte_tokens = () if now else byte_pieces(other.vocabulary)
    elif isinstance(other, Bpe):
        other.initial = copy.copy(other.initial)
        assert isinstance(other.initial, KnownCharacters)
        other.initial.byte_fallback = not now
    return other


STATES: Final[dict[Switch, Callable[[Part], bool | None]]] = {
    Switch.PREFIX_SPACE: has_prefix,
    Switch.BYTE_FALLBACK: falls_back,
    Switch.IGNORE_MERGES: lambda part: isinstance(part, Bpe) and bool(part.whole),
}
"""Whether a switch is on in a part. A normalizer that can be removed is there."""

FLIPS: Final[dict[Switch, Callable[[Part], Part | None]]] = {
    Switch.NORMALIZER: without_normalizer,
    Switch.PREFIX_SPACE: with_other_prefix,
    Switch.IGNORE_MERGES: with_other_whole,
    Switch.BYTE_FALLBACK: with_other_fallback,
}
"""Functions that flip a switch of a part. They return the part itself if it has no such switch, None to remove it."""

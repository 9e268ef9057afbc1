"""Variants of a tokenizer: one switch flipped and the ids compared, an added token's `normalized`, another pattern.

The switches are the options of the call (add special tokens, parse special tokens, read escapes), the implementation,
four settings of the parts (the normalizer, the prefix space, `ignore_merges`, byte fallback), and the settings of a
model's folder, such as add_bos_token. Only switches that this tokenizer has and that affect it are offered. A flipped
tokenizer is the same list of parts with one replaced. What the vocabulary needs to read any text, such as a
space written ▁, stays.

A tokenizer.json says for each added token whether it is searched in the original or in the normalized text. In the
normalized text its own spelling is normalized, too: with a normalizer that prepends ▁, `</s>` is searched as `▁</s>`.
Other programs search the original text.

A pattern, one of the bundled models', tiktoken's, Mistral's or llama.cpp's, explains expected ids only if all of them
come out. Some patterns give the same ids for a text; the first is named: those of well-known models, then llama.cpp's
`tokenizer.ggml.pre`, in the order of its own list. For a file that llama.cpp runs, the names of `tokenizer.ggml.pre`
come first, because such a file says the wrong one, or none. A pattern that llama.cpp runs in its own way, or Hugging
Face in Oniguruma's dialect, is run in that way. Leaves out tokenizers without a pattern, and whatever exceeds `BUDGET`.
Of a long text the beginning is tried first, up to the first difference: a pattern that does not change it explains
nothing.
"""

import copy
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import Comparison, Run, run
from explorer.analysis.ownership import common
from explorer.engine.budget import many_runs
from explorer.engine.models.bpe import Bpe, KnownCharacters
from explorer.engine.models.lookup import CharWord
from explorer.engine.models.spm import Spm
from explorer.engine.models.unigram import Unigram
from explorer.engine.normalizers.charsmap import CharsmapNormalization
from explorer.engine.normalizers.stage import Normalization, Normalizer, SpacePrefix
from explorer.engine.part import Options, Part, Segment, silent
from explorer.engine.partition.special_tokens import AddedToken, AddedTokenPartition
from explorer.engine.pre_tokenizers.by_regex import CollapsedSplit, PreTokenization, RegexSplit, Splitter
from explorer.engine.pre_tokenizers.huggingface import CharSplit, MetaspaceSplit, PrefixSpace
from explorer.engine.pre_tokenizers.patterns import CL100K_BASE, PATTERNS, R50K_BASE
from explorer.engine.pre_tokenizers.scanners import ScannerSplit
from explorer.engine.pre_tokenizers.wpm import WpmWords
from explorer.engine.tokenizer import Trace
from explorer.errors import InputError
from explorer.implementations.huggingface.added_tokens import NORMALIZED
from explorer.implementations.llama_cpp.pre_tokenizers import PRE
from explorer.implementations.opened import Opened, with_pattern
from explorer.opening.catalog import catalog, load
from explorer.stages.spelling import implementation_title
from explorer.stages.stage import text_of
from explorer.tables import Json, read_toml
from explorer.text import unescape, visible
from explorer.text.say import Say
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


WORDS: Mapping[str, Json] = read_toml(__file__, "words.toml")
"""By switch, what it is called, what it does, and what is said once it is flipped."""


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
        names = [f"{'with' if state else 'without'} {WORDS[switch].get('name', spec)}" for state in (on, not on)]
        words = [f"{name} it" for name in names]
        if switch == Switch.IMPLEMENTATION:
            names = words = [implementation_title(each.implementation) for each in (before, after)]
        reads = switch == Switch.ESCAPES
        return compare(
            replace(now, label=names[0], words=words[0]),
            run(after, now.text, names[1], words=words[1], read_escapes=reads, like=now.trace, **options),
        )


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
        other = copy.copy(part)
        other.charsmap = None
        return part if part.charsmap is None else other
    if isinstance(part, Normalization):
        kept = [each for each in part.normalizers if spells_only(each)]
        if len(kept) == len(part.normalizers):
            return part
        return Normalization(kept) if kept else None
    return None


PROBE = " A\u030a É ﬁ\u200b\t漢 "
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
        other = copy.copy(part)
        other.rules = part.rules._replace(add_dummy_prefix=not part.rules.add_dummy_prefix)
        return other
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
    other = copy.copy(part)
    other.whole = not part.whole
    return other


# --- byte fallback, in every model whose vocabulary has a piece for each byte


def byte_pieces(vocabulary: Vocabulary) -> list[int]:
    """The ids of `<0x00>` to `<0xFF>`; empty unless all of them are pieces."""
    found = [vocabulary.ids.get(b"<0x%02X>" % byte) for byte in range(256)]
    return [id for id in found if id is not None] if None not in found else []


def falls_back(part: Part) -> bool | None:
    """Whether a model falls back to bytes; None if it cannot."""
    if isinstance(part, Spm | Unigram | CharWord):
        if part.unknown is None or not byte_pieces(part.vocabulary):
            return None
        if isinstance(part, Spm):
            return part.byte_fallback
        return part.rules.byte_fallback if isinstance(part, Unigram) else bool(part.byte_tokens)
    if isinstance(part, Bpe) and isinstance(part.initial, KnownCharacters):
        ids = part.initial.ids
        known = part.unknown is not None and all(b"<0x%02X>" % byte in ids for byte in range(256))
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


STATES: dict[Switch, Callable[[Part], bool | None]] = {
    Switch.PREFIX_SPACE: has_prefix,
    Switch.BYTE_FALLBACK: falls_back,
    Switch.IGNORE_MERGES: lambda part: isinstance(part, Bpe) and bool(part.whole),
}
"""Whether a switch is on in a part. A normalizer that can be removed is there."""

FLIPS: dict[Switch, Callable[[Part], Part | None]] = {
    Switch.NORMALIZER: without_normalizer,
    Switch.PREFIX_SPACE: with_other_prefix,
    Switch.IGNORE_MERGES: with_other_whole,
    Switch.BYTE_FALLBACK: with_other_fallback,
}
"""Functions that flip a switch of a part. They return the part itself if it has no such switch, None to remove it."""


MOST = 12
"""The most tokens that are tried one by one."""


class Flip(NamedTuple):
    """A tokenizer with the setting of some tokens flipped. ids: of these tokens. says: a clause that follows "they"."""

    tokenizer: Opened
    ids: tuple[int, ...]
    says: Say


def flips(tokenizer: Opened, concerned: Collection[int]) -> Iterator[Flip]:
    """The tokenizers that differ in this setting alone. concerned: the ids that may be affected."""
    added = [token for part in partitions(tokenizer) for token in part.tokens]
    for was in (True, False):
        tokens = [token for token in added if token.normalized is was]
        likely = [token for token in tokens if token.id in concerned]
        for some in (*([token] for token in likely[:MOST]), *[each for each in (likely, tokens) if len(each) > 1]):
            other = with_flipped(tokenizer, some)
            if other is not None:
                yield Flip(other, tuple(token.id for token in some), words(tokenizer, other, some, was))


def partitions(tokenizer: Opened) -> list[AddedTokenPartition]:
    """The stages that search for added tokens as Hugging Face does."""
    return [part for part in tokenizer.parts if isinstance(part, AddedTokenPartition)]


def with_flipped(tokenizer: Opened, tokens: Sequence[AddedToken]) -> Opened | None:
    """The tokenizer with the setting of these tokens flipped; None if it has no normalizer."""
    normalizer = next((index for index, part in enumerate(tokenizer.parts) if part.name == "normalize"), None)
    if normalizer is None or not isinstance(tokenizer.parts[0], AddedTokenPartition):
        return None
    gone = {token.id for token in tokens}
    stays = [[token for token in part.tokens if token.id not in gone] for part in partitions(tokenizer)]
    written, normal = stays if len(stays) == 2 else (stays[0], [])
    for token in tokens:
        spelled = tokenizer.vocabulary.pieces[token.id].decode()
        if token.normalized:
            written.append(token._replace(content=spelled, normalized=False))
        else:
            content = text_of(tokenizer.parts[normalizer].run([Segment.of(spelled)], Options(), silent))
            if content:
                normal.append(token._replace(content=content, normalized=True))
    rest = [part for part in tokenizer.parts[normalizer + 1 :] if not isinstance(part, AddedTokenPartition)]
    parts: list[Part] = [AddedTokenPartition(written), *tokenizer.parts[1 : normalizer + 1]]
    parts += [AddedTokenPartition(normal, NORMALIZED)] if normal else []
    return replace(tokenizer, parts=(*parts, *rest))


def searched(tokenizer: Opened, ids: Collection[int]) -> list[AddedToken]:
    """The tokens with these ids that are searched in the normalized text."""
    return [token for part in partitions(tokenizer) for token in part.tokens if token.normalized and token.id in ids]


def words(tokenizer: Opened, other: Opened, tokens: Sequence[AddedToken], was: bool) -> Say:
    """The clause about the expected ids."""
    first, more = tokens[0], len(tokens) - 1
    also = f" and {more} more added token{'s' * (more > 1)}" if more else ""
    there = next((token.content for token in searched(tokenizer if was else other, {first.id})), "")
    if was:
        template = (
            "are those of searching the added token {0:t}{1:t} in the original text; its “normalized” is true, so "
            "{2:t} searches the normalized text for {3:t}"
        )
    else:
        template = (
            "are those of searching the added token {0:t}{1:t} as {3:t} in the normalized text, as if its “normalized” "
            "were true; {2:t} searches the original text"
        )
    return Say(template, named(tokenizer, first.id), also, tokenizer.name, quoted(there))


def note(tokenizer: Opened, ids: Collection[int]) -> Say | None:
    """A note about these tokens for ids without an explanation.

    >>> import explorer
    >>> note(explorer.load("gpt-2"), {50256}) is None
    True
    """
    found = [token for token in searched(tokenizer, ids) if token.content != spelling(tokenizer, token.id)]
    if not found:
        return None
    return Say(
        "The added token {0:t} is searched as {1:t} in the normalized text, because its “normalized” is true.",
        named(tokenizer, found[0].id),
        quoted(found[0].content),
    )


def named(tokenizer: Opened, id: int) -> str:
    """A token's spelling and id, for a sentence."""
    return f"{quoted(spelling(tokenizer, id))} ({id})"


def spelling(tokenizer: Opened, id: int) -> str:
    """A token's spelling in the vocabulary."""
    return tokenizer.vocabulary.pieces[id].decode()


def quoted(text: str) -> str:
    """A text in quotes."""
    return f"“{visible(text)}”"


BUDGET = 400_000
"""The most characters that are encoded for one search."""

SHORT = 4_000
"""The most characters of a text that is tried as a whole at once."""

AFTER = 200
"""The characters after the first difference that belong to the beginning of a long text."""

TITLES = {
    "gpt-2": "GPT-2",
    "llama-3": "Llama 3",
    "qwen-2": "Qwen 2",
    "tekken": "Mistral's Tekken, which the setting fix_mistral_regex of transformers puts in",
}
"""Known patterns as people call them; the others by their names."""


class OtherPattern(NamedTuple):
    """A tokenizer with another pattern. words: which. regex: a pattern that does the same when typed, "" if none."""

    tokenizer: Opened
    words: str
    regex: str = ""


def other_pattern(
    tokenizer: Opened, given: Trace, expected: Sequence[int], options: Options, differs: int
) -> OtherPattern | None:
    """The first known pattern with which a vocabulary gives exactly the expected ids; None if none does.

    given: the tokenizer's own trace of the text. differs: the index after the characters of the first difference.

    >>> import explorer
    >>> tok = explorer.load("llama-3")
    >>> found = other_pattern(tok, tok.trace("2023"), [508, 1419], Options(), 4)
    >>> found and found.words
    'the pattern of GPT-2'
    """
    text, wanted, left = given.text, list(expected), BUDGET
    beginning = text if len(text) <= SHORT else text[: differs + AFTER]
    like = given if beginning == text else tokenizer.trace_lazily(beginning, **options._asdict())
    for other in with_others(tokenizer):
        left -= len(beginning)
        if left < 0:
            return None
        with suppress(InputError):  # a pattern may be too slow for a text, or a piece not in the vocabulary
            ids = ids_of(other.tokenizer, like, options)
            # of a long text the beginning has to follow the expected ids further than the tokenizer's own do
            further = beginning == text or common(ids, wanted) > common(like.encoding.ids, wanted)
            if further and (beginning == text or (left := left - len(text)) >= 0):
                if beginning != text:
                    ids = ids_of(other.tokenizer, given, options)
                if ids == wanted:
                    return other._replace(regex=typed(tokenizer, other, given, wanted, options))
    return None


def ids_of(tokenizer: Opened, like: Trace, options: Options) -> list[int]:
    """The ids of a text that another tokenizer, which shares most parts, has traced."""
    return tokenizer.trace_lazily(like.text, **options._asdict(), like=like).encoding.ids


def typed(tokenizer: Opened, other: OtherPattern, given: Trace, wanted: list[int], options: Options) -> str:
    """The pattern if the visitor can type it instead of the tokenizer's own and gets the expected ids; otherwise ""."""
    splitters = [each for part in other.tokenizer.parts for each in patterned(part)]
    if len(splitters) != 1 or len(tokenizer.pattern_slots) != 1:
        return ""
    regex = "|".join(each.regex for each in splitters[0].alternatives)
    with suppress(InputError):
        if ids_of(with_pattern(tokenizer, regex), given, options) == wanted:
            return regex
    return ""


def with_others(tokenizer: Opened) -> Iterator[OtherPattern]:
    """The tokenizer with every other known pattern, the likeliest first."""
    if not any(map(patterned, tokenizer.parts)):
        yield from put_before(tokenizer)
        return
    for patterns in (
        (of_llama_cpp, with_known) if tokenizer.implementation == "llama.cpp" else (with_known, of_llama_cpp)
    ):
        yield from patterns(tokenizer)


def with_known(tokenizer: Opened) -> Iterator[OtherPattern]:
    """The tokenizer with the patterns of well-known models."""
    for name, pattern in PATTERNS.items():
        for other in with_splitters(tokenizer, [RegexSplit(pattern)]):
            yield OtherPattern(other, f"the pattern of {TITLES.get(name, name)}")
    slots = tokenizer.pattern_slots
    if len(slots) == 1 and slots[0].oniguruma:
        for pattern in (CL100K_BASE, R50K_BASE):  # a + after a repeat means another thing there
            yield OtherPattern(
                with_pattern(tokenizer, pattern.regex),
                f"the pattern of {pattern.name} as Hugging Face reads it, in Oniguruma's dialect",
            )


def put_before(tokenizer: Opened) -> Iterator[OtherPattern]:
    """A tokenizer that splits at a literal text alone, with a known pattern before that, as Gemma with Mistral's."""
    at = next((index for index, part in enumerate(tokenizer.parts) if isinstance(part, PreTokenization)), None)
    part = tokenizer.parts[at] if at is not None else None
    if isinstance(part, PreTokenization) and any(isinstance(each, RegexSplit) for each in part.splitters):
        for name, pattern in sorted(PATTERNS.items(), key=lambda item: item[0] != "tekken"):
            made = (
                *tokenizer.parts[:at],
                PreTokenization([RegexSplit(pattern), *part.splitters]),
                *tokenizer.parts[(at or 0) + 1 :],
            )
            words = f"the pattern of {TITLES.get(name, name)}, before its own"
            yield OtherPattern(replace(tokenizer, parts=made), words)


def of_llama_cpp(tokenizer: Opened) -> Iterator[OtherPattern]:
    """The tokenizer with llama.cpp's patterns; both with and without its `ignore_merges`, where that differs."""
    seen = set()
    for name, pre in PRE.items():
        if not pre.bytes_spelled:
            continue
        for whole in dict.fromkeys((pre.ignore_merges, None)):
            key = pre.patterns, whole
            if key in seen:
                continue
            seen.add(key)
            for other in with_splitters(tokenizer, pre.splitters, whole):
                yield OtherPattern(other, f"llama.cpp's pre-tokenizer “{name}”")


def patterned(part: Part) -> list[Splitter]:
    """The splitters of a part that have a pattern, which is more than a literal text."""
    every = part.splitters if isinstance(part, PreTokenization) else ()
    return [each for each in every if isinstance(each, ScannerSplit | CollapsedSplit)
            or (isinstance(each, RegexSplit) and each.pattern.name != "text")]  # fmt: skip


def with_splitters(tokenizer: Opened, splitters: Sequence[Splitter], whole: bool | None = None) -> Iterator[Opened]:
    """The tokenizer with these splitters instead of its patterns; also without its splitters of single characters.

    whole: whether a piece that is a token is used whole; None keeps the setting.
    """
    has_digits = any(
        isinstance(each, CharSplit)
        for part in tokenizer.parts
        for each in (part.splitters if isinstance(part, PreTokenization) else ())
    )
    for dropped in ((), (CharSplit,)) if has_digits else ((),):
        yield replace(tokenizer, parts=tuple(replaced(part, splitters, dropped, whole) for part in tokenizer.parts))


def replaced(
    part: Part, splitters: Sequence[Splitter], dropped: tuple[type[Splitter], ...], whole: bool | None
) -> Part:
    """A part with these splitters instead of its patterns, or with another setting of merges."""
    if isinstance(part, Bpe) and whole is not None and part.whole is not whole:
        return with_other_whole(part)
    old = patterned(part)
    if not old:
        return part
    assert isinstance(part, PreTokenization), "only it has patterns"
    made: list[Splitter] = []
    for each in part.splitters:
        if each is old[0]:
            made += splitters
        elif each not in old and not isinstance(each, dropped):
            made.append(each)
    return PreTokenization(made)

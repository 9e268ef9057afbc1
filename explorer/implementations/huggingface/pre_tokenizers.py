"""The pre-tokenizers of a tokenizer.json, each built from its settings.

Follows `pre_tokenizers/` of Hugging Face's tokenizers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final, TypeVar

from explorer.engine.pre_tokenizers.by_regex import Behavior, ByteLevel, RegexSplit, Splitter
from explorer.engine.pre_tokenizers.huggingface import (
    PUNCTUATION,
    WHITE,
    CharSplit,
    MetaspaceSplit,
    OnigurumaSplit,
    PrefixSpace,
    Scheme,
    UnicodeScripts,
    bert_pre_tokenizer,
    digits,
    fixed_length,
    whitespace,
)
from explorer.engine.pre_tokenizers.patterns import BY_REGEX, GPT2, few
from explorer.engine.regexes.reader import escaped
from explorer.engine.regexes.safe import Alternative, Pattern
from explorer.errors import InputError, verbatim
from explorer.facts import UNUSED, WARNING, Fact
from explorer.formats.tokenizer_json import Json
from explorer.implementations.huggingface.absent import REWRITES, never, why_not
from explorer.implementations.huggingface.reading import LocatedPart, PartType, flat, make_parts, part_facts, plain_type
from explorer.text import visible

T = TypeVar("T")

TOPIC: Final = "pre-tokenizer"


def pre_tokenizers(part: Json | None, name: str) -> list[Splitter]:
    """The splitters of the section `pre_tokenizer`, in order. Raises InputError naming an unknown type."""
    return make_parts(flat(part, "pre_tokenizer", "pretokenizers", name), PRE_TOKENIZERS, "pre_tokenizer")


def pre_tokenizer_facts(part: Json | None, name: str, normalizer: Json | None = None) -> list[Fact]:
    """The facts about that section. normalizer: the section before it, which decides what the text can contain.

    >>> [fact.says for fact in pre_tokenizer_facts({"type": "WhitespaceSplit"}, "toy")]
    ['Cut at white space, which is left out.']
    """
    parts = flat(part, "pre_tokenizer", "pretokenizers", name)
    facts = part_facts(parts, PRE_TOKENIZERS, TOPIC)
    before = flat(normalizer, "normalizer", "normalizers", name)
    for splitter in parts:
        if splitter.kind == "Split":
            facts += _never_cut(splitter, before)
        if splitter.kind == "ByteLevel" and [each.kind for each in before if each.kind in REWRITES][-1:] == [
            "ByteLevel"
        ]:
            says = "The bytes are already spelled as characters; spelling them again is not undone by any decoder."
            facts.append(splitter.fact(TOPIC, says, kind=WARNING))
        before.append(splitter)
    return facts


def _never_cut(part: LocatedPart, before: Sequence[LocatedPart]) -> list[Fact]:
    """A warning if a Split, or an alternative of it, cannot match."""
    kind, pattern = part.pattern()
    if kind is None:
        why = never(pattern, before)
        says = f"“{visible(pattern)}” never occurs {why}, so this Split never matches."
    else:
        whys = [group[0] if all(group) else "" for group in grouped(pattern, why_not(pattern, before))]
        dead = [index for index, why in enumerate(whys) if why]
        why, count = next(filter(None, whys), ""), len(whys)
        says = f"The pattern's characters never occur {why}, so this Split never matches."
        if len(dead) < count:
            numbers = ", ".join(str(index + 1) for index in dead)
            these = (
                f"Alternative {numbers} of its {count} needs"
                if len(dead) == 1
                else f"Alternatives {numbers} of its {count} need"
            )
            says = f"{these} characters that never occur {why}."
    return [part.fact(TOPIC, says, key="pattern", code=pattern, kind=WARNING)] if why else []


def _byte_level(part: LocatedPart) -> list[Splitter]:
    """ByteLevel combines up to three steps: a space in front, GPT-2's pattern, and the printable spelling of bytes."""
    found: list[Splitter] = []
    if part.get("add_prefix_space", bool):
        found.append(PrefixSpace())
    if part.get("use_regex", bool, default=True):
        found.append(RegexSplit(GPT2))
    return [*found, ByteLevel()]


def _split(part: LocatedPart) -> list[Splitter]:
    kind, wanted = part.pattern()
    what, invert = _behavior(part), part.get("invert", bool)
    try:
        return [OnigurumaSplit(pattern_of(wanted) if kind else text_pattern(wanted), what, invert=invert)]
    except InputError as error:
        raise part.error(f"pattern {verbatim(wanted)} cannot be run: {error}", "") from None


def text_pattern(text: str) -> Pattern:
    """The pattern that matches a literal text. An empty one matches everywhere."""
    says = f"The text “{visible(text)}” itself." if text else "Nothing, so it matches between any two characters."
    spelled = "".join(map(escaped, text))
    return Pattern(
        "text", "the vocabulary file", (Alternative(spelled, says, "" if spelled else "(?:)"),), nested_sets=True
    )


def pattern_of(wanted: str) -> Pattern:
    r"""The pattern of a Regex, with sentences for known alternatives.

    >>> [each.says for each in pattern_of(r"\p{N}{1,3}|[xy]").alternatives]
    ['Up to three digits; never with a space.', '']
    """
    from explorer.engine.regexes import oniguruma

    known = BY_REGEX.get(wanted)
    return Pattern(
        known.name if known else "of the file",
        known.source if known else "the vocabulary file",
        few(
            tuple(
                Alternative(regex, SENTENCES.get(regex, ""), "|".join(each.engine for each in group))
                for group in grouped(wanted, oniguruma.alternatives(wanted))
                for regex in ["|".join(each.regex for each in group)]
            )
        ),
        nested_sets=True,
    )


def grouped(wanted: str, each: Sequence[T]) -> list[Sequence[T]]:
    """Values for each alternative of a pattern, grouped as the alternatives of the known pattern with that regex.

    >>> [len(group) for group in grouped(GPT2.regex, range(12))]
    [7, 1, 1, 1, 1, 1]
    """
    from explorer.engine.regexes import oniguruma

    known = BY_REGEX.get(wanted)
    sizes = [len(oniguruma.alternatives(one.regex)) for one in known.alternatives] if known else [1] * len(each)
    ends = list(accumulate(sizes))
    return [each[end - size : end] for end, size in zip(ends, sizes, strict=True)]


SENTENCES: Final = {each.regex: each.says for pattern in BY_REGEX.values() for each in pattern.alternatives}
"""Regex of a known alternative → its sentence."""


def _behavior(part: LocatedPart, default: Behavior | None = None) -> Behavior:
    value = part.get("behavior", str, default)
    if value not in list(Behavior):
        raise part.error(f"behavior is {value!r}; it is one of {', '.join(Behavior)}")
    return Behavior(value)


def _delimiter(part: LocatedPart) -> list[Splitter]:
    ch = part.character("delimiter")
    return [CharSplit([(Alternative(ch, f"The character “{visible(ch)}”."), ch.__eq__)], Behavior.REMOVED)]


def _metaspace(part: LocatedPart) -> list[Splitter]:
    """Older files have add_prefix_space instead of prepend_scheme; the original refuses those where it is false."""
    scheme: Scheme
    match part.get("prepend_scheme", str, "always"):
        case "always" | "first" | "never" as scheme:
            pass
        case other:
            raise part.error(f"prepend_scheme is {other!r}; it is one of always, first, never")
    if part.part.get("add_prefix_space") is not None and not part.get("add_prefix_space", bool) and scheme != "never":
        raise part.error(
            "add_prefix_space is false, which the original accepts only with prepend_scheme never",
            "set prepend_scheme to never in the file",
        )
    cuts = part.part.get("split") is None or part.get("split", bool)
    return [MetaspaceSplit(part.character("replacement"), scheme, cuts=cuts)]


def _length(part: LocatedPart) -> list[Splitter]:
    size = part.get("length", int, 5)
    if size < 1:
        raise part.error(f"length is {size}, but a piece has at least one character")
    return [fixed_length(size)]


# --- facts ---------------------------------------------------------------------------------------------------------


def _byte_level_says(part: LocatedPart) -> Iterator[str | Fact]:
    if part.get("add_prefix_space", bool):
        says = "A space is put in front of every pre-token that doesn't begin with one."
        yield part.fact(TOPIC, says, key="add_prefix_space")
    if part.get("use_regex", bool, default=True):
        yield part.fact(TOPIC, "Cut by the pattern of GPT-2.", key="use_regex", code=GPT2.regex)
    yield "Every byte is spelled as a printable character: a space is Ġ."
    if "trim_offsets" in part.part:
        says = "trim_offsets has no effect in a pre-tokenizer; only a post-processor reads it."
        yield part.fact(TOPIC, says, key="trim_offsets", kind=UNUSED)


BECOMES: Final = {
    Behavior.REMOVED: "is a separator and left out",
    Behavior.ISOLATED: "is a pre-token of its own",
    Behavior.MERGED_WITH_PREVIOUS: "joins the pre-token before it",
    Behavior.MERGED_WITH_NEXT: "joins the pre-token after it",
    Behavior.CONTIGUOUS: "is a pre-token, together with directly following matches",
}


def _split_says(part: LocatedPart) -> Iterator[str | Fact]:
    kind, pattern = part.pattern()
    what, invert = _behavior(part), part.get("invert", bool)
    if not pattern:
        says = "The pattern is empty and matches everywhere: every character is a pre-token of its own."
        if invert and what == Behavior.REMOVED:
            says = "The pattern is empty and matches everywhere, and unmatched text is left out: nothing is left."
        yield part.fact(TOPIC, says, key="pattern", kind=WARNING)
        return
    matched = "the pattern matches" if kind else f"is “{visible(pattern)}”"
    if invert:
        matched = "the pattern does not match" if kind else f"is not “{visible(pattern)}”"
    yield part.fact(TOPIC, f"What {matched} {BECOMES[what]} ({what}).", code=pattern)


def _metaspace_says(part: LocatedPart) -> Iterator[str | Fact]:
    mark = visible(part.get("replacement", str))
    where = {
        "always": f"; {mark} is put in front of every pre-token that doesn't begin with one",
        "first": f"; {mark} is put in front of the text if it doesn't begin with one",
        "never": "",
    }[part.get("prepend_scheme", str, "always")]
    cuts = part.part.get("split") is None or part.get("split", bool)
    yield f"Spaces are written {mark}{where}{f'; every {mark} begins a pre-token' if cuts else '; nothing is cut'}."
    for key, says in (
        ("add_prefix_space", "add_prefix_space is from older files; prepend_scheme replaces it."),
        ("str_rep", "str_rep repeats replacement and is not read."),
    ):
        if part.part.get(key) is not None:
            yield part.fact(TOPIC, says, key=key, kind=UNUSED)


def _punctuation_says(part: LocatedPart) -> Iterator[str]:
    what = _behavior(part, Behavior.ISOLATED)
    yield f"Every punctuation mark and ASCII symbol {BECOMES[what].replace('matches', 'ones')} ({what})."


PRE_TOKENIZERS: Final[Mapping[str, PartType[Splitter]]] = {
    "ByteLevel": PartType(_byte_level, _byte_level_says, "add_prefix_space trim_offsets use_regex"),
    "Split": PartType(_split, _split_says, "pattern behavior invert"),
    "Whitespace": plain_type(
        "Words and runs of other visible characters are pre-tokens; white space is left out.",
        lambda: [whitespace()],
    ),
    "WhitespaceSplit": plain_type(
        "Cut at white space, which is left out.", lambda: [CharSplit([WHITE], Behavior.REMOVED)]
    ),
    "Metaspace": PartType(
        _metaspace,
        _metaspace_says,
        "replacement prepend_scheme split add_prefix_space str_rep",
    ),
    "BertPreTokenizer": plain_type(
        "Cut at white space, which is left out, and around every punctuation mark and ASCII symbol.",
        lambda: [*bert_pre_tokenizer()],
    ),
    "Digits": PartType(
        lambda part: [digits(part.get("individual_digits", bool))],
        lambda part: [
            "Every digit or other number is a pre-token of its own."
            if part.get("individual_digits", bool)
            else "Runs of digits and other numbers are cut out."
        ],
        "individual_digits",
    ),
    "Punctuation": PartType(
        lambda part: [CharSplit([PUNCTUATION], _behavior(part, Behavior.ISOLATED))],
        _punctuation_says,
        "behavior",
    ),
    "CharDelimiterSplit": PartType(
        _delimiter,
        lambda part: [f"Cut at “{visible(part.character('delimiter'))}”, which is left out."],
        "delimiter",
    ),
    "UnicodeScripts": plain_type("Cut where the script changes.", lambda: [UnicodeScripts()]),
    "FixedLength": PartType(
        _length, lambda part: [f"Cut into pre-tokens of {part.get('length', int, 5)} characters."], "length"
    ),
}
"""`type` of a pre-tokenizer → how it is built and described."""

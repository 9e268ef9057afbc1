"""The pre-tokenizers of a tokenizer.json, each made of its settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType
from typing import Final, TypeVar

from explorer.engine.pre_tokenizers.bert import as_hugging_face
from explorer.engine.pre_tokenizers.by_regex import RegexSplit
from explorer.engine.pre_tokenizers.byte_level import ByteLevel
from explorer.engine.pre_tokenizers.huggingface import (
    PUNCTUATION,
    WHITE,
    CharSplit,
    Metaspace,
    OnigurumaSplit,
    PrefixSpace,
    Scheme,
    UnicodeScripts,
    digits,
    fixed_length,
    whitespace,
)
from explorer.engine.pre_tokenizers.patterns import BY_REGEX, GPT2, few
from explorer.engine.pre_tokenizers.stage import Behavior, Splitter
from explorer.engine.regexes.oniguruma_sets import escaped
from explorer.engine.regexes.pattern import Alternative, Pattern
from explorer.errors import InputError, verbatim
from explorer.facts import Fact, FactKind
from explorer.formats.tokenizer_json import Json
from explorer.implementations.huggingface.absent import Absent
from explorer.implementations.huggingface.reading import Kind, Placed, facts_of, flat, made
from explorer.text import visible

T = TypeVar("T")

TOPIC: Final = "pre-tokenizer"


def pre_tokenizers(part: Json | None, name: str) -> list[Splitter]:
    """The splitters of the section `pre_tokenizer`, in order. Raises InputError naming what is not known."""
    return made(parts_of(part, name), {kind: each.make for kind, each in PRE_TOKENIZERS.items()}, "pre_tokenizer")


def pre_tokenizer_facts(part: Json | None, name: str, normalizer: Json | None = None) -> list[Fact]:
    """What that section says, for people; `normalizer`: the section before it, for what cannot be in the text any more.

    >>> [fact.says for fact in pre_tokenizer_facts({"type": "WhitespaceSplit"}, "toy")]
    ['Cut at white space, which is left out.']
    """
    parts = parts_of(part, name)
    facts = facts_of(parts, PRE_TOKENIZERS, TOPIC)
    absent = Absent()
    for each in flat(normalizer, "normalizer", "normalizers", name):
        absent.behind(each)
    spelled = "bytes" in absent.rules
    for each in parts:
        if each.kind == "Split":
            facts += never_cut(each, absent)
        if each.kind == "ByteLevel":
            if spelled:
                says = (
                    "The bytes are spelled as characters already; they are spelled once more, which no decoder undoes."
                )
                facts.append(each.fact(TOPIC, says, kind=FactKind.WARNING))
            spelled = True
        absent.behind(each)
    return facts


def parts_of(part: Json | None, name: str) -> list[Placed]:
    return flat(part, "pre_tokenizer", "pretokenizers", name)


def never_cut(part: Placed, absent: Absent) -> list[Fact]:
    """A warning where a Split looks for what cannot be there."""
    kind, pattern = part.pattern()
    if kind is None:
        why = absent.never(pattern)
        says = f"“{visible(pattern)}” is never there {why}, so this Split never matches."
    else:
        whys = [group[0] if all(group) else "" for group in grouped(pattern, absent.why_not(pattern))]
        never = [place for place, why in enumerate(whys) if why]
        why, count = next(filter(None, whys), ""), len(whys)
        says = f"What the pattern looks for is never there {why}, so this Split never matches."
        if len(never) < count:
            numbers = ", ".join(str(place + 1) for place in never)
            these = (
                f"Alternative {numbers} of its {count} looks"
                if len(never) == 1
                else f"Alternatives {numbers} of its {count} look"
            )
            says = f"{these} for what is never there {why}."
    return [part.fact(TOPIC, says, key="pattern", code=pattern, kind=FactKind.WARNING)] if why else []


def byte_level(part: Placed) -> list[Splitter]:
    """ByteLevel is up to three things in one: a space in front, GPT-2's pattern, and the printable spelling."""
    found: list[Splitter] = []
    if part.get("add_prefix_space", bool):
        found.append(PrefixSpace())
    if part.get("use_regex", bool, default=True):
        found.append(RegexSplit(GPT2))
    return [*found, ByteLevel()]


def split(part: Placed) -> list[Splitter]:
    kind, wanted = part.pattern()
    what, invert = behavior(part), part.get("invert", bool)
    try:
        return [OnigurumaSplit(pattern_of(wanted) if kind else text_pattern(wanted), what, invert=invert)]
    except InputError as error:
        raise part.error(f"pattern {verbatim(wanted)} cannot be run: {error}", "") from None


def text_pattern(text: str) -> Pattern:
    """The pattern that matches a text. An empty one matches everywhere."""
    says = f"The text “{visible(text)}” itself." if text else "Nothing, so it matches between any two characters."
    spelled = "".join(map(escaped, text))
    return Pattern(
        "text", "the vocabulary file", (Alternative(spelled, says, "" if spelled else "(?:)"),), nested_sets=True
    )


def pattern_of(wanted: str) -> Pattern:
    r"""The pattern of a Regex, with the sentences of the alternatives that are known.

    >>> [each.says for each in pattern_of(r"\p{N}{1,3}|[xy]").alternatives]
    ['Up to three numbers; a space never goes with them.', '']
    """
    from explorer.engine.regexes import oniguruma

    known = BY_REGEX.get(wanted)
    return Pattern(
        known.name if known else "of the file",
        known.source if known else "the vocabulary file",
        few(
            tuple(
                Alternative(
                    "|".join(each.regex for each in group),
                    SENTENCES.get("|".join(each.regex for each in group), ""),
                    "|".join(each.engine for each in group),
                )
                for group in grouped(wanted, oniguruma.alternatives(wanted))
            )
        ),
        nested_sets=True,
    )


def grouped(wanted: str, each: Sequence[T]) -> list[Sequence[T]]:
    """What there is for each | of a pattern, put together as the alternatives of a known pattern are.

    >>> [len(group) for group in grouped(GPT2.regex, range(12))]
    [7, 1, 1, 1, 1, 1]
    """
    from explorer.engine.regexes import oniguruma

    known = BY_REGEX.get(wanted)
    sizes = [len(oniguruma.alternatives(one.regex)) for one in known.alternatives] if known else [1] * len(each)
    ends = list(accumulate(sizes))
    return [each[end - size : end] for end, size in zip(ends, sizes, strict=True)]


SENTENCES: Final = {each.regex: each.says for pattern in BY_REGEX.values() for each in pattern.alternatives}


def behavior(part: Placed, default: Behavior | None = None) -> Behavior:
    """What becomes of a match, by its name."""
    value = part.get("behavior", str, default)
    if value not in list(Behavior):
        raise part.error(f"behavior is {value!r}; it is one of {', '.join(Behavior)}")
    return Behavior(value)


def one_character(part: Placed, key: str) -> str:
    value = part.get(key, str)
    if len(value) != 1:
        raise part.error(f"{key} is {value!r} and not one character")
    return value


def delimiter(part: Placed) -> list[Splitter]:
    ch = one_character(part, "delimiter")
    return [CharSplit([(Alternative(ch, f"The character “{visible(ch)}”."), ch.__eq__)], Behavior.REMOVED)]


def metaspace(part: Placed) -> list[Splitter]:
    """Older files say add_prefix_space instead of prepend_scheme; the original refuses them where it is false."""
    scheme: Scheme
    match part.get("prepend_scheme", str, "always"):
        case "always" | "first" | "never" as scheme:
            pass
        case other:
            raise part.error(f"prepend_scheme is {other!r}; it is one of always, first, never")
    if part.part.get("add_prefix_space") is not None and not part.get("add_prefix_space", bool) and scheme != "never":
        raise part.error(
            "add_prefix_space is false, which the original takes only beside prepend_scheme never",
            "write prepend_scheme never into the file",
        )
    cuts = part.part.get("split") is None or part.get("split", bool)
    return [Metaspace(one_character(part, "replacement"), scheme, cuts=cuts)]


def length(part: Placed) -> list[Splitter]:
    size = part.get("length", int, 5)
    if size < 1:
        raise part.error(f"length is {size}; a piece has one character at least")
    return [fixed_length(size)]


# --- what they say -------------------------------------------------------------------------------------------------


def byte_level_says(part: Placed) -> Iterator[str | Fact]:
    if part.get("add_prefix_space", bool):
        yield part.fact(TOPIC, "A space is put in front of every piece that begins with none.", key="add_prefix_space")
    if part.get("use_regex", bool, default=True):
        yield part.fact(TOPIC, "Cut by the pattern of GPT-2.", key="use_regex", code=GPT2.regex)
    yield "Every byte is spelled as a printable character: a space is Ġ."
    if "trim_offsets" in part.part:
        says = "trim_offsets says nothing in a pre-tokenizer; only a post-processor reads it."
        yield part.fact(TOPIC, says, key="trim_offsets", kind=FactKind.UNUSED)


BECOMES: Final[Mapping[Behavior, str]] = MappingProxyType(
    {
        Behavior.REMOVED: "is a separator and left out",
        Behavior.ISOLATED: "is a piece of its own",
        Behavior.MERGED_WITH_PREVIOUS: "goes to the piece before it",
        Behavior.MERGED_WITH_NEXT: "goes to the piece behind it",
        Behavior.CONTIGUOUS: "is a piece, together with what matches right behind it",
    }
)


def split_says(part: Placed) -> Iterator[str | Fact]:
    kind, pattern = part.pattern()
    what, invert = behavior(part), part.get("invert", bool)
    if not pattern:
        says = "The pattern is empty and matches everywhere: every character is a piece of its own."
        if invert and what == Behavior.REMOVED:
            says = (
                "The pattern is empty and matches everywhere, and what it does not match is left out: nothing is left."
            )
        yield part.fact(TOPIC, says, key="pattern", kind=FactKind.WARNING)
        return
    matched = "the pattern matches" if kind else f"is “{visible(pattern)}”"
    if invert:
        matched = "the pattern does not match" if kind else f"is not “{visible(pattern)}”"
    yield part.fact(TOPIC, f"What {matched} {BECOMES[what]} ({what}).", code=pattern)


def metaspace_says(part: Placed) -> Iterator[str | Fact]:
    mark = visible(part.get("replacement", str))
    where = {"always": f"; {mark} is put in front of every piece that begins with none",
             "first": f"; {mark} is put in front of the text if it begins with none",
             "never": ""}[part.get("prepend_scheme", str, "always")]  # fmt: skip
    cuts = part.part.get("split") is None or part.get("split", bool)
    yield f"Spaces are written {mark}{where}{f'; every {mark} begins a piece' if cuts else '; nothing is cut'}."
    for key, says in (("add_prefix_space", "add_prefix_space is of older files; prepend_scheme says it."),
                      ("str_rep", "str_rep repeats replacement and is not read.")):  # fmt: skip
        if part.part.get(key) is not None:
            yield part.fact(TOPIC, says, key=key, kind=FactKind.UNUSED)


def digits_says(part: Placed) -> Iterator[str]:
    alone = part.get("individual_digits", bool)
    yield (
        "Every digit or other number is a piece of its own."
        if alone
        else "Runs of digits and other numbers are cut out."
    )


def punctuation_says(part: Placed) -> Iterator[str]:
    what = behavior(part, Behavior.ISOLATED)
    yield f"Every punctuation mark and ASCII symbol {BECOMES[what].replace('what matches', 'those')} ({what})."


def delimiter_says(part: Placed) -> Iterator[str]:
    yield f"Cut at “{visible(one_character(part, 'delimiter'))}”, which is left out."


def length_says(part: Placed) -> Iterator[str]:
    yield f"Cut into pieces of {part.get('length', int, 5)} characters."


def plain(says: str, make: Callable[[], list[Splitter]]) -> Kind[Splitter]:
    """A type without settings."""
    return Kind(lambda part: make(), lambda part: [says])


PRE_TOKENIZERS: Final[Mapping[str, Kind[Splitter]]] = MappingProxyType(
    {
        "ByteLevel": Kind(byte_level, byte_level_says, frozenset({"add_prefix_space", "trim_offsets", "use_regex"})),
        "Split": Kind(split, split_says, frozenset({"pattern", "behavior", "invert"})),
        "Whitespace": plain(
            "Words and runs of other visible characters are pieces; white space is left out.", lambda: [whitespace()]
        ),
        "WhitespaceSplit": plain(
            "Cut at white space, which is left out.", lambda: [CharSplit([WHITE], Behavior.REMOVED)]
        ),
        "Metaspace": Kind(
            metaspace,
            metaspace_says,
            frozenset({"replacement", "prepend_scheme", "split", "add_prefix_space", "str_rep"}),
        ),
        "BertPreTokenizer": plain(
            "Cut at white space, which is left out, and around every punctuation mark and ASCII symbol.",
            lambda: [*as_hugging_face()],
        ),
        "Digits": Kind(
            lambda part: [digits(part.get("individual_digits", bool))], digits_says, frozenset({"individual_digits"})
        ),
        "Punctuation": Kind(
            lambda part: [CharSplit([PUNCTUATION], behavior(part, Behavior.ISOLATED))],
            punctuation_says,
            frozenset({"behavior"}),
        ),
        "CharDelimiterSplit": Kind(delimiter, delimiter_says, frozenset({"delimiter"})),
        "UnicodeScripts": plain("Cut where the script changes.", lambda: [UnicodeScripts()]),
        "FixedLength": Kind(length, length_says, frozenset({"length"})),
    }
)
"""`type` of a pre-tokenizer → what it is."""

"""The stages of a tokenizer.json before its model, each part built from its settings: normalizers, and pre-tokenizers.

Follows `normalizers/` and `pre_tokenizers/` of Hugging Face's tokenizers.

Most files have one or two normalizers, so rarely used ones are imported where they are built.
"""

import base64
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, repeat

from explorer.engine.normalizers.huggingface import (
    Literal,
    Lowercase,
    Prepend,
    Replace,
    SpellBytes,
    Strip,
    StripAccents,
    bert_normalizers,
    nmt,
)
from explorer.engine.normalizers.stage import Normalizer
from explorer.engine.normalizers.unicode_forms import UnicodeForm
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
from explorer.formats.strict_json import MAX_FILE
from explorer.implementations.huggingface.reading import LocatedPart, PartType, flat, make_parts, part_facts, plain_type
from explorer.tables import Json, read_toml
from explorer.text import visible
from explorer.vocabulary import BYTE_OF


def normalizers(part: Json | None) -> list[Normalizer]:
    """The normalizers of the section `normalizer`, in order. Raises InputError naming an unknown type."""
    return make_parts(flat(part, "normalizer", "normalizers"), NORMALIZERS, "normalizer")


def normalizer_facts(part: Json | None) -> list[Fact]:
    """The facts about that section.

    >>> [fact.says for fact in normalizer_facts({"type": "NFC"})]
    ['Characters are composed (NFC): e followed by an accent becomes é.']
    """
    return part_facts(flat(part, "normalizer", "normalizers"), NORMALIZERS, NORMALIZER_TOPIC)


NORMALIZER_TOPIC = "normalizer"


def _bert(part: LocatedPart) -> list[Normalizer]:
    accents = None if part.part.get("strip_accents") is None else part.get("strip_accents", bool)
    return bert_normalizers(
        clean_text=part.get("clean_text", bool),
        handle_chinese_chars=part.get("handle_chinese_chars", bool),
        strip_accents=accents,
        lowercase=part.get("lowercase", bool),
    )


def _replace(part: LocatedPart) -> list[Normalizer]:
    kind, pattern = part.pattern()
    content = part.get("content", str)
    if kind is None:
        return [Replace(Literal(pattern), content)]
    from explorer.engine.regexes.oniguruma import OnigurumaSpans

    try:
        return [Replace(OnigurumaSpans(pattern), content)]
    except InputError as error:
        raise part.error(f"pattern {verbatim(pattern)} cannot be run: {error}", "") from None


def _precompiled(part: LocatedPart) -> list[Normalizer]:
    from explorer.engine.normalizers.charsmap import PrecompiledCharsmap
    from explorer.engine.normalizers.huggingface import Precompiled

    try:
        data = base64.b64decode(part.get("precompiled_charsmap", str, longest=MAX_FILE), validate=True)
    except ValueError as error:  # text that isn't ASCII does not raise binascii.Error
        raise part.error(f"precompiled_charsmap is not base64 ({error})") from None
    return [Precompiled(PrecompiledCharsmap(data, part.path))]


# --- facts ---------------------------------------------------------------------------------------------------------


def _bert_says(part: LocatedPart) -> Iterator[str | Fact]:
    lowers, accents = part.get("lowercase", bool), part.part.get("strip_accents")
    done = {
        "controls are dropped and white space becomes spaces": part.get("clean_text", bool),
        "Chinese characters get spaces around them": part.get("handle_chinese_chars", bool),
        "accents are stripped": lowers if accents is None else accents,
        "letters are lowercased": lowers,
    }
    if any(done.values()):
        yield f"BERT's normalization: {', '.join(says for says, on in done.items() if on)}."
    else:
        yield part.fact(NORMALIZER_TOPIC, "BERT's normalization with everything switched off.", kind=UNUSED)
    if accents is None:
        what, lower = ("are stripped", "are") if lowers else ("stay", "aren't")
        says = f"Accents {what}, because this setting is null and letters {lower} lowercased."
        yield part.fact(NORMALIZER_TOPIC, says, key="strip_accents")


def _strip_says(part: LocatedPart) -> Iterator[str | Fact]:
    sides = [
        side for side, on in (("beginning", part.get("strip_left", bool)), ("end", part.get("strip_right", bool))) if on
    ]
    if sides:
        yield f"White space is dropped at the {' and the '.join(sides)} of the text."
    else:
        yield part.fact(NORMALIZER_TOPIC, "It strips neither side, so it does nothing.", kind=UNUSED)


def _replace_says(part: LocatedPart) -> Iterator[str | Fact]:
    kind, pattern = part.pattern()
    content = visible(part.get("content", str))
    becomes = f"replaced by “{content}”" if content else "left out"
    if kind is not None:
        yield part.fact(NORMALIZER_TOPIC, f"What the pattern matches is {becomes}.", code=pattern)
    elif pattern:
        yield part.fact(NORMALIZER_TOPIC, f"“{visible(pattern)}” is {becomes} wherever it occurs.", code=pattern)
    elif content:
        says = f"The pattern is empty and matches everywhere: “{content}” is inserted between any two characters."
        yield part.fact(NORMALIZER_TOPIC, says, key="pattern", kind=WARNING)
    else:
        yield part.fact(NORMALIZER_TOPIC, "It replaces nothing with nothing.", kind=UNUSED)


def _prepend_says(part: LocatedPart) -> Iterator[str | Fact]:
    text = part.get("prepend", str)
    if text:
        yield f"“{visible(text)}” is put in front of the text, and of every part of it after an added token."
    else:
        yield part.fact(NORMALIZER_TOPIC, "The text to put in front is empty.", kind=UNUSED)


NORMALIZERS: Mapping[str, PartType[Normalizer]] = {
    "NFC": plain_type(
        "Characters are composed (NFC): e followed by an accent becomes é.", lambda: [UnicodeForm("NFC")]
    ),
    "NFD": plain_type("Characters are decomposed (NFD): é becomes e and an accent.", lambda: [UnicodeForm("NFD")]),
    "NFKC": plain_type(
        "Variants of characters become the plain ones, composed (NFKC): ﬁ becomes fi, full-width Ａ becomes A.",
        lambda: [UnicodeForm("NFKC")],
    ),
    "NFKD": plain_type(
        "Variants of characters become the plain ones, decomposed (NFKD): ﬁ becomes fi, é becomes e and an accent.",
        lambda: [UnicodeForm("NFKD")],
    ),
    "Lowercase": plain_type("Letters are lowercased, each on its own.", lambda: [Lowercase()]),
    "StripAccents": plain_type(
        "Accents and all other combining marks are dropped; é as one character stays.", lambda: [StripAccents()]
    ),
    "Strip": PartType(
        lambda part: [Strip(left=part.get("strip_left", bool), right=part.get("strip_right", bool))],
        _strip_says,
        "strip_left strip_right",
    ),
    "Replace": PartType(_replace, _replace_says, "pattern content"),
    "Prepend": PartType(lambda part: [Prepend(part.get("prepend", str))], _prepend_says, "prepend"),
    "BertNormalizer": PartType(_bert, _bert_says, "clean_text handle_chinese_chars strip_accents lowercase"),
    "Precompiled": PartType(
        _precompiled,
        lambda part: ["Characters are replaced by SentencePiece's precompiled character map."],
        "precompiled_charsmap",
    ),
    "Nmt": plain_type(
        "Controls are dropped; tabs, line breaks, invisible characters, ▁ and U+FFFD become spaces.",
        lambda: [*nmt()],
    ),
    "ByteLevel": plain_type("Every byte is spelled as a printable character: a space is Ġ.", lambda: [SpellBytes()]),
}
"""`type` of a normalizer → how it is built and described."""


PRE_TOKENIZER_TOPIC = "pre-tokenizer"


def pre_tokenizers(part: Json | None) -> list[Splitter]:
    """The splitters of the section `pre_tokenizer`, in order. Raises InputError naming an unknown type."""
    return make_parts(flat(part, "pre_tokenizer", "pretokenizers"), PRE_TOKENIZERS, "pre_tokenizer")


def pre_tokenizer_facts(part: Json | None, normalizer: Json | None = None) -> list[Fact]:
    """The facts about that section. normalizer: the section before it, which decides what the text can contain.

    >>> [fact.says for fact in pre_tokenizer_facts({"type": "WhitespaceSplit"})]
    ['Cut at white space, which is left out.']
    """
    parts = flat(part, "pre_tokenizer", "pretokenizers")
    facts = part_facts(parts, PRE_TOKENIZERS, PRE_TOKENIZER_TOPIC)
    before = flat(normalizer, "normalizer", "normalizers")
    last = next((each for each in reversed(before) if each.kind in WRITING), None)
    for splitter in parts:
        if last is not None and last.kind == "ByteLevel":
            if splitter.kind == "Split":
                facts += _never_cut(splitter, last)
            elif splitter.kind == "ByteLevel":
                says = "The bytes are already spelled as characters; spelling them again is not undone by any decoder."
                facts.append(splitter.fact(PRE_TOKENIZER_TOPIC, says, kind=WARNING))
        last = splitter if splitter.kind in WRITING else last
    return facts


WRITING = frozenset(
    "ByteLevel NFC NFD NFKC NFKD Lowercase BertNormalizer Precompiled Nmt Replace Prepend Metaspace".split()
)
"""Types that may write characters which were not there."""


def _never_cut(part: LocatedPart, spelled: LocatedPart) -> list[Fact]:
    """A warning if a Split, or an alternative of it, needs what ByteLevel spells otherwise, such as a space.

    spelled: the ByteLevel before it.
    """
    from explorer.engine.regexes import oniguruma

    kind, pattern = part.pattern()
    groups: Sequence[Sequence[bool]] = [[not set(pattern) <= BYTE_OF.keys()]]
    if kind:
        letters = "".join(BYTE_OF)
        lacking = [not all(oniguruma.found_in(need, letters) for need in needs) for needs in oniguruma.needs(pattern)]
        # as the alternatives of a known pattern, which are some of the file's each
        parts = BY_REGEX[pattern].alternatives if pattern in BY_REGEX else ()
        sizes = [len(oniguruma.alternatives(each.regex)) for each in parts] or repeat(1, len(lacking))
        rest = iter(lacking)
        groups = [list(islice(rest, size)) for size in sizes]
    dead = [str(number) for number, group in enumerate(groups, 1) if all(group)]
    after = f"after ByteLevel ({spelled.path})"
    if not dead:
        return []
    if len(dead) < len(groups):
        those = f"Alternative {dead[0]}" if len(dead) == 1 else f"Alternatives {', '.join(dead)}"
        need = "needs" if len(dead) == 1 else "need"
        says = f"{those} of its {len(groups)} {need} characters that never occur {after}."
    else:
        what = "The pattern's characters never occur" if kind else f"“{visible(pattern)}” never occurs"
        says = f"{what} {after}, so this Split never matches."
    return [part.fact(PRE_TOKENIZER_TOPIC, says, key="pattern", code=pattern, kind=WARNING)]


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
    known = BY_REGEX.get(wanted)
    if known:
        spelled = read_toml(__file__, "known_patterns.toml")
        alternatives = tuple(each._replace(engine=spelled[each.regex]) for each in known.alternatives)
        return known._replace(alternatives=alternatives, nested_sets=True)
    from explorer.engine.regexes import oniguruma

    return Pattern("of the file", "the vocabulary file", few(oniguruma.alternatives(wanted)), nested_sets=True)


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
        yield part.fact(PRE_TOKENIZER_TOPIC, says, key="add_prefix_space")
    if part.get("use_regex", bool, default=True):
        yield part.fact(PRE_TOKENIZER_TOPIC, "Cut by the pattern of GPT-2.", key="use_regex", code=GPT2.regex)
    yield "Every byte is spelled as a printable character: a space is Ġ."
    if "trim_offsets" in part.part:
        says = "trim_offsets has no effect in a pre-tokenizer; only a post-processor reads it."
        yield part.fact(PRE_TOKENIZER_TOPIC, says, key="trim_offsets", kind=UNUSED)


BECOMES = {
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
        yield part.fact(PRE_TOKENIZER_TOPIC, says, key="pattern", kind=WARNING)
        return
    matched = "the pattern matches" if kind else f"is “{visible(pattern)}”"
    if invert:
        matched = "the pattern does not match" if kind else f"is not “{visible(pattern)}”"
    yield part.fact(PRE_TOKENIZER_TOPIC, f"What {matched} {BECOMES[what]} ({what}).", code=pattern)


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
            yield part.fact(PRE_TOKENIZER_TOPIC, says, key=key, kind=UNUSED)


def _punctuation_says(part: LocatedPart) -> Iterator[str]:
    what = _behavior(part, Behavior.ISOLATED)
    yield f"Every punctuation mark and ASCII symbol {BECOMES[what].replace('matches', 'ones')} ({what})."


PRE_TOKENIZERS: Mapping[str, PartType[Splitter]] = {
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

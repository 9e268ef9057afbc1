"""What the operations of a normalization are called, on the page and in the source, and their pseudo-code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from explorer.engine.normalizers.huggingface import (
    Drop,
    IsolateChineseChars,
    Literal,
    Lowercase,
    NfdFirst,
    Precompiled,
    Prepend,
    Replace,
    SpellBytes,
    Strip,
    StripAccents,
    ToSpace,
    is_dropped,
)
from explorer.engine.normalizers.python_text import LowercaseExcept, LowercaseWords, Uppercase
from explorer.engine.normalizers.python_text import is_dropped as is_dropped_in_python
from explorer.engine.normalizers.stage import EscapeWhitespace, Lower, NormalizeEvent, Normalizer, SpacePrefix
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.text import visible


class Operation(NamedTuple):
    """One operation, or one pass of it.

    title, note: its name and what it does. nothing: what is said where it changes nothing. source: its name in the
    original. code: its pseudo-code.
    """

    title: str
    note: str
    nothing: str
    source: str
    code: tuple[str, ...]


APART = ("for each code point c:", "    pair = decomposition of c; take the first of the pair apart again")
ORDERED = ("for each run of marks:", "    sort by combining class; equal classes stay as they are")
TOGETHER = (
    "for each mark after a base:",
    "    if no mark between has its class or a higher one:",
    "        base = the character that is base + mark, if there is one",
)
LOWERED = ("for each code point c:", "    c = lower case of c")

BY_TYPE: Mapping[type[Any], Operation] = {
    IsolateChineseChars: Operation(
        "Chinese characters", "a space on either side", "none to space", "do_handle_chinese_chars",
        ("for each code point c:", "    if c is a Chinese character: write a space, c, a space")),
    NfdFirst: Operation(
        "Take apart", "NFD, first code point kept", "nothing to take apart", "unicode_cpts_normalize_nfd",
        ("for each code point c:", "    range = upper bound of c in the ranges, minus one",
         "    c = range.nfd, if range.first ≤ c ≤ range.last")),
    StripAccents: Operation(
        "Drop the marks", "accents are not kept", "none to drop", "StripAccents",
        ("for each code point c:", "    if c is a combining mark: drop it")),
    Lowercase: Operation("Lower case", "letter by letter", "nothing to lowercase", "Lowercase", LOWERED),
    LowercaseExcept: Operation(
        "Lower case", "but for special tokens", "nothing to lowercase", "tokenize",
        ("for each code point c:", "    if c is not in a special token: c = lower case of c")),
    LowercaseWords: Operation(
        "Lower case", "word by word", "nothing to lowercase", "BasicTokenizer",
        ("for each word w:", "    if w is not a special token: w = lower case of w")),
    Uppercase: Operation(
        "Upper case", "letter by letter", "nothing to rewrite", "upper",
        ("for each code point c:", "    c = upper case of c")),
    Lower: Operation("Lower case", "letter by letter", "nothing to lowercase", "unicode_tolower", LOWERED),
    SpellBytes: Operation(
        "Bytes", "spelled as characters", "all spelled as they are", "ByteLevel",
        ("for each byte of the text:", "    write the printable character of the byte")),
    Precompiled: Operation(
        "Character map", "shortest rule, by grapheme", "no rule applies", "Precompiled",
        ("for each grapheme shorter than 6 bytes:", "    if a rule fits its beginning: replace it whole",
         "for each code point of the others:", "    if a rule fits it: replace it")),
    SpacePrefix: Operation(
        "Space in front", "of the text", "none is put", "add_space_prefix",
        ("if is_prev_special:", "    text = space + text")),
    EscapeWhitespace: Operation(
        "Spaces", "written ▁", "none to write", "llama_escape_whitespace",
        ("for each code point c:", "    if c is a space: c = ▁")),
}  # fmt: skip
CONTROLS = Operation(
    "Control characters", "dropped", "none to drop", "do_clean_text",
    ("for each code point c:", "    if c is NULL, U+FFFD or a control: drop it"))  # fmt: skip
MARKS = Operation(
    "Drop the marks", "accents are not kept", "none to drop", "do_strip_accents",
    ("for each code point c:", "    if c is a nonspacing mark: drop it"))  # fmt: skip
SPACES = Operation(
    "White space", "written as a space", "nothing to rewrite", "do_clean_text",
    ("for each code point c:", "    if c is white space: c = a space"))  # fmt: skip


def operation(normalizer: Normalizer, number: int) -> Operation:
    """The operation of a pass of a normalizer.

    >>> operation(UnicodeForm("NFC"), 2).title, operation(Prepend("▁"), 0).note
    ('Put together', '“▁” before the text')
    """
    if isinstance(normalizer, UnicodeForm):
        return of_form(normalizer, number)
    if isinstance(normalizer, Drop) and not isinstance(normalizer, StripAccents):
        found = MARKS if normalizer.kind == NormalizeEvent.DROP_MARK else CONTROLS
        of_bert = normalizer.matches in (is_dropped, is_dropped_in_python)
        return found if found is MARKS or of_bert else found._replace(source="Nmt")
    if isinstance(normalizer, ToSpace):
        return SPACES
    if isinstance(normalizer, Prepend):
        text = visible(normalizer.text)
        return Operation("Prepend", f"“{text}” before the text", "nothing to put in front", "Prepend",
                         (f"text = “{text}” + text",))  # fmt: skip
    if isinstance(normalizer, Strip):
        sides = " and ".join(side for side, on in (("beginning", normalizer.left), ("end", normalizer.right)) if on)
        return Operation("Strip", f"white space at the {sides or 'ends'}", "nothing to strip", "Strip",
                         (f"while the {sides or 'text'} is white space: drop it",))  # fmt: skip
    if isinstance(normalizer, Replace):
        return of_replace(normalizer)
    return BY_TYPE.get(type(normalizer)) or Operation(
        type(normalizer).__name__, "", "nothing", type(normalizer).__name__, ()
    )


def of_form(form: UnicodeForm, number: int) -> Operation:
    """A pass of a Unicode form."""
    what = "letter and mark" if not form.compatible else "also variants of letters"
    name = form.form
    return (
        Operation("Take apart", f"{name}: {what}", f"nothing to do ({name})", f"{name}: decompose", APART),
        Operation("Order the marks", "by combining class", "none out of order", f"{name}: canonical order", ORDERED),
        Operation("Put together", f"{name}: letter with mark", "nothing to do", f"{name}: compose", TOGETHER),
    )[number]


def of_replace(normalizer: Replace) -> Operation:
    """A `Replace`, with what it looks for."""
    content = visible(normalizer.content)
    by = f"by “{content}”" if content else "left out"
    if isinstance(normalizer.spans, Literal):
        wanted = f"“{visible(normalizer.spans.wanted)}”"
        return Operation("Replace", f"{wanted} {by}", f"no {wanted}", "Replace", (f"each {wanted}: {by}",))
    does = f"write “{content}”" if content else "leave it out"
    code = "for each match of the pattern:", f"    {does}"
    return Operation("Replace", f"a pattern {by}", "no match", "Replace", code)

"""Character properties of Hugging Face's `tokenizers`, which uses several versions of Unicode side by side.

The crate of BERT's parts and `Punctuation` (`unicode_categories`) is at Unicode 8, that of the normalization forms and
`StripAccents` (`unicode_normalization_alignments`) at Unicode 9; lower case comes from the Rust it is built with,
Unicode 17. So a newer combining mark, punctuation mark or control is an ordinary character there: it is not stripped,
split off, composed or reordered. The code points that differ are listed up to Unicode 17 or 18, and `unicodedata`
answers for all others, so the results are the same on every Python from 3.11. Tests compare every code point with the
original. Its patterns are at Unicode 16 (`stand_ins`), and so is the simple case folding of Rust's regex-syntax
(`equal_characters`), which maps one character to one: ẞ to ß and not to ss; İ and ı fold to themselves.

The scripts of `UnicodeScripts` (`script_of`) are those of Unicode 9. Its table is SentencePiece's of that year; a newer
character has no script there and does not split. Hiragana, Katakana and the long-vowel mark ー count as Han.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import cache, lru_cache

import regex

from explorer.tables import read_toml
from explorer.text.code_points import after_16, code_points

TABLES = read_toml(__file__, "versions.toml")

# --- BERT and punctuation: Unicode 8 ---------------------------------------------------------------------------------

NEWER = code_points(TABLES["newer"])
"""Marks, punctuation and controls of Unicode 9 to 17, ordinary characters for the original."""

# Their category changed after Unicode 8.
_ONCE_PUNCTUATION = frozenset("\u166d\U000111c9")
_ONCE_MARK = frozenset("\u1734\U0001171e")


@lru_cache(maxsize=1 << 14)
def is_control(ch: str) -> bool:
    """Whether a character has the general category Cc, Cf or Co.

    >>> is_control("\\u200d"), is_control("\\ufeff"), is_control("a")
    (True, True, False)
    """
    return unicodedata.category(ch) in ("Cc", "Cf", "Co") and ord(ch) not in NEWER


@lru_cache(maxsize=1 << 14)
def is_punctuation(ch: str) -> bool:
    """Whether a character is punctuation for BERT: general category P, or an ASCII symbol such as `$` and `+`."""
    if ch < "\x80":
        return ch.isprintable() and not ch.isalnum() and ch != " "
    if ch in _ONCE_PUNCTUATION:
        return True
    return unicodedata.category(ch)[0] == "P" and ord(ch) not in NEWER


@lru_cache(maxsize=1 << 14)
def is_mark(ch: str) -> bool:
    """Whether a character has the general category Mn: a nonspacing mark, such as a combining accent."""
    return (unicodedata.category(ch) == "Mn" and ord(ch) not in NEWER) or ch in _ONCE_MARK


# --- normalization forms: Unicode 9 ---------------------------------------------------------------------------------

UNKNOWN_TO_FORMS = code_points(TABLES["unknown_to_forms"])
"""Characters of Unicode 10 to 18 that decompose or combine, but not in the original."""

UNSTRIPPED = code_points(TABLES["unstripped"])
"""Marks of Unicode 10 to 18, which `StripAccents` of the original keeps."""


@lru_cache(maxsize=1 << 14)
def decomposed(ch: str, compatible: bool = False) -> str:
    """The full decomposition of one character, canonical or compatibility.

    >>> [f"{ord(part):04X}" for part in decomposed("각")], decomposed("ﬁ"), decomposed("ﬁ", compatible=True)
    (['1100', '1161', '11A8'], 'ﬁ', 'fi')
    """
    return ch if ord(ch) in UNKNOWN_TO_FORMS else unicodedata.normalize("NFKD" if compatible else "NFD", ch)


def combining_class(ch: str) -> int:
    """The canonical combining class, 0 for characters that are not combining marks."""
    return 0 if ord(ch) in UNKNOWN_TO_FORMS else unicodedata.combining(ch)


@lru_cache(maxsize=1 << 14)
def composed(first: str, second: str) -> str | None:
    """The character that decomposes to these two, None if none does.

    >>> composed("e", "\\u0301"), composed("ᄀ", "ᅡ"), composed("x", "\\u0301")
    ('é', '가', None)
    """
    one = unicodedata.normalize("NFC", first + second)
    if len(one) != 1 or ord(one) in UNKNOWN_TO_FORMS:
        return None
    # NFC may also reorder or compose parts of `first`; only a pair that decomposes exactly so counts. Of a syllable of
    # Hangul Python 3.14.8 gives all letters, and older ones nothing
    pair = unicodedata.decomposition(one)
    return one if "가" <= one <= "힣" or pair == f"{ord(first):04X} {ord(second):04X}" else None


@lru_cache(maxsize=1 << 14)
def is_any_mark(ch: str) -> bool:
    """Whether a character is a mark of any kind (Mn, Mc, Me) for `StripAccents`."""
    return (unicodedata.category(ch)[0] == "M" and ord(ch) not in UNSTRIPPED) or ch in "\u1cf2\u1cf3"


# --- lower case and numbers: Unicode 17 -----------------------------------------------------------------------------

_LATER: Mapping[str, str] = TABLES["later"]
"""Capitals of Unicode 15 to 17, which are missing in an older Python."""


@lru_cache(maxsize=1 << 14)
def lower(ch: str) -> str:
    """The full lower case of one character on its own, as Rust's `char::to_lowercase`: İ becomes two, Σ never ς.

    >>> lower("Σ"), len(lower("İ"))
    ('σ', 2)
    """
    return _LATER.get(ch) or ch.lower()


_NUMBER = regex.compile(r"\p{N}")
_NUMBERS_OF_17 = code_points("11DE0-11DE9 16FF4-16FF6")
_NUMBERS_OF_18 = code_points("1246F 12475-1247F 12550-12686")


@lru_cache(maxsize=1 << 14)
def is_numeric(ch: str) -> bool:
    """Whether a character has the general category N, as Rust's `char::is_numeric`: digits of all scripts, ½, Ⅷ, ①.

    >>> [is_numeric(ch) for ch in "1Ⅷ一"]
    [True, True, False]
    """
    if ord(ch) in _NUMBERS_OF_18:
        return False
    return _NUMBER.match(ch) is not None or ord(ch) in _NUMBERS_OF_17


NAMES = tuple(TABLES["names"].split())
"""The scripts by number, by their Unicode names."""

_CHANGED: Mapping[str, str] = TABLES["changed"]
"""Characters whose script has changed since."""


@cache
def _pattern() -> regex.Pattern[str]:
    """Matches a character as the group named after its script."""
    return regex.compile("|".join(rf"(?P<{name}>\p{{Script={name}}})" for name in NAMES))


@cache
def newer_scripts() -> Collection[int]:
    """Code points that got a script after Unicode 9."""
    return code_points(TABLES["newer_scripts"])


@lru_cache(maxsize=1 << 14)
def script_of(ch: str) -> int:
    """The index of a character's script in `NAMES`, -1 for a space and for characters without a script.

    >>> [NAMES[script_of(ch)] for ch in "aж漢かー1"], script_of(" ")
    (['Latin', 'Cyrillic', 'Han', 'Han', 'Han', 'Common'], -1)
    """
    if ch == " " or ord(ch) in newer_scripts():
        return -1
    match = _pattern().match(ch)
    name = "Han" if ch == "ー" else _CHANGED.get(ch, match.lastgroup if match else None)
    return -1 if name is None else NAMES.index("Han" if name in ("Hiragana", "Katakana") else name)


SIMPLE: Mapping[str, str] = TABLES["simple"]
"""The characters that Python folds to several, although they fold to one as well."""

WITH_CASE = (
    "41-587 10A0-1FFF 2100-24FF 2C00-2D2F A640-ABBF FB00-FB06 FF21-FF5A 10400-10D8F 118A0-118DF 16E40-16E7F 1E900-1E943"
)
"""Ranges that have all characters with case."""


def folded(ch: str) -> str:
    """The simple case folding of a character.

    >>> folded("A"), folded("ẞ"), folded("ſ"), folded("İ")
    ('a', 'ß', 's', 'İ')
    """
    later = lower(ch)
    if later != ch.lower():  # a capital newer than this Python
        return later
    fold = ch.casefold()
    return fold if len(fold) == 1 else SIMPLE.get(ch, ch)


OF_ASCII = {"k": "\u212a", "s": "ſ"}
"""The other characters that equal an ASCII letter."""


@cache
def equal_characters() -> Mapping[str, frozenset[str]]:
    """Each character that equals others when case is ignored → all of them, itself included.

    >>> sorted(equal_characters()["k"])
    ['K', 'k', '\\u212a']
    """
    found: defaultdict[str, set[str]] = defaultdict(set)
    for ch in map(chr, code_points(WITH_CASE) - after_16()):
        if ch.casefold() != ch or ch in _LATER:
            found[folded(ch)] |= {ch, folded(ch)}
    return {ch: frozenset(each) for each in found.values() if len(each) > 1 for ch in each}


def equals_of(ch: str) -> Collection[str]:
    """The characters that equal one when case is ignored, itself included; none if there are no others.

    Of ASCII they are known, and a pattern such as `(?i:'s)` needs no table of all.

    >>> sorted(equals_of("k")), sorted(equals_of("Æ"))
    (['K', 'k', '\\u212a'], ['Æ', 'æ'])
    """
    if not ch.isascii():
        return equal_characters().get(ch, ())
    return {ch, ch.swapcase(), *OF_ASCII.get(ch.lower(), "")} if ch.isalpha() else ()


@cache
def cased() -> str:
    """All characters that equal others, in one text."""
    return "".join(sorted(equal_characters()))

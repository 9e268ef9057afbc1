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

_RANGES = (
    "5C8-5C9 61D 7FD 890-891 897-89F 8CA-8E2 9FD-9FE A76 AFA-AFF B53-B55 C04 C3C C77 C84 D00 D3B-D3C D81 EBA ECE 180F "
    "1885-1886 1ABF-1AF0 1B4E-1B4F 1B7D-1B7F 1DF6-1DFB 2E43-2E4F 2E52-2E5D 2E60-2E63 A82C A8C5 A8FF A9BD 10D24-10D27 "
    "10D69-10D6E 10EAB-10EAD 10ECB-10ED0 10EF0-10EFF 10F46-10F50 10F55-10F59 10F82-10F89 11070 11073-11074 110C2 "
    "110CD 111C9 111CF 1123E 11241 1133B 113BB-113C0 113CE 113D0 113D2 113D4-113D5 113D7-113D8 113E1-113E2 "
    "11438-1143F 11442-11444 11446 1144B-1144F 1145A-1145B 1145D-1145E 11660-1166C 116B9 1182F-11837 11839-1183B "
    "1193B-1193C 1193E 11943-11946 119D4-119D7 119DA-119DB 119E0 119E2 11A01-11A0A 11A33-11A38 11A3B-11A47 "
    "11A51-11A56 11A59-11A5B 11A8A-11A96 11A98-11A9C 11A9E-11AA2 11B00-11B09 11B60 11B62-11B64 11B66 11BE1 "
    "11C30-11C36 11C38-11C3D 11C3F 11C41-11C45 11C70-11C71 11C92-11CA7 11CAA-11CB0 11CB2-11CB3 11CB5-11CB6 "
    "11D31-11D36 11D3A 11D3C-11D3D 11D3F-11D45 11D47 11D90-11D91 11D95 11D97 11DF0 11EF3-11EF4 11EF7-11EF8 "
    "11F00-11F01 11F36-11F3A 11F40 11F42-11F4F 11F5A 11FFF 12FF1-12FF2 13430-13440 13447-13455 1611E-16129 "
    "1612D-1612F 16D6D-16D6F 16E97-16E9A 16F4F 16FE2 16FE4 1CF00-1CF2D 1CF30-1CF46 1D127-1D128 1D25B-1D25C "
    "1E000-1E006 1E008-1E018 1E01B-1E021 1E023-1E024 1E026-1E02A 1E08F 1E130-1E136 1E2AE 1E2EC-1E2EF 1E4EC-1E4EF "
    "1E5EE-1E5EF 1E5FF 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5 1E944-1E94A 1E95E-1E95F"
)


# --- BERT and punctuation: Unicode 8 ---------------------------------------------------------------------------------

NEWER = code_points(_RANGES)
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

_UNKNOWN_TO_FORMS = (
    "558 58B-58C 5C8-5C9 7FD 897-89F 8CA-8D3 9FE C3C D3B-D3C EBA 1715 1ABF-1AF0 1DF6-1DFA 209D-209F 32FF A7F1-A7F4 "
    "A82C AB69 105C9 105E4 10781-10785 10787-107B0 107B2-107BF 10D24-10D27 10D69-10D6D 10EAB-10EAC 10ECB-10ECF "
    "10EF0-10EFB 10EFD-10EFF 10F46-10F50 10F82-10F85 11070 1133B 11383 11385 1138E 11391 113C5 113C7-113C8 "
    "113CE-113D0 1145E 11839-1183A 11938 1193D-1193E 11943 119E0 11A34 11A47 11A99 11D42 11D44-11D45 11D97 "
    "11F41-11F42 16121-16128 1612F 16D68-16D6A 16FF0-16FF1 1B123-1B126 1CCD6-1CCF9 1D127-1D128 1D250-1D252 "
    "1D25B-1D25C 1D25F 1D280-1D281 1D6A6 1DF95 1DFCD-1DFFF 1E030-1E06D 1E08F 1E130-1E136 1E2AE 1E2EC-1E2EF "
    "1E4EC-1E4EF 1E5EE-1E5EF 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5 1F16C 1FBF0-1FBF9 "
)
UNKNOWN_TO_FORMS = code_points(_UNKNOWN_TO_FORMS)
"""Characters of Unicode 10 to 18 that decompose or combine, but not in the original."""

_UNSTRIPPED = (
    "5C8-5C9 7FD 897-89F 8CA-8D3 9FE AFA-AFF B53-B55 C04 C3C CF3 D00 D3B-D3C D81 EBA ECE 1715 180F 1ABF-1AF0 1CF7 "
    "1DF6-1DFA A82C A8FF 10D24-10D27 10D69-10D6D 10EAB-10EAC 10ECB-10ECF 10EF0-10EFF 10F46-10F50 10F82-10F85 11070 "
    "11073-11074 110C2 11145-11146 111C9 111CE-111CF 11241 1133B 113B8-113C0 113C2 113C5 113C7-113CA 113CC-113D0 "
    "113D2 113E1-113E2 1145E 1182C-1183A 11930-11935 11937-11938 1193B-1193E 11940 11942-11943 119D1-119D7 "
    "119DA-119E0 119E4 11A01-11A0A 11A33-11A39 11A3B-11A3E 11A47 11A51-11A5B 11A8A-11A99 11B60-11B67 11D31-11D36 "
    "11D3A 11D3C-11D3D 11D3F-11D45 11D47 11D8A-11D8E 11D90-11D91 11D93-11D97 11DF0 11EF3-11EF6 11F00-11F01 11F03 "
    "11F34-11F3A 11F3E-11F42 11F5A 13440 13447-13455 1611E-1612F 16F4F 16F7F-16F87 16FE4 16FF0-16FF1 1CF00-1CF2D "
    "1CF30-1CF46 1D127-1D128 1D250-1D252 1D25B-1D25C 1D25F 1D280-1D281 1E08F 1E130-1E136 1E2AE 1E2EC-1E2EF "
    "1E4EC-1E4EF 1E5EE-1E5EF 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5 "
)
UNSTRIPPED = code_points(_UNSTRIPPED)
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

TABLES: Mapping[str, Mapping[str, str]] = read_toml(__file__, "versions.toml")

_LATER = TABLES["later"]
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


_NAMES = (
    "Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki "
    "Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Common "
    "Coptic Cuneiform Cypriot Cyrillic Deseret Devanagari Duployan Egyptian_Hieroglyphs Elbasan Ethiopic Georgian "
    "Glagolitic Gothic Grantha Greek Gujarati Gurmukhi Han Hangul Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic "
    "Inherited Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kayah_Li Kharoshthi "
    "Khmer Khojki Khudawadi Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Malayalam Mandaic "
    "Manichaean Marchen Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro "
    "Multani Myanmar Nabataean New_Tai_Lue Newa Nko Ogham Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian "
    "Old_Permic Old_Persian Old_South_Arabian Old_Turkic Oriya Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau "
    "Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham Sign_Writing "
    "Sinhala Sora_Sompeng Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangut "
    "Telugu Thaana Thai Tibetan Tifinagh Tirhuta Ugaritic Vai Warang_Citi Yi "
)
NAMES = tuple(_NAMES.split())
"""The scripts by number, by their Unicode names."""

_SCRIPT_RANGES = (
    "558 560 588 58B-58C 5C8-5C9 5EF 61D 7FD-7FF 860-86A 870-891 897-89F 8B5 8BE-8D3 9FC-9FE A76 AFA-AFF B53-B55 C04 "
    "C3C C5C-C5D C77 C84 CDC-CDD CF3 D00 D04 D3B-D3C D81 E86 E89 E8C E8E-E93 E98 EA0 EA8-EA9 EAC EBA ECE 170D 1715 "
    "171F 180F 1878 1ABF-1AF0 1B4C 1B4E-1B4F 1B7D-1B7F 1C89-1C8A 1C90-1CBA 1CBD-1CBF 1CF7 1CFA 1DF6-1DFA 208F "
    "209D-209F 20BF-20C4 23FF 2427-2429 2B96-2B97 2BBA-2BBC 2BC9 2BD2-2BEB 2BF0-2BFF 2C2F 2C5F 2E45-2E5D 2E60-2E63 "
    "2FFC-2FFF 312E-312F 31BB-31BF 31E4-31E5 31EF 32FF 4DB6-4DBF 9FD6-9FFF A7AF A7B8-A7DD A7E2 A7F1-A7F6 A82C "
    "A8FE-A8FF AB66-AB6D FBC2-FBD2 FD40-FD4F FD90-FD91 FDC8-FDCF FDFE-FDFF 1019C 1032D-1032F 10780-10785 10787-107B0 "
    "107B2-107BF 10A34-10A35 10A48 10EC2-10EC7 10EC9-10EEE 10EF0-10EFF 11070-11075 110C2 110CD 11144-11147 "
    "111CE-111CF 1123F-11241 1133B 1145A 1145E-11461 116B8-116B9 116D0-116E3 1171A 11740-11746 11AB0-11ABF "
    "11B00-11B0A 11B60-11B67 11DF0-11DF1 11FB0 11FC0-11FF1 11FFF 1246F 12475-1247F 12550-125A7 1264C-12686 "
    "1342F-13455 13460-143FA 16F45-16F4A 16F4F 16F7F-16F87 16FE2-16FE3 16FF0-16FF6 187ED-187FF 18AF3-18AFF "
    "18D00-18D20 18D80-18DF2 1AFF0-1AFF3 1AFF5-1AFFB 1AFFD-1AFFE 1B002-1B128 1B132 1B150-1B152 1B155 1B164-1B168 "
    "1CC00-1CCFC 1CD00-1CEB3 1CEBA-1CED0 1CED2-1CED4 1CEDD-1CEFD 1CF00-1CF2D 1CF30-1CF46 1CF50-1CFC3 1D127-1D128 "
    "1D1E9-1D1FF 1D250-1D281 1D2C0-1D2D3 1D2E0-1D2F3 1D372-1D378 1D6A6 1DB00-1DB1C 1DF00-1DF81 1DF90-1DF96 "
    "1DFCD-1DFFF 1E030-1E06D 1E08F 1E7E0-1E7E6 1E7E8-1E7EB 1E7ED-1E7EE 1E7F0-1E7FE 1E94B 1EC71-1ECB4 1ED01-1ED3D "
    "1F10D-1F10F 1F12F 1F16C-1F16F 1F1AD-1F1AE 1F260-1F265 1F6D3-1F6D9 1F6DC-1F6DF 1F6F7-1F6FC 1F774-1F77F "
    "1F7D5-1F7DB 1F7E0-1F7EB 1F7F0-1F7FF 1F8B0-1F8BB 1F8C0-1F8C1 1F8D0-1F8D8 1F900-1F90F 1F91F 1F928-1F92F "
    "1F931-1F932 1F93F 1F94C-1F94F 1F95F-1F97F 1F992-1F9BF 1F9C1-1FA57 1FA60-1FA6D 1FA70-1FA7C 1FA80-1FAC6 1FAC8 "
    "1FACC-1FADD 1FADF-1FAEB 1FAEF-1FAFA 1FB00-1FB92 1FB94-1FBFA 2A6D7-2A6DF 2B735-2B73F 2B81E 2CEA2-2CEAD "
    "2CEB0-2EBE0 2EBF0-2EE5D 30000-3134A 31350-33479 "
)
NEWER_SCRIPTS = code_points(_SCRIPT_RANGES)
"""Code points that got a script after Unicode 9."""

_CHANGED = TABLES["changed"]
"""Characters whose script has changed since."""


@cache
def _pattern() -> regex.Pattern[str]:
    """Matches a character as the group named after its script."""
    return regex.compile("|".join(rf"(?P<{name}>\p{{Script={name}}})" for name in NAMES))


@lru_cache(maxsize=1 << 14)
def script_of(ch: str) -> int:
    """The index of a character's script in `NAMES`, -1 for a space and for characters without a script.

    >>> [NAMES[script_of(ch)] for ch in "aж漢かー1"], script_of(" ")
    (['Latin', 'Cyrillic', 'Han', 'Han', 'Han', 'Common'], -1)
    """
    if ch == " " or ord(ch) in NEWER_SCRIPTS:
        return -1
    match = _pattern().match(ch)
    name = "Han" if ch == "ー" else _CHANGED.get(ch, match.lastgroup if match else None)
    return -1 if name is None else NAMES.index("Han" if name in ("Hiragana", "Katakana") else name)


SIMPLE = TABLES["simple"]
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

"""The scripts of Hugging Face's `UnicodeScripts`, those of Unicode 9.

Its table is SentencePiece's of that year; a newer character has no script there and does not split. Hiragana, Katakana
and the long-vowel mark ー count as Han. `NEWER` lists the code points up to Unicode 18 that have a script today but not
in that table; the `regex` module answers for all others. A test compares every code point with the original.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

import regex

from explorer.text.unicode_versions import code_points

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
NAMES: Final = tuple(_NAMES.split())
"""The scripts by number, by their Unicode names."""

_RANGES = (
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
NEWER: Final = code_points(_RANGES)
"""Code points that got a script after Unicode 9."""

_CHANGED: Final = {"\u0589": "Common", "\u061c": "Common", "\u0953": "Devanagari", "\u0954": "Devanagari"}
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
    if ch == " " or ord(ch) in NEWER:
        return -1
    found = _pattern().match(ch)
    name = "Han" if ch == "ー" else _CHANGED.get(ch, found.lastgroup if found else None)
    return -1 if name is None else NAMES.index("Han" if name in ("Hiragana", "Katakana") else name)

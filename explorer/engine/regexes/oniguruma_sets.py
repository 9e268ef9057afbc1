"""Characters, properties and sets of Oniguruma, spelled for the `regex` module (version 1).

`CharacterReader` reads them from a pattern, left to right.
"""

import re
from functools import lru_cache

import regex

from explorer.engine.regexes.reader import TABLES, PatternReader, WrongPattern, character, escaped
from explorer.text.code_points import in_brackets

POSIX = TABLES["oniguruma_posix"]
"""The classes `[:name:]`, and `\\p{name}` except punct, which is `\\p{PosixPunct}`."""

CLASSES = TABLES["oniguruma_classes"]
"""Classes written with a backslash, within a set."""

WORD = POSIX["word"][1:-1]
"""Word characters in a set."""

WORD_ALONE = WORD + "²³¹¼½¾"
"""Word characters of a `\\w` outside a set, which includes the numbers of Latin-1."""

CONTROLS = dict(zip("tnvfrae", "\t\n\v\f\r\a\x1b", strict=True))

BINARY = frozenset(
    "alphabetic any ascii assigned asciihexdigit ahex bidicontrol bidic caseignorable ci cased changeswhencasefolded "
    "cwcf changeswhencasemapped cwcm changeswhenlowercased cwl changeswhentitlecased cwt changeswhenuppercased cwu "
    "dash defaultignorablecodepoint di deprecated dep diacritic dia emoji emojicomponent ecomp emojimodifier emod "
    "emojimodifierbase ebase emojipresentation epres extendedpictographic extpict extender ext graphemebase grbase "
    "graphemeextend grext graphemelink grlink hexdigit hex hyphen idcontinue idc idstart ids ideographic ideo "
    "idsbinaryoperator idsb idstrinaryoperator idst joincontrol joinc logicalorderexception loe lowercase math "
    "noncharactercodepoint nchar otheralphabetic oalpha otherdefaultignorablecodepoint odi othergraphemeextend ogrext "
    "otheridcontinue oidc otheridstart oids otherlowercase olower othermath omath otheruppercase oupper patternsyntax "
    "patsyn patternwhitespace patws quotationmark qmark radical regionalindicator ri sentenceterminal sterm softdotted "
    "sd terminalpunctuation term unifiedideograph uideo uppercase variationselector vs whitespace wspace xidcontinue "
    "xidc xidstart xids".split()
)
"""The binary properties, in the form in which names are compared."""

_PICTOGRAPHS = (
    "2388 2605 2607-260D 260F-2610 2612 2616-2617 2619-261C 261E-261F 2621 2624-2625 2627-2629 262B-262D 2630-2637 "
    "263B-263F 2641 2643-2647 2654-265E 2661-2662 2664 2667 2669-267A 267C-267D 2680-2685 2690-2691 2698 269A "
    "269D-269F 26A2-26A6 26A8-26A9 26AC-26AF 26B2-26BC 26BF-26C3 26C6-26C7 26C9-26CD 26D0 26D2 26D5-26E8 26EB-26EF "
    "26F6 26FB-26FC 26FE-2701 2703-2704 270E 2710-2711 2765-2767 1F000-1F003 1F005-1F02B 1F030-1F093 1F0A0-1F0AE "
    "1F0B1-1F0BF 1F0C1-1F0CE 1F0D1-1F0F5 1F10D-1F10F 1F12F 1F16C-1F16F 1F1AD 1F260-1F265 1F322-1F323 1F394-1F395 "
    "1F398 1F39C-1F39D 1F3F1-1F3F2 1F3F6 1F4FE 1F546-1F548 1F54F 1F568-1F56E 1F571-1F572 1F57B-1F586 1F588-1F589 "
    "1F58E-1F58F 1F591-1F594 1F597-1F5A3 1F5A6-1F5A7 1F5A9-1F5B0 1F5B3-1F5BB 1F5BD-1F5C1 1F5C5-1F5D0 1F5D4-1F5DB "
    "1F5DF-1F5E0 1F5E2 1F5E4-1F5E7 1F5E9-1F5EE 1F5F0-1F5F2 1F5F4-1F5F9 1F6C6-1F6CA 1F6D3-1F6D4 1F6E6-1F6E8 1F6EA "
    "1F6F1-1F6F2 1F774-1F776 1F77B-1F77F 1F7D5-1F7D9 1F8B0-1F8BB 1F8C0-1F8C1 1FA00-1FA53 1FA60-1FA6D "
)
_DIACRITICS, _CASED = "5A2 5C5 5C7 656 6E2 8D3 1D9B-1DBE", "277 27C A7D3 A7D5 AB4B-AB4C"

PICTOGRAPH = rf"[\p{{ExtPict}}{in_brackets(_PICTOGRAPHS)}]"
"""Extended_Pictographic of Unicode 16; a later version removed it from hundreds of characters."""

OF_16 = {
    "extendedpictographic": PICTOGRAPH,
    "extpict": PICTOGRAPH,
    **{name: rf"[\p{{{name}}}--[{in_brackets(_DIACRITICS)}]]" for name in ("diacritic", "dia")},
    **{
        name: rf"[\p{{{name}}}--[{in_brackets(_CASED)}]]"
        for name in ("changeswhencasemapped", "cwcm", "changeswhentitlecased", "cwt", "changeswhenuppercased", "cwu")
    },
    **{name: rf"[\p{{Script={name}}}\U00011a3a]" for name in ("zanabazarsquare", "zanb")},
    **{name: rf"[\p{{Script={name}}}--[\U00011a3a]]" for name in ("soyombo", "soyo")},
}
"""The properties and scripts that characters gained or lost after Unicode 16, written so that all versions agree."""

NOTHING = (r"^\x00-\U0010ffff",)
"""The body of a set that matches nothing."""

COMPLEMENTS = re.compile(r"\\[PS].*\\[ps]|\\[ps].*\\[PS]", re.DOTALL)
"""A property together with a negated one."""

ALONE = re.compile(r"(\\x[0-9a-f]{2}|\\[^0-9A-Za-z]|[^\\])(?:-?\1)*", re.DOTALL)
"""The body of a set that has one character."""

UTF8_BYTES = re.compile(r"(?:\\x[0-9A-Fa-f]{2}){1,4}")
POSIX_BRACKET = re.compile(r"\[:(\^?)(\w+):\]")


def complement(body: str) -> str:
    """The set without the members of a flat set, given by its body.

    `regex` joins alternatives and members of a set that are single characters, and forgets that they are negated:
    `[^x]|[^y]` does not match x. So what excludes one character is written as ranges.

    >>> complement("ab"), complement("b"), complement(r"\\x0a")
    ('[^ab]', '[\\\\x00-ac-\\U0010ffff]', '[\\\\x00-\\\\x09\\\\x0b-\\U0010ffff]')
    """
    match = ALONE.fullmatch(body)
    if match is None:
        return f"[^{body}]"
    code = int(match[1][2:], 16) if len(match[1]) == 4 else ord(match[1][-1])
    ends = (0, code - 1), (code + 1, 0x10FFFF)
    return f"[{''.join(f'{escaped(chr(low))}-{escaped(chr(high))}' for low, high in ends if low <= high)}]"


def opposite(spelled: str) -> str:
    """The complement of a property or set.

    >>> opposite("\\\\p{L}"), opposite("[ab]")
    ('\\\\P{L}', '[^[ab]]')
    """
    return rf"\P{spelled[2:]}" if spelled.startswith(r"\p") else f"[^{spelled}]"


@lru_cache(maxsize=256)
def property_of(name: str) -> str | None:
    """A property translated, None if Oniguruma does not have it. Case, space, - and _ in its name are ignored.

    >>> property_of("Han"), property_of("l u"), property_of("In_Basic_Latin"), property_of("Basic_Latin")
    ('\\\\p{Script=han}', '\\\\p{gc=lu}', '\\\\p{Block=basiclatin}', None)
    """
    plain = name.lower().translate({ord(ch): None for ch in " _-"})
    known = {**POSIX, **OF_16, "punct": None, "posixpunct": POSIX["punct"]}
    if known.get(plain):
        return known[plain]
    tries = [f"Script={plain}", f"gc={plain}"]
    if plain.startswith("in"):
        tries.append(f"Block={plain[2:]}")
    if plain in BINARY:
        tries.append(plain)
    for each in tries if plain.isalnum() and plain.isascii() else ():
        try:
            regex.compile(rf"\p{{{each}}}")
        except regex.error:
            continue
        return rf"\p{{{each}}}"
    return None


class CharacterReader(PatternReader):
    """Translates characters and sets of a pattern."""

    def property(self) -> str | None:
        """A `\\p{…}` translated, None if the pattern does not continue with one: `\\pL` is two letters."""
        if not (self.looking_at(r"\p{") or self.looking_at(r"\P{")):
            return None
        begin, end = self.at, self.pattern.find("}", self.at)
        if end < 0:
            raise WrongPattern(begin, "this property lacks its closing brace")
        name = self.pattern[begin + 3 : end]
        negative = self.pattern[begin + 1] == "P"
        if name.startswith("^"):
            name, negative = name[1:], not negative
        spelled = property_of(name)
        if spelled is None:
            raise WrongPattern(begin, f"the property {name[:40]!r} does not exist")
        self.at = end + 1
        return opposite(spelled) if negative else spelled

    def character(self) -> str:
        """The character of an escape, from its backslash."""
        begin = self.at
        self.at += 2
        if self.at > len(self.pattern):
            raise WrongPattern(begin, "this backslash ends the pattern")
        letter = self.pattern[begin + 1]
        if letter in CONTROLS:
            return CONTROLS[letter]
        if letter == "x":
            return self.hexadecimal(begin)
        if letter == "u":
            return self.code_point(begin, r"[0-9A-Fa-f]{4}", 16, r"\u takes four hexadecimal digits")
        if letter == "o" and self.looking_at("{"):
            return self.code_point(begin, r"\{[0-7]+\}", 8, r"\o{…} takes octal digits")
        if letter in "01234567":
            self.at -= 1
            return self.code_point(begin, r"[0-7]{1,3}", 8, "this is not an octal number", limit=0x7F)
        if letter == "c" or (self.looking_at("-") and letter == "C"):
            self.at += letter == "C"
            if self.at >= len(self.pattern) or self.looking_at("\\"):
                raise WrongPattern(begin, "a control character is one letter after \\c")
            self.at += 1
            return chr(ord(self.pattern[self.at - 1]) & 0x1F)
        if letter == "M" and self.looking_at("-"):
            raise WrongPattern(begin, r"\M- is not supported")
        return letter

    def hexadecimal(self, begin: int) -> str:
        """`\\x{…}`, or `\\xHH`, of which several in a row may be the bytes of one character."""
        if self.looking_at("{"):
            return self.code_point(begin, r"\{[0-9A-Fa-f]{1,8}\}", 16, r"\x{…} takes one hexadecimal number here")
        if re.compile("[89A-Fa-f][0-9A-Fa-f]").match(self.pattern, self.at):
            run = UTF8_BYTES.match(self.pattern, begin)
            data = bytes.fromhex(run[0].replace("\\x", "")) if run else b""
            for size in range(2, len(data) + 1):
                try:
                    ch = data[:size].decode()
                except UnicodeDecodeError:
                    continue
                self.at = begin + 4 * size
                return ch
            raise WrongPattern(begin, r"this byte does not begin a character of UTF-8; give the code point as \x{…}")
        if not re.compile("[0-9A-Fa-f]").match(self.pattern, self.at):
            return "x" if self.at >= len(self.pattern) else "\0"
        return self.code_point(begin, r"[0-9A-Fa-f]{1,2}", 16, "")

    def code_point(self, begin: int, digits: str, base: int, why: str, limit: int = 0x10FFFF) -> str:
        """The character with the number that the pattern continues with. why: what is wrong if it does not."""
        match = self.match(digits)
        if match is None:
            raise WrongPattern(begin, why)
        return character(int(match[0].strip("{}"), base), begin, limit)

    def set(self, *, within: bool = False) -> str:
        """A set translated, from bracket to bracket. within: it is nested in another set."""
        begin = self.at
        self.at += 1
        negative = self.take("^")
        first = self.at
        if self.looking_at("]") and self.pattern.find("]", first + 1) < 0:
            raise WrongPattern(begin, "this set is empty")
        parts: list[list[str]] = [[]]
        while not self.looking_at("]") or self.at == first:
            if self.at >= len(self.pattern):
                raise WrongPattern(begin, "this set is not closed")
            if self.take("&&"):
                parts.append([])
            else:
                parts[-1].append(self.member())
        self.at += 1
        body = "&&".join(f"[{''.join(part or NOTHING)}]" for part in parts) if parts[1:] else "".join(parts[0])
        if negative and COMPLEMENTS.search(body):
            # `regex` treats an empty set such as [^\s\S] as one that matches every character
            if within:
                raise WrongPattern(begin, "this nested set cannot be run; write it without negated classes")
            return f"(?:(?![{body}])(?s:.))"
        return complement(body) if negative else f"[{body}]"

    def member(self) -> str:
        """A member of a set translated: a character, a range, a class or a nested set."""
        begin = self.at
        if match := self.match(POSIX_BRACKET):
            if match[2] not in POSIX:
                raise WrongPattern(begin, f"the class [:{match[2]}:] does not exist")
            if self.looking_at("-") and not self.looking_at("-]"):
                raise WrongPattern(self.at, "a range cannot begin with a class")
            return opposite(POSIX[match[2]]) if match[1] else POSIX[match[2]]
        if self.looking_at("["):
            return self.set(within=True)
        low, spelled = self.single()
        is_last = self.at + 1 >= len(self.pattern)  # the set is not closed then
        if not self.looking_at("-") or is_last or self.looking_at("-]") or self.looking_at("-&&"):
            return spelled
        if self.looking_at("-["):
            raise WrongPattern(self.at, "a range cannot end with a set; write \\- for the character")
        if low is None:
            raise WrongPattern(self.at, "a range cannot begin with a class")
        self.at += 1
        high, spelled_high = self.single()
        if high is None:
            raise WrongPattern(begin, "a range cannot end with a class")
        if high < low:
            raise WrongPattern(begin, f"the range ends before it begins: {high!r} comes before {low!r}")
        return f"{spelled}-{spelled_high}"

    def single(self) -> tuple[str | None, str]:
        """A character and its translation, or None and a class."""
        if not self.looking_at("\\"):
            self.at += 1
            ch = self.pattern[self.at - 1]
            return ch, escaped(ch)
        spelled = self.property()
        if spelled is not None:
            return None, spelled
        letter = self.pattern[self.at + 1 : self.at + 2]
        if letter in CLASSES:
            self.at += 2
            return None, CLASSES[letter]
        if letter == "b":
            self.at += 2
            return "\b", r"\x08"
        ch = self.character()
        return ch, escaped(ch)

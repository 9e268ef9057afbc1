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

BINARY = frozenset(TABLES["names"]["oniguruma_binary"].split())
"""The binary properties, in the form in which names are compared."""

_DIACRITICS, _CASED = "5A2 5C5 5C7 656 6E2 8D3 1D9B-1DBE", "277 27C A7D3 A7D5 AB4B-AB4C"


PICTOGRAPH = rf"[\p{{ExtPict}}{in_brackets(TABLES['names']['pictographs'])}]"
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

"""Sets of characters in the syntax of Rust's regex-syntax, spelled for the `regex` module (version 1).

A set may contain sets, `&&` (and), `--` (without), `~~` (in one of the two) and ASCII classes such as `[:alpha:]`. All
operators bind equally, from the left, and weaker than what stands side by side. If case is ignored, each member is
extended by its equal characters before it is negated, so `(?i)[^x]` excludes x and X.

Spelled is what `regex` does reliably: flat sets. Operators become look-ahead at the one character.

Left out, and refused by name: the properties `Age`, `Script_Extensions`, `InCB` and those of segmentation.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import regex

from explorer.engine.regexes.oniguruma_sets import OF_16, complement
from explorer.engine.regexes.reader import TABLES, WrongPattern, escaped
from explorer.engine.regexes.safe import LONGEST_SPELLED, runs
from explorer.engine.unicode.versions import cased, equals_of

ASCII = TABLES["rust_posix"]
"""The classes `[:name:]`."""

BINARY = frozenset(TABLES["names"]["rust_binary"].split())
"""The binary properties, in the form in which names are compared."""
CATEGORIES_FIRST = ("cf", "sc", "lc")
"""Names that are general categories although properties have them, too."""
ADDED = "\u2b96\u2e60-\u2e63"
"""Pattern_Syntax when these were unassigned; later versions removed it from some."""
_ABSENT = (
    "unknown zzzz katakanaorhiragana hrkt berf beriaerfe jurc jurchen pcun protocuneiform seal sidetic sidt taiyo tayo "
    "tols tolongsiki"
)
ABSENT = frozenset(("gc=cs", "gc=surrogate", *(f"Script={name}" for name in _ABSENT.split())))
"""Values that regex-syntax lacks: of surrogates, scripts of no character, and scripts of Unicode 17 and 18."""
CONTROLS = dict(zip("tnvfr", "\t\n\v\f\r", strict=True))
ASCII_CLASS = regex.compile(r"\[:(\^?)(\w+):\]")
NEGATIVE, POSITIVE = regex.compile(r"\\[PSWD]"), regex.compile(r"\\[pswd]")


class Chars(NamedTuple):
    """A set of characters: the body of a flat set, or an expression that matches one of them.

    negated: it is the complement of the flat set.
    """

    body: str = ""
    negated: bool = False
    expression: str = ""

    @property
    def spelled(self) -> str:
        """The expression that matches one character of the set.

        >>> Chars("ab").spelled, Chars("ab", True).spelled, Chars().spelled
        ('[ab]', '[^ab]', '(?!)')
        """
        if self.expression:
            return self.expression
        if not self.body:
            return "(?s:.)" if self.negated else "(?!)"
        return complement(self.body) if self.negated else f"[{self.body}]"

    @property
    def opposite(self) -> Chars:
        """The complement."""
        if self.expression:
            return Chars(expression=f"(?:(?!{self.expression})(?s:.))")
        return self._replace(negated=not self.negated)

    def __or__(self, other: Chars) -> Chars:
        if not self.expression and not other.expression:
            if not self.negated and not other.negated:
                body = self.body + other.body
                # `regex` treats [\s\S] as a set that matches everything only if it is not negated
                if not (NEGATIVE.search(body) and POSITIVE.search(body)):
                    return Chars(body)
            if not (self.body or self.negated):
                return other
            if not (other.body or other.negated):
                return self
        return Chars(expression=f"(?:{self.spelled}|{other.spelled})")

    def __and__(self, other: Chars) -> Chars:
        return Chars(expression=f"(?:(?={other.spelled}){self.spelled})")

    def __sub__(self, other: Chars) -> Chars:
        return Chars(expression=f"(?:(?!{other.spelled}){self.spelled})")

    def __xor__(self, other: Chars) -> Chars:
        return (self - other) | (other - self)


def one(ch: str) -> Chars:
    """The set of one character."""
    return Chars(escaped(ch))


@lru_cache(maxsize=256)
def extended(chars: Chars) -> Chars:
    """A set extended by the characters that equal its members when case is ignored.

    >>> extended(Chars(r"\\p{gc=Nl}")).spelled
    '[\\\\p{gc=Nl}]'
    """
    return chars | added(regex.findall(chars.spelled, cased(), regex.VERSION1))


def added(characters: Collection[str]) -> Chars:
    """The characters that equal these when case is ignored, without these.

    >>> added("k").spelled, added("abc").spelled
    ('[K\\u212a]', '[A-C]')
    """
    equal = set().union(*map(equals_of, characters)).difference(characters)
    return Chars("".join("-".join(escaped(chr(code)) for code in sorted({*run})) for run in runs(equal)))


@lru_cache(maxsize=256)
def property_of(name: str) -> Chars | None:
    """A property by its name, None if regex-syntax does not have it or it is left out here.

    >>> property_of("Lu").spelled, property_of("IsGreek").spelled, property_of("sc=Han").spelled
    ('[\\\\p{gc=lu}]', '[\\\\p{Script=greek}]', '[\\\\p{Script=han}]')
    """
    key, equals, value = name.replace("!=", "=").replace(":", "=").partition("=")
    if equals:
        kind = {"gc": "gc", "generalcategory": "gc", "sc": "Script", "script": "Script"}.get(plain(key))
        tries = [f"{kind}={plain(value)}"] if kind else []
        wanted = plain(value) if kind == "gc" else ""
    else:
        wanted = plain(name)
        if wanted in BINARY and wanted not in CATEGORIES_FIRST:
            return _binary(wanted)
        tries = [f"gc={wanted}", f"Script={wanted}"]
    if wanted in ("any", "assigned", "ascii"):
        return {"any": Chars("", True), "assigned": Chars(r"\p{Cn}", True), "ascii": Chars(ASCII["ascii"])}[wanted]
    for candidate in tries:
        kind, _, value = candidate.partition("=")
        if value.isalnum() and candidate not in ABSENT and _exists(candidate):
            return _of_16(value if kind == "Script" else "") or Chars(rf"\p{{{candidate}}}")
    return None


def _binary(name: str) -> Chars:
    """A binary property."""
    if name in ("patsyn", "patternsyntax"):
        return Chars(rf"\p{{{name}}}{ADDED}")
    # a name alone may be that of a block, such as IDC
    return _of_16(name) or Chars(rf"\p{{{name}=yes}}")


def _of_16(name: str) -> Chars | None:
    """A binary property or a script, if it is not the same in all versions of Unicode since 16."""
    spelled = OF_16.get(name)
    if spelled is None:
        return None
    if "--" in spelled:
        whole, _, without = spelled[1:-1].partition("--")
        return Chars(whole) - Chars(without[1:-1])
    return Chars(spelled[1:-1])


def _exists(spelled: str) -> bool:
    try:
        regex.compile(rf"\p{{{spelled}}}")
    except regex.error:
        return False
    return True


def plain(name: str) -> str:
    """A name in the form in which names are compared.

    >>> plain("Is_Greek"), plain("isc"), plain("White-Space")
    ('greek', 'isc', 'whitespace')
    """
    name = "".join(ch for ch in name if ch.isascii())
    starts = name[:2].lower() == "is"
    name = (name[2:] if starts else name).lower().translate({ord(ch): None for ch in " _-"})
    return "isc" if starts and name == "c" else name


@dataclass
class SetReader:
    """Reads a set, or one escaped class. at: where it stands in the pattern, for errors, which are WrongPattern."""

    text: str
    at: int
    ignore_case: bool
    index: int = 0

    @staticmethod
    def literal(ch: str, *, ignore_case: bool) -> str:
        """The expression for a literal character.

        >>> SetReader.literal("k", ignore_case=False), SetReader.literal("k", ignore_case=True)
        ('k', '[kK\\u212a]')
        """
        more = added(ch) if ignore_case else Chars()
        return (one(ch) | more).spelled if more.body else escaped(ch)

    def whole(self) -> Chars:
        """The set that the text is."""
        found = self.bracketed() if self.looking_at("[") else self.primitive()
        if isinstance(found, str) or self.index < len(self.text):
            raise self.wrong("this set cannot be read")
        return found

    def wrong(self, why: str) -> WrongPattern:
        """The error about the set."""
        return WrongPattern(self.at, why)

    def looking_at(self, text: str) -> bool:
        """Whether the text continues with this."""
        return self.text.startswith(text, self.index)

    def member(self, low: str, high: str = "") -> Chars:
        """A character or a range, extended if case is ignored."""
        chars = one(low) if not high else Chars(f"{escaped(low)}-{escaped(high)}")
        if not self.ignore_case:
            return chars
        return chars | added(cased()[bisect_left(cased(), low) : bisect_right(cased(), high or low)])

    def bracketed(self) -> Chars:
        """A set, from bracket to bracket."""
        self.index += 1
        negated = self.looking_at("^")
        self.index += negated
        union, left, operator = Chars(), Chars(), ""
        first = True
        while self.looking_at("-"):
            union, first = union | one("-"), False
            self.index += 1
        if first and self.looking_at("]"):
            union |= one("]")
            self.index += 1
        while True:
            if self.index >= len(self.text):
                raise self.wrong("this set is not closed")
            ending, ahead = self.looking_at("]"), self.text[self.index : self.index + 2]
            if ending or ahead in ("&&", "--", "~~"):
                left = self.combined(left, operator, union)
                if len(left.expression) > LONGEST_SPELLED:
                    raise self.wrong("this set has too many operators")
                union, operator = Chars(), ahead
                self.index += 1 if ending else 2
                if ending:
                    return left.opposite if negated else left
            elif self.looking_at("["):
                union |= self.ascii() or self.bracketed()
            else:
                union |= self.range()

    @staticmethod
    def combined(left: Chars, operator: str, right: Chars) -> Chars:
        """What an operator makes of the sets on its sides; without one, the right set."""
        if operator == "&&":
            return left & right
        if operator == "--":
            return left - right
        return left ^ right if operator == "~~" else right

    def ascii(self) -> Chars | None:
        """An ASCII class such as `[:^alpha:]`, None if there is none: it is a set of these letters then."""
        match = ASCII_CLASS.match(self.text, self.index)
        if match is None or match[2] not in ASCII:
            return None
        self.index = match.end()
        chars = Chars(ASCII[match[2]])
        if self.ignore_case:
            chars = extended(chars)
        return chars.opposite if match[1] else chars

    def range(self) -> Chars:
        """A character, a class, or a range of characters."""
        low = self.primitive()
        if not self.looking_at("-") or self.looking_at("-]") or self.looking_at("--"):
            return self.member(low) if isinstance(low, str) else low
        self.index += 1
        if self.index >= len(self.text):
            raise self.wrong("this set is not closed")
        high = self.primitive()
        if not isinstance(low, str) or not isinstance(high, str):
            raise self.wrong("in this set, a range begins or ends with a class; write \\- for the character")
        if high < low:
            raise self.wrong(f"in this set, a range ends before it begins: {high!r} comes before {low!r}")
        return self.member(low, high)

    def primitive(self) -> str | Chars:
        """A character, or an escaped class."""
        ch = self.text[self.index]
        self.index += 1
        if ch != "\\":
            return ch
        letter = self.text[self.index]
        self.index += 1
        if letter in "pP":
            return self.property(negative=letter == "P")
        if letter in "dswDSW":
            return Chars(f"\\{letter}")
        if letter == "x":
            self.index += 2
            return chr(int(self.text[self.index - 2 : self.index], 16))
        return CONTROLS.get(letter, letter)

    def property(self, *, negative: bool) -> Chars:
        """A property, after its letter."""
        end = self.text.find("}", self.index) if self.looking_at("{") else self.index
        if not self.text[self.index : end + 1] or end < 0:
            raise self.wrong("this property has no name")
        name = self.text[self.index : end + 1].removeprefix("{").removesuffix("}")
        self.index = end + 1
        chars = property_of(name)
        if chars is None:
            raise self.wrong(f"the property {name[:40]!r} does not exist, or is not supported here")
        if self.ignore_case:
            chars = extended(chars)
        return chars.opposite if negative != ("!=" in name) else chars

"""Runs a pattern as llama.cpp runs those it has no scanner for: on a text whose letters are collapsed into classes.

C++'s regular expressions do not support Unicode categories, so `unicode_regex_split` in llama.cpp's `src/unicode.cpp`
runs them on another text of the same length. If a pattern names a category (`\\p{L}`, `\\p{N}`, `\\p{P}`, `\\p{M}`,
`\\p{S}`), every non-ASCII character is collapsed to one that represents its category, and the category in the pattern
is replaced by that character and the category's ASCII characters. If it names none, only non-ASCII white space is
replaced, by a vertical tab, because `\\s` matches only ASCII white space there. The consequences:

- `\\p{Lu}`, `\\p{Ll}`, `\\p{Lt}`, `\\p{Lm}` and `\\p{Lo}` all match any letter.
- A non-ASCII literal never matches in a pattern that names a category (llama.cpp refuses such a pattern).
- `$` is the end of the piece, and each piece of the pattern before is matched on its own.

The results are those of C++'s `std::regex` (ECMAScript): alternatives in order, as here. Left out: its recursion, which
overflows llama.cpp's stack on a piece of some hundred thousand characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import regex

from explorer.engine.items import Segment
from explorer.engine.pre_tokenizers.stage import AlternativeMatch, Splitter, split_at
from explorer.engine.regexes.pattern import Pattern
from explorer.engine.trace import Emit
from explorer.text import WHITE_SPACE
from explorer.text.unicode_versions import major_category

COLLAPSED_TO: Final = {"N": "\xd1", "L": "\xd2", "P": "\xd3", "M": "\xd4", "S": "\xd5"}
"""First letter of a category → the character that its non-ASCII characters collapse to."""

OTHERS = "\xd0"
"""The same for all other categories, and for characters that Unicode 15.1 does not assign."""

ASCII: Final = {
    "N": "0-9",
    "L": "A-Za-z",
    "P": r"!-#%-*,-/:-;?-@\[-\]_\{\}",
    "M": "",
    "S": r"\$\+<->^`\|\~",
}
"""A category's ASCII characters, written for use in brackets."""

NAMES = regex.compile(r"\\p\{(N|L|P|M|S|Lu|Ll|Lt|Lm|Lo)\}")
"""The categories that llama.cpp recognizes in a pattern."""

ASCII_SPACE: Final = {ch: 0x0B for ch in WHITE_SPACE if ch > 0x7F}
"""Non-ASCII white space → vertical tab."""


class _Collapsed(dict[int, int]):
    """Code point → the one it collapses to, filled on demand; for `str.translate`."""

    def __missing__(self, code_point: int) -> int:
        if code_point < 0x80:
            found = code_point
        elif code_point in WHITE_SPACE:
            found = 0x0B
        else:
            found = ord(COLLAPSED_TO.get(major_category(code_point), OTHERS))
        self[code_point] = found
        return found


_COLLAPSED = _Collapsed()


def names_a_category(expression: str) -> bool:
    """Whether a pattern is run on the collapsed text."""
    return NAMES.search(expression) is not None


def collapsed_text(text: str) -> str:
    """The collapsed text, as such a pattern sees it.

    >>> collapsed_text("aé１ \\u3000—")
    'aÒÑ \\x0bÓ'
    """
    return text.translate(_COLLAPSED)


def collapsed_regex(expression: str) -> str:
    """The pattern rewritten for the collapsed text.

    >>> collapsed_regex(r"\\p{N}|[^\\s\\p{Lu}]+")
    '[Ñ0-9]|[^\\\\sÒA-Za-z]+'
    """
    done: list[str] = []
    at, inside = 0, False
    while at < len(expression):
        ch, escaped = expression[at], at > 0 and expression[at - 1] == "\\"
        if ch == "[" and not escaped:
            inside = True
        elif ch == "]" and inside and not escaped:
            inside = False
        name = NAMES.match(expression, at)
        if name is None:
            done.append(ch)
            at += 1
            continue
        category = name[1][0]
        members = COLLAPSED_TO[category] + ASCII[category]
        done.append(members if inside else f"[{members}]")
        at = name.end()
    return "".join(done)


class CollapsedSplit(Splitter):
    """Splits by a pattern as llama.cpp does.

    >>> from explorer.engine.pre_tokenizers.patterns_llama_cpp import JUST_NUMBERS
    >>> from explorer.engine.trace import silent
    >>> [piece.text for piece in CollapsedSplit(JUST_NUMBERS).split(Segment.of("a1２b"), 0, silent)]
    ['a', '1２', 'b']
    """

    unicode = "15.1"

    def __init__(self, pattern: Pattern) -> None:
        self.pattern = pattern
        self.alternatives = pattern.alternatives
        self.collapses = names_a_category(pattern.regex)
        spelled = [collapsed_regex(each.runs) if self.collapses else each.runs for each in pattern.alternatives]
        whole = "|".join(f"(?P<a{index}>{each})" for index, each in enumerate(spelled))
        # ASCII: \s and \d as C++ has them
        self.regex = regex.compile(whole, regex.VERSION0 | regex.ASCII)

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        """The pieces between and within the matches."""
        return split_at(piece, self.matches(piece.text), first, emit)

    def matches(self, text: str) -> Iterator[AlternativeMatch]:
        """The matches from the left, empty ones too, each with its alternative."""
        seen = collapsed_text(text) if self.collapses else text.translate(ASCII_SPACE)
        for match in self.regex.finditer(seen):
            yield AlternativeMatch(*match.span(), int((match.lastgroup or "a0")[1:]))

"""Classes of code points, as llama.cpp's scanners ask for them: letters, numbers, white space, and what is left.

Letters and numbers are those of Unicode 15.1 and white space is an explicit list, as in llama.cpp's
`src/unicode-data.cpp`. A scanner reads a class through `_get_flags`, which has no flag set after the end of the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from explorer.text import WHITE_SPACE
from explorer.text.code_points import HAN_RANGES
from explorer.text.unicode_versions import major_category

LETTER, NUMBER, SPACE, OTHER, END = "L", "N", "S", "O", "E"
"""Classes of code points; END comes after the text."""


class _Classes(dict[int, str]):
    """Code point → class, filled on demand; for `str.translate`. of: general category → class."""

    def __init__(self, of: Mapping[str, str]) -> None:
        self.of = of

    def __missing__(self, code_point: int) -> str:
        # unassigned code points are OTHER
        of = self.of.get(major_category(code_point), OTHER)
        found = SPACE if code_point in WHITE_SPACE else of
        self[code_point] = found
        return found


_CLASSES = _Classes({"L": LETTER, "N": NUMBER})
_WITH_MARKS = _Classes({"L": LETTER, "M": LETTER, "N": NUMBER})


def classes(text: str) -> str:
    """The class of each code point, then END.

    >>> classes("a １\\n!")
    'LSNSOE'
    """
    return text.translate(_CLASSES) + END


def classes_with_marks(text: str) -> str:
    """The same, but marks are letters.

    >>> classes("e\\u0301"), classes_with_marks("e\\u0301")
    ('LOE', 'LLE')
    """
    return text.translate(_WITH_MARKS) + END


CPT_HAN: Final = (*HAN_RANGES, (0x2B820, 0x2CEAF), (0x2CEB0, 0x2EBEF))
"""The ranges of llama.cpp's `unicode_cpt_is_han`; not all that Unicode calls Han."""


def is_cpt_han(ch: str) -> bool:
    """Whether one character is Chinese for llama.cpp's `unicode_cpt_is_han`; False for the empty string.

    >>> is_cpt_han("漢"), is_cpt_han("々"), is_cpt_han("")
    (True, False, False)
    """
    return ch >= "\u3400" and any(low <= ord(ch) <= high for low, high in CPT_HAN)

"""Hand-written scanners for the patterns of GPT-2, Llama 3 and Qwen 2: no regex, only classes of code points.

Follows llama.cpp's `unicode_regex_split_custom_gpt2`, `…_llama3` and `…_qwen2` in `src/unicode.cpp`, which are what
llama.cpp runs for these three patterns. A scanner looks at one place, decides which alternative of its pattern takes
the text there, and says where the piece ends; the labels in the branches are numbers of alternatives in
`patterns.py`. They agree with the patterns on every text, but for two things: a contraction is looked for in ASCII
letters only (`'ſ` is none), and a code point newer than this Python's Unicode is neither letter nor number here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from explorer.engine.patterns import GPT2_LLAMA_CPP, LLAMA3, LLAMA3_LLAMA_CPP, QWEN2_LLAMA_CPP, Alternative
from explorer.text import WHITE_SPACE

LETTER, NUMBER, SPACE, OTHER, END = "L", "N", "S", "O", "E"
"""Classes of code points; END stands behind the text."""


class _Classes(dict[int, str]):
    """Code point → class, filled as code points are met; for `str.translate`."""

    def __missing__(self, code_point: int) -> str:
        if code_point in WHITE_SPACE:
            found = SPACE
        else:
            # llama.cpp: is_letter, is_number; what is unassigned counts as any other sign
            found = {"L": LETTER, "N": NUMBER}.get(unicodedata.category(chr(code_point))[0], OTHER)
        self[code_point] = found
        return found


_CLASSES = _Classes()


def classes(text: str) -> str:
    """The class of each code point, and END.

    >>> classes("a １\\n!")
    'LSNSOE'
    """
    return text.translate(_CLASSES) + END


class Found(NamedTuple):
    """A piece [start, end), and which alternative of the pattern took it."""

    start: int
    end: int
    alternative: int


Scan = Callable[[str], Iterator[Found]]


class Scanner(NamedTuple):
    """A scanner, and the alternatives its branches stand for."""

    name: str
    scan: Scan
    alternatives: tuple[Alternative, ...]


def contraction(text: str, at: int, any_case: bool) -> int:
    """The length of `'s 't 'm 'd 're 've 'll` at `at`, 0 where there is none."""
    if text[at] != "'":
        return 0
    after = text[at + 1 : at + 3]
    if any_case:
        # not str.lower: only what llama.cpp's one-to-one lower case turns into these ASCII letters
        after = "".join(ch.lower() if ch.isascii() else ch for ch in after)
    if after[:1] in ("s", "t", "m", "d"):
        return 2
    return 3 if after in ("re", "ve", "ll") else 0


def run(kinds: str, at: int, kind: str) -> int:
    """Where the run of one class that begins at `at` ends."""
    while kinds[at] == kind:
        at += 1
    return at


def white_space(kinds: str, at: int) -> tuple[int, bool]:
    """For `\\s+(?!\\S)|\\s+`: where the piece ends, and whether the first of the two takes it."""
    end = run(kinds, at, SPACE)
    if kinds[end] == END:
        return end, True
    if end - at > 1:
        return end - 1, True
    return end, False


def gpt2(text: str) -> Iterator[Found]:
    """GPT-2.

    >>> [(" He's  so"[f.start : f.end], f.alternative) for f in gpt2(" He's  so")]
    [(' He', 1), ("'s", 0), (' ', 4), (' so', 1)]
    """
    kinds, at = classes(text), 0
    while at < len(text):
        start = at
        size = contraction(text, at, any_case=False)
        # one plain space may go with what follows it
        lead = kinds[at + 1] if text[at] == " " else kinds[at]
        if size:
            at, alternative = at + size, 0
        elif lead in (LETTER, NUMBER, OTHER):
            at = run(kinds, at + (text[at] == " "), lead)
            alternative = (LETTER, NUMBER, OTHER).index(lead) + 1
        else:
            at, held_back = white_space(kinds, at)
            alternative = 4 if held_back else 5
        yield Found(start, at, alternative)


def _llama3(text: str, numbers: int) -> Iterator[Found]:
    """Llama 3 and Qwen 2, which differ in how many numbers stand together."""
    kinds, at = classes(text), 0
    while at < len(text):
        start, ch, kind = at, text[at], kinds[at]
        size = contraction(text, at, any_case=True)
        lead = kinds[at + 1] if ch == " " else kind
        if size:
            at, alternative = at + size, 0
        elif kind == LETTER or (kind != NUMBER and ch not in "\r\n" and kinds[at + 1] == LETTER):
            at, alternative = run(kinds, at + 1, LETTER), 1
        elif kind == NUMBER:
            at += 1
            while at < start + numbers and kinds[at] == NUMBER:
                at += 1
            alternative = 2
        elif lead == OTHER:
            at = run(kinds, at + (ch == " "), OTHER)
            while text[at : at + 1] in ("\r", "\n"):
                at += 1
            alternative = 3
        else:
            end = run(kinds, at, SPACE)
            last = max(text.rfind("\n", at, end), text.rfind("\r", at, end))
            if last >= 0:
                at, alternative = last + 1, 4
            else:
                at, held_back = white_space(kinds, at)
                alternative = 5 if held_back else 6
        yield Found(start, at, alternative)


def llama3(text: str) -> Iterator[Found]:
    """Llama 3: up to three numbers together.

    >>> [f.end for f in llama3("1234 a")]
    [3, 4, 6]
    """
    return _llama3(text, 3)


def qwen2(text: str) -> Iterator[Found]:
    """Qwen 2: every number alone.

    >>> [f.end for f in qwen2("123")]
    [1, 2, 3]
    """
    return _llama3(text, 1)


SCANNERS: Final[Mapping[str, Scanner]] = MappingProxyType(
    {
        "gpt-2": Scanner("gpt-2", gpt2, (*GPT2_LLAMA_CPP.alternatives, LLAMA3.alternatives[-1])),
        "llama-3": Scanner("llama-3", llama3, LLAMA3_LLAMA_CPP.alternatives),
        "qwen-2": Scanner("qwen-2", qwen2, QWEN2_LLAMA_CPP.alternatives),
    }
)
"""The three scanners by name."""

"""Merges of a BPE as subword-nmt and fastBPE write them, `</w>` after the end of a word, and PhoBERT's list of words.

**subword-nmt's codes** are merges in order of priority, two symbols a line. Follows `BPE.__init__` of subword-nmt
0.3.8: a line `#version: 0.2`, then the pairs; blank lines at the end do not count, and of a pair that comes twice the
first counts. The file has no ids. Left out: version 0.1, the version of a file without that line, in which `</w>` is
a symbol of its own.

**PhoBERT's files** are vocab.txt, a word and its count a line, and bpe.codes, two symbols and the count of the pair a
line. fastBPE and fairseq wrote them. Follows `PhobertTokenizer` of transformers, and `BertweetTokenizer`, which read
them the same way: the text of a line before its last space is a piece, and the counts are not used. A last line of
bpe.codes without a line end is not read, lines of other than two symbols merge nothing, and of a pair that comes
twice the last counts. Stricter than the original, which gives one id to two pieces after a word that comes twice;
symbols that end in `</w>` within a word are refused.

Refused in both: a pair that makes a symbol which an earlier pair merges. The programs merge a pair everywhere in a
word before they look for the next one, a queue would not, and only such a pair makes a difference; no learned file
has one.
"""

import re
from collections.abc import Mapping
from operator import itemgetter

from explorer.errors import InputError, shown
from explorer.formats.vocab_files import lines_in_python, lines_of
from explorer.vocabulary import MOST_PIECES

WORD_END = "</w>"
"""Ends the last symbol of a word."""

_VERSION = re.compile(r"#version:.*?([0-9]+)\.([0-9]+)(?:\.0+)*\s*")
_HEAD = re.compile(rb"#version:[^\n]*\r?\n(?:[^ \n]+ [^ \n]+\n)*?[^ \n]+ [^ \n]*</w>\r?(?:\n|\Z)")


def looks_like(head: bytes) -> bool:
    """Whether a file with these first bytes may be codes: a version, then pairs, one of which ends a word.

    GPT-2's merges begin with the same line, but do not mark the end of a word.

    >>> looks_like(b"#version: 0.2\\nt h\\ne n</w>\\n"), looks_like(b"#version: 0.2\\nh e\\n")
    (True, False)
    """
    return _HEAD.match(head) is not None


def read(data: bytes, name: str) -> list[tuple[str, str]]:
    """The pairs, the one that merges first at the front. name: what errors call the file.

    Raises InputError naming the line that is wrong.

    >>> read(b"#version: 0.2\\nt h\\nth e</w>\\n", "toy")
    [('t', 'h'), ('th', 'e</w>')]
    """
    first, *lines = lines_of(data, name) or [""]
    version = _VERSION.fullmatch(first)
    if version is None or (int(version[1]), int(version[2])) != (0, 2):
        raise InputError(
            f"{name}: line 1 is {shown(first)}, not #version: 0.2; codes of another version are not run here"
        )
    while lines and not lines[-1]:
        lines.pop()
    if len(lines) > MOST_PIECES // 4:
        raise InputError(f"{name}: {len(lines):,} pairs, but at most {MOST_PIECES // 4:,} are read; give another file")
    pairs: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines, 2):
        sides = line.strip("\r\n ").split(" ")
        if len(sides) != 2 or not all(sides):
            raise InputError(f"{name}: line {number} is not two symbols and a space ({shown(line)}); repair the file")
        pairs.setdefault((sides[0], sides[1]), number)
    if not pairs:
        raise InputError(f"{name}: the file has no pairs; fetch it again")
    check_order(pairs, name)
    return list(pairs)


def check_order(pairs: Mapping[tuple[str, str], int], name: str) -> None:
    """Raises InputError for a pair that makes a symbol which an earlier pair merges. pairs: with their lines.

    The originals merge a pair everywhere in a word before they look for the next one. A queue does not, which makes a
    difference only for such a pair.
    """
    used: set[str] = set()
    for (left, right), number in pairs.items():
        used |= {left, right}
        if left + right in used:
            raise InputError(
                f"{name}: line {number} makes {shown(left + right)}, which an earlier line merges; such pairs, which "
                "no training gives, are not run here"
            )


CODES = "bpe.codes"
_LINE = re.compile(rb"\S+ \d+\r?\n")


def looks_like_phobert(head: bytes) -> bool:
    """Whether a file with these first bytes may be such a vocab.txt.

    >>> looks_like_phobert(b", 100\\ncho@@ 80\\n"), looks_like_phobert(b"[PAD]\\n[UNK]\\n")
    (True, False)
    """
    lines = head.splitlines(keepends=True)[:20]
    ids = [line.split()[-1:] for line in lines[:2]] == [[b"0"], [b"1"]]
    return len(lines) > 1 and not ids and all(map(_LINE.fullmatch, lines[: len(lines) - 1]))


def phobert_words(data: bytes, name: str) -> dict[str, int]:
    """Piece → its number among the lines. name: what errors call the file. Raises InputError naming the line.

    >>> phobert_words(b", 100\\ncho@@ 80\\n", "toy")
    {',': 0, 'cho@@': 1}
    """
    lines = lines_in_python(data, name)
    words: dict[str, int] = {}
    for number, line in enumerate(lines if lines[-1] else lines[:-1], 1):
        word, space, _ = line.strip().rpartition(" ")
        if not space:
            raise InputError(f"{name}: line {number} is not a word and its count ({shown(line)}); repair the file")
        if words.setdefault(word, number - 1) != number - 1:
            raise InputError(
                f"{name}: line {number} is {shown(word)}, as line {words[word] + 1} is; remove one of them"
            )
    return words


def phobert_codes(data: bytes) -> list[tuple[str, str]]:
    """The pairs, the one that merges first at the front. Raises InputError naming the line that is not run.

    >>> phobert_codes(b"t h 9\\nth e</w> 7\\n")
    [('t', 'h'), ('th', 'e</w>')]
    """
    ranks: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines_in_python(data, CODES)[:-1], 1):
        sides = line.split()[:-1]
        if len(sides) == 2:
            ranks[sides[0], sides[1]] = number
    for (left, right), number in ranks.items():
        ends = (left + right).endswith(WORD_END) and not right.endswith(WORD_END)
        if ends or WORD_END in (left, right):
            raise InputError(
                f"{CODES}: line {number} makes {shown(left + right)}, which is no word or only looks like the end of "
                "one; such pairs, which no training gives, are not run here"
            )
    pairs = dict(sorted(ranks.items(), key=itemgetter(1)))
    check_order(pairs, CODES)
    return list(pairs)

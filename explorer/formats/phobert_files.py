"""PhoBERT's files: vocab.txt, a word and its count a line, and bpe.codes, two symbols and the count of the pair a line.

fastBPE and fairseq wrote them. Follows `PhobertTokenizer` of transformers, and `BertweetTokenizer`, which read them the
same way: the text of a line before its last space is a piece, and the counts are not used. A last line of bpe.codes
without a line end is not read, lines of other than two symbols merge nothing, and of a pair that comes twice the last
counts.

Stricter than the original, which gives one id to two pieces after a word that comes twice. Refused, too: a pair that
makes a symbol which an earlier pair merges (see `subword_nmt_codes`), and symbols that end in `</w>` within a word.
"""

from __future__ import annotations

import re
from operator import itemgetter
from typing import Final

from explorer.errors import InputError, shown
from explorer.formats.subword_nmt_codes import WORD_END, check_order
from explorer.formats.vocab_files import lines_in_python

CODES: Final = "bpe.codes"
_LINE: Final = re.compile(rb"\S+ \d+\r?\n")


def looks_like(head: bytes) -> bool:
    """Whether a file with these first bytes may be such a vocab.txt.

    >>> looks_like(b", 100\\ncho@@ 80\\n"), looks_like(b"[PAD]\\n[UNK]\\n")
    (True, False)
    """
    lines = head.splitlines(keepends=True)[:20]
    ids = [line.split()[-1:] for line in lines[:2]] == [[b"0"], [b"1"]]
    return len(lines) > 1 and not ids and all(map(_LINE.fullmatch, lines[: len(lines) - 1]))


def read_words(data: bytes, name: str) -> dict[str, int]:
    """Piece → its number among the lines. name: what errors call the file. Raises InputError naming the line.

    >>> read_words(b", 100\\ncho@@ 80\\n", "toy")
    {',': 0, 'cho@@': 1}
    """
    lines = lines_in_python(data, name)
    found: dict[str, int] = {}
    for number, line in enumerate(lines if lines[-1] else lines[:-1], 1):
        word, space, _ = line.strip().rpartition(" ")
        if not space:
            raise InputError(f"{name}: line {number} is not a word and its count ({shown(line)}); repair the file")
        if found.setdefault(word, number - 1) != number - 1:
            raise InputError(
                f"{name}: line {number} is {shown(word)}, as line {found[word] + 1} is; remove one of them"
            )
    return found


def read_codes(data: bytes, name: str = CODES) -> list[tuple[str, str]]:
    """The pairs, the one that merges first at the front. Raises InputError naming the line that is not run.

    >>> read_codes(b"t h 9\\nth e</w> 7\\n")
    [('t', 'h'), ('th', 'e</w>')]
    """
    ranks: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines_in_python(data, name)[:-1], 1):
        sides = line.split()[:-1]
        if len(sides) == 2:
            ranks[sides[0], sides[1]] = number
    for (left, right), number in ranks.items():
        ends = (left + right).endswith(WORD_END) and not right.endswith(WORD_END)
        if ends or WORD_END in (left, right):
            raise InputError(
                f"{name}: line {number} makes {shown(left + right)}, which is no word or only looks like the end of "
                "one; such pairs, which no training gives, are not run here"
            )
    pairs = dict(sorted(ranks.items(), key=itemgetter(1)))
    check_order(pairs, name)
    return list(pairs)

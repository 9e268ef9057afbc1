"""The settings behind every name of `tokenizer.ggml.pre` that llama.cpp has.

The name is that of a model; llama.cpp's converter finds it by tokenizing a test text. It selects the patterns, applied
in order, and settings that no file contains. Follows `llama_vocab::impl::load` and `llm_tokenizer_bpe` in llama.cpp's
`src/llama-vocab.cpp`, of the llama.cpp in llama-cpp-python 0.3.36 (0c1e57098);
`tests/originals/compare_llama_vocab.py` prints the differences of another copy of that file.
pre_tokenizers.toml has the table.

`FIRST_KNOWN` says which llama.cpp first knows each name.

Read from `llama-vocab.cpp` (before 0.2.83 `llama.cpp`) in the sources of the releases of llama-cpp-python that are
listed; releases between them were not looked at.
"""

from difflib import get_close_matches
from typing import NamedTuple

from explorer.engine.pre_tokenizers import patterns_llama_cpp as p
from explorer.engine.pre_tokenizers.by_regex import CollapsedSplit, Splitter
from explorer.engine.pre_tokenizers.scanners import ScannerSplit, scanner_of
from explorer.engine.regexes.safe import Pattern
from explorer.tables import Record, read_toml


class Pre(NamedTuple):
    """The settings of one name. The defaults are llama.cpp's for BPE.

    patterns: applied in order.
    ignore_merges: a piece that is a token is used whole, without merging.
    add_bos: BOS is put in front, unless the file says otherwise. bos: whether a file without a BOS id has the default.
    add_sep: a separator goes between two texts; it does not affect a single one.
    clean_spaces: decoding removes the space before punctuation and contractions.
    bytes_spelled: the bytes of a piece are spelled as printable characters; otherwise the merges run on the text
        itself, and what is not a token becomes its bytes `<0xXX>`.
    escape_spaces: every space is written ▁ first.
    line_feeds_whole: a piece of line feeds only that is a token is used whole, and BOS is always added.
    lowercase: for the tokenizer model `whitespace`: letters are lowercased, unless the file says otherwise.
    """

    patterns: tuple[Pattern, ...]
    ignore_merges: bool = False
    add_bos: bool = False
    bos: bool = True
    add_sep: bool = False
    clean_spaces: bool = True
    bytes_spelled: bool = True
    escape_spaces: bool = False
    line_feeds_whole: bool = False
    lowercase: bool = True

    @property
    def splitters(self) -> list[Splitter]:
        """The splitters: a scanner if llama.cpp has one for the pattern, otherwise the pattern itself."""
        return [_splitters[pattern] for pattern in self.patterns]


class _Splitters(dict[Pattern, Splitter]):
    """Pattern → its splitter, made when first used: compiling takes milliseconds, and one file needs few of them."""

    def __missing__(self, pattern: Pattern) -> Splitter:
        scanner = scanner_of(pattern)
        found = self[pattern] = ScannerSplit(scanner) if scanner else CollapsedSplit(pattern)
        return found


_splitters = _Splitters()

DATA: Record = read_toml(__file__, "pre_tokenizers.toml")


PRE = {
    name: Pre(tuple(map(p.KNOWN.__getitem__, row["patterns"])), **row["settings"])
    for row in DATA["pre"]
    for name in row["names"].split()
}
"""`tokenizer.ggml.pre` → its settings. The most common names come first."""

DEFAULT = "default"
"""The name that llama.cpp uses if a file has none."""


def likeliest(name: str) -> tuple[str, ...]:
    """All names, those most similar to an unknown name first.

    >>> likeliest("llama-bpe2")[:2], len(likeliest("")) == len(PRE)
    (('llama-bpe', 'llama-v3'), True)
    """
    near = get_close_matches(name, PRE, n=3)
    return (*near, *(each for each in PRE if each not in near))


FIRST_KNOWN: dict[str, str] = DATA["first_known"]
"""Release, the oldest first → the names that the one before lacks."""

"""Words of the trade, each explained in one plain sentence, for whoever meets them for the first time.

`words_in` finds those that a section of a page uses, so that they can be explained where they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple


class Word(NamedTuple):
    """word: as it is shown. means: a sentence without its beginning. forms: how it may be written, a regex."""

    word: str
    means: str
    forms: str


def _word(word: str, means: str, forms: str = "") -> Word:
    return Word(word, means, forms or re.escape(word) + "s?")


WORDS: Final = (
    _word("token", "what a model is given instead of text: a number, its id, that stands for a piece of text"),
    _word("id", "the number of a token; it is all that the model gets to see", "ids?"),
    _word("vocabulary", "all the tokens a model knows, each with its spelling", "vocabular(?:y|ies)"),
    _word("piece", "a few characters in a row: what a token stands for, or what the text was cut into"),
    _word("code point", "the number that Unicode gives to a character, written U+0041; what a reader sees as one "
          "character may be several"),
    _word("Unicode", "the list of all characters of all scripts, each with a number and a name"),
    _word("UTF-8", "the usual way to write code points as bytes, one to four for each"),
    _word("byte", "a number from 0 to 255, eight bits; written here with two digits, 00 to FF"),
    _word("marker bits", "the first bits of a byte, which say how many bytes the character has", "marker bits?"),
    _word("ASCII", "the first 128 code points: unaccented letters, digits, signs, one byte each"),
    _word("offset", "how many stand before it, so the first has offset 0; a character or position counts from 1"),
    _word("special token", "a token that is a sign for the model, such as the beginning of a text, and no text itself",
          "special (?:tokens?|ones)"),
    _word("control token", "a kind of special token: a sign for the model, such as the beginning of a text",
          "control (?:tokens?|pieces?)"),
    _word("control", "a code point that is no sign to be seen, such as a line break or one that joins two others",
          "controls?(?! tokens?| pieces?)"),
    _word("added token", "a token that was put into the vocabulary by hand, special or not", "added tokens?"),
    _word("user-defined", "a kind of token: the model's maker wanted this text to be one token, always"),
    _word("fragment", "a stretch of the text in which no token is left to cut out"),
    _word("RAW_TEXT", "llama.cpp's word for a fragment that is still text", "RAW_TEXT"),
    _word("TOKEN", "llama.cpp's word for a fragment that is a token already", "TOKEN"),
    _word("normalization", "changing a text so that what means the same is written the same", "[Nn]ormalization"),
    _word("normalization form", "one of Unicode's ways to write characters that can be written in several, such as é "
          "as one code point or as e and an accent", "normalization forms?"),
    _word("decomposed", "written as a base character and the marks on it: Å as A and a ring",
          "decompos(?:ed|itions?|es?)"),
    _word("combining mark", "a mark such as an accent that is written on the character before it"),
    _word("character map", "a table in the vocabulary file that says what to write instead of a character"),
    _word("▁", "U+2581, which many vocabularies write for a space, so that pieces can hold spaces", "▁"),
    _word("white space", "spaces, tabs, line breaks and their like"),
    _word("pattern", "a regular expression: a description of which texts match"),
    _word("alternative", "one of the parts of a pattern that stand between its |"),
    _word("contraction", "a short form such as 's in it's or 'll in we'll"),
    _word("printable", "of the 256 bytes only some are signs that can be read; byte-level vocabularies write each byte "
          "as a sign that can, a space as Ġ"),
    _word("symbol", "what is merged: at first one character or byte, later several of them"),
    _word("merge", "join two neighbours into one symbol", "merg(?:e|es|ed|ing)"),
    _word("list of merges", "the pairs of symbols that may be joined, in the order in which training found them",
          "lists? of merges"),
    _word("score", "how much the vocabulary favours a piece; the higher, the better"),
    _word("rank", "the place of a token in the list of all tokens; the lower, the earlier it was found"),
    _word("queue", "a list of what is still to be done, the best entry always first"),
    _word("heap", "how a queue is kept so that its best entry is found at once: none is better than the one above it"),
    _word("pop", "take the first entry out of the queue", "[Pp]op"),
    _word("push", "put an entry into the queue", "push(?:ed)?"),
    _word("stale", "an entry of the queue that is no longer true: one of its symbols has changed since"),
    _word("prev, next", "of a symbol: the numbers of the symbols before and behind it", "prev"),
    _word("seed", "fill the queue with the pairs there are at the beginning", "[Ss]eed"),
    _word("byte fallback", "what the vocabulary has no piece for becomes one token for each byte"),
    _word("unknown token", "the token that stands for whatever the vocabulary cannot spell"),
    _word("longest match", "taking the longest piece that fits, then the longest that fits the rest",
          "[Ll]ongest match"),
    _word("window", "the stretch of a word that is looked up"),
    _word("phantom", "a sign that is put in front of a word while it is matched and is in no text"),
    _word("trie", "a tree that spells all tokens: from its root an edge leads on for each byte that may come next"),
    _word("root", "where every walk through the tree begins"),
    _word("node", "a place in the tree; it may be the end of a token, the middle of longer ones, or both"),
    _word("lattice", "the places between characters, with every piece that leads from one place to a later one"),
    _word("path", "pieces one behind the other; here from the beginning of the text to its end", "paths?"),
    _word("pre-tokenizer", "what cuts a text into pieces before the model sees it"),
    _word("BPE", "byte pair encoding: pairs of neighbours are joined again and again", "BPE"),
    _word("BOS, EOS", "the tokens for the beginning and the end of a text", "BOS|EOS"),
    _word("round trip", "from text to ids and back"),
)  # fmt: skip

FORMS: Final[Mapping[Word, re.Pattern[str]]] = MappingProxyType(
    {word: re.compile(rf"(?<![\w-])(?:{word.forms})(?![\w-])" if word.word != "▁" else "▁") for word in WORDS}
)


def words_in(texts: Iterable[str]) -> tuple[Word, ...]:
    """The words that occur in any of the texts, in the order of `WORDS`.

    >>> [word.word for word in words_in(["The queue holds stale entries."])]
    ['queue', 'stale']
    """
    together = "\n".join(texts)
    return tuple(word for word, form in FORMS.items() if form.search(together))

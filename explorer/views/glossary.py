"""Technical terms, each explained in one plain sentence for readers who meet them for the first time.

`words_in` finds the terms that a section of a page uses, so they are explained right there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple


class Word(NamedTuple):
    """A term. word: as shown. means: its explanation, a phrase. forms: a regex for the ways it is written."""

    word: str
    means: str
    forms: str


def _word(word: str, means: str, forms: str = "") -> Word:
    return Word(word, means, forms or re.escape(word) + "s?")


WORDS: Final = (
    _word("token", "what a model receives instead of text: a number, its id, for a stretch of text"),
    _word("id", "the number of a token; all that the model sees of it", "ids?"),
    _word("vocabulary", "all tokens a model knows, each with its spelling", "vocabular(?:y|ies)"),
    _word("piece", "the spelling of a token in the vocabulary: a few characters in a row"),
    _word("code point", "the number that Unicode gives to a character, written U+0041; what a reader sees as one "
          "character may be several code points"),
    _word("Unicode", "the list of all characters of all scripts, each with a number and a name"),
    _word("UTF-8", "the usual way to write code points as bytes, one to four for each"),
    _word("byte", "a number from 0 to 255, eight bits; written here with two hexadecimal digits, 00 to FF"),
    _word("marker bits", "the first bits of a byte, which say how many bytes the character has", "marker bits?"),
    _word("ASCII", "the first 128 code points: unaccented letters, digits and punctuation, one byte each"),
    _word("offset", "how many come before it, so the first has offset 0; characters and positions count from 1"),
    _word("special token", "a token that is a sign for the model, such as the beginning of a text, not text itself",
          "special (?:tokens?|ones)"),
    _word("control token", "a kind of special token: a sign for the model, such as the beginning of a text",
          "control (?:tokens?|pieces?)"),
    _word("control", "a code point without a visible sign, such as a line break or one that joins two others",
          "controls?(?! tokens?| pieces?)"),
    _word("added token", "a token added to the vocabulary by hand, special or not", "added tokens?"),
    _word("user-defined", "a kind of token: the model's maker wanted this text to be one token, always"),
    _word("fragment", "a stretch of the text that contains no token to be cut out"),
    _word("RAW_TEXT", "llama.cpp's word for a fragment that is still text", "RAW_TEXT"),
    _word("TOKEN", "llama.cpp's word for a fragment that is already a token", "TOKEN"),
    _word("normalization", "rewriting a text so that what means the same is written the same",
          "[Nn]ormaliz(?:ation|ed?)"),
    _word("normalization form", "one of Unicode's rules for characters that can be written in several ways, such as é "
          "as one code point or as e and an accent", "normalization forms?"),
    _word("decomposed", "written as a base character and its marks: Å as A and a ring",
          "decompos(?:ed|itions?|es?)"),
    _word("combining mark", "a mark, such as an accent, that is drawn on the character before it"),
    _word("character map", "a table in the vocabulary file: which character is replaced by what"),
    _word("▁", "U+2581, which many vocabularies write for a space, so that pieces can contain spaces", "▁"),
    _word("white space", "spaces, tabs, line breaks and similar characters"),
    _word("lone space", "a space at the end of a text that is a token of its own; the tokens of most words begin with "
          "a space, so none of them fits after it: leave it out"),
    _word("pattern", "a regular expression: a description of the texts that match"),
    _word("alternative", "one of the parts of a pattern, separated by |"),
    _word("contraction", "a short form such as 's in it's or 'll in we'll"),
    _word("printable", "only some of the 256 bytes are visible characters; byte-level vocabularies write every byte as "
          "one that is, a space as Ġ"),
    _word("symbol", "what is merged: at first one character or byte, later several"),
    _word("merge", "join two neighbors into one symbol", "merg(?:e|es|ed|ing)"),
    _word("list of merges", "the pairs of symbols that may be joined, in the order training found them",
          "lists? of merges"),
    _word("score", "how much the vocabulary favors a piece; higher is better"),
    _word("rank", "the position of a token in the list of all tokens; a lower rank was found earlier"),
    _word("queue", "a list of what is still to be done, the best entry always first"),
    _word("heap", "how the queue is stored so that its best entry is found at once: no entry is better than the one "
          "above it"),
    _word("pop", "take the first entry out of the queue", "[Pp]op"),
    _word("push", "put an entry into the queue", "push(?:ed)?"),
    _word("stale", "an entry of the queue that no longer applies: one of its symbols has changed"),
    _word("prev, next", "the numbers of the symbols before and after a symbol", "prev"),
    _word("seed", "fill the queue with the pairs that exist at the beginning", "[Ss]eed"),
    _word("byte fallback", "text the vocabulary has no piece for becomes one token per byte"),
    _word("unknown token", "the token for whatever the vocabulary cannot spell"),
    _word("longest match", "taking the longest piece that fits, then the longest that fits the rest",
          "[Ll]ongest match"),
    _word("window", "the stretch of a word that is looked up"),
    _word("phantom", "a sign put before a word while it is matched; it isn't in the text"),
    _word("trie", "a tree that spells all tokens: from each node, an edge for every byte that may come next"),
    _word("root", "the node where every walk through the tree begins"),
    _word("node", "a point in the tree; it may be the end of a token, the middle of longer ones, or both"),
    _word("lattice", "the positions between characters, with every piece that leads from one to a later one"),
    _word("path", "pieces one after the other; here from the beginning of the text to its end", "paths?"),
    _word("pre-tokenizer", "what cuts a text before the model sees it", "pre-tokenize(?:rs?)?"),
    _word("pre-token", "a stretch of text that the pre-tokenizer has cut out; tokens never cross from one to the next"),
    _word("BPE", "byte pair encoding: pairs of neighbors are joined again and again", "BPE"),
    _word("BOS, EOS", "the tokens for the beginning and the end of a text", "BOS|EOS"),
    _word("round trip", "from text to ids and back"),
)  # fmt: skip

FORMS: Final = {
    word: re.compile(rf"(?<![\w-])(?:{word.forms})(?![\w-])" if word.word != "▁" else "▁") for word in WORDS
}


def for_browsers(words: Iterable[Word] = WORDS) -> list[dict[str, str]]:
    """The glossary for the browser: each word, what it means, and a regex of its forms, also at a sentence's beginning.

    >>> [word["form"] for word in for_browsers()][:2]
    ['[Tt]okens?', '[Ii]ds?']
    """
    return [{"word": word, "means": means, "form": capitalized(forms)} for word, means, forms in words]


def capitalized(form: str) -> str:
    """A regex that also matches with a capital first letter."""
    return f"[{form[0].upper()}{form[0]}]{form[1:]}" if form[0].islower() else form


def words_in(texts: Iterable[str]) -> tuple[Word, ...]:
    """The terms that occur in any of the texts, in the order of `WORDS`.

    >>> [word.word for word in words_in(["The queue holds stale entries."])]
    ['queue', 'stale']
    """
    together = "\n".join(texts)
    return tuple(word for word, form in FORMS.items() if form.search(together))

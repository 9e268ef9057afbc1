"""A corpus as trainers see it: distinct words, and how often each occurs.

What a word is depends on how texts are cut: by normalizer and pre-tokenizer (Hugging Face), by one pattern (tiktoken,
minbpe), or not at all; `CUTTINGS` has these ways by name, as parts of a tokenizer.json. Words are kept in the order of
their first occurrence, so everything that an original leaves to the order of a hash map has one fixed order here.
Memory is bounded by the distinct words, not by the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from explorer.engine import part as engine
from explorer.engine.fast.strategies import split_of
from explorer.engine.normalizers.stage import Normalization
from explorer.engine.part import Options, Part, Segment, initial_items, run_through
from explorer.engine.pre_tokenizers.by_regex import ByteLevel, PreTokenization
from explorer.errors import InputError
from explorer.implementations.huggingface.normalizers import normalizers
from explorer.implementations.huggingface.pre_tokenizers import pre_tokenizers
from explorer.text import clean
from explorer.training.training import ask, asking

Cut = Callable[[str], Iterable[str]]
"""The words of one text, in order."""

Words = Mapping[str, int]
"""Distinct words and how often each occurs, in the order of first occurrence."""


def whole(text: str) -> Iterator[str]:
    """The text as one word, as a trainer has it that is given no pre-tokenizer.

    >>> list(whole("a b")), list(whole(""))
    (['a b'], [])
    """
    if text:
        yield text


def by_parts(parts: Sequence[Part]) -> Cut:
    """Cuts a text by stages of a tokenizer, in order: its normalizer and its pre-tokenizer.

    >>> from explorer.engine.pre_tokenizers.huggingface import whitespace
    >>> from explorer.engine.pre_tokenizers.by_regex import PreTokenization
    >>> list(by_parts([PreTokenization([whitespace()])])("a b, a"))
    ['a', 'b', ',', 'a']
    """

    def cut(text: str) -> Iterator[str]:
        for item in run_through(parts, initial_items(text), Options()):
            if isinstance(item, Segment) and item.text:
                yield item.text

    return cut


def count(texts: Iterable[str], cut: Cut = whole, spell: Cut | None = None) -> dict[str, int]:
    """The words of all texts, and how often each occurs.

    cut: gives the words of one text. spell: what a word is written as, or the words it is cut into further, whatever
    its neighbors are; it is called once for each distinct word, which is cheaper than to do the same in `cut`.

    >>> count(["b a", "a"], str.split)
    {'b': 1, 'a': 2}
    """
    words: Counter[str] = Counter()
    for text in texts:
        words.update(cut(text))
        ask()
    if spell is None:
        return dict(words)
    spelled: Counter[str] = Counter()
    for word, times in words.items():
        for each in spell(word):
            spelled[each] += times
    return dict(spelled)


def characters(words: Words) -> dict[str, int]:
    """The characters of words, and how often each occurs.

    >>> characters({"ab": 2, "a": 1})
    {'a': 3, 'b': 2}
    """
    counts: dict[str, int] = {}
    for word, n in asking(list(words.items())):
        for ch in word:
            counts[ch] = counts.get(ch, 0) + n
    return counts


def counted(texts: Iterable[str], parts: Sequence[Part]) -> dict[str, int]:
    """The words of all texts, cut by stages of a tokenizer: the same as `count(texts, by_parts(parts))`.

    A byte level at the end is applied to distinct words only, and known patterns are run without the events and the
    alignment of their stage, which makes counting several times as fast.

    >>> from explorer.engine.pre_tokenizers.by_regex import ByteLevel
    >>> from explorer.engine.pre_tokenizers.by_regex import PreTokenization
    >>> counted(["é", "é"], [PreTokenization([ByteLevel()])])
    {'Ã©': 2}
    """
    *before, last = parts or (None,)
    if not isinstance(last, PreTokenization):
        return count(texts, by_parts(parts))
    splitters = last.splitters
    spell = None
    if splitters and isinstance(splitters[-1], ByteLevel):
        splitters, spell = splitters[:-1], by_parts([PreTokenization(splitters[-1:])])
    cut = split_of(splitters[0]) if len(splitters) == 1 else None
    if cut is None:
        return count(texts, by_parts([*before, PreTokenization(splitters)]), spell)
    known, normalized = cut, by_parts(before)
    plain = all(isinstance(part, Normalization) and not part.normalizers for part in before)

    def words_of(text: str) -> Iterator[str]:
        pieces = (clean(text),) if plain else normalized(text)
        return (word for piece in pieces if piece for word in known(piece) if word)

    return count(texts, words_of, spell)


def checked(words: Words) -> Words:
    """The words. Raises InputError where one is empty, is no Unicode text, or has no count of at least 1."""
    for word, times in words.items():
        clean(word)
        if not word or times < 1:
            raise InputError(
                f"the word {word!r} with the count {times}: each word needs a character and a count from 1 on; "
                "leave it out"
            )
    return words


PartJson = dict[str, Any]
"""A part as a tokenizer.json has it."""


class Cutting(NamedTuple):
    """The parts of a tokenizer.json around the model, each of which may be None."""

    normalizer: PartJson | None = None
    pre_tokenizer: PartJson | None = None
    decoder: PartJson | None = None

    def words(self, texts: Iterable[str]) -> dict[str, int]:
        """The words of all texts, and how often each occurs.

        >>> CUTTINGS["whitespace"].words(["a b", "a"])
        {'a': 2, 'b': 1}
        """
        parts: list[engine.Part] = [
            Normalization(normalizers(self.normalizer, "normalizer")),
            PreTokenization(pre_tokenizers(self.pre_tokenizer, "pre_tokenizer")),
        ]
        return counted(texts, parts)


BYTE_LEVEL: Final = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
METASPACE: Final = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}

CUTTINGS: Final = {
    "byte-level": Cutting(None, BYTE_LEVEL, BYTE_LEVEL),
    "whitespace": Cutting(None, {"type": "Whitespace"}, None),
    "bert": Cutting(
        {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        {"type": "BertPreTokenizer"},
        {"type": "WordPiece", "prefix": "##", "cleanup": True},
    ),
    "metaspace": Cutting(None, METASPACE, METASPACE),
    "none": Cutting(),
}

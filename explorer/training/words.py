"""A corpus as trainers see it: distinct words, and how often each occurs.

What a word is depends on how texts are cut: by normalizer and pre-tokenizer (Hugging Face), by one pattern (tiktoken,
minbpe), or not at all. Words are kept in the order of their first occurrence, so everything that an original leaves to
the order of a hash map has one fixed order here. Memory is bounded by the distinct words, not by the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from explorer.engine.items import Segment, start
from explorer.engine.limits.budget import ask
from explorer.engine.options import Options
from explorer.engine.part import Part, run_through
from explorer.errors import InputError
from explorer.training.training import TRAINER

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
    >>> from explorer.engine.pre_tokenizers.stage import PreTokenization
    >>> list(by_parts([PreTokenization([whitespace()])])("a b, a"))
    ['a', 'b', ',', 'a']
    """

    def cut(text: str) -> Iterator[str]:
        for item in run_through(parts, start(text), Options()):
            if isinstance(item, Segment) and item.text:
                yield item.text

    return cut


def count(texts: Iterable[str], cut: Cut = whole, spell: Cut | None = None) -> dict[str, int]:
    """The words of all texts, and how often each occurs.

    cut: gives the words of one text. spell: what a word is written as, or the words it is cut into further, whatever
    stands around it; it is asked once for each distinct word, which is cheaper than to do the same in `cut`.

    >>> count(["b a", "a"], str.split)
    {'b': 1, 'a': 2}
    """
    words: dict[str, int] = {}
    for text in texts:
        for word in cut(text):
            words[word] = words.get(word, 0) + 1
        ask(TRAINER)
    if spell is None:
        return words
    spelled: dict[str, int] = {}
    for word, times in words.items():
        for each in spell(word):
            spelled[each] = spelled.get(each, 0) + times
    return spelled


def with_line_ends(text: str) -> list[str]:
    r"""The lines of a file as Hugging Face's trainers read it: cut after each \n, which stays.

    >>> with_line_ends("a\r\nb\rc\n")
    ['a\r\n', 'b\rc\n']
    """
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def checked(words: Words) -> Words:
    """The words. Raises InputError where one is empty or has no count of at least 1."""
    for word, times in words.items():
        if not word or times < 1:
            raise InputError(
                f"the word {word!r} with the count {times}: each word needs a character and a count from 1 on; "
                "leave it out"
            )
    return words

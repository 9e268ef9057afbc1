"""A corpus as trainers see it: distinct words, counted in parts, and written as strings of symbols.

A corpus as trainers see it: distinct words, and how often each occurs.

What a word is depends on how texts are cut: by normalizer and pre-tokenizer (Hugging Face), by one pattern (tiktoken,
minbpe), or not at all; `CUTTINGS` has these ways by name, as parts of a tokenizer.json. Words are kept in the order of
their first occurrence, so everything that an original leaves to the order of a hash map has one fixed order here.
Memory is bounded by the distinct words, not by the text.

Counts the words of a corpus in parts, as the corpus job does its tasks: in several processes, resumable.

Memory is bounded by the distinct words. Words come out in the order of their first occurrence in the corpus, whichever
part was counted first.

Words as strings of symbols: symbol n is written as the character number n, so a pair is a string of two.

Strings make the inner loop of training fast without a table of positions: `find` and slices run in C, a pair is a key
that sorts as (left, right), and a merge from left to right without overlap is what `find` does. The characters have
nothing to do with what the symbols spell. Python has 1,114,112 of them, so a trainer makes at most that many symbols.

A trace also says which pairs tied with a merge, and which came next. `growth` counts the tokens of a corpus by the size
of the vocabulary, from the merges alone. That is cheaper than from the events, so whole trainings can be compared:
nothing is ranked.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from heapq import nlargest, nsmallest
from typing import Any, NamedTuple

from explorer.corpus.documents import all_batches
from explorer.corpus.run import ALWAYS, OnBytes, Turn, ignore
from explorer.corpus.sources import Reading, Task
from explorer.engine import part as engine
from explorer.engine.budget import TASK, within
from explorer.engine.fast.strategies import split_of
from explorer.engine.normalizers.stage import Normalization
from explorer.engine.part import Emit, Options, Part, Segment, initial_items, run_through, silent
from explorer.engine.pre_tokenizers.by_regex import ByteLevel, PreTokenization
from explorer.errors import InputError
from explorer.implementations.huggingface.text_stages import normalizers, pre_tokenizers
from explorer.tables import Record, read_toml
from explorer.text import clean
from explorer.training.training import RUNNERS_UP, Train, ask, asking

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


class Cutting(NamedTuple):
    """The parts of a tokenizer.json around the model, each of which may be None."""

    normalizer: Record | None = None
    pre_tokenizer: Record | None = None
    decoder: Record | None = None

    def words(self, texts: Iterable[str]) -> dict[str, int]:
        """The words of all texts, and how often each occurs.

        >>> CUTTINGS["whitespace"].words(["a b", "a"])
        {'a': 2, 'b': 1}
        """
        parts: list[engine.Part] = [
            Normalization(normalizers(self.normalizer)),
            PreTokenization(pre_tokenizers(self.pre_tokenizer)),
        ]
        return counted(texts, parts)


CUTTINGS = {
    name: Cutting(**{stage: json.loads(part) for stage, part in parts.items()})
    for name, parts in read_toml(__file__, "words.toml")["cuttings"].items()
}


FORMAT = 1
"""Incremented when words are counted otherwise."""


@dataclass
class WordCounts:
    """Words, and how often each occurs. first: where each occurs first, as (task, number within it)."""

    words: Counter[str] = field(default_factory=Counter)
    first: dict[str, tuple[int, int]] = field(default_factory=dict)
    size: int = 0
    """bytes of text"""

    def take(self, other: WordCounts, number: int) -> None:
        """Adds the words of the task with this number."""
        self.size += other.size
        self.words.update(other.words)
        for at, word in enumerate(other.words):
            place = number, at
            self.first[word] = min(self.first.get(word, place), place)

    def text_bytes(self) -> int:
        """How many bytes of text were counted."""
        return self.size

    def ordered(self) -> dict[str, int]:
        """The words in the order of their first occurrence.

        >>> counts = WordCounts()
        >>> counts.take(WordCounts(Counter(b=1, a=2)), 1)
        >>> counts.take(WordCounts(Counter("a")), 0)
        >>> counts.ordered()
        {'a': 3, 'b': 1}
        """
        return {word: self.words[word] for word in sorted(self.words, key=self.first.__getitem__)}


class Counting(NamedTuple):
    """The job: a text is a document of the corpus, cut into words."""

    cutting: Cutting
    reading: Reading

    def key(self, task: Task) -> str:
        """The name of a task's result: the files and their times, and how they are cut, decide."""
        depends = [FORMAT, self.cutting, self.reading, task.ranges]
        return sha256(json.dumps(depends).encode()).hexdigest()[:32]

    def do(self, task: Task, on_progress: OnBytes = ignore, turn: Turn = ALWAYS) -> bytes:
        """The words of a task, as JSON."""
        counts = WordCounts()
        with turn, within("a part of this corpus", TASK) as whole:
            for batch in all_batches(task, self.reading):
                whole.grow(sum(map(len, batch.texts)))
                size = sum(len(text.encode()) for text in batch.texts)
                counts.words.update(self.cutting.words(batch.texts))
                counts.size += size
                on_progress(size)
        return json.dumps([counts.size, counts.words], ensure_ascii=False).encode()

    def read(self, data: bytes, name: str = "these bytes") -> WordCounts:
        """The words in these bytes. Raises InputError for a damaged file."""
        try:
            size, words = json.loads(data)
            if not (isinstance(size, int) and all(type(times) is int for times in words.values())):
                raise TypeError
        except (ValueError, TypeError, AttributeError):
            raise InputError(f"{name}: it is damaged; delete it, and --resume counts this part again") from None
        return WordCounts(Counter(words), {}, size)

    def nothing(self) -> WordCounts:
        """No words."""
        return WordCounts()


MOST_SYMBOLS = sys.maxunicode + 1
"""Symbols that one training can make."""


def ids(pair: str) -> tuple[int, int]:
    """The numbers of the two symbols of a pair.

    >>> ids("\\x00\\x05")
    (0, 5)
    """
    return ord(pair[0]), ord(pair[1])


def check_size(vocab_size: int) -> None:
    """Raises InputError where that many tokens cannot be numbered."""
    if not 0 <= vocab_size <= MOST_SYMBOLS:
        raise InputError(f"vocab_size is {vocab_size:,}; choose a number from 0 to {MOST_SYMBOLS:,}")


def check_least(options: object, least: int, *names: str) -> None:
    """Raises InputError for an option that is below a number; None is none."""
    for name in names:
        value = getattr(options, name)
        if value is not None and value < least:
            raise InputError(f"{name} is {value}; choose {least} or more")


def check_alphabet(characters: Iterable[str]) -> None:
    """Raises InputError unless each is one character."""
    for ch in characters:
        if len(ch) != 1:
            raise InputError(f"initial_alphabet: {ch!r} is not one character; list its characters one by one")


def pairs_of(words: Sequence[str], times: Sequence[int]) -> tuple[dict[str, int], dict[str, list[int]]]:
    """The adjacent pairs of all words: how often each occurs, overlaps counted, and the words it is in, rising.

    >>> pairs_of(["aaa", "ab"], [2, 1])
    ({'aa': 4, 'ab': 1}, {'aa': [0], 'ab': [1]})
    """
    counts: dict[str, int] = {}
    where: dict[str, list[int]] = {}
    for at, word in enumerate(asking(words)):
        n = times[at]
        for left in range(len(word) - 1):
            pair = word[left : left + 2]
            if pair in counts:
                counts[pair] += n
                if where[pair][-1] != at:
                    where[pair].append(at)
            else:
                counts[pair] = n
                where[pair] = [at]
    return counts, where


class Allowed(dict[str, bool]):
    """Whether each pair may be counted, asked once: `rule` is given a pair.

    >>> allowed = Allowed(lambda pair: pair != "ab")
    >>> allowed["ab"], allowed["ba"]
    (False, True)
    """

    def __init__(self, rule: Callable[[str], bool]) -> None:
        self.rule = rule

    def __missing__(self, pair: str) -> bool:
        self[pair] = answer = self.rule(pair)
        return answer


class Step:
    """One merge, word by word, and what it does to the pairs around it.

    pair: the two symbols. new: the one they become. allowed: whether a pair may be counted; None where all are.

    changes: the change in each pair's count. gained: the pairs that arose, with the words they are in now;
    refused: those that arose but are not allowed.

    >>> from explorer.engine.part import silent
    >>> step = Step("ab", "X", silent)
    >>> step.merge("cabab", 0, 3), dict(step.changes)
    ('cXX', {'ca': -3, 'cX': 3, 'ba': -3, 'Xa': 0, 'XX': 3})
    """

    def __init__(self, pair: str, new: str, emit: Emit, allowed: Mapping[str, bool] | None = None) -> None:
        self.pair, self.new, self.emit, self.allowed = pair, new, emit, allowed
        self.changes: defaultdict[str, int] = defaultdict(int)
        self.gained: dict[str, list[int]] = {}
        self.refused: dict[str, None] = {}

    def merge(self, word: str, number: int, times: int) -> str:
        """The word with the pair merged, from the left and without overlap; its number and how often it occurs."""
        if self.emit is not silent:
            self.emit_rewrites(word, number)
        pair, new, changes = self.pair, self.new, self.changes
        at, done = word.find(pair), 0
        while at >= 0:
            before = new if at == done > 0 else word[at - 1 : at]
            if before:
                changes[before + pair[0]] -= times
                self.gain(before + new, number, times)
            done = at + 2
            after = word[done : done + 1]
            if after:
                changes[pair[1] + after] -= times
                self.gain(new + after, number, times)
            at = word.find(pair, done)
        return word.replace(pair, new)

    def gain(self, pair: str, number: int, times: int) -> None:
        """A pair of the new symbol and a neighbor arises in a word."""
        if self.allowed is not None and not self.allowed[pair]:
            self.refused[pair] = None
            return
        self.changes[pair] += times
        numbers = self.gained.get(pair)
        if numbers is None:
            self.gained[pair] = [number]
        elif numbers[-1] != number:
            numbers.append(number)

    def emit_rewrites(self, word: str, number: int) -> None:
        """Emits where the pair is merged in a word."""
        at, size = word.find(self.pair), len(word)
        while at >= 0:
            size -= 1
            self.emit(Train.REWRITE, number, at - (len(word) - size - 1), size)
            at = word.find(self.pair, at + 2)


# Where each pair occurs first: the tie rule of trainers that keep pairs in a dictionary.
#
# Python's `max` over a dictionary takes, of equals, the key that was inserted first. Where a trainer counts all pairs
# anew at each step, that is the pair that occurs first in the words as they are now.
#
# A position is (word, offset): the offset in the word's first symbols, not in those of now: an occurrence keeps it as
# long as it exists. The first position of a pair therefore only moves to the right, and a heap can hold positions
# that are out of date.

Position = tuple[int, int]
"""A word and an offset in it."""


@dataclass(eq=False)
class Occurrences:
    """The words that hold each pair, and the first position of a pair.

    words: rewritten by the trainer while this is in use. where: the words that hold each pair, rising. sizes: of each
    symbol, in symbols of the start.

    >>> Occurrences(["ab", "cab"], {"ab": [0, 1]}, [1] * 128).first("ab")
    (0, 0)
    """

    words: list[str]
    where: dict[str, list[int]]
    sizes: list[int]

    def __post_init__(self) -> None:
        self.passed: dict[str, int] = {}
        """of each pair, how many of its words no longer hold it"""

    def first(self, pair: str) -> Position:
        """The first position of a pair that occurs."""
        word, at = self.now(pair)
        return word, sum(map(self.sizes.__getitem__, map(ord, self.words[word][:at])))

    def now(self, pair: str) -> Position:
        """The same with the offset in the word's symbols of now: it orders pairs alike, and is cheaper."""
        holding = self.where[pair]
        passed = self.passed.get(pair, 0)
        while (at := self.words[holding[passed]].find(pair)) < 0:
            passed += 1
        self.passed[pair] = passed
        return holding[passed], at

    def add(self, pair: str, numbers: list[int]) -> None:
        """The pair has arisen in these words."""
        if pair in self.where:
            numbers = sorted({*self.where[pair], *numbers})
            self.passed.pop(pair, None)
        self.where[pair] = numbers

    def forget(self, pair: str) -> list[int]:
        """The words that held a pair, which is about to be merged in all of them."""
        self.passed.pop(pair, None)
        return self.where.pop(pair)


class Ranking:
    """The pairs that can still win, with their counts.

    counts: of all pairs at the start. priority: pairs are compared by it, the highest first; by default their count.
    order: pairs of equal priority are compared by it, the lowest first. zeros: a pair that no longer occurs can win.
    """

    def __init__(
        self,
        counts: Mapping[str, int],
        emit: Emit,
        order: Callable[[str], Any] = lambda pair: pair,
        priority: Callable[[str], float] | None = None,
        *,
        zeros: bool = False,
    ) -> None:
        self.emit, self.order, self.zeros = emit, order, zeros
        self.watched = emit is not silent
        self.counts: dict[str, int] = {}
        self.by_worth = priority is not None
        self.priority = priority or self.counts.__getitem__
        if self.watched:
            self.counts.update(counts)
            for pair, n in counts.items():
                emit(Train.PAIR, *ids(pair), n)

    def report(self, pair: str, n: int) -> None:
        """Emits the winner, how many tie with it, and who comes next."""
        if not self.watched:
            return
        emit, order, priority = self.emit, self.order, self.priority
        emit(Train.WINNER, *ids(pair), n)
        self.counts[pair] = n
        best = priority(pair)
        del self.counts[pair]
        values = {each: priority(each) for each in self.counts} if self.by_worth else self.counts
        ties = [each for each, value in values.items() if value == best]
        emit(Train.TIES, *ids(pair), len(ties))
        if len(ties) >= RUNNERS_UP:
            following = nsmallest(RUNNERS_UP, ties, key=order)
        else:
            # the order costs more than the priority, so only those that can be among the first are put in order
            least = min(nlargest(RUNNERS_UP, values.values()), default=0)
            first = [each for each, value in values.items() if value >= least]
            following = nsmallest(RUNNERS_UP, first, key=lambda each: (-values[each], order(each)))
        for each in following:
            emit(Train.RUNNER_UP, *ids(each), self.counts[each])

    def update(self, pair: str, n: int) -> None:
        """A count has changed. Emits it."""
        if not self.watched:
            return
        self.emit(Train.COUNT, *ids(pair), n)
        if n > 0 or self.zeros:
            self.counts[pair] = n
        else:
            self.counts.pop(pair, None)

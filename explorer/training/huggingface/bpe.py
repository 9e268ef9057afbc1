"""BPE as Hugging Face's `BpeTrainer` learns it, the alphabet that it begins with, and WordPiece: BPE with a prefix.

Ids are given in this order: special tokens as listed, the characters of the alphabet by code point, then each character
with a prefix or suffix when a word first has it. Follows `models/bpe/trainer.rs` of tokenizers 0.23, its
`add_special_tokens`, `compute_alphabet` and `tokenize_words`.

Surprises that are kept: nothing but `limit_alphabet` bounds the alphabet, so `vocab_size` 0 still gives every
character; a character that is not in the alphabet is skipped, and its neighbors become adjacent; a special token of one
character counts as in the alphabet.

The original leaves two orders to a randomly seeded hash map, and its result then differs between two runs. Here they
are fixed: characters with a prefix or suffix are numbered by first occurrence in the words (or as `order` says, which
can be the order one run of the original came to); of equally frequent characters at the limit, the lower code points
stay.

`WordPieceTrainer` is the same with another default (`models/wordpiece/trainer.rs`), and the merges are thrown away.
Nothing looks at a likelihood, whatever papers say of WordPiece (`training/likelihood.py` does): the most frequent pair
is merged. The model encodes by the longest match, so a text can come out otherwise than by the merges.
"""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import heapify, heappop, heappush

from explorer.engine.part import Emit
from explorer.errors import InputError
from explorer.training.training import Learned, Merges, Train, Training, asking, is_over, turns
from explorer.training.words import (
    MOST_SYMBOLS,
    Allowed,
    Ranking,
    Step,
    Words,
    characters,
    check_alphabet,
    check_least,
    check_size,
    checked,
    ids,
    pairs_of,
)


@dataclass
class Tokens:
    """A growing vocabulary: what each id spells, and the id of each spelling."""

    texts: list[str] = field(default_factory=list)
    ids: dict[str, int] = field(default_factory=dict)

    def id(self, text: str) -> int:
        """The id of a text, a new one where it has none."""
        id = self.ids.setdefault(text, len(self.texts))
        if id == len(self.texts):
            if id == MOST_SYMBOLS:
                raise InputError(f"the vocabulary has more than {MOST_SYMBOLS:,} tokens; choose a smaller vocab_size")
            self.texts.append(text)
        return id


def begin(
    words: Words, special_tokens: Iterable[str], initial_alphabet: Iterable[str], limit: int | None, emit: Emit
) -> Tokens:
    """The vocabulary of special tokens and characters.

    >>> begin({"ba": 2}, ["<s>"], ["z"], None, lambda *row: None).texts
    ['<s>', 'a', 'b', 'z']
    """
    tokens = Tokens()
    for number, special in enumerate(special_tokens):
        known = special in tokens.ids
        emit(Train.SPECIAL_REPEATED if known else Train.SPECIAL, number, tokens.id(special), 0)
    counts = characters(words)
    wanted = dict.fromkeys(initial_alphabet)
    for ch in wanted:
        counts.setdefault(ch, 0)
    kept = sorted(counts)
    if limit is not None and limit < len(kept):
        by_count = sorted(kept, key=lambda ch: (ch not in wanted, -counts[ch]))
        for ch in by_count[limit:]:
            emit(Train.LETTER_DROPPED, ord(ch), 0, counts[ch])
        kept = sorted(by_count[:limit])
    for ch in kept:
        kind = Train.LETTER_KNOWN if ch in tokens.ids else Train.LETTER
        emit(kind, ord(ch), tokens.id(ch), counts[ch])
    return tokens


def write(
    words: Words, tokens: Tokens, prefix: str | None, suffix: str | None, order: Sequence[str], emit: Emit
) -> list[str]:
    """Each word as a string of symbols; characters with a prefix or suffix join the vocabulary.

    order: characters with a prefix or suffix that get the next ids, in this order, before any word is read.

    >>> tokens = begin({"ab": 1}, [], [], None, lambda *row: None)
    >>> write({"ab": 1}, tokens, "##", None, [], lambda *row: None), tokens.texts
    (['\\x00\\x02'], ['a', 'b', '##b'])
    """
    for text in order:
        tokens.id(text)
    written: dict[tuple[bool, bool, str], str] = {}
    """first in its word, last in it, character → symbol"""
    done = []
    for at, (word, times) in enumerate(asking(list(words.items()))):
        emit(Train.WORD, at, len(word), times)
        symbols: list[str] = []
        last = len(word) - 1
        for position, ch in enumerate(word):
            key = position == 0, position == last, ch
            if key not in written:
                written[key] = ""
                if ch in tokens.ids:
                    text = ("" if position == 0 else prefix or "") + ch + ("" if position < last else suffix or "")
                    if text not in tokens.ids:
                        emit(Train.AFFIXED, ord(ch), at, len(tokens.texts))
                    written[key] = chr(tokens.id(text))
            symbol = written[key]
            if symbol:
                emit(Train.SYMBOL, at, len(symbols), ord(symbol))
                symbols.append(symbol)
            else:
                emit(Train.LETTER_SKIPPED, at, position, ord(ch))
        done.append("".join(symbols))
    return done


UNSIGNED = (1 << 64) - 1
"""The original reads a count as a number without sign: below 0 it becomes the largest of all."""


Pair = tuple[str, str]
"""Two tokens side by side."""


@dataclass(frozen=True)
class Options:
    """The options of `BpeTrainer`, under its names and with its defaults."""

    vocab_size: int = 30_000
    """Tokens to learn. Special tokens and the whole alphabet are learned even if that is more."""
    min_frequency: int = 0
    """How often a pair has to occur to be merged; 0 is the same as 1."""
    special_tokens: tuple[str, ...] = ()
    """They get the first ids."""
    limit_alphabet: int | None = None
    """How many characters are kept, the most frequent ones."""
    initial_alphabet: tuple[str, ...] = ()
    """Characters that are in the alphabet even if the corpus lacks them."""
    continuing_subword_prefix: str | None = None
    """Written before each symbol that does not begin a word."""
    end_of_word_suffix: str | None = None
    """Written after each symbol that ends a word."""
    max_token_length: int | None = None
    """A pair that arises with this many characters or more is not counted."""

    def __post_init__(self) -> None:
        check_size(self.vocab_size)
        check_least(self, 0, "min_frequency", "limit_alphabet", "max_token_length")
        check_alphabet(self.initial_alphabet)


@dataclass(frozen=True)
class WordPieceOptions(Options):
    """The options of `WordPieceTrainer`: those of `BpeTrainer` with another default. It has no `max_token_length`."""

    continuing_subword_prefix: str | None = "##"
    """Written before each symbol that does not begin a word."""


def train(
    words: Words,
    options: Options = Options(),
    order: Sequence[str] = (),
    forbidden: Iterable[Pair] = (),
    last_first: bool = False,
) -> Training[str]:
    """Learns merges from words.

    order: the order in which characters with a prefix or suffix get ids, where another one than that of their first
    occurrence is wanted (`alphabet`). What the original cannot do: forbidden: pairs of tokens that are never merged;
    last_first: of equally frequent pairs, the one with the highest ids is merged.

    >>> learned = train({"low": 5, "lower": 2, "newest": 6}, Options(vocab_size=11)).learned
    >>> learned.pairs
    [('w', 'e'), ('l', 'o'), ('e', 'we')]
    >>> train({"hug": 2, "bug": 1}, WordPieceOptions(vocab_size=7)).learned.tokens
    ('b', 'g', 'h', 'u', '##u', '##g', '##ug')
    """
    return Training(partial(learn, checked(words), options, tuple(order), frozenset(forbidden), last_first))


def learn(
    words: Words, options: Options, order: Sequence[str], forbidden: frozenset[Pair], last_first: bool, emit: Emit
) -> Learned[str]:
    """The training itself, with a sink for its events."""
    tokens = begin(words, options.special_tokens, options.initial_alphabet, options.limit_alphabet, emit)
    special = tuple(dict.fromkeys(tokens.ids[each] for each in options.special_tokens))
    written = write(words, tokens, options.continuing_subword_prefix, options.end_of_word_suffix, order, emit)
    merges = merged(written, list(words.values()), tokens, options, forbidden, last_first, emit)
    texts = tuple(tokens.texts)
    return Learned(texts, texts, tuple(merges), special=special)


def merged(
    words: list[str],
    times: Sequence[int],
    tokens: Tokens,
    options: Options,
    forbidden: frozenset[Pair],
    last_first: bool,
    emit: Emit,
) -> Merges:
    """The merges, as (left, right, made). Words are rewritten, and tokens added, in place."""
    prefix = options.continuing_subword_prefix or ""
    longest = options.max_token_length
    length = [1] * len(tokens.texts)
    """of each symbol in characters, the prefix not counted"""

    def free(pair: str) -> bool:
        return (tokens.texts[ord(pair[0])], tokens.texts[ord(pair[1])]) not in forbidden

    def short(pair: str) -> bool:
        return longest is None or length[ord(pair[0])] + length[ord(pair[1])] < longest

    allowed = None if longest is None and not forbidden else Allowed(lambda pair: free(pair) and short(pair))
    counts, where = pairs_of(words, times)
    for pair in [pair for pair in counts if forbidden and not free(pair)]:
        emit(Train.FORBIDDEN, *ids(pair), counts.pop(pair))
    rank = from_the_end if last_first else str
    queue = [(-n, rank(pair), 0, where[pair]) for pair, n in counts.items()]
    """count, rank of the pair among equals, the merge that made the entry, words that gained the pair then"""
    heapify(queue)
    ranking = Ranking(counts, emit)
    merges: Merges = []

    for _ in turns(sum(map(len, words))):
        if is_over(len(tokens.texts), options.vocab_size, queue, emit):
            break
        negative, ranked, made, numbers = heappop(queue)
        pair = rank(ranked)
        n = counts[pair] & UNSIGNED
        left, right = ids(pair)
        if n != -negative:
            emit(Train.STALE, left, right, -negative)
            heappush(queue, (-n, ranked, made, numbers))
            continue
        if n < 1:
            emit(Train.STOP_NO_PAIR, len(tokens.texts), options.vocab_size, 0)
            break
        if n < options.min_frequency:
            emit(Train.STOP_RARE, left, right, n)
            break
        ranking.report(pair, n)
        text = tokens.texts[left] + tokens.texts[right].removeprefix(prefix)
        known = text in tokens.ids
        token = tokens.id(text)
        if known:
            length[token] = length[left] + length[right]
        else:
            length.append(length[left] + length[right])
        merges.append((left, right, token))
        emit(Train.TOKEN_KNOWN if known else Train.TOKEN, left, right, token)

        step = Step(pair, chr(token), emit, allowed)
        for at in asking(numbers):
            words[at] = step.merge(words[at], at, times[at])
        for changed, by in step.changes.items():
            if forbidden and not free(changed):
                continue
            counts[changed] = counts.get(changed, 0) + by
            if changed != pair:
                ranking.update(changed, counts[changed])
        for changed, gained_in in step.gained.items():
            if counts[changed] > 0:
                heappush(queue, (-counts[changed], rank(changed), len(merges), gained_in))
        for refused in step.refused:
            a, b = ids(refused)
            if free(refused):
                emit(Train.TOO_LONG, a, b, length[a] + length[b])
            else:
                emit(Train.FORBIDDEN, a, b, 0)
    return merges


def from_the_end(pair: str) -> str:
    """A pair whose ids are counted from the last possible one, so that the highest come first; its own inverse.

    >>> from_the_end("ab") > from_the_end("ba"), from_the_end(from_the_end("ab"))
    (True, 'ab')
    """
    return "".join(chr(sys.maxunicode - ord(each)) for each in pair)

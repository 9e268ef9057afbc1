"""WordPiece by likelihood: the pair is merged whose symbols belong together most.

A pair is scored count(ab) / (count(a) · count(b)), where every occurrence of a symbol counts, and the highest score
wins: two rare symbols that are always side by side come before the most frequent pair, the reverse of BPE. The idea
(the merge that raises the likelihood of the corpus most) is Schuster and Nakajima's of 2012; Google never published
the trainer of BERT. The rules followed are those of the Hugging Face course (chapter 6.6), which calls them its best
guess: a symbol that does not begin a word is written with ##; special tokens come first, then the alphabet, sorted as
strings; of equal scores the pair wins that occurs first in the words as they are now; a token is added without asking
whether it is there already.

Scores are floating-point numbers, as in the course. A merge takes occurrences from its two symbols, so the scores of
*all* pairs that hold one of them change, and they can rise: those pairs go into the heap anew. Time is a heap operation
for each pair that shares a symbol with the winner, summed over the merges.

Where no pair is left before the size is reached, the code of the course fails; here the training ends.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from heapq import heapify, heappop, heappush

from explorer.engine.part import Emit
from explorer.training.huggingface.bpe import Tokens
from explorer.training.training import Learned, Merges, Train, Training, asking, is_over, turns
from explorer.training.words import Occurrences, Ranking, Step, Words, check_size, checked, ids, pairs_of

PREFIX = "##"


@dataclass(frozen=True)
class Options:
    """What the course lets one choose."""

    vocab_size: int = 70
    """Tokens to learn. Special tokens and the whole alphabet are learned even if that is more."""
    special_tokens: tuple[str, ...] = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    """They get the first ids."""

    def __post_init__(self) -> None:
        check_size(self.vocab_size)


def train(words: Words, options: Options = Options()) -> Training[str]:
    """Learns pieces from words.

    >>> train({"the": 2, "they": 1, "ox": 1}, Options(vocab_size=8, special_tokens=())).learned.tokens
    ('##e', '##h', '##x', '##y', 'o', 't', 'ox', 'th')
    """
    return Training(partial(learn, checked(words), options))


def learn(words: Words, options: Options, emit: Emit) -> Learned[str]:
    """The training itself, with a sink for its events."""
    symbols = Tokens()
    tokens = []
    for number, special in enumerate(options.special_tokens):
        emit(Train.SPECIAL, number, symbols.id(special), 0)
        tokens.append(special)
    begin(words, symbols, tokens, emit)
    written, times = list(write(words, symbols, emit)), list(words.values())
    counts, where = pairs_of(written, times)
    frequency = frequencies(written, times, len(symbols.texts))
    beside: list[set[str]] = [set() for _ in frequency]
    """the pairs that hold each symbol"""
    occurrences = Occurrences(written, where, [1] * len(frequency))

    def score(pair: str) -> float:
        return counts[pair] / (frequency[ord(pair[0])] * frequency[ord(pair[1])])

    queue: list[tuple[float, tuple[int, int], str]] = []
    for pair in counts:
        queue.append((-score(pair), occurrences.first(pair), pair))
        for symbol in ids(pair):
            beside[symbol].add(pair)
    heapify(queue)
    ranking = Ranking(counts, emit, occurrences.now, score)
    merges: Merges = []
    for _ in turns(sum(map(len, written))):
        if is_over(len(tokens), options.vocab_size, queue, emit):
            break
        negative, position, pair = heappop(queue)
        if not counts[pair] or -score(pair) != negative:
            continue  # gone, or in the queue with its score of now
        left, right = ids(pair)
        first = occurrences.first(pair)
        if first != position:
            emit(Train.STALE, left, right, counts[pair])
            heappush(queue, (negative, first, pair))
            continue
        n = counts[pair]
        ranking.report(pair, n)
        text = symbols.texts[left] + symbols.texts[right].removeprefix(PREFIX)
        known = text in symbols.ids
        made = symbols.id(text)
        tokens.append(text)
        if not known:
            frequency.append(0)
            beside.append(set())
            occurrences.sizes.append(occurrences.sizes[left] + occurrences.sizes[right])
        merges.append((left, right, made))
        emit(Train.TOKEN_KNOWN if known else Train.TOKEN, left, right, made)

        step = Step(pair, chr(made), emit)
        for at in asking(occurrences.forget(pair)):
            before = written[at]
            written[at] = step.merge(before, at, times[at])
            merged = (len(before) - len(written[at])) * times[at]
            frequency[left] -= merged
            frequency[right] -= merged
            frequency[made] += merged
        for changed, numbers in step.gained.items():
            occurrences.add(changed, numbers)
            for symbol in ids(changed):
                beside[symbol].add(changed)
        step.changes[pair] = -n
        for changed, by in step.changes.items():
            counts[changed] = counts.get(changed, 0) + by
            if not counts[changed]:
                for symbol in ids(changed):
                    beside[symbol].discard(changed)
            if changed != pair:
                ranking.update(changed, counts[changed])
        for changed in asking(sorted(beside[left] | beside[right] | beside[made])):
            heappush(queue, (-score(changed), occurrences.first(changed), changed))
    return Learned(tuple(symbols.texts), tuple(tokens), tuple(merges))


def begin(words: Words, symbols: Tokens, tokens: list[str], emit: Emit) -> None:
    """Adds the alphabet: first letters of words, and the other letters with ##, sorted as strings."""
    seen: dict[str, int] = {}
    for word, n in asking(list(words.items())):
        for text in (word[0], *(PREFIX + ch for ch in word[1:])):
            seen[text] = seen.get(text, 0) + n
    for text in sorted(seen):
        kind = Train.LETTER_KNOWN if text in symbols.ids else Train.LETTER
        emit(kind, ord(text[-1]), symbols.id(text), seen[text])
        tokens.append(text)


def write(words: Words, symbols: Tokens, emit: Emit) -> Iterator[str]:
    """Each word as a string of symbols."""
    for at, (word, n) in enumerate(asking(list(words.items()))):
        emit(Train.WORD, at, len(word), n)
        texts = (word[0], *(PREFIX + ch for ch in word[1:]))
        for position, text in enumerate(texts):
            emit(Train.SYMBOL, at, position, symbols.ids[text])
        yield "".join(chr(symbols.ids[text]) for text in texts)


def frequencies(words: list[str], times: list[int], size: int) -> list[int]:
    """How often each symbol occurs."""
    counts = [0] * size
    for at, word in enumerate(asking(words)):
        for symbol in word:
            counts[ord(symbol)] += times[at]
    return counts

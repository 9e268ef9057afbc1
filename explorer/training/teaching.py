"""BPE over bytes as two programs that teach it learn it: Karpathy's minbpe, and `tiktoken._educational`.

Symbols 0 to 255 are the bytes. At each step the most frequent pair becomes the next symbol. Both programs count all
pairs anew at each step, in a dictionary, and take the `max`: of equally frequent pairs the one that occurs first in the
text as it is now. Hugging Face (lowest ids) and sentencepiece (shortest, then alphabet) decide a tie otherwise. Nothing
but the size stops them: pairs that occur once are merged too. Follows `minbpe/basic.py` and `minbpe/regex.py` (commit
1acefe8), and `bpe_train` of tiktoken 0.14.

minbpe's Basic takes the whole text as one word (`words.whole`); its Regex and tiktoken cut it by a pattern first. That
is their only difference, so one function follows all three.

Instead of counting anew, counts are kept in a heap whose entries may be out of date. Time is (words that hold the
winner) × (their length) and a heap operation for each pair they gain, summed over the merges; for one long word each
merge reads all of it, as in the original.

Where no pair is left before the size is reached, the originals raise an error; here the training ends.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from heapq import heapify, heappop, heappush

from explorer.engine.part import Emit
from explorer.errors import InputError
from explorer.training.training import Learned, Merges, Train, Training, asking, is_over, turns
from explorer.training.words import Occurrences, Ranking, Step, Words, check_size, checked, ids, pairs_of


@dataclass(frozen=True)
class Options:
    """Options of the teaching trainer."""

    vocab_size: int = 512
    """Tokens to learn, the 256 bytes among them."""

    def __post_init__(self) -> None:
        check_size(self.vocab_size)
        if self.vocab_size < 256:
            raise InputError(f"vocab_size is {self.vocab_size}: the 256 bytes are tokens already; choose 256 or more")


def train(words: Words, options: Options = Options()) -> Training[bytes]:
    """Learns merges from words, in the order of their first occurrence.

    >>> train({"aaabdaaabac": 1}, Options(vocab_size=259)).learned.tokens[256:]
    (b'aa', b'aaa', b'aaab')
    """
    return Training(partial(learn, checked(words), options))


def learn(words: Words, options: Options, emit: Emit) -> Learned[bytes]:
    """The training itself, with a sink for its events."""
    written, times = list(bytes_of(words, emit)), list(words.values())
    texts = [bytes([byte]) for byte in range(256)]
    counts, where = pairs_of(written, times)
    occurrences = Occurrences(written, where, [1] * 256)
    queue = [(-n, occurrences.first(pair), pair) for pair, n in counts.items()]
    heapify(queue)
    ranking = Ranking(counts, emit, occurrences.now)
    merges: Merges = []
    for _ in turns(sum(map(len, written))):
        if is_over(len(texts), options.vocab_size, queue, emit):
            break
        negative, position, pair = heappop(queue)
        left, right = ids(pair)
        n = counts[pair]
        if n == 0:
            continue
        first = occurrences.first(pair)
        if (-n, first) != (negative, position):
            emit(Train.STALE, left, right, -negative)
            heappush(queue, (-n, first, pair))
            continue
        ranking.report(pair, n)
        token = len(texts)
        texts.append(texts[left] + texts[right])
        occurrences.sizes.append(occurrences.sizes[left] + occurrences.sizes[right])
        merges.append((left, right, token))
        emit(Train.TOKEN, left, right, token)

        step = Step(pair, chr(token), emit)
        for at in asking(occurrences.forget(pair)):
            written[at] = step.merge(written[at], at, times[at])
        for changed, numbers in step.gained.items():
            occurrences.add(changed, numbers)
        counts[pair] = step.changes[pair] = 0
        for changed, by in step.changes.items():
            counts[changed] = counts.get(changed, 0) + by
            if changed != pair:
                ranking.update(changed, counts[changed])
        for changed in step.gained:
            if counts[changed]:
                heappush(queue, (-counts[changed], occurrences.first(changed), changed))
    return Learned(tuple(texts), tuple(texts), tuple(merges))


def bytes_of(words: Words, emit: Emit) -> Iterator[str]:
    """Each word as a string of symbols, one a byte."""
    for at, (word, times) in enumerate(asking(list(words.items()))):
        spelled = word.encode()
        emit(Train.WORD, at, len(spelled), times)
        for position, byte in enumerate(spelled):
            emit(Train.SYMBOL, at, position, byte)
        yield spelled.decode("latin-1")

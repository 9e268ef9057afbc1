"""BPE as sentencepiece 0.2.3 learns it (0.2.2 learns the same; versions before look at the most frequent pairs only).

With `auto_character_coverage` the trainer chooses by itself which characters become pieces. A character that is not a
piece is written as its bytes, each a token. So a character of three bytes saves two tokens wherever it occurs, and a
merge saves one. The trainer learns as many merges as the vocabulary could hold, then decides how many of them, from the
first on, to keep: each merge needs its characters as pieces, and the slots that are left go to the characters that save
most. The number of merges with the largest sum wins, of equals the larger number. Follows `bpe_model_trainer.cc`, its
`PrunePiecesWithGlobalSearch` included. The slots for characters that no merge needs only ever shrink, so one pass over
the merges and the sorted characters does what the original does with two Fenwick trees.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from heapq import heapify, heappop, heappush

from explorer.engine.part import Emit
from explorer.training.sentencepiece.sentences import Corpus, Options, Pieces, load, model, special_pieces
from explorer.training.training import Learned, Merges, Train, Training, asking, turns
from explorer.training.words import Allowed, Ranking, Step, ids, pairs_of


def letter_counts(corpus: Corpus) -> dict[str, int]:
    """How often each character occurs, before any merge. Symbol 0 is a boundary."""
    counts: dict[str, int] = {}
    for word, n in zip(asking(corpus.words), corpus.times, strict=True):
        for symbol in word.replace("\0", ""):
            text = corpus.texts[ord(symbol)]
            counts[text] = counts.get(text, 0) + n
    return counts


def saved(ch: str, n: int) -> int:
    """The tokens that a character saves as a piece, instead of its bytes.

    >>> saved("猫", 5), saved("a", 5)
    (10, 0)
    """
    return n * (len(ch.encode()) - 1)


class Singles:
    """The characters that no kept merge needs, those that save most first, and as many of them as have a slot."""

    def __init__(self, counts: Mapping[str, int], slots: int) -> None:
        gains = {ch: saved(ch, n) for ch, n in counts.items()}
        self.gains = {ch: gain for ch, gain in gains.items() if gain}
        self.ordered = sorted(self.gains, key=lambda ch: (-gains[ch], -counts[ch], ch))
        self.needed: set[str] = set()
        """characters of merges"""
        self.end = min(slots, len(self.ordered))
        """characters before this position have a slot, unless a merge needs them"""
        self.spare = slots - self.end
        self.sum = sum(self.gains[ch] for ch in self.ordered[: self.end])
        self.rank = {ch: rank for rank, ch in enumerate(self.ordered)}

    def need(self, ch: str) -> int:
        """A merge needs this character: it takes a slot of its own. Returns what it saves."""
        self.needed.add(ch)
        if self.rank.get(ch, self.end) < self.end:
            # the slot goes with it
            self.sum -= self.gains[ch]
        else:
            self.shrink()
        return self.gains.get(ch, 0)

    def shrink(self) -> None:
        """A slot is lost: the character that saves least goes."""
        if self.spare:
            self.spare -= 1
            return
        while self.end:
            self.end -= 1
            ch = self.ordered[self.end]
            if ch not in self.needed:
                self.sum -= self.gains[ch]
                return


def best_pieces(merges: Sequence[tuple[str, int]], counts: Mapping[str, int], slots: int, emit: Emit) -> list[str]:
    """The pieces: merges, the characters they need, and others.

    merges: what each spells, and how often it occurred when it was made. slots: for all of them.

    >>> best_pieces([("猫猫", 5), ("ab", 1)], {"猫": 12, "犬": 3, "a": 9, "b": 1}, 3, lambda *row: None)
    ['猫猫', '猫', '犬']
    """
    singles = Singles(counts, slots)
    used = gain = 0
    best, kept, left = singles.sum, 0, slots
    for number, (text, n) in enumerate(asking(merges), 1):
        gain += n
        used += 1
        singles.shrink()
        for ch in text:
            if ch not in singles.needed:
                used += 1
                gain += singles.need(ch)
        if used > slots:
            break
        if gain + singles.sum >= best:
            best, kept = gain + singles.sum, number
            left = slots - used
    emit(Train.KEPT, len(merges), kept, best)
    needed = {ch for text, _ in merges[:kept] for ch in text}
    others = [ch for ch in singles.ordered if ch not in needed][:left]
    return [text for text, _ in merges[:kept]] + sorted(needed) + others


def train(texts: Iterable[str], options: Options = Options()) -> Training[str]:  # noqa: B008  # immutable
    """Learns pieces from texts.

    >>> learned = train(["abab"], Options(vocab_size=12)).learned
    >>> learned.tokens
    ('<unk>', '<s>', '</s>', 'ab', '▁ab', '▁abab', 'ba', '▁a', 'aba', 'a', 'b', '▁')
    """
    return Training(partial(learn, list(texts), options))


def learn(texts: Sequence[str], options: Options, emit: Emit) -> Learned[str]:
    """The training itself, with a sink for its events."""
    special = special_pieces(options)
    corpus = load(texts, options, special, emit)
    size = options.vocab_size - len(special) - len(corpus.required)
    # before the merges, which rewrite the words
    letters = letter_counts(corpus) if options.auto_character_coverage else {}
    merges, counts = merged(corpus, Pieces(options), size, emit)
    pieces = [corpus.texts[made] for _, _, made in merges]
    if options.auto_character_coverage:
        pieces = best_pieces(list(zip(pieces, counts, strict=True)), letters, size, emit)
    else:
        numbers = {text: number for number, text in enumerate(corpus.texts)}
        for text, n in sorted(corpus.required.items(), key=lambda each: (-each[1], each[0])):
            emit(Train.REQUIRED, numbers[text], 0, n)
            pieces.append(text)
    scored = [(text, -float(position)) for position, text in enumerate(pieces)]
    return model(scored, special, options, corpus.texts, merges)


def merged(corpus: Corpus, pieces: Pieces, size: int, emit: Emit) -> tuple[Merges, list[int]]:
    """The merges, as (left, right, made), and the count of each pair. Words are rewritten, and the texts of symbols
    added, in place.
    """
    texts, words, times = corpus.texts, corpus.words, corpus.times

    def order(pair: str) -> tuple[int, str]:
        text = texts[ord(pair[0])] + texts[ord(pair[1])]
        return len(text), text

    def valid(pair: str) -> bool:
        fault = pieces.fault(texts[ord(pair[0])] + texts[ord(pair[1])])
        if fault:
            emit(Train.INVALID, *ids(pair), fault)
        return not fault

    allowed = Allowed(valid)
    counts, where = pairs_of(words, times)
    counts = {pair: n for pair, n in counts.items() if allowed[pair]}
    queue = [(-n, *order(pair), pair) for pair, n in counts.items()]
    heapify(queue)
    ranking = Ranking(counts, emit, order, zeros=True)
    taken: dict[str, int] = {}
    """the symbol of each piece"""
    merges: Merges = []
    merged_counts: list[int] = []
    for _ in turns(sum(map(len, words))):
        if len(merges) >= size:
            emit(Train.STOP_SIZE, len(merges), size, 0)
            break
        if not queue:
            emit(Train.STOP_NO_PAIR, len(merges), size, 0)
            break
        negative, length, text, pair = heappop(queue)
        n = counts[pair]
        left, right = ids(pair)
        if n != -negative:
            emit(Train.STALE, left, right, -negative)
            heappush(queue, (-n, length, text, pair))
            continue
        ranking.report(pair, n)
        if text in taken:
            emit(Train.DUPLICATE, left, right, taken[text])
            continue
        made = taken[text] = len(texts)
        texts.append(text)
        merges.append((left, right, made))
        merged_counts.append(n)
        emit(Train.TOKEN, left, right, made)

        step = Step(pair, chr(made), emit, allowed)
        for at in asking(where.pop(pair)):
            words[at] = step.merge(words[at], at, times[at])
        where.update(step.gained)
        for changed, by in step.changes.items():
            if changed != pair and allowed[changed]:
                counts[changed] = counts.get(changed, 0) + by
                ranking.update(changed, counts[changed])
        for gained in step.gained:
            heappush(queue, (-counts[gained], *order(gained), gained))
    return merges, merged_counts

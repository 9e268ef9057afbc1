"""Why a token is in a trained vocabulary, or another text is not, from the events of a training of any trainer.

Merges: a token that was merged has its merge: how often its pair occurred, and which pairs it beat. A text that is not
a token has one of these causes, the first that applies: the alphabet lacks one of its characters; no word contains it,
because the corpus lacks it or the words are cut inside it; at the end it is written as two symbols, but the pair is
refused or its turn never came; it is still written as more symbols; or a merge across one of its ends took every
occurrence.

An occurrence is a span of a word's first symbols. A merge that joins the symbol before an end of the span with the one
after it loses the occurrence for good, because merges are never undone.

Unigram, WordLevel and the learner from the top down do not merge, and have causes of their own. `difference` puts what
another training would have learned beside it.

Where two BPE trainings part: the first merge that another trainer's list has otherwise, and the rules that give it.

The training runs again, up to that decision, so the counts are those that it decides by. Leaves out what differs after
it: from there on the two count other symbols.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import pairwise, zip_longest
from typing import Any, NamedTuple

from explorer.errors import InputError
from explorer.stages.stage import quoted_row
from explorer.text import visible
from explorer.text.say import Say, decimal, plural
from explorer.training.huggingface.bpe import Options as BpeOptions
from explorer.training.huggingface.word_level import TakeWord, TakeWordRow
from explorer.training.likelihood import PREFIX
from explorer.training.top_down import TopDown, TopDownRow
from explorer.training.trainers import TrainerId
from explorer.training.training import (
    Learned,
    Spelling,
    State,
    Train,
    Training,
    TrainRow,
    UnigramTrain,
    UnigramTrainRow,
    real,
)
from explorer.vocabulary import bytes_of, printable, spelled

MERGES = (Train.TOKEN, Train.TOKEN_KNOWN)


class Cause(Enum):
    """Why a text is a token, or why not."""

    SPECIAL = "special"
    LETTER = "letter"
    """a character of the alphabet"""
    MERGED = "merged"
    NOT_KEPT = "not kept"
    """merged, but the merge did not become a token"""
    NO_LETTER = "no letter"
    """a character is not in the alphabet"""
    ABSENT = "absent"
    """the corpus does not contain the text"""
    CUT = "cut"
    """the corpus contains the text, but no word does"""
    REFUSED = "refused"
    """its pair may not become a token"""
    WAITING = "waiting"
    """its pair was counted until the end"""
    STEPS = "steps"
    """it is written as three or more symbols"""
    LOST = "lost"
    """merges joined an end of each occurrence with something else"""
    DROPPED = "dropped"
    """learned at first and dropped later, by trainers that shrink a vocabulary"""
    RARE = "rare"
    """less frequent than a token has to be"""
    FULL = "full"
    """the vocabulary was full"""


IN = frozenset({Cause.SPECIAL, Cause.LETTER, Cause.MERGED})
"""The causes of tokens that are in a vocabulary."""


class Step(NamedTuple):
    """A decision that an answer rests on. event: its index. say: what was decided."""

    event: int
    say: Say


@dataclass(frozen=True)
class Why:
    """An answer. event: the decision it rests on, or None. steps: the decisions before it, in order.

    merge: the merge that made the token or lost its last occurrence, from 1 on. pieces: the symbols that it was merged
    from, or is written as. count: of the pair. ties: the number of other pairs with the same count.
    """

    cause: Cause
    say: Say
    event: int | None = None
    merge: int = 0
    pieces: tuple[str, ...] = ()
    count: int = 0
    ties: int = 0
    steps: tuple[Step, ...] = ()


SPECIAL = Why(Cause.SPECIAL, Say("It is a special token, added before training begins."))
ABSENT = Why(Cause.ABSENT, Say("This text does not occur in the corpus."))


@dataclass(frozen=True)
class Question:
    """Asks why a text is a token of a training, or why not.

    texts: of the corpus, before they are cut. prefix: of symbols that do not begin a word.

    >>> from explorer.text.say import plain
    >>> from explorer.training.huggingface import bpe
    >>> training = bpe.train({"low": 5, "lower": 2, "newest": 6}, bpe.Options(vocab_size=11))
    >>> question = Question(training)
    >>> plain(question.why("lo").say)
    'It is merge 2 of 3: “l” + “o” occurred 7 times. “e” + “we” would have been next, with count 6.'
    >>> plain(question.why("ew").say)
    'In every word that contains it, a merge joined one of its ends to the symbol beside it. The last was merge 1, \
“w” + “e”.'
    """

    training: Training[Any]
    texts: Sequence[str] = ()
    prefix: str = ""

    @cached_property
    def symbols(self) -> list[str]:
        """The text of each symbol; a byte is one character."""
        return [each if isinstance(each, str) else each.decode("latin-1") for each in self.training.learned.symbols]

    @cached_property
    def merge_events(self) -> dict[int, tuple[int, int]]:
        """By symbol: the number of the merge that made it, from 1 on, and the index of its event."""
        merges = ((row.n, at) for at, row in enumerate(self.training.events) if row.kind in MERGES)
        first: dict[int, tuple[int, int]] = {}
        for number, (symbol, at) in enumerate(merges, 1):
            first.setdefault(symbol, (number, at))
        return first

    def shown(self, symbol: int) -> str:
        """The text of a symbol, with invisible characters made visible."""
        text = self.training.learned.symbols[symbol]
        return visible(text if isinstance(text, str) else spelled(text))

    def why(self, token: str) -> Why:
        """The answer for a text, spelled as the vocabulary spells it."""
        learned, events = self.training.learned, self.training.events
        in_bytes = bool(learned.symbols) and isinstance(learned.symbols[0], bytes)
        id = learned.ids.get(token.encode() if in_bytes else token)
        key = token.encode().decode("latin-1") if in_bytes else token
        if id is not None and (id in learned.special or (learned.kinds and learned.kinds[id] != 1)):
            return SPECIAL
        symbols = [number for number, text in enumerate(self.symbols) if text == key]
        symbol = next((number for number in symbols if number in self.merge_events), None)
        if symbol is not None:
            return self.merged(symbol, id is not None)
        if id is not None:
            n, at = next(
                ((row.n, at) for at, row in enumerate(events) if row.kind in LETTERS and row.b in symbols), (0, None)
            )
            say = Say("It is a character of the alphabet; characters become tokens without a merge.")
            return Why(Cause.LETTER, say.then(Say("It occurs {0:t}.", plural(n, "time"))) if n else say, at, count=n)
        return self.missing(token, key)

    def merged(self, symbol: int, kept: bool) -> Why:
        """The answer for a token that a merge made."""
        events = self.training.events
        number, at = self.merge_events[symbol]
        winner = at
        while events[winner].kind != Train.WINNER:
            winner -= 1
        _, left, right, n = events[winner]
        ties = events[winner + 1].n
        total = sum(row.kind in MERGES for row in events)
        sides = self.shown(left), self.shown(right)
        say = Say("It is merge {0} of {1}: {2:q} + {3:q} occurred {4:t}.", number, total, *sides, plural(n, "time"))
        if ties:
            say = say.then(Say("{0} other pair tied with it, and the tie rule decided.", ties,
                                  many="{0} other pairs tied with it, and the tie rule decided."))  # fmt: skip
        beaten = events[winner + 2]
        if beaten.kind == Train.RUNNER_UP:
            last = "" if ties else ", with count {2}"
            say = say.then(
                Say(f"{{0:q}} + {{1:q}} would have been next{last}.", *map(self.shown, beaten[1:3]), beaten.n)
            )
        if not kept:
            say = say.then(Say("Not a token: only the earliest merges, which save the most, are kept."))
        cause = Cause.MERGED if kept else Cause.NOT_KEPT
        return Why(cause, say, at, number, sides, n, ties, tuple(self.chain(symbol)))

    def chain(self, symbol: int) -> Iterator[Step]:
        """The merges that made a symbol, its parts first; each once."""
        merges: set[tuple[int, int]] = set()
        waiting = [symbol]
        while waiting:
            if merge := self.merge_events.get(waiting.pop()):
                merges.add(merge)
                waiting += self.training.events[merge[1]][1:3]
        for number, at in sorted(merges):
            row = self.training.events[at]
            yield Step(at, Say("Merge {0}: {1:q} + {2:q} → {3:q}.", number, *map(self.shown, row[1:])))

    def missing(self, token: str, key: str) -> Why:
        """The answer for a text that is not a token."""
        events = self.training.events
        dropped = {chr(row.a): at for at, row in enumerate(events) if row.kind in DROPPED}
        for ch in token:
            if ch in dropped:
                say = Say("Its character {0:q} is not in the alphabet.", visible(ch))
                return Why(Cause.NO_LETTER, say, dropped[ch])
        state = State()
        begun = next((at for at, row in enumerate(events) if row.kind in BEGUN), len(events))
        for at in range(begun):
            state.apply(events[at])
        spans = alive = [(number, *span) for number, word in enumerate(state.words) for span in self.spans(word, key)]
        if not spans:
            return self.absent(token)
        starts = [list(range(len(word))) for word in state.words]
        """by word, the index of each symbol's first character"""
        lost_at: dict[int, int] = {}
        """by merge, its last event that lost an occurrence"""
        for at in range(begun, len(events)):
            row = events[at]
            state.apply(row)
            if row.kind == Train.REWRITE and alive:
                end = starts[row.a].pop(row.b + 1)
                still = [each for each in alive if each[0] != row.a or end not in each[1:]]
                if len(still) < len(alive):
                    lost_at[len(state.merges)] = at
                alive = still
        if alive:
            return self.ended(state, starts, alive)
        say = Say("In every word that contains it, a merge joined one of its ends to the symbol beside it.")
        merge = "Merge {0}, {1:q} + {2:q}, joins one of its ends to the symbol beside it."
        named: dict[int, list[int | str]] = {
            number: [number, *map(self.shown, state.merges[number - 1][:2])] for number in lost_at
        }
        lost = max(lost_at)
        last = Say("The last was merge {0}, {1:q} + {2:q}.", *named[lost])
        steps = tuple(Step(at, Say(merge, *named[number])) for number, at in lost_at.items())
        return Why(Cause.LOST, say.then(last), lost_at[lost], lost, steps=steps)

    def spans(self, symbols: list[int], key: str) -> Iterator[tuple[int, int]]:
        """The spans of a text in a word before any merge: [start, end) in its symbols."""
        word = [self.symbols[symbol] for symbol in symbols]
        for start in range(len(word)):
            text = ""
            for end in range(start, len(word)):
                text += word[end] if end == start else word[end].removeprefix(self.prefix)
                if text == key:
                    yield start, end + 1
                if not key.startswith(text):
                    break

    def absent(self, token: str) -> Why:
        """The answer for a text that no word contains."""
        plain = token.replace("▁", " ").removeprefix(self.prefix)
        if not any(each and each in text for text in self.texts for each in (token, plain, plain.strip())):
            return ABSENT
        says = "The corpus contains it, but no word does: texts are cut into words, and merges never cross a cut."
        return Why(Cause.CUT, Say(says))

    def ended(self, state: State, starts: list[list[int]], alive: list[tuple[int, int, int]]) -> Why:
        """The answer for a text that is written as several symbols at the end."""
        events = self.training.events

        def written(span: tuple[int, int, int]) -> list[int]:
            number, start, end = span
            return [symbol for symbol, at in zip(state.words[number], starts[number], strict=True) if start <= at < end]

        pieces = min(map(written, alive), key=len)
        shown = tuple(map(self.shown, pieces))
        stop = max((at for at, row in enumerate(events) if row.kind in STOPS), default=None)
        if len(pieces) == 1:
            say = Say("It is a character, and the vocabulary has no room for all characters.")
            return Why(Cause.FULL, say, stop, pieces=shown)
        if len(pieces) > 2:
            still = "At the end it is still {0}: the training ended before these were joined."
            say = Say(still, quoted_row(shown, " + "))
            return Why(Cause.STEPS, say, stop, pieces=shown)
        left, right = pieces
        begin = Say("At the end it is {0:q} + {1:q}.", *shown)
        for at, row in enumerate(events):
            if row.kind in REASONS and (row.a, row.b) == (left, right):
                say = Say(f"The pair is never counted: {REASONS[row.kind]}.")
                return Why(Cause.REFUSED, begin.then(say), at, pieces=shown)
        n = state.counts.get((left, right), 0)
        say = begin.then(
            Say("That pair occurs {0:t}.", plural(n, "time")), self.ending(None if stop is None else events[stop])
        )
        return Why(Cause.WAITING, say, stop, pieces=shown, count=n)

    def ending(self, stop: TrainRow | None) -> Say:
        """The reason why no more pairs were merged."""
        if stop is not None and stop.kind == Train.STOP_RARE:
            return Say("min_frequency requires a higher count.")
        last = [row.n for row in self.training.events if row.kind == Train.WINNER][-1:]
        if stop is None or stop.kind != Train.STOP_SIZE:
            return Say("The training ended before its turn.")
        if not last:
            return Say("The alphabet alone has {0:t}, and vocab_size is {1}: nothing is merged.",
                          plural(stop.a, "token"), stop.b)  # fmt: skip
        return Say("The vocabulary was full before its turn: the last pair merged had count {0}.", last[0])


REASONS = {
    Train.TOO_LONG: "max_token_length limits its length",
    Train.INVALID: "it cannot be a piece",
    Train.FORBIDDEN: "it must not be merged",
}
"""Reasons why a pair is refused."""
LETTERS = frozenset({Train.LETTER, Train.LETTER_KNOWN})
DROPPED = frozenset({Train.LETTER_DROPPED, Train.LETTER_UNKNOWN})
STOPS = frozenset({Train.STOP_SIZE, Train.STOP_NO_PAIR, Train.STOP_RARE})
BEGUN = frozenset({Train.PAIR, Train.INVALID, Train.FORBIDDEN, Train.WINNER, *STOPS})
"""Events after all words are written."""


U = UnigramTrain
DROPS = {
    U.RARE: "It was dropped in round {0}: its expected count, {1:t}, is below 0.5.",
    U.UNUSED: "It was dropped in round {0}: no word's best segmentation uses it.",
    U.SPLIT: "It was dropped in round {0}: other pieces spell its text with a higher score.",
    U.PRUNED: "It was dropped in round {0}: removing it costs {1:t}, one of the smallest losses.",
    U.UNREACHABLE: "It was dropped at the end: other pieces spell it with a higher score, so encoding never gives it.",
    U.NO_ROOM: "It was left out at the end: the vocabulary was full.",
}
"""Reasons why a piece was dropped; arguments: the round, a number."""


def why(training: Training[Any], token: str, texts: Sequence[str], words: Sequence[str] = (), prefix: str = "") -> Why:
    """The answer for any trainer. texts: of the corpus. words: that it was cut into, where the trainer is given words.

    prefix: of symbols that do not begin a word.

    >>> from explorer.text.say import plain
    >>> from explorer.training.huggingface import word_level
    >>> words = {"b": 1, "a": 1, "the": 9}
    >>> training = word_level.train(words, word_level.Options(vocab_size=2))
    >>> plain(why(training, "b", ["the a b"], list(words)).say)
    'It occurs 1 time. Words that are more frequent, or as frequent but earlier, filled the vocabulary.'
    """
    if training.row is UnigramTrainRow:
        return why_piece(training, token, texts)
    if training.row is TakeWordRow:
        return why_word(training, token, texts, words)
    if training.row is TopDownRow:
        return why_substring(training, token, texts, words)
    return Question(training, texts, prefix).why(token)


def why_piece(training: Training[Any], token: str, texts: Sequence[str]) -> Why:
    """The answer for a Unigram trainer."""
    learned, events = training.learned, training.events
    round_number = 0
    answer: Why | None = None
    steps: list[Step] = []
    expected = loss = None
    numbers = {number for number, text in enumerate(learned.symbols) if text == token}
    for at, row in enumerate(events):
        kind, n = row.kind, row.n
        if kind in STEPS and row.a in numbers:
            value = row.b if kind in SEEDS else real(row.n)
            steps.append(Step(at, Say(STEPS[kind], round_number, decimal(value))))
        if kind == U.ROUND:
            round_number = row.a + 1
        elif kind == U.REQUIRED and chr(row.a) == token:
            answer = Why(Cause.LETTER, Say("Each character has to be a piece, so it was added at the end."), at)
        elif kind in OF_PIECES and row.a in numbers:
            if kind == U.EXPECTED:
                expected = real(n)
            elif kind == U.LOSS:
                loss = real(n)
            elif kind in DROPS:
                value = real(n) if kind == U.RARE else loss
                text = decimal(value) if value is not None else ""
                cause = Cause.FULL if kind == U.NO_ROOM else Cause.DROPPED
                answer = Why(cause, Say(DROPS[kind], round_number, text), at)
            elif kind == U.TOKEN:
                answer = Why(Cause.MERGED, kept(row.b, real(n), expected, loss), at)
    if answer is not None and answer.cause in (Cause.DROPPED, Cause.FULL) and token in learned.ids:
        # a character that was dropped is added again, where the trainer has no event for it
        answer = Why(Cause.LETTER, Say("Each character has to be a piece, so it was added at the end."))
    if answer is None and token in learned.ids:
        return SPECIAL
    if answer is not None:
        return replace(answer, steps=tuple(steps))
    never = (
        "It was never a candidate: candidates repeat within words, are short, and are followed by different characters."
    )
    return outside(token, texts, never)


SEEDS = frozenset({U.SEED, U.SEED_LETTER})
STEPS = {
    U.SEED_LETTER: "It starts as a character that occurs {1:t} times.",
    U.SEED: "It starts as a piece that occurs {1:t} times.",
    U.EXPECTED: "Round {0}: its expected count is {1:t}.",
    U.RARE: "Round {0}: its expected count is {1:t}, which is too low.",
    U.LOSS: "Round {0}: removing it would cost {1:t}.",
    U.TOKEN: "It becomes a token with score {1:t}.",
}
"""Decisions about a piece; arguments: the round, a number."""
OF_PIECES = frozenset({U.EXPECTED, U.LOSS, U.TOKEN, *DROPS})


def kept(id: int, score: float, expected: float | None, loss: float | None) -> Say:
    """The sentence about a piece that stays."""
    say = Say("It stayed to the end: token {0:i} with score {1:t}.", id, decimal(score))
    if expected is not None:
        say = say.then(Say("Its expected count in the corpus is {0:t}.", decimal(expected)))
    if loss is not None:
        say = say.then(Say("When losses were last computed, removing it would have cost {0:t}.", decimal(loss)))
    return say


OF_WORDS: Mapping[int, tuple[Cause, str]] = {
    TakeWord.TAKEN: (Cause.MERGED, "It is a word of the corpus and occurs {0:t}."),
    TakeWord.RARE: (Cause.RARE, "It occurs {0:t}, and min_frequency requires {1}."),
    TakeWord.NO_ROOM: (
        Cause.FULL,
        "It occurs {0:t}. Words that are more frequent, or as frequent but earlier, filled the vocabulary.",
    ),
}
"""Decisions about a word; arguments: how often it occurs, a limit."""


def why_word(training: Training[Any], token: str, texts: Sequence[str], words: Sequence[str]) -> Why:
    """The answer for WordLevel."""
    number = words.index(token) if token in words else -1
    for at, row in enumerate(training.events):
        if row.a == number and row.kind in OF_WORDS:
            cause, says = OF_WORDS[row.kind]
            return Why(cause, Say(says, plural(row.n, "time"), row.b), at, count=row.n)
    if token in training.learned.ids:
        return SPECIAL
    return outside(token, texts, "The corpus contains it, but not as a whole word.")


def why_substring(training: Training[Any], token: str, texts: Sequence[str], words: Sequence[str]) -> Why:
    """The answer for WordPiece from the top down."""
    learned, events = training.learned, training.events
    last = max((at for at, row in enumerate(events) if row.kind == TopDown.ROUND), default=0)
    threshold = ([0] + [row.n for row in events if row.kind == TopDown.THRESHOLD])[-1]
    for at in range(last, len(events)):
        row = events[at]
        if row.kind == TopDown.TOKEN and learned.symbols[row.a] == token:
            say = Say(
                "In the last round it still had {0:t}; the threshold was {1}.", plural(row.n, "occurrence"), threshold
            )
            return Why(Cause.MERGED, say, at, count=row.n)
    if token in learned.ids:
        if learned.ids[token] in learned.special:
            return Why(Cause.SPECIAL, Say("It is a reserved token, added before training begins."))
        return Why(Cause.LETTER, Say("It is a character of the corpus; characters are tokens, with and without ##."))
    plain = token.removeprefix("##")
    if any(plain in word for word in words):
        say = Say(
            "In the last round, fewer than {0:t} remained after longer substrings were counted: their counts are "
            "subtracted from their prefixes, so only occurrences at the end of a word remain.",
            plural(threshold, "occurrence"),
        )
        return Why(Cause.RARE, say, last, count=threshold)
    return outside(plain, texts, "The corpus contains it, but no word does: texts are cut into words.")


def outside(token: str, texts: Sequence[str], cut: str) -> Why:
    """The answer for a text that no word is or contains. In it, ▁ is a space or the beginning of a text."""
    plain = token.replace("▁", " ")
    there = any(plain in f" {text}" or token in text for text in texts)
    return Why(Cause.CUT, Say(cut)) if there else ABSENT


DECISIONS: Mapping[Cause, str] = dict.fromkeys(Cause, "This event decides.") | {
    Cause.LETTER: "Its character becomes a symbol.",
    Cause.NO_LETTER: "The character is left out.",
    Cause.REFUSED: "The pair is refused.",
    Cause.WAITING: "The training ends before it is merged.",
    Cause.STEPS: "The training ends before they are joined.",
    Cause.FULL: "The vocabulary is full.",
}
"""The sentence about the decision that an answer rests on, for an answer without steps."""

PAIR = 2
"""Characters of a pair before any merge."""
METASPACE = "metaspace"
BYTE_LEVEL = "byte-level"
"""Names in `CUTTINGS` under which the vocabulary spells texts differently."""


def stored(text: str, trainer_id: TrainerId, cutting: str) -> str:
    """A text as the vocabulary spells it.

    >>> stored(" the", ("bpe", "huggingface"), "metaspace"), stored(" é", ("bpe", "huggingface"), "byte-level")
    ('▁the', 'ĠÃ©')
    """
    if cutting == METASPACE or trainer_id[1].startswith("sentencepiece"):
        return text.replace(" ", "▁")
    if cutting == BYTE_LEVEL and bytes_of(text) is None:
        return printable(text.encode())
    return text


def crowded(learned: Learned[Any], options: Any, cutting: str, whom: str) -> str:
    """A sentence for a training whose alphabet leaves no room for anything else; empty for any other.

    cutting: a name in `CUTTINGS`. whom: the trainer that is followed.

    >>> from explorer.training.huggingface import bpe
    >>> options = bpe.Options(vocab_size=2)
    >>> crowded(bpe.train({"abc": 2}, options).learned, options, "whitespace", "huggingface")[:65]
    'vocab_size is 2, but the alphabet alone needs 3 tokens, and no pa'
    """
    size, tokens = getattr(options, "vocab_size", None), learned.tokens
    names = "continuing_subword_prefix", "end_of_word_suffix"
    prefix, suffix = (getattr(options, name, None) or "" for name in names)
    special_texts = set(getattr(options, "special_tokens", ()))
    special_ids = {id for id, text in enumerate(tokens) if id in learned.special or text in special_texts}
    longer = (
        len(text.removeprefix(prefix or PREFIX).removesuffix(suffix)) > 1
        for id, text in enumerate(tokens)
        if isinstance(text, str) and id not in special_ids and (not learned.kinds or learned.kinds[id] == 1)
    )
    if size is None or len(tokens) < size or learned.merges or not hasattr(options, "special_tokens") or any(longer):
        return ""
    special = f" with {plural(len(special_ids), 'special token')}" if special_ids else ""
    over = f" {whom} exceeds vocab_size there, too." if len(tokens) > size else ""
    limit = "--limit-alphabet N, " if hasattr(options, "limit_alphabet") else ""
    in_bytes = "" if cutting == BYTE_LEVEL else "--words byte-level, "
    return (
        f"vocab_size is {size}, but the alphabet alone needs {plural(len(tokens), 'token')}{special}, and no pair is "
        f"merged.{over} Give {limit}{in_bytes}or a larger --vocab-size."
    )


def why_text(
    training: Training[Any],
    text: str,
    trainer_id: TrainerId,
    cutting: str,
    texts: Iterable[str],
    words: Sequence[str],
    options: Any,
) -> Why:
    """The answer, which begins with whether the text is a token. It has a step if it rests on an event.

    trainer_id: the algorithm and its trainer. cutting: a name in `CUTTINGS`. texts: of the corpus. words: those
    they were cut into; empty for trainers that cut texts themselves. options: of the trainer.

    >>> from explorer.text.say import plain
    >>> from explorer.training.huggingface import bpe
    >>> words, options = {"low": 5, "lower": 2}, bpe.Options(vocab_size=7)
    >>> found = why_text(bpe.train(words, options), "low", ("bpe", "huggingface"), "none", ["low"], ["low"], options)
    >>> plain(found.say)
    '“low” is a token. It is merge 2 of 2: “lo” + “w” occurred 7 times. “e” + “r” would have been next, with count 2.'
    >>> [(step.event, plain(step.say)) for step in found.steps]
    [(24, 'Merge 1: “l” + “o” → “lo”.'), (34, 'Merge 2: “lo” + “w” → “low”.')]
    """
    token = stored(text, trainer_id, cutting)
    spelled = (printable(each.encode()) for each in texts) if cutting == BYTE_LEVEL else texts
    prefix = PREFIX if trainer_id[0] == "wordpiece" else getattr(options, "continuing_subword_prefix", None) or ""
    answer = why(training, token, list(spelled), list(words), prefix)
    say = Say("{0:q} is a token." if answer.cause in IN else "{0:q} is not a token.", token).then(answer.say)
    longest = options.max_token_length if isinstance(options, BpeOptions) else None
    if answer.cause == Cause.MERGED and longest is not None and longest <= PAIR and len(answer.steps) == 1:
        says = (
            "max_token_length is {0} and doesn't bind it: pairs of single characters are counted before any merge, and "
            "only the length of pairs that arise later is limited."
        )
        say = say.then(Say(says, longest))
    steps = answer.steps
    if not steps and answer.event is not None:
        steps = (Step(answer.event, Say(DECISIONS[answer.cause])),)
    return replace(answer, say=say, steps=steps)


class Difference(NamedTuple):
    """What the second of two trainings learned otherwise.

    gone, new: tokens of one that the other lacks, by id. first: the number of the first merge that differs, from 1 on;
    0 where none does. before, after: that merge in each, () where one has none.
    """

    gone: tuple[str | bytes, ...]
    new: tuple[str | bytes, ...]
    first: int
    before: tuple[str | bytes, ...]
    after: tuple[str | bytes, ...]


def difference(before: Learned[Spelling], after: Learned[Spelling]) -> Difference:
    """The difference of what two trainings learned.

    >>> from explorer.training.huggingface import bpe
    >>> words, options = {"low": 5, "lower": 2, "newest": 6}, bpe.Options(vocab_size=11)
    >>> forbidden = bpe.train(words, options, forbidden=[("w", "e")]).learned
    >>> difference(bpe.train(words, options).learned, forbidden)
    Difference(gone=('we', 'ewe'), new=('low', 'es'), first=1, before=('w', 'e'), after=('l', 'o'))
    """
    pairs = zip_longest(before.pairs, after.pairs, fillvalue=())
    number, one, other = next(
        ((at, one, other) for at, (one, other) in enumerate(pairs, 1) if one != other), (0, (), ())
    )
    gone = tuple(token for token in before.tokens if token not in after.ids)
    new = tuple(token for token in after.tokens if token not in before.ids)
    return Difference(gone, new, number, tuple(one), tuple(other))


# --- another trainer's merges -----------------------------------------------------------------------------------------


Pair = tuple[str, str]


class Parting(NamedTuple):
    """The first merge that differs, from 0. ours, theirs: the pairs, None after a list's end. counts: of both.

    tied: how many pairs are as frequent as ours. rules: a sentence for each one that would choose theirs here.
    """

    at: int
    ours: Pair | None
    theirs: Pair | None
    counts: tuple[int, int]
    tied: int
    rules: list[str]


class _Reached(Exception):
    """The decision is reached."""


def parting(training: Training[str], theirs: Sequence[Pair], cutting: str = "") -> Parting | None:
    """Where a list of merges parts from a training; None if it is the same. cutting: a name in `CUTTINGS`.

    >>> from explorer.training.huggingface import bpe
    >>> found = parting(bpe.train({"ab": 1, "cd": 1}, bpe.Options(vocab_size=6)), [("c", "d"), ("a", "b")])
    >>> found.ours, found.theirs, found.counts, found.rules[0]
    (('a', 'b'), ('c', 'd'), (1, 1), "Your list takes the greater one of them, as Stanford's CS336 asks.")
    """
    text = training.learned.symbols
    both = enumerate(zip_longest(training.learned.pairs, theirs))
    at, ours, other = next(((at, *pairs) for at, pairs in both if pairs[0] != pairs[1]), (0, None, None))
    if ours == other:
        return None
    state = State()

    def until(*row: int) -> None:
        if len(state.merges) == at and row[0] == Train.WINNER:
            raise _Reached
        state.apply(TrainRow(*row))

    with suppress(_Reached):
        training.learn(until)
    counts = Counter({(text[left], text[right]): n for (left, right), n in state.counts.items()})
    most = max(counts.values(), default=0)
    tied = [pair for pair, n in counts.items() if n == most]
    apart = Counter[Pair]()
    for word, times in zip(state.words, state.times, strict=True):
        last = None
        for left, right in pairwise(word):
            last = (left, right) if (left, right) != last else None  # "aaa" has one pair here
            apart[text[left], text[right]] += times * (last is not None)

    def bytes_of_pair(pair: Pair) -> list[bytes]:
        return [(bytes_of(side) if cutting == "byte-level" else None) or side.encode() for side in pair]

    numbers = {spelling: number for number, spelling in reversed([*enumerate(text)])}
    ids = {pair: [numbers[side] for side in pair] for pair in tied}
    rules = {
        "Your list takes the greater one of them, as Stanford's CS336 asks.": max(tied, key=bytes_of_pair),
        "Your list takes the smaller one of them.": min(tied, key=bytes_of_pair),
        "Your list takes the one of them with the lowest ids.": min(tied, key=lambda pair: ids[pair]),
        "Your list takes the one of them with the highest ids.": max(tied, key=lambda pair: ids[pair]),
        "Your list takes the first one of them in the corpus.": next((pair for pair in apart if pair in ids), None),
        "Your list counts pairs that overlap once, as in “aaa”.": max(apart, key=apart.__getitem__, default=None),
    } if most else {}  # fmt: skip
    chosen_by = [rule for rule, pair in rules.items() if pair == other]
    our_count, their_count = (counts[pair] if pair else 0 for pair in (ours, other))
    if other and not their_count:
        chosen_by = ["No word contains it: your list may cut words otherwise, or reads a special token as text."]
    return Parting(at, ours, other, (our_count, their_count), len(tied), chosen_by)


def merges_in(lines: Iterable[str]) -> list[Pair]:
    """The merges of lines, two sides with a space between; empty lines are left out. Raises InputError.

    >>> merges_in(["#version: 0.2", "a b"])
    [('a', 'b')]
    """
    pairs = []
    for number, line in enumerate(lines, 1):
        if line and not line.startswith("#version:"):
            left, _, right = line.partition(" ")
            if not right or " " in right:
                raise InputError("Line {0:i} of the merges is not two sides with a space between.", number)
            pairs.append((left, right))
    return pairs


def parting_say(first: Parting | None) -> Say:
    """The answer: both candidates with their counts, and what chooses the other one."""
    if first is None:
        return Say("Your list has the same merges.")
    ours, theirs = (
        Say("{0:q} + {1:q} ({2:t})", *map(visible, pair), plural(count, "time")) if pair else Say("no more merges")
        for pair, count in zip((first.ours, first.theirs), first.counts, strict=True)
    )
    say = Say("Merge {0}: {1} here, {2} in your list.", first.at + 1, ours, theirs)
    if first.theirs and first.counts[0] == first.counts[1]:
        say = say.then(Say("{0} pairs have the highest count.", first.tied))
    if first.theirs and not first.rules:
        say = say.then(Say("None of the rules known here chooses it."))
    return say.then(*map(Say, first.rules))

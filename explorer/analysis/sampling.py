"""Segmentations of a text drawn at random, the best ones, and how likely each is.

Only the model's stage is random; what comes before and after it runs as ever. Unigram draws a path through its lattice;
alpha is the exponent of the pieces' probabilities (`engine.sampling.lattice`). BPE leaves out merges; alpha is the
probability to drop one (`engine.sampling.dropout`). Every original that samples does so in a way of its own: the rule.
An original that cannot sample, such as tiktoken and llama.cpp, is given sentencepiece's or the paper's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from itertools import product, starmap
from math import exp, isfinite, log, prod
from typing import Any, NamedTuple, TypeVar

from explorer.engine import budget
from explorer.engine.cpp_library import LARGEST_SEED, Generator, PythonGenerator
from explorer.engine.models.bpe import Bpe
from explorer.engine.models.merges import Chain
from explorer.engine.models.spm import Spm
from explorer.engine.models.unigram import Unigram, single
from explorer.engine.part import Item, Options, Segment, TextTokens, Token, initial_items, run_through, silent
from explorer.engine.sampling.dropout import MOST_STEPS, DropoutRule, Odds, Pick, drop, exact
from explorer.engine.sampling.lattice import (
    HUGGING_FACE,
    MOST,
    SENTENCEPIECE,
    Choice,
    Edge,
    Lattice,
    Rule,
    n_best,
)
from explorer.engine.tokenizer import Encoding, Tokenizer, checked, tokens_of
from explorer.errors import InputError, shown
from explorer.text.say import number, plural

T = TypeVar("T")

MOST_SAMPLES = 10_000
MOST_WAYS = 2_000
"""Ways that are all listed; of more only the likeliest and those that were drawn."""
LIKELIEST = 20
LARGEST_ALPHA = 1_000.0
LONGEST = 100_000
"""Code points of a text that is sampled once."""
LONGEST_MANY = 1_000
"""and of one that is sampled many times, or whose ways are listed."""

UNIGRAM_RULES: dict[str, Rule] = {"sentencepiece": SENTENCEPIECE, "huggingface": HUGGING_FACE}


class Drawn(NamedTuple):
    """What was drawn for one segment that the model turns into tokens.

    text: the segment, as the model reads it. choices: of Unigram, from the end. picks: of BPE, in order. tokens: what
    came of it.
    """

    text: str
    choices: tuple[Choice, ...]
    picks: tuple[Pick, ...]
    tokens: TextTokens = ()


@dataclass(frozen=True)
class Sample:
    """One segmentation drawn at random. rule: the original whose way it is. drawn: for each segment of the model.

    >>> import explorer
    >>> explorer.load("llama-2").sample("unrelated", 0.2, 7).pieces
    ['<s>', '▁un', 're', 'l', 'ated']
    """

    text: str
    alpha: float
    seed: int
    rule: str
    encoding: Encoding
    drawn: tuple[Drawn, ...]

    @property
    def ids(self) -> list[int]:
        """The ids of the tokens."""
        return self.encoding.ids

    @property
    def pieces(self) -> list[str]:
        """The vocabulary's spelling of each token."""
        return self.encoding.pieces


class Candidate(NamedTuple):
    """One of the best segmentations. score: the sum of its pieces' scores, as the original adds them."""

    ids: tuple[int, ...]
    pieces: tuple[str, ...]
    score: float


class Way(NamedTuple):
    """One segmentation. probability: exactly, None where it is too much to compute. times: how often it was drawn.

    first: the number of the draw that gave it first, from 1; 0 if none did.
    """

    ids: tuple[int, ...]
    pieces: tuple[str, ...]
    probability: float | None
    times: int
    first: int


@dataclass(frozen=True)
class Distribution:
    """Which segmentations come up, and how often.

    ways: the likeliest, and all that were drawn, the likeliest first. total: how many there are, None if unknown.
    samples: how many were drawn. usual: the ids without sampling.
    """

    text: str
    alpha: float
    seed: int
    rule: str
    samples: int
    total: int | None
    ways: tuple[Way, ...]
    usual: tuple[int, ...]

    @cached_property
    def complete(self) -> bool:
        """Whether all ways are listed, with their probabilities."""
        return self.total == len(self.ways)


def sample(
    tokenizer: Tokenizer,
    text: str,
    alpha: float = 0.1,
    seed: int = 0,
    *,
    rule: str = "",
    draw: int = 1,
    add_special: bool = True,
    parse_special: bool = True,
) -> Sample:
    """A segmentation of `text` drawn at random.

    alpha: for Unigram the exponent, for BPE the probability to drop a merge. rule: "sentencepiece", "huggingface" or,
    for BPE, "subword-nmt"; by default the tokenizer's own. draw: which of those drawn one after another from the seed.
    Raises InputError for a model that cannot be sampled, and for an alpha, a seed or a number that is none.
    """
    count = budget.whole(draw, "the number of the draw")
    if not 1 <= count <= MOST_SAMPLES:
        raise InputError(f"draw {number(count)} is asked for; give a number from 1 to {number(MOST_SAMPLES)}")
    options = checked(add_special, parse_special)
    run = _Run(tokenizer, text, alpha, seed, rule, options, LONGEST if count == 1 else LONGEST_MANY)
    with run.budget(count):
        encoding, drawn = run.sample(count)
    return Sample(run.text, run.alpha, run.seed, run.rule, encoding, drawn)


def distribution(
    tokenizer: Tokenizer,
    text: str,
    alpha: float = 0.1,
    seed: int = 0,
    *,
    samples: int = 1_000,
    rule: str = "",
    add_special: bool = True,
    parse_special: bool = True,
) -> Distribution:
    """The segmentations of a short text with their exact probabilities, beside how often each was drawn.

    Parameters and errors as for `sample`; samples: at most 10,000, one after another from one seed.
    """
    count = budget.whole(samples, "the number of samples")
    if not 0 <= count <= MOST_SAMPLES:
        raise InputError(f"{number(count)} samples are asked for; give a number from 0 to {number(MOST_SAMPLES)}")
    run = _Run(tokenizer, text, alpha, seed, rule, checked(add_special, parse_special), LONGEST_MANY)
    with run.budget(count):
        return run.distribution(count)


def nbest(
    tokenizer: Tokenizer, text: str, n: int = 10, *, add_special: bool = True, parse_special: bool = True
) -> list[Candidate]:
    """The n best segmentations of `text` by a Unigram model, the best first.

    Gives the best alone where sentencepiece does: its search gives up on a text with very many paths. Raises InputError
    for a model that is not Unigram, and for an n that is not between 1 and 512.
    """
    count = budget.whole(n, "n")
    if not 1 <= count <= MOST:
        raise InputError(f"n is {number(count)}; give a number from 1 to {number(MOST)}, the most sentencepiece gives")
    run = _Run(tokenizer, text, 1.0, 0, "", checked(add_special, parse_special), LONGEST)
    if not isinstance(run.tokenizer.model, Unigram):
        raise InputError(f"{tokenizer.name} has no n-best lists: its model is not Unigram; choose one that is")
    with run.budget(10):
        return run.nbest(count)


class _Run:
    """A text on its way to samples: the stages before the model are done once."""

    def __init__(
        self, tokenizer: Tokenizer, text: str, alpha: float, seed: int, rule: str, options: Options, longest: int
    ) -> None:
        self.tokenizer, self.text, self.options = tokenizer, budget.text(text), options
        self.seed = budget.whole(seed, "the seed")
        if not 0 <= self.seed <= LARGEST_SEED:
            raise InputError(f"the seed is {shown(self.seed)}; give a number from 0 to {number(LARGEST_SEED)}")
        self.model = tokenizer.model
        self.rule = _rule(tokenizer, rule)
        self.alpha = _alpha(alpha, 1.0 if isinstance(self.model, Bpe | Spm) else LARGEST_ALPHA)
        if len(self.text) > longest:
            raise InputError(f"a text of {plural(len(self.text), 'character')} is too long; give {number(longest)}")
        self.at = tokenizer.parts.index(self.model)
        with budget.run(budget.of_text(len(self.text))):
            self.items = run_through(tokenizer.parts[: self.at], initial_items(self.text), options)
        self.segments = [item for item in self.items if isinstance(item, Segment) and item.text]

    def budget(self, samples: int) -> Any:
        """One budget for all samples."""
        seconds = budget.WHOLE_TIMES * budget.seconds_of(len(self.text)) + 0.01 * samples
        return budget.within(f"sampling a text of {plural(len(self.text), 'character')}", seconds)

    def encoding(self, tokens: Sequence[Sequence[Token]]) -> Encoding:
        """The encoding of a text whose segments have these tokens."""
        made, each = list[Item](), iter(tokens)
        for item in self.items:
            if isinstance(item, Segment):
                made += next(each) if item.text else ()
            else:
                made.append(item)
        after = run_through(self.tokenizer.parts[self.at + 1 :], tuple(made), self.options)
        return Encoding.of(tokens_of(after), self.tokenizer.vocabulary, self.tokenizer.decoder.alone)

    @cached_property
    def sampler(self) -> _UnigramSampler | _DropoutSampler:
        """Draws the segments."""
        if isinstance(self.model, Unigram):
            return _UnigramSampler(self.model, self.segments, self.alpha, self.rule, self.seed)
        assert isinstance(self.model, Bpe | Spm)
        return _DropoutSampler(self.model, self.segments, self.alpha, DropoutRule(self.rule), self.seed)

    def sample(self, draw: int) -> tuple[Encoding, tuple[Drawn, ...]]:
        """The sample with this number, from 1."""
        for _ in range(draw):
            drawn = list(map(self.sampler.draw, range(len(self.segments))))
        encoding = self.encoding([tokens for tokens, _ in drawn])
        return encoding, tuple(how._replace(tokens=tuple(tokens)) for tokens, how in drawn)

    def nbest(self, count: int) -> list[Candidate]:
        """The best segmentations of all segments together."""
        sampler = self.sampler
        assert isinstance(sampler, _UnigramSampler)
        best = ((self.encoding(sampler.tokens(paths)), score) for score, paths in sampler.best(count))
        return [Candidate(tuple(encoding.ids), tuple(encoding.pieces), score) for encoding, score in best]

    def distribution(self, samples: int) -> Distribution:
        """All ways, or as many as can be listed."""
        counts: Counter[tuple[int, ...]] = Counter()
        firsts: dict[tuple[int, ...], int] = {}
        chances: dict[tuple[int, ...], float | None] = {}
        pieces: dict[tuple[int, ...], tuple[str, ...]] = {}
        sampler, segments = self.sampler, range(len(self.segments))

        def known(tokens: Sequence[Sequence[Token]]) -> tuple[int, ...]:
            encoding = self.encoding(tokens)
            ids = tuple(encoding.ids)
            pieces[ids] = tuple(encoding.pieces)
            return ids

        total = sampler.count()
        complete = total is not None and total <= MOST_WAYS
        if complete:
            for combined in product(*map(sampler.ways, segments)):
                ids = known([tokens for tokens, _ in combined])
                chances[ids] = (chances.get(ids) or 0.0) + prod(chance for _, chance in combined)
            total = len(chances)
        else:
            for tokens, chance in sampler.likeliest(LIKELIEST):
                chances[known(tokens)] = chance
        for draw in range(1, samples + 1):
            made = [sampler.draw(index) for index in segments]
            ids = known([tokens for tokens, _ in made])
            counts[ids] += 1
            firsts.setdefault(ids, draw)
            if ids not in chances:
                of_segments = [sampler.chance(index, *each) for index, each in enumerate(made)]
                certain = [chance for chance in of_segments if chance is not None]
                chances[ids] = prod(certain, start=1.0) if len(certain) == len(made) else None
        ways = [Way(ids, pieces[ids], chance, counts[ids], firsts.get(ids, 0)) for ids, chance in chances.items()]
        ways.sort(key=lambda way: (-(way.probability or 0.0), -way.times, way.ids))
        usual = self.tokenizer.encode(self.text, **self.options._asdict())
        return Distribution(self.text, self.alpha, self.seed, self.rule, samples, total, tuple(ways), tuple(usual.ids))


Listed = list[tuple[Sequence[Token], float]]
"""Ways of a segment with their probabilities."""


class _UnigramSampler:
    """Draws the tokens of segments as paths through their lattices, again and again."""

    def __init__(self, model: Unigram, segments: Sequence[Segment], alpha: float, rule: str, seed: int) -> None:
        self.model, self.segments, self.alpha = model, segments, alpha
        self.rule, self.generator = UNIGRAM_RULES[rule], Generator(seed)
        self.lattices = [Lattice(model, segment) for segment in segments]
        self.power = self.rule.cast(alpha)

    @cached_property
    def sums(self) -> list[list[float]]:
        return [lattice.sums(self.power, self.rule) for lattice in self.lattices]

    @cached_property
    def exact_sums(self) -> list[list[float]]:
        """The sums in 64 bits."""
        return [lattice.exact_sums(self.power, self.rule) for lattice in self.lattices]

    def draw(self, index: int) -> tuple[Sequence[Token], Drawn]:
        """The tokens of a segment, and how they were drawn."""
        segment, lattice = self.segments[index], self.lattices[index]
        path, choices = lattice.sample(self.power, self.rule, self.generator, self.sums[index])
        return _unigram_tokens(self.model, segment, path), Drawn(segment.text, tuple(choices), ())

    def ways(self, index: int) -> Listed:
        """All ways of a segment, where `count` says that they can be listed."""
        segment = self.segments[index]
        paths = self.lattices[index].paths()
        return [(_unigram_tokens(self.model, segment, path), self._chance(index, path)) for path in paths]

    def best(self, count: int) -> list[tuple[float, list[Sequence[Edge]]]]:
        """The best paths through all segments together, with the sums of their scores."""
        lists = [
            [(found.score, found.path) for found in n_best(lattice, count, self.model.rules.single)]
            for lattice in self.lattices
        ]
        return _best_sums(lists, count)

    def tokens(self, paths: Iterable[Sequence[Edge]]) -> list[Sequence[Token]]:
        """The tokens of a path through each segment."""
        return [_unigram_tokens(self.model, *each) for each in zip(self.segments, paths, strict=True)]

    def likeliest(self, count: int) -> list[tuple[list[Sequence[Token]], float]]:
        """Of more ways than can be listed the likeliest, as far as they are known: tokens of each segment, chance."""
        return [
            (self.tokens(paths), prod(starmap(self._chance, enumerate(paths)), start=1.0))
            for _, paths in self.best(count)
        ]

    def chance(self, index: int, tokens: Sequence[Token], drawn: Drawn) -> float | None:
        """The probability of what was drawn for a segment, None where it is not known."""
        return self._chance(index, [choice.options[choice.chosen][0] for choice in drawn.choices][::-1])

    def _chance(self, index: int, path: Sequence[Edge]) -> float:
        return self.lattices[index].chance(path, self.power, self.rule, self.exact_sums[index])

    def count(self) -> int | None:
        """The ways of all segments together, None where they are not known."""
        return prod(lattice.ways for lattice in self.lattices)


class _DropoutSampler:
    """The same with merges that are dropped."""

    def __init__(
        self, model: Bpe | Spm, segments: Sequence[Segment], alpha: float, rule: DropoutRule, seed: int
    ) -> None:
        self.model, self.segments, self.rule = model, segments, rule
        self.alpha = single(alpha) if rule != DropoutRule.SUBWORD_NMT else alpha
        generator = PythonGenerator(seed) if rule == DropoutRule.SUBWORD_NMT else Generator(seed)
        self.uniform: Callable[[], float] = generator.uniform
        self.symbols = [model.initial_symbols(segment.text) for segment in segments]

    def draw(self, index: int) -> tuple[Sequence[Token], Drawn]:
        joined: dict[bytes, int] = {}

        def pair(left: bytes, right: bytes) -> tuple[float, bytes, int] | None:
            found = self.model.pair(left, right)
            if found is not None:
                joined[found[1]] = len(left)
            return found

        chain, picks = drop(self.rule, self.symbols[index].pieces, pair, self.alpha, self.uniform)
        return self._tokens(index, chain, joined), Drawn(self.segments[index].text, (), tuple(picks))

    def _tokens(self, index: int, chain: Chain, joined: dict[bytes, int]) -> Sequence[Token]:
        segment, model = self.segments[index], self.model
        if isinstance(model, Spm):
            return model.output(segment, chain, joined, silent)
        tokens = model.output(segment.text, self.symbols[index], chain, silent)
        return [Token(id, segment.starts[start], segment.ends[end - 1]) for id, start, end in tokens]

    def listed(self, index: int, most: int) -> tuple[Listed, Odds] | None:
        """The ways of a segment, and their odds; None if that takes more steps."""
        # which pairs were looked up decides how an UNUSED piece is taken apart: no property of the symbols alone
        if isinstance(self.model, Spm) and self.model.takes_apart:
            return None
        pieces = self.symbols[index].pieces
        found = exact(self.rule, pieces, self.model.pair, self.model.join, self.alpha, most)
        if found is None:
            return None
        listed = []
        for firsts, chance in found.ways.items():
            ends = (*firsts[1:], len(pieces))
            spelled = [
                self.model.join(pieces[first:end]) if end > first + 1 else pieces[first]
                for first, end in zip(firsts, ends, strict=True)
            ]
            listed.append((self._tokens(index, Chain(list(firsts), spelled), {}), chance))
        return listed, found

    @cached_property
    def all_ways(self) -> list[tuple[Listed, Odds]] | None:
        """Of each segment what `listed` gives, None if all together take too many steps."""
        known: dict[str, tuple[Listed, Odds]] = {}
        found, left = [], MOST_STEPS
        for index, segment in enumerate(self.segments):
            # a word that comes again is computed once: the spans of its tokens are not read where ways are listed
            one = known.get(segment.text) or self.listed(index, left)
            if one is None:
                return None
            if segment.text not in known:
                known[segment.text] = one
                left -= one[1].steps
            found.append(one)
        return found

    def ways(self, index: int) -> Listed:
        assert self.all_ways is not None, "counted before they are listed"
        return self.all_ways[index][0]

    def likeliest(self, count: int) -> list[tuple[list[Sequence[Token]], float]]:
        if self.all_ways is None:
            return []
        lists = []
        for listed, _ in self.all_ways:
            best = sorted(((log(chance), tokens) for tokens, chance in listed if chance), key=lambda each: -each[0])
            lists.append(best[:count])
        return [(tokens, exp(total)) for total, tokens in _best_sums(lists, count)]

    @cached_property
    def by_ids(self) -> list[dict[tuple[int, ...], float]]:
        """Of each segment the probability of its ids."""
        made = []
        for listed, _ in self.all_ways or ():
            chances: dict[tuple[int, ...], float] = {}
            for tokens, chance in listed:
                ids = tuple(token.id for token in tokens)
                chances[ids] = chances.get(ids, 0.0) + chance
            made.append(chances)
        return made

    def chance(self, index: int, tokens: Sequence[Token], drawn: Drawn) -> float | None:
        return self.by_ids[index].get(tuple(token.id for token in tokens)) if self.by_ids else None

    def count(self) -> int | None:
        if self.all_ways is None or any(odds.rest for _, odds in self.all_ways):
            return None
        return prod(len(listed) for listed, _ in self.all_ways)


def _unigram_tokens(model: Unigram, segment: Segment, path: Iterable[Edge]) -> list[Token]:
    return model.output(segment, [(edge.start, edge.end, edge.token) for edge in path], silent)


def _best_sums(lists: Sequence[Sequence[tuple[float, T]]], count: int) -> list[tuple[float, list[T]]]:
    """The best combinations of one entry of each list, by their sums; each list descends, but for rounding."""
    best: list[tuple[float, list[T]]] = [(0.0, [])]
    for each in lists:
        # not sorted: equal scores may differ in their last bits, and each list has sentencepiece's order
        queue = [(-(best[0][0] + each[0][0]), 0, 0)]
        seen, sums = {(0, 0)}, list[tuple[float, list[T]]]()
        while queue and len(sums) < count:
            total, one, other = heappop(queue)
            sums.append((-total, [*best[one][1], each[other][1]]))
            for following in ((one + 1, other), (one, other + 1)):
                if following not in seen and following[0] < len(best) and following[1] < len(each):
                    seen.add(following)
                    heappush(queue, (-(best[following[0]][0] + each[following[1]][0]), *following))
        best = sums
    return best


def rules_of(tokenizer: Tokenizer) -> tuple[str, ...]:
    """The rules that its model can be sampled by, its own first; none for a model without sampling.

    >>> import explorer
    >>> rules_of(explorer.load("gpt-2")), rules_of(explorer.load("bert-uncased"))
    (('huggingface', 'sentencepiece', 'subword-nmt'), ())
    """
    model = tokenizer.model
    if isinstance(model, Unigram):
        rules, other = list(UNIGRAM_RULES), "sentencepiece"
    elif isinstance(model, Bpe | Spm):
        rules = list(DropoutRule)
        other = "sentencepiece" if isinstance(model, Spm) else "subword-nmt"
    else:
        return ()
    own = own_rule(tokenizer)
    first = own if own in rules else other
    return (first, *(rule for rule in map(str, rules) if rule != first))


def own_rule(tokenizer: Tokenizer) -> str:
    """The rule that the name of its implementation stands for; no rule if that does not sample."""
    implementation = tokenizer.implementation
    return "huggingface" if implementation.startswith("transformers") else implementation


def _rule(tokenizer: Tokenizer, asked: str) -> str:
    """The rule of a call, or the tokenizer's own. Raises InputError for a model without sampling, or a rule."""
    rules = rules_of(tokenizer)
    if not rules:
        raise InputError(
            f"{tokenizer.name} cannot be sampled: its model is {tokenizer.family}, and only BPE and Unigram are"
        )
    if asked and asked not in rules:
        raise InputError(f"there is no rule {shown(asked)} for this model; give one of {', '.join(rules)}")
    return asked or rules[0]


def _alpha(value: float, largest: float) -> float:
    """The alpha of a call. Raises InputError."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"alpha is {shown(value)}, of type {type(value).__name__}; give a number")
    try:
        alpha = float(value)
    except OverflowError:
        alpha = float("inf")
    if not isfinite(alpha) or not 0 <= alpha <= largest:
        raise InputError(f"alpha is {alpha}; give a number from 0 to {number(largest)}")
    return alpha

"""What would change if a merge were missing: the text encoded again without it.

In a list of merges one pair is missing; another pair of the list may still make the same text. Under scores or ranks
the joined piece is missing, so that no pair makes it. Wrong choices are the tokens as they are, the two parts of the
merge left where it was, the single symbols, and what another missing merge would give.

The whole fragment may be seen before the answer: it shows the pairs and their order, and not what comes without one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple, cast

from explorer.engine.items import Token
from explorer.engine.models.bpe import Bpe, Rule
from explorer.engine.models.merges import MergeEvent, MergeModel, MergeReplay, MergeRow, Pair
from explorer.engine.models.spm import Spm
from explorer.engine.trace import Events
from explorer.stages.merging.question import merging, parts
from explorer.stages.question import NO_REASON, Choice, Draft, Scene, quoted_row, richest
from explorer.stages.why import SegmentEvents
from explorer.text.say import Say

MOST_TOKENS = 10
"""Tokens of the longest choice."""

LONGEST = 500
"""Characters of a fragment that is encoded again."""
MOST_TRIED = 12
"""Merges of a text that are left out, at most, to find a question."""

MOST_OTHERS = 2
"""Other merges whose lack is a wrong choice."""

Tokens = tuple[tuple[int, int, bytes], ...]
"""Tokens of a fragment: initial symbols [start, end) and the spelling of each."""


class Without(NamedTuple):
    """A fragment encoded again. tokens: of the whole fragment. first: the first merge that the original did not make,
    or None. shown: whether the original had each of its pairs in the queue, so that a reader can work it out."""

    tokens: Tokens
    first: Pair | None
    shown: bool


class RuleWithout(Rule):
    """A rule of BPE that lacks one merge. rule: the whole one. left, right: the pair; under ranks, its joined bytes."""

    def __init__(self, rule: Rule, left: bytes, right: bytes) -> None:
        self.rule, self.left, self.right = rule, left, right

    @property
    def priority(self) -> str:
        """As in the whole rule."""
        return self.rule.priority

    def rank(self, left: bytes, right: bytes) -> int | None:
        """The rank of a pair, None for the missing one."""
        by_text = self.priority == "rank" and left + right == self.left + self.right
        return None if by_text or (left, right) == (self.left, self.right) else self.rule.rank(left, right)


class SpmWithout(Spm):
    """An SPM model that lacks one piece."""

    def __init__(self, model: Spm, piece: bytes) -> None:
        self.__dict__.update(model.__dict__)
        self.missing = piece

    def pair(self, left: bytes, right: bytes) -> tuple[float, bytes, int] | None:
        """The priority of two symbols; None where they would make the missing piece."""
        return None if left + right == self.missing else super().pair(left, right)


def model_without(model: MergeModel, left: bytes, right: bytes) -> Bpe | Spm | None:
    """The model without a merge. None for a model that this module does not know.

    Under ranks the joined bytes stay a token, but only merges make it: a fragment that is one has no merges.
    """
    if isinstance(model, Spm):
        return SpmWithout(model, left + right)
    if not isinstance(model, Bpe):
        return None
    return Bpe(model.vocabulary, RuleWithout(model.rule, left, right), model.initial, whole=model.whole, ids=model.ids,
               dropped=model.dropped, byte_tokens=model.byte_tokens)  # fmt: skip


def missing_merge(scene: Scene) -> Draft | None:
    """What would the tokens be without this merge?"""
    found = [
        (fragment, merge)
        for fragment in merging(scene).fragments.values()
        if len(fragment.segment.text) <= LONGEST
        for merge in merging(scene).replay(fragment.item).merges.values()
    ]
    scene.random.shuffle(found)
    tried = [(*each, without) for each in found[:MOST_TRIED] if (without := encoded_without(scene, *each)) is not None]
    tried.sort(key=lambda each: not each[2].shown)
    return richest(filter(None, (_draft(scene, *each) for each in tried)))


def _draft(scene: Scene, fragment: SegmentEvents, merge: Pair, without: Without) -> Draft | None:
    """The question about one merge; None where its choices would not differ or would be long."""
    replay = merging(scene).replay(fragment.item)
    ours = tokens_of(scene.stage.events, replay, fragment.first, fragment.last)
    if ours is None:
        return None
    token = next((start, end) for start, end, _ in ours if start <= merge.start and merge.end <= end)
    inner = replay.within(*token)
    inner = [each for each in inner if each.event != merge.event]
    chosen = scene.random.sample(inner, min(MOST_OTHERS, len(inner)))
    others = [encoded_without(scene, fragment, each) for each in chosen]
    drafts = [
        (ours, Say("These are the tokens as they are, with the merge.")),
        (
            instead(ours, token, undone(replay, token, merge)),
            Say("The two parts do not stay as they were: they merge with other neighbors."),
        ),
        *((each.tokens, lacks(scene, other)) for other, each in zip(chosen, others, strict=True) if each is not None),
        (
            instead(ours, token, [(at, at + 1, replay.piece(at, at + 1)) for at in range(*token)]),
            Say("The other merges still happen."),
        ),
    ]
    start, end = window([without.tokens, *(tokens for tokens, _ in drafts)], merge)
    shown = [within(tokens, start, end) for tokens in (without.tokens, *(tokens for tokens, _ in drafts))]
    if len(shown[0]) > MOST_TOKENS:
        return None
    right = as_choice(scene, shown[0])
    wrong = [
        as_choice(scene, tokens, why)
        for tokens, (_, why) in zip(shown[1:], drafts, strict=True)
        if len(tokens) <= MOST_TOKENS
    ]
    if all(each.shown == right.shown for each in wrong):
        return None
    text = scene.family.speller.text(replay.characters(start, end))
    made = scene.family.speller.symbol(replay.piece(merge.start, merge.end))
    if merging(scene).unit == "merge":
        prompt = scene.say(
            "What would the tokens of {0:q} be if the merge {1:q} + {2:q} were missing?", text, *parts(scene, merge)
        )
    else:
        prompt = scene.say("What would the tokens of {0:q} be if {1:q} were not in the vocabulary?", text, made)
    return Draft(prompt, right, wrong, explanation(scene, ours, without, made), scene.stage.name, fragment.last - 1)


def lacks(scene: Scene, other: Pair) -> Say:
    """That a choice lacks another merge."""
    if merging(scene).unit == "merge":
        return Say.of("That is without the merge {0:q} + {1:q}.", *parts(scene, other))
    made = merging(scene).model.join([other.left, other.right])
    return Say.of("That is without {0:q} in the vocabulary.", scene.family.speller.symbol(made))


def explanation(scene: Scene, ours: Tokens, without: Without, made: str) -> Say:
    """What happens instead of the missing merge."""
    if without.first is None:
        instead = Say("Encoded again without it, no other merge takes its place.")
    else:
        both = scene.family.speller.symbol(merging(scene).model.join([without.first.left, without.first.right]))
        instead = Say.of(
            "Encoded again without it, the first merge that is new is {0:q} + {1:q} → {2:q}.",
            *parts(scene, without.first),
            both,
        )
    if without.tokens == ours:
        return instead.then(Say("The tokens stay the same."))
    whole = any(piece == made for piece in (scene.family.speller.symbol(piece) for _, _, piece in without.tokens))
    return instead.then(Say.of("Another pair still makes {0:q}.", made)) if whole else instead


def encoded_without(scene: Scene, fragment: SegmentEvents, merge: Pair) -> Without | None:
    """A fragment encoded by the model without one merge. None where a token is not a merged symbol."""
    model = model_without(merging(scene).model, merge.left, merge.right)
    if model is None:
        return None
    events: Events[MergeRow] = Events(MergeRow)
    output = model.run([fragment.segment], scene.trace.options, events.emit)
    replay = MergeReplay(cast(MergeModel, model), fragment.segment.text, enumerate(events))
    tokens = tokens_of(events, replay, 0, len(events))
    if tokens is None:
        return None
    assert len(tokens) == sum(isinstance(item, Token) for item in output)
    whole = merging(scene).replay(fragment.item)
    known = {(each.start, each.middle, each.end) for each in whole.merges.values()}
    seen = {(each.left, each.right) for each in whole.pairs if each.kind == MergeEvent.PUSH}
    merged = [each for each in replay.pairs if each.kind == MergeEvent.MERGE]
    first = next((each for each in merged if (each.start, each.middle, each.end) not in known), None)
    return Without(tokens, first, all((each.left, each.right) in seen for each in merged))


def tokens_of(events: Events[MergeRow], replay: MergeReplay, first: int, last: int) -> Tokens | None:
    """The tokens that the events [first, last) output; None where one is not a whole symbol."""
    found = []
    for event in range(first + 1, last):
        kind, left, right, _ = events[event]
        if kind == MergeEvent.TOKEN:
            found.append((left, right, replay.piece(left, right)))
        elif kind in NOT_SYMBOLS:
            return None
    return tuple(found)


NOT_SYMBOLS = frozenset(MergeEvent) - {MergeEvent.TOKEN, MergeEvent.PUSH, MergeEvent.MISS, MergeEvent.MERGE,
                                       MergeEvent.STALE_LEFT, MergeEvent.STALE_RIGHT, MergeEvent.STALE_SIZE,
                                       MergeEvent.NOT_WHOLE}  # fmt: skip
"""Events of fragments with byte fallback, unknown characters or pieces taken whole."""


def undone(replay: MergeReplay, token: tuple[int, int], merge: Pair) -> Iterator[tuple[int, int, bytes]]:
    """A token without a merge and all that build on it, as if nothing took their place."""
    cuts = {merge.middle, *token}
    for each in replay.within(*token):
        if each.start <= merge.start and merge.end <= each.end:
            cuts.add(each.middle)
    return ((start, end, replay.piece(start, end)) for start, end in pairwise(sorted(cuts)))


def instead(tokens: Tokens, token: tuple[int, int], parts: Iterable[tuple[int, int, bytes]]) -> Tokens:
    """Tokens with one of them replaced."""
    parts = tuple(parts)
    return tuple(one for each in tokens for one in (parts if (each[0], each[1]) == token else (each,)))


def window(rows: list[Tokens], merge: Pair) -> tuple[int, int]:
    """The smallest run of symbols with a cut in all rows at both ends that contains a merge and all differences."""
    common = set.intersection(*({0, *(end for _, end, _ in row)} for row in rows))
    times = Counter(each for row in rows for each in set(row))
    different = [each for each, count in times.items() if count < len(rows)]
    low = min([merge.start, *(start for start, _, _ in different)])
    high = max([merge.end, *(end for _, end, _ in different)])
    return max(at for at in common if at <= low), min(at for at in common if at >= high)


def within(tokens: Tokens, start: int, end: int) -> Tokens:
    """The tokens of the symbols [start, end)."""
    return tuple(each for each in tokens if each[0] >= start and each[1] <= end)


def as_choice(scene: Scene, tokens: Tokens, why: Say = NO_REASON) -> Choice:
    """Tokens side by side."""
    return Choice(quoted_row([scene.family.speller.symbol(piece) for _, _, piece in tokens], " | "), "", why)

"""What a vocabulary consists of, in numbers for charts (scripts, lengths, what was learned when), and tokens worth
looking at, with the reason: the longest of their sort and script, parts of characters, some that are known.

When a token was learned is its rank: where pieces have scores the highest comes first, elsewhere ids are in the order
of the merges. Special, added and byte tokens aren't learned and don't count.

Notable tokens are what the Vocabulary page opens on, and what its button chooses among. Nothing here is random: the
same vocabulary has the same list. Vocabularies of all code points have none; the longest token of them is one
character.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from math import log
from typing import NamedTuple

from explorer.analysis.vocabulary.index import GIVEN, NO_SCRIPT, TokenClass, VocabularyIndex
from explorer.engine.models.lookup import CodePointPieces
from explorer.errors import InputError
from explorer.text.say import Say, plural

LITTLE = 1e-4
"""The share of a script that a side lacks."""


PARTS = 48
"""Equal parts of the ranks."""

LAST = 16
"""The last length, which counts longer tokens, too, in bytes."""

BESIDE = 6
"""Parts before and after a turn that are compared."""

TURNS = 0.25
"""What share of the tokens has to be of another script after a turn than before."""


class Part(NamedTuple):
    """Tokens that were learned one after another. ranks: [first, last], from 1. scripts: how many of each.

    bytes: their average length.
    """

    ranks: tuple[int, int]
    scripts: dict[str, int]
    bytes: float


class Turn(NamedTuple):
    """Where what is learned changes most. rank: the last before it, from 1; id: of the first token after it.

    fell, rose: the scripts that lose and gain most, each with its shares before and after, in per cent.
    """

    rank: int
    id: int
    fell: tuple[str, float, float]
    rose: tuple[str, float, float]


class Picture(NamedTuple):
    """learned: tokens that count. scripts: of them, most first. lengths: for 1 to `LAST` bytes. growth: by rank.

    turn: None if the mix of scripts changes little by little.
    """

    learned: int
    scripts: dict[str, int]
    lengths: tuple[int, ...]
    growth: tuple[Part, ...]
    by_score: bool
    turn: Turn | None


def picture(index: VocabularyIndex) -> Picture:
    """The numbers of a vocabulary.

    >>> import explorer
    >>> from explorer.analysis.vocabulary.index import index_of
    >>> found = picture(index_of(explorer.load("gpt-2")))
    >>> found.learned, list(found.scripts)[:2], found.lengths[:3], found.growth[0].ranks
    (50256, ['Latin', 'none'], (256, 1916, 5212), (1, 1047))
    """
    ids = ranked(index)
    scripts = Counter(index.scripts[id] for id in ids)
    lengths = Counter(min(len(index.data[id]), LAST) for id in ids)
    size = -(-len(ids) // PARTS) or 1
    growth = tuple(part_of(index, ids[at : at + size], at) for at in range(0, len(ids), size))
    by_score = bool(index.tokenizer.vocabulary.scores)
    lengths_of = tuple(lengths[size] for size in range(1, LAST + 1))
    turn = turn_of(index, ids, growth)
    return Picture(len(ids), dict(scripts.most_common()), lengths_of, growth, by_score, turn)


def turn_of(index: VocabularyIndex, ids: Sequence[int], growth: Sequence[Part]) -> Turn | None:
    """The turn: where parts differ most from those before, at the token that explains both sides best."""
    best, at = 0.0, 0
    for part in range(BESIDE // 2, len(growth) - BESIDE // 2 + 1):
        before, after = shares(growth[max(0, part - BESIDE) : part]), shares(growth[part : part + BESIDE])
        apart = sum(abs(before.get(each, 0) - after.get(each, 0)) for each in {*before, *after}) / 2
        if apart > best:
            best, at = apart, part
    if best < TURNS:
        return None
    left, right = growth[max(0, at - BESIDE) : at], growth[at : at + BESIDE]
    before, after = shares(left), shares(right)
    first, last = left[0].ranks[0] - 1, right[-1].ranks[1]
    gain = most = 0.0
    rank = first + 1
    for place in range(first, last - 1):
        script = index.scripts[ids[place]]
        gain += log(before.get(script, 0) + LITTLE) - log(after.get(script, 0) + LITTLE)
        if gain > most:
            most, rank = gain, place + 1
    before, after = shares([part_of(index, ids[first:rank], first)]), shares([part_of(index, ids[rank:last], rank)])

    def moved(script: str) -> float:
        return after.get(script, 0) - before.get(script, 0)

    order = sorted({*before, *after} - {NO_SCRIPT}, key=lambda each: (moved(each), each))
    fell, rose = ((each, 100 * before.get(each, 0), 100 * after.get(each, 0)) for each in (order[0], order[-1]))
    return Turn(rank, ids[rank], fell, rose)


def shares(parts: Sequence[Part]) -> dict[str, float]:
    """The share of each script in some parts, of 1."""
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part.scripts)
    return {script: n / total.total() for script, n in total.items()}


def ranked(index: VocabularyIndex) -> list[int]:
    """The learned tokens in the order of their ranks."""
    ids = [id for id, of in enumerate(index.classes) if of not in GIVEN]
    scores = index.tokenizer.vocabulary.scores
    return sorted(ids, key=lambda id: -scores[id]) if scores else ids


def part_of(index: VocabularyIndex, ids: Sequence[int], start: int) -> Part:
    """The tokens of one part. start: the rank before it."""
    total = sum(len(index.data[id]) for id in ids)
    return Part((start + 1, start + len(ids)), dict(Counter(index.scripts[id] for id in ids)), total / len(ids))


OPENING = (" token", "token", " language", "language")
"""Texts whose token the page opens on, the first that is one."""
FAMOUS = (" SolidGoldMagikarp", " TheNitromeFan", " petertodd", "StreamerBot", " davidjl", " guiActiveUn",
                 "rawdownloadcloneembedreportprint", " attRot", "ÃÂÃÂÃÂÃÂÃÂÃÂÃÂÃÂ")  # fmt: skip
"""Tokens known because models failed at them: their text was in the tokenizer's corpus, and hardly in the model's."""
EACH = 5
"""Tokens of a sort."""
LONG = 4
"""Characters of one that is worth it for its length."""
CODE = re.compile(r"[a-z]{3,}[A-Z][a-z]{3,}")
PHRASE = re.compile(r"\S+ \S+")


class Notable(NamedTuple):
    """A token, and why it is worth looking at."""

    id: int
    why: Say


def notable(index: VocabularyIndex) -> list[Notable]:
    """The tokens, each once, those with the best reason first.

    >>> import explorer
    >>> from explorer.analysis.vocabulary.index import index_of
    >>> from explorer.text.say import plain
    >>> index = index_of(explorer.load("gpt-2"))
    >>> [(index.texts[id], plain(why)) for id, why in notable(index)][0]
    (' SolidGoldMagikarp', 'One of the tokens known for confusing GPT models.')
    """
    if isinstance(index.tokenizer.vocabulary.pieces, CodePointPieces):
        return []
    learned = ranked(index)
    whole = [id for id in learned if index.classes[id] is not TokenClass.PART]
    reasons: dict[int, Say] = {}
    for id, why in (*famous(index, learned), *of_sorts(index, learned), *of_scripts(index, whole)):
        reasons.setdefault(id, why)
    return [Notable(id, why) for id, why in reasons.items()]


def famous(index: VocabularyIndex, learned: Iterable[int]) -> Iterator[tuple[int, Say]]:
    """Those that models failed at."""
    texts = {index.texts[id]: id for id in learned}
    why = Say("One of the tokens known for confusing GPT models.")
    yield from ((texts[text], why) for text in FAMOUS if text in texts)


SORTS: tuple[tuple[Callable[[str], object], Callable[[str], Say]], ...] = (
    (
        lambda text: text.strip().isalpha(),
        lambda text: Say("One of the longest words that is one token: {0:t}.", plural(len(text.strip()), "letter")),
    ),
    (CODE.search, lambda text: Say("Several words in one token, as program code joins them.")),
    (
        lambda text: PHRASE.search(text.strip()),
        lambda text: Say("It goes across a space: several words are one token."),
    ),
    (str.isspace, lambda text: Say("{0:t} of white space are one token.", plural(len(text), "character"))),
    (
        lambda text: text.strip() and not any(map(str.isalnum, text)),
        lambda text: Say("{0:t} are one token, none of them a letter or a digit.", plural(len(text), "character")),
    ),
)
"""Which texts are of a sort, and why the longest of them are worth looking at."""


def of_sorts(index: VocabularyIndex, learned: list[int]) -> Iterator[tuple[int, Say]]:
    """The longest of each sort, and those learned last."""
    texts = index.texts
    parts = [id for id in learned if index.classes[id] is TokenClass.PART]
    whole = sorted({*learned} - {*parts}, key=lambda id: -len(texts[id]))
    for is_of_sort, why in SORTS:
        longest = islice((id for id in whole if is_of_sort(texts[id])), EACH)
        yield from ((id, why(texts[id])) for id in longest if len(texts[id]) >= LONG)
    for id in learned[-EACH:]:
        yield id, Say("It is among the last that were learned.")
    for id in sorted(parts, key=lambda id: -len(index.data[id]))[:EACH]:
        yield id, Say("It ends or begins inside a character: alone it is no text.")


def of_scripts(index: VocabularyIndex, learned: Iterable[int]) -> Iterator[tuple[int, Say]]:
    """The longest token of each script."""
    texts, by_script = index.texts, defaultdict[str, list[int]](list)
    for id in learned:
        if index.scripts[id] != NO_SCRIPT and len(texts[id]) >= LONG:
            by_script[index.scripts[id]].append(id)
    for script, ids in by_script.items():
        id = max(ids, key=lambda id: len(texts[id]))
        yield id, Say("The longest token in {0:t}: {1:t}.", script, plural(len(texts[id]), "character"))


def opening_token(index: VocabularyIndex) -> int | None:
    """The token that the page opens on; None for a vocabulary without a learned one."""
    for text in OPENING:
        try:
            ids = index.tokenizer.encode(text, add_special=False).ids
        except InputError:
            continue
        if len(ids) == 1 and index.classes[ids[0]] not in GIVEN:
            return ids[0]
    tokens = notable(index)
    return tokens[0].id if tokens else None

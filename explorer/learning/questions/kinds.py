"""The kinds of question, one row each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice
from random import Random
from typing import Final, NamedTuple, cast

from explorer.analysis.why import TraceAccount
from explorer.engine.models.bpe import Bpe
from explorer.engine.models.spm import Spm
from explorer.engine.part import Model
from explorer.engine.pre_tokenizers.scanners import ScannerSplit
from explorer.engine.pre_tokenizers.stage import PreTokenization
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.languages import ENGLISH, phrases
from explorer.learning.questions.counts import costs_more, how_many
from explorer.learning.questions.fallback import byte_fallback, has_fallback
from explorer.opening.catalog import catalog, title_of
from explorer.stages.normalizers.stage import normalized_character, normalizes
from explorer.stages.pre_tokenizers.stage import matched_piece
from explorer.stages.question import Draft, Question, Scene, choices_of
from explorer.stages.spelling import Form
from explorer.stages.table import model_kind


class Kind(NamedTuple):
    """A kind of question.

    title: the question in short. stages: the names of the stages it can be about. write: makes a question of a scene,
    or None where its text has none. suits: whether a tokenizer can have such questions at all. most: choices.
    """

    title: str
    stages: tuple[str, ...]
    write: Callable[[Scene], Draft | None]
    suits: Callable[[Opened], bool]
    most: int = 4


def of_model(title: str, name: str, suits: Callable[[Opened], bool] = lambda tokenizer: True) -> Kind:
    """A kind that each model writes itself, under a name among its `questions`. suits: what else a tokenizer needs."""
    return Kind(
        title,
        ("model",),
        lambda scene: model_kind(cast(Model, scene.stage.part)).questions[name](scene),
        lambda tokenizer: name in model_kind(tokenizer.model).questions and suits(tokenizer),
    )


def has_pattern(tokenizer: Opened) -> bool:
    """Whether a tokenizer splits by a pattern. A scanner's rules try more than one alternative at once."""
    stages = [part for part in tokenizer.parts if isinstance(part, PreTokenization)]
    scans = any(isinstance(splitter, ScannerSplit) for part in stages for splitter in part.splitters)
    return not scans and any(part.alternatives for part in stages)


KINDS: Final[Mapping[str, Kind]] = {
    "next-merge": of_model("Which pair merges next?", "next-merge"),
    "out-of-date": of_model("Which entry of the queue is out of date?", "out-of-date"),
    # one merge can be left out of these rules
    "missing-merge": of_model(
        "What if this merge were missing?", "missing-merge", lambda tokenizer: isinstance(tokenizer.model, Spm | Bpe)
    ),
    "how-many": Kind("How many tokens?", ("model", "post-process"), how_many, lambda tokenizer: True),
    "costs-more": Kind("Which text costs more tokens?", ("model", "post-process"), costs_more, lambda tokenizer: True),
    "matched-piece": Kind("Which pre-token does the alternative match?", ("pre-tokenize",), matched_piece, has_pattern),
    "longest-match": of_model("Where does the longest match end?", "longest-match"),
    "byte-fallback": Kind(
        "Which ids does byte fallback give?", ("model",), byte_fallback, lambda tokenizer: has_fallback(tokenizer.model)
    ),
    "best-path": of_model("Which path wins, and by how much?", "best-path"),
    "normalized": Kind("What does normalization make of this?", ("normalize",), normalized_character, normalizes),
}
"""By the name in links and exports."""


def ask(
    tokenizer: Opened,
    text: str | Sequence[str],
    kind: str,
    seed: int,
    language: str = ENGLISH,
    seen: Collection[str] = (),
) -> Question | None:
    """A question of a kind, always the same for the same arguments; None where tokenizer or text allow none.

    text: one, or several that are tried in an order drawn from the seed. language: of its sentences, as far as
    `explorer.languages` has it. seen: texts that were asked about; others come first. Raises InputError for an
    unknown kind.

    >>> import explorer
    >>> from explorer.text.say import plain
    >>> found = ask(explorer.load("llama-2"), "What is LoRA?", "next-merge", 5)
    >>> found.choices[found.right].shown
    '“·W” + “h” → “·Wh”'
    >>> plain(found.explanation)
    '“·W” + “h” has score −547; the runner-up, “h” + “at”, has −2,196. The highest score joins first.'
    """
    check([kind])
    if not KINDS[kind].suits(tokenizer):
        return None
    texts = [text] if isinstance(text, str) else list(text)
    Random(f"{seed} {kind}").shuffle(texts)
    made = (
        _question(tokenizer, each, kind, seed, tuple(other for other in texts if other != each), language)
        for each in [each for each in texts if each not in seen] or texts
    )
    found = islice((each for each in made if each is not None), RANKED)
    return max(found, key=worth, default=None)


RANKED: Final = 3
"""Texts whose questions are compared."""


def worth(question: Question) -> int:
    """How much a question teaches: its choices, and the different characters quoted in them and the prompt.

    Pieces of `·Å·Å` look alike, whichever is missing; those of a longer word tell what happened.

    >>> import explorer
    >>> tokenizer = explorer.load("llama-2")
    >>> poor, rich = (ask(tokenizer, text, "missing-merge", 0) for text in ("Å Å Å Å", "a strange word"))
    >>> worth(poor) < worth(rich)
    True
    """
    said = [question.prompt, *(each.say for each in question.choices)]
    characters = {character for say in said for text in say.texts for character in text}
    return 2 * len(question.choices) + min(len(characters), MANY)


MANY: Final = 8
"""Different characters that are enough."""


def check(kinds: Iterable[str]) -> None:
    """Raises InputError for an unknown kind."""
    for kind in kinds:
        if kind not in KINDS:
            raise InputError(f"unknown kind of question {kind!r}; use one of: {', '.join(KINDS)}")


def scene_of(tokenizer: Opened, text: str, random: Random, texts: tuple[str, ...] = ()) -> Scene:
    """What a kind of question looks at: a text under a tokenizer, with tokens as the pages write them."""
    name, implementation = tokenizer.name, tokenizer.implementation
    known = catalog().get(name)
    usual = known is None or implementation == known.implementations[0]
    title = title_of(name if usual else f"{name}@{implementation}")
    trace = tokenizer.trace(text)
    return Scene(tokenizer, trace, random, title, TraceAccount(trace, title, Form.AS_TEXT).family, texts)


def _question(
    tokenizer: Opened, text: str, kind: str, seed: int, others: tuple[str, ...], language: str
) -> Question | None:
    """The question of one text."""
    random = Random(f"{seed} {kind} {tokenizer.name} {text}")
    to = phrases(language)
    draft = KINDS[kind].write(scene_of(tokenizer, text, random, others))
    if draft is None:
        return None
    choices = choices_of(draft, KINDS[kind].most, random)
    if len(choices) < 2:
        return None
    name = f"{tokenizer.name}@{tokenizer.implementation}"
    before = draft.event if draft.event is not None and draft.event >= 0 else None
    right = choices.index(draft.right)
    choices = tuple(
        each._replace(say=to.say(each.say), why=to.say(each.why), note=to.text(each.note)) for each in choices
    )
    brief = None if draft.brief is None else to.say(draft.brief)
    return Question(kind, name, draft.text or text, to.say(draft.prompt), choices, right,
                    to.say(draft.explanation), draft.stage, before, draft.answer, seed, brief)  # fmt: skip


def quiz(
    tokenizers: Sequence[Opened],
    texts: Sequence[str],
    count: int,
    seed: int,
    kinds: Iterable[str] = (),
    language: str = ENGLISH,
) -> tuple[Question, ...]:
    """So many different questions, their kinds in turn; fewer where tokenizers and texts allow no more.

    What teaches most comes first. kinds: keys of `KINDS`, all by default. language: as for `ask`. Raises InputError for
    an unknown kind.

    >>> import explorer
    >>> [each.kind for each in quiz([explorer.load("gpt-2")], ["a fine text"], 1, 0, ["next-merge"])]
    ['next-merge']
    """
    random = Random(seed)
    names = list(kinds) or list(KINDS)
    check(names)
    suited = {name: [each for each in tokenizers if KINDS[name].suits(each)] for name in names}
    names = [name for name in names if suited[name]]
    found: dict[tuple[object, ...], Question] = {}
    order: list[str] = []
    for _ in range(ATTEMPTS * count if names else 0):
        if len(found) == count:
            break
        if not order:
            order = random.sample(names, len(names))
        name = order.pop()
        seen = {each.text for each in found.values() if each.kind == name}
        asked = ask(random.choice(suited[name]), texts, name, random.randrange(1 << 32), language, seen)
        if asked is not None:
            found.setdefault((asked.kind, asked.tokenizer, asked.text, asked.prompt), asked)
    return tuple(sorted(found.values(), key=worth, reverse=True))


ATTEMPTS = 20
"""Questions tried for each that a quiz wants: a text may allow none of a kind, or the same again."""

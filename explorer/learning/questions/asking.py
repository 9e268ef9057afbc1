"""Asking: one question, or a quiz of several, from tokenizers, texts and a seed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.learning.languages import ENGLISH, phrases
from explorer.learning.questions.kinds import KINDS
from explorer.learning.questions.question import Question, choices_of
from explorer.learning.questions.scene import Scene


def ask(tokenizer: Opened, text: str | Sequence[str], kind: str, seed: int, language: str = ENGLISH) -> Question | None:
    """A question of a kind, always the same for the same arguments; None where tokenizer or text allow none.

    text: one, or several that are tried in an order drawn from the seed. language: of its prompt, as far as
    `explorer.learning.languages` has it. Raises InputError for an unknown kind.

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
    for each in texts:
        others = tuple(other for other in texts if other != each)
        found = _question(tokenizer, each, kind, seed, others, language)
        if found is not None:
            return found
    return None


def check(kinds: Iterable[str]) -> None:
    """Raises InputError for an unknown kind."""
    for kind in kinds:
        if kind not in KINDS:
            raise InputError(f"there is no kind of question {kind!r}; kinds: {', '.join(KINDS)}")


def _question(
    tokenizer: Opened, text: str, kind: str, seed: int, others: tuple[str, ...], language: str
) -> Question | None:
    """The question of one text."""
    random = Random(f"{seed} {kind} {tokenizer.name} {text}")
    scene = Scene(tokenizer, tokenizer.trace(text), random, others, phrases(language).words)
    draft = KINDS[kind].write(scene)
    if draft is None:
        return None
    choices = choices_of(draft, KINDS[kind].most, random)
    if len(choices) < 2:
        return None
    name = f"{tokenizer.name}@{tokenizer.implementation}"
    before = draft.event if draft.event is not None and draft.event >= 0 else None
    return Question(kind, name, text, draft.prompt, choices, choices.index(draft.right), draft.explanation,
                    draft.stage, before, draft.answer, seed)  # fmt: skip


def quiz(
    tokenizers: Sequence[Opened], texts: Sequence[str], count: int, seed: int, kinds: Iterable[str] = ()
) -> tuple[Question, ...]:
    """So many different questions, their kinds in turn; fewer where tokenizers and texts allow no more.

    kinds: keys of `KINDS`, all by default. Raises InputError for an unknown kind.

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
        asked = ask(random.choice(suited[name]), texts, name, random.randrange(1 << 32))
        if asked is not None:
            found.setdefault((asked.kind, asked.tokenizer, asked.text, asked.prompt), asked)
    return tuple(found.values())


ATTEMPTS = 20
"""Questions tried for each that a quiz wants: a text may allow none of a kind, or the same again."""

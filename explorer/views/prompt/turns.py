"""Next turn: how much of a cache the next prompt keeps, where that ends, why, and what would keep the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from explorer.errors import InputError
from explorer.prompts.prompt import Prompt
from explorer.prompts.turns import Break, NextTurn, next_turns
from explorer.text.say import Say
from explorer.views.overview import as_text
from explorer.views.prompt.tokens import NOTHING, Badge, Cell, Scene, View, cells, strip_of

BEFORE, AFTER = 4, 8
"""Tokens that are drawn before and after the end of the cache."""
CHARACTERS: Final = 70
"""Characters that are drawn before and after the character where the texts part."""
MOST_TURNS, MOST_CHARACTERS = 8, 80_000
"""Answers that are looked at, and characters of the prompts around them: of a long conversation the last ones."""
MOST_BAR: Final = 4_000
"""Tokens of a bar."""


def turns_of(prompt: Prompt | None) -> list[NextTurn]:
    """The turns of a prompt; none where a part of it can't be rendered."""
    try:
        return list(next_turns(prompt, most_of(prompt))) if prompt else []
    except InputError:
        return []


def most_of(prompt: Prompt) -> int:
    """How many of the last answers are looked at, so that a long conversation stays quick."""
    return max(1, min(MOST_TURNS, MOST_CHARACTERS // max(1, len(prompt.text))))


def badge(scene: Scene) -> Badge:
    """How much of the cache is kept, at the worst turn."""
    turns = turns_of(scene.prompt)
    if not turns:
        return Badge("no answer yet", 0, True) if scene.prompt else NOTHING
    warned = [turn for turn in turns if turn.cause is not Break.NONE]
    worst = min(turns, key=lambda turn: turn.kept / max(1, len(turn.cached)))
    if not warned:
        return Badge(f"all {len(worst.cached)} kept", 0, True)
    return Badge(f"{worst.kept} of {len(worst.cached)} kept", len(warned))


def stage(scene: Scene) -> Mapping[str, Any] | None:
    """What the component draws: for each answer the cache beside the next prompt."""
    if scene.prompt is None:
        return {"turns": [], "problem": None}
    try:
        turns = list(next_turns(scene.prompt, most_of(scene.prompt)))
    except InputError as error:
        return {"turns": [], "problem": Say.of("The part before an answer can't be rendered. {0:t}", str(error))}
    worst = min(range(len(turns)), key=lambda n: turns[n].kept / max(1, len(turns[n].cached)), default=0)
    return {"turns": [drawn(turn) for turn in turns], "problem": None, "worst": worst}


def drawn(turn: NextTurn) -> dict[str, Any]:
    """A turn as it is drawn."""
    cache = [*cells(turn.before), *answer_cells(turn)]
    after = cells(turn.after)
    start = max(0, min(turn.kept, len(cache)) - BEFORE)
    return {
        "message": turn.message,
        "messages": len(turn.after.call.messages),
        "kept": turn.kept,
        "cached": len(cache),
        "next": len(after),
        "all": turn.cause is Break.NONE,
        "say": turn.headline,
        "reason": prefix(turn),
        "as_text": text_headline(turn),
        "why": turn.why,
        "cost": turn.cost,
        "remedy": turn.remedy,
        "offer": offer(turn),
        "bars": [strip_of(cache[:MOST_BAR]), strip_of(after[:MOST_BAR])],
        "from": start,
        "rows": [window(cache, start, turn.kept), window(after, start, turn.kept)],
        "more": [len(cache) > turn.kept + AFTER, len(after) > turn.kept + AFTER],
        "texts": [
            excerpt(turn.before.text + turn.answer, turn.text_kept),
            excerpt(turn.after.text, turn.text_kept),
        ],
        "ids": [turn.cached, turn.after.ids],
    }


def answer_cells(turn: NextTurn) -> list[Cell]:
    """The answer's tokens, as the model wrote them."""
    encoding = turn.before.tokenizer.encode(turn.answer, add_special=False)
    made: list[Cell] = []
    for id, span in zip(encoding.ids, encoding.spans, strict=True):
        start, end = span or (0, 0)
        source = turn.answer[start:end]
        cell: Cell = {
            "t": as_text(source or turn.before.tokenizer.vocabulary.spelling(id)),
            "id": id,
            "s": start,
            "e": end,
            "who": "assistant",
            "m": turn.message,
            "row": turn.message,
            "n": len(turn.before.ids) + len(made),
        }
        space = len(source) - len(source.lstrip(" "))
        made.append(cell | ({"space": space} if space else {}))
    return made


def window(made: Sequence[Cell], start: int, kept: int) -> list[Cell]:
    """The tokens around the end of the cache; `lost` are those after it."""
    return [{**cell, "lost": cell["n"] >= kept} for cell in made[start : kept + AFTER]]


def excerpt(text: str, kept: int) -> list[str]:
    """A text around a position: what both have, and what follows."""
    before, after = text[max(0, kept - CHARACTERS) : kept], text[kept : kept + CHARACTERS]
    return [("…" if kept > CHARACTERS else "") + before, after + ("…" if len(text) > kept + CHARACTERS else "")]


def prefix(turn: NextTurn) -> Say:
    """Whether one prompt is the beginning of the next, as text and as ids."""
    is_text = turn.text_kept == len(turn.before.text) + len(turn.answer)
    if turn.cause is Break.NONE:
        return Say.of("As text and as ids, the prompt and its answer are the beginning of the next prompt.")
    if is_text:
        return Say.of(
            "As text, the prompt and its answer are the beginning of the next prompt. As ids they are not: they part "
            "at token {0}.",
            turn.kept + 1,
        )
    return Say.of("They part as text, too, at character {0}; as ids at token {1}.", turn.text_kept + 1, turn.kept + 1)


def text_headline(turn: NextTurn) -> Say:
    """The same, about the texts."""
    whole = len(turn.before.text) + len(turn.answer)
    if turn.text_kept == whole:
        return Say.of("As text, all {0} characters in the cache begin the next prompt.", whole)
    return Say.of("As text, {0} of {1} characters in the cache begin the next prompt.", turn.text_kept, whole)


def offer(turn: NextTurn) -> list[Any] | None:
    """A link that takes the white space around the answer away, where that keeps the whole cache."""
    if turn.stripped_kept is None or turn.stripped_kept[0] != turn.stripped_kept[1]:
        return None
    return ["Try without the white space", turn.message, turn.answer.strip()]


VIEW: Final = View("turns", "Next turn", badge, stage)

"""The views of the page Prompt, in the order of their cards: Template, Next turn and Training are here.

Template has the source with the lines that ran, and the stepper that plays it. Next turn says how much of a cache the
next prompt keeps, where that ends, why, and what would keep the rest. Training shows which tokens a loss mask trains,
made in three ways, and why one may train nothing.
"""

import re
from collections.abc import Sequence
from typing import Any

from explorer.errors import InputError
from explorer.prompts.layout import layout
from explorer.prompts.masks import TAG, LossMasks, Mask, Way, loss_masks
from explorer.prompts.model_input import Prompt
from explorer.prompts.program import TemplateFailed
from explorer.prompts.rendering import Rendering
from explorer.prompts.run import WORDS
from explorer.prompts.turns import Break, NextTurn, next_turns
from explorer.tables import Json, Record
from explorer.text.say import Say, Text, plural
from explorer.views.prompt import answer, check, engines, messages, sent
from explorer.views.prompt.tokens import (
    NOTHING,
    Badge,
    Cell,
    Scene,
    View,
    cells,
    segments_of,
    strip_of,
    template_line,
    text_cells,
)
from explorer.views.steppers.template_script import Play, lines_that_ran


def template_badge(scene: Scene) -> Badge:
    """How many of the template's lines did something, or where it stops."""
    if scene.prompt is None:
        if isinstance(scene.error, TemplateFailed) and scene.error.line:
            return Badge(Text("stops at line {0:i}", scene.error.line), 1)
        return NOTHING if scene.source else Badge(Text("none"), 0, True)
    run = scene.prompt.rendering
    return Badge(Text("{0} of {1:t} ran", len(lines_that_ran(run)), plural(run.source.count("\n") + 1, "line")))


def play_of(scene: Scene) -> Play | None:
    """What the stepper plays; None without messages or without a template."""
    if scene.call is None or not scene.call.messages or not scene.source:
        return None
    if scene.prompt is not None:
        return Play(scene.prompt.rendering, cells(scene.prompt), scene.call, scene.engine)
    failure = scene.error if isinstance(scene.error, TemplateFailed) else TemplateFailed(str(scene.error))
    run: Rendering = failure.rendering or Rendering("", (), (), (), layout(scene.source).source, (), ())
    return Play(run, cells(scene.so_far) if scene.so_far else [], scene.call, scene.engine, failure)


TEMPLATE = View("template", Text("Template"), template_badge, lambda scene: None)
"""Its stage is drawn by `explorer.ui.prompt`."""


BEFORE, AFTER = 4, 8
"""Tokens that are drawn before and after the end of the cache."""
CHARACTERS = 70
"""Characters that are drawn before and after the character where the texts part."""
MOST_TURNS, MOST_CHARACTERS = 8, 80_000
"""Answers that are looked at, and characters of the prompts around them: of a long conversation the last ones."""
MOST_BAR = 4_000
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


def share(turn: NextTurn) -> float:
    return turn.kept / max(1, len(turn.cached))


def turns_badge(scene: Scene) -> Badge:
    """How much of the cache is kept, at the worst turn."""
    turns = turns_of(scene.prompt)
    if not turns:
        return Badge(Text("no answer yet"), 0, True) if scene.prompt else NOTHING
    warnings = sum(turn.cause is not Break.NONE for turn in turns)
    worst = min(turns, key=share)
    if not warnings:
        return Badge(Text("all {0} kept", len(worst.cached)), 0, True)
    return Badge(Text("{0} of {1} kept", worst.kept, len(worst.cached)), warnings)


def turns_stage(scene: Scene) -> Json | None:
    """What the component draws: for each answer the cache beside the next prompt."""
    if scene.prompt is None:
        return {"turns": []}
    try:
        turns = list(next_turns(scene.prompt, most_of(scene.prompt)))
    except InputError as error:
        return {"turns": [], "problem": Say("The part before an answer can't be rendered. {0:t}", str(error))}
    worst = turns.index(min(turns, key=share)) if turns else 0
    shown = [drawn(turn, scene.sent_as(turn.message)) for turn in turns]
    return {"turns": shown, "worst": worst}


def drawn(turn: NextTurn, message: int) -> Record:
    """A turn as it is drawn. message: the number of its answer in the request."""
    written = text_cells(turn.before.tokenizer, turn.answer, message, len(turn.before.ids), turn.answer_ids)
    cache = [*cells(turn.before), *written]
    after = cells(turn.after)
    start = max(0, min(turn.kept, len(cache)) - BEFORE)
    stripped = turn.stripped_kept is not None and turn.stripped_kept[0] == turn.stripped_kept[1]
    return {
        "message": message,
        "messages": len(turn.after.call.messages),
        "kept": turn.kept,
        "all": turn.cause is Break.NONE,
        "say": turn.headline,
        "reason": prefix(turn),
        "as_text": text_headline(turn),
        "why": turn.why,
        "cost": turn.cost,
        "remedy": turn.remedy,
        # what takes the white space around the answer away, where that keeps the whole cache
        "offer": [WITHOUT_SPACE, message, turn.answer.strip()] if stripped else None,
        "bars": [strip_of(cache[:MOST_BAR]), strip_of(after[:MOST_BAR])],
        "from": start,
        "rows": [each[start : turn.kept + AFTER] for each in (cache, after)],
        "texts": [
            excerpt(turn.before.text + turn.answer, turn.text_kept),
            excerpt(turn.after.text, turn.text_kept),
        ],
        "ids": [turn.cached, turn.after.ids, turn.preserving],
    }


def excerpt(text: str, kept: int) -> list[str]:
    """A text around a position: what both have, and what follows."""
    before, after = text[max(0, kept - CHARACTERS) : kept], text[kept : kept + CHARACTERS]
    return [("…" if kept > CHARACTERS else "") + before, after + ("…" if len(text) > kept + CHARACTERS else "")]


def prefix(turn: NextTurn) -> Say:
    """Whether one prompt is the beginning of the next, as text and as ids."""
    is_text = turn.text_kept == len(turn.before.text) + len(turn.answer)
    if turn.cause is Break.NONE:
        return Say("As text and as ids, the prompt and its answer are the beginning of the next prompt.")
    if is_text:
        return Say(
            "As text, the prompt and its answer are the beginning of the next prompt. As ids they are not: they first "
            "differ at token {0}.",
            turn.kept + 1,
        )
    return Say(
        "They first differ as text, too, at character {0}; as ids at token {1}.", turn.text_kept + 1, turn.kept + 1
    )


def text_headline(turn: NextTurn) -> Say:
    """The same, about the texts."""
    whole = len(turn.before.text) + len(turn.answer)
    if turn.text_kept == whole:
        return Say("As text, all {0} characters in the cache begin the next prompt.", whole)
    return Say("As text, {0} of {1} characters in the cache begin the next prompt.", turn.text_kept, whole)


WITHOUT_SPACE = Text("Try without the white space")

TURNS = View("turns", Text("Next turn"), turns_badge, turns_stage)


MOST_LINES = 9
MOST_CELLS = 400
"""Tokens of a row that are drawn one by one."""


def training_badge(scene: Scene) -> Badge:
    """How many tokens the template's tags train."""
    if scene.prompt is None:
        return NOTHING
    has_tags = TAG.search(scene.prompt.rendering.source)
    tags = loss_masks(scene.prompt, "").masks[Way.TAGS] if has_tags else None
    if tags is None or not tags.count:
        return Badge(Text("no mask"), 0, True)
    return Badge(Text("{0} of {1} trained", tags.count, len(tags.mask)), int(tags.warns))


def training_stage(scene: Scene) -> Json | None:
    """What the component draws: the messages' tokens, a mask for each way, the template's tags."""
    if scene.prompt is None:
        return {"ways": []}
    found = loss_masks(scene.prompt, scene.response)
    made = cells(found.prompt)
    return {
        "tokens": made[: 3 * MOST_CELLS],
        "strip": strip_of(made),
        "segments": segments_of(made),
        "ways": [way_drawn(scene, found, way, mask) for way, mask in found.masks.items()],
        "lines": tag_lines(found.prompt, made),
        "response": {
            "text": found.response.text,
            "own": scene.response is not None,
            "ids": found.response.ids,
            "say": found.response.sentence,
            "remedy": found.response.remedy,
            "token": found.response.token,
        },
        "most": MOST_CELLS,
    }


def way_drawn(scene: Scene, found: LossMasks, way: Way, mask: Mask) -> Record:
    """A mask as it is drawn."""
    return {name: Text(*row) for name, row in WORDS["masks"][way].items()} | {
        "way": way.value,
        "mask": "".join(map(str, mask.mask)),
        "count": mask.count,
        "say": mask.sentence,
        "reason": mask.reason,
        "warns": mask.warns,
        "offer": mask_offer(scene, found, mask),
    }


def mask_offer(scene: Scene, found: LossMasks, mask: Mask) -> list[Any] | None:
    """A link that takes white space away from a message that shares its first trained token with the template."""
    shared = next((n for n, one in enumerate(mask.mask) if one), found.response.token)
    if shared is None or shared >= len(found.prompt.tokens):
        return None
    token = found.prompt.tokens[shared]
    message = next((author for author in token.authors if author is not None), None)
    if message is None or len(token.authors) < 2:
        return None
    content = found.prompt.call.messages[message].get("content")
    if not isinstance(content, str) or content.lstrip() == content:
        return None
    return [WITHOUT_SPACE, scene.sent_as(message), content.lstrip()]


def tag_lines(prompt: Prompt, made: Sequence[Cell]) -> list[list[Any]]:
    """The template's generation tags and the lines between them that wrote something: number, text, what, a tag."""
    lines = prompt.rendering.source.split("\n")
    tags = [n for n, line in enumerate(lines, 1) if re.search(r"\{%[-+]?\s*(end)?generation\b", line)]
    wrote: dict[int, set[int]] = {}
    for step in prompt.rendering.steps:
        if step.end > step.start >= 0:
            inside = (n for n, token in enumerate(prompt.tokens) if step.start <= token.start < step.end)
            wrote.setdefault(prompt.rendering.operands[step.operand].line, set()).update(inside)
    if not tags:
        return []
    shown = sorted({*tags, *(n for n in wrote if tags[0] - 1 <= n <= tags[-1] and wrote[n])})[:MOST_LINES]
    return [[n, template_line(prompt.rendering.source, n), len(wrote.get(n, ())), n in tags] for n in shown]


TRAINING = View("training", Text("Training"), training_badge, training_stage)


VIEWS: tuple[View, ...] = (sent.VIEW, messages.VIEW, TEMPLATE, engines.VIEW, answer.VIEW, TURNS, TRAINING)
"""Those with a card."""


def view_named(name: str) -> View:
    """The view of this name, Prompt if there is none."""
    return next((each for each in (*VIEWS, check.VIEW) if each.name == name), messages.VIEW)

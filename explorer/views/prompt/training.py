"""Training: which tokens a loss mask trains, made in three ways, and why one may train nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from explorer.prompts.masks import TAG, LossMasks, Mask, Way, loss_masks
from explorer.prompts.prompt import Prompt
from explorer.views.prompt.tokens import NOTHING, Badge, Cell, Scene, View, cells, segments_of, squeezed, strip_of

NAMES: Final[Mapping[Way, tuple[str, str, str]]] = {
    Way.TAGS: ("By its tags", "by its tags", "as transformers returns it"),
    Way.AUTHOR: ("By who wrote it", "by who wrote it", "the assistant's own text"),
    Way.AFTER: ("After a text", "after", "by these ids"),
}
"""By way: its choice, its row, and what it says there."""
MOST_LINES: Final = 9
LONGEST_LINE: Final = 76
MOST_CELLS: Final = 400
"""Tokens of a row that are drawn one by one."""


def badge(scene: Scene) -> Badge:
    """How many tokens the template's tags train."""
    if scene.prompt is None:
        return NOTHING
    if not TAG.search(scene.prompt.rendering.source):
        return Badge("no mask", 0, True)
    tags = loss_masks(scene.prompt, "").masks[Way.TAGS]
    if not tags.count:
        return Badge("no mask", 0, True)
    return Badge(f"{tags.count} of {len(tags.mask)} trained", int(tags.warns))


def stage(scene: Scene) -> Mapping[str, Any] | None:
    """What the component draws: the messages' tokens, a mask for each way, the template's tags."""
    if scene.prompt is None:
        return {"ways": []}
    found = loss_masks(scene.prompt, scene.response)
    made = cells(found.prompt)
    return {
        "tokens": made[: 3 * MOST_CELLS],
        "strip": strip_of(made),
        "segments": segments_of(made),
        "rows": [[row, made[start:end][0]["n"], end] for row, start, end in segments_of(made)],
        "ways": [way_drawn(found, way, mask) for way, mask in found.masks.items()],
        "best": found.best.value,
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


def way_drawn(found: LossMasks, way: Way, mask: Mask) -> dict[str, Any]:
    """A mask as it is drawn."""
    choice, row, note = NAMES[way]
    return {
        "way": way.value,
        "choice": choice,
        "row": row,
        "note": note,
        "mask": "".join(map(str, mask.mask)),
        "count": mask.count,
        "say": mask.sentence,
        "reason": mask.reason,
        "warns": mask.warns,
        "offer": offer(found, mask),
    }


def offer(found: LossMasks, mask: Mask) -> list[Any] | None:
    """A link that takes white space away from a message that shares its first trained token with the template."""
    first = next((n for n, one in enumerate(mask.mask) if one), None)
    shared = first if first is not None else found.response.token
    if shared is None or shared >= len(found.prompt.tokens):
        return None
    token = found.prompt.tokens[shared]
    message = next((author for author in token.authors if author is not None), None)
    if message is None or len(token.authors) < 2:
        return None
    content = found.prompt.call.messages[message].get("content")
    if not isinstance(content, str) or content.lstrip() == content:
        return None
    return ["Try without the white space", message, content.lstrip()]


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
    return [[n, line_text(lines[n - 1]), len(wrote.get(n, ())), n in tags] for n in shown]


def line_text(line: str) -> str:
    """A line of the template, cut to what can be drawn."""
    text = squeezed(line.strip())
    return text if len(text) <= LONGEST_LINE else text[: LONGEST_LINE - 2] + " …"


VIEW: Final = View("training", "Training", badge, stage)

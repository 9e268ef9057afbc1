"""Check, the second half of Engines: a row for each conversation, a cell for each server, part by part.

Left out: the prompts, of which only what differs between the servers is drawn.
"""

import json
from collections.abc import Sequence

from explorer.analysis.ownership import common
from explorer.prompts.check import ROWS, Cell, Conversation, Trial, Verdict, conversations, headline, parts, summary
from explorer.tables import Json, Record
from explorer.text.say import Say, Text
from explorer.views.prompt.tokens import MOST_LINE, NOTHING, View, template_line

BESIDE, LONGEST = 10, 160
"""Characters of a prompt beside those that differ, and of all that are drawn."""


def drawn(trial: Trial, part: int) -> Json:
    """What the component draws of a part: its rows, and what is known so far."""
    check, half = trial.check(""), parts() // 2
    first = part % half * ROWS
    rows = [row_of(*each, trial.source) for each in [*check.rows()][first : first + ROWS]]
    tried = len(trial.cells) // len(check.columns)
    total = len(conversations())
    trying = Say("{0} of {1} conversations are tried.", tried, total)
    return {
        "part": part,
        "parts": parts(),
        "first": first,
        "total": total,
        "rows": rows,
        "servers": [[name, *each] for name, each in check.columns.items()],
        "say": headline(check) if tried == total else trying,
        "reason": summary(check) if part + 1 == parts() else None,
    }


def row_of(row: Conversation, cells: Sequence[Cell], source: str) -> Record:
    """A conversation with its cells."""
    texts = differing([cell.text for cell in cells])
    return {
        "id": row.name,
        "name": Text(row.name),
        "why": Text(row.why),
        "call": json.dumps(row.call, ensure_ascii=False),
        "differs": any(cell.verdict is not Verdict.AS_SENT for cell in cells),
        "cells": [cell_of(cell, text, source) for cell, text in zip(cells, texts, strict=True)],
    }


def cell_of(cell: Cell, text: str, source: str) -> Record:
    """A cell. text: what its prompt has where the servers' differ. code: the line to blame."""
    repair = cell.repair
    return {
        "words": cell.words,
        "tone": cell.verdict.tone,
        "text": text,
        "tokens": cell.tokens,
        "reason": cell.reason,
        "line": cell.line,
        "code": template_line(source, cell.line),
        "repair": repair and [repair.say, repair.line, repair.before[:MOST_LINE], repair.after[:MOST_LINE]],
    }


def differing(texts: Sequence[str | None]) -> list[str]:
    """What each prompt has where they differ, with some characters beside it; nothing where all are the same.

    >>> differing(["<user>Hi there<end>", "<user>Hi\\nthere<end>", None])
    ['<user>Hi there<end>', '<user>Hi\\nthere<end>', '']
    """
    known = list(dict.fromkeys(text for text in texts if text is not None))
    if len(known) < 2:
        return [""] * len(texts)
    start = min(common(known[0], text) for text in known[1:])
    end = min(common(known[0][start:][::-1], text[start:][::-1]) for text in known[1:])
    first, last = max(0, start - BESIDE), max(0, end - BESIDE)
    return ["" if text is None else _cut(text, first, len(text) - last) for text in texts]


def _cut(text: str, start: int, end: int) -> str:
    """A part of a text, with an ellipsis where something is left out."""
    part = text[start : min(end, start + LONGEST)]
    return ("…" if start else "") + part + ("…" if start + len(part) < len(text) else "")


VIEW = View("check", Text("Check"), lambda scene: NOTHING, lambda scene: {})
"""It has no card: it is the second half of Engines. Its stage follows from a template alone, and comes in parts."""

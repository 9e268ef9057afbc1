"""Small drawings of what a lesson is about, made from its own text: what the browser draws in `lesson/drawing.js`.

A drawing is plain data; `kind` names its shape. Every number in it comes from a trace, a training or a vocabulary.
A long text is drawn as far as the room goes. Leaves out models without a shape of their own: their tokens are drawn.
"""

from collections.abc import Iterable, Mapping
from itertools import accumulate, islice
from typing import Any, cast

from explorer.engine.part import Model, Segment, Token
from explorer.engine.tokenizer import Stage, Trace
from explorer.stages.spelling import Speller, speller_of
from explorer.stages.stage import DRAWN, Drawing
from explorer.stages.table import model_kind
from explorer.training.training import Train, Training, TrainRow

ROWS = 4
"""Tokenizers, merges or tokens below each other, at most."""


def stage_drawing(trace: Trace, key: str) -> Drawing:
    """The drawing of a stage.

    >>> import explorer
    >>> stage_drawing(explorer.load("gpt-2").trace("unhappy"), "model")["nodes"][0]
    [4, 5, 6, 381]
    """
    speller = speller_of(trace, False)
    if key == "utf8":
        return byte_drawing(trace.text)
    stage = next((stage for stage in trace.stages if stage.name == key), None)
    if stage is None or key in ("post-process", "decode"):
        return items_drawing(trace.encoding.tokens, trace.text, speller)
    if key == "normalize":
        return normal_drawing(trace.text, stage)
    if key != "model":
        return items_drawing(stage.after, trace.text, speller)
    return model_drawing(trace, stage, speller)


def model_drawing(trace: Trace, stage: Stage, speller: Speller) -> Drawing:
    """What the model did to the first text that it decided something about."""
    kind = model_kind(cast(Model, stage.part))
    family = kind.account(trace, trace.stages.index(stage), speller, "")
    for fragment in family.fragments.values() if kind.drawing is not None else ():
        rows = list(family.rows(fragment))
        made = kind.drawing(stage, fragment.segment, rows, speller) if rows and kind.drawing else None
        if made is not None:
            return made
    return items_drawing(trace.encoding.tokens, trace.text, speller)


def byte_drawing(text: str) -> Drawing:
    """Characters over their bytes."""
    groups: list[list[Any]] = []
    for char in text:
        data = char.encode("utf-8", "surrogatepass")
        if sum(len(each[1]) for each in groups) + len(data) > DRAWN - 5:
            break
        groups.append([char, [f"{byte:02X}" for byte in data]])
    return {"kind": "bytes", "groups": groups}


def items_drawing(items: Iterable[Segment | Token], text: str, speller: Speller) -> Drawing:
    """Pieces of text and tokens in a row: [text, id, look]; an id of -1 is text that is no token yet."""
    drawn: list[list[Any]] = []
    for item in items:
        if isinstance(item, Token):
            special = item.start < 0 or speller.vocabulary.is_special(item.id)
            drawn.append([speller.token(item.id), item.id, "special" if special else ""])
        else:
            drawn.append([speller.symbol(item.text.encode()), -1, ""])
        if sum(len(each[0]) for each in drawn) > 2 * DRAWN:
            break
    return {"kind": "items", "items": drawn}


def normal_drawing(text: str, stage: Stage) -> Drawing:
    """Code points before and after, and which came from which."""
    after: list[tuple[str, int, int]] = [
        (char, start, end)
        for item in stage.after if isinstance(item, Segment)
        for char, start, end in zip(item.text, item.starts, item.ends, strict=True)
    ]  # fmt: skip
    kept = [list(each) for each in after if each[2] <= DRAWN - 4]
    return {"kind": "normal", "before": list(text[: DRAWN - 4]), "after": kept}


def rows_drawing(traces: Iterable[Trace]) -> Drawing:
    """The tokens of several tokenizers over one text: where each ends, as a share of the text, and how many there are.

    A character may be in several tokens: then the shares are those of the bytes.
    """
    rows: list[list[Any]] = []
    text = ""
    for trace in islice(traces, ROWS):
        text = trace.text
        tokens = [token for token in trace.encoding.tokens if token.start >= 0]
        ends, size = [token.end for token in tokens], len(text)
        if len(set(ends)) < len(ends) or any(after.start < end for after, end in zip(tokens[1:], ends, strict=False)):
            ends = list(accumulate(map(len, trace.encoding.bytes)))
            size = ends[-1]
        rows.append([[round(end / size, 4) for end in ends], len(tokens)])
    return {"kind": "rows", "text": text if text.isascii() and len(text) <= DRAWN else "", "rows": rows}


def training_drawing(training: Training[Any]) -> Drawing:
    """The first merges that were learned, each with how often its pair occurs; else the tokens learned last."""
    learned = training.learned
    counts: dict[tuple[int, int], int] = {}
    if training.row is TrainRow:
        counts = {(row.a, row.b): row.n for row in reversed(list(training.events)) if row.kind == Train.WINNER}
    merges = [merge for merge in learned.merges if merge[:2] in counts]
    texts = [text if isinstance(text, str) else text.decode("utf-8", "replace") for text in learned.symbols]
    if merges:
        return list_drawing(
            (f"{shown(texts[left])} + {shown(texts[right])}", counts[left, right]) for left, right, _ in merges
        )
    return list_drawing((shown(str(text)), id) for id, text in list(enumerate(learned.tokens))[-ROWS:])


def prompt_drawing(cells: Iterable[Mapping[str, Any]]) -> Drawing:
    """The first tokens of a prompt: those that a message wrote in color, control tokens dashed."""
    drawn = [
        [cell["t"], cell["id"] if cell["m"] >= 0 else -1, "special" if cell.get("control") else ""]
        for cell in islice(cells, ROWS + 1)
    ]
    return {"kind": "items", "items": drawn}


def shown(text: str) -> str:
    """A piece with its space as a dot."""
    return text.replace("▁", "·").replace(" ", "·").replace("Ġ", "·")


def list_drawing(rows: Iterable[tuple[str, int]]) -> Drawing:
    """Texts, each with a number, such as tokens with their ids."""
    return {"kind": "list", "rows": [[text, number] for text, number in islice(rows, ROWS)]}

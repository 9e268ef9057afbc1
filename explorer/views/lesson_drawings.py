"""Small drawings of what a lesson is about, made from its own text: what the browser draws in `lesson/drawing.js`.

A drawing is plain data; `kind` names its shape. Every number in it comes from a trace, a training or a vocabulary.
A long text is drawn as far as the room goes. Leaves out models without a shape of their own: their tokens are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, islice
from typing import Any, Final, TypeAlias, cast

from explorer.analysis.why import Speller
from explorer.engine.items import Segment, Token
from explorer.engine.models.lattice_replay import LatticeReplay
from explorer.engine.models.merge_replay import MergeReplay, priority_value
from explorer.engine.models.merges import MergeEvent, MergeModel, MergeRow
from explorer.engine.models.trie import TrieEvent, TrieRow
from explorer.engine.models.unigram import Unigram, UnigramRow
from explorer.engine.models.wordpiece import WordPieceEvent, WordPieceRow
from explorer.engine.results import Stage, Trace
from explorer.stages.speller import speller_of
from explorer.text.quantities import number
from explorer.training.rows import Train, TrainRow
from explorer.training.training import Training

Drawing: TypeAlias = dict[str, Any]

UNITS: Final = 13
"""Characters, bytes or symbols drawn at most."""
ROWS: Final = 4
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
    openings = [event for event, row in enumerate(stage.events) if row.kind == 0 and event + 1 < len(stage.events)]
    ends = [*openings[1:], len(stage.events)]
    row = stage.events.row
    for first, last in zip(openings, ends, strict=True):
        rows = [(event, stage.events[event]) for event in range(first + 1, last)]
        if row is MergeRow:
            segment = cast(Segment, stage.before[stage.events[first].left])
            made = merge_drawing(MergeReplay(cast(MergeModel, stage.part), segment.text, rows), rows, speller)
        elif row is UnigramRow and isinstance(stage.part, Unigram):
            segment = cast(Segment, stage.before[stage.events[first].start])
            made = lattice_drawing(LatticeReplay(stage.part, len(segment.text), rows), rows, segment.text)
        elif row is TrieRow:
            segment = cast(Segment, stage.before[stage.events[first].start])
            made = walk_drawing(segment.text.encode(), rows)
        elif row is WordPieceRow:
            segment = cast(Segment, stage.before[stage.events[first].start])
            made = attempts_drawing(segment.text, rows)
        else:
            break
        if made is not None:
            return made
    return items_drawing(trace.encoding.tokens, trace.text, speller)


def byte_drawing(text: str) -> Drawing:
    """Characters over their bytes."""
    groups: list[list[Any]] = []
    for char in text:
        data = char.encode("utf-8", "surrogatepass")
        if sum(len(each[1]) for each in groups) + len(data) > UNITS - 5:
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
        if sum(len(each[0]) for each in drawn) > 2 * UNITS:
            break
    return {"kind": "items", "items": drawn}


def normal_drawing(text: str, stage: Stage) -> Drawing:
    """Code points before and after, and which came from which."""
    after: list[tuple[str, int, int]] = [
        (char, start, end)
        for item in stage.after if isinstance(item, Segment)
        for char, start, end in zip(item.text, item.starts, item.ends, strict=True)
    ]  # fmt: skip
    kept = [list(each) for each in after if each[2] <= UNITS - 4]
    return {"kind": "normal", "before": list(text[: UNITS - 4]), "after": kept}


def merge_drawing(replay: MergeReplay, rows: Sequence[tuple[int, MergeRow]], speller: Speller) -> Drawing | None:
    """A character in its bytes, if one is in none; scores between symbols, or merges as trees; None without any."""
    count = len(replay.symbols.pieces)
    inside = [merge for merge in replay.merges.values() if merge.end <= UNITS]
    bytes_ = [row for _, row in rows if row.kind == MergeEvent.BYTE]
    leaves = [speller.symbol(piece) for piece in replay.symbols.pieces[:UNITS]]
    if bytes_:
        ids = [[f"{speller.vocabulary.byte_of(row.token) or 0:02X}", row.token] for row in bytes_]
        at = bytes_[0].left
        return {
            "kind": "character",
            "text": replay.text[replay.symbols.starts[at] : replay.symbols.ends[at]],
            "bytes": ids,
        }
    if not inside:
        return None
    if replay.model.priority == "score":
        first = min(pair.event for pair in replay.merges.values())
        waits = [
            pair for pair in replay.pairs if pair.event < first and pair.kind == MergeEvent.PUSH and pair.end <= UNITS
        ]
        best = replay.pairs[[pair.event for pair in replay.pairs].index(first)]
        scores = [[pair.middle, number(priority_value(replay.model, pair.left, pair.right) or 0)] for pair in waits]
        return {"kind": "queue", "leaves": leaves, "scores": scores, "best": best.middle}
    nodes = [[merge.start, merge.middle, merge.end, merge.token] for merge in sorted(inside)]
    return {"kind": "tree", "leaves": leaves, "nodes": nodes, "more": count > UNITS}


def lattice_drawing(replay: LatticeReplay, rows: Sequence[tuple[int, UnigramRow]], text: str) -> Drawing | None:
    """The pieces that compete over a text, and the path that wins."""
    candidates = [each for at in replay.at.values() for each in at]
    if not any(each.end - each.start > 1 for each in candidates):
        return None
    end, path = len(text), set()
    while end in replay.best:
        path.add((replay.best[end].start, end))
        end = replay.best[end].start
    arcs = sorted({(each.start, each.end, each.token) for each in candidates if each.end <= UNITS})
    return {
        "kind": "lattice", "leaves": list(text[:UNITS].replace("▁", "·")),
        "arcs": [[start, end, token, (start, end) in path] for start, end, token in arcs],
    }  # fmt: skip


def walk_drawing(data: bytes, rows: Sequence[tuple[int, TrieRow]]) -> Drawing | None:
    """The longest walk through the trie: its bytes, and the tokens it passed."""
    walks: dict[int, list[TrieRow]] = {}
    for _, row in rows:
        walks.setdefault(row.start, []).append(row)
    if not walks:
        return None
    longest = max(walks.values(), key=lambda walk: sum(row.kind in (TrieEvent.NODE, TrieEvent.SEEN) for row in walk))
    nodes: list[list[Any]] = []
    for row in longest[: UNITS - 4]:
        if row.kind not in (TrieEvent.NODE, TrieEvent.SEEN):
            break
        seen = row.kind == TrieEvent.SEEN
        text = data[row.start : row.at + 1].decode("utf-8", "replace") if seen else ""
        nodes.append([f"{data[row.at]:02X}", row.token if seen else -1, "" if "\ufffd" in text else text])
    taken = max((at for at, node in enumerate(nodes) if node[1] >= 0), default=-1)
    stop = next((row for row in longest if row.kind == TrieEvent.NO_EDGE), None)
    return {"kind": "walk", "nodes": nodes, "taken": taken, "stop": "" if stop is None else f"{data[stop.at]:02X}"}


def attempts_drawing(word: str, rows: Sequence[tuple[int, WordPieceRow]]) -> Drawing | None:
    """What was looked up in a word, longest first: [start, end, id], an id of -1 for what is no piece."""
    kinds = (WordPieceEvent.MISS, WordPieceEvent.HIT)
    tries = [
        [row.start, row.end, row.token if row.kind == WordPieceEvent.HIT else -1]
        for _, row in rows
        if row.kind in kinds
    ]
    return {"kind": "attempts", "leaves": list(word[:UNITS]), "tries": tries} if len(tries) > 1 else None


def rows_drawing(traces: Iterable[Trace]) -> Drawing:
    """The tokens of several tokenizers over one text: where each ends, as a share of the text, and how many there are.

    A character may be in several tokens: then the shares are those of the bytes.
    """
    rows: list[list[Any]] = []
    text = ""
    for trace in list(traces)[:ROWS]:
        text = trace.text
        tokens = [token for token in trace.encoding.tokens if token.start >= 0]
        ends, size = [token.end for token in tokens], len(text)
        if len(set(ends)) < len(ends) or any(after.start < end for after, end in zip(tokens[1:], ends, strict=False)):
            ends = list(accumulate(map(len, trace.encoding.bytes)))
            size = ends[-1]
        rows.append([[round(end / size, 4) for end in ends], len(tokens)])
    return {"kind": "rows", "text": text if text.isascii() and len(text) <= UNITS else "", "rows": rows}


def training_drawing(training: Training[Any]) -> Drawing:
    """The first merges that were learned, each with how often its pair occurs; else the tokens learned last."""
    learned = training.learned
    counts: dict[tuple[int, int], int] = {}
    if training.row is TrainRow:
        counts = {(row.a, row.b): row.n for row in reversed(list(training.events)) if row.kind == Train.WINNER}
    merges = [merge for merge in learned.merges if merge[:2] in counts][:ROWS]
    texts = [text if isinstance(text, str) else text.decode("utf-8", "replace") for text in learned.symbols]
    if merges:
        return {"kind": "list", "rows": [
            [f"{shown(texts[left])} + {shown(texts[right])}", counts[left, right]] for left, right, _ in merges
        ]}  # fmt: skip
    last = list(enumerate(learned.tokens))[-ROWS:]
    return {"kind": "list", "rows": [[shown(str(text)), id] for id, text in last]}


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


def tokens_drawing(tokens: Iterable[tuple[str, int]]) -> Drawing:
    """Tokens of a vocabulary with their ids."""
    return {"kind": "list", "rows": [[text, id] for text, id in list(tokens)[:ROWS]]}

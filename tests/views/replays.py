"""What the tests of all scripts share: playing a script to its end and back, and reading its tracks."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import explorer
from explorer.engine.part import Item, Token
from explorer.engine.tokenizer import Stage
from explorer.script.script import Replay, Script, Window, window_of
from explorer.vocabulary import Vocabulary


def play(script: Script, look: Callable[[Replay], None] | None = None) -> Replay:
    """Plays forward to the end, back to the unchanged beginning, and forward again.

    look: is called with every state. Every step has a sentence and a phase.
    """
    replay = Replay(script)
    initial = dict(replay.state)
    while True:
        if look is not None:
            look(replay)
        if not replay.forward():
            break
        assert script.sentence(replay.step)
        assert phase_of(script, replay.step)
    assert replay.step == len(script)
    while replay.back():
        pass
    assert replay.state == initial
    while replay.forward():
        pass
    return replay


def phase_of(script: Script, step: int) -> str:
    """The name of the phase that a step is in; 0 is the initial state."""
    return [phase["name"] for phase in script.data["phases"] if phase["from"] <= step][-1]


def put_out(replay: Replay) -> list[tuple[int, ...]]:
    """The tokens in the output: id, start, end."""
    return [row[1:] for row in replay.rows("output").values()]


def tokens_of(items: Iterable[Item]) -> list[tuple[int, ...]]:
    """The tokens among the items of a stage: id, start, end."""
    return [tuple(item) for item in items if isinstance(item, Token)]


def within(items: Iterable[Item], window: Window) -> list[tuple[int, ...]]:
    """The tokens among the items that begin in a window: id, start, end."""
    return [tuple(item) for item in items if isinstance(item, Token) and window.holds(item.start)]


def boxes(replay: Replay) -> list[tuple[int, int]]:
    """(id, cells) of the boxes on the strip; every cell lies in exactly one."""
    rows = {key: row for key, row in replay.rows("cells").items() if key >= 0}
    found, key = [], 0
    while key < len(rows):
        span, token, *_ = rows[key]
        assert span > 0
        assert all(rows[inner][0] == 0 for inner in range(key + 1, key + span))
        found.append((token, span))
        key += span
    return found


def queue_is_a_heap(replay: Replay) -> None:
    """For `play`: the heap is the queue, with the next pop on top."""
    queue, heap = replay.rows("queue"), replay.rows("heap")
    assert len(heap) == min(len(queue), 15)
    if queue:
        first = min(queue, key=lambda key: (queue[key][1], key))
        assert queue[heap[0][0]][1] == queue[first][1], "the top of the heap is the next pop"


def stale_is_skipped(replay: Replay) -> None:
    """For `play`: entries drawn as stale are skipped when they are popped, all others are merged."""
    script = replay.script
    if replay.step < len(script) and script.kind(replay.step + 1)["label"] in ("merge", "stale"):
        queue = replay.rows("queue")
        popped = queue[min(queue, key=lambda key: (queue[key][1], key))]
        assert bool(popped[6]) == (script.kind(replay.step + 1)["label"] == "stale")


def check_window(
    write: Callable[[Stage, Vocabulary, Window], Script], tok: explorer.Tokenizer, text: str, at: int, size: int
) -> None:
    """The script of a window is part of the script of the whole text, and puts out the window's tokens."""
    trace = tok.trace(text)
    window = window_of(trace, at, size)
    script = write(trace.stage("model"), tok.vocabulary, window)
    assert is_part_of(script, write(trace.stage("model"), tok.vocabulary, window_of(trace, 0, 10**6)))
    assert put_out(play(script)) == within(trace.encoding.tokens, window)


def is_part_of(part: Script, whole: Script) -> bool:
    """Whether the steps of a window are steps of the whole script, in the same order."""
    sentences = [whole.sentence(step) for step in range(1, len(whole) + 1)]
    at = 0
    for step in range(1, len(part) + 1):
        at = sentences.index(part.sentence(step), at) + 1
    return 0 < len(part) < len(whole) / 5

"""What a step says of the time after it is what happens: boundaries that vanish, pairs that are pushed."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.engine.models.merges import MergeEvent, MergeRow
from explorer.script.script import window_of
from explorer.stages.merging import story as merge_future
from explorer.stages.merging.story import MergeScript
from explorer.text.say import fill
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.tiers import amount

MODELS = ("llama-2", "gpt-2", "llama-3@llama.cpp", "cl100k_base")
FUTURES = {merge_future.JOIN, merge_future.APART, merge_future.NEVER, merge_future.NEW_PAIR, merge_future.NO_PAIR}


def expected(rows: list[MergeRow]) -> list[str]:
    """For each row the sentence that the boundaries before and after it ask for, "" for none. One fragment."""
    ends = set(range(rows[0].right + 1))
    last = ends - {row.right for row in rows if row.kind == MergeEvent.MERGE}
    found = []
    for at, (kind, left, right, _) in enumerate(rows):
        after = min((end for end in ends if end > right), default=right)
        if kind == MergeEvent.MERGE:
            ends.remove(right)
            asked = [row.kind for row in rows[at + 1 : at + 3]]
            pairs = asked[:1] if asked[:1] != [MergeEvent.MISS] else asked
            found.append(merge_future.NEW_PAIR if MergeEvent.PUSH in pairs else merge_future.NO_PAIR)
        elif kind == MergeEvent.MISS and right not in last:
            found.append(merge_future.JOIN)
        elif kind == MergeEvent.MISS:
            grows = any(left < end < after and end != right for end in ends) or not {left, after} <= last
            found.append(merge_future.APART if grows else merge_future.NEVER)
        else:
            found.append("")
    return found


@given(text=texts(), name=st.sampled_from(MODELS))
@settings(max_examples=amount(100))
def test_a_step_promises_what_happens(text: str, name: str) -> None:
    trace = bundled(name).trace(text)
    script = MergeScript.of(trace.stage("model"), bundled(name).vocabulary, window_of(trace, 0, 10**6))
    said = {}
    for step in range(1, len(script) + 1):
        why = fill(script.kind(step)["story_why"], script.args(step), script.data["texts"])
        if why in FUTURES:
            said[script.events[step - 1]] = why
    fragments: list[list[tuple[int, MergeRow]]] = []
    for event, row in enumerate(trace.stage("model").events):
        if row.kind == MergeEvent.SEGMENT:
            fragments.append([])
        fragments[-1].append((event, row))
    for rows in fragments:
        for (event, _), sentence in zip(rows, expected([row for _, row in rows]), strict=True):
            assert said.get(event, sentence) == sentence


def test_by_eye() -> None:
    """`is` joins; ␣is and it never meet anything else."""
    miss, merge = MergeEvent.MISS, MergeEvent.MERGE
    rows = [MergeRow(MergeEvent.SEGMENT, 0, 3, -1), MergeRow(MergeEvent.PUSH, 0, 1, 5), MergeRow(miss, 1, 2, -1),
            MergeRow(merge, 0, 1, 5), MergeRow(miss, 0, 2, -1)]  # fmt: skip
    assert merge_future.futures(rows) == [
        "", "", merge_future.APART, merge_future.NO_PAIR, merge_future.NEVER
    ]  # fmt: skip
    assert expected(rows) == merge_future.futures(rows)


def test_nothing_grows_when_the_queue_is_empty() -> None:
    trace = bundled("llama-2").trace("What is LoRA?")
    script = MergeScript.of(trace.stage("model"), bundled("llama-2").vocabulary, window_of(trace))
    assert script.sentence(40).endswith(merge_future.NEVER)


def test_a_window_does_not_speak_of_what_is_not_drawn() -> None:
    """Pairs wait outside it, so the merges don't end with its last pair."""
    tok = bundled("llama-2")
    trace = tok.trace("What is LoRA? " * 40)
    for window, whole in ((window_of(trace, 100, 60), False), (window_of(trace, 0, 10**6), True)):
        script = MergeScript.of(trace.stage("model"), tok.vocabulary, window)
        last = [fill(script.kind(step)[part], script.args(step), script.data["texts"])
                for step in range(1, len(script) + 1) for part in ("story", "story_why")]  # fmt: skip
        ends = [each for each in last if each.endswith("No other pair waits.") or each == merge_future.NO_PAIR]
        assert bool(ends) == whole
        assert any(each.endswith("waits in the part that is drawn.") for each in last) != whole

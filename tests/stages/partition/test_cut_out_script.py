"""The steppers for user-defined pieces and for DNA, replayed: their fragments end as those of the engine."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.engine.part import Events, Item, Options, Part, Segment, Token
from explorer.engine.partition.user_defined import MARK, DnaGroups, DnaRow, UserDefinedRow, UserDefinedSplit
from explorer.engine.tokenizer import Stage
from explorer.script.script import Script, Window
from explorer.stages.partition.stage import MARKED, NO_GROUP, OPEN_END, TEXT, DnaScript, UserDefinedScript
from explorer.text.say import shortened
from explorer.vocabulary import Vocabulary
from tests.tiers import amount
from tests.views.replays import play

SYMBOLS = ["<a>", "<a", "ab", "▁", "é"]
DNA = ["<dna>", "</dna>", "<oov>", f"ACGTAA{MARK.decode()}", f"CCCCCC{MARK.decode()}"]


def stage_of(part: Part, name: str, row: type[Any], text: str) -> Stage:
    """The stage that runs on two segments with a token before, between and after them."""
    events: Events[Any] = Events(row)
    half = len(text) // 2
    before: list[Item] = [Token(0, 0, 1)]
    if text[:half]:
        before += [Segment.of(text[:half], 1), Token(0, half + 1, half + 2)]
    if text[half:]:
        before.append(Segment.of(text[half:], half + 2))
    before.append(Token(1, len(text) + 2, len(text) + 3))
    return Stage(name, part, before, part.run(before, Options(), events.emit), events)


def check(script: Script, stage: Stage) -> None:
    """Every fragment is drawn as the stage leaves it, and so is the text of each, forwards and back."""
    expected = [(item.id, item.start, item.end) if isinstance(item, Token)
                else (TEXT, item.starts[0], item.ends[-1]) for item in stage.after]  # fmt: skip
    rows = play(script).rows("output")
    assert [row[1:4] for row in rows.values()] == expected
    words = [script.data["texts"][row[0]] for row in rows.values() if row[1] == TEXT]
    assert words == [shortened(item.text) for item in stage.after if isinstance(item, Segment)]
    assert len(script) == len(list(stage.events))


def user_defined(text: str, window: Window | None = None) -> tuple[Script, Stage]:
    part = UserDefinedSplit({symbol: 2 + index for index, symbol in enumerate(SYMBOLS)})
    stage = stage_of(part, "pre-tokenize", UserDefinedRow, text)
    v = Vocabulary.of([b"<s>", b"</s>", *(symbol.encode() for symbol in SYMBOLS)])
    return UserDefinedScript.of(stage, v, window or Window(0, len(text) + 3, 0, 0)), stage


def dna(text: str, pieces: list[str] = DNA, window: Window | None = None) -> tuple[Script, Stage]:
    v = Vocabulary.of([piece.encode() for piece in pieces])
    stage = stage_of(DnaGroups(v), "dna", DnaRow, text)
    return DnaScript.of(stage, v, window or Window(0, len(text) + 3, 0, 0)), stage


@given(text=st.lists(st.sampled_from([*SYMBOLS, "<", "a", ">", " "]), max_size=12).map("".join))
@settings(max_examples=amount(150))
def test_user_defined_pieces_end_as_the_engines(text: str) -> None:
    check(*user_defined(text))


@given(text=st.lists(st.sampled_from(["<dna>", "</dna>", "acgt", "CCCCCC", "ac", "é", "漢", "x"]), max_size=12).map(
    "".join))  # fmt: skip
@settings(max_examples=amount(150))
def test_dna_ends_as_the_engines(text: str) -> None:
    check(*dna(text))


def test_without_its_tokens_dna_has_no_step() -> None:
    script, stage = dna("<dna>CCCCCC</dna>", DNA[:2])
    check(script, stage)
    assert len(script) == 0


def told(script: Script) -> list[str]:
    return [script.sentence(step) for step in range(1, len(script) + 1)]


def test_each_group_of_dna_says_what_is_looked_up() -> None:
    script, _ = dna("x" * 20 + "<dna>acgtaaé漢bbbcc")
    steps = [script.told(step) for step in range(3, len(script) + 1)]
    assert [(step["text"], step["id"], step["at"], step["looked_up"], step["why"]) for step in steps] == [
        ("<dna>", 0, 22, "<dna>", OPEN_END),
        ("acgtaa", 3, 27, "ACGTAA", MARKED),
        ("é漢b", 2, 33, "é漢B", NO_GROUP),
        ("bbcc", 2, 36, "BBCCAA", NO_GROUP),
    ]
    assert told(dna("x" * 20 + "<dna>aaaé漢</dna>")[0])[-3].endswith("and this one cuts a character apart.")


def test_a_user_defined_piece_names_the_shorter_one_it_beats() -> None:
    assert "“<a>” is at index 2: a user-defined piece, token 2. The longest one wins: “<a” begins here too. No merge " \
           "reaches into it." in told(user_defined("x<a>1234")[0])  # fmt: skip


def test_a_window_holds_its_own_steps() -> None:
    text = "ab" * 30
    whole, part = told(user_defined(text)[0]), told(user_defined(text, Window(21, 25, 0, 0))[0])
    assert part == whole[10:12]

"""DNA groups and their events."""

from __future__ import annotations

from explorer.engine.part import Events, Options, Segment, Token
from explorer.engine.partition.user_defined import DnaEvent, DnaGroups, DnaRow
from explorer.vocabulary import Vocabulary

V = Vocabulary.of([b"<dna>", b"</dna>", b"<oov>", "ACGTAA\ue000".encode(), "CCCCCC\ue000".encode()])


def run(text: str, v: Vocabulary = V) -> tuple[list[str | tuple[int, int, int]], list[DnaRow]]:
    events: Events[DnaRow] = Events(DnaRow)
    items = DnaGroups(v).run([Segment.of(text), Token(9, 0, 0)], Options(), events.emit)
    assert items[-1] == Token(9, 0, 0)
    return [tuple(item) if isinstance(item, Token) else item.text for item in items[:-1]], list(events)  # type: ignore[misc]


def test_groups_of_six_and_a_short_last_one() -> None:
    found, events = run("x<dna>ccccccACGT</dna>y")
    assert found == ["x", (0, 1, 6), (4, 6, 12), (3, 12, 16), (1, 16, 22), "y"]
    assert [row.kind for row in events] == [
        DnaEvent.TEXT,
        DnaEvent.TAG,
        DnaEvent.GROUP,
        DnaEvent.FILLED,
        DnaEvent.TAG,
        DnaEvent.TEXT,
    ]


def test_groups_that_are_not_tokens_and_dna_that_is_not_closed() -> None:
    assert run("<dna>NNNNNN")[0] == [(0, 0, 5), (2, 5, 11)]
    # six bytes: A, two of é, three of 漢
    assert run("<dna>Aé漢C</dna>")[0] == [(0, 0, 5), (2, 5, 8), (2, 8, 9), (1, 9, 15)]
    assert run("</dna>")[0] == ["</dna>"]
    assert run("") == ([], [])


def test_without_its_tokens_it_changes_nothing() -> None:
    assert run("<dna>CCCCCC</dna>", Vocabulary.of([b"<dna>"])) == (["<dna>CCCCCC</dna>"], [])

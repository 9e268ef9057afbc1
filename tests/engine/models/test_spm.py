"""SPM on toy vocabularies: merging, byte fallback, unknown, and sentencepiece's resegment."""

from __future__ import annotations

import pytest

from explorer.engine.models.merges import OUTPUT, MergeEvent
from explorer.engine.models.spm import Spm
from explorer.engine.models.unigram import PIECES
from explorer.errors import InputError
from tests.toys import BYTE, CONTROL, UNKNOWN, UNUSED, run, vocabulary


def test_the_higher_score_wins() -> None:
    v = vocabulary(("a", 0), ("b", 0), ("c", 0), ("ab", -2), ("bc", -1))
    assert run(Spm(v), "abc")[0] == ["a", "bc"]


def test_a_character_outside_the_vocabulary_falls_back_to_bytes() -> None:
    v = vocabulary(("a", 0), *((f"<0x{byte:02X}>", 0, BYTE) for byte in "é".encode()))
    pieces, events = run(Spm(v), "aé")
    assert pieces == ["a", "<0xC3>", "<0xA9>"]
    assert [row for row in events if row.kind == MergeEvent.BYTE] == [
        (MergeEvent.BYTE, 1, 0, 1),
        (MergeEvent.BYTE, 1, 1, 2),
    ]


def test_without_byte_tokens_the_raw_byte_piece_is_taken() -> None:
    v = vocabulary(("a", 0), (b"\xc3", 0), (b"\xa9", 0))
    pieces, events = run(Spm(v), "é")
    assert pieces == ["\\xc3", "\\xa9"]
    assert [row.kind for row in events] == [MergeEvent.SEGMENT, MergeEvent.RAW_BYTE, MergeEvent.RAW_BYTE]


def test_with_neither_every_byte_is_the_unknown_token() -> None:
    v = vocabulary(("<unk>", 0, UNKNOWN), ("a", 0))
    pieces, events = run(Spm(v, unknown=0), "éa")
    assert pieces == ["<unk>", "<unk>", "a"]
    assert [row.kind for row in events].count(MergeEvent.UNKNOWN) == 2


def test_with_no_unknown_token_either_the_error_names_character_and_byte() -> None:
    with pytest.raises(InputError, match=r"character 2: byte 0xC3 .*<0xC3>"):
        run(Spm(vocabulary(("a", 0))), "aé")


def test_a_vocabulary_without_scores_is_refused() -> None:
    from explorer.vocabulary import Vocabulary

    with pytest.raises(InputError, match="needs a score"):
        Spm(Vocabulary.of([b"a"]))


# "abc" is merged from "ab" + "c", but "abc" is UNUSED: sentencepiece takes it apart again, llama.cpp outputs it.
UNUSED_WORD = vocabulary(("a", 0), ("b", 0), ("c", 0), ("ab", -1), ("abc", -2, UNUSED))


def test_sentencepiece_takes_an_unused_piece_apart() -> None:
    pieces, events = run(Spm(UNUSED_WORD, resegment_unused=True), "abc")
    assert pieces == ["ab", "c"]
    assert [row for row in events if row.kind in OUTPUT | {MergeEvent.UNMERGE}] == [
        (MergeEvent.UNMERGE, 0, 2, 4), (MergeEvent.TOKEN, 0, 2, 3), (MergeEvent.TOKEN, 2, 3, 2)
    ]  # fmt: skip


def test_unused_pieces_are_taken_apart_down_to_the_last() -> None:
    v = vocabulary(("a", 0), ("b", 0), ("c", 0), ("ab", -1, UNUSED), ("abc", -2, UNUSED))
    assert run(Spm(v, resegment_unused=True), "abc")[0] == ["a", "b", "c"]


def test_an_unused_piece_that_was_never_merged_is_unknown() -> None:
    v = vocabulary(("<unk>", 0, UNKNOWN), ("a", 0, UNUSED), ("b", 0))
    model = Spm(v, unknown=0, resegment_unused=True, byte_fallback=False)
    assert run(model, "bab")[0] == ["b", "<unk>", "b"]


def test_without_byte_fallback_a_run_of_unknown_characters_is_one_token() -> None:
    v = vocabulary(("<unk>", 0, UNKNOWN), ("a", 0))
    pieces, events = run(Spm(v, unknown=0, byte_fallback=False), "éña☃")
    assert pieces == ["<unk>", "a", "<unk>"]
    assert [row.kind for row in events if row.kind in OUTPUT] == [
        MergeEvent.UNKNOWN_SYMBOL, MergeEvent.UNKNOWN_JOINED, MergeEvent.TOKEN, MergeEvent.UNKNOWN_SYMBOL
    ]  # fmt: skip


def test_only_pieces_of_the_given_kinds_are_merged() -> None:
    v = vocabulary(("<unk>", 0, UNKNOWN), ("a", 0), ("b", 0), ("ab", 0, CONTROL))
    assert run(Spm(v, unknown=0), "ab")[0] == ["ab"]
    assert run(Spm(v, unknown=0, pieces=PIECES), "ab")[0] == ["a", "b"]


def test_with_no_unknown_token_and_no_byte_fallback_the_error_names_the_character() -> None:
    with pytest.raises(InputError, match=r"character 2: .*'é'"):
        run(Spm(vocabulary(("a", 0)), byte_fallback=False), "aé")


def test_llama_cpp_outputs_an_unused_piece_and_never_resegments() -> None:
    pieces, events = run(Spm(UNUSED_WORD), "abc")
    assert pieces == ["abc"]
    assert MergeEvent.UNMERGE not in [row.kind for row in events]


def test_the_spans_of_the_tokens_are_those_of_their_text() -> None:
    from explorer.engine.part import Options, Segment, silent

    v = vocabulary(("a", 0), ("ab", -1), ("b", 0), *((f"<0x{byte:02X}>", 0, BYTE) for byte in "é".encode()))
    tokens = Spm(v).run([Segment.of("abé", 5)], Options(), silent)
    assert [(token.start, token.end) for token in tokens] == [(5, 7), (7, 8), (7, 8)]

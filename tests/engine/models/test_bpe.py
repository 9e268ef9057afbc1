"""BPE on vocabularies small enough to merge by hand: the three rules, fallback and unknown characters."""

from __future__ import annotations

import pytest

from explorer.engine.models.bpe import (
    Bpe,
    Bytes,
    Characters,
    InitialSymbols,
    KnownCharacters,
    MergeableRanks,
    MergeList,
    merge_keys,
)
from explorer.engine.models.merges import MergeEvent, MergeRow
from explorer.engine.part import Events, Options, Segment, Token, silent
from explorer.errors import InputError
from explorer.vocabulary import Vocabulary


def v(*pieces: str | bytes) -> Vocabulary:
    return Vocabulary.of([piece.encode() if isinstance(piece, str) else piece for piece in pieces])


def run(model: Bpe, text: str) -> tuple[list[str], list[MergeRow]]:
    """The pieces of one segment, and its events. Without events, or with other pieces cached, they are the same."""
    events: Events[MergeRow] = Events(MergeRow)
    items = model.run([Segment.of(text)], Options(), events.emit)
    assert model.run([Segment.of(text)], Options(), silent) == items
    assert model.run([Segment.of(text)], Options(), silent) == items
    return [model.vocabulary.spelling(token.id) for token in items if isinstance(token, Token)], list(events)


LETTERS = ("a", "b", "c", "d", "ab", "bc", "abc", "cd")


def test_the_earliest_merge_of_the_list_comes_first() -> None:
    assert run(Bpe(v(*LETTERS), MergeList([b"b c", b"a b"])), "abc")[0] == ["a", "bc"]
    assert run(Bpe(v(*LETTERS), MergeList([b"a b", b"b c"])), "abc")[0] == ["ab", "c"]


def test_a_list_goes_by_the_parts_of_a_pair_and_ranks_by_its_text() -> None:
    # the list makes abc only from ab+c; the ranks make it from any parts
    pieces = v(*LETTERS)
    assert run(Bpe(pieces, MergeList([b"b c", b"a b", b"ab c"])), "abc")[0] == ["a", "bc"]
    ranks = {piece.encode(): rank for rank, piece in enumerate(["a", "b", "c", "bc", "ab", "abc"])}
    assert run(Bpe(pieces, MergeableRanks(ranks)), "abc")[0] == ["abc"]


def test_every_decision_of_a_merge_is_an_event() -> None:
    assert run(Bpe(v(*LETTERS), MergeList([b"b c", b"a b"])), "abc")[1] == [
        (MergeEvent.SEGMENT, 0, 3, -1),
        (MergeEvent.PUSH, 0, 1, 4),
        (MergeEvent.PUSH, 1, 2, 5),
        (MergeEvent.MERGE, 1, 2, 5),
        (MergeEvent.MISS, 0, 1, -1),
        (MergeEvent.STALE_SIZE, 0, 1, 4),
        (MergeEvent.TOKEN, 0, 1, 0),
        (MergeEvent.TOKEN, 1, 3, 5),
    ]


def test_a_whole_piece_is_taken_before_any_merge_if_the_model_asks_for_it() -> None:
    # abc cannot be built by these merges
    merges = MergeList([b"b c"])
    assert run(Bpe(v(*LETTERS), merges), "abc")[0] == ["a", "bc"]
    pieces, events = run(Bpe(v(*LETTERS), merges, whole=True), "abc")
    assert pieces == ["abc"]
    assert events == [(MergeEvent.SEGMENT, 0, 3, -1), (MergeEvent.WHOLE, 0, 3, 6)]
    pieces, events = run(Bpe(v(*LETTERS), merges, whole=True), "bca")
    assert pieces == ["bc", "a"]
    assert events[1] == (MergeEvent.NOT_WHOLE, 0, 3, -1)


def test_tiktoken_merges_bytes() -> None:
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"\xc3\xa9": 256, b"a\xc3": 257}
    model = Bpe(Vocabulary.of(ranks), MergeableRanks(ranks), Bytes(), whole=True)
    items = model.run([Segment.of("aé", 4)], Options(), silent)
    assert items == [Token(97, 4, 5), Token(256, 5, 6)]
    items = model.run([Segment.of("aèa")], Options(), silent)
    # è is C3 A8: its first byte goes to the a before it
    assert items == [Token(257, 0, 2), Token(0xA8, 1, 2), Token(97, 2, 3)]


def test_a_character_outside_the_vocabulary_becomes_its_bytes() -> None:
    pieces = v("a", "<0xC3>", "<0xA9>", "<unk>")
    start = KnownCharacters(pieces.ids, unknown=b"<unk>", fuse=True, byte_fallback=True)
    names, events = run(Bpe(pieces, MergeList([]), start), "aé")
    assert names == ["a", "<0xC3>", "<0xA9>"]
    assert (MergeEvent.FALLBACK, 1, 2, 1) in events
    # è needs <0xA8>, which is missing: all of it is unknown
    names, events = run(Bpe(pieces, MergeList([]), start), "è")
    assert names == ["<unk>"]
    assert (MergeEvent.UNKNOWN_RUN, 0, 1, 3) in events


def test_unknown_characters_are_fused_or_not_or_dropped() -> None:
    pieces = v("a", "<unk>")
    fused = Bpe(pieces, MergeList([]), KnownCharacters(pieces.ids, unknown=b"<unk>", fuse=True))
    assert run(fused, "xyaz")[0] == ["<unk>", "a", "<unk>"]
    assert fused.run([Segment.of("xya")], Options(), silent) == [Token(1, 0, 2), Token(0, 2, 3)]
    single = Bpe(pieces, MergeList([]), KnownCharacters(pieces.ids, unknown=b"<unk>"))
    assert run(single, "xya")[0] == ["<unk>", "<unk>", "a"]
    without = Bpe(pieces, MergeList([]), KnownCharacters(pieces.ids))
    names, events = run(without, "xa")
    assert names == ["a"]
    assert (MergeEvent.SKIPPED, 0, 0, -1) in events
    assert run(without, "x")[0] == []


def test_an_unknown_token_comes_after_later_byte_tokens_as_in_the_original() -> None:
    from tokenizers import Tokenizer, models

    vocab = {"<unk>": 0, "a": 1, "<0xC3>": 2, "<0xA9>": 3}
    theirs = Tokenizer(models.BPE(vocab=vocab, merges=[], unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    pieces = v(*vocab)
    ours = Bpe(pieces, MergeList([]), KnownCharacters(pieces.ids, unknown=b"<unk>", fuse=True, byte_fallback=True))
    for text in ("xé", "xéa", "xéyéa", "éx", "xyé", "aé"):
        assert [token.id for token in ours.run([Segment.of(text)], Options(), silent)] == theirs.encode(text).ids, text


def test_llama_cpp_outputs_single_bytes_or_nothing_for_a_symbol_that_is_not_a_token() -> None:
    # the list merges a and b, but ab is not a token
    names, events = run(Bpe(v("a", "b"), MergeList([b"a b"])), "abé")
    assert names == ["a", "b"]
    assert [row.kind for row in events][-4:] == [
        MergeEvent.RAW_BYTE,
        MergeEvent.RAW_BYTE,
        MergeEvent.DROPPED,
        MergeEvent.DROPPED,
    ]


def test_of_a_duplicate_pair_the_first_or_the_last_position_counts() -> None:
    assert MergeList([b"a b", b"b cb", b"a b"]).rank(b"a", b"b") == 0


def test_merges_are_read_as_lines() -> None:
    assert merge_keys([b"a b", "Ġ t".encode()]) == [b"a\xffb", b"\xc4\xa0\xfft"]
    # a line may begin with a space, which is then the left piece
    assert merge_keys([b"  a", b"a b c"]) == [b" \xffa", b"a\xffb c"]
    assert merge_keys([]) == []
    # an entry that is not a pair merges nothing, and keeps its position in the list
    assert merge_keys([b"ab", b"", b" ", b"a b"]) == [b"", b"", b"", b"a\xffb"]


def test_an_unknown_token_that_is_not_a_piece_is_an_error_when_needed() -> None:
    start = KnownCharacters({b"a": 0}, unknown=b"<unk>")
    assert start.symbols("aa", silent).pieces == [b"a", b"a"]
    with pytest.raises(InputError, match="the model has no pieces for 'x' and no unknown token"):
        start.symbols("ax", silent)


@pytest.mark.parametrize("text", ["", "aa", "aé", "ébéa", "bxxa"])
def test_symbols_are_counted_without_making_them(text: str) -> None:
    ids = v("a", "é", "<0x62>", "<unk>", "#a", "a$").ids
    starts: list[InitialSymbols] = [Characters(), Bytes(), KnownCharacters(ids)]
    starts += [KnownCharacters(ids, unknown=b"<unk>", fuse=fuse, byte_fallback=True) for fuse in (False, True)]
    starts += [KnownCharacters(ids, prefix=b"#"), KnownCharacters(ids, suffix=b"$")]
    assert [each.count(text) for each in starts] == [len(each.symbols(text, silent).pieces) for each in starts]


PREFIXED = v("a", "##b", "##c", "ab", "##bc", "abc", "c</w>", "##c</w>", "##bc</w>", "abc</w>", "<unk>")


def test_a_merge_keeps_the_prefix_of_its_left_symbol_only() -> None:
    ranks = MergeList([b"##b ##c", b"a ##bc"])
    model = Bpe(PREFIXED, ranks, KnownCharacters(PREFIXED.ids, prefix=b"##"), dropped=2)
    names, events = run(model, "abc")
    assert names == ["abc"]
    assert events[1] == (MergeEvent.PREFIXED, 0, 3, -1)
    assert run(model, "a")[0] == ["a"]
    assert run(model, "abb")[0] == ["a", "##b", "##b"]
    assert run(Bpe(PREFIXED, MergeList([b"a ##b"]), model.initial, dropped=2), "abb")[0] == ["ab", "##b"]


def test_the_last_symbol_of_a_word_has_the_suffix() -> None:
    start = KnownCharacters(PREFIXED.ids, prefix=b"##", suffix=b"</w>")
    model = Bpe(PREFIXED, MergeList([b"##b ##c</w>", b"a ##bc</w>"]), start, dropped=2)
    names, events = run(model, "abc")
    assert names == ["abc</w>"]
    assert events[2] == (MergeEvent.SUFFIXED, 0, 3, -1)
    assert run(model, "c")[0] == ["c</w>"]


def test_spans_are_what_a_token_was_made_of_and_the_originals_add_up_sizes() -> None:
    pieces = v("a", "b", "<unk>", "<0xC3>", "<0xA9>")
    # x is dropped, and in the original a gets the span of x
    model = Bpe(pieces, MergeList([]), KnownCharacters(pieces.ids))
    assert model.run([Segment.of("xab")], Options(), silent) == [Token(0, 1, 2), Token(1, 2, 3)]
    assert model.original().run([Segment.of("xab")], Options(), silent) == [Token(0, 0, 1), Token(1, 1, 2)]
    # the unknown token comes after the bytes of é, so they share a span
    model = Bpe(pieces, MergeList([]), KnownCharacters(pieces.ids, unknown=b"<unk>", byte_fallback=True))
    assert model.run([Segment.of("xéa")], Options(), silent) == [
        Token(3, 0, 2), Token(4, 0, 2), Token(2, 0, 2), Token(0, 2, 3)
    ]  # fmt: skip
    assert model.original().run([Segment.of("xéa")], Options(), silent) == [
        Token(3, 0, 1), Token(4, 1, 2), Token(2, 1, 2), Token(0, 2, 3)
    ]  # fmt: skip


def test_a_piece_taken_whole_is_traced_where_merging_it_would_be_refused() -> None:
    pieces = v("ab", "c")
    model = Bpe(pieces, MergeList([]), KnownCharacters(pieces.ids, unknown=b"<unk>"), whole=True)
    assert run(model, "ab")[0] == ["ab"]
    assert [*model.initial_symbols("ab").pieces] == [b"a", b"b"]
    with pytest.raises(InputError, match="no pieces for 'a'"):
        run(model, "abc")


def test_special_tokens_pass_through() -> None:
    model = Bpe(v("a"), MergeList([]))
    found = model.run([Segment.of("aa"), Token(5, 2, 3)], Options(), silent)
    assert found == [Token(0, 0, 1), Token(0, 1, 2), Token(5, 2, 3)]

"""Longest match on toy vocabularies, the normalizers character by character, and a walk-through."""

from __future__ import annotations

import pytest

import explorer
from explorer.engine.models.longest_match import LongestMatch, WordPiece, WordPieceEvent, WordPieceRow, Wpm
from explorer.engine.normalizers.huggingface import NfdFirst, bert_normalizers
from explorer.engine.normalizers.stage import BEGINNINGS, Normalization, NormalizeEvent, NormalizeRow
from explorer.engine.part import Events, Options, Segment, Token
from explorer.engine.pre_tokenizers.by_regex import PreTokenization, PreTokenizeEvent, PreTokenizeRow
from explorer.engine.pre_tokenizers.huggingface import bert_pre_tokenizer
from explorer.errors import InputError
from explorer.vocabulary import Vocabulary
from tests.bundled import bundled

TEXT = "ÅWhat is LoRA?"


def vocabulary(*pieces: str) -> Vocabulary:
    return Vocabulary.of([piece.encode() for piece in ("[UNK]", *pieces)])


def match(model: LongestMatch, word: str, at: int = 0) -> tuple[list[Token], list[WordPieceRow]]:
    events: Events[WordPieceRow] = Events(WordPieceRow)
    tokens = model.run([Segment.of(word, at)], Options(), events.emit)
    return [token for token in tokens if isinstance(token, Token)], list(events)


def test_every_attempt_of_hugging_face_is_an_event() -> None:
    tokens, events = match(WordPiece(vocabulary("a", "ab", "##c"), 0), "abc")
    assert [token.id for token in tokens] == [2, 3]
    assert events == [
        (WordPieceEvent.WORD, 0, 3, -1),
        (WordPieceEvent.MISS, 0, 3, -1),
        (WordPieceEvent.HIT, 0, 2, 2),
        (WordPieceEvent.HIT, 2, 3, 3),
        (WordPieceEvent.DONE, 0, 2, -1),
    ]


def test_only_pieces_within_a_word_need_the_prefix() -> None:
    assert [t.id for t in match(WordPiece(vocabulary("a", "b"), 0), "ab")[0]] == [0]
    assert [t.id for t in match(WordPiece(vocabulary("##a", "##b"), 0), "ab")[0]] == [0]
    assert [t.id for t in match(WordPiece(vocabulary("a", "@b"), 0, prefix="@"), "ab")[0]] == [1, 2]


def test_if_no_piece_matches_the_whole_word_is_unknown() -> None:
    """Longest match never backtracks: `ab` and nothing for `d`, although `a` + `##bd` would match."""
    tokens, events = match(WordPiece(vocabulary("a", "ab", "##bd"), 0), "abd", 5)
    assert tokens == [Token(0, 5, 8)]
    assert events[-2:] == [(WordPieceEvent.MISS, 2, 3, -1), (WordPieceEvent.DISCARD, 2, 1, 0)]


def test_a_word_of_more_than_100_characters_is_not_tried() -> None:
    model = WordPiece(vocabulary("é", "##é"), 0)
    assert len(match(model, "é" * 100)[0]) == 100
    tokens, events = match(model, "é" * 101)
    assert tokens == [Token(0, 0, 101)]
    assert events == [(WordPieceEvent.WORD, 0, 101, -1), (WordPieceEvent.TOO_LONG, 101, 100, 0)]


def test_every_attempt_of_llama_cpp_is_an_event_within_characters_too() -> None:
    """▁é is five bytes; the longest piece has four, so the window is five."""
    model = Wpm(vocabulary("▁a", "é"), 0)
    assert (model.max_token_len, model.window) == (5, 6)  # [UNK] is the longest
    tokens, events = match(model, "aé")
    assert [token.id for token in tokens] == [1, 2]
    assert events == [
        (WordPieceEvent.WORD, 0, 6, -1),
        (WordPieceEvent.MISS, 0, 6, -1),
        (WordPieceEvent.MISS, 0, 5, -1),
        (WordPieceEvent.HIT, 0, 4, 1),
        (WordPieceEvent.HIT, 4, 6, 2),
        (WordPieceEvent.DONE, 0, 2, -1),
    ]


def test_llama_cpps_window_is_one_byte_longer_than_the_longest_piece() -> None:
    _, events = match(Wpm(vocabulary("▁a", "b"), 0), "a" + "b" * 20)
    assert (
        max(row.end - row.start for row in events if row.kind in (WordPieceEvent.MISS, WordPieceEvent.HIT))
        == len("[UNK]") + 1
    )


def test_llama_cpp_discards_the_word_on_a_miss() -> None:
    tokens, events = match(Wpm(vocabulary("▁a", "b"), 0), "abx", 2)
    assert tokens == [Token(0, 2, 5)]
    assert events[-1] == (WordPieceEvent.DISCARD, 5, 2, 0)


def test_the_phantom_can_be_a_token_by_itself() -> None:
    tokens, _ = match(Wpm(vocabulary("▁", "a"), 0), "a", 3)
    assert tokens == [Token(1, 3, 3), Token(2, 3, 4)]


def test_an_unknown_token_outside_the_vocabulary_is_refused() -> None:
    for model in (WordPiece, Wpm):
        with pytest.raises(InputError, match="unknown token 9 is not in this vocabulary of 1"):
            model(vocabulary(), 9)


# --- normalization: each character's result and span ---------------------------------------------------------------


def normalized(stage: Normalization, text: str) -> tuple[Segment, list[tuple[str, int, str]]]:
    events: Events[NormalizeRow] = Events(NormalizeRow)
    (segment,) = stage.run([Segment.of(text)], Options(), events.emit) or (Segment.of(""),)
    assert isinstance(segment, Segment)
    shown = [row for row in events if row.kind not in BEGINNINGS and row.kind != NormalizeEvent.MORE]
    return segment, [(NormalizeEvent(row.kind).name, row.at, chr(row.code_point)) for row in shown]


HUGGING_FACE = Normalization(bert_normalizers())
LLAMA_CPP = Normalization([NfdFirst()])


@pytest.mark.parametrize(("text", "to", "spans", "events"), [
    ("Å", "a", [(0, 1)], [("DECOMPOSE", 0, "A"), ("DROP_MARK", 1, "\u030a"), ("LOWER", 0, "a")]),
    ("xÉy", "xey", [(0, 1), (1, 2), (2, 3)], [("DECOMPOSE", 1, "E"), ("DROP_MARK", 2, "\u0301"), ("LOWER", 1, "e")]),
    ("e\u0301x", "ex", [(0, 1), (2, 3)], [("DROP_MARK", 1, "\u0301")]),
    ("ﬁ", "ﬁ", [(0, 1)], []),
    ("각", "\u1100\u1161\u11a8", [(0, 1)] * 3, [("DECOMPOSE", 0, "\u1100")]),
    ("İ", "i", [(0, 1)], [("DECOMPOSE", 0, "I"), ("DROP_MARK", 1, "\u0307"), ("LOWER", 0, "i")]),
    ("a漢", "a 漢 ", [(0, 1), (1, 2), (1, 2), (1, 2)], [("ISOLATE", 1, "漢")]),
    ("a\tb\0\u200dc", "a bc", [(0, 1), (1, 2), (2, 3), (5, 6)],
     [("DROP_CONTROL", 3, "\0"), ("DROP_CONTROL", 4, "\u200d"), ("SPACE", 1, " ")]),
    ("\v\f\x85", "", [], [("DROP_CONTROL", 0, "\v"), ("DROP_CONTROL", 1, "\f"), ("DROP_CONTROL", 2, "\x85")]),
])  # fmt: skip
def test_hugging_face(text: str, to: str, spans: list[tuple[int, int]], events: list[tuple[str, int, str]]) -> None:
    segment, found = normalized(HUGGING_FACE, text)
    assert (segment.text, list(zip(segment.starts, segment.ends, strict=True)), found) == (to, spans, events)


def test_without_stripping_the_lowercase_can_be_longer() -> None:
    segment, _ = normalized(Normalization(bert_normalizers(strip_accents=False)), "İx")
    assert (segment.text, list(segment.starts), list(segment.ends)) == ("i\u0307x", [0, 0, 1], [1, 1, 2])


def test_marks_are_reordered_and_share_a_span() -> None:
    """U+1D165 is not a nonspacing mark, so it stays; its class 216 comes before the tone mark's 224."""
    segment, events = normalized(HUGGING_FACE, "a\u302e\U0001d165")
    assert (segment.text, list(segment.starts)) == ("a\U0001d165\u302e", [0, 1, 1])
    assert list(segment.ends) == [1, 3, 3]
    assert events == [("REORDER", 1, "\U0001d165"), ("REORDER", 2, "\u302e")]


@pytest.mark.parametrize(("text", "to", "spans", "events"), [
    ("Å", "A", [(0, 1)], [("FIRST_OF_NFD", 0, "A")]),
    ("각x", "\u1100x", [(0, 1), (1, 2)], [("FIRST_OF_NFD", 0, "\u1100")]),
    ("ﬁ", "ﬁ", [(0, 1)], []),
    ("İ", "I", [(0, 1)], [("FIRST_OF_NFD", 0, "I")]),
    ("a\v漢", "a\v漢", [(0, 1), (1, 2), (2, 3)], []),
])  # fmt: skip
def test_llama_cpp(text: str, to: str, spans: list[tuple[int, int]], events: list[tuple[str, int, str]]) -> None:
    segment, found = normalized(LLAMA_CPP, text)
    assert (segment.text, list(zip(segment.starts, segment.ends, strict=True)), found) == (to, spans, events)


# --- words ---------------------------------------------------------------------------------------------------------


def test_words() -> None:
    events: Events[PreTokenizeRow] = Events(PreTokenizeRow)
    stage = PreTokenization(bert_pre_tokenizer())
    words = stage.run([Token(9, 0, 3), Segment.of("ab  漢!$+", 3)], Options(), events.emit)
    assert [word.text if isinstance(word, Segment) else word.id for word in words] == [9, "ab", "漢", "!", "$", "+"]
    assert (PreTokenizeEvent.REMOVED, 5, 7, 0) in list(events)
    assert words[2].starts[0] == 7  # type: ignore[union-attr]
    names = {-1: "no mark", 1: "a mark"}
    last = [row for row in events if row.kind in (PreTokenizeEvent.PIECE, PreTokenizeEvent.GAP)][-5:]
    assert [names[row.choice] for row in last] == ["no mark", "no mark", "a mark", "a mark", "a mark"]


# --- a walk-through ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["bert-uncased", "bert-uncased@llama.cpp"])
def bert(request: pytest.FixtureRequest) -> explorer.Tokenizer:
    return bundled(request.param)


def test_walk_through(bert: explorer.Tokenizer) -> None:
    trace = bert.trace(TEXT)
    assert trace.ids == bert.encode(TEXT).ids == [101, 22091, 12707, 2003, 8840, 2527, 1029, 102]
    assert trace.encoding.spans == [None, (0, 2), (2, 5), (6, 8), (9, 11), (11, 13), (13, 14), None]
    words = [word.text for word in trace.stage("model").before if isinstance(word, Segment)]
    assert words == ["awhat", "is", "lora", "?"]


def test_walk_through_of_llama_cpp() -> None:
    segment, _ = normalized(LLAMA_CPP, TEXT)
    assert [ord(ch) for ch in segment.text] == [65, 87, 104, 97, 116, 32, 105, 115, 32, 76, 111, 82, 65, 63]
    tok = bundled("bert-uncased@llama.cpp")
    assert max(map(len, tok.vocabulary.pieces)) == 21
    events = [WordPieceRow(*row) for row in tok.trace(TEXT).stage("model").events]
    first = events[: next(i for i, row in enumerate(events) if row.kind == WordPieceEvent.DONE) + 1]
    assert first == [
        (WordPieceEvent.WORD, 0, 8, -1),
        (WordPieceEvent.MISS, 0, 8, -1),
        (WordPieceEvent.MISS, 0, 7, -1),
        (WordPieceEvent.MISS, 0, 6, -1),
        (WordPieceEvent.HIT, 0, 5, 22091),
        (WordPieceEvent.HIT, 5, 8, 12707),
        (WordPieceEvent.DONE, 0, 2, -1),
    ]
    assert tok.vocabulary.spelling(22091) == "▁aw"
    assert tok.vocabulary.spelling(12707) == "hat"


def test_empty_text() -> None:
    for name in ("bert-uncased", "bert-uncased@llama.cpp"):
        tok = bundled(name)
        assert tok.encode("").ids == [101, 102]
        assert tok.encode("\u0301\0", add_special=False).ids == tok.trace("\u0301\0", add_special=False).ids == []


@pytest.mark.long
def test_decisions_are_proportional_to_the_length_of_a_word() -> None:
    model = WordPiece(vocabulary("a", "##a", "##" + "b" * 150), 0, max_characters=10**9)
    assert len(match(model, "a" * 8_000)[1]) <= 4.2 * len(match(model, "a" * 2_000)[1])
    assert [token.id for token in match(model, "aa" + "b" * 300)[0]] == [1, 2, 3, 3]

"""vocab.txt against `BertWordPieceTokenizer`: cased and uncased, chosen and detected."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tokenizers import BertWordPieceTokenizer

import explorer
from explorer.errors import InputError
from explorer.facts import FactKind
from explorer.implementations.huggingface.from_vocab import first_cased, of_vocab_txt
from tests.bundled import bundled
from tests.originals.generators import WORDS, strings


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The bundled uncased vocabulary with CRLF, and a cased one with the generators' words and a space before each line
    feed."""
    folder = tmp_path_factory.mktemp("vocab_txt")
    pieces = [piece.decode() for piece in bundled("bert-uncased").vocabulary.pieces]
    words = dict.fromkeys([*pieces[:2_000], *(word for word in WORDS if " " not in word), *map("##{}".format, WORDS)])
    paths = {"uncased": folder / "vocab.txt", "cased": folder / "cased.txt"}
    paths["uncased"].write_bytes("\r\n".join(pieces).encode())
    paths["cased"].write_bytes("".join(f"{word} \n" for word in words).encode())
    return paths


@pytest.mark.parametrize("case", [None, "cased", "uncased"])
@pytest.mark.parametrize("which", ["uncased", "cased"])
def test_ids_offsets_and_texts_match_the_original(files: dict[str, Path], which: str, case: str | None) -> None:
    ours = explorer.load(files[which]) if case is None else explorer.load(files[which], case=case)
    theirs = BertWordPieceTokenizer(str(files[which]), lowercase=(case or which) == "uncased")
    for text in strings(seed=51, count=400):
        want = theirs.encode(text)
        found = ours.encode(text)
        assert found.ids == ours.trace(text).ids == want.ids, ascii(text)
        assert ours.encode(text, add_special=False).ids == theirs.encode(text, add_special_tokens=False).ids
        assert ours.decode(want.ids, unparse_special=False) == theirs.decode(want.ids), want.ids
        assert [span or (0, 0) for span in found.spans] == want.offsets, ascii(text)


def test_a_word_piece_in_json_is_the_same(files: dict[str, Path], tmp_path: Path) -> None:
    vocab = BertWordPieceTokenizer(str(files["uncased"])).get_vocab()
    path = tmp_path / "vocab.json"
    path.write_text(json.dumps(vocab), "utf-8")
    ours, same, theirs = explorer.load(path), explorer.load(files["uncased"]), BertWordPieceTokenizer(vocab)
    for text in strings(seed=52, count=100):
        assert ours.encode(text).ids == theirs.encode(text).ids == same.encode(text).ids


BLANK = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n\n##b\n\u2028\nc\u2028\n \nd\n##b\n\x1c\ne\ng \n\n"
"""Blank lines, one of them a line separator as in the vocab.txt of Chinese BERTs, and a line twice."""


def test_blank_and_equal_lines_count_as_in_the_original(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_bytes(BLANK.encode())
    ours, theirs = explorer.load(path), BertWordPieceTokenizer(str(path), lowercase=True)
    assert {ours.vocabulary.spelling(id): id for id in theirs.get_vocab().values()} == theirs.get_vocab()
    for text in ("a ab c d db e\u2028 g", "abb", "\x1c", ""):
        assert ours.encode(text).ids == theirs.encode(text).ids
    for id in theirs.get_vocab().values():
        assert ours.decode([id], unparse_special=False) == theirs.decode([id]), id
    says = [fact for fact in ours.facts if "blank" in fact.says or "same one" in fact.says]
    assert [(fact.place, fact.says[-2:]) for fact in says] == [("line 17", "s."), ("", "4.")]


@pytest.mark.parametrize("at", range(7))
@pytest.mark.parametrize("blank", ["", "  ", "\u2028"])
def test_a_blank_line_that_moves_ids_is_a_warning(blank: str, at: int, tmp_path: Path) -> None:
    lines = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "##b"]
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join([*lines[:at], blank, *lines[at:], ""]), "utf-8", newline="")
    ours, theirs = explorer.load(path), BertWordPieceTokenizer(str(path))
    moved = [piece for id, piece in enumerate(lines) if theirs.get_vocab()[piece] != id]
    assert ours.encode("ab").ids == theirs.encode("ab").ids
    (fact,) = [fact for fact in ours.facts if "blank" in fact.says]
    assert (fact.kind is FactKind.WARNING) == bool(moved)
    assert fact.place == f"line {at + 1}"
    assert not moved or f"each of the {len(moved)} lines after it has an id one higher" in fact.says


def test_llama_cpp_runs_it_too(files: dict[str, Path]) -> None:
    assert explorer.load(files["uncased"], "llama.cpp").encode("ÅWhat").pieces == ["[CLS]", "▁aw", "hat", "[SEP]"]


@pytest.mark.parametrize(("piece", "cased"), [
    ("a", False), ("B", True), ("##bC", True), ("[unused1]", False), ("[A]", False), ("[A", True), ("é", True),
    ("##e\u0301", True), ("ß", False), ("П", True), ("п", False), ("й", True), ("字", False), ("ㅏ", False),
    ("½", False),
])  # fmt: skip
def test_a_capital_or_an_accent_marks_a_cased_model(piece: str, cased: bool) -> None:
    assert first_cased(["[UNK]", "a", piece]) == (piece if cased else None)


def test_the_card_reports_the_detected_or_chosen_case() -> None:
    pieces = dict(zip(["[UNK]", "[CLS]", "[SEP]", "[unused0]", "Hat"], range(5), strict=True))
    facts = {fact.place: fact for fact in of_vocab_txt(pieces, "toy", {})[1]}
    assert "only a cased model" in facts["line 5"].says
    facts = {fact.place: fact for fact in of_vocab_txt(pieces, "toy", {"case": "uncased"})[1]}
    assert (facts["line 5"].kind, facts["line 5"].code) == (FactKind.WARNING, "Hat")


def test_unusable_files_are_refused() -> None:
    for pieces, choices, says in (
        (["[UNK]", "a"], {}, r"the piece \[CLS\] and \[SEP\] is missing"),
        (["[CLS]", "[SEP]"], {}, r"the piece \[UNK\] is missing"),
        (["[UNK]", "[CLS]", "[SEP]"], {"case": "Cased"}, "case is 'Cased'; choose cased or uncased"),
    ):
        with pytest.raises(InputError, match=f"^toy: {says}"):
            of_vocab_txt({piece: id for id, piece in enumerate(pieces)}, "toy", choices)

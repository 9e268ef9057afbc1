"""What an edit does: its effect, its notes, what it refuses; the file of edits; undo."""

from __future__ import annotations

import contextlib
import json
import pickle
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.editing import byte_lists
from explorer.editing import edits as e
from explorer.editing import edits as edits_file
from explorer.editing import edits as presets
from explorer.editing.edits import KINDS, Edit
from explorer.editing.replay import EDITORS, INSTEAD, replay
from explorer.errors import InputError
from explorer.languages import phrases
from explorer.opening.formats import FORMATS, format_of, open_bytes
from explorer.opening.sources import VOCABS
from tests.bundled import bundled
from tests.editing import files
from tests.editing.test_parity import CASES
from tests.meaning import mentions
from tests.refusals import refusal
from tests.tiers import amount


def ids(data: bytes, text: str) -> list[int]:
    return open_bytes(data, "toy", None, {"pattern": "r50k_base"}).encode(text, add_special=False).ids


def notes(data: bytes, *edits: Edit) -> str:
    return " ".join(replay(data, edits, "toy").notes[-1])


def test_undo_gives_the_same_bytes_and_a_file_of_edits_the_same_edits() -> None:
    choose = random.Random(3)
    for name, (base, edits, _) in CASES.items():
        data = base()
        assert replay(data, (), name).data == data
        steps = [replay(data, edits[:count], name).data for count in range(len(edits) + 1)]
        assert len(set(steps)) == len(steps), "each edit changes something"
        kept = edits_file.read(edits_file.write(edits).encode(), "edits.toml")
        assert kept == edits
        for count in choose.sample(range(len(edits) + 1), 3):
            assert replay(data, kept[:count], name).data == steps[count], (name, count)


@pytest.mark.parametrize("language", ["de", "ja"])
def test_titles_and_notes_are_said_in_each_language(language: str) -> None:
    to = phrases(language)
    for name, (base, edits, _) in CASES.items():
        notes = replay(base(), edits, name).notes
        for edit, said in zip(edits, notes, strict=True):
            for text in (e.title(edit), *said):
                assert to.text(text) != text, name
    assert to.text(e.title(e.Remove(("x",), (7,)))).count("7") == 1
    flags = [e.title(e.SetFlag("lstrip", value, token)) for value in (True, False) for token in ("", "a")]
    assert len({to.text(each) for each in flags}) == 4
    with pytest.raises(InputError) as refused:
        replay(files.bpe(), [e.Remove(("never",))], "toy")
    assert "never" in to.text(refused.value.args[0]) != str(refused.value)


def test_what_no_edit_touches_is_written_as_it_was() -> None:
    """Read and written again, the published files are the same to the byte; of JSON, the values are."""
    for name in ("mistral-v1.model", "ggml-vocab-llama-spm.gguf", "bert-uncased.tokenizer.json"):
        data = (VOCABS / name).read_bytes()
        editor = EDITORS[format_of(data, name).name]
        written = editor.write(editor.read(data, name))
        assert written == data or json.loads(written) == json.loads(data), name


TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
EDITS = st.one_of(
    st.builds(e.AddToken, TEXT, st.booleans(), st.booleans()),
    st.builds(e.AddMerges, st.tuples(TEXT, TEXT), st.just((("a", "\x7f\\\""),))),
    st.builds(e.AddPieces, st.tuples(TEXT), st.booleans(), st.floats(-9, 9) | st.none()),
    st.builds(e.Remove, st.just(("x",)), st.tuples(st.integers(0, 99)), st.booleans()),
    st.builds(e.SetFlag, TEXT, st.booleans(), TEXT | st.just("")),
    st.builds(e.SetPattern, TEXT, st.integers(1, 9)),
)  # fmt: skip


@settings(max_examples=amount(100))
@given(st.tuples(EDITS, EDITS))
def test_any_edits_are_the_same_after_writing_and_reading(edits: tuple[Edit, ...]) -> None:
    assert edits_file.read(edits_file.write(edits).encode(), "toy") == edits


def test_a_mutated_file_is_read_or_refused() -> None:
    choose = random.Random(11)
    for _, edits, _ in CASES.values():
        written = edits_file.write(edits).encode()
        for _ in range(amount(200)):
            at = choose.randrange(len(written))
            some = choose.choice((b"", b"\xff", b"[", b"1e999", b"9" * 5000, b'"', b"inf", b"\x00", b"1979-05-27"))
            with contextlib.suppress(InputError):
                read = edits_file.read(written[:at] + some + written[at + choose.randrange(3) :], "toy")
                assert edits_file.read(edits_file.write(read).encode(), "again") == read
    for score, place in ("inf", "edit 1, score: this"), ("nan", "edit 1, score: this"), ("1e300", "edit 1: score is"):
        said = refusal(edits_file.read, (HEAD_OF + f'"add-pieces"\npieces = ["a"]\nscore = {score}').encode(), "toy")
        assert place in said


def test_edits_reach_another_process_as_they_are() -> None:
    for _, edits, _ in CASES.values():
        assert pickle.loads(pickle.dumps(edits)) == edits


def test_words_become_one_token() -> None:
    for base in (files.bpe(), files.gguf_bpe()):
        for word in (" (^_^)", "aaaa", "aaaaaaa", "zzz", " the"):
            before, after = ids(base, word), replay(base, [e.AddMerges((word,))], "toy").data
            assert (len(before) == 1) == (after == replay(base, [e.AddMerges((word,))], "toy").data == base)
            assert len(ids(after, word)) == 1, word


def test_added_tokens_keep_their_ids_when_pieces_come_or_go() -> None:
    base = files.bpe()
    old = open_bytes(base, "toy", None).vocabulary
    for edit, moves in ((e.AddMerges(("zzz",)), 0), (e.Remove((" the",), keep_ids=True), 0), (e.Remove((" the",)), 1)):
        new = open_bytes(replay(base, [edit], "toy").data, "toy", None).vocabulary
        for special in files.SPECIAL:
            assert new.ids[special.encode()] == old.ids[special.encode()] - moves
    assert "ids move down" in notes(base, e.Remove((" the",)))
    assert mentions(notes(base, e.AddMerges(("zzz",))), "entered in model.vocab")


def test_merges_of_a_removed_token_go_and_are_said() -> None:
    base = files.bpe()
    merges = [tuple(pair) for pair in json.loads(base)["model"]["merges"]]
    gone = merges[0][0] + merges[0][1]
    after = json.loads(replay(base, [e.Remove((gone,))], "toy").data)
    left = [tuple(pair) for pair in after["model"]["merges"]]
    assert left == [pair for pair in merges if gone not in (*pair, "".join(pair))]
    assert f"{len(merges) - len(left)} merge" in notes(base, e.Remove((gone,)))


REFUSED: list[tuple[Callable[[], bytes], Edit, str]] = [
    (files.bpe, e.AddToken("<s>"), "edit 1, add-token: “<s>” is in the vocabulary already, with the id"),
    (files.bpe, e.Remove(("never",)), "“never” is not in the vocabulary"),
    (files.bpe, e.Remove(ids=(99_999,)), "no token has the id 99999; the highest is"),
    (files.bpe, e.AddMerges(merges=(("zq", "a"),)), "“zq” is not in the vocabulary; add the merge that makes it"),
    (files.bpe, e.AddMerges(merges=(("h", "e"),)), "is there already"),
    (files.bpe, e.AddPieces(("x",)), "a piece of BPE comes from merges; use add-merges"),
    (files.bpe, e.AddEntries(("x",)), "use add-token, add-merges or add-pieces"),
    (files.bpe, e.Remove(("<s>",)), "the post-processor adds"),
    (files.bpe, e.SetPattern("x", 2), "the pre-tokenizer has one pattern, not a number 2"),
    (files.bpe, e.SetFlag("lstrip", True, "the"), "is not an added token"),
    (files.bpe, e.SetFlag("lstrip", True), "is not a flag of this BPE model"),
    (files.unigram, e.Remove(("▁",), keep_ids=True), "positions in its list"),
    (files.unigram, e.Remove(("<unk>",)), "the unknown token can't be removed"),
    (files.sentencepiece_bpe, e.AddToken("x"), "use add-pieces with user_defined = true"),
    (files.sentencepiece_bpe, e.Remove(("<s>",)), "is a control piece that the model needs"),
    (files.sentencepiece_bpe, e.Remove(("<0x00>",)), "is a byte"),
    (files.sentencepiece_unigram, e.SetFlag("byte_fallback", True), "needs the 256 pieces"),
    (files.ranks, e.Remove(("a",)), "is a single byte"),
    (files.ranks, e.AddEntries(hex=("xy",)), "is not bytes in hexadecimal"),
    (files.ranks, e.SetPattern("x"), "holds no pattern"),
    (files.rwkv, e.AddEntries(("the",)), "“the” is in the vocabulary already"),
    (files.rwkv, e.Remove(("the",), keep_ids=True), "leave keep_ids out"),
    (files.rwkv, e.AddEntries(tuple(f"{number}x" for number in range(65_300))), "65,568 ids with 0, and 16 bits"),
    (files.rwkv, e.Preset("klingon"), "known: emoji"),
    (files.gguf_bpe, e.SetPreTokenizer("qwen3"), "is not a pre-tokenizer of llama.cpp; did you mean qwen"),
    (files.gguf_bpe, e.Remove(("<s>",)), "bos_token_id"),
    (files.gguf_spm, e.AddToken("<x>", lstrip=True), "has no flag lstrip"),
    (files.gguf_spm, e.AddMerges(("lo",)), "has no merges"),
]  # fmt: skip


def test_what_cannot_be_done_is_refused_with_its_place() -> None:
    for base, edit, says in REFUSED:
        said = refusal(replay, base(), [edit], "toy")
        assert says in said, said
        assert said.startswith(f"edit 1, {e.kind_of(edit)}: ")
    for name, found in EDITORS.items():
        done = {e.kind_of(kind) for kind in found.steps}
        assert done | INSTEAD[name].keys() == set(KINDS)
        assert not done & INSTEAD[name].keys()


def test_a_format_that_cannot_be_edited_says_what_can() -> None:
    assert {found.name for found in FORMATS} == INSTEAD.keys()
    assert {name for name, kinds in INSTEAD.items() if "all" not in kinds} == EDITORS.keys()
    said = refusal(replay, "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "##b"]).encode(), [], "toy")
    assert mentions(
        said,
        "toy: a BERT vocab.txt can't be edited here; open its folder with transformers, call save_pretrained, and edit "
        "the tokenizer.json that it writes",
    )


HEAD_OF = 'format = "tokenizer-explorer edits 1"\n[[edit]]\nkind = '


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x", "this is not TOML"), ("a = 1", "its first line must be format"),
        (HEAD_OF + '"drop"', "toy: edit 1: its kind is 'drop'; use one of"),
        (HEAD_OF + '"add-token"\ntex = "a"', "add-token has no key 'tex'"),
        (HEAD_OF + '"add-token"\ntext = 1', "text is 1; give a text"),
        (HEAD_OF + '"remove"\nids = [true]', "ids[0] is True; give a whole"),
        (HEAD_OF + '"remove"', "remove names nothing"),
        (HEAD_OF + '"add-token"', "add-token needs the key text"),
    ],
)  # fmt: skip
@pytest.mark.sample(8)
def test_a_damaged_file_of_edits_is_refused(text: str, says: str) -> None:
    assert says in refusal(edits_file.read, text.encode(), "toy")


def test_the_preset_keeps_the_bytes_and_stays_within_16_bits() -> None:
    base = (VOCABS / "rwkv_vocab_v20230424.txt").read_bytes()
    edited = replay(base, [e.Preset("emoji")], "rwkv")
    old, new = byte_lists.read_rwkv(base, "old"), byte_lists.read_rwkv(edited.data, "new")
    assert len(new) <= 65_535
    assert [new[bytes([byte])] for byte in range(256)] == [*range(1, 257)]
    assert {token for token in old if token not in new} == {
        token for token in old
        if len(token) > 1 and token.isascii() and not token.decode().replace(" ", "").isdecimal() and token.strip()
    }  # fmt: skip
    added = {token.decode() for token in new if token not in old}
    wanted = {line.decode() for name in ("emoji.txt", "kaomoji.txt") for line in presets.preset_tokens(name)}
    assert added == {text for text in wanted if text.encode() not in old}


@pytest.mark.long
def test_the_preset_opens_and_spares_emoji_at_the_cost_of_english() -> None:
    base = (VOCABS / "rwkv_vocab_v20230424.txt").read_bytes()
    mine = open_bytes(replay(base, [e.Preset("emoji")], "rwkv").data, "emoji", None)
    tok = bundled("rwkv-world")
    for text in ("👩‍👩‍👧‍👦", "🏳️‍🌈", "(^_^)", "¯\\_(ツ)_/¯"):
        assert len(mine.encode(text).ids) == 1 < len(tok.encode(text).ids), text
    assert len(mine.encode("Norwegian").ids) == 9 > len(tok.encode("Norwegian").ids)


def test_a_saved_file_is_opened_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "emoji.txt"
    path.write_bytes(replay(files.rwkv(), [e.Preset("emoji")], "rwkv").data)
    assert explorer.load(path).encode("😀😀").ids == [explorer.load(path).vocabulary.ids["😀".encode()]] * 2

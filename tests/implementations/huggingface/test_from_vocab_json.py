"""vocab.json and merges.txt against `ByteLevelBPETokenizer` and `CharBPETokenizer`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tokenizers import ByteLevelBPETokenizer, CharBPETokenizer, Regex, SentencePieceBPETokenizer, pre_tokenizers
from tokenizers.models import BPE

import explorer
from explorer.errors import ChoiceNeeded, InputError
from explorer.facts import FactKind
from explorer.implementations.huggingface.from_vocab import PATTERNS, of_vocab_json
from explorer.opening.formats import main_file, open_bytes, open_files
from explorer.vocabulary import PRINTABLE
from tests.originals.generators import strings
from tests.originals.sentencepiece import corpus


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model written by Hugging Face's trainer, under the usual names and with a prefix."""
    made = tmp_path_factory.mktemp("vocab_merges")
    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(
        corpus(), vocab_size=1_500, special_tokens=["<s>", "<|endoftext|>"], show_progress=False
    )
    tokenizer.save_model(str(made))
    tokenizer.save_model(str(made), "toy")
    return made


def compare(ours: explorer.Tokenizer, theirs: ByteLevelBPETokenizer) -> None:
    for text in strings(seed=52, count=400):
        want = theirs.encode(text)
        found = ours.encode(text)
        assert found.ids == ours.trace(text).ids == want.ids, ascii(text)
        if not found.pieces or text.startswith(" ") or not found.pieces[0].startswith("Ġ"):
            # the original gives an added prefix space an empty span
            assert found.spans == want.offsets, ascii(text)
        assert ours.decode(want.ids) == theirs.decode(want.ids, skip_special_tokens=False)


@pytest.mark.parametrize("prefix_space", [False, True])
def test_ids_offsets_and_texts_match_the_original(folder: Path, prefix_space: bool) -> None:
    theirs = ByteLevelBPETokenizer(
        *(str(folder / name) for name in ("vocab.json", "merges.txt")), add_prefix_space=prefix_space
    )
    compare(explorer.load(folder / "vocab.json", prefix_space="yes" if prefix_space else "no"), theirs)


@pytest.mark.parametrize("pattern", [*PATTERNS, r"\w+|\s*[^\w\s]+|\s"])
def test_another_pattern_can_be_chosen(folder: Path, pattern: str) -> None:
    theirs = ByteLevelBPETokenizer(*(str(folder / name) for name in ("vocab.json", "merges.txt")))
    regex = PATTERNS[pattern].regex if pattern in PATTERNS else pattern
    theirs._tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(regex), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    compare(explorer.load(folder / "vocab.json", pattern=pattern), theirs)


def test_the_merges_are_found_under_their_usual_names(folder: Path, tmp_path: Path) -> None:
    vocab, merges = ((folder / name).read_bytes() for name in ("vocab.json", "merges.txt"))
    for names in (("vocab.json", "merges.txt"), ("toy-vocab.json", "toy-merges.txt"), ("encoder.json", "vocab.bpe"),
                  ("my.json", "merges.txt"), ("toy-vocab.json", "merges.txt")):  # fmt: skip
        files = dict(zip(names, (vocab, merges.replace(b"\n", b"\r\n")), strict=True))
        renamed = tmp_path / "-".join(names)
        renamed.mkdir()
        for name, data in files.items():
            (renamed / name).write_bytes(data)
        for tok in (
            explorer.load(renamed / names[0]),
            open_files(files, None),
            open_files(dict(reversed(files.items())), "huggingface"),
        ):
            assert tok.encode("lower").ids == explorer.load(folder / "vocab.json").encode("lower").ids


def test_both_files_are_required(folder: Path, tmp_path: Path) -> None:
    vocab, merges = ((folder / name).read_bytes() for name in ("vocab.json", "merges.txt"))
    (tmp_path / "vocab.json").write_bytes(vocab)
    with pytest.raises(InputError, match=r"vocab\.json: .* put merges\.txt next to it"):
        explorer.load(tmp_path / "vocab.json")
    with pytest.raises(InputError, match=r"put merges\.txt next to it, or give both"):
        open_bytes(vocab, "vocab.json", None)
    with pytest.raises(InputError, match=r"merges\.txt: these are merges; open the vocab\.json"):
        open_bytes(merges, "merges.txt", None)
    (tmp_path / "merges.txt").mkdir()
    with pytest.raises(InputError, match=r"put merges\.txt next to it"):
        explorer.load(tmp_path / "vocab.json")


def test_exactly_one_of_several_files_is_a_vocabulary() -> None:
    assert main_file({"a.txt": b"", "b": b"GGUF"}) == "b"
    for files, says in (({"a": b"GGUF", "b": b"IQ== 0\n"}, "several are: a, b"), ({"a": b"", "b": b""}, "none is")):
        with pytest.raises(InputError, match=says):
            main_file(files)


def test_the_card_warns_of_settings_the_files_lack() -> None:
    vocab = {"a": 0, "b": 1, "<|x|>": 2, "</s>": 3}
    facts = of_vocab_json(vocab, [], "toy", {})[1]
    warnings = {fact.topic: fact for fact in facts if fact.kind == FactKind.WARNING}
    assert warnings["special tokens"].code == "2 <|x|>\n3 </s>"
    assert warnings["model"].says.startswith("254 bytes have no piece")


def test_bytes_without_a_piece_are_dropped_like_the_original(tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_text(json.dumps({"a": 0, "b": 1, "ab": 2}))
    (tmp_path / "merges.txt").write_text("a b\n")
    theirs = ByteLevelBPETokenizer(*(str(tmp_path / name) for name in ("vocab.json", "merges.txt")))
    assert isinstance(theirs._tokenizer.model, BPE)
    for text in ("abc", "cab ab", "é", ""):
        assert explorer.load(tmp_path / "vocab.json").encode(text).ids == theirs.encode(text).ids


@pytest.fixture(scope="module")
def characters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model like the first GPT's, with its unknown token."""
    made = tmp_path_factory.mktemp("characters")
    tokenizer = CharBPETokenizer()
    tokenizer.train_from_iterator(corpus(), vocab_size=1_200, limit_alphabet=150, show_progress=False)
    tokenizer.save_model(str(made))
    return made


@pytest.mark.parametrize("lowercase", [False, True])
def test_character_pieces_match_the_original(characters: Path, lowercase: bool) -> None:
    theirs = CharBPETokenizer(*(str(characters / name) for name in ("vocab.json", "merges.txt")), lowercase=lowercase)
    case = "uncased" if lowercase else "cased"
    ours = explorer.load(characters / "vocab.json", encoder="characters", case=case)
    for text in strings(seed=53, count=400):
        want = theirs.encode(text)
        assert ours.encode(text).ids == ours.trace(text).ids == want.ids, ascii(text)
        assert ours.encode(text).spans == want.offsets, ascii(text)
        assert ours.decode(want.ids) == theirs.decode(want.ids, skip_special_tokens=False)


def test_the_encoder_must_be_chosen_for_character_pieces(characters: Path) -> None:
    with pytest.raises(ChoiceNeeded, match="pieces end in </w>") as caught:
        explorer.load(characters / "vocab.json")
    assert (caught.value.key, caught.value.options) == ("encoder", ("characters", "byte-level", "metaspace"))
    assert not caught.value.free
    assert explorer.load(characters / "vocab.json", encoder="byte-level").encode("the").pieces == ["the"]
    assert explorer.load(characters / "vocab.json", encoder="characters").encode("the").pieces == ["the</w>"]


@pytest.mark.parametrize("prefix_space", [False, True])
def test_pieces_with_a_space_mark_match_the_original(tmp_path: Path, prefix_space: bool) -> None:
    trained = SentencePieceBPETokenizer(add_prefix_space=prefix_space)
    trained.train_from_iterator(corpus(), vocab_size=1_000, limit_alphabet=150, show_progress=False)
    trained.save_model(str(tmp_path))
    files = [str(tmp_path / name) for name in ("vocab.json", "merges.txt")]
    with pytest.raises(ChoiceNeeded, match="▁"):
        explorer.load(files[0])
    theirs = SentencePieceBPETokenizer.from_file(*files, add_prefix_space=prefix_space)
    ours = explorer.load(files[0], encoder="metaspace", prefix_space="yes" if prefix_space else "no")
    for text in strings(seed=54, count=400):
        want = theirs.encode(text)
        assert ours.encode(text).ids == ours.trace(text).ids == want.ids, ascii(text)
        assert ours.decode(want.ids) == theirs.decode(want.ids, skip_special_tokens=False)


BYTES_IN_FULL = {ch: id for id, ch in enumerate(PRINTABLE)}
STRANGE = ["▁", "日", "##日", "@@", "…", "а", "ا", "क", "€", "\u3000"]
"""Characters that begin a piece, some of which spell no byte."""


@pytest.mark.parametrize("ch", STRANGE)
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("merged", [False, True])
def test_the_encoder_must_be_chosen_where_a_piece_spells_no_bytes(ch: str, full: bool, merged: bool) -> None:
    """Whether all bytes have a piece or not, by the merges where there are some and else by the pieces."""
    pieces = [*(BYTES_IN_FULL if full else "ab"), "<｜end▁of｜>"]
    pieces += [each for each in (ch, ch + "a") if each not in pieces]
    vocab = {piece: id for id, piece in enumerate(pieces)}
    merges = [f"{ch} a"] if merged else []
    if set(ch) <= set(PRINTABLE):
        of_vocab_json(vocab, merges, "toy", {})
        return
    with pytest.raises(ChoiceNeeded, match="toy: 1 of 1 merge" if merged else "toy: 2 of ") as caught:
        of_vocab_json(vocab, merges, "toy", {})
    for encoder in caught.value.options:
        of_vocab_json(vocab, merges, "toy", {"encoder": encoder})


def test_a_token_with_a_space_mark_beside_merges_of_bytes_asks_nothing() -> None:
    of_vocab_json({"a": 0, "b": 1, "ab": 2, "<｜begin▁of｜>": 3, "▁": 4}, ["a b"], "toy", {})


@pytest.mark.parametrize(("choices", "says"), [
    ({"encoder": "unigram"}, "encoder is 'unigram'; choose characters, byte-level or metaspace"),
    ({"encoder": "metaspace", "prefix_space": "maybe"}, "prefix_space is 'maybe'"),
    ({"encoder": "characters", "case": "Cased"}, "case is 'Cased'; choose cased or uncased"),
    ({"pattern": "gpt2"}, "there is no pattern named 'gpt2'; known are gpt-2"),
    ({"pattern": ""}, "there is no pattern named ''"),
    ({"pattern": "a)"}, "character 2 of the pattern"),
    ({"prefix_space": "maybe"}, "prefix_space is 'maybe'"),
    ({"prefix_space": "yes", "pattern": "qwen-2"}, "choose no, or yes with the pattern gpt-2"),
])  # fmt: skip
def test_unknown_choices_are_refused(choices: dict[str, str], says: str) -> None:
    with pytest.raises(InputError, match=f"^toy: .*{says}"):
        of_vocab_json({"a": 0}, [], "toy", choices)

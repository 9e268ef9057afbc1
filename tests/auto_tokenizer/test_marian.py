"""Marian's and M2M100's folders, live: SentencePiece models whose pieces vocab.json numbers."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import explorer
from explorer.answers.offers import Upload, group_uploads
from explorer.errors import InputError
from explorer.formats import sentencepiece_model
from explorer.opening.formats import files_at
from explorer.script.script import window_of
from explorer.stages.decoders.losses import round_trip
from explorer.views.overview import sections
from tests.auto_tokenizer.comparing import differences, originals, texts
from tests.auto_tokenizer.folders import TOKEN, Case
from tests.auto_tokenizer.test_sentencepiece_folders import OWN_TEXTS, model
from tests.formats import sentencepiece_writer as writer

MARIAN, M2M100 = "MarianTokenizer", "M2M100Tokenizer"
TYPES = {MARIAN: "marian", M2M100: "m2m_100"}
SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "clean": {"clean_up_tokenization_spaces": True},
    "named": {"unk_token": "the", "eos_token": "[e]", "bos_token": "<b>"},
    "flags": {"eos_token": TOKEN | {"content": "</s>", "lstrip": True, "rstrip": True, "normalized": True}},
    "decoder": {"added_tokens_decoder": {"3": {"content": "<x>"}, "900": {"content": "own", "special": True}}},
    "decoder-near": {"added_tokens_decoder": {"5": {"content": "<x>", "lstrip": True}, "12": {"content": "ser"}}},
    "additional": {"additional_special_tokens": ["<a>", "__de__", "__en__"]},
    "extra": {"extra_special_tokens": ["<a>"]},
    "languages": {"additional_special_tokens": [f"__{code}__" for code in ("af", "am", "ar")]},
    "german": {"src_lang": "de", "source_lang": "de", "target_lang": "fr"},
    "elvish": {"src_lang": "qya"},
    "wmt21": {"language_codes": "wmt21", "src_lang": "ha"},
    "no-language-codes": {"language_codes": "x"},
    "split": {"split_special_tokens": True},
    "null-pad": {"pad_token": None},
    "null-eos": {"eos_token": None},
    "missing-unk": {"unk_token": "<nothing>"},
    "missing-pad": {"pad_token": "<nothing>"},
}
LEFT_OUT = {"null-eos"}
"""Settings with which the original opens, and adds null to the ids."""
OF_M2M100 = LEFT_OUT | {"named", "missing-unk"}
"""Those with which M2M100's opens, and fails at a character without a piece."""
ANEW = {"additional"}
"""Those that give languages new ids, which decoding tells apart in version 5 only."""


def refused(name: str, settings: str, version: int) -> bool:
    """Whether settings that the original opens are refused here."""
    many = name.startswith(M2M100)
    if many and settings == "named" and SETTINGS[settings]["unk_token"] in json.loads(vocab(*FILES[name].values())):
        return False
    return settings in (OF_M2M100 if many else LEFT_OUT) or (many and version != 4 and settings in ANEW)


@cache
def vocab(*layouts: str) -> bytes:
    """Most pieces of models, and some that they lack."""
    names = dict.fromkeys(["<unk>", "</s>", "<pad>", ">>fra<<", "é", "漢", "漢字", "▁漢", "__de__x"])
    for layout in layouts:
        pieces = sentencepiece_model.read(model(layout), layout).pieces
        names |= dict.fromkeys(piece.decode() for at, piece in enumerate(pieces) if at % 7)
    return json.dumps({piece: id for id, piece in enumerate(names)}).encode()


FILES = {
    f"{MARIAN}.unigram": {"source.spm": "unigram", "target.spm": "t5"},
    f"{MARIAN}.bpe": {"source.spm": "plain-bpe", "target.spm": "bpe"},
    f"{M2M100}.bpe": {"sentencepiece.bpe.model": "plain-bpe"},
    f"{M2M100}.bytes": {"sentencepiece.bpe.model": "bpe"},
    f"{M2M100}.unigram": {"sentencepiece.bpe.model": "unigram"},
}
"""Class and models → its files and their layouts."""


def case(name: str, settings: str) -> Case:
    """A folder."""
    kind, layouts = name.partition(".")[0], FILES[name]
    files = {file: model(layout) for file, layout in layouts.items()}
    tokenizer = {"tokenizer_config.json": {"tokenizer_class": kind} | SETTINGS[settings]}
    return Case(f"{name}.{settings}", "", {**files, "vocab.json": vocab(*layouts.values()), **tokenizer})


def generated() -> list[str]:
    """Texts with codes, special tokens and characters that the models lack."""
    rng = random.Random(5)
    parts = [">>fra<<", ">>x<<", ">>", "<<", "</s>", "<pad>", "<unk>", "__de__", "__en__", "<x>", "own", "<a>", "漢",
             "字", "é", "the", " ", "  ", "\n", "▁", "a", "ü", "\x1c", "[e]"]  # fmt: skip
    return ["".join(rng.choices(parts, k=rng.randrange(8))) for _ in range(150)]


@pytest.mark.long
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("version", [5, 4])
def test_folders_match_auto_tokenizer(version: int, name: str, tmp_path: Path) -> None:
    asked = [*OWN_TEXTS, *texts(60), *generated(), "漢字 é 漢字漢", ">>fra<<"]
    folders = [case(name, each).written(tmp_path) for each in SETTINGS]
    wrong = []
    for each, folder, theirs in zip(SETTINGS, folders, originals(version, folders, asked), strict=True):
        if refused(name, each, version):
            with pytest.raises(InputError):
                explorer.load(folder, f"transformers-{version}")
            continue
        wrong += differences(version, folder, theirs, asked)
        if "error" not in theirs:
            ours = explorer.load(folder, f"transformers-{version}")
            assert [[*ids] for ids in ours.encode_batch(asked * 20)] == [ours.encode(text).ids for text in asked] * 20
    assert wrong[:10] == []


PIECES = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3), ("▁", -3.0, 1), ("a", -2.0, 1), ("b", -2.0, 1),
          ("▁ab", -1.0, 1)]  # fmt: skip


def toy(kind: str, names: list[str], **settings: Any) -> Case:
    """A folder with a toy model, and a vocabulary of these pieces."""
    data = writer.model(*PIECES, trainer=writer.message(f3=1), normalizer=writer.message(f1=b"identity"))
    models = ("source.spm", "target.spm") if kind == MARIAN else ("sentencepiece.bpe.model",)
    numbers = json.dumps({piece: id for id, piece in enumerate(names)}).encode()
    config = {"tokenizer_class": kind} | settings
    return Case("toy", "", {**dict.fromkeys(models, data), "vocab.json": numbers, "tokenizer_config.json": config})


@pytest.mark.parametrize("version", [5, 4])
def test_toys_by_eye(version: int, tmp_path: Path) -> None:
    names = ["<unk>", "</s>", "<pad>", "▁", "b", "▁ab", "漢字", ">>xx<<"]
    tok = explorer.load(toy(MARIAN, names).written(tmp_path / "marian"), f"transformers-{version}")
    # a is no piece of vocab.json; 漢字 is, but not of the model
    assert tok.encode(">>xx<<ab a漢字b 漢</s>").ids == [7, 5, 3, 0, 6, 4, 3, 0, 1, 1]
    assert tok.decode([7, 5, 3, 6, 4, 1], remove_special=False) == ">>xx<< ab 漢字b</s>"
    many = explorer.load(toy(M2M100, names, src_lang="am").written(tmp_path / "many"), f"transformers-{version}")
    assert many.encode("ab").ids == [len(names) + 1, 5, 1]
    assert many.decode(many.encode("ab").ids) == "ab"
    assert many.decode(many.encode("ab").ids, remove_special=False) == "__am__ ab</s>"


def test_every_stage_is_drawn(tmp_path: Path) -> None:
    tok = explorer.load(toy(MARIAN, ["<unk>", "</s>", "<pad>", "▁", "b", "漢"]).written(tmp_path))
    trace = tok.trace(">>xx<<ab 漢 </s> b")
    found = sections(tok, trace, round_trip(tok, trace), window_of(trace))
    assert [each.key for each in found] == ["utf8", "partition", "normalize", "model", "post-process", "decode"]


@pytest.mark.parametrize(("missing", "says"), [("vocab.json", "give one of them"), ("source.spm", r"no source\.spm")])
def test_a_missing_file_is_named(missing: str, says: str, tmp_path: Path) -> None:
    whole = toy(MARIAN, ["<unk>", "</s>", "<pad>"])
    part = Case("part", "", {name: data for name, data in whole.files.items() if name != missing})
    with pytest.raises(InputError, match=says):
        explorer.load(part.written(tmp_path))


def test_files_that_are_uploaded_stay_together(tmp_path: Path) -> None:
    folder = toy(MARIAN, ["<unk>", "</s>", "<pad>"]).written(tmp_path)
    names = {"vocab.json", "source.spm", "target.spm", "tokenizer_config.json"}
    assert {path.name for path in files_at(folder)} == names
    (group,) = group_uploads([Upload(path.name, path.read_bytes()) for path in folder.iterdir()]).groups
    assert {file.name for file in group} == names

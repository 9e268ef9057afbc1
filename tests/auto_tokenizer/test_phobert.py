"""PhoBERT's and BERTweet's folders, live: vocab.txt and bpe.codes, which transformers runs in Python."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import explorer
from explorer.answers.offers import Upload, group_uploads
from explorer.errors import InputError
from explorer.opening.formats import files_at
from tests.auto_tokenizer.comparing import differences, originals, texts
from tests.auto_tokenizer.folders import Case

CODES = b"t h 9\nth e</w> 8\ni n 7\nin g</w> 6\na a 5\nw o 4\nr d</w> 3\nwo rd</w> 2\nwo rd</w> 1\nx y</w> 1\n"
"""The last pair but one comes twice; what the last one makes is no piece."""
WORDS = (
    b"the 9\nth@@ 8\nin@@ 7\ning 6\nt@@ 5\ne 5\na 4\naa@@ 4\naa 4\nword 3\ng@@ 2\nx@@ 2\n. 1\n\xc3\xa9 1\n@@@ 1\n@ 1\n"
)
FILES = {"vocab.txt": WORDS, "bpe.codes": CODES}
PLAIN = {"lstrip": False, "rstrip": False, "single_word": False}
OWN = {"content": "<own>", **PLAIN, "normalized": True, "special": False}
MASK = {**OWN, "content": "<mask>", "normalized": False, "special": True}

SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "clean": {"clean_up_tokenization_spaces": True},
    "mask": {"mask_token": "[MASK]", "pad_token": "<p>"},
    "cls": {"cls_token": "the", "sep_token": "<sep>"},
    "decoder": {"added_tokens_decoder": {"20": MASK}},
    "own": {"added_tokens_decoder": {"20": MASK, "21": OWN}},
    "gap": {"added_tokens_decoder": {"40": OWN}},
    "additional": {"additional_special_tokens": ["<a>", "<b>"]},
    "no-unk": {"unk_token": None},
    "no-cls": {"cls_token": None},
    "bos": {"add_bos_token": True, "add_eos_token": False},
    "left": {"mask_token": {"__type": "AddedToken", **MASK, "lstrip": True}},
    "split": {"split_special_tokens": True},
}
REFUSED = {5: {"gap", "left", "split", "no-unk"}, 4: {"gap", "left", "split", "no-unk", "own", "additional"}}
"""The settings that are not run here, by version."""


def case(name: str, config: dict[str, Any], files: dict[str, bytes] = FILES) -> Case:
    return Case(name, "", {**files, "tokenizer_config.json": config})


def cases() -> dict[str, Case]:
    return {
        f"{kind}.{name}": case(f"{kind}.{name}", {"tokenizer_class": kind, **of})
        for kind in ("PhobertTokenizer", "BertweetTokenizer")
        for name, of in SETTINGS.items()
    }


def generated() -> list[str]:
    """Texts of the characters that the files have, and some others."""
    rng = random.Random(5)
    return ["".join(rng.choices("theingawordxy.é@ \n\x1c\u2028z<mask>", k=rng.randrange(40))) for _ in range(300)]


@pytest.mark.long
@pytest.mark.parametrize("version", [5, 4])
def test_folders_match_auto_tokenizer(version: int, tmp_path: Path) -> None:
    asked = [*texts(80), *generated(), "the  thing\nword <mask> aaaa xy @@ the@@ <own>", "a\n<mask>\n b", "\n"]
    folders = {name: case.written(tmp_path) for name, case in cases().items()}
    wrong = []
    for (name, folder), theirs in zip(folders.items(), originals(version, [*folders.values()], asked), strict=True):
        if name.partition(".")[2] in REFUSED[version]:
            with pytest.raises(InputError):
                explorer.load(folder, f"transformers-{version}")
            continue
        wrong += differences(version, folder, theirs, asked)
        if not name.endswith("no-cls"):  # the original fails at the first text
            ours = explorer.load(folder, f"transformers-{version}")
            assert all(ours.trace(text).ids == ours.encode(text).ids for text in asked)
            assert [[*ids] for ids in ours.encode_batch(asked)] == [ours.encode(text).ids for text in asked]
    assert wrong[:10] == []


@pytest.mark.parametrize("version", [5, 4])
def test_a_toy_folder_by_eye(version: int, tmp_path: Path) -> None:
    tok = explorer.load(cases()["PhobertTokenizer.plain"].written(tmp_path), f"transformers-{version}")
    made = tok.encode("the thing xy\n<mask>")
    pieces = [tok.vocabulary.pieces[id].decode() for id in made.ids]
    assert pieces == ["<s>", "the", "th@@", "ing", "x@@", "<unk>", "<unk>", "<mask>", "</s>"]
    assert tok.decode(made.ids, remove_special=False) == "<s> the thing x<unk> <unk> <mask> </s>"


@pytest.mark.parametrize(("files", "says"), [
    ({"vocab.txt": WORDS}, r"put bpe\.codes next to it"),
    ({"vocab.txt": WORDS + b"the 1\n", "bpe.codes": CODES}, "line 17 is 'the', as line 1 is"),
    ({"vocab.txt": WORDS + b"<s> 1\n", "bpe.codes": CODES}, "'<s>' comes twice"),
    ({"vocab.txt": WORDS + b"x\n", "bpe.codes": CODES}, "line 17 is not a word and its count"),
    ({"vocab.txt": WORDS, "bpe.codes": b"ab c 2\na b 1\n"}, "an earlier line merges"),
    ({"vocab.txt": WORDS, "bpe.codes": b"/ w 3\n/w > 2\n< /w> 1\n"}, "only looks like the end of"),
])  # fmt: skip
def test_what_is_not_run_is_refused(files: dict[str, bytes], says: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=says):
        explorer.load(case("refused", {"tokenizer_class": "PhobertTokenizer"}, files).written(tmp_path))


def test_words_with_counts_alone_are_named(tmp_path: Path) -> None:
    (tmp_path / "dict.txt").write_bytes(WORDS)
    with pytest.raises(InputError, match=r"^dict\.txt: these are words with counts"):
        explorer.load(tmp_path / "dict.txt")


def test_files_that_are_uploaded_stay_together(tmp_path: Path) -> None:
    config = b'{"tokenizer_class": "PhobertTokenizer"}'
    uploads = [Upload(name, data) for name, data in {**FILES, "tokenizer_config.json": config}.items()]
    (group,) = group_uploads(uploads).groups
    assert {file.name for file in group} == {*FILES, "tokenizer_config.json"}
    folder = case("folder", {"tokenizer_class": "PhobertTokenizer"}).written(tmp_path)
    assert {path.name for path in files_at(folder)} == {*FILES, "tokenizer_config.json"}


def test_tweets_are_not_normalized(tmp_path: Path) -> None:
    config = {"tokenizer_class": "BertweetTokenizer", "normalization": True}
    with pytest.raises(InputError, match="normalization is true"):
        explorer.load(case("tweets", config).written(tmp_path))


@pytest.mark.parametrize("version", [5, 4])
def test_another_class_does_not_read_these_files(version: int, tmp_path: Path) -> None:
    folder = case("bert", {"tokenizer_class": "BertTokenizer"}).written(tmp_path)
    with pytest.raises(InputError):
        explorer.load(folder, f"transformers-{version}")

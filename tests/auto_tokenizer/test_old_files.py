"""Folders with old files: a model section without its type, a vocab.txt with blank and equal lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import explorer
from tests.auto_tokenizer.bases import base
from tests.auto_tokenizer.comparing import differences, originals, texts
from tests.auto_tokenizer.folders import Case
from tests.implementations.huggingface.test_from_vocab_txt import BLANK

CLASSES = {
    "gpt2": ("GPT2Tokenizer", "RobertaTokenizer", "PreTrainedTokenizerFast"),
    "bert": ("BertTokenizer", "DistilBertTokenizer", "PreTrainedTokenizerFast"),
    "xlm-r": ("XLMRobertaTokenizer", "PreTrainedTokenizerFast"),
}


def without_type(name: str) -> bytes:
    """The tokenizer.json of a base without `model.type`."""
    whole = json.loads(base(name))
    del whole["model"]["type"]
    return json.dumps(whole).encode()


def case(name: str, files: dict[str, bytes], kind: str) -> Case:
    """A folder of a class."""
    return Case(name, "", {**files, "tokenizer_config.json": {"tokenizer_class": kind}})


def cases() -> list[Case]:
    """The folders."""
    found = [
        case(f"{name}.{kind}", {"tokenizer.json": without_type(name)}, kind)
        for name, kinds in CLASSES.items()
        for kind in kinds
    ]
    for number, text in enumerate((BLANK, BLANK.replace("\n", "\r\n"), BLANK.replace("e\n", "e\rf\n"))):
        found.append(case(f"blank.{number}", {"vocab.txt": text.encode()}, "BertTokenizer"))
    return found


@pytest.mark.parametrize("version", [5, 4])
def test_the_fields_show_the_type_of_the_model(version: int, tmp_path: Path) -> None:
    for each in cases():
        name = each.name.partition(".")[0]
        if name in CLASSES:
            typed = Case(f"typed.{each.name}", "", {**each.files, "tokenizer.json": base(name)})
            old, new = (explorer.load(one.written(tmp_path), f"transformers-{version}") for one in (each, typed))
            assert old.encode("Ünïcode 12 it's").ids == new.encode("Ünïcode 12 it's").ids


@pytest.mark.long
@pytest.mark.parametrize("version", [5, 4])
def test_old_files_open_as_in_the_original(version: int, tmp_path: Path) -> None:
    asked = [*texts(40), "a ab c d db e\u2028 g", "e\rf"]
    folders = [each.written(tmp_path) for each in cases()]
    answers = originals(version, folders, asked)
    wrong = [line for folder, theirs in zip(folders, answers, strict=True)
             for line in differences(version, folder, theirs, asked)]  # fmt: skip
    assert wrong == []
    assert sum("error" not in each for each in answers) > len(answers) - 2

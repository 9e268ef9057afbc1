"""A class that is not run here is refused with what it does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import explorer
from explorer.errors import InputError
from explorer.implementations.transformers import v5_classes
from explorer.implementations.transformers.left_out import LEFT_OUT
from explorer.implementations.transformers.tables import classes
from explorer.implementations.transformers.v4 import classes as v4_classes

FILES = {
    "MarianTokenizer": {"vocab.json": b'{"<unk>": 0, "</s>": 1, "a": 2}', "source.spm": b""},
}


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("version", [5, 4])
def test_the_error_says_what_the_class_does(version: int, kind: str, tmp_path: Path) -> None:
    for name, data in FILES[kind].items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": kind}))
    with pytest.raises(InputError) as refused:
        explorer.load(tmp_path, f"transformers-{version}")
    assert LEFT_OUT[kind] in str(refused.value)
    assert kind in str(refused.value)
    assert "tokenizer.json" not in str(refused.value), "there is none that could be run alone"


def test_only_classes_that_exist_and_are_not_run_are_listed() -> None:
    for version, run in ((4, v4_classes.CLASSES), (5, v5_classes.CLASSES)):
        assert LEFT_OUT.keys() <= set(classes(version).values())
        assert not LEFT_OUT.keys() & run.keys()


def test_a_folder_without_the_vocabulary_of_its_class_is_refused(tmp_path: Path) -> None:
    """The class has one, so the folder lacks it."""
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer"}))
    with pytest.raises(InputError, match="no file in this folder is a vocabulary"):
        explorer.load(tmp_path)

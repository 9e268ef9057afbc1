"""Live parity with the versions of `transformers`: folders with each setting flipped, several hundred nasty texts.

    python -m pytest --tier all tests/auto_tokenizer

The environments are created if missing (`environments.py`). One process of each original answers for all folders,
because starting it takes longer than opening a folder.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.auto_tokenizer import tables
from tests.auto_tokenizer.comparing import differences, originals, texts
from tests.auto_tokenizer.folders import Case, cases
from tests.formats.test_serde_floats import LETTERS, runs
from tests.originals.hugging_face import whole

pytestmark = pytest.mark.long

FEW, MANY = 10, 80
"""The number of texts for every folder, and for those of `THOROUGH`."""
THOROUGH = ("plain", "clean", "decoder", "map-additional", "prefix-space", "no-legacy", "split-special")

STRICTER = "ours stops .*ReformerTokenizer.*post_processor: .* names the id [0-9]+, but the ids are"
"""Its ids are others than the file's, whose post-processor would add ids without a token."""


def grouped(every: Iterable[Case]) -> dict[str, list[Case]]:
    """The folders by base and class."""
    found = defaultdict(list)
    for case in every:
        base, kind, *_ = case.name.split(".")
        found[f"{base}.{kind}" if base != "only" else base].append(case)
    return found


GROUPS = grouped(cases())


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("version", [5, 4])
def test_folders_match_auto_tokenizer(version: int, group: str, tmp_path: Path) -> None:
    wrong: list[str] = []
    opened = 0
    for count, thorough in ((FEW, False), (MANY, True)):
        some = [case for case in GROUPS[group] if (case.name.rpartition(".")[2] in THOROUGH) is thorough]
        asked = texts(count)
        folders = [case.written(tmp_path / str(count)) for case in some]
        for folder, theirs in zip(folders, originals(version, folders, asked), strict=True):
            opened += "error" not in theirs
            wrong += (line for line in differences(version, folder, theirs, asked) if not re.search(STRICTER, line))
    assert wrong[:20] == []
    print(f"{group}, version {version}: {len(GROUPS[group])} folders, {opened} open")


@pytest.mark.parametrize("version", [5, 4])
def test_scores_are_read_as_the_class_reads_them(version: int, tmp_path: Path) -> None:
    vocab = [["<pad>", 0.0], ["</s>", 0.0], ["<unk>", 0.0], ["▁", -2.5], *runs(5)]
    spaces = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    model = {"type": "Unigram", "unk_id": 2, "vocab": vocab, "byte_fallback": False}
    file = json.dumps(whole({"model": model, "pre_tokenizer": spaces, "decoder": spaces})).encode()
    asked = [letter * n for letter in LETTERS for n in range(2, 40)]
    classes = ("T5Tokenizer", "XLMRobertaTokenizer", "PreTrainedTokenizerFast")
    cases = (Case(name, "", {"tokenizer_config.json": {"tokenizer_class": name}}) for name in classes)
    folders = [case.written(tmp_path) for case in cases]
    for folder in folders:
        (folder / "tokenizer.json").write_bytes(file)
    for folder, theirs in zip(folders, originals(version, folders, asked), strict=True):
        assert list(differences(version, folder, theirs, asked))[:5] == []


def test_the_tables_match_the_versions() -> None:
    for path, text in tables.tables().items():
        assert path.read_text("utf-8") == text, "python -m tests.auto_tokenizer.tables"

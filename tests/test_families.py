"""docs/Families.md: its tables are those of the code, the tests it names exist, and what it says fails does fail."""

from __future__ import annotations

import re
from types import ModuleType

import pytest
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

import explorer
from explorer.errors import InputError
from explorer.opening.formats import open_files
from tests.families import PAGE, TABLES, with_tables

ROOT = PAGE.parents[1]
TEXT = PAGE.read_text("utf-8")


def test_the_tables_are_those_of_the_code() -> None:
    assert with_tables(TEXT) == TEXT, "python -m tests.families"
    assert set(re.findall(r"^<!-- (\w+) -->$", TEXT, re.MULTILINE)) - {"end"} == set(TABLES)


def test_the_tests_it_names_exist() -> None:
    named = re.findall(r"`(tests/[\w/.]+)`", TEXT)
    assert len(named) > 10
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize(("section", "theirs"), [
    ("model", models), ("normalizer", normalizers), ("pre_tokenizer", pre_tokenizers),
    ("post_processor", processors), ("decoder", decoders),
])  # fmt: skip
def test_all_types_of_the_original_are_there(section: str, theirs: ModuleType) -> None:
    (row,) = [line for line in TEXT.splitlines() if line.startswith(f"| {section} |")]
    bases = {"Model", "Normalizer", "PreTokenizer", "PostProcessor", "Decoder", "Sequence", "DecodeStream"}
    made = {name for name, each in vars(theirs).items() if isinstance(each, type) and name[0].isupper()} - bases
    assert made - set(re.findall(r"`(\w+)`", row)) == set()


@pytest.mark.parametrize(("name", "data"), [
    ("vocab.txt", b"<cls>\n<pad>\n<eos>\n<unk>\nL\nA\nG\n"), ("bpe.codes", b"n g</w> 70\nn h 40\nt r 28\n"),
    ("codes.txt", b"t h\ne n</w>\n"), ("m.vocab", b"<unk>\t0\n<s>\t0\n</s>\t0\n"),
])  # fmt: skip
def test_files_that_it_says_do_not_open_do_not(name: str, data: bytes) -> None:
    with pytest.raises(InputError):
        open_files({name: data}, None)


def test_the_readme_claims_no_more() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert "docs/Families.md" in readme
    assert not re.search(r"every (family|tokenizer|model) (of tokenizer )?in use", readme)
    kinds = {model.kind for model in explorer.catalog().values()}
    assert all(kind in TEXT for kind in kinds)

"""The supported versions of `transformers`, and the class that each uses for a name or a model type, from tables the
library generated.

`python -m tests.auto_tokenizer.tables` writes them, with sentencepiece, protobuf and tiktoken installed, and without
PyTorch and mistral-common.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from explorer.errors import InputError


class Version(NamedTuple):
    """implementation: its name after an @. number: the release."""

    implementation: str
    number: str


VERSIONS: Final = {
    5: Version("transformers-5", "5.23.0"),
    4: Version("transformers-4", "4.57.6"),
}
"""A major version → its newest release."""


def stops(version: int, why: str) -> InputError:
    """The error where the original raises one."""
    return InputError(f"transformers {VERSIONS[version].number} stops here: {why}")


FOLDER: Final = Path(__file__).parent
CLASSES: Final = FOLDER / "classes.tsv"
MODELS: Final = FOLDER / "models.tsv"
METHODS: Final = FOLDER / "methods.tsv"
LANGUAGES: Final = FOLDER / "languages.tsv"


class OfModel(NamedTuple):
    """The classes of a version for a `model_type`.

    by_config: for the model's configuration, "-" if that has none (version 4). registered: the name in the table of
    tokenizers (version 5). wrong_on_hub: whether such models are known to name a wrong class (version 5).
    """

    by_config: str = ""
    registered: str = ""
    wrong_on_hub: bool = False


@cache
def classes(version: int) -> Mapping[str, str]:
    """`tokenizer_class` → the class that is used for it.

    >>> classes(4)["GPT2Tokenizer"], classes(5)["GPT2TokenizerFast"]
    ('GPT2TokenizerFast', 'GPT2Tokenizer')
    """
    return {row["tokenizer_class"]: row[str(version)] for row in _rows(CLASSES) if row[str(version)]}


@cache
def models(version: int) -> Mapping[str, OfModel]:
    """`model_type` → the classes for it.

    >>> models(4)["llama"].by_config, models(5)["bert"].registered
    ('LlamaTokenizerFast', 'BertTokenizer')
    """
    if version == 4:
        return {row["model_type"]: OfModel(row["4"]) for row in _rows(MODELS) if row["4"]}
    by_config, registered, hub = str(version), f"{version}_registered", f"{version}_hub"
    return {
        row["model_type"]: OfModel(row[by_config], row[registered], row[hub] == "wrong")
        for row in _rows(MODELS)
        if row[by_config] or row[registered] or row[hub]
    }


@cache
def methods(version: int) -> frozenset[str]:
    """Names that no setting may have, because the class has a method of that name.

    >>> "encode" in methods(4), "encode_plus" in methods(5)
    (True, False)
    """
    return frozenset(row["method"] for row in _rows(METHODS) if row[str(version)])


@cache
def languages(model: str) -> tuple[str, ...]:
    """The codes of a model's languages, in the library's order; those of "whisper-names" follow English names.

    >>> languages("mbart")[:2], len(languages("nllb")), languages("whisper-names")[:4]
    (('ar_AR', 'cs_CZ'), 202, ('english', 'en', 'chinese', 'zh'))
    """
    return next(tuple(row["languages"].split(" ")) for row in _rows(LANGUAGES) if row["model"] == model)


def _rows(path: Path) -> list[dict[str, str]]:
    """The rows of a table as column name → value."""
    head, *lines = path.read_text("utf-8").splitlines()
    names = head.split("\t")
    return [dict(zip(names, line.split("\t"), strict=True)) for line in lines]

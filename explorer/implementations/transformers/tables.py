"""Which class a version of `transformers` takes for a name or a type of model, as tables written by itself.

`python -m tests.auto_tokenizer.tables` writes them: with sentencepiece, protobuf and tiktoken installed, without
PyTorch and mistral-common.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

FOLDER: Final = Path(__file__).parent
CLASSES: Final = FOLDER / "classes.tsv"
MODELS: Final = FOLDER / "models.tsv"
METHODS: Final = FOLDER / "methods.tsv"


class OfModel(NamedTuple):
    """What a version takes for a `model_type`.

    by_config: the class for the model's configuration, - where that has none (version 4). registered: the name in its
    table of tokenizers, version 5 only.
    wrong_on_hub: the class that such models name is known to be wrong, version 5 only.
    """

    by_config: str = ""
    registered: str = ""
    wrong_on_hub: bool = False


@cache
def classes(version: int) -> Mapping[str, str]:
    """`tokenizer_class` → the class that is taken for it, for those that are known.

    >>> classes(4)["GPT2Tokenizer"], classes(5)["GPT2TokenizerFast"]
    ('GPT2TokenizerFast', 'GPT2Tokenizer')
    """
    return {row["tokenizer_class"]: row[str(version)] for row in rows(CLASSES) if row[str(version)]}


@cache
def models(version: int) -> Mapping[str, OfModel]:
    """`model_type` → what is taken for it.

    >>> models(4)["llama"].by_config, models(5)["bert"].registered
    ('LlamaTokenizerFast', 'BertTokenizer')
    """
    if version == 4:
        return {row["model_type"]: OfModel(row["4"]) for row in rows(MODELS) if row["4"]}
    return {
        row["model_type"]: OfModel(row["5"], row["5_registered"], row["5_hub"] == "wrong")
        for row in rows(MODELS)
        if row["5"] or row["5_registered"] or row["5_hub"]
    }


@cache
def methods(version: int) -> frozenset[str]:
    """Names that no setting may have: the class has a method called so.

    >>> "encode" in methods(4), "encode_plus" in methods(5)
    (True, False)
    """
    return frozenset(row["method"] for row in rows(METHODS) if row[str(version)])


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of a table, by the names of its columns."""
    head, *lines = path.read_text("utf-8").splitlines()
    names = head.split("\t")
    return [dict(zip(names, line.split("\t"), strict=True)) for line in lines]

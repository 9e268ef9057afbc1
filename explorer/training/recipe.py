"""A training written down: algorithm, options and the fingerprint of the corpus, so that it can be repeated.

The fingerprint is the sha256 of what the trainer reads: the distinct words in order with their counts, or the texts
that are not empty. So it doesn't matter how the corpus is spread over files. A recipe is JSON; the options are those
that differ from the trainer's defaults.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from hashlib import sha256
from typing import Any, Final

from explorer.errors import InputError, shown
from explorer.formats import strict_json
from explorer.training.trainers import TRAINERS
from explorer.training.words import CUTTINGS

FORMAT: Final = 2
"""Incremented when a recipe means something else. In the first format, sentencepiece changed no characters."""
KEYS: Final = {"format": int, "algorithm": str, "as": str, "words": str, "line_ends": bool, "options": dict,
               "corpus": str}  # fmt: skip
LARGEST: Final = 2**63
"""The bound of numbers; a larger one, or an infinite one, is of no use to a trainer."""
BYTES: Final = "charsmap"
"""The option that is no text; a recipe has it in hexadecimal digits."""


@dataclass(frozen=True)
class Recipe:
    """A training. words: a name in `CUTTINGS`. line_ends: whether lines were read with their ends, as from files.

    options: of the trainer, by name. unk_token: of the model that is saved. corpus: its fingerprint.
    """

    algorithm: str
    whom: str
    words: str
    line_ends: bool
    options: Mapping[str, Any]
    unk_token: str | None
    corpus: str

    def json(self) -> str:
        """The recipe as a file."""
        options = {name: value.hex() if name == BYTES else value for name, value in self.options.items()}
        values = {"format": FORMAT, "algorithm": self.algorithm, "as": self.whom, "words": self.words,
                  "line_ends": self.line_ends, "options": options, "unk_token": self.unk_token,
                  "corpus": self.corpus}  # fmt: skip
        return json.dumps(values, ensure_ascii=False, indent=2) + "\n"

    def check(self, corpus: Mapping[str, int] | Iterable[str]) -> None:
        """Raises InputError if a corpus is another than the recipe's."""
        own = fingerprint(corpus)
        if own != self.corpus:
            raise InputError(
                f"this corpus is not the recipe's: its sha256 is {own[:16]}…, the recipe has {self.corpus[:16]}…; "
                "give the same texts in the same order"
            )


def fingerprint(corpus: Mapping[str, int] | Iterable[str]) -> str:
    """The sha256 of words with their counts, or of texts.

    >>> fingerprint(["a", "", "b"]) == fingerprint(iter(["a", "b"])) != fingerprint(["ab"])
    True
    """
    hashed = sha256()
    for each in corpus.items() if isinstance(corpus, Mapping) else filter(None, corpus):
        hashed.update(json.dumps(each).encode() + b"\n")
    return hashed.hexdigest()


def changed(options: Any) -> dict[str, Any]:
    """The options that differ from the defaults of their class.

    >>> from explorer.training.huggingface import bpe
    >>> changed(bpe.Options(vocab_size=300))
    {'vocab_size': 300}
    """
    return {field.name: value for field in fields(options) if (value := getattr(options, field.name)) != field.default}


def read(text: str, name: str) -> Recipe:
    """The recipe in a file. Raises InputError.

    >>> recipe = Recipe("bpe", "minbpe", "none", True, {"vocab_size": 300}, None, "0" * 64)
    >>> read(recipe.json(), "recipe.json") == recipe
    True
    """
    values = strict_json.read(text.encode("utf-8", "surrogatepass"), name, "a recipe")
    if not isinstance(values, dict):
        raise InputError(f"{name}: this is no recipe; give the file that --recipe wrote")
    for key, kind in KEYS.items():
        if type(values.get(key)) is not kind:
            raise InputError(f"{name}: {key!r} is missing or has the wrong type; give the file that --recipe wrote")
    if not 1 <= values["format"] <= FORMAT:
        raise InputError(f"{name}: the format is {values['format']}, and this program reads 1 to {FORMAT}")
    trainer = TRAINERS.get((values["algorithm"], values["as"]))
    if trainer is None or values["words"] not in CUTTINGS:
        wanted = f"{values['algorithm']!r} as {values['as']!r}, words {values['words']!r}"
        raise InputError(f"{name}: this program has no such trainer: {wanted}")
    unk = values.get("unk_token")
    if unk is not None and type(unk) is not str:
        raise InputError(f"{name}: 'unk_token' is no text")
    known = {field.name: field for field in fields(trainer.options)}
    options = {}
    for option, value in values["options"].items():
        if option not in known:
            raise InputError(f"{name}: this trainer has no option {option!r}; take it out")
        options[option] = converted(value, str(known[option].type), f"{name}, option {option!r}")
    if values["format"] == 1 and "normalization_rule_name" in known:
        options["normalization_rule_name"] = "identity"
    return Recipe(
        values["algorithm"], values["as"], values["words"], values["line_ends"], options, unk, values["corpus"]
    )


def converted(value: Any, kind: str, where: str) -> Any:
    """An option as its trainer wants it, from JSON. Raises InputError for another type."""
    if kind.startswith("tuple"):
        if type(value) is list and all(type(each) is str for each in value):
            return tuple(value)
    elif kind == "bytes":
        if type(value) is str:
            try:
                return bytes.fromhex(value)
            except ValueError:
                pass
    elif kind == "float" and type(value) in (int, float) and abs(value) <= LARGEST:
        return float(value)
    elif type(value) is int and abs(value) > LARGEST:
        raise InputError(f"{where}: the number has more than 64 bits; give a smaller one")
    elif type(value).__name__ in kind.split(" | ") or (value is None and "None" in kind):
        return value
    raise InputError(f"{where}: {shown(value)} is not of the type {kind}")

"""The class that AutoTokenizer uses for a folder, according to the folder's files, and the supported versions.

Follows `AutoTokenizer.from_pretrained` in `models/auto/tokenization_auto.py`, without `auto_map`, which names the
model's own code: transformers runs it only with permission, and here it never runs. The tables of classes and model
types are the library's own: `python -m tests.auto_tokenizer.tables` writes them, with sentencepiece, protobuf and
tiktoken installed, and without PyTorch and mistral-common.

Stricter than version 4, which guesses the model type from the folder's path if no file names it, so that the folder's
name decides what it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from explorer.errors import InputError, shown
from explorer.formats.files import CONFIG, TOKENIZER_CONFIG
from explorer.formats.model_folder import Json, Settings

VERSIONS: Final = {5: "5.23.0", 4: "4.57.6"}
"""A major version → its newest release."""


def stops(version: int, why: str) -> InputError:
    """The error where the original raises one."""
    return InputError(f"transformers {VERSIONS[version]} stops here: {why}")


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


PLAIN = "TokenizersBackend"
"""The default of version 5."""
GENERIC = (PLAIN, "PythonBackend", "PreTrainedTokenizerFast")
"""Classes for any kind of tokenizer."""


def class_for(version: int, settings: Settings, byte_level: bool = False) -> str:
    """The name of the class. byte_level: whether the tokenizer.json contains the string "ByteLevel", with its quotes.

    Raises InputError if the version finds none.

    >>> class_for(4, Settings({"tokenizer_class": "LlamaTokenizer"}), True)
    'LlamaTokenizerFast'
    >>> class_for(5, Settings({"tokenizer_class": "LlamaTokenizer"}), True)
    'TokenizersBackend'
    """
    return _class_of_version_4(settings) if version == 4 else _class_of_version_5(settings, byte_level)


def _class_of_version_4(settings: Settings) -> str:
    named, code = named_class(settings.tokenizer), own_code(settings.tokenizer)
    kind = ""
    if named is None:
        config = settings.config or {}
        kind = settings.model_type
        if not kind:
            raise InputError(
                f"there is neither tokenizer_class in {TOKENIZER_CONFIG} nor model_type in {CONFIG}, so version 4 "
                "would guess from the folder's path; add one of them"
            )
        if kind not in models(4):
            raise stops(4, f"{CONFIG}: it does not know the model_type {shown(kind)}")
        named, code = named_class(config), own_code(config) or code
        if named is None and models(4)[kind].by_config == "-":
            raise stops(4, f"{CONFIG}: a model of the type {shown(kind)} has no tokenizer")
    found = classes(4).get(named or "")
    refuse_code(4, code, found or (named is None and kind))
    if named is None:
        return models(4)[kind].by_config
    if found is None:
        raise stops(4, f"it has no class {shown(named)}; the name is wrong, or the folder is for version 5")
    return found


def _class_of_version_5(settings: Settings, byte_level: bool) -> str:
    config, kind = settings.config or {}, settings.model_type
    of_model = models(5).get(kind, OfModel())
    wrong = of_model.wrong_on_hub or models(5).get(config.get("model_name") or "", OfModel()).wrong_on_hub
    in_settings = named_class(settings.tokenizer)
    named, code = in_settings or named_class(config), own_code(settings.tokenizer)
    registered = bare(of_model.registered)
    if code is None:
        if named is not None and bare(named) == "LlamaTokenizer" and not wrong and byte_level:
            return PLAIN
        if named is not None and registered and registered != bare(named):
            found = "" if registered in GENERIC else class_of(registered if wrong else named)
            return PLAIN if found in ("", *GENERIC) else found
    local = registered or class_of(bare(in_settings or ""))
    if code is not None and not of_model.wrong_on_hub:
        refuse_code(5, code, local)
    if in_settings:
        return _or_plain(class_of(bare(in_settings)))
    if named:
        found = class_of(named if "PreTrainedTokenizerFast" in named else bare(named))
        if not found:
            raise stops(5, f"{CONFIG}: it has no class {shown(named)}")
        return _or_plain(found)
    return _or_plain(of_model.by_config)


def _or_plain(name: str) -> str:
    return PLAIN if name in ("", *GENERIC) else name


def class_of(name: str) -> str:
    """The class that version 5 uses for a name, empty if it has none."""
    return classes(5).get(name) or classes(5).get(f"{name}Fast", "")


def bare(name: str) -> str:
    """A name without the suffix "Fast", which version 5 does not use."""
    return name.removesuffix("Fast")


def named_class(whole: Json | None) -> str | None:
    """`tokenizer_class` of a file."""
    found: str | None = (whole or {}).get("tokenizer_class")
    return found


def own_code(whole: Json | None) -> Any:
    """The location of the model's own code according to a file; None if it names none."""
    auto_map = (whole or {}).get("auto_map")
    return auto_map.get("AutoTokenizer") if isinstance(auto_map, dict) else auto_map


def refuse_code(version: int, code: Any, local: object) -> None:
    """Raises InputError if a folder can only be opened with its own code."""
    if code is not None and not local:
        raise stops(
            version,
            "auto_map asks for the model's own code, which is never run here; @huggingface does not need it",
        )

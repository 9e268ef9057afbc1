"""Which class AutoTokenizer takes for a folder: what its files name, as each version understands it.

Follows `AutoTokenizer.from_pretrained` in `models/auto/tokenization_auto.py`. `auto_map`, the way to code of a model's
own, is gone without: transformers runs such code only for somebody who allows it, and nothing here does.

Stricter than version 4, which reads the type of the model out of the letters of the folder's path where nothing says
it, and so opens a folder or not by its name.
"""

from __future__ import annotations

from typing import Any

from explorer.errors import InputError, shown
from explorer.formats.model_files import CONFIG, TOKENIZER_CONFIG
from explorer.formats.model_folder import Json, Settings
from explorer.implementations.transformers.arguments import stops
from explorer.implementations.transformers.tables import OfModel, classes, models

PLAIN = "TokenizersBackend"
"""What version 5 takes where nothing says otherwise."""
NO_KIND = (PLAIN, "PythonBackend", "PreTrainedTokenizerFast")
"""Classes that stand for no kind of tokenizer."""


def class_for(version: int, settings: Settings, byte_level: bool) -> str:
    """The name of the class. byte_level: the tokenizer.json holds the word "ByteLevel", with its quotes.

    Raises InputError where the version finds none.

    >>> class_for(4, Settings({"tokenizer_class": "LlamaTokenizer"}), True)
    'LlamaTokenizerFast'
    >>> class_for(5, Settings({"tokenizer_class": "LlamaTokenizer"}), True)
    'TokenizersBackend'
    """
    return of_fourth(settings) if version == 4 else of_fifth(settings, byte_level)


def of_fourth(settings: Settings) -> str:
    named, code = named_class(settings.tokenizer), own_code(settings.tokenizer)
    kind = ""
    if named is None:
        config = settings.config or {}
        kind = settings.model_type
        if not kind:
            raise InputError(
                f"there is neither tokenizer_class in {TOKENIZER_CONFIG} nor model_type in {CONFIG}, and version 4 "
                "then goes by the letters of the folder's path; say one of them"
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
        raise stops(4, f"it has no class {shown(named)}; its own is called otherwise, or the folder is for version 5")
    return found


def of_fifth(settings: Settings, byte_level: bool) -> str:
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
            found = "" if registered in NO_KIND else class_of(registered if wrong else named)
            return PLAIN if found in ("", *NO_KIND) else found
    local = registered or class_of(bare(in_settings or ""))
    if code is not None and not of_model.wrong_on_hub:
        refuse_code(5, code, local)
    if in_settings:
        return plain(class_of(bare(in_settings)))
    if named:
        found = class_of(named if "PreTrainedTokenizerFast" in named else bare(named))
        if not found:
            raise stops(5, f"{CONFIG}: it has no class {shown(named)}")
        return plain(found)
    return plain(of_model.by_config)


def plain(name: str) -> str:
    return PLAIN if name in ("", *NO_KIND) else name


def class_of(name: str) -> str:
    """The class that version 5 takes for a name, empty where it has none."""
    return classes(5).get(name) or classes(5).get(f"{name}Fast", "")


def bare(name: str) -> str:
    """A name without the "Fast" that version 5 does without."""
    return name.removesuffix("Fast")


def named_class(whole: Json | None) -> str | None:
    """`tokenizer_class` of a file."""
    found: str | None = (whole or {}).get("tokenizer_class")
    return found


def own_code(whole: Json | None) -> Any:
    """Where a file says that code of the model's own is; None where it does not."""
    auto_map = (whole or {}).get("auto_map")
    return auto_map.get("AutoTokenizer") if isinstance(auto_map, dict) else auto_map


def refuse_code(version: int, code: Any, local: object) -> None:
    """Raises InputError where a folder can only be opened with code of its own."""
    if code is not None and not local:
        raise stops(
            version,
            "auto_map asks for code of the model's own, which is never run here; @huggingface does without it",
        )

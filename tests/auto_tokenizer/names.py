"""Prints a `transformers` version's names of tokenizers as one JSON object, run by the Python of its environment.

    classes: class name in a file → the class that AutoTokenizer uses for it, or empty.
    models: model_type → [class by the type of the configuration (- for none), name in the tokenizer mapping,
        "wrong" if the class that models of this type name on the Hub is known to be wrong]
    methods: names a setting must not have, because the class has a method of that name.
    languages: model → the codes of its languages; "whisper-names" has English names and codes in turn

`python -m tests.auto_tokenizer.tables` generates the tables of `explorer/implementations/transformers/` from it.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
from typing import Any

os.environ["TRANSFORMERS_VERBOSITY"] = "critical"

import transformers
from transformers.models.auto import tokenization_auto as auto
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

FOURTH = transformers.__version__.startswith("4.")
WRONG: set[str] = getattr(auto, "MODELS_WITH_INCORRECT_HUB_TOKENIZER_CLASS", set())


def name_of(found: Any) -> str:
    """The name of a class; empty for None and for a dummy class whose library is missing."""
    return "" if found is None or "dummy" in found.__module__ else str(found.__name__)


def class_of(name: str) -> str:
    """The class for a `tokenizer_class`, as AutoTokenizer looks it up."""
    candidates = [name]
    if FOURTH:
        candidates = [name] if name.endswith("Fast") else [f"{name}Fast", name]
    elif not name.endswith("Fast"):
        candidates = [name, f"{name}Fast"]
    for candidate in candidates:
        with contextlib.suppress(Exception):
            if found := name_of(auto.tokenizer_class_from_name(candidate)):
                return found
    return ""


def model(kind: str) -> list[str]:
    """The class for a configuration, the type's name in the tokenizer mapping, and "wrong" or an empty string."""
    by_config = registered = wrong = ""
    if kind not in CONFIG_MAPPING:
        return ["", "" if FOURTH else auto.TOKENIZER_MAPPING_NAMES.get(kind) or "", "wrong" if kind in WRONG else ""]
    if FOURTH:
        with contextlib.suppress(Exception):
            slow, fast = auto.TOKENIZER_MAPPING[CONFIG_MAPPING[kind]]
            by_config = name_of(fast) or name_of(slow)
        by_config = by_config or "-"
    else:
        registered = auto.TOKENIZER_MAPPING_NAMES.get(CONFIG_MAPPING[kind].model_type) or ""
        by_config = name_of(auto.TOKENIZER_MAPPING.get(CONFIG_MAPPING[kind], auto.TokenizersBackend))
        wrong = "wrong" if CONFIG_MAPPING[kind].model_type in WRONG else ""
    return [by_config, registered, wrong]


def names() -> set[str]:
    """Every name of a tokenizer class."""
    found = {name for name in dir(transformers) if "Tokenizer" in name}
    for each in auto.TOKENIZER_MAPPING_NAMES.values():
        found |= {name for name in (each if isinstance(each, tuple) else (each,)) if name}
    return {name for name in found if not name.startswith(("Auto", "is_", "TF", "Flax", "Keras"))} - {
        "PreTrainedTokenizerBase", "TokenizersBackend", "PythonBackend", "SentencePieceBackend",
    }  # fmt: skip


def methods() -> list[str]:
    """The names of a tokenizer's methods."""
    kind = transformers.PreTrainedTokenizerFast
    return sorted(name for name in dir(kind) if not name.startswith("_") and callable(getattr(kind, name, None)))


def languages() -> dict[str, list[str]]:
    """The languages of translation models and of Whisper."""
    found: dict[str, list[str]] = {}
    for name in ("mbart", "mbart50", "nllb", "m2m_100", "whisper"):
        module = importlib.import_module(f"transformers.models.{name}.tokenization_{name}")
        codes = getattr(module, "FAIRSEQ_LANGUAGE_CODES", None) or list(module.LANGUAGES)
        found |= codes if isinstance(codes, dict) else {name: codes}
        if name == "whisper":
            pairs = module.TO_LANGUAGE_CODE.items()
            found["whisper-names"] = [each.replace(" ", "_") for pair in pairs for each in pair]
    return found


if __name__ == "__main__":
    wanted = sorted({*names(), *sys.argv[1:]})
    whole = {
        "version": transformers.__version__,
        "classes": {name: class_of(name) for name in wanted},
        "models": {kind: model(kind) for kind in sorted({*CONFIG_MAPPING, *auto.TOKENIZER_MAPPING_NAMES})},
        "methods": methods(),
        "languages": languages(),
    }
    json.dump(whole, sys.stdout)

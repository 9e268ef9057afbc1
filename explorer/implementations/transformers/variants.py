"""The settings of a folder as switches: each setting that changes the tokenizer its class makes.

Found by building the tokenizer again with the setting flipped, or without the key; a setting without effect is not a
switch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from explorer.errors import InputError
from explorer.formats.files import ADDED_TOKENS, CONFIG, SPECIAL_TOKENS_MAP, TOKENIZER_CONFIG
from explorer.formats.model_folder import KNOWN, NAMED, Settings
from explorer.implementations.opened import Opened, Variant
from explorer.implementations.transformers.arguments import Arguments
from explorer.implementations.transformers.backend import Backend

FLAGS: Final = {
    "add_bos_token": False,
    "add_eos_token": False,
    "add_prefix_space": False,
    "legacy": True,
    "clean_up_tokenization_spaces": False,
    "do_lower_case": True,
    "strip_accents": False,
    "tokenize_chinese_chars": True,
    "split_special_tokens": False,
    "fix_mistral_regex": False,
    "legacy_behaviour": False,
    "split_by_punct": False,
    "keep_accents": False,
}
"""Setting → its default, if neither the file nor the class sets it."""
CLASS_KEYS: Final = ("auto_map", "chat_template", "init_inputs", "fast_tokenizer_files")
"""Keys that tokenizing doesn't read."""
MODEL_KEYS: Final = ("model_type", "tokenizer_class", "transformers_version", "model_name")
"""The keys of config.json that a version reads for the tokenizer."""


class Built(NamedTuple):
    """The result of a class for a folder. cleans: whether decoding is cleaned up. splits: whether the spelling of a
    special token is plain text. class_name: the class."""

    args: Arguments
    backend: Backend
    cleans: bool
    splits: bool
    class_name: str

    @property
    def parts(self) -> Any:
        """Everything in which two results can differ."""
        backend = self.backend
        return (
            {key: value for key, value in backend.model.items() if key not in ("vocab", "merges")},
            backend.normalizer, backend.pre_tokenizer, backend.post_processor, backend.decoder, backend.entries,
            self.cleans, self.splits,
        )  # fmt: skip


def variants(
    built: Built, settings: Settings, rebuild: Callable[[Settings], Built], finish: Callable[[Built], Opened]
) -> tuple[list[Variant], list[str]]:
    """The switches, and the settings in the file without effect.

    built: the result for `settings`. rebuild: the result for other settings. finish: makes a tokenizer of a result.
    """
    config = settings.tokenizer or {}
    found: list[Variant] = []
    idle: list[str] = []
    for key, default in FLAGS.items():
        in_file = config.get(key)
        value_now = built.args.values.get(key) if in_file is None else in_file
        if value_now is None and key == "strip_accents":
            value_now = built.args.values.get("do_lower_case")  # null means the same as that
        on = default if value_now is None else bool(value_now)
        # if the file does not set it, either value may be the default of the class
        for value in (not on, on) if in_file is None else (not on,):
            try:
                flipped = rebuild(replace(settings, tokenizer={**config, key: value}))
            except InputError:
                break  # the original raises an error, so this is not a switch
            if flipped.parts != built.parts:
                whole = state(key, not value, in_file is not None)
                found.append(Variant(key, not value, in_file is not None, whole, partial(finish, flipped)))
                break
        else:
            idle += [key] if in_file is not None else []
    for name, key, other in without_keys(settings):
        try:
            flipped = rebuild(other)
        except InputError:
            continue
        if flipped.parts != built.parts:
            says = f"{key} is in {name}" if key != name else f"{name} is read"
            found.append(Variant(key, True, True, says, partial(finish, flipped), removed=True))
        elif key not in NAMED:
            idle.append(key)
    return found, idle


def without_keys(settings: Settings) -> Iterator[tuple[str, str, Settings]]:
    """Each key that has no opposite: its file, its name, and the settings without it. added_tokens.json is one."""
    config, special, model = settings.tokenizer or {}, settings.special or {}, settings.config or {}
    for key in config:
        if key not in FLAGS and key not in CLASS_KEYS and (key in KNOWN or key in NAMED or key.endswith("_token")):
            rest = {each: value for each, value in config.items() if each != key}
            yield TOKENIZER_CONFIG, key, replace(settings, tokenizer=rest)
    for key in special:
        rest = {each: value for each, value in special.items() if each != key}
        yield SPECIAL_TOKENS_MAP, f"{SPECIAL_TOKENS_MAP}: {key}", replace(settings, special=rest)
    for key in MODEL_KEYS:
        if model.get(key) is not None:
            rest = {each: value for each, value in model.items() if each != key}
            yield CONFIG, f"{CONFIG}: {key}", replace(settings, config=rest)
    if settings.added:
        yield ADDED_TOKENS, ADDED_TOKENS, replace(settings, added={})


def state(key: str, on: bool, in_file: bool) -> str:
    """The state of a setting in words.

    >>> state("legacy", True, False)
    'legacy is true by default'
    """
    return f"{key} is {'true' if on else 'false'} {f'in {TOKENIZER_CONFIG}' if in_file else 'by default'}"

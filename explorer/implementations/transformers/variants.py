"""The settings of a folder as switches: each that changes what its class makes of it.

Whether one does is seen by making the tokenizer inside once more with it flipped; a setting that nobody reads is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from explorer.engine.tokenizer import Tokenizer
from explorer.engine.variants import Variant
from explorer.errors import InputError
from explorer.formats.model_files import TOKENIZER_CONFIG
from explorer.formats.model_folder import Settings
from explorer.implementations.transformers.arguments import Arguments
from explorer.implementations.transformers.backend import Backend

FLAGS: Final[Mapping[str, bool]] = MappingProxyType(
    {
        "add_bos_token": False,
        "add_eos_token": False,
        "add_prefix_space": False,
        "legacy": True,
        "clean_up_tokenization_spaces": False,
        "do_lower_case": True,
        "strip_accents": False,
        "tokenize_chinese_chars": True,
        "split_special_tokens": False,
    }
)
"""A setting → how it stands where neither the file nor the class says so."""


class Made(NamedTuple):
    """What a class has made of a folder. cleans, splits: what it does besides (`finished`)."""

    args: Arguments
    backend: Backend
    cleans: bool
    splits: bool

    @property
    def parts(self) -> Any:
        """What two of them differ in, if they do."""
        backend = self.backend
        return (
            {key: value for key, value in backend.model.items() if key not in ("vocab", "merges")},
            backend.normalizer, backend.pre_tokenizer, backend.post_processor, backend.decoder, backend.entries,
            self.cleans, self.splits,
        )  # fmt: skip


def variants(
    made: Made, settings: Settings, again: Callable[[Settings], Made], finish: Callable[[Made], Tokenizer]
) -> tuple[list[Variant], list[str]]:
    """The switches, and what is said without effect.

    again: makes of other settings what `made` is of these. finish: the tokenizer of that.
    """
    config = settings.tokenizer or {}
    found: list[Variant] = []
    idle: list[str] = []
    for key, default in FLAGS.items():
        said = config.get(key)
        stands = made.args.values.get(key) if said is None else said
        if stands is None and key == "strip_accents":
            stands = made.args.values.get("do_lower_case")  # null is as that is
        on = default if stands is None else bool(stands)
        # where nothing is said, either value may be the one that is no default
        for value in (not on, on) if said is None else (not on,):
            try:
                flipped = again(replace(settings, tokenizer={**config, key: value}))
            except InputError:
                break  # the original stops at it, which is no switch
            if flipped.parts != made.parts:
                whole = says(key, not value, said is not None)
                found.append(Variant(key, not value, said is not None, whole, finisher(flipped, finish)))
                break
        else:
            idle += [key] if said is not None else []
    return found, idle


def says(key: str, on: bool, said: bool) -> str:
    """Where a setting stands.

    >>> says("legacy", True, False)
    'legacy is true by default'
    """
    return f"{key} is {'true' if on else 'false'} {f'in {TOKENIZER_CONFIG}' if said else 'by default'}"


def finisher(flipped: Made, finish: Callable[[Made], Tokenizer]) -> Callable[[], Tokenizer]:
    return lambda: finish(flipped)

"""SPM vocabularies (`tokenizer.ggml.model` = `llama`) as llama.cpp runs them.

The defaults of this tokenizer model in `llama_vocab::impl::load`, the keys of the file that override them, and the
stages of `llama_vocab::impl::tokenize` for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from explorer.engine.decode import SpmDecoder
from explorer.engine.normalizers import EscapeWhitespace, Normalization, Normalizer, SpacePrefix
from explorer.engine.partition import SpecialTokenPartition
from explorer.engine.postprocess import AddSpecial
from explorer.engine.spm import Spm
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.formats.gguf import Gguf
from explorer.implementations.llama_cpp.vocabulary import corrected, special_tokens, vocabulary_of


@dataclass(frozen=True, slots=True)
class Settings:
    """What llama.cpp reads about a tokenizer besides its pieces; the defaults are those of the model `llama`."""

    add_space_prefix: bool = True
    add_bos: bool = True
    add_eos: bool = False
    bos: int | None = 1
    eos: int | None = 2
    unknown: int | None = 0


def spm_tokenizer(gguf: Gguf, name: str) -> Tokenizer:
    """The tokenizer of such a file. Raises InputError where something it needs is missing or damaged."""
    vocabulary = corrected(vocabulary_of(gguf, name))
    settings = settings_of(gguf.metadata, len(vocabulary))
    for wanted, id, what in ((settings.add_bos, settings.bos, "BOS"), (settings.add_eos, settings.eos, "EOS")):
        if wanted and id is None:
            raise InputError(f"{name}: the file asks for {what} to be added but names no such token; repair the file")
    normalizers: list[Normalizer] = [EscapeWhitespace()]
    if settings.add_space_prefix:
        normalizers.insert(0, SpacePrefix())
    first = settings.bos if settings.add_bos else None
    last = settings.eos if settings.add_eos else None
    return Tokenizer(
        name=name,
        family="SPM",
        implementation="llama.cpp",
        vocabulary=vocabulary,
        parts=(
            SpecialTokenPartition(special_tokens(vocabulary, str(gguf.metadata.get("general.name", "")))),
            Normalization(normalizers),
            Spm(vocabulary, settings.unknown),
            AddSpecial(first, last),
        ),
        decoder=SpmDecoder(vocabulary, strip_space=settings.add_space_prefix, first=first, last=last),
    )


def settings_of(metadata: Mapping[str, object], size: int, default: Settings = Settings()) -> Settings:
    """The settings of a file with `size` tokens. A special id outside the vocabulary is ignored, as there."""

    def flag(key: str, otherwise: bool) -> bool:
        value = metadata.get(f"tokenizer.ggml.{key}")
        return value if isinstance(value, bool) else otherwise

    def special(key: str, otherwise: int | None) -> int | None:
        value = metadata.get(f"tokenizer.ggml.{key}_token_id")
        if isinstance(value, int) and 0 <= value < size:
            return value
        return otherwise if otherwise is not None and otherwise < size else None

    return Settings(
        add_space_prefix=flag("add_space_prefix", default.add_space_prefix),
        add_bos=flag("add_bos_token", default.add_bos),
        add_eos=flag("add_eos_token", default.add_eos),
        bos=special("bos", default.bos),
        eos=special("eos", default.eos),
        unknown=special("unknown", default.unknown),
    )

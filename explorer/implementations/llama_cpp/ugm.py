"""Unigram vocabularies (`tokenizer.ggml.model` = `t5`) as llama.cpp runs them, where they are called UGM.

The defaults of this tokenizer model in `llama_vocab::impl::load`, the keys of the file that override them, and the
stages of `llama_vocab::impl::tokenize` for it. Unlike SPM every fragment of text gets its own prefix, after text as
after a special token. llama.cpp has a switch to put the ▁ behind (`treat_whitespace_as_suffix`) and reads it nowhere.
"""

from __future__ import annotations

from array import array

from explorer.engine.charsmap import (
    CharsmapNormalization,
    PrecompiledCharsmap,
    UserDefined,
    Whitespace,
    llama_cpp_whitespace,
)
from explorer.engine.decode import SpmDecoder
from explorer.engine.partition import SpecialTokenPartition
from explorer.engine.postprocess import AddSpecial
from explorer.engine.tokenizer import Tokenizer
from explorer.engine.unigram import Unigram, llama_cpp_rules
from explorer.errors import InputError
from explorer.formats.gguf import Gguf
from explorer.implementations.llama_cpp.spm import Settings, settings_of
from explorer.implementations.llama_cpp.vocabulary import corrected, special_tokens, tokens_that_strip, vocabulary_of
from explorer.vocabulary import PieceKind

USER_DEFINED = int(PieceKind.USER_DEFINED)
DEFAULTS = Settings(add_space_prefix=False, add_bos=False, add_eos=True, bos=None, eos=1, unknown=2)


def ugm_tokenizer(gguf: Gguf, name: str) -> Tokenizer:
    """The tokenizer of such a file. Raises InputError where something it needs is missing or damaged."""
    vocabulary = corrected(vocabulary_of(gguf, name))
    settings = settings_of(gguf.metadata, len(vocabulary), DEFAULTS)
    for wanted, id, what in ((settings.add_bos, settings.bos, "BOS"), (settings.add_eos, settings.eos, "EOS")):
        if wanted and id is None:
            raise InputError(f"{name}: the file asks for {what} to be added but names no such token; repair the file")
    user_defined = [
        vocabulary.pieces[id].decode("utf-8", "surrogateescape")
        for id in range(len(vocabulary))
        if vocabulary.kinds[id] == USER_DEFINED
    ]
    rules = Whitespace(
        add_dummy_prefix=settings.add_space_prefix,
        remove_extra_whitespaces=gguf.metadata.get("tokenizer.ggml.remove_extra_whitespaces") is True,
    )
    first = settings.bos if settings.add_bos else None
    last = settings.eos if settings.add_eos else None
    model_name = str(gguf.metadata.get("general.name", ""))
    return Tokenizer(
        name=name,
        family="Unigram",
        implementation="llama.cpp",
        vocabulary=vocabulary,
        parts=(
            SpecialTokenPartition(special_tokens(vocabulary, model_name, lstrip=tokens_that_strip(gguf.metadata))),
            CharsmapNormalization(
                charsmap_of(gguf, name),
                rules,
                UserDefined(user_defined, beginnings=True),
                whitespace=llama_cpp_whitespace,
            ),
            Unigram(vocabulary, settings.unknown, llama_cpp_rules(vocabulary)),
            AddSpecial(first, last),
        ),
        decoder=SpmDecoder(vocabulary, strip_space=settings.add_space_prefix, first=first, last=last),
    )


def charsmap_of(gguf: Gguf, name: str) -> PrecompiledCharsmap | None:
    """The file's character map, None where it has none."""
    data = gguf.metadata.get("tokenizer.ggml.precompiled_charsmap")
    if data is None:
        return None
    if not isinstance(data, array) or data.typecode not in "bB":
        raise InputError(f"{name}: the key tokenizer.ggml.precompiled_charsmap holds no bytes; the file is damaged")
    return PrecompiledCharsmap(data.tobytes(), name)

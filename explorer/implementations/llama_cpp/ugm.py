"""Unigram vocabularies (`tokenizer.ggml.model` = `t5`) as llama.cpp runs them; it calls them UGM.

Follows the defaults of this tokenizer model in `llama_vocab::impl::load`, the keys of the file that override them, and
its stages in `llama_vocab::impl::tokenize`. Unlike in SPM, every fragment of text gets its own prefix, after text as
after a special token. llama.cpp has switches for ▁ as a suffix (`treat_whitespace_as_suffix`) and for unescaped spaces
(`escape_whitespaces`), but reads neither from a file. The lattice uses the kinds of tokens in the file, before
llama.cpp corrects them.

Left out: without an unknown token llama.cpp returns the id -1 for an unknown character; here that is an error.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from explorer.engine.decoders.pieces import SpmDecoder
from explorer.engine.models.unigram import Unigram, llama_cpp_rules
from explorer.engine.normalizers.charsmap import (
    CharsmapNormalization,
    PrecompiledCharsmap,
    Whitespace,
    llama_cpp_whitespace,
)
from explorer.engine.partition.user_defined import SymbolTree
from explorer.engine.post_processors.add_special import AddSpecial
from explorer.errors import errors_of
from explorer.implementations.llama_cpp.vocabulary import (
    Metadata,
    assembled,
    check_byte_pieces,
    corrected,
    special_tokens,
    vocabulary_of,
)
from explorer.implementations.opened import Opened
from explorer.vocabulary import PieceKind, Vocabulary

EOS, UNKNOWN = 1, 2
"""The ids if the file has none; BOS has no default."""


def ugm_tokenizer(keys: Metadata) -> Opened:
    """The tokenizer of such a file. Raises InputError if something it needs is missing or damaged."""
    keys.say("model", "Unigram: of all ways to split the text, the one with the highest sum of scores.", "model")
    of_file = vocabulary_of(keys, scored=True)
    check_byte_pieces(of_file, keys)
    vocabulary = corrected(of_file, keys, EOS)
    user_defined = [
        of_file.pieces[id].decode("utf-8", "surrogateescape") for id in of_file.of_kind(PieceKind.USER_DEFINED)
    ]
    with errors_of(keys.name):
        search = SymbolTree(user_defined, stand_in=unused_character(of_file.pieces))
    charsmap = charsmap_of(keys)
    if charsmap is None:
        keys.say("normalizer", "There is no character map: characters stay as they are.")
    else:
        keys.say(
            "normalizer",
            f"A character map of {len(charsmap.units):,} units rewrites characters.",
            "precompiled_charsmap",
        )
    prefix = keys.flag("add_space_prefix", False)
    merged = keys.flag("remove_extra_whitespaces", False)
    keys.say(
        "normalizer",
        "▁ is put in front of every fragment of text." if prefix else "No ▁ is put in front.",
        "add_space_prefix",
    )
    keys.say(
        "normalizer",
        "Every word gets one ▁ in front, including the first; other spaces are dropped."
        if merged
        else "Every space is written ▁.",
        "remove_extra_whitespaces",
    )
    unknown = keys.id("unknown", UNKNOWN, len(vocabulary))
    keys.say_token("The unknown token", "unknown", unknown, vocabulary)
    first, last = keys.ends(vocabulary, bos=None, eos=EOS, add_bos=False, add_eos=True)
    parts = (
        special_tokens(vocabulary, keys),
        CharsmapNormalization(
            charsmap,
            Whitespace(add_dummy_prefix=prefix, remove_extra_whitespaces=merged),
            search,
            whitespace=llama_cpp_whitespace,
        ),
        model_of(of_file, unknown, keys),
        AddSpecial(first, last),
    )
    decoder = SpmDecoder(vocabulary, strip_space=prefix, first=first, last=last)
    return assembled(keys, "Unigram", vocabulary, parts, decoder)


def unused_character(pieces: Sequence[bytes]) -> str:
    """A character that no piece contains: one of Unicode's noncharacters.

    >>> unused_character([b"a"])
    '\uffff'
    """
    whole = b"\n".join(pieces)
    free = ("\uffff", "\ufffe", *map(chr, range(0xFDD0, 0xFDF0)))
    return next((ch for ch in free if ch.encode() not in whole), free[0])


def model_of(vocabulary: Vocabulary, unknown: int | None, keys: Metadata) -> Unigram:
    """The model stage. Raises InputError, naming the file, for scores that cannot be added up."""
    with errors_of(keys.name):
        return Unigram(vocabulary, unknown, llama_cpp_rules(vocabulary))


def charsmap_of(keys: Metadata) -> PrecompiledCharsmap | None:
    """The file's character map, None if it has none."""
    data = keys.value("precompiled_charsmap")
    if data is None:
        return None
    if not isinstance(data, array) or data.typecode not in "bB":
        raise keys.damaged("precompiled_charsmap", "has no bytes")
    return PrecompiledCharsmap(data.tobytes(), keys.name)

"""SPM vocabularies (`tokenizer.ggml.model` = `llama`) as llama.cpp runs them.

Follows the defaults of this tokenizer model in `llama_vocab::impl::load`, the keys of the file that override them, and
its stages in `llama_vocab::impl::tokenize`.
"""

from __future__ import annotations

from explorer.engine.decoders.pieces import SpmDecoder
from explorer.engine.models.spm import Spm
from explorer.engine.normalizers.llama_cpp import EscapeWhitespace, SpacePrefix
from explorer.engine.normalizers.stage import Normalization, Normalizer
from explorer.engine.post_processors.add_special import AddSpecial
from explorer.facts import WARNING
from explorer.implementations.llama_cpp.vocabulary import (
    Metadata,
    assembled,
    check_byte_pieces,
    corrected,
    special_tokens,
    vocabulary_of,
)
from explorer.implementations.opened import Opened
from explorer.text.say import plural

BOS, EOS, UNKNOWN = 1, 2, 0
"""The ids if the file has none."""


def spm_tokenizer(keys: Metadata) -> Opened:
    """The tokenizer of such a file. Raises InputError if something it needs is missing or damaged."""
    keys.say("model", "SPM, SentencePiece's BPE: two neighbors merge, the best score first.", "model")
    of_file = vocabulary_of(keys, scored=True)
    check_byte_pieces(of_file, keys)
    vocabulary = corrected(of_file, keys, EOS)
    prefix = keys.flag("add_space_prefix", True)
    normalizers: list[Normalizer] = [EscapeWhitespace()]
    if prefix:
        normalizers.insert(0, SpacePrefix())
    says = "A space is put in front of the text, and again after a special token."
    keys.say("normalizer", says if prefix else "No space is put in front of the text.", "add_space_prefix")
    keys.say("normalizer", "Spaces are written ▁ (U+2581).")
    unknown = keys.id("unknown", UNKNOWN, len(vocabulary))
    keys.say_token("The unknown token", "unknown", unknown, vocabulary)
    model = Spm(vocabulary, unknown, byte_throws=True)
    lacking = [byte for byte, found in enumerate(model.fallback) if found is None]
    if lacking:
        says = (
            f"{plural(len(lacking), 'byte')} of 256 without a token, <0xXX> or the byte itself: llama.cpp throws an "
            "exception (std::out_of_range) at a character that needs one."
        )
        keys.say("model", says, "tokens", " ".join(f"{byte:02X}" for byte in lacking), WARNING)
    first, last = keys.ends(vocabulary, bos=BOS, eos=EOS, add_bos=True)
    parts = (
        special_tokens(vocabulary, keys),
        Normalization(normalizers),
        model,
        AddSpecial(first, last),
    )
    decoder = SpmDecoder(vocabulary, strip_space=prefix, first=first, last=last)
    return assembled(keys, "SPM", vocabulary, parts, decoder)

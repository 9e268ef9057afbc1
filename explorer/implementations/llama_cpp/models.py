r"""The models of llama.cpp by `tokenizer.ggml.model`: SPM (`llama`), Unigram (`t5`, called UGM), RWKV (`rwkv`) and
PLaMo-2 (`plamo2`). BPE and WPM have modules of their own, because both need regular expressions.

All follow `llama_vocab::impl::load`, the defaults of a tokenizer model and the keys of the file that override them,
and `llama_vocab::impl::tokenize`, the stages.

UGM: unlike in SPM, every fragment of text gets its own prefix, after text as after a special token. llama.cpp has
switches for ▁ as a suffix (`treat_whitespace_as_suffix`) and for unescaped spaces (`escape_whitespaces`), but reads
neither from a file. The lattice uses the kinds of tokens in the file, before llama.cpp corrects them. Left out:
without an unknown token llama.cpp returns the id -1 for an unknown character; here that is an error.

RWKV: follows `llama_unescape_rwkv_token` and `llm_tokenizer_rwkv_session`. A GGUF file has these tokens escaped
(`\n`, `\xff`), because strings in the format must be UTF-8. Special tokens are searched for in their escaped
spelling; BOS and EOS are never added. Two faults of llama.cpp are refused here: a byte that begins no token becomes
the id -1 if the file has no unknown token; and if a token's first byte is not a token itself, llama.cpp can restart
the text forever.

PLaMo-2: a Unigram computed from the end (`llm_tokenizer_plamo2`). BOS and EOS are never added, whatever the file
says; versions after llama-cpp-python 0.3.36 add them if the file asks for it, which no converted file does. Each byte
needs a token `<0xXX>` whose id is not 0, because llama.cpp reads 0 as missing.
"""

import re
from array import array
from collections.abc import Sequence

from explorer.engine.decoders.huggingface import DecodeEvent, special_ids
from explorer.engine.decoders.pieces import PieceDecoder, SpmDecoder, raw
from explorer.engine.models.longest_match import TrieMatch
from explorer.engine.models.spm import Spm
from explorer.engine.models.unigram import Plamo2, Unigram, llama_cpp_rules
from explorer.engine.normalizers.charsmap import (
    CharsmapNormalization,
    PrecompiledCharsmap,
    Whitespace,
    llama_cpp_whitespace,
)
from explorer.engine.normalizers.stage import EscapeWhitespace, Normalization, Normalizer, SpacePrefix
from explorer.engine.partition.user_defined import SymbolTree
from explorer.engine.post_processors import AddSpecial
from explorer.errors import InputError
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
from explorer.vocabulary import PieceKind, Vocabulary

# --- SPM --------------------------------------------------------------------------------------------------------------

BOS, EOS, UNKNOWN = 1, 2, 0
"""The ids if the file has none."""


def spm(keys: Metadata) -> Opened:
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


# --- Unigram ----------------------------------------------------------------------------------------------------------

UGM_EOS, UGM_UNKNOWN = 1, 2
"""The ids if the file has none; BOS has no default."""


def ugm(keys: Metadata) -> Opened:
    """The tokenizer of such a file. Raises InputError if something it needs is missing or damaged."""
    keys.say("model", "Unigram: of all ways to split the text, the one with the highest sum of scores.", "model")
    of_file = vocabulary_of(keys, scored=True)
    check_byte_pieces(of_file, keys)
    vocabulary = corrected(of_file, keys, UGM_EOS)
    user_defined = [
        of_file.pieces[id].decode("utf-8", "surrogateescape") for id in of_file.of_kind(PieceKind.USER_DEFINED)
    ]
    search = SymbolTree(user_defined, stand_in=unused_character(of_file.pieces) if user_defined else "")
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
    unknown = keys.id("unknown", UGM_UNKNOWN, len(vocabulary))
    keys.say_token("The unknown token", "unknown", unknown, vocabulary)
    first, last = keys.ends(vocabulary, bos=None, eos=UGM_EOS, add_bos=False, add_eos=True)
    parts = (
        special_tokens(vocabulary, keys),
        CharsmapNormalization(
            charsmap,
            Whitespace(add_dummy_prefix=prefix, remove_extra_whitespaces=merged),
            search,
            whitespace=llama_cpp_whitespace,
        ),
        Unigram(of_file, unknown, llama_cpp_rules(of_file)),
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


def charsmap_of(keys: Metadata) -> PrecompiledCharsmap | None:
    """The file's character map, None if it has none."""
    data = keys.value("precompiled_charsmap")
    if data is None:
        return None
    if not isinstance(data, array) or data.typecode not in "bB":
        raise keys.damaged("precompiled_charsmap", "has no bytes")
    name, known = keys.full("precompiled_charsmap"), keys.vocabulary is not None
    return PrecompiledCharsmap(data.tobytes(), name, checked=known)


# --- RWKV -------------------------------------------------------------------------------------------------------------

ESCAPES = {ord("t"): 0x09, ord("n"): 0x0A, ord("r"): 0x0D}
BACKSLASH, X = b"\\x"
LETTERS = range(ord("a"), 0x80)
"""Bytes read as hexadecimal digits from 10 on, without further checks."""


def rwkv(keys: Metadata) -> Opened:
    """The tokenizer of such a file. Raises InputError if something it needs is missing or damaged."""
    keys.say(
        "model", "RWKV: at each position of the text the longest token that fits, found in a tree of bytes.", "model"
    )
    escaped = corrected(vocabulary_of(keys, scored=False), keys)
    special = special_tokens(escaped, keys)
    keys.say("vocabulary", "Tokens are spelled escaped in the file, such as \\n for a line feed.", "tokens")
    pieces = list(map(unescaped, escaped.pieces))
    try:
        vocabulary = Vocabulary.of(pieces, (), escaped.kinds)
    except InputError as error:
        raise InputError(f"once their escapes are read, {error}") from None
    unknown = keys.id("unknown", None, len(vocabulary))
    keys.say_token("The unknown token", "unknown", unknown, vocabulary)
    check_beginnings(vocabulary)
    walk = TrieMatch(vocabulary, unknown, kinds=frozenset(PieceKind))
    decoder = PieceDecoder(vocabulary, raw, special=special_ids(vocabulary), strip_space=keys.strips_space())
    return assembled(keys, "RWKV", vocabulary, (special, walk), decoder)


def unescaped(piece: bytes) -> bytes:
    """The bytes of an escaped token.

    >>> unescaped(rb"\\xe4\\n\\'a\\\\"), unescaped(rb"\\xZ9")
    (b"\\xe4\\n'a\\\\", b'\\xa9')
    """
    if b"\\" not in piece:
        return piece
    done = bytearray()
    rest = iter(piece)
    for byte in rest:
        if byte != BACKSLASH:
            done.append(byte)
            continue
        after = next(rest, None)
        if after == X:
            value = 0
            for digit in (next(rest, None), next(rest, None)):
                if digit is None:  # the piece ends within the number, which is dropped
                    return bytes(done)
                value = (value << 4) + (digit - ord("a") + 10 if digit in LETTERS else digit - ord("0")) & 0xFF
            done.append(value)
        elif after is not None:
            done.append(ESCAPES.get(after, after))
    return bytes(done)


def check_beginnings(vocabulary: Vocabulary) -> None:
    """Raises InputError for a token whose first byte is not a token: llama.cpp hangs on a text that begins like it."""
    ids = vocabulary.ids
    for id, piece in enumerate(vocabulary.pieces):
        if piece and piece[:1] not in ids:
            raise InputError(
                f"token {id} begins with the byte 0x{piece[0]:02X}, which is not a token itself; llama.cpp "
                "then never finishes on some texts: repair the file"
            )


# --- PLaMo-2 ----------------------------------------------------------------------------------------------------------

PLAMO2_EOS = 2
"""The id if the file has none."""

BYTE = re.compile(rb"<0x([0-9A-Fa-f]{2})>")


def plamo2(keys: Metadata) -> Opened:
    """The tokenizer of such a file. Raises InputError if something it needs is missing or damaged."""
    keys.say(
        "model",
        "PLaMo-2: of all ways to split the text, the one with the highest sum of scores, found from the end.",
        "model",
    )
    of_file = vocabulary_of(keys, scored=False)
    vocabulary = corrected(of_file, keys, PLAMO2_EOS)
    scores = keys.value("scores")
    of_each = scores[: len(of_file)] if isinstance(scores, array) else [0.0] * len(of_file)
    prefix = keys.strips_space()
    add_bos, add_eos = keys.flag("add_bos_token", False), keys.flag("add_eos_token", False)
    if add_bos or add_eos:
        keys.say(
            "flags",
            "llama.cpp never adds BOS and PLAMO2_EOS to a text for this kind of vocabulary; decoding removes them.",
            "add_bos_token" if add_bos else "add_eos_token",
        )
    else:
        keys.say("flags", "Nothing is added to a text.")
    bytes_of = byte_tokens(of_file, keys)
    model = Plamo2(of_file, of_each, bytes_of)
    decoder = PieceDecoder(
        vocabulary,
        spelled,
        special=special_ids(vocabulary),
        first=keys.id("bos", 1, len(vocabulary)) if add_bos else None,
        last=keys.id("eos", PLAMO2_EOS, len(vocabulary)) if add_eos else None,
        strip_space=prefix,
    )
    return assembled(keys, "Unigram", vocabulary, (special_tokens(vocabulary, keys), model), decoder)


def byte_tokens(vocabulary: Vocabulary, keys: Metadata) -> list[int]:
    """The token of each byte. Raises InputError if one is missing."""
    found = [0] * 256
    for id, kind in enumerate(vocabulary.kinds):
        match = BYTE.fullmatch(vocabulary.pieces[id]) if kind == PieceKind.BYTE else None
        if match:
            found[int(match[1], 16)] = id
    if 0 in found:
        raise InputError(
            f"there is no token <0x{found.index(0):02X}> of kind BYTE (with an id above 0), which "
            "llama.cpp needs for this kind of vocabulary; repair the file"
        )
    return found


def spelled(vocabulary: Vocabulary, id: int) -> tuple[DecodeEvent, bytes]:
    """How a token decodes: a byte token as its byte, any other as its spelling."""
    piece = vocabulary.pieces[id]
    match = BYTE.fullmatch(piece) if vocabulary.kinds[id] == PieceKind.BYTE else None
    return (DecodeEvent.BYTE, bytes([int(match[1], 16)])) if match else (DecodeEvent.RAW, piece)

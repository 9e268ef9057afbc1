"""Tokenizers of `transformers` without a vocabulary file, which are written in Python: ByT5's bytes and CANINE's
code points.

Follows `models/byt5/tokenization_byt5.py` and `models/canine/tokenization_canine.py`; their added tokens are in
`python_tokens`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from explorer.engine.decoders.python_decoding import IgnoreMalformedDecoder
from explorer.engine.models.lookup import SIZE, SURROGATES, ByteValues, CodePointIds, CodePointPieces, CodePoints
from explorer.errors import InputError, errors_of, shown
from explorer.facts import Fact, listed
from explorer.formats.files import BYT5, CANINE, CLASSES, TOKENIZER_CONFIG
from explorer.formats.model_folder import Settings
from explorer.implementations.opened import Opened
from explorer.implementations.transformers.arguments import ADDITIONAL, Arguments, arguments
from explorer.implementations.transformers.backend import Token, text
from explorer.implementations.transformers.class_lookup import class_for
from explorer.implementations.transformers.facts import python_facts
from explorer.implementations.transformers.python_tokens import added_tokens, tokenizer_of, vocabulary_of
from explorer.implementations.transformers.tables import VERSIONS
from explorer.vocabulary import PieceKind, Vocabulary

BYTES: Final = 256
"""The size of ByT5's vocabulary as the class states it, without the tokens before the bytes."""
FIRST: Final = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
"""ByT5's tokens with the ids 0, 1 and 2."""
CANINE_TOKENS: Final = {
    "bos_token": 0xE000, "eos_token": 0xE001, "sep_token": 0xE001, "cls_token": 0xE000, "pad_token": 0,
    "mask_token": 0xE003,
}  # fmt: skip
"""CANINE's special tokens, characters for private use but the padding."""
CANINE_NAMES: Final = {
    0xE000: "[CLS]",
    0xE001: "[SEP]",
    0xE002: "[BOS]",
    0xE003: "[MASK]",
    0: "[PAD]",
    0xE004: "[RESERVED]",
}
"""What their ids are decoded to where no added token has them."""
SET_BY_CANINE: Final = ("token_type_ids_pattern", "token_type_ids_include_special_tokens", "special_tokens_pattern")
MOST_EXTRA: Final = 10_000
"""The most extra_ids; the known models have 125."""


def from_settings(version: int, settings: Settings, name: str) -> Opened:
    """The tokenizer of a folder without a vocabulary. Raises InputError where the original raises an error.

    >>> tok = from_settings(5, Settings({"tokenizer_class": "ByT5Tokenizer"}), "byt5")
    >>> tok.encode("aé").ids, tok.decode([100, 198, 172, 1])
    ([100, 198, 172, 1], 'aé')
    """
    with errors_of(name):
        class_name = class_for(version, settings)
        if class_name not in CLASSES:
            raise InputError(
                f"transformers {VERSIONS[version].number} runs it as {class_name}, which needs a vocabulary; give its "
                "whole folder, or all files together"
            )
        build = {BYT5: _byt5, CANINE: _canine}[class_name]
        return build(arguments(version, settings, None, has_file=False), settings, name)


def _byt5(args: Arguments, settings: Settings, name: str) -> Opened:
    """ByT5's bytes."""
    _add_extra_ids(args)
    for key, default in FIRST.items():
        token = args.values.get(key, default)
        if not isinstance(token, (str, Token)):
            raise args.refusal(f"{TOKENIZER_CONFIG}: {key} is {shown(token)}, not a token")
        args.values[key] = token if isinstance(token, Token) else Token(token, lstrip=True, rstrip=True)
    first = {id: args.values[key] for id, key in enumerate(FIRST)}
    decoder: dict[int, Token] = first | args.decoder
    words = {
        decoder[id].content if id in decoder else chr(id - len(FIRST)): id for id in range(BYTES + len(FIRST))
    }  # fmt: skip
    added = added_tokens(args, decoder, words.get, len(words))
    ids = added.ids
    for content in ids:
        if len(content) == 1 and ord(content) in range(0x80, BYTES):
            raise InputError(f"{shown(content)} is an added token, which {BYT5} confuses with a byte; remove it")
    end = ids[text(args.values["eos_token"])]
    byte_tokens = [ids.get(chr(byte), byte + len(FIRST)) for byte in range(BYTES)]
    pieces = {byte + len(FIRST): bytes([byte]) for byte in range(BYTES)}
    vocabulary = vocabulary_of(pieces, added, text(args.values["unk_token"]))
    return tokenizer_of(
        args, added, vocabulary, [IgnoreMalformedDecoder()], name=name, family="bytes",
        model=[ByteValues(vocabulary, byte_tokens)], last=end, once=True, size=BYTES,
        facts=(*_byt5_facts(args, end), *python_facts(args, BYT5, settings)),
    )  # fmt: skip


def _add_extra_ids(args: Arguments) -> None:
    """Adds <extra_id_0> and so on, unless the folder lists its own tokens."""
    count = args.values.get("extra_ids", 125)
    if not isinstance(count, int) or isinstance(count, bool) or count > MOST_EXTRA:
        raise InputError(f"{TOKENIZER_CONFIG}: extra_ids is {shown(count)}; give a whole number up to {MOST_EXTRA}")
    own = args.values.get(ADDITIONAL)
    if count > 0 and own is None:
        args.values[ADDITIONAL] = [f"<extra_id_{number}>" for number in range(count)]
    elif count > 0 and isinstance(own, list) and own:
        found = {text(each) for each in own if isinstance(each, (str, Token)) and "extra_id" in text(each)}
        if len(found) != count:
            raise args.refusal(
                f"{TOKENIZER_CONFIG}: {ADDITIONAL} lists {len(found)} extra ids, and extra_ids is {count}"
            )


def _canine(args: Arguments, settings: Settings, name: str) -> Opened:
    """CANINE's code points."""
    for key in SET_BY_CANINE:
        if args.version != 4 and key in args.values:
            raise args.refusal(f"{TOKENIZER_CONFIG}: {key} is set by the class itself; remove it")
    for key, code_point in CANINE_TOKENS.items():
        token = args.values.get(key, chr(code_point))
        args.values[key] = Token(token, lstrip=key == "mask_token") if isinstance(token, str) else token
    first, last = args.values["cls_token"], args.values["sep_token"]
    if not first or not last or not text(first) or not text(last):
        raise InputError(f"{TOKENIZER_CONFIG}: cls_token or sep_token is empty, so there is no id to add; give both")
    added = added_tokens(args, dict(args.decoder), lambda content: ord(content) if len(content) == 1 else None, SIZE)
    ids = added.ids
    contents = {id: token.content.encode() for id, token in added.decoder.items()}
    pieces = CodePointPieces({id: each.encode() for id, each in CANINE_NAMES.items()} | contents)
    spelled = {each.encode(): id for id, each in CANINE_NAMES.items() if id not in contents}
    kinds = bytearray([PieceKind.NORMAL]) * SIZE + bytearray([PieceKind.UNDEFINED]) * (len(pieces) - SIZE)
    kinds[SURROGATES.start : SURROGATES.stop] = bytes([PieceKind.UNDEFINED]) * len(SURROGATES)
    for id, token in added.decoder.items():
        kinds[id] = PieceKind.CONTROL if token.content in added.special else PieceKind.USER_DEFINED
    all_ids = CodePointIds(spelled | {content.encode(): id for content, id in ids.items()})
    vocabulary = Vocabulary(pieces, (), bytes(kinds), all_ids)
    before, after = ids[text(first)], ids[text(last)]
    others = {content: id for content, id in ids.items() if len(content) == 1 and id != ord(content)}
    return tokenizer_of(
        args, added, vocabulary, [IgnoreMalformedDecoder()] if args.version == 4 else [], name=name,
        family="code points", model=[CodePoints(vocabulary, others)],
        first=before, last=after, size=SIZE,
        facts=(*_canine_facts(before, after, contents), *python_facts(args, CANINE, settings)),
    )  # fmt: skip


def _canine_facts(before: int, after: int, contents: Mapping[int, bytes]) -> Iterable[Fact]:
    """What the class does."""
    yield Fact("model", "A character's id is its code point: no text is unknown, and there is no vocabulary file.",
               CANINE)  # fmt: skip
    yield Fact("post-processor", f"U+{before:04X} ({before}) is added before every text, U+{after:04X} ({after}) after "
               "it.", CANINE)  # fmt: skip
    names = [f"U+{id:04X} as {name}" for id, name in CANINE_NAMES.items() if id not in contents]
    if names:
        yield Fact("decoder", f"These private-use characters are written by name: {listed(names)}.", CANINE)


def _byt5_facts(args: Arguments, end: int) -> Iterable[Fact]:
    """What the class does."""
    yield Fact("model", f"A byte's id is its value plus {len(FIRST)}: no text is unknown, and there is no vocabulary "
               "file.", BYT5)  # fmt: skip
    says = f"{text(args.values['eos_token'])} ({end}) is added after every text that doesn't end with it."
    yield Fact("post-processor", says, BYT5)
    yield Fact("decoder", "Bytes that are not valid UTF-8 are left out.", BYT5)
    if args.version == 4:
        yield Fact("decoder", "Version 4 writes a space on both sides of an unnamed special token.", BYT5)

"""Tokenizers of `transformers` without a vocabulary file, which are written in Python: ByT5's bytes and CANINE's
code points.

Follows `models/byt5/tokenization_byt5.py`, `models/canine/tokenization_canine.py`, and `_add_tokens` of
`PreTrainedTokenizer` (version 4) and `PythonBackend` (version 5): an added token keeps the id of the vocabulary, or
gets the next free one. In version 5 the special tokens are added as plain strings, so they lose the flags that the
class gives them.

Stricter than the original: an added token may not have single_word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from explorer.engine.decoders.chain import ChainDecoder, DecoderStep
from explorer.engine.decoders.python_decoding import IgnoreMalformedDecoder, SpacedTokensDecoder
from explorer.engine.decoders.tidy import TidyDecoder
from explorer.engine.models.code_point_pieces import SIZE, SURROGATES, CodePointIds, CodePointPieces
from explorer.engine.models.code_values import ByteValues, CodePoints
from explorer.engine.partition.added_tokens import AddedToken
from explorer.engine.partition.python_tokens import PythonTokenPartition
from explorer.engine.post_processors.add_special import AddSpecial
from explorer.errors import InputError, shown
from explorer.facts import Fact, listed
from explorer.formats.model_files import TOKENIZER_CONFIG
from explorer.formats.model_folder import Settings
from explorer.formats.no_vocabulary import BYT5, CANINE, CLASSES
from explorer.implementations.opened import Opened
from explorer.implementations.transformers.arguments import ADDITIONAL, EXTRA, Arguments, arguments
from explorer.implementations.transformers.class_lookup import class_for
from explorer.implementations.transformers.facts import python_facts
from explorer.implementations.transformers.tokens import Some, Token, text
from explorer.implementations.transformers.v4.build import special_tokens
from explorer.implementations.transformers.v5_special_tokens import all_tokens
from explorer.implementations.transformers.versions import VERSIONS
from explorer.vocabulary import PieceKind, Vocabulary

BYTES: Final = 256
"""The size of ByT5's vocabulary as the class states it, without the tokens before the bytes."""
FIRST: Final[Mapping[str, str]] = MappingProxyType({"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"})
"""ByT5's tokens with the ids 0, 1 and 2."""
CANINE_TOKENS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "bos_token": 0xE000, "eos_token": 0xE001, "sep_token": 0xE001, "cls_token": 0xE000, "pad_token": 0,
        "mask_token": 0xE003,
    }
)  # fmt: skip
"""CANINE's special tokens, characters for private use but the padding."""
CANINE_NAMES: Final[Mapping[int, str]] = MappingProxyType(
    {0xE000: "[CLS]", 0xE001: "[SEP]", 0xE002: "[BOS]", 0xE003: "[MASK]", 0: "[PAD]", 0xE004: "[RESERVED]"}
)
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
    try:
        class_name = class_for(version, settings, byte_level=False)
        if class_name not in CLASSES:
            raise InputError(
                f"transformers {VERSIONS[version].number} runs it as {class_name}, which needs a vocabulary; give its "
                "whole folder, or all files together"
            )
        build = {BYT5: _byt5, CANINE: _canine}[class_name]
        return build(arguments(version, settings, None, has_file=False), settings, name)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


@dataclass
class Added:
    """The added tokens of a tokenizer. decoder: by id. special: the spellings of all special tokens."""

    decoder: dict[int, Token]
    special: frozenset[str]

    @property
    def ids(self) -> dict[str, int]:
        """Spelling → id; of several the last that was added."""
        return {token.content: id for id, token in self.decoder.items()}


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
    added = _added(args, decoder, words.get, len(words))
    ids = added.ids
    for content in ids:
        if len(content) == 1 and ord(content) in range(0x80, BYTES):
            raise InputError(f"{shown(content)} is an added token, which {BYT5} confuses with a byte; remove it")
    end = ids[text(args.values["eos_token"])]
    byte_tokens = [ids.get(chr(byte), byte + len(FIRST)) for byte in range(BYTES)]
    pieces = {byte + len(FIRST): bytes([byte]) for byte in range(BYTES)}
    vocabulary = _vocabulary(pieces, added, text(args.values["unk_token"]))
    apart = _apart(args, added, BYTES) if args.version == 4 else ()
    steps: list[DecoderStep] = [SpacedTokensDecoder(frozenset(apart)) if apart else IgnoreMalformedDecoder()]
    if args.flag("clean_up_tokenization_spaces", False):
        steps.append(TidyDecoder())
    return Opened(
        name=name,
        family="bytes",
        implementation=VERSIONS[args.version].implementation,
        vocabulary=vocabulary,
        parts=(_partition(args, added), ByteValues(vocabulary, byte_tokens), AddSpecial(last=end, once=True)),
        decoder=ChainDecoder(
            vocabulary, steps, after=(end,), special=frozenset(map(str.encode, added.special))
        ),
        facts=(*_byt5_facts(args, end, bool(apart)), *python_facts(args, BYT5, settings)),
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


def _added(args: Arguments, decoder: dict[int, Token], base: Callable[[str], int | None], size: int) -> Added:
    """The tokens of the settings, and the special tokens that they lack.

    decoder: the former. base: the id of a spelling in the vocabulary. size: of the vocabulary.
    """
    ids = {token.content: id for id, token in decoder.items()}
    known = {token.content: id for id, token in sorted(decoder.items())}
    free = size + sum(base(content) is None for content in known)
    specials = _specials(args)
    for each in specials:
        if args.version != 4 or isinstance(each, str):
            if text(each) in ids:
                continue
            token = Token(text(each), said=False, special=True)
        else:
            token = each.as_special()
        if not token.content:
            continue
        id = known[token.content] if token.content in known else base(token.content)
        if id is None:
            id, free = free, free + 1
        decoder[id] = token
        known[token.content] = ids[token.content] = id
    for id, token in decoder.items():
        if token.single_word:
            raise InputError(f"the added token {shown(token.content)} has single_word, which is not supported here")
        if not 0 <= id < 2 * free + 1000:
            raise InputError(f"the added token {shown(token.content)} has the id {id}, far beyond the vocabulary")
    return Added(decoder, frozenset(map(text, specials)))


def _specials(args: Arguments) -> list[Some]:
    """All special tokens, the named ones first."""
    if args.version == 4:
        return special_tokens(args)
    found = all_tokens(args)
    for each in found:
        if not isinstance(each, (str, Token)):
            raise args.refusal(f"{EXTRA} contains {shown(each)}, which is not a token; give its text")
    return found


def _partition(args: Arguments, added: Added) -> PythonTokenPartition:
    """The stage that cuts out the added tokens; none with split_special_tokens."""
    found = [] if args.flag("split_special_tokens", False) else [
        AddedToken(id, token.content, token.content in added.special, False, token.lstrip, token.rstrip)
        for id, token in added.decoder.items()
        if added.ids[token.content] == id
    ]  # fmt: skip
    return PythonTokenPartition(found)


def _apart(args: Arguments, added: Added, size: int) -> Iterator[bytes]:
    """The tokens that version 4 sets apart with spaces. size: of the vocabulary, as the class states it."""
    ids = added.ids
    unnamed = {text(each) for each in args.values.get(ADDITIONAL) or ()}
    for content, id in ids.items():
        if content not in added.special or (content in unnamed and id >= size):
            yield content.encode()


def _vocabulary(pieces: dict[int, bytes], added: Added, unknown: str) -> Vocabulary:
    """The pieces of the class and the added tokens."""
    spelled = pieces | {id: token.content.encode() for id, token in added.decoder.items()}
    size = max(spelled) + 1
    kinds = bytearray([PieceKind.UNDEFINED]) * size
    for id in pieces:
        kinds[id] = PieceKind.NORMAL
    for id, token in added.decoder.items():
        kinds[id] = PieceKind.CONTROL if token.content in added.special else PieceKind.USER_DEFINED
        if token.content == unknown:
            kinds[id] = PieceKind.UNKNOWN
    ids = {piece: id for id, piece in spelled.items()} | {text.encode(): id for text, id in added.ids.items()}
    return Vocabulary(tuple(spelled.get(id, b"") for id in range(size)), (), bytes(kinds), ids)


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
    added = _added(args, dict(args.decoder), lambda content: ord(content) if len(content) == 1 else None, SIZE)
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
    apart = frozenset(_apart(args, added, SIZE)) if args.version == 4 else frozenset()
    steps: list[DecoderStep] = [SpacedTokensDecoder(apart)] if apart else []
    if args.flag("clean_up_tokenization_spaces", False):
        steps.append(TidyDecoder())
    before, after = ids[text(first)], ids[text(last)]
    others = {content: id for content, id in ids.items() if len(content) == 1 and id != ord(content)}
    return Opened(
        name=name,
        family="code points",
        implementation=VERSIONS[args.version].implementation,
        vocabulary=vocabulary,
        parts=(_partition(args, added), CodePoints(vocabulary, others), AddSpecial(before, after)),
        decoder=ChainDecoder(
            vocabulary, steps, before=(before,), after=(after,), special=frozenset(map(str.encode, added.special))
        ),
        facts=(*_canine_facts(before, after, contents), *python_facts(args, CANINE, settings)),
    )


def _canine_facts(before: int, after: int, contents: Mapping[int, bytes]) -> Iterable[Fact]:
    """What the class does."""
    yield Fact("model", "A character's id is its code point: no text is unknown, and there is no vocabulary file.",
               CANINE)  # fmt: skip
    yield Fact("post-processor", f"U+{before:04X} ({before}) is added before every text, U+{after:04X} ({after}) after "
               "it.", CANINE)  # fmt: skip
    names = [f"U+{id:04X} as {name}" for id, name in CANINE_NAMES.items() if id not in contents]
    if names:
        yield Fact("decoder", f"These private-use characters are written by name: {listed(names)}.", CANINE)


def _byt5_facts(args: Arguments, end: int, spaced: bool) -> Iterable[Fact]:
    """What the class does."""
    yield Fact("model", f"A byte's id is its value plus {len(FIRST)}: no text is unknown, and there is no vocabulary "
               "file.", BYT5)  # fmt: skip
    says = f"{text(args.values['eos_token'])} ({end}) is added after every text that doesn't end with it."
    yield Fact("post-processor", says, BYT5)
    yield Fact("decoder", "Bytes that are not valid UTF-8 are left out.", BYT5)
    if spaced:
        yield Fact("decoder", "Version 4 writes a space on both sides of an unnamed special token.", BYT5)

"""BERT as Hugging Face's `tokenizers` runs it, from the parts of a `tokenizer.json`.

Each `…_of(config)` makes one stage of one section of a tokenizer.json (`normalizer`, `pre_tokenizer`, `model`,
`decoder`, the special tokens of `post_processor`), so that a reader of that file can put them together with other
parts. `from_tokenizer_json` does so for BERT files.

Left out: the sections `truncation` and `padding`, which are no matter of tokenizing, pairs of texts, and in
`added_tokens` the flag single_word, which no BERT sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from explorer.engine.bert_normalizer import BertNormalization, bert_passes
from explorer.engine.decode_wordpiece import WordPieceDecoder
from explorer.engine.partition import SpecialToken, SpecialTokenPartition
from explorer.engine.postprocess import AddSpecial
from explorer.engine.tokenizer import Tokenizer
from explorer.engine.wordpiece import WordPiece
from explorer.engine.words import WordSplit, as_hugging_face
from explorer.errors import InputError
from explorer.formats import tokenizer_json
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.vocabulary import PieceKind, Vocabulary

IMPLEMENTATION = "huggingface"

Config = Mapping[str, Any]
"""One section of a tokenizer.json."""


@dataclass(frozen=True, slots=True)
class BertFile:
    """What a BERT file says, whoever runs it.

    special: the special tokens, looked for in the text as they are written. unknown, first, last: ids of [UNK], [CLS]
    and [SEP]; None where the file adds no such token. strip_accents None: as `lowercase` is.
    """

    vocabulary: Vocabulary
    special: tuple[SpecialToken, ...]
    unknown: int
    first: int | None
    last: int | None
    prefix: str = "##"
    max_characters: int = 100
    clean_text: bool = True
    handle_chinese_chars: bool = True
    strip_accents: bool | None = None
    lowercase: bool = True
    cleanup: bool = True


def tokenizer_of(file: BertFile, name: str) -> Tokenizer:
    """The tokenizer of such a file, as Hugging Face runs it."""
    return Tokenizer(
        name=name,
        family="WordPiece",
        implementation=IMPLEMENTATION,
        vocabulary=file.vocabulary,
        parts=(
            SpecialTokenPartition(file.special),
            BertNormalization(
                bert_passes(
                    clean_text=file.clean_text,
                    handle_chinese_chars=file.handle_chinese_chars,
                    strip_accents=file.strip_accents,
                    lowercase=file.lowercase,
                )
            ),
            WordSplit(as_hugging_face),
            WordPiece(file.vocabulary, file.unknown, prefix=file.prefix, max_characters=file.max_characters),
            AddSpecial(file.first, file.last),
        ),
        decoder=WordPieceDecoder(
            file.vocabulary, prefix=file.prefix, cleanup=file.cleanup, first=file.first, last=file.last
        ),
    )


# --- the sections of a tokenizer.json ------------------------------------------------------------------------------


def bert_normalizer_of(config: Config) -> BertNormalization:
    """The stage of `normalizer` with type BertNormalizer.

    >>> len(bert_normalizer_of({"type": "BertNormalizer", "lowercase": False}).passes)
    2
    """
    return BertNormalization(bert_passes(**normalizer_settings(config)))


def normalizer_settings(config: Config) -> dict[str, Any]:
    """The four settings of a BertNormalizer; what is missing is as the original has it."""
    found: dict[str, Any] = {}
    for key, otherwise in (("clean_text", True), ("handle_chinese_chars", True), ("strip_accents", None),
                           ("lowercase", True)):  # fmt: skip
        value = config.get(key, otherwise)
        if not (isinstance(value, bool) or (value is None and otherwise is None)):
            raise InputError(f"normalizer.{key} is {value!r}, which is neither true nor false; repair the file")
        found[key] = value
    return found


def bert_pre_tokenizer_of(config: Config) -> WordSplit:
    """The stage of `pre_tokenizer` with type BertPreTokenizer, which has no settings."""
    return WordSplit(as_hugging_face)


def word_piece_model(config: Config, vocabulary: Vocabulary) -> WordPiece:
    """The stage of `model` with type WordPiece; `vocabulary` is what `word_piece_vocabulary` gave."""
    unknown = text_at(config, "model", "unk_token", "[UNK]")
    if unknown.encode() not in vocabulary.ids:
        raise InputError(f"model.unk_token is {unknown!r}, which is not in the vocabulary; repair the file")
    most = config.get("max_input_chars_per_word", 100)
    if not isinstance(most, int) or isinstance(most, bool) or most < 0:
        raise InputError(f"model.max_input_chars_per_word is {most!r}, which is no whole number; repair the file")
    return WordPiece(
        vocabulary,
        vocabulary.ids[unknown.encode()],
        prefix=text_at(config, "model", "continuing_subword_prefix", "##"),
        max_characters=most,
    )


def word_piece_decoder_of(
    config: Config, vocabulary: Vocabulary, first: int | None = None, last: int | None = None
) -> WordPieceDecoder:
    """The decoder of `decoder` with type WordPiece."""
    return WordPieceDecoder(
        vocabulary,
        prefix=text_at(config, "decoder", "prefix", "##"),
        cleanup=config.get("cleanup", True) is True,
        first=first,
        last=last,
    )


def word_piece_vocabulary(config: Config, added_tokens: Sequence[Config]) -> Vocabulary:
    """The vocabulary of `model.vocab` and `added_tokens`: special ones are CONTROL, the unknown one UNKNOWN.

    Raises InputError where the ids are not 0 to n-1, each once, or an added token has another id than in `model.vocab`.
    """
    table = config.get("vocab")
    if not isinstance(table, dict) or not table:
        raise InputError("model.vocab is missing or empty; give a whole tokenizer.json")
    ids: dict[str, int] = dict(table)
    kinds: dict[int, PieceKind] = {}
    for token in added_tokens:
        content, id = token.get("content"), token.get("id")
        if not isinstance(content, str) or ids.setdefault(content, id) != id:  # type: ignore[arg-type]
            raise InputError(f"added_tokens: {content!r} has the id {id!r}, in model.vocab another; repair the file")
        if isinstance(id, int):
            kinds[id] = PieceKind.CONTROL if token.get("special") is True else PieceKind.USER_DEFINED
    pieces: list[str | None] = [None] * len(ids)
    for piece, id in ids.items():
        if not isinstance(id, int) or not 0 <= id < len(pieces) or pieces[id] is not None:
            raise InputError(f"model.vocab: {piece!r} has the id {id!r}; {len(pieces)} pieces need the ids 0 to "
                             f"{len(pieces) - 1}, each once: repair the file")  # fmt: skip
        pieces[id] = piece
    unknown = ids.get(text_at(config, "model", "unk_token", "[UNK]"))
    if unknown is not None:
        kinds[unknown] = PieceKind.UNKNOWN
    return Vocabulary.of(
        (str(piece).encode("utf-8", "surrogatepass") for piece in pieces),
        kinds=(kinds.get(id, PieceKind.NORMAL) for id in range(len(pieces))),
    )


def added_tokens_of(added_tokens: Sequence[Config]) -> tuple[SpecialToken, ...]:
    """The tokens looked for in the text: special ones unless `parse_special` is off, others always.

    The original always looks for both; `parse_special` off is its `encode_special_tokens`.
    """
    return tuple(
        SpecialToken(
            token["id"],
            token["content"],
            only_if_parsed=token.get("special") is True,
            lstrip=token.get("lstrip") is True,
            rstrip=token.get("rstrip") is True,
        )
        for token in added_tokens
    )


def text_at(config: Config, section: str, key: str, otherwise: str) -> str:
    value = config.get(key, otherwise)
    if not isinstance(value, str):
        raise InputError(f"{section}.{key} is {value!r}, which is no text; repair the file")
    return value


# --- whole files ---------------------------------------------------------------------------------------------------


def read_tokenizer_json(data: bytes, name: str) -> BertFile:
    """What the bytes of a BERT tokenizer.json say."""
    return bert_file(tokenizer_json.read(data, name), name)


def bert_file(file: TokenizerJson, name: str) -> BertFile:
    """What a BERT tokenizer.json says. Raises InputError where it has other parts than BERT's."""
    given = {"normalizer": file.normalizer, "pre_tokenizer": file.pre_tokenizer, "decoder": file.decoder,
             "post_processor": file.post_processor}  # fmt: skip
    sections: dict[str, Config] = {"model": file.model}
    for section, wanted in (("normalizer", ("BertNormalizer",)), ("pre_tokenizer", ("BertPreTokenizer",)),
                            ("decoder", ("WordPiece",)),
                            ("post_processor", ("TemplateProcessing", "BertProcessing"))):  # fmt: skip
        config = given[section]
        kind = config.get("type") if config is not None else None
        if config is None or kind not in wanted:
            raise InputError(f"{name}: {section} has the type {kind!r}; a BERT file has {' or '.join(wanted)}")
        sections[section] = config
    added = [asdict(entry) for entry in file.added_tokens]
    try:
        vocabulary = word_piece_vocabulary(sections["model"], added)
        model = word_piece_model(sections["model"], vocabulary)
        first, last = around(sections["post_processor"], vocabulary)
        return BertFile(
            vocabulary,
            added_tokens_of(added),
            model.unknown,
            first,
            last,
            prefix=model.prefix.decode(),
            max_characters=model.max_characters,
            **normalizer_settings(sections["normalizer"]),
            cleanup=sections["decoder"].get("cleanup", True) is True,
        )
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def around(config: Config, vocabulary: Vocabulary) -> tuple[int | None, int | None]:
    """The ids of [CLS] and [SEP] that a post-processor adds before and behind one text."""
    if config.get("type") == "BertProcessing":
        found = [(config.get(key) or [None])[0] for key in ("cls", "sep")]
    else:
        template = [part for part in config.get("single") or () if isinstance(part, dict)]
        names = [(part.get("SpecialToken") or {}).get("id") for part in template]
        if len(template) != 3 or names[1] is not None or None in (names[0], names[2]):
            raise InputError("post_processor.single is not [CLS] A [SEP]; this version reads BERT's only")
        found = [names[0], names[2]]
    ids = [vocabulary.ids.get(str(spelling).encode()) for spelling in found]
    if None in ids:
        raise InputError(
            f"post_processor adds {found[0]!r} and {found[1]!r}, not both in the vocabulary; repair the file"
        )
    return ids[0], ids[1]


def from_tokenizer_json(data: bytes, name: str) -> Tokenizer:
    """The tokenizer of a BERT tokenizer.json, as Hugging Face runs it."""
    return tokenizer_of(read_tokenizer_json(data, name), name)

"""WPM vocabularies (`tokenizer.ggml.model` = `bert`) as llama.cpp runs them.

From a GGUF file, or from the vocabulary of a Hugging Face BERT: `converted` changes the pieces as llama.cpp's converter
does (`conversion/bert.py`): `##` is dropped, every other piece gets a ▁ in front, special tokens stay as they are.
[CLS] and [SEP] are added whenever special tokens are asked for, whatever add_bos_token says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from explorer.engine.bert_normalizer import NfdFirst
from explorer.engine.decode_wordpiece import WpmDecoder
from explorer.engine.normalizers import Normalization
from explorer.engine.partition import SpecialTokenPartition
from explorer.engine.postprocess import AddSpecial
from explorer.engine.pretokenizers import PreTokenization
from explorer.engine.tokenizer import Tokenizer
from explorer.engine.wordpiece import Wpm
from explorer.engine.words import as_llama_cpp
from explorer.errors import InputError
from explorer.formats.gguf import Gguf
from explorer.implementations.huggingface_bert import BertFile
from explorer.implementations.llama_cpp.vocabulary import corrected, special_tokens, vocabulary_of
from explorer.vocabulary import PieceKind, Vocabulary


@dataclass(frozen=True, slots=True)
class Settings:
    """What llama.cpp reads about a tokenizer besides its pieces; the defaults are those of the model `bert`."""

    bos: int | None = 101
    sep: int | None = 102
    unknown: int | None = 100
    lowercase: bool = True
    strip_accents: bool = True


def wpm_tokenizer(gguf: Gguf, name: str) -> Tokenizer:
    """The tokenizer of such a file. Raises InputError where something it needs is missing or damaged."""
    vocabulary = corrected(vocabulary_of(gguf, name))
    settings = settings_of(gguf.metadata, len(vocabulary))
    return made(vocabulary, settings, name, str(gguf.metadata.get("general.name", "")))


def from_bert(file: BertFile, name: str) -> Tokenizer:
    """A Hugging Face BERT file as llama.cpp runs it once it is converted."""
    settings = Settings(
        bos=file.first,
        sep=file.last,
        unknown=file.unknown,
        lowercase=file.lowercase,
        strip_accents=file.lowercase if file.strip_accents is None else file.strip_accents,
    )
    return made(corrected(converted(file.vocabulary, file.prefix)), settings, name, "")


def made(vocabulary: Vocabulary, settings: Settings, name: str, model_name: str) -> Tokenizer:
    for id, what in ((settings.bos, "[CLS]"), (settings.sep, "[SEP]"), (settings.unknown, "[UNK]")):
        if id is None:
            raise InputError(f"{name}: there is no {what} token, which llama.cpp needs for this model; repair the file")
    assert settings.unknown is not None
    return Tokenizer(
        name=name,
        family="WordPiece",
        implementation="llama.cpp",
        vocabulary=vocabulary,
        parts=(
            SpecialTokenPartition(special_tokens(vocabulary, model_name)),
            Normalization([NfdFirst(strip_accents=settings.strip_accents, lowercase=settings.lowercase)]),
            PreTokenization(as_llama_cpp()),
            Wpm(vocabulary, settings.unknown),
            AddSpecial(settings.bos, settings.sep),
        ),
        decoder=WpmDecoder(vocabulary, first=settings.bos, last=settings.sep),
    )


def converted(vocabulary: Vocabulary, prefix: str = "##") -> Vocabulary:
    """The pieces as llama.cpp's converter writes them; ids stay.

    >>> v = Vocabulary.of([b"[UNK]", b"a", b"##b"], kinds=[2, 1, 1])
    >>> [converted(v).spelling(id) for id in range(3)], converted(v).kind(0).name
    (['[UNK]', '▁a', 'b'], 'CONTROL')
    """
    front = prefix.encode()
    pieces, kinds = [], []
    for piece, kind in zip(vocabulary.pieces, vocabulary.kinds, strict=True):
        if kind in (PieceKind.CONTROL, PieceKind.UNKNOWN):
            kind = PieceKind.CONTROL
        else:
            piece = piece.removeprefix(front) if piece.startswith(front) else "▁".encode() + piece
        pieces.append(piece)
        kinds.append(kind)
    return Vocabulary.of(pieces, [0.0] * len(pieces), kinds)


def settings_of(metadata: Mapping[str, object], size: int) -> Settings:
    """The settings of a file with `size` tokens. A special id outside the vocabulary is ignored, as there."""
    default = Settings()

    def flag(key: str, otherwise: bool) -> bool:
        value = metadata.get(f"tokenizer.ggml.normalizer.{key}")
        return value if isinstance(value, bool) else otherwise

    def special(key: str, otherwise: int | None) -> int | None:
        value = metadata.get(f"tokenizer.ggml.{key}_token_id")
        if isinstance(value, int) and 0 <= value < size:
            return value
        return otherwise if otherwise is not None and otherwise < size else None

    lowercase = flag("lowercase", default.lowercase)
    return Settings(
        bos=special("bos", default.bos),
        sep=special("seperator", default.sep),  # so spelled in the format
        unknown=special("unknown", default.unknown),
        lowercase=lowercase,
        strip_accents=flag("strip_accents", lowercase),
    )

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
from explorer.engine.post_processors import PostProcessing
from explorer.engine.postprocess import AddSpecial
from explorer.engine.pretokenizers import PreTokenization
from explorer.engine.tokenizer import Tokenizer
from explorer.engine.wordpiece import WordPiece, Wpm
from explorer.engine.words import as_llama_cpp
from explorer.errors import InputError
from explorer.formats.gguf import Gguf
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations.huggingface import from_tokenizer_json
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


def from_bert(file: TokenizerJson, name: str) -> Tokenizer:
    """A Hugging Face BERT file as llama.cpp runs it once it is converted.

    Raises InputError where it has other parts than BERT's, of which llama.cpp knows nothing.
    """
    for section, part, wanted in (
        ("normalizer", file.normalizer, "BertNormalizer"),
        ("pre_tokenizer", file.pre_tokenizer, "BertPreTokenizer"),
    ):
        kind = None if part is None else part.get("type")
        if kind != wanted:
            raise InputError(f"{name}: {section} has the type {kind!r}; llama.cpp runs WordPiece with {wanted} only")
    original = from_tokenizer_json(file, name)
    model = next(part for part in original.parts if isinstance(part, WordPiece))
    post = next(part for part in original.parts if isinstance(part, PostProcessing))
    if len(post.before) > 1 or len(post.behind) > 1:
        raise InputError(f"{name}: post_processor adds more than one token on a side, which llama.cpp cannot")
    normalizer = file.normalizer or {}
    lowercase, strip_accents = normalizer.get("lowercase", True), normalizer.get("strip_accents")
    settings = Settings(
        bos=next(iter(post.before), None),
        sep=next(iter(post.behind), None),
        unknown=model.unknown,
        lowercase=lowercase,
        strip_accents=lowercase if strip_accents is None else strip_accents,
    )
    return made(corrected(converted(original.vocabulary, model.prefix.decode())), settings, name, "")


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

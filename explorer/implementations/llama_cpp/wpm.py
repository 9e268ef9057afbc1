"""WPM vocabularies (`tokenizer.ggml.model` = `bert`) as llama.cpp runs them.

From a GGUF file, or from a Hugging Face BERT: `converted_bert` writes the keys as llama.cpp's converter does
(`conversion/bert.py`): `##` is dropped, every other piece gets a ▁ in front, special tokens are unchanged. [CLS] and
[SEP] are added whenever special tokens are requested, whatever add_bos_token is.
"""

from __future__ import annotations

from array import array

from explorer.engine.decoders.chain import just
from explorer.engine.decoders.pieces import WpmDecoder
from explorer.engine.models.longest_match import WordPiece, Wpm
from explorer.engine.normalizers.huggingface import NfdFirst
from explorer.engine.normalizers.stage import Normalization
from explorer.engine.post_processors import AddSpecial, PostProcessing
from explorer.engine.pre_tokenizers.wpm import WpmWords
from explorer.errors import InputError, shown
from explorer.formats.gguf import Gguf, Value
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations.huggingface import from_tokenizer_json
from explorer.implementations.llama_cpp.vocabulary import (
    GGML,
    Metadata,
    assembled,
    corrected,
    special_tokens,
    vocabulary_of,
)
from explorer.implementations.opened import Opened
from explorer.vocabulary import SPACE_MARK, PieceKind, Vocabulary

NEEDED = (("bos", "[CLS]", 101), ("seperator", "[SEP]", 102), ("unknown", "[UNK]", 100))
"""Key (spelled as in the format), token, and its id if the file has none."""


def wpm(keys: Metadata) -> Opened:
    """The tokenizer of such a file. Raises InputError if something it needs is missing or damaged."""
    keys.say("model", "WordPiece: each word is split from the left, the longest piece that fits first.", "model")
    vocabulary = corrected(vocabulary_of(keys, scored=False), keys)
    ids: list[int] = []
    for key, what, otherwise in NEEDED:
        id = keys.id(key, otherwise, len(vocabulary))
        if id is None:
            raise InputError(
                f"{keys.name}: there is no {what} token, which llama.cpp needs for this model; repair the file"
            )
        keys.say_token(f"The {what} token", key, id, vocabulary)
        ids.append(id)
    first, last, unknown = ids
    keys.say("flags", "[CLS] and [SEP] are put around every text, whatever the flags for BOS and EOS are.")
    lowercase = keys.flag("normalizer.lowercase", True)
    strip_accents = keys.flag("normalizer.strip_accents", lowercase)
    keys.say("normalizer", f"Letters are {'lowercased' if lowercase else 'left unchanged'}.", "normalizer.lowercase")
    keys.say(
        "normalizer",
        "Accents are dropped: only the first code point of a decomposition is kept."
        if strip_accents
        else "Accents are kept.",
        "normalizer.strip_accents",
    )
    model = Wpm(vocabulary, unknown)
    keys.say(
        "model",
        f"max_token_len is {model.max_token_len} bytes: the longest piece, counting ▁ as "
        f"three. A window has at most one more, {model.window}.",
    )
    keys.say("flags", "Decoding removes the space before punctuation and some contractions.")
    parts = (
        special_tokens(vocabulary, keys),
        Normalization([NfdFirst()] if strip_accents else []),
        WpmWords(strip_accents=strip_accents, lowercase=lowercase),
        model,
        AddSpecial(first, last),
    )
    decoder = WpmDecoder(vocabulary, first=first, last=last, strip_space=keys.strips_space())
    return assembled(keys, "WordPiece", vocabulary, parts, decoder)


def converted_bert(file: TokenizerJson, name: str) -> Gguf:
    """The keys of the GGUF file that the converter makes of a Hugging Face BERT.

    Raises InputError if it has parts other than BERT's, which llama.cpp does not support.
    """
    for section, part, wanted in (
        ("normalizer", file.normalizer, "BertNormalizer"),
        ("pre_tokenizer", file.pre_tokenizer, "BertPreTokenizer"),
    ):
        kind = None if part is None else part.get("type")
        if kind != wanted:
            raise InputError(
                f"{name}: {section} has the type {shown(kind)}; llama.cpp runs WordPiece with {wanted} only"
            )
    original = from_tokenizer_json(file, name)
    model = next(part for part in original.parts if isinstance(part, WordPiece))
    post = next(part for part in original.parts if isinstance(part, PostProcessing))
    if len(post.before) > 1 or len(post.after) > 1:
        raise InputError(f"{name}: post_processor adds more than one token on a side, which llama.cpp cannot")
    normalizer = file.normalizer or {}
    lowercase, strip_accents = normalizer.get("lowercase", True), normalizer.get("strip_accents")
    pieces = converted(original.vocabulary, model.prefix.decode())
    metadata: dict[str, Value] = {
        "model": "bert",
        "tokens": list(pieces.pieces),
        "token_type": array("i", list(pieces.kinds)),
        "normalizer.lowercase": lowercase,
        "normalizer.strip_accents": lowercase if strip_accents is None else strip_accents,
    }
    for key, ids in (("bos", post.before), ("seperator", post.after), ("unknown", just(model.unknown))):
        metadata.update({f"{key}_token_id": id for id in ids})
    return Gguf(3, 0, {GGML + key: value for key, value in metadata.items()})


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
            piece = piece.removeprefix(front) if piece.startswith(front) else SPACE_MARK.encode() + piece
        pieces.append(piece)
        kinds.append(kind)
    return Vocabulary.of(pieces, (), kinds)

"""Tokenizers as Hugging Face's `tokenizers` runs them, from a tokenizer.json.

models            the section `model`, and BPE's merges
text_stages       the sections `normalizer` and `pre_tokenizer`
token_stages      the sections `post_processor` and `decoder`, truncation and padding
added_tokens      the added tokens and their ids
from_vocab        a vocab.json with its merges, or a BERT's vocab.txt, as a tokenizer.json
reading           what the sections share: flattening Sequences, checking settings

Each section has a table of its types. Any other type is an InputError that names it and its path.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from explorer.engine.decoders.huggingface import ChainDecoder
from explorer.engine.part import Decoder, Options, Part, Segment, silent
from explorer.errors import NO_CHOICES, Choices, InputError, errors_of, shown
from explorer.facts import Fact
from explorer.formats.tokenizer_json import EncodedPieces, TokenizerJson
from explorer.implementations.huggingface.added_tokens import AddedTokens, read_added_tokens
from explorer.implementations.huggingface.models import MODELS, ModelSection, encoded, unknown_keys
from explorer.implementations.huggingface.reading import SEQUENCE, unknown_settings, walk
from explorer.implementations.huggingface.token_stages import (
    TokenLookup,
    are_applied,
    check_applicable,
    decoding,
    length_facts,
    post_processing,
    read_lengths,
)
from explorer.implementations.opened import Opened
from explorer.vocabulary import PieceKind, Vocabulary, by_id, highest, joint

IMPLEMENTATION = "huggingface"


SEQUENCES = {
    "normalizer": "normalizers",
    "pre_tokenizer": "pretokenizers",
    "post_processor": "processors",
    "decoder": "decoders",
}
"""Section → the key under which a Sequence in it holds its parts."""


MOST_NORMALIZED = 1_000_000
"""Added tokens times normalizers: each token is normalized when a file is opened."""


def from_tokenizer_json(file: TokenizerJson, name: str, choices: Choices = NO_CHOICES) -> Opened:
    """The tokenizer that a tokenizer.json describes. Raises InputError for a part that this version does not run.

    name: what errors and the pages call the tokenizer. choices: `pad_and_truncate`, if the file has either.
    """
    with errors_of(name):
        model = _model(file)
        normalization, splitting = _normalization(file), _pre_tokenization(file)
        normalize = None if normalization.part is None else partial(_normalized, normalization.part)
        added = read_added_tokens(file.added_tokens, model.pieces, normalize)
        vocabulary, ids, covered = vocabulary_of(model, added)
        spelled = {id: text.encode() for id, text in added.spelled.items()}
        post, post_facts = post_processing(file.post_processor, TokenLookup(vocabulary, covered))
        steps, decoder_facts = decoding(file.decoder)
        length, apply = read_lengths(file, post), are_applied(choices)
        stages: list[Part | None] = [
            added.partition(),
            normalization.part,
            added.normalized_partition(),
            splitting.part,
            model.stage(vocabulary, ids),
            post,
        ]
        parts = [stage for stage in stages if stage is not None]
        decoder: Decoder = ChainDecoder(
            vocabulary,
            steps,
            before=post.before,
            after=post.after,
            special=frozenset(text.encode() for text in added.special),
            strings=spelled,
        )
        if apply:
            check_applicable(length, vocabulary)
            parts, decoder = list(length.stages(parts)), length.decoder(decoder)
        return Opened(
            name=name,
            family=model.family,
            implementation=IMPLEMENTATION,
            vocabulary=vocabulary,
            parts=tuple(parts),
            decoder=decoder,
            choosable=length.choosable(apply),
            facts=(
                *model.facts,
                *unknown_keys(file.model, file.model_type),
                *added.facts,
                *normalization.facts,
                *splitting.facts,
                *post_facts,
                *decoder_facts,
                *length_facts(length, vocabulary, apply),
                *_unused(file),
            ),
        )


class Section(NamedTuple):
    """A section of the file: its stage, None if it has none, and its facts."""

    part: Part | None = None
    facts: Sequence[Fact] = ()


def _model(file: TokenizerJson) -> ModelSection:
    read = MODELS.get(file.model_type)
    if read is None:
        raise InputError(
            f"model.type is {shown(file.model_type)}; this version runs: {', '.join(MODELS)}. Give a file with "
            "one of them"
        )
    return read(file.model)


def _normalization(file: TokenizerJson) -> Section:
    """The section `normalizer`. A file without one needs none of the imports."""
    if file.normalizer is None:
        return Section()
    from explorer.engine.normalizers.stage import Normalization
    from explorer.implementations.huggingface.text_stages import normalizer_facts, normalizers

    found = normalizers(file.normalizer)
    to_normalize = sum(entry.normalized for entry in file.added_tokens)
    if to_normalize * len(found) > MOST_NORMALIZED:
        raise InputError(
            f"{to_normalize:,} added tokens would each go through {len(found)} normalizers, which would take "
            "minutes; give a file with fewer, or set normalized to false"
        )
    return Section(Normalization(found) if found else None, normalizer_facts(file.normalizer))


def _pre_tokenization(file: TokenizerJson) -> Section:
    if file.pre_tokenizer is None:
        return Section()
    from explorer.engine.pre_tokenizers.by_regex import PreTokenization
    from explorer.implementations.huggingface.text_stages import pre_tokenizer_facts, pre_tokenizers

    found = pre_tokenizers(file.pre_tokenizer)
    facts = pre_tokenizer_facts(file.pre_tokenizer, file.normalizer)
    return Section(PreTokenization(found) if found else None, facts)


def _normalized(normalization: Part, text: str) -> str:
    items = normalization.run([Segment.of(text)], Options(), silent)
    return "".join(item.text for item in items if isinstance(item, Segment))


def _unused(file: TokenizerJson) -> Iterator[Fact]:
    """Settings of Sequences that have no effect."""
    for section, inner in SEQUENCES.items():
        for each in walk(getattr(file, section), section, inner):
            if each.kind == SEQUENCE:
                yield from unknown_settings(each, inner, section.replace("_", "-"))


def vocabulary_of(
    model: ModelSection, added: AddedTokens
) -> tuple[Vocabulary, Mapping[bytes, int], Mapping[int, bytes]]:
    """All pieces by id, the model's and the added ones; piece → id of the model's own; those whose id an added token
    has taken over, by id.

    An unused id has an empty piece of kind UNDEFINED.
    """
    texts = model.pieces
    ids: Mapping[bytes, int] = (
        texts.ids if isinstance(texts, EncodedPieces) else dict(zip(encoded(texts), texts.values(), strict=True))
    )
    size = max(highest(ids), *added.contents, -1) + 1
    count = len(ids) + len(added.contents)
    if size > 2 * count + 1000:
        raise InputError(f"model.vocab has {count} pieces, but ids up to {size - 1}; the file is damaged")
    pieces, kinds = by_id(ids, size)
    others: dict[bytes, int] = {}
    covered: dict[int, bytes] = {}
    for id, entry in added.contents.items():
        piece = entry.content.encode()
        if pieces[id] not in (b"", piece):
            covered[id] = pieces[id]
        pieces[id] = piece
        kinds[id] = PieceKind.CONTROL if entry.content in added.special else PieceKind.USER_DEFINED
        if ids.get(piece) != id:
            others[piece] = id
    if model.unknown is not None:
        kinds[model.unknown] = PieceKind.UNKNOWN
    if model.byte_fallback:
        for byte in range(256):
            at = ids.get(b"<0x%02X>" % byte)
            if at is not None:
                kinds[at] = PieceKind.BYTE
    scores = array("d", model.scores) + array("d", [0.0]) * (size - len(model.scores)) if model.scores else ()
    return Vocabulary(tuple(pieces), scores, bytes(kinds), joint(ids, others)), ids, covered

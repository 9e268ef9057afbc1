"""Tokenizers as Hugging Face's `tokenizers` runs them, from what a tokenizer.json says.

The file is a list of parts by name. Each kind of part has a module here with a table of its types; asking for another
one is an InputError that names it and its place.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from explorer.engine.decoders.chain import ChainDecoder
from explorer.engine.items import Segment
from explorer.engine.options import Options
from explorer.engine.part import Decoder, Part
from explorer.engine.tokenizer import Tokenizer
from explorer.engine.trace import silent
from explorer.errors import InputError, shown
from explorer.facts import Fact
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations.huggingface.added import Added, added
from explorer.implementations.huggingface.bulk import encoded
from explorer.implementations.huggingface.decoders import decoding
from explorer.implementations.huggingface.lengths import applied, asked_for, facts_of, lengths
from explorer.implementations.huggingface.models import MODELS, Model, unknown_keys
from explorer.implementations.huggingface.post_processors import Pieces, post_processing
from explorer.implementations.huggingface.reading import SEQUENCE, unknown_settings, walked
from explorer.vocabulary import PieceKind, Vocabulary

IMPLEMENTATION = "huggingface"

NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
"""No choices."""

SEQUENCES = {
    "normalizer": "normalizers", "pre_tokenizer": "pretokenizers", "post_processor": "processors",
    "decoder": "decoders",
}  # fmt: skip
"""Under which key a Sequence of each section holds its parts."""


MOST_NORMALIZED: Final = 1_000_000
"""Added tokens times the normalizers each of them goes through when a file is opened."""


def from_tokenizer_json(file: TokenizerJson, name: str, choices: Mapping[str, str] = NOTHING) -> Tokenizer:
    """The tokenizer that a tokenizer.json describes. Raises InputError for a part that is not known here.

    name: what the tokenizer is called in errors and on the pages. choices: `pad_and_truncate`, where the file asks for
    either.
    """
    read = MODELS.get(file.model_type)
    if read is None:
        raise InputError(
            f"{name}: model.type is {shown(file.model_type)}; this version runs: {', '.join(MODELS)}. Choose such a "
            "file"
        )
    model = read(file.model, name)
    normalization, splitting = normalizing(file, name), pre_tokenizing(file, name)
    extra = added(
        file.added_tokens,
        model.pieces,
        None if (part := normalization.part) is None else lambda text: normalized(part, text),
        name,
    )
    vocabulary, ids = vocabulary_of(model, extra, name)
    spelled = {id: text.encode() for id, text in extra.spelled.items()}
    post, post_facts = post_processing(file.post_processor, Pieces(vocabulary, spelled), name)
    steps, decoder_facts = decoding(file.decoder, name)
    length, apply = lengths(file, post, name), asked_for(choices, name)
    stages: list[Part | None] = [
        extra.partition(),
        normalization.part,
        extra.normalized_partition(),
        splitting.part,
        model.stage(vocabulary, ids),
        post,
    ]
    parts = [stage for stage in stages if stage is not None]
    decoder: Decoder = ChainDecoder(
        vocabulary,
        steps,
        before=post.before,
        behind=post.behind,
        special=frozenset(text.encode() for text in extra.special),
        strings=spelled,
    )
    if apply:
        parts, decoder = list(applied(length, vocabulary, name).stages(parts)), length.decoder(decoder)
    return Tokenizer(
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
            *extra.facts,
            *normalization.facts,
            *splitting.facts,
            *post_facts,
            *decoder_facts,
            *facts_of(length, vocabulary, apply),
            *unused(file, name),
        ),
    )


class Section(NamedTuple):
    """What a section of the file comes to: its stage, None where it makes none, and what it says."""

    part: Part | None = None
    facts: Sequence[Fact] = ()


def normalizing(file: TokenizerJson, name: str) -> Section:
    """The section `normalizer`. A file without one opens without all that normalizers need."""
    if file.normalizer is None:
        return Section()
    from explorer.engine.normalizers.stage import Normalization
    from explorer.implementations.huggingface.normalizers import normalizer_facts, normalizers

    found = normalizers(file.normalizer, name)
    to_normalize = sum(entry.normalized for entry in file.added_tokens)
    if to_normalize * len(found) > MOST_NORMALIZED:
        raise InputError(
            f"{name}: {to_normalize:,} added tokens would each go through {len(found)} normalizers, and opening it "
            "would take minutes; give a file with fewer, or write normalized false"
        )
    return Section(Normalization(found) if found else None, normalizer_facts(file.normalizer, name))


def pre_tokenizing(file: TokenizerJson, name: str) -> Section:
    """The section `pre_tokenizer`, in the same way."""
    if file.pre_tokenizer is None:
        return Section()
    from explorer.engine.pre_tokenizers.stage import PreTokenization
    from explorer.implementations.huggingface.pre_tokenizers import pre_tokenizer_facts, pre_tokenizers

    found = pre_tokenizers(file.pre_tokenizer, name)
    facts = pre_tokenizer_facts(file.pre_tokenizer, name, file.normalizer)
    return Section(PreTokenization(found) if found else None, facts)


def normalized(normalization: Part, text: str) -> str:
    """What the normalization makes of a text."""
    items = normalization.run([Segment.of(text)], Options(), silent)
    return "".join(item.text for item in items if isinstance(item, Segment))


def unused(file: TokenizerJson, name: str) -> Iterator[Fact]:
    """What the file says besides tokenizing."""
    for section, inner in SEQUENCES.items():
        for each in walked(getattr(file, section), section, inner, name):
            if each.kind == SEQUENCE:
                yield from unknown_settings(each, (inner,), section.replace("_", "-"))


def vocabulary_of(model: Model, extra: Added, name: str) -> tuple[Vocabulary, Mapping[bytes, int]]:
    """All pieces by id, those of the model and the added ones, and the ids of those that are the model's own.

    An id that is none has an empty piece of the kind UNDEFINED.
    """
    size = max([*model.pieces.values(), *extra.contents]) + 1
    count = len(model.pieces) + len(extra.contents)
    if size > 2 * count + 1000:
        raise InputError(f"{name}: model.vocab: {count} pieces, but ids up to {size - 1}; the file is damaged")
    pieces = [b""] * size
    kinds = bytearray([PieceKind.UNDEFINED]) * size
    ids = dict(zip(encoded(model.pieces), model.pieces.values(), strict=True))
    normal = int(PieceKind.NORMAL)
    for piece, id in ids.items():
        pieces[id] = piece
        kinds[id] = normal
    own: Mapping[bytes, int] = ids
    for id, entry in extra.contents.items():
        pieces[id] = piece = entry.content.encode()
        kinds[id] = PieceKind.CONTROL if entry.content in extra.special else PieceKind.USER_DEFINED
        if ids.get(piece) != id:
            ids = dict(ids) if ids is own else ids
            ids[piece] = id
    if model.unknown is not None:
        kinds[model.unknown] = PieceKind.UNKNOWN
    if model.byte_fallback:
        for byte in range(256):
            at = own.get(b"<0x%02X>" % byte)
            if at is not None:
                kinds[at] = PieceKind.BYTE
    scores = array("d", model.scores) + array("d", [0.0]) * (size - len(model.scores)) if model.scores else ()
    return Vocabulary(tuple(pieces), scores, bytes(kinds), ids), own

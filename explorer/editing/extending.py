"""A BPE vocabulary extended: a training that goes on from its merges on a new corpus.

Words, cut by the tokenizer's own stages, begin as the tokens that they have; the most frequent pair of neighbors is
merged, as Hugging Face's `BpeTrainer` does it, until there are enough new tokens. New merges come after all others, so
every old token keeps its id and rank, and no text gets more tokens: until the old merges have run nothing differs, and
each later merge makes one token of two. Leaves out models without merges or ranks.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from explorer.analysis.vocabulary.derivation import initial, pairs_of
from explorer.editing.edits import AddEntries, AddMerges, Edit
from explorer.editing.replay import WRITING, replay
from explorer.engine.models.bpe import Bpe
from explorer.engine.models.merges import merge_silently
from explorer.engine.part import silent
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.opening.formats import format_of
from explorer.training.huggingface import bpe
from explorer.training.words import counted


class Extended(NamedTuple):
    """An extended vocabulary in its own format. new: of each new piece the old ids that it consists of."""

    data: bytes
    new: Mapping[bytes, tuple[int, ...]]


def extended(tokenizer: Opened, data: bytes, name: str, texts: Iterable[str], size: int) -> Extended:
    """The vocabulary with up to `size` more tokens. data, name: of its file. Raises InputError if it doesn't merge."""
    edit, new = extension(tokenizer, data, name, texts, size)
    return Extended(replay(data, [edit], name, WRITING).data if new else data, new)


def extension(
    tokenizer: Opened, data: bytes, name: str, texts: Iterable[str], size: int
) -> tuple[Edit, dict[bytes, tuple[int, ...]]]:
    """The edit that adds the tokens, and of each the old ids that it consists of."""
    model, vocabulary = tokenizer.model, tokenizer.vocabulary
    pairs = pairs_of(tokenizer)
    if not isinstance(model, Bpe) or pairs is None or model.prefix or model.suffix or model.unknown is not None:
        raise InputError(f"{name}: only byte-level BPE can be extended: a tokenizer.json, or ranks")
    words, times = [], []
    for word, count in counted(texts, tokenizer.parts[: tokenizer.parts.index(model)]).items():
        pieces = merge_silently(initial(model, word.encode()), pairs).pieces
        words.append("".join(chr(vocabulary.ids[piece]) for piece in pieces))
        times.append(count)
    # a character for each byte, so that what a merge makes is spelled by its sides
    tokens = bpe.Tokens(spelled := [piece.decode("latin-1") for piece in vocabulary.pieces])
    tokens.ids.update({text: id for id, text in enumerate(spelled)})
    old = len(spelled)
    options = bpe.Options(vocab_size=old + size, min_frequency=2)
    merges = bpe.merged(words, times, tokens, options, frozenset(), False, silent)
    whole: dict[int, tuple[int, ...]] = {}
    for left, right, token in merges:
        if token >= old:
            whole.setdefault(token, (*whole.get(left, (left,)), *whole.get(right, (right,))))
    pieces_of = [text.encode("latin-1") for text in tokens.texts]
    edit: Edit
    if format_of(data, name).name == "a tokenizer.json":
        edit = AddMerges(
            merges=tuple((pieces_of[left].decode(), pieces_of[right].decode()) for left, right, _ in merges)
        )
    else:
        edit = AddEntries(hex=tuple(pieces_of[token].hex() for token in whole))
    return edit, {pieces_of[token]: parts for token, parts in whole.items()}

"""Tokens that text surely gives, found for many at once instead of by encoding the text of each.

The stages before the model run as in the fast path. If they leave the text of a token as one piece, the token's own,
then text gives the token where the model takes such a piece whole, where merges build it (`built_pieces`), or where no
path through its lattice is better (`uncut_pieces`). In a lattice, a context may precede the token if no piece joins
both: then the best path through all of it ends with that through the token.

Left out: tokens of other models, and tokens that need more. `reach` encodes the text of each of those.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from explorer.analysis.vocabulary.classes import TokenClass
from explorer.analysis.vocabulary.derivation import lattice_of
from explorer.analysis.vocabulary.index import VocabularyIndex
from explorer.engine.fast.at_spaces import AtSpaces
from explorer.engine.fast.by_pattern import ByPattern
from explorer.engine.fast.short_pieces import SHORT
from explorer.engine.fast.solvers import LatticeSolver
from explorer.engine.fast.spaces import NotIndependent
from explorer.engine.items import Segment, initial_items
from explorer.engine.limits.budget import ask
from explorer.engine.models.bpe import Bpe
from explorer.engine.models.spm import Spm
from explorer.engine.options import Options
from explorer.engine.part import Part, run_through
from explorer.errors import InputError

WHAT: Final = "the check"
"""The name of this in errors."""

ALONE: Final = Options(add_special=False)

OTHERS: Final = frozenset(
    {TokenClass.NO_TOKEN, TokenClass.NO_BYTES, TokenClass.SPECIAL, TokenClass.ADDED, TokenClass.BYTE, TokenClass.PART,
     TokenClass.UNUSED}
)  # fmt: skip
"""Classes of tokens that need not be the text of a piece."""

BLOCK: Final = 256
"""Texts among which added tokens are searched at once."""

PiecesOf = Callable[[Sequence[str]], Iterator[str | None]]
"""`pieces_of` some texts."""


def certain_tokens(index: VocabularyIndex, ids: Iterable[int], contexts: Sequence[str]) -> set[int]:
    """Those of the ids whose own text, or it without its space or after one of the contexts, surely gives them.

    >>> import explorer
    >>> from explorer.analysis.vocabulary.index import index_of
    >>> len(certain_tokens(index_of(explorer.load("gpt-2")), range(1_000), ()))
    838
    """
    fast, model = index.tokenizer.untraced, index.tokenizer.model
    strategy = fast.strategy
    if not isinstance(strategy, (ByPattern, AtSpaces)) or fast.lengths or fast.template(ALONE) != [None]:
        return set()
    classes, texts = index.classes, index.texts
    asked = [id for id in ids if classes[id] not in OTHERS and len(texts[id]) <= SHORT]
    pieces = partial(pieces_of, fast.partitions, strategy)
    if isinstance(model, (Bpe, Spm)):
        return set(merged(index, model, asked, pieces))
    lattice = lattice_of(index.tokenizer)
    return set(uncut(index, lattice, asked, contexts, pieces)) if lattice is not None else set()


def pieces_of(partitions: Sequence[Part], strategy: ByPattern | AtSpaces, texts: Sequence[str]) -> Iterator[str | None]:
    """The piece that the model gets of each text; None if it gets several, or added tokens come with it."""

    def is_cut(text: str) -> bool:
        items = run_through(partitions, initial_items(text), ALONE)
        return len(items) != 1 or not isinstance(items[0], Segment)

    for begin in range(0, len(texts), BLOCK):
        ask(WHAT)
        block = texts[begin : begin + BLOCK]
        # an added token that cuts a text cuts it among others, too
        some = is_cut("\n".join(block))
        words = None if some or isinstance(strategy, ByPattern) else strategy.pieces_of_words(block)
        if words is not None:
            yield from map(strategy.encoder.spelled, words)
            continue
        for text in block:
            if some and is_cut(text):
                yield None
                continue
            try:
                found = strategy.pieces(text)
            except (NotIndependent, InputError):
                found = []
            yield strategy.encoder.spelled(found[0]) if len(found) == 1 else None


def merged(index: VocabularyIndex, model: Bpe | Spm, ids: Sequence[int], pieces: PiecesOf) -> Iterator[int]:
    """The tokens that the model takes whole or builds of what the stages leave, if need be without a space."""
    texts, built, spellings = index.texts, index.built, index.tokenizer.vocabulary.pieces
    for cut in (0, 1):
        left = []
        for id, piece in zip(ids, pieces([texts[id][cut:] for id in ids]), strict=True):
            if piece is not None and piece.encode() == spellings[id] and gives(model, id, piece, bool(built[id])):
                yield id
            elif texts[id][:1] == " ":
                left.append(id)
        ids = left


def gives(model: Bpe | Spm, id: int, piece: str, built: bool) -> bool:
    """Whether the model gives a token for its piece. built: whether merges build it."""
    spelling = piece.encode()
    if isinstance(model, Spm):
        return built and model.makes(spelling) and model.token_of(spelling) == id
    return model.ids.get(spelling) == id and (built or model.may_be_whole(piece))


def uncut(
    index: VocabularyIndex, lattice: LatticeSolver, ids: Sequence[int], contexts: Sequence[str], pieces: PiecesOf
) -> Iterator[int]:
    """The tokens that are the best path through their own piece, alone or after a context that no piece joins to it."""
    spellings, texts, own = index.tokenizer.vocabulary.pieces, index.texts, index.uncut
    text_of = {id: text for id in ids if (text := spellings[id].decode("utf-8", "replace")) in own}
    left = {id for id, text in text_of.items() if lattice.ids[text] == id}
    every = "\n".join(lattice.ids)
    # most tokens with a space in front come without a context, and the others after one
    spaced = [id for id in left if texts[id][:1] == " "]
    for context, those in (("", spaced), *((each, text_of) for each in (*contexts, ""))):
        before = next(pieces([context])) if context else ""
        if before is None or not all(map(lattice.ids.__contains__, before)):
            continue
        joined = characters_after(before[-1:], every) if before else ()
        asked = [id for id in those if id in left and text_of[id][0] not in joined]
        for id, piece in zip(asked, pieces([context + texts[id] for id in asked]), strict=True):
            if piece == before + text_of[id]:
                left.discard(id)
                yield id


def characters_after(ch: str, text: str) -> frozenset[str]:
    """The characters that follow this one in a text.

    >>> sorted(characters_after("a", "aab cac"))
    ['a', 'b', 'c']
    """
    return frozenset(re.findall(f"{re.escape(ch)}(?=(.))", text, re.DOTALL))

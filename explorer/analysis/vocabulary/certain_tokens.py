"""Tokens that text surely gives, found for many at once instead of by encoding the text of each.

The stages before the model run as in the fast path. If they leave the text of a token as one piece, the token's own,
then text gives the token where the model takes such a piece whole, where merges build it (`built_pieces`), or where no
path through the lattice is better than the token alone. For the lattice, texts that begin alike share their beginning,
and what precedes a token may be a context: the best path through all of it ends with the token.

Left out: tokens of other models, and tokens that need more. `reach` encodes the text of each of those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from explorer.analysis.vocabulary.classes import TokenClass
from explorer.analysis.vocabulary.index import VocabularyIndex
from explorer.engine.fast.at_spaces import AtSpaces
from explorer.engine.fast.by_pattern import ByPattern
from explorer.engine.fast.chains import SHORT
from explorer.engine.fast.lattices import starts_of_last
from explorer.engine.fast.solvers import LatticeSolver, can_make_unknown
from explorer.engine.fast.spaces import NotIndependent
from explorer.engine.items import Segment, initial_items
from explorer.engine.limits.budget import ask, asking
from explorer.engine.models.bpe import Bpe
from explorer.engine.models.spm import Spm
from explorer.engine.models.unigram import Unigram
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
    pieces, solve = partial(pieces_of, fast.partitions, strategy), strategy.encoder.solve
    if isinstance(model, (Bpe, Spm)):
        return set(merged(index, model, asked, pieces))
    if isinstance(model, Unigram) and isinstance(solve, LatticeSolver) and not can_make_unknown(model):
        return set(on_best_paths(index, solve, asked, contexts, pieces))
    return set()


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


def on_best_paths(
    index: VocabularyIndex, lattice: LatticeSolver, ids: Sequence[int], contexts: Sequence[str], pieces: PiecesOf
) -> Iterator[int]:
    """The tokens with which the best path ends, through their piece alone or after that of a context."""
    spellings, texts = index.tokenizer.vocabulary.pieces, index.texts
    text_of = {id: text for id in ids if lattice.ids.get(text := spellings[id].decode("utf-8", "replace")) == id}
    # most tokens with a space in front come without a context, and the others after one
    spaced = [id for id in text_of if texts[id][:1] == " "]
    given: set[int] = set()
    for context, those in (("", spaced), *((each, list(text_of)) for each in (*contexts, ""))):
        before = next(pieces([context])) if context else ""
        if before is None:
            continue
        left = [id for id in those if id not in given]
        made = zip(pieces([context + texts[id] for id in left]), left, strict=True)
        asked = {piece: id for piece, id in made if piece == before + text_of[id] and len(piece) <= SHORT}
        in_order = sorted(asked)
        starts = starts_of_last(in_order, lattice.scores, lattice.last_lengths)
        for piece, start in zip(asking(in_order, WHAT), starts, strict=True):
            if start == len(before):
                given.add(asked[piece])
    yield from given

"""Whether text gives a token, and the dossier of a token: its bytes, how it is made, what is made of it, its relatives.

Whether text gives it means: encoded by the whole tokenizer, does the token's own text give it back?
A token is asked for in its own text, then after other text, because a tokenizer may put a space in front of a text or
mark where words begin, then before other text. Special tokens are asked for as they are spelled. If nothing gives the
token, the answer is what its own text gives instead. A token whose bytes aren't valid UTF-8 comes from parts of
characters; of those only the model is asked, with the token's bytes.

Most tokens are known to come from text without that, many at once (`certain_tokens`). The stages before the model run
as in the fast path. If they leave the text of a token as one piece, the token's own, then text gives the token where
the model takes such a piece whole, where merges build it (`built_pieces`), or where no path through its lattice is
better (`uncut_pieces`). In a lattice, a context may precede the token if no piece joins both: then the best path
through all of it ends with that through the token. Tokens of other models, and tokens that need more, are left out.

"Never" is not proved: longer text around a token might still give it. For Qwen 2.5 no such text was found. The sentence
of a dossier about a token that no text gives names the cause from a trace of its own text (`analysis.why`).
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, partial
from itertools import islice, pairwise
from typing import NamedTuple

from explorer.analysis.vocabulary.derivation import (
    Derivation,
    Split,
    Uses,
    derivation,
    extended,
    is_built,
    lattice_of,
    merging,
    parents,
    possible_pieces,
    splits,
    uses,
)
from explorer.analysis.vocabulary.index import (
    GIVEN,
    SEARCHED,
    Selection,
    TokenClass,
    VocabularyIndex,
    is_broken,
    selection_of,
)
from explorer.analysis.why import why_cut
from explorer.engine import budget
from explorer.engine.budget import ask
from explorer.engine.fast.piece_encoder import SHORT, LatticeSolver
from explorer.engine.fast.strategies import AtSpaces, ByPattern, NotIndependent
from explorer.engine.models.bpe import Bpe
from explorer.engine.models.longest_match import ByteModel
from explorer.engine.models.merges import Pairs
from explorer.engine.models.spm import Spm
from explorer.engine.part import ADDED, Options, Part, Segment, initial_items, run_through, silent
from explorer.engine.pre_tokenizers.by_regex import ByteLevel, PreTokenization
from explorer.engine.tokenizer import Trace
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.stages.spelling import Form, Speller
from explorer.stages.stage import text_of
from explorer.text.say import Say, shortened
from explorer.vocabulary import PRINTABLE, PieceKind, bytes_of

CONTEXTS = ("\n", "a", "。", "\u0416", "-", "a ", "\U0001f60a")
"""Texts in front of a token, none of which joins with all tokens."""

AFTER = ("a", "中", "S")
"""Texts after a token that nothing else gives: some come only before a lowercase letter, ▁ only before a character that
no piece joins to it, " I'" of o200k_base only before a capital letter, as in I'S."""

FRONTS = ("", *CONTEXTS)
"""Those, and none."""

LONGEST = 10_000
"""Characters of a token that is asked for."""


SECONDS = 10.0
SECONDS_A_TOKEN = 0.0005
"""Processor time that asking for all tokens may take."""

AT_ONCE = 1 << 16
"""Tokens for which is found out at once whether text surely gives them."""

BLOCK = 1_000
"""Tokens between two reports of progress."""


class Outcome(StrEnum):
    """What text gives."""

    ITSELF = "itself"
    SEVERAL = "several"
    """Its text gives several other tokens."""
    OTHER = "other"
    """Its text gives one other token, or none."""
    PART = "part"
    """Bytes of a character: the model makes it of them."""
    UNBUILT = "unbuilt"
    """Bytes of a character, of which the model makes something else."""
    BY_ID = "by id"
    """A special token that its spelling does not give: programs add its id."""
    UNASKED = "unasked"
    """No text, or too long to ask for."""


UNREACHED = frozenset({Outcome.SEVERAL, Outcome.OTHER, Outcome.UNBUILT})
"""The outcomes of tokens that nothing gives."""


class Reached(NamedTuple):
    """The answer for one token.

    text: the text that gives it; else the one in which the token's text gives fewest others. ids: those, or the token
    itself; for part of a character, empty. before: the tokens of `text` in front of them.
    """

    outcome: Outcome
    text: str
    ids: tuple[int, ...] = ()
    before: int = 0


@dataclass
class Asking:
    """Asks for the tokens of one vocabulary, one after another.

    >>> import explorer
    >>> from explorer.analysis.vocabulary.index import index_of
    >>> asking = Asking(index_of(explorer.load("qwen2.5")))
    >>> asking.reached(1), asking.reached(77150).outcome.value
    (Reached(outcome=<Outcome.ITSELF: 'itself'>, text='"', ids=(1,), before=0), 'several')
    """

    index: VocabularyIndex
    ways: dict[bool, list[str | None]] = field(default_factory=dict)
    """by whether a token begins with a space: the texts to put in front of it, those that gave a token last first;
    None: its own space is left out"""

    def __post_init__(self) -> None:
        model = merging(self.index.tokenizer)
        self.pairs = Pairs(model.pair) if model is not None else None
        # such a model reads forward and remembers nothing, so no text in front changes what comes
        alone = isinstance(self.index.tokenizer.model, ByteModel) and not self.index.tokenizer.untraced.between
        self.may_need_more = not alone
        self.ways = {True: [""], False: [""]} if alone else {True: ["", None, *CONTEXTS], False: [*FRONTS]}
        self.ids_before = {way: self.encoded(way) if way else () for way in self.ways[True] if way is not None}

    @cached_property
    def possible(self) -> Container[bytes] | None:
        """The pieces that merges may make of any text, and no fewer; None where that isn't known."""
        model = self.index.tokenizer.model
        letters = LETTERS if is_spelled_last(self.index.tokenizer.parts) else None
        return possible_pieces(model, letters) if isinstance(model, Bpe) else None

    def is_possible(self, id: int) -> bool:
        """Whether any text may give a token that is searched for in no text: False only where merges never make it."""
        model, piece = self.index.tokenizer.model, self.index.tokenizer.vocabulary.pieces[id]
        if self.possible is None or piece in self.possible or not isinstance(model, Bpe):
            return True
        text = piece.decode("utf-8", "replace")
        spelled = not is_spelled_last(self.index.tokenizer.parts) or bytes_of(text) is not None
        return spelled and model.may_be_whole(text)

    def encoded(self, text: str) -> tuple[int, ...] | None:
        """The ids of a text without added tokens; None for a text that the tokenizer refuses."""
        try:
            return tuple(self.index.tokenizer.encode(text, add_special=False).ids)
        except InputError:
            return None

    def reached(self, id: int) -> Reached:
        """The answer for a token."""
        index = self.index
        text, kind = index.texts[id], index.classes[id]
        if kind is TokenClass.NO_TOKEN or len(text) > LONGEST:
            return Reached(Outcome.UNASKED, "")
        if kind in SEARCHED:
            text = index.tokenizer.vocabulary.pieces[id].decode("utf-8", "surrogateescape")
        if is_broken(text):
            return Reached(Outcome.PART if self.is_built(id) else Outcome.UNBUILT, text)
        if not text:
            return Reached(Outcome.UNASKED, "")
        is_possible = kind in SEARCHED or self.is_possible(id)
        # what other text does to a token matters only where some text gives it
        ways = self.ways[text[:1] == " " and len(text) > 1] if is_possible else [""]
        found: dict[tuple[int, int], Reached] = {}
        """by the number of other tokens and of the text in front"""
        for way in ways:
            asked = text[1:] if way is None else way + text
            before = () if way is None else self.ids_before[way]
            ids = self.encoded(asked)
            if ids is None or before is None or ids[: len(before)] != before:
                continue
            ids = ids[len(before) :]
            if ids == (id,):
                ways.sort(key=lambda each: each != way)
                return Reached(Outcome.ITSELF, asked, ids, len(before))
            # a space that the tokenizer puts in front makes two tokens of one
            if way is not None:
                found[len(ids), FRONTS.index(way)] = Reached(
                    Outcome.SEVERAL if len(ids) > 1 else Outcome.OTHER, asked, ids, len(before)
                )
        if self.may_need_more and is_possible and kind is not TokenClass.SPECIAL:
            for asked in map(text.__add__, AFTER):
                if (self.encoded(asked) or ())[:1] == (id,):
                    return Reached(Outcome.ITSELF, asked, (id,))
        best = found[min(found)] if found else Reached(Outcome.OTHER, text)
        return best._replace(outcome=Outcome.BY_ID) if kind is TokenClass.SPECIAL else best

    def is_built(self, id: int) -> bool:
        """Whether the model makes a token of its bytes, which need not be characters."""
        index = self.index
        data, vocabulary = index.data[id], index.tokenizer.vocabulary
        if vocabulary.byte_of(id) is not None:
            return vocabulary.ids.get(b"%c" % data) in (None, id)
        model = merging(index.tokenizer)
        if model is not None and self.pairs is not None:
            return is_built(model, vocabulary.pieces[id], self.pairs)
        if isinstance(index.tokenizer.model, ByteModel):
            return [found.id for found in index.tokenizer.model.tokenize(data, silent)] == [id]
        return False


LETTERS = tuple(letter.encode() for letter in PRINTABLE)
"""The symbols of a text whose bytes are spelled as printable characters."""


def is_spelled_last(parts: Sequence[Part]) -> bool:
    """Whether the last thing before the model spells every byte as a printable character."""
    before = next((part for part, after in pairwise(parts) if after.name == "model"), None)
    return isinstance(before, PreTokenization) and isinstance(before.splitters[-1], ByteLevel)


class Sweep(NamedTuple):
    """The answers for all tokens.

    unreached: the tokens that nothing gives, with what their own text gives. parts: the number of tokens that are parts
    of characters. unasked: of tokens without text, and of very long ones.
    """

    unreached: Mapping[int, Reached]
    parts: int
    unasked: int

    def selection(self, size: int) -> Selection:
        """The tokens that nothing gives."""
        return selection_of(self.unreached, size)

    def of(self, outcome: Outcome) -> list[int]:
        """The tokens with an outcome, one of `UNREACHED`."""
        return [id for id, reached in self.unreached.items() if reached.outcome is outcome]


def sweep(
    index: VocabularyIndex, progress: Callable[[int], None] = lambda done: None, ids: range | None = None
) -> Sweep:
    """Asks for every token. progress: called now and then with the number of tokens done.

    ids: asks for these alone.

    >>> import explorer
    >>> from explorer.analysis.vocabulary.index import index_of
    >>> found = sweep(index_of(explorer.load("gpt-2")), ids=range(0, 50_257, 100))
    >>> len(found.unreached), found.parts
    (0, 1)
    """
    asking = Asking(index)
    unreached: dict[int, Reached] = {}
    parts = unasked = 0
    wanted = range(len(index)) if ids is None else ids
    with budget.within("this vocabulary", SECONDS + SECONDS_A_TOKEN * len(index)):
        certain: set[int] = set()
        for done, id in enumerate(wanted):
            if not done % AT_ONCE:
                certain = certain_tokens(index, wanted[done : done + AT_ONCE], CONTEXTS)
            if not done % BLOCK:
                progress(done)
                budget.ask("the check")
            if id in certain:
                continue
            reached = asking.reached(id)
            parts += reached.outcome in (Outcome.PART, Outcome.UNBUILT)
            unasked += reached.outcome is Outcome.UNASKED
            if reached.outcome in UNREACHED:
                unreached[id] = reached
    progress(len(wanted))
    return Sweep(unreached, parts, unasked)


# --- tokens that text surely gives, many at once ----------------------------------------------------------------------

WHAT = "the check"
"""The name of this in errors."""

ALONE = Options(add_special=False)

OTHERS = GIVEN | {TokenClass.NO_BYTES, TokenClass.PART}
"""Classes of tokens that need not be the text of a piece."""

TEXTS_AT_ONCE = 256
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
    if not isinstance(strategy, ByPattern | AtSpaces) or fast.lengths or fast.template(ALONE) != [None]:
        return set()
    classes, texts = index.classes, index.texts
    asked = [id for id in ids if classes[id] not in OTHERS and len(texts[id]) <= SHORT]
    pieces = partial(pieces_of, fast.partitions, strategy)
    if isinstance(model, Bpe | Spm):
        return set(merged(index, model, asked, pieces))
    lattice = lattice_of(index.tokenizer)
    return set(uncut(index, lattice, asked, contexts, pieces)) if lattice is not None else set()


def pieces_of(partitions: Sequence[Part], strategy: ByPattern | AtSpaces, texts: Sequence[str]) -> Iterator[str | None]:
    """The piece that the model gets of each text; None if it gets several, or added tokens come with it."""

    def is_cut(text: str) -> bool:
        items = run_through(partitions, initial_items(text), ALONE)
        return len(items) != 1 or not isinstance(items[0], Segment)

    for begin in range(0, len(texts), TEXTS_AT_ONCE):
        ask(WHAT)
        block = texts[begin : begin + TEXTS_AT_ONCE]
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


MOST = 24
"""Tokens of each sort of relative."""

LOOKED_AT = 200
"""Longer tokens whose derivation is computed."""

SECONDS_OF_DOSSIER = 10.0
"""Processor time of a dossier."""

LONGEST_WITHIN = 2_000
"""Characters of a token that is encoded within other text."""


class Trial(NamedTuple):
    """A text with the token's text in it. where: in words. gives: whether the token is among its tokens."""

    where: str
    text: str
    ids: tuple[int, ...]
    gives: bool


class Longer(NamedTuple):
    """A longer token that begins or ends with this one. made_from: whether its last merge has this token as a part."""

    id: int
    made_from: bool
    parents: Split | None


class Dossier(NamedTuple):
    """What is known of a token.

    value: its score, None without scores. splits: all pairs that merge into it. merged: whether merges alone make it,
    None for a model that merges nothing. longer: tokens that begin or end with it, at most `MOST` of either sort.
    shorter: tokens it begins with. same_letters: tokens that differ in case or white space only. same_bytes: in bytes
    not at all.
    """

    id: int
    data: bytes
    text: str
    stored: str
    of_class: TokenClass
    script: str
    kind: PieceKind
    value: float | None
    derivation: Derivation | None
    splits: tuple[Split, ...]
    uses: Uses | None
    merged: bool | None
    longer: tuple[Longer, ...]
    shorter: tuple[int, ...]
    same_letters: tuple[int, ...]
    same_bytes: tuple[int, ...]
    reached: Reached
    trials: tuple[Trial, ...]
    verdict: Say


def dossier(index: VocabularyIndex, id: int) -> Dossier:
    """The dossier of a token. Raises InputError for an id without a token.

    >>> import explorer
    >>> from explorer.analysis.vocabulary.index import index_of
    >>> from explorer.text.say import plain
    >>> index = index_of(explorer.load("llama-3"))
    >>> found = dossier(index, 4037)
    >>> found.text, len(found.splits), [each.id for each in found.longer if each.made_from], found.same_letters[:3]
    ('·token', 4, [47058, 78751, 88138], (3404, 5963, 9857))
    >>> plain(found.verdict)
    'Its own text gives it.'
    """
    if not 0 <= id < len(index) or index.classes[id] is TokenClass.NO_TOKEN:
        raise InputError("{0:i} {1:t}; choose another one", id, index.tokenizer.vocabulary.lacks(id))
    tokenizer, vocabulary = index.tokenizer, index.tokenizer.vocabulary
    with budget.within("this token", SECONDS_OF_DOSSIER):
        speller = speller_of(index)
        text = shortened(index.texts[id].strip()).strip() if len(index.data[id]) > LONGEST_WITHIN else speller.token(id)
        made = derivation(tokenizer, id)
        reached = Asking(index).reached(id)
        letters = index.letters.get(index.lowered[id].strip(), ())
        return Dossier(
            id, index.data[id], text, vocabulary.spelling(id), index.classes[id], index.scripts[id],
            vocabulary.kind(id), vocabulary.scores[id] if vocabulary.scores else None,
            made, tuple(splits(tokenizer, id)), uses(tokenizer, id), None if made is None else made.complete,
            tuple(longer_tokens(index, id)), shorter_tokens(index, id),
            tuple(each for each in letters if each != id),
            tuple(each for each in index.same_bytes.get(index.data[id], ()) if each != id),
            reached, tuple(trials(index, id)), verdict(index, id, reached, made, speller),
        )  # fmt: skip


def speller_of(index: VocabularyIndex) -> Speller:
    """Spells tokens as text."""
    return Speller(index.tokenizer.trace(""), Form.AS_TEXT)


def longer_tokens(index: VocabularyIndex, id: int) -> list[Longer]:
    """The first longer tokens: those made from this one, and those that look so."""
    piece = index.tokenizer.vocabulary.pieces[id]
    if not piece:
        return []
    by_descent: dict[bool, list[Longer]] = {True: [], False: []}
    for other in islice(extended(index.tokenizer, id), LOOKED_AT):
        made = parents(index.tokenizer, other)
        each = Longer(other, made is not None and piece in made[:2], made)
        by_descent[each.made_from].append(each)
    return [*by_descent[True][:MOST], *by_descent[False][:MOST]]


def shorter_tokens(index: VocabularyIndex, id: int) -> tuple[int, ...]:
    """The tokens that this one begins with, the longest first."""
    vocabulary = index.tokenizer.vocabulary
    piece = vocabulary.pieces[id]
    if vocabulary.kinds[id] != PieceKind.NORMAL:
        return ()
    starts = (piece[:end] for end in range(min(len(piece), LONGEST_WITHIN) - 1, 0, -1))
    return tuple(islice((vocabulary.ids[start] for start in starts if start in vocabulary.ids), MOST))


def trials(index: VocabularyIndex, id: int) -> list[Trial]:
    """The token's text alone, after a word and a space, and inside a word."""
    text = index.texts[id]
    if (not text.isprintable() and "\udc80" <= max(text) <= "\udcff") or not 0 < len(text) <= LONGEST_WITHIN:
        return []
    core = text.removeprefix(" ")
    asked = (("alone", text), ("after a word and a space", f"a {core}"), ("inside a word", f"a{core}a"))
    runs = []
    for where, each in asked:
        try:
            ids = tuple(index.tokenizer.encode(each, add_special=False).ids)
        except InputError:
            continue
        runs.append(Trial(where, each, ids, id in ids))
    return runs


# --- the verdict ------------------------------------------------------------------------------------------------------


def verdict(index: VocabularyIndex, id: int, reached: Reached, made: Derivation | None, speller: Speller) -> Say:
    """Whether text gives the token, and if not, what comes instead and why."""
    outcome = reached.outcome
    if outcome is Outcome.ITSELF:
        said = Say("Its own text gives it.")
        if index.classes[id] in SEARCHED:
            # such a token is searched for in the text: merges have no part in it
            return Say("Its spelling gives it, wherever it is in a text.")
        if reached.before or reached.text != index.texts[id]:
            said = Say("{0:q} gives it.", shortened(reached.text))
        if made is not None and not made.complete:
            parts = " ".join(map(speller.symbol, made.left_over[:8]))
            return said.then(Say("But merges alone stop at {0:t}: it is taken whole where it is all of a piece of "
                                 "the pre-tokenizer.", parts))  # fmt: skip
        return said
    if outcome is Outcome.PART:
        return Say("It is part of a character. The model makes it of its bytes.")
    if outcome is Outcome.UNBUILT:
        return Say("It is part of a character, and the model encodes its bytes differently.")
    if outcome is Outcome.BY_ID:
        return Say("No text gives it: it is special, and programs add its id.")
    if outcome is Outcome.UNASKED and index.classes[id] is TokenClass.UNUSED:
        return Say("No text gives it: the vocabulary marks it as unused.")
    if outcome is Outcome.UNASKED:
        return Say("It is too long to be asked for." if index.texts[id] else "It has no text that could give it.")
    others = " ".join(map(speller.token, reached.ids[:8]))
    said = Say("Its text gives {0:t} instead.", others) if others else Say("Its text gives no token at all.")
    cause = why_not(index, id, reached)
    return said if cause is None else said.then(cause)


def why_not(index: VocabularyIndex, id: int, reached: Reached) -> Say | None:
    """Why the token's text gives others."""
    vocabulary = index.tokenizer.vocabulary
    piece = vocabulary.pieces[id]
    if vocabulary.kinds[id] == PieceKind.BYTE:
        if vocabulary.byte_of(id) is None:
            return Say("Its type is byte, and {0:q} names no byte.", shortened(piece.decode("utf-8", "replace")))
        return Say("Byte tokens are for characters without a piece, and this one has a piece.")
    if index.classes[id] is TokenClass.UNUSED:
        return Say("The vocabulary marks it as unused.")
    if len(reached.text) > LONGEST_WITHIN:
        return None
    try:
        trace = index.tokenizer.trace(reached.text, add_special=False)
        changed = normalization(trace)
        number = reached.before - (len(reached.ids) < 2)
        prefix = index.tokenizer.model.prefix
        if prefix and piece.startswith(prefix) and not reached.before:
            # what continues a word is asked for within one
            trace, number = index.tokenizer.trace(f"a{reached.text}", add_special=False), 0
        starts = [token.start for token in trace.encoding.tokens]
        if not 0 <= number < len(starts) - 1 or ADDED in starts[number : number + 2]:
            return changed
        cut = why_cut(trace, number, form=Form.AS_TEXT).sentence
    except InputError:
        return None
    return cut if changed is None else changed.then(cut)


def normalization(trace: Trace) -> Say | None:
    """What normalization makes of the text, if it is another one."""
    for stage in trace.stages:
        if stage.name == "normalize":
            before, after = text_of(stage.before), text_of(stage.after)
            if after.replace("▁", " ").strip() != before.strip():
                return Say("Normalization makes {1:q} of {0:q}.", shortened(before), shortened(after))
    return None


def tokens_elsewhere(text: str, other: Opened) -> list[int]:
    """The ids of a text in another tokenizer, the fewest it gives; empty for a text that it refuses.

    A tokenizer that puts a space in front of a text is asked for the text without its own space, too.

    >>> import explorer
    >>> [tokens_elsewhere(" token", explorer.load(name)) for name in ("gpt-2", "llama-2")]
    [[11241], [5993]]
    """
    lists: list[list[int]] = []
    texts = (text, text[1:]) if text[:1] == " " and len(text) > 1 else (text,)
    for each in texts if len(text) <= LONGEST else ():
        try:
            ids = other.encode(each, add_special=False).ids
        except InputError:
            continue
        # without the space, only if the tokenizer puts it there again
        if each is text or b"".join(map(other.decoder.alone, ids)) == text.encode():
            lists.append(ids)
    return min(lists, key=len, default=[])

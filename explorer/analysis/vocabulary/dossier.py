"""Everything about one token: its bytes, how it is made, what is made from it, its relatives, whether text gives it.

The sentence of a token that no text gives names the cause from a trace of its own text (`analysis.why`).
"""

from __future__ import annotations

from itertools import islice
from typing import Final, NamedTuple

from explorer.analysis.vocabulary.classes import SEARCHED, TokenClass
from explorer.analysis.vocabulary.derivation import (
    Derivation,
    Split,
    Uses,
    derivation,
    extended,
    parents,
    splits,
    uses,
)
from explorer.analysis.vocabulary.index import VocabularyIndex
from explorer.analysis.vocabulary.reach import LONGEST as LONGEST_ASKED
from explorer.analysis.vocabulary.reach import Asking, Outcome, Reached
from explorer.analysis.why import why_cut
from explorer.engine import budget
from explorer.engine.items import ADDED
from explorer.engine.tokenizer import Trace
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.stages.spelling import Form, Speller
from explorer.stages.stage import text_of
from explorer.text.say import Say, shortened
from explorer.vocabulary import PieceKind

MOST: Final = 24
"""Tokens of each sort of relative."""

LOOKED_AT: Final = 200
"""Longer tokens whose derivation is computed."""

SECONDS: Final = 10.0
"""Processor time of a dossier."""

LONGEST: Final = 2_000
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
        raise InputError(f"{id} {index.tokenizer.vocabulary.lacks(id)}; choose another one")
    tokenizer, vocabulary = index.tokenizer, index.tokenizer.vocabulary
    with budget.within("this token", SECONDS):
        speller = speller_of(index)
        text = shortened(index.texts[id].strip()).strip() if len(index.data[id]) > LONGEST else speller.token(id)
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
    found: dict[bool, list[Longer]] = {True: [], False: []}
    for other in islice(extended(index.tokenizer, id), LOOKED_AT):
        made = parents(index.tokenizer, other)
        each = Longer(other, made is not None and piece in made[:2], made)
        found[each.made_from].append(each)
    return [*found[True][:MOST], *found[False][:MOST]]


def shorter_tokens(index: VocabularyIndex, id: int) -> tuple[int, ...]:
    """The tokens that this one begins with, the longest first."""
    vocabulary = index.tokenizer.vocabulary
    piece = vocabulary.pieces[id]
    if vocabulary.kinds[id] != PieceKind.NORMAL:
        return ()
    starts = (piece[:end] for end in range(min(len(piece), LONGEST) - 1, 0, -1))
    return tuple(islice((vocabulary.ids[start] for start in starts if start in vocabulary.ids), MOST))


def trials(index: VocabularyIndex, id: int) -> list[Trial]:
    """The token's text alone, after a word and a space, and inside a word."""
    text = index.texts[id]
    if (not text.isprintable() and "\udc80" <= max(text) <= "\udcff") or not 0 < len(text) <= LONGEST:
        return []
    core = text.removeprefix(" ")
    asked = (("alone", text), ("after a word and a space", f"a {core}"), ("inside a word", f"a{core}a"))
    found = []
    for where, each in asked:
        try:
            ids = tuple(index.tokenizer.encode(each, add_special=False).ids)
        except InputError:
            continue
        found.append(Trial(where, each, ids, id in ids))
    return found


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
            said = Say.of("{0:q} gives it.", shortened(reached.text))
        if made is not None and not made.complete:
            parts = " ".join(map(speller.symbol, made.left_over[:8]))
            return said.then(Say.of("But merges alone stop at {0:t}: it is taken whole where it is all of a piece of "
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
    said = Say.of("Its text gives {0:t} instead.", others) if others else Say("Its text gives no token at all.")
    cause = why_not(index, id, reached)
    return said if cause is None else said.then(cause)


def why_not(index: VocabularyIndex, id: int, reached: Reached) -> Say | None:
    """Why the token's text gives others."""
    vocabulary = index.tokenizer.vocabulary
    piece = vocabulary.pieces[id]
    if vocabulary.kinds[id] == PieceKind.BYTE:
        if vocabulary.byte_of(id) is None:
            return Say.of("Its type is byte, and {0:q} names no byte.", shortened(piece.decode("utf-8", "replace")))
        return Say("Byte tokens are for characters without a piece, and this one has a piece.")
    if index.classes[id] is TokenClass.UNUSED:
        return Say("The vocabulary marks it as unused.")
    if len(reached.text) > LONGEST:
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
                return Say.of("Normalization makes {1:q} of {0:q}.", shortened(before), shortened(after))
    return None


def tokens_elsewhere(text: str, other: Opened) -> list[int]:
    """The ids of a text in another tokenizer, the fewest it gives; empty for a text that it refuses.

    A tokenizer that puts a space in front of a text is asked for the text without its own space, too.

    >>> import explorer
    >>> [tokens_elsewhere(" token", explorer.load(name)) for name in ("gpt-2", "llama-2")]
    [[11241], [5993]]
    """
    found: list[list[int]] = []
    texts = (text, text[1:]) if text[:1] == " " and len(text) > 1 else (text,)
    for each in texts if len(text) <= LONGEST_ASKED else ():
        try:
            ids = other.encode(each, add_special=False).ids
        except InputError:
            continue
        # without the space, only if the tokenizer puts it there again
        if each is text or b"".join(map(other.decoder.alone, ids)) == text.encode():
            found.append(ids)
    return min(found, key=len, default=[])

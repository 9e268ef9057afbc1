"""Models as tables (`compiled.worker`): merges by rank and by score, Unigram, WordPiece, RWKV's trie; Unicode forms.

A Unicode form (Qwen's NFC) runs over joined texts, and only lines near what may change go through Python. That is
Unicode's quick check: a text is in the form if each of its characters is, has no combining class and composes with
nothing before it. A compiled search finds the other characters (UAX #15, section 9).
"""

import unicodedata
from collections.abc import Container, Mapping, Sequence
from functools import cache

import numpy as np

from explorer.compiled import build, respelling, tries, viterbi
from explorer.compiled import pieces as solving
from explorer.compiled.utf8 import END, NOTHING, PADDING, Model, Respelling
from explorer.compiled.worker import (
    AS_IT_IS,
    LONGEST_WORD,
    NO_MODEL,
    Call,
    Colliding,
    Numbers,
    Words,
    joined,
    octets,
    pairs_by_rank,
    pairs_of,
    slots_of,
    trie_of,
)
from explorer.engine.fast.piece_encoder import BYTE, ORDINARY, pair_ranks, pieces_of_paths
from explorer.engine.fast.spaces import SPACE, Spaces
from explorer.engine.models.bpe import BETWEEN, Bpe, Bytes, KnownCharacters, MergeableRanks, MergeList
from explorer.engine.models.longest_match import PHANTOM, LongestMatch, TrieMatch, WordPiece
from explorer.engine.models.spm import Spm
from explorer.engine.models.unigram import Unigram
from explorer.engine.normalizers.unicode_forms import Form, UnicodeForm
from explorer.engine.part import Part
from explorer.text.input import is_utf8
from explorer.vocabulary import BYTE_PIECES, PRINTABLE, PieceKind, bytes_of

LONGEST_SYMBOLS = 1 << 30
"""The sum of the squares of the lengths of all pieces: splitting each at every byte takes as many steps."""


def tables_of(model: Bpe, functions: build.Functions, *, bytes_spelled: bool) -> Model:
    """The tables of a model whose rule is `MergeableRanks` or `MergeList`. Raises Colliding.

    functions: those that are compiled. bytes_spelled: its pieces spell bytes as printable characters.
    """
    in_bytes = bytes_spelled or isinstance(model.initial, Bytes)
    symbols: dict[bytes, int] = {}
    if isinstance(model.rule, MergeableRanks):
        given = model.rule.ranks
        # in order and without gaps: only the order of ranks counts
        ranks = np.unique(np.fromiter(given.values(), np.float64, len(given)), return_inverse=True)[1]
        symbols = dict(zip(given, range(len(given)), strict=True))
        listed = None
    else:
        assert isinstance(model.rule, MergeList)
        listed = merges_by_symbol(model.rule.ranks, symbols)
        ranks = np.zeros(0, np.int64)
    names: Sequence[bytes] = ()
    """what each byte is spelled as, if it is a symbol"""
    if in_bytes:
        names = list(map(str.encode, PRINTABLE)) if bytes_spelled else BYTE
    elif isinstance(model.initial, KnownCharacters) and model.initial.byte_fallback:
        names = BYTE_PIECES
    for piece in (*model.ids, *(names if in_bytes else ())):
        symbols.setdefault(piece, len(symbols))
    ids_of = np.fromiter((model.ids.get(piece, -1) for piece in symbols), np.int32, len(symbols))
    # Hugging Face replaces a character that is not a piece before it merges
    usable: Container[bytes] = model.ids if isinstance(model.initial, KnownCharacters) else symbols
    byte_symbols = of_bytes([symbols[name] if name in usable else None for name in names])
    texts, starts = joined(
        [bytes_of(piece.decode("utf-8", "replace")) or b"" for piece in symbols] if bytes_spelled else symbols
    )
    slots, mask = slots_of(texts, starts, functions)
    if listed is None:
        pairs = pairs_by_rank(slots, mask, texts, starts, ranks, functions)
    else:
        pairs = pairs_of(*listed, functions)
    does = solving.MERGES | (solving.WHOLE if model.whole is True else 0) | (solving.BYTES if in_bytes else 0)
    return NO_MODEL._replace(
        does=does,
        slots=slots,
        mask=mask,
        texts=texts,
        byte_symbols=byte_symbols,
        ids_of=ids_of,
        pairs=pairs,
        pair_mask=len(pairs) // 2 - 1,
    )


def merges_by_symbol(ranks: Mapping[bytes, int], symbols: dict[bytes, int]) -> tuple[Words, Words, Words]:
    """A list of merges as numbers: left symbol, right symbol, rank · 2³² + joined symbol. Adds symbols that are new."""
    lefts, rights, values = [], [], []
    for key, rank in ranks.items():
        left, between, right = key.partition(BETWEEN)
        if between:
            lefts.append(symbols.setdefault(left, len(symbols)))
            rights.append(symbols.setdefault(right, len(symbols)))
            values.append(rank << 32 | symbols.setdefault(left + right, len(symbols)))
    return np.array(lefts, np.int64), np.array(rights, np.int64), np.array(values, np.int64)


def respelled_tables(model: Part, spaces: Spaces, functions: build.Functions) -> tuple[Model, Respelling]:
    """The tables of a model whose texts are cut at spaces; NO_MODEL where its pieces are solved in Python."""
    done = respelling_of(spaces)
    try:
        if done is not None and isinstance(model, Unigram):
            return lattice_of(model, functions), done
        if done is not None and isinstance(model, Spm):
            return scores_of(model, functions), done
        if done is not None and isinstance(model, Bpe):
            return tables_of(model, functions, bytes_spelled=False), done
    except Colliding:
        pass
    return NO_MODEL, AS_IT_IS


def respelling_of(spaces: Spaces) -> Respelling | None:
    """What is done to a piece, None where only Python can do it."""
    if not spaces.mapped_only:
        return None
    what = respelling.RESPELLED | (0 if spaces.written == SPACE else respelling.MARKED)
    if spaces.dropped:
        what |= respelling.WORDS
    if spaces.maps:
        what |= respelling.MAPPED
    if spaces.charsmap is None:
        return AS_IT_IS._replace(does=what)
    if not is_utf8(spaces.charsmap.strings):
        return None
    return Respelling(what, np.array(spaces.charsmap.units, np.int64), octets(spaces.charsmap.strings))


def scores_of(model: Spm, functions: build.Functions) -> Model:
    """The tables of merges by score. Raises Colliding."""
    vocabulary = model.vocabulary
    given, _ = pair_ranks(model)
    usable = {piece: vocabulary.ids[piece] for piece in given if piece}
    scores = np.array([given[piece] for piece in usable], np.float64)
    if np.isnan(scores).any() or sum(len(piece) ** 2 for piece in usable) > LONGEST_SYMBOLS:
        raise Colliding
    # in order and without gaps: only the order of scores counts
    ranks = np.unique(scores, return_inverse=True)[1].astype(np.int64)
    symbols = dict(zip(usable, range(len(usable)), strict=True))
    ids_of = [*usable.values()]
    if model.takes_apart:
        unused = NOTHING + 1
        ids_of = [-unused if vocabulary.kinds[id] == PieceKind.UNUSED else id for id in ids_of]
    # a pair may merge though its characters are not pieces
    for ch in sorted({ch for piece in usable for ch in piece.decode("utf-8", "ignore")}):
        if (data := ch.encode()) not in symbols:
            symbols[data] = len(symbols)
            ids_of.append(-1 - ord(ch))
    texts, starts = joined(symbols)
    slots, mask = slots_of(texts, starts, functions)
    pairs = pairs_by_rank(slots, mask, texts, starts, ranks, functions)
    fallback = of_bytes([None if one is None else one.token for one in model.fallback])
    rules = np.zeros(3, np.int64)
    rules[solving.UNKNOWN] = -1 if model.unknown is None else model.unknown
    rules[solving.FALLBACK] = model.byte_fallback
    return NO_MODEL._replace(
        does=solving.SCORED,
        slots=slots,
        mask=mask,
        texts=texts,
        byte_symbols=fallback,
        ids_of=np.array(ids_of, np.int32),
        pairs=pairs,
        pair_mask=len(pairs) // 2 - 1,
        rules=rules,
    )


def lattice_of(model: Unigram, functions: build.Functions) -> Model:
    """The tables of Unigram with sums in 64 bits. Raises Colliding."""
    rules = model.rules
    id_of = pieces_of_paths(model)
    pieces = [*map(str.encode, id_of)]
    scores = np.zeros(len(model.vocabulary) + 1)
    scores[0] = rules.unknown_score
    numbers = np.fromiter(id_of.values(), np.int64, len(pieces))
    scores[numbers + 1] = np.fromiter(map(model.score, id_of.values()), np.float64, len(pieces))
    if rules.single or rules.by_spelling or not np.all(np.abs(scores) < ORDINARY):
        raise Colliding
    what = rules.fuse_unknown * viterbi.FUSED | rules.byte_fallback * viterbi.FALLBACK
    unknown = -1 if model.unknown is None else model.unknown
    nodes, tokens = trie_of(zip(pieces, id_of.values(), strict=True), functions)
    longest = max(map(len, pieces), default=1)
    return NO_MODEL._replace(
        does=solving.LATTICE,
        byte_symbols=of_bytes(model.bytes),
        nodes=nodes,
        tokens=tokens,
        scores=scores,
        rules=np.array([unknown, what, longest], np.int64),
    )


def of_bytes(ids: list[int | None]) -> Numbers:
    """The ids of bytes as an array, -1 for none."""
    return np.array([-1 if id is None else id for id in ids or [None] * 256], np.int32)


def words_of(model: LongestMatch, functions: build.Functions) -> tuple[Model, bytes]:
    """The tables of WordPiece, Hugging Face's or llama.cpp's, and what it puts in front of words. Raises Colliding."""
    rules = np.zeros(4, np.int64)
    rules[tries.UNKNOWN] = -1 if model.unknown is None else model.unknown
    if isinstance(model, WordPiece):
        # a window of whole characters never holds a part of one
        front = b""
        nodes, tokens = trie_of(((piece, id) for piece, id in model.ids.items() if is_utf8(piece)), functions)
        rules[tries.LATER] = tries.node_after(nodes, model.prefix, len(model.prefix))
        rules[tries.MOST] = min(model.max_characters, LONGEST_WORD)
    else:
        front = PHANTOM
        nodes, tokens = trie_of(model.ids.items(), functions)
        rules[tries.LATER], rules[tries.MOST] = 0, LONGEST_WORD
    rules[tries.FRONT] = len(front)
    return NO_MODEL._replace(does=solving.WORDS, nodes=nodes, tokens=tokens, rules=rules), front


def walk_of(model: TrieMatch, functions: build.Functions) -> tuple[Words, Numbers, int]:
    """The trie of RWKV's model (`trie_of`), and its id for unknown bytes, -1 for none. Raises Colliding."""
    pieces, in_trie = model.vocabulary.pieces, {*model.trie.token} - {-1}
    trie = trie_of(((pieces[id], id) for id in in_trie), functions)
    return *trie, -1 if model.unknown is None else model.unknown


UNSURE = 1
"""The class of characters that a form may change, alone or with those before them."""

LAST = 0x40000
"""From here on, only plane 14 has characters, none of which a form changes."""

JAMO = (range(0x1161, 0x1176), range(0x11A8, 0x11C3))
"""What composes with Hangul before it; older Pythons have no decomposition of syllables."""

SOME = 1 << 12
"""Bytes that are put into a form at once, with the rest of their last line."""

WITH_ENDS = ("utf-8", "surrogateescape")
"""How joined texts become a string: END becomes half of a surrogate pair, which no form changes."""

LINE_END = b"\n"
TEXT_END = bytes([END])


@cache
def unsure(form: Form) -> bytes:
    """By code point, UNSURE or nothing.

    >>> [unsure("NFC")[ord(ch)] for ch in "aé가\\u0301\\u212b"], unsure("NFD")[ord("é")]
    ([0, 0, 0, 1, 1], 1)
    """
    table = bytearray(NOTHING + 1)
    keeps = UnicodeForm(form).keeps
    for code in (*range(0x80, 0xD800), *range(0xE000, LAST)):
        ch = chr(code)
        table[code] |= unicodedata.combining(ch) != 0 or not keeps(ch)
        parts = unicodedata.decomposition(ch).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            # the second one may compose with a character before it
            table[int(parts[1], 16)] = UNSURE
    for codes in JAMO:
        table[codes[0] : codes[-1] + 1] = bytes([UNSURE]) * len(codes)
    return bytes(table)


class InForm:
    """Puts joined texts into a form. table: of `unsure`. One thread's: calls share their arguments.

    >>> from explorer.compiled.utf8 import PADDING
    >>> InForm(UnicodeForm("NFC"), unsure("NFC"), {})("e\\u0301".encode() + PADDING).removesuffix(PADDING).decode()
    'é'
    """

    def __init__(self, form: UnicodeForm, table: bytes, functions: build.Functions) -> None:
        self.form = form
        self.next = Call("first_in", functions)
        self.next.give(classes=octets(table), wanted=UNSURE)

    def __call__(self, joined: bytes) -> bytes:
        """The texts, each with END after it, in this form. Nothing composes with a line end or moves across one."""
        stop = len(joined) - len(PADDING) + 1
        self.next.give(data=octets(joined), stop=stop)
        parts: list[bytes] = []
        done = text_end = 0
        while (at := self.next(at=done)) < stop:
            begin = max(done, joined.rfind(LINE_END, done, at) + 1, joined.rfind(TEXT_END, done, at) + 1)
            # what may change is seldom alone
            end = max(at, min(begin + SOME, stop - 1))
            if end >= text_end:
                text_end = joined.index(TEXT_END, end)
            line_end = joined.find(LINE_END, end, text_end)
            end = text_end if line_end < 0 else line_end
            some = joined[begin:end].decode(*WITH_ENDS)
            parts += (joined[done:begin], self.form.text(some).encode(*WITH_ENDS))
            done = end
        return b"".join([*parts, joined[done:]]) if parts else joined

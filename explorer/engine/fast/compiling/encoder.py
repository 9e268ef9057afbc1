"""Many texts → their ids and offsets, as arrays, by compiled code; which tokenizers are compiled, and why not others.

Special tokens are cut out by the stages themselves, but only in texts that may have them: a search over all texts at
once says so. The rest is one buffer, each text with END after it; a Unicode form is made there.

Byte-level BPE (`by_pattern`) is compiled as a whole where the pattern is known; a Unicode form before it runs in
Python, on the lines that may need it. RWKV's walk through its trie is compiled as a whole. Where texts are cut at white
space (`spaces`, `at_white_space`), finding and remembering pieces is compiled. So are new pieces of WordPiece,
except those with a character that is new, or that its neighbors may change, and new pieces of SentencePiece's BPE (by
score, or by a list of merges) and of Unigram with sums in 64 bits, unless user-defined pieces change what the character
map does. Other new pieces are solved in Python.

Models as tables (`compiled.worker`): merges by rank and by score, Unigram, WordPiece, RWKV's trie; Unicode forms.

A Unicode form (Qwen's NFC) runs over joined texts, and only lines near what may change go through Python. That is
Unicode's quick check: a text is in the form if each of its characters is, has no combining class and composes with
nothing before it. A compiled search finds the other characters (UAX #15, section 9).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.compiled import build, respelling, tries, viterbi
from explorer.compiled import pieces as solving
from explorer.compiled.kept import NOTHING_KEPT, Keeper
from explorer.compiled.scanners import END_WHOLE, GPT2, LLAMA3, LONG_S, NO_CONTRACTIONS, O200K, SPACES
from explorer.compiled.utf8 import END, NOTHING, PADDING, Model, Respelling, Scanner
from explorer.compiled.worker import (
    AS_IT_IS,
    LONGEST_WORD,
    MOST_SLOTS,
    NO_MODEL,
    Call,
    Characters,
    Colliding,
    Encoded,
    Numbers,
    Octets,
    Solve,
    Walker,
    Words,
    Worker,
    block_of,
    byte_pairs_of,
    joined,
    octets,
    pairs_by_rank,
    pairs_of,
    table_of,
    trie_of,
)
from explorer.engine.budget import MODEL, ask
from explorer.engine.fast.cache import Ids
from explorer.engine.fast.compiling import classes
from explorer.engine.fast.piece_encoder import (
    BYTE,
    ORDINARY,
    PieceEncoder,
    is_plain,
    pair_ranks,
    pieces_of_paths,
    run_model,
)
from explorer.engine.fast.strategies import (
    IN_CONTEXT,
    SPACE,
    WHITE,
    AtSpaces,
    AtWhiteSpace,
    ByPattern,
    NotIndependent,
    Spaces,
    keeps_matches,
    pre_tokenization,
)
from explorer.engine.models.bpe import BETWEEN, Bpe, Bytes, KnownCharacters, MergeableRanks, MergeList
from explorer.engine.models.longest_match import PHANTOM, LongestMatch, TrieMatch, WordPiece
from explorer.engine.models.spm import Spm
from explorer.engine.models.unigram import Unigram
from explorer.engine.normalizers.unicode_forms import Form, UnicodeForm
from explorer.engine.part import Part
from explorer.engine.partition.special_tokens import Beginnings
from explorer.engine.pre_tokenizers.by_regex import RegexSplit, Splitter
from explorer.engine.pre_tokenizers.patterns import BY_REGEX
from explorer.engine.pre_tokenizers.scanners import ScannerSplit
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
    table = table_of(texts, starts, functions)
    pairs = pairs_by_rank(table, starts, ranks, functions) if listed is None else pairs_of(*listed, functions)
    does = solving.MERGES | (solving.WHOLE if model.whole is True else 0) | (solving.BYTES if in_bytes else 0)
    if laned := in_bytes and bool((byte_symbols >= 0).all()):
        does |= solving.LANED
    return NO_MODEL._replace(
        does=does,
        byte_pairs=byte_pairs_of(pairs, byte_symbols, len(ids_of)) if laned else NO_MODEL.byte_pairs,
        **table._asdict(),
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
    table = table_of(texts, starts, functions)
    pairs = pairs_by_rank(table, starts, ranks, functions)
    fallback = of_bytes([None if one is None else one.token for one in model.fallback])
    rules = np.zeros(3, np.int64)
    rules[solving.UNKNOWN] = -1 if model.unknown is None else model.unknown
    rules[solving.FALLBACK] = model.byte_fallback
    return NO_MODEL._replace(
        does=solving.SCORED,
        **table._asdict(),
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


# --- many texts -------------------------------------------------------------------------------------------------------


OF_PATTERNS = {
    "gpt-2": (GPT2, 0, 0),
    "r50k_base": (GPT2, 0, 0),
    "llama-3": (LLAMA3, 3, LONG_S),
    "qwen-2": (LLAMA3, 1, LONG_S),
    "cl100k_base": (LLAMA3, 3, LONG_S | END_WHOLE),
    "o200k_base": (O200K, 3, LONG_S),
    "tekken": (O200K, 1, NO_CONTRACTIONS),
}
"""Patterns of `patterns.PATTERNS` as rules of a scanner (family, most numbers in a piece, flags); Kimi's has none."""

OF_SCANNERS = {
    "gpt-2 (llama.cpp)": ((GPT2, 0, 0), False),
    "llama-3 (llama.cpp)": ((LLAMA3, 3, 0), False),
    "qwen-2 (llama.cpp)": ((LLAMA3, 1, 0), False),
    "qwen-3.5 (llama.cpp)": ((LLAMA3, 1, 0), True),
}
"""llama.cpp's scanners likewise, and whether marks are letters."""


class NotCompiled(Exception):
    """Why a tokenizer is not compiled, as a clause."""


def at_spaces(strategy: object) -> AtPieces | None:
    """What is compiled of a tokenizer whose texts are cut at white space, None for another strategy."""
    if isinstance(strategy, AtWhiteSpace):
        model = strategy.encoder.model
        words = (model, strategy.characters) if isinstance(model, LongestMatch) else None
        return AtPieces(scanner_at(WHITE), lambda piece: strategy.solve(piece.strip(WHITE)), b"", inf, words)
    if not isinstance(strategy, AtSpaces):
        return None
    spaces = strategy.spaces
    dropped = spaces.dropped

    def solve(piece: str) -> Ids:
        if not dropped:
            return strategy.encoder(spaces.rewrite(piece))
        word = piece.lstrip(dropped)
        return strategy.solve(word) if word else ()

    # a space in front of the text makes its first piece one that follows a space
    front = SPACE.encode() if spaces.front and not dropped else b""
    scanner = scanner_at(dropped, "" if dropped else strategy.followed + SPACE + spaces.written)
    return AtPieces(scanner, solve, front, strategy.most, respelled=(strategy.encoder.model, spaces))


def scanner_at(dropped: str, joined: str = "") -> Scanner:
    """The scanner that cuts at white space.

    dropped: white space that only separates. joined: characters that a space may follow within a token.
    """
    return Scanner(SPACES, 0, 0, classes.of_characters(dropped, joined))


class AtPieces(NamedTuple):
    """What is compiled where texts are cut at white space: finding pieces, and those met before.

    solve: the ids of a new piece; raises NotIndependent. front: what every text begins with. most: characters of the
    longest text that may be cut. words: WordPiece, and what each character becomes before it; then new pieces are
    compiled, too. respelled: another model likewise, and what is done to spaces before it.
    """

    scanner: Scanner
    solve: Callable[[str], Ids]
    front: bytes
    most: float
    words: tuple[LongestMatch, Mapping[int, str]] | None = None
    respelled: tuple[Part, Spaces] | None = None


class Parts(NamedTuple):
    """What is compiled. before: the normalization, which runs in Python. scanner: makes the tables when called."""

    before: tuple[Part, ...]
    scanner: Callable[[], Scanner]
    model: Bpe
    bytes_spelled: bool


Compiled = Parts | AtPieces | TrieMatch
"""What is compiled; of RWKV, a walk through its trie."""


def parts_of(between: Sequence[Part], model: Part) -> Parts:
    """What is compiled of a tokenizer. between: the stages after the partition and before the model.

    Raises NotCompiled.
    """
    if not isinstance(model, Bpe):
        raise NotCompiled(
            f"its model is {type(model).__name__}, and only BPE over bytes, WordPiece, RWKV's trie and models whose "
            "texts can be cut at spaces are compiled"
        )
    stages = pre_tokenization(between)
    if stages is None:
        raise NotCompiled("it has no pre-tokenizer with a pattern")
    before, splitters, bytes_spelled = stages
    if len(splitters) != 1:
        raise NotCompiled("its text is split by several patterns, or by none")
    scanner = scanner_of(splitters[0])
    if not (bytes_spelled or isinstance(model.initial, Bytes)):
        raise NotCompiled("its model merges characters, not bytes")
    if not is_plain(model) or callable(model.whole):
        raise NotCompiled("its merges depend on where a piece stands")
    if isinstance(model.rule, MergeableRanks) and sum(len(each) ** 2 for each in model.rule.ranks) > LONGEST_SYMBOLS:
        raise NotCompiled("its pieces are too long to be split at every byte")
    return Parts(tuple(before), scanner, model, bytes_spelled)


def scanner_of(splitter: Splitter) -> Callable[[], Scanner]:
    """The compiled scanner that cuts as a splitter does. Raises NotCompiled."""
    if isinstance(splitter, ScannerSplit) and splitter.scanner.name in OF_SCANNERS:
        rules, marks = OF_SCANNERS[splitter.scanner.name]
        return lambda: Scanner(*rules, classes.of_scanners(marks))
    if isinstance(splitter, RegexSplit) and splitter.is_known and keeps_matches(splitter):
        known = OF_PATTERNS.get(BY_REGEX[splitter.pattern.regex].name)
        if known is not None:
            return lambda: Scanner(*known, classes.of_regex())
    raise NotCompiled("its pattern is none of those that are compiled")


IdArray = NDArray[np.int32]
Offsets = NDArray[np.int64]

BETWEEN_LINES = bytes([END])

GROUP = 256
"""Texts that are searched for special tokens together before each is searched."""

FEW = 1000
"""Up to this many ids are inserted one by one."""

NONE = np.empty(0, np.int32)


ASK = partial(ask, MODEL)


class Preprocessing(NamedTuple):
    """What is done to texts before they are scanned, by the stages and their options.

    beginnings: how every special token begins. changes: whether a text has to be normalized, or left to the stages;
    None where none has. longest: bytes, or characters, of the longest text that certainly has not. parts: a text in
    parts, special tokens as ids and the rest normalized; None where only the stages can say. whole: the ids of a text
    by the stages. front, end: ids added to each text.
    """

    beginnings: Beginnings
    changes: Callable[[str], bool] | None
    longest: float
    parts: Callable[[str], list[str | int] | None]
    whole: Callable[[str], list[int]]
    front: tuple[int, ...]
    end: tuple[int, ...]

    def needed(self, text: str) -> bool:
        """Whether a text may have special tokens, or has to be normalized."""
        if self.beginnings.in_text(text):
            return True
        return self.changes is not None and self.changes(text)


class CompiledEncoder:
    """Encodes many texts. Threads share it: each takes a worker of its own.

    make: a new worker. functions: those that are compiled. front: what each text that is not empty begins with.
    """

    def __init__(self, make: Callable[[], Worker | Walker], functions: build.Functions, front: bytes = b"") -> None:
        self.make, self.functions, self.front = make, functions, front
        self.idle: list[Worker | Walker] = []

    @classmethod
    def of(
        cls, found: Compiled, functions: build.Functions, most_slots: int = MOST_SLOTS, keep: Keeper = NOTHING_KEPT
    ) -> CompiledEncoder:
        """The encoder of what is compiled of a tokenizer, with these functions.

        most_slots: of a generation of a worker's memory. keep: its tables. Raises NotCompiled.
        """
        try:
            if isinstance(found, TrieMatch):
                return cls.of_walk(found, functions, keep)
            if isinstance(found, AtPieces):
                return cls.of_pieces(found, functions, most_slots, keep)
            return cls.of_parts(found, functions, most_slots, keep)
        except Colliding:
            raise NotCompiled("its pieces are too long, or collide in a table") from None

    @classmethod
    def of_parts(cls, parts: Parts, functions: build.Functions, most_slots: int, keep: Keeper) -> CompiledEncoder:
        """Byte-level BPE. Raises Colliding."""
        encoder = PieceEncoder(parts.model, bytes_spelled=parts.bytes_spelled)
        form = ByPattern(parts.before, (), encoder).form

        def make_tables() -> tuple[Model, Scanner, bytes]:
            tables = tables_of(parts.model, functions, bytes_spelled=parts.bytes_spelled)
            return tables, parts.scanner(), unsure(form.form) if form else b""

        found, cuts, table = keep("bpe", make_tables)
        model, scanner, solve = Model(*found), Scanner(*cuts), in_bytes(encoder)

        def make() -> Worker:
            prepare = InForm(form, table, functions) if form else None
            return Worker(scanner, model, solve, functions, ASK, most_slots, prepare=prepare)

        return cls(make, functions)

    @classmethod
    def of_pieces(cls, pieces: AtPieces, functions: build.Functions, most_slots: int, keep: Keeper) -> CompiledEncoder:
        """Texts cut at white space. Raises Colliding."""
        model, characters, respelling, solve = NO_MODEL, None, AS_IT_IS, in_bytes(pieces.solve)
        if pieces.words is not None:
            words, becomes = pieces.words
            found, front = keep("words", lambda: words_of(words, functions))
            model, characters = Model(*found), Characters(front, becomes, IN_CONTEXT)
        elif pieces.respelled is not None:
            respelled = pieces.respelled
            found, done = keep("respelled", lambda: respelled_tables(*respelled, functions))
            model, respelling = Model(*found), Respelling(*done)

        def make() -> Worker:
            return Worker(
                pieces.scanner, model, solve, functions, ASK, most_slots, characters=characters, respelling=respelling
            )

        return cls(make, functions, pieces.front)

    @classmethod
    def of_walk(cls, model: TrieMatch, functions: build.Functions, keep: Keeper) -> CompiledEncoder:
        """RWKV's walk. Raises Colliding."""
        nodes, tokens, unknown = keep("walk", lambda: walk_of(model, functions))
        solve = in_bytes(run_model(model))
        return cls(lambda: Walker(nodes, tokens, unknown, solve, functions, ASK), functions)

    def encode(self, texts: Sequence[str], before: Preprocessing) -> tuple[IdArray, Offsets]:
        """The ids of all texts, and the index at which those of each begin, then their number.

        Raises InputError as the stages do, without the index of the text.
        """
        try:
            joined = self.joined(map(str.encode, texts))
        except UnicodeEncodeError:
            return self.in_parts(texts, before)
        if before.beginnings.in_bytes(joined):
            if len(texts) > GROUP:
                return one_after_another(
                    self.encode(texts[at : at + GROUP], before) for at in range(0, len(texts), GROUP)
                )
            return self.in_parts(texts, before)
        if max(map(len, texts), default=0) > before.longest:
            return self.in_parts(texts, before)
        try:
            ids, ends = self.run(joined, len(texts))
        except NotIndependent:
            return self.in_halves(texts, before)
        return added(ids, np.concatenate(([0], ends)), before.front, before.end)

    def encode_lines(self, data: bytes, before: Preprocessing) -> Encoded | None:
        """The ids of lines in UTF-8; None where they are to be given as texts. Raises InputError as `encode` does."""
        if before.beginnings.in_bytes(data):
            return None
        block = block_of(data, self.front, self.functions)
        if block is None or block.longest > before.longest:
            return None
        try:
            ids, ends = self.run(block.joined, block.texts)
        except NotIndependent:
            return None
        return Encoded(block, *added(ids, np.concatenate(([0], ends)), before.front, before.end))

    def joined(self, datas: Iterable[bytes]) -> bytes:
        """Texts as one, each with END after it."""
        if self.front:
            datas = [self.front + data if data else data for data in datas]
        return BETWEEN_LINES.join([*datas, PADDING[1:]])

    def in_halves(self, texts: Sequence[str], before: Preprocessing) -> tuple[IdArray, Offsets]:
        """Encodes texts of which one has a piece that depends on what follows it: the stages encode that text."""
        if len(texts) == 1:
            ids = np.array(before.whole(texts[0]), np.int32)
            return ids, np.array([0, len(ids)])
        middle = len(texts) // 2
        return one_after_another(self.encode(half, before) for half in (texts[:middle], texts[middle:]))

    def run(self, joined: bytes | Octets, count: int) -> tuple[IdArray, Offsets]:
        """The ids of joined texts, and how many there are after each. Raises InputError if they are too long."""
        try:
            worker = self.idle.pop()
        except IndexError:
            worker = self.make()
        try:
            ids, ends = worker.run(joined, count)
            return ids.copy(), ends.copy()
        finally:
            self.idle.append(worker)

    def in_parts(self, texts: Sequence[str], before: Preprocessing) -> tuple[IdArray, Offsets]:
        """Encodes texts after cutting special tokens out and normalizing."""
        datas: list[bytes] = []
        known: list[int] = []
        """ids that are not encoded here"""
        where: list[int] = []
        """for each of them, how many parts of text come before it"""
        parts_before, known_before = [0], [0]
        """how many there are before each text, and in all"""
        for text in texts:
            parts = before.parts(text) if before.needed(text) or not encodes(text) else [text]
            around = (*before.front, *(parts or ()), *before.end) if parts is not None else before.whole(text)
            for part in around:
                if isinstance(part, str):
                    datas.append(part.encode())
                else:
                    known.append(part)
                    where.append(len(datas))
            parts_before.append(len(datas))
            known_before.append(len(known))
        try:
            ids, ends = self.run(self.joined(datas), len(datas))
        except NotIndependent:
            return self.in_halves(texts, before)
        starts = np.concatenate(([0], ends))
        if len(known) < FEW:
            # a copy of each stretch costs less than a mask of all ids
            cuts = [0, *starts[where].tolist(), len(ids)] if where else [0, len(ids)]
            between = [ids[a:b] for a, b in pairwise(cuts)]
            added = [np.array([id], np.int32) for id in known]
            ids = np.concatenate([each for pair in zip(between, [*added, NONE], strict=True) for each in pair])
        else:
            ids = np.insert(ids, starts[np.array(where, np.int64)], np.array(known, np.int32))
        return ids, starts[np.array(parts_before)] + np.array(known_before)


def in_bytes(solve: Callable[[str], tuple[int, ...]]) -> Solve:
    """A solver of pieces in UTF-8."""
    return lambda piece: solve(piece.decode())


def encodes(text: str) -> bool:
    """Whether a text is valid UTF-8.

    >>> encodes("é"), encodes(chr(0xD800))
    (True, False)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def one_after_another(made: Iterable[tuple[IdArray, Offsets]]) -> tuple[IdArray, Offsets]:
    """The ids of groups of texts as those of all texts.

    >>> ids, offsets = one_after_another([(np.array([7, 8]), np.array([0, 1, 2])), (np.array([9]), np.array([0, 1]))])
    >>> ids.tolist(), offsets.tolist()
    ([7, 8, 9], [0, 1, 2, 3])
    """
    ids, offsets = zip(*made, strict=True)
    lengths = np.concatenate([np.diff(each) for each in offsets])
    return np.concatenate(ids), np.concatenate(([0], np.cumsum(lengths)))


def added(ids: IdArray, offsets: Offsets, front: tuple[int, ...], end: tuple[int, ...]) -> tuple[IdArray, Offsets]:
    """The ids with those added around each text.

    >>> ids, offsets = added(np.array([7, 8], np.int32), np.array([0, 1, 2]), (1,), (2, 3))
    >>> ids.tolist(), offsets.tolist()
    ([1, 7, 2, 3, 1, 8, 2, 3], [0, 4, 8])
    """
    if not front and not end:
        return ids, offsets
    texts = len(offsets) - 1
    where = np.concatenate((np.repeat(offsets[:-1, None], len(front), 1), np.repeat(offsets[1:, None], len(end), 1)), 1)
    made = np.insert(ids, where.ravel(), np.tile(np.array([*front, *end], np.int32), texts))
    return made, offsets + np.arange(texts + 1) * (len(front) + len(end))

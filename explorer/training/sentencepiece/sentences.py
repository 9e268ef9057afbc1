"""What sentencepiece's trainers start from: their options, and the corpus in sentences and words.

Options of sentencepiece's trainers, under their names and with their defaults, and the pieces that they allow.

Follows `TrainerSpec` and `NormalizerSpec` of `sentencepiece_model.proto`, and of `trainer_interface.cc` `VerifySpec`
and `InitMetaPieces` (the ids of special pieces), `IsValidSentencePiece` (which strings may be pieces) and `Serialize`
(the pieces of a finished training in the order of a `.model` file). A piece has a limited number of characters, ▁ only
where words begin (or end), and one script. Han, Hiragana, Katakana and ー count as one script, and a combining mark
takes that of the character before it. Scripts are those of Unicode 9; a character without one is Common, as are digits,
so "F1" is not a piece.

Surprise that is kept: with split_by_number off a digit has any script, and so has what follows it: "a1б" is a piece.

Left out: sampling of sentences (`input_sentence_size`; the original draws them with a generator of Abseil), texts with
counts (`tsv`), `pretokenization_delimiter`, and differential privacy.

Texts → sentences → words in symbols, as sentencepiece's trainers read a corpus.

Sentences are normalized by a rule that has a name: the `precompiled_charsmap` of its models. The compiled rules lie in
`vocabs/normalization/`, taken from the packages (`vocabs/LICENSES.md`); one with another sha256 is refused.
"""

import lzma
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, lru_cache
from hashlib import sha256
from struct import pack, unpack
from typing import NamedTuple

from explorer.engine.fast.strategies import NotIndependent, Spaces, by_charsmap
from explorer.engine.normalizers.charsmap import CharsmapNormalization, PrecompiledCharsmap, Whitespace
from explorer.engine.part import Emit, Segment, silent
from explorer.engine.unicode.versions import NAMES, script_of
from explorer.errors import InputError
from explorer.opening.sources import VOCABS
from explorer.text import clean
from explorer.training.training import Learned, Train, ask, asking
from explorer.training.words import check_least, check_size
from explorer.vocabulary import SPACE_MARK, PieceKind

UNKNOWN_CHARACTER = "▅"
"""Stands for a character that does not become a piece."""

SPACE = SPACE_MARK
"""Stands for a space."""

RULES = ("nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity")
"""Names of normalization rules (`sentences`); the original's default first. identity: no character changes."""


BOUNDARY = "\x1f"
"""The character that no piece crosses, written in place of a special piece."""


@dataclass(frozen=True)
class Options:
    """What a training can be given."""

    vocab_size: int = 8_000
    """Pieces of the model, special ones and characters among them."""
    character_coverage: float = 0.9995
    """The most frequent characters become pieces until they make up this share of the text."""
    auto_character_coverage: bool = False
    """Characters become pieces where that saves most tokens (`bpe`), not by their share."""
    max_sentence_length: int = 4_192
    """Texts with more bytes are skipped."""
    max_sentencepiece_length: int = 16
    """Characters of the longest piece."""
    split_by_unicode_script: bool = True
    """No piece holds two scripts."""
    split_by_number: bool = True
    """Digits are a script of their own."""
    split_by_whitespace: bool = True
    """No piece crosses a space."""
    treat_whitespace_as_suffix: bool = False
    """▁ ends a word instead of beginning it."""
    allow_whitespace_only_pieces: bool = False
    """Runs of ▁ may be pieces."""
    split_digits: bool = False
    """No piece holds a digit and another character."""
    control_symbols: tuple[str, ...] = ()
    """Special pieces that never match a text."""
    user_defined_symbols: tuple[str, ...] = ()
    """Special pieces that always match."""
    required_chars: str = ""
    """Characters that become pieces, however rare."""
    byte_fallback: bool = False
    """The 256 bytes are special pieces, too."""
    hard_vocab_limit: bool = True
    """Fewer pieces than asked are an error."""
    unk_id: int = 0
    bos_id: int = 1
    eos_id: int = 2
    pad_id: int = -1
    """Ids of special pieces; -1 for a piece that the model lacks."""
    unk_piece: str = "<unk>"
    bos_piece: str = "<s>"
    eos_piece: str = "</s>"
    pad_piece: str = "<pad>"
    add_dummy_prefix: bool = True
    """A space is put in front of each text."""
    remove_extra_whitespaces: bool = True
    """Of a run of spaces one is kept, at the ends none."""
    normalization_rule_name: str = RULES[0]
    """The rules by which characters change, a name in `RULES`."""
    charsmap: bytes = b""
    """Compiled rules to use instead (`precompiled_charsmap` of a model)."""

    def __post_init__(self) -> None:
        check_size(self.vocab_size)
        check_least(self, 1, "vocab_size")
        self.check_between(
            character_coverage=(0.98, 1.0), max_sentencepiece_length=(1, 512), max_sentence_length=(10, 1_073_741_824)
        )
        if self.auto_character_coverage and not self.byte_fallback:
            raise InputError("auto_character_coverage needs byte_fallback: what is not a piece becomes bytes; set both")
        if self.auto_character_coverage and self.required_chars:
            raise InputError("auto_character_coverage chooses the characters itself; leave required_chars out")
        if self.normalization_rule_name not in RULES:
            raise InputError(
                f"normalization_rule_name is {self.normalization_rule_name!r}; choose one of {', '.join(RULES)}"
            )
        for name in ("unk_piece", "bos_piece", "eos_piece", "pad_piece"):
            if not getattr(self, name):
                raise InputError(f"{name} is empty; give it a spelling")
        for name in ("control_symbols", "user_defined_symbols"):
            if "" in getattr(self, name):
                raise InputError(f"{name} holds an empty symbol; leave it out")

    def check_between(self, **bounds: tuple[float, float]) -> None:
        """Raises InputError for an option outside of its bounds."""
        for name, (low, high) in bounds.items():
            if not low <= getattr(self, name) <= high:
                raise InputError(f"{name} is {getattr(self, name)}; choose a number from {low:,} to {high:,}")


def special_pieces(options: Options) -> dict[int, tuple[str, PieceKind]]:
    """The id, spelling and kind of each special piece. Raises InputError where two want one id, or one is named twice.

    >>> special_pieces(Options(user_defined_symbols=("<sep>",)))[3]
    ('<sep>', <PieceKind.USER_DEFINED: 4>)
    """
    spellings = [
        ("unk", options.unk_id, options.unk_piece),
        ("bos", options.bos_id, options.bos_piece),
        ("eos", options.eos_id, options.eos_piece),
        ("pad", options.pad_id, options.pad_piece),
    ]
    pieces: dict[int, tuple[str, PieceKind]] = {}
    for name, id, text in spellings:
        if id < 0:
            continue
        if id >= options.vocab_size:
            raise InputError(f"{name}_id is {id}, and vocab_size is {options.vocab_size}; choose a lower id")
        if id in pieces:
            raise InputError(f"{name}_id is {id}, the id of {pieces[id][0]}; choose another one")
        if text == options.unk_piece and name != "unk":
            raise InputError(f"{name}_piece is {text!r}, which is unk_piece; choose another spelling")
        pieces[id] = text, PieceKind.UNKNOWN if name == "unk" else PieceKind.CONTROL
    if options.unk_id < 0 and not options.byte_fallback:
        raise InputError("unk_id is -1: without it a model needs byte_fallback; choose an id from 0 on")
    named = {text: id for _, id, text in spellings if id >= 0}
    more = [(text, PieceKind.CONTROL) for text in options.control_symbols]
    more += [(text, PieceKind.USER_DEFINED) for text in options.user_defined_symbols]
    if options.byte_fallback:
        more += [(f"<0x{byte:02X}>", PieceKind.BYTE) for byte in range(256)]
    seen: set[str] = set()
    free = 0
    for text, kind in more:
        if text in seen:
            raise InputError(f"the symbol {text!r} is given twice; give it once")
        seen.add(text)
        if text == options.unk_piece:
            raise InputError(f"the symbol {text!r} is unk_piece already; leave it out")
        if text in named:
            pieces[named[text]] = text, kind
            continue
        while free in pieces:
            free += 1
        pieces[free] = text, kind
    return pieces


COMMON = NAMES.index("Common")
INHERITED = NAMES.index("Inherited")
ANY = -1


class Fault(IntEnum):
    """Why a string is not a piece."""

    NONE = 0
    """It may be one."""
    LENGTH = 1
    """It has too many characters."""
    RESERVED = 2
    """It holds an unknown character, a boundary, a space or NUL."""
    WHITE_SPACE = 3
    """It holds a ▁ where no word begins."""
    DIGITS = 4
    """It holds a digit beside another character."""
    SCRIPTS = 5
    """It holds two scripts."""


class Pieces:
    """Says of strings whether they may be pieces.

    >>> pieces = Pieces(Options())
    >>> [pieces.fault(text).name for text in ("▁low", "low▁", "F1", "漢かナー", "lоw")]
    ['NONE', 'WHITE_SPACE', 'SCRIPTS', 'NONE', 'SCRIPTS']
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.reserved = frozenset((UNKNOWN_CHARACTER, BOUNDARY, " ", "\0"))

    def fault(self, text: str) -> Fault:
        """Why the string is not a piece, `Fault.NONE` where it may be one."""
        options = self.options
        if not 0 < len(text) <= options.max_sentencepiece_length:
            return Fault.LENGTH
        if not self.reserved.isdisjoint(text):
            return Fault.RESERVED
        only_space = options.allow_whitespace_only_pieces and not text.strip(SPACE)
        last = len(text) - 1
        before = ANY
        for at, ch in enumerate(text):
            if ch == SPACE:
                if not only_space and self.misplaced(at, last):
                    return Fault.WHITE_SPACE
                continue
            script = script_of(ch)
            if script < 0:
                script = COMMON
            elif script == INHERITED:
                script = before
            if is_digit(ch):
                if options.split_digits and last:
                    return Fault.DIGITS
                if not options.split_by_number:
                    script = ANY
            if options.split_by_unicode_script and ANY not in (script, before) and script != before:
                return Fault.SCRIPTS
            before = script
        return Fault.NONE

    def misplaced(self, at: int, last: int) -> bool:
        """Whether a ▁ may not be at this position."""
        if self.options.treat_whitespace_as_suffix:
            return at < last and (self.options.split_by_whitespace or at == 0)
        return at > 0 and (self.options.split_by_whitespace or at == last)


def is_digit(ch: str) -> bool:
    """Whether sentencepiece calls a character a number: 0-9, also full width.

    >>> [is_digit(ch) for ch in "7７½٣"]
    [True, True, False, False]
    """
    return "0" <= ch <= "9" or "０" <= ch <= "９"


def model(
    learned: Sequence[tuple[str, float]],
    special: Mapping[int, tuple[str, PieceKind]],
    options: Options,
    symbols: Sequence[str] = (),
    merges: Sequence[tuple[int, int, int]] = (),
) -> Learned[str]:
    """The model. Raises InputError where a piece comes twice, or there are fewer pieces than asked.

    learned: pieces with their scores, the best first.

    >>> model([("a", 0.0)], {0: ("<unk>", PieceKind.UNKNOWN)}, Options(vocab_size=2)).tokens
    ('<unk>', 'a')
    """
    tokens: list[str] = []
    scores: list[float] = []
    kinds: list[PieceKind] = []
    left = iter(learned)
    for id in range(options.vocab_size):
        if id in special:
            text, kind = special[id]
            if len(tokens) != id:
                raise InputError(
                    f"the special piece {text!r} has the id {id}, and only {len(tokens)} pieces come before it; choose "
                    "a lower id"
                )
            score = 0.0
        else:
            piece = next(left, None)
            if piece is None:
                continue
            (text, score), kind = piece, PieceKind.NORMAL
        tokens.append(text)
        scores.append(score)
        kinds.append(kind)
    if len(set(tokens)) < len(tokens):
        twice = next(text for at, text in enumerate(tokens) if text in tokens[:at])
        raise InputError(f"the piece {twice!r} is special and learned as well; give the special one another spelling")
    if options.hard_vocab_limit and len(tokens) < options.vocab_size:
        raise InputError(
            f"vocab_size is {options.vocab_size}, and this corpus gives {len(tokens)} pieces; choose {len(tokens)} or "
            "less, or hard_vocab_limit=False"
        )
    return Learned(tuple(symbols), tuple(tokens), tuple(merges), tuple(scores), tuple(sorted(special)), tuple(kinds))


VERSION = "0.2.3"
SHA256 = {
    "nmt_nfkc": "1e2c7b43d3ee9755ceaa2ac335e253d8703604e0249ee1e81156c92b46423844",
    "nfkc": "7e46d9e08af4b6a37991b04fb8388644c1595a0abcd0f26d6a5d575e2a3663ea",
    "nmt_nfkc_cf": "2c03512e62f9ed965ec90d85314211b63b5b8aa0395311ea2147eec9ff738907",
    "nfkc_cf": "d8dfef3d6db0eef0742f8b55a73aee7fce6c1e21d26a09b8d3d4b52c42a791cb",
}
"""Of the uncompressed tables."""


def charsmap_of(options: Options) -> bytes:
    """The compiled rules that a training normalizes with: those given, else those of the name. Empty for identity.

    >>> len(charsmap_of(Options())), charsmap_of(Options(normalization_rule_name="identity"))
    (240007, b'')
    """
    if options.charsmap or options.normalization_rule_name == "identity":
        return options.charsmap
    return table(options.normalization_rule_name)


@cache
def table(name: str) -> bytes:
    """The rules of a name. Raises InputError if the file is not the one that came with this program."""
    path = VOCABS / "normalization" / VERSION / f"{name}.bin.xz"
    try:
        rules = lzma.decompress(path.read_bytes())
    except (OSError, lzma.LZMAError):
        rules = b""
    if sha256(rules).hexdigest() != SHA256[name]:
        raise InputError(f"{path}: the file is missing or not the original one (its sha256 differs); fetch it again")
    return rules


class Corpus(NamedTuple):
    """A corpus ready to be learned from.

    texts: what each symbol spells: the unknown character, then the required ones. words: distinct words in symbols;
    times: how often each occurs. required: how often each character occurs that becomes a piece, in the order of its
    symbol.
    """

    texts: list[str]
    words: list[str]
    times: list[int]
    required: dict[str, int]


class Sentences(NamedTuple):
    """Normalized texts. required: the characters that become pieces, in order; unknown: the others; with their counts.

    symbols: the characters that get a symbol, which are the required ones if the options say how many there are.
    """

    texts: list[str]
    required: dict[str, int]
    unknown: dict[str, int]
    symbols: dict[str, int]


def read(texts: Iterable[str], options: Options, special: Mapping[int, tuple[str, PieceKind]], emit: Emit) -> Sentences:
    """The sentences of these texts. Raises InputError where there are none, or the characters alone are too many.

    special: pieces that are no text, by id; each is an event, too.
    """
    for number, id in enumerate(special):
        emit(Train.RESERVED, id, number, 0)
    sentences = normalized(texts, options, special, emit)
    counts: Counter[str] = Counter()
    for sentence in sentences:
        counts.update(sentence)
        ask()
    unknown, required = dict[str, int](), dict[str, int]()
    if options.auto_character_coverage:
        letters = {ch: counts[ch] for ch in sorted(counts) if ch != BOUNDARY}
    else:
        letters, unknown = characters(counts, options)
        required = letters
    if options.auto_character_coverage and len(special) >= options.vocab_size:
        raise InputError(
            f"vocab_size is {options.vocab_size}, and there are {len(special)} special pieces; choose more"
        )
    if len(required) + len(special) > options.vocab_size:
        raise InputError(
            f"vocab_size is {options.vocab_size}, and {len(required)} characters and {len(special)} special pieces "
            f"have to be in it; choose {len(required) + len(special)} or more, or lower character_coverage"
        )
    for ch, n in unknown.items():
        emit(Train.LETTER_UNKNOWN, ord(ch), 0, n)
    return Sentences(sentences, required, unknown, letters)


def load(texts: Iterable[str], options: Options, special: Mapping[int, tuple[str, PieceKind]], emit: Emit) -> Corpus:
    """The words of these texts, in symbols. Raises InputError as `read` does."""
    sentences, required, unknown, letters = read(texts, options, special, emit)
    symbols = {ch: number for number, ch in enumerate([UNKNOWN_CHARACTER, *letters])}
    for ch, n in letters.items():
        emit(Train.LETTER, ord(ch), symbols[ch], n)
    written = {ord(ch): chr(0) for ch in unknown} | {ord(ch): chr(symbol) for ch, symbol in symbols.items()}
    # the boundary is no character of the corpus, and becomes unknown as well
    written[ord(BOUNDARY)] = chr(0)
    words: list[str] = []
    times: list[int] = []
    for word, n in asking(list(split(sentences, letters, options).items())):
        emit(Train.WORD, len(words), len(word), n)
        symbols_of = word.translate(written)
        if emit is not silent:  # it is every character
            for position, symbol in enumerate(symbols_of):
                emit(Train.SYMBOL, len(words), position, ord(symbol))
        words.append(symbols_of)
        times.append(n)
    return Corpus(list(symbols), words, times, required)


def normalized(
    texts: Iterable[str], options: Options, special: Mapping[int, tuple[str, PieceKind]], emit: Emit
) -> list[str]:
    """The sentences, with a boundary for each special piece that is spelled in one."""
    normalize = Normalize(options)
    spelled = sorted((text for text, _ in special.values()), key=len, reverse=True)
    pieces = re.compile("|".join(map(re.escape, spelled))) if spelled else None
    done: list[str] = []
    for number, text in enumerate(texts):
        ask()
        text = clean(text)
        size = len(text.encode())
        if not text:
            emit(Train.TEXT_EMPTY, number, 0, 0)
        elif size > options.max_sentence_length:
            emit(Train.TEXT_TOO_LONG, number, options.max_sentence_length, size)
        elif UNKNOWN_CHARACTER in text:
            emit(Train.TEXT_MARKED, number, 0, 0)
        else:
            sentence, cuts = normalize(text), 0
            if pieces is not None:
                sentence, cuts = pieces.subn(BOUNDARY, sentence)
            if cuts:
                emit(Train.TEXT_CUT, number, 0, cuts)
            if not sentence:
                emit(Train.TEXT_EMPTY, number, 0, 0)
            done.append(sentence)
    if not done:
        raise InputError("the corpus holds no text to learn from; give it a line with a letter")
    remove_empty(done)
    return done


def remove_empty(sentences: list[str]) -> None:
    """Removes empty sentences, each by moving the last one there.

    >>> texts = ["", "a", "", "b"]
    >>> remove_empty(texts), texts
    (None, ['b', 'a'])
    """
    at = 0
    while at < len(sentences):
        if sentences[at]:
            at += 1
        else:
            sentences[at] = sentences[-1]
            sentences.pop()


@lru_cache(4)
def stage_of(charsmap: bytes, rules: Whitespace) -> tuple[CharsmapNormalization, Spaces | None]:
    """The stage that normalizes, and what is known of its spaces. Kept: the rules take 0.1 s to look through."""
    stage = CharsmapNormalization(PrecompiledCharsmap(charsmap, "charsmap") if charsmap else None, rules)
    return stage, by_charsmap(stage) if rules.remove_extra_whitespaces else None


class Normalize:
    """The normalizer of a model with these options; a word that was met before is not looked up again."""

    def __init__(self, options: Options) -> None:
        white_space = Whitespace(
            options.add_dummy_prefix, options.remove_extra_whitespaces, True, options.treat_whitespace_as_suffix
        )
        self.stage, self.spaces = stage_of(charsmap_of(options), white_space)
        self.known: dict[str, str] = {}
        self.apart = re.compile(f"[{re.escape(self.spaces.dropped)}]+") if self.spaces else None

    def __call__(self, text: str) -> str:
        """The normalized text."""
        if self.spaces is None or self.apart is None:
            return self.whole(text)
        known, rewrite = self.known, self.spaces.rewrite
        try:
            done = ""
            for word in self.apart.split(text):
                if word not in known:
                    known[word] = rewrite(f" {word}") if word else ""
                done += known[word]
            return done
        except NotIndependent:
            return self.whole(text)

    def whole(self, text: str) -> str:
        """The same without proof that words do not depend on each other."""
        return self.stage.apply(Segment.of(text), silent).text


def characters(counts: Counter[str], options: Options) -> tuple[dict[str, int], dict[str, int]]:
    """The characters that become pieces, in order, and those that do not, with their counts."""
    counts.pop("\0", None)
    total = sum(counts.values())
    if not total:
        raise InputError("the corpus holds no character to learn from; give it a line with a letter")
    wanted = set(options.required_chars) - {"\0"}
    for ch in wanted:
        counts.setdefault(ch, 0)
    ordered = iter(sorted(counts, key=lambda ch: (ch not in wanted, -counts[ch], ch)))
    enough = single(options.character_coverage)
    required: dict[str, int] = {}
    rest: list[str] = []
    covered = 0
    for ch in ordered:
        if single(covered / total) >= enough:
            rest = [ch, *ordered]
            break
        covered += counts[ch]
        if ch != BOUNDARY:
            required[ch] = counts[ch]
    if UNKNOWN_CHARACTER in required:
        raise InputError(f"required_chars holds {UNKNOWN_CHARACTER}, the mark of unknown characters; leave it out")
    return required, {ch: counts[ch] for ch in rest if ch != BOUNDARY}


def single(number: float) -> float:
    """A number rounded to 32 bits, as the original compares shares."""
    rounded: float = unpack("<f", pack("<f", number))[0]
    return rounded


def marked(sentences: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    """The sentences with the mark of unknown characters for all others.

    >>> list(marked(["aéb"], "ab"))
    ['a▅b']
    """
    letters = set(known)
    for sentence in sentences:
        unknown = set(sentence) - letters
        yield sentence.translate(dict.fromkeys(map(ord, unknown), UNKNOWN_CHARACTER)) if unknown else sentence


def split(sentences: list[str], required: Mapping[str, int], options: Options) -> dict[str, int]:
    """Distinct words and their counts, the most frequent first; or the sentences themselves.

    >>> split(["▁a▁b", "▁b"], {"▁": 3, "a": 1, "b": 2}, Options())
    {'▁b': 2, '▁a': 1}
    """
    words: Counter[str] = Counter()
    if not options.split_by_whitespace:
        for sentence in marked(asking(sentences), required):
            words[sentence] += 1
        return dict(words)
    find = re.compile(
        {
            (False, False): f"{SPACE}[^{SPACE}]*|[^{SPACE}]+",
            (False, True): f"{SPACE}+[^{SPACE}]*|[^{SPACE}]+",
            (True, False): f"[^{SPACE}]*{SPACE}|[^{SPACE}]+",
            (True, True): f"[^{SPACE}]*{SPACE}+|[^{SPACE}]+",
        }[options.treat_whitespace_as_suffix, options.allow_whitespace_only_pieces]
    )
    for sentence in marked(asking(sentences), required):
        words.update(find.findall(sentence))
    return dict(sorted(words.items(), key=lambda each: (-each[1], each[0])))

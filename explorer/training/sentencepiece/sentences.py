"""Texts → sentences → words in symbols, as sentencepiece's trainers read a corpus.

Sentences are normalized by a rule that has a name: the `precompiled_charsmap` of its models. The compiled rules lie in
`vocabs/normalization/`, taken from the packages (`vocabs/LICENSES.md`); one with another sha256 is refused.
"""

from __future__ import annotations

import lzma
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from hashlib import sha256
from struct import pack, unpack
from typing import Final, NamedTuple

from explorer.engine.fast.spaces import NotIndependent, Spaces, by_charsmap
from explorer.engine.normalizers.charsmap import CharsmapNormalization, PrecompiledCharsmap, Whitespace
from explorer.engine.part import Emit, Segment, silent
from explorer.errors import InputError
from explorer.opening.sources import VOCABS
from explorer.text import clean
from explorer.training.sentencepiece.options import BOUNDARY, SPACE, UNKNOWN_CHARACTER, Options
from explorer.training.training import Train, ask, asking
from explorer.vocabulary import PieceKind

VERSION: Final = "0.2.3"
SHA256: Final = {
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

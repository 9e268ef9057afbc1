"""What a text becomes when it goes on: the tokens that may follow a cut (token healing), how many ids of a text every
continuation keeps, which tokens change while it is typed; and what is known about a border between two texts. Spans are
code points of both texts joined.

Only the tokens of the texts count; those added around a text (BOS, EOS) are left out. Dropped text comes back only if
the next token agrees with it: it begins with the text, or spells a beginning of it. A token is compared by the bytes it
decodes to (`Decoder.alone`). WordPiece writes a word's first piece and the others differently, so there a token must
also be of the sort that was dropped. Control and unknown tokens, and ids without a token, spell no text and don't
count.

How many ids hold is decided by the vocabulary: every token that could stand across the end of the text is found,
special tokens and composed characters included, and the text before it is encoded. That is exact where text between two
tokens doesn't change the tokens beside it; a pattern that looks further ahead than one token is left out.

Models that answer while somebody types, prompt caches and streamed text all assume that the tokens of a prefix don't
change. Mostly only the last one does. `stability` tokenizes every prefix of a text and compares it with the one before:
how many tokens are kept from the left, and which earlier ones change. A text of more than `MOST` characters grows in
equal steps of several characters, and in longer ones if all prefixes together have more than `TOGETHER` characters.
"""

import unicodedata
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cache, cached_property
from itertools import chain
from threading import Lock
from typing import NamedTuple

from explorer.analysis.ownership import common
from explorer.engine.budget import asking, many_runs
from explorer.engine.part import Segment, TextTokens, Token
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.stages.spelling import How, spelling_of
from explorer.stages.stage import WhyStep
from explorer.stages.table import model_kind
from explorer.text import clean
from explorer.text.say import Say, number
from explorer.vocabulary import SPACE_MARK, PieceKind


class BoundaryCause(StrEnum):
    """Why a border changes ids."""

    NONE = "none"
    """It does not."""
    MERGE = "merge"
    """A merge joins symbols of both sides."""
    WHOLE = "whole"
    """The text between two cuts of the pre-tokenizer is a piece and was taken without merges."""
    BEST_PATH = "best-path"
    """The best path has a piece across the border."""
    LONGEST_MATCH = "longest-match"
    """The longest match goes on after the border."""
    LOOKED_UP = "looked-up"
    """A unit of the text, looked up as a whole, has characters of both sides."""
    SPECIAL_TOKEN = "special-token"
    """A special or added token is spelled across the border."""
    NORMALIZER = "normalizer"
    """Characters of both sides become one before the model runs, or other characters than each side alone."""
    UNKNOWN = "unknown"
    """One unknown token takes the place of text of both sides."""
    PREFIX = "prefix"
    """Nothing is across the border, but the right part as a text of its own gets a space in front."""
    PRE_TOKENIZER = "pre-tokenizer"
    """Nothing is across the border, but without the other side the text is cut elsewhere."""
    CONTEXT = "context"
    """Nothing is across the border, but the model makes other tokens of a part than of the whole."""


class Crossing(NamedTuple):
    """A token of the whole text with characters on both sides.

    number: its index among the whole text's tokens. say: what joined the two sides. steps: the events that did; their
    indices count the events about the token's own segment. parts: the texts of both sides, for people.
    """

    number: int
    token: Token
    cause: BoundaryCause
    say: Say
    steps: tuple[WhyStep, ...] = ()
    parts: tuple[str, str] = ("", "")


class Followers(NamedTuple):
    """The tokens that agree with a text: those that begin with it, and those that it begins with.

    begin: ids of tokens that begin with the text or are it, ascending. shorter: ids of tokens that spell a proper
    beginning of it, shortest first.
    """

    begin: Sequence[int]
    shorter: Sequence[int]

    @property
    def total(self) -> int:
        """How many tokens may follow."""
        return len(self.begin) + len(self.shorter)


class StableCut(NamedTuple):
    """The last cut before the border at which the left part's ids are those of the whole text.

    kept: how many ids of the left part stay. drop: those after them. text: the bytes that `drop` spells. at: where the
    last kept token ends. followers: the tokens that agree with the dropped text; None where nothing is
    dropped, or an unknown token is.
    """

    kept: int
    drop: tuple[int, ...]
    text: bytes
    at: int
    followers: Followers | None


class LoneSpace(NamedTuple):
    """The left part ends in a space that is a token of its own.

    id: that token. tokens: how many of the vocabulary begin with a space and go on.
    """

    id: int
    tokens: int


class Boundary(NamedTuple):
    """A border between two texts.

    at: its offset. whole, left, right: tokens of the text, of the part before the border and of the part after it.
    kept_left, kept_right: how many tokens the left part and the whole text share from the start, the right part and
    the whole from the end. say: why ids change, or that nothing does.
    """

    text: str
    at: int
    whole: TextTokens
    left: TextTokens
    right: TextTokens
    kept_left: int
    kept_right: int
    crossings: tuple[Crossing, ...]
    cause: BoundaryCause
    say: Say
    stable: StableCut
    lone_space: LoneSpace | None

    @property
    def keeps(self) -> bool:
        """Whether the ids of both parts are the ids of the whole text."""
        return self.cause is BoundaryCause.NONE

    @property
    def ids(self) -> list[int]:
        """The ids of the whole text."""
        return [token.id for token in self.whole]

    @property
    def left_ids(self) -> list[int]:
        """The ids of the left part."""
        return [token.id for token in self.left]

    @property
    def right_ids(self) -> list[int]:
        """The ids of the right part."""
        return [token.id for token in self.right]

    @property
    def gone(self) -> TextTokens:
        """The tokens of the whole text that the border replaces."""
        return self.whole[self.kept_left : len(self.whole) - self.kept_right]

    @property
    def instead(self) -> TextTokens:
        """The tokens of both parts that take their place."""
        return self.left[self.kept_left :] + self.right[: len(self.right) - self.kept_right]


FOUND_IN_TEXT = frozenset({PieceKind.CONTROL, PieceKind.USER_DEFINED, PieceKind.UNKNOWN})
"""The kinds of tokens that a text may be searched for before the model runs."""

NEAR = 32
"""Characters on each side of an offset that are looked at for one that is composed: no writing has more marks."""

TEXT_KINDS = frozenset({PieceKind.NORMAL, PieceKind.USER_DEFINED, PieceKind.BYTE})
"""The kinds of tokens that spell text."""

MANY = 1_000
"""Sorting so many ids takes longer than looking them up."""


LONGEST = 100_000
"""The most characters of a text whose borders are asked about."""


class TokensByText:
    """The tokens of a vocabulary in the order of their bytes.

    >>> import explorer
    >>> tokens = tokens_by_text(explorer.load("gpt-2"))
    >>> len(tokens.begin(b":")), len(tokens.begin(b" "))
    (16, 33135)
    """

    def __init__(self, tokenizer: Opened) -> None:
        vocabulary, spelling, alone = tokenizer.vocabulary, spelling_of(tokenizer), tokenizer.decoder.alone
        # not of the vocabulary's index, which knows classes and scripts, too, and takes three times the memory
        pairs = (
            (data, id)
            for id in asking(range(len(vocabulary)), "the vocabulary")
            if vocabulary.kinds[id] in TEXT_KINDS and (data := alone(id))
        )
        self.data, self.ids = in_order(pairs)
        self.pieces: Sequence[bytes] = vocabulary.pieces
        self.prefix = SPACE_MARK.encode() if spelling.how == How.PHANTOM else spelling.prefix
        self.common: dict[bytes, list[int]] = {}
        """the ids of texts that many tokens begin with, sorted once: there are few such texts"""

    @cached_property
    def longest(self) -> int:
        """The bytes of the longest token."""
        return max(map(len, self.data), default=0)

    @cached_property
    def backwards(self) -> tuple[list[bytes], Sequence[int]]:
        """The tokens' bytes from their last to their first, in order, and the ids."""
        return in_order((data[::-1], id) for data, id in zip(self.data, self.ids, strict=True))

    def end(self, text: bytes) -> list[int]:
        """The ids of tokens that end with a text or are it, ascending."""
        data, ids = self.backwards
        start, end = span(data, text[::-1])
        return sorted(ids[start:end])

    def begin(self, text: bytes) -> list[int]:
        """The ids of tokens that begin with a text or are it, ascending."""
        start, end = span(self.data, text)
        if end - start < MANY:
            return sorted(self.ids[start:end])
        if text not in self.common:
            self.common[text] = sorted(self.ids[start:end])
        return self.common[text]

    @cached_property
    def spaced(self) -> int:
        """How many tokens begin with a space and go on."""
        start, end = span(self.data, b" ")
        return end - start - len(self.spelled(b" "))

    def goes_on(self, text: bytes) -> bool:
        """Whether some token begins with a text and is longer."""
        start, end = span(self.data, text)
        return end > start and self.data[end - 1] != text

    def spelled(self, text: bytes) -> list[int]:
        """The ids of tokens that spell exactly this text, ascending."""
        start = bisect_left(self.data, text)
        end = start
        while end < len(self.data) and self.data[end] == text:
            end += 1
        return sorted(self.ids[start:end])

    def is_first(self, id: int) -> bool | None:
        """Whether a token begins a word, where the spelling tells; None where it does not."""
        return self.pieces[id].startswith(self.prefix) if self.prefix else None


def in_order(pairs: Iterable[tuple[bytes, int]]) -> tuple[list[bytes], Sequence[int]]:
    """Tokens' bytes in order, and their ids.

    Sorted in groups: one sort of a whole vocabulary lets no other thread run for a third of a second.

    >>> in_order([(b"ab", 3), (b"b", 1), (b"a", 7), (b"abc", 0), (b"ab", 2)])
    ([b'a', b'ab', b'ab', b'abc', b'b'], array('I', [7, 2, 3, 0, 1]))
    """
    groups: defaultdict[bytes, list[tuple[bytes, int]]] = defaultdict(list)
    for pair in pairs:
        groups[pair[0][:2]].append(pair)
    data, ids = list[bytes](), array("I")
    for first in sorted(groups):
        group = sorted(groups.pop(first))
        data += [each for each, _ in group]
        ids.extend(id for _, id in group)
    return data, ids


def span(data: Sequence[bytes], text: bytes) -> tuple[int, int]:
    """Where in sorted data those that begin with a text are.

    >>> span([b"a", b"ab", b"b"], b"a"), span([b"a", bytes([255])], bytes([255]))
    ((0, 2), (1, 2))
    """
    after = text.rstrip(b"\xff")
    end = bisect_left(data, after[:-1] + bytes([after[-1] + 1])) if after else len(data)
    return bisect_left(data, text), end


_lock = Lock()
KEPT = "tokens_by_text"


def tokens_by_text(tokenizer: Opened) -> TokensByText:
    """The tokens of a tokenizer by their bytes, the same each time."""
    with _lock:
        # on the tokenizer itself, so that both are freed together
        tokens: TokensByText | None = tokenizer.__dict__.get(KEPT)
        if tokens is None:
            tokens = tokenizer.__dict__[KEPT] = TokensByText(tokenizer)
        return tokens


def followers(tokenizer: Opened, dropped: Sequence[int]) -> Followers:
    """The tokens that agree with the text of dropped ids.

    >>> import explorer
    >>> tok = explorer.load("gpt-2")
    >>> found = followers(tok, tok.encode(":").ids)
    >>> found.total, [tok.token_bytes(id) for id in found.begin[:3]], found.shorter
    (16, [b':', b'://', b'::'], [])
    """
    tokens = tokens_by_text(tokenizer)
    text = b"".join(map(tokenizer.token_bytes, dropped))
    if not text:
        return Followers((), ())
    sort = tokens.is_first(dropped[0])

    def fit(ids: Sequence[int]) -> list[int]:
        return list(ids) if sort is None else [id for id in ids if tokens.is_first(id) == sort]

    beginnings = (text[:size] for size in range(1, min(len(text), tokens.longest + 1)))
    return Followers(fit(tokens.begin(text)), [id for each in beginnings for id in fit(tokens.spelled(each))])


class OpenEnd(NamedTuple):
    """Which ids of a text hold, whatever follows it.

    tokens: of the text. fixed: how many of them hold. text: the bytes of the others. followers: the tokens that agree
    with these; None where all hold.
    """

    tokens: TextTokens
    fixed: int
    text: bytes
    followers: Followers | None


def open_end(tokenizer: Opened, text: str, *, parse_special: bool = True) -> OpenEnd:
    """Which ids of a forced prefix can be forced: the others may change with what follows.

    Raises InputError for a text that is too long or unusable.

    >>> import explorer
    >>> found = open_end(explorer.load("gpt-2"), 'The answer: "')
    >>> len(found.tokens), found.fixed, found.text
    (4, 3, b' "')
    """
    text = clean(text)
    check_length(text)
    with many_runs("the end of a text", len(text)):
        tokens = text_tokens(tokenizer, text, parse_special)
        ids = [token.id for token in tokens]
        fixed = len(ids)
        if ids and model_kind(tokenizer.model).whole_words:
            fixed = self_contained(tokenizer, text, tokens, parse_special)
        # together, because after 100,000 spaces there are a hundred ends to tokenize: compiled, that takes seconds
        lefts = (text[:at] for at in ends_of_left(tokenizer, text, parse_special))
        for left in tokenizer.encode_batch(lefts, add_special=False, parse_special=parse_special):
            fixed = common(left.tolist(), ids[:fixed])
        rest = tuple(ids[fixed:])
        data = b"".join(map(tokenizer.token_bytes, rest))
        return OpenEnd(tokens, fixed, data, followers(tokenizer, rest) if rest else None)


def self_contained(tokenizer: Opened, text: str, tokens: Sequence[Token], parse_special: bool) -> int:
    """How many tokens are before the last word, where one character more may make a word unknown as a whole."""
    trace = tokenizer.trace_lazily(text, add_special=False, parse_special=parse_special)
    last = trace.stage("model").before[-1:]
    if not last or not isinstance(last[0], Segment):
        return len(tokens)
    if last[0].ends[-1] < len(text):
        # what is after the word may be dropped, as a zero-width joiner is: then the word goes on
        longer = tokenizer.trace_lazily(text + "a", add_special=False, parse_special=parse_special)
        after = longer.stage("model").before[-1]
        if not isinstance(after, Segment) or after.starts[0] >= len(text):
            return len(tokens)
    return next((index for index, token in enumerate(tokens) if token.end > last[0].starts[0]), len(tokens))


def ends_of_left(tokenizer: Opened, text: str, parse_special: bool) -> set[int]:
    """The offsets before which the ids stay if some token, or some rule, takes all the rest of the text and goes on."""
    ends = {
        *ends_before_tokens(tokenizer, text),
        *(ends_before_special_tokens(tokenizer, text) if parse_special else ()),
    }
    # a normalizer may join the text with a mark, or a letter of Hangul, that follows
    start = last_base(text)
    if text and (start < len(text) - 1 or may_compose(text[start])) and composes(tokenizer):
        ends.add(start)
    return ends


def ends_before_tokens(tokenizer: Opened, text: str) -> Iterator[int]:
    """The offsets from which some token begins with all the rest of the text and goes on.

    A token that begins inside a character takes the whole character, and what other tokens join its first bytes to.
    """
    tokens = tokens_by_text(tokenizer)
    # where a space is written as this mark, the mark in a text is read as a space
    mark = tokenizer.encode(SPACE_MARK, add_special=False).ids if SPACE_MARK in text else [0]
    same = b" " if b"".join(map(tokenizer.token_bytes, mark)).strip(b" ") else SPACE_MARK.encode()
    data, start, inside = b"", len(text), 0
    for start in range(len(text) - 1, max(-1, len(text) - tokens.longest - 1), -1):
        char = text[start].encode().replace(same, b" ")
        data, inside = char + data, len(char)
        for at in range(inside):
            if len(data) - at >= tokens.longest or not tokens.goes_on(data[at:]):
                continue
            yield start
            if not at:
                continue
            before = text[max(0, start - tokens.longest) : start].encode() + char[:at]
            for id in tokens.end(char[:at]):
                piece = tokenizer.token_bytes(id)
                if len(piece) > at and before.endswith(piece):
                    yield start - len(piece[: len(piece) - at].decode("utf-8", "replace"))


def ends_before_special_tokens(tokenizer: Opened, text: str) -> Iterator[int]:
    """The offsets from which the text may become a special token."""
    vocabulary = tokenizer.vocabulary
    for id in chain.from_iterable(map(vocabulary.of_kind, FOUND_IN_TEXT)):
        piece = bytes(vocabulary.pieces[id]).decode("utf-8", "replace")
        sizes = [size for size in range(1, len(piece)) if text.endswith(piece[:size])]
        if sizes and tokenizer.encode(piece, add_special=False).ids == [id]:
            yield from (len(text) - size for size in sizes)


def composes(tokenizer: Opened) -> bool:
    """Whether a stage before the model makes one character of a letter and its accent."""
    traces = (tokenizer.trace(text, add_special=False) for text in ("e\u0301", "\xe9"))
    one, other = ([item.text for item in each.stage("model").before if isinstance(item, Segment)] for each in traces)
    return one == other


def composed(text: str, at: int) -> str:
    """The character that NFC makes of text on both sides of an offset, or none.

    >>> composed("cafe\u0301", 4), composed("caf\xe9", 3), composed("한", 1), composed("xe\u0301", 1)
    ('é', '', '한', '')
    """
    left = unicodedata.normalize("NFC", text[max(0, at - NEAR) : at])
    start = last_base(left)
    after = text[at : at + NEAR]
    marks = next((index for index in range(1, len(after)) if not unicodedata.combining(after[index])), len(after))
    joined = unicodedata.normalize("NFC", left[start:] + after[:marks])
    return joined[0] if left and after and joined[0] != left[start] else ""


def last_base(text: str) -> int:
    """The offset of the last character that is no mark on another; 0 if there is none.

    >>> last_base("xe\u0301"), last_base("\u0301"), last_base("")
    (1, 0, 0)
    """
    return next((at for at in reversed(range(len(text))) if not unicodedata.combining(text[at])), 0)


def may_compose(char: str) -> bool:
    """Whether a character can be one with what follows.

    >>> may_compose("e"), may_compose(":"), may_compose("ᄒ"), may_compose("하"), may_compose("한")
    (True, False, True, True, False)
    """
    if "가" <= char <= "힣":
        return (ord(char) - ord("가")) % 28 == 0
    parts = [part for part in unicodedata.normalize("NFKD", char) if not unicodedata.combining(part)]
    return bool(parts) and parts[-1] in composing()


@cache
def composing() -> frozenset[str]:
    """The characters that others are composed of, first."""
    pairs = (unicodedata.decomposition(chr(code)) for code in range(0x30000))
    firsts = {chr(int(pair.split()[0], 16)) for pair in pairs if pair and pair[0] != "<"}
    return frozenset(firsts | set(map(chr, range(0x1100, 0x1113))))


def text_tokens(tokenizer: Opened, text: str, parse_special: bool) -> TextTokens:
    """The tokens of a text, without those added around it."""
    return tokenizer.encode(text, add_special=False, parse_special=parse_special).tokens


def check_length(text: str) -> None:
    """Raises InputError for a text that is too long."""
    if len(text) > LONGEST:
        raise InputError(
            f"the text has {number(len(text))} characters, and borders are asked about in up to {number(LONGEST)}; "
            "give the part around the border"
        )


MOST = 300
"""The most prefixes that are tokenized."""

TOGETHER = 1_000_000
"""About the most characters of all prefixes together: some seconds of work."""

MOST_TYPED = 20_000
"""The most characters of a text, because each prefix is tokenized from the start."""


class Prefix(NamedTuple):
    """The prefix of `length` characters.

    kept: how many tokens from the left equal those of the prefix before. tail: the tokens after them, so the tokens of
    a prefix are the first `kept` of the one before, then the tail. changed: how many tokens of the prefix before are
    gone; a token that only covers more characters now (a growing unknown word) is not. reach: how many characters
    before its end the first changed token began.
    """

    length: int
    kept: int
    tail: TextTokens
    changed: int
    reach: int


class Stability(NamedTuple):
    """The tokens of a growing text.

    step: by how many characters each prefix is longer than the one before. prefixes: in order; the last is the text.
    """

    text: str
    step: int
    prefixes: tuple[Prefix, ...]

    @property
    def furthest(self) -> int:
        """The longest reach: tokens this far from the end may still change when the text grows."""
        return max((each.reach for each in self.prefixes), default=0)

    @property
    def stable(self) -> bool:
        """Whether only the last token ever changed."""
        return all(each.changed <= 1 for each in self.prefixes)

    def tokens(self) -> Iterator[TextTokens]:
        """The tokens of each prefix, in order."""
        tokens: TextTokens = ()
        for each in self.prefixes:
            tokens = tokens[: each.kept] + each.tail
            yield tokens


def stability(tokenizer: Opened, text: str, *, parse_special: bool = True, most: int = MOST) -> Stability:
    """Tokenizes the prefixes of a text. Raises InputError for a text that is too long or unusable.

    >>> import explorer
    >>> [(each.length, each.kept, len(each.tail), each.changed)
    ...  for each in stability(explorer.load("gpt-2"), "token").prefixes]
    [(1, 0, 1, 0), (2, 0, 1, 1), (3, 0, 2, 1), (4, 0, 2, 2), (5, 0, 1, 2)]
    """
    text = clean(text)
    if len(text) > MOST_TYPED:
        raise InputError(
            f"the text has {len(text)} characters, and each prefix is tokenized from the start; give up to {MOST_TYPED}"
        )
    most = min(most, 2 * TOGETHER // max(1, len(text)))
    step = max(1, -(-len(text) // most))
    prefixes: list[Prefix] = []
    before: TextTokens = ()
    end = 0
    with many_runs("the prefixes", len(text)):
        for length in (*range(step, len(text), step), len(text)) if text else ():
            encoding = tokenizer.trace_lazily(text[:length], add_special=False, parse_special=parse_special).encoding
            tokens = tuple(token for token in encoding.tokens if token.start >= 0)
            kept = common(before, tokens)
            gone = Counter(map(identity, before[kept:])) - Counter(map(identity, tokens[kept:]))
            reach = end - min((start for _, start in gone), default=end)
            prefixes.append(Prefix(length, kept, tokens[kept:], gone.total(), reach))
            before, end = tokens, length
    return Stability(text, step, tuple(prefixes))


def identity(token: Token) -> tuple[int, int]:
    """What identifies a token in a growing text: its id and its start."""
    return token.id, token.start

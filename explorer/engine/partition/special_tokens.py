"""Special and added tokens, cut out of the text before any other stage: as in llama.cpp, and as in Hugging Face.

llama.cpp's follows `tokenizer_st_partition`: special tokens, longest first, are each searched in every fragment that
is still text; the text left and right of a match stays text. Control and unknown tokens are searched only with
`parse_special`, user-defined ones always. A token may strip the white space before it (lstrip) or after it (rstrip).

Left out there: llama.cpp orders special tokens of equal length by an unstable sort; here they are ordered by id. That
matters only where two such tokens overlap in the text. Positions are code points; in llama.cpp they are bytes.

Hugging Face's follows `AddedVocabulary` of its tokenizers. All added tokens are searched at once, from the left,
longest first. A token may match only as a word of its own (`single_word`) or strip the white space before or after it
(`lstrip`, `rstrip`). Added tokens are always searched, except special ones with the setting `encode_special_tokens`,
which is `parse_special=False` here. Tokens marked `normalized` are searched after normalization, by a second stage of
this class.

Stripped white space belongs to the token's span. A token may match within white space that the previous token has
stripped. The original then uses that white space twice and continues after the second token; this is reproduced. Such
a token that has lstrip as well is lost (or, where it ends too early, stops the original).

`PythonTokenPartition`: as the tokenizers of `transformers` that are written in Python cut them out. Follows
`Trie.split` and `tokenize` of `PreTrainedTokenizer` (version 4) and `PythonBackend` (version 5): a search that keeps
all tokens that may have begun, and then white space stripped from the texts next to a token, by Python's `str.strip`.
Without `parse_special` (their split_special_tokens) nothing is cut out, also no token that is not special.

`LanguageCodePartition` then cuts out a language code such as `>>fra<<`. Follows `remove_language_code` of
`MarianTokenizer`: a text that begins with `>>` is cut after the first `<<`, whatever is between them, and so is each
text after an added token. A code that is not a piece is the unknown token.

Left out: tokens with single_word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import cache, cached_property
from itertools import groupby
from os.path import commonprefix
from typing import TYPE_CHECKING, NamedTuple

from explorer.engine.budget import asking, turns
from explorer.engine.part import Emit, Item, Items, LengthBudget, Options, Segment, TextToken, Token, silent
from explorer.text import WHITE_SPACE

if TYPE_CHECKING:
    import regex


from collections.abc import Callable
from itertools import pairwise
from typing import Any


class PartitionEvent(IntEnum):
    """What a `PartitionRow` says."""

    NOT_PARSED = 0
    """The special token is not searched for: it is a control or unknown token, and `parse_special` is off."""
    TOKEN = 1
    """The special token was found at [start, end)."""
    RAW_TEXT = 2
    """[start, end) stays text. Emitted after all special tokens were searched for."""
    STRIPPED = 3
    """White space [start, end) that the adjacent token stripped."""
    NOT_A_WORD = 4
    """The token's text is at [start, end) next to a word character, but it matches only as a word of its own."""
    TAKEN_TWICE = 5
    """The token [start, end) is white space that the previous token has stripped: both have it."""
    NOT_THERE = 6
    """No fragment contains the token, nor those searched since the event before. `end` is how many tokens that are;
    start is -1. Only the originals that search one token after the other emit it."""


class PartitionRow(NamedTuple):
    """One decision of the partition."""

    kind: int
    """A `PartitionEvent`."""
    start: int
    """First code point of the original text, -1 for NOT_PARSED and NOT_THERE."""
    end: int
    """One after the last."""
    token: int
    """The special token's id, -1 for RAW_TEXT."""


def emit_texts(items: Iterable[Item], emit: Emit) -> None:
    """Emits what stays text."""
    for item in items:
        if isinstance(item, Segment):
            emit(PartitionEvent.RAW_TEXT, item.starts[0], item.ends[-1], -1)


class SpecialToken(NamedTuple):
    """A token that is searched for by its text.

    only_if_parsed: searched only with `parse_special` (llama.cpp: control and unknown tokens).
    lstrip, rstrip: strips ASCII white space before or after it.
    """

    id: int
    text: str
    only_if_parsed: bool
    lstrip: bool = False
    rstrip: bool = False


ASCII_SPACE = " \t\n\v\f\r"
"""The characters for which C's `isspace` is true."""


WHAT = "the partition into special tokens and text"
"""The stage's name in errors."""


def beginnings(contents: Iterable[str]) -> Iterator[str]:
    """Regular expressions for the first two characters of each content, grouped by the first.

    >>> list(beginnings(["<s>", "<|a|>", "x"]))
    ['<[s\\\\|]', 'x']
    """
    second: dict[str, set[str]] = {}
    for content in contents:
        second.setdefault(content[0], set()).add(content[1:2])
    for first, after in second.items():
        yield re.escape(first) if "" in after else f"{re.escape(first)}[{re.escape(''.join(sorted(after)))}]"


class SpecialTokenPartition:
    """Cuts special tokens out of the text.

    >>> part = SpecialTokenPartition([SpecialToken(1, "<s>", True)])
    >>> [item if isinstance(item, Token) else item.text
    ...  for item in part.run([Segment.of("<s>Hi")], Options(), lambda *row: None)]
    [Token(id=1, start=0, end=3), 'Hi']
    """

    name = "partition"
    row = PartitionRow
    kinds = PartitionEvent

    def __init__(self, special_tokens: Iterable[SpecialToken]) -> None:
        self.special_tokens = sorted(special_tokens, key=lambda t: -len(t.text.encode("utf-8", "surrogateescape")))
        texts = [special.text for special in self.special_tokens]
        self.any = re.compile("|".join(beginnings(texts)) if all(texts) else "")
        """matches the first two characters of any of them; the whole texts as alternatives would be tried one by one at
        each position, in a search without a time limit"""

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The items with special tokens turned into `Token`s."""
        fragments = list(items)
        some = any(isinstance(item, Segment) and self.any.search(item.text) for item in items)
        if emit is silent and not some:
            return fragments
        missing, last = 0, -1
        for special in asking(self.special_tokens, WHAT, 16):
            if special.only_if_parsed and not options.parse_special:
                emit(PartitionEvent.NOT_PARSED, -1, -1, special.id)
                continue
            if not some or not any(isinstance(item, Segment) and special.text in item.text for item in fragments):
                missing, last = missing + 1, special.id
                continue
            if missing:
                emit(PartitionEvent.NOT_THERE, -1, missing, last)
                missing = 0
            cut: list[Item] = []
            for item in fragments:
                if isinstance(item, Segment):
                    cut += split(item, special, emit)
                else:
                    cut.append(item)
            fragments = cut
        if missing:
            emit(PartitionEvent.NOT_THERE, -1, missing, last)
        emit_texts(fragments, emit)
        return fragments


def split(segment: Segment, special: SpecialToken, emit: Emit) -> list[Item]:
    """`segment` with every occurrence of one special token, found from the left, turned into a `Token`."""
    text, starts, ends = segment
    items: list[Item] = []
    at = 0
    turn = turns(len(text), WHAT)
    while (hit := text.find(special.text, at)) >= 0:
        next(turn)
        after = hit + len(special.text)
        left, right = hit, after
        while special.lstrip and left > at and text[left - 1] in ASCII_SPACE:
            left -= 1
        while special.rstrip and right < len(text) and text[right] in ASCII_SPACE:
            right += 1
        if left > at:
            items.append(segment.slice(at, left))
        if left < hit:
            emit(PartitionEvent.STRIPPED, starts[left], ends[hit - 1], special.id)
        token = Token(special.id, starts[hit], ends[after - 1])
        emit(PartitionEvent.TOKEN, token.start, token.end, token.id)
        items.append(token)
        if right > after:
            emit(PartitionEvent.STRIPPED, starts[after], ends[right - 1], special.id)
        at = right
    if at < len(text):
        items.append(segment.slice(at))
    return items


FEW = 8
"""Alternatives of an expression, and characters of each; of more, only the first two characters are looked for."""


class Beginnings:
    """How special tokens begin. contents: their spellings.

    >>> special = Beginnings(["[CLS]", "[SEP]", "<|a|>", "<|b|>"])
    >>> special.in_text("[CLX] a <b"), special.in_text("a <|c"), special.in_bytes(b"a[SEP]")
    (False, True, True)
    """

    def __init__(self, contents: Iterable[str]) -> None:
        groups: dict[str, list[str]] = {}
        for content in contents:
            groups.setdefault(content[:2], []).append(content)
        # character by character: these are not paths
        self.texts = sorted(commonprefix(alike)[:FEW] for alike in groups.values())  # noqa: RUF071
        self.plain: list[str] = []
        self.expressions: list[re.Pattern[str]] = []
        for _, alike in groupby(self.texts, lambda text: text[:1]):
            found = list(alike)
            if len(found) == 1:
                self.plain += found
            elif len(found) <= FEW:
                # all have their first character in common, which is searched for fast
                self.expressions.append(re.compile("|".join(map(re.escape, found))))
            else:
                self.expressions += map(re.compile, beginnings(found))
        self.plain_bytes = [encoded(each) for each in self.plain]
        self.byte_expressions = [re.compile(encoded(each.pattern)) for each in self.expressions]

    def in_text(self, text: str) -> bool:
        """Whether one of them is in a text."""
        return any(each in text for each in self.plain) or any(each.search(text) for each in self.expressions)

    def in_bytes(self, data: bytes) -> bool:
        """Whether one of them is in UTF-8."""
        return any(each in data for each in self.plain_bytes) or any(
            each.search(data) for each in self.byte_expressions
        )


def encoded(text: str) -> bytes:
    """A text as UTF-8, other bytes in it as they are."""
    return text.encode("utf-8", "surrogateescape")


class AddedToken(NamedTuple):
    """A token that is searched for by its text. The fields are those of tokenizer.json.

    special: not searched with `parse_special=False`. single_word: matches only without adjacent word characters.
    lstrip, rstrip: strips white space before or after it. normalized: searched in the normalized text.
    """

    id: int
    content: str
    special: bool = False
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False


@cache
def word() -> regex.Pattern[str]:
    """Matches Rust's `\\w`: unlike in Python's `re`, marks and joiners are word characters.

    Few files need it, so `regex` is imported here.
    """
    import regex

    return regex.compile(r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]")


def is_word(ch: str) -> bool:
    """Whether `ch` is a word character of Unicode 16; False for the empty string."""
    from explorer.engine.regexes.safe import as_16

    return word().match(as_16(ch)) is not None


class AddedTokenPartition:
    """Cuts added tokens out of the text.

    name: of the stage; the second one has another name.

    >>> part = AddedTokenPartition([AddedToken(7, "<s>", special=True, rstrip=True)])
    >>> [item if isinstance(item, Token) else item.text
    ...  for item in part.run([Segment.of("Hi<s>  you")], Options(), lambda *row: None)]
    ['Hi', TextToken(id=7, start=2, end=7), 'you']
    """

    row = PartitionRow
    kinds = PartitionEvent

    def __init__(self, tokens: Iterable[AddedToken], name: str = "partition") -> None:
        # an empty content never matches
        self.tokens = [token for token in tokens if token.content]
        self.name = name
        self.by_content = {token.content: token for token in self.tokens}
        lengths: dict[str, set[int]] = {}
        for content in self.by_content:
            lengths.setdefault(content[0], set()).add(len(content))
        self.lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}
        """first character → the lengths of the tokens that begin with it, longest first"""
        self.search = re.compile("|".join(beginnings(self.by_content))) if lengths else None
        """matches where a token may begin"""

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The items with added tokens turned into `Token`s."""
        # without a trace nothing has to be emitted, and most texts contain no added token
        if emit is silent and not any(map(self.may_be_cut, items)):
            return items
        if not options.parse_special:
            for token in self.tokens:
                if token.special:
                    emit(PartitionEvent.NOT_PARSED, -1, -1, token.id)
        done: list[Item] = []
        for item in asking(items, WHAT):
            if isinstance(item, Segment):
                done += self.cut(item, options.parse_special, emit)
            else:
                done.append(item)
        emit_texts(done, emit)
        return done

    def may_be_cut(self, item: Item) -> bool:
        """Whether an item is text in which a token may begin, or empty text."""
        if isinstance(item, Token):
            return False
        return not item.text or (self.search is not None and self.search.search(item.text) is not None)

    def matches(self, text: str) -> Iterator[tuple[int, AddedToken]]:
        """The index and token of each match, from the left, the longest at each index."""
        at = 0
        turn = turns(len(text), WHAT, 16)
        while self.search is not None and (near := self.search.search(text, at)) is not None:
            at = near.start()
            next(turn)
            for length in self.lengths[text[at]]:
                token = self.by_content.get(text[at : at + length])
                if token is not None:
                    yield at, token
                    at += length
                    break
            else:
                at += 1

    @cached_property
    def alone(self) -> re.Pattern[str] | None:
        """Cuts a text at all tokens, few ones that are cut out wherever they are; None for others."""
        if not 0 < len(self.tokens) <= FEW or any(
            each.single_word or each.lstrip or each.rstrip for each in self.tokens
        ):
            return None
        longest_first = sorted(self.by_content, key=len, reverse=True)
        return re.compile(f"({'|'.join(map(re.escape, longest_first))})")

    def pieces(self, text: str) -> list[str | int] | None:
        """A text cut at all tokens, with their ids; None where a token depends on more than its spelling.

        >>> AddedTokenPartition([AddedToken(7, "<s>"), AddedToken(8, "<s>>")]).pieces("Hi<s>> you<s>")
        ['Hi', 8, ' you', 7]
        """
        if type(self) is not AddedTokenPartition or self.alone is None:
            return None
        parts = self.alone.split(text)
        return [self.by_content[each].id if at % 2 else each for at, each in enumerate(parts) if each]

    def cut(self, segment: Segment, parse_special: bool, emit: Emit) -> list[Item]:
        """The segment with the added tokens in it turned into `Token`s."""
        text, starts, ends = segment
        items: list[Item] = []
        budget, stripped = LengthBudget.at(WHAT, segment), 0
        at = 0
        for left, token in self.matches(text):
            right = left + len(token.content)
            if token.special and not parse_special:
                continue
            if token.single_word and (is_word(text[left - 1 : left]) or is_word(text[right : right + 1])):
                emit(PartitionEvent.NOT_A_WORD, starts[left], ends[right - 1], token.id)
                continue
            before, after = stripped_span(text, token, left, right, at)
            if token.lstrip:
                if at >= after:
                    # the previous token has stripped all of it, and an lstrip token begins after that
                    at = after
                    continue
                before = max(before, at)
            if before > at:
                items.append(segment.slice(at, before))
            kind = PartitionEvent.TAKEN_TWICE if left < at else PartitionEvent.TOKEN
            if (before, after) != (left, right):
                # the next token may strip the same white space again, all but its first character
                stripped += after - before
                budget.check(stripped)
            items.append(cut_out(segment, token.id, (left, right), (before, after), emit, kind))
            # a token within stripped white space: the rest of that white space is text again, as in the original
            at = after
        if at < len(text):
            items.append(segment.slice(at) if at else segment)
        return items


def cut_out(
    segment: Segment, id: int, span: tuple[int, int], stripped: tuple[int, int], emit: Emit, kind: int
) -> Token:
    """A token, which is emitted with the white space that it strips.

    span, stripped: its indices [start, end) in the segment, without the white space and with it. kind: of its event.
    """
    text, starts, ends = segment
    (start, end), (before, after) = span, stripped
    if before < start:
        emit(PartitionEvent.STRIPPED, starts[before], ends[start - 1], id)
    emit(kind, starts[start], ends[end - 1], id)
    if after > end:
        emit(PartitionEvent.STRIPPED, starts[end], ends[after - 1], id)
    return TextToken.of(id, starts[before], ends[after - 1], text[before:after])


def stripped_span(text: str, token: AddedToken, left: int, right: int, at: int) -> tuple[int, int]:
    """The span of a match [left, right) with the white space the token strips, on the left not before `at`."""
    while token.lstrip and left > at and ord(text[left - 1]) in WHITE_SPACE:
        left -= 1
    while token.rstrip and right < len(text) and ord(text[right]) in WHITE_SPACE:
        right += 1
    return left, right


ADDED = "added tokens"
END = ""
"""The key of a node at which a token ends."""


class PythonTokenPartition(AddedTokenPartition):
    """Cuts added tokens out of the text.

    >>> from explorer.engine.part import Token
    >>> part = PythonTokenPartition([AddedToken(7, "<s>", special=True, rstrip=True)])
    >>> [item if isinstance(item, Token) else item.text
    ...  for item in part.cut(Segment.of("Hi<s>  you"), True, lambda *row: None)]
    ['Hi', TextToken(id=7, start=2, end=7), 'you']
    """

    def __init__(self, tokens: Iterable[AddedToken]) -> None:
        super().__init__(tokens)
        self.tree: dict[str, Any] = {}
        for content in self.by_content:
            node = self.tree
            for character in content:
                node = node.setdefault(character, {})
            node[END] = {}

    def cut(self, segment: Segment, parse_special: bool, emit: Emit) -> list[Item]:
        """The segment with the added tokens in it turned into `Token`s."""
        text = segment.text
        if not parse_special or self.search is None or self.search.search(text) is None:
            return [segment] if text else []
        cuts = self.cuts(text)
        spans = [[start, end] for start, end in pairwise(cuts)]
        for at, (start, end) in enumerate(spans):
            token = self.by_content.get(text[start:end])
            if token is None:
                continue
            if token.rstrip and at + 1 < len(spans):
                right = spans[at + 1]
                right[0] = right[1] - len(text[right[0] : right[1]].lstrip())
            if token.lstrip and at:
                left = spans[at - 1]
                left[1] = left[0] + len(text[left[0] : left[1]].rstrip())
        items: list[Item] = []
        done = 0
        for at, (start, end) in enumerate(spans):
            token = self.by_content.get(text[start:end])
            if token is None:
                if start < end:
                    items.append(segment.slice(start, end))
                    done = end
                continue
            before = min(done, start) if token.lstrip else start
            after = spans[at + 1][0] if token.rstrip and at + 1 < len(spans) else end
            items.append(cut_out(segment, token.id, (start, end), (before, after), emit, PartitionEvent.TOKEN))
            done = after
        return items

    def cuts(self, text: str) -> list[int]:
        """Where a text is cut, its two ends included, ascending.

        >>> PythonTokenPartition([AddedToken(0, "ab"), AddedToken(1, "bcd"), AddedToken(2, "b")]).cuts("abcd")
        [0, 2, 4]
        """
        cuts = [0]
        open_at: dict[int, dict[str, Any]] = {}
        skip = 0
        turn = turns(len(text), ADDED, 16)
        for at, character in enumerate(text):
            next(turn)
            if at < skip:
                continue
            failed = []
            for start, node in open_at.items():
                if END in node:
                    start, end, skip = self._longest(text, at, start, open_at, skip)
                    cuts += start, end
                    open_at = {}
                    break
                if character in node:
                    open_at[start] = node[character]
                else:
                    failed.append(start)
            for start in failed:
                open_at.pop(start, None)
            if at >= skip and character in self.tree:
                open_at[at] = self.tree[character]
        first = next((start for start, node in open_at.items() if END in node), None)
        if first is not None:
            cuts += first, len(text)
        rising = [0]
        for cut in [*cuts, len(text)]:
            if cut > rising[-1]:
                rising.append(cut)
        return rising

    @staticmethod
    def _longest(text: str, at: int, found: int, open_at: dict[int, dict[str, Any]], skip: int) -> tuple[int, int, int]:
        """The span of the token that is taken, and up to where the search skips.

        found: the start of a token that ends before `at`. An earlier one that is still open may be longer.
        """
        start, end = found, at
        for each, node in open_at.items():
            if each > start:
                break
            # the nodes of earlier ones have read the character at `at`
            ahead = at + 1 if each < start else at
            end = ahead
            if END in node:
                start, end, skip = each, ahead, ahead
            while ahead < len(text) and text[ahead] in node:
                node = node[text[ahead]]
                ahead += 1
                if END in node:
                    start, end, skip = each, ahead, ahead
        return start, end, skip


OPENS, CLOSES = ">>", "<<"


class LanguageCodePartition(PythonTokenPartition):
    """Cuts out added tokens, then the code.

    id_of: the id of a code.

    >>> part = LanguageCodePartition([], lambda code: 7 if code == ">>fra<<" else 1)
    >>> [item if isinstance(item, Token) else item.text
    ...  for item in part.cut(Segment.of(">>fra<< a << b"), True, lambda *row: None)]
    [Token(id=7, start=0, end=7), ' a << b']
    """

    def __init__(self, tokens: Iterable[AddedToken], id_of: Callable[[str], int]) -> None:
        super().__init__(tokens)
        self.id_of = id_of

    def may_be_cut(self, item: Item) -> bool:
        """Whether an item is text that may be cut, or empty text."""
        return super().may_be_cut(item) or (isinstance(item, Segment) and item.text.startswith(OPENS))

    def cut(self, segment: Segment, parse_special: bool, emit: Emit) -> list[Item]:
        """The segment with added tokens and codes turned into `Token`s."""
        done: list[Item] = []
        for item in super().cut(segment, parse_special, emit):
            found = item.text.find(CLOSES) if isinstance(item, Segment) and item.text.startswith(OPENS) else -1
            if found < 0 or not isinstance(item, Segment):
                done.append(item)
                continue
            text, starts, ends = item
            end = found + len(CLOSES)
            code = Token(self.id_of(text[:end]), starts[0], ends[end - 1])
            emit(PartitionEvent.TOKEN, code.start, code.end, code.id)
            done.append(code)
            if end < len(text):
                done.append(item.slice(end))
        return done

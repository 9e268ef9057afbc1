"""Added tokens as the tokenizers of `transformers` that are written in Python cut them out of a text.

Follows `Trie.split` and `tokenize` of `PreTrainedTokenizer` (version 4) and `PythonBackend` (version 5): a search that
keeps all tokens that may have begun, and then white space stripped from the texts next to a token, by Python's
`str.strip`. Without `parse_special` (their split_special_tokens) nothing is cut out, also no token that is not special.

`LanguageCodePartition` then cuts out a language code such as `>>fra<<`. Follows `remove_language_code` of
`MarianTokenizer`: a text that begins with `>>` is cut after the first `<<`, whatever is between them, and so is each
text after an added token. A code that is not a piece is the unknown token.

Left out: tokens with single_word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

from explorer.engine.budget import turns
from explorer.engine.items import Emit, Item, Segment, Token
from explorer.engine.partition.special_tokens import AddedToken, AddedTokenPartition, PartitionEvent, cut_out

WHAT = "added tokens"
END = ""
"""The key of a node at which a token ends."""


class PythonTokenPartition(AddedTokenPartition):
    """Cuts added tokens out of the text.

    >>> from explorer.engine.items import Token
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
        turn = turns(len(text), WHAT, 16)
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

"""What is tried for one question: tokenizers on texts, each at most once, and only where the ids do not rule it out.

A long text takes up to a second to tokenize, and most of what is tried cannot give the ids in question: another token
would be in front, or they hold a special token that nothing put there. Both are seen without tokenizing. Other options
for the same text run those stages again that heed them, and no others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple
from unicodedata import normalize

from explorer.analysis.plausible import is_bundled, is_plausible
from explorer.engine.options import Options
from explorer.engine.post_processors.lengths import Padding, Truncation
from explorer.engine.tokenizer import Encoding, Tokenizer, Trace
from explorer.errors import InputError
from explorer.vocabulary import PieceKind

PRINTED: Final = frozenset(map(chr, range(0x21, 0x7F)))


class Around(NamedTuple):
    """The ids that `add_special` puts in front of every text and behind it."""

    front: tuple[int, ...] = ()
    behind: tuple[int, ...] = ()


class Tries:
    """given: what the tokenizer in question makes of the text in question."""

    def __init__(self, tokenizer: Tokenizer, given: Trace) -> None:
        self.tokenizer, self.given = tokenizer, given
        self.encodings: dict[tuple[Tokenizer, str, Options], Encoding | None] = {}
        self.added: dict[Tokenizer, Around | None] = {}
        self.spelled: dict[str, str] = {}

    def gives(self, tokenizer: Tokenizer, expected: Sequence[int], text: str, options: Options) -> bool:
        """Whether a tokenizer gives exactly these ids for a text."""
        if not self.may(tokenizer, expected, text, options) or not is_plausible(tokenizer, expected, text):
            return False
        encoding = self.encoding(tokenizer, text, options)
        return encoding is not None and encoding.ids == list(expected)

    def encoding(self, tokenizer: Tokenizer, text: str, options: Options) -> Encoding | None:
        """What a tokenizer gives for a text; None for a vocabulary that cannot encode it."""
        key = tokenizer, text, options
        if key not in self.encodings:
            try:
                if tokenizer is self.tokenizer and text == self.given.text:
                    self.encodings[key] = tokenizer.trace_lazily(text, **options._asdict(), like=self.given).encoding
                else:
                    self.encodings[key] = tokenizer.encode(text, **options._asdict())
            except InputError:
                self.encodings[key] = None
        return self.encodings[key]

    def may(self, tokenizer: Tokenizer, expected: Sequence[int], text: str, options: Options) -> bool:
        """False where the special tokens among the ids alone say that they are not those of this text."""
        around = self.around(tokenizer)
        if around is None:
            return True
        inner = expected
        if options.add_special:
            front, behind = around
            stop = len(expected) - len(behind)
            if stop < len(front) or tuple(expected[: len(front)]) != front or tuple(expected[stop:]) != behind:
                return False
            inner = expected[len(front) : stop]
        return not self.unwritten(tokenizer, inner, text)

    def unwritten(self, tokenizer: Tokenizer, ids: Sequence[int], text: str) -> Counter[int]:
        """How often there is each special token that the text does not spell, so that something must have added it.

        What a file that is not bundled makes of a text is not known.
        """
        if not is_bundled(tokenizer):
            return Counter()
        vocabulary = tokenizer.vocabulary
        strange = Counter(
            {
                id: times
                for id, times in Counter(ids).items()
                if 0 <= id < len(vocabulary) and vocabulary.kind(id) == PieceKind.CONTROL
            }
        )
        for id in list(strange) if strange else ():
            if text not in self.spelled:
                self.spelled[text] = printed(text)
            if printed(vocabulary.pieces[id].decode("utf-8", "replace")) in self.spelled[text]:
                del strange[id]
        if tokenizer.model.unknown is not None:  # one that says "unknown" with a special token
            strange.pop(tokenizer.model.unknown, None)
        return strange

    def around(self, tokenizer: Tokenizer) -> Around | None:
        """What is added around every text; None where that depends on the text's length."""
        if tokenizer not in self.added:
            made: Around | None = None
            if not any(isinstance(part, (Padding, Truncation)) for part in tokenizer.parts):
                made = added_around(tokenizer)
            self.added[tokenizer] = made
        return self.added[tokenizer]


def added_around(tokenizer: Tokenizer) -> Around:
    """What `add_special` puts around a text.

    >>> import explorer
    >>> added_around(explorer.load("bert-uncased"))
    Around(front=(101,), behind=(102,))
    """
    try:
        tokens = tokenizer.encode("a").tokens
    except InputError:
        return Around()
    of_text = [place for place, token in enumerate(tokens) if token.start >= 0]
    if not of_text:
        return Around()
    ids = [token.id for token in tokens]
    return Around(tuple(ids[: of_text[0]]), tuple(ids[of_text[-1] + 1 :]))


def printed(text: str) -> str:
    """The printed ASCII characters of a text, in lower case and without what any normalizer could take off them.

    >>> printed("＜S\\u200b\\u0301＞ ▁x")
    '<s>x'
    """
    return "".join(filter(PRINTED.__contains__, normalize("NFKD", text).lower()))

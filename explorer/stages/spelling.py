"""How tokens are written for people, what the number beside one says, and what tokenizers are called.

Byte-level BPE spells bytes as printable characters. SentencePiece spells a space as ▁ and a single byte as `<0xXX>`.
BERT prefixes a piece within a word with `##`, llama.cpp's BERT prefixes the first piece of a word with ▁, and CLIP
suffixes the last one with `</w>`. tiktoken and RWKV store plain bytes. How a tokenizer spells is not derived from its
classes but observed in what its model gets for a probe.

The number is a score, a position in a list of merges, a rank, a probability. It is explained only where the vocabulary
bears it out; otherwise nothing is said.

The names of kinds of tokenizers and of implementations are here; models have theirs in the catalog.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, StrEnum
from functools import lru_cache
from math import exp
from typing import NamedTuple

from explorer.engine.models.bpe import Bpe, Bytes, MergeableRanks, MergeList
from explorer.engine.models.longest_match import LongestMatch
from explorer.engine.models.unigram import Unigram
from explorer.engine.part import Model, Options, Part, Segment, initial_items, silent
from explorer.engine.tokenizer import Tokenizer, Trace
from explorer.errors import Unfinished
from explorer.tables import read_toml
from explorer.text import visible
from explorer.text.say import Text, in_a_row, quoted, three_digits, visible_words
from explorer.vocabulary import BYTE_PIECE, SPACE_MARK, PieceKind, Vocabulary, bytes_of, printable, spelled

PROBE = "a €"
"""Its € has three bytes, whose printable spelling resembles no other spelling."""

SPACE = SPACE_MARK.encode()


class How(StrEnum):
    """How pieces are spelled."""

    RAW = "the bytes themselves"
    PRINTABLE = "bytes as printable characters"
    ESCAPED = "▁ for a space"
    PREFIXED = "a prefix within a word"
    PHANTOM = "▁ before a word"


class Spelling(NamedTuple):
    """How a tokenizer spells.

    printable: per part before the model, whether its output spells bytes as printable characters. escaped: per part,
    whether its output spells spaces as ▁. prefix: of a piece within a word. suffix: of a piece that ends a word.
    """

    how: How
    printable: tuple[bool, ...]
    escaped: tuple[bool, ...]
    vocabulary: Vocabulary
    prefix: bytes = b""
    suffix: bytes = b""

    def content(self, id: int) -> bytes:
        """The bytes a token means."""
        byte = self.vocabulary.byte_of(id) if self.how == How.ESCAPED else None
        return self.plain(self.vocabulary.pieces[id]) if byte is None else bytes([byte])

    def plain(self, piece: bytes) -> bytes:
        """The bytes that a piece, or a symbol during merging, means."""
        piece = piece.removeprefix(self.prefix).removesuffix(self.suffix)
        if self.how == How.PRINTABLE:
            back = bytes_of(spelled(piece))
            return piece if back is None else back
        if self.how == How.ESCAPED:
            return piece.replace(SPACE, b" ")
        return piece.removeprefix(SPACE) if self.how == How.PHANTOM else piece

    def holds(self, content: bytes) -> bool:
        """Whether some piece means these bytes, at the start of a word, within it or at its end."""
        if self.how == How.PRINTABLE:
            content = printable(content).encode()
        if self.how == How.ESCAPED:
            content = content.replace(b" ", SPACE)
        front = SPACE if self.how == How.PHANTOM else self.prefix
        spellings = (start + content + end for start in {b"", front} for end in {b"", self.suffix})
        return any(each in self.vocabulary.ids for each in spellings)

    def quoted(self, id: int) -> str:
        """A token for a sentence: its content with its vocabulary's prefix or suffix; invalid UTF-8 as bytes.

        A byte token and a piece without content are shown as they are spelled.
        """
        content, piece = self.content(id), self.vocabulary.pieces[id]
        if not content or self.vocabulary.kinds[id] == PieceKind.BYTE:
            return quoted(piece)
        front = SPACE if self.how == How.PHANTOM else self.prefix
        start = front if piece.startswith(front) else b""
        return quoted(start + content + (self.suffix if piece.endswith(self.suffix) else b""))


def spelling_of(tokenizer: Tokenizer) -> Spelling:
    """How a tokenizer spells.

    >>> import explorer
    >>> names = ("gpt-2", "llama-2", "cl100k_base", "bert-uncased", "bert-uncased@llama.cpp")
    >>> [spelling_of(explorer.load(name)).how.name for name in names]
    ['PRINTABLE', 'ESCAPED', 'RAW', 'PREFIXED', 'PHANTOM']
    >>> spelling_of(explorer.load("gpt-2")).content(262), spelling_of(explorer.load("gpt-2")).holds(" the".encode())
    (b' the', True)
    """
    return spelling_of_parts(tokenizer.parts, tokenizer.vocabulary)


def spelling_of_parts(parts: Sequence[Part], vocabulary: Vocabulary) -> Spelling:
    """The same, for the parts of a tokenizer."""
    return vocabulary.once(_spelling, *parts)


def _spelling(vocabulary: Vocabulary, *parts: Part) -> Spelling:
    number = next(number for number, part in enumerate(parts) if isinstance(part, Model))
    items, seen, escaped = initial_items(PROBE), [], []
    for part in parts[:number]:
        with suppress(Unfinished):  # another program cuts the text, which is spelled as before
            items = part.run(items, Options(add_special=False, parse_special=False), silent)
        segments = [item for item in items if isinstance(item, Segment)]
        seen.append(any(printable(PROBE[-1].encode()) in item.text for item in segments))
        escaped.append(
            any(
                ch == SPACE_MARK and PROBE[begin:end] == " "
                for item in segments
                for ch, begin, end in zip(*item, strict=True)
            )
        )
    last = parts[number]
    assert isinstance(last, Model)
    if isinstance(last, LongestMatch):
        how = How.PREFIXED if last.prefix else How.PHANTOM
        return Spelling(how, tuple(seen), tuple(escaped), vocabulary, last.prefix)
    how = How.PRINTABLE if any(seen) else How.ESCAPED if any(escaped[-1:]) else How.RAW
    return Spelling(how, tuple(seen), tuple(escaped), vocabulary, last.prefix, last.suffix)


def is_broken(spelling: Spelling, id: int) -> bool:
    """Whether a token is a byte-fallback token or holds part of a character."""
    if spelling.vocabulary.kinds[id] == PieceKind.BYTE:
        return True
    try:
        spelling.content(id).decode()
    except UnicodeDecodeError:
        return True
    return False


class Form(Enum):
    """How a space is written; None keeps the vocabulary's whole spelling."""

    NOTATION = "␣"
    AS_TEXT = "·"
    AS_STORED = None


ESCAPED_BYTES = re.compile(r"(?:\\x[0-9a-f]{2})+")
"""Malformed bytes as `vocabulary.spelled` writes them."""


KEPT = 5_000
"""Texts of a vocabulary whose spelling for a page is kept, and scores whose meaning is."""
SHORT = 32
"""Code points of one, at most."""


class Speller:
    """Spells for one trace.

    >>> import explorer
    >>> speller = Speller(explorer.load("gpt-2").trace(""))
    >>> speller.token(262), speller.token(12520)
    ('␣the', '␣ F0 9F')
    """

    def __init__(self, trace: Trace, form: Form = Form.NOTATION) -> None:
        self.form = form
        self.vocabulary: Vocabulary = trace.encoding.vocabulary
        parts = [stage.part for stage in trace.stages]
        self.spelling: Spelling = spelling_of_parts(parts, self.vocabulary)
        self.kept: dict[str, str] = self.vocabulary.once(_kept, form, *parts)
        """what `stored` gave for short texts, which come again with each key press"""

    def token(self, id: int) -> str:
        """A token."""
        byte = self.vocabulary.byte_of(id) if self.form != Form.AS_STORED else None
        return self.symbol(self.vocabulary.pieces[id]) if byte is None else f"{byte:02X}"

    def symbol(self, piece: bytes) -> str:
        """A piece, or a symbol that is not one."""
        how, space = self.spelling.how, self.form.value
        if space is None:
            return visible(spelled(piece))
        if how == How.PRINTABLE:
            plain = bytes_of(spelled(piece))
            return plain_bytes(piece if plain is None else plain, space)
        if how == How.RAW:
            return plain_bytes(piece, space)
        if how == How.ESCAPED and self.form == Form.AS_TEXT:
            piece = piece.replace(SPACE_MARK.encode(), b" ")
        byte = BYTE_PIECE.fullmatch(piece)
        return plain_bytes(piece, space) if byte is None else byte[1].decode()

    def stored(self, text: str) -> str:
        """A symbol as a stepper has it: a text in the vocabulary's spelling, malformed bytes written `\\xe8`."""
        if self.form == Form.AS_STORED:
            return visible(text)
        found = self.kept.get(text)
        if found is None:
            found = self._stored(text)
            if len(text) <= SHORT and len(self.kept) < KEPT:
                self.kept[text] = found
        return found

    def _stored(self, text: str) -> str:
        parts = []
        end = 0
        for bytes_ in ESCAPED_BYTES.finditer(text) if self.spelling.how == How.RAW else ():
            parts += [self.symbol(text[end : bytes_.start()].encode()), bytes_[0].replace("\\x", " ").strip().upper()]
            end = bytes_.end()
        return " ".join(filter(None, [*parts, self.symbol(text[end:].encode())]))

    def text(self, text: str) -> str:
        """Text between two stages, before the model."""
        if self.spelling.how == How.PRINTABLE or self.form == Form.AS_TEXT:
            return self.symbol(text.encode())
        return visible(text)


def _kept(vocabulary: Vocabulary, *of: object) -> dict[str, str]:
    return {}


def plain_bytes(data: bytes, space: str = "␣") -> str:
    """Bytes as visible text; what is not valid UTF-8 in hexadecimal. space: how a space is written.

    >>> plain_bytes(b" a"), plain_bytes(b"\\xf0\\x9f"), plain_bytes(b" \\xf0\\x9f"), plain_bytes(b"\\n")
    ('␣a', 'F0 9F', '␣ F0 9F', '↵')
    """

    def text(part: bytes) -> str:
        return space.join(map(visible, part.decode().split(" ")))

    words: list[str] = []
    while data:
        try:
            words.append(text(data))
            break
        except UnicodeDecodeError as error:
            if error.start:
                words.append(text(data[: error.start]))
            words.append(data[error.start : error.end].hex(" ").upper())
            data = data[error.end :]
    return " ".join(words)


def speller_of(trace: Trace, stored: bool) -> Speller:
    """Spells the tokens of a trace. stored: as the vocabulary does."""
    return Speller(trace, Form.AS_STORED if stored else Form.AS_TEXT)


@dataclass(frozen=True, eq=False, repr=False)
class ShownVocabulary(Vocabulary):
    """A vocabulary whose `spelling` is what a page shows; all else is as it was."""

    token: Callable[[int], str] = str

    def spelling(self, id: int) -> str:
        """A token as it is shown."""
        return self.token(id)


def shown_vocabulary(trace: Trace, stored: bool) -> Vocabulary:
    """The vocabulary of a trace for a page.

    >>> import explorer
    >>> trace = explorer.load("gpt-2").trace("")
    >>> [shown_vocabulary(trace, stored).spelling(262) for stored in (False, True)]
    ['·the', 'Ġthe']
    >>> shown_vocabulary(explorer.load("rwkv-world").trace(""), False).spelling(200)
    'C7'
    """
    vocabulary = trace.encoding.vocabulary
    if stored:
        return vocabulary
    pieces, scores, kinds, ids = vocabulary.pieces, vocabulary.scores, vocabulary.kinds, vocabulary.ids
    return ShownVocabulary(pieces, scores, kinds, ids, speller_of(trace, stored).token)


def shown_text(vocabulary: Vocabulary, id: int) -> str:
    """A token of such a vocabulary with every character visible; between bytes in hexadecimal the spaces stay.

    >>> import explorer
    >>> trace = explorer.load("gpt-2").trace("")
    >>> shown_text(shown_vocabulary(trace, False), 12520), shown_text(explorer.load("cl100k_base").vocabulary, 262)
    ('· F0 9F', '␣␣␣')
    """
    show = visible_words if isinstance(vocabulary, ShownVocabulary) else visible
    return show(vocabulary.spelling(id))


Meaning = Callable[[int, float], str]
"""What a number says, for the id of its piece and the number as it is shown: a phrase, "" for one that says nothing."""

LEARNED = "learned after {0} other pieces of this vocabulary"
BEFORE = "merge {1} of {2} in the list, so {0} go before it"
LEAST = 1e-15
"""The least probability that is put into words."""


def meanings(vocabulary: Vocabulary, model: Model) -> Meaning:
    """What the numbers of a model say.

    >>> import explorer
    >>> llama, gpt = explorer.load("llama-2"), explorer.load("gpt-2")
    >>> meanings(llama.vocabulary, llama.model)(271, -12)
    'learned after 12 other pieces of this vocabulary'
    >>> meanings(gpt.vocabulary, gpt.model)(259, 4)
    'merge 4 of 50,000 in the list, so 3 go before it'
    """
    if isinstance(model, Unigram):
        return lru_cache(KEPT)(lambda id, score: probability(vocabulary, id, score))
    if isinstance(model, Bpe) and isinstance(model.rule, MergeList):
        count = len(model.rule.ranks)
        return lambda id, position: place_in_list(int(position), count)
    if isinstance(model, Bpe) and isinstance(model.rule, MergeableRanks):
        ranks = model.rule.ranks
        bytes_ = sorted(ranks[each] for each in (bytes([byte]) for byte in range(256)) if each in ranks)
        return lambda id, rank: after_bytes(int(rank), bytes_)
    if model.priority == "score":
        return lru_cache(KEPT)(lambda id, score: learned_after(vocabulary, id, score))
    return lambda id, value: ""


def learned_before(vocabulary: Vocabulary, id: int) -> int | None:
    """How many pieces were learned before one, if its score says so.

    sentencepiece's trainer writes pieces in the order it learns them and gives each minus the number of pieces before
    it. That holds if as many normal pieces have a smaller id.
    """
    before = vocabulary.kinds[:id].count(PieceKind.NORMAL)
    return before if vocabulary.scores[id] == -before else None


def learned_after(vocabulary: Vocabulary, id: int, score: float) -> str:
    """Of a score that merges sort by."""
    before = learned_before(vocabulary, id)
    if before is None or vocabulary.scores[id] != score or vocabulary.kind(id) is not PieceKind.NORMAL:
        return ""
    if len(vocabulary.pieces[id].decode("utf-8", "replace")) == 1:
        return Text("a single character, which no merge makes")
    if not before:
        return Text("the first piece that this vocabulary learned")
    return Text("learned after {0} other piece of this vocabulary", before, many=LEARNED)


def place_in_list(position: int, count: int) -> str:
    """Of a merge's position in a list, from 1."""
    if position == 1:
        return Text("merge {0} of {1} in the list, so none goes before it", position, count)
    return Text("merge {1} of {2} in the list, so {0} goes before it", position - 1, position, count, many=BEFORE)


def after_bytes(rank: int, single: list[int]) -> str:
    """Of a rank. single: the ranks of single bytes, ascending."""
    first = sum(each < rank for each in single)
    if rank in single:
        return Text("a single byte, which no merge makes")
    begin = Text("the ranks begin with {0} single byte", first, many="the ranks begin with {0} single bytes")
    after = Text("learned after {0} other token", rank - first, many="learned after {0} other tokens")
    return in_a_row(after, begin, between="{0:t}; {1:t}")


def probability(vocabulary: Vocabulary, id: int, score: float) -> str:
    """Of a logarithm of a probability."""
    if vocabulary.kind(id) is not PieceKind.NORMAL or score >= 0:
        return ""
    chance = exp(score)
    if chance < LEAST:
        return ""
    one_in = three_digits(int(float(f"{1 / chance:.2g}")))
    if chance > 0.1:
        return Text("the model expects about {0}% of all pieces to be this one", round(100 * chance))
    return Text("the model expects about 1 piece in {0:t} to be this one", one_in)


NAMES = read_toml(__file__, "names.toml")
"""The kind of a tokenizer by its `family` in the catalog; implementations whose name differs from their identifier."""


def implementation_title(implementation: str) -> str:
    """The name of an implementation.

    >>> implementation_title("huggingface"), implementation_title("llama.cpp")
    ('Hugging Face', 'llama.cpp')
    """
    return str(NAMES["implementations"].get(implementation, implementation))


KINDS: Mapping[str, str] = NAMES["kinds"]
BPE_KINDS = {How.PRINTABLE: KINDS["BPE"], How.ESCAPED: KINDS["SPM"]}
"""What a BPE is called by how it spells. Any other merges characters."""


def kind_of(tokenizer: Tokenizer) -> str:
    """What people call the kind of a tokenizer: of a BPE, by what it merges.

    >>> import explorer
    >>> [kind_of(explorer.load(name)) for name in ("llama-2", "cl100k_base", "bert-uncased")]
    ['SentencePiece BPE', 'byte-level BPE', 'WordPiece']
    """
    if tokenizer.family != "BPE":
        return KINDS.get(tokenizer.family, tokenizer.family)
    if any(isinstance(part, Bpe) and isinstance(part.initial, Bytes) for part in tokenizer.parts):
        return KINDS["BPE"]
    return BPE_KINDS.get(spelling_of(tokenizer).how, "BPE on characters")

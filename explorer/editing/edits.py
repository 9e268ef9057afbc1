"""The edits of a vocabulary, as plain data. What each does to a format is said in the module of that format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from explorer.editing.step import NAMED, named, quoted, unknown
from explorer.errors import InputError


@dataclass(frozen=True, slots=True)
class AddToken:
    """Adds a token that is found in the text before anything else.

    special: a control token, which decoding may leave out. single_word: found only where no letter, digit or _ is next
    to it. lstrip, rstrip: white space before or after it belongs to it. normalized: sought in the normalized text.
    """

    text: str
    special: bool = False
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False


@dataclass(frozen=True, slots=True)
class AddMerges:
    """Adds merges after the others, and the tokens they make.

    words: texts that shall be one token: the model's merges run on each, and merges join what is left, from the left.
    merges: pairs as the vocabulary spells them, in order.
    """

    words: tuple[str, ...] = ()
    merges: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class AddPieces:
    """Adds pieces, spelled as in the vocabulary.

    user_defined: found in the text before anything else. score: of pieces that are not; by default below all others.
    """

    pieces: tuple[str, ...]
    user_defined: bool = False
    score: float | None = None


@dataclass(frozen=True, slots=True)
class AddEntries:
    """Adds tokens to a list of bytes. tokens: texts. hex: bytes in hexadecimal, for what is no text."""

    tokens: tuple[str, ...] = ()
    hex: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Remove:
    """Removes tokens, and the merges that use or make them.

    tokens: their texts, or as the vocabulary spells them. ids: others by id. keep_ids: leaves a gap; otherwise all
    higher ids move down.
    """

    tokens: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()
    keep_ids: bool = False

    def chosen(self, known: Mapping[int, Any], spellings: Callable[[str], Iterable[Any]]) -> dict[int, Any]:
        """The tokens that it names, by id. known: those of the vocabulary. spellings: those that a text may have there.

        Raises InputError for one that isn't there.
        """
        for id in self.ids:
            if id not in known:
                raise InputError(f"no token has the id {id}; the highest is {max(known, default=-1)}")
        gone = {id: known[id] for id in self.ids}
        ids = {token: id for id, token in known.items()}
        for text in self.tokens:
            token = next((each for each in spellings(text) if each in ids), None)
            if token is None:
                raise unknown(text)
            gone[ids[token]] = token
        return gone


@dataclass(frozen=True, slots=True)
class SetFlag:
    """Switches a flag. token: whose flag, empty for one of the whole tokenizer."""

    flag: str
    value: bool
    token: str = ""


@dataclass(frozen=True, slots=True)
class SetPattern:
    """Replaces a pattern of the pre-tokenizer. number: which of them, from 1."""

    pattern: str
    number: int = 1


@dataclass(frozen=True, slots=True)
class SetNormalizer:
    """Replaces the normalizer: the name of one without settings, such as NFC, its JSON, or none."""

    normalizer: str


@dataclass(frozen=True, slots=True)
class SetPreTokenizer:
    """Replaces the pre-tokenizer: llama.cpp's name; in a tokenizer.json a type without settings, JSON, or none."""

    name: str


@dataclass(frozen=True, slots=True)
class Preset:
    """A list of edits with a name."""

    name: str


Edit: TypeAlias = (
    "AddToken | AddMerges | AddPieces | AddEntries | Remove | SetFlag | SetPattern | SetNormalizer | SetPreTokenizer "
    "| Preset"
)

KINDS: Final = {
    "add-token": AddToken,
    "add-merges": AddMerges,
    "add-pieces": AddPieces,
    "add-entries": AddEntries,
    "remove": Remove,
    "set-flag": SetFlag,
    "set-pattern": SetPattern,
    "set-normalizer": SetNormalizer,
    "set-pre-tokenizer": SetPreTokenizer,
    "preset": Preset,
}
"""The edits by the name that a file gives them."""

NAMES: Final = {each: name for name, each in KINDS.items()}


def kind_of(edit: Edit) -> str:
    """The name of an edit's kind.

    >>> kind_of(AddToken("<a>"))
    'add-token'
    """
    return NAMES[type(edit)]


def title(edit: Edit) -> str:
    """An edit in a few words.

    >>> title(AddToken("<a>")), title(Remove(ids=(7,), tokens=(" x", "y")))
    ('Add the token “<a>”', 'Remove “␣x”, “y”, id 7')
    """
    match edit:
        case AddToken(text):
            return f"Add the {'special ' if edit.special else ''}token {quoted(text)}"
        case AddMerges(words, merges):
            return f"Add merges for {named([*words, *(' '.join(each) for each in merges)])}"
        case AddPieces(pieces):
            return f"Add {'user-defined ' if edit.user_defined else ''}pieces: {named(list(pieces))}"
        case AddEntries(tokens, hex):
            return f"Add {', '.join(filter(None, [named(list(tokens)), ', '.join(hex[:NAMED])]))}"
        case Remove(tokens, ids):
            many = f" and {len(ids) - NAMED:,} more" if len(ids) > NAMED else ""
            numbers = f"id {', '.join(map(str, ids[:NAMED]))}{many}" if ids else ""
            gaps = ", leaving gaps" if edit.keep_ids else ""
            return f"Remove {', '.join(filter(None, [named(list(tokens)), numbers]))}{gaps}"
        case SetFlag(flag, value, token):
            return f"Set {flag}{f' of {quoted(token)}' if token else ''} to {str(value).lower()}"
        case SetPattern(pattern, number):
            return f"Set pattern {number} to {quoted(pattern)}"
        case SetNormalizer(normalizer):
            return f"Set the normalizer to {quoted(normalizer)}"
        case SetPreTokenizer(name):
            return f"Set the pre-tokenizer to {quoted(name)}"
        case Preset(name):
            return f"Preset {quoted(name)}"

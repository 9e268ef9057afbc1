"""The vocabulary of a GGUF file as llama.cpp loads it: pieces, scores, and kinds after its corrections.

Follows `llama_vocab::impl::load` in llama.cpp's `src/llama-vocab.cpp`. It changes the kind of some tokens because of
their spelling, whatever the file says, and lets some absorb white space because of the model's name. Tokenizers that
use kinds themselves are built before these corrections and see the file's own.

Left out: which tokens end a generation, except where that changes a kind. If a vocabulary has several tokens for one
purpose of code models (`<PAD>` and `[PAD]`), llama.cpp corrects the first in its hash table, which differs between C++
libraries; here all are corrected, and a fact says so.

The tokenizer keys of a GGUF file as llama.cpp reads them, and the facts about the file.

Every setting is read through `Metadata`, which records the keys that were read and reports the others as unused.

Follows `llama_model_loader::get_key` and the special tokens in `llama_vocab::impl::load`: a flag of another type is
refused; a token id outside the vocabulary is replaced by the default, and a default outside of it by none.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from explorer.engine.part import Decoder, Part
from explorer.engine.partition.special_tokens import SpecialToken, SpecialTokenPartition
from explorer.errors import NO_CHOICES, Choices, InputError, shown
from explorer.facts import UNUSED, USED, WARNING, Fact, FactKind
from explorer.formats.gguf import Gguf
from explorer.implementations.opened import Opened
from explorer.tables import Record, read_toml
from explorer.vocabulary import MOST_PIECES, PieceKind, Vocabulary

GGML = "tokenizer.ggml."
"""The prefix of the keys; they are read without it."""

_DATA: Record = read_toml(__file__, "vocabulary.toml")
NO_PART: dict[str, str] = _DATA["no_part"]
"""Keys that often do not affect tokenizing → why."""

LISTED = 12
"""Tokens that a fact lists at most."""


ORDINARY = (PieceKind.NORMAL, PieceKind.BYTE, PieceKind.UNUSED)
"""Kinds of tokens without a special meaning."""


class Metadata:
    """The keys of one file. name: what errors call it. choices: the user's choices for what the file leaves open."""

    def __init__(self, gguf: Gguf, name: str, choices: Choices = NO_CHOICES) -> None:
        self.values, self.name, self.choices = gguf.metadata, name, choices
        self.vocabulary = gguf.vocabulary
        self._read: set[str] = set()
        self._facts: list[Fact] = []

    def full(self, key: str) -> str:
        """A key with its prefix."""
        return key if key.startswith("general.") else GGML + key

    def has(self, key: str) -> bool:
        """Whether the file has a key."""
        return self.full(key) in self.values

    def value(self, key: str, *, part: bool = True) -> object:
        """The value of a key, None if missing. part: whether to record that the key affects tokenizing."""
        full = self.full(key)
        if part:
            self._read.add(full)
        return self.values.get(full)

    def damaged(self, key: str, why: str) -> InputError:
        """The error for a key with an unusable value."""
        return InputError(f"the key {self.full(key)} {why}; the file is damaged")

    def text(self, key: str) -> str:
        """A text, empty if missing. Raises InputError for any other type."""
        value = self.value(key)
        if value is not None and not isinstance(value, str):
            raise self.damaged(key, "is not a text")
        return value or ""

    def strings(self, key: str) -> list[bytes]:
        """A list of strings, each up to its first NUL. Raises InputError if missing."""
        values = self.value(key)
        if not isinstance(values, list):
            raise self.damaged(key, "is missing or has no strings")
        if b"\0" in b"".join(values):
            cut = sum(b"\0" in value for value in values)
            says = f"A NUL is in {cut:,} of them: llama.cpp ignores everything after it."
            self.say("vocabulary", says, key, kind=WARNING)
            values = [value.partition(b"\0")[0] for value in values]
        return values

    def flag(self, key: str, otherwise: bool) -> bool:
        """A Boolean. Raises InputError for any other type, which llama.cpp refuses to load."""
        value = self.value(key)
        if value is not None and not isinstance(value, bool):
            raise self.damaged(key, "is neither true nor false")
        return otherwise if value is None else value

    def id(self, key: str, otherwise: int | None, size: int, *, part: bool = True) -> int | None:
        """The token id of `key` + `_token_id`. Ids outside the vocabulary are ignored, defaults too.

        Raises InputError for a value that is not an id.
        """
        value = self.value(f"{key}_token_id", part=part)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            raise self.damaged(f"{key}_token_id", f"is {str(value)[:40]}, not a token id")
        if isinstance(value, int) and value < size:
            return value
        return otherwise if otherwise is not None and otherwise < size else None

    # --- facts --------------------------------------------------------------------------------------------------

    def say(self, topic: str, says: str, key: str = "", code: str = "", kind: FactKind = USED) -> None:
        """Adds a fact. Its place is the key if the file has it, otherwise empty: llama.cpp's default."""
        self._facts.append(Fact(topic, says, self.full(key) if key and self.has(key) else "", code, kind))

    def facts(self) -> tuple[Fact, ...]:
        """All facts, and one for each tokenizer key that was not used."""
        unused = [
            Fact(
                "unused",
                NO_PART.get(key, "llama.cpp does not read this key for such a vocabulary."),
                key,
                kind=UNUSED,
            )
            for key in self.values
            if key.startswith("tokenizer.") and key not in self._read
        ]
        return (*self._facts, *unused)

    def say_token(self, what: str, key: str, id: int | None, vocabulary: Vocabulary) -> None:
        """Adds a fact about a special token and the source of its id."""
        asked = self.values.get(self.full(f"{key}_token_id"))
        named = f"{what} is {vocabulary.spelling(id)}, id {id}" if id is not None else f"{what}: there is none"
        if asked is None:
            why = ", llama.cpp's default for this kind of vocabulary." if id is not None else "."
            self.say("special tokens", f"{named}{why}")
        elif asked == id:
            self.say("special tokens", f"{named}.", f"{key}_token_id")
        else:
            why = f"the id in the file, {asked}, is outside the vocabulary"
            self.say("special tokens", f"{named}: {why}.", f"{key}_token_id", kind=WARNING)

    def strips_space(self) -> bool:
        """`add_space_prefix` for a model that puts no space in front: then it only affects decoding."""
        strips = self.flag("add_space_prefix", False)
        if strips:
            says = "No space is put in front of the text, but decoding removes one from the first token."
            self.say("flags", says, "add_space_prefix", kind=WARNING)
        return strips

    def ends(
        self,
        vocabulary: Vocabulary,
        *,
        bos: int | None,
        eos: int | None,
        add_bos: bool,
        add_eos: bool = False,
        always_bos: bool = False,
    ) -> list[int | None]:
        """BOS and EOS, None for one that is not added. The arguments are llama.cpp's defaults.

        always_bos: whether BOS is added whatever the file says. Raises InputError if a token to be added is missing.
        """
        found: list[int | None] = []
        for what, key, id, add, where in (
            ("BOS", "bos", bos, add_bos, "in front of"),
            ("EOS", "eos", eos, add_eos, "after"),
        ):
            added = self.flag(f"add_{key}_token", add)
            forced = always_bos and key == "bos" and not added
            id = self.id(key, id, len(vocabulary))
            self.say_token(what, key, id, vocabulary)
            if (added or forced) and id is None:
                raise InputError(
                    f"{what} should be added to a text, but there is no such token; llama.cpp fails "
                    "there: repair the file"
                )
            if forced:
                says = "It is still put in front of a text: llama.cpp does so for this pre-tokenizer."
                self.say("flags", says, "add_bos_token", kind=WARNING)
            else:
                self.say("flags", f"{what if added else f'No {what}'} is put {where} a text.", f"add_{key}_token")
            if (added or forced) and id is not None and vocabulary.kinds[id] in ORDINARY:
                said = f"{key}_token_id"
                whose = (
                    f"the file gives it ({said})" if self.values.get(self.full(said)) == id else "llama.cpp's default"
                )
                says = (
                    f"{what} is “{vocabulary.spelling(id)}”, id {id}, which is put {where} a text although it is an "
                    f"ordinary piece of text: {whose}."
                )
                self.say("special tokens", says, said, kind=WARNING)
            found.append(id if added or forced else None)
        return found

    def say_kinds(self, vocabulary: Vocabulary) -> None:
        """Adds facts about the number of tokens of each kind."""
        self.say("vocabulary", f"There are {len(vocabulary):,} tokens.", "tokens")
        for kind, says in (
            (PieceKind.CONTROL, "Control tokens, found in a text if special tokens are parsed"),
            (PieceKind.UNKNOWN, "Unknown tokens, found in a text if special tokens are parsed"),
            (PieceKind.USER_DEFINED, "User-defined tokens, always found in a text first"),
            (PieceKind.BYTE, "Tokens for a byte"),
            (PieceKind.UNUSED, "Unused tokens"),
            (PieceKind.UNDEFINED, "Tokens of a kind that llama.cpp does not have"),
        ):
            count = vocabulary.count_by_kind.get(kind, 0)
            if count:
                self.say("special tokens", f"{says}: {count:,}.", "token_type", _spellings(vocabulary, kind))


def _spellings(vocabulary: Vocabulary, kind: PieceKind) -> str:
    """The spellings of the first tokens of a kind."""
    found = [vocabulary.spelling(id) for id in islice(vocabulary.of_kind(kind), LISTED + 1)]
    return " ".join(found) if len(found) <= LISTED else " ".join(found[:LISTED]) + " …"


# What the readers of all kinds of vocabularies share: assembling a tokenizer, and naming the file in errors.


def assembled(keys: Metadata, family: str, vocabulary: Vocabulary, parts: Sequence[Part], decoder: Decoder) -> Opened:
    """The tokenizer of a file, with the facts that its keys gave. family: the algorithm, such as "SPM"."""
    return Opened(keys.name, family, "llama.cpp", vocabulary, tuple(parts), decoder, keys.facts())


END_OF_GENERATION = frozenset(
    "<|eot_id|> <|im_end|> <|end|> <|return|> <|call|> <|flush|> <|calls|> <end_of_turn> <|endoftext|> </s> <|eom_id|> "
    "<EOT> _<EOT> [EOT] [EOS] <|end_of_text|> <end_of_utterance> <eos> <turn|> <|tool_response> <｜end▁of▁sentence｜> "
    "[e~[".split()
)
"""Spellings that llama.cpp treats as control tokens whatever the file says."""

FILL_IN_MIDDLE: list[tuple[list[str], str]] = _DATA["fill_in_the_middle"]
"""The same for code models, by purpose; only if no key of the file names such a token."""

ALWAYS_SHOWN = frozenset("<|channel|> <|message|> <|start|> <|constrain|>".split())
"""Spellings that llama.cpp treats as user-defined tokens whatever the file says."""

KNOWN_KINDS = frozenset(map(int, PieceKind))
OF_KINDS = bytes(kind if kind in KNOWN_KINDS else PieceKind.UNDEFINED for kind in range(256))
SPECIAL_KINDS = (PieceKind.CONTROL, PieceKind.USER_DEFINED, PieceKind.UNKNOWN)


def vocabulary_of(keys: Metadata, *, scored: bool) -> Vocabulary:
    """Pieces, scores and kinds of a file; an empty piece is called `[EMPTY_id]`, as in llama.cpp.

    scored: whether this kind of vocabulary needs scores; others get none. Raises InputError where llama.cpp refuses the
    file, too: for missing tokens, equal spellings, and columns that are too short or of another type.
    """
    if (known := keys.vocabulary) is not None:
        for key in ("tokens", "token_type", "scores")[: 2 + scored]:
            keys.value(key)
        return replace(known, scores=(known.scores or array("f", [0.0]) * len(known)) if scored else ())
    tokens = keys.strings("tokens")
    if not tokens:
        raise InputError(f"the key {keys.full('tokens')} has no tokens; give the model's own file")
    if len(tokens) > MOST_PIECES:
        raise InputError(
            f"the key {keys.full('tokens')} holds {len(tokens):,} tokens, but {MOST_PIECES:,} is the most "
            "that is supported; the file is damaged, or not a tokenizer"
        )
    scores = column(keys, "scores", "if", len(tokens), part=scored)
    kinds = column(keys, "token_type", "i", len(tokens))
    if kinds is None:
        keys.say("vocabulary", "The file has no kinds: every token is a normal one.")
    pieces = [piece or b"[EMPTY_%d]" % id for id, piece in enumerate(tokens)]
    return Vocabulary.of(
        pieces,
        () if not scored else [0.0] * len(pieces) if scores is None else scores[: len(pieces)],
        None if kinds is None else known_kinds(kinds[: len(pieces)].tolist()),
    )


def known_kinds(kinds: list[int]) -> bytes:
    """Kinds as bytes; one that llama.cpp does not have becomes UNDEFINED.

    >>> [*known_kinds([1, 6, 7, -1])]
    [1, 6, 0, 0]
    """
    try:
        return bytes(kinds).translate(OF_KINDS)
    except ValueError:  # one is no byte
        return bytes(kind if kind in KNOWN_KINDS else PieceKind.UNDEFINED for kind in kinds)


def column(keys: Metadata, key: str, types: str, size: int, *, part: bool = True) -> array[Any] | None:
    """An array of numbers, at least one for each token; None if the file has none."""
    values = keys.value(key, part=part)
    if values is None:
        return None
    if not isinstance(values, array) or values.typecode not in types:
        raise keys.damaged(key, "has no numbers of the type llama.cpp reads (32 bits each)")
    if len(values) < size:
        raise InputError(f"{size} tokens but {len(values)} entries in {keys.full(key)}; the file is damaged")
    return values


def check_byte_pieces(vocabulary: Vocabulary, keys: Metadata) -> None:
    """Raises InputError if the piece of a byte is too short to name it, as llama.cpp does."""
    for id in vocabulary.of_kind(PieceKind.BYTE):
        if len(vocabulary.pieces[id]) < len("<0x"):
            raise InputError(
                f"token {id} should be a byte but is spelled {shown(vocabulary.spelling(id))}, not "
                "like <0x0A>; repair the file"
            )


def corrected(vocabulary: Vocabulary, keys: Metadata, eos: int | None = None) -> Vocabulary:
    """The vocabulary after llama.cpp's corrections of kinds by spelling.

    eos: the id of EOS for this kind of vocabulary if the file has none.
    """
    ids, size = vocabulary.ids, len(vocabulary)
    kinds = bytearray(vocabulary.kinds)

    def existing(spellings: Iterable[str]) -> list[int]:
        return [ids[spelling.encode()] for spelling in spellings if spelling.encode() in ids]

    def holds(*spellings: str) -> bool:
        return len(existing(spellings)) == len(spellings)

    def set_kind(found: Iterable[int], kind: PieceKind) -> None:
        for id in found:
            kinds[id] = kind

    ends = {keys.id(key, eos if key == "eos" else None, size, part=False) for key in ("eot", "eom", "eos")}
    for names, spellings in FILL_IN_MIDDLE:
        named = [id for id in (keys.id(name, None, size, part=False) for name in names) if id is not None]
        found = existing(spellings.split())
        if named:
            ends |= set(named) if names[0] in ("fim_pad", "fim_rep", "fim_sep") else set()
            continue
        if len(found) > 1 and any(kinds[id] != PieceKind.CONTROL for id in found):
            keys.say(
                "special tokens",
                "Several tokens are spelled for one purpose: llama.cpp makes a control token of "
                "whichever its hash table has first; here all of them are.",
                code=" ".join(map(vocabulary.spelling, found)),
                kind=WARNING,
            )
        set_kind(found, PieceKind.CONTROL)
    set_kind(existing(END_OF_GENERATION), PieceKind.CONTROL)
    set_kind(existing(ALWAYS_SHOWN), PieceKind.USER_DEFINED)
    called = holds("<|call|>") or holds("<|calls|>")
    if holds("<|end|>") and called and (holds("<|return|>") or holds("<|flush|>")):
        set_kind(existing(["<|end|>"]), PieceKind.USER_DEFINED)
    if holds("<|tool_response>") or ends & set(existing(["<|plamo:eos|>"])):
        set_kind(existing(["</s>"]), PieceKind.NORMAL)
    changed = [id for id in range(size) if kinds[id] != vocabulary.kinds[id]] if kinds != vocabulary.kinds else []
    if changed:
        spelled = " ".join(map(vocabulary.spelling, changed))
        keys.say(
            "special tokens",
            "llama.cpp gives these tokens another kind than the file, because of how they are spelled.",
            "token_type",
            spelled,
        )
    return Vocabulary(vocabulary.pieces, vocabulary.scores, bytes(kinds), ids)


def special_tokens(vocabulary: Vocabulary, keys: Metadata) -> SpecialTokenPartition:
    """The stage that looks for special tokens in the text, which may absorb adjacent white space.

    No key of the file says the latter; llama.cpp decides by the names of the pre-tokenizer, the architecture and the
    model. Raises InputError for a model named Phi-3 without the tokens that llama.cpp then requires.
    """
    lstrip: set[str] = set()
    rstrip_all, keeps_space, place = False, {"<unk>", "<s>", "<|endoftext|>"}, ""
    pre = str(keys.value("pre", part=False) or "")
    architecture, model = keys.text("general.architecture"), keys.text("general.name").lower()
    if any(each in pre for each in ("jina-v2-de", "jina-v2-es", "jina-v2-code")):
        lstrip, place = {"<mask>"}, "pre"
    elif any(each in architecture for each in ("nomic-bert-moe", "jina-bert-v3")):
        lstrip, place = {"<mask>"}, "general.architecture"
    elif "phi-3" in model or "phi3" in model:
        rstrip_all, place = True, "general.name"
        missing = [each for each in ("</s>", *sorted(keeps_space)) if each.encode() not in vocabulary.ids]
        if missing:
            raise InputError(
                f"the key general.name says Phi-3, and llama.cpp refuses a Phi-3 without the token "
                f"{missing[0]}; repair the file"
            )
    elif "modern-bert" in model:
        lstrip, place = {"[MASK]"}, "general.name"
    found = []
    for id in sorted(chain.from_iterable(map(vocabulary.of_kind, SPECIAL_KINDS))):
        text = vocabulary.pieces[id].decode("utf-8", "surrogateescape")
        found.append(
            SpecialToken(
                id,
                text,
                only_if_parsed=vocabulary.kinds[id] != PieceKind.USER_DEFINED,
                lstrip=text in lstrip,
                rstrip=rstrip_all and text not in keeps_space,
            )
        )
    for token in filter(lambda token: token.lstrip, found):
        keys.value(place)
        says = f"{token.text} absorbs the white space before it: llama.cpp does so for models of this name."
        keys.say("special tokens", says, place)
    if rstrip_all:
        keys.say(
            "special tokens",
            "Special tokens absorb the white space after them, except <unk>, <s> and "
            "<|endoftext|>: llama.cpp does so for models of this name.",
            place,
        )
    keys.say_kinds(vocabulary)
    return SpecialTokenPartition(found)

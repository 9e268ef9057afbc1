"""The tokenizer inside a tokenizer of `transformers`: the parts of a tokenizer.json, changed step by step.

A class of `transformers` is a series of changes to what it read or built: tokens are added, parts are replaced. Here
the changes are made to the JSON, and the result is run as Hugging Face's tokenizers runs it.

Special and added tokens as `transformers` stores them: plain strings, or tokens with flags.

The library's `AddedToken` leaves `normalized` unset by default and then reports the opposite of `special`. Two tokens
are equal if all flags are; a token never equals a string.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from explorer.facts import USED, Fact, FactKind
from explorer.formats.files import TOKENIZER_CONFIG
from explorer.formats.model_folder import check_token
from explorer.formats.tokenizer_json import AddedEntry, TokenizerJson
from explorer.tables import Json, Record


@dataclass(frozen=True, slots=True)
class Token:
    """A token with its flags. said: `normalized`, None if it is unset.

    >>> Token.of({"content": "<s>", "special": True}).normalized, Token.of({"content": "a"}).normalized
    (False, True)
    """

    content: str
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    said: bool | None = None
    special: bool = False

    @property
    def normalized(self) -> bool:
        """The effective flag."""
        return not self.special if self.said is None else self.said

    @classmethod
    def of(cls, entry: Json, special: bool | None = None) -> Token:
        """A token of a JSON file. special: overrides the file's flag."""
        return cls(
            entry["content"],
            entry.get("single_word", False),
            entry.get("lstrip", False),
            entry.get("rstrip", False),
            entry.get("normalized"),
            entry.get("special", False) if special is None else special,
        )

    def as_special(self, special: bool = True) -> Token:
        return replace(self, special=special)

    @property
    def flags(self) -> tuple[object, ...]:
        """Everything that two tokens are compared by."""
        return self.content, self.single_word, self.lstrip, self.rstrip, self.normalized, self.special

    def entry(self, id: int) -> AddedEntry:
        """The token as a tokenizer.json lists it."""
        return AddedEntry(id, self.content, self.special, self.single_word, self.lstrip, self.rstrip, self.normalized)


Some = str | Token
"""A token, with flags or without."""


def text(token: Some) -> str:
    """The spelling of a token."""
    return token.content if isinstance(token, Token) else token


def named(tokens: str, **others: Any) -> Record:
    """Named special tokens from words, a name and a spelling each, and other arguments of a class.

    >>> named("bos <s> unk <unk>", add_prefix_space=True)
    {'bos_token': '<s>', 'unk_token': '<unk>', 'add_prefix_space': True}
    """
    words = tokens.split()
    return {f"{key}_token": spelling for key, spelling in zip(words[::2], words[1::2], strict=True)} | others


def among(token: Some, tokens: Iterable[Some]) -> bool:
    """Whether a token is one of these; a string never equals a token with flags.

    >>> among("a", [Token("a")]), among(Token("a"), [Token("a", said=True)]), among("a", ["a"])
    (False, True, True)
    """
    if isinstance(token, Token):
        return any(isinstance(each, Token) and each.flags == token.flags for each in tokens)
    return any(not isinstance(each, Token) and each == token for each in tokens)


def converted(value: Any) -> Any:
    """A value of tokenizer_config.json with every object marked as an AddedToken turned into a token.

    Raises InputError for one without content, or with flags that aren't Booleans.
    """
    if isinstance(value, dict):
        if value.get("__type") == "AddedToken":
            check_token(value, TOKENIZER_CONFIG, "an AddedToken")
            return Token.of(value)
        return {key: converted(each) for key, each in value.items()}
    return [converted(each) for each in value] if isinstance(value, list) else value


Part = Json


@dataclass
class Backend:
    """A tokenizer.json under construction.

    model: the section, with its type. texts: piece → id of the model alone. entries: the added tokens, in the order
    they were added; of equal spellings the last counts. merges: of a class in Python whose symbols need not be pieces,
    None for others. facts: about changes.
    """

    model: Json
    texts: Mapping[str, int]
    normalizer: Part | None = None
    pre_tokenizer: Part | None = None
    post_processor: Part | None = None
    decoder: Part | None = None
    entries: list[AddedEntry] = field(default_factory=list)
    merges: list[str] | None = None
    facts: list[Fact] = field(default_factory=list)

    @classmethod
    def of(cls, file: TokenizerJson) -> Backend:
        """The contents of a tokenizer.json."""
        backend = cls(
            file.model, texts_of(file.model), file.normalizer, file.pre_tokenizer, file.post_processor, file.decoder
        )
        backend.entries = list(file.added_tokens)
        return backend

    @property
    def added(self) -> dict[str, tuple[int, AddedEntry]]:
        """Spelling → id in force and entry of each added token."""
        found: dict[str, tuple[int, AddedEntry]] = {}
        free = len(self.texts)
        for entry in self.entries:
            if not entry.content:
                continue
            id = found[entry.content][0] if entry.content in found else self.texts.get(entry.content)
            if id is None:
                id, free = free, free + 1
            found[entry.content] = id, entry
        return found

    @property
    def tokens(self) -> list[Token]:
        """The added tokens with their flags."""
        return [as_token(entry) for _, entry in self.added.values()]

    @property
    def contents(self) -> dict[int, str]:
        """The spelling of each token, by its id."""
        added = {id: content for content, (id, _) in self.added.items()}
        return {id: content for content, id in self.texts.items()} | added

    def id_of(self, content: str) -> int | None:
        """The id of a token by its spelling, None if there is none."""
        found = self.added.get(content)
        return self.texts.get(content) if found is None else found[0]

    def add(self, tokens: Iterable[Token]) -> None:
        """Adds tokens, and changes the flags of existing ones."""
        known = self.added
        free = len(self.texts) + sum(content not in self.texts for content in known)
        for token in tokens:
            existing = known.get(token.content)
            if not token.content or (existing is not None and token.flags == as_token(existing[1]).flags):
                continue
            id = existing[0] if existing is not None else self.texts.get(token.content)
            if id is None:
                id, free = free, free + 1
            known[token.content] = id, token.entry(id)
            self.entries.append(token.entry(id))

    def add_missing(self, decoder: Mapping[int, Token], special: Iterable[Some], names: Collection[str]) -> None:
        """Adds tokens that it lacks, or has with other flags. decoder: by id. names: which of them are special.

        A special token with flags is added even if its spelling exists.
        """
        existing = self.tokens
        flags = {token.flags for token in existing}
        new: list[Some] = [token for _, token in sorted(decoder.items()) if token.flags not in flags]
        spelled = {token.content for token in existing} | {text(token) for token in new}
        for token in special:
            if (isinstance(token, Token) or token not in spelled) and not among(token, new):
                new.append(token)
        self.add(
            token.as_special(token.special or token.content in names)
            if isinstance(token, Token)
            else Token(token, special=True)
            for token in new
        )

    def whole(self, first_special: bool = False) -> TokenizerJson:
        """The resulting tokenizer.json.

        first_special: as tokenizers 0.22 searches for tokens that were added twice: in the normalized text if any entry
        up to the first special one is normalized. In 0.23 the last entry counts.
        """
        entries = self.entries
        if first_special:
            searched: dict[str, bool] = {}
            special: set[str] = set()
            for entry in entries:
                if entry.content not in special:
                    searched[entry.content] = searched.get(entry.content, False) or entry.normalized
                if entry.special:
                    special.add(entry.content)
            entries = [entry._replace(normalized=searched[entry.content]) for entry in entries]
        return TokenizerJson(
            self.model, tuple(entries), self.normalizer, self.pre_tokenizer,
            self.post_processor, self.decoder,
        )  # fmt: skip

    def say(self, topic: str, says: str, place: str = "", *, kind: FactKind = USED) -> None:
        self.facts.append(Fact(topic, says, place, kind=kind))


def as_token(entry: AddedEntry) -> Token:
    """An entry of `added_tokens` with its flags."""
    return Token(entry.content, entry.single_word, entry.lstrip, entry.rstrip, entry.normalized, entry.special)


def texts_of(model: Json) -> Mapping[str, int]:
    """Piece → id of a model's section, whatever its type, unchecked."""
    vocab = model.get("vocab")
    if isinstance(vocab, dict):
        return vocab
    if not isinstance(vocab, list):
        return {}
    return {str(each[0]): id for id, each in enumerate(vocab) if isinstance(each, list) and each}

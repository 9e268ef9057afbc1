"""The tokenizer inside a tokenizer of `transformers`: parts as a tokenizer.json has them, changed step by step.

A class of `transformers` is a row of changes to what it read or built: tokens added, a part put in place of another.
They are made here to the JSON, and what comes of it is run as Hugging Face's tokenizers runs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from explorer.facts import Fact, FactKind
from explorer.formats.tokenizer_json import AddedEntry, Json, TokenizerJson
from explorer.implementations.transformers.tokens import Token

Part = Mapping[str, Any]


@dataclass
class Backend:
    """A tokenizer.json in the making.

    model: its section, with its type. texts: piece → id, of the model alone. entries: the added tokens, in the order
    they were added; the last of one spelling counts. facts: what was changed, for people.
    """

    model: Json
    texts: Mapping[str, int]
    normalizer: Part | None = None
    pre_tokenizer: Part | None = None
    post_processor: Part | None = None
    decoder: Part | None = None
    entries: list[AddedEntry] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)

    @classmethod
    def of(cls, file: TokenizerJson) -> Backend:
        """What a tokenizer.json says, its added tokens with the ids that are in force."""
        made = cls(
            file.model, texts_of(file.model), file.normalizer, file.pre_tokenizer, file.post_processor, file.decoder
        )
        made.entries = list(file.added_tokens)
        return made

    @property
    def added(self) -> dict[str, tuple[int, AddedEntry]]:
        """The added tokens by their spelling, with the ids in force."""
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

    def id_of(self, content: str) -> int | None:
        """The id of a token, None where there is none of that spelling."""
        found = self.added.get(content)
        return self.texts.get(content) if found is None else found[0]

    def add(self, tokens: Iterable[Token]) -> None:
        """Adds tokens, or gives those that are there other flags; facts name them."""
        known = self.added
        free = len(self.texts) + sum(content not in self.texts for content in known)
        for token in tokens:
            there = known.get(token.content)
            if not token.content or (there is not None and token.flags == as_token(there[1]).flags):
                continue
            id = there[0] if there is not None else self.texts.get(token.content)
            if id is None:
                id, free = free, free + 1
            known[token.content] = id, token.entry(id)
            self.entries.append(token.entry(id))

    def whole(self) -> TokenizerJson:
        """The tokenizer.json that has come of it."""
        return TokenizerJson(
            self.model, str(self.model["type"]), tuple(self.entries), self.normalizer, self.pre_tokenizer,
            self.post_processor, self.decoder,
        )  # fmt: skip

    def say(self, topic: str, says: str, place: str = "", *, kind: FactKind = FactKind.USED) -> None:
        """Keeps a fact about a change."""
        self.facts.append(Fact(topic, says, place, kind=kind))


def as_token(entry: AddedEntry) -> Token:
    """An entry of `added_tokens` with its flags."""
    return Token(entry.content, entry.single_word, entry.lstrip, entry.rstrip, entry.normalized, entry.special)


def texts_of(model: Json) -> Mapping[str, int]:
    """piece → id of a model's section, whatever its type; nothing is checked here."""
    vocab = model.get("vocab")
    if isinstance(vocab, dict):
        return vocab
    if not isinstance(vocab, list):
        return {}
    return {str(each[0]): id for id, each in enumerate(vocab) if isinstance(each, list) and each}

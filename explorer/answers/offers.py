"""Tokenizers a visitor can choose: bundled, on the server, or uploaded. A page treats them all alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import NamedTuple, Protocol

from explorer.analysis.card import about
from explorer.answers.upload_groups import UploadGroup
from explorer.implementations.opened import Opened, with_pattern
from explorer.opening.catalog import Model, catalog, load
from explorer.opening.formats import Choices
from explorer.opening.titles import implementation_title


class Origin(StrEnum):
    """Where a tokenizer comes from, in words for visitors."""

    BUNDLED = "comes with the explorer"
    SERVER = "a file of this server"
    HUB = "a model on the Hugging Face Hub, which runs as an upload does"
    UPLOAD = "your upload: it lives in this session and nobody else sees it"


class Opener(Protocol):
    """Opens a tokenizer. It is plain data, so that it can be sent to another process."""

    def __call__(self, implementation: str, choices: Choices) -> Opened:
        """The tokenizer. Raises InputError, ChoiceNeeded."""

    def contents(self) -> bytes:
        """The bytes of its main file. Raises InputError."""


@dataclass(frozen=True, eq=False)
class Offer:
    """A tokenizer that can be chosen.

    label: its name in the URL. key: identifies its contents; two offers with one key are equal. implementations: who
    can run it, the default first. about: what its card says about the file. files: the upload it was made of. title,
    kind: the name that people know and the kind of tokenizer, "" if unknown.
    """

    label: str
    key: str
    origin: Origin
    format: str
    bytes: int
    implementations: tuple[str, ...]
    about: tuple[tuple[str, str], ...]
    open: Opener = field(repr=False)
    files: UploadGroup = field(default=(), repr=False)
    title: str = ""
    kind: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Offer) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


class TokenizerSpec(NamedTuple):
    """An offer and how to open it: an implementation, choices, and optionally the visitor's own pattern or template."""

    offer: Offer
    implementation: str
    choices: tuple[tuple[str, str], ...] = ()
    pattern: str | None = None
    pattern_index: int = 0
    """Which of the tokenizer's patterns `pattern` replaces, from 0."""
    template: str | None = None
    """The source of a chat template of the visitor's own."""

    @property
    def name(self) -> str:
        """Its name in URLs and on the command line: the label, and the implementation if there are several."""
        several = len(self.offer.implementations) > 1
        return f"{self.offer.label}@{self.implementation}" if several else self.offer.label

    @property
    def title(self) -> str:
        """The same as people call it: `GPT-2 · llama.cpp`."""
        title, several = self.offer.title or self.offer.label, len(self.offer.implementations) > 1
        return f"{title} · {implementation_title(self.implementation)}" if several else title

    @property
    def private(self) -> bool:
        """Whether this belongs to one session, so that its answers must not be shared."""
        return self.untrusted or bool(self.choices)

    @property
    def untrusted(self) -> bool:
        """Whether it runs something of a visitor's: an upload, a model of the Hub, a pattern or a template."""
        return self.offer.origin in (Origin.UPLOAD, Origin.HUB) or self.pattern is not None or self.template is not None

    @property
    def without_pattern(self) -> TokenizerSpec:
        """The same spec with the tokenizer's own patterns and templates."""
        return self._replace(pattern=None, pattern_index=0, template=None)

    def open(self) -> Opened:
        """The tokenizer, with its own patterns."""
        return self.offer.open(self.implementation, dict(self.choices))

    def apply_pattern(self, tokenizer: Opened) -> Opened:
        """That tokenizer with the visitor's pattern, if there is one. Raises PatternError."""
        return tokenizer if self.pattern is None else with_pattern(tokenizer, self.pattern, self.pattern_index)


class BundledOpener(NamedTuple):
    """Opens a model of the catalog."""

    name: str

    def __call__(self, implementation: str, choices: Choices) -> Opened:
        """Opens it as this implementation, with these choices."""
        return load(self.name, implementation, **choices)

    def contents(self) -> bytes:
        """The bytes of its file."""
        return catalog()[self.name].path.read_bytes()


@cache
def bundled() -> Mapping[str, Offer]:
    """The catalog's models by label."""

    def offer(model: Model) -> Offer:
        facts = about(model.name)
        return Offer(
            model.name, f"bundled {model.name}", Origin.BUNDLED, dict(facts)["format"], model.path.stat().st_size,
            model.implementations, facts, BundledOpener(model.name), title=model.title, kind=model.kind,
        )  # fmt: skip

    return {model.name: offer(model) for model in catalog().values()}

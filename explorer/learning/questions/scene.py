"""What a kind of question looks at: a tokenizer, the trace of a text, and how its symbols are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from random import Random

from explorer.analysis.why import Form
from explorer.analysis.why.questions import Asked
from explorer.engine.results import Stage, Trace
from explorer.implementations.opened import Opened
from explorer.opening.catalog import catalog, title_of
from explorer.text import visible
from explorer.text.say import Say

LONGEST_SHOWN = 40
"""Symbols or code points of a text that a prompt writes out; of a longer one it names the first."""


@dataclass(frozen=True)
class Scene:
    """One text under one tokenizer. random: chooses among the questions that the trace allows.

    texts: others that a question may compare with. words: a template in the language of the question.
    """

    tokenizer: Opened
    trace: Trace
    random: Random
    texts: tuple[str, ...] = ()
    words: Callable[[str], str] = str

    def say(self, template: str, *values: int | str) -> Say:
        """A sentence from its English template, in the language of the question."""
        return Say.of(self.words(template), *values)

    @cached_property
    def asked(self) -> Asked:
        """The accounts of the stages, which `analysis/why` gives; tokens as the pages write them."""
        return Asked(self.trace, self.name, Form.AS_TEXT)

    @property
    def name(self) -> str:
        """What people call the tokenizer."""
        name, implementation = self.tokenizer.name, self.tokenizer.implementation
        known = catalog().get(name)
        usual = known is None or implementation == known.implementations[0]
        return title_of(name if usual else f"{name}@{implementation}")

    @property
    def stage(self) -> Stage:
        """The model's stage."""
        return self.trace.stages[self.asked.model]

    def token(self, id: int) -> str:
        """A token for people."""
        return self.asked.speller.token(id)

    def text(self, text: str) -> str:
        """A part of the text for people, shortened."""
        return self.asked.speller.text(text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…")


def readable(text: str) -> str:
    """A text whose characters are all visible; single spaces within it stay as they are.

    >>> readable("a b"), readable("a  b")
    ('a b', 'a␣␣b')
    """
    shown = visible(text)
    return text if text == shown.replace("␣", " ") == " ".join(text.split()) else shown


def ended(say: Say) -> Say:
    """A sentence with its full stop."""
    return say._replace(template=f"{say.template}.")


def row(texts: list[str], separator: str = " ") -> Say:
    """Texts side by side, each quoted.

    >>> from explorer.text.say import plain
    >>> plain(row(["a", "b"], " + "))
    '“a” + “b”'
    """
    return Say.of(separator.join(f"{{{index}:q}}" for index in range(len(texts))), *texts)

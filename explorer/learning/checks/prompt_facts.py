"""What claims and exercises ask of the prompt that a panel shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from explorer.errors import InputError
from explorer.learning.checks.panels import Shown, prompt_of
from explorer.learning.lessons.lesson import PromptPanel
from explorer.prompts.model_input import Prompt
from explorer.text.say import Text


def prompted(shown: Shown) -> tuple[PromptPanel, Prompt]:
    """The panel and its prompt. Raises InputError for another panel."""
    if not isinstance(shown.panel, PromptPanel):
        raise InputError("this panel shows no prompt")
    return shown.panel, prompt_of(shown.engine, shown.panel)


def writer(made: Prompt, number: int) -> str:
    """Who wrote a token, whose numbers count from 1."""
    authors = made.tokens[number - 1].authors
    return " and ".join("the template" if each is None else f"message {each + 1}" for each in authors)


def writer_answer(made: Prompt, number: int) -> str:
    """The same as the answer to a question."""
    authors = made.tokens[number - 1].authors
    words = ANSWERS.get(tuple(each is None for each in authors))
    return Text.of(words, *(each + 1 for each in authors if each is not None)) if words else writer(made, number)


ANSWERS: Final = {
    (True,): "The template",
    (False,): "Message {0}",
    (True, False): "The template and message {0}",
    (False, True): "Message {0} and the template",
    (False, False): "Message {0} and message {1}",
}
"""By whether each author is the template."""


def trained_text(made: Prompt) -> str:
    """The text of the tokens that generation tags mark."""
    marked = (token for token, on in zip(made.tokens, made.mask(), strict=True) if on)
    return "".join(made.text[token.start : token.end] for token in marked)


def default_ids(made: Prompt) -> list[int]:
    """The ids of a prompt's text under the tokenizer's defaults."""
    return made.tokenizer.encode(made.text).ids


def second_bos(made: Prompt) -> str:
    """Who writes the second token for the beginning where a prompt's text is encoded with the tokenizer's defaults."""
    ids = default_ids(made)
    if ids[:1] != ids[1:2]:
        raise ValueError
    return "The template" if made.ids[:2] == ids[:2] else "The tokenizer"


def prompt_facts(shown: Shown, claimed: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is claimed of a prompt: tokens, ids, text, writers by number, findings, defaults, trained."""
    panel, made = prompted(shown)
    as_text = replace(panel, as_text=True)
    found: dict[str, Any] = {
        "tokens": len(made.ids),
        "ids": made.ids,
        "text": made.text,
        "writers": {number: writer(made, int(number)) for number in claimed.get("writers", {})},
        "spelled": {number: made.tokens[int(number) - 1].piece for number in claimed.get("spelled", {})},
        "id_of": {number: made.ids[int(number) - 1] for number in claimed.get("id_of", {})},
        "findings": list(dict.fromkeys(finding.kind.value for finding in made.findings)),
        "defaults": default_ids(made)[: len(claimed.get("defaults", ()))],
        "of_messages": sum(token.authors != (None,) for token in made.tokens),
        "as_text": len(prompt_of(shown.engine, as_text).ids) if "as_text" in claimed else 0,
        "trained": trained_text(made),
        "by_author": sum(made.author_mask()),
    }
    return {key: found.get(key) for key in claimed}

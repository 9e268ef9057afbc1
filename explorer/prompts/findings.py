"""What is worth a look in a prompt: BOS twice, a control token in a user's text, a message that is left out.

Each finding is computed from the prompt, never guessed from a template's source: what is missing is what no character
of the prompt was copied from, what straddles has two authors. Findings come in order of weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any, Final

from explorer.errors import InputError
from explorer.prompts.messages import REASONING
from explorer.prompts.prompt import Prompt, covered
from explorer.text.say import Say


class Kind(StrEnum):
    """What a finding is about, by weight."""

    CONTROL = "control"
    BOS_TWICE = "bos-twice"
    NO_QUESTION = "no-generation-prompt"
    SYSTEM = "system-dropped"
    DROPPED = "message-dropped"
    REASONING = "reasoning-dropped"
    PART = "part-dropped"
    STRADDLES = "straddles"
    STRIPPED = "stripped"
    MOVED = "moved"
    DATE = "date"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something worth a look.

    sentence: what. reason: why, or what to do. message: its index, None if it is about the whole prompt. start, end:
    the tokens that it is about.
    """

    kind: Kind
    sentence: Say
    reason: Say
    message: int | None = None
    start: int = 0
    end: int = 0


def findings(prompt: Prompt) -> Iterator[Finding]:
    """All of them, the heaviest first."""
    found = [finding for look in LOOKS for finding in look(prompt)]
    weights = {kind: weight for weight, kind in enumerate(Kind)}
    yield from sorted(found, key=lambda finding: weights[finding.kind])


def control(prompt: Prompt) -> Iterator[Finding]:
    """Special tokens that a message's text spells."""
    for index, token in enumerate(prompt.tokens):
        writers = {origin.message for origin in token.origins}
        if len(writers) != 1 or None in writers or not prompt.tokenizer.vocabulary.is_special(token.id):
            continue
        (message,) = writers
        assert message is not None
        yield Finding(
            Kind.CONTROL,
            Say.of("{0:q} in message {1} is read as a control token.", _spelled(prompt, index), message + 1),
            Say.of(
                "Id {0:i} is the same as the template's own: whoever wrote this message can end a turn or begin one.",
                token.id,
            ),
            message,
            index,
            index + 1,
        )


def bos_twice(prompt: Prompt) -> Iterator[Finding]:
    """BOS from the template, and again from the tokenizer where its defaults are used; or twice from the template."""
    ids = prompt.ids
    if len(ids) > 1 and ids[0] == ids[1] and prompt.tokenizer.vocabulary.is_special(ids[0]):
        yield Finding(
            Kind.BOS_TWICE,
            Say.of("The prompt begins with {0:q} twice.", _spelled(prompt, 0)),
            Say.of("The template writes both."),
            None,
            0,
            2,
        )
        return
    added = prompt.tokenizer.encode(prompt.text).ids if ids else []
    if len(added) > len(ids) and added[0] == ids[0] == added[1]:
        yield Finding(
            Kind.BOS_TWICE,
            Say.of("With the tokenizer's defaults the prompt begins with {0:q} twice.", _spelled(prompt, 0)),
            Say.of("The template writes it, and so does the tokenizer; encode this text without added tokens."),
            None,
            0,
            1,
        )


def no_question(prompt: Prompt) -> Iterator[Finding]:
    """Nothing at the end asks for an answer."""
    call = prompt.call
    if call.continue_final or call.messages[-1].get("role") == "assistant":
        return
    try:
        other = prompt.changed(add_generation_prompt=not call.add_generation_prompt)
    except InputError:
        return
    if other.text == prompt.text:
        yield Finding(
            Kind.NO_QUESTION,
            Say.of("This template writes the same with and without a generation prompt."),
            Say.of("It doesn't read add_generation_prompt, or ignores it for these messages."),
        )
    elif not call.add_generation_prompt:
        yield Finding(
            Kind.NO_QUESTION,
            Say.of("Nothing asks for an answer: the model may go on writing for the user."),
            Say.of("The generation prompt is switched off."),
        )


def left_out(prompt: Prompt) -> Iterator[Finding]:
    """Texts of messages that the prompt doesn't hold, or not all of."""
    for index, message in enumerate(prompt.call.messages):
        for path, text in _texts(message.get("content"), ("messages", index, "content")):
            kept = covered(prompt.rendering, path)
            missing = sorted(set(range(len(text))) - kept)
            if not missing or (not kept and text.strip() and text.strip() in prompt.text):
                continue  # all there, or there by a way that isn't followed
            yield _left_out(prompt, index, message, text, missing, not kept)
        texts = {message[name] for name in REASONING if isinstance(message.get(name), str) and message[name].strip()}
        if texts and not any(covered(prompt.rendering, ("messages", index, name)) for name in REASONING):
            yield Finding(
                Kind.REASONING,
                Say.of("The reasoning of message {0} is not in the prompt.", index + 1),
                Say.of("The template leaves it out, so a cache of the model's own answer doesn't fit the next prompt."),
                index,
            )


def _left_out(prompt: Prompt, index: int, message: Any, text: str, missing: list[int], all_of_it: bool) -> Finding:
    lost = "".join(text[each] for each in missing)
    if not lost.strip():
        return Finding(
            Kind.STRIPPED,
            Say.of("White space of message {0} is gone: {1} of {2} characters.", index + 1, len(missing), len(text)),
            Say.of("The template trims the text before it writes it."),
            index,
        )
    if all_of_it:
        system = message.get("role") in ("system", "developer")
        return Finding(
            Kind.SYSTEM if system else Kind.DROPPED,
            Say.of("Message {0} is not in the prompt.", index + 1),
            Say.of("The template writes no {0:q} message here, or writes it changed.", str(message.get("role"))),
            index,
        )
    gaps = 1 + sum(after - before > 1 for before, after in pairwise(missing))
    first = text[missing[0] : missing[0] + 20]
    thought = "</think>" in text and text.find("</think>") in missing
    return Finding(
        Kind.REASONING if thought else Kind.PART,
        Say.of("{0} of {1} characters of message {2} are not in the prompt.", len(missing), len(text), index + 1),
        Say.of("What is missing begins with {0:q}.", first)
        if gaps == 1
        else Say.of("They are missing in {0} places; the first begins with {1:q}.", gaps, first),
        index,
    )


def straddles(prompt: Prompt) -> Iterator[Finding]:
    """Tokens of two authors."""
    for index, token in enumerate(prompt.tokens):
        if len(token.authors) < 2:
            continue
        spelling = _spelled(prompt, index)
        message = next(author for author in token.authors if author is not None)
        yield Finding(
            Kind.STRADDLES,
            Say.of("{0:q} is one token, and message {1} wrote only a part of it.", spelling, message + 1),
            Say.of("Neither part alone gives id {0:i}.", token.id),
            message,
            index,
            index + 1,
        )


def moved(prompt: Prompt) -> Iterator[Finding]:
    """A message whose text stands after that of a later one."""
    latest = -1
    seen: set[int] = set()
    for origin in prompt.rendering.origins:
        message = origin.message
        if message is None:
            continue
        if message < latest and message not in seen:
            seen.add(message)
            yield Finding(
                Kind.MOVED,
                Say.of("Message {0} stands after message {1} in the prompt.", message + 1, latest + 1),
                Say.of("The template writes messages in another order than you sent them."),
                message,
            )
        latest = max(latest, message)


def date(prompt: Prompt) -> Iterator[Finding]:
    """A date that the template writes."""
    for text in dict.fromkeys(prompt.rendering.dates):
        yield Finding(
            Kind.DATE,
            Say.of("The template writes a date: {0:q}.", text),
            Say.of("The same messages give another prompt on another day."),
        )


def _texts(content: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """The texts of a message's content: one, or those of its typed parts."""
    if isinstance(content, str):
        yield path, content
    elif isinstance(content, list):
        for index, part in enumerate(content):
            if isinstance(part, dict) and isinstance(part.get("text"), str):
                yield (*path, index, "text"), part["text"]


def _spelled(prompt: Prompt, index: int) -> str:
    """A token as it stands in the prompt's text."""
    token = prompt.tokens[index]
    return prompt.text[token.start : token.end] or token.piece


LOOKS: Final[tuple[Callable[[Prompt], Iterator[Finding]], ...]] = (
    *(control, bos_twice, no_question, left_out),
    *(straddles, moved, date),
)

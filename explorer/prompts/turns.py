"""A prompt beside another text: whether it is the beginning of the next prompt, and where another program's text parts.

A server keeps the keys and values of the tokens that a model has read and written. The next prompt can use them as
far as its ids are the same. What the model wrote is taken as the ids that its text is cut into: its content; with
reasoning or tool calls, what the template writes for it while it is the last message. An answer with `token_ids`, as
training records have them, is taken as these ids.

Some programs don't run a template: `llama_chat_apply_template` of llama.cpp compares it with those that it knows, and
writes a format of its own. Such a text is compared with the prompt's (`parting`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

from explorer.analysis.ownership import common
from explorer.errors import InputError
from explorer.prompts.findings import line_at
from explorer.prompts.messages import REASONING
from explorer.prompts.model_input import Prompt, PromptToken
from explorer.text.say import Say, plain

SAMPLED = "token_ids"
"""The field of an answer with the ids that the model really wrote."""


class Break(StrEnum):
    """Why a cache doesn't fit to its end."""

    NONE = "all-kept"
    TOKENS = "cut-differently"
    ASKED = "generation-prompt"
    EARLIER = "earlier-messages"
    ANSWER = "answer-changed"


@dataclass(frozen=True, slots=True)
class NextTurn:
    """An answer, and the prompt after it.

    message: the index of the answer. before: the prompt that asked for it, asked: its text without the generation
    prompt. answer: what the model wrote, answer_ids: its ids. after: the prompt with the answer and the messages up to
    the next answer. kept: how many of the ids in the cache the next prompt begins with. text_kept: the same of the
    characters. stripped_kept: the kept ids of an answer without white space around it, None if it has none there.
    """

    message: int
    before: Prompt
    asked: str
    answer: str
    answer_ids: list[int]
    after: Prompt
    kept: int
    text_kept: int
    stripped_kept: tuple[int, int] | None = None

    @property
    def cached(self) -> list[int]:
        """The ids in the cache."""
        return [*self.before.ids, *self.answer_ids]

    @property
    def cause(self) -> Break:
        """Why no more ids are kept."""
        if self.kept == len(self.cached):
            return Break.NONE
        if self.text_kept == len(self.before.text) + len(self.answer):
            return Break.TOKENS
        if self.text_kept >= len(self.before.text):
            return Break.ANSWER
        return Break.ASKED if self.text_kept >= len(self.asked) else Break.EARLIER

    @property
    def preserving(self) -> list[int] | None:
        """The next prompt with the ids in the cache as they are; None where it doesn't begin with their text."""
        cached = self.before.text + self.answer
        if not self.after.text.startswith(cached):
            return None
        return [*self.cached, *_ids(self.after, self.after.text[len(cached) :])]

    @property
    def parting(self) -> PromptToken | None:
        """The token of the next prompt at which the cache ends, None if all is kept or the prompt ends there."""
        whole = self.kept == len(self.cached) or self.kept >= len(self.after.tokens)
        return None if whole else self.after.tokens[self.kept]

    @property
    def recomputed(self) -> int:
        """How many ids of the next prompt are computed again or for the first time."""
        return len(self.after.ids) - self.kept

    @property
    def sentence(self) -> Say:
        """How many ids are kept, and why no more are."""
        count = len(self.cached)
        if self.kept == count:
            return Say("After message {0}, all {1} ids in the cache are kept.", self.message + 1, count)
        kept = Say("After message {0}, {1} of {2} ids in the cache are kept.", self.message + 1, self.kept, count)
        return kept.then(self.why)

    @property
    def headline(self) -> Say:
        """The same, in short: where the cache ends."""
        count = len(self.cached)
        if self.kept == count:
            return Say("All {0} tokens in the cache are kept.", count)
        kept = Say("Of {0} tokens in the cache {1} are kept", count, self.kept)
        if self.cause is Break.TOKENS and self.kept < len(self.before.ids) and self._leading:
            return Say("{0}: the answer began with {1:q}.", kept, self._leading)
        return Say("{0}.", kept)

    @property
    def _leading(self) -> str:
        return self.answer[: len(self.answer) - len(self.answer.lstrip())]

    @property
    def why(self) -> Say:
        """What breaks the cache."""
        cause, token = self.cause, self.parting
        if cause is Break.NONE:
            return Say("Prompt and answer are the beginning of the next prompt.")
        if cause is Break.TOKENS:
            if token is None:
                return Say("As text the next prompt begins the same, and ends sooner.")
            return Say(
                "As text the next prompt begins the same; its tokens are cut differently there: {0:q} is one token, id "
                "{1:i}, and the cache has id {2:i} in its place.",
                self.after.spelled(self.kept),
                token.id,
                self.cached[self.kept],
            )
        if cause is Break.ASKED:
            rest = self.before.text[self.text_kept :]
            return Say(
                "The template asks for the answer with {0:q}, and doesn't write that before an answer that is there.",
                rest if len(rest) <= 60 else rest[:60] + "…",
            )
        if cause is Break.EARLIER:
            author = self._author()
            if author is None:
                return Say("The template writes earlier messages differently once there is an answer.")
            return Say("The template writes message {0} differently once there is an answer.", author + 1)
        at = self.text_kept - len(self.before.text)
        if not at and (inserted := self._inserted):
            return Say(
                "In front of the answer the next prompt has {0:q}; the prompt that asked for it ended without.",
                inserted,
            )
        lost = self.answer[at:]
        if lost and not lost.strip():
            return Say(
                "The template doesn't write the answer as the model did: it drops the white space {0:q} at its end.",
                lost,
            )
        if not at and self._leading and self.after.text[self.text_kept :].startswith(self.answer.lstrip()[:20]):
            return Say(
                "The template doesn't write the answer as the model did: it drops {0:q} at its beginning.",
                self._leading,
            )
        return Say(
            "The template doesn't write the answer as the model did: after {0} of its {1} characters the next prompt "
            "goes on differently.",
            at,
            len(self.answer),
        )

    @property
    def _inserted(self) -> str:
        """What the template writes between the prompt that asked and the answer; "" if that isn't clear."""
        rest, begins = self.after.text[self.text_kept :], self.answer.lstrip()[:20]
        place = rest.find(begins) if begins else -1
        inserted = rest[:place].removesuffix(self._leading) if place > 0 else ""
        return inserted if inserted.strip() and len(inserted) <= 60 else ""

    def _author(self) -> int | None:
        """The message that wrote the character before the answer at which the texts part."""
        return next((o.message for o in self.before.rendering.origins if o.start <= self.text_kept < o.end), None)

    @property
    def cost(self) -> Say:
        """What is computed again."""
        lost = len(self.cached) - self.kept
        if not lost:
            return Say("{0} tokens are computed, those after the answer.", self.recomputed)
        return Say(
            "{0} tokens are computed instead of {1}: the cache is of no use from the first token that differs on.",
            self.recomputed,
            max(0, self.recomputed - lost),
        )

    @property
    def remedy(self) -> Say | None:
        """What would keep the cache, None if all is kept."""
        if self.cause is Break.NONE:
            return None
        found = None
        if self.stripped_kept and self.stripped_kept[0] == self.stripped_kept[1]:
            found = Say(
                "An answer without the white space around it: all {0} ids are kept.",
                self.stripped_kept[0],
            )
        if self.cause is Break.TOKENS:
            ids = Say("Ids, not text, carried from turn to turn.")
            return found.then(ids) if found else ids
        return found or Say("A template that writes earlier turns as the model read and wrote them.")


def next_turns(prompt: Prompt, most: int | None = None) -> Iterator[NextTurn]:
    """The turns of a prompt: one for each answer with a text. Raises InputError where a part can't be rendered.

    most: only so many of the last ones, because each renders and encodes what comes before it.
    """
    messages = prompt.call.messages
    answers = [index for index, message in enumerate(messages) if message.get("role") == "assistant"]
    written = [
        index
        for index in answers
        if index and (isinstance(messages[index].get("content"), str) or messages[index].get("tool_calls"))
    ]
    for index in written[-most:] if most else written:
        yield _turn(prompt, index, next((each for each in answers if each > index), len(messages)))


def _turn(prompt: Prompt, index: int, end: int) -> NextTurn:
    messages = prompt.call.messages
    before = prompt.before(index)
    asks = end < len(messages) or prompt.call.add_generation_prompt
    after = prompt.before(end) if asks else _part(prompt, messages[:end], asks=False)
    try:
        asked = _part(prompt, messages[:index], asks=False).text
    except InputError:
        asked = ""
    answer, answer_ids = _answer(prompt, index, before), messages[index].get(SAMPLED)
    if answer_ids is None:
        answer_ids = _ids(prompt, answer)
    else:
        if not isinstance(answer_ids, list) or not all(type(each) is int for each in answer_ids):
            raise InputError(f"messages[{index}].{SAMPLED} is no list of ids; give whole numbers.")
        try:
            answer = prompt.tokenizer.decode(answer_ids, remove_special=False)
        except InputError as error:
            raise InputError(f"messages[{index}].{SAMPLED}: {error}") from None
    found = NextTurn(
        index,
        before,
        before.text[: common(before.text, asked)],
        answer,
        answer_ids,
        after,
        common([*before.ids, *answer_ids], after.ids),
        common(before.text + answer, after.text),
    )
    stripped = answer.strip()
    if (
        found.cause is Break.NONE
        or stripped == answer
        or SAMPLED in messages[index]
        or answer != messages[index].get("content")
    ):
        return found
    changed = [*messages[:index], {**messages[index], "content": stripped}, *messages[index + 1 : end]]
    cached = [*before.ids, *_ids(prompt, stripped)]
    kept = common(cached, _part(prompt, changed, asks=asks).ids)
    return replace(found, stripped_kept=(kept, len(cached)))


def _answer(prompt: Prompt, index: int, before: Prompt) -> str:
    """What the model wrote."""
    message = prompt.call.messages[index]
    content = message.get("content") or ""
    if not message.get("tool_calls") and not any(message.get(name) for name in REASONING):
        return str(content)
    try:
        whole = _part(prompt, prompt.call.messages[: index + 1], asks=False)
    except InputError:
        return str(content)
    written = [origin.end for origin in whole.rendering.origins if origin.message == index]
    if not written or not whole.text.startswith(before.text):
        return str(content)
    return whole.text[len(before.text) : max(written)]


def _ids(prompt: Prompt, text: str) -> list[int]:
    return prompt.tokenizer.encode(text, add_special=False).ids


def _part(prompt: Prompt, messages: Any, *, asks: bool) -> Prompt:
    """The prompt of other messages."""
    return prompt.changed(messages=messages, add_generation_prompt=asks, continue_final="")


def turn_record(turn: NextTurn) -> Mapping[str, Any]:
    """A turn as data."""
    return {
        "message": turn.message,
        "cached": len(turn.cached),
        "kept": turn.kept,
        "text_kept": turn.text_kept,
        "prompt": len(turn.before.ids),
        "next_prompt": len(turn.after.ids),
        "prefix_preserving": turn.preserving,
        "cause": turn.cause.value,
        "sentence": plain(turn.sentence),
        "cost": plain(turn.cost),
        "remedy": plain(turn.remedy) if turn.remedy else None,
    }


SHOWN = 20
"""Characters of each side that a sentence quotes."""


class Parting(NamedTuple):
    """Where a text parts from a prompt.

    at: the index of the prompt's first token that differs, in characters. line: of the template that writes it, 0 if a
    message does, or nothing. message: the message that does, None for the template. ours, theirs: what follows.
    """

    at: int
    line: int
    message: int | None
    ours: str
    theirs: str

    @property
    def sentence(self) -> Say:
        """Where they part."""
        if not self.ours:
            return Say("The prompt ends at character {0}; the other text goes on with {1:q}.", self.at, self.theirs)
        if self.line:
            who = Say("line {0:i} of the template writes {1:q}", self.line, self.ours)
        elif self.message is not None:
            who = Say("message {0} has {1:q}", self.message + 1, self.ours)
        else:
            who = Say("the prompt has {0:q}", self.ours)
        if not self.theirs:
            return Say("The other text ends at character {0}, where {1}.", self.at, who)
        return Say("At character {0}, {1}; the other text has {2:q}.", self.at, who, self.theirs)


def parting(prompt: Prompt, text: str) -> Parting | None:
    """Where a text parts from a prompt; None if they are equal.

    >>> import explorer
    >>> from explorer.text.say import plain
    >>> hello = explorer.load("qwen2.5").prompt([{"role": "user", "content": "Hi"}], "ours:chatml")
    >>> plain(parting(hello, "<|im_start|>user\\nHi").sentence)
    'The other text ends at character 19, where line 2 of the template writes “<|im_end|>\\n<|im_star”.'
    """
    at = common(prompt.text, text)
    if at == len(prompt.text) == len(text):
        return None
    # two tokens may begin with the same character
    at = next((token.start for token in prompt.tokens if token.start <= at < token.end), at)
    origin = next((each for each in prompt.rendering.origins if each.start <= at < each.end), None)
    message = origin.message if origin is not None else None
    line = line_at(prompt, at) if message is None else 0
    return Parting(at, line, message, prompt.text[at : at + SHOWN], text[at : at + SHOWN])

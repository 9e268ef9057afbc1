"""Whether a prompt is the beginning of the next one: what a cache of the model's own tokens still fits.

A server keeps the keys and values of the tokens that a model has read and written. The next prompt can use them as far
as its ids are the same. What the model wrote is taken as the ids that its text is cut into.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from explorer.prompts.prompt import Prompt
from explorer.text.say import Say


@dataclass(frozen=True, slots=True)
class NextTurn:
    """An answer, and the prompt after it.

    message: the index of the answer. before: the prompt that asked for it. answer_ids: the answer's. after: the prompt
    with the answer and the messages up to the next answer. kept: how many of the ids in the cache the next prompt
    begins with. text_kept: the same of the characters.
    """

    message: int
    before: Prompt
    answer_ids: list[int]
    after: Prompt
    kept: int
    text_kept: int

    @property
    def cached(self) -> list[int]:
        """The ids in the cache."""
        return [*self.before.ids, *self.answer_ids]

    @property
    def sentence(self) -> Say:
        """How many ids are kept, and why no more are."""
        count = len(self.cached)
        if self.kept == count:
            return Say.of("After message {0}, all {1} ids in the cache are kept.", self.message + 1, count)
        kept = Say.of("After message {0}, {1} of {2} ids in the cache are kept.", self.message + 1, self.kept, count)
        answer = str(self.after.call.messages[self.message].get("content"))
        if self.text_kept == len(self.before.text) + len(answer):
            return kept.then(Say.of("As text the next prompt begins the same; its tokens are cut differently there."))
        if self.text_kept < len(self.before.text):
            return kept.then(Say.of("The template writes earlier messages differently once there is an answer."))
        return kept.then(Say.of("The template doesn't write the answer as the model did."))


def next_turns(prompt: Prompt) -> Iterator[NextTurn]:
    """The turns of a prompt: one for each answer with a text. Raises InputError where a part can't be rendered."""
    messages = prompt.call.messages
    answers = [index for index, message in enumerate(messages) if message.get("role") == "assistant"]
    for index in answers:
        content = messages[index].get("content")
        if index == 0 or not isinstance(content, str):
            continue
        end = next((each for each in answers if each > index), len(messages))
        before = _part(prompt, index, asks=True)
        after = _part(prompt, end, asks=end < len(messages) or prompt.call.add_generation_prompt)
        answer_ids = prompt.tokenizer.encode(content, add_special=False).ids
        yield NextTurn(
            index,
            before,
            answer_ids,
            after,
            _common([*before.ids, *answer_ids], after.ids),
            _common(before.text + content, after.text),
        )


def _part(prompt: Prompt, end: int, *, asks: bool) -> Prompt:
    """The prompt of the first messages."""
    return prompt.changed(messages=prompt.call.messages[:end], add_generation_prompt=asks, continue_final="")


def _common(one: list[int] | str, other: list[int] | str) -> int:
    """How many items two lists, or two texts, begin with in common.

    >>> _common("abc", "abd")
    2
    """
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))

"""Which tokens of a prompt a fine-tuning trains on: three ways to make a loss mask, and why one may be empty.

By its tags: what `{% generation %}` marks, as `return_assistant_tokens_mask` of `transformers` gives it. By who wrote
it: tokens of which the assistant's messages wrote a part. After a text: what follows the last occurrence of a response
template's ids, as TRL's `DataCollatorForCompletionOnlyLM` looks for it.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, reduce
from typing import Any

from explorer.analysis.ownership import common
from explorer.errors import InputError
from explorer.prompts.model_input import Prompt
from explorer.text.say import Say, plain

ASSISTANT = "assistant"
TAG = re.compile(r"\{%[-+]?\s*generation\b")


class Way(StrEnum):
    """A way to make a mask."""

    TAGS = "tags"
    AUTHOR = "author"
    AFTER = "after"


class Search(StrEnum):
    """What became of the search for a response template's ids."""

    FOUND = "found"
    EMPTY = "empty"
    ABSENT = "absent"
    END = "end-joined"
    START = "start-differs"
    INSIDE = "cut-differently"


@dataclass(frozen=True)
class ResponseTemplate:
    """A text after which is trained, and where its ids occur in a prompt.

    token: the index of the prompt's token that stands in the way, where the text occurs but its ids don't.
    """

    prompt: Prompt
    text: str

    @cached_property
    def ids(self) -> list[int]:
        """The ids that the text alone has."""
        return self.prompt.tokenizer.encode(self.text, add_special=False).ids if self.text else []

    @cached_property
    def places(self) -> list[int]:
        """Where the ids begin."""
        return self.prompt.find(self.ids)

    @cached_property
    def _region(self) -> tuple[int, int] | None:
        """The tokens that share a character with the last occurrence of the text, [start, end)."""
        at = self.prompt.text.rfind(self.text) if self.text else -1
        region = self.prompt.tokens_in(at, at + len(self.text)) if at >= 0 else (0, 0)
        return region if region[1] else None

    @cached_property
    def _outcome(self) -> tuple[Search, int | None]:
        if not self.ids:
            return Search.EMPTY, None
        if self.places:
            return Search.FOUND, None
        if self._region is None:
            return Search.ABSENT, None
        start, end = self._region
        tokens, at = self.prompt.tokens, self.prompt.text.rfind(self.text)
        if tokens[start].start < at or tokens[start].id != self.ids[0]:
            return Search.START, start
        if tokens[end - 1].end > at + len(self.text):
            return Search.END, end - 1
        return Search.INSIDE, start + common(self.prompt.ids[start:end], self.ids)

    @property
    def search(self) -> Search:
        """What became of the search."""
        return self._outcome[0]

    @property
    def token(self) -> int | None:
        """The token of the prompt that stands in the way."""
        return self._outcome[1]

    @cached_property
    def working_ids(self) -> list[int]:
        """Ids inside the text as the prompt cuts it, which are found; none if there are none."""
        if self._region is None:
            return []
        at, tokens = self.prompt.text.rfind(self.text), self.prompt.tokens
        inside = range(*self._region)
        ids = [tokens[i].id for i in inside if tokens[i].start >= at and tokens[i].end <= at + len(self.text)]
        return ids if ids and ids != self.ids else []

    @property
    def sentence(self) -> Say:
        """Whether the ids are found, and why not."""
        ids = " ".join(map(str, self.ids))
        if self.search is Search.FOUND:
            times = len(self.places)
            if times == 1:
                return Say("The ids {0:t} occur once: what follows is trained.", ids)
            return Say("The ids {0:t} occur {1} times: what follows the last one is trained.", ids, times)
        if self.search is Search.EMPTY:
            return Say("There is no text to look for.")
        if self.search is Search.ABSENT:
            return Say("The text {0:q} does not occur in the prompt.", self.text)
        assert self.token is not None
        token, spelled = self.prompt.tokens[self.token], self.prompt.spelled(self.token)
        if self.search is Search.END:
            span = self.prompt.tokenizer.encode(self.text, add_special=False).spans[-1]
            last = self.text[span[0] : span[1]] if span else ""
            return Say(
                "The ids {0:t} do not occur: the prompt has {1:q} there, id {2:i}, where the text alone ends with "
                "{3:q}, id {4:i}.",
                ids,
                spelled,
                token.id,
                last,
                self.ids[-1],
            )
        if self.search is Search.START:
            return Say(
                "The ids {0:t} do not occur: alone the text begins with {1:q}, id {2:i}; in the prompt it begins with "
                "{3:q}, id {4:i}.",
                ids,
                self.prompt.tokenizer.vocabulary.spelling(self.ids[0]),
                self.ids[0],
                token.piece,
                token.id,
            )
        return Say(
            "The ids {0:t} do not occur: the prompt cuts the text differently, from {1:q}, id {2:i}, on.",
            ids,
            spelled,
            token.id,
        )

    @property
    def remedy(self) -> Say | None:
        """Which ids are found instead."""
        if self.token is None or not self.working_ids:
            return None
        return Say("In this prompt the ids {0:t} are found.", " ".join(map(str, self.working_ids)))


@dataclass(frozen=True, slots=True)
class Mask:
    """A mask: 1 for each trained token.

    sentence: what it trains. reason: why it is what it is. warns: whether something is wrong with it.
    """

    way: Way
    mask: Sequence[int]
    sentence: Say
    reason: Say
    warns: bool = False

    @property
    def count(self) -> int:
        """How many tokens are trained."""
        return sum(self.mask)


@dataclass(frozen=True)
class LossMasks:
    """The masks of a prompt. response: the text after which is trained."""

    prompt: Prompt
    response: ResponseTemplate

    @cached_property
    def masks(self) -> Mapping[Way, Mask]:
        """A mask for each way."""
        return {Way.TAGS: self._by_tags(), Way.AUTHOR: self._by_author(), Way.AFTER: self._after()}

    def _by_tags(self) -> Mask:
        mask = self.prompt.mask()
        if any(mask):
            return self._judged(Way.TAGS, mask)
        others = sum(self.prompt.author_mask())
        by_author = Say("By who wrote it, {0} tokens would be trained.", others)
        if not TAG.search(self.prompt.rendering.source):
            why = Say("It has no generation tags: transformers returns only zeros.")
        elif self.prompt.marks is not None or self.prompt.engine != "transformers":
            why = Say("Its generation tags are not followed here: only transformers makes a mask of them.")
        else:
            why = Say("Its generation tags mark nothing in these messages: transformers returns only zeros.")
        return Mask(
            Way.TAGS,
            mask,
            Say("This template marks nothing to train."),
            why.then(by_author) if others else why,
            warns=bool(others),
        )

    def _by_author(self) -> Mask:
        mask = self.prompt.author_mask()
        if any(mask):
            return self._judged(Way.AUTHOR, mask)
        return Mask(
            Way.AUTHOR,
            mask,
            Say("Nothing is trained."),
            Say("No message of the assistant wrote a token of this prompt."),
        )

    def _after(self) -> Mask:
        found = self.response
        mask = [0] * len(self.prompt.ids)
        if found.search is not Search.FOUND:
            reason = found.sentence.then(found.remedy) if found.remedy else found.sentence
            return Mask(Way.AFTER, mask, Say("Nothing is trained: the ids are not found."), reason, warns=True)
        start = found.places[-1] + len(found.ids)
        mask[start:] = [1] * (len(mask) - start)
        return self._judged(Way.AFTER, mask, found.sentence)

    def _judged(self, way: Way, mask: list[int], reason: Say | None = None) -> Mask:
        """A mask that isn't empty, with what is wrong with it."""
        count = Say("{0} of {1} tokens are trained", sum(mask), len(mask))
        sentence, warns = Say("{0}.", count), True
        if edge := self._edge(mask):
            index, where = edge
            spelled = self.prompt.spelled(index)
            sentence = Say("{0}. The {1:t}, {2:q}, is partly the template's.", count, where, spelled)
            reason = self._halves(index)
        elif not any(mask):
            reason = reason or Say("Nothing follows the text.")
        elif not self._learns_to_stop(mask):
            stops = Say("The end of the turn is not among them: the model doesn't learn to stop.")
            reason = reason.then(stops) if reason else stops
        else:
            reason, warns = reason or Say("The end of the turn is among them."), False
        return Mask(way, mask, sentence, reason, warns)

    def _edge(self, mask: Sequence[int]) -> tuple[int, str] | None:
        """A trained token at an edge of a stretch that the template and a message wrote together, and which edge."""
        for index, trained in enumerate(mask):
            authors = self.prompt.tokens[index].authors
            if not trained or len(authors) < 2 or None not in authors:
                continue
            if index == 0 or not mask[index - 1]:
                return index, "first"
            if index + 1 == len(mask) or not mask[index + 1]:
                return index, "last"
        return None

    def _halves(self, index: int) -> Say:
        """Who wrote which part of a token."""
        token = self.prompt.tokens[index]
        said = []
        for origin in token.origins:
            part = self.prompt.text[max(origin.start, token.start) : min(origin.end, token.end)]
            if origin.message is None:
                said.append(Say("the template wrote {0:q}", part))
            else:
                said.append(Say("message {0} wrote {1:q}", origin.message + 1, part))
        parts = reduce(lambda one, other: Say("{0}, {1}", one, other), said)
        return Say("In id {0:i} {1}.", token.id, parts)

    def _learns_to_stop(self, mask: Sequence[int]) -> bool:
        """Whether the special token after each message of the assistant is trained, where there is one."""
        tokens, vocabulary = self.prompt.tokens, self.prompt.tokenizer.vocabulary
        roles = [message.get("role") for message in self.prompt.call.messages]
        for index in range(1, len(tokens)):
            message = tokens[index - 1].authors[-1]
            ends = message is not None and roles[message] == ASSISTANT and tokens[index].authors == (None,)
            if ends and mask[index - 1] and vocabulary.is_special(tokens[index].id) and not mask[index]:
                return False
        return True


def loss_masks(prompt: Prompt, response: str | None = None) -> LossMasks:
    """The masks of a prompt's messages, without the question for an answer, which no training text holds.

    response: the text after which is trained; None: what the template asks for an answer with.

    >>> import explorer
    >>> chat = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    >>> found = loss_masks(explorer.load("qwen2.5").prompt(chat, "ours:chatml", add_generation_prompt=False))
    >>> [(way.value, mask.count) for way, mask in found.masks.items()]
    [('tags', 0), ('author', 1), ('after', 3)]
    """
    response = response_text(prompt) if response is None else response
    with suppress(InputError):
        prompt = prompt.changed(add_generation_prompt=False, continue_final="")
    return LossMasks(prompt, ResponseTemplate(prompt, response))


def response_text(prompt: Prompt) -> str:
    """What the template asks for an answer with, "" if it doesn't."""
    try:
        asks, silent = (prompt.changed(add_generation_prompt=each, continue_final="").text for each in (True, False))
    except InputError:
        return ""
    return asks[len(silent) :] if asks.startswith(silent) else ""


def masks_record(found: LossMasks) -> dict[str, Any]:
    """The masks as data."""
    return {
        "response_template": {
            "text": found.response.text,
            "ids": found.response.ids,
            "found": found.response.places,
            "search": found.response.search.value,
            "sentence": plain(found.response.sentence),
            "working_ids": found.response.working_ids,
        },
        "masks": {
            way.value: {
                "mask": list(mask.mask),
                "trained": mask.count,
                "sentence": plain(mask.sentence),
                "reason": plain(mask.reason),
            }
            for way, mask in found.masks.items()
        },
    }

"""A prompt beside a text that a server or another program has: the first place where they part, and who wrote it.

Some programs don't run a template: `llama_chat_apply_template` of llama.cpp compares it with those that it knows, and
writes a format of its own.
"""

from __future__ import annotations

from typing import NamedTuple

from explorer.prompts.prompt import Prompt
from explorer.prompts.turns import common
from explorer.text.say import Say

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
            return Say.of("The prompt ends at character {0}; the other text goes on with {1:q}.", self.at, self.theirs)
        if self.line:
            who = Say.of("line {0:i} of the template writes {1:q}", self.line, self.ours)
        elif self.message is not None:
            who = Say.of("message {0} has {1:q}", self.message + 1, self.ours)
        else:
            who = Say.of("the prompt has {0:q}", self.ours)
        if not self.theirs:
            return Say.of("The other text ends at character {0}, where {1}.", self.at, who)
        return Say.of("At character {0}, {1}; the other text has {2:q}.", self.at, who, self.theirs)


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
    writes = [step for step in prompt.rendering.steps if step.start <= at < step.end]
    line = prompt.rendering.operands[writes[0].operand].line if writes and message is None else 0
    return Parting(at, line, message, prompt.text[at : at + SHOWN], text[at : at + SHOWN])

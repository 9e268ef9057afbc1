"""A prompt in a notebook: the rows of the page, and what was found."""

from __future__ import annotations

from itertools import islice

from explorer.notebook import TEMPLATE, Written, prompt_html
from explorer.prompts.prompt import Prompt, PromptToken
from explorer.text.say import plain, plural
from explorer.views.prompt.tokens import BEFORE, THEN, rows_of

MOST_FINDINGS = 5
"""The most findings that are listed."""
OTHERS = {BEFORE: "before", THEN: "then"}
"""The labels of rows that aren't a message's."""


def html(prompt: Prompt) -> str:
    """A prompt as HTML.

    >>> import explorer
    >>> hello = explorer.load("qwen2.5").prompt([{"role": "user", "content": "Hi <b>"}], "ours:chatml")
    >>> "<bdi>␣&lt;</bdi>" in html(hello)
    True
    """
    rows: dict[int, list[Written]] = {}
    for token, row in zip(prompt.tokens, rows_of(prompt), strict=True):
        rows.setdefault(row, []).append(written(prompt, token))
    messages = prompt.call.messages
    labels = {row: OTHERS.get(row) or str(messages[row].get("role")) for row in rows}
    findings = prompt.findings
    says = [plain(each.sentence) for each in islice(findings, MOST_FINDINGS)]
    if len(findings) > MOST_FINDINGS:
        says.append(f"{plural(len(findings) - MOST_FINDINGS, 'more finding')}.")
    return prompt_html(
        plural(len(prompt.tokens), "token"),
        [(labels[row], plural(len(tokens), "token"), tokens) for row, tokens in rows.items()],
        says,
    )


def written(prompt: Prompt, token: PromptToken) -> Written:
    """One token, with the roles of its authors."""
    roles = [TEMPLATE if each is None else str(prompt.call.messages[each].get("role")) for each in token.authors]
    text = prompt.text[token.start : token.end] or token.piece
    return Written(token.id, text, roles, prompt.tokenizer.vocabulary.is_special(token.id))

"""The tokens of the Prompt page: every one in its author's row, and the counts of the rows."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from explorer.errors import InputError
from explorer.prompts.model_input import Prompt, prompt
from explorer.prompts.templates import own_templates
from explorer.views.examples import CONVERSATIONS, FIRST_CONVERSATION
from explorer.views.prompt.tokens import (
    BEFORE,
    MOST_CELLS,
    THEN,
    cells,
    lines_of,
    row_counts,
    segments_of,
    sent,
    strip_of,
)
from tests.bundled import bundled

ALL = list(itertools.product(CONVERSATIONS, own_templates()))


def made(call: Any, template: str = "chatml", model: str = "qwen2.5", **changes: Any) -> Prompt:
    return prompt(bundled(model), call, f"ours:{template}", **changes)


@pytest.mark.parametrize(("example", "template"), ALL, ids=[f"{each.label} {name}" for each, name in ALL])
@pytest.mark.parametrize("model", ["qwen2.5", "llama-2"])
def test_every_token_is_there_once_in_the_row_of_who_wrote_it(example: Any, template: str, model: str) -> None:
    try:
        found = made(example.call, template, model)
    except InputError:
        return
    shown = cells(found)
    assert [(cell["n"], cell["id"]) for cell in shown] == list(enumerate(found.ids))
    messages = found.call.messages
    for cell, token in zip(shown, found.tokens, strict=True):
        authors = [each for each in token.authors if each is not None]
        assert cell["m"] == (authors[0] if authors else -1)
        assert cell["row"] in (cell["m"], *(() if authors else (BEFORE, THEN, *range(len(messages)))))
        assert ("parts" in cell) == (len(token.authors) > 1)
        if authors:
            roles = {"developer": "system"}
            role = messages[authors[0]]["role"]
            assert cell["who"] == roles.get(role, role)
    counts = row_counts(shown)
    assert sum(row.all for row in counts) == len(found.ids)
    assert all(row.all == row.own + row.template + row.both for row in counts)
    assert len(strip_of(shown)) == len(found.ids)
    assert [end for _, _, end in segments_of(shown)][-1:] == [len(found.ids)]
    assert sent(shown, counts) == shown
    statements, numbers = lines_of(found, range(len(found.ids)))
    assert len(numbers) == len(found.ids)
    for number, token in zip(numbers.values(), found.tokens, strict=True):
        assert (number >= 0) == bool(token.origins)
    for line, statement, start, end in statements:
        assert statement[start:end].strip() or statement.isspace() or start == end
        assert statement[start:end].split(" ")[0] in found.rendering.source.splitlines()[line - 1] or "\n" in statement


def test_the_example_that_the_page_opens_with() -> None:
    """By eye, as the mock has it: 57 tokens, 5 + 5, 5 + 5, 10 + 4 and 1 of both, 14 + 5, 0 + 3."""
    found = made(FIRST_CONVERSATION.call)
    rows = row_counts(cells(found))
    assert [(row.row, row.own, row.template, row.both) for row in rows] == [
        (0, 5, 5, 0), (1, 5, 5, 0), (2, 10, 4, 1), (3, 14, 5, 0), (THEN, 0, 3, 0)
    ]  # fmt: skip
    assert strip_of(cells(found)) == "...sssss.....uuuuu....A" + "a" * 10 + "....." + "u" * 14 + "....."
    (control,) = {cell["n"] for cell in cells(found) if cell["m"] == 3 and cell["id"] == 151645}
    statements, numbers = lines_of(found, range(len(found.ids)))
    line, statement, start, end = statements[numbers[control]]
    assert (line, statement[start:end]) == (2, "message.content")


def test_a_message_without_a_text_keeps_the_turn_that_the_template_writes_for_it() -> None:
    found = cells(made([{"role": "user", "content": "a"}, {"role": "assistant", "content": ""}]))
    turns = [[cell["t"] for cell in found if cell["row"] == row] for row in (0, 1)]
    assert [turn[0] for turn in turns] == ["<|im_start|>", "<|im_start|>"]
    assert turns[1][1] == "assistant"


def test_what_the_template_writes_by_itself_has_a_row() -> None:
    source = "{{- 'You are kind and brief, always.\\n' }}{%- for m in messages %}{{- m.content }}{%- endfor %}"
    found = prompt(bundled("qwen2.5"), [{"role": "user", "content": "Hi"}], source=source)
    rows = row_counts(cells(found))
    assert [row.row for row in rows] == [BEFORE, 0]
    assert rows[1].all == 1


def test_of_a_long_prompt_each_row_is_cut_and_says_how_many_follow() -> None:
    shown = cells(made([{"role": "user", "content": "a " * 4000}, {"role": "user", "content": "b"}]))
    counts = row_counts(shown)
    drawn = sent(shown, counts)
    assert len(drawn) <= MOST_CELLS < len(shown) == sum(row.all for row in counts)
    for row in counts:
        assert [cell["n"] for cell in drawn if cell["row"] == row.row] == [
            cell["n"] for cell in shown if cell["row"] == row.row
        ][: row.shown]

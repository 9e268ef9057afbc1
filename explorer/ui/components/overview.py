"""The top of the Explore page: the text in its tokens, and the row of stages.

The browser draws both from one message and reports nothing but the stage that was chosen. What is selected here is
marked in every other component of the page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import streamlit as st

from explorer.ui.components.assets import mounted
from explorer.views.components import OVERVIEW

_mount = mounted("explorer_overview", OVERVIEW)


class Hint(NamedTuple):
    """Words beside the text. level: of detail that they speak of. warning: instead of them."""

    words: str = ""
    level: str = ""
    warning: str = ""


NO_HINT: Final = Hint()


def overview(
    tokens: Sequence[Mapping[str, Any]],
    stages: Sequence[Mapping[str, Any]],
    *,
    focus: str,
    content_id: str,
    key: str,
    ids: str,
    outside: tuple[int, int] = (0, 0),
    asked: int | None = None,
    answer: Mapping[str, Any] | None = None,
    hint: Hint = NO_HINT,
    explains: bool = True,
    opens: str = "",
    leaves: Mapping[str, str] | None = None,
    name: str = "",
    title: str = "",
    border: bool = False,
    lone_space: int | None = None,
    saves: bool = False,
    page: Mapping[str, str] | None = None,
) -> None:
    """Draw the tokens and the stages. What is chosen in the browser is read by `chosen_stage` and `question`.

    tokens: pieces of `views.running_text`. stages: nodes of `views.ribbon` as mappings. focus: the key of the stage
    shown. content_id: names the content, so that the browser redraws only what changed. ids: all of them as JSON.
    outside: how many tokens lie before and after those drawn. asked: the number of the token after which a cut is
    offered to be explained. answer: to the `question`, from `views.why_card`, with the question as `of`.
    hint: what to look for in this text. explains: whether tokens and cuts can be asked about.
    opens: a question that is asked by itself, such as "token 3", after a number that differs each time.
    leaves: where the text can't be changed, the parameters that open it on Explore; a changed spelling leads there.
    border: whether the page draws a border, and other ways, in the place of a stage.
    lone_space: the token of a space at the text's end.
    saves: whether it offers to save a page. page: the file that was asked for (`saved_page.page_for`).
    name: of the tokenizer, on a page that does not say it elsewhere. title: the same, for pictures.

    >>> overview([{"t": "a", "id": 5, "s": 0, "e": 1}], [], focus="model", content_id="a", key="top", ids="[5]")
    ... # doctest: +SKIP
    """
    content = {"tokens": tokens, "stages": stages, "outside": outside, "ids": ids, "asked": asked, "answer": answer}
    _mount(
        key=key,
        data={
            **content,
            "focus": focus,
            "answers": reported_stage(key),
            "content_id": content_id,
            "hint": hint._asdict(),
            "explains": explains,
            "opens": opens,
            "leaves": leaves,
            "name": name,
            "title": title,
            "border": border,
            "lone_space": lone_space,
            "saves": saves,
            "page": page,
        },
        on_stage_change=lambda: None,
        on_question_change=lambda: None,
        on_page_change=lambda: None,
    )


class Question(NamedTuple):
    """What was asked of a token: how it came about, or why there is a cut after it. others: also elsewhere."""

    cut: bool
    number: int
    others: bool = False

    @property
    def kind(self) -> str:
        """As the browser reports it."""
        return "others" if self.others else "cut" if self.cut else "token"


class StageChoice(NamedTuple):
    """A stage that was chosen. clock: when, by the browser's clock, so that the same choice can be made again."""

    key: str
    clock: str


def chosen_stage(key: str) -> StageChoice | None:
    """The stage chosen last in the browser, None before a choice."""
    stage, _, clock = reported_stage(key).partition(" ")
    return StageChoice(stage[:40], clock) if stage else None


def reported_stage(key: str) -> str:
    """What the browser reported last of the stage in focus, which may be anything; "" before a choice."""
    chosen = (st.session_state.get(key) or {}).get("stage")
    return chosen[:80] if isinstance(chosen, str) else ""


def question(key: str, content_id: str) -> Question | None:
    """What is asked about this content; a question about another content is none."""
    return read_question((st.session_state.get(key) or {}).get("question"), content_id)


def read_question(asked: object, content_id: str) -> Question | None:
    """The question in what the browser reports, which may be anything.

    >>> read_question("cut 3 ab", "ab"), read_question("cut 3 ab", "cd"), read_question("token x ab", "ab")
    (Question(cut=True, number=3, others=False), None, None)
    """
    found = re.fullmatch(r"(token|cut|others) ([0-9]{1,9}) (\w{1,64})", asked) if isinstance(asked, str) else None
    if found is None or found[3] != content_id:
        return None
    return Question(found[1] != "token", int(found[2]), found[1] == "others")

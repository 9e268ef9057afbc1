"""Why a cache ends where it does: each cause on a template that is built to have it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from explorer.errors import InputError
from explorer.prompts.model_input import prompt
from explorer.prompts.turns import Break, NextTurn, next_turns, turn_record
from explorer.text.say import plain
from explorer.views.prompt.registry import AFTER, drawn
from tests.bundled import bundled
from tests.prompts.test_prompt import CHAT, THOUGHT, THOUGHT_IN_TEXT

AGAIN = CHAT[1]


def turns(messages: Any, template: str = "", **changes: Any) -> list[NextTurn]:
    """The turns of a prompt; template: one of ours, or a source."""
    own = {"template": f"ours:{template}"} if "{" not in template else {"source": template}
    return list(next_turns(prompt(bundled("qwen2.5"), messages, **own, **changes)))


def answered(text: str, **more: Any) -> list[dict[str, Any]]:
    """A conversation with one answer, and a question after it."""
    return [*CHAT[:2], {"role": "assistant", "content": text, **more}, AGAIN]


def test_a_line_break_at_the_beginning_of_an_answer_is_cut_with_the_template_s() -> None:
    (turn,) = turns(answered("\nA cheap way."), "chatml")
    assert turn.cause is Break.TOKENS
    assert turn.parting is not None
    assert turn.parting.authors == (None, 2)
    assert {str(turn.parting.id), str(turn.cached[turn.kept])} <= set(plain(turn.why).replace(",", "").split())
    # the remedy holds: it was computed, and comes out again where the answer is sent without the line break
    (other,) = turns(answered("A cheap way."), "chatml")
    assert turn.stripped_kept == (other.kept, len(other.cached))
    assert other.cause is Break.NONE
    assert str(other.kept) in plain(turn.remedy or turn.why)
    assert turn.recomputed == len(turn.after.ids) - turn.kept
    assert plain(turn.cost).split()[0] == str(turn.recomputed)


def test_a_template_that_strips_an_answer() -> None:
    source = "{% for m in messages %}[{{ m.role }}]{{ m.content | trim }}<|im_end|>{% endfor %}"
    source += "{% if add_generation_prompt %}[assistant]{% endif %}"
    (end,) = turns(answered("A cheap way.  "), source)
    assert end.cause is Break.ANSWER
    assert "“  ”" in plain(end.why)
    (beginning,) = turns(answered("  A cheap way."), source)
    assert beginning.cause is Break.ANSWER
    assert "“  ” at its beginning" in plain(beginning.why)
    for turn in (end, beginning):
        assert turn.stripped_kept is not None
        kept, cached = turn.stripped_kept
        assert kept == cached
        assert str(kept) in plain(turn.remedy or turn.why)


def test_a_generation_prompt_that_past_answers_don_t_have() -> None:
    source = "{% for m in messages %}[{{ m.role }}]{{ m.content }}\n{% endfor %}"
    source += "{% if add_generation_prompt %}[assistant]<think>{% endif %}"
    (turn,) = turns(answered("A cheap way."), source)
    assert turn.cause is Break.ASKED
    assert "<think>" in plain(turn.why)
    assert turn.kept < len(turn.before.ids)


def test_a_template_that_does_not_ask_with_what_it_writes_before_an_answer() -> None:
    source = "{% for m in messages %}[{{ m.role }}]{{ m.content }}\n{% endfor %}"
    (turn,) = turns(answered("A cheap way."), source)
    assert turn.cause is Break.ANSWER
    assert "[assistant]" in plain(turn.why)
    assert turn.after.text[turn.text_kept :].startswith("[assistant]")


def test_a_template_that_rewrites_earlier_messages() -> None:
    source = "{% for m in messages %}[{{ m.role }}]{{ m.content if loop.last else m.content[:3] }}\n{% endfor %}"
    (turn,) = turns(answered("A cheap way."), source)
    assert turn.cause is Break.EARLIER
    assert "message 2" in plain(turn.why)


def test_reasoning_that_is_forgotten() -> None:
    (in_text,) = turns([*CHAT[:2], THOUGHT_IN_TEXT, AGAIN], "trap-forgets-reasoning")
    (apart,) = turns([*CHAT[:2], THOUGHT, AGAIN], "trap-forgets-reasoning")
    # what the model wrote is taken from the template while the answer is the last message
    assert "Hm." in apart.answer
    assert {in_text.cause, apart.cause} <= {Break.ANSWER, Break.ASKED}
    assert len(apart.answer_ids) > 2


def test_every_answer_is_a_turn() -> None:
    chat = [*answered("One."), {"role": "assistant", "content": "Two."}]
    found = turns(chat, "chatml", add_generation_prompt=False)
    assert [turn.message for turn in found] == [2, 4]
    assert found[0].after.ids == found[1].before.ids
    assert all(turn.cause is Break.NONE and turn.remedy is None for turn in found)
    assert all(str(len(turn.cached)) in plain(turn.headline) for turn in found)
    assert turns(CHAT[:2], "chatml") == []
    shown = prompt(bundled("qwen2.5"), chat, "ours:chatml", add_generation_prompt=False)
    assert [turn.message for turn in next_turns(shown, 1)] == [4]


def test_ids_that_were_sampled_are_compared_with_the_next_prompt() -> None:
    tok = bundled("qwen2.5")
    (as_text,) = turns(answered("Hello there"), "chatml")
    assert as_text.cause is Break.NONE
    assert as_text.preserving == as_text.after.ids
    # the same text, in other tokens than the tokenizer's own
    sampled = [id for letter in "Hello there" for id in tok.encode(letter, add_special=False).ids]
    chat = answered("Hello there")
    chat[-2] = chat[-2] | {"token_ids": sampled}
    (turn,) = turns(chat, "chatml")
    assert turn.cached == [*turn.before.ids, *sampled]
    assert turn.cause is Break.TOKENS
    # TRL's rule: the next prompt must begin with what the model read and wrote
    assert turn.after.ids[: len(turn.cached)] != turn.cached
    assert turn.preserving is not None
    assert turn.preserving[: len(turn.cached)] == turn.cached
    assert tok.decode(turn.preserving, remove_special=False) == turn.after.text
    assert turn_record(turn)["prefix_preserving"] == turn.preserving
    cells = drawn(turn, turn.message)["rows"][0]
    assert [cell["id"] for cell in cells if cell["n"] >= turn.kept] == turn.cached[turn.kept : turn.kept + len(cells)][
        :AFTER
    ]


@pytest.mark.parametrize("ids", ["12", [True], [-1], [10**9], [1.5]])
def test_sampled_ids_of_another_kind_name_their_path(ids: Any) -> None:
    chat = answered("Hi")
    chat[-2] = chat[-2] | {"token_ids": ids}
    with pytest.raises(InputError, match=re.escape(f"messages[{len(chat) - 2}].token_ids")):
        turns(chat, "chatml")

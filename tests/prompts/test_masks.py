"""Loss masks, three ways: what each trains, why one is empty, and which ids are found instead."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from explorer.cli import commands
from explorer.cli.main import main
from explorer.prompts.export import masks_export
from explorer.prompts.masks import LossMasks, Search, Way, loss_masks
from explorer.prompts.model_input import prompt
from explorer.text.say import plain
from tests.bundled import bundled
from tests.prompts.test_prompt import CHAT

CLEAN = [*CHAT[:2], {"role": "assistant", "content": "A cheap way."}]


def of(template: str, messages: Any = CLEAN, response: str | None = None, model: str = "qwen2.5") -> LossMasks:
    """The masks of a prompt with one of our templates, or a source."""
    own = {"template": f"ours:{template}"} if "{" not in template else {"source": template}
    return loss_masks(prompt(bundled(model), messages, **own), response)


def trained(found: LossMasks, way: Way) -> str:
    """The text of the trained tokens."""
    marked = zip(found.prompt.tokens, found.masks[way].mask, strict=True)
    return "".join(found.prompt.text[token.start : token.end] for token, one in marked if one)


def test_three_ways_by_eye() -> None:
    found = of("training-mask")
    assert "assistant\n" not in found.prompt.text[-12:]  # no question for an answer
    assert trained(found, Way.TAGS) == "A cheap way.<|im_end|>"
    assert trained(found, Way.AUTHOR) == "A cheap way."
    assert trained(found, Way.AFTER) == "A cheap way.<|im_end|>\n"
    assert found.response.text == "<|im_start|>assistant\n"
    assert [found.masks[way].warns for way in Way] == [False, True, False]
    assert "stop" in plain(found.masks[Way.AUTHOR].reason)
    for mask in found.masks.values():
        assert f"{mask.count} of {len(found.prompt.ids)}" in plain(mask.sentence)


def test_a_token_that_the_template_and_a_message_share() -> None:
    found = of("training-mask", CHAT[:3])
    for way in (Way.TAGS, Way.AUTHOR):
        mask = found.masks[way]
        assert mask.warns
        assert "first" in plain(mask.sentence)
        assert "271" in plain(mask.reason)
        assert "message 3" in plain(mask.reason)
    # the line break of the response template is inside that token
    assert found.response.search is Search.END
    assert found.response.token is not None
    assert found.prompt.ids[found.response.token] == 271
    assert {"271", "198."} <= set(plain(found.response.sentence).replace(",", "").split())
    assert found.masks[Way.AFTER].count == 0


def test_a_template_without_tags() -> None:
    found = of("chatml")
    tags = found.masks[Way.TAGS]
    assert (tags.count, tags.warns) == (0, True)
    assert str(found.masks[Way.AUTHOR].count) in plain(tags.reason)
    assert "no generation tags" in plain(tags.reason)
    nothing = of("training-mask", CHAT[:2])
    assert "mark nothing" in plain(nothing.masks[Way.TAGS].reason)
    assert nothing.masks[Way.AUTHOR].count == 0


def test_a_colon_and_a_line_break_are_one_token() -> None:
    found = of("alpaca", CLEAN, "### Response:")
    assert found.response.search is Search.END
    assert found.response.places == []
    assert found.prompt.find(found.response.working_ids) != []
    assert " ".join(map(str, found.response.working_ids)) in plain(found.response.remedy or found.response.sentence)
    whole = of("alpaca", CLEAN, "### Response:\n")
    assert whole.response.search is Search.FOUND
    assert trained(whole, Way.AFTER).startswith("A cheap way.")


def test_a_text_that_begins_differently_inside_a_prompt() -> None:
    found = of("alpaca", CLEAN, "### Response:", model="llama-2")
    assert found.response.search is Search.START
    assert found.prompt.find(found.response.working_ids) != []
    assert str(found.response.ids[0]) in plain(found.response.sentence)


def test_a_text_that_is_not_there() -> None:
    assert of("chatml", CLEAN, "### Answer").response.search is Search.ABSENT
    empty = of("chatml", CLEAN, "")
    assert (empty.response.search, empty.masks[Way.AFTER].count) == (Search.EMPTY, 0)
    assert of("{{ messages[0].content }}").response.search is Search.EMPTY


def test_the_last_occurrence_counts() -> None:
    chat = [*CLEAN, CHAT[1], {"role": "assistant", "content": "Yes."}]
    found = of("chatml", chat)
    assert len(found.response.places) == 2
    assert trained(found, Way.AFTER) == "Yes.<|im_end|>\n"
    assert "2 times" in plain(found.response.sentence)


def test_the_export_and_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = of("training-mask")
    value = json.loads(masks_export(found).json())
    assert value["format"] == "tokenizer-explorer prompt-training 1"
    assert {way: each["trained"] for way, each in value["masks"].items()} == {
        way.value: mask.count for way, mask in found.masks.items()
    }
    monkeypatch.setattr(commands, "load", bundled)
    (tmp_path / "chat.json").write_text(json.dumps(CLEAN))
    arguments = ["prompt", "-m", "qwen2.5", "--template", "ours:training-mask", str(tmp_path / "chat.json")]
    assert main([*arguments, "--training"]) == 0
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == ["tags", "author", "after"]
    assert main([*arguments, "--training", "--json", "--response", "assistant\n"]) == 0
    assert json.loads(capsys.readouterr().out)["response_template"]["text"] == "assistant\n"
    assert main([*arguments, "--turns", "--json"]) == 0
    (turn,) = json.loads(capsys.readouterr().out)["turns"]
    assert (turn["message"], turn["cause"], turn["kept"]) == (2, "all-kept", turn["cached"])
    with pytest.raises(SystemExit):
        main([*arguments, "--turns", "--ids"])

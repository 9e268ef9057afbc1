"""What if: the sentence, the order and the colors of the rows follow from the ids with and without each switch."""

from __future__ import annotations

import json
from typing import Any

import pytest

from explorer.analysis.divergence.result import run
from explorer.analysis.what_if import Switch, Variation, flip, variations
from explorer.text.say import plain
from explorer.views.compare.flips import Flip, by_size, effect, flips_picture, flips_say, why, words_of
from tests.bundled import bundled

TEXT = "A cafe\u0301 <|im_end|> 1234567"


def flips(name: str, text: str) -> list[Flip]:
    tok = bundled(name)
    now = run(tok, text)
    return [Flip(each, flip(now, each, open_other=bundled)) for each in variations(tok, text)]


def drawn(name: str, text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The frame of a picture and its rows."""
    picture = flips_picture(flips(name, text), run(bundled(name), text), name, name)
    assert picture.drawn is not None
    return picture.frame, json.loads(picture.drawn.json)


@pytest.mark.long
@pytest.mark.parametrize("text", [TEXT, "東京 <s>\\n שלום", "a", ""])
@pytest.mark.parametrize("name", ["qwen2.5", "llama-2", "bert-uncased", "gpt-2", "xlm-r", "rwkv-world"])
def test_rows_have_the_ids_of_each_switch_and_their_tints_say_what_changed(name: str, text: str) -> None:
    made = by_size(flips(name, text))
    frame, rows = drawn(name, text)
    own = bundled(name).encode(text).ids
    assert len(rows["rows"]) == len(made) + 1
    for row, ids in zip(rows["rows"], [own, *(each.comparison.right.ids for each in made)], strict=True):
        assert [id for cell in row["cells"] for id in rows["looks"][cell[5]]["ids"]] == ids
        assert (row["tokens"], row["more"]) == (len(ids), len(ids) - len(own))
        changed = any(cell[4] for cell in row["cells"]) or bool(row["gone"])
        assert changed is (ids != own), row
    sizes = [(abs(row["more"])) for row in rows["rows"][1:] if not row["same"]]
    assert sizes == sorted(sizes, reverse=True)
    same = [row["label"] for row in rows["rows"][1:] if row["same"]]
    folded = frame["folded"]
    assert (folded is None) is (not same or len(same) == len(made))
    assert folded is None or folded["names"] == ", ".join(same)


def test_the_sentence_tells_the_largest_change() -> None:
    said = str(flips_say(flips("qwen2.5", TEXT), "Qwen 2.5", 12))
    assert "15 tokens instead of 12" in said
    assert said.startswith(words_of(Variation(Switch.PARSE_SPECIAL)).doing)
    said = str(flips_say(flips("gpt-2", "hello"), "GPT-2", 1))
    assert "1 of 1 token" in said
    same = [flip for flip in flips("gpt-2", "hello") if flip.comparison.same]
    assert "No switch of GPT-2" in str(flips_say(same, "GPT-2", 1))
    assert "no switch to flip" in str(flips_say([], "X", 1))


def test_each_row_says_what_it_does_to_this_text_and_why() -> None:
    made = {flip.variation.switch: flip for flip in flips("qwen2.5", TEXT)}
    assert "<|im_end|>" in effect(made[Switch.PARSE_SPECIAL])
    assert "café" in effect(made[Switch.NORMALIZER]) or "cafe" in effect(made[Switch.NORMALIZER])
    assert "composes" in plain(why(made[Switch.NORMALIZER]))
    assert effect(made[Switch.IGNORE_MERGES]) == "the same ids"
    added = {flip.variation.switch: flip for flip in flips("bert-uncased", "a")}[Switch.ADD_SPECIAL]
    assert effect(added) == "without [CLS], [SEP]"


def test_every_switch_has_words_in_both_states() -> None:
    for switch in Switch:
        names = {words_of(Variation(switch, on, "gpt-2@llama.cpp")) for on in (True, False)}
        assert all(name and doing for name, doing in names)


def test_an_inserted_space_is_drawn_in_the_cell_after_it() -> None:
    _, rows = drawn("qwen2.5", TEXT)
    spaced = next(row for row in rows["rows"] if row["label"] == words_of(Variation(Switch.PREFIX_SPACE, False)).name)
    two = [cell for cell in spaced["cells"] if len(rows["looks"][cell[5]]["ids"]) == 2]
    assert [TEXT[cell[2] : cell[3]] for cell in two][-1] == " "
    assert two[-1][4] == 2, "more tokens there"


def test_options_of_the_page_are_flipped_from_where_they_are() -> None:
    tok = bundled("llama-2")
    now = run(tok, "a", add_special=False)
    each = Variation(Switch.ADD_SPECIAL, False)
    flipped = Flip(each, flip(now, each, open_other=bundled))
    picture = flips_picture([flipped], now, "Llama 2", "llama-2")
    assert picture.drawn is not None
    assert [row["more"] for row in json.loads(picture.drawn.json)["rows"]] == [0, 1]
    assert effect(flipped) == "with <s>"

"""Trimming and extending on the page: each size costs what its file gives, and the files are those of the command."""

from __future__ import annotations

import io
import json
from itertools import pairwise
from zipfile import ZipFile

import numpy as np
import pytest
from tokenizers import Tokenizer

from explorer.answers.offers import bundled
from explorer.answers.trim import SIZES, Aim, cut_view, files_of, point_of, sizes_of
from explorer.corpus.sample import sample_texts
from explorer.errors import InputError
from tests.bundled import bundled as opened

AIM = Aim(bundled()["gpt-2"].spec(), ("English", "German"))
EXTENDS = AIM._replace(extends=True, languages=("Turkish",))


def tokens(lines: list[str]) -> int:
    return sum(len(opened("gpt-2").encode(line, add_special=False, parse_special=False).ids) for line in lines)


def archive(aim: Aim, size: int) -> dict[str, bytes]:
    with ZipFile(io.BytesIO(files_of(aim, size))) as file:
        return {name: file.read(name) for name in file.namelist()}


def test_the_whole_vocabulary_costs_what_it_gives() -> None:
    point = point_of(AIM, 0)
    known = sample_texts()
    assert point["tokens"] == len(opened("gpt-2").vocabulary)
    assert [*AIM.groups][:2] == ["English", "German"]
    assert len(AIM.groups) == 6
    assert point["costs"] == [tokens(known[each][1::2]) for each in AIM.groups]
    assert point["seen"] == sum(tokens(known[each][::2]) for each in AIM.languages)


def test_a_size_costs_what_its_file_gives_in_the_original() -> None:
    files = archive(AIM, 2_048)
    original = Tokenizer.from_str(files["tokenizer.json"].decode())
    point = point_of(AIM, 2_048)
    assert point["tokens"] == original.get_vocab_size() == 2_049
    for cost, lines in zip(point["costs"], AIM.groups.values(), strict=True):
        assert cost == sum(len(original.encode(line).ids) for line in lines[1::2])
    ids = {int(old): new for old, new in json.loads(files["map.json"]).items()}
    arrays = np.load(io.BytesIO(files["map.npz"]))
    assert dict(zip(arrays["old"].tolist(), arrays["new"].tolist(), strict=True)) == ids
    for line in AIM.choosing:
        old = opened("gpt-2").encode(line).ids
        if all(id in ids for id in old):
            assert original.encode(line).ids == [ids[id] for id in old]
    assert b"2049" in files["config_changes.json"]
    assert "cut_embeddings.py" in files


def test_a_larger_size_costs_less() -> None:
    assert sizes_of(AIM) == tuple(size for size in SIZES if size < 50_257)
    for one, other in pairwise([*(point_of(AIM, size) for size in (512, 2_048, 8_192)), point_of(AIM, 0)]):
        assert sum(one["costs"][:2]) > sum(other["costs"][:2])
        assert one["seen"] >= other["seen"]


def test_the_text_before_and_after_and_what_was_proved() -> None:
    text = "the 東京 dog"
    view = cut_view(AIM, 2_048, text)
    assert [id for _, id, *_ in view["before"]] == list(opened("gpt-2").encode(text).ids)
    ids = {int(old): new for old, new in json.loads(archive(AIM, 2_048)["map.json"]).items()}
    assert [id for _, id, *_ in view["after"]] == [ids[old] for _, _, old, _ in view["after"]]
    assert any(old not in ids for _, old, *_ in view["before"])
    assert (view["total"], view["lost"]) == (50_257 - 2_049, 0)
    assert view["ids"] == [("<|endoftext|>", 50_256, 2_048)]
    assert view["lines"] == view["back"] == sum(map(len, AIM.groups.values()))


def test_new_tokens_save_tokens_and_old_ones_keep_their_ids() -> None:
    whole, point = point_of(EXTENDS, 0), point_of(EXTENDS, 128)
    assert point["tokens"] == whole["tokens"] + 128
    assert all(now <= before for now, before in zip(point["costs"], whole["costs"], strict=True))
    assert point["costs"][0] < whole["costs"][0]
    files = archive(EXTENDS, 128)
    assert [*map(int, json.loads(files["new_tokens.json"]))] == list(range(50_257, 50_385))
    view = cut_view(EXTENDS, 128, "özgürlük")
    assert len(view["after"]) <= len(view["before"])
    assert view["total"] == 128
    assert view["back"] == view["lines"]
    assert Tokenizer.from_str(files["tokenizer.json"].decode()).encode("a").ids == opened("gpt-2").encode("a").ids


@pytest.mark.parametrize("name", ["bert-uncased", "llama-2"])
def test_what_does_not_merge_by_rank_is_not_extended(name: str) -> None:
    aim = Aim(bundled()[name].spec(), ("Turkish",))
    with pytest.raises(InputError, match="BPE"):
        point_of(aim._replace(extends=True), 32)
    assert point_of(aim, sizes_of(aim)[0])["tokens"] < point_of(aim, 0)["tokens"]

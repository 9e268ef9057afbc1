"""Charts of vocabularies count every learned token once; two vocabularies differ as a plain comparison says."""

from __future__ import annotations

from itertools import pairwise

import pytest

from explorer.analysis.vocabulary.figures import GIVEN, LAST, picture, ranked
from explorer.analysis.vocabulary.index import index_of
from explorer.answers.offers import TokenizerSpec
from explorer.answers.offers import bundled as offered
from explorer.answers.vocabulary import difference_of, pair_rows, pair_view, pairs_of
from explorer.text.say import plain
from explorer.views.charts import growth_table, labels_table, length_table, named_scripts, script_table, turn_say
from tests.bundled import bundled


@pytest.mark.parametrize("name", ["mistral-v1", "gpt-2"])
def test_every_learned_token_is_counted_once(name: str) -> None:
    index = index_of(bundled(name))
    found = picture(index)
    ids = [id for id in range(len(index)) if index.classes[id] not in GIVEN]
    assert found.learned == len(ids) == sum(found.lengths) == sum(found.scripts.values())
    assert found.lengths[2] == sum(len(index.data[id]) == 3 for id in ids)
    assert found.lengths[LAST - 1] == sum(len(index.data[id]) >= LAST for id in ids)
    ends = [part.ranks[1] for part in found.growth]
    assert [part.ranks[0] for part in found.growth] == [1, *(end + 1 for end in ends[:-1])]
    assert ends[-1] == len(ids)
    order = ranked(index)
    second = [index.scripts[id] for id in order[ends[0] : ends[1]]]
    assert found.growth[1].scripts == {script: second.count(script) for script in dict.fromkeys(second)}
    scores = index.tokenizer.vocabulary.scores
    assert all(scores[a] >= scores[b] for a, b in pairwise(order)) if scores else order == ids
    both = {"one": found, "other": found}
    for table in (script_table(both), length_table(both)):
        assert table.groupby("tokenizer")["tokens"].sum().tolist() == [len(ids)] * 2
    growth = growth_table("one", found, named_scripts(both)).groupby("rank")["share"].sum()
    assert growth.tolist() == pytest.approx([100.0] * len(found.growth))


def test_two_vocabularies_on_the_page() -> None:
    left, right = (
        TokenizerSpec(offered()[name], offered()[name].implementations[0]) for name in ("gpt-2", "rwkv-world")
    )
    counts = pair_view(left, right).counts
    one, other = (set(index_of(bundled(name)).data) for name in ("gpt-2", "rwkv-world"))
    assert counts["Only left"] == len(one - other)
    assert [row.left for row in pair_rows(left, right, "Only left")[:3]] == [
        str(id) for id in difference_of(left, right).only_left[:3]
    ]
    assert set(counts) == set(pairs_of(difference_of(left, right)))


def test_a_stream_has_no_gap_and_names_its_widest_bands() -> None:
    """The bands of each part lie on each other from 0 to 100; the sentence has the turn's numbers."""
    one = picture(index_of(bundled("llama-3")))
    table = growth_table("one", one, named_scripts({"one": one}))
    for _, part in table.groupby("middle"):
        assert part["from"].tolist() == pytest.approx([0.0, *part["to"].tolist()[:-1]])
        assert part["to"].tolist()[-1] == pytest.approx(100.0)
    labels = labels_table(table)
    assert {"Latin", "Cyrillic", "Arabic"} <= set(labels["script"])
    assert (labels["share"] >= 7).all()
    assert labels["script"].is_unique
    assert one.turn is not None
    said = plain(turn_say("Llama 3", one))
    assert f"after id {one.turn.id - 1:,}" in said
    for script, had, has in (one.turn.fell, one.turn.rose):
        assert f"{script} " in said
        assert f"from {had:.0f} % to {has:.0f} %" in said
    assert "little by little" in plain(turn_say("one", one._replace(turn=None)))


def test_a_band_that_is_high_at_the_end_alone_is_named_after_it() -> None:
    """Llama 2's last parts are Han above all: the name stands after the end, at the middle of its band there."""
    one = picture(index_of(bundled("llama-2")))
    table = growth_table("one", one, named_scripts({"one": one}))
    labels = labels_table(table).set_index("script")
    assert labels["is_after"]["Han"]
    assert not labels["is_after"]["Latin"]
    last = table[(table["script"] == "Han") & (table["middle"] == table["middle"].max())].iloc[0]
    assert labels["middle"]["Han"] == last["middle"]
    assert last["from"] < labels["at"]["Han"] < last["to"]

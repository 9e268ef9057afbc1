"""A written result is read back; anything else gives a one-line error."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import altair as alt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import explorer
from explorer.analysis.vocabulary.index import index_of
from explorer.cli.main import main
from explorer.corpus.result import Result, only, read
from explorer.corpus.sample import sample_result
from explorer.errors import InputError
from explorer.text import visible
from explorer.text.say import plain
from explorer.views import corpus
from explorer.views.vocabulary import rows as rows_of
from tests.meaning import mentions


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("result")
    texts = (("en", "Good morning <b>you</b>"), ("zh", "早上好"), ("", "."))
    for name in ("a", "b"):
        lines = (json.dumps({"text": text, "lang": label}) for label, text in texts)
        (folder / f"{name} ü.jsonl").write_text("\n".join(lines))
    out = folder / "out.json"
    models = ("-m", "gpt-2", "-m", "bert-uncased", "-m", "llama-2")
    assert main(["corpus", *models, str(folder), "--label", "lang", "--baseline", "en", "--output", str(out)]) == 0
    found: dict[str, Any] = json.loads(out.read_bytes())
    return found


def opened(record: dict[str, Any]) -> Result:
    return read(json.dumps(record).encode(), "toy.json")


def test_a_written_result_is_read_back(record: dict[str, Any]) -> None:
    found = opened(record)
    assert found.tokenizers == ("gpt-2", "bert-uncased", "llama-2")
    assert (found.label, found.baseline) == ("lang", "en")
    assert [row.name for row in found.labels] == ["", "en", "zh"]
    assert [Path(row.name).name for row in found.files] == ["a ü.jsonl", "b ü.jsonl"]
    for index in range(3):
        given = record["total"]["tokenizers"][index]
        assert found.total.measures[index]["tokens"] == given["tokens"]
        assert found.details[index].frequent[0][2] == given["most_frequent"][0]["count"]
        assert sum(found.details[index].lengths.values()) == given["tokens"]


def test_a_result_is_drawn_with_every_measure(record: dict[str, Any]) -> None:
    found = opened(record)
    assert set(corpus.figures_of([found.total])) == set(corpus.FIGURES) - {"premium"}
    for figure in corpus.figures_of([found.total]):
        alt.Chart.from_dict(corpus.bars(found, figure))
    for rows in (found.labels, found.files):
        for figure in corpus.figures_of(rows):
            alt.Chart.from_dict(corpus.heat_map(found, rows, figure))
    alt.Chart.from_dict(corpus.chart_of_lengths(found))
    shares = corpus.table_of_lengths(found).groupby("tokenizer")["share"]
    assert (shares.first() < shares.last()).all()
    assert (shares.last() == 1).all()
    table = corpus.wide_table(found, found.labels)
    assert len(table) == 9
    assert set(table["name"]) == {"(none)", "en", "zh"}
    assert "Rényi efficiency" not in table.columns
    assert (
        corpus.table_of_frequent(found, 0)["count"].tolist()
        == sorted(corpus.table_of_frequent(found, 0)["count"])[::-1]
    )
    said = said_of(found)
    assert mentions(said, "6 documents of 66 bytes. ")


def said_of(found: Result) -> str:
    """All that the page says of a whole result."""
    return " ".join(plain(each) for each in corpus.corpus_said(found) if each is not None)


def test_bytes_are_named_since_a_text_of_digits_looks_like_them() -> None:
    sample = sample_result()
    for index, (name, details) in enumerate(zip(sample.tokenizers, sample.details, strict=True)):
        first = details.frequent[0][0]
        said = plain(corpus.frequent_said(sample, index).answer)
        assert (first in details.in_bytes) == ("byte" in said.split("“")[0]), name
        named = zip(details.frequent, corpus.table_of_frequent(sample, index)["token"], strict=True)
        assert {id for (id, *_), token in named if token.startswith("byte")} == details.in_bytes, name


def test_the_whole_text_names_what_the_languages_leave_out() -> None:
    sample = sample_result()
    documents = {row.name: row.text["documents"] for row in sample.labels}
    assert mentions(said_of(sample), f"{sample.total.text['documents']:,} documents")
    ((label, few),) = ((name, n) for name, n in documents.items() if n != documents[sample.baseline])
    assert mentions(said_of(sample), f"with the {few} of {label}")


def test_half_of_the_documents_are_at_most_as_long_as_is_said(record: dict[str, Any]) -> None:
    found = opened(record)
    answer = plain(corpus.lengths_said(found).answer)
    lengths = {}
    for name in ("gpt-2", "llama-2"):  # BERT loses the Chinese text
        tok = explorer.load(name)
        texts = ("Good morning <b>you</b>", "早上好", ".")
        lengths[name] = sorted(len(tok.encode(text, add_special=False).ids) for text in texts)[1]
    least, most = (pick(lengths, key=lambda name: lengths[name]) for pick in (min, max))
    assert mentions(answer, f"at most {lengths[least]} tokens with {least}, at most {lengths[most]} with {most}.")


def test_the_most_frequent_token_and_a_larger_corpus_are_said_in_numbers(record: dict[str, Any]) -> None:
    found = opened(record)
    for index, details in enumerate(found.details):
        (_, text, count), *_ = details.frequent
        said = plain(corpus.frequent_said(found, index).answer)
        assert text in said
        assert mentions(said, f"{100 * count / found.total.measures[index]['tokens']:.3g} %")
    lost = found._replace(total=found.total._replace(measures=tuple(
        {**each, "unknown_share": 0.5 * (index == 0)} for index, each in enumerate(found.total.measures))))  # fmt: skip
    said = plain(corpus.larger_said(lost, "1 TB", {0: 5, 1: 2 * 10**12, 2: 10**9}).answer)
    assert mentions(said, f"1 billion tokens with {found.tokenizers[2]}, 2 trillion with {found.tokenizers[1]}.")


def test_tokenizers_that_tie_are_all_named(record: dict[str, Any]) -> None:
    found = opened(record)
    measures = [{**each, "tokens": tokens} for each, tokens in zip(found.total.measures, (8, 8, 12), strict=True)]
    said = said_of(found._replace(total=found.total._replace(measures=tuple(measures))))
    assert mentions(said, "gpt-2, bert-uncased need the fewest tokens, 8; llama-2 needs the most, 1.50 times as many.")


def test_lost_text_is_in_no_ranking(record: dict[str, Any]) -> None:
    found = opened(record)
    changes = ({"tokens": 8, "unknown_share": 0.5}, {"tokens": 10, "unknown_share": 0.0}, {"tokens": 12})
    measures = [{**each, **change} for each, change in zip(found.total.measures, changes, strict=True)]
    said = said_of(found._replace(total=found.total._replace(measures=tuple(measures))))
    lost, best, dear = found.tokenizers
    assert mentions(
        said.partition(lost)[0], f"{best} needs the fewest tokens, 10; {dear} needs the most, 1.20 × as many."
    )
    assert mentions(said.partition(best)[2].partition(lost)[2], "50 %")
    assert lost not in said.partition(best)[0]


def test_a_map_s_order_and_colors_leave_out_what_is_lost(record: dict[str, Any]) -> None:
    found = opened(record)
    first, *others = found.labels
    gone = {"unknown_share": 1.0, "bytes_per_token": 1e6}
    lost = first._replace(measures=tuple({**each, **gone} for each in first.measures))
    made = corpus.heat_map(found, [lost, *others], "bytes per token")
    assert made["layer"][0]["encoding"]["y"]["sort"][-1] == corpus.name_of(lost)
    assert made["layer"][0]["encoding"]["color"]["scale"]["domain"][1] < 1e6


def test_a_table_has_shares_in_percent(record: dict[str, Any]) -> None:
    found = opened(record)
    table = corpus.wide_table(found, [found.total])
    measures = found.total.measures
    assert table["byte fallback"].tolist() == pytest.approx(
        [100 * float(each["byte_fallback_share"] or 0) for each in measures]
    )
    assert table["bytes per token"].tolist() == [each["bytes_per_token"] for each in measures]


def test_tokenizers_are_left_out_with_all_their_numbers(record: dict[str, Any]) -> None:
    found = opened(record)
    name = found.tokenizers[1]
    kept = only(found, [name])
    assert kept.tokenizers == (name,)
    for row, whole in zip(
        (kept.total, *kept.labels, *kept.files), (found.total, *found.labels, *found.files), strict=True
    ):
        assert row.measures == whole.measures[1:2]
    assert (kept.details, kept.made.tokenizers) == (found.details[1:2], found.made.tokenizers[1:2])
    assert only(found, ["absent"]) == only(found, []) == found


def test_bars_beside_each_other_have_one_scale(record: dict[str, Any]) -> None:
    found = opened(record)
    other = found._replace(total=found.total._replace(measures=tuple(
        {**each, "bytes_per_token": 50.0} for each in found.total.measures)))  # fmt: skip

    def longest(*results: Result) -> float:
        made = corpus.bars(results[0], "bytes per token", beside=results)
        return float(made["layer"][0]["encoding"]["x"]["scale"]["domain"][1])

    assert longest(found) < longest(found, other) == longest(other, found) == 60.0


def test_a_chart_of_few_rows_has_room_for_them(record: dict[str, Any]) -> None:
    """Axes, names and legend are part of a chart's height: about 80 pixels each."""
    found = opened(record)
    one, whole = found.labels[:1], found.labels
    assert corpus.bars(found, "bytes per token")["height"] >= 80 + 25 * len(found.tokenizers)
    for rows in (one, whole):
        assert corpus.heat_map(found, rows, "bytes per token")["height"] >= 140 + 20 * len(rows)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("format",), "other", "not the result of a corpus job"),
        (("tokenizers",), [], "tokenizers is empty"),
        (("tokenizers", 0, "label"), 5, "tokenizers[0].label is 5; give a text"),
        (("tokenizers", 1, "label"), "gpt-2", "two tokenizers have the same label"),
        (("total", "bytes"), -1, "total.bytes is -1"),
        (("total", "bytes"), True, "total.bytes is True; give a whole number"),
        (("total", "tokenizers"), [], "not every row has 3 tokenizers"),
        (("labels", 0, "tokenizers", 0, "unknown_share"), 1.5, "labels[0].tokenizers[0].unknown_share is 1.5"),
        (("labels", 1, "name"), "", "two labels have the same name"),
        (("files", 0, "tokenizers", 0, "fertility"), "many", "files[0].tokenizers[0].fertility is 'many'"),
        (("total", "tokenizers", 0, "document_tokens", "buckets"), [[1, 2]], "document_tokens.buckets[0] is [1, 2]"),
        (("total", "tokenizers", 0, "token_bytes"), {"x": 1}, "total.tokenizers[0].token_bytes"),
        (("total", "tokenizers", 0, "most_frequent", 0, "piece"), None, "most_frequent[0].piece is None"),
    ],
)  # fmt: skip
def test_errors_name_what_is_wrong(record: dict[str, Any], path: tuple[Any, ...], value: Any, said: str) -> None:
    changed = copy.deepcopy(record)
    at = changed
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    with pytest.raises(InputError, match=r"toy\.json: ") as error:
        opened(changed)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every path in a record."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(path_inside for key, each in inside for path_inside in paths(each, (*path, key)))]


WRONG = st.sampled_from([None, -1, 1e308, 10**30, "", "x" * 6000, [], {}, [[]], True, "\x00", {"": None}])


@pytest.mark.long
@given(data=st.data())
def test_no_change_of_a_result_raises_another_error(record: dict[str, Any], data: st.DataObject) -> None:
    changed = copy.deepcopy(record)
    *path, last = data.draw(st.sampled_from(paths(changed)[1:]))
    at = changed
    for step in path:
        at = at[step]
    if data.draw(st.booleans()):
        at[last] = data.draw(WRONG)
    else:
        del at[last]
    try:
        found = opened(changed)
    except InputError:
        return
    # a result that was read can be drawn
    said_of(found)
    if any(details.buckets for details in found.details):
        corpus.lengths_said(found)
    for index in (index for index, details in enumerate(found.details) if details.frequent):
        corpus.frequent_said(found, index)
    corpus.chart_of_lengths(found)
    for figure in corpus.figures_of([found.total])[:2]:
        corpus.bars(found, figure)
    for rows in (found.labels, found.files):
        corpus.wide_table(found, rows)
        for figure in corpus.figures_of(rows)[:2]:
            corpus.heat_map(found, rows, figure)


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"5", b"\xff", b'{"format": NaN}', b"[" * 100_000])
def test_another_file_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match=r"toy\.json: "):
        read(data, "toy.json")


@pytest.mark.long
def test_frequent_tokens_are_drawn_as_the_vocabulary_page_does(record: dict[str, Any]) -> None:
    """Also those of the sample; a result that was written without the text shows the stored piece."""
    for result in (opened(record), sample_result()):
        for name, details in zip(result.tokenizers, result.details, strict=True):
            index = index_of(explorer.load(name))
            rows = rows_of(index, [id for id, _, _ in details.frequent])
            assert {id: text for id, text, _ in details.frequent} == {row[0]: row[1] for row in rows}, name
            alone = {row[0] for row in rows if row[4] == "bytes" and str(row[1])[0] in "0123456789ABCDEF"}
            assert details.in_bytes == alone, name
    old = copy.deepcopy(record)
    for each in old["total"]["tokenizers"]:
        for token in each["most_frequent"]:
            del token["text"]
    assert opened(old).details[0].frequent[0][1] == visible(old["total"]["tokenizers"][0]["most_frequent"][0]["piece"])

"""Who pays more for the same text: the numbers behind the dots, for the sample corpus and for Compare's languages."""

from __future__ import annotations

import pytest

from explorer.analysis.languages import languages, measure
from explorer.corpus.result import Result, ResultRow
from explorer.corpus.sample import sample_article, sample_result
from explorer.views.corpus import article_sample, bases, figures_of, left_out_words, mean_sample, premiums_of
from explorer.views.premiums import Cost, Premiums, Row, Sample, picture, sample_of
from explorer.views.premiums import premiums_of as premiums_of_texts
from tests.bundled import bundled
from tests.corpus.article import article

TOY = Premiums(
    ("en", "de", "my", "th"), 0,
    (
        Row("dear", (Cost(10), Cost(20), Cost(90), Cost(50)), 170),
        Row("cheap", (Cost(10), Cost(11), Cost(30), Cost(4, lost=0.9)), 55),
        Row("deaf", (Cost(5, lost=0.5), Cost(5), Cost(5), Cost(5)), 20),
    ),
)  # fmt: skip


def test_rows_are_sorted_by_the_language_in_the_middle_and_lost_text_has_no_rank() -> None:
    assert [row.name for row in TOY.sorted_rows()] == ["cheap", "dear", "deaf"]
    assert [row.middle(0) for row in TOY.sorted_rows()] == [2.05, 5.0, None]
    assert TOY.languages[TOY.dearest()] == "my"


def test_the_message_has_each_premium_and_says_what_is_read() -> None:
    message = picture(TOY, mean_sample(TOY))
    cheap, dear, deaf = message["rows"]
    assert cheap["premiums"] == [1.0, 1.1, 3.0, 0.4]
    assert cheap["read"] == [True, True, True, False]
    assert dear["blocks"] == [[10, 0.0], [20, 0.0], [90, 0.0], [50, 0.0]]
    assert not any(deaf["read"]), "what the base loses cannot be compared with"


def test_a_language_alone_and_a_base_without_tokens_draw_no_premium() -> None:
    alone = Premiums(("en",), 0, (Row("one", (Cost(3),), 3),))
    assert alone.dearest() == 0
    empty = Premiums(("en", "de"), 0, (Row("one", (Cost(0), Cost(3)), 3),))
    message = picture(empty, Sample("", {}, {"one": {"en": Cost(0), "de": Cost(3)}}))
    assert message["rows"][0]["premiums"] == [None, None]


# --- the sample -----------------------------------------------------------------------------------------------------


def test_premiums_of_the_sample_are_those_of_the_job_and_code_is_no_language() -> None:
    result = sample_result()
    premiums = premiums_of(result, "English")
    assert premiums is not None
    assert premiums.left_out == ("Python code",)
    assert "Python code" in left_out_words(premiums.left_out)
    assert len(premiums.languages) == 46
    for number, row in enumerate(premiums.rows):
        for label in result.labels:
            if label.name in premiums.languages:
                ours = row.premium(premiums.languages.index(label.name), premiums.base)
                assert ours == pytest.approx(label.measures[number]["parity"])


def test_any_language_is_a_base_and_every_base_gives_premiums() -> None:
    result = sample_result()
    assert bases(result)[0] == "English"
    for base in bases(result):
        premiums = premiums_of(result, base)
        assert premiums is not None
        assert premiums.languages[premiums.base] == base
    assert premiums_of(result, "Klingon") is None


def test_without_translations_every_label_is_compared_by_document() -> None:
    def label(name: str, documents: int, tokens: int) -> ResultRow:
        return ResultRow(name, {"documents": documents, "bytes": 9}, ({"tokens": tokens, "added": 0},))

    sample = sample_result()
    own = Result(("gpt-2",), "lang", "", sample.total, (), (label("a", 2, 10), label("b", 1, 20)), (), sample.made)
    premiums = premiums_of(own, "a")
    assert premiums is not None
    assert premiums.rows[0].premium(1, 0) == 4.0
    assert not premiums.left_out
    assert "premium" not in figures_of(own.labels)


@pytest.mark.long
def test_the_counts_of_the_article_are_what_the_tokenizers_give() -> None:
    kept, counted = sample_article(), article()
    assert kept.texts == counted["texts"]
    assert list(kept.costs) == counted["costs"]


def test_the_blocks_are_the_counts_of_the_article() -> None:
    result = sample_result()
    premiums = premiums_of(result, "English")
    assert premiums is not None
    message = picture(premiums, article_sample(result, sample_article()))
    number = message["languages"].index("Burmese")
    blocks = {row["name"]: row["blocks"][number][0] for row in message["rows"]}
    text = sample_article().texts["Burmese"]
    for name in ("gpt-2", "xlm-r"):
        assert blocks[name] == len(bundled(name).encode(text, add_special=False).ids)
    assert message["texts"][number] == text


# --- Compare --------------------------------------------------------------------------------------------------------


def test_premiums_of_languages_are_those_of_the_measure() -> None:
    texts = [languages()[code] for code in ("en", "th", "vi")]
    measured = measure(texts, [bundled("bert-uncased"), bundled("gpt-2")])
    premiums = premiums_of_texts(measured, ("BERT", "GPT-2"))
    message = picture(premiums, sample_of(measured, premiums, "four sentences"))
    rows = {row["name"]: row for row in message["rows"]}
    assert rows["BERT"]["read"] == [True, False, True]
    for number, name in enumerate(("BERT", "GPT-2")):
        for at, row in enumerate(measured.rows):
            assert rows[name]["premiums"][at] == pytest.approx(row.costs[number].premium, rel=1e-3)
            assert rows[name]["blocks"][at][0] == row.costs[number].tokens

"""The tables of languages: complete enough, with the fields, the tokens and the numbers of the English."""

from __future__ import annotations

import json
import re

import pytest

from explorer.answers.compare import rows_view
from explorer.answers.learn import ENGINE, compare_request, spec_of
from explorer.answers.vocabulary import token_view
from explorer.learning.checks.claims import failures, numbers_in
from explorer.learning.checks.panels import script_of, shown_by
from explorer.learning.languages import ENGLISH, MARK, languages, phrases
from explorer.learning.lessons import library
from explorer.learning.lessons.lesson import ComparePanel, ExplorePanel
from explorer.learning.lessons.translated import lesson_named, lessons_in
from explorer.learning.lessons.words import words_of
from explorer.learning.questions import ask
from explorer.stages.spelling import Form
from explorer.text.say import Say, plain
from explorer.views.compare.aligned import aligned_in
from explorer.views.glossary import WORDS
from explorer.views.steppers.in_language import in_language
from explorer.views.vocabulary import dossier_in
from explorer.views.why_card import card_in, cards_of
from tests import languages as said
from tests.bundled import bundled
from tests.learning.test_questions import TEXTS

TRANSLATED = [each for each in languages() if each != ENGLISH]
COMPLETE = ["de", "ja"]
"""The others may have begun anywhere."""
FIELDS = re.compile(r"\{[a-z_0-9]+(?::[qti])?\}")
CODE = re.compile(r"`[^`\n]+`")
MOST_MISSING = 0.05
"""Of all sentences, so that a reworded English sentence stops nobody; `python -m tests.languages` lists them."""
NUMBER_WORDS = {*map(str, range(17)), "100"}
"""Numbers that may be a word in one language and digits in another, as in "hexadecimal"."""


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_has_the_fields_of_the_english(language: str) -> None:
    page = phrases(ENGLISH).page
    tables = said.tables(language)
    assert tables["page"].keys() <= page.keys()
    pairs = {name: (page[name], other) for name, other in tables.pop("page").items()}
    pairs |= {english: (english, other) for table in tables.values() for english, other in table.items()}
    assert [key for key, (one, other) in pairs.items() if set(FIELDS.findall(one)) != set(FIELDS.findall(other))] == []


@pytest.mark.parametrize("language", COMPLETE)
def test_what_is_missing_or_stale_is_little(language: str) -> None:
    assert phrases(ENGLISH).page.keys() == said.tables(language)["page"].keys()
    every = said.steps() | said.questions() | said.why() | set().union(*said.lessons().values())
    lacks, old = said.missing(language, every), said.stale(language)
    assert len(lacks) <= MOST_MISSING * len(every), lacks
    assert len(old) <= MOST_MISSING * len(every), old


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_lesson_keeps_its_tokens_and_numbers(language: str) -> None:
    for name, table in said.tables(language).items():
        for english, other in table.items() if name.startswith("lesson-") else ():
            assert set(CODE.findall(english)) == set(CODE.findall(other)), english
            one, two = numbers_in(english), numbers_in(other)
            assert (one ^ two) - NUMBER_WORDS == set(), english


@pytest.mark.parametrize("language", COMPLETE)
def test_a_lesson_in_another_language_has_the_same_panels_questions_and_claims(language: str) -> None:
    others = lessons_in(language)
    assert list(others) == [f"{key}.{language}" for key, each in library().items() if each.language == ENGLISH]
    for key, lesson in others.items():
        if key in library():
            continue
        english = library()[key.partition(".")[0]]
        assert [(each.panel, each.claims) for each in lesson.cards] == [(c.panel, c.claims) for c in english.cards]
        assert [type(each.question) for each in lesson.cards] == [type(each.question) for each in english.cards]
    first = next(iter(others.values()))
    assert [each for card in first.cards for each in failures(ENGINE, card)] == []


@pytest.mark.parametrize("language", COMPLETE)
def test_a_question_is_the_same_in_another_language(language: str) -> None:
    english, other = (ask(bundled("gpt-2"), TEXTS, "how-many", 3, each) for each in ("en", language))
    assert english is not None
    assert other is not None
    assert [plain(each.say) for each in other.choices] == [plain(each.say) for each in english.choices]
    assert other.right == english.right
    assert plain(other.prompt) != plain(english.prompt)
    assert numbers_in(plain(other.explanation)) == numbers_in(plain(english.explanation))


@pytest.mark.parametrize("language", COMPLETE)
def test_a_script_says_the_same_about_the_same_steps(language: str) -> None:
    lesson = library()["bpe"]
    panel = lesson.cards[0].panel
    assert isinstance(panel, ExplorePanel)
    script = script_of(ENGINE, panel)
    assert script is not None
    other = in_language(script, phrases(language))
    assert other.data["steps"] == script.data["steps"]
    assert [script.data["texts"][at] for at in script.spelled] == [other.data["texts"][at] for at in script.spelled]
    for step in range(1, len(script) + 1):
        assert MARK not in other.sentence(step) or script.kind(step)["story"]
        assert other.told(step).keys() == script.told(step).keys()
    stories = {kind["story"] for kind in other.data["kinds"]}
    assert not {each for each in stories if MARK in each}
    assert shown_by(ENGINE, panel).script == script  # the English one is left as it was


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_forms_of_a_term_match_the_term_itself(language: str) -> None:
    terms = phrases(language).glossary
    assert terms.keys() <= {each.word for each in WORDS}
    for english, (term, means, forms) in terms.items():
        assert means, english
        assert re.search(forms, term), english


def test_why_is_answered_in_another_language_with_the_same_texts_and_steps() -> None:
    tokenizer = bundled("llama-2")
    trace = tokenizer.trace("What is LoRA?")
    english = cards_of(tokenizer, trace, lambda key: None, "Llama 2", Form.AS_TEXT)(True, 3)
    assert english is not None
    german = card_in(english, phrases("de"))
    assert card_in(english, phrases("en")) == english
    assert MARK not in repr(german)
    assert german["say"]["args"] == english["say"]["args"]
    assert german["say"]["texts"] == english["say"]["texts"]
    assert german["say"]["template"] != english["say"]["template"]
    assert [each["at"] for each in german["rows"]] == [each["at"] for each in english["rows"]]
    assert [each["value"].replace("\u202f", ",") for each in german["rows"]] == [
        each["value"] for each in english["rows"]
    ]


SIX = (tuple(range(6)), ("a", "b", "c", "d", "e", "f"))
"""Arguments and texts of a sentence."""


def test_a_sentence_may_have_any_number_of_pieces() -> None:
    to = phrases("de")
    one, two, many = (
        to.say(Say(f"With {pieces} the sum up to here is {{0:t}}, higher than with {{4:q}} ({{1:t}}).", *SIX)).template
        for pieces in ("{2:q}", "{2:q} + {3:q}", "{2:q} + {5:q} + {3:q}")
    )
    assert MARK not in one + two + many
    assert two == one.replace("{2:q}", "{2:q} + {3:q}")
    assert many == one.replace("{2:q}", "{2:q} + {5:q} + {3:q}")


def test_a_sentence_without_a_translation_is_english_and_marked() -> None:
    assert phrases("de").words("Nobody says this.") == f"Nobody says this.{MARK}"
    assert phrases("de").value("Nobody says this.") == f"Nobody says this.{MARK}"
    assert phrases("en").words("Nobody says this.") == "Nobody says this."
    assert lesson_named("bpe.xx") is None
    assert lessons_in("xx") == lessons_in(ENGLISH)


def test_rows_and_a_token_of_the_vocabulary_are_explained_in_another_language() -> None:
    to = phrases("de")
    panel = next(c.panel for each in library().values() for c in each.cards if isinstance(c.panel, ComparePanel))
    drawn = rows_view(compare_request(panel), 0, False).drawn
    assert aligned_in(drawn, phrases("en")) == drawn
    english, german = json.loads(drawn.json), json.loads(aligned_in(drawn, to).json)
    assert [each["cells"] for each in german["rows"]] == [each["cells"] for each in english["rows"]]
    for one, other in zip(english["rows"], german["rows"], strict=True):
        assert one["facts"] != other["facts"]
        assert numbers_in(one["facts"]) == numbers_in(other["facts"])
    tips = [[dict(tip) for look in whole["looks"] for tip in look["tips"]] for whole in (english, german)]
    for tip, said_of in zip(*tips, strict=True):
        assert said_of[to.caption("id")] == tip["id"]
        assert said_of[to.caption("in the vocabulary")] == tip["in the vocabulary"]
        assert said_of[to.caption("kind")] != tip["kind"]
    spec = spec_of("gpt-2", "huggingface")
    about = token_view(spec, 262, False)  # " the", which the merges of " there" don't use
    other = dossier_in(about, to)
    assert other["apart"] == about["apart"] != []
    for relative, same in zip(about["relatives"], other["relatives"], strict=True):
        assert same["tokens"] == relative["tokens"]
        assert same["note"] != relative["note"] or not relative["note"]
    assert other["verdict"] != about["verdict"]
    assert MARK not in repr(other)


def test_in_japanese_a_particle_stays_with_the_token_or_number_before_it() -> None:
    said = [
        "".join(text for _, text in paragraph)
        for lesson in lessons_in("ja").values()
        for card in words_of(lesson)["cards"]
        for paragraph in card["words"]
    ]
    assert any("\u00a0" in each for each in said)
    assert not [each for each in said if re.search("[!-~] [ぁ-ん]", each)]

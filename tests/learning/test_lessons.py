"""Lessons: the reader names what it refuses, and every card of every lesson is true."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from explorer.answers.learn import ENGINE, asked_of, handout_of
from explorer.errors import InputError
from explorer.learning.checks.cards import bare_ids, prompt_rows, shown_by, ways_of
from explorer.learning.checks.claims import failures
from explorer.learning.lessons import Lesson, library, read_lesson
from explorer.learning.lessons.reading import (
    FILES,
    LONGEST_LINK,
    MOST_WORDS,
    Card,
    ComparePanel,
    Exercise,
    ExplorePanel,
    PromptPanel,
    QuestionRef,
    SamplePanel,
    count_words,
    link_of,
    paragraphs,
    source_of,
)
from explorer.learning.questions import KINDS
from tests.bundled import bundled
from tests.learning.generated import numbers_in
from tests.meaning import mentions

CARDS = [(lesson.key, number) for lesson in library().values() for number in range(1, len(lesson.cards) + 1)]
NAMES = re.compile(r"GPT-4o|GPT-[24]|Qwen 2\.5|Llama [23]|U\+[0-9A-F]{4,5}")
"""Names whose digits say nothing."""
KNOWN = {"0", "1", "2", "16", "4", "2000", "65530", "65535", "65536", "255", "256"}
"""Numbers that no panel can show: counts in words, powers of 2, and what the two below check."""

GUESSES = {"how-many", "costs-more", "normalized"}
"""Kinds for a quiz: what they show before the answer is all of it, or nothing."""
GOOD = """
title = "A title"
about = "What it is about."
minutes = 3
[panel]
text = "a b"
tokenizer = "gpt-2"
[[card]]
title = "First"
words = "Some **words**."
"""


def card_at(place: tuple[str, int]) -> Card:
    lesson, number = place
    return library()[lesson].cards[number - 1]


def test_every_lesson_is_listed_and_short() -> None:
    assert {path.name for path in FILES.iterdir()} == {f"{key}.toml" for key in library()}
    assert len(library()) >= 16
    assert {lesson.language for lesson in library().values()} == {"en", "de", "ja"}
    for lesson in library().values():
        assert 3 <= len(lesson.cards) <= 10, lesson.key
        assert len({*lesson.keep}) == 3, lesson.key
        assert sum(len(source_of_card(card)) for card in lesson.cards) < 5_000, lesson.key
        assert all(count_words(card.words) <= MOST_WORDS for card in lesson.cards)
    questions = [card.question for lesson in library().values() for card in lesson.cards]
    asked = [question.kind for question in questions if isinstance(question, QuestionRef)]
    assert set(asked) == set(KINDS) - GUESSES, "each kind whose panel can be studied is asked in some lesson"


def source_of_card(card: Card) -> str:
    return card.title + card.words


def numbers_of(card: Card) -> set[str]:
    """Every number that a card's panel shows at its step, or that its claims hold."""
    panel, shown = card.panel, shown_by(ENGINE, card.panel)
    evidence = [repr(card.claims), shown.sentence, str(shown.step), shown.text]
    if shown.trace is not None:
        evidence += [repr(shown.trace.ids), *(node.result for node in shown.nodes), str(len(shown.trace.ids))]
    if shown.script is not None:
        evidence += [str(len(shown.script)), *shown.script.data["texts"]]
    if isinstance(panel, SamplePanel):
        # the setting, what chances are of, and among how many ways
        evidence += [str(panel.alpha), "100", str(len(ways_of(shown).ways))]
    if isinstance(panel, PromptPanel):
        shows = prompt_rows(ENGINE, panel)
        evidence += [str(shows.size), repr(panel.messages), panel.request, *(str(len(row)) for _, row in shows.rows)]
    if isinstance(panel, ComparePanel):
        evidence += [str(len(bare_ids(ENGINE, each, panel.text))) for each in panel.tokenizers]
    return set().union(*map(numbers_in, evidence))


def test_numbers_are_found_in_words() -> None:
    assert numbers_in("−8,550 and 3/15, U+00C5") == {"00", "15", "3", "5", "8550"}


def untrue(lesson: Lesson) -> list[str]:
    """What a lesson says and the engine does not confirm."""
    found = []
    for number, card in enumerate(lesson.cards, 1):
        found += [f"{lesson.key}, card {number}, {each}" for each in failures(ENGINE, card)]
        said = " ".join(text for each in paragraphs(card.words) for _, text in each)
        unsupported = numbers_in(NAMES.sub("", said)) - numbers_of(card) - KNOWN
        found += [f"{lesson.key}, card {number}: neither panel nor claim supports {each}" for each in unsupported]
    return found


def test_what_a_lesson_says_is_true() -> None:
    assert untrue(library()["bpe"]) == []


@pytest.mark.long  # one test: no tier may take a sample of the lessons
def test_what_every_lesson_says_is_true() -> None:
    assert [each for lesson in library().values() for each in untrue(lesson)] == []


def test_the_hour_in_the_tutorial_is_that_of_its_lessons() -> None:
    tutorial = (FILES.parents[3] / "docs" / "tutorials" / "lecture.md").read_text("utf-8")
    plan = tutorial.partition("## An hour with phones")[2]
    rows = re.findall(r"^\| (\d+)–(\d+) \| (\d+) · ([^|]+?) \| ([^|]+) \|", plan, re.MULTILINE)
    assert len(rows) == 7
    english = [lesson for lesson in library().values() if lesson.language == "en"]
    for begins, ends, number, title, asks in rows:
        lesson = english[int(number) - 1]
        questions = [card.question for card in lesson.cards]
        asking = (at for at, each in enumerate(questions, 1) if isinstance(each, QuestionRef | Exercise))
        assert (lesson.title, lesson.minutes) == (title, int(ends) - int(begins))
        assert [int(each) for each in re.findall(r"\d+", asks)] == [*asking]


def test_the_free_ids_of_rwkv() -> None:
    last = len(bundled("rwkv-world").vocabulary.pieces) - 1
    assert last == 65529
    assert [1 << 16, last + 1, (1 << 16) - 1] == [65536, 65530, 65535]


@pytest.mark.parametrize(
    "place", [place for place in CARDS if isinstance(card_at(place).question, QuestionRef)], ids=str
)
@pytest.mark.sample(2)
def test_a_card_that_asks_has_a_question(place: tuple[str, int]) -> None:
    card = card_at(place)
    panel, question = card.panel, card.question
    assert isinstance(panel, ExplorePanel)
    assert isinstance(question, QuestionRef)
    for seed in (question.seed, question.seed + 1, question.seed + 2):
        found = asked_of(panel, replace(question, seed=seed))
        assert found is not None, "another question must not run out at once"
        assert 0 <= found.step <= found.after
        assert 0 <= found.right < len(found.choices)


def test_a_claim_that_fails_says_what_the_engine_gives() -> None:
    claim = 'claims = { tokens = 3, says = "nothing", nonsense = 1, learned = ["a"] }\n'
    card = read_lesson(GOOD + "step = 1\n" + claim, "x.toml").cards[0]
    wrong = list(failures(ENGINE, card))
    assert mentions(wrong[0], "claims, tokens: 3 is claimed, and the engine gives 2")
    assert mentions(wrong[1], "claims, says: 'nothing' is claimed, and the engine gives ")
    assert wrong[2].startswith("claims, nonsense: unknown; use tokens")
    assert wrong[3].startswith("claims, learned: can't be checked here")
    beyond = read_lesson(GOOD + "step = 900\n", "x.toml").cards[0]
    assert mentions(next(failures(ENGINE, beyond)), "step: 900 is beyond the last step")
    absent = read_lesson(GOOD + 'stage = "normalize"\n', "x.toml").cards[0]
    assert mentions(next(failures(ENGINE, absent)), "stage: gpt-2 has no stage 'normalize' for this text; use utf8")


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("title = ", "x.toml: this is not TOML: Invalid value (at end of document)"),
        (GOOD.replace("minutes = 3", 'minutes = "3"'), "x.toml, minutes: '3'; give a whole number"),
        (GOOD.replace("minutes = 3", "minutes = 90"), "x.toml, minutes: 90; give a whole number up to 60"),
        (GOOD.partition("[[card]]")[0], "x.toml, card: give 1 to 40 cards; begin each one with [[card]]"),
        (GOOD + "stepp = 3", "x.toml, card 1, stepp: unknown key; did you mean step?"),
        (GOOD + 'level = "storry"', "x.toml, card 1, level: unknown: 'storry'; did you mean story?"),
        (GOOD + 'tokenizer = "gpt2"', "x.toml, card 1, tokenizer: unknown: 'gpt2'; did you mean gpt-2?"),
        (GOOD + "select = [2, 9]", "x.toml, card 1, select: not a span"),
        (GOOD + 'why = "what"', "x.toml, card 1, why: not a question; write"),
        (
            GOOD + 'question = { kind = "next-merg" }',
            "x.toml, card 1, question, kind: unknown: 'next-merg'; did you mean",
        ),
        (GOOD + "[card.train]\nsize = 3", "x.toml, card 1, train, text: missing; add it"),
        (
            GOOD + '[card.compare]\ntokenizers = ["gpt-2", "gpt2"]',
            "x.toml, card 1, compare, tokenizers: unknown: 'gpt2'",
        ),
        (GOOD.replace("Some **words**.", "word " * 61), "x.toml, card 1, words: 61 words; a card has at most 60"),
        (GOOD.replace("[panel]", "[panel]\nstep = 3"), "x.toml, panel, step: unknown key; use"),
        (GOOD + "\n" * 60_000, "x.toml: 60,"),
        (b"title = '\xff'", "x.toml: byte 9 is not UTF-8"),
    ],
)
@pytest.mark.sample(16)
def test_an_error_names_the_file_the_card_and_the_key(source: str | bytes, says: str) -> None:
    with pytest.raises(InputError) as caught:
        read_lesson(source, "x.toml")
    assert str(caught.value).startswith(says)
    assert "\n" not in str(caught.value)


def test_what_a_card_leaves_out_comes_from_the_panel_of_the_lesson() -> None:
    lesson = read_lesson(GOOD + '[[card]]\ntitle = "Second"\nwords = "x"\ntext = "c"\nstage = "utf8"\n', "x.toml")
    first, second = (card.panel for card in lesson.cards)
    assert first == ExplorePanel("a b", "gpt-2", "huggingface")
    assert second == ExplorePanel("c", "gpt-2", "huggingface", stage="utf8")


def test_a_lesson_goes_through_a_link() -> None:
    for lesson in library().values():
        link = link_of(lesson.source)
        assert link is not None, f"{lesson.key} fits into a link"
        assert re.fullmatch(r"[\w-]+", link)
        assert source_of(link) == lesson.source
    from random import Random

    noise = "".join(Random(1).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=20_000))
    assert link_of(noise) is None


@pytest.mark.parametrize("link", ["", "A", "not base64!", "é", "eJwDAAAAAAE=x", "A" * (LONGEST_LINK + 1)])
@pytest.mark.sample(6)
def test_a_damaged_link_is_refused(link: str) -> None:
    with pytest.raises(InputError, match=r"damaged|characters"):
        source_of(link)


def test_a_link_that_unpacks_to_a_giant_is_refused_early() -> None:
    import base64
    import zlib

    giant = base64.urlsafe_b64encode(zlib.compress(b"#" * 4_000_000, 9)).decode().rstrip("=")
    assert len(giant) < LONGEST_LINK
    with pytest.raises(InputError, match="damaged"):
        source_of(giant)


def test_a_handout_shows_the_step() -> None:
    paper = handout_of(library()["queue"].cards[1].panel)
    assert "−12 beats “is” (−16)" in paper.sentence
    assert [piece["id"] for piece in paper.pieces] == [1, 1724, 338, 4309, 4717, 29973]
    assert ("Merge", "9 merges") in paper.ribbon
    trained = handout_of(library()["train-bpe"].cards[3].panel)
    assert mentions(trained.sentence, "“a” + “z”: count 2. It ties with 30 more.")
    compared = read_lesson(GOOD + '[card.compare]\ntext = "a b"\ntokenizers = ["gpt-2"]', "x.toml").cards[0]
    assert handout_of(compared.panel).rows == [("GPT-2 · Hugging Face", "2 tokens")]

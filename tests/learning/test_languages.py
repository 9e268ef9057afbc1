"""The catalogs of languages: complete enough, with the fields, the tokens and the numbers of the English."""

from __future__ import annotations

import ast
import json
import re
from io import BytesIO

import pytest

from explorer.answers.compare import rows_view
from explorer.answers.learn import ENGINE, compare_request, spec_of
from explorer.answers.vocabulary import token_view
from explorer.languages import CONTEXT, ENGLISH, FOLDER, languages, messages, phrases
from explorer.learning.checks.cards import script_of, shown_by
from explorer.learning.checks.claims import failures
from explorer.learning.lessons import library
from explorer.learning.lessons.reading import PAGE, ComparePanel, ExplorePanel, lesson_named, lessons_in, words_of
from explorer.learning.questions import ask
from explorer.script.script import in_language
from explorer.stages.spelling import Form
from explorer.stages.stage import quoted_row
from explorer.text.say import Say, Text, number, plain, plural
from explorer.views.glossary import WORDS
from explorer.views.why_card import cards_of
from tests import languages as said
from tests.bundled import bundled
from tests.languages import MARK, marked
from tests.learning.generated import numbers_in
from tests.learning.test_questions import TEXTS
from tests.sources import GROUP

TRANSLATED = [each for each in languages() if each != ENGLISH]
COMPLETE = ["de", "ja"]
"""The others may have begun anywhere."""
FIELDS = re.compile(r"\{[a-z_0-9]+(?::[qti])?\}")
CODE = re.compile(r"`[^`\n]+`")
MOST_MISSING = 0.05
"""Of what Learn says, so that a reworded English sentence stops nobody; `python -m tests.languages` lists all."""
NUMBER_WORDS = {*map(str, range(17)), "100"}
"""Numbers that may be a word in one language and digits in another, as in "hexadecimal"."""


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_has_the_fields_of_the_english(language: str) -> None:
    for key, forms in phrases(language).forms.items():
        context, _, english = key.rpartition(CONTEXT)
        fields = set(FIELDS.findall(english))
        many = said.every()[key].many if key in said.every() else ""
        for other in forms if context != "forms" else ():
            assert fields <= set(FIELDS.findall(other)) <= fields | set(FIELDS.findall(many)), english


@GROUP
@pytest.mark.parametrize("language", COMPLETE)
def test_what_learn_says_is_translated(language: str) -> None:
    every = said.steps() | said.questions() | said.why() | set(PAGE.values()) | set().union(*said.lessons().values())
    lacks = said.missing(language, every)
    assert len(lacks) <= MOST_MISSING * len(every), lacks
    assert said.unexplained(language) == []


@GROUP
@pytest.mark.parametrize("language", COMPLETE)
def test_nothing_that_is_said_lacks_a_translation(language: str) -> None:
    lacks = [f"{each.file}: {each.english}" for key, each in said.every().items() if key not in phrases(language).forms]
    assert lacks == [], f"translate in {language}.po what `python -m tests.languages --merge` brings there"


@GROUP
@pytest.mark.parametrize("language", COMPLETE)
def test_merging_a_catalog_loses_nothing_and_changes_nothing_the_second_time(language: str) -> None:
    from babel.messages.pofile import read_po

    catalog = (FOLDER / f"{language}.po").read_text("utf-8")
    gone, back = "Nobody says this any more.", 'msgid "The text is empty."\nmsgstr "'
    before = f'{catalog}\n# a note\nmsgid "{gone}"\nmsgstr "x"\n'
    after = said.merged(before, language)
    assert said.merged(after, language) == after
    old, new = dict(messages(before)), dict(messages(after))
    assert {key: forms for key, forms in old.items() if key and said.is_used(key)}.items() <= new.items()
    kept = {said.key_of(each) for each in read_po(BytesIO(after.encode()), locale=language).obsolete.values()}
    assert gone in kept
    assert old.keys() - new.keys() <= kept
    at = after.index(back)
    end = after.index("\n\n", at)
    without = f"{after[:at]}{after[end:]}\n\n#~ " + after[at:end].replace("\n", "\n#~ ") + "\n"
    assert "The text is empty." not in dict(messages(without))
    assert dict(messages(said.merged(without, language))) == new


@GROUP
def test_what_the_source_says_is_found() -> None:
    source = """
MANY: Final = "{0} are many."
say = Say("{0} is one.", 1, many=MANY)
text = plural(count, "entry" if one else "byte", "entries")
done = Say("It is done." if done else "It waits.")
"""
    module = ast.parse(source)
    names = said.named_in(ast.walk(module))
    found = {each for node in ast.walk(module) if isinstance(node, ast.Call) for each in said.said_in(node, names)}
    assert found == {
        ("{0} is one.", "{0} are many."), ("{0} entry", "{0} entries"), ("{0} byte", "{0} entries"),
        ("It is done.", ""), ("It waits.", ""),
    }  # fmt: skip
    every = said.every()
    assert every["The symbols are now {0}."].file.startswith("explorer/stages/merging/")
    assert "browser\x04Event log" in every


def test_a_catalog_of_any_translation_tool_is_read() -> None:
    text = """# of a translator
msgid ""
msgstr "Plural-Forms: nplurals=3; plural=(n==1 ? 0 : 1);\\n"

#: explorer/x.py:3
#, python-brace-format
msgctxt "term"
msgid "a "
"\\"b\\""
msgstr "c"

#, fuzzy
msgid "guessed"
msgstr "not used"

msgid "{0} token"
msgid_plural "{0} tokens"
msgstr[0] "one"
msgstr[1] "many"

msgid "not yet"
msgstr ""

#~ msgid "gone"
#~ msgstr "gone, too"
"""
    header, *rest = messages(text)
    assert header[0] == ""
    assert rest == [(f'term{CONTEXT}a "b"', ("c",)), ("{0} token", ("one", "many"))]


def test_a_language_says_values_its_own_way() -> None:
    german, japanese = phrases("de"), phrases("ja")
    assert [german.text(plural(count, "piece")) for count in (1, 2)] == ["1 Stück", "2 Stücke"]
    assert japanese.text(plural(1, "token")) == japanese.text(plural(1, "token"))
    assert german.text(number(-8550)) == "−8\u202f550"
    assert german.plain(Say("{0:q}", "8,550")) == "„8,550“"  # a token stays
    assert german.say(Say("{0:t}", "The text")).texts == ("The text",)  # and so does what may be one
    assert german.say(Say("{0:t}", Text("The text"))).texts == ("Der Text",)
    assert german.text(Text("{0:t} so far", Text("The text"))) == "bisher Der Text"  # kept apart from a token's
    assert german.text(Text("{0:t} so far", "The text")) == "bisher The text"
    two = Say("It is not a piece.").then(Say("None is added."))
    assert plain(japanese.say(two)).count("。") == 2
    assert " " not in plain(japanese.say(two))


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_lesson_keeps_its_tokens_and_numbers(language: str) -> None:
    of_lessons = set().union(*said.lessons().values())
    for english, forms in phrases(language).forms.items():
        if english in of_lessons:
            assert set(CODE.findall(english)) == set(CODE.findall(forms[0])), english
            one, two = numbers_in(english), numbers_in(forms[0])
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
    other = in_language(script, marked(language))
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
    to = phrases(language)
    forms = dict(to.within("forms"))
    for english, means, of_english in WORDS:
        assert means in to.forms, english
        assert re.search(forms[of_english][0], to.words(english, "term")), english


def test_why_is_answered_in_another_language_with_the_same_texts_and_steps() -> None:
    tokenizer = bundled("llama-2")
    trace = tokenizer.trace("What is LoRA?")
    card = cards_of(tokenizer, trace, lambda key: None, "Llama 2", Form.AS_TEXT)(True, 3)
    english, german = phrases("en").data(card), marked("de").data(card)
    assert MARK not in repr(german)
    assert german["say"]["args"] == english["say"]["args"]
    assert german["say"]["texts"] == english["say"]["texts"]
    assert german["say"]["template"] != english["say"]["template"]
    assert [each["at"] for each in german["rows"]] == [each["at"] for each in english["rows"]]
    assert [each["value"].replace("\u202f", ",") for each in german["rows"]] == [
        each["value"] for each in english["rows"]
    ]


def test_a_sentence_may_have_any_number_of_pieces() -> None:
    template = "With {0} the sum up to here is {1:t}, higher than with {2:q} ({3:t})."
    for pieces in (["a"], ["a", "b"], ["a", "b", "c"]):
        said_of = marked("de").say(Say(template, quoted_row(pieces, " + "), "1", "d", "2"))
        assert MARK not in said_of.template
        assert " + ".join(f"“{each}”" for each in pieces) in plain(said_of)


def test_a_sentence_without_a_translation_is_english() -> None:
    assert phrases("de").words("Nobody says this.") == "Nobody says this."
    assert marked("de").words("Nobody says this.") == f"Nobody says this.{MARK}"
    assert lesson_named("bpe.xx") is None
    assert lessons_in("xx") == lessons_in(ENGLISH)


def test_rows_and_a_token_of_the_vocabulary_are_explained_in_another_language() -> None:
    to = phrases("de")
    panel = next(c.panel for each in library().values() for c in each.cards if isinstance(c.panel, ComparePanel))
    english, german = (
        json.loads(rows_view(compare_request(panel), 0, False, each).drawn.json) for each in ("en", "de")
    )
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
    other = marked("de").data(about)
    for relative, same in zip(about["relatives"], other["relatives"], strict=True):
        assert same["tokens"] == relative["tokens"]
        assert same["note"] != relative["note"] or not relative["note"]
    assert other["verdict"] != about["verdict"]
    assert MARK not in repr(other)


def test_in_japanese_a_particle_stays_with_the_token_or_number_before_it() -> None:
    said = [
        "".join("" if kind == "code" else text for kind, text in paragraph)
        for lesson in lessons_in("ja").values()
        for card in words_of(lesson)["cards"]
        for paragraph in card["words"]
    ]
    assert any("\u00a0" in each for each in said)
    assert not [each for each in said if re.search("[!-~] [ぁ-ん]", each)]

"""What a page is sent in German and in Japanese: sentences and numbers of answers."""

from __future__ import annotations

import pickle
import re

import pytest

from explorer.answers.compare import SideView, drawn_of, parting_view
from explorer.answers.explore import Request
from explorer.answers.offers import TokenizerSpec, bundled
from explorer.editing.edits import AddEntries, AddMerges, Remove
from explorer.editing.replay import replay
from explorer.errors import InputError, Unfinished, errors_of
from explorer.languages import phrases
from explorer.opening.formats import format_of
from explorer.text.say import decimal, number, size, two_digits
from tests.editing import files

LLAMA = TokenizerSpec(bundled()["llama-2"], "llama.cpp")
GPT = TokenizerSpec(bundled()["gpt-2"], "llama.cpp")


@pytest.mark.parametrize("language", ["de", "ja"])
def test_the_card_of_a_place_says_what_both_sides_do_in_the_language(language: str) -> None:
    request = Request(LLAMA, "Hello")
    count = parting_view(request, GPT, None).picture["count"]
    views = [parting_view(request, GPT, place) for place in range(count)]
    view = next(each for each in views if "adds a prefix space" in each.does)
    drawn = phrases(language).data(drawn_of(view, (LLAMA, GPT), (SideView(0, None, 0, ""),) * 2)._asdict())
    assert "prefix space" not in str((drawn["sides"], drawn["label"]))


def test_german_writes_a_decimal_comma() -> None:
    german, japanese = phrases("de"), phrases("ja")
    figures = decimal(3.464), two_digits(1234.5), number(-1234567), size(1_400_000_000_000)
    assert [german.text(each) for each in figures] == ["3,464", "1\u202f234,50", "−1\u202f234\u202f567", "1,4 TB"]
    assert [japanese.text(each) for each in figures] == list(figures), "written as in English"
    assert german.counted(12345) == "12\u202f345"


def test_a_name_goes_before_an_error_of_the_same_kind_and_leaves_that_one_as_it_was() -> None:
    error = Unfinished("it ends early")
    error.stages = (1, 2)
    for _ in range(2):  # a budget raises its error again
        with pytest.raises(Unfinished) as named, errors_of("x.json"):
            raise error
        assert str(named.value) == "x.json: it ends early"
        assert named.value.stages == error.stages
    assert str(error) == "it ends early"


@pytest.mark.parametrize("language", ["de", "ja"])
@pytest.mark.parametrize("head", [b"PK\3\4 a zip archive", b"\x7fELF", b"", b'{"error": "not found"}'])
def test_why_a_file_is_no_vocabulary_is_said_in_the_language(language: str, head: bytes) -> None:
    with pytest.raises(InputError) as english, errors_of("folder"):
        format_of(head, "model.bin")
    say = pickle.loads(pickle.dumps(english.value))
    said = phrases(language).text(str(say))
    assert said.replace("\u00a0", " ").startswith("folder: model.bin: "), (
        "Japanese joins short words by no-break spaces"
    )
    assert not {"this", "the", "give", "which", "and"} & set(re.findall(r"\w+", said, re.ASCII)), said


@pytest.mark.parametrize("language", ["de", "ja"])
def test_what_cannot_be_edited_is_said_in_the_language(language: str) -> None:
    for kind in (AddMerges(("ab",)), AddEntries(("ab",)), Remove(("the",), keep_ids=True)):
        with pytest.raises(InputError) as english:
            replay(files.rwkv() if isinstance(kind, AddMerges | Remove) else files.sentencepiece_bpe(), [kind], "toy")
        said = phrases(language).text(str(english.value))
        assert not {"the", "its", "has", "are", "use", "leave"} & set(re.findall(r"\w+", said, re.ASCII)), said


def test_an_error_with_what_was_typed_in_braces_is_no_template() -> None:
    typed = "messages: {0:q} is no name; give {role} or {}"
    assert str(InputError(typed)) == typed
    assert phrases("de").text(str(InputError(typed))) == typed

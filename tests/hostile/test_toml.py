"""TOML from links and files: a few bytes never take gigabytes, and every number is one that a program can use."""

from __future__ import annotations

import base64
import tomllib._parser as parser
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.editing import edits
from explorer.errors import InputError
from explorer.formats import strict_toml
from explorer.learning.lessons import read_lesson
from explorer.learning.lessons.reading import LONGEST_LINK, MOST_BYTES, source_of
from explorer.training import trainers
from tests.hostile.limited import run

DOTTED = "a." * 29_000 + "a = 1"
LIST = 'format = "tokenizer-explorer edits 1"\n[[edit]]\nkind = "remove"\nids = '
RECIPE = trainers.Recipe("bpe", "minbpe", "none", True, {}, None, "0" * 64).json()

BOMBS = {
    "dotted keys": DOTTED,
    "a dotted header": f"[{DOTTED[:-4]}]",
    "quoted keys": '"a".' * 14_000 + "a = 1",
    "keys in a table": "a = { b = 1, " + DOTTED + " }",
    "nested lists": "a = " + "[" * 50_000,
    "nested tables": "a = " + "{a = " * 10_000,
    "a number of 5,000 digits": "a = " + "9" * 5_000,
    "a number of 50,000 hexadecimal digits": "a = [{ b = 0x" + "f" * 50_000 + " }]",
    "a number that becomes infinite": "a = 1e400",
    "infinity": "a = -inf",
    "not a number": "a = nan",
}


@pytest.mark.sample(len(BOMBS))
@pytest.mark.parametrize("bomb", BOMBS)
def test_every_reader_of_toml_refuses_it(bomb: str) -> None:
    with pytest.raises(InputError, match=r"^x\.toml"):
        read_lesson(BOMBS[bomb], "x.toml")
    with pytest.raises(InputError, match=r"^x\.toml"):
        edits.read(BOMBS[bomb].encode(), "x.toml")


def test_a_link_of_115_characters_takes_no_memory() -> None:
    code = """
from explorer.learning.lessons.reading import source_of
try:
    read_lesson(source_of(sys.argv[1]), "x.toml")
except InputError as error:
    print(error)
"""
    imports = "import sys\nfrom explorer.errors import InputError\nfrom explorer.learning.lessons import read_lesson"
    link = base64.urlsafe_b64encode(zlib.compress(DOTTED.encode(), 9)).decode().rstrip("=")
    assert len(link) < 150
    assert "parts" in run(imports, code, 100, link)


def test_a_link_is_unpacked_no_further_than_a_lesson_may_be_long() -> None:
    bomb = zlib.compress(b" " * 4_000_000, 9)
    link = base64.urlsafe_b64encode(bomb).decode().rstrip("=")
    assert len(link) < LONGEST_LINK
    with pytest.raises(InputError, match="damaged"):
        source_of(link)
    assert len(source_of(base64.urlsafe_b64encode(zlib.compress(b" " * MOST_BYTES)).decode())) == MOST_BYTES


@pytest.mark.parametrize("number", ["[" + "9" * 4_000 + "]", "[9223372036854775808]"], ids=len)
def test_ids_beyond_64_bits_are_refused(number: str) -> None:
    with pytest.raises(InputError, match="64 bits"):
        edits.read((LIST + number).encode(), "toy")
    with pytest.raises(InputError, match="64 bits"):
        edits.edit_of({"kind": "remove", "ids": [10**4_000]}, "toy")
    assert edits.read((LIST + "[9223372036854775807]").encode(), "toy")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ('{"vocab_size": ' + "9" * 5_000 + "}", "thousands of digits"),
        ('{"vocab_size": ' + "9" * 4_000 + "}", "64 bits"),
        ('{"vocab_size": 1e400}', "vocab_size is inf"),
        ('{"vocab_size": NaN}', "is not a number"),
        ("[" * 100_000, "nested too deeply"),
    ],
    ids=("5,000 digits", "4,000 digits", "1e400", "NaN", "nested"),
)
def test_numbers_of_a_recipe_are_checked(options: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        trainers.read(RECIPE.replace('"options": {}', f'"options": {options}'), "x.json")


# --- the count before parsing agrees with the parser ----------------------------------------------------------------

FRAGMENTS = st.sampled_from(
    ["a", "b-1", '"c"', "'d.e'", '"f\\".g"', ".", " . ", "=", " = ", "1", "1.5", "[", "]", "[[", "]]", "{", "}", ",",
     "\n", "\n", "\n", "# x.y.z = [[", '"""', "'''", '"', "'", "\\", '""', "''", " ", "a.b.c = 1\n", "[x.y.z]\n",
     '"""a\n\\""".b"""', "'''c''''", "true", "1979-05-27T07:32:00.5"]
)  # fmt: skip


@given(st.lists(FRAGMENTS, max_size=30).map("".join))
def test_no_key_escapes_the_count_and_no_good_file_is_refused(text: str) -> None:
    keys: list[int] = []
    usual: Any = parser.parse_key

    def parse_key(*given: Any) -> Any:
        found = usual(*given)
        keys.append(len(found[1]))
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser, "parse_key", parse_key)
        patch.setattr(strict_toml, "MAX_PARTS", 2)
        patch.setattr(strict_toml, "MAX_KEYS", 6)
        try:
            parser.loads(text)
            good = True
        except ValueError:
            good = False
        try:
            strict_toml.check_keys(text, "x")
            refused = False
        except InputError:
            refused = True
    within = max(keys, default=0) <= 2 and sum(keys) <= 6
    assert refused or within
    assert not refused or not within or not good

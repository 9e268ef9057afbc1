"""The list of keys: every key on it has code that listens to it, and no page is without."""

from __future__ import annotations

import re
from typing import Any

import pytest

from explorer.ui import PAGES
from explorer.views.components import FOLDER, KEYS, keys_of


@pytest.mark.parametrize("group", KEYS, ids=lambda group: group["title"])
def test_the_code_listens_to_every_key_of_the_list(group: dict[str, Any]) -> None:
    code = (FOLDER / group["file"]).read_text("utf-8")
    for key in group["keys"]:
        for name in key["names"]:
            assert name in code, key["does"]


def test_letters_that_the_code_listens_to_are_on_the_list() -> None:
    """Letters are what nobody guesses: those of `{ f: () => … }` and of `key === "s"` in the files of the list."""
    listed = {name.strip('":').lower() for each in KEYS for key in each["keys"] for name in key["names"]}
    for file in {each["file"] for each in KEYS}:
        code = (FOLDER / file).read_text("utf-8")
        heard = re.findall(r"[{,\s]([a-zA-Z]): \(\) =>", code)
        heard += re.findall(r'(?:key|keyName\(event\)) === "([a-z])"', code)
        assert {letter.lower() for letter in heard} <= listed, file


def test_the_letters_of_an_answer_are_no_keys() -> None:
    """Predict gives letters to what may come next, beside keys that mean something else."""
    code = (FOLDER / "stepper" / "prediction.js").read_text("utf-8")
    (letters,) = re.findall(r'ANSWER_LETTERS = "([A-Z]+)"', code)
    stepping = {"explore", "compare", "train", "learn"}
    groups = [each for each in KEYS if stepping & {*each["pages"]} or not each["pages"]]
    taken = {name for each in groups for key in each["keys"] for name in key["keys"]}
    assert {"F", "B", "P", "S", "A"} <= taken
    assert len(letters) > 12
    assert not set(letters) & {name.removeprefix("Shift ") for name in taken}


def test_every_page_has_a_list() -> None:
    pages = {path.stem for path in PAGES.glob("*.py")}
    assert pages >= {page for group in KEYS for page in group["pages"]}
    for page in pages:
        assert keys_of(page)[-1][0] == "Everywhere"
        assert f', "{page}")' in (PAGES / f"{page}.py").read_text("utf-8")

"""Pages of comparisons and trainings: what they hold, and what they say made them."""

from __future__ import annotations

import json
from base64 import b64decode

from explorer.answers.saved import comparison_page, training_page
from explorer.engine.part import Options
from tests.bundled import bundled

TEXT = "low <b>lower</b> lowest"


def test_a_comparison_says_which_files_made_it() -> None:
    page = comparison_page(["gpt-2", "llama-2"], TEXT, Options())
    assert page.kind == "comparison"
    files = [value for name, value in page.made if name == "File"]
    for name in ("gpt-2", "llama-2"):
        assert any(bundled(name).origin.files[0].sha256 in each for each in files)
    assert json.dumps(dict(page.data))


def test_a_training_has_the_file_that_was_learned() -> None:
    page = training_page("bpe", "huggingface", "", 20, TEXT)
    assert page.kind == "training"
    assert page.data["text"] == TEXT
    learned = json.loads(b64decode(page.data["file"]))
    assert len(learned["model"]["vocab"]) == 20
    assert learned["model"]["merges"]

"""The provenance of an export: as a file name, as columns independent of the text's length, as unbreakable Markdown."""

from __future__ import annotations

import io
import json
import re
import unicodedata

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.analysis.export import LONGEST_NAME, Provenance, inline, safe
from explorer.csv_text import write_csv
from explorer.engine.part import Options
from explorer.implementations.opened import with_pattern
from tests.bundled import bundled

NAMES = st.one_of(st.text(), st.text(alphabet="./\\@-_ a:*?<>|\u202e\0é", max_size=60), st.sampled_from(
    ("con", "CON.json", "nul@x", "aux.tokenizer.json@huggingface", "..", "@", "a" * 500 + "@llama.cpp")))  # fmt: skip


@given(NAMES, st.sampled_from(["csv", "json", "md"]))
def test_every_file_system_accepts_the_name(name: str, ending: str) -> None:
    made = safe(name)
    assert made == unicodedata.normalize("NFC", made)
    assert all(ch.isalnum() or ch in "._@-" for ch in made)
    assert made[:1] not in ("", ".", "-")
    assert ".." not in made
    assert not re.match(r"(?i)(con|prn|aux|nul|com\d|lpt\d)([.@]|$)", made)
    assert len(made) <= 2 * LONGEST_NAME + 2
    assert len(f"{made}.{ending}".encode()) < 400


def made_of(*specs: str, text: str | None = "hi", options: Options | None = None) -> Provenance:
    return Provenance.of([bundled(spec) for spec in specs], text, options or Options(), specs)


def test_different_exports_have_different_names() -> None:
    """Two exports have the same name only if text, tokenizers, options, patterns and kind are the same."""
    patterned = Provenance.of([with_pattern(bundled("gpt-2"), r"\w|\W")], "hi", Options())
    names = [
        made_of("gpt-2").file_name("tokens", "csv"),
        made_of("gpt-2").file_name("trace", "csv"),
        made_of("gpt-2@llama.cpp").file_name("tokens", "csv"),
        made_of("gpt-2", text="hi ").file_name("tokens", "csv"),
        made_of("gpt-2", options=Options(False, True)).file_name("tokens", "csv"),
        made_of("gpt-2", options=Options(True, False)).file_name("tokens", "csv"),
        made_of("gpt-2", "llama-2").file_name("tokens", "csv"),
        patterned.file_name("tokens", "csv"),
    ]
    assert len(set(names)) == len(names)
    assert names[0] == "gpt-2@huggingface-tokens-8f434346.csv"
    many = made_of("gpt-2", "gpt-2@llama.cpp", "llama-2", "rwkv-world")
    assert many.file_name("alignment", "json") == "gpt-2@huggingface+gpt-2@llama.cpp+2-more-alignment-8f434346.json"


def test_a_table_grows_with_its_rows_and_not_with_rows_times_text() -> None:
    text = "x" * 50_000
    made = made_of("gpt-2", text=text)
    rows: list[list[object]] = [["n"], *([n] for n in range(1_000))]
    written = write_csv(made.columns(rows))
    assert written.count(text) == 1
    assert len(written) < len(text) + 1_000 * 600


def test_each_tokenizer_and_the_text_have_a_row_even_without_content() -> None:
    made = made_of("gpt-2", "llama-2", text="")
    heading, *body = made.columns([["tokenizer", "id"], ["llama-2", 1], ["llama-2", 2]], {"": "tokenizer"})
    at = {str(name): index for index, name in enumerate(heading)}
    assert [(row[0], row[1], row[at["model"]]) for row in body] == [
        ("llama-2", 1, "llama-2"), ("llama-2", 2, "llama-2"), ("gpt-2", None, "gpt-2")
    ]  # fmt: skip
    assert len(made_of("gpt-2").columns([["id"]])) == 2


@pytest.mark.parametrize("text", ["a\r\nb", "```\n~~~", "`", "\u202e|<b>", ""])
def test_text_comes_back_from_every_form(text: str) -> None:
    made = made_of("gpt-2", text=text)
    assert json.loads(json.dumps(made.document("trace", {})))["provenance"]["text"] == text
    table = pd.read_csv(io.BytesIO(write_csv(made.columns([["n"], [1]])).encode()), keep_default_na=False)
    assert table["whole_text"][0] == text
    lines = made.lines()
    assert json.loads(lines[lines.index("The text, as a JSON string:") + 3]) == text
    assert len(lines) == len("\n".join(lines).split("\n")), "no line has a line in it"


@given(st.text(max_size=20))
def test_inline_code_ends_where_it_should(text: str) -> None:
    written = inline(text)
    ticks = re.match("`+", written)
    assert ticks is not None
    inner = written[len(ticks[0]) : -len(ticks[0])]
    assert written.endswith(ticks[0])
    assert ticks[0] not in re.findall("`+", inner)
    assert "\n" not in written

"""Names of OpenAI: the table and the ids are tiktoken's, and what is unknown of chats is said."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
import tiktoken
from tiktoken import model as original

import explorer
from explorer.analysis.card import about
from explorer.cli.main import main
from explorer.corpus.counter import digest
from explorer.errors import InputError
from explorer.opening import catalog
from explorer.opening.catalog import file_of, openai_model

ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/"
ENCODINGS = ["r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony"]
TEXT = "def f(x):\n        return   x  # Größe 🤗 <|endoftext|><|fim_prefix|> 12345"


def test_the_table_of_models_is_the_original_one() -> None:
    assert catalog.openai()["models"] == original.MODEL_TO_ENCODING
    assert catalog.openai()["beginnings"] == original.MODEL_PREFIX_TO_ENCODING
    for name in (
        *catalog.openai()["models"],
        *(f"{start}x" for start in catalog.openai()["beginnings"]),
        "gpt-4o-mini",
        "ft:gpt-4o:me::1",
    ):
        assert catalog.encoding_of(name) == original.encoding_name_for_model(name)
    for name in ("", "gpt", "llama", "gpt-6", "o5"):
        assert catalog.encoding_of(name) == ""


@pytest.mark.parametrize("name", ENCODINGS)
def test_ids_are_those_of_tiktoken_from_the_published_ranks(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """tiktoken compares the file with the sha256 that it knows."""
    model = explorer.catalog().get(name) or openai_model(name)
    assert model is not None
    file, data = file_of(model)
    (tmp_path / hashlib.sha1(f"{ADDRESS}{file.name}".encode()).hexdigest()).write_bytes(data)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("tiktoken.load.read_file", lambda path: pytest.fail(f"{path} is fetched"))
    monkeypatch.setattr("tiktoken.registry.ENCODINGS", {})
    theirs = tiktoken.get_encoding(name)
    ours = explorer.load(name)
    assert ours.encode(TEXT).ids == theirs.encode(TEXT, allowed_special="all")
    assert ours.encode(TEXT, parse_special=False).ids == theirs.encode(TEXT, disallowed_special=())
    assert len(ours.vocabulary.pieces) == theirs.n_vocab == model.tokens
    assert (ours.name, ours.implementation) == (name, "tiktoken")
    assert ours.origin.files == (file,)


@pytest.mark.parametrize("name", ["davinci", "gpt-4@tiktoken", "gpt-4o", "gpt-3.5-turbo-0613", "gpt-oss-20b", "gpt2"])
def test_a_name_opens_everywhere(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    tok = explorer.load(name)
    expected = " ".join(map(str, tok.encode("is").ids))
    assert main(["encode", "-m", name, "is"]) == 0
    assert capsys.readouterr().out == f"{expected}\n"
    assert dict(about(name))["format"] == "a ranks file"
    assert dict(about(name))["sha256"] == tok.origin.files[0].sha256
    assert main(["info", "-m", name]) == 0
    if name not in ("gpt2",):
        assert name.partition("@")[0] in capsys.readouterr().out


def test_encodings_of_the_same_file_are_not_mistaken_for_each_other_by_a_corpus_job() -> None:
    assert len({digest(name) for name in catalog.openai()["sources"]}) == len(catalog.openai()["sources"])
    assert digest("gpt-4o") == digest("o200k_base")


@pytest.mark.long
def test_an_encoding_can_be_edited(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "my.tiktoken"
    assert main(["edit", "-m", "p50k_base", "--add", " kaomoji", "--output", str(output)]) == 0
    capsys.readouterr()
    assert len(explorer.load(output, pattern="p50k_base").encode(" kaomoji").ids) == 1


def test_a_file_of_this_name_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gpt-4o").write_bytes(explorer.catalog()["llama-2"].path.read_bytes())
    assert explorer.load("gpt-4o").implementation == "llama.cpp"
    assert explorer.load("gpt-4o@llama.cpp").implementation == "llama.cpp"
    assert explorer.load("gpt-4").implementation == "tiktoken"
    with pytest.raises(InputError, match="is neither"):
        explorer.load("gpt-5.json")


HELLO = [{"role": "user", "content": "Hi"}]


def test_a_chat_says_what_is_unknown_and_counts_by_the_published_rule() -> None:
    tok = explorer.load("gpt-4o-2024-08-06")
    with pytest.raises(InputError) as error:
        tok.prompt([*HELLO, {"role": "assistant", "name": "bob", "content": "Good day"}])
    assert "doesn't publish" in str(error.value)
    words = ["user", "Hi", "assistant", "bob", "Good day"]
    count = sum(len(tok.encode(word)) for word in words) + 3 + 3 + 1 + 3
    assert f"take {count} tokens" in str(error.value)
    assert tok.prompt(HELLO, "ours:chatml").ids


@pytest.mark.parametrize(
    ("name", "says"),
    [("gpt-4.1", "no rule"), ("o1", "no rule"), ("gpt-oss-20b", "openai/gpt-oss-20b"), ("gpt-4", "take 8 tokens")],
)
def test_the_rule_is_quoted_only_for_the_models_it_was_published_for(name: str, says: str) -> None:
    with pytest.raises(InputError) as error:
        explorer.load(name).prompt(HELLO)
    assert says in str(error.value)
    assert ("take" in str(error.value)) == ("take" in says)


@pytest.mark.parametrize("content", [[{"type": "image_url"}], 3, None])
def test_no_count_is_made_up_for_other_content(content: object) -> None:
    with pytest.raises(InputError) as error:
        explorer.load("gpt-4o").prompt([{"role": "user", "content": content}])
    assert "take" not in str(error.value)


def test_changed_ranks_are_refused() -> None:
    data = explorer.catalog()["gpt-2"].path.read_bytes().replace(b'"it":', b'"i!t?!":', 1)
    with pytest.raises(InputError, match="sha256"):
        catalog.ranks_of_encoding("r50k_base", data)

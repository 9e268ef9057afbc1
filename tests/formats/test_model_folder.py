"""Reading the settings next to a vocabulary, with one clear error for anything else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from explorer.errors import InputError
from explorer.formats.files import ADDED_TOKENS, CONFIG, SPECIAL_TOKENS_MAP, TOKENIZER_CONFIG
from explorer.formats.model_folder import Settings, read

BOS = {"__type": "AddedToken", "content": "<s>", "lstrip": False, "special": True}


def settings(**files: Any) -> Settings:
    """The settings of files named without .json; a bytes value is the file's content."""
    data = {
        f"{name}.json": each if isinstance(each, bytes) else json.dumps(each).encode() for name, each in files.items()
    }
    return read(data.get)


def test_settings_are_read() -> None:
    found = settings(
        tokenizer_config={"tokenizer_class": "GPT2Tokenizer", "bos_token": BOS, "add_bos_token": None, "own": [1]},
        special_tokens_map={"eos_token": "</s>", "additional_special_tokens": ["<a>", {"content": "<b>"}]},
        added_tokens={"<a>": 7},
        config={"model_type": "gpt2", "vocab_size": 9},
    )
    assert found.tokenizer is not None
    assert found.tokenizer["bos_token"] == BOS
    assert found.added == {"<a>": 7}
    assert (found.model_type, found.rows) == ("gpt2", (9, "vocab_size"))
    assert found.present == (TOKENIZER_CONFIG, SPECIAL_TOKENS_MAP, ADDED_TOKENS, CONFIG)


def test_empty_settings() -> None:
    found = read({}.get)
    assert not found
    assert (found.model_type, found.rows) == ("", None)


def test_numbers_as_python_writes_them() -> None:
    assert settings(config=b'{"time_step_limit": [0.0, Infinity], "vocab_size": 3}').rows == (3, "vocab_size")
    assert settings(tokenizer_config=b'{"own": NaN, "model_max_length": Infinity, "legacy": true}').tokenizer
    assert settings(tokenizer_config={"model_max_length": 1000000000000000019884624838656})
    assert settings(config={"text_config": {"vocab_size": 4}, "vision_config": {}}).rows == (
        4,
        "text_config.vocab_size",
    )


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("tokenizer_config", [], "not a JSON object"),
        ("tokenizer_config", b"", "not JSON"),
        ("tokenizer_config", b"{'a': 1}", "not JSON"),
        ("tokenizer_config", b'{"a": 1, "a": 2}', "'a' occurs twice"),
        ("tokenizer_config", b'{"legacy": NaN}', "legacy is nan"),
        ("added_tokens", b'{"a": NaN}', "not an id"),
        ("tokenizer_config", b'{"a": "\\ud800"}', "byte offset 7"),
        ("tokenizer_config", b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}", "nested too deeply"),
        ("tokenizer_config", b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        ("tokenizer_config", {"tokenizer_class": ["GPT2Tokenizer"]}, "tokenizer_class is ['GPT2Tokenizer']"),
        ("tokenizer_config", {"add_bos_token": "yes"}, "add_bos_token is 'yes', not true or false"),
        ("tokenizer_config", {"add_bos_token": 1}, "add_bos_token is 1, not true or false"),
        ("tokenizer_config", {"model_max_length": True}, "model_max_length is True, not a number"),
        ("tokenizer_config", {"bos_token": 5}, "bos_token is 5"),
        ("tokenizer_config", {"bos_token": {"content": 5}}, "bos_token is {'content': 5}"),
        ("tokenizer_config", {"bos_token": {"content": "a", "lstrip": "no"}}, "bos_token.lstrip is 'no'"),
        ("tokenizer_config", {"added_tokens_decoder": []}, "added_tokens_decoder is []"),
        ("tokenizer_config", {"added_tokens_decoder": {"x": BOS}}, "added_tokens_decoder.'x' is not an id"),
        ("tokenizer_config", {"added_tokens_decoder": {"-1": BOS}}, "added_tokens_decoder.'-1' is not an id"),
        ("tokenizer_config", {"added_tokens_decoder": {"9" * 5000: BOS}}, "is not an id"),
        ("tokenizer_config", {"added_tokens_decoder": {"1": "<s>"}}, "added_tokens_decoder.'1' is '<s>'"),
        ("tokenizer_config", {"additional_special_tokens": "<s>"}, "additional_special_tokens is '<s>'"),
        ("tokenizer_config", {"additional_special_tokens": ["a", 5]}, "additional_special_tokens[1] is 5"),
        ("tokenizer_config", {"extra_special_tokens": {"a": 5}}, "extra_special_tokens.'a' is 5"),
        ("special_tokens_map", {"eos_token": 1.5}, "eos_token is 1.5"),
        ("special_tokens_map", {"additional_special_tokens": 7}, "additional_special_tokens is 7"),
        ("added_tokens", {"<a>": "7"}, "'<a>' has '7'"),
        ("added_tokens", {"<a>": True}, "'<a>' has True"),
        ("added_tokens", {"<a>": -1}, "'<a>' has -1"),
        ("added_tokens", {"<a>": 1 << 40}, "'<a>' has"),
        ("config", {"model_type": 5}, "model_type is 5"),
        ("config", {"vocab_size": "32000"}, "vocab_size is '32000'"),
        ("config", {"text_config": {"vocab_size": []}}, "text_config.vocab_size is []"),
        ("config", {"text_config": 5}, "text_config is 5"),
    ],
)
def test_errors_name_file_and_key(name: str, content: Any, says: str) -> None:
    with pytest.raises(InputError) as caught:
        settings(**{name: content})
    assert str(caught.value).startswith(f"{name}.json: ")
    assert says in str(caught.value)
    assert len(str(caught.value)) < 400
    assert str(caught.value).isprintable()


def test_an_oversized_file_is_refused_before_it_is_read() -> None:
    with pytest.raises(InputError, match=r"config\.json: .* bytes"):
        settings(config=b" " * (1 << 27))

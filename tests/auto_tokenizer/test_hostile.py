"""Hostile settings open or give one clear error; the folder's code never runs and no other file is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from explorer.errors import InputError
from explorer.opening.formats import open_files
from tests.ui.small_files import tokenizer_json

SMALL = tokenizer_json()
KEYS = """
    tokenizer_class add_bos_token add_eos_token add_prefix_space legacy clean_up_tokenization_spaces do_lower_case
    strip_accents tokenize_chinese_chars split_special_tokens trim_offsets model_max_length max_len extra_ids
    padding_side truncation_side bos_token eos_token unk_token sep_token pad_token cls_token mask_token image_token
    additional_special_tokens extra_special_tokens added_tokens_decoder auto_map init_inputs fast_tokenizer_files
    tokenizer_file vocab_file merges_file chat_template from_slow fix_mistral_regex model_specific_special_tokens
    verbose encode errors src_lang language task predict_timestamps offset unk_id mask_token_sent question_token
    split_by_punct keep_accents wordpieces_prefix clean_text legacy_behaviour remove_space
""".split()
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1e308, 10**300, "", "x" * 10_000, "\u202e<b>", "[:$A ]", [], {}, [[]],
    [None], ["a", "a"], {"a": {}}, {"a": "b"}, {"content": "a"}, {"__type": "AddedToken"},
    {"__type": "AddedToken", "content": "\0"}, {"0": {"content": "a"}}, {"7": {"content": "", "special": True}},
    {"999999999": {"content": "z"}}, [{"content": "q"}], "/etc/passwd", "../x", "__import__('os').system('exit')",
)  # fmt: skip
CLASSES = (
    "PreTrainedTokenizerFast", "LlamaTokenizer", "GPT2Tokenizer", "BertTokenizer", "T5Tokenizer", "Qwen2Tokenizer",
    "WhisperTokenizer", "NllbTokenizer", "CLIPTokenizer", "PegasusTokenizer", "SplinterTokenizer",
)  # fmt: skip


def tried(version: int, **files: Any) -> InputError | None:
    """Opens a folder and uses it; returns the error if it is refused."""
    whole = {"tokenizer.json": SMALL} | {f"{name}.json": json.dumps(each).encode() for name, each in files.items()}
    try:
        tokenizer = open_files(whole, f"transformers-{version}")
        ids = tokenizer.encode("abc <s> a").ids
        tokenizer.decode(ids)
        assert all(fact.says.isprintable() for fact in tokenizer.facts)
        assert all(len(fact.says) < 3_000 for fact in tokenizer.facts)
    except InputError as error:
        refused = error
    else:
        return None
    assert str(refused).isprintable(), ascii(str(refused))
    assert len(str(refused)) < 3_000
    return refused


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("version", [4, 5])
def test_any_value_of_a_setting_opens_or_is_refused(version: int, key: str) -> None:
    for place, value in enumerate(VALUES):
        kind = CLASSES[place % len(CLASSES)]
        tried(version, tokenizer_config={"tokenizer_class": kind, key: value})
        tried(version, tokenizer_config={"tokenizer_class": kind}, special_tokens_map={key: value})
        tried(version, tokenizer_config={"tokenizer_class": kind}, config={key: value, "model_type": "gpt2"})


def test_code_in_the_folder_is_never_run(tmp_path: Path) -> None:
    marker = tmp_path / "run"
    (tmp_path / "own.py").write_text(f"open({str(marker)!r}, 'w')\nclass T: pass\n")
    (tmp_path / "tokenizer.json").write_bytes(SMALL)
    config = {"tokenizer_class": "OwnTokenizer", "auto_map": {"AutoTokenizer": ["own.T", "own.T"]}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    import explorer

    for version in (4, 5):
        with pytest.raises(InputError, match="never run here"):
            explorer.load(tmp_path, f"transformers-{version}")
    assert explorer.load(tmp_path, "huggingface").encode("abc").ids == [4]
    assert not marker.exists()


def test_the_error_for_an_unsupported_class_lists_the_supported_ones() -> None:
    error = tried(4, tokenizer_config={"tokenizer_class": "UdopTokenizer"})
    assert "as UdopTokenizerFast, which is not supported here" in str(error)
    assert "GPT2TokenizerFast" in str(error)
    assert "@huggingface" in str(error)

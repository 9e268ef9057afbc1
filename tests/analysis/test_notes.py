"""Which setting of a folder causes a difference, in ids or in decoded text: named only if it is the cause."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import explorer
from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import Comparison, run, runs
from explorer.analysis.notes import notes
from explorer.analysis.what_if import Switch, flip, variations
from explorer.text.say import plain
from tests.auto_tokenizer.folders import Case
from tests.meaning import mentions

CLEAN = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": True}


def folder(root: Path, base: str, **config: Any) -> Path:
    """A folder on one of the bases, with these settings."""
    name = f"folder {len(list(root.iterdir())) if root.exists() else 0}"
    return Case(name, base, {"tokenizer_config.json": config}).written(root)


def said(found: Comparison) -> tuple[str, ...]:
    return tuple(map(plain, notes(found)))


def compared(text: str, *specs: str) -> Comparison:
    return compare(*runs([explorer.load(spec) for spec in specs], text))


def test_clean_up_is_named_if_it_causes_different_text(tmp_path: Path) -> None:
    path = folder(tmp_path, "gpt2", **CLEAN)
    found = compared("Hello , world !", f"{path}@transformers-5", f"{path}@transformers-4")
    assert found.same
    assert said(found) == (
        "decode: the ids become “Hello␣,␣world␣!” and “Hello,␣world!”, because transformers 4 cleans up: "
        "clean_up_tokenization_spaces is true in tokenizer_config.json. Without it both give the same text.",
    )
    assert said(compared("Hello, world", f"{path}@transformers-5", f"{path}@transformers-4")) == ()
    other = compared("Hello , world !", f"{path}@huggingface", f"{path}@transformers-4")
    assert "clean_up_tokenization_spaces is true" in said(other)[0]


def test_the_same_ids_with_different_text_for_another_reason_are_noted_without_a_cause() -> None:
    found = compared("don't , you", "bert-uncased", "bert-uncased@llama.cpp")
    assert found.same
    assert said(found) == ("decode: the same ids become “don␣'␣t,␣you” and “␣don't,␣you”.",)


@pytest.mark.parametrize(
    ("base", "config", "flipped", "text", "says"),
    [
        ("llama", {"tokenizer_class": "LlamaTokenizer"}, {"add_bos_token": False}, "is",
         "add_bos_token is false in tokenizer_config.json. With true"),
        ("llama", {"tokenizer_class": "LlamaTokenizer"}, {"add_eos_token": True}, "is", "add_eos_token is true"),
        ("slow-llama", {"tokenizer_class": "LlamaTokenizer"}, {"legacy": False}, "</s>a", "legacy is false"),
        ("gpt2", {"tokenizer_class": "GPT2Tokenizer"}, {"add_prefix_space": True}, "is", "add_prefix_space is true"),
        ("bert", {"tokenizer_class": "BertTokenizer"}, {"do_lower_case": False}, "Is", "do_lower_case is false"),
        ("bert", {"tokenizer_class": "BertTokenizer"}, {"strip_accents": False}, "är", "strip_accents is false"),
        ("gpt2", {"tokenizer_class": "GPT2Tokenizer"}, {"split_special_tokens": True}, "a<|endoftext|>",
         "split_special_tokens is true"),
    ],
)  # fmt: skip
def test_a_setting_is_named_if_it_causes_different_ids(
    base: str, config: dict[str, Any], flipped: dict[str, Any], text: str, says: str, tmp_path: Path
) -> None:
    one, other = (folder(tmp_path, base, **config, **more) for more in ({}, flipped))
    found = compared(text, f"{one}@transformers-4", f"{other}@transformers-4")
    assert not found.same
    assert len(said(found)) == 1
    assert says in said(found)[0]
    assert said(found)[0].endswith("the ids are the same in this region.")
    same = compared(text, f"{one}@transformers-4", f"{one}@transformers-4")
    assert said(same) == ()


def test_a_setting_that_causes_no_difference_is_not_named(tmp_path: Path) -> None:
    """Both add the same BOS. The difference is in the case, although add_bos_token differs, too."""
    one = folder(tmp_path, "bert", tokenizer_class="BertTokenizer", do_lower_case=False, add_bos_token=True)
    found = compared("Is", f"{one}@transformers-4", f"{one}@huggingface")
    assert [note.partition(" is ")[0] for note in said(found)] == ["transformers 4: do_lower_case"]


def test_every_setting_with_an_effect_is_a_switch(tmp_path: Path) -> None:
    path = folder(tmp_path, "llama", tokenizer_class="LlamaTokenizer", clean_up_tokenization_spaces=True)
    tokenizer = explorer.load(path, "transformers-4")
    switches = [each for each in variations(tokenizer, "is") if each.switch is Switch.SETTING]
    assert [(each.spec, each.on) for each in switches] == [
        ("add_bos_token", True), ("add_eos_token", False), ("clean_up_tokenization_spaces", True),
        ("split_special_tokens", False),
    ]  # fmt: skip
    found = flip(run(tokenizer, "is"), switches[0])
    assert mentions(found.sentence, "post-process: with add_bos_token it adds “<s>”")
    assert len(found.left.ids) == len(found.right.ids) + 1
    names = [each.name for each in tokenizer.variants.all]
    assert all(one != other for one, other in pairwise(names))


def test_a_folder_opened_as_another_implementation_has_no_such_switches(tmp_path: Path) -> None:
    path = folder(tmp_path, "gpt2", tokenizer_class="GPT2Tokenizer")
    assert explorer.load(path, "huggingface").variants.all == ()

"""What a folder's card says about settings that the original only warns of, and how its class is called."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import explorer
from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import runs
from explorer.analysis.notes import notes
from explorer.facts import FactKind
from explorer.text.say import plain
from tests.auto_tokenizer.bases import base, slow
from tests.auto_tokenizer.folders import Case


def opened(root: Path, name: str, base: str, version: int = 4, **files: Any) -> explorer.Tokenizer:
    named = {f"{key}.json": value for key, value in files.items()}
    return explorer.load(Case(name, base, named).written(root), f"transformers-{version}")


@pytest.mark.long
@pytest.mark.parametrize("version", [4, 5])
def test_a_folder_that_may_have_mistrals_wrong_pattern_says_so(version: int, tmp_path: Path) -> None:
    mistral = {"model_type": "mistral", "transformers_version": "4.57.1"}
    config = {"tokenizer_class": "PreTrainedTokenizerFast"}
    unset = opened(tmp_path, "unset", "qwen2.5", version, tokenizer_config=config, config=mistral)
    fixed, no = (
        opened(
            tmp_path, str(on), "qwen2.5", version, tokenizer_config={**config, "fix_mistral_regex": on}, config=mistral
        )
        for on in (True, False)
    )
    other = opened(
        tmp_path, "other", "qwen2.5", version, tokenizer_config={**config, "fix_mistral_regex": True},
        config={**mistral, "model_type": "qwen2"},
    )  # fmt: skip
    about = [[fact.kind for fact in each.facts if "fix_mistral_regex" in fact.says + fact.place]
             for each in (unset, fixed, no, other)]  # fmt: skip
    assert about == [[FactKind.WARNING], [FactKind.USED], [], [FactKind.UNUSED]]
    text = "aHello iPhones HTMLElement"
    assert unset.encode(text).ids == no.encode(text).ids == other.encode(text).ids != fixed.encode(text).ids
    found = tuple(map(plain, notes(compare(*runs([fixed, unset], text)))))
    assert len(found) == 1
    assert "fix_mistral_regex is true in tokenizer_config.json" in found[0]


@pytest.mark.parametrize("kind", ["LayoutLMv2Tokenizer", "LayoutLMTokenizer"])
def test_a_class_that_is_called_with_boxes_says_so(kind: str, tmp_path: Path) -> None:
    tokenizer = opened(tmp_path, kind, "bert", tokenizer_config={"tokenizer_class": kind})
    assert any("boxes" in fact.says for fact in tokenizer.facts) is ("v2" in kind)


def test_a_default_that_changed_between_versions_is_named(tmp_path: Path) -> None:
    """Llama's is legacy by default in version 4."""
    path = Case("llama", "slow-llama", {"tokenizer_config.json": {"tokenizer_class": "LlamaTokenizer"}}).written(
        tmp_path
    )
    five, four = (explorer.load(path, f"transformers-{version}") for version in (5, 4))
    found = compare(*runs([five, four], "<s>The"))
    assert not found.same
    said = [note for note in map(plain, notes(found)) if "legacy is" in note]
    assert [(note.partition(":")[0], "legacy is true" in note) for note in said] == [
        ("transformers 5", False), ("transformers 4", True),
    ]  # fmt: skip


def test_a_class_with_parts_of_its_own_is_named_as_the_cause(tmp_path: Path) -> None:
    """Files that name GPT-2's class, which cuts otherwise than their tokenizer.json says."""
    whole = json.loads(base("qwen2"))
    files = {"tokenizer_config.json": {"tokenizer_class": "GPT2Tokenizer"}, "config.json": {"model_type": "gpt2"},
             "tokenizer.json": json.dumps(whole).encode()}  # fmt: skip
    path = Case("gpt2", "", files).written(tmp_path)
    five, four = (explorer.load(path, f"transformers-{version}") for version in (5, 4))
    found = compare(*runs([five, four], "foo();\n\n\tbar();\n"))
    assert not found.same
    (note,) = map(plain, notes(found))
    assert "GPT2Tokenizer uses its own" in note
    assert "45812" in note
    assert note.startswith("transformers 5:")
    assert any("45812" in fact.says for fact in five.facts)
    assert not any("45812" in fact.says for fact in four.facts)


def test_a_language_without_a_token_is_a_warning(tmp_path: Path) -> None:
    files = {"sentencepiece.bpe.model": slow("slow-xlm-r")["sentencepiece.bpe.model"],
             "tokenizer_config.json": {"tokenizer_class": "NllbTokenizer"}}  # fmt: skip
    path = Case("nllb", "", files).written(tmp_path)
    four, five = (explorer.load(path, f"transformers-{version}") for version in ("4", "5"))
    warned = [
        any(fact.kind is FactKind.WARNING and "eng_Latn" in fact.says for fact in tok.facts) for tok in (four, five)
    ]
    assert warned == [False, True]
    assert five.encode("a").ids[0] == 3


def test_what_clip_does_to_decoded_text_is_said_and_done(tmp_path: Path) -> None:
    clip = opened(tmp_path, "clip", "clip", tokenizer_config={"tokenizer_class": "CLIPTokenizer"})
    assert clip.decode(clip.encode("  What IS\tthis ").ids, unparse_special=False) == "what is this"
    assert any(fact.topic == "decoder" and "end of words" in fact.says for fact in clip.facts)
    trace = clip.trace_decode(clip.encode("this is").ids)
    assert "".join(part.decode() for part in trace.parts) == trace.text

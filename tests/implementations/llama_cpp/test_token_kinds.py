"""Token kinds and flags that llama.cpp derives from spellings and the model's name, against the original."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.formats.gguf import Gguf
from explorer.implementations.llama_cpp import from_gguf
from tests.implementations.llama_cpp.toys import (
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    UNUSED,
    USER,
    hold,
    keys_of,
    refused_by_both,
    spm,
)

CORRECTED = [
    spm("</s>", "<|im_end|>"), spm("</s>", "<|tool_response>"), spm("</s>", "<|plamo:eos|>"),
    spm("</s>", "<|plamo:eos|>", eos_token_id=261), spm("</s>", "<|plamo:eos|>", eot_token_id=261),
    spm("</s>", "<|plamo:eos|>", fim_pad_token_id=261),
    spm("<|end|>", "<|return|>", "<|call|>"), spm("<|end|>", "<|return|>", "<|calls|>"), spm("<|end|>", "<|flush|>"),
    spm("<|end|>", "<|flush|>", "<|calls|>"), spm("<|end|>", "<|call|>"), spm("<|start|>", "<|channel|>"),
    spm("<|start|>", "<|message|>", kind=CONTROL), spm("<PRE>", "<SUF>", "<MID>", "<PAD>", "<REPO>", "<|file_sep|>"),
    spm("<PRE>", "<SUF>", "<MID>", "<PAD>", "<REPO>", "<|file_sep|>", fim_pre_token_id=1, suffix_token_id=1,
        fim_mid_token_id=10**6, fim_pad_token_id=0),
    spm("▁<PRE>", kind=USER), spm("<EOT>", kind=UNUSED), spm("[PAD]", kind=BYTE),
]  # fmt: skip


@pytest.mark.parametrize("keys", CORRECTED, ids=range(len(CORRECTED)))
def test_kinds_are_corrected_by_spelling_like_the_original(keys: dict[str, object], tmp_path: Path) -> None:
    spellings = [piece.decode() for piece in keys["tokenizer.ggml.tokens"][260:]]  # type: ignore[index]
    hold(keys, ["a".join(spellings), " ".join(spellings), "".join(spellings)], tmp_path)


PHI = ("</s>", "<|endoftext|>", "<|end|>")
NAMES = [
    spm("<mask>", kind=CONTROL, pre="jina-v2-de"), spm("<mask>", kind=USER, pre="x-jina-v2-code-y"),
    spm("<mask>", kind=CONTROL, **{"general.architecture": "nomic-bert-moe"}), spm("<mask>", pre="jina-v2-es"),
    spm(*PHI, kind=CONTROL, **{"general.name": "My PHI-3 model"}), spm(*PHI, kind=USER, **{"general.name": "phi3"}),
    spm(*PHI, kind=CONTROL, pre="jina-v2-de", **{"general.name": "phi3"}),
    spm("[MASK]", kind=CONTROL, **{"general.name": "ModErn-bert"}),
    spm("[MASK]", kind=USER, **{"general.name": "modern-bert"}),
]  # fmt: skip


@pytest.mark.parametrize("keys", NAMES, ids=range(len(NAMES)))
def test_the_models_name_decides_which_tokens_absorb_white_space(keys: dict[str, object], tmp_path: Path) -> None:
    spellings = [piece.decode() for piece in keys["tokenizer.ggml.tokens"][260:]]  # type: ignore[index]
    samples = [glue.join(["a", *spellings, "<s>", "<unk>", "a"]) for glue in ("", " ", "  ", "\t\n ", "\u3000", " a ")]
    architecture = keys["general.architecture"]
    if architecture == "llama":
        hold(keys, samples, tmp_path)
    else:
        # with SPM, llama.cpp requires a whole model of that architecture; such models have Unigram anyway
        hold(keys | {"tokenizer.ggml.model": "t5"}, samples, tmp_path)


def test_a_phi_3_without_its_tokens_is_refused(tmp_path: Path) -> None:
    keys = spm(*PHI[1:], kind=CONTROL, **{"general.name": "phi-3"})
    assert "refuses a Phi-3 without the token </s>" in refused_by_both(keys, tmp_path)


def test_several_tokens_for_one_purpose_are_reported() -> None:
    ours = from_gguf(Gguf(3, 0, spm("<PAD>", "[PAD]")), "toy")  # type: ignore[arg-type]
    found = [fact for fact in ours.facts if "spelled for one purpose" in fact.says]
    assert [(fact.kind.value, fact.code) for fact in found] == [("warning", "<PAD> [PAD]")]


def test_a_unigram_model_uses_the_kinds_of_the_file(tmp_path: Path) -> None:
    pieces = [
        ("<pad>", 0.0, CONTROL), ("x", -9.0, NORMAL), ("<unk>", 0.0, UNKNOWN), ("</s>", -1.0, NORMAL),
        ("<|start|>", -2.0, CONTROL), ("<PAD>", -0.5, USER), ("<", -4.0, NORMAL), ("a", -3.0, NORMAL),
    ]  # fmt: skip
    samples = ["a</s>a<|start|><PAD>", "</s>", "<PAD><PA", "<|start|>"]
    ours = hold(keys_of("t5", pieces), samples, tmp_path)
    assert ours.encode("</s>", parse_special=False).ids[:1] == [3]

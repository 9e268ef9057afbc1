"""The facts about a tokenizer.json after its conversion to a GGUF file.

Facts about what llama.cpp reads have no place in the tokenizer.json; facts about what the converter drops have one.
"""

from __future__ import annotations

from collections.abc import Sequence

from explorer.facts import UNUSED, WARNING, Fact
from explorer.formats.tokenizer_json import TokenizerJson

FLAGS = ("single_word", "lstrip", "rstrip")
"""Flags of added tokens that the conversion loses."""


def converted_facts(file: TokenizerJson, facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """The facts of the GGUF file without their keys, and facts about what the conversion loses."""
    says = "This is the vocabulary as llama.cpp runs it once its converter has written a GGUF file of it."
    found = [Fact("model", says)]
    if file.model_type == "BPE" and any(fact.says.startswith("SPM") for fact in facts):
        says = "The merges are lost, and there are no scores: every piece gets the same, and pairs merge from the left."
        found.append(Fact("model", says, "model.merges", kind=WARNING))
    found += [fact._replace(place="") for fact in facts if fact.kind != UNUSED]
    if file.normalizer is not None and file.model_type == "BPE":
        found.append(Fact("normalizer", f"The normalizer {file.normalizer.get('type')} is lost: llama.cpp has its own "
                          "for such a vocabulary, or none.", "normalizer", kind=UNUSED))  # fmt: skip
    for flag in FLAGS:
        count = sum(getattr(token, flag) for token in file.added_tokens)
        if count:
            found.append(
                Fact(
                    "added tokens",
                    f"The flag {flag} of {count:,} added tokens is lost.",
                    "added_tokens",
                    kind=UNUSED,
                )
            )
    return tuple(found)

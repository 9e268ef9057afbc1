"""vocab.json and merges.txt as the tokenizer.json that `ByteLevelBPETokenizer` of Hugging Face makes of them.

GPT-2's pre-tokenizer, byte by byte, and no special tokens. What is otherwise in a model that has such files can be
chosen: `pattern`, by its name or as a regular expression, and with GPT-2's pattern `prefix_space`. RoBERTa's `<s>` and
`</s>` around a text, and which tokens are special, are said in other files, and are left out here as they are there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from explorer.engine.byte_map import PRINTABLE
from explorer.engine.patterns import GPT2, LLAMA3, O200K_BASE, QWEN2, Pattern
from explorer.errors import InputError
from explorer.facts import Fact, FactKind
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations.chosen_pattern import KEY, chosen_pattern

PATTERNS: Mapping[str, Pattern] = {each.name: each for each in (GPT2, LLAMA3, QWEN2, O200K_BASE)}
"""What the choice `pattern` may name."""
SPECIAL = re.compile(r"<\|.+\|>|</?[a-z]+>|\[[A-Z]+\]")
"""What special tokens are mostly spelled like."""
YES_NO = {"yes": True, "no": False}


def as_tokenizer_json(
    vocab: dict[str, int], merges: list[str], name: str, choices: Mapping[str, str]
) -> tuple[TokenizerJson, tuple[Fact, ...]]:
    """The two files as one tokenizer.json, and their card. Raises InputError for a choice that is none."""
    pattern = chosen_pattern(choices.get(KEY, GPT2.name), PATTERNS, name)
    prefix = choices.get("prefix_space", "no")
    if prefix not in YES_NO or (YES_NO[prefix] and pattern is not GPT2):
        raise InputError(f"{name}: prefix_space is {prefix!r}; choose no, or with the pattern gpt-2 yes")
    pre_tokenizer: dict[str, Any] = {"type": "ByteLevel", "add_prefix_space": YES_NO[prefix], "use_regex": True}
    if pattern is not GPT2:
        split = {"type": "Split", "pattern": {"Regex": pattern.regex}, "behavior": "Isolated", "invert": False}
        spell = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
        pre_tokenizer = {"type": "Sequence", "pretokenizers": [split, spell]}
    file = TokenizerJson(
        {"type": "BPE", "vocab": vocab, "merges": merges},
        "BPE",
        (),
        normalizer=None,
        pre_tokenizer=pre_tokenizer,
        post_processor=None,
        decoder={"type": "ByteLevel"},
    )
    return file, tuple(facts_of(vocab, merges, pattern, YES_NO[prefix]))


def facts_of(vocab: dict[str, int], merges: list[str], pattern: Pattern, prefix: bool) -> Iterator[Fact]:
    """The card of the two files."""
    yield Fact("model", f"{len(vocab)} pieces with their ids.", "vocab.json")
    yield Fact("model", f"{len(merges)} pairs that merge, the first one first.", "merges.txt")
    missing = [byte for byte, ch in enumerate(PRINTABLE) if ch not in vocab]
    if missing:
        says = f"{len(missing)} bytes have no piece: what of a text is one of them is left out."
        code = " ".join(f"{byte:02X}" for byte in missing)
        yield Fact("model", says, "vocab.json", code, FactKind.WARNING)
    says = "This pattern cuts the text into pieces. The files say none; without a choice it is GPT-2's."
    yield Fact("pre-tokenizer", says, code=pattern.regex)
    if prefix:
        yield Fact("pre-tokenizer", "A space is put in front of a text that does not begin with one.")
    special = [piece for piece in vocab if SPECIAL.fullmatch(piece)]
    if special:
        says = "These look like special tokens. The files do not say so, and their spelling is text like any other."
        code = "\n".join(f"{vocab[piece]} {piece}" for piece in special[:100])
        yield Fact("special tokens", says, "vocab.json", code, FactKind.WARNING)
    else:
        yield Fact("special tokens", "There are none: the files name none.")

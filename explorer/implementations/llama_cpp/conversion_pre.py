"""The name that llama.cpp's converter uses for the pre-tokenizer of a tokenizer.json, found by its patterns.

The converter tokenizes a test text and looks up the name by a hash of the ids (`get_vocab_base_pre` in
`conversion/base.py`). That distinguishes any two models, but says nothing about patterns. Here the patterns decide: the
parts of the pre-tokenizer are turned into regular expressions, in order, and looked up. Of several names with the same
patterns the most common is used; they differ in settings that a tokenizer.json does not have.

The models' own patterns are those that llama.cpp's `src/llama-vocab.cpp` cites above its own; for models with more
parts than a pattern they are from their tokenizer.json.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from explorer.engine.pre_tokenizers import patterns_llama_cpp as p
from explorer.engine.pre_tokenizers.patterns import GPT2, LLAMA3, O200K_BASE, QWEN2, TEKKEN
from explorer.formats.tokenizer_json import Json
from explorer.implementations.huggingface.reading import LocatedPart

_CONTRACTION = LLAMA3.alternatives[0].regex
_NUMBER, _NUMBERS, _THREE = r"\p{N}", r"\p{N}+", r"\p{N}{1,3}"
_BLOOM = r" ?[^(\s|[.,!?…。，、।۔،])]+"


def own(ours: str) -> str:
    """The model's own pattern, if llama.cpp only changed the contractions."""
    return ours.replace(p.CONTRACTION.regex, _CONTRACTION)


SIGNATURES: Final = (
    ("gpt-2", (GPT2.regex,)),
    ("llama-bpe", (LLAMA3.regex,)),
    ("qwen2", (QWEN2.regex,)),
    ("qwen35", (own(p.QWEN35.regex),)),
    ("gpt-4o", (O200K_BASE.regex,)),
    ("tekken", (TEKKEN.regex,)),
    ("starcoder", (_NUMBER, GPT2.regex)),
    ("deepseek-llm", (p.LINE_BREAK.regex, p.DEEPSEEK_LETTERS.regex, p.DEEPSEEK_PUNCTUATION.regex,
                      p.WHITE_SPACE_AT_THE_END.regex, p.DEEPSEEK_HAN.regex, _NUMBERS)),
    ("deepseek-llm", (p.LINE_BREAK.regex, p.DEEPSEEK_LETTERS.regex, p.DEEPSEEK_PUNCTUATION.regex,
                      p.WHITE_SPACE_AT_THE_END.regex, p.DEEPSEEK_HAN.regex, _NUMBER)),
    ("deepseek-coder", tuple(pattern.regex for pattern in p.DEEPSEEK_CODER)),
    ("deepseek-v3", (_THREE, p.HAN_AND_KANA.regex, p.DEEPSEEK3.regex)),
    ("spark2_5", (_THREE, p.HAN_AND_KANA.regex, p.SPARK.regex, _NUMBER)),
    ("youtu", (p.YOUTU_ASIA.regex, own(p.YOUTU.regex))),
    ("minicpm5", (_THREE, own(p.MINICPM5.regex))),
    ("jais-2", (own(p.JAIS2.regex),)),
    ("falcon", ("Punctuation", GPT2.regex, _NUMBERS, p.THREE_DIGITS.regex)),
    ("bloom", (_BLOOM,)),
    ("viking", (_BLOOM, _NUMBER)),
    ("exaone-moe", (own(p.EXAONE_MOE.regex),)),
    ("tiny_aya", (p.TINY_AYA_DIGITS.regex, own(p.TINY_AYA.regex))),
    ("superbpe", (_NUMBERS, p.THOUSANDS.regex)),
    ("bailingmoe", (r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]"
                    r"|\s+(?!\S)|\s+",)),
    ("seed-coder", (own(p.SEED_CODER.regex),)),
    ("ufakzeka", (p.UFAKZEKA.regex,)),
    ("laguna", (p.LINE_FEEDS.regex, QWEN2.regex)),
)  # fmt: skip


def plain(regex: str) -> str:
    """A pattern with its line breaks as escapes: some files contain the characters themselves."""
    return regex.replace("\r", r"\r").replace("\n", r"\n")


PRE_OF_PATTERNS: Final = {tuple(map(plain, patterns)): name for name, patterns in SIGNATURES}
"""Regular expressions of the parts of a pre-tokenizer, in order → `tokenizer.ggml.pre`."""


def patterns_of(parts: Iterable[LocatedPart]) -> Iterator[str]:
    """The regular expressions of the parts of a pre-tokenizer; a part without one gives its type.

    >>> from explorer.implementations.huggingface.reading import flat
    >>> part = {"type": "Sequence", "pretokenizers": [
    ...     {"type": "Digits", "individual_digits": True}, {"type": "ByteLevel", "use_regex": False}]}
    >>> list(patterns_of(flat(part, "pre_tokenizer", "pretokenizers", "toy")))
    ['\\\\p{N}']
    """
    for part, _, _ in parts:
        kind, pattern = part["type"], part.get("pattern")
        regex = pattern.get("Regex") if isinstance(pattern, dict) else None
        if kind == "Split" and isinstance(regex, str) and _isolates(part):
            yield plain(regex)
        elif kind == "ByteLevel":
            if part.get("use_regex", True):
                yield plain(GPT2.regex)
        elif kind == "Digits":
            yield _NUMBER if part.get("individual_digits") else _NUMBERS
        else:
            yield kind


def _isolates(split: Json) -> bool:
    """Whether a Split makes each match a piece, which is all that llama.cpp's patterns do."""
    behavior, inverted = split.get("behavior"), bool(split.get("invert"))
    return (behavior == "Isolated" and not inverted) or (behavior == "Removed" and inverted)


def pre_of(patterns: Iterable[str], ignore_merges: bool) -> str | None:
    """The converter's name for a pre-tokenizer with these patterns, or None.

    ignore_merges: of the model, the only difference between Llama 3 and Smaug.
    """
    name = PRE_OF_PATTERNS.get(tuple(patterns))
    return "smaug-bpe" if name == "llama-bpe" and not ignore_merges else name

"""vocab.json and merges.txt as the tokenizer.json that Hugging Face makes of them.

Most are byte-level (`ByteLevelBPETokenizer`): GPT-2's pre-tokenizer and no special tokens. Where a model differs, the
user chooses: `pattern`, by name or as a regular expression, and `prefix_space` with GPT-2's pattern. The first GPT's
pieces are spelled in characters, with `</w>` at the end of a word (`CharBPETokenizer`): the `encoder` called
characters, with `case` for lowercasing.

Left out: RoBERTa's `<s>` and `</s>` around a text, and which tokens are special. Other files hold them, and the
original classes leave them out, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from explorer.engine.pre_tokenizers.patterns import GPT2, LLAMA3, O200K_BASE, QWEN2
from explorer.engine.regexes.pattern import Pattern
from explorer.engine.unicode.byte_map import PRINTABLE
from explorer.errors import ChoiceNeeded, InputError, shown
from explorer.facts import WARNING, Fact
from explorer.formats.tokenizer_json import AddedEntry, TokenizerJson
from explorer.implementations.tiktoken.pattern_choice import KEY, chosen_pattern

PATTERNS: Mapping[str, Pattern] = {each.name: each for each in (GPT2, LLAMA3, QWEN2, O200K_BASE)}
"""Names for the choice `pattern`."""
SPECIAL = re.compile(r"<\|.+\|>|</?[a-z]+>|\[[A-Z]+\]")
"""Usual spellings of special tokens."""
YES_NO = {"yes": True, "no": False}
ENCODERS = ("characters", "byte-level")
"""Answers to the choice `encoder`."""
CASES = {"cased": False, "uncased": True}
WORD_END, UNKNOWN = "</w>", "<unk>"
"""The default spellings of `CharBPETokenizer`."""

FileAndFacts: TypeAlias = tuple[TokenizerJson, tuple[Fact, ...]]


def as_tokenizer_json(vocab: dict[str, int], merges: list[str], name: str, choices: Mapping[str, str]) -> FileAndFacts:
    """The two files as one tokenizer.json, and their facts.

    Raises InputError for an unknown answer to a choice, ChoiceNeeded for pieces that may be spelled in characters.
    """
    missing = [byte for byte, ch in enumerate(PRINTABLE) if ch not in vocab]
    encoder = choices.get("encoder", "")
    if not encoder and missing and any(piece.endswith(WORD_END) for piece in vocab):
        raise ChoiceNeeded(
            f"{name}: pieces end in {WORD_END} and {len(missing)} bytes have no piece, so the pieces seem to be "
            f"spelled in characters; choose the encoder: {' or '.join(ENCODERS)}",
            "encoder",
            ENCODERS,
        )
    if encoder not in ("", *ENCODERS):
        raise InputError(f"{name}: encoder is {shown(encoder)}; choose {' or '.join(ENCODERS)}")
    in_characters = encoder == ENCODERS[0]
    file, facts = (_char_bpe if in_characters else _byte_level_bpe)(vocab, merges, name, choices)
    if missing and not in_characters:
        says = f"{len(missing)} bytes have no piece and are left out of a text."
        code = " ".join(f"{byte:02X}" for byte in missing)
        facts = (*facts, Fact("model", says, "vocab.json", code, WARNING))
    return file, (
        Fact("model", f"{len(vocab)} pieces with their ids.", "vocab.json"),
        Fact("model", f"{len(merges)} pairs that merge, the first one first.", "merges.txt"),
        *facts,
        _special_fact(vocab, known=(UNKNOWN,) if in_characters else ()),
    )


def _byte_level_bpe(vocab: dict[str, int], merges: list[str], name: str, choices: Mapping[str, str]) -> FileAndFacts:
    """The file that `ByteLevelBPETokenizer` makes."""
    pattern = chosen_pattern(choices.get(KEY, GPT2.name), PATTERNS, name)
    prefix = choices.get("prefix_space", "no")
    if prefix not in YES_NO or (YES_NO[prefix] and pattern is not GPT2):
        raise InputError(f"{name}: prefix_space is {shown(prefix)}; choose no, or yes with the pattern gpt-2")
    pre_tokenizer: dict[str, Any] = {"type": "ByteLevel", "add_prefix_space": YES_NO[prefix], "use_regex": True}
    if pattern is not GPT2:
        split = {"type": "Split", "pattern": {"Regex": pattern.regex}, "behavior": "Isolated", "invert": False}
        spell = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
        pre_tokenizer = {"type": "Sequence", "pretokenizers": [split, spell]}
    file = TokenizerJson(
        {"type": "BPE", "vocab": vocab, "merges": merges},
        pre_tokenizer=pre_tokenizer,
        decoder={"type": "ByteLevel"},
    )
    facts = [Fact("pre-tokenizer", "This pattern cuts the text into pre-tokens.", code=pattern.regex)]
    if KEY not in choices:
        says = f"The files don't name a pattern: GPT-2's is assumed, and you can choose another one ({KEY}=…)."
        facts.append(Fact("pre-tokenizer", says, kind=WARNING))
    if YES_NO[prefix]:
        facts.append(Fact("pre-tokenizer", "A space is put in front of a text that does not begin with one."))
    return file, tuple(facts)


def _char_bpe(vocab: dict[str, int], merges: list[str], name: str, choices: Mapping[str, str]) -> FileAndFacts:
    """The file that `CharBPETokenizer` makes."""
    case = choices.get("case", "cased")
    if case not in CASES:
        raise InputError(f"{name}: case is {shown(case)}; choose {' or '.join(CASES)}")
    bert = {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": False}
    normalizers: list[dict[str, Any]] = [{"type": "BertNormalizer", **bert}]
    normalizers += [{"type": "Lowercase"}] if CASES[case] else []
    file = TokenizerJson(
        {"type": "BPE", "vocab": vocab, "merges": merges, "unk_token": UNKNOWN, "end_of_word_suffix": WORD_END},
        (AddedEntry(vocab[UNKNOWN], UNKNOWN, True, False, False, False, False),) if UNKNOWN in vocab else (),
        normalizer={"type": "Sequence", "normalizers": normalizers},
        pre_tokenizer={"type": "BertPreTokenizer"},
        decoder={"type": "BPEDecoder", "suffix": WORD_END},
    )
    letters = "Letters are lowercased" if CASES[case] else "Capitals stay"
    return file, (
        Fact("model", f"Pieces are spelled in characters; one that ends a word ends in {WORD_END}."),
        Fact("normalizer", f"{letters}; control characters are dropped, white space becomes a space."),
        Fact("pre-tokenizer", "Words end at white space, and each punctuation mark is a pre-token of its own."),
        Fact("special tokens", f"Unknown characters become {UNKNOWN}; the spelling {UNKNOWN} in a text is that token."),
    )


def _special_fact(vocab: dict[str, int], known: Sequence[str]) -> Fact:
    """Which pieces look like special tokens, apart from known ones."""
    special = [piece for piece in vocab if SPECIAL.fullmatch(piece) and piece not in known]
    if not special:
        return Fact("special tokens", "The files name no others." if known else "The files name none.")
    says = "These look like special tokens. The files don't say so, so their spelling in a text is plain text."
    code = "\n".join(f"{vocab[piece]} {piece}" for piece in special[:100])
    return Fact("special tokens", says, "vocab.json", code, WARNING)

"""A tokenizer.json as llama.cpp's converter writes it into a GGUF file.

Follows `conversion/base.py` and the vocabulary classes of llama.cpp's `gguf-py`. Four cases, which the file
distinguishes:

- BPE on bytes (`get_vocab_base`): the pieces unchanged; added tokens as control tokens if they are special or look
  special, otherwise as user-defined ones; unused ids filled; the merges as `left right`; a name for the pre-tokenizer
  (below). If there is no name, the user is asked.
- BPE with a pre-tokenizer of type Whitespace (`_set_vocab_whitespace`): the same, on words.
- SentencePiece's BPE, with byte fallback (`LlamaHfVocab`): with a token `<bos>` it becomes Gemma 4's model, otherwise
  SPM, where every piece gets the same score, because the file has none.
- Unigram (`_xlmroberta_set_vocab`): pieces with scores, and the character map.

BOS and EOS come from the template of the post-processor. The converter also reads them from other files of the model
(`tokenizer_config.json`), which are not available here: `KNOWN_ENDS` has them for the bundled models. For a ByteLevel
post-processor, which adds nothing, the converter writes that no BOS is added; here the pre-tokenizer decides, as in
published GGUF files.

The conversion loses the normalizer (Qwen 2's NFC), `single_word`, `lstrip` and `rstrip`, and so does this.

Left out: the converter runs normalized added tokens through the tokenizer once, and pads a vocabulary that is smaller
than the model's.

The name of a pre-tokenizer is found by its patterns.

The converter tokenizes a test text and looks up the name by a hash of the ids (`get_vocab_base_pre` in
`conversion/base.py`). That distinguishes any two models, but says nothing about patterns. Here the patterns decide: the
parts of the pre-tokenizer are turned into regular expressions, in order, and looked up. Of several names with the same
patterns the most common is used; they differ in settings that a tokenizer.json does not have.

The models' own patterns are those that llama.cpp's `src/llama-vocab.cpp` cites above its own; for models with more
parts than a pattern they are from their tokenizer.json.

The hash by which the converter recognizes the pre-tokenizer of a model:

`get_vocab_base_pre` in `conversion/base.py` encodes a test text, hashes the list of ids as Python prints it, and looks
the hash up: chkhsh. `check_hashes.tsv` has its table, of the llama.cpp in llama-cpp-python 0.3.36 (0c1e57098);
`python -m tests.originals.compare_check_hashes PATH/TO/conversion/base.py` writes that of another copy.
"""

from __future__ import annotations

import re
from array import array
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from explorer.engine.pre_tokenizers import patterns
from explorer.engine.pre_tokenizers import patterns_llama_cpp as p
from explorer.errors import NO_CHOICES, ChoiceNeeded, Choices, InputError, shown
from explorer.facts import UNUSED, WARNING, Fact
from explorer.formats.gguf import Gguf, Value
from explorer.formats.tokenizer_json import AddedEntry, TokenizerJson, vocabulary_ids
from explorer.implementations.huggingface.reading import LocatedPart, flat
from explorer.implementations.huggingface.token_stages import ENCLOSING
from explorer.implementations.llama_cpp.pre_tokenizers import DATA, PRE, likeliest
from explorer.implementations.llama_cpp.vocabulary import GGML
from explorer.tables import Json, read_toml
from explorer.text import visible
from explorer.vocabulary import SPACE_MARK, PieceKind

_CONTRACTION = patterns.LLAMA3.alternatives[0].regex
_NUMBER, _NUMBERS = r"\p{N}", r"\p{N}+"


def own(part: str) -> str:
    """A part of a model's own pre-tokenizer: of a pattern with a name, with the contractions that llama.cpp changed."""
    known = getattr(patterns, part, None) or getattr(p, part, None)
    return known.regex.replace(patterns.ALTERNATIVES["CONTRACTION"].regex, _CONTRACTION) if known else part


SIGNATURES = tuple((name, tuple(map(own, parts))) for name, parts in DATA["signatures"])


def plain(regex: str) -> str:
    """A pattern with its line breaks as escapes: some files contain the characters themselves."""
    return regex.replace("\r", r"\r").replace("\n", r"\n")


PRE_OF_PATTERNS = {tuple(map(plain, parts)): name for name, parts in SIGNATURES}
"""Regular expressions of the parts of a pre-tokenizer, in order → `tokenizer.ggml.pre`."""


def patterns_of(parts: Iterable[LocatedPart]) -> Iterator[str]:
    """The regular expressions of the parts of a pre-tokenizer; a part without one gives its type.

    >>> from explorer.implementations.huggingface.reading import flat
    >>> part = {"type": "Sequence", "pretokenizers": [
    ...     {"type": "Digits", "individual_digits": True}, {"type": "ByteLevel", "use_regex": False}]}
    >>> list(patterns_of(flat(part, "pre_tokenizer", "pretokenizers")))
    ['\\\\p{N}']
    """
    for part, _ in parts:
        kind, pattern = part["type"], part.get("pattern")
        regex = pattern.get("Regex") if isinstance(pattern, dict) else None
        if kind == "Split" and isinstance(regex, str) and (part.get("behavior"), bool(part.get("invert"))) in ISOLATE:
            yield plain(regex)
        elif kind == "ByteLevel":
            if part.get("use_regex", True):
                yield plain(patterns.GPT2.regex)
        elif kind == "Digits":
            yield _NUMBER if part.get("individual_digits") else _NUMBERS
        else:
            yield kind


ISOLATE = (("Isolated", False), ("Removed", True))
"""Behavior and inversion of a Split that makes each match a piece, which is all that llama.cpp's patterns do."""


def pre_of(patterns: Iterable[str], ignore_merges: bool) -> str | None:
    """The converter's name for a pre-tokenizer with these patterns, or None.

    ignore_merges: of the model, the only difference between Llama 3 and Smaug.
    """
    name = PRE_OF_PATTERNS.get(tuple(patterns))
    return "smaug-bpe" if name == "llama-bpe" and not ignore_merges else name


CHECK_TEXT = (
    "\n \n\n \n\n\n \t \t\t \t\n  \n   \n    \n     \n🚀 (normal) 😶\u200d🌫️ (multiple emojis concatenated) ✅ 🦙🦙 3 "
    "33 333 3333 33333 333333 3333333 33333333 3.3 3..3 3...3 កាន់តែពិសេសអាច😁 ?我想在apple工作1314151天～ ------======= "
    "нещо на Български ''''''```````\"\"\"\"......!!!!!!?????? I've been 'told he's there, 'RE you sure? 'M not sure "
    "I'll make it, 'D you like some tea? We'Ve a'lL"
)
"""The converter's `chktxt`, character by character."""

TABLE = Path(__file__).with_name("check_hashes.tsv")


class KnownModel(NamedTuple):
    """A model the converter knows. pre: its name for the pre-tokenizer. repository: the model's, on the Hub."""

    pre: str
    repository: str


def check_hash(ids: Iterable[int]) -> str:
    """The hash of the ids of the test text.

    >>> check_hash([1, 2])[:8]
    '3a316d6d'
    """
    return sha256(str(list(ids)).encode()).hexdigest()


@cache
def known_models() -> Mapping[str, tuple[KnownModel, ...]]:
    """Hash → the models with these ids."""
    found: dict[str, tuple[KnownModel, ...]] = {}
    for line in TABLE.read_text("utf-8").splitlines():
        hash, pre, repository = line.split("\t")
        found[hash] = (*found.get(hash, ()), KnownModel(pre, repository))
    return found


KNOWN_ENDS: Json = read_toml(__file__, "ends.toml")
"""`tokenizer.ggml.pre` → the spellings of BOS and EOS if the file has none."""

SHOWN = frozenset('<|channel> <channel|> <|tool_call> <tool_call|> <|tool_response> <tool_response|> <|"|>'.split())
"""Tokens of Gemma 4 that become user-defined, so that they are always decoded."""

SAME_SCORE = -1000.0
BYTE = re.compile(r"<0x[0-9A-Fa-f]{2}>")

Columns = tuple[list[bytes], "array[int]"]
"""The pieces and kinds of a vocabulary."""


def converted(file: TokenizerJson, choices: Choices = NO_CHOICES) -> Gguf:
    """The keys of the GGUF file.

    choices: `pre`, if the converter has no name for the pre-tokenizer. Raises ChoiceNeeded for that, and InputError for
    a tokenizer that the converter does not support.
    """
    if file.model_type == "Unigram":
        keys = unigram(file)
    elif file.model_type != "BPE":
        raise InputError(
            f"model.type is {shown(file.model_type)}, which llama.cpp's converter does not support; it "
            "supports BPE, Unigram and WordPiece"
        )
    elif file.model.get("byte_fallback") is True:
        keys = sentencepiece_bpe(file)
    else:
        keys = bpe(file, choices)
    return Gguf(3, 0, {GGML + key: value for key, value in keys.items()})


def bpe(file: TokenizerJson, choices: Choices) -> dict[str, Value]:
    texts = vocabulary_ids(file.model)
    on_words = file.pre_tokenizer is not None and file.pre_tokenizer.get("type") == "Whitespace"
    pre = "whitespace" if on_words else pre_name(file, choices)
    pieces, kinds = columns(texts, file.added_tokens)
    return {
        "model": "whitespace" if on_words else "gpt2",
        "pre": pre,
        "tokens": pieces,
        "token_type": kinds,
        "merges": merges_of(file.model),
        **({"normalizer.lowercase": True} if on_words and lowercases(file) else {}),
        **ends(file, texts, KNOWN_ENDS.get(pre, ("", ""))),
    }


def pre_name(file: TokenizerJson, choices: Choices) -> str:
    """The name of the pre-tokenizer, found by its patterns or chosen."""
    cut = list(patterns_of(pre_tokenizers(file)))
    found = pre_of(cut, file.model.get("ignore_merges") is True)
    chosen = found or choices.get("pre", "")
    if chosen in PRE:
        return chosen
    patterns = visible(" then ".join(cut)[:200]) or "it has no pattern"
    raise ChoiceNeeded(
        f"llama.cpp's converter has no name for this pre-tokenizer's patterns "
        f"({patterns}); choose the pre-tokenizer to run",
        "pre",
        likeliest(chosen),
    )


def sentencepiece_bpe(file: TokenizerJson) -> dict[str, Value]:
    """SentencePiece's BPE: SPM with one score for all pieces, or Gemma 4's model."""
    if file.decoder is None or file.decoder.get("type") != "Sequence":
        raise InputError(
            "a BPE model with byte_fallback, but its decoder is not a Sequence, which llama.cpp's converter "
            "does not support: give the model's own tokenizer.model"
        )
    texts = vocabulary_ids(file.model)
    size = len(texts)
    if sorted(texts.values()) != list(range(size)):
        raise InputError(f"the ids in model.vocab are not 0 to {size - 1}, which llama.cpp's converter requires")
    added = {token.id: token for token in file.added_tokens}
    spm = "<bos>" not in texts
    pieces: list[bytes] = [b""] * size
    kinds = array("i", [PieceKind.NORMAL]) * size
    for text, id in texts.items():
        pieces[id] = text.encode("utf-8", "replace")
        if BYTE.fullmatch(text):
            kinds[id] = PieceKind.BYTE
        elif id in added and added[id].special:
            kinds[id] = PieceKind.CONTROL
    for token in sorted(file.added_tokens, key=lambda token: token.id):
        if token.id >= size and token.content not in texts:
            pieces.append(token.content.encode())
            kinds.append(PieceKind.CONTROL if token.special else PieceKind.USER_DEFINED)
    keys: dict[str, Value] = {
        "model": "llama" if spm else "gemma4",
        "tokens": pieces,
        "scores": array("f", [SAME_SCORE]) * len(pieces),
        "token_type": kinds,
        **ends(file, texts, ("<s>", "</s>") if spm else ("<bos>", "<eos>")),
    }
    if spm:
        return {"pre": "default", **keys}
    for id, piece in enumerate(pieces):
        if piece.decode() in SHOWN:
            kinds[id] = PieceKind.USER_DEFINED
    return keys | {"merges": merges_of(file.model), "add_space_prefix": False, "add_bos_token": True}


def unigram(file: TokenizerJson) -> dict[str, Value]:
    """A Unigram: pieces with scores, and the character map."""
    vocab = file.model.get("vocab")
    if not isinstance(vocab, list) or not vocab:
        raise InputError("model.vocab is not a list of pieces and scores; the file is damaged")
    added = {token.id: token for token in file.added_tokens}
    unknown = file.model.get("unk_id", 3)
    pieces: list[bytes] = []
    scores, kinds = array("f"), array("i")
    cutters = pre_tokenizers(file)
    for id, entry in enumerate(vocab):
        if not (
            isinstance(entry, list)
            and len(entry) == 2
            and isinstance(entry[0], str)
            and isinstance(entry[1], int | float)
            and abs(entry[1]) < 3e38
        ):
            raise InputError(f"model.vocab[{id}] is not a piece with a score; the file is damaged")
        pieces.append(entry[0].encode("utf-8", "replace"))
        scores.append(entry[1])
        token = added.get(id)
        kind = PieceKind.NORMAL if token is None else PieceKind.CONTROL if token.special else PieceKind.USER_DEFINED
        kinds.append(PieceKind.UNKNOWN if id == unknown else kind)
    return {
        "model": "t5",
        "pre": "default",
        "tokens": pieces,
        "scores": scores,
        "token_type": kinds,
        "add_space_prefix": any(puts_space_in_front(part.part) for part in cutters if part.kind == "Metaspace"),
        "remove_extra_whitespaces": any(each.kind == "WhitespaceSplit" for each in cutters),
        "precompiled_charsmap": charsmap(file.normalizer),
        **({"unknown_token_id": unknown} if isinstance(unknown, int) and 0 <= unknown < len(pieces) else {}),
        **ends(file, {piece: id for id, (piece, _) in enumerate(vocab)}, ("<s>", "</s>")),
    }


def charsmap(normalizer: Json | None) -> array[int]:
    """The character map of a normalizer of type Precompiled, which the converter requires."""
    data = None if normalizer is None else normalizer.get("precompiled_charsmap")
    if not isinstance(data, str):
        raise InputError(
            "the normalizer is not a Precompiled one with a character map, and llama.cpp's converter does not "
            "support a Unigram without one; give the model's own sentencepiece file"
        )
    try:
        return array("B", b64decode(data, validate=True))
    except ValueError:  # text that isn't ASCII does not raise binascii.Error
        raise InputError("normalizer.precompiled_charsmap is not base64; the file is damaged") from None


def columns(texts: Mapping[str, int], added_tokens: tuple[AddedEntry, ...]) -> Columns:
    """Pieces and kinds by id: of the model, of added tokens, and fillers for unused ids."""
    added = {token.id: token for token in added_tokens}
    size = max([*texts.values(), *added], default=-1) + 1
    if size > 2 * (len(texts) + len(added)) + 1000:
        raise InputError(f"{len(texts) + len(added)} pieces, but ids up to {size - 1}; the file is damaged")
    pieces = [b""] * size
    for text, id in texts.items():
        pieces[id] = text.encode("utf-8", "replace")
    kinds = array("i", [PieceKind.NORMAL]) * size
    for id, token in added.items():
        control = token.special or looks_special(token.content)
        kinds[id] = PieceKind.CONTROL if control else PieceKind.USER_DEFINED
        pieces[id] = (token.content if control else token.content.replace(SPACE_MARK, " ")).encode("utf-8", "replace")
    for id, piece in enumerate(pieces):
        if not piece:
            pieces[id], kinds[id] = b"[PAD%d]" % id, PieceKind.UNUSED
    return pieces, kinds


def ends(file: TokenizerJson, texts: Mapping[str, int], otherwise: tuple[str, str]) -> dict[str, Value]:
    """BOS and EOS with the flags to add them: from the post-processor's template, otherwise by their spelling."""
    found: dict[str, Value] = {}
    processors = flat(file.post_processor, "post_processor", "processors")
    around = max(map(template, processors), key=len, default=[])
    for key, at, spelling in (("bos", 0, otherwise[0]), ("eos", -1, otherwise[1])):
        added = around[at] if len(around) > 1 else None
        if added is not None:
            spelling, found[f"add_{key}_token"] = added, True
        id = next((token.id for token in file.added_tokens if token.content == spelling), texts.get(spelling))
        if id is not None:
            found[f"{key}_token_id"] = id
    return found


def template(processor: LocatedPart) -> list[str | None]:
    """The tokens around one text, None for the text itself; empty if the post-processor adds nothing."""
    if processor.kind in ENCLOSING:
        return [_spelling(processor, "cls"), None, _spelling(processor, "sep")]
    if processor.kind != "TemplateProcessing":
        return []
    found: list[str | None] = []
    for number, slot in enumerate(processor.get("single", list)):
        token = slot.get("SpecialToken", {}) if isinstance(slot, dict) else None
        if not isinstance(token, dict):
            raise processor.error(f"single[{number}] is {shown(slot)}, neither a text nor a token")
        id = token.get("id")
        found.append(id if isinstance(id, str) else None)
    return found


def _spelling(processor: LocatedPart, key: str) -> str:
    found = processor.get(key, list)
    if not found or not isinstance(found[0], str):
        raise processor.error(f"{key} is {shown(found)}, not a spelling and an id")
    return found[0]


def pre_tokenizers(file: TokenizerJson) -> list[LocatedPart]:
    """The parts of the pre-tokenizer, in the order they run."""
    return flat(file.pre_tokenizer, "pre_tokenizer", "pretokenizers")


def lowercases(file: TokenizerJson) -> bool:
    """Whether the normalizer lowercases, as far as the converter checks."""
    return any(
        part.kind == "Lowercase" or (part.kind == "BertNormalizer" and part.part.get("lowercase") is True)
        for part in flat(file.normalizer, "normalizer", "normalizers")
    )


def puts_space_in_front(metaspace: Json) -> bool:
    """Whether a Metaspace puts a space, written ▁, in front of a text."""
    old = "always" if metaspace.get("add_prefix_space", True) else "never"
    return bool(metaspace.get("prepend_scheme", old) != "never")


def looks_special(content: str) -> bool:
    """The converter's `does_token_look_special`: whether a spelling becomes a control token whatever the file says.

    >>> looks_special("<|im_start|>"), looks_special("<unused3>"), looks_special("<tool_call>")
    (True, True, False)
    """
    if content in ("<pad>", "<mask>", "<2mass>", "[@BOS@]"):
        return True
    return any(
        content.startswith(start) and content.endswith(end)
        for start, end in (("<|", "|>"), ("<｜", "｜>"), ("<unused", ">"))
    )


def merges_of(model: Json) -> list[bytes]:
    """The merges as `left right`; a space within a piece becomes Ġ, as in the converter."""
    merges = model.get("merges")
    if not isinstance(merges, list):
        raise InputError("model.merges is not a list; the file is damaged")
    if {*map(type, merges)} <= {str}:
        # all at once is three times as fast, unless a piece contains a line feed
        together = "\n".join(merges).encode("utf-8", "replace").split(b"\n")
        return together if len(together) == len(merges) else [merge.encode("utf-8", "replace") for merge in merges]
    for index, pair in enumerate(merges):
        if not isinstance(pair, list) or [*map(type, pair)] != [str, str]:
            raise InputError(f"model.merges[{index}] is not a pair of pieces; repair the file")
    return [" ".join(side.replace(" ", "Ġ") for side in pair).encode("utf-8", "replace") for pair in merges]


# Facts about what llama.cpp reads have no place in the tokenizer.json; facts about what the converter drops have one.


def converted_facts(file: TokenizerJson, facts: Sequence[Fact]) -> Iterator[Fact]:
    """The facts of the GGUF file without their keys, and facts about what the conversion loses."""
    says = "This is the vocabulary as llama.cpp runs it once its converter has written a GGUF file of it."
    yield Fact("model", says)
    if file.model_type == "BPE" and any(fact.says.startswith("SPM") for fact in facts):
        says = "The merges are lost, and there are no scores: every piece gets the same, and pairs merge from the left."
        yield Fact("model", says, "model.merges", kind=WARNING)
    yield from (fact._replace(place="") for fact in facts if fact.kind != UNUSED)
    if file.normalizer is not None and file.model_type == "BPE":
        kind = file.normalizer.get("type")
        says = f"The normalizer {kind} is lost: llama.cpp has its own for such a vocabulary, or none."
        yield Fact("normalizer", says, "normalizer", kind=UNUSED)
    for flag in ("single_word", "lstrip", "rstrip"):
        count = sum(getattr(token, flag) for token in file.added_tokens)
        if count:
            yield Fact(
                "added tokens", f"The flag {flag} of {count:,} added tokens is lost.", "added_tokens", kind=UNUSED
            )

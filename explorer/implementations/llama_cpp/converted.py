"""A tokenizer.json as llama.cpp's converter writes it into a GGUF file.

Follows `get_vocab_base` in llama.cpp's `convert_hf_to_gguf.py`: the pieces as they are spelled, added tokens as control
tokens where they are special and as user-defined ones where not, holes filled up, the merges as `left right`, and a
name for the pre-tokenizer. The converter finds it by tokenizing a test text and comparing a hash; here the pattern
in the file tells it. It takes BOS and EOS from other files of the model (`tokenizer_config.json`), which are not
bundled: `AROUND` says them for the models that are.

What gets lost on the way is the point: the normalizer (Qwen 2's NFC), `single_word`, `lstrip`, `rstrip`.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from explorer.engine.patterns import GPT2, LLAMA3, QWEN2
from explorer.errors import InputError
from explorer.formats.gguf import Gguf, Value
from explorer.formats.tokenizer_json import Json, TokenizerJson, vocabulary_ids
from explorer.text import visible
from explorer.vocabulary import PieceKind

PRE_OF_PATTERN: Final[Mapping[str, str]] = MappingProxyType(
    {GPT2.regex: "gpt-2", LLAMA3.regex: "llama-bpe", QWEN2.regex: "qwen2"}
)
"""The pattern of a tokenizer.json → `tokenizer.ggml.pre`."""

AROUND: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "gpt-2": ("<|endoftext|>", "<|endoftext|>"),
        "llama-bpe": ("<|begin_of_text|>", "<|end_of_text|>"),
        "qwen2": ("<|endoftext|>", "<|endoftext|>"),
    }
)
"""`tokenizer.ggml.pre` → the spellings of BOS and EOS."""


def converted(file: TokenizerJson, name: str) -> Gguf:
    """The keys of the GGUF file. Raises InputError for a tokenizer that llama.cpp is not known to run as BPE."""
    if file.model_type != "BPE":
        raise InputError(f"{name}: as llama.cpp only BPE models of a tokenizer.json are run, not {file.model_type}")
    pattern = the_pattern(file.pre_tokenizer)
    pre = PRE_OF_PATTERN.get(pattern or "")
    if pre is None:
        shown = "it has no pattern" if pattern is None else visible(pattern[:200])
        raise InputError(
            f"{name}: llama.cpp's name for this pre-tokenizer is not known here ({shown}); "
            f"known are those of {', '.join(PRE_OF_PATTERN.values())}"
        )
    texts = vocabulary_ids(file.model, name)
    added = {token.id: token for token in file.added_tokens}
    size = max([*texts.values(), *added], default=-1) + 1
    if size > 2 * (len(texts) + len(added)) + 1000:
        raise InputError(f"{name}: {len(texts) + len(added)} pieces, but ids up to {size - 1}; the file is damaged")
    pieces = [b""] * size
    for text, id in texts.items():
        pieces[id] = text.encode("utf-8", "replace")
    kinds = array("i", [PieceKind.NORMAL]) * size
    for id, token in added.items():
        pieces[id] = token.content.encode("utf-8", "replace")
        kinds[id] = PieceKind.CONTROL if token.special or looks_special(token.content) else PieceKind.USER_DEFINED
    for id, piece in enumerate(pieces):
        if not piece:
            pieces[id], kinds[id] = b"[PAD%d]" % id, PieceKind.UNUSED
    metadata: dict[str, Value] = {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": pre,
        "tokenizer.ggml.tokens": pieces,
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.merges": merges_of(file.model, name),
    }
    for key, spelling in zip(("bos", "eos"), AROUND[pre], strict=True):
        found = next((token.id for token in added.values() if token.content == spelling), texts.get(spelling))
        if found is not None:
            metadata[f"tokenizer.ggml.{key}_token_id"] = found
    return Gguf(3, 0, metadata)


def the_pattern(part: Json | None) -> str | None:
    """The one regular expression in a pre-tokenizer, None where there is none or more than one."""
    found: list[str] = []

    def look(part: Json) -> None:
        kind = part.get("type")
        if kind == "Sequence":
            inner = part.get("pretokenizers")
            for each in inner if isinstance(inner, list) else ():
                if isinstance(each, dict):
                    look(each)
        elif kind == "Split" and isinstance(part.get("pattern"), dict):
            found.append(str(part["pattern"].get("Regex")))
        elif kind == "ByteLevel" and part.get("use_regex", True):
            found.append(GPT2.regex)

    if part is not None:
        look(part)
    return found[0] if len(found) == 1 else None


def looks_special(content: str) -> bool:
    """The converter's `does_token_look_special`: a spelling that is taken for a control token whatever the file says.

    >>> looks_special("<|im_start|>"), looks_special("<tool_call>")
    (True, False)
    """
    if content in ("<pad>", "<mask>", "<2mass>", "[@BOS@]"):
        return True
    return content.startswith(("<|", "<｜")) and content.endswith(("|>", "｜>"))


def merges_of(model: Json, name: str) -> list[bytes]:
    """The merges as `left right`; a space within a piece is written Ġ, as the converter does."""
    merges = model.get("merges")
    if not isinstance(merges, list):
        raise InputError(f"{name}: model.merges is no list; the file is damaged")
    if {*map(type, merges)} <= {str}:
        # all at once is three times as fast; a piece may hold a line feed, though
        together = "\n".join(merges).encode("utf-8", "replace").split(b"\n")
        return together if len(together) == len(merges) else [merge.encode("utf-8", "replace") for merge in merges]
    for place, pair in enumerate(merges):
        if not isinstance(pair, list) or [*map(type, pair)] != [str, str]:
            raise InputError(f"{name}: model.merges[{place}] is no pair of pieces; repair the file")
    return [f"{left} {right}".encode("utf-8", "replace") for left, right in (map(written, pair) for pair in merges)]


def written(side: str) -> str:
    return side.replace(" ", "Ġ")

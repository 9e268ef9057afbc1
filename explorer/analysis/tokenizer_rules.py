"""What looks wrong in a tokenizer of any format: special tokens that read like words, markers of a chat template that
are no tokens, an end of turn that isn't EOS, and merges without a token.

Each finding is tried: a word is dropped from a decoded text, and a marker becomes other ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from explorer.analysis.lint import Finding
from explorer.errors import InputError
from explorer.facts import listed
from explorer.formats import strict_json
from explorer.formats.chat_templates import special_tokens
from explorer.formats.model_files import CONFIG, GENERATION_CONFIG, TOKENIZER_CONFIG
from explorer.formats.model_folder import NAMED
from explorer.implementations.llama_cpp.pre_versions import PRE_TOKENIZERS
from explorer.implementations.llama_cpp.vocabulary import END_OF_GENERATION
from explorer.implementations.opened import Opened
from explorer.opening.sources import contents
from explorer.text import visible
from explorer.text.say import Say, plural
from explorer.vocabulary import PieceKind

WORD: Final = re.compile(r"[\s▁]*[^\W\d_]+(?:['’ -][^\W\d_]+)*[.,:;!?]?\s*")
"""A text without any sign that marks a special token."""
MARKER: Final = re.compile(r"<[|｜][^<>|｜\s]{1,60}[|｜]>|</?(?:start|end)_of_\w{1,40}>")
"""What a chat template writes for one token."""
KINDS: Final = {
    PieceKind.NORMAL: "normal", PieceKind.BYTE: "byte", PieceKind.UNUSED: "unused", PieceKind.UNDEFINED: "undefined",
}  # fmt: skip


def findings(tokenizer: Opened) -> Iterator[Finding]:
    """All of them that need nothing but the tokenizer."""
    yield from words(tokenizer)
    yield from markers(tokenizer)


def words(tokenizer: Opened) -> Iterator[Finding]:
    """Special tokens that read like an ordinary word and are dropped from a decoded text."""
    vocabulary = tokenizer.vocabulary
    found = []
    for id in vocabulary.of_kind(PieceKind.CONTROL):
        spelled = vocabulary.pieces[id].decode("utf-8", "replace")
        if WORD.fullmatch(spelled) and not tokenizer.decode([id], remove_special=False, unparse_special=False):
            found.append(f"{visible(spelled)} ({id})")
    if found:
        says = Say.of("{0:t} like an ordinary word: a program that skips special tokens drops it from answers: {1:t}.",
                      f"{plural(len(found), 'special token')} {'reads' if len(found) == 1 else 'read'}",
                      listed(found))  # fmt: skip
        yield Finding("special tokens", says, "Make it a token that isn't special.")


def sources(tokenizer: Opened) -> Mapping[str, str]:
    """The chat templates; none if they are damaged, which prompts say."""
    try:
        return tokenizer.chat.sources
    except InputError:
        return {}


def markers(tokenizer: Opened) -> Iterator[Finding]:
    """Markers in a chat template that don't become one token."""
    ids, kinds = tokenizer.vocabulary.ids, tokenizer.vocabulary.kinds
    for name, source in sources(tokenizer).items():
        for marker in dict.fromkeys(MARKER.findall(source)):
            id = ids.get(marker.encode())
            try:
                got = tokenizer.encode(marker, add_special=False).ids
            except InputError:
                continue
            if id is not None and id in got:
                continue
            why = (
                "is not a token" if id is None else f"is a token of the type {KINDS.get(PieceKind(kinds[id]), 'other')}"
            )
            says = Say.of("The template {0:t} has {1:q}, which {2:t}: it becomes {3:t}.", name, marker, why,
                          plural(len(got), "token"))  # fmt: skip
            fix = "Add it as a special token." if id is None else "Give it the type control or user-defined."
            yield Finding("chat template", says, fix)


def ends(tokenizer: Opened, generation: Mapping[str, Any]) -> Iterator[Finding]:
    """An end of turn in the template that is neither EOS nor in generation_config.json. generation: that file."""
    eos = tokenizer.chat.special_tokens.get("eos_token", "") if sources(tokenizer) else ""
    ids, listed_ids = tokenizer.vocabulary.ids, generation.get("eos_token_id")
    stops = set(listed_ids if isinstance(listed_ids, list) else [listed_ids])
    for source in sources(tokenizer).values():
        turns = [each for each in sorted(END_OF_GENERATION) if each in source and each.encode() in ids]
        if (
            not eos
            or not turns
            or eos in source
            or "eos_token" in source
            or stops & {ids[each.encode()] for each in turns}
        ):
            continue
        says = Say.of("EOS is {0:q}, and the chat template ends turns with {1:q}: what stops at EOS alone goes on.",
                      eos, turns[0])  # fmt: skip
        fix = f"Write {ids[turns[0].encode()]} in eos_token_id of generation_config.json, too."
        yield Finding("tokenizer_config.json: eos_token", says, fix)


IDS: Final = tuple(name.replace("_token", "_token_id") for name in NAMED)
OTHER_KEYS: Final = (
    "decoder_start_token_id", "forced_bos_token_id", "forced_eos_token_id", "suppress_tokens", "begin_suppress_tokens",
    "vocab_size", "max_position_embeddings", "n_positions", "max_length",
)  # fmt: skip
"""More keys of the model's files that are about tokens, and that neither version reads for a tokenizer."""


def model_files(folder: Path) -> dict[str, Mapping[str, Any]]:
    """The settings of tokenizer and model in a folder, by file. Raises InputError for a file that isn't JSON."""
    names = [name for name in (TOKENIZER_CONFIG, CONFIG, GENERATION_CONFIG) if (folder / name).is_file()]
    found = {name: strict_json.read(contents(folder / name), name, f"a {name}", endless=True) for name in names}
    return {name: whole for name, whole in found.items() if isinstance(whole, dict)}


def model_keys(whole: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of config.json or generation_config.json about tokens that are the model's alone, of its text part, too.

    >>> model_keys({"eos_token_id": [1, 2], "model_type": "llama", "text_config": {"vocab_size": 7}})
    {'eos_token_id': [1, 2], 'text_config.vocab_size': 7}
    """
    text = whole.get("text_config")
    parts = (("", whole), ("text_config.", text if isinstance(text, dict) else {}))
    return {
        f"{prefix}{key}": value for prefix, part in parts for key, value in part.items()
        if key in (*IDS, *OTHER_KEYS) and value is not None
    }  # fmt: skip


def model_ids(tokenizer: Opened, files: Mapping[str, Mapping[str, Any]]) -> Iterator[Finding]:
    """Ids in config.json and generation_config.json that no token has, or that aren't those of the tokenizer's names.

    files: of the folder, by name (`model_files`). What a later file says of a key counts alone.
    """
    vocabulary = tokenizer.vocabulary
    named = special_tokens(files.get(TOKENIZER_CONFIG, {}))
    counts = {
        key.rpartition(".")[2]: (f"{name}: {key}", value)
        for name, whole in files.items() for key, value in model_keys(whole).items() if key.endswith("_id")
    }  # fmt: skip
    for key, (place, value) in counts.items():
        token = key.removesuffix("_id")
        listed_ids = [each for each in (value if isinstance(value, list) else [value]) if type(each) is int]
        known = [each for each in listed_ids if 0 <= each < len(vocabulary)]
        if strange := sorted({*listed_ids} - {*known}):
            says = Say.of("{0:t} is no id of a token: ids go up to {1:i}.", f"{strange[0]}", len(vocabulary) - 1)
            yield Finding(place, says, "Write the id of a token.")
        own = vocabulary.ids.get(named[token].encode()) if token in named else None
        if known and own is not None and own not in known:
            says = Say.of("The model has {0:t}, and {1:t} of the tokenizer is {2:q} ({3:i}).",
                          listed([f"{visible(vocabulary.spelling(each))} ({each})" for each in known]), token,
                          named[token], own)  # fmt: skip
            yield Finding(place, says, f"Write {own} there, too, or the other token in {token}.")


def merges(lines: list[bytes], tokenizer: Opened) -> Iterator[Finding]:
    """Merges of a GGUF without a token for what they make, or that aren't two pieces."""
    pieces = tokenizer.vocabulary.ids
    damaged = [index for index, line in enumerate(lines) if line.count(b" ", 1) != 1 or line.endswith(b" ")]
    lost = [
        (index, made) for index, line in enumerate(lines)
        if index not in set(damaged) and (made := b"".join(line.split(b" "))) not in pieces
    ]  # fmt: skip
    place = "tokenizer.ggml.merges"
    if damaged:
        says = Say.of("{0:t} two pieces separated by one space, such as number {1:i}.",
                      f"{plural(len(damaged), 'entry', 'entries')} {'isn’t' if len(damaged) == 1 else 'aren’t'}",
                      damaged[0])  # fmt: skip
        yield Finding(place, says, "Convert the model again.")
    if lost:
        index, made = lost[0]
        says = Say.of("{0:t} make pieces that aren't tokens, such as number {1:i}, {2:q}: llama.cpp then writes the "
                      "tokens of its bytes.", plural(len(lost), "merge"), index,
                      visible(made.decode("utf-8", "replace")))  # fmt: skip
        yield Finding(place, says, "Convert the model again, with the merges of this vocabulary.")


def since(pre: str) -> str:
    """Which llama.cpp knows the name of a pre-tokenizer, by the releases of llama-cpp-python that were looked at."""
    tried = [*PRE_TOKENIZERS]
    first = next((version for version in tried if pre in PRE_TOKENIZERS[version].split()), None)
    if first is None:
        return f"The pre-tokenizer {visible(pre)} is in none of the llama.cpp that were looked at (up to {tried[-1]})."
    before = tried[tried.index(first) - 1] if first != tried[0] else ""
    lacks = f", that of {before} doesn't" if before else ""
    return f"The llama.cpp of llama-cpp-python {first} has the pre-tokenizer {visible(pre)}{lacks}."

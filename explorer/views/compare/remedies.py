"""What to change in another program so that it gives a tokenizer's own ids: a box per program, from the cause alone.

Names of settings are those of the programs' own documentation. Nothing is said about which program made the ids, nor
about one that can't be set: it has no box.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from explorer.analysis.expected import Explanation, Position
from explorer.text.say import Say
from explorer.views.compare.verdict import Cause, Kind

SENTENCEPIECE, TIKTOKEN = "sentencepiece", "tiktoken"
GGUF, LLAMA_CPP = "llama.cpp, in the GGUF file", "llama.cpp, in the call"
TOKENIZER_JSON, HUGGING_FACE = "Hugging Face, in tokenizer.json", "Hugging Face, in the call"
ANY = "any program"

PROGRAMS: Final = {
    "SPM": (SENTENCEPIECE, GGUF, LLAMA_CPP, TOKENIZER_JSON, HUGGING_FACE, ANY),
    "Unigram": (SENTENCEPIECE, GGUF, LLAMA_CPP, TOKENIZER_JSON, HUGGING_FACE, ANY),
    "BPE": (TIKTOKEN, GGUF, LLAMA_CPP, TOKENIZER_JSON, HUGGING_FACE, ANY),
    "WordPiece": (GGUF, LLAMA_CPP, TOKENIZER_JSON, HUGGING_FACE, ANY),
}
"""Programs that can run a kind of tokenizer, by its `family`."""

SWITCHED: Final = (Kind.PREFIX_OFF, Kind.PREFIX_ON, Kind.MISSING, Kind.EXTRA, Kind.PARSED, Kind.NOT_PARSED)
"""Causes that are a switch of What if."""


class Remedy(NamedTuple):
    """What to do, and how in each program."""

    about: Say
    boxes: tuple[tuple[str, Say], ...]


def remedy(found: Explanation, cause: Cause, family: str, title: str) -> Remedy | None:
    """What to change; None if nothing is known. family, title: of the tokenizer in question."""
    about, how = advice(found, cause, family, title)
    boxes = tuple((program, how[program]) for program in PROGRAMS.get(family, (ANY,)) if program in how)
    return Remedy(about, boxes) if boxes else None


def advice(found: Explanation, cause: Cause, family: str, title: str) -> tuple[Say, dict[str, Say]]:
    """What to do, and how by program."""
    match cause.kind:
        case Kind.PREFIX_OFF | Kind.PREFIX_ON:
            return prefix_advice(cause.kind == Kind.PREFIX_OFF, family)
        case Kind.MISSING | Kind.EXTRA | Kind.OTHER | Kind.TWICE:
            return special_advice(cause)
        case Kind.PARSED | Kind.NOT_PARSED:
            return parse_advice(cause.kind == Kind.NOT_PARSED)
        case Kind.ESCAPES_READ:
            return Say("give it the backslashes as they are"), {
                LLAMA_CPP: Say.of("{0:q} on the command line", "--no-escape"),
                ANY: Say("do not decode escapes before encoding"),
            }
        case Kind.ESCAPES_WRITTEN:
            return Say("give it the characters themselves"), {
                LLAMA_CPP: Say.of("{0:q} on the command line", "--escape"),
                ANY: Say("decode escapes before encoding"),
            }
        case Kind.TEXT:
            return Say("give it the same text"), {ANY: Say("keep white space at both ends as it is here")}
        case Kind.NORMALIZED:
            state = "false" if cause.tokens == "normalized" else "true"
            return Say("search the added token where this file says"), {
                TOKENIZER_JSON: Say.of("{0:q} {1:t} for that added token", "normalized", state)
            }
        case Kind.PATTERN:
            return Say.of("use the pattern of {0:t}", title), {
                TIKTOKEN: Say.of("its pattern as {0:q}", "pat_str"),
                GGUF: Say.of("{0:q} as for this model", "tokenizer.ggml.pre"),
                TOKENIZER_JSON: Say.of("its pattern in {0:q}", "pre_tokenizer"),
            }
        case Kind.PARTS:
            return Say("encode the text in one call"), {ANY: Say("join the parts before encoding, not their ids after")}
        case Kind.IMPLEMENTATION:
            return Say("the vocabulary is the same"), {ANY: Say("make up for the stage that differs")}
        case Kind.TOKENIZER:
            return Say("it is another vocabulary"), {ANY: Say.of("load the files of {0:t}", title)}


def prefix_advice(on: bool, family: str) -> tuple[Say, dict[str, Say]]:
    """About the space in front. on: whether it is to be turned on."""
    state = "on" if on else "off"
    if family == "BPE":
        in_json = Say.of("{0:q} {1:t} in {2:q}", "add_prefix_space", "true" if on else "false", "ByteLevel")
    elif on:
        in_json = Say.of("a {0:q} of {1:q} in the normalizer", "Prepend", "▁")
    else:
        in_json = Say.of("no {0:q} of {1:q} in the normalizer", "Prepend", "▁")
    return Say.of("turn the space {0:t} in the other program", state), {
        SENTENCEPIECE: Say.of("{0:q} {1:t}, in the normalizer", "add_dummy_prefix", state),
        GGUF: Say.of("{0:q} {1:t}", "tokenizer.ggml.add_space_prefix", "true" if on else "false"),
        TOKENIZER_JSON: in_json,
    }


def special_advice(cause: Cause) -> tuple[Say, dict[str, Say]]:
    """About special tokens around the text."""
    tokens, end = cause.tokens or "them", "eos" if cause.at == Position.BEHIND else "bos"
    if cause.kind == Kind.TWICE:
        return Say.of("add {0:t} once", tokens), {
            HUGGING_FACE: Say.of("{0:q}", "add_special_tokens=False"),
            LLAMA_CPP: Say.of("{0:q} false", "add_special"),
            ANY: Say.of("or leave {0:t} out of the text", tokens),
        }
    if cause.kind == Kind.OTHER:
        return Say.of("add {0:t}", tokens), {ANY: Say("load the special tokens of this model")}
    on = cause.kind == Kind.MISSING
    state = "True" if on else "False"
    return Say.of("add {0:t}" if on else "leave {0:t} out", tokens), {
        SENTENCEPIECE: Say.of("{0:q} in the call", f"add_{end}={state}"),
        GGUF: Say.of("{0:q} {1:t}", f"tokenizer.ggml.add_{end}_token", state.lower()),
        HUGGING_FACE: Say.of("{0:q}", f"add_special_tokens={state}"),
    }


def parse_advice(on: bool) -> tuple[Say, dict[str, Say]]:
    """About special tokens in the text. on: whether they are to be recognized."""
    return Say("recognize special tokens in the text" if on else "read special tokens as text"), {
        TIKTOKEN: Say.of("{0:q}", 'allowed_special="all"' if on else "disallowed_special=()"),
        LLAMA_CPP: Say.of("{0:q} {1:t}", "parse_special", "true" if on else "false"),
        HUGGING_FACE: Say.of("{0:q}", f"split_special_tokens={not on}"),
    }


def data_of(remedy: Remedy, title: str) -> dict[str, Any]:
    """A remedy as the browser takes it."""
    return {
        "title": Say.of("To get {0:t}'s own ids there", title)._asdict(),
        "about": remedy.about._asdict(),
        "boxes": [[program, says._asdict()] for program, says in remedy.boxes],
    }

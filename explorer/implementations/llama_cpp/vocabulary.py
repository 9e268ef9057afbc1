"""The vocabulary of a GGUF file as llama.cpp holds it: pieces, scores, and kinds after its corrections.

Follows `llama_vocab::impl::load` in llama.cpp's `src/llama-vocab.cpp`, which changes the kind of some tokens because of
how they are spelled, whatever the file says. Left out: which tokens end a generation, which is no matter of
tokenizing.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from explorer.engine.partition import SpecialToken
from explorer.errors import InputError
from explorer.formats.gguf import Gguf
from explorer.vocabulary import PieceKind, Vocabulary, spelled

END_OF_GENERATION = frozenset(
    "<|eot_id|> <|im_end|> <|end|> <|return|> <|call|> <|flush|> <|calls|> <end_of_turn> <|endoftext|> </s> <|eom_id|> "
    "<EOT> _<EOT> [EOT] [EOS] <|end_of_text|> <end_of_utterance> <eos> <turn|> <|tool_response> <｜end▁of▁sentence｜> "
    "[e~[".split()
)
"""Spellings that llama.cpp takes for control tokens whatever the file says."""

FILL_IN_MIDDLE = frozenset(
    "<|fim_prefix|> <fim-prefix> <fim_prefix> <｜fim▁begin｜> <PRE> ▁<PRE> <|code_prefix|> <|prefix|> "
    "<|fim_suffix|> <fim-suffix> <fim_suffix> <｜fim▁hole｜> <SUF> ▁<SUF> <|code_suffix|> <|suffix|> "
    "<|fim_middle|> <fim-middle> <fim_middle> <｜fim▁end｜> <MID> ▁<MID> <|code_middle|> <|middle|> "
    "<|fim_pad|> <fim-pad> <fim_pad> <PAD> [PAD] "
    "<|fim_repo|> <|repo_name|> <fim-repo> <REPO> <reponame> <|file_sep|>".split()
)
"""The same for code models."""

ALWAYS_SHOWN = frozenset("<|channel|> <|message|> <|start|> <|constrain|>".split())
"""Spellings that llama.cpp takes for user-defined tokens whatever the file says."""

KNOWN_KINDS = frozenset(map(int, PieceKind))

SPECIAL_KINDS = (PieceKind.CONTROL, PieceKind.USER_DEFINED, PieceKind.UNKNOWN)


def vocabulary_of(gguf: Gguf, name: str) -> Vocabulary:
    """Pieces, scores and kinds of a file; an empty piece is called `[EMPTY_id]`, as llama.cpp does."""
    tokens = gguf.metadata.get("tokenizer.ggml.tokens")
    if not isinstance(tokens, list):
        raise InputError(f"{name}: the key tokenizer.ggml.tokens is missing or holds no strings; the file is damaged")
    columns: dict[str, list[float]] = {}
    for key in ("tokenizer.ggml.scores", "tokenizer.ggml.token_type"):
        values = gguf.metadata.get(key)
        if values is None:
            continue
        if not isinstance(values, array):
            raise InputError(f"{name}: the key {key} holds no numbers; the file is damaged")
        if len(values) < len(tokens):
            raise InputError(f"{name}: {len(tokens)} tokens but {len(values)} entries in {key}; the file is damaged")
        columns[key] = list(values[: len(tokens)])
    kinds = [
        int(kind) if kind in KNOWN_KINDS else 0  # UNDEFINED
        for kind in columns.get("tokenizer.ggml.token_type", [PieceKind.NORMAL] * len(tokens))
    ]
    scores = columns.get("tokenizer.ggml.scores", [0.0] * len(tokens))
    pieces = (piece or b"[EMPTY_%d]" % id for id, piece in enumerate(tokens))
    try:
        return Vocabulary.of(pieces, scores, kinds)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def corrected(vocabulary: Vocabulary) -> Vocabulary:
    """The vocabulary with the kinds that llama.cpp changes because of a token's spelling."""
    kinds = bytearray(vocabulary.kinds)

    def set_kind(spellings: Iterable[str], kind: PieceKind) -> None:
        for spelling in spellings:
            id = vocabulary.ids.get(spelling.encode())
            if id is not None:
                kinds[id] = kind

    def holds(*spellings: str) -> bool:
        return all(spelling.encode() in vocabulary.ids for spelling in spellings)

    set_kind(END_OF_GENERATION | FILL_IN_MIDDLE, PieceKind.CONTROL)
    set_kind(ALWAYS_SHOWN, PieceKind.USER_DEFINED)
    if holds("<|return|>", "<|call|>", "<|end|>") or (
        holds("<|flush|>", "<|end|>") and (holds("<|call|>") or holds("<|calls|>"))
    ):
        set_kind(["<|end|>"], PieceKind.USER_DEFINED)
    if holds("</s>") and (holds("<|tool_response>") or holds("<|plamo:eos|>")):
        set_kind(["</s>"], PieceKind.NORMAL)
    return Vocabulary(vocabulary.pieces, vocabulary.scores, bytes(kinds), vocabulary.ids)


def special_tokens(vocabulary: Vocabulary, model_name: str) -> list[SpecialToken]:
    """The tokens looked for in the text; those of Phi-3 also swallow the whitespace after them."""
    phi3 = any(name in model_name.lower() for name in ("phi-3", "phi3"))
    keeps_space = {"<unk>", "<s>", "<|endoftext|>"}
    found = []
    for id, kind in enumerate(vocabulary.kinds):
        if kind in SPECIAL_KINDS:
            text = vocabulary.pieces[id].decode("utf-8", "surrogateescape")
            found.append(
                SpecialToken(
                    id,
                    text,
                    only_if_parsed=kind != PieceKind.USER_DEFINED,
                    rstrip=phi3 and spelled(vocabulary.pieces[id]) not in keeps_space,
                )
            )
    return found

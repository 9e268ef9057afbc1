"""The vocabulary of a GGUF file as llama.cpp loads it: pieces, scores, and kinds after its corrections.

Follows `llama_vocab::impl::load` in llama.cpp's `src/llama-vocab.cpp`. It changes the kind of some tokens because of
their spelling, whatever the file says, and lets some absorb white space because of the model's name. Tokenizers that
use kinds themselves are built before these corrections and see the file's own.

Left out: which tokens end a generation, except where that changes a kind. If a vocabulary has several tokens for one
purpose of code models (`<PAD>` and `[PAD]`), llama.cpp corrects the first in its hash table, which differs between C++
libraries; here all are corrected, and a fact says so.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import chain
from typing import Final

from explorer.engine.partition.special_tokens import SpecialToken, SpecialTokenPartition
from explorer.errors import InputError, errors_of, shown
from explorer.facts import WARNING
from explorer.implementations.llama_cpp.metadata import Metadata
from explorer.vocabulary import MOST_PIECES, PieceKind, Vocabulary

END_OF_GENERATION = frozenset(
    "<|eot_id|> <|im_end|> <|end|> <|return|> <|call|> <|flush|> <|calls|> <end_of_turn> <|endoftext|> </s> <|eom_id|> "
    "<EOT> _<EOT> [EOT] [EOS] <|end_of_text|> <end_of_utterance> <eos> <turn|> <|tool_response> <｜end▁of▁sentence｜> "
    "[e~[".split()
)
"""Spellings that llama.cpp treats as control tokens whatever the file says."""

FILL_IN_MIDDLE: Final = (
    (
        ("fim_pre", "prefix"),
        "<|fim_prefix|> <fim-prefix> <fim_prefix> <｜fim▁begin｜> <PRE> ▁<PRE> <|code_prefix|> <|prefix|>",
    ),
    (
        ("fim_suf", "suffix"),
        "<|fim_suffix|> <fim-suffix> <fim_suffix> <｜fim▁hole｜> <SUF> ▁<SUF> <|code_suffix|> <|suffix|>",
    ),
    (
        ("fim_mid", "middle"),
        "<|fim_middle|> <fim-middle> <fim_middle> <｜fim▁end｜> <MID> ▁<MID> <|code_middle|> <|middle|>",
    ),
    (("fim_pad",), "<|fim_pad|> <fim-pad> <fim_pad> <PAD> [PAD]"),
    (("fim_rep",), "<|fim_repo|> <|repo_name|> <fim-repo> <REPO> <reponame>"),
    (("fim_sep",), "<|file_sep|>"),
)
"""The same for code models, by purpose; only if no key of the file names such a token."""

ALWAYS_SHOWN = frozenset("<|channel|> <|message|> <|start|> <|constrain|>".split())
"""Spellings that llama.cpp treats as user-defined tokens whatever the file says."""

KNOWN_KINDS = frozenset(map(int, PieceKind))
OF_KINDS = bytes(kind if kind in KNOWN_KINDS else PieceKind.UNDEFINED for kind in range(256))
SPECIAL_KINDS = (PieceKind.CONTROL, PieceKind.USER_DEFINED, PieceKind.UNKNOWN)


def vocabulary_of(keys: Metadata, *, scored: bool) -> Vocabulary:
    """Pieces, scores and kinds of a file; an empty piece is called `[EMPTY_id]`, as in llama.cpp.

    scored: whether this kind of vocabulary needs scores; others get none. Raises InputError where llama.cpp refuses the
    file, too: for missing tokens, equal spellings, and columns that are too short or of another type.
    """
    tokens = keys.strings("tokens")
    if not tokens:
        raise InputError(f"{keys.name}: the key {keys.full('tokens')} has no tokens; give the model's own file")
    if len(tokens) > MOST_PIECES:
        raise InputError(
            f"{keys.name}: the key {keys.full('tokens')} holds {len(tokens):,} tokens, but {MOST_PIECES:,} is the most "
            "that is supported; the file is damaged, or not a tokenizer"
        )
    scores = column(keys, "scores", "if", len(tokens), part=scored)
    kinds = column(keys, "token_type", "i", len(tokens))
    if kinds is None:
        keys.say("vocabulary", "The file has no kinds: every token is a normal one.")
    pieces = [piece or b"[EMPTY_%d]" % id for id, piece in enumerate(tokens)]
    with errors_of(keys.name):
        return Vocabulary.of(
            pieces,
            () if not scored else [0.0] * len(pieces) if scores is None else scores[: len(pieces)],
            None if kinds is None else known_kinds([*map(int, kinds[: len(pieces)])]),
        )


def known_kinds(kinds: list[int]) -> bytes:
    """Kinds as bytes; one that llama.cpp does not have becomes UNDEFINED.

    >>> [*known_kinds([1, 6, 7, -1])]
    [1, 6, 0, 0]
    """
    try:
        return bytes(kinds).translate(OF_KINDS)
    except ValueError:  # one is no byte
        return bytes(kind if kind in KNOWN_KINDS else PieceKind.UNDEFINED for kind in kinds)


def column(keys: Metadata, key: str, types: str, size: int, *, part: bool = True) -> array[float] | None:
    """An array of numbers, at least one for each token; None if the file has none."""
    values = keys.value(key, part=part)
    if values is None:
        return None
    if not isinstance(values, array) or values.typecode not in types:
        raise keys.damaged(key, "has no numbers of the type llama.cpp reads (32 bits each)")
    if len(values) < size:
        raise InputError(
            f"{keys.name}: {size} tokens but {len(values)} entries in {keys.full(key)}; the file is damaged"
        )
    return values


def check_byte_pieces(vocabulary: Vocabulary, keys: Metadata) -> None:
    """Raises InputError if the piece of a byte is too short to name it, as llama.cpp does."""
    for id in vocabulary.of_kind(PieceKind.BYTE):
        if len(vocabulary.pieces[id]) < len("<0x"):
            raise InputError(
                f"{keys.name}: token {id} should be a byte but is spelled {shown(vocabulary.spelling(id))}, not "
                "like <0x0A>; repair the file"
            )


def corrected(vocabulary: Vocabulary, keys: Metadata, eos: int | None = None) -> Vocabulary:
    """The vocabulary after llama.cpp's corrections of kinds by spelling.

    eos: the id of EOS for this kind of vocabulary if the file has none.
    """
    ids, size = vocabulary.ids, len(vocabulary)
    kinds = bytearray(vocabulary.kinds)

    def existing(spellings: Iterable[str]) -> list[int]:
        return [ids[spelling.encode()] for spelling in spellings if spelling.encode() in ids]

    def holds(*spellings: str) -> bool:
        return len(existing(spellings)) == len(spellings)

    def set_kind(found: Iterable[int], kind: PieceKind) -> None:
        for id in found:
            kinds[id] = kind

    ends = {keys.id(key, eos if key == "eos" else None, size, part=False) for key in ("eot", "eom", "eos")}
    for names, spellings in FILL_IN_MIDDLE:
        named = [id for id in (keys.id(name, None, size, part=False) for name in names) if id is not None]
        found = existing(spellings.split())
        if named:
            ends |= set(named) if names[0] in ("fim_pad", "fim_rep", "fim_sep") else set()
            continue
        if len(found) > 1 and any(kinds[id] != PieceKind.CONTROL for id in found):
            keys.say(
                "special tokens",
                "Several tokens are spelled for one purpose: llama.cpp makes a control token of "
                "whichever its hash table has first; here all of them are.",
                code=" ".join(map(vocabulary.spelling, found)),
                kind=WARNING,
            )
        set_kind(found, PieceKind.CONTROL)
    set_kind(existing(END_OF_GENERATION), PieceKind.CONTROL)
    set_kind(existing(ALWAYS_SHOWN), PieceKind.USER_DEFINED)
    called = holds("<|call|>") or holds("<|calls|>")
    if holds("<|end|>") and called and (holds("<|return|>") or holds("<|flush|>")):
        set_kind(existing(["<|end|>"]), PieceKind.USER_DEFINED)
    if holds("<|tool_response>") or ends & set(existing(["<|plamo:eos|>"])):
        set_kind(existing(["</s>"]), PieceKind.NORMAL)
    changed = [id for id in range(size) if kinds[id] != vocabulary.kinds[id]]
    if changed:
        spelled = " ".join(map(vocabulary.spelling, changed))
        keys.say(
            "special tokens",
            "llama.cpp gives these tokens another kind than the file, because of how they are spelled.",
            "token_type",
            spelled,
        )
    return Vocabulary(vocabulary.pieces, vocabulary.scores, bytes(kinds), ids)


def special_tokens(vocabulary: Vocabulary, keys: Metadata) -> SpecialTokenPartition:
    """The stage that looks for special tokens in the text, which may absorb adjacent white space.

    No key of the file says the latter; llama.cpp decides by the names of the pre-tokenizer, the architecture and the
    model. Raises InputError for a model named Phi-3 without the tokens that llama.cpp then requires.
    """
    lstrip: set[str] = set()
    rstrip_all, keeps_space, place = False, {"<unk>", "<s>", "<|endoftext|>"}, ""
    pre = str(keys.value("pre", part=False) or "")
    architecture, model = keys.text("general.architecture"), keys.text("general.name").lower()
    if any(each in pre for each in ("jina-v2-de", "jina-v2-es", "jina-v2-code")):
        lstrip, place = {"<mask>"}, "pre"
    elif any(each in architecture for each in ("nomic-bert-moe", "jina-bert-v3")):
        lstrip, place = {"<mask>"}, "general.architecture"
    elif "phi-3" in model or "phi3" in model:
        rstrip_all, place = True, "general.name"
        missing = [each for each in ("</s>", *sorted(keeps_space)) if each.encode() not in vocabulary.ids]
        if missing:
            raise InputError(
                f"{keys.name}: the key general.name says Phi-3, and llama.cpp refuses a Phi-3 without the token "
                f"{missing[0]}; repair the file"
            )
    elif "modern-bert" in model:
        lstrip, place = {"[MASK]"}, "general.name"
    found = []
    for id in sorted(chain.from_iterable(map(vocabulary.of_kind, SPECIAL_KINDS))):
        text = vocabulary.pieces[id].decode("utf-8", "surrogateescape")
        found.append(
            SpecialToken(
                id,
                text,
                only_if_parsed=vocabulary.kinds[id] != PieceKind.USER_DEFINED,
                lstrip=text in lstrip,
                rstrip=rstrip_all and text not in keeps_space,
            )
        )
    for token in filter(lambda token: token.lstrip, found):
        keys.value(place)
        says = f"{token.text} absorbs the white space before it: llama.cpp does so for models of this name."
        keys.say("special tokens", says, place)
    if rstrip_all:
        keys.say(
            "special tokens",
            "Special tokens absorb the white space after them, except <unk>, <s> and "
            "<|endoftext|>: llama.cpp does so for models of this name.",
            place,
        )
    keys.say_kinds(vocabulary)
    return SpecialTokenPartition(found)

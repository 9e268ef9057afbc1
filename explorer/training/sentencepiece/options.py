"""Options of sentencepiece's trainers, under their names and with their defaults, and the ids of special pieces.

Follows `TrainerSpec` and `NormalizerSpec` of `sentencepiece_model.proto`, and `VerifySpec` and `InitMetaPieces` of
`trainer_interface.cc`.

Left out: sampling of sentences (`input_sentence_size`; the original draws them with a generator of Abseil), texts with
counts (`tsv`), `pretokenization_delimiter`, and differential privacy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from explorer.errors import InputError
from explorer.training.symbols import check_least, check_size
from explorer.vocabulary import SPACE_MARK, PieceKind

UNKNOWN_CHARACTER: Final = "▅"
"""Stands for a character that does not become a piece."""

SPACE: Final = SPACE_MARK
"""Stands for a space."""

RULES: Final = ("nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity")
"""Names of normalization rules (`sentences`); the original's default first. identity: no character changes."""


BOUNDARY: Final = "\x1f"
"""The character that no piece crosses, written in place of a special piece."""


@dataclass(frozen=True)
class Options:
    """What a training can be given."""

    vocab_size: int = 8_000
    """Pieces of the model, special ones and characters among them."""
    character_coverage: float = 0.9995
    """The most frequent characters become pieces until they make up this share of the text."""
    auto_character_coverage: bool = False
    """Characters become pieces where that saves most tokens (`bpe`), not by their share."""
    max_sentence_length: int = 4_192
    """Texts with more bytes are skipped."""
    max_sentencepiece_length: int = 16
    """Characters of the longest piece."""
    split_by_unicode_script: bool = True
    """No piece holds two scripts."""
    split_by_number: bool = True
    """Digits are a script of their own."""
    split_by_whitespace: bool = True
    """No piece crosses a space."""
    treat_whitespace_as_suffix: bool = False
    """▁ ends a word instead of beginning it."""
    allow_whitespace_only_pieces: bool = False
    """Runs of ▁ may be pieces."""
    split_digits: bool = False
    """No piece holds a digit and another character."""
    control_symbols: tuple[str, ...] = ()
    """Special pieces that never match a text."""
    user_defined_symbols: tuple[str, ...] = ()
    """Special pieces that always match."""
    required_chars: str = ""
    """Characters that become pieces, however rare."""
    byte_fallback: bool = False
    """The 256 bytes are special pieces, too."""
    hard_vocab_limit: bool = True
    """Fewer pieces than asked are an error."""
    unk_id: int = 0
    bos_id: int = 1
    eos_id: int = 2
    pad_id: int = -1
    """Ids of special pieces; -1 for a piece that the model lacks."""
    unk_piece: str = "<unk>"
    bos_piece: str = "<s>"
    eos_piece: str = "</s>"
    pad_piece: str = "<pad>"
    add_dummy_prefix: bool = True
    """A space is put in front of each text."""
    remove_extra_whitespaces: bool = True
    """Of a run of spaces one is kept, at the ends none."""
    normalization_rule_name: str = RULES[0]
    """The rules by which characters change, a name in `RULES`."""
    charsmap: bytes = b""
    """Compiled rules to use instead (`precompiled_charsmap` of a model)."""

    def __post_init__(self) -> None:
        check_size(self.vocab_size)
        check_least(self, 1, "vocab_size")
        self.check_between(
            character_coverage=(0.98, 1.0), max_sentencepiece_length=(1, 512), max_sentence_length=(10, 1_073_741_824)
        )
        if self.auto_character_coverage and not self.byte_fallback:
            raise InputError("auto_character_coverage needs byte_fallback: what is not a piece becomes bytes; set both")
        if self.auto_character_coverage and self.required_chars:
            raise InputError("auto_character_coverage chooses the characters itself; leave required_chars out")
        if self.normalization_rule_name not in RULES:
            raise InputError(
                f"normalization_rule_name is {self.normalization_rule_name!r}; choose one of {', '.join(RULES)}"
            )
        for name in ("unk_piece", "bos_piece", "eos_piece", "pad_piece"):
            if not getattr(self, name):
                raise InputError(f"{name} is empty; give it a spelling")
        for name in ("control_symbols", "user_defined_symbols"):
            if "" in getattr(self, name):
                raise InputError(f"{name} holds an empty symbol; leave it out")

    def check_between(self, **bounds: tuple[float, float]) -> None:
        """Raises InputError for an option outside of its bounds."""
        for name, (low, high) in bounds.items():
            if not low <= getattr(self, name) <= high:
                raise InputError(f"{name} is {getattr(self, name)}; choose a number from {low:,} to {high:,}")


def special_pieces(options: Options) -> dict[int, tuple[str, PieceKind]]:
    """The id, spelling and kind of each special piece. Raises InputError where two want one id, or one is named twice.

    >>> special_pieces(Options(user_defined_symbols=("<sep>",)))[3]
    ('<sep>', <PieceKind.USER_DEFINED: 4>)
    """
    spellings = [
        ("unk", options.unk_id, options.unk_piece),
        ("bos", options.bos_id, options.bos_piece),
        ("eos", options.eos_id, options.eos_piece),
        ("pad", options.pad_id, options.pad_piece),
    ]
    pieces: dict[int, tuple[str, PieceKind]] = {}
    for name, id, text in spellings:
        if id < 0:
            continue
        if id >= options.vocab_size:
            raise InputError(f"{name}_id is {id}, and vocab_size is {options.vocab_size}; choose a lower id")
        if id in pieces:
            raise InputError(f"{name}_id is {id}, the id of {pieces[id][0]}; choose another one")
        if text == options.unk_piece and name != "unk":
            raise InputError(f"{name}_piece is {text!r}, which is unk_piece; choose another spelling")
        pieces[id] = text, PieceKind.UNKNOWN if name == "unk" else PieceKind.CONTROL
    if options.unk_id < 0 and not options.byte_fallback:
        raise InputError("unk_id is -1: without it a model needs byte_fallback; choose an id from 0 on")
    named = {text: id for _, id, text in spellings if id >= 0}
    more = [(text, PieceKind.CONTROL) for text in options.control_symbols]
    more += [(text, PieceKind.USER_DEFINED) for text in options.user_defined_symbols]
    if options.byte_fallback:
        more += [(f"<0x{byte:02X}>", PieceKind.BYTE) for byte in range(256)]
    seen: set[str] = set()
    free = 0
    for text, kind in more:
        if text in seen:
            raise InputError(f"the symbol {text!r} is given twice; give it once")
        seen.add(text)
        if text == options.unk_piece:
            raise InputError(f"the symbol {text!r} is unk_piece already; leave it out")
        if text in named:
            pieces[named[text]] = text, kind
            continue
        while free in pieces:
            free += 1
        pieces[free] = text, kind
    return pieces

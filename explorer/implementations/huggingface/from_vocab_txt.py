"""A BERT's vocab.txt as the tokenizer.json that `BertWordPieceTokenizer` of Hugging Face makes of it.

The file holds the pieces alone. All else is as in the first BERT, but for one thing that differs between models: a
cased one keeps capitals and accents. That is chosen (`case`), or seen by the pieces.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from explorer.errors import InputError, shown
from explorer.facts import Fact, FactKind
from explorer.formats.tokenizer_json import AddedEntry, TokenizerJson

SPECIAL = ("[UNK]", "[SEP]", "[CLS]", "[PAD]", "[MASK]")
"""What is a special token of a vocab.txt, where it is in it."""
CASES = {"cased": False, "uncased": True}
"""What the choice `case` may say → whether the text is lowercased."""


def as_tokenizer_json(
    pieces: Sequence[str], name: str, choices: Mapping[str, str]
) -> tuple[TokenizerJson, tuple[Fact, ...]]:
    """The pieces with BERT's settings, and their card. Raises InputError where a piece that it needs is missing."""
    ids = {piece: id for id, piece in enumerate(pieces)}
    missing = [spelling for spelling in ("[UNK]", "[CLS]", "[SEP]") if spelling not in ids]
    if missing:
        raise InputError(f"{name}: there is no piece {' and no '.join(missing)}; give the vocab.txt of a BERT")
    chosen, seen = choices.get("case"), first_cased(pieces)
    if chosen is not None and chosen not in CASES:
        raise InputError(f"{name}: case is {shown(chosen)}; choose {' or '.join(CASES)}")
    lowercase = CASES[chosen] if chosen is not None else seen is None
    file = TokenizerJson(
        {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": ids,
        },
        "WordPiece",
        tuple(AddedEntry(ids[each], each, True, False, False, False, False) for each in SPECIAL if each in ids),
        normalizer={
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": lowercase,
        },
        pre_tokenizer={"type": "BertPreTokenizer"},
        post_processor={"type": "BertProcessing", "sep": ["[SEP]", ids["[SEP]"]], "cls": ["[CLS]", ids["[CLS]"]]},
        decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
    )
    return file, tuple(facts_of(pieces, ids, lowercase, chosen, seen))


def first_cased(pieces: Sequence[str]) -> int | None:
    """Where the first piece stands that only a cased model can have: with a capital letter or an accent.

    >>> first_cased(["[UNK]", "[unused1]", "a", "##é"]), first_cased(["[UNK]", "a"])
    (3, None)
    """
    for id, piece in enumerate(pieces):
        if piece.isascii():
            if piece.lower() != piece and not (piece[0] == "[" and piece[-1] == "]"):
                return id
        elif piece.lower() != piece or any(map(is_accent, unicodedata.normalize("NFD", piece))):
            return id
    return None


def is_accent(ch: str) -> bool:
    """Whether BERT strips it with the accents."""
    return unicodedata.category(ch) == "Mn"


def facts_of(
    pieces: Sequence[str], ids: Mapping[str, int], lowercase: bool, chosen: str | None, seen: int | None
) -> Iterator[Fact]:
    """The card of a vocab.txt."""
    yield Fact("model", f"{len(pieces)} pieces; within a word they begin with ##.")
    says = "Capitals are made small and accents are stripped" if lowercase else "Capitals and accents stay"
    if chosen is not None:
        yield Fact("normalizer", f"{says}: {chosen} was chosen.")
        if CASES[chosen] and seen is not None:
            says = "The pieces look like those of a cased model: this one can never be found in a lowercased text."
            yield Fact("normalizer", says, f"line {seen + 1}", pieces[seen], FactKind.WARNING)
    elif seen is not None:
        says += ": only a cased model has such a piece."
        yield Fact("normalizer", says, f"line {seen + 1}", pieces[seen])
    else:
        yield Fact("normalizer", f"{says}: no piece has a capital or an accent.")
    says = "Control characters are dropped, and a Chinese character is a word by itself."
    yield Fact("normalizer", f"{says} The file does not say so; the first BERT does it.")
    yield Fact("pre-tokenizer", "Words end at white space, and punctuation marks stand alone.")
    special = "\n".join(f"{ids[each]} {each}" for each in SPECIAL if each in ids)
    yield Fact("special tokens", "Special tokens, by their spelling. [CLS] and [SEP] go around a text.", code=special)
    unused = sum(piece.startswith("[unused") for piece in pieces)
    if unused:
        says = f"{unused} pieces are called [unused…]: room for tokens of one's own."
        yield Fact("model", says, kind=FactKind.UNUSED)

"""A BERT's vocab.txt as the tokenizer.json that `BertWordPieceTokenizer` of Hugging Face makes of it.

The file has only the pieces. Everything else is as in the first BERT, except that cased models keep capitals and
accents. The user chooses that (`case`); by default the pieces decide.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping

from explorer.errors import InputError, shown
from explorer.facts import UNUSED, WARNING, Fact
from explorer.formats.tokenizer_json import AddedEntry, TokenizerJson
from explorer.formats.wordpiece_txt import unread

SPECIAL = ("[UNK]", "[SEP]", "[CLS]", "[PAD]", "[MASK]")
"""The special tokens of a vocab.txt, if it has them."""
CASES = {"cased": False, "uncased": True}
"""Answer to the choice `case` → whether the text is lowercased."""


def of_vocab_txt(
    ids: Mapping[str, int], name: str, choices: Mapping[str, str]
) -> tuple[TokenizerJson, tuple[Fact, ...]]:
    """The pieces with BERT's settings, and the facts. Raises InputError if a piece that BERT needs is missing.

    ids: piece → id, in the order of the ids.
    """
    missing = [spelling for spelling in ("[UNK]", "[CLS]", "[SEP]") if spelling not in ids]
    if missing:
        raise InputError(f"{name}: the piece {' and '.join(missing)} is missing; give the vocab.txt of a BERT")
    chosen, seen = choices.get("case"), first_cased(ids)
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
    return file, tuple(_facts(ids, lowercase, chosen, seen))


def is_word_piece(ids: Mapping[str, int]) -> bool:
    """Whether pieces with ids are those of a BERT: its special tokens, and pieces that continue a word.

    >>> is_word_piece({"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "##a": 3}), is_word_piece({"a": 0})
    (True, False)
    """
    return {"[UNK]", "[CLS]", "[SEP]"} <= ids.keys() and any(piece.startswith("##") for piece in ids)


def first_cased(pieces: Iterable[str]) -> str | None:
    """The first piece that only a cased model can have: one with a capital letter or an accent.

    >>> first_cased(["[UNK]", "[unused1]", "a", "##é"]), first_cased(["[UNK]", "a"])
    ('##é', None)
    """
    for piece in pieces:
        if piece.isascii():
            if piece.lower() != piece and not (piece[0] == "[" and piece[-1] == "]"):
                return piece
        elif piece.lower() != piece or any(map(is_accent, unicodedata.normalize("NFD", piece))):
            return piece
    return None


def is_accent(ch: str) -> bool:
    """Whether BERT's accent stripping drops a character."""
    return unicodedata.category(ch) == "Mn"


def _facts(ids: Mapping[str, int], lowercase: bool, chosen: str | None, seen: str | None) -> Iterator[Fact]:
    yield Fact("model", f"{len(ids)} pieces; those that continue a word begin with ##.")
    if "" in ids:
        after = max(ids.values()) - ids[""]
        says = "This line is blank, but it counts: its number is the id of a piece that no text gives"
        says += f", and each of the {after:,} lines after it has an id one higher than without it." if after else "."
        yield Fact("model", says, f"line {ids[''] + 1}", kind=WARNING if after else UNUSED)
    if unread(ids):
        blank = " or is blank as they are" if "" in ids else ""
        says = f"Ids without a piece, because a later line has the same one{blank}: {unread(ids)}."
        yield Fact("model", says, kind=WARNING)
    says = "Letters are lowercased and accents are stripped" if lowercase else "Capitals and accents stay"
    if chosen is not None:
        yield Fact("normalizer", f"{says}: {chosen} was chosen.")
        if CASES[chosen] and seen is not None:
            says = "The pieces look like a cased model's: this one never occurs in a lowercased text."
            yield Fact("normalizer", says, f"line {ids[seen] + 1}", seen, WARNING)
    elif seen is not None:
        says += ": only a cased model has such a piece."
        yield Fact("normalizer", says, f"line {ids[seen] + 1}", seen)
    else:
        yield Fact("normalizer", f"{says}: no piece has a capital or an accent.")
    says = "Control characters are dropped, and each Chinese character is a word of its own."
    yield Fact("normalizer", f"{says} The file does not say so; the first BERT does it.")
    yield Fact("pre-tokenizer", "Words end at white space, and each punctuation mark is a pre-token of its own.")
    special = "\n".join(f"{ids[each]} {each}" for each in SPECIAL if each in ids)
    yield Fact("special tokens", "Special tokens, by their spelling. [CLS] and [SEP] go around a text.", code=special)
    unused = sum(piece.startswith("[unused") for piece in ids)
    if unused:
        says = f"{unused} pieces are called [unused…]: they are reserved for tokens of your own."
        yield Fact("model", says, kind=UNUSED)

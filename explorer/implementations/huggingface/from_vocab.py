"""A vocab.json with its merges.txt, or a vocab.txt of a BERT, as the tokenizer.json that Hugging Face makes of it.

vocab.json and merges.txt: most are byte-level (`ByteLevelBPETokenizer`): GPT-2's pre-tokenizer and no special tokens.
Where a model differs, the user chooses: `pattern`, by name or as a regular expression, and `prefix_space` with
GPT-2's pattern. Pieces may be spelled in characters instead: the first GPT's, with `</w>` at the end of a word
(`CharBPETokenizer`, the `encoder` called characters, with `case` for lowercasing), or with ▁ at its start
(`SentencePieceBPETokenizer`, the `encoder` called metaspace). No file says which, so it is asked for where pieces
show that they are not spelled in bytes.

Left out: RoBERTa's `<s>` and `</s>` around a text, and which tokens are special. Other files hold them, and the
original classes leave them out, too.

vocab.txt (`BertWordPieceTokenizer`):

The file has only the pieces. Everything else is as in the first BERT, except that cased models keep capitals and
accents. The user chooses that (`case`); by default the pieces decide.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from explorer.engine.pre_tokenizers.patterns import GPT2, LLAMA3, O200K_BASE, QWEN2
from explorer.engine.regexes.safe import Pattern
from explorer.errors import ChoiceNeeded, Choices, InputError, shown
from explorer.facts import UNUSED, WARNING, Fact
from explorer.formats.tokenizer_json import AddedEntry, TokenizerJson
from explorer.formats.vocab_files import unread
from explorer.implementations.tiktoken import KEY, chosen_pattern
from explorer.tables import filled
from explorer.text.say import plural, visible
from explorer.vocabulary import PRINTABLE

FILES = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
"""What the classes write, by what they read: the sections of a tokenizer.json, with names for what differs."""
BERT_SPECIAL = ("[UNK]", "[SEP]", "[CLS]", "[PAD]", "[MASK]")
"""The special tokens of a vocab.txt, if it has them."""
CASES = {"cased": False, "uncased": True}
"""Answer to the choice `case` → whether the text is lowercased."""


def of_vocab_txt(ids: Mapping[str, int], name: str, choices: Choices) -> tuple[TokenizerJson, tuple[Fact, ...]]:
    """The pieces with BERT's settings, and the facts. Raises InputError if a piece that BERT needs is missing.

    ids: piece → id, in the order of the ids.
    """
    missing = [spelling for spelling in ("[UNK]", "[CLS]", "[SEP]") if spelling not in ids]
    if missing:
        raise InputError(f"{name}: the piece {' and '.join(missing)} is missing; give the vocab.txt of a BERT")
    chosen, seen = choices.get("case"), first_cased(ids)
    lowercase = _answer(choices, "case", "cased" if seen else "uncased", CASES, name)
    added = _added(ids, BERT_SPECIAL)
    file = _file("vocab.txt", added, vocab=ids, lowercase=lowercase, sep=ids["[SEP]"], cls=ids["[CLS]"])
    return file, tuple(_facts(ids, lowercase, chosen, seen))


def _file(kind: str, added: tuple[AddedEntry, ...] = (), **values: Any) -> TokenizerJson:
    """The file of a kind in from_vocab.json, with the values that it names."""
    return TokenizerJson(added_tokens=added, **filled(FILES[kind], values, str))


def _added(ids: Mapping[str, int], spellings: Iterable[str]) -> tuple[AddedEntry, ...]:
    """Spellings as added tokens, of those that are pieces."""
    return tuple(AddedEntry(ids[each], each, True, False, False, False, False) for each in spellings if each in ids)


def _answer(choices: Choices, key: str, default: str, known: Mapping[str, bool], name: str) -> bool:
    """What the answer to a choice means. Raises InputError for an unknown one."""
    answer = choices.get(key, default)
    if answer not in known:
        raise InputError(f"{name}: {key} is {shown(answer)}; choose {' or '.join(known)}")
    return known[answer]


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
        # BERT's accent stripping drops nonspacing marks
        elif piece.lower() != piece or "Mn" in map(unicodedata.category, unicodedata.normalize("NFD", piece)):
            return piece
    return None


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
    special = "\n".join(f"{ids[each]} {each}" for each in BERT_SPECIAL if each in ids)
    yield Fact("special tokens", "Special tokens, by their spelling. [CLS] and [SEP] go around a text.", code=special)
    unused = sum(piece.startswith("[unused") for piece in ids)
    if unused:
        says = f"{unused} pieces are called [unused…]: they are reserved for tokens of your own."
        yield Fact("model", says, kind=UNUSED)


PATTERNS: Mapping[str, Pattern] = {each.name: each for each in (GPT2, LLAMA3, QWEN2, O200K_BASE)}
"""Names for the choice `pattern`."""
SPECIAL = re.compile(r"<\|.+\|>|</?[a-z]+>|\[[A-Z]+\]")
"""Usual spellings of special tokens."""
YES_NO = {"yes": True, "no": False}
LETTERS = frozenset(PRINTABLE)
"""The characters that spell bytes."""
BYTE_LEVEL = "byte-level"
BYTE_PIECE = "<0x00>"
WORD_END, UNKNOWN = "</w>", "<unk>"
"""The default spellings of `CharBPETokenizer`."""

FileAndFacts = tuple[TokenizerJson, tuple[Fact, ...]]


def of_vocab_json(vocab: dict[str, int], merges: list[str], name: str, choices: Choices) -> FileAndFacts:
    """The two files as one tokenizer.json, and their facts.

    Raises InputError for an unknown answer to a choice, ChoiceNeeded for pieces that may be spelled in characters.
    """
    missing = [byte for byte, ch in enumerate(PRINTABLE) if ch not in vocab]
    encoder = choices.get("encoder", "")
    why = "" if encoder else not_in_bytes(vocab, merges, len(missing))
    if why:
        says = f"{name}: {why}, so the pieces seem to be spelled in characters; choose the encoder: {_ANY}"
        raise ChoiceNeeded(says, "encoder", tuple(ENCODERS))
    encoder = encoder or BYTE_LEVEL
    if encoder not in ENCODERS:
        raise InputError(f"{name}: encoder is {shown(encoder)}; choose {_ANY}")
    in_characters = encoder != BYTE_LEVEL
    file, facts = ENCODERS[encoder](vocab, merges, name, choices)
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


def _byte_level_bpe(vocab: dict[str, int], merges: list[str], name: str, choices: Choices) -> FileAndFacts:
    """The file that `ByteLevelBPETokenizer` makes."""
    pattern = chosen_pattern(choices.get(KEY, GPT2.name), PATTERNS, name)
    prefix = _answer(choices, "prefix_space", "no", YES_NO, name)
    if prefix and pattern is not GPT2:
        raise InputError(f"{name}: prefix_space is yes; choose no, or yes with the pattern gpt-2")
    kind = BYTE_LEVEL if pattern is GPT2 else "pattern"
    file = _file(kind, vocab=vocab, merges=merges, prefix=prefix, pattern=pattern.regex)
    facts = [Fact("pre-tokenizer", "This pattern cuts the text into pre-tokens.", code=pattern.regex)]
    if KEY not in choices:
        says = f"The files don't name a pattern: GPT-2's is assumed, and you can choose another one ({KEY}=…)."
        facts.append(Fact("pre-tokenizer", says, kind=WARNING))
    if prefix:
        facts.append(Fact("pre-tokenizer", "A space is put in front of a text that does not begin with one."))
    return file, tuple(facts)


def _char_bpe(vocab: dict[str, int], merges: list[str], name: str, choices: Choices) -> FileAndFacts:
    """The file that `CharBPETokenizer` makes."""
    lowercase = _answer(choices, "case", "cased", CASES, name)
    normalizers = FILES["normalizers"][: 1 + lowercase]
    file = _file("characters", _added(vocab, (UNKNOWN,)), vocab=vocab, merges=merges, normalizers=normalizers)
    letters = "Letters are lowercased" if lowercase else "Capitals stay"
    return file, (
        Fact("model", f"Pieces are spelled in characters; one that ends a word ends in {WORD_END}."),
        Fact("normalizer", f"{letters}; control characters are dropped, white space becomes a space."),
        Fact("pre-tokenizer", "Words end at white space, and each punctuation mark is a pre-token of its own."),
        UNKNOWN_FACT,
    )


def _metaspace_bpe(vocab: dict[str, int], merges: list[str], name: str, choices: Choices) -> FileAndFacts:
    """The file that `SentencePieceBPETokenizer` makes."""
    prefix = _answer(choices, "prefix_space", "yes", YES_NO, name)
    scheme = "always" if prefix else "never"
    file = _file("metaspace", _added(vocab, (UNKNOWN,)), vocab=vocab, merges=merges, scheme=scheme)
    facts = [
        Fact("model", "Pieces are spelled in characters, a space as ▁."),
        Fact("normalizer", "Text is brought to Unicode's form NFKC."),
        Fact("pre-tokenizer", f"Words begin at spaces; {'a' if prefix else 'no'} space is put in front of a text."),
        UNKNOWN_FACT,
    ]
    if BYTE_PIECE in vocab:
        says = "Pieces such as <0x00> stay unused: this class has no byte fallback. A tokenizer.json may have it."
        facts.append(Fact("model", says, "vocab.json", kind=WARNING))
    return file, tuple(facts)


ENCODERS: Mapping[str, Callable[[dict[str, int], list[str], str, Mapping[str, str]], FileAndFacts]] = {
    "characters": _char_bpe,
    BYTE_LEVEL: _byte_level_bpe,
    "metaspace": _metaspace_bpe,
}
"""Answers to the choice `encoder`, and what makes the file."""
_ANY = "characters, byte-level or metaspace"
UNKNOWN_FACT = Fact(
    "special tokens", f"Unknown characters become {UNKNOWN}; the spelling {UNKNOWN} in a text is that token."
)


def not_in_bytes(vocab: Mapping[str, int], merges: Sequence[str], missing: int) -> str:
    """What shows that pieces are not spelled in bytes, as a clause; empty if nothing does. missing: bytes without one.

    Merges are asked, because tokens that are found by their spelling are no part of them; without merges, the pieces.

    >>> not_in_bytes({"▁": 0, "a": 1, "▁a": 2}, ["▁ a"], 255)
    '1 of 1 merge has a character that spells no byte, such as ▁ in ▁ a'
    >>> not_in_bytes({"Ġ": 0, "a": 1, "Ġa": 2, "<｜end▁of｜>": 3}, ["Ġ a"], 254)
    ''
    """
    if missing and any(piece.endswith(WORD_END) for piece in vocab):
        return f"pieces end in {WORD_END} and {missing} bytes have no piece"
    what, tried = "merge", list(merges)
    if not merges:
        what, tried = "piece", [each for each in vocab if not (each[:1] in "<[" and each[-1:] in ">]")]
    strange = [each for each in tried if not LETTERS.issuperset(each.replace(" ", "", 1))]
    if not strange:
        return ""
    first = next(ch for ch in strange[0] if ch not in LETTERS and ch != " ")
    have = f"{len(strange):,} of {plural(len(tried), what)} {'has' if len(strange) == 1 else 'have'}"
    shown = " ".join(map(visible, strange[0].split(" "))) if merges else visible(strange[0])
    return f"{have} a character that spells no byte, such as {visible(first)} in {shown}"


def _special_fact(vocab: dict[str, int], known: Sequence[str]) -> Fact:
    """Which pieces look like special tokens, apart from known ones."""
    special = [piece for piece in vocab if SPECIAL.fullmatch(piece) and piece not in known]
    if not special:
        return Fact("special tokens", "The files name no others." if known else "The files name none.")
    says = "These look like special tokens. The files don't say so, so their spelling in a text is plain text."
    code = "\n".join(f"{vocab[piece]} {piece}" for piece in special[:100])
    return Fact("special tokens", says, "vocab.json", code, WARNING)

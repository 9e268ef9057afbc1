"""The models of a tokenizer.json: BPE, WordPiece, Unigram, WordLevel, each read from the section `model`.

Every function here checks the section and gives a `Model`: its pieces, and what makes the stage once the added tokens
are known; the algorithm is imported then. Follows `models/*/serialization.rs` of Hugging Face's tokenizers.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeVar

from explorer.engine.part import Part
from explorer.errors import InputError, shown
from explorer.facts import Fact, FactKind
from explorer.formats.tokenizer_json import Json, vocabulary_ids
from explorer.implementations.huggingface.merges import merge_list
from explorer.vocabulary import Vocabulary

T = TypeVar("T")

Stage = Callable[[Vocabulary, Mapping[bytes, int]], Part]
"""What makes the stage of all pieces and of the ids of those that are the model's own."""


@dataclass(frozen=True, slots=True)
class Model:
    """What the section says.

    pieces: text → id. scores: by id, empty where the model has none. unknown: id of the unknown token or None.
    byte_fallback: pieces `<0xXX>` stand for bytes.
    """

    family: str
    pieces: Mapping[str, int]
    stage: Stage
    facts: tuple[Fact, ...]
    scores: Sequence[float] = ()
    unknown: int | None = None
    byte_fallback: bool = False


def setting(model: Json, key: str, kind: type[T], default: T, name: str) -> T:
    """A setting, checked to be of its type; null is as if it were not there."""
    value = model.get(key)
    if value is None:
        return default
    if type(value) is not kind:
        raise InputError(f"{name}: model.{key} is {shown(value)} and not of type {kind.__name__}; repair the file")
    return value


def fact(says: str, key: str, code: str = "", kind: FactKind = FactKind.USED) -> Fact:
    return Fact("model", says, f"model.{key}" if key else "", code, kind)


def unknown_fact(says: str, unknown: str, texts: Mapping[str, int]) -> Fact:
    """says: what becomes of what is no piece. The original opens a file whose unknown token is no piece either."""
    if unknown in texts:
        return fact(f"{says} becomes this token.", "unk_token", unknown)
    says = f"{says} is refused: the unknown token is no piece of the model."
    return fact(says, "unk_token", unknown, FactKind.WARNING)


# --- BPE -----------------------------------------------------------------------------------------------------------


def bpe(model: Json, name: str) -> Model:
    texts = vocabulary_ids(model, name)
    dropout = model.get("dropout")
    if dropout not in (None, 0) or isinstance(dropout, bool):
        raise InputError(
            f"{name}: model.dropout is {shown(dropout)}: merges are then left out by chance, and the same text has "
            "other ids each time; set it to null"
        )
    prefix = setting(model, "continuing_subword_prefix", str, "", name)
    suffix = setting(model, "end_of_word_suffix", str, "", name)
    fuse = setting(model, "fuse_unk", bool, False, name)
    fallback = setting(model, "byte_fallback", bool, False, name)
    whole = setting(model, "ignore_merges", bool, False, name)
    unknown = setting(model, "unk_token", str, "", name) if model.get("unk_token") is not None else None
    unknown_id = None if unknown is None else texts.get(unknown)
    rule, count = merge_list(model.get("merges"), texts, prefix, name)

    def stage(vocabulary: Vocabulary, ids: Mapping[bytes, int]) -> Part:
        from explorer.engine.models.bpe import Bpe
        from explorer.engine.models.bpe_symbols import KnownCharacters

        start = KnownCharacters(
            ids,
            unknown=None if unknown is None else unknown.encode(),
            fuse=fuse,
            byte_fallback=fallback,
            prefix=prefix.encode(),
            suffix=suffix.encode(),
        )
        return Bpe(vocabulary, rule, start, whole=whole, ids=ids, dropped=len(prefix.encode()))

    facts = [
        fact(f"BPE: {len(texts):,} pieces and {count:,} merges, the earliest in the list first.", "type"),
        *_bpe_flags(unknown, texts, fuse=fuse, fallback=fallback, whole=whole),
    ]
    if prefix:
        facts.append(
            fact("Pieces that go on in a word are spelled with this in front.", "continuing_subword_prefix", prefix)
        )
    if suffix:
        facts.append(fact("Pieces that end a word are spelled with this behind.", "end_of_word_suffix", suffix))
    return Model("BPE", texts, stage, tuple(facts), unknown=unknown_id, byte_fallback=fallback)


def _bpe_flags(unknown: str | None, texts: Mapping[str, int], *, fuse: bool, fallback: bool, whole: bool) -> list[Fact]:
    facts = []
    if fallback:
        facts.append(fact("A character that is no piece becomes its bytes, spelled <0xXX>.", "byte_fallback"))
    if unknown is None:
        facts.append(fact("There is no unknown token: a character that is no piece is left out.", "unk_token"))
    elif fuse:
        facts.append(unknown_fact("A run of characters that are no pieces", unknown, texts))
    else:
        facts.append(unknown_fact("A character that is no piece", unknown, texts))
    if fuse and unknown is None:
        facts.append(fact("There is no unknown token to be fused.", "fuse_unk", kind=FactKind.UNUSED))
    if whole:
        facts.append(
            fact("A pre-token that is a piece as it stands is taken whole, before any merge.", "ignore_merges")
        )
    return facts


# --- WordPiece and WordLevel ---------------------------------------------------------------------------------------


def word_piece(model: Json, name: str) -> Model:
    texts = vocabulary_ids(model, name)
    unknown = setting(model, "unk_token", str, "[UNK]", name)
    unknown_id = texts.get(unknown)
    prefix = setting(model, "continuing_subword_prefix", str, "##", name)
    most = setting(model, "max_input_chars_per_word", int, 100, name)
    if most < 0:
        raise InputError(f"{name}: model.max_input_chars_per_word is {most}, which is below 0; repair the file")

    def stage(vocabulary: Vocabulary, ids: Mapping[bytes, int]) -> Part:
        from explorer.engine.models.wordpiece import WordPiece

        return WordPiece(vocabulary, unknown_id, prefix=prefix, max_characters=most, ids=ids)

    facts = (
        fact(f"WordPiece: {len(texts):,} pieces, the longest that fits first.", "type"),
        unknown_fact("A word that cannot be made of pieces", unknown, texts),
        fact("Pieces that go on in a word are spelled with this in front.", "continuing_subword_prefix", prefix),
        fact(f"A word of more than {most:,} characters is unknown as a whole.", "max_input_chars_per_word"),
    )
    return Model("WordPiece", texts, stage, facts, unknown=unknown_id)


def word_level(model: Json, name: str) -> Model:
    texts = vocabulary_ids(model, name)
    unknown = setting(model, "unk_token", str, "<unk>", name)
    unknown_id = texts.get(unknown)

    def stage(vocabulary: Vocabulary, ids: Mapping[bytes, int]) -> Part:
        from explorer.engine.models.word_level import WordLevel

        return WordLevel(vocabulary, unknown_id, ids)

    facts = (
        fact(f"WordLevel: {len(texts):,} pieces, and a word is one of them as a whole.", "type"),
        unknown_fact("Any other word", unknown, texts),
    )
    return Model("WordLevel", texts, stage, facts, unknown=unknown_id)


# --- Unigram -------------------------------------------------------------------------------------------------------


def unigram(model: Json, name: str) -> Model:
    entries = model.get("vocab")
    if not isinstance(entries, list) or not entries:
        raise InputError(f"{name}: model.vocab is no list of pieces and scores; the file is damaged")
    texts, scores = scored(entries, name)
    unknown = setting(model, "unk_id", int, -1, name) if model.get("unk_id") is not None else None
    if unknown is not None and not 0 <= unknown < len(entries):
        raise InputError(f"{name}: model.unk_id is {unknown}, not one of the {len(entries)} pieces; repair the file")
    fallback = setting(model, "byte_fallback", bool, False, name)

    def stage(vocabulary: Vocabulary, ids: Mapping[bytes, int]) -> Part:
        from explorer.engine.models.unigram import Unigram, huggingface_rules

        return Unigram(vocabulary, unknown, huggingface_rules(scores, byte_fallback=fallback), ids)

    facts = [fact(f"Unigram: {len(texts):,} pieces, the best sum of scores.", "type")]
    if fallback:
        facts.append(fact("Text that is no piece becomes its bytes, spelled <0xXX>.", "byte_fallback"))
    if unknown is None:
        facts.append(
            fact("There is no unknown token: a text with a character that is no piece is refused.", "unk_id",
                 kind=FactKind.WARNING)
        )  # fmt: skip
    else:
        piece = next(text for text, id in texts.items() if id == unknown)
        facts.append(fact("A run of characters that are no pieces becomes this token.", "unk_id", piece))
    facts += [
        fact("It is for sampling, which tokenizers does not read from a file.", key, kind=FactKind.UNUSED)
        for key in ("alpha", "nbest_size")
        if model.get(key) is not None
    ]
    return Model("Unigram", texts, stage, tuple(facts), scores, unknown, fallback)


LARGEST: Final = 1e300
"""Beyond it a sum of scores may say nothing; NaN is no smaller either."""


def scored(entries: list[object], name: str) -> tuple[dict[str, int], array[float]]:
    """`model.vocab` of a Unigram model, checked: text → id, and the scores by id, as 64-bit floats."""
    texts: dict[str, int] = {}
    scores = array("d")
    for id, entry in enumerate(entries):
        if (
            not isinstance(entry, list)
            or len(entry) != 2
            or type(entry[0]) is not str
            or type(entry[1]) not in (float, int)
            or not -LARGEST < entry[1] < LARGEST
        ):
            raise InputError(f"{name}: model.vocab[{id}] is {shown(entry)} and no piece with a score; repair the file")
        if texts.setdefault(entry[0], id) != id:
            raise InputError(
                f"{name}: model.vocab[{id}] is {shown(entry[0])}, and so is model.vocab[{texts[entry[0]]}]; "
                "repair the file"
            )
        scores.append(entry[1])
    return texts, scores


TOKENS: Final = frozenset({"type", "vocab", "unk_token"})
SETTINGS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "BPE": TOKENS
        | {"merges", "dropout", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk", "byte_fallback",
           "ignore_merges"},
        "WordPiece": TOKENS | {"continuing_subword_prefix", "max_input_chars_per_word"},
        "Unigram": frozenset({"type", "vocab", "unk_id", "byte_fallback", "alpha", "nbest_size"}),
        "WordLevel": TOKENS,
    }
)  # fmt: skip
"""The keys of each."""


def unknown_keys(model: Json, kind: str) -> Iterator[Fact]:
    """What stands in the section and means nothing to a model of its type."""
    for key in model:
        if key not in SETTINGS[kind]:
            yield fact(f"A {kind} model has no setting {shown(key)}.", key[:100], kind=FactKind.UNUSED)


MODELS: Final[Mapping[str, Callable[[Json, str], Model]]] = MappingProxyType(
    {"BPE": bpe, "WordPiece": word_piece, "Unigram": unigram, "WordLevel": word_level}
)
"""`model.type` → what reads the section."""

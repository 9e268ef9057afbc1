"""The models of a tokenizer.json: BPE, WordPiece, Unigram, WordLevel, each read from the section `model`.

Each reader checks the section and returns a `ModelSection`: its pieces, and a function that makes the stage once the
added tokens are known and imports the algorithm then. Follows `models/*/serialization.rs` of Hugging Face's tokenizers.

The merges of a BPE are checked in bulk: both sides of a merge and its result are pieces.

Old files have lines `left right`, new ones pairs of strings. Follows `convert_merges_to_hashmap` and
`BpeBuilder::build` of Hugging Face's tokenizers: a line that begins with `#version` is skipped, and a merge keeps only
the prefix of its left piece.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeVar, cast

from explorer.engine.models.bpe import BETWEEN, END, MergeKeys
from explorer.engine.part import Part
from explorer.errors import InputError, shown
from explorer.facts import UNUSED, USED, WARNING, Fact, FactKind
from explorer.formats.tokenizer_json import serde_float, vocabulary_ids
from explorer.tables import Json
from explorer.vocabulary import Vocabulary

# Encodes many strings at once, so that a file with a million of them opens fast.

SIDE_TEXT = BETWEEN.decode("utf-8", "surrogateescape")
END_TEXT = END.decode("utf-8", "surrogateescape")
"""The separators of `models.bpe` as text: lone surrogates, which no piece contains."""


def joined(texts: Iterable[str]) -> bytes:
    """Every text as UTF-8, each followed by END. Lone surrogates of "surrogateescape" become their bytes.

    >>> joined(["é", "a\\udcffb"])
    b'\\xc3\\xa9\\xfea\\xffb\\xfe'
    """
    return END_TEXT.join([*texts, ""]).encode("utf-8", "surrogateescape")


def encoded(texts: Iterable[str]) -> list[bytes]:
    """Every text as UTF-8, three times as fast as encoding each one.

    >>> encoded(["é", "", "a"]), encoded([])
    ([b'\\xc3\\xa9', b'', b'a'], [])
    """
    return joined(texts).split(END)[:-1]


COMMENT = "#version"
TEXT = bytes(byte for byte in range(256) if byte not in BETWEEN + END)
"""The bytes of text, without the separators."""


class Sides(NamedTuple):
    """The merges, flattened. both: left, right, left, right … made: the results. keys: for the lookup."""

    both: list[str]
    made: list[str]
    keys: bytes


def merge_list(merges: object, texts: Mapping[str, int], prefix: str) -> tuple[MergeKeys, int]:
    """The merge rule, and the number of merges. merges: those of the file, or the rule that was made of them.
    texts: the pieces of the model.

    Raises InputError naming `model.merges[INDEX]` for an entry that is not a pair, or a side or result that is not a
    piece.

    >>> rule, count = merge_list(["a b", "ab c"], {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4}, "")
    >>> rule.rank(b"ab", b"c"), count
    (1, 2)
    """
    if isinstance(merges, MergeKeys):
        return merges, merges.keys.count(END)
    if not isinstance(merges, list):
        raise InputError("model.merges is not a list; the file is damaged")
    both, made, keys = _sides(merges)
    known = texts.keys()
    for index, side in enumerate(both):
        if side not in known:
            raise _refused(merges, index // 2, f"merges {shown(side)}, which is not in model.vocab")
    if prefix:
        made = [left + without_prefix(right, prefix) for left, right in zip(both[::2], both[1::2], strict=True)]
        size = len(prefix.encode())
        for index, right in enumerate(both[1::2]):
            if len(right.encode()) < size:
                raise _refused(merges, index, f"merges {shown(right)}, which is shorter than the prefix")
    for index, text in enumerate(made):
        if text not in known:
            raise _refused(merges, index, f"makes {shown(text)}, which is not in model.vocab")
    return MergeKeys(keys), len(made)


def _sides(merges: list[object]) -> Sides:
    """The sides of all merges. Raises InputError for an entry that is not a pair."""
    kinds = set(map(type, merges))
    if kinds == {str}:
        lines = cast(list[str], merges)
        text = END_TEXT.join([*lines, ""])
        if COMMENT in text:
            lines = [line for line in lines if not line.startswith(COMMENT)]
            text = END_TEXT.join([*lines, ""])
        keys = text.replace(" ", SIDE_TEXT).encode("utf-8", "surrogateescape")
        # exactly one space in each line
        if keys.translate(None, TEXT) == (BETWEEN + END) * len(lines):
            both = text.replace(" ", END_TEXT).split(END_TEXT)[:-1]
            return Sides(both, text.replace(" ", "").split(END_TEXT)[:-1], keys)
    elif kinds <= {list}:
        pairs = cast(list[list[str]], merges)
        if set(map(len, pairs)) <= {2}:
            both = list(chain.from_iterable(pairs))
            if set(map(type, both)) <= {str}:
                return Sides(both, list(map("".join, pairs)), joined(map(SIDE_TEXT.join, pairs)))
    index = next(index for index, entry in enumerate(merges) if not _is_pair(entry, type(merges[0])))
    raise InputError(f"model.merges[{index}] is {shown(merges[index])}, not a pair of pieces; repair the file")


def _is_pair(entry: object, kind: type) -> bool:
    """Whether an entry is a pair. kind: the type of the first entry, which all must have."""
    if isinstance(entry, str):
        return kind is str and (entry.count(" ") == 1 or entry.startswith(COMMENT))
    return kind is list and isinstance(entry, list) and [type(side) for side in entry] == [str, str]


def without_prefix(right: str, prefix: str) -> str:
    """The right side of a merge without as many bytes as the prefix has, whatever they are.

    >>> without_prefix("##b", "##")
    'b'
    """
    if right.startswith(prefix):
        return right[len(prefix) :]
    return right.encode()[len(prefix.encode()) :].decode("utf-8", "replace")


def _refused(merges: list[object], index: int, why: str) -> InputError:
    """The error for a merge. index: counts merges, not comments."""
    indices = [at for at, entry in enumerate(merges) if not (isinstance(entry, str) and entry.startswith(COMMENT))]
    return InputError(f"model.merges[{indices[index]}] {why}; repair the file")


T = TypeVar("T")

Stage = Callable[[Vocabulary, Mapping[bytes, int]], Part]
"""Makes the stage from the whole vocabulary and piece → id of the model's own pieces."""


class ModelSection(NamedTuple):
    """The section `model`.

    pieces: text → id. scores: by id, empty if the model has none. unknown: id of the unknown token or None.
    byte_fallback: whether pieces `<0xXX>` are bytes.
    """

    family: str
    pieces: Mapping[str, int]
    stage: Stage
    facts: tuple[Fact, ...]
    scores: Sequence[float] = ()
    unknown: int | None = None
    byte_fallback: bool = False


def _setting(model: Json, key: str, kind: type[T], default: T) -> T:
    """A setting of the given type; null means the default."""
    value = model.get(key)
    if value is None:
        return default
    if type(value) is not kind:
        raise InputError(f"model.{key} is {shown(value)}, not of type {kind.__name__}; repair the file")
    return value


def _fact(says: str, key: str, code: str = "", kind: FactKind = USED) -> Fact:
    return Fact("model", says, f"model.{key}" if key else "", code, kind)


def _unknown_fact(what: str, unknown: str, texts: Mapping[str, int]) -> Fact:
    """What happens to unknown text. The original also opens a file whose unknown token is not a piece."""
    if unknown in texts:
        return _fact(f"{what} becomes this token.", "unk_token", unknown)
    says = f"{what} is refused: the unknown token is not a piece of the model."
    return _fact(says, "unk_token", unknown, WARNING)


# --- BPE -----------------------------------------------------------------------------------------------------------


def _bpe(model: Json) -> ModelSection:
    texts = vocabulary_ids(model)
    dropout = model.get("dropout")
    if dropout not in (None, 0) or isinstance(dropout, bool):
        raise InputError(
            f"model.dropout is {shown(dropout)}: merges are then skipped at random, so the same text gets "
            "different ids each time; set it to null"
        )
    prefix = _setting(model, "continuing_subword_prefix", str, "")
    suffix = _setting(model, "end_of_word_suffix", str, "")
    fuse = _setting(model, "fuse_unk", bool, False)
    fallback = _setting(model, "byte_fallback", bool, False)
    whole = _setting(model, "ignore_merges", bool, False)
    unknown = _setting(model, "unk_token", str, "") if model.get("unk_token") is not None else None
    unknown_id = None if unknown is None else texts.get(unknown)
    rule, count = merge_list(model.get("merges"), texts, prefix)

    def stage(vocabulary: Vocabulary, ids: Mapping[bytes, int]) -> Part:
        from explorer.engine.models.bpe import Bpe, KnownCharacters

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
        _fact(f"BPE: {len(texts):,} pieces and {count:,} merges, the earliest in the list first.", "type"),
        *_bpe_flags(unknown, texts, fuse=fuse, fallback=fallback, whole=whole),
    ]
    if not count and any(len(text) > 1 for text in texts):
        whole_only = "a pre-token that is a piece" if whole else "a single character"
        facts.append(_fact(f"There are no merges: a token is {whole_only}, whatever longer pieces there are.",
                           "merges", kind=WARNING))  # fmt: skip
    if prefix:
        facts.append(_fact("Pieces that continue a word begin with this prefix.", "continuing_subword_prefix", prefix))
    if suffix:
        facts.append(_fact("Pieces that end a word end with this suffix.", "end_of_word_suffix", suffix))
    return ModelSection("BPE", texts, stage, tuple(facts), unknown=unknown_id, byte_fallback=fallback)


def _bpe_flags(
    unknown: str | None, texts: Mapping[str, int], *, fuse: bool, fallback: bool, whole: bool
) -> Iterator[Fact]:
    if fallback:
        yield _fact("An unknown character becomes its bytes, spelled <0xXX>.", "byte_fallback")
    if unknown is None:
        yield _fact("There is no unknown token: an unknown character is left out.", "unk_token")
    elif fuse:
        yield _unknown_fact("A run of unknown characters", unknown, texts)
    else:
        yield _unknown_fact("An unknown character", unknown, texts)
    if fuse and unknown is None:
        yield _fact("There is no unknown token to fuse.", "fuse_unk", kind=UNUSED)
    if whole:
        yield _fact("A pre-token that is itself a piece is used whole, without merging.", "ignore_merges")


# --- WordPiece and WordLevel ---------------------------------------------------------------------------------------


def _word_piece(model: Json) -> ModelSection:
    texts = vocabulary_ids(model)
    unknown = _setting(model, "unk_token", str, "[UNK]")
    unknown_id = texts.get(unknown)
    prefix = _setting(model, "continuing_subword_prefix", str, "##")
    most = _setting(model, "max_input_chars_per_word", int, 100)
    if most < 0:
        raise InputError(f"model.max_input_chars_per_word is {most}, which is below 0; repair the file")

    def stage(vocabulary: Vocabulary, ids: Mapping[bytes, int]) -> Part:
        from explorer.engine.models.longest_match import WordPiece

        return WordPiece(vocabulary, unknown_id, prefix=prefix, max_characters=most, ids=ids)

    facts = (
        _fact(f"WordPiece: {len(texts):,} pieces, the longest that fits first.", "type"),
        _unknown_fact("A word that pieces cannot make up", unknown, texts),
        _fact("Pieces that continue a word begin with this prefix.", "continuing_subword_prefix", prefix),
        _fact(f"A word of more than {most:,} characters is unknown as a whole.", "max_input_chars_per_word"),
    )
    return ModelSection("WordPiece", texts, stage, facts, unknown=unknown_id)


def _word_level(model: Json) -> ModelSection:
    texts = vocabulary_ids(model)
    unknown = _setting(model, "unk_token", str, "<unk>")
    unknown_id = texts.get(unknown)

    def stage(vocabulary: Vocabulary, ids: Mapping[bytes, int]) -> Part:
        from explorer.engine.models.lookup import WordLevel

        return WordLevel(vocabulary, unknown_id, ids)

    facts = (
        _fact(f"WordLevel: {len(texts):,} pieces, each a whole word.", "type"),
        _unknown_fact("Any other word", unknown, texts),
    )
    return ModelSection("WordLevel", texts, stage, facts, unknown=unknown_id)


# --- Unigram -------------------------------------------------------------------------------------------------------


def _unigram(model: Json) -> ModelSection:
    entries = model.get("vocab")
    if not isinstance(entries, list) or not entries:
        raise InputError("model.vocab is not a list of pieces and scores; the file is damaged")
    texts, scores = _scored(entries)
    unknown = _setting(model, "unk_id", int, -1) if model.get("unk_id") is not None else None
    if unknown is not None and not 0 <= unknown < len(entries):
        raise InputError(f"model.unk_id is {unknown}, not one of the {len(entries)} pieces; repair the file")
    fallback = _setting(model, "byte_fallback", bool, False)

    def stage(vocabulary: Vocabulary, ids: Mapping[bytes, int]) -> Part:
        from explorer.engine.models.unigram import Unigram, huggingface_rules

        return Unigram(vocabulary, unknown, huggingface_rules(scores, byte_fallback=fallback), ids)

    facts = [_fact(f"Unigram: {len(texts):,} pieces, split for the best sum of scores.", "type")]
    if fallback:
        facts.append(_fact("Unknown text becomes its bytes, spelled <0xXX>.", "byte_fallback"))
    if unknown is None:
        says = "There is no unknown token: a text with an unknown character is refused."
        facts.append(_fact(says, "unk_id", kind=WARNING))
    else:
        piece = next(text for text, id in texts.items() if id == unknown)
        facts.append(_fact("A run of unknown characters becomes this token.", "unk_id", piece))
    facts += [
        _fact("This is for sampling, which tokenizers does not read from a file.", key, kind=UNUSED)
        for key in ("alpha", "nbest_size")
        if model.get(key) is not None
    ]
    return ModelSection("Unigram", texts, stage, tuple(facts), scores, unknown, fallback)


LARGEST = 1e300
"""The largest absolute score: sums of larger ones overflow. NaN fails the comparison, too."""


def _scored(entries: list[object]) -> tuple[dict[str, int], array[float]]:
    """`model.vocab` of a Unigram model, checked: text → id, and the scores by id, as 64-bit floats."""
    texts: dict[str, int] = {}
    scores = array("d")
    for id, entry in enumerate(entries):
        if (
            not isinstance(entry, list)
            or len(entry) != 2
            or type(entry[0]) is not str
            or type(entry[1]) not in (float, int)
        ):
            raise InputError(f"model.vocab[{id}] is {shown(entry)}, not a piece with a score; repair the file")
        if not -LARGEST < entry[1] < LARGEST:
            raise InputError(f"the score of model.vocab[{id}] is beyond {LARGEST:g}; write a smaller one")
        if texts.setdefault(entry[0], id) != id:
            raise InputError(
                f"model.vocab[{id}] is {shown(entry[0])}, and so is model.vocab[{texts[entry[0]]}]; repair the file"
            )
        # an integer of more than 64 bits becomes a float in the original's reader
        scores.append(entry[1] if type(entry[1]) is float else serde_float(f"{entry[1]}e0"))
    return texts, scores


SETTINGS = {
    "BPE": "unk_token merges dropout continuing_subword_prefix end_of_word_suffix fuse_unk byte_fallback ignore_merges",
    "WordPiece": "unk_token continuing_subword_prefix max_input_chars_per_word",
    "Unigram": "unk_id byte_fallback alpha nbest_size",
    "WordLevel": "unk_token",
}
"""`model.type` → the keys it has besides its type and vocabulary."""


def unknown_keys(model: Json, kind: str) -> Iterator[Fact]:
    """A fact for each key of the section that a model of its type does not have."""
    for key in model:
        if key not in ("type", "vocab", *SETTINGS[kind].split()):
            yield _fact(f"A {kind} model has no setting {shown(key)}.", key[:100], kind=UNUSED)


MODELS: Mapping[str, Callable[[Json], ModelSection]] = {
    "BPE": _bpe,
    "WordPiece": _word_piece,
    "Unigram": _unigram,
    "WordLevel": _word_level,
}
"""`model.type` → the function that reads the section."""

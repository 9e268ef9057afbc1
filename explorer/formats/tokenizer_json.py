"""tokenizer.json: a whole tokenizer of Hugging Face's `tokenizers`, with its parts as JSON.

Reads and checks what every such file has: the model with its vocabulary, the added tokens, and the sections of the
pipeline. `implementations/huggingface` interprets them.

Numbers are read as Rust's serde_json reads them (`serde_float`). Without its feature `float_roundtrip`, it reads the
digits as an integer of 64 bits, converts it to a float, and multiplies or divides it by a power of ten. Each step
rounds, so the last bit of a quarter of the scores of a Unigram model differs from the nearest float, which Python
reads, and sums that are equal for one are unequal for the other. Follows `parse_integer`, `parse_decimal`,
`parse_exponent` and `f64_from_parts` of serde_json's src/de.rs.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sized
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from explorer.errors import InputError, errors_of, shown
from explorer.formats import strict_json
from explorer.formats.strict_json import RefusedError
from explorer.tables import Json
from explorer.vocabulary import MOST_PIECES

MOST = 308
"""The largest power of ten that a float can hold."""
POWERS = tuple(float(f"1e{exponent}") for exponent in range(MOST + 1))
LARGEST = (1 << 64) - 1
"""The largest integer of 64 bits."""
FITS = 19
"""So many digits always fit into 64 bits."""


def serde_float(text: str) -> float:
    """The number that serde_json reads, given its JSON text, which has a point or an exponent.

    Raises RefusedError for a number that is too large for a float, as the original does.

    >>> serde_float("-0.9385958677423489"), float("-0.9385958677423489")
    (-0.9385958677423488, -0.9385958677423489)
    """
    # almost all scores take this path; the other one also has the sign of -0.0
    if len(text) <= FITS and "e" not in text and "E" not in text:
        return int(text.replace(".", "")) / POWERS[len(text) - text.index(".") - 1] or _any(text)
    return _any(text)


def _any(text: str) -> float:
    """The same for a text of any length, with or without an exponent."""
    mantissa, _, written = text.lower().partition("e")
    whole, _, decimals = mantissa.removeprefix("-").partition(".")
    significand, left = _appended(0, whole)
    significand, left_decimals = _appended(significand, decimals)
    digits = written.lstrip("+-").lstrip("0")
    # more digits are out of range anyway, and Python refuses to read thousands
    exponent = int(digits[:11] or 0) * (-1 if written.startswith("-") else 1)
    value = _scaled(float(significand), exponent + left - (len(decimals) - left_decimals))
    if value == inf:
        raise RefusedError(f"the number {shown(text)} is too large")
    return -value if text.startswith("-") else value


def _appended(significand: int, digits: str) -> tuple[int, int]:
    """A significand with the digits appended up to the first that does not fit, and the number of digits left."""
    for index, digit in enumerate(digits):
        longer = significand * 10 + int(digit)
        if longer > LARGEST:
            return significand, len(digits) - index
        significand = longer
    return significand, 0


def _scaled(value: float, exponent: int) -> float:
    """The value times a power of ten, in one step where a float can hold the power. Too large ones become inf."""
    while value and exponent < -MOST:
        value /= POWERS[MOST]
        exponent += MOST
    if not value:
        return 0.0
    if exponent > MOST:
        return inf
    return value * POWERS[exponent] if exponent >= 0 else value / POWERS[-exponent]


PARTS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
KEYS = ("version", "truncation", "padding", "added_tokens", *PARTS, "model")
FLAGS = ("special", "single_word", "lstrip", "rstrip", "normalized")
LARGE = ("vocab", "merges")
"""Keys of a model that may have a million entries."""
VERSION = "1.0"
WHAT = "a tokenizer.json"


class AddedEntry(NamedTuple):
    """An entry of `added_tokens`. unknown: its keys that have no meaning."""

    id: int
    content: str
    special: bool
    single_word: bool
    lstrip: bool
    rstrip: bool
    normalized: bool
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TokenizerJson:
    """The file: its model, the added tokens, the other sections or None.

    model: the section, always with its type, which old files leave out.
    truncation, padding: as they are in the file, unchecked. lists_added: whether the file has the key `added_tokens`.
    """

    model: Json
    added_tokens: tuple[AddedEntry, ...] = ()
    normalizer: Json | None = None
    pre_tokenizer: Json | None = None
    post_processor: Json | None = None
    decoder: Json | None = None
    truncation: object = None
    padding: object = None
    lists_added: bool = True

    @property
    def model_type(self) -> str:
        """The `type` of the model."""
        return str(self.model["type"])


def read(source: Path | bytes, name: str = "", floats: Callable[[str], float] | None = serde_float) -> TokenizerJson:
    """Reads a tokenizer.json, or the bytes of one. name: what errors call it.

    floats: reads the scores, by default as the original does; None reads them as Python does.
    Raises InputError, naming the path in the file, if it isn't JSON or not a tokenizer.json.

    >>> read(b'{"model": {"type": "BPE", "vocab": {}, "merges": []}}', "toy").model_type
    'BPE'
    """
    name = name or ("these bytes" if isinstance(source, bytes) else source.name)
    data = source if isinstance(source, bytes) else source.read_bytes()
    return checked(strict_json.read(data, name, WHAT, floats=floats), name)


def checked(whole: Any, name: str) -> TokenizerJson:
    """The JSON of a tokenizer.json, checked. Raises InputError as `read` does."""
    with errors_of(name):
        if not isinstance(whole, dict) or "model" not in whole:
            raise InputError("the object 'model' is missing, so this is not a tokenizer.json; give one")
        if not isinstance(whole["model"], dict):
            raise InputError(
                f"model is {shown(whole['model'])}, not an object with a vocabulary; give a whole tokenizer.json"
            )
        model: Json = whole["model"]
        for key in LARGE:
            if isinstance(model.get(key), (list, dict)):
                few_enough(model[key], f"model.{key}")
        small = {key: value for key, value in model.items() if key not in LARGE}
        strict_json.check_depth(whole | {"model": small}, WHAT)
        for key in whole:
            if key not in KEYS:
                raise InputError(
                    f"a tokenizer.json has no key {shown(key)}, and the original refuses a file that has one; "
                    f"remove it, leaving {', '.join(KEYS)}"
                )
        version = whole.get("version", VERSION)
        if version != VERSION:
            raise InputError(f"version is {shown(version)}, but only {VERSION!r} is known; give a file of that version")
        parts: dict[str, Json | None] = {}
        for part in PARTS:
            value = whole.get(part)
            if value is not None and not (isinstance(value, dict) and isinstance(value.get("type"), str)):
                raise InputError(f"{part} is not an object with a type; the file is damaged")
            parts[part] = value
        added = whole.get("added_tokens")
        return TokenizerJson(
            {**model, "type": model_type(model)},
            added_tokens([] if added is None else added),
            **parts,
            truncation=whole.get("truncation"),
            padding=whole.get("padding"),
            lists_added=added is not None,
        )


def write(whole: Json) -> str:
    """A tokenizer.json, indented as the original writes it.

    >>> write({"version": "1.0"})
    '{\\n  "version": "1.0"\\n}\\n'
    """
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"


def model_type(model: Json) -> str:
    """The type of the model. In old files, which don't name it, the model's keys decide, in the original's order.

    >>> model_type({"vocab": {"a": 0}, "unk_token": "a"})
    'WordLevel'
    """
    kind = model.get("type")
    if kind is None:
        if isinstance(model.get("vocab"), list):
            kind = "Unigram"
        elif "merges" in model:
            kind = "BPE"
        elif "continuing_subword_prefix" in model:
            kind = "WordPiece"
        elif "unk_token" in model:
            kind = "WordLevel"
        else:
            raise InputError("model.type is missing, and nothing else in model shows the type; the file is damaged")
    if not isinstance(kind, str):
        raise InputError(f"model.type is {shown(kind)}, not a text; the file is damaged")
    return kind


def added_tokens(entries: object) -> tuple[AddedEntry, ...]:
    """The entries of `added_tokens`, checked."""
    if not isinstance(entries, list):
        raise InputError("added_tokens is not a list; the file is damaged")
    tokens = []
    for index, entry in enumerate(entries):
        if (
            not isinstance(entry, dict)
            or type(entry.get("id")) is not int
            or not 0 <= entry["id"] < MAX_ID
            or not isinstance(entry.get("content"), str)
        ):
            raise InputError(
                f"added_tokens[{index}] needs an id from 0 to {MAX_ID - 1} and content; the file is damaged"
            )
        flags = {flag: entry.get(flag, False) for flag in FLAGS}
        for flag, value in flags.items():
            if not isinstance(value, bool):
                raise InputError(f"added_tokens[{index}].{flag} is neither true nor false; repair the file")
        unknown = tuple(key for key in entry if key not in ("id", "content", *FLAGS))
        tokens.append(AddedEntry(entry["id"], entry["content"], **flags, unknown=unknown))
    return tuple(tokens)


MAX_ID = 10_000_000
"""The bound of ids. No vocabulary is that large, and a table up to a higher id could exhaust memory."""


def few_enough(entries: Sized, path: str) -> None:
    """Raises InputError for more pieces than any vocabulary has."""
    if len(entries) > MOST_PIECES:
        raise InputError(f"{path} has {len(entries)} entries, but at most {MOST_PIECES} are read; give another file")


class EncodedPieces(Mapping[str, int]):
    """Pieces that were checked before, in UTF-8: text → id.

    >>> pieces = EncodedPieces({b"a": 0, "é".encode(): 1})
    >>> pieces["é"], dict(pieces), "b" in pieces
    (1, {'a': 0, 'é': 1}, False)
    """

    def __init__(self, ids: Mapping[bytes, int]) -> None:
        self.ids = ids

    def __getitem__(self, piece: str) -> int:
        return self.ids[piece.encode("utf-8", "surrogatepass")]

    def __iter__(self) -> Iterator[str]:
        return map(bytes.decode, self.ids)

    def __len__(self) -> int:
        return len(self.ids)


def vocabulary_ids(model: Json) -> Mapping[str, int]:
    """`model.vocab` of a BPE, WordPiece or WordLevel model, checked: text → id, each id once."""
    vocab = model.get("vocab")
    if isinstance(vocab, EncodedPieces):
        return vocab
    if not isinstance(vocab, dict):
        raise InputError("model.vocab is not an object of pieces and ids; the file is damaged")
    if not vocab:
        raise InputError("model.vocab is empty; give a whole tokenizer.json")
    for piece, id in vocab.items():
        if type(id) is not int or not 0 <= id < MAX_ID:
            raise InputError(
                f"model.vocab[{shown(piece)}] is {shown(id)}, not an id from 0 to {MAX_ID - 1}; repair the file"
            )
    with errors_of("model.vocab"):
        check_unique(vocab)
    return vocab


def check_unique(vocab: Mapping[str, int]) -> None:
    """Raises InputError if two pieces have the same id."""
    if len(set(vocab.values())) < len(vocab):
        seen: dict[int, str] = {}
        for piece, id in vocab.items():
            if seen.setdefault(id, piece) != piece:
                raise InputError(f"{shown(seen[id])} and {shown(piece)} both have the id {id}; repair the file")

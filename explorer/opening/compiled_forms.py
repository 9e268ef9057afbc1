"""The compiled form of a file: what was read of it and checked, kept from the first time it is opened.

A tokenizer.json of a hundred thousand pieces and as many merges takes half a second to read and to check, its form a
tenth of that: pieces and merges come back as one text each, with their order, in which the few of a first text are
searched for (`SortedIds`). A form is kept as compiled code is (`compiled/kept.py`), under the file's sha256 and a hash
of the code that reads it, so nothing outlives a change of either, and each may be deleted. What is refused has none. A
form holds what the file says, not a tokenizer: that is made of it as of the file. Kept are bundled files and those that
are opened by their path; what visitors upload leaves nothing on the server.

Of a vocabulary that was checked, a form has also what its model computes of it alone (`Model.of_vocabulary`).
"""

import json
from array import array
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.compiled import kept
from explorer.errors import InputError, errors_of
from explorer.opening.sources import Source
from explorer.origin import WHOLE
from explorer.tables import Json
from explorer.vocabulary import SortedIds, Vocabulary, order_of

if TYPE_CHECKING:
    from explorer.engine.models.longest_match import Trie
    from explorer.formats.gguf import Gguf
    from explorer.formats.sentencepiece_model import SentencePieceModel
    from explorer.formats.tokenizer_json import TokenizerJson
    from explorer.implementations.opened import Opened

SMALLEST = 1 << 18
"""Bytes of a file that has a form; a smaller one is read as quickly."""
CODE = (
    "opening/compiled_forms vocabulary engine/models/bpe engine/models/longest_match engine/models/unigram "
    "engine/normalizers/charsmap formats/strict_json formats/tokenizer_json formats/tiktoken_ranks formats/rwkv "
    "formats/gguf formats/protobuf formats/sentencepiece_model implementations/huggingface/models "
    "implementations/llama_cpp/models implementations/llama_cpp/vocabulary implementations/sentencepiece"
).split()
"""What decides a form."""
Form = tuple[Any, ...]
RARE = tuple(b"\xff%b\xfe" % bytes([each]) for each in range(256))
"""Bytes that are no text, so that they hardly occur in a piece."""
NO_FORM: Form = ()
"""Kept of a file that is read as quickly, too, or that is refused later."""
COLUMNS = tuple(f"tokenizer.ggml.{each}" for each in ("tokens", "scores", "token_type"))
"""The keys of a GGUF with the vocabulary."""


@cache
def version() -> str:
    """A hash of the code that decides a form."""
    hashed = sha256()
    for each in CODE:
        hashed.update(Path(__file__).parents[1].joinpath(f"{each}.py").read_bytes())
    return hashed.hexdigest()[:16]


def form_of(source: Source, data: bytes, make: Callable[[], Form]) -> Form:
    """The form of a source's file, made where it is not kept; `NO_FORM` where it has none."""
    if not source.keeps or len(data) < SMALLEST:
        return NO_FORM

    def made() -> Form:
        with suppress(InputError):
            return make()
        return NO_FORM

    name = f"{source.read[source.name].sha256}-{version()}{kept.SUFFIX}"
    return kept.kept(kept.root() / "forms" / name, made)


# --- a tokenizer.json, ranks, and RWKV's vocabulary -----------------------------------------------------------------


def read_json(source: Source, name: str) -> "TokenizerJson":
    """A tokenizer.json, as Hugging Face reads it. Raises InputError."""
    from explorer.formats import tokenizer_json

    data = source.contents()

    def read() -> Any:
        from explorer.formats import strict_json

        return strict_json.read(data, name, tokenizer_json.WHAT, floats=tokenizer_json.serde_float)

    form = form_of(source, data, lambda: json_form(read(), name))
    return tokenizer_json.checked(json_of(*form) if form else read(), name)


def json_form(whole: Any, name: str) -> Form:
    """The pieces and ids of a model that lists them, the keys of its merges, and the rest. Raises InputError."""
    from explorer.formats import tokenizer_json
    from explorer.implementations.huggingface.models import encoded, merge_list

    file = tokenizer_json.checked(whole, name)
    if file.model_type == "Unigram" or (file.model.get("continuing_subword_prefix") and file.model_type == "BPE"):
        return NO_FORM
    with errors_of(name):
        vocab = tokenizer_json.vocabulary_ids(file.model)
        merges = merge_list(file.model.get("merges"), vocab, "")[0].stored() if file.model_type == "BPE" else ()
    large = {key: None for key in tokenizer_json.LARGE if key in whole["model"]}
    rest = {**whole, "model": {**whole["model"], **large}}
    return numbered(dict(zip(encoded(vocab), vocab.values(), strict=True))), merges, json.dumps(rest)


def json_of(vocab: Form, merges: tuple[bytes, ...], rest: str) -> Any:
    """The JSON of a form. In place of the pieces and of the list of merges it has what was made of them."""
    from explorer.engine.models.bpe import MergeKeys
    from explorer.formats.tokenizer_json import EncodedPieces

    whole = json.loads(rest)
    whole["model"]["vocab"] = EncodedPieces(by_piece(*vocab))
    if merges:
        whole["model"]["merges"] = MergeKeys(*merges)
    return whole


def read_ranks(source: Source, name: str) -> Mapping[bytes, int]:
    """The ranks of a .tiktoken file. Raises InputError."""
    from explorer.formats import tiktoken_ranks

    data = source.contents()
    form = form_of(source, data, lambda: numbered(tiktoken_ranks.read(data, name)))
    return by_piece(*form) if form else tiktoken_ranks.read(data, name)


def read_rwkv(source: Source, name: str) -> "tuple[list[bytes], Trie | None]":
    """The tokens of an RWKV vocabulary, and their trie where it is kept. Raises InputError."""
    from explorer.engine.models.longest_match import Trie
    from explorer.formats import rwkv

    data = source.contents()

    def make() -> Form:
        tokens = rwkv.read(data, name)
        return packed(tokens), *Trie([*enumerate(tokens, 1)]).stored()

    form = form_of(source, data, make)
    return (unpacked(form[0]), Trie.restored(*form[1:])) if form else (rwkv.read(data, name), None)


# --- files whose vocabulary is checked when a tokenizer is made of it -----------------------------------------------


def read_gguf(source: Source, name: str) -> "Gguf":
    """The keys of a GGUF that decide its tokenizer. Raises InputError."""
    from explorer.formats import gguf

    def read() -> "Gguf":
        return gguf.read(
            source.data,
            lambda key: key.startswith(("tokenizer.", "general.", "split.")),
            name if isinstance(source.data, bytes) else "",
        )

    def make() -> Form:
        from explorer.implementations.llama_cpp import from_gguf
        from explorer.implementations.llama_cpp.vocabulary import Metadata, vocabulary_of

        head = read()
        rest = {**head.metadata}
        tokens, scores, kinds = (rest.pop(key, None) for key in COLUMNS)
        vocabulary = vocabulary_of(Metadata(head, name), scored=scores is not None)
        if tokens != [*vocabulary.pieces] or kinds is None:
            return NO_FORM
        values = {key: packed(value) for key, value in rest.items()}
        return head.version, head.tensor_count, len(head.head), values, *stored(vocabulary, from_gguf(head, name))

    # of a file with weights, only the keys are read
    data = b"" if isinstance(source.data, Path) and source.data.stat().st_size > WHOLE else source.contents()
    form = form_of(source, data, make)
    if not form:
        return read()
    version, tensors, end, values, *of_vocabulary = form
    vocabulary = restored(*of_vocabulary)
    columns = [*vocabulary.pieces], vocabulary.scores, array("b", vocabulary.kinds)
    metadata = {key: unpacked(value) for key, value in values.items()}
    metadata |= {key: column for key, column in zip(COLUMNS, columns, strict=True) if column}
    return gguf.Gguf(version, tensors, metadata, data[:end], len(data), vocabulary)


def read_sentencepiece(source: Source, name: str) -> "SentencePieceModel":
    """A SentencePiece model. Raises InputError."""
    from explorer.formats import sentencepiece_model as of

    data = source.contents()

    def make() -> Form:
        from explorer.implementations.sentencepiece import checked, from_model

        model = of.read(data, name)
        vocabulary, _ = checked(model)
        if (
            vocabulary.scores is not model.scores
            or vocabulary.kinds != model.kinds
            or [*vocabulary.ids] != model.pieces
        ):
            return NO_FORM
        return *model[3:7], *stored(vocabulary, from_model(model, name))

    form = form_of(source, data, make)
    if not form:
        return of.read(data, name)
    (kind, *trainer), normalizer, denormalizer, unused, *of_vocabulary = form
    vocabulary = restored(*of_vocabulary)
    return of.SentencePieceModel(
        [*vocabulary.pieces],
        array("f", vocabulary.scores),
        vocabulary.kinds,
        of.TrainerSpec(of.ModelType(kind), *trainer),
        of.NormalizerSpec(*normalizer),
        of.NormalizerSpec(*denormalizer),
        tuple(of.Setting(*each) for each in unused),
        vocabulary,
    )


def stored(vocabulary: Vocabulary, opened: "Opened") -> Form:
    """A vocabulary that was checked, and what the model that runs it computes of it alone."""
    known = {each.__name__: opened.model.vocabulary.once(each) for each in opened.model.of_vocabulary}
    return numbered(vocabulary.ids), array("f", vocabulary.scores).tobytes(), vocabulary.kinds, known


def restored(pieces: Form, scores: bytes, kinds: bytes, known: Json) -> Vocabulary:
    """The inverse of `stored`."""
    ids = by_piece(*pieces)
    return Vocabulary(tuple(ids.all), array("f", scores), kinds, ids, known=known)


# --- lists and arrays as bytes ----------------------------------------------------------------------------------------


def packed(value: Any) -> Any:
    """A list of byte strings, or an array, as a pair; anything else as it is. Raises InputError as `joined`.

    >>> [unpacked(packed(each)) for each in ([b"a", b""], array("f", [0.5]), "a")]
    [[b'a', b''], array('f', [0.5]), 'a']
    """
    if isinstance(value, list):
        return joined(value)
    return (value.typecode, value.tobytes()) if isinstance(value, array) else value


def unpacked(value: Any) -> Any:
    """The inverse of `packed`."""
    if not isinstance(value, tuple):
        return value
    kind, data = value
    return array(kind, data) if isinstance(kind, str) else data.split(kind)


def joined(pieces: list[bytes]) -> tuple[bytes, bytes]:
    """The first separator that no piece has, and the pieces between it. Raises InputError if each has every one."""
    for each in RARE:
        whole = each.join(pieces)
        if whole.split(each) == pieces:
            return each, whole
    raise InputError("every separator occurs in a piece")


def numbered(ids: Mapping[bytes, int]) -> Form:
    """The pieces, joined; whether their ids count from 0, and then their order, else the ids. Raises InputError as
    `joined`.

    >>> {**by_piece(*numbered({b"b": 0, b"a ": 1}))}, by_piece(*numbered({b"a": 7}))
    ({b'b': 0, b'a ': 1}, {b'a': 7})
    """
    pieces, listed = [*ids], [*ids.values()]
    in_order = listed == [*range(len(listed))]
    return *joined(pieces), in_order, order_of(pieces) if in_order else array("i", listed).tobytes()


def by_piece(separator: bytes, pieces: bytes, in_order: bool, numbers: bytes) -> Any:
    """The inverse of `numbered`."""
    listed = pieces.split(separator)
    return SortedIds(listed, array("i", numbers)) if in_order else dict(zip(listed, array("i", numbers), strict=True))

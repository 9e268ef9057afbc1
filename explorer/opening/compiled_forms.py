"""The compiled form of a file: what was read of it and checked, kept from the first time it is opened.

A tokenizer.json of a hundred thousand pieces and as many merges takes a third of a second to read and to check, its
form a tenth of that. A form is kept as compiled code is (`compiled/kept.py`), under the file's sha256 and a hash of the
code that reads it, so nothing outlives a change of either, and each may be deleted. What is refused has none. A form
holds what the file says, not a tokenizer: that is made of it as of the file. Kept are bundled files and those that are
opened by their path; what visitors upload leaves nothing on the server.

Of the vocabulary of a GGUF, a form has also what its model computes of it alone (`Model.of_vocabulary`).
"""

import json
from array import array
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, AnyStr

from explorer.compiled import kept
from explorer.engine.models.longest_match import Trie
from explorer.errors import InputError, errors_of
from explorer.formats import gguf, rwkv, strict_json, tiktoken_ranks, tokenizer_json
from explorer.formats.gguf import Gguf
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.opening.sources import Source
from explorer.origin import WHOLE
from explorer.vocabulary import Vocabulary

SMALLEST = 500_000
"""Bytes of a file that has a form; a smaller one is read as quickly."""
CODE = (
    "opening/compiled_forms.py",
    "implementations/huggingface/models.py",
    "implementations/llama_cpp/models.py",
    "implementations/llama_cpp/vocabulary.py",
    "engine/models/longest_match.py",
    "engine/models/unigram.py",
    "engine/normalizers/charsmap.py",
    "vocabulary.py",
    *(f"formats/{each}.py" for each in ("strict_json", "tokenizer_json", "tiktoken_ranks", "rwkv", "gguf")),
)
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
        hashed.update(Path(__file__).parents[1].joinpath(each).read_bytes())
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


def read_json(source: Source, name: str) -> TokenizerJson:
    """A tokenizer.json, as Hugging Face reads it. Raises InputError."""
    data = source.contents()

    def read() -> Any:
        return strict_json.read(data, name, tokenizer_json.WHAT, floats=tokenizer_json.serde_float)

    form = form_of(source, data, lambda: json_form(read(), name))
    return tokenizer_json.checked(json_of(*form) if form else read(), name)


def json_form(whole: Any, name: str) -> Form:
    """The pieces and ids of a BPE model, the keys of its merges, and the rest of the file. Raises InputError."""
    from explorer.implementations.huggingface.models import merge_list

    file = tokenizer_json.checked(whole, name)
    if file.model_type != "BPE" or file.model.get("continuing_subword_prefix"):
        return NO_FORM
    with errors_of(name):
        vocab = tokenizer_json.vocabulary_ids(file.model)
        rule, _ = merge_list(file.model.get("merges"), vocab, "")
    rest = {**whole, "model": {**whole["model"], "vocab": None, "merges": None}}
    return *numbered(vocab, map(chr, range(32))), rule.keys, json.dumps(rest)


def json_of(separator: str, pieces: str, ids: bytes, keys: bytes, rest: str) -> Any:
    """The JSON of a form. In place of the list of merges it has the keys of its rule."""
    whole = json.loads(rest)
    whole["model"] |= {"vocab": by_piece(separator, pieces, ids), "merges": keys}
    return whole


def read_ranks(source: Source, name: str) -> dict[bytes, int]:
    """The ranks of a .tiktoken file. Raises InputError."""
    data = source.contents()
    form = form_of(source, data, lambda: numbered(tiktoken_ranks.read(data, name), RARE))
    return by_piece(*form) if form else tiktoken_ranks.read(data, name)


def read_rwkv(source: Source, name: str) -> tuple[list[bytes], Trie | None]:
    """The tokens of an RWKV vocabulary, and their trie where it is kept. Raises InputError."""
    data = source.contents()

    def make() -> Form:
        tokens = rwkv.read(data, name)
        return packed(tokens), *Trie([*enumerate(tokens, 1)]).stored()

    form = form_of(source, data, make)
    return (unpacked(form[0]), Trie.restored(*form[1:])) if form else (rwkv.read(data, name), None)


def read_gguf(source: Source, name: str) -> Gguf:
    """The keys of a GGUF that decide its tokenizer. Raises InputError."""

    def read() -> Gguf:
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
        model = from_gguf(replace(head, vocabulary=vocabulary), name).model
        known = {each.__name__: model.vocabulary.once(each) for each in model.of_vocabulary}
        columns = numbered(vocabulary.ids, RARE), array("f", vocabulary.scores).tobytes(), vocabulary.kinds, known
        values = {key: packed(value) for key, value in rest.items()}
        return head.version, head.tensor_count, len(head.head), values, *columns

    # of a file with weights, only the keys are read
    data = b"" if isinstance(source.data, Path) and source.data.stat().st_size > WHOLE else source.contents()
    form = form_of(source, data, make)
    if not form:
        return read()
    version, tensors, end, values, pieces, scores, kinds, known = form
    ids = by_piece(*pieces)
    vocabulary = Vocabulary(tuple(ids), array("f", scores), kinds, ids, known=known)
    columns = [*ids], vocabulary.scores, array("b", kinds)
    metadata = {key: unpacked(value) for key, value in values.items()}
    metadata |= {key: column for key, column in zip(COLUMNS, columns, strict=True) if column}
    return Gguf(version, tensors, metadata, data[:end], len(data), vocabulary)


def packed(value: Any) -> Any:
    """A list of byte strings, or an array, as a tuple; anything else as it is. Raises InputError as `joined`.

    >>> [unpacked(packed(each)) for each in ([b"a", b""], array("f", [0.5]), "a")]
    [[b'a', b''], array('f', [0.5]), 'a']
    """
    if isinstance(value, list):
        return joined(value, RARE)
    return (value.typecode, value.tobytes()) if isinstance(value, array) else value


def unpacked(value: Any) -> Any:
    """The inverse of `packed`."""
    if not isinstance(value, tuple):
        return value
    kind, data = value
    return array(kind, data) if isinstance(kind, str) else data.split(kind)


def joined(pieces: list[AnyStr], separators: Iterable[AnyStr]) -> tuple[AnyStr, AnyStr]:
    """The first separator that no piece has, and the pieces between it. Raises InputError if each occurs in one."""
    for each in separators:
        whole = each.join(pieces)
        if whole.split(each) == pieces:
            return each, whole
    raise InputError("every separator occurs in a piece")


def numbered(ids: Mapping[AnyStr, int], separators: Iterable[AnyStr]) -> tuple[AnyStr, AnyStr, bytes]:
    """The pieces, joined, and their ids, none if they count from 0. Raises InputError as `joined`.

    >>> numbered({"a": 0, "b ": 1}, " ,"), by_piece(",", "a,b ", b"")
    ((',', 'a,b ', b''), {'a': 0, 'b ': 1})
    """
    listed = array("i", ids.values())
    separator, pieces = joined(list(ids), separators)
    return separator, pieces, b"" if listed == array("i", range(len(listed))) else listed.tobytes()


def by_piece(separator: AnyStr, pieces: AnyStr, ids: bytes) -> dict[AnyStr, int]:
    """The inverse of `numbered`."""
    listed = pieces.split(separator)
    return dict(zip(listed, array("i", ids) if ids else range(len(listed)), strict=True))

"""A vocabulary cut to what some texts need, in its own format, with the map of ids that cuts a model's embeddings.

Kept are special and byte tokens; then the tokens of the texts, the most frequent first; then the lowest ids, which
merges made first. Each comes with the tokens that its merges pass through (`derivation`), so that the merges that are
left still make it: where a model takes the best pair that it knows, a pair that never won is not missed. `unmade` asks
the engine for every token. Writing is `edits.Remove`; ids close up in their order. Leaves out choosing which
languages a model should know, and models that don't remove (instead.toml says which).
"""

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.vocabulary.derivation import derivation, pairs_of
from explorer.analysis.vocabulary.index import index_of
from explorer.analysis.vocabulary.reach import UNREACHED, Asking, sweep
from explorer.editing.edits import Remove, closed_up
from explorer.editing.replay import WRITING, replay
from explorer.engine.models.longest_match import WordPiece
from explorer.engine.models.merges import Pairs
from explorer.engine.models.unigram import Unigram
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.opening.formats import format_of
from explorer.vocabulary import PieceKind

Counts = NDArray[np.int64]

PLAIN = {"add_special": False, "parse_special": False}
"""How texts are counted: none of their tokens is added, and none is special."""


class Trimmed(NamedTuple):
    """A trimmed vocabulary. ids: old → new, of the tokens that are kept. data: the file in its own format."""

    ids: Mapping[int, int]
    data: bytes


def parts(tokenizer: Opened, id: int, pairs: Pairs | None) -> list[int]:
    """A token and the tokens that its merges pass through; itself alone where nothing merges."""
    ids = tokenizer.vocabulary.ids
    derived = None if pairs is None else derivation(tokenizer, id, pairs)
    nodes = derived.nodes if derived is not None and derived.complete else ()
    return [id, *(ids[node.piece] for node in nodes if node.piece in ids)]


def required(tokenizer: Opened) -> set[int]:
    """Tokens that stay whatever is counted: all but ordinary ones, single bytes, and characters that have no bytes."""
    vocabulary, model = tokenizer.vocabulary, tokenizer.model
    fallback = PieceKind.BYTE in vocabulary.kinds
    letters = isinstance(model, (WordPiece, Unigram)) and not fallback

    def stays(id: int, kind: int, piece: bytes) -> bool:
        if kind not in (PieceKind.NORMAL, PieceKind.UNDEFINED):
            return kind != PieceKind.UNUSED
        core = piece.removeprefix(model.prefix)
        return (
            id == model.unknown
            or len(tokenizer.token_bytes(id)) == 1
            or (letters and len(core.decode("utf-8", "replace")) == 1)
        )

    rows = enumerate(zip(vocabulary.kinds, vocabulary.pieces, strict=True))
    return {id for id, (kind, piece) in rows if piece and stays(id, kind, piece)}


def counted(tokenizer: Opened, lines: Sequence[str]) -> Counts:
    """How often each id occurs in texts."""
    return np.bincount(tokenizer.encode_batch(lines, **PLAIN).ids, minlength=len(tokenizer.vocabulary))


def chosen(tokenizer: Opened, counts: Counts, size: int, first: Iterable[int] = ()) -> list[int]:
    """The ids to keep: at most `size` besides special tokens. counts: of the texts. first: ids that are kept anyway.

    Raises InputError if what is kept anyway doesn't fit.

    >>> import explorer
    >>> tok = explorer.load("gpt-2")
    >>> kept = chosen(tok, np.bincount(tok.encode("a token").ids, minlength=len(tok.vocabulary)), 264)
    >>> [tok.vocabulary.spelling(id) for id in kept[256:]]
    ['Ġt', 'Ġa', 'he', 'in', 'en', 'Ġto', 'ken', 'Ġtoken', '<|endoftext|>']
    """
    special, pairs = special_ids(tokenizer), pairs_of(tokenizer)
    anyway = dict.fromkeys([*sorted(required(tokenizer)), *first])
    kept, count = set[int](), 0
    for id in (*anyway, *np.argsort(-counts, kind="stable").tolist()):
        new = set(parts(tokenizer, id, pairs)) - kept
        more = len(new - special)
        if count + more <= size and tokenizer.vocabulary.pieces[id]:
            kept |= new
            count += more
        elif id in anyway:
            raise InputError(
                f"a size of {size:,} is too small: single bytes or characters, and what is to be kept, are "
                f"{len(anyway.keys() - special):,} tokens and their parts; give more"
            )
        elif count == size:
            break
    return sorted(kept)


def special_ids(tokenizer: Opened) -> set[int]:
    """Ids that are no text of the model's own."""
    kinds = tokenizer.vocabulary.kinds
    return {
        id for id, kind in enumerate(kinds) if kind in (PieceKind.CONTROL, PieceKind.USER_DEFINED, PieceKind.UNKNOWN)
    }


def trimmed(tokenizer: Opened, data: bytes, name: str, kept: Sequence[int]) -> Trimmed:
    """The vocabulary with these tokens alone. data, name: of its file. Raises InputError for a format that can't."""
    edit, ids = removal(tokenizer, data, name, kept)
    return Trimmed(ids, replay(data, [edit], name, WRITING).data if edit.ids else data)


def removal(tokenizer: Opened, data: bytes, name: str, kept: Sequence[int]) -> tuple[Remove, dict[int, int]]:
    """The edit that leaves these tokens alone, and their ids: old → new."""
    pieces = tokenizer.vocabulary.pieces
    there = [id for id, piece in enumerate(pieces) if piece]
    dropped = set(there).difference(kept)
    ranks = format_of(data, name).name == "a ranks file"
    # ranks leave special tokens to the program, which may put them next to the others
    ids = {id: new for new, id in enumerate(kept)} if ranks else closed_up(there, dropped)
    return Remove(ids=tuple(sorted(dropped))), dict(ids)


def unmade(before: Opened, after: Opened, ids: Mapping[int, int]) -> list[int]:
    """Old ids of kept tokens that text gave before and gives no more, as the engine finds by asking for each."""
    asking, olds = Asking(index_of(before)), {new: old for old, new in ids.items()}
    lost = [olds[new] for new in sweep(index_of(after)).unreached if new in olds]
    return [old for old in lost if asking.reached(old).outcome not in UNREACHED]


CUT = '''"""Cuts a model's embeddings: python cut_embeddings.py model.safetensors out.safetensors [ROWS]

Every tensor with a row for each old token is cut: its first dimension is the config's vocab_size ({rows})."""
import json, sys
from pathlib import Path
import numpy as np
from safetensors import TensorSpec, deserialize, serialize_file

ids = np.load(Path(__file__).with_name("map.npz"))
rows = np.zeros(ids["new"].max() + 1, int)
rows[ids["new"]] = ids["old"]  # of every new id the old one
names = dict(F64="float64", F32="float32", F16="float16", BF16="bfloat16", I64="int64", I32="int32", I16="int16",
             I8="int8", U8="uint8", BOOL="bool")
old = int(sys.argv[3]) if len(sys.argv) > 3 else {rows}
tensors, kept = {{}}, []
for name, tensor in deserialize(Path(sys.argv[1]).read_bytes()):
    shape, data = list(tensor["shape"]), np.frombuffer(tensor["data"], np.uint8)
    if shape and shape[0] == old:
        data = np.ascontiguousarray(data.reshape(old, -1)[rows])
        shape[0] = len(rows)
    kept.append(data)  # a spec points to it
    dtype = names[tensor["dtype"]]
    tensors[name] = TensorSpec(dtype=dtype, shape=shape, data_ptr=data.ctypes.data, data_len=data.nbytes)
serialize_file(tensors, sys.argv[2], {{"format": "pt"}})
'''
"""The script that cuts embeddings."""


def config_changes(config: Mapping[str, Any], ids: Mapping[int, int]) -> dict[str, Any]:
    """The keys of a config.json that change: the size, and ids of special tokens.

    >>> config_changes({"vocab_size": 9, "eos_token_id": [7, 8], "hidden_size": 8}, {0: 0, 7: 1, 8: 2})
    {'vocab_size': 3, 'eos_token_id': [1, 2]}
    """
    changes: dict[str, Any] = {}
    for key, value in config.items():
        if key == "vocab_size":
            changes[key] = max(ids.values()) + 1
        elif key.endswith("_token_id") and value is not None:
            old = value if isinstance(value, list) else [value]
            new = [ids.get(each) if isinstance(each, int) else None for each in old]
            changes[key] = new if isinstance(value, list) else new[0]
    return changes


def companions(tokenizer: Opened, ids: Mapping[int, int], config: Mapping[str, Any]) -> dict[str, bytes]:
    """The files beside the tokenizer's: the map of ids as JSON and for numpy, the config's changes, the script."""
    file = io.BytesIO()
    olds = sorted(ids)
    np.savez(file, old=np.array(olds), new=np.array([ids[old] for old in olds]))
    spelling, special = tokenizer.vocabulary.spelling, special_ids(tokenizer)
    size = len(tokenizer.vocabulary)
    changes = config_changes({"vocab_size": size, **config}, ids)
    changes["special_tokens"] = {spelling(old): ids[old] for old in olds if old in special}
    rows = config.get("vocab_size", size)
    return {
        "map.json": json.dumps({str(old): ids[old] for old in olds}).encode(),
        "map.npz": file.getvalue(),
        "config_changes.json": json.dumps(changes, ensure_ascii=False, indent=1).encode(),
        "cut_embeddings.py": CUT.format(rows=rows).encode(),
    }

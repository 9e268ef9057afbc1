"""Edits of a tokenizer.json: Hugging Face's whole tokenizer.

The content is the file's JSON, so what no edit touches is written as it was. Ids are those that the original gives
(`json_parts`).
"""

from __future__ import annotations

from typing import Any, Final

from explorer.editing.edits import (
    AddEntries,
    AddMerges,
    AddPieces,
    AddToken,
    Preset,
    Remove,
    SetFlag,
    SetNormalizer,
    SetPattern,
    SetPreTokenizer,
)
from explorer.editing.json_parts import (
    Json,
    added_ids,
    all_ids,
    entered,
    is_unigram,
    merge_pairs,
    merges_like,
    next_id,
    pieces,
    set_flag,
    set_normalizer,
    set_pattern,
    set_pre_tokenizer,
    settled,
    simple,
    with_ids,
    with_model,
)
from explorer.editing.merging import with_merges
from explorer.editing.step import (
    Editor,
    Step,
    check_new,
    closed_up,
    lost_merges,
    moved,
    named,
    quoted,
    refuse_twice,
)
from explorer.engine.unicode.byte_map import printable
from explorer.errors import InputError
from explorer.formats import strict_json, tokenizer_json
from explorer.vocabulary import SPACE_MARK


def read(data: bytes, name: str) -> Json:
    """The file's JSON, checked. Raises InputError."""
    file = tokenizer_json.read(data, name)
    whole: Json = strict_json.read(data, name, "a tokenizer.json")
    whole["model"]["type"] = file.model_type
    vocab = whole["model"].get("vocab")
    if isinstance(vocab, dict):
        tokenizer_json.vocabulary_ids(whole["model"], name)
    elif not (isinstance(vocab, list) and all(isinstance(row, list) and len(row) == 2 for row in vocab)):
        raise InputError(f"{name}: model.vocab is no vocabulary; the file is damaged")
    return whole


def write(whole: Json) -> bytes:
    """The file."""
    return tokenizer_json.write(whole).encode()


def add_token(whole: Json, edit: AddToken) -> Step:
    """Adds an entry to `added_tokens`. A piece of the model keeps its id."""
    ids = added_ids(whole)
    if edit.text in ids:
        raise refuse_twice(edit.text, ids[edit.text])
    known = pieces(whole)
    notes: tuple[str, ...] = ()
    if edit.text in known:
        id = known[edit.text]
        notes = (f"{quoted(edit.text)} is a piece of the model and keeps its id, {id}.",)
    else:
        id = next_id(whole)
    entry = {"id": id, "content": edit.text, "single_word": edit.single_word, "lstrip": edit.lstrip,
             "rstrip": edit.rstrip, "normalized": edit.normalized, "special": edit.special}  # fmt: skip
    whole = {**whole, "added_tokens": [*(whole.get("added_tokens") or []), entry]}
    whole, more = settled(whole, {**ids, edit.text: id})
    return Step(whole, notes + more)


def spelled(whole: Json, text: str) -> str:
    """A text as the model's vocabulary spells it: its bytes as characters, or ▁ for a space."""
    sections = [*simple(whole.get("pre_tokenizer")), *simple(whole.get("normalizer"))]
    if any(part.get("type") == "ByteLevel" for part in sections):
        return printable(text.encode())
    marks = any(part.get("type") == "Metaspace" or SPACE_MARK in str(part.get("content")) for part in sections)
    return text.replace(" ", SPACE_MARK) if marks else text


def add_merges(whole: Json, edit: AddMerges) -> Step:
    """Adds merges and the tokens they make."""
    model = whole["model"]
    if model["type"] != "BPE":
        raise InputError(f"a {model['type']} model has no merges; use add-pieces")
    prefix, suffix = model.get("continuing_subword_prefix") or "", model.get("end_of_word_suffix") or ""

    def symbols(word: str) -> list[str]:
        found = list(spelled(whole, word))
        return [
            ("" if not at else prefix) + each + (suffix if at == len(found) - 1 else "")
            for at, each in enumerate(found)
        ]

    def join(left: str, right: str) -> str:
        return left + right[len(prefix) :]

    old = merge_pairs(model)
    pairs, made = with_merges([*map(symbols, edit.words)], edit.merges, old, set(pieces(whole)), join)
    wanted, first = added_ids(whole), next_id(whole)
    clash = [text for text in made if text in wanted]
    if clash:
        raise refuse_twice(clash[0], wanted[clash[0]])
    lines = [*model["merges"], *merges_like(model, pairs)]
    whole = entered(with_model(whole, merges=lines), {piece: id for id, piece in enumerate(made, first)})
    whole, notes = settled(whole, wanted)
    says = (
        f"{len(pairs):,} merge{'' if len(pairs) == 1 else 's'} and {len(made):,} token{'' if len(made) == 1 else 's'}"
    )
    return Step(whole, (f"{says}: {named(made)}." if made else f"{says}.", *notes))


def add_pieces(whole: Json, edit: AddPieces) -> Step:
    """Adds pieces of a Unigram, WordPiece or WordLevel model."""
    model = whole["model"]
    if model["type"] == "BPE":
        raise InputError("a piece of BPE comes from merges; use add-merges, or add-token for one that is found first")
    if edit.user_defined:
        raise InputError("a tokenizer.json has no user-defined pieces; use add-token")
    if edit.score is not None and not is_unigram(whole):
        raise InputError(f"a {model['type']} model has no scores; leave score out")
    known, wanted = all_ids(whole), added_ids(whole)
    check_new(edit.pieces, known)
    first = next_id(whole)
    notes: tuple[str, ...] = ()
    scores: dict[str, float] = {}
    if is_unigram(whole):
        score = edit.score if edit.score is not None else min((row[1] for row in model["vocab"]), default=0.0)
        scores = dict.fromkeys(edit.pieces, score)
        notes = () if edit.score is not None else (f"The score is {score:g}, the lowest there is.",)
        # positions are ids: added tokens that are no pieces yet come before the new ones
        loose = {text: id for text, id in wanted.items() if text not in pieces(whole)}
        whole = entered(whole, loose) if loose else whole
    whole = entered(whole, {piece: id for id, piece in enumerate(edit.pieces, first)}, scores)
    whole, more = settled(whole, wanted)
    return Step(whole, notes + more)


def remove(whole: Json, edit: Remove) -> Step:
    """Removes tokens, the merges that use or make them, and their entries in `added_tokens`."""
    known, wanted = all_ids(whole), added_ids(whole)
    chosen = edit.chosen({id: piece for piece, id in known.items()}, lambda text: (text, spelled(whole, text)))
    gone = {piece: id for id, piece in chosen.items()}
    model = dict(whole["model"])
    unk = model.get("unk_token") if not is_unigram(whole) else None
    if unk in gone or (is_unigram(whole) and model.get("unk_id") in gone.values()):
        raise InputError("the unknown token can't be removed: the model needs it; change unk_token in the file first")
    if edit.keep_ids and is_unigram(whole):
        raise InputError("the ids of a Unigram model are positions in its list; leave keep_ids out")
    notes: tuple[str, ...] = ()
    if model["type"] == "BPE":
        model["merges"], notes = merges_without(model, gone)
    stay = [id for id in known.values() if id not in gone.values()]
    ids = {id: id for id in stay} if edit.keep_ids else closed_up([*known.values()], set(gone.values()))
    if is_unigram(whole):
        model["vocab"] = [row for row in model["vocab"] if row[0] not in gone]
        if model.get("unk_id") is not None:
            model["unk_id"] = ids[model["unk_id"]]
    else:
        model["vocab"] = {piece: ids[id] for piece, id in model["vocab"].items() if piece not in gone}
    entries = [each for each in whole.get("added_tokens") or [] if each["content"] not in gone]
    made = {**whole, "model": model}
    if entries or "added_tokens" in whole:
        made["added_tokens"] = entries
    if whole.get("post_processor") is not None:
        made["post_processor"] = with_ids(whole["post_processor"], ids)
    padding = whole.get("padding")
    if isinstance(padding, dict) and isinstance(padding.get("pad_id"), int):
        if padding["pad_id"] in gone.values():
            raise InputError("padding uses a token that would be removed; change padding in the file first")
        made["padding"] = {**padding, "pad_id": ids.get(padding["pad_id"], padding["pad_id"])}
    made, more = settled(made, {text: ids[id] for text, id in wanted.items() if text not in gone})
    return Step(made, (*notes, *moved(ids), *more))


def merges_without(model: Json, gone: dict[str, int]) -> tuple[list[Any], tuple[str, ...]]:
    """The merges that neither use nor make a removed token, and what is said about the others."""
    prefix = len(model.get("continuing_subword_prefix") or "")
    kept: list[tuple[str, str]] = []
    lost: list[tuple[str, str]] = []
    for pair in merge_pairs(model):
        touched = pair[0] in gone or pair[1] in gone or pair[0] + pair[1][prefix:] in gone
        (lost if touched else kept).append(pair)
    if not lost:
        return model["merges"], ()
    made = {left + right[prefix:] for left, right in kept}
    orphans = [
        each
        for each in dict.fromkeys(left + right[prefix:] for left, right in lost)
        if each not in gone and each not in made
    ]
    notes = [lost_merges(lost)]
    if orphans:
        notes.append(f"No merge makes {named(orphans)} any more; the tokens stay.")
    return merges_like(model, kept), tuple(notes)


EDITOR: Final = Editor(
    read,
    write,
    {
        AddToken: add_token,
        AddMerges: add_merges,
        AddPieces: add_pieces,
        Remove: remove,
        SetFlag: set_flag,
        SetPattern: set_pattern,
        SetNormalizer: set_normalizer,
        SetPreTokenizer: set_pre_tokenizer,
    },
    {
        AddEntries: "its tokens are spelled in characters, not in bytes; use add-token, add-merges or add-pieces",
        Preset: "presets are for RWKV vocabularies; open one",
    },
    lambda text, special: AddToken(text, special=special),
    ".json",
)
"""What can be done to a tokenizer.json."""

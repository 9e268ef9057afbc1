"""Edits of a tokenizer.json, Hugging Face's whole tokenizer: tokens and merges, patterns, normalizer, flags, ids."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from typing import Any

from explorer.editing.edits import (
    AddMerges,
    AddPieces,
    AddToken,
    Editor,
    Notes,
    Remove,
    SetFlag,
    SetNormalizer,
    SetPattern,
    SetPreTokenizer,
    Step,
    check_new,
    closed_up,
    lost_merges,
    moved,
    named,
    quoted,
    refuse_twice,
    scored,
    with_merges,
)
from explorer.errors import InputError, errors_of, shown
from explorer.formats import strict_json, tokenizer_json
from explorer.formats.tokenizer_json import FLAGS
from explorer.tables import Json, Record
from explorer.text.say import Text, plural, shortened
from explorer.vocabulary import SPACE_MARK, printable

OF_MODEL = {"BPE": ("byte_fallback", "fuse_unk", "ignore_merges"), "Unigram": ("byte_fallback",)}
"""Flags of a model, by its type."""

SECTIONS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
LISTS = ("normalizers", "pretokenizers", "processors", "decoders")
"""The key of the parts of a sequence."""


def rewritten(part: Any, change: Callable[[Record], Record]) -> Any:
    """A part after `change`, which is called for it or, of a sequence, for each of its parts."""
    key = next((each for each in LISTS if isinstance(part.get(each), list)), None) if isinstance(part, dict) else None
    if key is not None:
        return {**part, key: [rewritten(each, change) for each in part[key]]}
    return change(part) if isinstance(part, dict) else part


def simple(part: Any) -> Iterator[Record]:
    """A part, or the parts of a sequence."""
    parts: list[Record] = []
    rewritten(part, lambda each: parts.append(each) or each)  # type: ignore[func-returns-value]
    return iter(parts)


def part_of(text: str, what: str) -> Record | None:
    """A part as it is typed: a type without settings, its JSON, or none. Raises InputError.

    >>> part_of("NFC", "normalizer"), part_of('{"type": "Prepend", "prepend": "_"}', "normalizer")
    ({'type': 'NFC'}, {'type': 'Prepend', 'prepend': '_'})
    """
    if text.strip().lower() == "none":
        return None
    if not text.lstrip().startswith("{"):
        return {"type": text.strip()}
    value = strict_json.read(text.encode(), what, "a part of a tokenizer.json", sent=strict_json.TYPED)
    with errors_of(what):
        strict_json.check_depth(value, "a part of a tokenizer.json", strict_json.TYPED)
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        raise InputError(f"{what}: {shown(text)} is not an object with a type; give one")
    return value


def set_part(whole: Record, edit: SetNormalizer | SetPreTokenizer) -> Step:
    """Replaces the normalizer, or the pre-tokenizer."""
    what, text = ("normalizer", edit.normalizer) if isinstance(edit, SetNormalizer) else ("pre_tokenizer", edit.name)
    return Step({**whole, what: part_of(text, what)})


def is_pattern(part: Record) -> bool:
    """Whether a part of a pre-tokenizer splits by a pattern."""
    return part.get("type") == "Split" or (part.get("type") == "ByteLevel" and bool(part.get("use_regex", True)))


def set_pattern(whole: Record, edit: SetPattern) -> Step:
    """Replaces a pattern. GPT-2's, which a ByteLevel has inside, becomes a Split in front of it."""
    patterns = sum(map(is_pattern, simple(whole.get("pre_tokenizer"))))
    if not 1 <= edit.number <= patterns:
        has = {0: "no pattern", 1: "one pattern"}.get(patterns, f"{patterns} patterns")
        raise InputError(
            f"the pre-tokenizer has {has}, not a number {edit.number}; use set-pre-tokenizer to give it others"
        )
    left = edit.number
    notes: list[str] = []

    def change(part: Record) -> Record:
        nonlocal left
        left -= is_pattern(part)
        if left or not is_pattern(part):
            return part
        left = -1
        regex = {"Regex": edit.pattern}
        if part["type"] == "Split":
            return {**part, "pattern": regex}
        notes.append(Text("ByteLevel had GPT-2's pattern inside; a Split in front of it has the new one."))
        split = {"type": "Split", "pattern": regex, "behavior": "Isolated", "invert": False}
        return {"type": "Sequence", "pretokenizers": [split, {**part, "use_regex": False}]}

    return Step({**whole, "pre_tokenizer": rewritten(whole["pre_tokenizer"], change)}, tuple(notes))


def set_flag(whole: Record, edit: SetFlag) -> Step:
    """Switches a flag of an added token, of the model, or of a section's parts (`pre_tokenizer.add_prefix_space`)."""
    if edit.token:
        return flag_of_token(whole, edit)
    section, dot, key = edit.flag.rpartition(".")
    if not dot or section == "model":
        model = whole["model"]
        flags = OF_MODEL.get(str(model.get("type")), ())
        if key not in flags:
            raise InputError(
                f"{quoted(edit.flag)} is not a flag of this {model.get('type')} model, which has "
                f"{', '.join(flags) or 'none'}; write one of another section as in pre_tokenizer.add_prefix_space"
            )
        return Step(with_model(whole, **{key: edit.value}))
    if section not in SECTIONS or not any(isinstance(part.get(key), bool) for part in simple(whole.get(section))):
        raise InputError(
            f"{quoted(edit.flag)} is not a flag of this file; give a section ({', '.join(SECTIONS)}), "
            "a dot and a key that is true or false there"
        )

    def change(part: Record) -> Record:
        return {**part, key: edit.value} if isinstance(part.get(key), bool) else part

    return Step({**whole, section: rewritten(whole[section], change)})


def flag_of_token(whole: Record, edit: SetFlag) -> Step:
    """Switches a flag of an added token."""
    if edit.token not in added_ids(whole):
        raise InputError(f"{quoted(edit.token)} is not an added token, and only these have flags; use add-token first")
    if edit.flag not in FLAGS:
        raise InputError(f"an added token has no flag {quoted(edit.flag)}; it has {', '.join(FLAGS)}")
    entries = [
        {**entry, edit.flag: edit.value} if entry["content"] == edit.token else entry for entry in whole["added_tokens"]
    ]
    return Step({**whole, "added_tokens": entries})


def with_ids(part: Any, ids: Mapping[int, int]) -> Any:
    """A post-processor after its ids have moved. Raises InputError for one that is gone."""

    def id_of(old: Any, token: object) -> int:
        if old not in ids:
            raise InputError(
                f"the post-processor adds {quoted(str(token))}, so it can't be removed; change the post_processor in "
                "the file first"
            )
        return ids[old]

    def change(part: Record) -> Record:
        new = dict(part)
        for key in ("sep", "cls"):
            if isinstance(part.get(key), list) and len(part[key]) == 2:
                new[key] = [part[key][0], id_of(part[key][1], part[key][0])]
        if isinstance(part.get("special_tokens"), dict):
            new["special_tokens"] = {
                name: {**token, "ids": [id_of(id, name) for id in token["ids"]]}
                for name, token in part["special_tokens"].items()
            }
        return new

    return rewritten(part, change)


# The original ignores the ids in `added_tokens`: a token that is a piece of the model has that piece's id, the others
# are numbered from the number of pieces on (`implementations/huggingface/added_tokens.py`). So a new piece would move
# the ids of all added tokens. To keep them, such tokens are entered in the model's vocabulary (`settled`).


def is_unigram(whole: Record) -> bool:
    """Whether the ids of the model's pieces are their positions in a list."""
    return isinstance(whole["model"]["vocab"], list)


def pieces(whole: Record) -> dict[str, int]:
    """The ids of the model's pieces."""
    vocab = whole["model"]["vocab"]
    if not is_unigram(whole):
        return dict(vocab)
    return {piece: id for id, (piece, _) in enumerate(vocab)}


def added_ids(whole: Record) -> dict[str, int]:
    """The ids of the added tokens, as the original gives them."""
    known, ids = pieces(whole), dict[str, int]()
    free = count(len(whole["model"]["vocab"]))
    for entry in whole.get("added_tokens") or []:
        if text := entry["content"]:
            ids[text] = known[text] if text in known else ids[text] if text in ids else next(free)
    return ids


def all_ids(whole: Record) -> dict[str, int]:
    """The ids of all tokens."""
    return pieces(whole) | added_ids(whole)


def next_id(whole: Record) -> int:
    """The id after the highest."""
    return max(all_ids(whole).values(), default=-1) + 1


def with_model(whole: Record, **changes: object) -> Record:
    """The file with other entries of its model."""
    return {**whole, "model": {**whole["model"], **changes}}


def entered(whole: Record, new: Mapping[str, int], scores: Mapping[str, float] | None = None) -> Record:
    """The file with new pieces of its model. scores: of Unigram's, 0 if missing. Raises InputError for a gap there."""
    vocab = whole["model"]["vocab"]
    if not is_unigram(whole):
        return with_model(whole, vocab={**vocab, **new})
    ordered = sorted(new, key=lambda piece: new[piece])
    if [new[piece] for piece in ordered] != list(range(len(vocab), len(vocab) + len(new))):
        raise InputError(
            "the ids of a Unigram model are positions in its list, and these would leave a gap; let the ids close up"
        )
    return with_model(whole, vocab=[*vocab, *([piece, (scores or {}).get(piece, 0.0)] for piece in ordered)])


def settled(whole: Record, wanted: Mapping[str, int]) -> tuple[Record, Notes]:
    """The file in which the added tokens have these ids, in the original as well. Raises InputError if one is taken.

    >>> model = {"type": "WordLevel", "vocab": {"a": 0, "b": 2}}
    >>> whole = {"model": model, "added_tokens": [{"id": 1, "content": "x"}]}
    >>> settled(whole, {"x": 1})[0]["model"]["vocab"]
    {'a': 0, 'b': 2, 'x': 1}
    """
    notes: Notes = ()
    if added_ids(whole) != dict(wanted):
        known = pieces(whole)
        loose = {text: id for text, id in wanted.items() if text not in known}
        whole = entered(whole, loose)
        says = "Added tokens are entered in model.vocab, so that the original keeps the ids: {0:t}."
        notes = (Text(says, named(loose)),)
    holders = {id: piece for piece, id in pieces(whole).items()}
    for text, id in added_ids(whole).items():
        if id != wanted[text] or holders.get(id, text) != text:
            raise InputError(f"the id {id} of {quoted(text)} is taken by {quoted(holders.get(id, text))}; remove one")
    entries = [{**entry, "id": wanted.get(entry["content"], entry["id"])} for entry in whole.get("added_tokens") or []]
    if entries or "added_tokens" in whole:
        whole = {**whole, "added_tokens": entries}
    return whole, notes


def merge_pairs(model: Json) -> list[tuple[str, str]]:
    """The merges of a BPE model, in order."""
    lines = [each for each in model["merges"] if not (isinstance(each, str) and each.startswith("#version"))]
    return [tuple(each.split(" ", 1) if isinstance(each, str) else each) for each in lines]


def merges_like(model: Json, pairs: Iterable[tuple[str, str]]) -> list[Any]:
    """Merges written as those of the model are: as lines, or as lists. Raises InputError for a space in a line."""
    old = model["merges"]
    if not (old and isinstance(old[0], str)):
        return [list(pair) for pair in pairs]
    lines = []
    for left, right in pairs:
        if " " in left + right:
            raise InputError(
                f"the merge of {quoted(left)} and {quoted(right)} has a space, which separates the sides "
                "in this file; spell the space as the vocabulary does"
            )
        lines.append(f"{left} {right}")
    return lines


def read(data: bytes, name: str) -> Record:
    """The file's JSON, checked. Raises InputError."""
    file = tokenizer_json.read(data, name)
    whole: Record = strict_json.read(data, name, "a tokenizer.json")
    whole["model"]["type"] = file.model_type
    vocab = whole["model"].get("vocab")
    if isinstance(vocab, dict):
        with errors_of(name):
            tokenizer_json.vocabulary_ids(whole["model"])
    elif not (isinstance(vocab, list) and all(isinstance(row, list) and len(row) == 2 for row in vocab)):
        raise InputError(f"{name}: model.vocab is no vocabulary; the file is damaged")
    return whole


def add_token(whole: Record, edit: AddToken) -> Step:
    """Adds an entry to `added_tokens`. A piece of the model keeps its id."""
    ids = added_ids(whole)
    if edit.text in ids:
        raise refuse_twice(edit.text, ids[edit.text])
    known = pieces(whole)
    notes: tuple[str, ...] = ()
    if edit.text in known:
        id = known[edit.text]
        notes = (Text("{0:q} is a piece of the model and keeps its id, {1:i}.", shortened(edit.text), id),)
    else:
        id = next_id(whole)
    entry = {"id": id, "content": edit.text, "single_word": edit.single_word, "lstrip": edit.lstrip,
             "rstrip": edit.rstrip, "normalized": edit.normalized, "special": edit.special}  # fmt: skip
    whole = {**whole, "added_tokens": [*(whole.get("added_tokens") or []), entry]}
    whole, more = settled(whole, {**ids, edit.text: id})
    return Step(whole, notes + more)


def spelled(whole: Record, text: str) -> str:
    """A text as the model's vocabulary spells it: its bytes as characters, or ▁ for a space."""
    sections = [*simple(whole.get("pre_tokenizer")), *simple(whole.get("normalizer"))]
    if any(part.get("type") == "ByteLevel" for part in sections):
        return printable(text.encode())
    marks = any(part.get("type") == "Metaspace" or SPACE_MARK in str(part.get("content")) for part in sections)
    return text.replace(" ", SPACE_MARK) if marks else text


def add_merges(whole: Record, edit: AddMerges) -> Step:
    """Adds merges and the tokens they make."""
    model = whole["model"]
    if model["type"] != "BPE":
        raise InputError(f"a {model['type']} model has no merges; use add-pieces")
    prefix, suffix = model.get("continuing_subword_prefix") or "", model.get("end_of_word_suffix") or ""

    def symbols(word: str) -> list[str]:
        first, *others = list(spelled(whole, word))
        spellings = [first, *(prefix + each for each in others)]
        return [*spellings[:-1], spellings[-1] + suffix]

    def join(left: str, right: str) -> str:
        return left + right[len(prefix) :]

    old = merge_pairs(model)
    pairs, tokens = with_merges([*map(symbols, edit.words)], edit.merges, old, set(pieces(whole)), join)
    wanted, first = added_ids(whole), next_id(whole)
    clash = [text for text in tokens if text in wanted]
    if clash:
        raise refuse_twice(clash[0], wanted[clash[0]])
    lines = [*model["merges"], *merges_like(model, pairs)]
    whole = entered(with_model(whole, merges=lines), {piece: id for id, piece in enumerate(tokens, first)})
    whole, notes = settled(whole, wanted)
    says = "{0:t} and {1:t}: {2:t}." if tokens else "{0:t} and {1:t}."
    counts = plural(len(pairs), "merge"), plural(len(tokens), "token")
    return Step(whole, (Text(says, *counts, named(tokens)), *notes))


def add_pieces(whole: Record, edit: AddPieces) -> Step:
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
        notes = () if edit.score is not None else scored(edit.pieces[0], score)
        # positions are ids: added tokens that are no pieces yet come before the new ones
        loose = {text: id for text, id in wanted.items() if text not in pieces(whole)}
        whole = entered(whole, loose) if loose else whole
    whole = entered(whole, {piece: id for id, piece in enumerate(edit.pieces, first)}, scores)
    whole, more = settled(whole, wanted)
    return Step(whole, notes + more)


def remove(whole: Record, edit: Remove) -> Step:
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
    removed = set(gone.values())
    ids = (
        {id: id for id in known.values() if id not in removed}
        if edit.keep_ids
        else closed_up([*known.values()], removed)
    )
    if is_unigram(whole):
        model["vocab"] = [row for row in model["vocab"] if row[0] not in gone]
        if model.get("unk_id") is not None:
            model["unk_id"] = ids[model["unk_id"]]
    else:
        model["vocab"] = {piece: ids[id] for piece, id in model["vocab"].items() if piece not in gone}
    entries = [each for each in whole.get("added_tokens") or [] if each["content"] not in gone]
    result = {**whole, "model": model}
    if entries or "added_tokens" in whole:
        result["added_tokens"] = entries
    if whole.get("post_processor") is not None:
        result["post_processor"] = with_ids(whole["post_processor"], ids)
    padding = whole.get("padding")
    if isinstance(padding, dict) and isinstance(padding.get("pad_id"), int):
        if padding["pad_id"] in gone.values():
            raise InputError("padding uses a token that would be removed; change padding in the file first")
        result["padding"] = {**padding, "pad_id": ids.get(padding["pad_id"], padding["pad_id"])}
    result, more = settled(result, {text: ids[id] for text, id in wanted.items() if text not in gone})
    return Step(result, (*notes, *moved(ids), *more))


def merges_without(model: Record, gone: dict[str, int]) -> tuple[list[Any], tuple[str, ...]]:
    """The merges that neither use nor make a removed token, and what is said about the others."""
    prefix = len(model.get("continuing_subword_prefix") or "")
    kept: list[tuple[str, str]] = []
    lost: list[tuple[str, str]] = []
    for pair in merge_pairs(model):
        touched = pair[0] in gone or pair[1] in gone or pair[0] + pair[1][prefix:] in gone
        (lost if touched else kept).append(pair)
    if not lost:
        return model["merges"], ()
    results = {left + right[prefix:] for left, right in kept}
    unmade = dict.fromkeys(left + right[prefix:] for left, right in lost)
    orphans = [each for each in unmade if each not in gone and each not in results]
    notes = [lost_merges(lost)]
    if orphans:
        notes.append(Text("No merge makes {0:t} any more; the tokens stay.", named(orphans)))
    return merges_like(model, kept), tuple(notes)


EDITOR = Editor(
    read,
    lambda whole: tokenizer_json.write(whole).encode(),
    {
        AddToken: add_token,
        AddMerges: add_merges,
        AddPieces: add_pieces,
        Remove: remove,
        SetFlag: set_flag,
        SetPattern: set_pattern,
        SetNormalizer: set_part,
        SetPreTokenizer: set_part,
    },
    lambda text, special: AddToken(text, special=special),
    ".json",
)
"""What can be done to a tokenizer.json."""

"""The parts of a tokenizer.json besides its tokens: patterns, normalizer, pre-tokenizer, flags, ids in other parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from explorer.editing.edits import SetFlag, SetNormalizer, SetPattern, SetPreTokenizer
from explorer.editing.step import Notes, Step, named, quoted
from explorer.errors import InputError, shown
from explorer.formats import strict_json
from explorer.formats.tokenizer_json import FLAGS

Json = dict[str, Any]

OF_MODEL: Final = {"BPE": ("byte_fallback", "fuse_unk", "ignore_merges"), "Unigram": ("byte_fallback",)}
"""Flags of a model, by its type."""

SECTIONS: Final = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
LISTS: Final = ("normalizers", "pretokenizers", "processors", "decoders")
"""The key of the parts of a sequence."""


def rewritten(part: Any, change: Callable[[Json], Json]) -> Any:
    """A part after `change`, which is called for it or, of a sequence, for each of its parts."""
    key = next((each for each in LISTS if isinstance(part.get(each), list)), None) if isinstance(part, dict) else None
    if key is not None:
        return {**part, key: [rewritten(each, change) for each in part[key]]}
    return change(part) if isinstance(part, dict) else part


def simple(part: Any) -> Iterator[Json]:
    """A part, or the parts of a sequence."""
    found: list[Json] = []
    rewritten(part, lambda each: found.append(each) or each)  # type: ignore[func-returns-value]
    return iter(found)


def part_of(text: str, what: str) -> Json | None:
    """A part as it is typed: a type without settings, its JSON, or none. Raises InputError.

    >>> part_of("NFC", "normalizer"), part_of('{"type": "Prepend", "prepend": "_"}', "normalizer")
    ({'type': 'NFC'}, {'type': 'Prepend', 'prepend': '_'})
    """
    if text.strip().lower() == "none":
        return None
    if not text.lstrip().startswith("{"):
        return {"type": text.strip()}
    found = strict_json.read(text.encode(), what, "a part of a tokenizer.json", sent=strict_json.TYPED)
    strict_json.check_depth(found, what, "a part of a tokenizer.json", strict_json.TYPED)
    if not isinstance(found, dict) or not isinstance(found.get("type"), str):
        raise InputError(f"{what}: {shown(text)} is not an object with a type; give one")
    return found


def set_normalizer(whole: Json, edit: SetNormalizer) -> Step:
    """Replaces the normalizer."""
    return Step({**whole, "normalizer": part_of(edit.normalizer, "normalizer")})


def set_pre_tokenizer(whole: Json, edit: SetPreTokenizer) -> Step:
    """Replaces the pre-tokenizer."""
    return Step({**whole, "pre_tokenizer": part_of(edit.name, "pre_tokenizer")})


def is_pattern(part: Json) -> bool:
    """Whether a part of a pre-tokenizer splits by a pattern."""
    return part.get("type") == "Split" or (part.get("type") == "ByteLevel" and bool(part.get("use_regex", True)))


def set_pattern(whole: Json, edit: SetPattern) -> Step:
    """Replaces a pattern. GPT-2's, which a ByteLevel has inside, becomes a Split in front of it."""
    count = sum(map(is_pattern, simple(whole.get("pre_tokenizer"))))
    if not 1 <= edit.number <= count:
        has = f"{count} patterns" if count != 1 else "one pattern"
        raise InputError(
            f"the pre-tokenizer has {has if count else 'no pattern'}, not a number {edit.number}; "
            "use set-pre-tokenizer to give it others"
        )
    left = edit.number
    notes: list[str] = []

    def change(part: Json) -> Json:
        nonlocal left
        left -= is_pattern(part)
        if left or not is_pattern(part):
            return part
        left = -1
        regex = {"Regex": edit.pattern}
        if part["type"] == "Split":
            return {**part, "pattern": regex}
        notes.append("ByteLevel had GPT-2's pattern inside; a Split in front of it has the new one.")
        split = {"type": "Split", "pattern": regex, "behavior": "Isolated", "invert": False}
        return {"type": "Sequence", "pretokenizers": [split, {**part, "use_regex": False}]}

    return Step({**whole, "pre_tokenizer": rewritten(whole["pre_tokenizer"], change)}, tuple(notes))


def set_flag(whole: Json, edit: SetFlag) -> Step:
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

    def change(part: Json) -> Json:
        return {**part, key: edit.value} if isinstance(part.get(key), bool) else part

    return Step({**whole, section: rewritten(whole[section], change)})


def flag_of_token(whole: Json, edit: SetFlag) -> Step:
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

    def change(part: Json) -> Json:
        found = dict(part)
        for key in ("sep", "cls"):
            if isinstance(part.get(key), list) and len(part[key]) == 2:
                found[key] = [part[key][0], id_of(part[key][1], part[key][0])]
        if isinstance(part.get("special_tokens"), dict):
            found["special_tokens"] = {
                name: {**token, "ids": [id_of(id, name) for id in token["ids"]]}
                for name, token in part["special_tokens"].items()
            }
        return found

    return rewritten(part, change)


# The original ignores the ids in `added_tokens`: a token that is a piece of the model has that piece's id, the others
# are numbered from the number of pieces on (`implementations/huggingface/added_tokens.py`). So a new piece would move
# the ids of all added tokens. To keep them, such tokens are entered in the model's vocabulary (`settled`).


def is_unigram(whole: Json) -> bool:
    """Whether the ids of the model's pieces are their positions in a list."""
    return isinstance(whole["model"]["vocab"], list)


def pieces(whole: Json) -> dict[str, int]:
    """The ids of the model's pieces."""
    vocab = whole["model"]["vocab"]
    if not is_unigram(whole):
        return dict(vocab)
    return {piece: id for id, (piece, _) in enumerate(vocab)}


def added_ids(whole: Json) -> dict[str, int]:
    """The ids of the added tokens, as the original gives them."""
    known, found = pieces(whole), dict[str, int]()
    free = len(whole["model"]["vocab"])
    for entry in whole.get("added_tokens") or []:
        text = entry["content"]
        if text and text not in found:
            if text not in known:
                known[text], free = free, free + 1
            found[text] = known[text]
    return found


def all_ids(whole: Json) -> dict[str, int]:
    """The ids of all tokens."""
    return pieces(whole) | added_ids(whole)


def next_id(whole: Json) -> int:
    """The id after the highest."""
    return max(all_ids(whole).values(), default=-1) + 1


def with_model(whole: Json, **changes: object) -> Json:
    """The file with other entries of its model."""
    return {**whole, "model": {**whole["model"], **changes}}


def entered(whole: Json, new: Mapping[str, int], scores: Mapping[str, float] | None = None) -> Json:
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


def settled(whole: Json, wanted: Mapping[str, int]) -> tuple[Json, Notes]:
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
        count = f"{len(loose):,} added tokens" if len(loose) > 1 else f"The added token {named(list(loose))}"
        verb = "are" if len(loose) > 1 else "is"
        notes = (f"{count} {verb} entered in model.vocab, so that the original keeps the ids.",)
    holders = {id: piece for piece, id in pieces(whole).items()}
    for text, id in added_ids(whole).items():
        if id != wanted[text] or holders.get(id, text) != text:
            raise InputError(f"the id {id} of {quoted(text)} is taken by {quoted(holders.get(id, text))}; remove one")
    entries = [{**entry, "id": wanted.get(entry["content"], entry["id"])} for entry in whole.get("added_tokens") or []]
    if entries or "added_tokens" in whole:
        whole = {**whole, "added_tokens": entries}
    return whole, notes


def merge_pairs(model: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The merges of a BPE model, in order."""
    lines = [each for each in model["merges"] if not (isinstance(each, str) and each.startswith("#version"))]
    found: list[tuple[str, str]] = [tuple(each.split(" ", 1) if isinstance(each, str) else each) for each in lines]
    return found


def merges_like(model: Mapping[str, Any], pairs: Iterable[tuple[str, str]]) -> list[Any]:
    """Merges written as those of the model are: as lines, or as lists. Raises InputError for a space in a line."""
    old = model["merges"]
    if not (old and isinstance(old[0], str)):
        return [list(pair) for pair in pairs]
    found = []
    for left, right in pairs:
        if " " in left + right:
            raise InputError(
                f"the merge of {quoted(left)} and {quoted(right)} has a space, which separates the sides "
                "in this file; spell the space as the vocabulary does"
            )
        found.append(f"{left} {right}")
    return found

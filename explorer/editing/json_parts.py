"""The parts of a tokenizer.json besides its tokens: patterns, normalizer, pre-tokenizer, flags, ids in other parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from explorer.editing.edits import SetFlag, SetNormalizer, SetPattern, SetPreTokenizer
from explorer.editing.json_tokens import added_ids, with_model
from explorer.editing.step import Step, quoted
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
    found = strict_json.read(text.encode(), what, "a part of a tokenizer.json")
    strict_json.check_depth(found, what, "a part of a tokenizer.json")
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

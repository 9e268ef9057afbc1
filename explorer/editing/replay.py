"""Runs a list of edits on the bytes of a file. Undo is a shorter list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from explorer.editing import byte_lists, gguf, sentencepiece, tokenizer_json
from explorer.editing.edits import Edit, kind_of
from explorer.editing.step import Editor
from explorer.engine.limits.budget import ask, within
from explorer.errors import InputError
from explorer.opening.formats import HEAD, Format, format_of

EDITORS: Final[Mapping[str, Editor]] = {
    "a tokenizer.json": tokenizer_json.EDITOR,
    "a SentencePiece model": sentencepiece.EDITOR,
    "a ranks file": byte_lists.RANKS,
    "an RWKV vocabulary": byte_lists.RWKV,
    "a GGUF file": gguf.EDITOR,
}
"""What can be edited, by the name of the format."""

SAVED: Final = "open its folder with transformers, call save_pretrained, and edit the tokenizer.json that it writes"
INSTEAD: Final = {
    "a vocab.json": f"its merges are in another file; {SAVED}",
    "a BERT vocab.txt": SAVED,
    "a tekken.json": "edit the tokenizer.json of the same model, where its authors give one",
    "an RWKV vocabulary in JSON": "edit the .txt of the same vocabulary",
    "subword-nmt's codes": "learn others with subword-nmt, or edit them as text: each line is a merge",
    "PhoBERT's vocab.txt": "edit vocab.txt and bpe.codes as text: a line of each is a token or a merge",
}
"""What to edit instead, by the name of the format."""

SECONDS: Final = 30.0
"""Processor time of a list."""


class Edited(NamedTuple):
    """The file after the edits, and what was said about each."""

    data: bytes
    notes: tuple[tuple[str, ...], ...]


def editor_of(found: Format, name: str) -> Editor:
    """What can be done to a format. Raises InputError."""
    if found.name not in EDITORS:
        raise InputError(f"{name}: {found.name} can't be edited here; {INSTEAD[found.name]}")
    return EDITORS[found.name]


def replay(data: bytes, edits: Sequence[Edit], name: str, seconds: float = SECONDS) -> Edited:
    """The file after the edits; without any, the same bytes. name: what errors call it. seconds: that it may take.

    Raises InputError that names the edit, from 1, and its kind. Whether an original opens the result is seen by opening
    it.

    >>> from explorer.editing.edits import AddEntries, Remove
    >>> file = b"1 'a' 1\\n2 'ab' 2\\n"
    >>> replay(file, [AddEntries(("abc",)), Remove(("ab",))], "toy").data
    b"1 'a' 1\\n2 'abc' 3\\n"
    """
    editor = editor_of(format_of(data[:HEAD], name), name)
    if not edits:
        return Edited(data, ())
    with within(f"editing {name}", seconds):
        content, notes = editor.read(data, name), []
        for number, edit in enumerate(edits, 1):
            ask("an edit")
            where = f"edit {number}, {kind_of(edit)}"
            if type(edit) not in editor.steps:
                raise InputError(f"{where}: {editor.instead[type(edit)]}")
            try:
                content, said = editor.steps[type(edit)](content, edit)
            except InputError as error:
                raise InputError(f"{where}: {error}") from None
            notes.append(said)
        return Edited(editor.write(content), tuple(notes))

"""Edits of the metadata of a GGUF file.

The content keeps every key as its bytes, so what no edit touches keeps its value and its type. What is saved is a
vocabulary: tensors are left out, whose rows would no longer fit the ids. A token that is removed with `keep_ids`
becomes a placeholder of the kind UNUSED, as llama.cpp's converter writes an id without a token.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

from explorer.editing.edits import (
    AddMerges,
    AddPieces,
    AddToken,
    Editor,
    Remove,
    SetFlag,
    SetPreTokenizer,
    Step,
    check_new,
    closed_up,
    lost_merges,
    moved,
    named,
    quoted,
    scored,
    unknown,
    with_merges,
)
from explorer.errors import InputError, shown
from explorer.formats import gguf
from explorer.formats.gguf import Kind, Pair, Pairs
from explorer.implementations.llama_cpp.pre_tokenizers import PRE, likeliest
from explorer.text.say import Text, plural
from explorer.vocabulary import SPACE_MARK, PieceKind, printable

GGML = "tokenizer.ggml."
SCORED = ("llama", "t5", "plamo2")
"""Tokenizer models whose pieces have scores."""
MERGED = ("gpt2", "hybriddna", "whitespace", "gemma4")
"""Tokenizer models with merges."""
FLAGS = ("add_bos_token", "add_eos_token", "add_sep_token", "add_space_prefix", "remove_extra_whitespaces",
                "escape_whitespaces", "normalizer.lowercase", "normalizer.strip_accents")  # fmt: skip
"""Flags that llama.cpp reads, after `tokenizer.ggml.`."""


class Metadata(NamedTuple):
    """The content: the keys of the file, and of those that edits change the values."""

    head: Pairs
    model: str
    tokens: tuple[bytes, ...]
    scores: tuple[float, ...]
    kinds: tuple[int, ...]
    merges: tuple[bytes, ...]
    specials: dict[str, int]
    """keys that hold an id, such as bos_token_id"""
    pre: str

    @property
    def ids(self) -> dict[bytes, int]:
        return {token: id for id, token in enumerate(self.tokens)}

    @property
    def all_kinds(self) -> tuple[int, ...]:
        """The kind of each token, NORMAL where the file has none."""
        return self.kinds or (int(PieceKind.NORMAL),) * len(self.tokens)


def read(data: bytes, name: str) -> Metadata:
    """The content of a file. Raises InputError."""
    head = gguf.pairs(data, name)
    of: Any = gguf.read(data, lambda key: key.startswith("tokenizer."), name).metadata
    tokens = of.get(f"{GGML}tokens")
    if not isinstance(tokens, list):
        raise InputError(f"{name}: it has no {GGML}tokens, so there is no vocabulary to edit; give another file")
    scores, kinds = of.get(f"{GGML}scores", ()), of.get(f"{GGML}token_type", ())
    for key, values in (("scores", scores), ("token_type", kinds)):
        if len(values) not in (0, len(tokens)):
            raise InputError(f"{name}: {GGML}{key} has {len(values)} entries for {len(tokens)} tokens; repair the file")
    specials = {
        key.removeprefix(GGML): value
        for key, value in of.items()
        if key.endswith("_token_id") and isinstance(value, int)
    }
    merges = of.get(f"{GGML}merges", ())
    return Metadata(head, str(of.get(f"{GGML}model", "")), tuple(tokens), tuple(scores), tuple(kinds), tuple(merges),
                    specials, str(of.get(f"{GGML}pre", "")))  # fmt: skip


def write(content: Metadata) -> bytes:
    """The file."""
    return gguf.file(content.head)


def changed(content: Metadata, **values: Any) -> Metadata:
    """The content with other values, and the keys that hold them."""
    pairs = [gguf.strings(f"{GGML}{key}", values[key]) for key in ("tokens", "merges") if key in values]
    if "tokens" in values:
        sizes = (key for key, kind, _ in content.head.pairs if key.endswith(".vocab_size") and kind == Kind.UINT32)
        pairs += [gguf.integer(size, len(values["tokens"])) for size in islice(sizes, 1)]
    for name, key, kind in (("scores", "scores", Kind.FLOAT32), ("kinds", "token_type", Kind.INT32)):
        if values.get(name):
            pairs.append(gguf.numbers(f"{GGML}{key}", values[name], kind))
    if "pre" in values:
        pairs.append(gguf.text(f"{GGML}pre", values["pre"]))
    pairs += [gguf.integer(f"{GGML}{key}", id) for key, id in values.get("specials", {}).items()]
    return content._replace(**values, head=with_pairs(content.head, pairs))


def with_pairs(head: Pairs, new: Sequence[Pair]) -> Pairs:
    """The keys with new values; a key that was not there comes last."""
    by_key = {pair.key: pair for pair in new}
    there = {pair.key for pair in head.pairs}
    kept = [by_key.get(pair.key, pair) for pair in head.pairs]
    return head._replace(pairs=(*kept, *(pair for pair in new if pair.key not in there)))


def appended(content: Metadata, new: Sequence[str], kind: PieceKind, scores: Sequence[float]) -> Metadata:
    """The content with new tokens after the last. Raises InputError for one that is there."""
    check_new(new, {token.decode("utf-8", "surrogateescape"): id for token, id in content.ids.items()})
    return changed(
        content,
        tokens=(*content.tokens, *(text.encode("utf-8", "surrogateescape") for text in new)),
        kinds=(*content.all_kinds, *[int(kind)] * len(new)),
        scores=(*content.scores, *scores) if content.scores else (),
    )


def add_token(content: Metadata, edit: AddToken) -> Step:
    """Adds a token that is cut out of the text first: CONTROL if it is special, else USER_DEFINED."""
    flags = [name for name in ("single_word", "lstrip", "rstrip", "normalized") if getattr(edit, name)]
    if flags:
        raise InputError(f"a GGUF file has no flag {flags[0]} for a token; leave it out")
    kind = PieceKind.CONTROL if edit.special else PieceKind.USER_DEFINED
    return Step(appended(content, [edit.text], kind, [0.0]))


def add_pieces(content: Metadata, edit: AddPieces) -> Step:
    """Adds pieces: user-defined ones, or ones with a score."""
    if edit.user_defined:
        return Step(appended(content, edit.pieces, PieceKind.USER_DEFINED, [edit.score or 0.0] * len(edit.pieces)))
    if content.model not in SCORED:
        raise InputError(
            f"pieces of the tokenizer model {shown(content.model)} have no score; use add-merges or add-token"
        )
    normal = [score for score, kind in zip(content.scores, content.kinds, strict=False) if kind == PieceKind.NORMAL]
    step = 1.0 if content.model == "llama" and edit.score is None else 0.0
    first = edit.score if edit.score is not None else min(normal, default=0.0) - step
    scores = [first - step * at for at in range(len(edit.pieces))]
    notes = () if edit.score is not None else scored(edit.pieces[0], first)
    return Step(appended(content, edit.pieces, PieceKind.NORMAL, scores), notes)


def spelled(content: Metadata, text: str) -> str:
    """A text as this vocabulary spells it."""
    if content.model in MERGED:
        pre = PRE.get(content.pre)
        return printable(text.encode()) if pre is None or pre.bytes_spelled else text.replace(" ", SPACE_MARK)
    return text.replace(" ", SPACE_MARK)


def merge_pairs(content: Metadata) -> list[tuple[str, str]]:
    """The merges, in order."""
    pairs = []
    for line in content.merges:
        text = line.decode("utf-8", "surrogateescape")
        at = text.find(" ", 1)  # as llama.cpp: the first character may be a space
        pairs.append((text[:at], text[at + 1 :]) if at > 0 else ("", ""))
    return pairs


def add_merges(content: Metadata, edit: AddMerges) -> Step:
    """Adds merges and the tokens they make."""
    if content.model not in MERGED:
        raise InputError(f"the tokenizer model {shown(content.model)} has no merges; use add-pieces")
    known = {token.decode("utf-8", "surrogateescape") for token in content.tokens}
    words = [list(spelled(content, word)) for word in edit.words]
    pairs, tokens = with_merges(words, edit.merges, merge_pairs(content), known)
    lines = [f"{left} {right}".encode("utf-8", "surrogateescape") for left, right in pairs]
    content = appended(content, tokens, PieceKind.NORMAL, [0.0] * len(tokens))
    return Step(
        changed(content, merges=(*content.merges, *lines)),
        (Text("{0:t}: {1:t}.", plural(len(pairs), "merge"), named(tokens)),),
    )


def remove(content: Metadata, edit: Remove) -> Step:
    """Removes tokens and the merges that use or make them."""

    def spellings(text: str) -> list[bytes]:
        return [each.encode("utf-8", "surrogateescape") for each in (text, spelled(content, text))]

    gone = set(edit.chosen(dict(enumerate(content.tokens)), spellings))
    for key, id in content.specials.items():
        if id in gone:
            raise InputError(f"{quoted(content.tokens[id].decode('utf-8', 'replace'))} is {GGML}{key}; leave it in")
    byte = next((id for id in sorted(gone) if content.kinds and content.kinds[id] == PieceKind.BYTE), None)
    if byte is not None:
        raise InputError(f"{quoted(content.tokens[byte].decode())} is a byte, which text falls back to; leave it in")
    names = {content.tokens[id].decode("utf-8", "surrogateescape") for id in gone}
    pairs = merge_pairs(content)
    kept = [at for at, (left, right) in enumerate(pairs) if not {left, right, left + right} & names]
    notes: tuple[str, ...] = ()
    if len(kept) < len(pairs):
        lost = [pairs[at] for at in sorted({*range(len(pairs))} - {*kept})]
        content = changed(content, merges=tuple(content.merges[at] for at in kept))
        notes = (lost_merges(lost),)
    if edit.keep_ids:
        kinds = enumerate(content.all_kinds)
        content = changed(
            content,
            tokens=tuple(b"[PAD%d]" % id if id in gone else token for id, token in enumerate(content.tokens)),
            kinds=tuple(int(PieceKind.UNUSED) if id in gone else kind for id, kind in kinds),
        )
        return Step(content, (*notes, Text("Their ids hold placeholders of the kind UNUSED.")))
    stay = [id for id in range(len(content.tokens)) if id not in gone]
    moves = closed_up([*range(len(content.tokens))], gone)
    content = changed(
        content,
        tokens=tuple(content.tokens[id] for id in stay),
        kinds=tuple(content.kinds[id] for id in stay) if content.kinds else (),
        scores=tuple(content.scores[id] for id in stay) if content.scores else (),
        specials={key: moves.get(id, id) for key, id in content.specials.items()},
    )
    return Step(content, (*notes, *moved(moves)))


def set_flag(content: Metadata, edit: SetFlag) -> Step:
    """Switches `special` of a token, or a flag of the file."""
    if edit.token:
        id = content.ids.get(edit.token.encode("utf-8", "surrogateescape"))
        if id is None:
            raise unknown(edit.token)
        if edit.flag != "special":
            raise InputError(f"a token of a GGUF file has the flag special, not {quoted(edit.flag)}; set that one")
        kinds = list(content.all_kinds)
        kinds[id] = int(PieceKind.CONTROL if edit.value else PieceKind.USER_DEFINED)
        return Step(changed(content, kinds=tuple(kinds)))
    if edit.flag not in FLAGS:
        raise InputError(f"llama.cpp reads no flag {quoted(edit.flag)}; it reads {', '.join(FLAGS)}")
    pair = gguf.boolean(f"{GGML}{edit.flag}", edit.value)
    return Step(content._replace(head=with_pairs(content.head, [pair])))


def set_pre_tokenizer(content: Metadata, edit: SetPreTokenizer) -> Step:
    """Sets the name of the pre-tokenizer, one of llama.cpp's."""
    if content.model not in MERGED:
        raise InputError(f"the tokenizer model {shown(content.model)} has no pre-tokenizer; leave it out")
    if edit.name not in PRE:
        raise InputError(
            f"{shown(edit.name)} is not a pre-tokenizer of llama.cpp; did you mean "
            f"{', '.join(likeliest(edit.name)[:3])}?"
        )
    return Step(changed(content, pre=edit.name))


EDITOR = Editor(
    read,
    write,
    {
        AddToken: add_token,
        AddMerges: add_merges,
        AddPieces: add_pieces,
        Remove: remove,
        SetFlag: set_flag,
        SetPreTokenizer: set_pre_tokenizer,
    },
    lambda text, special: AddToken(text, special=special),
    ".gguf",
)
"""What can be done to a GGUF file."""

"""The edits of a vocabulary as plain data, their list as a TOML file, and lists with a name for RWKV's format.

What an edit does to a format is said in the module of that format. What these share is here: the result of an edit,
names of tokens in sentences, merges that make a text one token.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args

import msgspec

from explorer.engine.budget import asking
from explorer.errors import InputError, shown
from explorer.formats import strict_toml, structs
from explorer.tables import read_toml
from explorer.text import from_bytes
from explorer.text.say import Text, decimal, in_a_row, listed, shortened

Notes = tuple[str, ...]
"""Sentences: what else an edit changed."""

Pair = tuple[str, str]
"""The sides of a merge."""


class Step(NamedTuple):
    """The content after an edit."""

    content: Any
    notes: Notes = ()


class Editor(NamedTuple):
    """What can be done to a format.

    read: bytes and a name in errors → the content. write: the content → bytes. steps: by the kind of edit; of others
    instead.toml says why not and what to use. found_first: the edit that adds a text as one token,
    found whole where the format can, by the text and whether it is special. suffix: how the name of a file ends.
    """

    read: Callable[[bytes, str], Any]
    write: Callable[[Any], bytes]
    steps: Mapping[type, Callable[[Any, Any], Step]]
    found_first: Callable[[str, bool], Any]
    suffix: str


NAMED = 5
"""Tokens named in a sentence."""


def quoted(token: str) -> str:
    """A token in a sentence, made visible.

    >>> quoted("a b")
    '“a␣b”'
    """
    return f"“{shortened(token)}”"


def named(tokens: Iterable[str | int | Pair], each: str = "{0:q}") -> str:
    """The first of many tokens or merges in a sentence. each: how one is written.

    >>> named("a"), named("abcdefg"), named([("a", "b")])
    ('“a”', '“a”, “b”, “c”, “d”, “e” and 2 more', '“a + b”')
    """
    shown = [" + ".join(map(shortened, token if isinstance(token, tuple) else (str(token),))) for token in tokens]
    return Text(listed(shown, NAMED, each)) if shown else ""


def moved(ids: Mapping[int, int]) -> Notes:
    """The sentence about ids that move: old → new.

    >>> moved({1: 1, 5: 4, 6: 5})
    ('2 ids move down; the first is 5, now 4.',)
    """
    changed = [(old, new) for old, new in ids.items() if old != new]
    if not changed:
        return ()
    many = "{0} ids move down; the first is {1:i}, now {2:i}."
    return (Text("{0} id moves down; the first is {1:i}, now {2:i}.", len(changed), *min(changed), many=many),)


def scored(piece: str, score: float) -> Notes:
    """The sentence about the score of a piece that was given none."""
    return (Text("The score of {0:q} is {1:t}; no other piece has a lower one.", shortened(piece), decimal(score)),)


def closed_up(ids: list[int], removed: set[int]) -> dict[int, int]:
    """Where the ids are that stay, once those above a removed one have moved down.

    >>> closed_up([0, 1, 2, 5], {1})
    {0: 0, 2: 1, 5: 4}
    """
    moves, below = {}, 0
    gone = sorted(removed)
    for id in sorted(ids):
        while below < len(gone) and gone[below] < id:
            below += 1
        if id not in removed:
            moves[id] = id - below
    return moves


def lost_merges(merges: list[Pair]) -> str:
    """The sentence about merges that go with a removed token.

    >>> lost_merges([("a", "b")])
    '1 merge goes, too, since it uses or makes a removed token: “a + b”.'
    """
    return Text(
        "{0} merge goes, too, since it uses or makes a removed token: {1:t}.", len(merges), named(merges),
        many="{0} merges go, too, since they use or make a removed token: {1:t}.",
    )  # fmt: skip


def refuse_twice(token: str, id: int) -> InputError:
    """The error for a token that is in the vocabulary already."""
    return InputError("{0:q} is in the vocabulary already, with the id {1:i}; leave it out", shortened(token), id)


def check_new(new: Iterable[str], known: Mapping[str, int]) -> None:
    """Raises InputError for a token that is there, or given twice."""
    seen = set()
    for each in new:
        if each in known:
            raise refuse_twice(each, known[each])
        if each in seen:
            raise InputError("{0:q} is given twice; give it once", shortened(each))
        seen.add(each)


def unknown(token: str) -> InputError:
    """The error for a token that isn't in the vocabulary."""
    says = "{0:q} is not in the vocabulary; write it as the vocabulary spells it, or give its id"
    return InputError(says, shortened(token))


Join = Callable[[str, str], str]
"""What a merge makes of its sides."""

LONGEST_WORD = 200
"""Symbols of a text."""


def run(symbols: Sequence[str], ranks: dict[Pair, int], join: Join) -> list[str]:
    """The symbols after all merges, the lowest rank first, of several the leftmost.

    >>> run("abab", {("a", "b"): 0}, str.__add__)
    ['ab', 'ab']
    """
    left = list(symbols)
    while True:
        merges = [(ranks[pair], at) for at, pair in enumerate(pairwise(left)) if pair in ranks]
        if not merges:
            return left
        _, at = min(merges)
        left[at : at + 2] = [join(left[at], left[at + 1])]


def merges_for(symbols: Sequence[str], ranks: dict[Pair, int], join: Join = str.__add__) -> list[Pair]:
    """The merges to add so that these symbols become one; `ranks` gets them, too.

    Raises InputError for a text of too many symbols.

    >>> merges_for("aaaa", {})
    [('a', 'a'), ('aa', 'aa')]
    >>> merges_for("abc", {("b", "c"): 0})
    [('a', 'bc')]
    """
    if len(symbols) > LONGEST_WORD:
        says = "{0:q} has {1} symbols; add words of up to {2}"
        raise InputError(says, shortened("".join(symbols)), len(symbols), LONGEST_WORD)
    added: list[Pair] = []
    left = run(symbols, ranks, join)
    while len(left) > 1:
        pair = left[0], left[1]
        ranks[pair] = len(ranks)
        added.append(pair)
        left = run(symbols, ranks, join)
    return added


def with_merges(
    words: Sequence[Sequence[str]],
    given: Sequence[Pair],
    old: Sequence[Pair],
    known: set[str],
    join: Join = str.__add__,
) -> tuple[list[Pair], list[str]]:
    """The merges to add, and the tokens they make. given: pairs that are added first, in order.

    known: the tokens of the vocabulary. Raises InputError for a symbol or side that is not a token, and for a merge
    that is there already.

    >>> with_merges(["ab"], [("b", "c")], [], {"a", "b", "c"})
    ([('b', 'c'), ('a', 'b')], ['bc', 'ab'])
    """
    ranks = {pair: at for at, pair in enumerate(old)}
    pairs: list[Pair] = []
    results: list[str] = []

    def take(pair: Pair) -> None:
        for side in pair:
            if side not in known:
                says = "{0:t}: {1:q} is not in the vocabulary; add the merge that makes it first"
                raise InputError(says, named([pair]), shortened(side))
        pairs.append(pair)
        result = join(*pair)
        if result not in known:
            known.add(result)
            results.append(result)

    known = set(known)
    for pair in given:
        if pair in ranks:
            raise InputError("the merge {0:t} is there already; leave it out", named([pair]))
        ranks[pair] = len(ranks)
        take(pair)
    for symbols in asking(words, "adding merges", 8):
        missing = next((each for each in symbols if each not in known), None)
        if missing is not None:
            says = "the symbol {0:q} is not in the vocabulary, so no merge can make {1:q}; add the word with add-token"
            raise InputError(says, shortened(missing), shortened("".join(symbols)))
        for pair in merges_for(symbols, ranks, join):
            take(pair)
    return pairs, results


class EditOf(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    """An edit: a table of a file, whose `kind` is the name of its type."""


Given = Annotated[str, msgspec.Meta(min_length=1)]
Score = Annotated[float, msgspec.Meta(ge=-1e30, le=1e30)]
"""A score, which files hold in 32 bits."""
Whole = Annotated[int, msgspec.Meta(ge=-strict_toml.LARGEST, le=strict_toml.LARGEST - 1)]


class AddToken(EditOf, frozen=True, tag="add-token"):
    """Adds a token that is found in the text before anything else.

    special: a control token, which decoding may leave out. single_word: found only where no letter, digit or _ is next
    to it. lstrip, rstrip: white space before or after it belongs to it. normalized: sought in the normalized text.
    """

    text: Given
    special: bool = False
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False


class AddMerges(EditOf, frozen=True, tag="add-merges"):
    """Adds merges after the others, and the tokens they make.

    words: texts that shall be one token: the model's merges run on each, and merges join what is left, from the left.
    merges: pairs as the vocabulary spells them, in order.
    """

    words: tuple[Given, ...] = ()
    merges: tuple[tuple[Given, Given], ...] = ()


class AddPieces(EditOf, frozen=True, tag="add-pieces"):
    """Adds pieces, spelled as in the vocabulary.

    user_defined: found in the text before anything else. score: of pieces that are not; by default below all others.
    """

    pieces: tuple[Given, ...]
    user_defined: bool = False
    score: Score | None = None


class AddEntries(EditOf, frozen=True, tag="add-entries"):
    """Adds tokens to a list of bytes. tokens: texts. hex: bytes in hexadecimal, for what is no text."""

    tokens: tuple[Given, ...] = ()
    hex: tuple[Given, ...] = ()


class Remove(EditOf, frozen=True, tag="remove"):
    """Removes tokens, and the merges that use or make them.

    tokens: their texts, or as the vocabulary spells them. ids: others by id. keep_ids: leaves a gap; otherwise all
    higher ids move down.
    """

    tokens: tuple[Given, ...] = ()
    ids: tuple[Whole, ...] = ()
    keep_ids: bool = False

    def chosen(self, known: Mapping[int, Any], spellings: Callable[[str], Iterable[Any]]) -> dict[int, Any]:
        """The tokens that it names, by id. known: those of the vocabulary. spellings: those that a text may have there.

        Raises InputError for one that isn't there.
        """
        for id in self.ids:
            if id not in known:
                raise InputError(f"no token has the id {id}; the highest is {max(known, default=-1)}")
        gone = {id: known[id] for id in self.ids}
        ids = {token: id for id, token in known.items()}
        for text in self.tokens:
            token = next((each for each in spellings(text) if each in ids), None)
            if token is None:
                raise unknown(text)
            gone[ids[token]] = token
        return gone


class SetFlag(EditOf, frozen=True, tag="set-flag"):
    """Switches a flag. token: whose flag, empty for one of the whole tokenizer."""

    flag: Given
    value: bool
    token: str = ""


class SetPattern(EditOf, frozen=True, tag="set-pattern"):
    """Replaces a pattern of the pre-tokenizer. number: which of them, from 1."""

    pattern: Given
    number: Whole = 1


class SetNormalizer(EditOf, frozen=True, tag="set-normalizer"):
    """Replaces the normalizer: the name of one without settings, such as NFC, its JSON, or none."""

    normalizer: Given


class SetPreTokenizer(EditOf, frozen=True, tag="set-pre-tokenizer"):
    """Replaces the pre-tokenizer: llama.cpp's name; in a tokenizer.json a type without settings, JSON, or none."""

    name: Given


class Preset(EditOf, frozen=True, tag="preset"):
    """A list of edits with a name, for RWKV's format."""

    name: Given


def kind_of(edit: EditOf | type[EditOf]) -> str:
    """The name of an edit's kind.

    >>> kind_of(AddToken("<a>"))
    'add-token'
    """
    return str(edit.__struct_config__.tag)


Edit = (
    AddToken | AddMerges | AddPieces | AddEntries | Remove | SetFlag | SetPattern | SetNormalizer
    | SetPreTokenizer | Preset
)  # fmt: skip

KINDS: Mapping[str, type[EditOf]] = {kind_of(each): each for each in get_args(Edit)}
"""The edits by the name that a file gives them."""


TITLES: Mapping[str, Mapping[str, str]] = read_toml(__file__, "words.toml")

EACH = {"ids": "id {0:t}", "hex": "{0:t}"}
"""How a title writes each value of a key; others are quoted."""


def title(edit: Edit) -> Text:
    """An edit in a few words.

    >>> title(AddToken("<a>")), title(Remove(ids=(7,), tokens=(" x", "y")))
    ('Add the token “<a>”', 'Remove “␣x” and “y”, id 7')
    """
    words = next(
        says for keys, says in TITLES[kind_of(edit)].items() if all(getattr(edit, key, True) for key in keys.split())
    )
    values = {key: getattr(edit, key) for key in edit.__struct_fields__}
    lists = [named(value, EACH.get(key, "{0:q}")) for key, value in values.items() if isinstance(value, tuple)]
    return Text(words, *([in_a_row(*lists)] if lists else map(shortened, map(str, values.values()))))


FORMAT = "tokenizer-explorer edits 1"

LONGEST = 1 << 20
"""Bytes of a file. Reading so many takes up to two seconds."""

MOST = 1_000
"""Edits in a file."""


def write(edits: Iterable[Edit]) -> str:
    """The file. A value that is the default is left out.

    >>> from explorer.editing.edits import AddToken
    >>> print(write([AddToken("a", special=True)]))
    format = "tokenizer-explorer edits 1"
    <BLANKLINE>
    [[edit]]
    kind = "add-token"
    text = "a"
    special = true
    <BLANKLINE>
    """
    lines = [f'format = "{FORMAT}"']
    for edit in edits:
        lines += ["", "[[edit]]", f'kind = "{kind_of(edit)}"']
        for field in msgspec.structs.fields(edit):
            value = getattr(edit, field.name)
            if value != field.default:
                lines.append(f"{field.name} = {_value(value)}")
    return "\n".join([*lines, ""])


def _value(value: object) -> str:
    """A value in TOML, whose strings are those of JSON but for U+007F."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def read(data: bytes, name: str) -> tuple[Edit, ...]:
    """The edits of a file. name: what errors call it. Raises InputError naming the edit, from 1, and the key.

    >>> read(b'format = "tokenizer-explorer edits 1"', "toy")
    ()
    """
    if len(data) > LONGEST:
        raise InputError(f"{name}: {len(data)} bytes, but a list of edits has at most {LONGEST}; give another file")
    whole = strict_toml.read(from_bytes(data, name).replace("\r\n", "\n"), name)
    if whole.get("format") != FORMAT:
        raise InputError(f'{name}: this is not a list of edits; its first line must be format = "{FORMAT}"')
    edits = whole.get("edit", [])
    if not isinstance(edits, list) or len(edits) > MOST or set(whole) - {"format", "edit"}:
        raise InputError(f"{name}: a list of edits has format and up to {MOST} times [[edit]]; repair the file")
    return tuple(edit_of(each, f"{name}: edit {number}") for number, each in enumerate(edits, 1))


def edit_of(table: object, where: str) -> Edit:
    """An edit from its table. Raises InputError that begins with `where`.

    >>> edit_of({"kind": "remove", "ids": [7]}, "toy")
    Remove(tokens=(), ids=(7,), keep_ids=False)
    """
    kind = table.get("kind") if isinstance(table, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(f"{where}: its kind is {shown(kind)}; use one of {', '.join(KINDS)}")
    edit: Edit = structs.convert(table, KINDS[kind], where, kind)  # type: ignore[assignment]
    named_in = edit.__struct_fields__[:2]
    if isinstance(edit, AddMerges | AddEntries | Remove) and not any(getattr(edit, name) for name in named_in):
        raise InputError(f"{where}: {kind} names nothing; give {' or '.join(named_in)}")
    return edit


FOLDER = Path(__file__).parent

BYTES = tuple(bytes([byte]) for byte in range(256))


def preset_tokens(name: str) -> list[bytes]:
    """The tokens of a list: a line each, after the lines of its head, which begin with `# `.

    >>> len(preset_tokens("emoji.txt")) > 5_000, "😀".encode() in preset_tokens("emoji.txt")
    (True, True)
    """
    lines = (FOLDER / name).read_text("utf-8").splitlines()
    return [line.encode() for line in lines if line and not line.startswith("# ")]


def is_word_or_code(token: bytes) -> bool:
    """Whether a token goes: several ASCII characters with a letter or a sign.

    >>> [is_word_or_code(each) for each in (b" the", b"();", b"a", b"  ", b" 42", "né".encode())]
    [True, True, False, False, False, False]
    """
    return len(token) > 1 and token.isascii() and any(33 <= byte < 127 and not 48 <= byte < 58 for byte in token)


def emoji(tokens: Sequence[bytes]) -> tuple[list[bytes], Notes]:
    """The preset: the tokens with the ids 1, 2, 3 …, and what was done. Raises InputError for a list without bytes."""
    if tuple(tokens[:256]) != BYTES:
        raise InputError("the preset keeps the bytes as ids 1 to 256, and they are others here; open RWKV World")
    kept = [token for token in tokens if not is_word_or_code(token)]
    there = set(kept)
    notes = [Text("{0} tokens of ASCII words and code are removed.", len(tokens) - len(kept))]
    for name in ("emoji", "kaomoji"):
        new = [token for token in dict.fromkeys(preset_tokens(f"{name}.txt")) if token not in there]
        kept += new
        there.update(new)
        notes.append(Text("{0} {1:t} are added.", len(new), name))
    notes.append(Text("{0} of {1} ids are used; 0 and the bytes, 1 to 256, are as before.", len(kept) + 1, 65_536))
    return kept, tuple(notes)


PRESETS: Mapping[str, Callable[[Sequence[bytes]], tuple[list[bytes], Notes]]] = {"emoji": emoji}
"""The presets by name: tokens by id, from 1, to tokens."""

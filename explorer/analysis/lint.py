"""What looks wrong in a tokenizer: contradictions in a tokenizer.json, who can read it and in which words others refuse
it, and rules for a tokenizer of any format.

Lint reads the file alone. Each finding names its place in the file, says what goes wrong, and what to do. Reported is
what the original accepts without a word: a suffix or prefix that only the model or only the decoder knows, special
tokens that are missing or have another id, marks that the vocabulary needs and no part writes, bytes without a token,
and texts that lose characters.

A file is opened as its original opens it. Where this reader is more lenient than Hugging Face's tokenizers, `_stricter`
says what the library demands. readability.toml has the library's own error for each kind of refusal, which tests
compare with the library, live.

A version of Hugging Face's tokenizers before a feature either refuses the file or reads past the feature and gives
other ids. What is listed was tried with 0.13.2, the oldest wheel for Python 3.11, and versions up to 0.23.3
(`tests/analysis/`); all of them read whatever isn't listed.

In a tokenizer of any format (`findings`): special tokens that read like words, markers of a chat template that are no
tokens, an end of turn that isn't EOS, and merges without a token. Each finding is tried: a word is dropped from a
decoded text, and a marker becomes other ids.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from explorer.engine.normalizers.stage import Normalization
from explorer.engine.part import Options, Part, initial_items, run_through
from explorer.engine.pre_tokenizers.by_regex import PreTokenization
from explorer.errors import ChoiceNeeded, InputError
from explorer.facts import listed
from explorer.formats import strict_json
from explorer.formats.files import CONFIG, GENERATION_CONFIG, TOKENIZER_CONFIG
from explorer.formats.model_folder import NAMED, special_tokens
from explorer.formats.tokenizer_json import FLAGS, TokenizerJson
from explorer.implementations.huggingface.text_stages import normalizers, pre_tokenizers
from explorer.implementations.llama_cpp.pre_tokenizers import FIRST_KNOWN
from explorer.implementations.llama_cpp.vocabulary import END_OF_GENERATION
from explorer.implementations.opened import Opened
from explorer.opening.sources import contents
from explorer.stages.stage import text_of
from explorer.stages.table import IN_FILES
from explorer.tables import Json, Record, read_toml
from explorer.text import visible
from explorer.text.say import Say, Text, Value, plural
from explorer.vocabulary import PRINTABLE, PieceKind

PROBE = "a b  c\nd é"
"""A text with every sort of space, to see which marks the parts write."""
SHARE = 0.01
"""Fewer tokens with a mark may be characters of the corpus."""
INSIDE = ("normalizers", "pretokenizers", "processors", "decoders")
"""The keys of a Sequence's parts."""


class Finding(NamedTuple):
    """place: in the file. says: what goes wrong. fix: what to do."""

    place: str
    says: Say
    fix: Text

    @classmethod
    def of(cls, rule: str, *values: Value, fix: tuple[Value, ...] = (), **named: object) -> Finding:
        """A row of findings.toml. values: of its sentence. fix: of its repair. named: what its place names."""
        row = FINDINGS[rule]
        return cls(row["place"].format_map(named), Say(row["says"], *values), Text(row["fix"], *fix))


FINDINGS: Mapping[str, Mapping[str, str]] = read_toml(__file__, "findings.toml")


class File(NamedTuple):
    """A tokenizer.json with what the rules ask of it."""

    json: TokenizerJson

    @property
    def vocab(self) -> dict[str, int]:
        """The model's pieces and their ids."""
        from explorer.implementations.transformers.arguments import texts_of  # only a lint takes so many classes

        return dict(texts_of(self.json.model))

    @property
    def ids(self) -> dict[str, int]:
        """The ids of all tokens: those of the file's `added_tokens` are not used, the original assigns them anew."""
        ids = self.vocab
        following = len(ids)
        for entry in self.json.added_tokens:
            if entry.content not in ids:
                ids[entry.content] = following
                following += 1
        return ids

    def parts(self, name: str) -> list[Json]:
        """The parts of a section, those of sequences one by one."""
        return flat(getattr(self.json, name))

    def has(self, section: str, *types: str) -> bool:
        """Whether a section has a part of one of these types."""
        return any(part.get("type") in types for part in self.parts(section))

    @property
    def by_bytes(self) -> bool:
        """Whether texts reach the model as the characters of their bytes."""
        return self.has("normalizer", "ByteLevel") or self.has("pre_tokenizer", "ByteLevel")


def flat(part: Any) -> list[Json]:
    """A part, or those of a sequence.

    >>> flat({"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "ByteFallback"}]})
    [{'type': 'Fuse'}, {'type': 'ByteFallback'}]
    """
    if not isinstance(part, dict):
        return []
    inside = next((part[key] for key in INSIDE if isinstance(part.get(key), list)), None)
    return [part] if inside is None else [each for every in inside for each in flat(every)]


def lint(json: TokenizerJson) -> tuple[Finding, ...]:
    """The findings, in the order of the rules.

    >>> from explorer.formats import tokenizer_json
    >>> model = b'{"type": "BPE", "unk_token": "?", "vocab": {"a": 0}, "merges": []}'
    >>> [finding.place for finding in lint(tokenizer_json.read(b'{"model": %b}' % model, "toy"))]
    ['model.unk_token']
    """
    file = File(json)
    return tuple(finding for rule in RULES for finding in rule(file))


WORD_MARKS = (
    ("end_of_word_suffix", "BPEDecoder", "suffix", "</w>"),
    ("continuing_subword_prefix", "WordPiece", "prefix", "##"),
)
"""Marks that the model writes and a decoder undoes: the model's key, the decoder's type, its key, and what is usual."""


def word_marks(file: File) -> Iterator[Finding]:
    """The marks at the end of a word and of tokens that do not begin one, in the model and in the decoder."""
    decoder = file.parts("decoder")
    for key, kind, name, usual in WORD_MARKS:
        own = file.json.model.get(key) or ""
        undone = [part.get(name, usual) for part in decoder if part.get("type") == kind]
        for other in undone:
            if other != own:
                yield Finding.of(f"{key} unwritten", visible(other))
        replaced = any(part.get("type") in ("Replace", "Strip") and own in str(part) for part in decoder)
        if own and own not in undone and not replaced:
            yield Finding.of(f"{key} left", visible(own))


def unknown(file: File) -> Iterator[Finding]:
    """Characters without a token."""
    model, kind = file.json.model, file.json.model_type
    token = model.get("unk_token")
    if isinstance(token, str) and token not in file.vocab:
        yield Finding.of("unknown token absent", visible(token))
    if kind == "BPE" and token is None and not model.get("byte_fallback") and not file.by_bytes:
        yield Finding.of("unknown token of BPE unnamed")
    if kind == "Unigram" and model.get("unk_id") is None and not model.get("byte_fallback"):
        yield Finding.of("unknown token of Unigram unnamed")


def added(file: File) -> Iterator[Finding]:
    """Ids of added tokens."""
    ids = file.ids
    for number, entry in enumerate(file.json.added_tokens):
        if ids[entry.content] != entry.id:
            yield Finding.of(
                "id of an added token", visible(entry.content), entry.id, ids[entry.content], number=number
            )


def around(file: File) -> Iterator[Finding]:
    """Tokens that the post-processor adds."""
    ids = file.ids
    for part in file.parts("post_processor"):
        for place, token, id in named(part):
            if token not in ids:
                yield Finding.of("token around absent", visible(token), place=place)
            elif ids[token] != id:
                yield Finding.of("id of a token around", visible(token), id, ids[token], place=place)


def named(part: Json) -> Iterator[tuple[str, str, int]]:
    """The tokens of a post-processor: their place, text and id. What is written otherwise is left to the reader."""
    listed = part.get("special_tokens")
    for name, each in listed.items() if isinstance(listed, dict) else ():
        tokens, ids = (each.get(key) if isinstance(each, dict) else None for key in ("tokens", "ids"))
        if isinstance(tokens, list) and isinstance(ids, list):
            for token, id in zip(tokens, ids, strict=False):
                if isinstance(token, str) and isinstance(id, int):
                    yield f"special_tokens[{name!r}]", token, id
    for name in ("cls", "sep"):
        pair = part.get(name)
        if isinstance(pair, list) and list(map(type, pair)) == [str, int]:
            yield name, pair[0], pair[1]


def marks(file: File) -> Iterator[Finding]:
    """Marks of spaces that the vocabulary needs, and no part writes."""
    parts: list[Part] = [
        Normalization(normalizers(file.json.normalizer)),
        PreTokenization(pre_tokenizers(file.json.pre_tokenizer)),
    ]
    given = text_of(run_through(parts, initial_items(PROBE), Options()))
    # the added tokens are found before any part runs
    vocab, outside = file.vocab, {entry.content for entry in file.json.added_tokens}
    for mark in "Ġ▁ ":
        needing = [token for token in vocab if len(token) > 1 and mark in token and token not in outside]
        if mark not in given and len(needing) > SHARE * len(vocab):
            count = plural(len(needing), "token")
            yield Finding.of(f"mark {mark} unwritten", count, visible(mark), visible(needing[0]))


def spaces(file: File) -> Iterator[Finding]:
    """Marks that are written, and not undone by the decoder."""
    if file.by_bytes and not file.has("decoder", "ByteLevel"):
        yield Finding.of("bytes not undone", "Ġ")
    if file.has("pre_tokenizer", "Metaspace") and not file.has("decoder", "Metaspace", "Replace"):
        yield Finding.of("▁ not undone", "▁")


def all_bytes(file: File) -> Iterator[Finding]:
    """Bytes without a token, where texts are written in bytes."""
    vocab = file.vocab
    missing = [ch for ch in PRINTABLE if ch not in vocab]
    if file.by_bytes and missing and vocab and file.json.model.get("unk_token") is None:
        yield Finding.of("bytes missing", plural(len(missing), "byte character"), missing[0])


RULES: tuple[Callable[[File], Iterator[Finding]], ...] = (
    word_marks,
    unknown,
    added,
    around,
    marks,
    spaces,
    all_bytes,
)

OLDEST = "0.13.2"
"""The oldest version that was tried."""

Version = tuple[int, ...]


class Need(NamedTuple):
    """A feature of a file.

    version: the first that knows it. place: in the file. what: it is. refused: whether versions before refuse the file;
    otherwise they read past it.
    """

    version: str
    place: str
    what: str
    refused: bool


def part(section: str, name: str) -> Callable[[File], bool]:
    """Whether a section has a part of this type."""
    return lambda file: file.has(section, name)


def metaspace(key: str, value: object) -> Callable[[File], bool]:
    """Whether a Metaspace has this value under a key, "" where it lacks the key."""
    return lambda file: any(
        each.get("type") == "Metaspace" and each.get(key, "") == value
        for section in ("pre_tokenizer", "decoder")
        for each in file.parts(section)
    )


def merges_are_pairs(file: File) -> bool:
    """Whether merges are written as lists of two; a file without merges can be read either way."""
    merges = file.json.model.get("merges")
    return isinstance(merges, list) and bool(merges) and isinstance(merges[0], list)


def model(kind: str, flag: str) -> Callable[[File], bool]:
    """Whether a model of this type has a flag set."""
    return lambda file: file.json.model_type == kind and file.json.model.get(flag) is True


NEEDS = read_toml(__file__, "features.toml")
FEATURES: tuple[tuple[Need, Callable[[File], bool]], ...] = (
    *((Need(version, f"model.{key}", what, False), model(kind, key))
      for kind, row in IN_FILES.items() for version, key, what in row.since),
    (Need("0.20.0", "model.merges", "merges as pairs", True), merges_are_pairs),
    *((Need(*need), part(need[1], kind)) for *need, kind in NEEDS["parts"]),
    *((Need(*need), metaspace(key, value)) for *need, key, value in NEEDS["metaspace"]),
)  # fmt: skip


def parsed(version: str) -> Version:
    """A version's numbers.

    >>> parsed("0.19.1") < parsed("0.20.0")
    True
    """
    return tuple(map(int, version.split(".")))


def needs(json: TokenizerJson) -> tuple[Need, ...]:
    """The features of a file that not all versions know, those of the newest version first.

    >>> from explorer.formats import tokenizer_json
    >>> model = b'{"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]]}'
    >>> [(each.version, each.what) for each in needs(tokenizer_json.read(b'{"model": %b}' % model, "toy"))]
    [('0.20.0', 'merges as pairs')]
    """
    file = File(json)
    found = [need for need, has in FEATURES if has(file)]
    return tuple(sorted(found, key=lambda need: parsed(need.version), reverse=True))


def readable(json: TokenizerJson) -> Say:
    """Which versions can read a file, and because of what."""
    found = needs(json)
    refused = next((each for each in found if each.refused), None)
    if refused is None:
        say = Say("Every version of tokenizers from {0:t} on can read it.", OLDEST)
    else:
        say = Say("tokenizers {0:t} or later can read it ({1:t}: {2:t}).", refused.version, refused.place, refused.what)
    first = refused.version if refused is not None else OLDEST
    ignored = next((each for each in found if not each.refused and parsed(each.version) > parsed(first)), None)
    if ignored is None:
        return say
    return say.then(Say("Before {0:t} it is read without {1:t} ({2:t}), which may give other ids.", ignored.version,
                           ignored.what, ignored.place))  # fmt: skip


WORD = re.compile(r"[\s▁]*[^\W\d_]+(?:['’ -][^\W\d_]+)*[.,:;!?]?\s*")
"""A text without any sign that marks a special token."""
MARKER = re.compile(r"<[|｜][^<>|｜\s]{1,60}[|｜]>|</?(?:start|end)_of_\w{1,40}>")
"""What a chat template writes for one token."""
KINDS = {
    PieceKind.NORMAL: "normal", PieceKind.BYTE: "byte", PieceKind.UNUSED: "unused", PieceKind.UNDEFINED: "undefined",
}  # fmt: skip


def findings(tokenizer: Opened) -> Iterator[Finding]:
    """All of them that need nothing but the tokenizer."""
    return chain(words(tokenizer), markers(tokenizer))


def words(tokenizer: Opened) -> Iterator[Finding]:
    """Special tokens that read like an ordinary word and are dropped from a decoded text."""
    vocabulary = tokenizer.vocabulary
    found = []
    for id in vocabulary.of_kind(PieceKind.CONTROL):
        spelled = vocabulary.pieces[id].decode("utf-8", "replace")
        if WORD.fullmatch(spelled) and not tokenizer.decode([id], remove_special=False, unparse_special=False):
            found.append(f"{visible(spelled)} ({id})")
    if found:
        reads = f"{plural(len(found), 'special token')} {'reads' if len(found) == 1 else 'read'}"
        yield Finding.of("special words", reads, listed(found))


def sources(tokenizer: Opened) -> Mapping[str, str]:
    """The chat templates; none if they are damaged, which prompts say."""
    try:
        return tokenizer.chat.sources
    except InputError:
        return {}


def markers(tokenizer: Opened) -> Iterator[Finding]:
    """Markers in a chat template that don't become one token."""
    ids, kinds = tokenizer.vocabulary.ids, tokenizer.vocabulary.kinds
    for name, source in sources(tokenizer).items():
        for marker in dict.fromkeys(MARKER.findall(source)):
            id = ids.get(marker.encode())
            try:
                got = tokenizer.encode(marker, add_special=False).ids
            except InputError:
                continue
            if id is not None and id in got:
                continue
            why = (
                "is not a token" if id is None else f"is a token of the type {KINDS.get(PieceKind(kinds[id]), 'other')}"
            )
            rule = "marker absent" if id is None else "marker not found"
            yield Finding.of(rule, name, marker, why, plural(len(got), "token"))


def ends(tokenizer: Opened, generation: Json) -> Iterator[Finding]:
    """An end of turn in the template that is neither EOS nor in generation_config.json. generation: that file."""
    eos = tokenizer.chat.special_tokens.get("eos_token", "") if sources(tokenizer) else ""
    ids, listed_ids = tokenizer.vocabulary.ids, generation.get("eos_token_id")
    stops = set(listed_ids if isinstance(listed_ids, list) else [listed_ids])
    for source in sources(tokenizer).values():
        turns = [each for each in sorted(END_OF_GENERATION) if each in source and each.encode() in ids]
        if (
            not eos
            or not turns
            or eos in source
            or "eos_token" in source
            or stops & {ids[each.encode()] for each in turns}
        ):
            continue
        yield Finding.of("end of turn", eos, turns[0], fix=(ids[turns[0].encode()],))


IDS = tuple(name.replace("_token", "_token_id") for name in NAMED)
OTHER_KEYS = (
    "decoder_start_token_id", "forced_bos_token_id", "forced_eos_token_id", "suppress_tokens", "begin_suppress_tokens",
    "vocab_size", "max_position_embeddings", "n_positions", "max_length",
)  # fmt: skip
"""More keys of the model's files that are about tokens, and that neither version reads for a tokenizer."""


def model_files(folder: Path) -> dict[str, Json]:
    """The settings of tokenizer and model in a folder, by file. Raises InputError for a file that isn't JSON."""
    names = [name for name in (TOKENIZER_CONFIG, CONFIG, GENERATION_CONFIG) if (folder / name).is_file()]
    found = {name: strict_json.read(contents(folder / name), name, f"a {name}", endless=True) for name in names}
    return {name: whole for name, whole in found.items() if isinstance(whole, dict)}


def model_keys(whole: Json) -> Record:
    """The keys of config.json or generation_config.json about tokens that are the model's alone, of its text part, too.

    >>> model_keys({"eos_token_id": [1, 2], "model_type": "llama", "text_config": {"vocab_size": 7}})
    {'eos_token_id': [1, 2], 'text_config.vocab_size': 7}
    """
    text = whole.get("text_config")
    parts = (("", whole), ("text_config.", text if isinstance(text, dict) else {}))
    return {
        f"{prefix}{key}": value for prefix, part in parts for key, value in part.items()
        if key in (*IDS, *OTHER_KEYS) and value is not None
    }  # fmt: skip


def model_ids(tokenizer: Opened, files: Mapping[str, Json]) -> Iterator[Finding]:
    """Ids in config.json and generation_config.json that no token has, or that aren't those of the tokenizer's names.

    files: of the folder, by name (`model_files`). What a later file says of a key counts alone.
    """
    vocabulary = tokenizer.vocabulary
    named = special_tokens(files.get(TOKENIZER_CONFIG, {}))
    counts = {
        key.rpartition(".")[2]: (f"{name}: {key}", value)
        for name, whole in files.items() for key, value in model_keys(whole).items() if key.endswith("_id")
    }  # fmt: skip
    for key, (place, value) in counts.items():
        token = key.removesuffix("_id")
        listed_ids = [each for each in (value if isinstance(value, list) else [value]) if type(each) is int]
        known = [each for each in listed_ids if 0 <= each < len(vocabulary)]
        if strange := sorted({*listed_ids} - {*known}):
            yield Finding.of("no id", f"{strange[0]}", len(vocabulary) - 1, place=place)
        own = vocabulary.ids.get(named[token].encode()) if token in named else None
        if known and own is not None and own not in known:
            has = listed([f"{visible(vocabulary.spelling(each))} ({each})" for each in known])
            yield Finding.of("another id", has, token, named[token], own, place=place, fix=(own, token))


def merges(lines: list[bytes], tokenizer: Opened) -> Iterator[Finding]:
    """Merges of a GGUF without a token for what they make, or that aren't two pieces."""
    pieces = tokenizer.vocabulary.ids
    damaged, lost = list[int](), list[tuple[int, bytes]]()
    for index, line in enumerate(lines):
        if line.count(b" ", 1) != 1 or line.endswith(b" "):
            damaged.append(index)
        elif (made := line.replace(b" ", b"")) not in pieces:
            lost.append((index, made))
    if damaged:
        entries = f"{plural(len(damaged), 'entry', 'entries')} {'isn’t' if len(damaged) == 1 else 'aren’t'}"
        yield Finding.of("merges damaged", entries, damaged[0])
    if lost:
        index, made = lost[0]
        text = visible(made.decode("utf-8", "replace"))
        yield Finding.of("merges without a token", plural(len(lost), "merge"), index, text)


def since(pre: str) -> str:
    """Which llama.cpp knows the name of a pre-tokenizer, by the releases of llama-cpp-python that were looked at."""
    tried = [*FIRST_KNOWN]
    first = next((version for version in tried if pre in FIRST_KNOWN[version].split()), None)
    if first is None:
        return f"The pre-tokenizer {visible(pre)} is in none of the llama.cpp that were looked at (up to {tried[-1]})."
    before = tried[tried.index(first) - 1] if first != tried[0] else ""
    lacks = f", that of {before} doesn't" if before else ""
    return f"The llama.cpp of llama-cpp-python {first} has the pre-tokenizer {visible(pre)}{lacks}."


BOM = b"\xef\xbb\xbf"

TOKENIZERS, LLAMA_CPP = "tokenizers", "llama.cpp"
ERRORS: Mapping[str, Sequence[tuple[str, str]]] = read_toml(__file__, "readability.toml")
"""Original, or one version of it → how a refusal begins here, after the file's name, and what it says then."""


class Refusal(NamedTuple):
    """who: refuses. says: why, as a sentence without its end. error: the original's own, empty if it isn't known."""

    who: str
    says: str
    error: str

    @property
    def text(self) -> str:
        """Both, as sentences."""
        if not self.error:
            return f"It was not opened: {self.says}."
        return f"{self.who} doesn't open it: {self.says}. It says: {self.error.rstrip('.')}."


def refusal(who: str, says: str) -> Refusal:
    """A refusal with the original's own words.

    >>> refusal("tokenizers", "model.merges[1] merges 'x', which is not in model.vocab; repair the file").error
    'Token `x` out of vocabulary'
    """
    for pattern, error in (*ERRORS.get(who.partition("-")[0], ()), *(ERRORS.get(who, ()) if "-" in who else ())):
        if match := re.match(pattern, says):
            return Refusal(who, says, error.format(*match.groups()))
    return Refusal(who, says, "")


def refused(who: str, opened: Callable[[], object], name: str) -> Iterator[Refusal]:
    """The refusal of whoever opens a file, if any. name: of the file in errors. Raises ChoiceNeeded unless it tells."""
    try:
        opened()
    except InputError as error:
        before, _, says = str(error).partition(f"{name}: ")
        found = refusal(who, says if says and before[-1:] in ("", "/", "\\") else str(error))
        if isinstance(error, ChoiceNeeded) and not found.error:
            raise
        yield found


def of_tokenizer_json(data: bytes, name: str) -> Iterator[Refusal]:
    """Why tokenizers refuses a tokenizer.json: what this reader forgives, or what it refuses, too."""
    from explorer.formats import tokenizer_json
    from explorer.opening.formats import as_huggingface

    found = []
    if data.startswith(BOM):
        found.append("it begins with a byte order mark (U+FEFF), which is not JSON; save it without")
    with suppress(InputError):  # said below
        whole = strict_json.read(data, name, "a tokenizer.json")
        found += _stricter(whole) if isinstance(whole, dict) else ()
    yield from (refusal(TOKENIZERS, says) for says in found)
    if not found:
        yield from refused(TOKENIZERS, lambda: as_huggingface(tokenizer_json.read(data, name), name), name)


def _stricter(whole: Record) -> Iterator[str]:
    """What tokenizers refuses in a file, and this reader doesn't."""
    model, added = whole.get("model"), whole.get("added_tokens")
    if isinstance(model, dict) and "type" in model and model["type"] is None:
        yield "model.type is null; name the type, or remove the key"
    elif isinstance(model, dict) and isinstance(kind := model.get("type"), str):
        missing = [key for key in IN_FILES[kind].required if key not in model] if kind in IN_FILES else ()
        if missing:
            yield f"keys are missing in the {kind} model: {listed(missing)}; write them"
    for index, entry in enumerate(added if isinstance(added, list) else ()):
        if missing := [key for key in FLAGS if isinstance(entry, dict) and key not in entry]:
            yield f"keys are missing in added_tokens[{index}]: {listed(missing)}; write them"
            return

"""The class that a folder asks for, over tables of classes, and its arguments.

The class that AutoTokenizer uses for a folder, and the arguments it passes to it: the settings of its files, merged.

Follows `PreTrainedTokenizerBase._from_pretrained`. Both versions read `tokenizer_config.json`; only if that has no
`added_tokens_decoder` do special_tokens_map.json, added_tokens.json and the `added_tokens` of tokenizer.json count.
They differ in how they treat unnamed special tokens, and version 5 drops add_bos_token and add_eos_token if there is a
tokenizer.json.

The special tokens of a class are the named ones and the others, in the order in which each version processes them.

The class: follows `AutoTokenizer.from_pretrained` in `models/auto/tokenization_auto.py`, without `auto_map`, which
names the model's own code: transformers runs it only with permission, and here it never runs. The tables of classes
and model types are the library's own: `python -m tests.auto_tokenizer.tables` writes them, with sentencepiece,
protobuf and tiktoken installed, and without PyTorch and mistral-common.

Stricter than version 4, which guesses the model type from the folder's path if no file names it, so that the folder's
name decides what it is.

Tables of classes: their arguments, and names of functions for what each does; v4.toml and v5.toml say their keys.

The tokenizer inside a tokenizer of `transformers`: the parts of a tokenizer.json, changed step by step.

A class of `transformers` is a series of changes to what it read or built: tokens are added, parts are replaced. Here
the changes are made to the JSON, and the result is run as Hugging Face's tokenizers runs it.

Special and added tokens as `transformers` stores them: plain strings, or tokens with flags.

The library's `AddedToken` leaves `normalized` unset by default and then reports the opposite of `special`. Two tokens
are equal if all flags are; a token never equals a string.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from explorer.errors import InputError, shown
from explorer.facts import USED, Fact, FactKind
from explorer.formats.files import CONFIG, SPECIAL_TOKENS_MAP, TOKENIZER_CONFIG
from explorer.formats.model_folder import NAMED, Settings, check_token
from explorer.formats.tokenizer_json import AddedEntry, TokenizerJson
from explorer.tables import Json, Record, read_toml


@dataclass(frozen=True, slots=True)
class Token:
    """A token with its flags. said: `normalized`, None if it is unset.

    >>> Token.of({"content": "<s>", "special": True}).normalized, Token.of({"content": "a"}).normalized
    (False, True)
    """

    content: str
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    said: bool | None = None
    special: bool = False

    @property
    def normalized(self) -> bool:
        """The effective flag."""
        return not self.special if self.said is None else self.said

    @classmethod
    def of(cls, entry: Json, special: bool | None = None) -> Token:
        """A token of a JSON file. special: overrides the file's flag."""
        return cls(
            entry["content"],
            entry.get("single_word", False),
            entry.get("lstrip", False),
            entry.get("rstrip", False),
            entry.get("normalized"),
            entry.get("special", False) if special is None else special,
        )

    def as_special(self, special: bool = True) -> Token:
        return replace(self, special=special)

    @property
    def flags(self) -> tuple[object, ...]:
        """Everything that two tokens are compared by."""
        return self.content, self.single_word, self.lstrip, self.rstrip, self.normalized, self.special

    def entry(self, id: int) -> AddedEntry:
        """The token as a tokenizer.json lists it."""
        return AddedEntry(id, self.content, self.special, self.single_word, self.lstrip, self.rstrip, self.normalized)


Some = str | Token
"""A token, with flags or without."""


def text(token: Some) -> str:
    """The spelling of a token."""
    return token.content if isinstance(token, Token) else token


def named(tokens: str, **others: Any) -> Record:
    """Named special tokens from words, a name and a spelling each, and other arguments of a class.

    >>> named("bos <s> unk <unk>", add_prefix_space=True)
    {'bos_token': '<s>', 'unk_token': '<unk>', 'add_prefix_space': True}
    """
    words = tokens.split()
    return {f"{key}_token": spelling for key, spelling in zip(words[::2], words[1::2], strict=True)} | others


def among(token: Some, tokens: Iterable[Some]) -> bool:
    """Whether a token is one of these; a string never equals a token with flags.

    >>> among("a", [Token("a")]), among(Token("a"), [Token("a", said=True)]), among("a", ["a"])
    (False, True, True)
    """
    if isinstance(token, Token):
        return any(isinstance(each, Token) and each.flags == token.flags for each in tokens)
    return any(not isinstance(each, Token) and each == token for each in tokens)


def converted(value: Any) -> Any:
    """A value of tokenizer_config.json with every object marked as an AddedToken turned into a token.

    Raises InputError for one without content, or with flags that aren't Booleans.
    """
    if isinstance(value, dict):
        if value.get("__type") == "AddedToken":
            check_token(value, TOKENIZER_CONFIG, "an AddedToken")
            return Token.of(value)
        return {key: converted(each) for key, each in value.items()}
    return [converted(each) for each in value] if isinstance(value, list) else value


Part = Json


@dataclass
class Backend:
    """A tokenizer.json under construction.

    model: the section, with its type. texts: piece → id of the model alone. entries: the added tokens, in the order
    they were added; of equal spellings the last counts. merges: of a class in Python whose symbols need not be pieces,
    None for others. facts: about changes.
    """

    model: Json
    texts: Mapping[str, int]
    normalizer: Part | None = None
    pre_tokenizer: Part | None = None
    post_processor: Part | None = None
    decoder: Part | None = None
    entries: list[AddedEntry] = field(default_factory=list)
    merges: list[str] | None = None
    facts: list[Fact] = field(default_factory=list)

    @classmethod
    def of(cls, file: TokenizerJson) -> Backend:
        """The contents of a tokenizer.json."""
        backend = cls(
            file.model, texts_of(file.model), file.normalizer, file.pre_tokenizer, file.post_processor, file.decoder
        )
        backend.entries = list(file.added_tokens)
        return backend

    @property
    def added(self) -> dict[str, tuple[int, AddedEntry]]:
        """Spelling → id in force and entry of each added token."""
        found: dict[str, tuple[int, AddedEntry]] = {}
        free = len(self.texts)
        for entry in self.entries:
            if not entry.content:
                continue
            id = found[entry.content][0] if entry.content in found else self.texts.get(entry.content)
            if id is None:
                id, free = free, free + 1
            found[entry.content] = id, entry
        return found

    @property
    def tokens(self) -> list[Token]:
        """The added tokens with their flags."""
        return [as_token(entry) for _, entry in self.added.values()]

    @property
    def contents(self) -> dict[int, str]:
        """The spelling of each token, by its id."""
        added = {id: content for content, (id, _) in self.added.items()}
        return {id: content for content, id in self.texts.items()} | added

    def id_of(self, content: str) -> int | None:
        """The id of a token by its spelling, None if there is none."""
        found = self.added.get(content)
        return self.texts.get(content) if found is None else found[0]

    def add(self, tokens: Iterable[Token]) -> None:
        """Adds tokens, and changes the flags of existing ones."""
        known = self.added
        free = len(self.texts) + sum(content not in self.texts for content in known)
        for token in tokens:
            existing = known.get(token.content)
            if not token.content or (existing is not None and token.flags == as_token(existing[1]).flags):
                continue
            id = existing[0] if existing is not None else self.texts.get(token.content)
            if id is None:
                id, free = free, free + 1
            known[token.content] = id, token.entry(id)
            self.entries.append(token.entry(id))

    def add_missing(self, decoder: Mapping[int, Token], special: Iterable[Some], names: Collection[str]) -> None:
        """Adds tokens that it lacks, or has with other flags. decoder: by id. names: which of them are special.

        A special token with flags is added even if its spelling exists.
        """
        existing = self.tokens
        flags = {token.flags for token in existing}
        new: list[Some] = [token for _, token in sorted(decoder.items()) if token.flags not in flags]
        spelled = {token.content for token in existing} | {text(token) for token in new}
        for token in special:
            if (isinstance(token, Token) or token not in spelled) and not among(token, new):
                new.append(token)
        self.add(
            token.as_special(token.special or token.content in names)
            if isinstance(token, Token)
            else Token(token, special=True)
            for token in new
        )

    def whole(self, first_special: bool = False) -> TokenizerJson:
        """The resulting tokenizer.json.

        first_special: as tokenizers 0.22 searches for tokens that were added twice: in the normalized text if any entry
        up to the first special one is normalized. In 0.23 the last entry counts.
        """
        entries = self.entries
        if first_special:
            searched: dict[str, bool] = {}
            special: set[str] = set()
            for entry in entries:
                if entry.content not in special:
                    searched[entry.content] = searched.get(entry.content, False) or entry.normalized
                if entry.special:
                    special.add(entry.content)
            entries = [entry._replace(normalized=searched[entry.content]) for entry in entries]
        return TokenizerJson(
            self.model, tuple(entries), self.normalizer, self.pre_tokenizer,
            self.post_processor, self.decoder,
        )  # fmt: skip

    def say(self, topic: str, says: str, place: str = "", *, kind: FactKind = USED) -> None:
        self.facts.append(Fact(topic, says, place, kind=kind))


def as_token(entry: AddedEntry) -> Token:
    """An entry of `added_tokens` with its flags."""
    return Token(entry.content, entry.single_word, entry.lstrip, entry.rstrip, entry.normalized, entry.special)


def texts_of(model: Json) -> Mapping[str, int]:
    """Piece → id of a model's section, whatever its type, unchecked."""
    vocab = model.get("vocab")
    if isinstance(vocab, dict):
        return vocab
    if not isinstance(vocab, list):
        return {}
    return {str(each[0]): id for id, each in enumerate(vocab) if isinstance(each, list) and each}


# --- the class and its arguments --------------------------------------------------------------------------------------


VERSIONS = {5: "5.23.0", 4: "4.57.6"}
"""A major version → its newest release."""


def stops(version: int, why: str) -> InputError:
    """The error where the original raises one."""
    return InputError(f"transformers {VERSIONS[version]} stops here: {why}")


class OfModel(NamedTuple):
    """The classes of a version for a `model_type`.

    by_config: for the model's configuration, "-" if that has none (version 4). registered: the name in the table of
    tokenizers (version 5). wrong_on_hub: whether such models are known to name a wrong class (version 5).
    """

    by_config: str = ""
    registered: str = ""
    wrong_on_hub: bool = False


@cache
def classes(version: int) -> Mapping[str, str]:
    """`tokenizer_class` → the class that is used for it.

    >>> classes(4)["GPT2Tokenizer"], classes(5)["GPT2TokenizerFast"]
    ('GPT2TokenizerFast', 'GPT2Tokenizer')
    """
    return {row["tokenizer_class"]: row[str(version)] for row in _rows("classes.tsv") if row[str(version)]}


@cache
def models(version: int) -> Mapping[str, OfModel]:
    """`model_type` → the classes for it.

    >>> models(4)["llama"].by_config, models(5)["bert"].registered
    ('LlamaTokenizerFast', 'BertTokenizer')
    """
    registered, hub = f"{version}_registered", f"{version}_hub"
    rows = {
        row["model_type"]: OfModel(row[str(version)], row.get(registered, ""), row.get(hub) == "wrong")
        for row in _rows("models.tsv")
    }
    return {model: row for model, row in rows.items() if any(row)}


@cache
def methods(version: int) -> frozenset[str]:
    """Names that no setting may have, because the class has a method of that name.

    >>> "encode" in methods(4), "encode_plus" in methods(5)
    (True, False)
    """
    return frozenset(row["method"] for row in _rows("methods.tsv") if row[str(version)])


@cache
def languages(model: str) -> tuple[str, ...]:
    """The codes of a model's languages, in the library's order; those of "whisper-names" follow English names.

    >>> languages("mbart")[:2], len(languages("nllb")), languages("whisper-names")[:4]
    (('ar_AR', 'cs_CZ'), 202, ('english', 'en', 'chinese', 'zh'))
    """
    return next(tuple(row["languages"].split(" ")) for row in _rows("languages.tsv") if row["model"] == model)


def _rows(name: str) -> list[dict[str, str]]:
    """The rows of a table beside this module as column name → value."""
    lines = Path(__file__).with_name(name).read_text("utf-8").splitlines()
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


PLAIN = "TokenizersBackend"
"""The default of version 5."""
GENERIC = (PLAIN, "PythonBackend", "PreTrainedTokenizerFast")
"""Classes for any kind of tokenizer."""


def class_for(version: int, settings: Settings, byte_level: bool = False) -> str:
    """The name of the class. byte_level: whether the tokenizer.json contains the string "ByteLevel", with its quotes.

    Raises InputError if the version finds none.

    >>> class_for(4, Settings({"tokenizer_class": "LlamaTokenizer"}), True)
    'LlamaTokenizerFast'
    >>> class_for(5, Settings({"tokenizer_class": "LlamaTokenizer"}), True)
    'TokenizersBackend'
    """
    return _class_of_version_4(settings) if version == 4 else _class_of_version_5(settings, byte_level)


def _class_of_version_4(settings: Settings) -> str:
    named, code = named_class(settings.tokenizer), own_code(settings.tokenizer)
    kind = ""
    if named is None:
        config = settings.config or {}
        kind = settings.model_type
        if not kind:
            raise InputError(
                f"there is neither tokenizer_class in {TOKENIZER_CONFIG} nor model_type in {CONFIG}, so version 4 "
                "would guess from the folder's path; add one of them"
            )
        if kind not in models(4):
            raise stops(4, f"{CONFIG}: it does not know the model_type {shown(kind)}")
        named, code = named_class(config), own_code(config) or code
        if named is None and models(4)[kind].by_config == "-":
            raise stops(4, f"{CONFIG}: a model of the type {shown(kind)} has no tokenizer")
    found = classes(4).get(named or "")
    refuse_code(4, code, found or (named is None and kind))
    if named is None:
        return models(4)[kind].by_config
    if found is None:
        raise stops(4, f"it has no class {shown(named)}; the name is wrong, or the folder is for version 5")
    return found


def _class_of_version_5(settings: Settings, byte_level: bool) -> str:
    config, kind = settings.config or {}, settings.model_type
    of_model = models(5).get(kind, OfModel())
    wrong = of_model.wrong_on_hub or models(5).get(config.get("model_name") or "", OfModel()).wrong_on_hub
    in_settings = named_class(settings.tokenizer)
    named, code = in_settings or named_class(config), own_code(settings.tokenizer)
    registered = bare(of_model.registered)
    if code is None:
        if named is not None and bare(named) == "LlamaTokenizer" and not wrong and byte_level:
            return PLAIN
        if named is not None and registered and registered != bare(named):
            found = "" if registered in GENERIC else class_of(registered if wrong else named)
            return PLAIN if found in ("", *GENERIC) else found
    local = registered or class_of(bare(in_settings or ""))
    if code is not None and not of_model.wrong_on_hub:
        refuse_code(5, code, local)
    if in_settings:
        return _or_plain(class_of(bare(in_settings)))
    if named:
        found = class_of(named if "PreTrainedTokenizerFast" in named else bare(named))
        if not found:
            raise stops(5, f"{CONFIG}: it has no class {shown(named)}")
        return _or_plain(found)
    return _or_plain(of_model.by_config)


def _or_plain(name: str) -> str:
    return PLAIN if name in ("", *GENERIC) else name


def class_of(name: str) -> str:
    """The class that version 5 uses for a name, empty if it has none."""
    return classes(5).get(name) or classes(5).get(f"{name}Fast", "")


def bare(name: str) -> str:
    """A name without the suffix "Fast", which version 5 does not use."""
    return name.removesuffix("Fast")


def named_class(whole: Json | None) -> str | None:
    """`tokenizer_class` of a file."""
    name: str | None = (whole or {}).get("tokenizer_class")
    return name


def own_code(whole: Json | None) -> Any:
    """The location of the model's own code according to a file; None if it names none."""
    auto_map = (whole or {}).get("auto_map")
    return auto_map.get("AutoTokenizer") if isinstance(auto_map, dict) else auto_map


def refuse_code(version: int, code: Any, local: object) -> None:
    """Raises InputError if a folder can only be opened with its own code."""
    if code is not None and not local:
        raise stops(
            version,
            "auto_map asks for the model's own code, which is never run here; @huggingface does not need it",
        )


ADDITIONAL, EXTRA, SPECIFIC = "additional_special_tokens", "extra_special_tokens", "model_specific_special_tokens"
NO_ARGUMENTS = ("tokenizer_class", "init_inputs", "auto_map", "added_tokens_decoder")
"""Keys of tokenizer_config.json that are not arguments of a class."""


@dataclass
class Arguments:
    """What a class is args. values: its arguments by name. decoder: id → added token, in the file's order.

    used: which files said something, with the keys of tokenizer_config.json that did.
    """

    version: int
    values: Record = field(default_factory=dict)
    decoder: dict[int, Token] = field(default_factory=dict)

    def refusal(self, why: str) -> InputError:
        """The error where the original raises one."""
        return stops(self.version, why)

    def flag(self, key: str, default: bool | None = False) -> bool | None:
        """A setting that may be true, false or null."""
        value: bool | None = self.values.get(key, default)
        return value

    def sure(self, key: str, default: bool = False) -> bool:
        """A setting that must not be null."""
        value = self.flag(key, default)
        if value is None:
            raise self.refusal(f"{TOKENIZER_CONFIG}: {key} is null; set it to true or false")
        return value

    def token(self, key: str) -> Some | None:
        """A named special token."""
        value: Some | None = self.values.get(key)
        return value

    def spelling(self, key: str) -> str:
        """The spelling of a named special token; null is "None", as Python writes it."""
        return spelled(self.values.get(key))


def arguments(version: int, settings: Settings, added: Sequence[AddedEntry] | None, has_file: bool) -> Arguments:
    """The arguments for a folder.

    added: `added_tokens` of its tokenizer.json, None if it has no such key. has_file: whether there is one.
    Raises InputError where the original raises an error.
    """
    config = dict(settings.tokenizer or {})
    for key in config:
        if key in methods(version):
            raise stops(version, f"{TOKENIZER_CONFIG}: {key} is the name of a method; remove it")
    if config.get("init_inputs"):
        raise InputError(f"{TOKENIZER_CONFIG}: init_inputs is not supported here; remove it")
    _refuse_paths(version, config, has_file)
    for key in ("padding_side", "truncation_side"):
        if key in config and config[key] not in ("left", "right"):
            raise stops(version, f"{TOKENIZER_CONFIG}: {key} is {shown(config[key])}; set it to left or right")
    decoder = config.get("added_tokens_decoder")
    values = {key: value for key, value in config.items() if key not in NO_ARGUMENTS}
    gathered = Arguments(version, values)
    if version != 4:
        _adjust_for_version_5(values, has_file)
    by_content: dict[str, Token] = {}
    if "added_tokens_decoder" in config:
        if decoder is None:
            raise gathered.refusal(f"{TOKENIZER_CONFIG}: added_tokens_decoder is null; remove it")
        for id, entry in decoder.items():
            gathered.decoder[int(id)] = by_content[entry["content"]] = Token.of(entry)
    else:
        _add_legacy_files(gathered, settings, by_content)
        if has_file:
            if added is None:
                raise gathered.refusal("tokenizer.json has no added_tokens; add an empty list, or added_tokens_decoder")
            for entry in added:
                gathered.decoder[entry.id] = by_content[entry.content] = as_token(entry)
    gathered.values = converted(values)
    for key in NAMED:
        value = gathered.values.get(key)
        if isinstance(value, (str, Token)):
            gathered.values[key] = by_content.get(text(value), value)
        elif value is not None:
            raise gathered.refusal(
                f'{TOKENIZER_CONFIG}: {key} is {shown(value)} without "__type": "AddedToken"; give its text'
            )
    return gathered


def _refuse_paths(version: int, config: Json, has_file: bool) -> None:
    """Raises InputError if the settings name files other than those of the folder."""
    for key in ("tokenizer_file", "vocab_file", "merges_file"):
        # version 5 uses the folder's files; version 4 uses the files that the settings name
        if version == 4 and key in config and not (has_file and key != "tokenizer_file"):
            raise InputError(
                f"{TOKENIZER_CONFIG}: {key} is {shown(config[key])}, and version 4 opens that instead of the folder's "
                "file; remove it"
            )
    if any(each != "tokenizer.json" for each in config.get("fast_tokenizer_files") or ()):
        raise InputError(
            f"{TOKENIZER_CONFIG}: fast_tokenizer_files names other files, which is not supported here; remove it"
        )


def _adjust_for_version_5(values: Record, has_file: bool) -> None:
    """Changes the settings as version 5 does before it reads other files.

    Special tokens with names of their own are set last, so they replace a class's defaults of the same name.
    """
    if has_file:
        values.pop("add_bos_token", None)
        values.pop("add_eos_token", None)
    if ADDITIONAL in values and not values.get(EXTRA):
        values[EXTRA] = values.pop(ADDITIONAL)
    specific = {
        key: values.pop(key)
        for key in [*values]
        if key not in NAMED and key.endswith("_token") and isinstance(values[key], str)
    }
    if isinstance(values.get(EXTRA), dict):
        specific |= values.pop(EXTRA)
    if specific:
        values[SPECIFIC] = specific


def _add_legacy_files(gathered: Arguments, settings: Settings, by_content: dict[str, Token]) -> None:
    last: Some | None = None
    for key, value in (settings.special or {}).items():
        last = _add_special(gathered, key, value, last)
    if settings.added is None:
        return
    values = gathered.values
    special = {spelled(values[key]) for key in NAMED if values.get(key)}
    special |= set(map(spelled, values.get(ADDITIONAL if gathered.version == 4 else EXTRA) or ()))
    for content, id in settings.added.items():
        token = Token(content, said=content not in special, special=content in special)
        gathered.decoder[id] = token
        # version 4 uses a stale variable as the key: the last token of the loop before
        by_content[content if gathered.version != 4 else "None" if last is None else text(last)] = token


def _add_special(gathered: Arguments, key: str, value: Any, last: Some | None) -> Some | None:
    """Adds a key of special_tokens_map.json to the settings. Returns the last token of a list so far."""
    values, version = gathered.values, gathered.version
    if isinstance(value, dict) and not (version != 4 and key == EXTRA):
        if "content" not in value:
            raise gathered.refusal(f"{SPECIAL_TOKENS_MAP}: {key} is {shown(value)}, not a token; remove it")
        value = Token.of(value, special=True)
    elif isinstance(value, list) and key == (ADDITIONAL if version == 4 else EXTRA):
        known = list((values.pop(key, None) if version == 4 else values.get(key)) or [])
        for each in value:
            if version != 4 and isinstance(each, dict) and "special" in each:
                raise gathered.refusal(f"{SPECIAL_TOKENS_MAP}: {key} has a token with the key special; remove that key")
            last = Token.of(each, special=True) if isinstance(each, dict) else each
            if not among(last, known):
                known.append(last)
        value = known
    values[key] = value
    if version != 4 and isinstance(values.get(EXTRA), dict):
        values[SPECIFIC] = values.get(SPECIFIC, {}) | values.pop(EXTRA)
    return last


def spelled(value: Any) -> str:
    """A token, or any other value, as Python's `str` writes it."""
    return text(value) if isinstance(value, (str, Token)) else str(value)


def only_tokens(gathered: Arguments, key: str, values: Json | Sequence[Any]) -> None:
    """Raises InputError if any of the special tokens is something else."""
    for each in values.values() if isinstance(values, Mapping) else values:
        if not isinstance(each, (str, Token)):
            raise gathered.refusal(f"{key} contains {shown(each)}, which is not a token; give its text")


def special_tokens(args: Arguments) -> list[Some]:
    """All special tokens, the named ones first, each spelling once."""
    own = args.values.get(ADDITIONAL)
    if own is not None and not (isinstance(own, list) and all(isinstance(each, (str, Token)) for each in own)):
        raise args.refusal(f"{ADDITIONAL} is {shown(own)}, not a list of tokens")
    extra = args.values.get(EXTRA, {})
    if not isinstance(extra, dict):
        raise args.refusal(f"{EXTRA} is {'null' if extra is None else 'a list'}, but it must be an object with names")
    for key, value in extra.items():
        if not isinstance(value, (str, Token)):
            raise args.refusal(f"{EXTRA}.{shown(key)} is {shown(value)}, not a token")
    named: Record = {key: args.values.get(key) for key in NAMED} | {ADDITIONAL: own or []} | extra
    found: list[Some] = []
    seen: set[str] = set()
    for value in named.values():
        for token in value if isinstance(value, list) else [value]:
            # an empty text is ignored, unless it is in a list or has flags
            if token is not None and (token or isinstance(value, list)) and text(token) not in seen:
                found.append(token)
        seen |= {text(token) for token in (value if isinstance(value, list) else [value]) if token is not None}
    return found


def named_tokens(args: Arguments) -> dict[str, Some]:
    """The named special tokens, in the order the original processes them."""
    named: Record = dict.fromkeys(NAMED)
    for key in NAMED:
        named[key] = args.values.get(key)
    extra = extras(args)
    if isinstance(extra, dict):
        only_tokens(args, EXTRA, extra)
        named |= extra
    own = {
        key: value
        for key, value in args.values.items()
        if key.endswith("_token") and key not in NAMED and isinstance(value, (str, Token))
    }
    specific = args.values.get(SPECIFIC) or {}
    if not isinstance(specific, dict):
        raise args.refusal(f"{SPECIFIC} is {shown(specific)}, not an object with names")
    only_tokens(args, SPECIFIC, specific)
    named |= own | specific
    return {key: value for key, value in named.items() if value is not None}


def extras(args: Arguments) -> Any:
    """The unnamed special tokens: a list, or an object with names of their own."""
    return args.values.get(EXTRA, args.values.get(ADDITIONAL))


def unnamed_tokens(args: Arguments) -> list[Any]:
    """The same if they are a list; otherwise an empty list."""
    extra = extras(args)
    return extra if isinstance(extra, list) else []


def all_tokens(args: Arguments) -> list[Some]:
    """All special tokens, the named ones first."""
    return [*named_tokens(args).values(), *unnamed_tokens(args)]


class Row(Struct, frozen=True, kw_only=True):
    """The arguments of a class that its settings may omit, and the flags of special tokens that are plain strings."""

    names: str
    tokens: str = ""
    arguments: Record = {}
    null: tuple[str, ...] = ()
    flags: dict[str, dict[str, bool]] = {}

    def applied(self, values: Json) -> Record:
        """Arguments with what they omit."""
        whole = {**named(self.tokens), **self.arguments, **dict.fromkeys(self.null), **values}
        for keys, flags in self.flags.items():
            whole |= {key: Token(whole[key], **flags) for key in keys.split() if isinstance(whole.get(key), str)}
        return whole


AnyRow = TypeVar("AnyRow", bound=Row)


def rows(file: str, key: str, kind: type[AnyRow]) -> dict[str, AnyRow]:
    """The rows of a table beside this module by each of their names."""
    whole = read_toml(__file__, file)
    read: list[AnyRow] = msgspec.convert(whole[key], list[kind])  # type: ignore[valid-type]
    return {name: row for row in read for name in row.names.split()}


def call(module: str, names: Iterable[str], *values: Any) -> None:
    """Calls functions by their names in a module, which may be those of a module that it imports."""
    for name in names:
        attrgetter(name)(sys.modules[module])(*values)

"""What stands next to a vocabulary in a model's folder, as `transformers` saves it: settings and chat templates.

    tokenizer_config.json     the class, its settings, the special tokens
    special_tokens_map.json   special tokens again, in folders saved before 2024
    added_tokens.json         added tokens and their ids, of the same time
    config.json               the model: its type, the rows of its embedding

Keys that some version of `transformers` reads must have their type here; the original accepts anything. `null` is
allowed for all of them. Left out: settings of the model that do not affect tokens.

    chat_template.jinja                        the default template, of transformers from 4.43 on
    additional_chat_templates/NAME.jinja       others
    tokenizer_config.json: chat_template       a text, or a list of names and templates; older
    chat_template.json: chat_template          of a processor, read where nothing else is
    GGUF: tokenizer.chat_template[.NAME]       the same in one file

A file of its own comes before a key, as in `transformers`. Templates are read when they are asked for: tokenizing
doesn't need them. Left out: the special tokens that only a class of `transformers` knows.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from explorer.errors import InputError, errors_of, shown
from explorer.formats import strict_json
from explorer.formats.files import (
    ADDED_TOKENS,
    ADDITIONAL,
    CONFIG,
    OTHERS,
    SETTINGS,
    SPECIAL_TOKENS_MAP,
    TEMPLATES,
    TOKENIZER_CONFIG,
    check_size,
)
from explorer.tables import Json, read_toml

NAMED = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
"""The named special tokens, in the order in which both versions process them."""

MAX_FILE = 1 << 26
"""Bytes of a file. The largest known, with thousands of added tokens, have 5 million."""

TEXT, FLAG, NUMBER, OBJECT, LIST = "a text", "true or false", "a number", "an object", "a list"
TYPES: dict[str, type | tuple[type, ...]] = {
    TEXT: str, FLAG: bool, NUMBER: (int, float), OBJECT: dict, LIST: list,
}  # fmt: skip

_KEYS = {
    file: {key: tuple(types) for types, keys in rows for key in keys.split()}
    for file, rows in read_toml(__file__, "model_folder.toml").items()
}
_TOKENIZER_KEYS: Mapping[str, tuple[str, ...]] = _KEYS["tokenizer"]
"""Keys of tokenizer_config.json → the types they may have."""

KNOWN = frozenset(_TOKENIZER_KEYS)
"""The keys of tokenizer_config.json that have an effect somewhere, besides the named special tokens."""


Files = Callable[[str], bytes | None]
"""The content of a file beside the vocabulary, by its name; None where there is no such file."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings next to a vocabulary. A missing file is None.

    present: the names of all existing companion files, those that are read first.
    """

    tokenizer: Json | None = None
    special: Json | None = None
    added: Mapping[str, int] | None = None
    config: Json | None = None
    present: tuple[str, ...] = field(default=())

    def __bool__(self) -> bool:
        """Whether any such file exists."""
        return bool(self.present)

    @property
    def model_type(self) -> str:
        """`model_type` of config.json, empty if missing."""
        return (self.config or {}).get("model_type") or ""

    @property
    def rows(self) -> tuple[int, str] | None:
        """The rows of the model's embedding, and the key that says so; None if no key does.

        >>> Settings(config={"text_config": {"vocab_size": 7}}).rows
        (7, 'text_config.vocab_size')
        """
        config = self.config or {}
        for key, value in (("vocab_size", config), ("text_config.vocab_size", config.get("text_config") or {})):
            size = value.get("vocab_size")
            if isinstance(size, int):
                return size, key
        return None


def read(beside: Files, exists: Callable[[str], bool] | None = None) -> Settings:
    """Reads the settings next to a vocabulary. Raises InputError naming the file and the key that is wrong.

    beside: the bytes of a file, or None. exists: whether a file exists; by default, it is read.

    >>> read({"tokenizer_config.json": b'{"add_bos_token": true}'}.get).tokenizer
    {'add_bos_token': True}
    """
    files = {name: data for name in SETTINGS if (data := beside(name)) is not None}
    there = exists or (lambda name: beside(name) is not None)
    tokenizer = special = config = None
    if TOKENIZER_CONFIG in files:
        tokenizer = checked(TOKENIZER_CONFIG, files[TOKENIZER_CONFIG], _TOKENIZER_KEYS)
        check_tokens(tokenizer, TOKENIZER_CONFIG)
        for id, entry in (tokenizer.get("added_tokens_decoder") or {}).items():
            place = f"added_tokens_decoder.{shown(id)}"
            if not (id.isascii() and id.isdigit() and len(id) < 10):
                raise InputError(f"{TOKENIZER_CONFIG}: {place} is not an id; repair the file")
            check_token(entry, TOKENIZER_CONFIG, place)
    if SPECIAL_TOKENS_MAP in files:
        special = checked(SPECIAL_TOKENS_MAP, files[SPECIAL_TOKENS_MAP], _TOKENIZER_KEYS)
        check_tokens(special, SPECIAL_TOKENS_MAP)
    added = checked(ADDED_TOKENS, files[ADDED_TOKENS], {}) if ADDED_TOKENS in files else None
    for content, id in (added or {}).items():
        if type(id) is not int or not 0 <= id < 1 << 31:
            raise InputError(f"{ADDED_TOKENS}: {shown(content)} has {shown(id)}, which is not an id; repair the file")
    if CONFIG in files:
        config = checked(CONFIG, files[CONFIG], _KEYS["config"])
        text = config.get("text_config") or {}
        if not isinstance(text.get("vocab_size"), (int, type(None))) or isinstance(text.get("vocab_size"), bool):
            raise wrong(CONFIG, "text_config.vocab_size", text["vocab_size"], (NUMBER,))
    return Settings(tokenizer, special, added, config, (*files, *filter(there, OTHERS)))


def checked(name: str, data: bytes, keys: Mapping[str, tuple[str, ...]]) -> Json:
    """The object in a file, after checking the types of its known keys."""
    check_size(len(data), MAX_FILE, name)
    # Python writes and reads NaN and Infinity, for unlimited settings
    whole = strict_json.read(data, name, f"a {name}", endless=True)
    if not isinstance(whole, dict):
        raise InputError(f"{name}: this is not a JSON object; give the file that belongs to the tokenizer")
    with errors_of(name):
        strict_json.check_depth(whole, f"a {name}")
    for key, kinds in keys.items():
        value = whole.get(key)
        # true and false are not numbers
        allowed = (isinstance(value, TYPES[kind]) and (kind == FLAG or type(value) is not bool) for kind in kinds)
        if value is not None and not any(allowed):
            raise wrong(name, key, value, kinds)
    return whole


def wrong(name: str, key: str, value: object, kinds: Iterable[str]) -> InputError:
    """The error for a key with a value of another type."""
    return InputError(f"{name}: {key} is {shown(value)}, not {' or '.join(kinds)}; repair the file")


def check_tokens(whole: Json, name: str) -> None:
    """Raises InputError for a special token that is neither a text nor an object with `content`."""
    for key, value in tokens_of(whole, name):
        if not isinstance(value, str) and not (value is None and key in NAMED):
            check_token(value, name, key)


def tokens_of(whole: Json, name: str) -> Iterator[tuple[str, Any]]:
    """Every special token of a file as path and value, of whatever type."""
    for key, value in whole.items():
        if key in NAMED:
            yield key, value
    for key in ("additional_special_tokens", "extra_special_tokens"):
        value = whole.get(key)
        if isinstance(value, dict):
            yield from ((f"{key}.{shown(name)}", each) for name, each in value.items())
        elif isinstance(value, list):
            yield from ((f"{key}[{index}]", each) for index, each in enumerate(value))
        elif value is not None:
            raise wrong(name, key, value, (LIST, OBJECT))


def check_token(entry: object, name: str, path: str) -> None:
    """Raises InputError unless an object is a token."""
    if not isinstance(entry, dict) or not isinstance(entry.get("content"), str):
        raise InputError(
            f"{name}: {path} is {shown(entry)}, neither a text nor an object with content; repair the file"
        )
    for flag in ("single_word", "lstrip", "rstrip", "normalized", "special"):
        if not isinstance(entry.get(flag, False), bool):
            raise wrong(name, f"{path}.{flag}", entry[flag], (FLAG,))


DEFAULT = "default"
TOOL_USE = "tool_use"
"""The template that `transformers` takes when there are tools, if a model has one of this name."""

JINJA, JSON = TEMPLATES
GGUF_KEY = "tokenizer.chat_template"
NO_ID: Mapping[str, Mapping[str, int]] = {"llama": {"bos": 1, "eos": 2}, "gpt2": {"bos": 11, "eos": 11}}
"""llama.cpp's ids of BOS and EOS where a file names none, by `tokenizer.ggml.model`."""


@dataclass(frozen=True, slots=True)
class ChatTemplates:
    """The templates of a model.

    sources: by name. special_tokens: what templates may name, such as {"bos_token": "<s>"}. missing: what is said if
    there are none. counted: whether a rule for the count of messages was published instead (`opening.openai`).
    response: how `transformers` reads an answer, as tokenizer_config.json has it.
    """

    sources: Mapping[str, str] = field(default_factory=dict)
    special_tokens: Mapping[str, str] = field(default_factory=dict)
    missing: str = "This model has no chat template. Choose one of ours, such as ours:chatml, or write one."
    counted: bool = False
    response: Any = None

    def named(self, name: str = "", *, tools: bool = False) -> str:
        """The source of a template; without a name, the one that `transformers` takes. Raises InputError.

        >>> ChatTemplates({"default": "a", "tool_use": "b"}).named(tools=True)
        'b'
        """
        if not self.sources:
            raise InputError(self.missing)
        wanted = name or (TOOL_USE if tools and TOOL_USE in self.sources else DEFAULT)
        if wanted not in self.sources:
            raise InputError(
                "This model has no template {0:q}; its templates are {1:t}.", wanted, ", ".join(self.sources)
            )
        return self.sources[wanted]


def in_folder(config: Json | None, beside: Files, others: Iterable[str] = ()) -> ChatTemplates:
    """The templates of a model's folder.

    config: tokenizer_config.json. beside: the bytes of a file in the folder, None if there is none. others: the names
    of the files in additional_chat_templates/.

    >>> found = in_folder({"chat_template": "{{ bos_token }}", "bos_token": {"content": "<s>"}}, lambda name: None)
    >>> found.sources, found.special_tokens
    ({'default': '{{ bos_token }}'}, {'bos_token': '<s>'})
    """
    config = config or {}
    sources = _of_value(config.get("chat_template"))
    files = {DEFAULT: JINJA} | {name.removesuffix(".jinja"): ADDITIONAL + name for name in sorted(others)}
    texts = {name: data.decode("utf-8", "replace") for name, path in files.items() if (data := beside(path))}
    if not texts and not sources and (data := beside(JSON)):
        value = strict_json.read(data, JSON, "a chat template")
        sources = _of_value(value.get("chat_template") if isinstance(value, dict) else None)
    return ChatTemplates(texts or sources, special_tokens(config), response=config.get("response_template"))


def in_gguf(metadata: Json) -> ChatTemplates:
    """The templates of a GGUF file.

    >>> found = in_gguf({"tokenizer.chat_template": "{{ bos_token }}", "tokenizer.ggml.tokens": [b"<s>"],
    ...                  "tokenizer.ggml.bos_token_id": 0})
    >>> found.sources, found.special_tokens
    ({'default': '{{ bos_token }}'}, {'bos_token': '<s>'})
    """
    sources = {
        key.removeprefix(GGUF_KEY).removeprefix(".") or DEFAULT: text
        for key, value in metadata.items()
        if key.startswith(GGUF_KEY) and (text := _text(value)) is not None
    }
    listed = metadata.get("tokenizer.ggml.tokens")
    tokens = listed if isinstance(listed, Sequence) else ()
    defaults = NO_ID.get(_text(metadata.get("tokenizer.ggml.model")) or "", {})
    named = {}
    for name in ("bos", "eos"):
        id = metadata.get(f"tokenizer.ggml.{name}_token_id", defaults.get(name))
        if isinstance(id, int) and 0 <= id < len(tokens) and (spelling := _text(tokens[id])) is not None:
            named[f"{name}_token"] = spelling
    return ChatTemplates(sources, named)


def _text(value: Any) -> str | None:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value if isinstance(value, str) else None


def special_tokens(config: Json) -> dict[str, str]:
    """The special tokens that a tokenizer_config.json names.

    >>> special_tokens({"eos_token": "</s>", "pad_token": None, "add_bos_token": True})
    {'eos_token': '</s>'}
    """
    tokens = {}
    for key, value in config.items():
        spelling = value.get("content") if isinstance(value, dict) else value
        if key.endswith("_token") and not key.startswith("add_") and isinstance(spelling, str):
            tokens[key] = spelling
    return tokens


def _of_value(value: Any) -> dict[str, str]:
    """The templates of a chat_template: a text, a list of names and templates, or an object of them."""
    if isinstance(value, str):
        return {DEFAULT: value}
    if isinstance(value, list):
        value = {each.get("name"): each.get("template") for each in value if isinstance(each, dict)}
    if not isinstance(value, dict):
        return {}
    return {str(name): text for name, text in value.items() if isinstance(text, str)}

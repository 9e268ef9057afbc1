"""The arguments that AutoTokenizer passes to a tokenizer's class: the settings of a folder's files, merged.

Follows `PreTrainedTokenizerBase._from_pretrained`. Both versions read `tokenizer_config.json`; only if that has no
`added_tokens_decoder` do special_tokens_map.json, added_tokens.json and the `added_tokens` of tokenizer.json count.
They differ in how they treat unnamed special tokens, and version 5 drops add_bos_token and add_eos_token if there is a
tokenizer.json.

The special tokens of a class are the named ones and the others, in the order in which each version processes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from explorer.errors import InputError, shown
from explorer.formats.files import SPECIAL_TOKENS_MAP, TOKENIZER_CONFIG
from explorer.formats.model_folder import NAMED, Json, Settings
from explorer.formats.tokenizer_json import AddedEntry
from explorer.implementations.transformers.backend import Some, Token, among, as_token, converted, text
from explorer.implementations.transformers.class_lookup import methods, stops

ADDITIONAL, EXTRA, SPECIFIC = "additional_special_tokens", "extra_special_tokens", "model_specific_special_tokens"
NO_ARGUMENTS: Final = ("tokenizer_class", "init_inputs", "auto_map", "added_tokens_decoder")
"""Keys of tokenizer_config.json that are not arguments of a class."""


@dataclass
class Arguments:
    """What a class is args. values: its arguments by name. decoder: id → added token, in the file's order.

    used: which files said something, with the keys of tokenizer_config.json that did.
    """

    version: int
    values: dict[str, Any] = field(default_factory=dict)
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


def _adjust_for_version_5(values: dict[str, Any], has_file: bool) -> None:
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


def only_tokens(gathered: Arguments, key: str, values: Mapping[str, Any] | Sequence[Any]) -> None:
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
    named: dict[str, Any] = {key: args.values.get(key) for key in NAMED} | {ADDITIONAL: own or []} | extra
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
    named: dict[str, Any] = dict.fromkeys(NAMED)
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

"""The chat templates in a model's files, and the special tokens that they may name.

    chat_template.jinja                        the default one, of transformers from 4.43 on
    additional_chat_templates/NAME.jinja       others
    tokenizer_config.json: chat_template       a text, or a list of names and templates; older
    chat_template.json: chat_template          of a processor, read where nothing else is
    GGUF: tokenizer.chat_template[.NAME]       the same in one file

A file of its own comes before a key, as in `transformers`. Templates are read when they are asked for: tokenizing
doesn't need them. Left out: the special tokens that only a class of `transformers` knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from explorer.errors import InputError
from explorer.formats.files import ADDITIONAL, TEMPLATES

DEFAULT: Final = "default"
TOOL_USE: Final = "tool_use"
"""The template that `transformers` takes when there are tools, if a model has one of this name."""

JINJA, JSON = TEMPLATES
GGUF_KEY: Final = "tokenizer.chat_template"
NO_ID: Final[Mapping[str, Mapping[str, int]]] = {"llama": {"bos": 1, "eos": 2}, "gpt2": {"bos": 11, "eos": 11}}
"""llama.cpp's ids of BOS and EOS where a file names none, by `tokenizer.ggml.model`."""


@dataclass(frozen=True, slots=True)
class ChatTemplates:
    """The templates of a model.

    sources: by name. special_tokens: what templates may name, such as {"bos_token": "<s>"}. missing: what is said if
    there are none. counted: whether a rule for the count of messages was published instead (`opening.openai`).
    """

    sources: Mapping[str, str] = field(default_factory=dict)
    special_tokens: Mapping[str, str] = field(default_factory=dict)
    missing: str = "This model has no chat template. Choose one of ours, such as ours:chatml, or write one."
    counted: bool = False

    def named(self, name: str = "", *, tools: bool = False) -> str:
        """The source of a template; without a name, the one that `transformers` takes. Raises InputError.

        >>> ChatTemplates({"default": "a", "tool_use": "b"}).named(tools=True)
        'b'
        """
        if not self.sources:
            raise InputError(self.missing)
        wanted = name or (TOOL_USE if tools and TOOL_USE in self.sources else DEFAULT)
        if wanted not in self.sources:
            raise InputError(f"This model has no template {wanted!r}; its templates are {', '.join(self.sources)}.")
        return self.sources[wanted]


def in_folder(
    config: Mapping[str, Any] | None, beside: Callable[[str], bytes | None], others: Iterable[str] = ()
) -> ChatTemplates:
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
        from explorer.formats import strict_json

        value = strict_json.read(data, JSON, "a chat template")
        sources = _of_value(value.get("chat_template") if isinstance(value, dict) else None)
    return ChatTemplates(texts or sources, special_tokens(config))


def in_gguf(metadata: Mapping[str, Any]) -> ChatTemplates:
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


def special_tokens(config: Mapping[str, Any]) -> dict[str, str]:
    """The special tokens that a tokenizer_config.json names.

    >>> special_tokens({"eos_token": "</s>", "pad_token": None, "add_bos_token": True})
    {'eos_token': '</s>'}
    """
    found = {}
    for key, value in config.items():
        spelling = value.get("content") if isinstance(value, dict) else value
        if key.endswith("_token") and not key.startswith("add_") and isinstance(spelling, str):
            found[key] = spelling
    return found


def _of_value(value: Any) -> dict[str, str]:
    """The templates of a chat_template: a text, a list of names and templates, or an object of them."""
    if isinstance(value, str):
        return {DEFAULT: value}
    if isinstance(value, list):
        value = {each.get("name"): each.get("template") for each in value if isinstance(each, dict)}
    if not isinstance(value, dict):
        return {}
    return {str(name): text for name, text in value.items() if isinstance(text, str)}

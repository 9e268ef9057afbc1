"""Names of OpenAI: tiktoken's encodings, and the models that use them.

The table of models is that of `tiktoken/model.py` of the package tiktoken 0.14. Two files of ranks are bundled. Those
of r50k_base and p50k_base are made from GPT-2's vocabulary, which has the same tokens with the same ids, and compared
with the sha256 of the published files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from explorer.errors import InputError


class RanksSource(NamedTuple):
    """The bundled model that an encoding's ranks are from, the name of the published file, and the number of ids."""

    model: str
    file: str
    tokens: int


SOURCES: Final[Mapping[str, RanksSource]] = {
    "r50k_base": RanksSource("gpt-2", "r50k_base.tiktoken", 50_257),
    "gpt2": RanksSource("gpt-2", "r50k_base.tiktoken", 50_257),
    "p50k_base": RanksSource("gpt-2", "p50k_base.tiktoken", 50_281),
    "p50k_edit": RanksSource("gpt-2", "p50k_base.tiktoken", 50_284),
    "o200k_harmony": RanksSource("o200k_base", "o200k_base.tiktoken", 201_088),
}
"""The encodings that aren't bundled models of their own."""

_R50K: Final = (
    "text-davinci-001 text-curie-001 text-babbage-001 text-ada-001 davinci curie babbage ada "
    "text-similarity-davinci-001 text-similarity-curie-001 text-similarity-babbage-001 text-similarity-ada-001 "
    "text-search-davinci-doc-001 text-search-curie-doc-001 text-search-babbage-doc-001 text-search-ada-doc-001 "
    "code-search-babbage-code-001 code-search-ada-code-001"
)
_P50K: Final = (
    "text-davinci-003 text-davinci-002 code-davinci-002 code-davinci-001 code-cushman-002 code-cushman-001 "
    "davinci-codex cushman-codex"
)
_CL100K: Final = (
    "gpt-4 gpt-3.5-turbo gpt-3.5 gpt-35-turbo davinci-002 babbage-002 text-embedding-ada-002 text-embedding-3-small "
    "text-embedding-3-large"
)
_BY_MODEL: Final = {
    "o200k_base": "o1 o3 o4-mini gpt-5 gpt-4.1 gpt-4o",
    "cl100k_base": _CL100K,
    "p50k_base": _P50K,
    "p50k_edit": "text-davinci-edit-001 code-davinci-edit-001",
    "r50k_base": _R50K,
    "gpt2": "gpt2 gpt-2",
}
_BY_BEGINNING: Final = {
    "o200k_base": "o1- o3- o4-mini- gpt-5 gpt-4.5- gpt-4.1- chatgpt-4o- gpt-4o- ft:gpt-4o",
    "cl100k_base": "gpt-4- gpt-3.5-turbo- gpt-35-turbo- ft:gpt-4 ft:gpt-3.5-turbo ft:davinci-002 ft:babbage-002",
    "o200k_harmony": "gpt-oss-",
}
MODELS: Final = {model: encoding for encoding, models in _BY_MODEL.items() for model in models.split()}
"""Model → encoding."""
BEGINNINGS: Final = {start: encoding for encoding, starts in _BY_BEGINNING.items() for start in starts.split()}
"""How the names of other models begin → encoding. A longer beginning comes first (ft:gpt-4o before ft:gpt-4)."""

COUNTED: Final = ("gpt-4o", "gpt-4", "gpt-3.5-turbo")
"""The models for which OpenAI published a rule to count the tokens of messages, and dated names of them."""
PER_MESSAGE, PER_NAME, PER_ANSWER = 3, 1, 3
"""That rule (`How to count tokens with tiktoken` in OpenAI's Cookbook): tokens around each message, for a name, and at
the end."""


def encoding_of(name: str) -> str:
    """The encoding of a model, by tiktoken's table; "" for an unknown one.

    >>> encoding_of("gpt-4o"), encoding_of("gpt-4-0613"), encoding_of("gpt-oss-120b"), encoding_of("llama")
    ('o200k_base', 'cl100k_base', 'o200k_harmony', '')
    """
    if name in MODELS or name in SOURCES:
        return MODELS.get(name, name)
    return next((BEGINNINGS[each] for each in sorted(BEGINNINGS, key=len, reverse=True) if name.startswith(each)), "")


def ranks(encoding: str, data: bytes) -> bytes:
    """The published file of ranks of an encoding, made from the bundled file of its source.

    Raises InputError if it is not the published one.
    """
    from explorer.implementations.tiktoken import as_published, with_sha256

    if SOURCES[encoding].model == "gpt-2":
        from explorer.engine.unicode.byte_map import PRINTABLE
        from explorer.formats import strict_json

        value: Any = strict_json.read(data, SOURCES[encoding].model, "a tokenizer.json")
        vocab: dict[str, int] = value["model"]["vocab"]
        byte_of = {character: byte for byte, character in enumerate(PRINTABLE)}
        end = vocab.pop("<|endoftext|>")
        made = {bytes(byte_of[character] for character in piece): id for piece, id in vocab.items()}
        if encoding.startswith("p50k"):  # two to 25 spaces, for code
            made |= {b" " * count: end + count - 1 for count in range(2, 26)}
        data = as_published(made)
    if encoding not in [each.name for each in with_sha256(data)]:
        raise InputError(f"{encoding}: these are not the published ranks (their sha256 differs); fetch the files again")
    return data


def says(name: str, encoding: str) -> str:
    """What is known of a model's encoding."""
    if name in MODELS:
        return f"tiktoken's table of models names {encoding} for {name}."
    return f"tiktoken's table doesn't name {name}, but names that begin like it have {encoding}."


def is_counted(name: str) -> bool:
    """Whether OpenAI published a rule to count the tokens of messages for a model.

    >>> is_counted("gpt-4o-2024-08-06"), is_counted("gpt-4"), is_counted("gpt-4.1"), is_counted("o1")
    (True, True, False, False)
    """
    return name in COUNTED or name.startswith(tuple(f"{each}-" for each in COUNTED))


def no_template(name: str) -> str:
    """What is said of a model's chat template."""
    if name.startswith("gpt-oss"):
        return f"The chat template of {name} is in its folder on the Hub; open openai/{name}, or choose one of ours."
    rule = (
        f"Its rule for a count is {PER_MESSAGE} tokens a message, {PER_NAME} for a name and {PER_ANSWER} at the end."
        if is_counted(name)
        else "It gives no rule for a count, either."
    )
    return (
        f"OpenAI doesn't publish what {name} reads around messages, so their ids are unknown. {rule} "
        "Choose one of our templates, such as ours:chatml, to see one like it."
    )

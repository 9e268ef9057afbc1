"""The bundled vocabularies, and tokenizers by name or path.

`vocabs/catalog.toml` has for each model its upstream file, the file's sha256, source and license, and the
implementations that can run it. A file with another sha256 is refused. Where the license allows it, the file with the
maker's chat template is beside it.

OpenAI's names are tiktoken's encodings, and the models that use them (openai.toml): the table is that of
`tiktoken/model.py` of the package tiktoken 0.14. Two files of ranks are bundled. Those of r50k_base and p50k_base are
made from GPT-2's vocabulary, which has the same tokens with the same ids, and compared with the sha256 of the published
files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.errors import Choices, InputError, nearest, shown
from explorer.opening.formats import IMPLEMENTATIONS, open_bytes, open_path
from explorer.opening.sources import SUFFIXES, VOCABS
from explorer.origin import File
from explorer.text.say import Text

if TYPE_CHECKING:
    from explorer.formats.model_folder import ChatTemplates
    from explorer.implementations.opened import Opened


@cache
def openai() -> dict[str, dict[str, Any]]:
    """OpenAI's encodings that aren't bundled models of their own, and the encodings of its models (openai.toml)."""
    from explorer.tables import read_toml

    return read_toml(__file__, "openai.toml")


COUNTED = ("gpt-4o", "gpt-4", "gpt-3.5-turbo")
"""The models for which OpenAI published a rule to count the tokens of messages, and dated names of them."""
PER_MESSAGE, PER_NAME, PER_ANSWER = 3, 1, 3
"""That rule (`How to count tokens with tiktoken` in OpenAI's Cookbook): tokens around each message, for a name, and at
the end."""


def encoding_of(name: str) -> str:
    """The encoding of a model, by tiktoken's table; "" for an unknown one.

    >>> encoding_of("gpt-4o"), encoding_of("gpt-4-0613"), encoding_of("gpt-oss-120b"), encoding_of("llama")
    ('o200k_base', 'cl100k_base', 'o200k_harmony', '')
    """
    models, starts = openai()["models"], openai()["beginnings"]
    if name in models or name in openai()["sources"]:
        return str(models.get(name, name))
    # a longer beginning comes first: ft:gpt-4o before ft:gpt-4
    return next((starts[each] for each in sorted(starts, key=len, reverse=True) if name.startswith(each)), "")


def ranks_of_encoding(encoding: str, data: bytes) -> bytes:
    """The published file of ranks of an encoding, made from the bundled file of its source.

    Raises InputError if it is not the published one.
    """
    from explorer.implementations.tiktoken import as_published, with_sha256

    model = openai()["sources"][encoding]["model"]
    if model == "gpt-2":
        from explorer.formats import strict_json
        from explorer.vocabulary import PRINTABLE

        value: Any = strict_json.read(data, model, "a tokenizer.json")
        vocab: dict[str, int] = value["model"]["vocab"]
        byte_of = {character: byte for byte, character in enumerate(PRINTABLE)}
        end = vocab.pop("<|endoftext|>")
        ranks = {bytes(byte_of[character] for character in piece): id for piece, id in vocab.items()}
        if encoding.startswith("p50k"):  # two to 25 spaces, for code
            ranks |= {b" " * count: end + count - 1 for count in range(2, 26)}
        data = as_published(ranks)
    if encoding not in [each.name for each in with_sha256(data)]:
        raise InputError(f"{encoding}: these are not the published ranks (their sha256 differs); fetch the files again")
    return data


def is_counted(name: str) -> bool:
    """Whether OpenAI published a rule to count the tokens of messages for a model.

    >>> is_counted("gpt-4o-2024-08-06"), is_counted("gpt-4"), is_counted("gpt-4.1"), is_counted("o1")
    (True, True, False, False)
    """
    return name in COUNTED or name.startswith(tuple(f"{each}-" for each in COUNTED))


def no_template(name: str) -> str:
    if name.startswith("gpt-oss"):
        return Text(
            "The chat template of {0:t} is in its folder on the Hub; open openai/{0:t}, or choose one of ours.", name
        )
    counts = PER_MESSAGE, PER_NAME, PER_ANSWER
    rule = (
        Text("Its rule for a count is {0} tokens a message, {1} for a name and {2} at the end.", *counts)
        if is_counted(name)
        else Text("It gives no rule for a count, either.")
    )
    return Text(
        "OpenAI doesn't publish what {0:t} reads around messages, so their ids are unknown. {1:t} Choose one of our "
        "templates, such as ours:chatml, to see one like it.",
        name,
        rule,
    )


@dataclass(frozen=True, slots=True)
class Model:
    """One bundled model: a row of the catalog.

    name: for `load`. implementations: the default one first. tokens: the number of its ids. letters: the most ASCII
    letters and digits in one token. unknown: ids that can stand for any text. note: what distinguishes the file from
    what its maker publishes now. updated: the post_processor that the maker's tokenizer.json has now, as JSON.
    settings: the file with its chat template, "" if its maker publishes none, or under no license that lets us.
    is_made: whether its ranks are made of the file (`openai`), for an encoding that isn't in the catalog.
    """

    name: str
    title: str
    file: str
    sha256: str
    family: str
    implementations: tuple[str, ...]
    tokens: int
    letters: int
    unknown: tuple[int, ...]
    source: str
    licence: str
    note: str = ""
    updated: str = ""
    settings: str = ""
    settings_sha256: str = ""
    is_made: bool = False

    @property
    def kind(self) -> str:
        """The kind of tokenizer, as people call it."""
        from explorer.stages.spelling import KINDS

        return KINDS[self.family]

    @property
    def path(self) -> Path:
        return VOCABS / self.file


@cache
def catalog() -> Mapping[str, Model]:
    """The bundled models by name, in the file's order.

    >>> catalog()["llama-2"].implementations
    ('llama.cpp',)
    """
    import tomllib

    rows: dict[str, dict[str, Any]] = tomllib.loads((VOCABS / "catalog.toml").read_text("utf-8"))
    for row in rows.values():
        row |= {key: tuple(value) for key, value in row.items() if isinstance(value, list)}
    return {name: Model(name=name, **row) for name, row in rows.items()}


def title_of(name: str) -> str:
    """What people call the tokenizer that a result or a link names.

    >>> title_of("gpt-2"), title_of("gpt-2@llama.cpp"), title_of("mine.json")
    ('GPT-2', 'GPT-2 · llama.cpp', 'mine.json')
    """
    from explorer.stages.spelling import implementation_title

    model, _, implementation = name.partition("@")
    known = catalog().get(model)
    if known is None:
        return name
    return f"{known.title} · {implementation_title(implementation)}" if implementation else known.title


def load(spec: str | Path, implementation: str | None = None, **choices: str) -> Opened:
    """The tokenizer named by `spec`: a catalog name, the path of a file, or a model's name on the Hugging Face Hub.

    Each may have `@IMPLEMENTATION` at its end. A model on the Hub is `org/name`, `org/name@REVISION` or
    `org/name:FILE`; the files of its tokenizer are fetched once, into the usual cache. Names of OpenAI are known, too
    (`encoding_of`), and models that other programs keep (`model_names`).

    implementation: the original to follow; the model's default if None. choices: settings that a file leaves open, such
    as `pre="qwen2"`; a `ChoiceNeeded` names the key. Raises InputError for an unknown name, path or implementation,
    listing the known ones.

    >>> load("llama-2@llama.cpp").encode("is").ids
    [1, 338]
    """
    _check(spec, implementation, choices)
    model, named_implementation = parse_spec(spec)
    if isinstance(model, Path):
        if not exists(model):
            raise InputError(f"{str(model)[:200]!r} is neither a bundled model nor a file; {suggestion(str(model))}")
        tokenizer = open_path(model, implementation or named_implementation, choices)
        return under_name(tokenizer, spec) if isinstance(spec, str) and ":" in spec else tokenizer
    name = model.name
    if named_implementation is not None and implementation not in (None, named_implementation):
        raise InputError(
            f"{spec} asks for {named_implementation!r}, but implementation= for {implementation!r}; give one of them"
        )
    implementation = (
        (implementation or model.implementations[0]) if named_implementation is None else named_implementation
    )
    if implementation not in model.implementations:
        raise InputError(f"{name} cannot be run as {implementation!r}; it runs as: {', '.join(model.implementations)}")
    file, data = file_of(model)
    if not model.updated or implementation != "huggingface":
        own = {"pattern": name} if model.is_made else {}
        tokenizer = open_bytes(data, name, implementation, {**own, **choices}, file, keeps=True)
    else:
        tokenizer = open_updated(model, data, choices, file)
    own_name = str(spec).partition("@")[0]
    if own_name != name:
        return of_openai(tokenizer, own_name)
    return replace(tokenizer, find_chat=lambda: bundled_chat(name)) if model.settings else tokenizer


def file_of(model: Model) -> tuple[File, bytes]:
    """The file of a model, checked. Raises InputError for another one.

    >>> file_of(catalog()["llama-2"])[0].name
    'ggml-vocab-llama-spm.gguf'
    """
    data = model.path.read_bytes()
    file = File.of(model.file, data)
    if file.sha256 != model.sha256:
        raise InputError(f"{model.path}: the file is not the one in the catalog (its sha256 differs); fetch it again")
    if not model.is_made:
        return file, data
    data = ranks_of_encoding(model.name, data)
    return File.of(openai()["sources"][model.name]["file"], data), data


def openai_model(name: str) -> Model | None:
    """The model of an encoding of tiktoken, or of a model of OpenAI's; None for any other name, such as a file's.

    >>> openai_model("gpt-4o").name, openai_model("p50k_base").tokens, openai_model("gpt-5.json")
    ('o200k_base', 50281, None)
    """
    encoding = "" if Path(name).suffix in SUFFIXES or "/" in name else encoding_of(name)
    if not encoding or encoding in catalog():
        return catalog().get(encoding)
    source = openai()["sources"][encoding]
    return replace(
        catalog()[source["model"]], name=encoding, title=encoding, implementations=("tiktoken",),
        tokens=source["tokens"], is_made=True,
    )  # fmt: skip


def of_openai(tokenizer: Opened, name: str) -> Opened:
    """An encoding as a model of OpenAI's has it."""
    from explorer.facts import Fact
    from explorer.formats.model_folder import ChatTemplates

    chat = ChatTemplates(missing=no_template(name), counted=is_counted(name))
    says = (
        f"tiktoken's table of models names {tokenizer.name} for {name}."
        if name in openai()["models"]
        else f"tiktoken's table doesn't name {name}, but names that begin like it have {tokenizer.name}."
    )
    facts = (Fact("encoding", says), Fact("chat template", chat.missing))
    return replace(tokenizer, facts=(*facts, *tokenizer.facts), find_chat=lambda: chat)


def under_name(tokenizer: Opened, spec: str) -> Opened:
    """A tokenizer that was found by a name that is no path (`model_names`), under that name."""
    from explorer.opening import model_names

    name = spec.removesuffix(f"@{tokenizer.implementation}")
    if exists(Path(spec)) or exists(Path(name)) or not model_names.is_stored(name):
        return tokenizer
    return replace(tokenizer, name=name, facts=(*model_names.facts(name), *tokenizer.facts))


@cache
def bundled_chat(name: str) -> ChatTemplates:
    """The chat template of a bundled model, and the special tokens that it may name. Its other settings aren't read.

    >>> bundled_chat("llama-3").special_tokens
    {'bos_token': '<|begin_of_text|>', 'eos_token': '<|end_of_text|>'}
    """
    from explorer.formats import strict_json
    from explorer.formats.model_folder import in_folder

    model = catalog()[name]
    data = (VOCABS / model.settings).read_bytes()
    if File.of(model.settings, data).sha256 != model.settings_sha256:
        raise InputError(f"{VOCABS / model.settings}: the file is not the one in the catalog; fetch it again")
    return in_folder(strict_json.read(data, model.settings, "a tokenizer_config.json"), lambda name: None)


def _check(spec: object, implementation: object, choices: Mapping[str, object]) -> None:
    """Raises InputError for arguments of the wrong type, and for an empty name, which would be the current folder."""
    if not isinstance(spec, (str, Path)):
        raise InputError(
            f"a model is named by a str or a Path, not by {shown(spec)}; bundled models: {', '.join(catalog())}"
        )
    if spec == "":
        raise InputError(f"the name of the model is empty; bundled models: {', '.join(catalog())}")
    for name, value in {"implementation": implementation, **choices}.items():
        if not isinstance(value, str) and not (name == "implementation" and value is None):
            raise InputError(f"{name} is {shown(value)}; give a str")


def parse_spec(spec: str | Path) -> tuple[Model | Path, str | None]:
    """The bundled model or path that `spec` names, and the implementation after its @.

    Raises InputError for a model elsewhere that can't be found or fetched.
    """
    name, at, implementation = str(spec).partition("@")
    model = catalog().get(name) if isinstance(spec, str) else None
    if model is None and isinstance(spec, str) and not exists(Path(spec)) and not exists(Path(name)):
        model = openai_model(name)
    if model is not None:
        return model, implementation if at else None
    path, at, implementation = str(spec).rpartition("@")
    if at and nearest("implementation", implementation) in IMPLEMENTATIONS and not exists(Path(spec)):
        return _path(path, spec), implementation
    return _path(str(spec), spec), None


def _path(path: str, spec: str | Path) -> Path:
    """A path, or where the model of a name that is none is kept (`model_names`)."""
    if isinstance(spec, str) and not {":", "/"}.isdisjoint(path) and not exists(Path(path)):
        from explorer.opening import model_names

        return model_names.located(path) or Path(path)
    return Path(path)


def exists(path: Path) -> bool:
    """Whether a file exists; False for a name that no file can have."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def suggestion(spec: str) -> str:
    """What to give instead of an unknown name.

    >>> suggestion("lama-2")
    "did you mean 'llama-2'?"
    """
    from difflib import get_close_matches

    near = get_close_matches(spec, catalog(), n=1)
    if not near and "/" in spec:
        return "check the path; a model on the Hugging Face Hub is written as org/name"
    return f"did you mean {near[0]!r}?" if near else f"bundled models: {', '.join(catalog())}"


KEY = "post_processor"
"""The key of the choice."""
FIRST, UPDATED = ANSWERS = ("first", "updated")

CHOSEN = "Chosen: the section of the maker's file as it is now, in place of the one in the bundled file."

SECTION = re.compile(rb'"post_processor": \{[^{}]*\}')
"""The section of the bundled file, which has no objects within it."""


def open_updated(model: Model, data: bytes, choices: Choices, file: File) -> Opened:
    """The tokenizer with its file's section, or with the updated one. Raises InputError for an unknown answer.

    Meta published Llama 3's tokenizer.json with a post-processor that adds nothing, and replaced it within two weeks.
    The bundled file is the first one; `post_processor=updated` puts the later section in its place.

    >>> import explorer
    >>> explorer.load("llama-3").encode("a").ids, explorer.load("llama-3", post_processor="updated").encode("a").ids
    ([64], [128000, 64])
    """
    from explorer.facts import Choosable, Fact

    answer = choices.get(KEY, FIRST)
    if answer not in ANSWERS:
        raise InputError(f"{model.name}: {KEY} is {shown(answer)}; known answers are {', '.join(ANSWERS)}")
    if answer == UPDATED:
        data, count = SECTION.subn(lambda _: f'"{KEY}": {model.updated}'.encode(), data)
        assert count == 1, f"{file.name} has one such section"
    tokenizer = open_bytes(data, model.name, "huggingface", choices, file, keeps=answer == FIRST)
    choice = Choosable(KEY, "The post-processor of the maker's file", ANSWERS, answer)
    says = model.note if answer == FIRST else CHOSEN
    return replace(
        tokenizer, choosable=(*tokenizer.choosable, choice), facts=(*tokenizer.facts, Fact("post-processor", says))
    )

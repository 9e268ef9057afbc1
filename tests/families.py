"""Writes the tables of docs/Families.md from the code: `python -m tests.families`.

Each table is between `<!-- NAME -->` and `<!-- end -->`; everything else on the page is written by hand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from html import escape
from pathlib import Path

import explorer
from explorer.formats.files import CLASSES as WITHOUT_VOCABULARY
from explorer.implementations.huggingface.models import MODELS as JSON_MODELS
from explorer.implementations.huggingface.text_stages import NORMALIZERS, PRE_TOKENIZERS
from explorer.implementations.huggingface.token_stages import DECODERS, POST_PROCESSORS
from explorer.implementations.llama_cpp import MODELS as GGUF_MODELS
from explorer.implementations.llama_cpp.pre_tokenizers import PRE
from explorer.implementations.tiktoken import ENCODINGS
from explorer.implementations.transformers import two_files, v5_classes
from explorer.implementations.transformers import v4_classes as v4_classes
from explorer.implementations.transformers.arguments import VERSIONS
from explorer.implementations.transformers.python_classes import ONLY
from explorer.opening.formats import FORMATS, SETTINGS_ALONE
from explorer.stages.spelling import implementation_title

PAGE = Path(explorer.__file__).parent.parent / "docs" / "Families.md"


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown.

    >>> table(["a", "b"], [["1", "x|y"]])
    '| a | b |\\n|---|---|\\n| 1 | x\\\\|y |'
    """
    heads = [*heads]
    lines = [heads, ["---"] * len(heads), *rows]
    written = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]
    written[1] = "|" + "---|" * len(heads)
    return "\n".join(written)


def code(names: Iterable[str]) -> str:
    """Names in the type of code.

    >>> code(["a", "b"])
    '`a`, `b`'
    """
    return ", ".join(f"`{name}`" for name in names)


def formats() -> str:
    """The formats of files, and what runs each."""

    def runs(names: Iterable[str]) -> str:
        return ", ".join(map(implementation_title, names)) or "–"

    found = (*FORMATS, SETTINGS_ALONE)
    rows = ((each.name, each.known_by, runs(each.implementations), runs(each.in_folder)) for each in found)
    return escape(table(("file", "recognized by", "runs as", "in a model's folder also as"), rows), quote=False)


def parts() -> str:
    """The types in each section of a tokenizer.json."""
    sections: Mapping[str, Iterable[str]] = {
        "model": JSON_MODELS, "normalizer": NORMALIZERS, "pre_tokenizer": PRE_TOKENIZERS,
        "post_processor": POST_PROCESSORS, "decoder": DECODERS,
    }  # fmt: skip
    return table(("section", "types"), ((name, code(sorted(types))) for name, types in sections.items()))


def classes() -> str:
    """The classes of each version of transformers."""
    found = {version: [*(v4_classes.CLASSES if version == 4 else v5_classes.CLASSES)] for version in VERSIONS}
    for names in found.values():
        names += (*WITHOUT_VOCABULARY, *ONLY, *two_files.NAMES)
    rows = ((VERSIONS[each], str(len(names)), code(sorted(names))) for each, names in found.items())
    return table(("version", "classes", "names"), rows)


def gguf() -> str:
    """llama.cpp's tokenizer models and names of pre-tokenizers."""
    keys = (("tokenizer.ggml.model", GGUF_MODELS), ("tokenizer.ggml.pre", PRE))
    return table(("key", "values", "names"), ((f"`{key}`", str(len(names)), code(names)) for key, names in keys))


def ranks() -> str:
    """The known ranks files."""
    return table(
        ("encoding", "ranks", "special tokens", "pattern", "source"),
        (
            (f"`{each.name}`", f"{each.size:,}", f"{len(each.special_tokens):,}", each.pattern.name, each.source)
            for each in ENCODINGS.values()
        ),
    )


def vocabularies() -> str:
    """The bundled vocabularies."""
    return table(
        ("name", "kind", "runs as"),
        (
            (f"`{model.name}`", model.kind, ", ".join(map(implementation_title, model.implementations)))
            for model in explorer.catalog().values()
        ),
    )


TABLES: Mapping[str, Callable[[], str]] = {
    "formats": formats, "parts": parts, "classes": classes, "gguf": gguf, "ranks": ranks,
    "vocabularies": vocabularies,
}  # fmt: skip
"""Name of a table on the page → what writes it."""


def with_tables(page: str) -> str:
    """The page with its tables written anew. Raises KeyError for a table that is unknown."""

    def written(match: re.Match[str]) -> str:
        return f"<!-- {match[1]} -->\n{TABLES[match[1]]()}\n<!-- end -->"

    return re.sub(r"<!-- (\w+) -->\n.*?<!-- end -->", written, page, flags=re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text("utf-8")), "utf-8")
    print(PAGE)

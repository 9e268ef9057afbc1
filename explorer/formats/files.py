"""The files in a model's folder: their names, and the checks of a path before it is opened.

Only regular files are read, and file names in errors stay on one line. Imports little, because every look at a folder
needs this.
"""

import os
import re
import stat
from pathlib import Path

from explorer.errors import InputError


def regular_size(path: Path, name: str, wanted: str) -> int:
    """Bytes of a regular file. Raises InputError for a folder, a pipe, a device or a missing file.

    Checked before opening, because opening a pipe blocks until somebody writes to it. name: what errors call the file.
    wanted: what to give instead, such as "the .gguf file".

    >>> regular_size(Path("vocabs"), "vocabs", "the .gguf file")
    Traceback (most recent call last):
    explorer.errors.InputError: vocabs: this is a folder; name the .gguf file in it
    """
    try:
        status = os.stat(path)
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file; check the path") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{name}: cannot be opened ({why}); check the path and its permissions") from None
    if stat.S_ISDIR(status.st_mode):
        raise InputError(f"{name}: this is a folder; name {wanted} in it")
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{name}: this is not a regular file; give {wanted} itself")
    return status.st_size


def on_one_line(name: str) -> str:
    """A file name for an error message: a path may contain line feeds and bytes that aren't UTF-8.

    >>> on_one_line("a.model"), on_one_line("a\\nb")
    ('a.model', "'a\\\\nb'")
    """
    return name if name.isprintable() else ascii(name)


def check_size(size: int, most: int, name: str) -> None:
    """Raises InputError for a file with more bytes than any of its format."""
    if size > most:
        raise InputError(f"{name}: {size} bytes, but such a file has at most {most}; give another file")


TOKENIZER_CONFIG, SPECIAL_TOKENS_MAP = "tokenizer_config.json", "special_tokens_map.json"
ADDED_TOKENS, CONFIG = "added_tokens.json", "config.json"
SETTINGS = (TOKENIZER_CONFIG, SPECIAL_TOKENS_MAP, ADDED_TOKENS, CONFIG)
"""The files that are read."""
TEMPLATES = ("chat_template.jinja", "chat_template.json")
GENERATION_CONFIG = "generation_config.json"
ADAPTER = "adapter_config.json"
ADDITIONAL = "additional_chat_templates/"
"""The folder of more chat templates, a file for each."""
OTHERS = (
    *TEMPLATES,
    GENERATION_CONFIG,
    "preprocessor_config.json",
    "processor_config.json",
    "model.safetensors.index.json",
    "requirements.txt",
    ADAPTER,
)
"""Other files of such a folder, which do not affect tokenizing."""
COMPANIONS = frozenset({*SETTINGS, *OTHERS})

VOCABULARIES = (
    "tokenizer.json", "tokenizer.model", "sentencepiece.bpe.model", "spiece.model", "spm.model", "sentencepiece.model",
    "vocab.json", "vocab.txt", "tekken.json",
)  # fmt: skip
"""Names of the file with the vocabulary, in the order `transformers` prefers them."""
PARTNERS = ("merges.txt", "bpe.codes", "source.spm", "target.spm")
"""Names of files that a vocab.json or vocab.txt needs: merges, or SentencePiece models whose pieces it numbers."""


# The classes of `transformers` that need no vocabulary file. Imports little, so that
# a look at a folder stays cheap.

BYT5 = "ByT5Tokenizer"
CANINE = "CanineTokenizer"
CLASSES = (BYT5, CANINE)
"""They are run by `implementations.transformers.python_classes`."""
NAMED = re.compile(rb'"(ByT5Tokenizer|byt5|CanineTokenizer|canine)"')
"""Matches where a settings file may ask for one of them."""

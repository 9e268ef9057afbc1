"""Advice for a name such as `org/name`, a model on the Hugging Face Hub: which file to get, or its path in the cache.

Nothing is downloaded. `huggingface_hub` caches files on this machine in the layout of its `constants` and
`file_download`: `models--org--name/snapshots/COMMIT/`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from explorer.formats.model_files import VOCABULARIES

NAME: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
"""Valid names of a repository (`huggingface_hub.utils.validate_repo_id`)."""

FILES: Final = re.compile(r"\.(json|model|txt|gguf|tiktoken|bin|safetensors)\Z", re.IGNORECASE)


def is_repository(spec: str) -> bool:
    """Whether a name looks like a repository rather than the path of a missing file.

    >>> [is_repository(spec) for spec in ("meta-llama/Llama-3.1-8B", "models/tokenizer.json", "a/b/c", "gpt2")]
    [True, False, False, False]
    """
    return NAME.fullmatch(spec) is not None and FILES.search(spec) is None and not Path(spec).parent.is_dir()


def advice(repository: str) -> str:
    """How to get this model: open the copy in the cache, or download the file.

    >>> "https://huggingface.co/org/name/tree/main" in advice("org/name")
    True
    """
    found = in_cache(repository)
    if found is not None:
        return f"the model of the Hugging Face Hub is in your cache: give {found}"
    usual = cache() / folder(repository) / "snapshots" / "*" / VOCABULARIES[0]
    return (
        f"for the model on the Hugging Face Hub, download {VOCABULARIES[0]} (or {VOCABULARIES[1]}) from "
        f"https://huggingface.co/{repository}/tree/main and give its path; transformers caches it in {usual}"
    )


def in_cache(repository: str) -> Path | None:
    """The folder of the newest snapshot in the cache that has a vocabulary."""
    snapshots = cache() / folder(repository) / "snapshots"
    try:
        found = sorted(snapshots.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        return None
    return next((path for path in found if any((path / name).is_file() for name in VOCABULARIES)), None)


def folder(repository: str) -> str:
    """The name of a repository's folder in the cache."""
    return "models--" + repository.replace("/", "--")


def cache() -> Path:
    """The folder of the cache, according to the environment."""
    own = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    if own:
        return Path(own).expanduser()
    home = os.environ.get("HF_HOME")
    if home:
        return Path(home).expanduser() / "hub"
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "huggingface" / "hub"

"""Models by names that are neither bundled nor paths.

    org/name, org/name@REVISION, org/name:FILE                 a model on the Hub (`hub`), or a GGUF of it
    https://huggingface.co/org/name/resolve/main/model.gguf    a GGUF of the Hub by its address (`remote_gguf`)
    ollama:llama3.2, llama.cpp:org/name, lmstudio:org/name     what other programs keep on this machine (`stores`)

A path comes first: no name is looked at where a file of that name exists.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from explorer.facts import Fact

STORES: Final = {"ollama": "Ollama", "llama.cpp": "llama.cpp", "lmstudio": "LM Studio"}
"""The programs whose models are found, by the prefix of a name."""


def located(name: str) -> Path | None:
    """The path of what has this name on this machine; None if it is no such name. Raises InputError."""
    if name[:8].lower().startswith(("https://", "http://")):
        from explorer.opening import remote_gguf

        return remote_gguf.located(name)
    if is_stored(name):
        from explorer.opening import stores

        return stores.located(name)
    return on_hub(name) if "/" in name else None


def on_hub(name: str) -> Path | None:
    """The path of a model on the Hub; of a GGUF that isn't in the Hub's cache, only the beginning is fetched."""
    from explorer.opening.hub import cached, names

    given = names.parsed(name)
    path = None if given is None else cached.cached(given)
    if given is None or path is not None:
        return path
    # what is in the cache opens without these imports
    if given.file.lower().endswith(".gguf"):
        from explorer.opening import remote_gguf

        return remote_gguf.located(remote_gguf.address_of(given))
    from explorer.opening.hub import fetching

    return fetching.fetched(given, progress=fetching.Reporter(given))


def is_stored(name: str) -> bool:
    """Whether a name is that of a model which another program keeps.

    >>> is_stored("ollama:llama3.2"), is_stored("C:/models/a.gguf")
    (True, False)
    """
    prefix, colon, _ = name.partition(":")
    return bool(colon) and prefix in STORES


def facts(name: str) -> tuple[Fact, ...]:
    """What is to be known of such a model."""
    prefix = name.partition(":")[0]
    says = f"{STORES[prefix]} keeps this file under the name {name.partition(':')[2]}."
    if prefix != "ollama":
        return (Fact("file", says),)
    template = "Ollama writes chats with its own template in Go, which isn't run here. Prompts use the file's."
    return (Fact("file", says), Fact("chat template", template))

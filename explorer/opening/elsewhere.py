"""Models by names that are neither bundled nor paths.

    org/name, org/name@REVISION, org/name:FILE                 a model on the Hub (`hub`), or a GGUF of it
    https://huggingface.co/org/name/resolve/main/model.gguf    a GGUF of the Hub by its address (`remote_gguf`)
    ollama:llama3.2, llama.cpp:org/name, lmstudio:org/name     what other programs keep on this machine (`stores`)

A path comes first: no name is looked at where a file of that name exists.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from explorer.errors import InputError, shown
from explorer.facts import Fact

STORES: Final = {"ollama": "Ollama", "llama.cpp": "llama.cpp", "lmstudio": "LM Studio"}
"""The programs whose models are found, by the prefix of a name."""


def located(name: str) -> Path | None:
    """The path of what has this name on this machine; None if it is no such name. Raises InputError."""
    if name[:8].lower().startswith(("https://", "http://")):
        from explorer.opening import remote_gguf
        from explorer.opening.hub import fetching

        return remote_gguf.located(name, progress=fetching.Reporter(name))
    if is_stored(name):
        from explorer.opening import stores

        return stores.located(name)
    return on_hub(name) if "/" in name else None


def on_hub(name: str) -> Path | None:
    """The path of a model on the Hub; of a GGUF that isn't in the Hub's cache, only the beginning is fetched."""
    from explorer.opening.hub import names

    given = names.parsed(name)
    path = None if given is None else names.cached(given)
    if given is None or path is not None:
        return path
    # what is in the cache opens without these imports
    from explorer.opening.hub import fetching

    progress = fetching.Reporter(given.text)
    if given.file.lower().endswith(".gguf"):
        from explorer.opening import remote_gguf

        return remote_gguf.located(remote_gguf.address_of(given), progress=progress)
    return fetching.fetched(given, progress=progress)


def refreshed(name: str) -> tuple[str, str]:
    """The commits of a model on the Hub in the cache before and after asking the Hub for a newer one.

    The first is "" if the cache had none. Raises InputError for what is no such name, and if the Hub can't be asked.
    """
    from explorer.opening import remote_gguf
    from explorer.opening.formats import repository_of
    from explorer.opening.hub import fetching, names
    from explorer.opening.remote_gguf import own

    given = names.parsed(name)
    if given is None or names.COMMIT.fullmatch(given.revision):
        is_commit = given is not None
        why = (
            "a commit never changes; leave it out" if is_commit else "this is no model on the Hub; write it as org/name"
        )
        raise InputError(f"{shown(name)[1:-1]}: {why}")
    path = names.cached(given)
    before = "" if path is None else repository_of(path).partition("@")[2]
    progress = fetching.Reporter(given.text)
    if given.file.lower().endswith(".gguf"):
        if path is not None:
            fetch = f"hf download {given.repository} {given.file}"
            raise InputError(f"{given.text}: all of it is in the cache, at commit {before}; to replace it, run {fetch}")
        address = remote_gguf.address_of(given)
        kept = own().newest(address)
        before = "" if kept is None else repository_of(kept).partition("@")[2]
        path = remote_gguf.located(address, progress=progress)
    else:
        path = fetching.fetched(given, progress=progress)
    return before, repository_of(path).partition("@")[2]


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

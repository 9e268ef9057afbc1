"""Models by names that are neither bundled nor paths.

    org/name, org/name@REVISION, org/name:FILE                 a model on the Hub (`hub`), or a GGUF of it
    https://huggingface.co/org/name/resolve/main/model.gguf    a GGUF of the Hub by its address (`remote_gguf`)
    ollama:llama3.2, llama.cpp:org/name, lmstudio:org/name     what other programs keep on this machine (below)

A path comes first: no name is looked at where a file of that name exists.

Models that other programs keep on this machine, found by reading their folders and manifests.

    ollama:llama3.2                Ollama's store: a manifest names the blob with the model
    llama.cpp:org/name:Q4_K_M      what llama.cpp fetched with -hf: in the Hub's cache, or in the flat one before that
    lmstudio:publisher/model       LM Studio's folder of models

No program is asked, and nothing is written. A name has only the characters of names, a manifest has few bytes, and
what it names must be in the store: a link that leads out of it is refused.

Every tokenizer below a folder: the Hub's cache, LM Studio's or Ollama's models, or any other folder.

A folder with settings and a vocabulary is one model, and so is each other file that is a vocabulary by its content.
Of a store of Ollama the manifests are read, of the Hub's cache the snapshots. Folders are walked without following
links, so that no walk leaves the folder or runs in a circle; what can't be read is noted, and the walk goes on.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from explorer.errors import InputError, shown
from explorer.facts import Fact, listed
from explorer.formats.files import COMPANIONS, CONFIG, PARTNERS, TEMPLATES, TOKENIZER_CONFIG, on_one_line
from explorer.opening.formats import files_at, is_vocabulary, repository_of
from explorer.opening.hub import names
from explorer.opening.sources import (
    HEAD,
    SUFFIXES,
    Source,
    contents,
    first_bytes,
    is_model,
    is_model_file,
    standard_name,
)

OLLAMA, LLAMA_CPP, LM_STUDIO = "ollama", "llama.cpp", "lmstudio"
STORES = {OLLAMA: "Ollama", LLAMA_CPP: "llama.cpp", LM_STUDIO: "LM Studio"}
"""The programs whose models are found, by the prefix of a name."""


def located(name: str) -> Path | None:
    """The path of what has this name on this machine; None if it is no such name. Raises InputError."""
    if name[:8].lower().startswith(("https://", "http://")):
        from explorer.opening import remote_gguf
        from explorer.opening.hub import fetching

        return remote_gguf.located(name, progress=fetching.Reporter(name))
    if is_stored(name):
        prefix, _, rest = name.partition(":")
        return {OLLAMA: in_ollama, LLAMA_CPP: in_llama_cpp, LM_STUDIO: in_lm_studio}[prefix](
            rest, on_one_line(name)[:200]
        )
    return on_hub(name) if "/" in name else None


def on_hub(name: str) -> Path | None:
    """The path of a model on the Hub; of a GGUF that isn't in the Hub's cache, only the beginning is fetched."""
    model = names.parsed(name)
    path = None if model is None else names.cached(model)
    return path if model is None or path is not None else fetched(model)


def fetched(model: names.HubName) -> Path:
    """The path of a model on the Hub, after asking for it; of a GGUF only the beginning is fetched."""
    # what is in the cache opens without these imports
    from explorer.opening.hub import fetching

    progress = fetching.Reporter(model.text)
    if is_gguf(model):
        from explorer.opening import remote_gguf

        return remote_gguf.located(remote_gguf.address_of(model), progress=progress)
    return fetching.fetched(model, progress=progress)


def is_gguf(model: names.HubName) -> bool:
    return model.file.lower().endswith(".gguf")


def refreshed(name: str) -> tuple[str, str]:
    """The commits of a model on the Hub in the cache before and after asking the Hub for a newer one.

    The first is "" if the cache had none. Raises InputError for what is no such name, and if the Hub can't be asked.
    """
    from explorer.opening import remote_gguf

    model = names.parsed(name)
    if model is None:
        raise InputError(f"{shown(name)[1:-1]}: this is no model on the Hub; write it as org/name")
    if names.COMMIT.fullmatch(model.revision):
        raise InputError(f"{shown(name)[1:-1]}: a commit never changes; leave it out")
    path = names.cached(model)
    before = "" if path is None else repository_of(path).partition("@")[2]
    if is_gguf(model):
        if path is not None:
            fetch = f"hf download {model.repository} {model.file}"
            raise InputError(f"{model.text}: all of it is in the cache, at commit {before}; to replace it, run {fetch}")
        kept = remote_gguf.own().newest(remote_gguf.address_of(model))
        before = "" if kept is None else repository_of(kept).partition("@")[2]
    return before, repository_of(fetched(model)).partition("@")[2]


def is_stored(name: str) -> bool:
    """Whether a name is that of a model which another program keeps.

    >>> is_stored("ollama:llama3.2"), is_stored("C:/models/a.gguf")
    (True, False)
    """
    prefix, colon, _ = name.partition(":")
    return bool(colon) and prefix in STORES


def facts(name: str) -> tuple[Fact, ...]:
    prefix = name.partition(":")[0]
    says = f"{STORES[prefix]} keeps this file under the name {name.partition(':')[2]}."
    if prefix != OLLAMA:
        return (Fact("file", says),)
    template = "Ollama writes chats with its own template in Go, which isn't run here. Prompts use the file's."
    return (Fact("file", says), Fact("chat template", template))


PART = re.compile(r"(?!.*\.\.)[A-Za-z0-9_][\w.-]{0,127}", re.ASCII)
"""A valid part of a name."""
DIGEST = re.compile(r"sha256[:-]([0-9a-f]{64})")
MOST_MANIFEST = 1_000_000
"""Bytes of a manifest. Known ones have about a thousand."""
MOST_NAMES = 10_000
"""Names of a store that are read."""


def inside(path: Path, root: Path, name: str) -> Path:
    """The path, if it is in the store. Raises InputError."""
    try:
        real, store = path.resolve(strict=True), root.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        why = getattr(error, "strerror", None) or "a link in a circle"
        raise InputError(f"{name}: {path} can't be read ({why}); fetch the model again") from None
    if not real.is_relative_to(store):
        raise InputError(f"{name}: {path} leads out of the store {root}; give the path itself")
    return path


def manifest(path: Path, root: Path, name: str) -> Any:
    """A manifest, which is JSON. Raises InputError."""
    from explorer.formats import strict_json

    data = first_bytes(inside(path, root, name), MOST_MANIFEST + 1)
    if len(data) > MOST_MANIFEST:
        raise InputError(f"{name}: its manifest {path} is larger than {MOST_MANIFEST} bytes; fetch the model again")
    return strict_json.read(data, str(path), "a manifest")


def unknown(name: str, store: Path, there: Iterable[str]) -> InputError:
    """The error for a model that isn't in a store."""
    names = sorted(there)
    has = f"the models there are {listed(names, 8)}" if names else "no model is there"
    return InputError(f"{name}: it is not in {store}; {has}")


def names_in(folder: Path) -> list[Path]:
    """The paths in a folder, in order; none if it can't be read."""
    with suppress(OSError):
        return sorted(islice(folder.iterdir(), MOST_NAMES))
    return []


# --- Ollama -----------------------------------------------------------------------------------------------------------

HOST, NAMESPACE, TAG = "registry.ollama.ai", "library", "latest"
SYSTEM = Path("/usr/share/ollama/.ollama/models")
"""The store of the service that Ollama's installer for Linux sets up."""
MODEL_LAYER = "application/vnd.ollama.image.model"


def ollama_store() -> Path:
    folder = os.environ.get("OLLAMA_MODELS", "").strip()
    if folder:
        return Path(folder).expanduser()
    own = Path("~/.ollama/models").expanduser()
    return SYSTEM if SYSTEM.is_dir() and not own.is_dir() else own


def in_ollama(rest: str, name: str) -> Path:
    """The blob with the model: [HOST/][NAMESPACE/]MODEL[:TAG]."""
    model, _, tag = rest.partition(":")
    parts = model.split("/")
    parts = [*(HOST, NAMESPACE)[: max(0, 3 - len(parts))], *parts, tag or TAG]
    if len(parts) != 4 or not all(map(PART.fullmatch, parts)):
        raise InputError(f"{name}: this is not a name of Ollama; write ollama:MODEL or ollama:MODEL:TAG")
    store = ollama_store()
    path = store.joinpath("manifests", *parts)
    if not path.is_file():
        raise unknown(name, store, [name for name, _ in ollama_manifests(store)])
    return ollama_blob(store, manifest(path, store / "manifests", name), name)


def ollama_blob(store: Path, content: Any, name: str) -> Path:
    """The blob that a manifest names as the model, or as its tokenizer.json. Raises InputError."""
    layers = content.get("layers") if isinstance(content, dict) else None
    layers = [each for each in layers if isinstance(each, dict)] if isinstance(layers, list) else []
    models = [each for each in layers if each.get("mediaType") == MODEL_LAYER]
    models = models or [each for each in layers if each.get("name") == "tokenizer.json"]
    if not models:
        raise InputError(f"{name}: its manifest names no file with a vocabulary; fetch the model again")
    named = str(models[0].get("digest"))
    digest = DIGEST.fullmatch(named)
    if digest is None:
        raise InputError(f"{name}: its manifest names {shown(named)}, which is no digest; fetch the model again")
    return inside(store / "blobs" / f"sha256-{digest[1]}", store / "blobs", name)


def ollama_manifests(store: Path) -> Iterator[tuple[str, Path]]:
    """The names of the models in a store, as short as Ollama writes them, and their manifests."""
    root = store / "manifests"
    for path in islice(root.glob("*/*/*/*"), MOST_NAMES):
        parts = path.relative_to(root).parts
        if path.is_file() and all(map(PART.fullmatch, parts)):
            whole = (
                "/".join(parts[:3]).removeprefix(f"{HOST}/").removeprefix(f"{NAMESPACE}/" if parts[0] == HOST else "")
            )
            yield f"{OLLAMA}:{whole}" + (f":{parts[3]}" if parts[3] != TAG else ""), path


# --- llama.cpp --------------------------------------------------------------------------------------------------------


def llama_cpp_stores() -> list[Path]:
    """The folders into which llama.cpp fetches: LLAMA_CACHE or the Hub's cache, and the flat one of releases before."""
    folder = os.environ.get("LLAMA_CACHE", "").strip()
    if folder:
        return [Path(folder).expanduser()]
    if sys.platform == "darwin":
        flat = Path("~/Library/Caches/llama.cpp")
    elif os.name == "nt":
        flat = Path(os.environ.get("LOCALAPPDATA") or "~/AppData/Local") / "llama.cpp"
    else:
        flat = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "llama.cpp"
    return [names.cache(), flat.expanduser()]


def in_llama_cpp(rest: str, name: str) -> Path:
    """The GGUF that `-hf ORG/NAME[:QUANTIZATION]` fetched."""
    repository, _, wanted = rest.partition(":")
    parts = repository.split("/")
    if len(parts) != 2 or not all(map(PART.fullmatch, (*parts, wanted or "x"))):
        raise InputError(f"{name}: this is not a name of llama.cpp; write llama.cpp:ORG/NAME or with :QUANTIZATION")
    stores = llama_cpp_stores()
    for store in stores:
        noted = store / f"manifest={parts[0]}={parts[1]}={wanted or TAG}.json"
        if noted.is_file():
            return noted_file(store, noted, parts, name)
    files = [path for store in stores for path in fetched_files(store, parts)]
    if wanted:
        own = re.compile(rf"(?:^|[-._/]){re.escape(wanted)}(?:[-._/]|\Z)", re.IGNORECASE)
        files = [path for path in files if own.search(path.name)]
    if not files:
        raise unknown(name, stores[0], llama_cpp_names(stores))
    if len({path.name for path in files}) > 1:
        raise InputError(
            f"{name}: {len(files)} of its files are there: {listed([path.name for path in files], 8)}; add a "
            "quantization, as in llama.cpp:ORG/NAME:Q4_K_M"
        )
    return files[0]


def noted_file(store: Path, path: Path, parts: list[str], name: str) -> Path:
    """The file that a manifest of the flat cache names."""
    file = manifest(path, store, name)
    for key in ("ggufFile", "rfilename"):
        file = file.get(key) if isinstance(file, dict) else None
    if not isinstance(file, str) or not file.endswith(".gguf") or not file.isprintable() or len(file) > 300:
        raise InputError(f"{name}: its manifest {path} names no .gguf file; fetch the model again")
    return inside(store / "_".join([*parts, re.sub(r"[/\\]", "_", file)]), store, name)


def fetched_files(store: Path, parts: list[str]) -> list[Path]:
    """The GGUF files of a repository in a store, of a model in several files the first. The Hub's layout has links."""
    prefix = "_".join(parts) + "_"
    paths = [path for path in names_in(store) if path.name.startswith(prefix)]
    repository = store / f"models--{parts[0]}--{parts[1]}"
    for snapshot in names_in(repository / "snapshots"):
        paths += sorted(islice(snapshot.rglob("*.gguf"), MOST_NAMES))
    return [path for path in paths if is_model_file(path) and path.resolve().is_relative_to(store.resolve())]


def llama_cpp_names(stores: Iterable[Path]) -> list[str]:
    """The repositories in these stores."""
    repositories = set()
    for path in (path for store in stores for path in names_in(store)):
        named = re.fullmatch(r"manifest=([^=]+)=([^=]+)=[^=]+\.json|models--([^/]+)--([^/]+)", path.name)
        if named and (named[1] or next((path / "snapshots").glob("*/*.gguf"), None)):
            repositories.add(f"{LLAMA_CPP}:{named[1] or named[3]}/{named[2] or named[4]}")
    return sorted(repositories)


# --- LM Studio --------------------------------------------------------------------------------------------------------


def lm_studio_store() -> Path:
    home = Path("~").expanduser()
    pointer, base = home / ".lmstudio-home-pointer", home / ".cache" / "lm-studio"
    with suppress(OSError, ValueError):
        if pointer.is_file():
            base = Path(pointer.read_text("utf-8")[:4096].strip())
    base = base if base.is_dir() else home / ".lmstudio"
    with suppress(OSError, InputError):
        settings = base / "settings.json"
        folder = manifest(settings, base, "LM Studio").get("downloadsFolder") if settings.is_file() else None
        if isinstance(folder, str) and folder.strip():
            return Path(folder).expanduser()
    return base / "models"


def in_lm_studio(rest: str, name: str) -> Path:
    """A model in LM Studio's folder: PUBLISHER/MODEL[/FILE], a GGUF or the folder of a model."""
    parts = rest.split("/")
    if not 2 <= len(parts) <= 4 or not all(map(PART.fullmatch, parts)):
        raise InputError(f"{name}: this is not a name of LM Studio; write lmstudio:PUBLISHER/MODEL")
    store = lm_studio_store()
    path = store.joinpath(*parts)
    if not path.exists():
        folders = (path for path in islice(store.glob("*/*"), MOST_NAMES) if path.is_dir())
        raise unknown(name, store, [f"{LM_STUDIO}:{path.relative_to(store).as_posix()}" for path in folders])
    inside(path, store, name)
    if path.is_file():
        return path
    below = names_in(path)
    if standard_name([each.name for each in below]):
        return path
    files = [each for each in below if is_model_file(each)]
    if len(files) != 1:
        names = listed([each.name for each in files], 8)
        what = f"{len(files)} files are there: {names}; add one as /FILE" if files else "no model is there"
        raise InputError(f"{name}: {what}")
    return inside(files[0], store, name)


MOST_BELOW = 200_000
"""Names of files and folders that a walk looks at."""
MOST_TOKENIZERS = 5_000
"""Tokenizers of a walk."""
BLOBS = "blobs"
"""The folder of files by their hashes, in the Hub's cache and in Ollama's store."""


class Place(NamedTuple):
    """A tokenizer below a folder. path: of its file or folder. name: for `-m` if it has one, else below the folder."""

    path: Path
    name: str


def tokenizers_below(folder: Path, problems: list[str]) -> Iterator[Place]:
    """The tokenizers in order of their paths. problems: a line is added for each place that can't be looked at.

    Raises InputError if the folder itself can't be read.
    """
    left, count = MOST_BELOW, 0
    for at, folders, files in walk(folder, problems):
        left -= len(folders) + len(files)
        for place in places_in(at, folders, files, folder, problems):
            count += 1
            if count > MOST_TOKENIZERS:
                problems.append(f"there are more than {MOST_TOKENIZERS} tokenizers; the others are not listed")
                return
            yield place
        if left < 0:
            problems.append(
                f"there are more than {MOST_BELOW} names; those after {shown_path(at, folder)} were not read"
            )
            return


def walk(folder: Path, problems: list[str]) -> Iterator[tuple[Path, list[str], list[str]]]:
    """The folders below one, each with the names of its folders and files. The caller may remove folders."""
    try:
        os.scandir(folder).close()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{on_one_line(str(folder))}: cannot be read ({why}); give a folder") from None

    def note(error: OSError) -> None:
        problems.append(f"{shown_path(Path(error.filename), folder)}: cannot be read ({error.strerror})")

    for at, folders, files in os.walk(folder, onerror=note):
        links = [name for name in folders if os.path.islink(os.path.join(at, name))]
        problems += [
            f"{shown_path(Path(at, name), folder)}: a link to a folder, which isn't followed" for name in links
        ]
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in links)
        yield Path(at), folders, sorted(files)


def places_in(at: Path, folders: list[str], files: list[str], root: Path, problems: list[str]) -> Iterator[Place]:
    """The tokenizers in one folder. Removes the folders that aren't to be walked."""
    if BLOBS in folders and "manifests" in folders:
        folders[:] = [name for name in folders if name not in (BLOBS, "manifests")]
        yield from below_ollama(at, problems)
    if BLOBS in folders and "snapshots" in folders:
        folders[:] = ["snapshots"]
    if TOKENIZER_CONFIG in files and is_model(at, files):
        yield Place(at, repository_of(at) or shown_path(at, root))
        files = [name for name in files if name.lower().endswith(".gguf")]
    for name in files:
        path = at / name
        try:
            if is_tokenizer(path):
                yield Place(path, shown_path(path, root))
        except InputError as error:
            problems.append(str(error))
        except OSError as error:
            problems.append(f"{shown_path(path, root)}: cannot be read ({error.strerror})")


def is_tokenizer(path: Path) -> bool:
    """Whether a file is a vocabulary of its own, by name and content. Raises InputError if it can't be read."""
    suffix = path.suffix.lower()
    if path.name.startswith(".") or suffix not in SUFFIXES or path.name in (*COMPANIONS, *PARTNERS):
        return False
    if not path.is_file() or (suffix == ".gguf" and not is_model_file(path)):
        return False  # a link to a file that is gone, a pipe, a part of a model
    return is_vocabulary(first_bytes(path, HEAD), path.name)


def below_ollama(store: Path, problems: list[str]) -> Iterator[Place]:
    """The models in a store of Ollama, by their manifests."""
    for name, path in sorted(ollama_manifests(store)):
        try:
            yield Place(ollama_blob(store, manifest(path, store / "manifests", name), name), name)
        except InputError as error:
            problems.append(str(error))


def shown_path(path: Path, root: Path) -> str:
    """A path as it is below the folder."""
    return on_one_line(os.path.relpath(path, root)) if path != root else on_one_line(path.name or str(path))


def fingerprint(path: Path) -> str:
    """What two tokenizers with the same content share. Raises InputError.

    Of a GGUF its keys about the tokenizer, so that all quantizations of a model have the same; of a folder the files of
    the tokenizer and its template, but not config.json, which has the sizes of the model's layers.
    """
    hashed = sha256()
    files = files_at(path)
    data = Source(files[0], name=files[0].name).deciding()
    if data.startswith(b"GGUF"):
        from explorer.formats import gguf

        for pair in sorted(gguf.pairs(data).pairs):
            if pair.key.startswith("tokenizer."):
                hashed.update(f"{pair.key} {pair.kind} {len(pair.data)} ".encode() + pair.data)
        return hashed.hexdigest()
    others = [*files[1:], *(path / name for name in TEMPLATES if path.is_dir() and (path / name).is_file())]
    hashed.update(f"{len(data)} ".encode() + data)
    for other in sorted(others):
        if other.name != CONFIG:
            beside = contents(other)
            hashed.update(f"{other.name} {len(beside)} ".encode("utf-8", "surrogateescape") + beside)
    return hashed.hexdigest()

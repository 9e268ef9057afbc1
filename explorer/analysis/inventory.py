"""What the tokenizers below a folder are: their kinds, sizes, pre-tokenizers and templates, and which are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from explorer.analysis.pre_tokenizer import identity
from explorer.errors import ChoiceNeeded, InputError
from explorer.implementations.opened import Opened
from explorer.opening.below import Place, fingerprint, tokenizers_below
from explorer.opening.formats import files_at, format_at, open_path
from explorer.opening.kinds import kind_of


class Entry(NamedTuple):
    """A tokenizer below a folder.

    kind: as people call it. pre: llama.cpp's name of the pre-tokenizer with the same ids of a test text, "" if none is
    known. template: whether it has a chat template. bytes: of its files. same_as: the name of the first one with the
    same content, "" for itself. problem: why it can't be opened, "" if it can.
    """

    name: str
    path: str
    format: str = ""
    kind: str = ""
    implementation: str = ""
    tokens: int = 0
    pre: str = ""
    template: bool = False
    bytes: int = 0
    same_as: str = ""
    problem: str = ""


def inventory(folder: Path, problems: list[str]) -> Iterator[Entry]:
    """The tokenizers below a folder, one after the other; each content is opened once. Arguments as for the walk."""
    known: dict[str, Entry] = {}
    for place in tokenizers_below(folder, problems):
        found = Entry(place.name, str(place.path))
        try:
            files = files_at(place.path)
            size = sum(path.stat().st_size for path in files)
            found = found._replace(format=format_at(files[0]).name, bytes=size)
            content = fingerprint(place.path)
            first = known.get(content)
            if first is not None:
                yield first._replace(name=found.name, path=found.path, bytes=size, same_as=first.name)
                continue
            known[content] = found = described(found, open_path(place.path, None))
        except ChoiceNeeded as error:
            found = found._replace(problem=f"{error}. Open it with --choose {error.key}=VALUE")
        except InputError as error:
            found = found._replace(problem=str(error))
        except OSError as error:
            found = found._replace(problem=f"{place.name}: cannot be read ({error.strerror}); check its permissions")
        yield found


def described(found: Entry, tokenizer: Opened) -> Entry:
    """The entry with what the opened tokenizer says."""
    # of WordPiece the converter asks for the ids, too, but its pre-tokenizers have the names of models
    known = identity(tokenizer) if tokenizer.family == "BPE" else None
    try:
        template = bool(tokenizer.chat.sources)
    except InputError:  # a damaged one; prompts say so
        template = False
    return found._replace(
        kind=kind_of(tokenizer),
        implementation=tokenizer.implementation,
        tokens=len(tokenizer.vocabulary.pieces),
        pre="" if known is None else known.pre,
        template=template,
    )


def checked(folder: Path, problems: list[str], check: Callable[[Place], None]) -> int:
    """Calls `check` for each tokenizer below a folder, once for each content. Its InputErrors become problems.

    Returns the number of tokenizers with the content of another.
    """
    seen: set[str] = set()
    same = 0
    for place in tokenizers_below(folder, problems):
        try:
            content = fingerprint(place.path)
            if content in seen:
                same += 1
                continue
            seen.add(content)
            check(place)
        except InputError as error:
            problems.append(str(error))
        except OSError as error:
            problems.append(f"{place.name}: cannot be read ({error.strerror}); check its permissions")
    return same

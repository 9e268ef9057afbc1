"""Whether an original opens a file, and the words in which it refuses.

A file is opened as its original opens it. Where this reader is more lenient than Hugging Face's tokenizers, `LENIENT`
and `_stricter` say what the library demands. readability.toml has the library's own error for each kind of refusal,
which tests compare with the library, live.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from explorer.errors import ChoiceNeeded, InputError
from explorer.facts import listed
from explorer.formats import strict_json
from explorer.formats.tokenizer_json import FLAGS
from explorer.stages.table import IN_FILES

BOM: Final = b"\xef\xbb\xbf"

TOKENIZERS, LLAMA_CPP = "tokenizers", "llama.cpp"
ERRORS: Final[Mapping[str, Sequence[tuple[str, str]]]] = tomllib.loads(
    Path(__file__).with_name("readability.toml").read_text("utf-8")
)
"""Original, or one version of it → how a refusal begins here, after the file's name, and what it says then."""


class Refusal(NamedTuple):
    """who: refuses. says: why, as a sentence without its end. error: the original's own, empty if it isn't known."""

    who: str
    says: str
    error: str

    @property
    def text(self) -> str:
        """Both, as sentences."""
        if not self.error:
            return f"It was not opened: {self.says}."
        return f"{self.who} doesn't open it: {self.says}. It says: {self.error.rstrip('.')}."


def refusal(who: str, says: str) -> Refusal:
    """A refusal with the original's own words.

    >>> refusal("tokenizers", "model.merges[1] merges 'x', which is not in model.vocab; repair the file").error
    'Token `x` out of vocabulary'
    """
    for pattern, error in (*ERRORS.get(who.partition("-")[0], ()), *(ERRORS.get(who, ()) if "-" in who else ())):
        if match := re.match(pattern, says):
            return Refusal(who, says, error.format(*match.groups()))
    return Refusal(who, says, "")


def refused(who: str, opened: Callable[[], object], name: str) -> Iterator[Refusal]:
    """The refusal of whoever opens a file, if any. name: of the file in errors. Raises ChoiceNeeded unless it tells."""
    try:
        opened()
    except InputError as error:
        before, _, says = str(error).partition(f"{name}: ")
        found = refusal(who, says if says and before[-1:] in ("", "/", "\\") else str(error))
        if isinstance(error, ChoiceNeeded) and not found.error:
            raise
        yield found


def of_tokenizer_json(data: bytes, name: str) -> Iterator[Refusal]:
    """Why tokenizers refuses a tokenizer.json: what this reader forgives, or what it refuses, too."""
    from explorer.formats import tokenizer_json
    from explorer.opening.formats import as_huggingface

    found = []
    if data.startswith(BOM):
        found.append("it begins with a byte order mark (U+FEFF), which is not JSON; save it without")
    with suppress(InputError):  # said below
        whole = strict_json.read(data, name, "a tokenizer.json")
        found += _stricter(whole) if isinstance(whole, dict) else ()
    yield from (refusal(TOKENIZERS, says) for says in found)
    if not found:
        yield from refused(TOKENIZERS, lambda: as_huggingface(tokenizer_json.read(data, name), name), name)


def _stricter(whole: dict[str, Any]) -> Iterator[str]:
    """What tokenizers refuses in a file, and this reader doesn't."""
    model, added = whole.get("model"), whole.get("added_tokens")
    if isinstance(model, dict) and "type" in model and model["type"] is None:
        yield "model.type is null; name the type, or remove the key"
    elif isinstance(model, dict) and isinstance(kind := model.get("type"), str):
        missing = [key for key in IN_FILES[kind].required if key not in model] if kind in IN_FILES else ()
        if missing:
            yield f"keys are missing in the {kind} model: {listed(missing)}; write them"
    for index, entry in enumerate(added if isinstance(added, list) else ()):
        if missing := [key for key in FLAGS if isinstance(entry, dict) and key not in entry]:
            yield f"keys are missing in added_tokens[{index}]: {listed(missing)}; write them"
            return

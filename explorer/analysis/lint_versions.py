"""Which versions of Hugging Face's tokenizers can read a tokenizer.json, from the features it uses.

A version before a feature either refuses the file or reads past the feature and gives other ids. What is listed was
tried with 0.13.2, the oldest wheel for Python 3.11, and versions up to 0.23.3 (`tests/analysis/`); whatever isn't
listed was read by all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from explorer.analysis.lint import File
from explorer.formats.tokenizer_json import Json, TokenizerJson
from explorer.text.say import Say

OLDEST: Final = "0.13.2"
"""The oldest version that was tried."""

Version = tuple[int, ...]


class Need(NamedTuple):
    """A feature of a file.

    version: the first that knows it. place: in the file. what: it is. refused: whether versions before refuse the file;
    otherwise they read past it.
    """

    version: str
    place: str
    what: str
    refused: bool


def part(section: str, name: str) -> Callable[[File], bool]:
    """Whether a section has a part of this type."""
    return lambda file: file.has(section, name)


def metaspace(rule: Callable[[Json], bool]) -> Callable[[File], bool]:
    """Whether a Metaspace is written in a certain way."""
    return lambda file: any(
        each.get("type") == "Metaspace" and rule(each)
        for section in ("pre_tokenizer", "decoder")
        for each in file.parts(section)
    )


def merges_are_pairs(file: File) -> bool:
    """Whether merges are written as lists of two; a file without merges can be read either way."""
    merges = file.json.model.get("merges")
    return isinstance(merges, list) and bool(merges) and isinstance(merges[0], list)


def model(kind: str, flag: str) -> Callable[[File], bool]:
    """Whether a model of this type has a flag set."""
    return lambda file: file.json.model_type == kind and file.json.model.get(flag) is True


FEATURES: Final[tuple[tuple[Need, Callable[[File], bool]], ...]] = (
    (Need("0.13.3", "model.byte_fallback", "byte fallback of BPE", False), model("BPE", "byte_fallback")),
    (Need("0.14.0", "model.byte_fallback", "byte fallback of Unigram", False), model("Unigram", "byte_fallback")),
    (Need("0.19.1", "model.ignore_merges", "ignore_merges", False), model("BPE", "ignore_merges")),
    (Need("0.20.0", "model.merges", "merges as pairs", True), merges_are_pairs),
    (Need("0.13.3", "normalizer", "Prepend", True), part("normalizer", "Prepend")),
    (Need("0.20.0", "normalizer", "ByteLevel as a normalizer", True), part("normalizer", "ByteLevel")),
    (Need("0.22.0", "pre_tokenizer", "FixedLength", True), part("pre_tokenizer", "FixedLength")),
    (Need("0.19.0", "pre_tokenizer", "Metaspace without add_prefix_space", True),
     metaspace(lambda each: "add_prefix_space" not in each)),
    (Need("0.15.0", "pre_tokenizer", "prepend_scheme of Metaspace", False),
     metaspace(lambda each: each.get("prepend_scheme", "always") == "first")),
    (Need("0.19.0", "pre_tokenizer", "split of Metaspace", False), metaspace(lambda each: each.get("split") is False)),
    *((Need("0.13.3", "decoder", f"the decoder {name}", True), part("decoder", name))
      for name in ("ByteFallback", "Fuse", "Strip", "Replace")),
)  # fmt: skip


def parsed(version: str) -> Version:
    """A version's numbers.

    >>> parsed("0.19.1") < parsed("0.20.0")
    True
    """
    return tuple(map(int, version.split(".")))


def needs(json: TokenizerJson) -> tuple[Need, ...]:
    """The features of a file that not all versions know, those of the newest version first.

    >>> from explorer.formats import tokenizer_json
    >>> model = b'{"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]]}'
    >>> [(each.version, each.what) for each in needs(tokenizer_json.read(b'{"model": %b}' % model, "toy"))]
    [('0.20.0', 'merges as pairs')]
    """
    file = File(json)
    found = [need for need, has in FEATURES if has(file)]
    return tuple(sorted(found, key=lambda need: parsed(need.version), reverse=True))


def readable(json: TokenizerJson) -> Say:
    """Which versions can read a file, and because of what."""
    found = needs(json)
    refused = next((each for each in found if each.refused), None)
    if refused is None:
        say = Say.of("Every version of tokenizers from {0:t} on can read it.", OLDEST)
    else:
        say = Say.of("tokenizers {0:t} or later can read it ({1:t}: {2:t}).", refused.version, refused.place,
                     refused.what)  # fmt: skip
    first = refused.version if refused is not None else OLDEST
    ignored = next((each for each in found if not each.refused and parsed(each.version) > parsed(first)), None)
    if ignored is None:
        return say
    return say.then(Say.of("Before {0:t} it is read without {1:t} ({2:t}), which may give other ids.", ignored.version,
                           ignored.what, ignored.place))  # fmt: skip

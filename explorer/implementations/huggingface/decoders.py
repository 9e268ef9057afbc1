"""The decoders of a tokenizer.json, each made of its settings. Follows `decoders/` of Hugging Face's tokenizers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from explorer.engine.decoders.chain import Step
from explorer.engine.decoders.huggingface import (
    BpeSuffix,
    ByteFallback,
    ByteLevel,
    Ctc,
    Fuse,
    Metaspace,
    Replace,
    Spaces,
    Strip,
    WordPiece,
)
from explorer.errors import InputError, shown, verbatim
from explorer.facts import Fact, FactKind
from explorer.formats.tokenizer_json import Json
from explorer.implementations.huggingface.reading import Placed, flat, maker, unknown_settings
from explorer.text import visible

TOPIC: Final = "decoder"

Made = tuple[Callable[[bool], Step], str]
"""What makes the decoder, told whether it is the last one, and what it does, in a sentence."""


class Kind(NamedTuple):
    """A `type` of a decoder: what reads it, the settings it has, those among them that it has for its other trade."""

    read: Callable[[Placed], Made]
    settings: frozenset[str] = frozenset()
    moot: frozenset[str] = frozenset()


def decoding(part: Json | None, name: str) -> tuple[list[Step], list[Fact]]:
    """The decoders of the section `decoder` and what there is to say of them. Raises InputError naming what is not
    known."""
    placed = flat(part, "decoder", "decoders", name)
    if part is None:
        fact = Fact(TOPIC, "There is no decoder: the pieces are joined with spaces.", kind=FactKind.WARNING)
        return [Spaces()], [fact]
    steps: list[Step] = []
    facts: list[Fact] = []
    for number, each in enumerate(placed):
        kind = maker(each, DECODERS, "decoder")
        step, says = kind.read(each)
        steps.append(step(number == len(placed) - 1))
        facts.append(Fact(TOPIC, says, each.place))
        moot = [key for key in each.part if key in kind.moot]
        if moot:
            keys = ", ".join(moot)
            facts.append(Fact(TOPIC, f"{keys}: no matter of decoding.", each.place, kind=FactKind.UNUSED))
        facts += unknown_settings(each, kind.settings, TOPIC)
    return steps, facts


def character(placed: Placed, key: str) -> str:
    value = placed.get(key, str)
    if len(value) != 1:
        raise placed.error(f"{key} is {shown(value)} and not one character")
    return value


def number(placed: Placed, key: str) -> int:
    value = placed.get(key, int)
    if value < 0:
        raise placed.error(f"{key} is {value}, which is below 0")
    return value


def byte_level(placed: Placed) -> Made:
    return ByteLevel, "Printable characters become the bytes they stand for."


def replace(placed: Placed) -> Made:
    kind, pattern = placed.pattern()
    content = placed.get("content", str)
    to = f"written “{visible(content)}”" if content else "left out"
    if kind is None:
        return lambda last: Replace(pattern, content), f"“{visible(pattern)}” is {to}."
    from explorer.engine.regexes import oniguruma

    try:
        spans = oniguruma.Spans(pattern)
    except InputError as error:
        raise placed.error(f"pattern {verbatim(pattern)} cannot be run: {error}", "") from None
    return lambda last: Replace(spans, content), f"What matches {visible(pattern)} is {to}."


def strip(placed: Placed) -> Made:
    content, start, stop = character(placed, "content"), number(placed, "start"), number(placed, "stop")
    says = f"Up to {start} “{visible(content)}” at the beginning of a string and {stop} at its end are taken away."
    return lambda last: Strip(content, start, stop), says


def metaspace(placed: Placed) -> Made:
    replacement = character(placed, "replacement")
    scheme = placed.get("prepend_scheme", str, default="always")
    if scheme not in ("always", "first", "never"):
        raise placed.error(f"prepend_scheme is {shown(scheme)}, not always, first or never")
    if placed.part.get("add_prefix_space") is False:  # files from before there were schemes
        if scheme != "never" and "prepend_scheme" in placed.part:
            raise placed.error(f"add_prefix_space is false, but prepend_scheme is {scheme!r}")
        scheme = "never"
    first = "" if scheme == "never" else ", in the first string as nothing"
    return (
        lambda last: Metaspace(replacement, scheme != "never"),
        f"“{visible(replacement)}” is written as a space{first}.",
    )


def word_piece(placed: Placed) -> Made:
    prefix, cleanup = placed.get("prefix", str, default="##"), placed.get("cleanup", bool, default=True)
    says = f"Strings are set apart by a space, but for those that begin with “{visible(prefix)}”, which goes"
    also = "; spaces before punctuation and contractions are taken away" if cleanup else ""
    return lambda last: WordPiece(prefix, cleanup), f"{says}{also}."


def bpe_suffix(placed: Placed) -> Made:
    suffix = placed.get("suffix", str, default="</w>")
    return lambda last: BpeSuffix(suffix), f"“{visible(suffix)}” is written as a space, in the last string as nothing."


def ctc(placed: Placed) -> Made:
    pad = placed.get("pad_token", str, default="<pad>")
    delimiter = placed.get("word_delimiter_token", str, default="|")
    cleanup = placed.get("cleanup", bool, default=True)
    says = f"Repeated strings and “{visible(pad)}” go"
    also = f", “{visible(delimiter)}” is written as a space, and spaces before punctuation go" if cleanup else ""
    return lambda last: Ctc(pad, delimiter, cleanup), f"{says}{also}."


OF_BYTE_LEVEL: Final = frozenset({"add_prefix_space", "trim_offsets", "use_regex"})

DECODERS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "ByteLevel": Kind(byte_level, OF_BYTE_LEVEL, OF_BYTE_LEVEL),
        "Replace": Kind(replace, frozenset({"pattern", "content"})),
        "ByteFallback": Kind(
            lambda placed: (
                lambda last: ByteFallback(),
                "Pieces spelled <0xXX> become bytes; a run of them that is no text gives one � for each.",
            )
        ),
        "Fuse": Kind(lambda placed: (lambda last: Fuse(), "All strings become one.")),
        "Strip": Kind(strip, frozenset({"content", "start", "stop"})),
        "Metaspace": Kind(
            metaspace,
            frozenset({"replacement", "prepend_scheme", "split", "add_prefix_space", "str_rep"}),
            frozenset({"split", "str_rep"}),
        ),
        "WordPiece": Kind(word_piece, frozenset({"prefix", "cleanup"})),
        "BPEDecoder": Kind(bpe_suffix, frozenset({"suffix"})),
        "CTC": Kind(ctc, frozenset({"pad_token", "word_delimiter_token", "cleanup"})),
    }
)
"""`type` of a decoder → what it is."""

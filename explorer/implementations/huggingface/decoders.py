"""The decoders of a tokenizer.json, each built from its settings. Follows `decoders/` of Hugging Face's tokenizers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from explorer.engine.decoders import huggingface as chained
from explorer.engine.decoders.chain import DecoderStep
from explorer.engine.decoders.huggingface import ByteFallbackDecoder, ByteLevelDecoder
from explorer.errors import InputError, shown, verbatim
from explorer.facts import UNUSED, WARNING, Fact
from explorer.formats.tokenizer_json import Json
from explorer.implementations.huggingface.reading import LocatedPart, flat, of_type, unknown_settings
from explorer.text import visible

TOPIC: Final = "decoder"

StepMaker = tuple[Callable[[bool], DecoderStep], str]
"""A function that makes the decoder, given whether it is the last one, and a sentence that describes it."""


class DecoderType(NamedTuple):
    """A `type` of a decoder. settings: those it has. unused: those that only its pre-tokenizer uses."""

    read: Callable[[LocatedPart], StepMaker]
    settings: str = ""
    unused: str = ""


def decoding(part: Json | None, name: str) -> tuple[list[DecoderStep], list[Fact]]:
    """The decoders of the section `decoder`, and the facts about them. Raises InputError naming an unknown type."""
    parts = flat(part, "decoder", "decoders", name)
    if part is None:
        fact = Fact(TOPIC, "There is no decoder: the pieces are joined with spaces.", kind=WARNING)
        return [chained.SpaceJoiner()], [fact]
    steps: list[DecoderStep] = []
    facts: list[Fact] = []
    for index, each in enumerate(parts):
        type_of = of_type(each, DECODERS, "decoder")
        step, says = type_of.read(each)
        steps.append(step(index == len(parts) - 1))
        facts.append(Fact(TOPIC, says, each.path))
        unused = [key for key in each.part if key in type_of.unused.split()]
        if unused:
            says = f"{', '.join(unused)}: decoding does not use this."
            facts.append(Fact(TOPIC, says, each.path, kind=UNUSED))
        facts += unknown_settings(each, type_of.settings, TOPIC)
    return steps, facts


def _count(part: LocatedPart, key: str) -> int:
    value = part.get(key, int)
    if value < 0:
        raise part.error(f"{key} is {value}, which is below 0")
    return value


def _byte_level(part: LocatedPart) -> StepMaker:
    return ByteLevelDecoder, "Printable characters become the bytes they spell."


def _replace(part: LocatedPart) -> StepMaker:
    kind, pattern = part.pattern()
    content = part.get("content", str)
    to = f"replaced by “{visible(content)}”" if content else "left out"
    if kind is None:
        return lambda last: chained.ReplaceDecoder(pattern, content), f"“{visible(pattern)}” is {to}."
    from explorer.engine.regexes.oniguruma import OnigurumaSpans

    try:
        spans = OnigurumaSpans(pattern)
    except InputError as error:
        raise part.error(f"pattern {verbatim(pattern)} cannot be run: {error}", "") from None
    return lambda last: chained.ReplaceDecoder(spans, content), f"What {visible(pattern)} matches is {to}."


def _strip(part: LocatedPart) -> StepMaker:
    content, start, stop = part.character("content"), _count(part, "start"), _count(part, "stop")
    says = f"Up to {start} “{visible(content)}” at the beginning of a string and {stop} at its end are removed."
    return lambda last: chained.StripDecoder(content, start, stop), says


def _metaspace(part: LocatedPart) -> StepMaker:
    replacement = part.character("replacement")
    scheme = part.get("prepend_scheme", str, default="always")
    if scheme not in ("always", "first", "never"):
        raise part.error(f"prepend_scheme is {shown(scheme)}, not always, first or never")
    if part.part.get("add_prefix_space") is False:  # files older than prepend_scheme
        if scheme != "never" and "prepend_scheme" in part.part:
            raise part.error(f"add_prefix_space is false, but prepend_scheme is {scheme!r}")
        scheme = "never"
    first = "" if scheme == "never" else "; the one at the start of the first string is dropped"
    return (
        lambda last: chained.MetaspaceDecoder(replacement, scheme != "never"),
        f"“{visible(replacement)}” becomes a space{first}.",
    )


def _word_piece(part: LocatedPart) -> StepMaker:
    prefix, cleanup = part.get("prefix", str, default="##"), part.get("cleanup", bool, default=True)
    says = f"Strings are joined with spaces, except those that begin with “{visible(prefix)}”, which is dropped"
    also = "; spaces before punctuation and contractions are removed" if cleanup else ""
    return lambda last: chained.WordPieceDecoder(prefix, cleanup), f"{says}{also}."


def _bpe_suffix(part: LocatedPart) -> StepMaker:
    suffix = part.get("suffix", str, default="</w>")
    says = f"“{visible(suffix)}” becomes a space; in the last string it is dropped."
    return lambda last: chained.BpeSuffixDecoder(suffix), says


def _ctc(part: LocatedPart) -> StepMaker:
    pad = part.get("pad_token", str, default="<pad>")
    delimiter = part.get("word_delimiter_token", str, default="|")
    cleanup = part.get("cleanup", bool, default=True)
    says = f"Repeated strings and “{visible(pad)}” are dropped"
    also = f", “{visible(delimiter)}” becomes a space, and spaces before punctuation are removed" if cleanup else ""
    return lambda last: chained.CtcDecoder(pad, delimiter, cleanup), f"{says}{also}."


OF_BYTE_LEVEL: Final = "add_prefix_space trim_offsets use_regex"

DECODERS: Final[Mapping[str, DecoderType]] = {
    "ByteLevel": DecoderType(_byte_level, OF_BYTE_LEVEL, OF_BYTE_LEVEL),
    "Replace": DecoderType(_replace, "pattern content"),
    "ByteFallback": DecoderType(
        lambda part: (
            lambda last: ByteFallbackDecoder(),
            "Pieces spelled <0xXX> become bytes; a run of them that isn't UTF-8 gives one � for each byte.",
        )
    ),
    "Fuse": DecoderType(lambda part: (lambda last: chained.FuseDecoder(), "All strings become one.")),
    "Strip": DecoderType(_strip, "content start stop"),
    "Metaspace": DecoderType(
        _metaspace,
        "replacement prepend_scheme split add_prefix_space str_rep",
        "split str_rep",
    ),
    "WordPiece": DecoderType(_word_piece, "prefix cleanup"),
    "BPEDecoder": DecoderType(_bpe_suffix, "suffix"),
    "CTC": DecoderType(_ctc, "pad_token word_delimiter_token cleanup"),
}
"""`type` of a decoder → how it is built and described."""

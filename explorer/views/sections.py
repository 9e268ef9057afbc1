"""A trace as the sections of a page: the bytes, every stage in order, and back to text.

The kind of a stage (`stages/table.py`) has the title and the contents of its section.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from explorer.engine.part import Model
from explorer.engine.results import Stage, Trace
from explorer.engine.tokenizer import Tokenizer
from explorer.implementations.opened import SWITCHES
from explorer.script.script import Script
from explorer.script.window import Window
from explorer.stages.decoders.losses import RoundTrip
from explorer.stages.decoders.result import decode_result
from explorer.stages.decoders.story import decode_script
from explorer.stages.spelling import shown_vocabulary, speller_of
from explorer.stages.table import BY_NAME, kind_of
from explorer.stages.trie.stage import TRIE
from explorer.stages.utf8 import utf8_result, utf8_script
from explorer.text.say import Say, plain
from explorer.views.glossary import Word, words_in
from explorer.vocabulary import Vocabulary


class Section(NamedTuple):
    """One section: a script for the stepper under a title.

    key: short and unique on the page. what: what this stage is for, for any text. result: what it did to this text, in
    the report of all stages. words: the technical terms it uses. trie: whether it walks through a trie. A section
    without a script says that this tokenizer doesn't have the stage.
    """

    key: str
    title: str
    what: str
    script: Script | None = None
    result: Say | None = None
    words: tuple[Word, ...] = ()
    trie: bool = False


BYTES: Final = (
    "A text is stored as bytes. UTF-8 writes each code point, the number Unicode gives to a character, as one to four "
    "bytes."
)
BACK: Final = (
    "Ids become bytes, all bytes are joined, and only then read as UTF-8: a character may be spread over several "
    "tokens, which are not valid text when decoded separately."
)

ALWAYS: Final = ("partition", "post-process")
"""Stages that always have a section, because a switch of the page is about them."""


def notes(tokenizer: Tokenizer) -> Mapping[str, str]:
    """Name of a stage → a sentence about the original that is run."""
    switches = SWITCHES.get(tokenizer.implementation)
    return {} if switches is None else dict(zip(ALWAYS, switches, strict=True))


def sections(
    tokenizer: Tokenizer,
    trace: Trace,
    round_trip: RoundTrip,
    window: Window,
    only: str | None = None,
    stored: bool = True,
) -> list[Section]:
    """The sections of a trace, in the order a text goes through them.

    only: the key of the one to draw, without result and words. stored: tokens as the vocabulary stores them, not as
    text.

    >>> import explorer
    >>> from explorer.stages.decoders.losses import round_trip
    >>> from explorer.script.window import window_of
    >>> tok = explorer.load("llama-2")
    >>> trace = tok.trace("is")
    >>> [s.key for s in sections(tok, trace, round_trip(tok, trace), window_of(trace))]
    ['utf8', 'partition', 'normalize', 'model', 'post-process', 'decode']
    """
    parts = outline(tokenizer, trace, round_trip, window, stored)
    if only:
        return [part.write() for part in parts if part.key == only]
    drawn = [part.write()._replace(result=part.result() if part.result else None) for part in parts]
    return [section._replace(words=words_in(texts_of(section))) for section in drawn]


def unfinished_sections(tokenizer: Tokenizer, trace: Trace, window: Window, stored: bool = True) -> list[Section]:
    """The stages of a trace that has no tokens, because the stages end before the model (`errors.Unfinished`)."""
    vocabulary, made = shown_vocabulary(tokenizer.trace(""), stored), list[Section]()
    for stage in trace.stages:
        section = section_of(stage, trace, vocabulary, window)
        section = section._replace(result=kind_of(stage).result(trace, stage, vocabulary))
        made.append(section._replace(words=words_in(texts_of(section))))
    return made


class Part(NamedTuple):
    """A section that is not drawn yet."""

    key: str
    write: Callable[[], Section]
    result: Callable[[], Say] | None = None


def outline(
    tokenizer: Tokenizer, trace: Trace, round_trip: RoundTrip, window: Window, stored: bool = True
) -> list[Part]:
    """All sections, none drawn yet."""
    vocabulary, said = shown_vocabulary(trace, stored), notes(tokenizer)

    def absent(name: str) -> list[Part]:
        if name not in said or any(stage.name == name for stage in trace.stages):
            return []
        text = f"This tokenizer has no such stage. {said[name]}"
        return [Part(name, lambda: Section(name, BY_NAME[name].title, text))]

    def part_of(stage: Stage, note: str) -> Part:
        def write() -> Section:
            # the text of the model's stage is in the vocabulary's spelling; its script is made of that
            model = isinstance(stage.part, Model)
            section = section_of(stage, trace, tokenizer.vocabulary if model else vocabulary, window)
            if model and section.script is not None and not stored:
                section = section._replace(script=section.script.respelled(speller_of(trace, stored).stored))
            return section._replace(what=f"{section.what} {note}".rstrip())

        return Part(stage.name, write, lambda: kind_of(stage).result(trace, stage, vocabulary))

    def utf8() -> Section:
        return Section("utf8", "Bytes", BYTES, utf8_script(trace.text, window))

    def decode() -> Section:
        decoded, losses, of_text = round_trip
        script = decode_script(trace, decoded, vocabulary, window, of_text=of_text, losses=losses)
        return Section("decode", "Text again", BACK, script)

    stages: list[Part] = []
    for stage in trace.stages:
        first = all(part.key != stage.name for part in stages)
        stages.append(part_of(stage, said.get(stage.name, "") if first else ""))
    return [
        Part("utf8", utf8, lambda: utf8_result(trace.text)),
        *absent("partition"),
        *stages,
        *absent("post-process"),
        Part("decode", decode, lambda: decode_result(trace, round_trip)),
    ]


def section_of(stage: Stage, trace: Trace, vocabulary: Vocabulary, window: Window) -> Section:
    """One stage of a trace as a section, without what it did."""
    kind = kind_of(stage)
    script = kind.script(trace, stage, vocabulary, window)
    return Section(stage.name, kind.title, kind.purpose, script, trie=kind is TRIE)


def texts_of(section: Section) -> Iterator[str]:
    """The texts of a section that are always shown: no details of cells, no pseudo-code."""
    yield from (section.title, section.what)
    if section.result is not None:
        yield plain(section.result)
    if section.script is not None:
        data = section.script.data
        yield from (data["start"]["say"], data["start"]["why"], *(phase["name"] for phase in data["phases"]))
        for track in data["tracks"]:
            yield from (track["title"], track.get("note", ""), track.get("empty", ""), *track.get("meta", ()))
            yield from (column["name"] for column in track.get("columns", ()))
        for kind in sorted(set(data["steps"]["kind"])):
            yield from (data["kinds"][kind][part] for part in ("label", "say", "why"))

"""A trace as the sections of a page: the bytes, every stage in order, and back to text.

The kind of a stage (`stages/table.py`) has the title and the contents of its section.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from explorer.engine.part import Model
from explorer.engine.tokenizer import Stage, Tokenizer, Trace
from explorer.implementations.opened import SWITCHES
from explorer.script.packing import Window
from explorer.script.script import Script
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


def notes(tokenizer: Tokenizer) -> dict[str, str]:
    """Name of a stage → a sentence about the original that is run."""
    switches = SWITCHES.get(tokenizer.implementation)
    return {} if switches is None else dict(zip(ALWAYS, switches, strict=True))


def sections(
    tokenizer: Tokenizer,
    trace: Trace,
    round_trip: RoundTrip | None,
    window: Window,
    only: str | None = None,
    stored: bool = True,
) -> list[Section]:
    """The sections of a trace, in the order a text goes through them.

    only: the key of the one to draw, without result and words. stored: tokens as the vocabulary stores them, not as
    text. round_trip: None where the way back isn't drawn.

    >>> import explorer
    >>> from explorer.stages.decoders.losses import round_trip
    >>> from explorer.script.packing import window_of
    >>> tok = explorer.load("llama-2")
    >>> trace = tok.trace("is")
    >>> [s.key for s in sections(tok, trace, round_trip(tok, trace), window_of(trace))]
    ['utf8', 'partition', 'normalize', 'model', 'post-process', 'decode']
    """
    vocabulary, said = shown_vocabulary(trace, stored), notes(tokenizer)
    known = {stage.name for stage in trace.stages}

    def absent(name: str) -> list[Section]:
        if name not in said or name in known or only not in (None, name):
            return []
        return [Section(name, BY_NAME[name].title, f"This tokenizer has no such stage. {said[name]}")]

    made: list[Section] = []
    if only in (None, "utf8"):
        result = None if only else utf8_result(trace.text)
        made.append(Section("utf8", "Bytes", BYTES, utf8_script(trace.text, window), result))
    made += absent("partition")
    for stage in trace.stages:
        note = said.pop(stage.name, "")  # beside the first of this name
        if only not in (None, stage.name):
            continue
        # the text of the model's stage is in the vocabulary's spelling; its script is made of that
        model = isinstance(stage.part, Model)
        section = section_of(stage, trace, tokenizer.vocabulary if model else vocabulary, window)
        script = section.script
        if model and script is not None and not stored:
            script = script.respelled(speller_of(trace, stored).stored)
        result = None if only else kind_of(stage).result(trace, stage, vocabulary)
        made.append(section._replace(script=script, what=f"{section.what} {note}".rstrip(), result=result))
    made += absent("post-process")
    if round_trip is not None and only in (None, "decode"):
        decoded, losses, of_text = round_trip
        script = decode_script(trace, decoded, vocabulary, window, of_text=of_text, losses=losses)
        made.append(Section("decode", "Text again", BACK, script, None if only else decode_result(trace, round_trip)))
    return made if only else [section._replace(words=words_in(texts_of(section))) for section in made]


def unfinished_sections(tokenizer: Tokenizer, trace: Trace, window: Window, stored: bool = True) -> list[Section]:
    """The stages of a trace that has no tokens, because the stages end before the model (`errors.Unfinished`)."""
    vocabulary, made = shown_vocabulary(tokenizer.trace(""), stored), list[Section]()
    for stage in trace.stages:
        section = section_of(stage, trace, vocabulary, window)
        section = section._replace(result=kind_of(stage).result(trace, stage, vocabulary))
        made.append(section._replace(words=words_in(texts_of(section))))
    return made


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

"""A trace as the sections of a page: the bytes, every stage in order, and back to text.

The stage decides the title and contents of its section. Most views are found by the row type of the events; stages with
one view for all implementations are found by name. A new algorithm adds a row here, not a branch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from explorer.engine.models.char_word import CharWordRow
from explorer.engine.models.first_miss import FirstMissRow
from explorer.engine.models.plamo2 import Plamo2
from explorer.engine.models.trie import TrieRow
from explorer.engine.models.unigram import UnigramRow
from explorer.engine.models.word_level import WordLevelRow
from explorer.engine.models.wordpiece import WordPieceRow
from explorer.engine.part import Model
from explorer.engine.partition.user_defined import UserDefinedRow
from explorer.engine.pre_tokenizers.stage import PreTokenizeRow
from explorer.engine.pre_tokenizers.wpm import WpmRow
from explorer.engine.results import Stage, Trace
from explorer.engine.tokenizer import Tokenizer
from explorer.implementations.switches import SWITCHES
from explorer.script.script import Script
from explorer.script.window import Window
from explorer.stages.counts import Count, fragments, matches, merges, normalized, pre_tokens, special, tokens
from explorer.stages.decoders.losses import RoundTrip
from explorer.stages.decoders.result import decode_result
from explorer.stages.decoders.story import decode_script
from explorer.stages.lattice.story import lattice_script, plamo2_script
from explorer.stages.longest_match.story import wordpiece_script
from explorer.stages.lookup.story import char_word_script
from explorer.stages.merging.story import merge_script
from explorer.stages.normalizers.result import normalize_result
from explorer.stages.normalizers.story import normalization_script
from explorer.stages.partition.cut_out_story import dna_script, user_defined_script
from explorer.stages.partition.story import partition_script
from explorer.stages.post_processors.story import padding_script, post_process_script, truncation_script
from explorer.stages.pre_tokenizers.story import pretokenize_script
from explorer.stages.pre_tokenizers.words_story import words_script
from explorer.stages.results import (
    dna_result,
    first_miss_result,
    model_result,
    padding_result,
    partition_result,
    pieces_result,
    post_process_result,
    pretokenize_result,
    truncation_result,
    utf8_result,
    word_level_result,
)
from explorer.stages.speller import shown_vocabulary, speller_of
from explorer.stages.trie.first_miss_story import first_miss_script
from explorer.stages.trie.walk_story import trie_script
from explorer.stages.utf8.story import utf8_script
from explorer.text.say import Say, plain
from explorer.views.glossary import Word, words_in
from explorer.vocabulary import Vocabulary


class Section(NamedTuple):
    """One section: a script for the stepper under a title.

    key: short and unique on the page. what: what this stage is for, for any text. result: what it did to this text, in
    the report of all stages. words: the technical terms it uses. queue: the priority of its queue ("score", "rank",
    "merge"), None without one. trie: whether it walks through a trie. A section without a script says that this
    tokenizer doesn't have the stage.
    """

    key: str
    title: str
    what: str
    script: Script | None = None
    result: Say | None = None
    queue: str | None = None
    words: tuple[Word, ...] = ()
    trie: bool = False


ScriptWriter: TypeAlias = Callable[[Trace, Stage, Vocabulary, Window], Script]


class View(NamedTuple):
    """How a stage is shown.

    name, counted: in the row of stages. result: a sentence about what it did.
    """

    title: str
    what: str
    script: ScriptWriter
    name: str
    counted: Callable[[Stage], Count] = tokens
    result: Callable[[Trace, Stage, Vocabulary], Say] = model_result


def of_stage(write: Callable[[Stage, Vocabulary, Window], Script]) -> ScriptWriter:
    """A writer that needs its stage alone, as one that is given the trace, too."""
    return lambda trace, stage, vocabulary, window: write(stage, vocabulary, window)


BY_NAME: Final[dict[str, View]] = {
    "partition": View(
        "Special tokens",
        "Special and user-defined tokens that occur in the text are cut out of it first.",
        partition_script,
        "Special tokens",
        special,
        partition_result,
    ),
    "partition-normalized": View(
        "Special tokens, normalized",
        "Some tokens are matched in the normalized text, with their own spelling normalized as well.",
        partition_script,
        "Special, normalized",
        special,
        partition_result,
    ),
    "normalize": View(
        "Normalization",
        "The text is rewritten before it is cut.",
        of_stage(normalization_script),
        "Normalize",
        normalized,
        normalize_result,
    ),
    "dna": View(
        "DNA",
        "DNA between its tags is cut into groups of six letters.",
        of_stage(dna_script),
        "DNA",
        fragments,
        dna_result,
    ),
    "truncate": View(
        "Truncation",
        "A text with more tokens than the model accepts is cut off.",
        truncation_script,
        "Truncate",
        tokens,
        truncation_result,
    ),
    "pad": View(
        "Padding",
        "A text with fewer tokens is padded, so that all texts have the same length.",
        padding_script,
        "Pad",
        tokens,
        padding_result,
    ),
    "post-process": View(
        "Post-processing",
        "The tokens the model expects around a text are added.",
        post_process_script,
        "Ids",
        tokens,
        post_process_result,
    ),
}

PRE_TOKENS: Final = "The text is cut into pre-tokens, and no token crosses a cut."
CLASSES: Final = (
    "Unicode defines what a character is (a letter, a number, white space …), and its versions differ: another program "
    "may cut differently at a recently added character."
)

BY_TYPE: Final[dict[type[Any], View]] = {
    PreTokenizeRow: View(
        "Pre-tokenizer",
        f"{PRE_TOKENS} At each position the alternatives of a pattern are tried in order. {CLASSES}",
        of_stage(pretokenize_script),
        "Pre-tokenize",
        pre_tokens,
        pretokenize_result,
    ),
    WpmRow: View(
        "Words",
        "The text is cut into words in one loop over its code points. What it does with one depends on twelve "
        f"flags that llama.cpp has in a table, not on a pattern. {CLASSES}",
        of_stage(words_script),
        "Pre-tokenize",
        pre_tokens,
        pieces_result,
    ),
    UserDefinedRow: View(
        "User-defined pieces",
        "Pieces that the model's maker defined are always cut out whole.",
        of_stage(user_defined_script),
        "Pre-tokenize",
        pre_tokens,
        pieces_result,
    ),
    WordPieceRow: View(
        "Longest match",
        "Each word is split from the left: the longest piece that fits, then the longest that fits the rest.",
        of_stage(wordpiece_script),
        "Longest match",
        matches,
    ),
    TrieRow: View(
        "A walk through the trie",
        "Starting at each position, the bytes are followed down a tree; the last token passed is taken.",
        of_stage(trie_script),
        "Longest match",
    ),
    FirstMissRow: View(
        "The loop that stops at the first miss",
        "Starting at each position, characters are added as long as the result is a token. This common misreading "
        "of the trie is not a longest match; each step says where the trie takes another token.",
        of_stage(first_miss_script),
        "First miss",
        result=first_miss_result,
    ),
    WordLevelRow: View(
        "Words looked up",
        "Each word is looked up whole: it is a piece, or it becomes the unknown token.",
        of_stage(char_word_script),
        "Look-up",
        result=word_level_result,
    ),
    UnigramRow: View(
        "The best path",
        "Every way to cut the text is a path through a lattice of pieces; the highest sum of scores wins.",
        of_stage(lattice_script),
        "Best path",
    ),
    Plamo2: View(
        "The best path, from the end",
        "Every way to cut the text is a path through a lattice of pieces; the highest sum of scores wins. Sums are "
        "computed from the right, so the path can be read from the left.",
        of_stage(plamo2_script),
        "Best path",
    ),
    CharWordRow: View(
        "Look-up",
        "The text is cut into characters or words without using the vocabulary, and each is looked up whole.",
        of_stage(char_word_script),
        "Look-up",
    ),
}
"""By the row type of a stage's events, or by the type of a part whose rows another algorithm has, too."""

MERGING: Final[dict[str, str]] = {
    "score": "SentencePiece BPE has no pre-tokenizer: a fragment is one chain of symbols. Neighbors that make a piece "
    "are merged, highest score first, until no pair makes one.",
    "merge": "Neighbors are merged, never across a cut, if the pair is in the model's list of merges, in the order of "
    "the list. tiktoken's test is different: whether the joined bytes are a token. They may be one without "
    "this pair being listed.",
    "rank": "Neighbors are merged, never across a cut, if their joined bytes are a token, lowest rank first. The test "
    "of Hugging Face and llama.cpp is different: whether this very pair is in a list of merges.",
}
"""Priority a model merges by → what it does."""


def view_of(stage: Stage) -> View:
    """How a stage is shown. Raises KeyError for a stage without a view; a test checks that all have one."""
    if stage.name in BY_NAME:
        return BY_NAME[stage.name]
    priority = priority_of(stage)
    if priority:
        return View("Merging", MERGING[priority], of_stage(merge_script), "Merge", merges)
    return BY_TYPE.get(type(stage.part)) or BY_TYPE[stage.part.row]  # type: ignore[index]  # row types are classes


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
        section = section._replace(result=view_of(stage).result(trace, stage, vocabulary))
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

        return Part(stage.name, write, lambda: view_of(stage).result(trace, stage, vocabulary))

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
    view = view_of(stage)
    script = view.script(trace, stage, vocabulary, window)
    return Section(stage.name, view.title, view.what, script, queue=priority_of(stage), trie=stage.part.row is TrieRow)


def priority_of(stage: Stage) -> str | None:
    """What the merges of a stage sort by; None where it merges nothing."""
    return stage.part.priority if isinstance(stage.part, Model) else None


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

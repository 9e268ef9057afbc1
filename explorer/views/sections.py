"""A trace as the sections of a page: the bytes, every stage in order, and back to text.

The stage decides the title and contents of its section. Most views are found by the row type of the events; stages with
one board for all implementations are found by name. A new algorithm adds a row here, not a branch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from explorer.analysis.round_trip.losses import RoundTrip
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
from explorer.text.say import plain
from explorer.views.boards.board import Board
from explorer.views.boards.decode import decode_board
from explorer.views.boards.dna import dna_board
from explorer.views.boards.first_miss import first_miss_board
from explorer.views.boards.lengths import padding_board, truncation_board
from explorer.views.boards.normalize import normalize_board
from explorer.views.boards.partition import normalized_partition_board, partition_board
from explorer.views.boards.pieces import pieces_board
from explorer.views.boards.post_process import post_process_board
from explorer.views.boards.pretokenize import pretokenize_board
from explorer.views.boards.utf8 import utf8_board
from explorer.views.boards.word_level import word_level_board
from explorer.views.glossary import Word, words_in
from explorer.views.spelled import shown_vocabulary, speller_of
from explorer.views.steppers.char_word_script import char_word_script
from explorer.views.steppers.cut_out_script import dna_script, user_defined_script
from explorer.views.steppers.decode_script import decode_script
from explorer.views.steppers.first_miss_script import first_miss_script
from explorer.views.steppers.ids_script import padding_script, post_process_script, truncation_script
from explorer.views.steppers.lattice_script import lattice_script, plamo2_script
from explorer.views.steppers.merge_script import merge_script
from explorer.views.steppers.normalization import normalization_script
from explorer.views.steppers.partition_script import partition_script
from explorer.views.steppers.pretokenize_script import pretokenize_script
from explorer.views.steppers.script import Script
from explorer.views.steppers.trie_script import trie_script
from explorer.views.steppers.utf8_script import utf8_script
from explorer.views.steppers.wordpiece_script import wordpiece_script
from explorer.views.steppers.words_script import words_script
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary


class Section(NamedTuple):
    """One section: a board, a script for the stepper, or both, under a title.

    key: short and unique on the page. what: what this stage is for, for any text. words: the technical terms it uses.
    queue: the priority of its queue ("score", "rank", "merge"), None without one. trie: whether it walks through a
    trie. A section without board and script says that this tokenizer doesn't have the stage.
    """

    key: str
    title: str
    what: str
    board: Board | None = None
    script: Script | None = None
    queue: str | None = None
    words: tuple[Word, ...] = ()
    trie: bool = False


class View(NamedTuple):
    """How a stage is shown."""

    title: str
    what: str
    board: Callable[[Trace, Vocabulary, Window], Board] | None = None
    script: Callable[[Stage, Vocabulary, Window], Script] | None = None
    script_in_trace: Callable[[Trace, Stage, Vocabulary, Window], Script] | None = None
    """A script that needs the other stages as well."""

    def script_of(self, stage: Stage, trace: Trace, vocabulary: Vocabulary, window: Window) -> Script | None:
        """The script of a stage; None if it has none."""
        if self.script_in_trace is not None:
            return self.script_in_trace(trace, stage, vocabulary, window)
        return self.script(stage, vocabulary, window) if self.script is not None else None


BY_NAME: Mapping[str, View] = MappingProxyType(
    {
        "partition": View(
            "Special tokens",
            "Special and user-defined tokens that occur in the text are cut out of it first.",
            partition_board,
            script_in_trace=partition_script,
        ),
        "partition-normalized": View(
            "Special tokens, normalized",
            "Some tokens are matched in the normalized text, with their own spelling normalized as well.",
            normalized_partition_board,
            script_in_trace=partition_script,
        ),
        "normalize": View(
            "Normalization", "The text is rewritten before it is cut.", normalize_board, normalization_script
        ),
        "dna": View("DNA", "DNA between its tags is cut into groups of six letters.", dna_board, dna_script),
        "truncate": View(
            "Truncation",
            "A text with more tokens than the model accepts is cut off.",
            truncation_board,
            script_in_trace=truncation_script,
        ),
        "pad": View(
            "Padding",
            "A text with fewer tokens is padded, so that all texts have the same length.",
            padding_board,
            script_in_trace=padding_script,
        ),
        "post-process": View(
            "Post-processing",
            "The tokens the model expects around a text are added.",
            post_process_board,
            script_in_trace=post_process_script,
        ),
    }
)

BY_PART: Mapping[type[Any], View] = MappingProxyType(
    {
        Plamo2: View(
            "The best path, from the end",
            "Every way to cut the text is a path through a lattice of pieces; the highest sum of scores wins. Sums are "
            "computed from the right, so the path can be read from the left.",
            script=plamo2_script,
        ),
    }
)
"""Views of parts whose rows another algorithm has too."""

PRE_TOKENS = "The text is cut into pre-tokens, and no token crosses a cut."
CLASSES = (
    "Unicode defines what a character is (a letter, a number, white space …), and its versions differ: another program "
    "may cut differently at a recently added character."
)

BY_ROW: Mapping[type[Any], View] = MappingProxyType(
    {
        PreTokenizeRow: View(
            "Pre-tokenizer",
            f"{PRE_TOKENS} At each position the alternatives of a pattern are tried in order. {CLASSES}",
            pretokenize_board,
            pretokenize_script,
        ),
        WpmRow: View(
            "Words",
            "The text is cut into words in one loop over its code points. What it does with one depends on twelve "
            f"flags that llama.cpp has in a table, not on a pattern. {CLASSES}",
            script=words_script,
        ),
        UserDefinedRow: View(
            "User-defined pieces",
            "Pieces that the model's maker defined are always cut out whole.",
            pieces_board,
            user_defined_script,
        ),
        WordPieceRow: View(
            "Longest match",
            "Each word is split from the left: the longest piece that fits, then the longest that fits the rest.",
            script=wordpiece_script,
        ),
        TrieRow: View(
            "A walk through the trie",
            "Starting at each position, the bytes are followed down a tree; the last token passed is taken.",
            script=trie_script,
        ),
        FirstMissRow: View(
            "The loop that stops at the first miss",
            "Starting at each position, characters are added as long as the result is a token. This common misreading "
            "of the trie is not a longest match; the trie's own tokens are shown next to it.",
            first_miss_board,
            first_miss_script,
        ),
        WordLevelRow: View(
            "Words looked up",
            "Each word is looked up whole: it is a piece, or it becomes the unknown token.",
            word_level_board,
        ),
        UnigramRow: View(
            "The best path",
            "Every way to cut the text is a path through a lattice of pieces; the highest sum of scores wins.",
            script=lattice_script,
        ),
        CharWordRow: View(
            "Look-up",
            "The text is cut into characters or words without using the vocabulary, and each is looked up whole.",
            script=char_word_script,
        ),
    }
)

MERGING: Mapping[str, View] = MappingProxyType(
    {
        "score": View(
            "Merging",
            "SentencePiece BPE has no pre-tokenizer: a fragment is one chain of symbols. Neighbors that make a piece "
            "are merged, highest score first, until no pair makes one.",
            script=merge_script,
        ),
        "merge": View(
            "Merging",
            "Neighbors are merged, never across a cut, if the pair is in the model's list of merges, in the order of "
            "the list. tiktoken's test is different: whether the joined bytes are a token. They may be one without "
            "this pair being listed.",
            script=merge_script,
        ),
        "rank": View(
            "Merging",
            "Neighbors are merged, never across a cut, if their joined bytes are a token, lowest rank first. The test "
            "of Hugging Face and llama.cpp is different: whether this very pair is in a list of merges.",
            script=merge_script,
        ),
    }
)
"""Priority a model merges by → view."""


def view_of(stage: Stage) -> View:
    """How a stage is shown. Raises KeyError for a stage without a view; a test checks that all have one."""
    if stage.name in BY_NAME:
        return BY_NAME[stage.name]
    if type(stage.part) in BY_PART:
        return BY_PART[type(stage.part)]
    priority = priority_of(stage)
    return MERGING[priority] if priority else BY_ROW[stage.part.row]  # type: ignore[index]  # row types are classes


BYTES = (
    "A text is stored as bytes. UTF-8 writes each code point, the number Unicode gives to a character, as one to four "
    "bytes."
)
BACK = (
    "Ids become bytes, all bytes are joined, and only then read as UTF-8: a character may be spread over several "
    "tokens, which are not valid text when decoded separately."
)

ALWAYS = ("partition", "post-process")
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

    only: the key of the one to draw, without words. stored: tokens as the vocabulary stores them, not as text.

    >>> import explorer
    >>> from explorer.analysis.round_trip.losses import round_trip
    >>> from explorer.views.window import window_of
    >>> tok = explorer.load("llama-2")
    >>> trace = tok.trace("is")
    >>> [s.key for s in sections(tok, trace, round_trip(tok, trace), window_of(trace))]
    ['utf8', 'partition', 'normalize', 'model', 'post-process', 'decode']
    """
    parts = outline(tokenizer, trace, round_trip, window, stored)
    found = [write() for key, write in parts if only in (None, key)]
    return found if only else [section._replace(words=words_in(texts_of(section))) for section in found]


Writers: TypeAlias = list[tuple[str, Callable[[], Section]]]
"""The key of each section, and what draws it."""


def outline(tokenizer: Tokenizer, trace: Trace, round_trip: RoundTrip, window: Window, stored: bool = True) -> Writers:
    """All sections, none drawn yet."""
    vocabulary, said = shown_vocabulary(trace, stored), notes(tokenizer)

    def absent(name: str) -> Writers:
        if name not in said or any(stage.name == name for stage in trace.stages):
            return []
        text = f"This tokenizer has no such stage. {said[name]}"
        return [(name, lambda: Section(name, BY_NAME[name].title, text))]

    def of_stage(stage: Stage, note: str) -> Callable[[], Section]:
        def write() -> Section:
            # the text of the model's stage is in the vocabulary's spelling; its script is made of that
            model = isinstance(stage.part, Model)
            section = section_of(stage, trace, tokenizer.vocabulary if model else vocabulary, window)
            if model and section.script is not None and not stored:
                section = section._replace(script=section.script.respelled(speller_of(trace, stored).stored))
            return section._replace(what=f"{section.what} {note}".rstrip())

        return write

    stages: Writers = []
    for stage in trace.stages:
        first = all(name != stage.name for name, _ in stages)
        stages.append((stage.name, of_stage(stage, said.get(stage.name, "") if first else "")))
    back = "decode", "Text again", BACK
    return [
        (
            "utf8",
            lambda: Section(
                "utf8", "Bytes", BYTES, utf8_board(trace, vocabulary, window), utf8_script(trace.text, window)
            ),
        ),
        *absent("partition"),
        *stages,
        *absent("post-process"),
        (
            "decode",
            lambda: Section(
                *back,
                decode_board(trace, round_trip, vocabulary, window),
                decode_script(trace, round_trip.decoded, vocabulary, window, of_text=round_trip.of_text),
            ),
        ),
    ]


def section_of(stage: Stage, trace: Trace, vocabulary: Vocabulary, window: Window) -> Section:
    """One stage of a trace as a section."""
    view = view_of(stage)
    return Section(
        stage.name,
        view.title,
        view.what,
        view.board(trace, vocabulary, window) if view.board else None,
        view.script_of(stage, trace, vocabulary, window),
        priority_of(stage),
        trie=stage.part.row is TrieRow,
    )


def priority_of(stage: Stage) -> str | None:
    """What the merges of a stage sort by; None where it merges nothing."""
    return stage.part.priority if isinstance(stage.part, Model) else None


def texts_of(section: Section) -> Iterator[str]:
    """The texts of a section that are always shown: no details of cells, no pseudo-code."""
    yield from (section.title, section.what)
    if section.board is not None:
        yield plain(section.board.say)
        for row in section.board.rows:
            yield from (row["title"], row["note"], *(cell["tag"] for cell in row["cells"] if "tag" in cell))
    if section.script is not None:
        data = section.script.data
        yield from (data["start"]["say"], data["start"]["why"], *(phase["name"] for phase in data["phases"]))
        for track in data["tracks"]:
            yield from (track["title"], track.get("note", ""), track.get("empty", ""), *track.get("meta", ()))
            yield from (column["name"] for column in track.get("columns", ()))
        for kind in sorted(set(data["steps"]["kind"])):
            yield from (data["kinds"][kind][part] for part in ("label", "say", "why"))

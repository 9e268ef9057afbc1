"""A trace as a page shows it: the text cut into its tokens, the stages in a row, a section for each.

The text is as you typed it, one piece per token, in order. A piece shows the characters of the original text that the
token covers, not the vocabulary's spelling: `Ġ` and `▁` are spaces here, and a lowercased token keeps the capitals it
came from. A character that several tokens share is given to each of them with the bytes each one owns. A token of
inserted text alone, such as a prefix space, shows that text.

Each stage has its result in two or three words. One that changed nothing says so ("none", "unchanged") and is marked,
so that a reader sees at a glance where a text was changed.

The sections are the bytes, every stage in order, and back to text. The kind of a stage (`stages/table.py`) has the
title and the contents of its section.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from explorer.analysis.ownership import Shares, lone_space, ownership
from explorer.engine.part import Model, Token
from explorer.engine.tokenizer import DecodeTrace, Stage, Tokenizer, Trace
from explorer.implementations import opened
from explorer.implementations.opened import Opened
from explorer.script.script import Script, Window
from explorer.stages.decoders.losses import RoundTrip, decode_result
from explorer.stages.decoders.story import decode_script
from explorer.stages.longest_match.stage import TRIE
from explorer.stages.spelling import shown_vocabulary, speller_of
from explorer.stages.table import BY_NAME, kind_of
from explorer.stages.utf8 import utf8_result, utf8_script
from explorer.tables import Record, read_toml
from explorer.text import visible
from explorer.text.say import Say, Text, hexadecimal, plain, plural, visible_words, worded
from explorer.views.glossary import Word, words_in
from explorer.vocabulary import Vocabulary


class Node(NamedTuple):
    """A stage in the row. key: of its section. changed: False draws it dim."""

    key: str
    name: str
    result: str
    changed: bool


def ribbon(trace: Trace, decoded: DecodeTrace) -> list[Node]:
    """All stages in order: the bytes first, the text again last.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> trace = tok.trace("What is LoRA?")
    >>> [node.result for node in ribbon(trace, tok.trace_decode(trace.ids))]
    ['13 bytes', 'none', '+1 space', '9 merges', '6 tokens', 'the same']
    """
    size = len(trace.text.encode())
    first = Node("utf8", "Bytes", plural(size, "byte"), size != len(trace.text))
    same = decoded.text == trace.text
    last = Node("decode", "Back to text", "the same" if same else "differs", not same)
    kinds = ((stage, kind_of(stage)) for stage in trace.stages)
    return [first, *(Node(stage.name, kind.name, *kind.count(stage)) for stage, kind in kinds), last]


def focus_of(nodes: Sequence[Node], wanted: str | None) -> str:
    """The stage to show: the one asked for, else the model's.

    >>> nodes = [Node("utf8", "", "", True), Node("model", "", "", True)]
    >>> focus_of(nodes, "utf8"), focus_of(nodes, "none of these"), focus_of(nodes, None)
    ('utf8', 'model', 'model')
    """
    keys = [node.key for node in nodes]
    return wanted if wanted in keys else "model" if "model" in keys else keys[0]


Piece = Record
"""One token as the component takes it.

t: the text to show. id, s, e: the token and its span [start, end) in code points, -1 for an added one. space: how many
characters of `t` are leading white space. look: "added" or "special". part: [first, last, size], the bytes of the one
character the token owns. joins: it shares a character with the token before.
"""


def running_text(trace: Trace, vocabulary: Vocabulary, window: Window, stored: bool = False) -> list[Piece]:
    """The tokens of a window on the text they come from. stored: as the vocabulary spells them instead.

    >>> import explorer
    >>> from explorer.script.script import window_of
    >>> tok = explorer.load("gpt-2")
    >>> trace = tok.trace("I 🤗")
    >>> [(piece["t"], piece.get("part")) for piece in running_text(trace, tok.vocabulary, window_of(trace, 0))]
    [('I', None), (' 🤗', [0, 2, 4]), ('🤗', [2, 3, 4]), ('🤗', [3, 4, 4])]
    """
    tokens = trace.encoding.tokens[window.first : window.last]
    if stored:
        return [stored_piece(vocabulary, token) for token in tokens]
    owned = ownership(trace.text, trace.encoding, window.first, window.last)
    pieces = [piece(trace, vocabulary, token, shares) for token, shares in zip(tokens, owned, strict=True)]
    for (before, token), made in zip(pairwise(tokens), pieces[1:], strict=True):
        if 0 <= token.start < before.end:
            made["joins"] = True
    return pieces


def stored_piece(vocabulary: Vocabulary, token: Token) -> Piece:
    """One token as it is stored."""
    made: Piece = {"t": visible(vocabulary.spelling(token.id)), "id": token.id, "s": token.start, "e": token.end}
    look = "added" if token.start < 0 else "special" if vocabulary.is_special(token.id) else ""
    return made | ({"look": look} if look else {})


def piece(trace: Trace, vocabulary: Vocabulary, token: Token, shares: Shares) -> Piece:
    """One token. shares: what it owns of the text."""
    made: Piece = {"t": "", "id": token.id, "s": token.start, "e": token.end}
    if token.start < 0:
        return made | {"t": visible(vocabulary.spelling(token.id)), "look": "added"}
    source = trace.text[token.start : token.end]
    if not source:
        return made | {"t": speller_of(trace, stored=False).token(token.id)}
    made["t"] = as_text(source)
    if vocabulary.is_special(token.id):
        made["look"] = "special"
    made |= leading_spaces(source)
    shared = next((share for share in shares if not share.whole), None)
    if shared is not None:
        made["part"] = [shared.first, shared.last, shared.size]
        made["bytes"] = hexadecimal(trace.encoding.bytes_of(token.id), 6)
    return made


def as_text(source: str, most: int | None = None) -> str:
    """The characters of a token, its spaces as they are. most: characters above which the middle is left out.

    >>> as_text(" a\\n"), as_text(" a cat", 4)
    (' a↵', ' a … at')
    """
    if most is not None and len(source) > most:
        return f"{as_text(source[: most // 2])} … {as_text(source[-(most // 2) :])}"
    return visible_words(source)


def leading_spaces(source: str) -> Piece:
    """The field that says how many characters are leading spaces, which the page draws as faint dots."""
    space = len(source) - len(source.lstrip(" "))
    return {"space": space} if space else {}


class Overview(NamedTuple):
    """What the browser draws of a trace above the stage in focus, by the names it has there.

    content_id: identifies exactly this content. tokens: the text in its tokens, of the window. outside: how many tokens
    lie before and after those. ids: all of them as JSON. asked: the number of the token after which a cut is offered to
    be explained. lone_space: the token of a space at the end of the text that other tokens would have brought along.
    title: of the tokenizer, for pictures. word: the one that this cut is in, as `cut_word` has it.
    """

    content_id: str
    tokens: list[Piece]
    stages: list[Node]
    outside: tuple[int, int]
    ids: str
    asked: int | None = None
    lone_space: int | None = None
    title: str = ""
    word: Mapping[str, int] | None = None

    @classmethod
    def of(
        cls,
        content_id: str,
        trace: Trace,
        tokenizer: Opened,
        window: Window,
        stages: list[Node],
        stored: bool,
        title: str | None = None,
    ) -> Overview:
        """A window of a trace. stored: tokens as the vocabulary spells them. title: None where nothing is explained."""
        tokens = running_text(trace, tokenizer.vocabulary, window, stored)
        drawn = cls(content_id, tokens, stages, (window.first, len(trace.ids) - window.last), str(trace.ids))
        if title is None:
            return drawn
        lone = lone_space(tokenizer, trace.text, trace.encoding.tokens)
        cuts = list(cuts_inside_words(trace))
        word = cut_word(trace, tokenizer.vocabulary, cuts) if cuts else None
        return drawn._replace(asked=next(iter(cuts), None), lone_space=lone, title=title, word=word)

    @property
    def data(self) -> Piece:
        """As JSON has it."""
        return self._asdict() | {"stages": [node._asdict() for node in self.stages]}


def cuts_inside_words(trace: Trace) -> Iterator[int]:
    """Tokens that end between two letters or digits: cuts that nothing in the text explains."""
    text = trace.text
    for number, (one, other) in enumerate(pairwise(trace.encoding.tokens)):
        inside = 0 < one.end < len(text) and one.end <= other.start + (text[other.start : other.start + 1] == " ")
        if one.start >= 0 and inside and text[one.end - 1].isalnum() and text[one.end].isalnum():
            yield number


def cut_word(trace: Trace, vocabulary: Vocabulary, cuts: Sequence[int]) -> Mapping[str, int]:
    """The first and last token of the word of the first cut, the number of pieces, and whether one is the whole word.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> trace = tok.trace("What is LoRA?")
    >>> cut_word(trace, tok.vocabulary, [*cuts_inside_words(trace)])
    {'first': 3, 'last': 4, 'size': 32000, 'listed': False}
    """
    first = last = cuts[0]
    for cut in cuts:
        last += cut == last
    tokens = trace.encoding.tokens
    said = trace.text[tokens[first].start : tokens[last].end].strip().encode()
    joined = b"".join(vocabulary.pieces[token] for token in trace.ids[first : last + 1])
    return {
        "first": first,
        "last": last,
        "size": len(vocabulary),
        "listed": any(each in vocabulary.ids for each in (joined, said)),
    }


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


BYTES = (
    "A text is stored as bytes. UTF-8 writes each code point, the number Unicode gives to a character, as one to four "
    "bytes."
)
BACK = (
    "Ids become bytes, all bytes are joined, and only then read as UTF-8: a character may be spread over several "
    "tokens, which are not valid text when decoded separately."
)

SWITCHES: Mapping[str, Mapping[str, str]] = read_toml(opened.__file__, "switches.toml")
"""Implementation → name of a stage → what the switch of the page does that is about it, in a sentence."""


def notes(tokenizer: Tokenizer) -> dict[str, str]:
    """Name of a stage → a sentence about the original that is run."""
    return {**SWITCHES.get(tokenizer.implementation, {})}


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
    >>> from explorer.script.script import window_of
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
        what = Text("{0:t} {1:t}", worded(section.what), worded(note)) if note else section.what
        made.append(section._replace(script=script, what=what, result=result))
    made += absent("post-process")
    if round_trip is not None and only in (None, "decode"):
        decoded, losses, of_text = round_trip
        script = decode_script(trace, decoded, vocabulary, window, of_text=of_text, losses=losses)
        made.append(Section("decode", "Back to text", BACK, script, None if only else decode_result(trace, round_trip)))
    return made if only else [section._replace(words=words_in(texts_of(section))) for section in made]


def unfinished_sections(tokenizer: Tokenizer, trace: Trace, window: Window, stored: bool) -> list[Section]:
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
    script = kind.script(stage, vocabulary, window, trace)
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

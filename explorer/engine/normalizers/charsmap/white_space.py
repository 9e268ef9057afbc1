"""What becomes of white space behind a character map, as sentencepiece and llama.cpp write it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import NamedTuple

from explorer.engine.normalizers.charsmap.rows import ESCAPED_SPACE, SPACE, Charsmap, Chunk, Note


class Whitespace(NamedTuple):
    """How white space is treated, with the names of sentencepiece's settings.

    add_dummy_prefix: put a ▁ in front of the text, or behind with treat_whitespace_as_suffix.
    remove_extra_whitespaces: of a run of spaces keep one, at the ends none.
    escape_whitespaces: write a space as ▁.
    """

    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    treat_whitespace_as_suffix: bool = False

    @property
    def space(self) -> str:
        return ESCAPED_SPACE if self.escape_whitespaces else SPACE


class Written:
    """The text being written, each code point with the span of the segment it comes from."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.starts, self.ends = array("i"), array("i")

    def put(self, ch: str, start: int, end: int) -> None:
        self.text.append(ch)
        self.starts.append(start)
        self.ends.append(end)

    def pop(self) -> tuple[int, int]:
        """Takes the last code point back; gives its span."""
        self.text.pop()
        return self.starts.pop(), self.ends.pop()


WhitespaceRule = Callable[[Sequence[Chunk], Whitespace, Note], Written]
"""How the text is written from its chunks."""


def sentencepiece_whitespace(chunks: Sequence[Chunk], rules: Whitespace, note: Note) -> Written:
    """As sentencepiece's `Normalizer::Normalize`.

    Spaces are trimmed from the *beginning of a chunk* that follows a space, so two spaces within one string of the map
    stay. At the end every ▁ goes, one that stood in the text and the dummy prefix of an empty text as well.
    """
    written, space = Written(), rules.space
    first = 0
    if rules.remove_extra_whitespaces:
        while first < len(chunks) and chunks[first].text == SPACE:
            note(Charsmap.DROP, chunks[first].start, chunks[first].end - chunks[first].start, -1)
            first += 1
        if first == len(chunks):
            return written
    if rules.add_dummy_prefix and not rules.treat_whitespace_as_suffix:
        at = chunks[first].start if first < len(chunks) else 0
        note(Charsmap.PREFIX, at, 0, -1)
        written.put(space, at, at)
    after_space = rules.remove_extra_whitespaces
    for start, end, text in chunks[first:]:
        kept = text.lstrip(SPACE) if after_space else text
        if len(kept) < len(text):
            note(Charsmap.DROP, start, end - start, -1)
        for ch in kept:
            if ch == SPACE and rules.escape_whitespaces:
                note(Charsmap.ESCAPE, start, end - start, -1)
                ch = ESCAPED_SPACE
            written.put(ch, start, end)
        if kept:
            after_space = kept.endswith(SPACE) and rules.remove_extra_whitespaces
    at = chunks[-1].end if chunks else 0
    if rules.remove_extra_whitespaces:
        while written.text and written.text[-1] == space:
            at, end = written.pop()
            note(Charsmap.DROP, at, end - at, -1)
    if rules.add_dummy_prefix and rules.treat_whitespace_as_suffix:
        note(Charsmap.SUFFIX, at, 0, -1)
        written.put(space, at, at)
    return written


def llama_cpp_whitespace(chunks: Sequence[Chunk], rules: Whitespace, note: Note) -> Written:
    """As llama.cpp's `llm_tokenizer_ugm_session::normalize`.

    With remove_extra_whitespaces the ▁ is written before each word, the first one too, whatever add_dummy_prefix says;
    a space only ends the word. Without, every space is written, and the prefix comes before the first character that
    is none, after the spaces in front of it.
    """
    written, space = Written(), rules.space
    prefix = rules.add_dummy_prefix and not rules.treat_whitespace_as_suffix
    merge = rules.remove_extra_whitespaces
    in_word = False
    run: tuple[int, int] | None = None
    """the spaces since the last word, with merge"""
    for start, end, text in chunks:
        for ch in text:
            if ch == SPACE:
                in_word = False
                if merge:
                    run = (run[0] if run else start, end)
                else:
                    note(Charsmap.ESCAPE, start, end - start, -1)
                    written.put(space, start, end)
                continue
            if not in_word:
                in_word = True
                if merge and run:
                    note(Charsmap.ESCAPE, run[0], run[1] - run[0], -1)
                    written.put(space, *run)
                elif merge or prefix:
                    note(Charsmap.PREFIX, start, 0, -1)
                    written.put(space, start, start)
                run, prefix = None, False
            written.put(ch, start, end)
    if run:
        note(Charsmap.DROP, run[0], run[1] - run[0], -1)
    if rules.add_dummy_prefix and rules.treat_whitespace_as_suffix:
        at = chunks[-1].end if chunks else 0
        note(Charsmap.SUFFIX, at, 0, -1)
        written.put(space, at, at)
    return written

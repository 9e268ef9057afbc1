"""The white space rules that sentencepiece and llama.cpp apply after a character map."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import NamedTuple

from explorer.engine.normalizers.charsmap.rows import SPACE, CharsmapEvent, Chunk, Note
from explorer.vocabulary import SPACE_MARK


class Whitespace(NamedTuple):
    """sentencepiece's settings for white space, by its names.

    add_dummy_prefix: prepend a ▁ to the text, or append it with treat_whitespace_as_suffix.
    remove_extra_whitespaces: reduce runs of spaces to one, and strip them at both ends.
    escape_whitespaces: write a space as ▁.
    """

    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    treat_whitespace_as_suffix: bool = False

    @property
    def space(self) -> str:
        """How a space is written."""
        return SPACE_MARK if self.escape_whitespaces else SPACE


class AlignedText:
    """A text under construction: each code point with the span of the segment it comes from."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.starts, self.ends = array("i"), array("i")

    def put(self, ch: str, start: int, end: int) -> None:
        """Appends one code point."""
        self.text.append(ch)
        self.starts.append(start)
        self.ends.append(end)

    def pop(self) -> tuple[int, int]:
        """Removes the last code point and returns its span."""
        self.text.pop()
        return self.starts.pop(), self.ends.pop()


WhitespaceRule = Callable[[Sequence[Chunk], Whitespace, Note], AlignedText]
"""Makes the text from its chunks."""


def sentencepiece_whitespace(chunks: Sequence[Chunk], rules: Whitespace, note: Note) -> AlignedText:
    """The rule of sentencepiece's `Normalizer::Normalize`.

    Spaces are trimmed from the *beginning of a chunk* that follows a space, so two spaces within one string of the map
    stay. Every trailing ▁ is removed, including one of the original text and the dummy prefix of an empty text.
    """
    written, space = AlignedText(), rules.space
    first = 0
    if rules.remove_extra_whitespaces:
        while first < len(chunks) and chunks[first].text == SPACE:
            note(CharsmapEvent.DROP, chunks[first].start, chunks[first].end - chunks[first].start, -1)
            first += 1
        if first == len(chunks):
            return written
    if rules.add_dummy_prefix and not rules.treat_whitespace_as_suffix:
        at = chunks[first].start if first < len(chunks) else 0
        note(CharsmapEvent.PREFIX, at, 0, -1)
        written.put(space, at, at)
    after_space = rules.remove_extra_whitespaces
    for start, end, text in chunks[first:]:
        kept = text.lstrip(SPACE) if after_space else text
        if len(kept) < len(text):
            note(CharsmapEvent.DROP, start, end - start, -1)
        for ch in kept:
            if ch == SPACE and rules.escape_whitespaces:
                note(CharsmapEvent.ESCAPE, start, end - start, -1)
                ch = SPACE_MARK
            written.put(ch, start, end)
        if kept:
            after_space = kept.endswith(SPACE) and rules.remove_extra_whitespaces
    at = chunks[-1].end if chunks else 0
    if rules.remove_extra_whitespaces:
        while written.text and written.text[-1] == space:
            at, end = written.pop()
            note(CharsmapEvent.DROP, at, end - at, -1)
    if rules.add_dummy_prefix and rules.treat_whitespace_as_suffix:
        note(CharsmapEvent.SUFFIX, at, 0, -1)
        written.put(space, at, at)
    return written


def llama_cpp_whitespace(chunks: Sequence[Chunk], rules: Whitespace, note: Note) -> AlignedText:
    """The rule of llama.cpp's `llm_tokenizer_ugm_session::normalize`.

    With remove_extra_whitespaces a ▁ is written before each word, including the first, whatever add_dummy_prefix says;
    a space only ends a word. Otherwise every space is written, and the prefix goes before the first character that is
    not a space.
    """
    written, space = AlignedText(), rules.space
    prefix = rules.add_dummy_prefix and not rules.treat_whitespace_as_suffix
    merge = rules.remove_extra_whitespaces
    in_word = False
    run: tuple[int, int] | None = None
    """the span of the spaces since the last word, with merge"""
    for start, end, text in chunks:
        for ch in text:
            if ch == SPACE:
                in_word = False
                if merge:
                    run = (run[0] if run else start, end)
                else:
                    note(CharsmapEvent.ESCAPE, start, end - start, -1)
                    written.put(space, start, end)
                continue
            if not in_word:
                in_word = True
                if merge and run:
                    note(CharsmapEvent.ESCAPE, run[0], run[1] - run[0], -1)
                    written.put(space, *run)
                elif merge or prefix:
                    note(CharsmapEvent.PREFIX, start, 0, -1)
                    written.put(space, start, start)
                run, prefix = None, False
            written.put(ch, start, end)
    if run:
        note(CharsmapEvent.DROP, run[0], run[1] - run[0], -1)
    if rules.add_dummy_prefix and rules.treat_whitespace_as_suffix:
        at = chunks[-1].end if chunks else 0
        note(CharsmapEvent.SUFFIX, at, 0, -1)
        written.put(space, at, at)
    return written

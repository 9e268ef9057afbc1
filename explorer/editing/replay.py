"""Runs a list of edits on the bytes of a file, and tells what they do to texts: which words take more or fewer tokens.

Undo is a shorter list.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from explorer.analysis.inputs import Line
from explorer.analysis.vocabulary.checks import VocabularyDifference, difference
from explorer.analysis.vocabulary.index import VocabularyIndex, index_of
from explorer.analysis.vocabulary.reach import UNREACHED, Asking
from explorer.editing import byte_lists, gguf, sentencepiece, tokenizer_json
from explorer.editing.edits import Edit, Editor, kind_of
from explorer.engine.budget import ask, many_runs, within
from explorer.errors import InputError, errors_of
from explorer.implementations.opened import Opened
from explorer.opening.formats import Format, format_of
from explorer.tables import read_toml
from explorer.text.say import Text

EDITORS: Mapping[str, Editor] = {
    "a tokenizer.json": tokenizer_json.EDITOR,
    "a SentencePiece model": sentencepiece.EDITOR,
    "a ranks file": byte_lists.RANKS,
    "an RWKV vocabulary": byte_lists.RWKV,
    "a GGUF file": gguf.EDITOR,
}
"""What can be edited, by the name of the format."""

INSTEAD: dict[str, dict[str, str]] = read_toml(__file__, "instead.toml")
"""What to use instead of a kind of edit, or of all, by the name of the format."""

SECONDS = 30.0
"""Processor time of a list."""
WRITING = 600.0
"""The same of a vocabulary that is trimmed or extended."""


class Edited(NamedTuple):
    """The file after the edits, and what was said about each."""

    data: bytes
    notes: tuple[tuple[str, ...], ...]


def editor_of(format: Format, name: str) -> Editor:
    """What can be done to a format. Raises InputError."""
    if format.name not in EDITORS:
        raise InputError(f"{name}: {format.name} can't be edited here; {INSTEAD[format.name]['all']}")
    return EDITORS[format.name]


def replay(data: bytes, edits: Sequence[Edit], name: str, seconds: float = SECONDS) -> Edited:
    """The file after the edits; without any, the same bytes. name: what errors call it. seconds: that it may take.

    Raises InputError that names the edit, from 1, and its kind. Whether an original opens the result is seen by opening
    it.

    >>> from explorer.editing.edits import AddEntries, Remove
    >>> file = b"1 'a' 1\\n2 'ab' 2\\n"
    >>> replay(file, [AddEntries(("abc",)), Remove(("ab",))], "toy").data
    b"1 'a' 1\\n2 'abc' 3\\n"
    """
    format = format_of(data, name)
    editor = editor_of(format, name)
    if not edits:
        return Edited(data, ())
    with within(f"editing {name}", seconds):
        content, notes = editor.read(data, name), []
        for number, edit in enumerate(edits, 1):
            ask("an edit")
            with errors_of(Text("edit {0:i}, {1:t}", number, kind_of(edit))):
                if type(edit) not in editor.steps:
                    raise InputError(INSTEAD[format.name][kind_of(edit)])
                content, sentences = editor.steps[type(edit)](content, edit)
            notes.append(sentences)
        return Edited(editor.write(content), tuple(notes))


WORD = re.compile(r" ?(\S+)")

MOST_WORDS = 100_000
"""Different words that are kept; the rest is counted in the sums alone."""

MOST_ASKED = 2_000
"""New tokens that are asked for."""


class WordChange(NamedTuple):
    """A word whose number of tokens differs. times: how often it stands so in the texts."""

    word: str
    before: int
    after: int
    times: int


class Effect(NamedTuple):
    """What edits do to some texts. lines, changed: how many texts there are, and how many are cut otherwise.

    before, after: tokens of all texts. broken, joined: words with more tokens than before, and with fewer, those that
    change most first.
    """

    lines: int
    changed: int
    before: int
    after: int
    broken: tuple[WordChange, ...]
    joined: tuple[WordChange, ...]


def effect(
    before: Opened, after: Opened, lines: Iterable[Line], progress: Callable[[int], None] = lambda done: None
) -> Effect:
    """What happens to the tokens of each line. Raises InputError naming the line.

    >>> import explorer
    >>> both = [explorer.load(name) for name in ("gpt-2", "o200k_base")]
    >>> effect(*both, [Line("x", 1, "a tokenizer")]).joined
    (WordChange(word='tokenizer', before=2, after=1, times=1),)
    """
    words: Counter[tuple[str, int, int]] = Counter()
    count = changed = old = new = 0
    for line in lines:
        count += 1
        with errors_of(line.location), many_runs("the edits' effect", 2 * len(line.text)):
            one, other = (each.encode(line.text, add_special=False) for each in (before, after))
            old, new = old + len(one), new + len(other)
            if one.spans != other.spans:
                changed += 1
                for word, start, end in words_of(line.text):
                    key = word, touching(one.spans, start, end), touching(other.spans, start, end)
                    if key[1] != key[2] and (key in words or len(words) < MOST_WORDS):
                        words[key] += 1
        progress(count)
    changes = [WordChange(*key, times) for key, times in words.items()]
    changes.sort(key=lambda each: (-abs(each.after - each.before) * each.times, each.word))
    return Effect(
        count,
        changed,
        old,
        new,
        tuple(each for each in changes if each.after > each.before),
        tuple(each for each in changes if each.after < each.before),
    )


def words_of(text: str) -> Iterable[tuple[str, int, int]]:
    """The words of a text, and their spans in code points with the space in front."""
    return ((match[1], *match.span()) for match in WORD.finditer(text))


def touching(spans: list[tuple[int, int] | None], start: int, end: int) -> int:
    """How many tokens touch [start, end). spans: in order, None for a token that is not from the text.

    >>> touching([(0, 2), (2, 3), (2, 3), (3, 5)], 2, 4)
    3
    """
    known = [span for span in spans if span is not None]
    first = bisect_right(known, start, key=lambda span: span[1])
    return bisect_left(known, end, key=lambda span: span[0]) - first


class Changed(NamedTuple):
    """What became of a vocabulary. unreached: new tokens that no text was found to give."""

    difference: VocabularyDifference
    left: VocabularyIndex
    right: VocabularyIndex
    unreached: tuple[int, ...]


def changed(before: Opened, after: Opened) -> Changed:
    """The tokens that came and went, and those new ones that text does not give.

    >>> import explorer
    >>> len(changed(explorer.load("gpt-2"), explorer.load("gpt-2@llama.cpp")).unreached)
    0
    """
    left, right = index_of(before), index_of(after)
    tokens = difference(left, right)
    asking = Asking(right)
    lost = [id for id in tokens.only_right[:MOST_ASKED] if asking.reached(id).outcome in UNREACHED]
    return Changed(tokens, left, right, tuple(lost))

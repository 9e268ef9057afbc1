"""The tasks of lessons: a text that the reader has to find, judged by the engine as it is typed.

A task names a check and what it needs ("one-token 10"); each check is a row of `TASKS`. It gives whether the text does
it, and a sentence with what the engine makes of it, so that a text that fails says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple
from unicodedata import category

from msgspec.structs import replace

from explorer.analysis.sampling import distribution
from explorer.engine.items import Segment, Token
from explorer.engine.models.merges import STALE
from explorer.engine.tokenizer import Trace
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.learning.checks.panels import Engine, model_of, opened, prompt_of, title_of
from explorer.learning.lessons.lesson import ComparePanel, ExplorePanel, Panel, PromptPanel, TrainPanel
from explorer.stages.spelling import shown_vocabulary
from explorer.text.say import Say, plural
from explorer.vocabulary import PieceKind, spelled

LONGEST_WORD: Final = 20
MOST_TYPED: Final = 200
"""Code points of a text that is judged."""


class Judged(NamedTuple):
    """Whether a text does what the task asks, and what the engine makes of it."""

    done: bool
    say: Say


def with_text(panel: Panel, text: str) -> Panel:
    """The panel with another text."""
    if isinstance(panel, ExplorePanel | ComparePanel | TrainPanel):
        return replace(panel, text=text)
    if isinstance(panel, PromptPanel):
        return replace(panel, messages=(*panel.messages[:-1], (panel.messages[-1][0], text)))
    raise InputError("task: this panel has no text; use a text, a comparison or a training")


def judged(engine: Engine, panel: Panel, check: str, text: str) -> Judged:
    """A typed text, judged. check: a name in `TASKS`, and what it needs. Raises InputError for an unknown one.

    >>> from explorer.learning.checks.panels import OwnEngine
    >>> judged(OwnEngine(), ExplorePanel("", "gpt-2", "huggingface"), "one-token 5", "hello").done
    True
    """
    name, *needs = check.split(" ")
    if name not in TASKS:
        raise InputError(f"task, check: unknown: {name[:40]!r}; use one of {', '.join(TASKS)}")
    if len(text) > MOST_TYPED:
        raise InputError(f"{len(text):,} characters; at most {MOST_TYPED} are judged")
    if not text:
        return Judged(False, Say.of("Nothing is typed."))
    try:
        return TASKS[name](Attempt(engine, with_text(panel, text)), text, *needs)
    except (TypeError, ValueError, KeyError, IndexError):
        raise InputError(f"task, check: {check[:80]!r} can't be judged here; see docs/LESSONS.md") from None


class Attempt(NamedTuple):
    """A panel with the typed text."""

    engine: Engine
    panel: Panel

    def trace(self, name: str = "") -> Trace:
        """The trace of the text, without tokens around it. name: of another tokenizer, NAME@IMPLEMENTATION."""
        panel = self.panel
        if isinstance(panel, ExplorePanel) and not name:
            return self.engine.trace(replace(panel, special=False))
        if not isinstance(panel, ExplorePanel | ComparePanel):
            raise TypeError
        model, implementation = model_of(name)
        return self.engine.trace(ExplorePanel(panel.text, model.name, implementation, special=False))

    @property
    def tokenizer(self) -> Opened:
        """The tokenizer."""
        return opened(self.engine, self.panel)

    @property
    def spelling(self) -> Callable[[int], str]:
        """How the panels write an id."""
        return shown_vocabulary(self.tokenizer.trace(""), False).spelling

    @property
    def pairs(self) -> Sequence[tuple[bytes | str, bytes | str]]:
        """The pairs that a training merged."""
        if not isinstance(self.panel, TrainPanel):
            raise TypeError
        pairs: Sequence[tuple[bytes | str, bytes | str]] = self.engine.train(self.panel).training.learned.pairs
        return pairs


def texts_after(trace: Trace, stage: str) -> list[str]:
    """The segments of text that a stage leaves."""
    (found,) = (each for each in trace.stages if each.name == stage)
    return [item.text for item in found.after if isinstance(item, Segment)]


def character_bytes(attempt: Attempt, text: str, size: str) -> Judged:
    """One character of so many bytes."""
    bytes_needed = len(text.encode())
    say = Say.of("{0:t}, {1:t}.", plural(len(text), "code point"), plural(bytes_needed, "byte"))
    return Judged(len(text) == 1 and bytes_needed == int(size), say)


def lowercase_changed(attempt: Attempt, text: str) -> Judged:
    """A text without capital letters that the normalizer changes."""
    if text != text.lower():
        return Judged(False, Say.of("{0:q} has a capital letter.", text))
    after = "".join(texts_after(attempt.trace(), "normalize"))
    if after == text:
        return Judged(False, Say.of("It stays {0:q}.", text))
    return Judged(bool(after.strip()), Say.of("It becomes {0:q}.", after))


def prompt_finds(attempt: Attempt, text: str, kind: str) -> Judged:
    """A text of the last message with which the prompt has a finding of this kind about it."""
    panel = attempt.panel
    if not isinstance(panel, PromptPanel):
        raise TypeError
    last = len(panel.messages) - 1
    findings = prompt_of(attempt.engine, panel).findings
    say = next((each.sentence for each in findings if each.message == last and each.kind == kind), None)
    return Judged(say is not None, say or Say.of("With {0:q} nothing like it is found.", text))


def token_within(attempt: Attempt, text: str, id: str) -> Judged:
    """A text with this token."""
    ids = attempt.trace().ids
    return Judged(int(id) in ids, Say.of("Its ids are {0:t}.", " ".join(map(str, ids)) or "none"))


def pre_tokens(attempt: Attempt, text: str, length: str, count: str) -> Judged:
    """A text without spaces, at most so long, that becomes at least so many pre-tokens."""
    found = len(texts_after(attempt.trace(), "pre-tokenize"))
    say = Say.of("{0:t}, {1:t}.", plural(len(text), "character"), plural(found, "pre-token"))
    return Judged(len(text) <= int(length) and found >= int(count) and not any(map(str.isspace, text)), say)


def is_letters(text: str) -> bool:
    """Whether a text is made of letters alone, with the marks that many scripts write vowels with.

    >>> is_letters("naïve"), is_letters("नमस्ते"), is_letters("a b")
    (True, True, False)
    """
    return text[:1].isalpha() and all(ch.isalpha() or category(ch)[0] == "M" for ch in text)


def not_letters(text: str) -> Judged:
    return Judged(False, Say.of("{0:q} isn't made of letters alone.", text))


def one_token(attempt: Attempt, text: str, letters: str) -> Judged:
    """A word of at least so many letters that is one token."""
    if not is_letters(text):
        return not_letters(text)
    count = len(attempt.trace().ids)
    say = Say.of("{0:q} has {1:t} and is {2:t}.", text, plural(len(text), "letter"), plural(count, "token"))
    return Judged(len(text) >= int(letters) and count == 1, say)


def stale_entries(attempt: Attempt, text: str, count: str, length: str) -> Judged:
    """A text of at most so many characters in which so many entries of the queue are out of date when they come up."""
    found = sum(event.kind in STALE for event in attempt.trace().stage("model").events)
    say = Say.of("{0:t}, {1:t} out of date.", plural(len(text), "character"), plural(found, "entry", "entries"))
    return Judged(len(text) <= int(length) and found >= int(count), say)


def unknown_word(attempt: Attempt, text: str) -> Judged:
    """A word of letters alone that becomes the unknown token."""
    if not is_letters(text):
        return not_letters(text)
    spelling = " ".join(map(attempt.spelling, attempt.trace().ids))
    return Judged(spelling == "[UNK]", Say.of("It becomes {0:t}.", spelling or "nothing"))


def other_ids(attempt: Attempt, text: str, *others: str) -> Judged:
    """A text for which this tokenizer and another one give other ids."""
    here, there = attempt.trace().ids, attempt.trace(others[0]).ids
    say = Say.of("{0:t} here, {1:t} there.", " ".join(map(str, here)) or "none", " ".join(map(str, there)) or "none")
    return Judged(here != there, say)


def fragile(attempt: Attempt, text: str, rule: str, alpha: str, most: str) -> Judged:
    """A word that is one token, and stays so in fewer than so many of 100 draws."""
    if not is_letters(text) or len(text) > LONGEST_WORD:
        return Judged(False, Say.of("{0:q} isn't a word of at most {1:t}.", text, plural(LONGEST_WORD, "letter")))
    found = distribution(attempt.tokenizer, text, float(alpha), samples=0, rule=rule, add_special=False)
    if len(found.usual) > 1:
        return Judged(False, Say.of("{0:q} is {1:t}.", text, plural(len(found.usual), "token")))
    chance = next((way.probability for way in found.ways if way.ids == found.usual), None)
    if chance is None:
        return Judged(False, Say.of("{0:q} has too many ways to compute.", text))
    stays = f"{100 * chance:.2f}"
    return Judged(100 * chance < float(most), Say.of("{0:q} stays whole in {1:t} of 100 draws.", text, stays))


def longer_start(attempt: Attempt, text: str) -> Judged:
    """A word whose best path does not begin with the longest token that fits."""
    trace = attempt.trace()
    ids = attempt.tokenizer.vocabulary.ids
    normalized = "".join(texts_after(trace, "normalize"))
    fits = [normalized[:end] for end in range(1, len(normalized) + 1) if normalized[:end].encode() in ids]
    if not fits or not trace.ids:
        return Judged(False, Say.of("No token fits the beginning of {0:q}.", text))
    spelling = attempt.spelling
    first, longest = spelling(trace.ids[0]), spelling(ids[fits[-1].encode()])
    say = Say.of("The path begins with {0:q}; the longest token that fits is {1:q}.", first, longest)
    return Judged(len(first) < len(longest), say)


def byte_tokens(attempt: Attempt, text: str, count: str) -> Judged:
    """One character that falls back to so many bytes."""
    vocabulary = attempt.tokenizer.vocabulary
    found = sum(vocabulary.kind(id) == PieceKind.BYTE for id in attempt.trace().ids)
    say = Say.of("{0:t}, {1:t} for bytes.", plural(len(text), "code point"), plural(found, "token"))
    return Judged(len(text) == 1 and found == int(count), say)


def as_text(piece: bytes | str) -> str:
    return piece if isinstance(piece, str) else spelled(piece)


def first_pair(attempt: Attempt, text: str, left: str, right: str) -> Judged:
    """A text whose first merge is this pair."""
    pairs = attempt.pairs
    if not pairs:
        return Judged(False, Say.of("Nothing is merged."))
    first = list(map(as_text, pairs[0]))
    return Judged(first == [left, right], Say.of("The first pair is {0:q} + {1:q}.", *first))


def longest_learned(attempt: Attempt, text: str, length: str) -> Judged:
    """A text from which a token of so many characters is learned."""
    pairs = ("".join(as_text(side).removeprefix("##") for side in pair) for pair in attempt.pairs)
    longest = max((text.removeprefix("▁") for text in pairs), key=len, default="")
    if not longest:
        return Judged(False, Say.of("Nothing is merged."))
    say = Say.of("The longest is {0:q}, {1:t}.", longest, plural(len(longest), "character"))
    return Judged(len(longest) >= int(length), say)


def costly(attempt: Attempt, text: str, length: str, count: str) -> Judged:
    """A text of at most so many characters that costs at least so many tokens."""
    found = len(attempt.trace().ids)
    say = Say.of("{0:t}, {1:t}.", plural(len(text), "character"), plural(found, "token"))
    return Judged(len(text) <= int(length) and found >= int(count), say)


def cut_alike(attempt: Attempt, text: str, one: str, other: str, apart: str) -> Judged:
    """A text that two tokenizers cut at the same places, and a third one elsewhere."""
    cuts = {
        name: [item[1:] for item in attempt.trace(name).stages[-1].after if isinstance(item, Token)]
        for name in (one, other, apart)
    }
    say = Say.of(
        "{0:t} and {1:t} cut it {2:t}, {3:t} {4:t}.",
        *(title_of(name) for name in (one, other)), "alike" if cuts[one] == cuts[other] else "in two ways",
        title_of(apart), "too" if cuts[apart] == cuts[one] else "elsewhere",
    )  # fmt: skip
    return Judged(cuts[one] == cuts[other] != cuts[apart], say)


TASKS: Final[Mapping[str, Callable[..., Judged]]] = {
    "character-bytes": character_bytes,
    "lowercase-changed": lowercase_changed,
    "token-within": token_within,
    "prompt-finds": prompt_finds,
    "pre-tokens": pre_tokens,
    "one-token": one_token,
    "stale-entries": stale_entries,
    "unknown-word": unknown_word,
    "other-ids": other_ids,
    "longer-start": longer_start,
    "fragile": fragile,
    "byte-tokens": byte_tokens,
    "first-pair": first_pair,
    "longest-learned": longest_learned,
    "costly": costly,
    "cut-alike": cut_alike,
}
"""What a task may ask for."""

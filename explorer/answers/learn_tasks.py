"""The tasks of lessons: a text that the reader has to find, judged by the engine as it is typed.

A task names a check and what it needs ("one-token 10"); each check is a row of `TASKS`. It gives whether the text does
it, and a sentence with what the engine makes of it, so that a text that fails says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from explorer.answers.explore import tokenizer
from explorer.answers.learn import prompt_of, spec_of, train_request
from explorer.answers.questions import question
from explorer.answers.train import trained
from explorer.engine.items import Segment, Token
from explorer.engine.models.merges import STALE
from explorer.engine.results import Trace
from explorer.errors import InputError
from explorer.learning.lessons.lesson import ComparePanel, ExplorePanel, Panel, PromptPanel, TrainPanel
from explorer.text.quantities import plural
from explorer.text.say import Say
from explorer.views.spelled import shown_vocabulary
from explorer.vocabulary import PieceKind, spelled

MOST_TYPED: Final = 200
"""Code points of a text that is judged."""


class Judged(NamedTuple):
    """Whether a text does what the task asks, and what the engine makes of it."""

    done: bool
    say: Say


def with_text(panel: Panel, text: str) -> Panel:
    """The panel with another text."""
    if isinstance(panel, ExplorePanel | ComparePanel | TrainPanel):
        return panel._replace(text=text)
    if isinstance(panel, PromptPanel):
        return panel._replace(messages=(*panel.messages[:-1], (panel.messages[-1][0], text)))
    raise InputError("task: this panel has no text; use a text, a comparison or a training")


@question
def judged(panel: Panel, check: str, text: str) -> Judged:
    """A typed text, judged. check: a name in `TASKS`, and what it needs. Raises InputError for an unknown one.

    >>> judged(ExplorePanel("", "gpt-2", "huggingface"), "one-token 5", "hello").done
    True
    """
    name, *given = check.split(" ")
    found = TASKS.get(name)
    if found is None:
        raise InputError(f"task, check: unknown: {name[:40]!r}; use one of {', '.join(TASKS)}")
    if len(text) > MOST_TYPED:
        raise InputError(f"{len(text):,} characters; at most {MOST_TYPED} are judged")
    if not text:
        return Judged(False, Say.of("Nothing is typed."))
    try:
        return found(with_text(panel, text), text, *given)
    except (TypeError, ValueError, KeyError):
        raise InputError(f"task, check: {check[:80]!r} can't be judged here; see docs/LESSONS.md") from None


def trace_of(panel: Panel, label: str = "") -> Trace:
    """The trace of the panel's text, without tokens around it. label: of another tokenizer, NAME@IMPLEMENTATION."""
    name, _, implementation = label.partition("@")
    if isinstance(panel, ExplorePanel):
        name, implementation = name or panel.tokenizer, implementation or ("" if name else panel.implementation)
    assert isinstance(panel, ExplorePanel | ComparePanel)
    return tokenizer(spec_of(name, implementation)).trace(panel.text, add_special=False)


def texts_after(trace: Trace, stage: str) -> list[str]:
    """The segments of text that a stage leaves."""
    (found,) = (each for each in trace.stages if each.name == stage)
    return [item.text for item in found.after if isinstance(item, Segment)]


def tokens_of(trace: Trace) -> Sequence[Token]:
    """The tokens of the model."""
    return [item for item in trace.stages[-1].after if isinstance(item, Token)]


def character_bytes(panel: Panel, text: str, size: str) -> Judged:
    """One character of so many bytes."""
    bytes_needed = len(text.encode())
    say = Say.of("{0:t}, {1:t}.", plural(len(text), "code point"), plural(bytes_needed, "byte"))
    return Judged(len(text) == 1 and bytes_needed == int(size), say)


def lowercase_changed(panel: Panel, text: str) -> Judged:
    """A text without capital letters that the normalizer changes."""
    after = "".join(texts_after(trace_of(panel), "normalize"))
    say = Say.of("It becomes {0:q}.", after) if after != text else Say.of("It stays {0:q}.", text)
    if text != text.lower():
        return Judged(False, Say.of("{0:q} has a capital letter.", text))
    return Judged(after != text and bool(after.strip()), say)


def prompt_finds(panel: Panel, text: str, kind: str) -> Judged:
    """A text of the last message with which the prompt has a finding of this kind about it."""
    if not isinstance(panel, PromptPanel):
        raise TypeError
    last = len(panel.messages) - 1
    found = [each for each in prompt_of(panel).findings if each.message == last]
    says = [each.sentence for each in found if each.kind == kind]
    if says:
        return Judged(True, says[0])
    return Judged(False, Say.of("With {0:q} nothing like it is found.", text))


def token_within(panel: Panel, text: str, id: str) -> Judged:
    """A text with this token."""
    ids = trace_of(panel).ids
    return Judged(int(id) in ids, Say.of("Its ids are {0:t}.", " ".join(map(str, ids)) or "none"))


def pre_tokens(panel: Panel, text: str, length: str, count: str) -> Judged:
    """A text without spaces, at most so long, that becomes at least so many pre-tokens."""
    found = len(texts_after(trace_of(panel), "pre-tokenize"))
    say = Say.of("{0:t}, {1:t}.", plural(len(text), "character"), plural(found, "pre-token"))
    return Judged(len(text) <= int(length) and found >= int(count) and not any(map(str.isspace, text)), say)


def one_token(panel: Panel, text: str, letters: str) -> Judged:
    """A word of at least so many letters that is one token."""
    count = len(trace_of(panel).ids)
    if not text.isalpha():
        return Judged(False, Say.of("{0:q} isn't made of letters alone.", text))
    say = Say.of("{0:q} has {1:t} and is {2:t}.", text, plural(len(text), "letter"), plural(count, "token"))
    return Judged(len(text) >= int(letters) and count == 1, say)


def stale_entries(panel: Panel, text: str, count: str, length: str) -> Judged:
    """A text of at most so many characters in which so many entries of the queue are out of date when they come up."""
    found = sum(event.kind in STALE for stage in trace_of(panel).stages for event in stage.events
                if stage.name == "model")  # fmt: skip
    say = Say.of("{0:t}, {1:t} out of date.", plural(len(text), "character"), plural(found, "entry", "entries"))
    return Judged(len(text) <= int(length) and found >= int(count), say)


def unknown_word(panel: Panel, text: str) -> Judged:
    """A word of letters alone that becomes the unknown token."""
    trace = trace_of(panel)
    spelling = " ".join(map(spelled_by(panel), trace.ids))
    unknown = len(trace.ids) == 1 and spelling == "[UNK]"
    if not text.isalpha():
        return Judged(False, Say.of("{0:q} isn't made of letters alone.", text))
    return Judged(unknown, Say.of("It becomes {0:t}.", spelling or "nothing"))


def spelled_by(panel: Panel) -> Callable[[int], str]:
    """How the panels write an id."""
    assert isinstance(panel, ExplorePanel)
    return shown_vocabulary(tokenizer(spec_of(panel.tokenizer, panel.implementation)).trace(""), False).spelling


def other_ids(panel: Panel, text: str, *others: str) -> Judged:
    """A text for which this tokenizer and another one give other ids."""
    here, there = trace_of(panel).ids, trace_of(panel, others[0]).ids
    say = Say.of("{0:t} here, {1:t} there.", " ".join(map(str, here)) or "none", " ".join(map(str, there)) or "none")
    return Judged(here != there, say)


def longer_start(panel: Panel, text: str) -> Judged:
    """A word whose best path does not begin with the longest token that fits."""
    assert isinstance(panel, ExplorePanel)
    trace = trace_of(panel)
    ids = tokenizer(spec_of(panel.tokenizer, panel.implementation)).vocabulary.ids
    normalized = "".join(texts_after(trace, "normalize"))
    fits = [normalized[:end] for end in range(1, len(normalized) + 1) if normalized[:end].encode() in ids]
    if not fits or not trace.ids:
        return Judged(False, Say.of("No token fits the beginning of {0:q}.", text))
    spelling = spelled_by(panel)
    first, longest = spelling(trace.ids[0]), spelling(ids[fits[-1].encode()])
    say = Say.of("The path begins with {0:q}; the longest token that fits is {1:q}.", first, longest)
    return Judged(len(first) < len(longest), say)


def byte_tokens(panel: Panel, text: str, count: str) -> Judged:
    """One character that falls back to so many bytes."""
    assert isinstance(panel, ExplorePanel)
    vocabulary = tokenizer(spec_of(panel.tokenizer, panel.implementation)).vocabulary
    found = sum(vocabulary.kind(id) == PieceKind.BYTE for id in trace_of(panel).ids)
    say = Say.of("{0:t}, {1:t} for bytes.", plural(len(text), "code point"), plural(found, "token"))
    return Judged(len(text) == 1 and found == int(count), say)


def first_pair(panel: Panel, text: str, left: str, right: str) -> Judged:
    """A text whose first merge is this pair."""
    assert isinstance(panel, TrainPanel)
    pairs = trained(train_request(panel)).training.learned.pairs
    if not pairs:
        return Judged(False, Say.of("Nothing is merged."))
    first = [each if isinstance(each, str) else spelled(each) for each in pairs[0]]
    return Judged(first == [left, right], Say.of("The first pair is {0:q} + {1:q}.", *first))


def joined_text(pair: Sequence[bytes | str]) -> str:
    """The text of a pair that was joined; the right side of WordPiece loses its ##."""
    left, right = (each if isinstance(each, str) else spelled(each) for each in pair)
    return left + right.removeprefix("##")


def longest_learned(panel: Panel, text: str, length: str) -> Judged:
    """A text from which a token of so many characters is learned."""
    assert isinstance(panel, TrainPanel)
    pairs = trained(train_request(panel)).training.learned.pairs
    texts = [joined.removeprefix("##").removeprefix("▁") for joined in map(joined_text, pairs)]
    longest = max(texts, key=len, default="")
    say = Say.of("The longest is {0:q}, {1:t}.", longest, plural(len(longest), "character"))
    return Judged(len(longest) >= int(length), say)


def costly(panel: Panel, text: str, length: str, count: str) -> Judged:
    """A text of at most so many characters that costs at least so many tokens."""
    found = len(trace_of(panel).ids)
    say = Say.of("{0:t}, {1:t}.", plural(len(text), "character"), plural(found, "token"))
    return Judged(len(text) <= int(length) and found >= int(count), say)


def cut_alike(panel: Panel, text: str, one: str, other: str, apart: str) -> Judged:
    """A text that two tokenizers cut at the same places, and a third one elsewhere."""
    cuts = {name: [(each.start, each.end) for each in tokens_of(trace_of(panel, name))] for name in (one, other, apart)}
    say = Say.of(
        "{0:t} and {1:t} cut it {2:t}, {3:t} {4:t}.",
        *(spec_of(name).title for name in (one, other)), "alike" if cuts[one] == cuts[other] else "in two ways",
        spec_of(apart).title, "too" if cuts[apart] == cuts[one] else "elsewhere",
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
    "byte-tokens": byte_tokens,
    "first-pair": first_pair,
    "longest-learned": longest_learned,
    "costly": costly,
    "cut-alike": cut_alike,
}
"""What a task may ask for."""

"""Multiple-choice questions from the trace of a text: the engine makes the choices and knows the right one.

`KINDS` has a row for each kind: which tokenizers it suits, and the function that writes it; kinds about one stage are
in its folder of `stages/`. `ask` asks one question, `quiz` several. Nothing is stored: a question is a function of
tokenizer, text, kind and seed. Wrong choices are runners-up that occur in the trace, or what a common misconception
gives. A kind that the text does not allow gives None.

Wrong counts are those of something else in the same trace: characters, bytes, words, pieces before the model, tokens
without those added. Without other texts, a text is compared with its own spellings: in capitals, without spaces.

Wrong ids of byte fallback come from common mistakes: the bytes' values taken for ids, the unknown token, the bytes of
UTF-16 or of the code point's number in place of UTF-8, the bytes from the last to the first.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby, islice
from random import Random
from typing import NamedTuple, cast

from explorer.analysis.why import TraceAccount
from explorer.engine.models.bpe import Bpe, KnownCharacters
from explorer.engine.models.longest_match import FirstMiss
from explorer.engine.models.spm import Spm
from explorer.engine.models.unigram import Unigram
from explorer.engine.part import ADDED, Model, Segment
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.languages import ENGLISH, phrases
from explorer.opening.catalog import catalog, title_of
from explorer.stages.lattice.stage import best_path
from explorer.stages.longest_match.stage import longest_match
from explorer.stages.merging.stage import missing_merge, next_merge, out_of_date
from explorer.stages.normalizers.stage import normalized_character
from explorer.stages.pre_tokenizers.stage import matched_piece
from explorer.stages.spelling import Form
from explorer.stages.stage import (
    LONGEST_SHOWN,
    Choice,
    Draft,
    Kind,
    OriginKind,
    Question,
    Scene,
    choices_of,
    ended,
    quoted_row,
    readable,
)
from explorer.stages.table import model_kind
from explorer.text import label, visible
from explorer.text.say import Say, Text, number, plural

LONGEST = 80
"""Code points of a text that a choice shows whole."""
COMPARED = 4
"""Texts of a comparison."""
MOST_CHOICES = 4
COUNTED = 7
"""Texts that are counted for it: some may cost as much as the one that costs most."""


@partial(Kind, "how-many", "How many tokens?")
def how_many(scene: Scene) -> Draft | None:
    """How many tokens?"""
    ids, text = scene.trace.ids, scene.trace.text
    if not text or len(text) > LONGEST:
        return None
    others = sorted(
        ((count, says) for count, says in other_counts(scene) if count != len(ids) and count > 0),
        key=lambda other: abs(other[0] - len(ids)),
    )
    added = sum(token.start == ADDED for token in scene.trace.encoding.tokens)
    prompt = Say("How many tokens does {0:t} make of {1:q}?", scene.name, readable(text))
    if added:
        prompt = prompt.then(Say("Count the special tokens that it adds."))
    wrong = [Choice(Say("{0}", count), Say(says, count)) for count, says in others]
    said = Say("{0} of them added.", added) if added else Say("None is added.")
    if len(ids) <= LONGEST_SHOWN:
        tokens = quoted_row([scene.token(id) for id in ids])
        said = ended(tokens).then(said)
    return Draft(prompt, Choice(Say("{0}", len(ids))), wrong, said, stage=scene.trace.stages[-1].name)


def other_counts(scene: Scene) -> Iterator[tuple[int, str]]:
    """What else one may count, each with a sentence about it."""
    text, tokens = scene.trace.text, scene.trace.encoding.tokens
    yield sum(token.start != ADDED for token in tokens), "{0} is the number without those added."
    yield len(text.split()), "{0} is the number of words."
    yield (
        sum(isinstance(item, Segment) for item in scene.stage.before),
        "{0} is the number of parts that the model gets.",
    )
    yield len(text), "{0} is the number of code points."
    yield len(text.encode()), "{0} is the number of bytes."
    yield len({token.id for token in tokens}), "{0} is the number of different tokens."
    yield 4 * len(text.split()) // 3, "{0} is four thirds of the number of words, a rule of thumb."


@partial(Kind, "costs-more", "Which text costs more tokens?")
def costs_more(scene: Scene) -> Draft | None:
    """Which of these texts costs more tokens?"""
    text = scene.trace.text
    known = [each for each in dict.fromkeys(scene.texts) if each.strip() and len(each) <= LONGEST and each != text]
    if not text.strip() or len(text) > LONGEST:
        return None
    scene.random.shuffle(known)
    # of similar length, so that counting letters does not answer it
    known.sort(key=lambda each: abs(len(each) - len(text)) // 8)
    compared = {readable(each): each for each in (text, *known[: COUNTED - 3], *spellings(text))}
    counts = {each: len(scene.tokenizer.encode(each)) for each in list(compared.values())[:COUNTED]}
    most = max(counts.values())
    winner = next(each for each, count in counts.items() if count == most)
    # one text costs most: others with as many tokens are left out
    others = [each for each, count in counts.items() if count < most][: COMPARED - 1]
    if not others:
        return None
    wrong = [Choice(quoted_row([readable(each)]), Say("{0:t}.", plural(counts[each], "token"))) for each in others]
    count, second = max((counts[each], each) for each in others)
    said = Say(
        "{0:q} costs {1:t}, the next one, {2:q}, {3:t}.",
        readable(winner), plural(most, "token"), readable(second), number(count),
    )  # fmt: skip
    question = "Which of these texts costs more tokens under {0:t}?"
    if len(others) > 1:
        question = "Which of these texts costs the most tokens under {0:t}?"
    right = Choice(quoted_row([readable(winner)]))
    return Draft(Say(question, scene.name), right, wrong, said, text=winner, stage=scene.trace.stages[-1].name)


def spellings(text: str) -> Iterator[str]:
    """Other spellings of a text."""
    yield text.upper()
    yield text.replace(" ", "")
    yield text.lower()
    yield text.replace(" ", "  ")


class Spelled(NamedTuple):
    """A character that became bytes. ids: of them. event: that output the first; last: that output the last."""

    text: str
    ids: tuple[int, ...]
    event: int
    last: int


def has_fallback(model: Model) -> bool:
    """Whether a model spells characters without a piece as bytes."""
    if isinstance(model, Spm):
        return model.byte_fallback
    if isinstance(model, Unigram):
        return model.rules.byte_fallback
    if isinstance(model, Bpe):
        return model.byte_tokens or (isinstance(model.initial, KnownCharacters) and model.initial.byte_fallback)
    return isinstance(model, FirstMiss)


@partial(
    Kind,
    "byte-fallback",
    "Which ids does byte fallback give?",
    suits=lambda tokenizer: has_fallback(tokenizer.model),
)
def byte_fallback(scene: Scene) -> Draft | None:
    """Which ids does byte fallback give?"""
    characters = list(spelled(scene))
    if not characters:
        return None
    text, ids, event, last = scene.random.choice(characters)
    data = text.encode()
    shift = ids[0] - data[0]
    regular = all(id - byte == shift for byte, id in zip(data, ids, strict=True))

    unknown = scene.stage.part.unknown if isinstance(scene.stage.part, Model) else None
    utf_16 = tuple(byte + shift for byte in text.encode("utf-16-be"))
    wrong = [
        (tuple(data), "These are the values of the bytes, not the ids of their tokens."),
        ((unknown,) if unknown is not None else (), "With byte fallback, no text becomes the unknown token."),
        (utf_16 if regular else (), "These are the bytes of UTF-16. Byte fallback uses UTF-8."),
        (ids[::-1], "The first byte comes first."),
        (tuple(map(ord, text)), "This is the number of the code point, not an id."),
    ]
    spelled_bytes = data.hex(" ").upper()
    said = Say(
        "{0:q} ({1:t}) is not a piece. Its bytes in UTF-8 are {2:t}: each becomes the token of that byte.",
        visible(text),
        " ".join(map(label, text)),
        spelled_bytes,
    )
    if regular and shift:
        said = said.then(Say("The id of a byte is its value plus {0}.", shift))
    # the prompt gives one byte's id, beside a panel its first step does, so that the rest can be worked out
    given = Say("The byte 00 is token {0:t}.", str(shift)) if regular else Say("Each byte has a token of its own.")
    spelling = Say(
        "{0:q} is {1:t}, in UTF-8 {2:t}, and not a piece.", visible(text), " ".join(map(label, text)), spelled_bytes
    )
    ask = Say("Which ids does byte fallback give?")
    prompt = spelling.then(given, ask)
    return Draft(prompt, as_choice(ids), [as_choice(each, why) for each, why in wrong if each], said,
                 event if event < last else event - 1, last, brief=spelling.then(ask))  # fmt: skip


def as_choice(ids: tuple[int, ...], why: str = "") -> Choice:
    """Ids side by side."""
    return Choice(Say("{0:t}", " ".join(map(str, ids))), Say(why))


def spelled(scene: Scene) -> Iterator[Spelled]:
    """The characters of the text that became bytes, each once."""
    asked, seen = TraceAccount(scene.trace, scene.name, Form.AS_TEXT), set()
    from_text = [number for number, source in enumerate(asked.sources) if source is not None]
    tokens = scene.trace.encoding.tokens
    for (start, end), group in groupby(from_text, key=lambda number: tokens[number][1:]):
        origins = [asked.origin(number) for number in group]
        if not all(each.how == OriginKind.BYTE and each.event is not None for each in origins):
            continue
        text, ids = scene.trace.text[start:end], tuple(each.token.id for each in origins)
        first, last = origins[0].event, origins[-1].event
        # a normalized character has other bytes than the text
        if len(text.encode()) == len(ids) and text not in seen and first is not None and last is not None:
            seen.add(text)
            yield Spelled(text, ids, first, last)


def of_model(kind: Kind) -> Kind:
    """A kind that each model writes itself, if it is among its `questions`."""

    def own(model: Model) -> Kind | None:
        return next((each for each in model_kind(model).questions if each.name == kind.name), None)

    def write(scene: Scene) -> Draft | None:
        of_this = own(cast(Model, scene.stage.part))
        assert of_this is not None, "the tokenizer suits"
        return of_this.write(scene)

    return kind._replace(
        write=write, suits=lambda tokenizer: own(tokenizer.model) is not None and kind.suits(tokenizer)
    )


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        how_many,
        costs_more,
        normalized_character,
        matched_piece,
        of_model(longest_match),
        of_model(next_merge),
        byte_fallback,
        of_model(best_path),
        of_model(out_of_date),
        of_model(missing_merge),
    )
}
"""By the name in links and exports, the easiest first."""


def ask(
    tokenizer: Opened,
    text: str | Sequence[str],
    kind: str,
    seed: int,
    language: str = ENGLISH,
    seen: Collection[str] = (),
) -> Question | None:
    """A question of a kind, always the same for the same arguments; None where tokenizer or text allow none.

    text: one, or several that are tried in an order drawn from the seed. language: of its sentences, as far as
    `explorer.languages` has it. seen: texts that were asked about; others come first. Raises InputError for an
    unknown kind.

    >>> import explorer
    >>> from explorer.text.say import plain
    >>> found = ask(explorer.load("llama-2"), "What is LoRA?", "next-merge", 5)
    >>> found.choices[found.right].shown
    '“·W” + “h” → “·Wh”'
    >>> plain(found.explanation)
    '“·W” + “h” has score −547; the runner-up, “h” + “at”, has −2,196. The highest score joins first.'
    """
    check([kind])
    if not KINDS[kind].suits(tokenizer):
        return None
    texts = [text] if isinstance(text, str) else list(text)
    Random(f"{seed} {kind}").shuffle(texts)
    questions = (
        _question(tokenizer, each, kind, seed, tuple(other for other in texts if other != each), language)
        for each in sorted(texts, key=seen.__contains__)
    )
    first = islice((each for each in questions if each is not None), RANKED)
    return max(first, key=lambda each: (each.text not in seen, worth(each)), default=None)


RANKED = 3
"""Texts whose questions are compared."""


def worth(question: Question) -> int:
    """How much a question teaches: its choices, and the different characters quoted in them and the prompt.

    Pieces of `·Å·Å` look alike, whichever is missing; those of a longer word tell what happened. Parts of characters
    are bytes, which say nothing to a reader.

    >>> import explorer
    >>> tokenizer = explorer.load("llama-2")
    >>> poor, rich = (ask(tokenizer, text, "missing-merge", 0) for text in ("Å Å Å Å", "a strange word"))
    >>> worth(poor) < worth(rich)
    True
    """
    said = [question.prompt, *(each.say for each in question.choices)]
    texts = [text for say in said for text in say.texts]
    in_bytes = any(BYTES.search(text) for text in texts)
    return 2 * len(question.choices) + min(len(set("".join(texts))), MANY) - 4 * in_bytes


BYTES = re.compile(r"\b[89A-F][0-9A-F]\b")
"""How bytes of a character are spelled."""
MANY = 8
"""Different characters that are enough."""


def check(kinds: Iterable[str]) -> None:
    """Raises InputError for an unknown kind."""
    for kind in kinds:
        if kind not in KINDS:
            raise InputError(f"unknown kind of question {kind!r}; use one of: {', '.join(KINDS)}")


def scene_of(tokenizer: Opened, text: str, random: Random, texts: tuple[str, ...] = ()) -> Scene:
    """What a kind of question looks at: a text under a tokenizer, with tokens as the pages write them."""
    name, implementation = tokenizer.name, tokenizer.implementation
    known = catalog().get(name)
    usual = known is None or implementation == known.implementations[0]
    title = title_of(name if usual else f"{name}@{implementation}")
    trace = tokenizer.trace(text)
    return Scene(tokenizer, trace, random, title, TraceAccount(trace, title, Form.AS_TEXT).family, texts)


def _question(
    tokenizer: Opened, text: str, kind: str, seed: int, others: tuple[str, ...], language: str
) -> Question | None:
    """The question of one text."""
    random = Random(f"{seed} {kind} {tokenizer.name} {text}")
    to = phrases(language)
    scene = scene_of(tokenizer, text, random, others)
    draft = KINDS[kind].write(scene)
    if draft is None:
        return None
    choices = choices_of(draft, MOST_CHOICES, random)
    if len(choices) < 2:
        return None
    name = f"{tokenizer.name}@{tokenizer.implementation}"
    before = draft.event if draft.event is not None and draft.event >= 0 else None
    right = choices.index(draft.right)
    choices = tuple(
        each._replace(say=to.say(each.say), why=to.say(each.why), note=to.text(each.note)) for each in choices
    )
    brief = None if draft.brief is None else to.say(draft.brief)
    stage = draft.stage or scene.stage.name
    return Question(kind, name, draft.text or text, to.say(draft.prompt), choices, right,
                    to.say(draft.explanation), stage, before, draft.answer, seed, brief)  # fmt: skip


class Quiz(NamedTuple):
    """What a quiz asks. kinds: none are all. texts: none are the usual ones. language: of its questions."""

    size: int = 5
    seed: int = 1
    model: str = "llama-2"
    kinds: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    language: str = ENGLISH

    @property
    def query(self) -> dict[str, str]:
        """Its parameters in the URL, but for the seed."""
        query = {"quiz": str(self.size), "m": self.model}
        query |= {"kinds": ",".join(self.kinds)} if self.kinds else {}
        query |= {"lang": self.language}
        return query | ({"texts": "\n".join(self.texts)} if self.texts else {})


def quiz(
    tokenizers: Sequence[Opened],
    texts: Sequence[str],
    count: int,
    seed: int,
    kinds: Iterable[str] = (),
    language: str = ENGLISH,
) -> tuple[Question, ...]:
    """So many different questions, their kinds in turn; fewer where tokenizers and texts allow no more.

    The first is what the first tokenizer's model is about, and of the first text if that allows it; the others become
    harder. Each has a text of its own as far as there are texts. kinds: keys of `KINDS`, all by default. language: as
    for `ask`. Raises InputError for an unknown kind.

    >>> import explorer
    >>> texts = ["a fine text", "another one", "What is LoRA?"]
    >>> [each.kind for each in quiz([explorer.load("gpt-2")], texts, 4, 0)]
    ['next-merge', 'how-many', 'costs-more', 'missing-merge']
    """
    random = Random(seed)
    names = list(kinds) or list(KINDS)
    check(names)
    suited = {name: [each for each in tokenizers if KINDS[name].suits(each)] for name in names}
    names = [name for name in names if suited[name]]
    of_family = [each.name for tokenizer in tokenizers[:1] for each in model_kind(tokenizer.model).questions]
    first = next((name for name in of_family if name in names), "")
    found: dict[tuple[object, ...], Question] = {}
    order = [first] * 2 if first else []
    for attempt in range(ATTEMPTS * count if names else 0):
        if len(found) == count:
            break
        if not order or (found and order == [first]):
            used = {each.kind for each in found.values()}
            fresh = [name for name in names if name not in used] or names
            order = random.sample(fresh, len(fresh))
        name = order.pop()
        seen = {each.text for each in found.values()}
        about = texts if attempt else texts[:1]
        asked = ask(random.choice(suited[name]), about, name, random.randrange(1 << 32), language, seen)
        if asked is not None:
            found.setdefault((asked.kind, asked.tokenizer, asked.prompt), asked)
    harder = list(KINDS)
    return tuple(sorted(found.values(), key=lambda each: (each.kind != first, harder.index(each.kind))))


ATTEMPTS = 20
"""Questions tried for each that a quiz wants: a text may allow none of a kind, or the same again."""


def right_of(right: int, count: int) -> Text:
    """How many answers of a quiz are right."""
    return Text("{1} of {0} answer right", count, right, many="{1} of {0} answers right")


__all__ = ["KINDS", "Choice", "Kind", "Question", "Quiz", "ask", "quiz", "right_of"]

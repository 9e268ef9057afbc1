"""Simulated students take every lesson: `python -m benchmarks.learning [LESSON …]`.

Three kinds of student answer each question of each card, the engine's with 20 seeds. One guesses. One reads the cards:
the words of this card and of those before it, the question, its choices. One reads the panels, too, as data: the
sentences of the steps up to the one where the question locks the panel, and what its rows hold there. The two readers
think alike, by the fixed rules of `RULES`; all that differs is what they have read. Where several choices are as good,
a student draws one; the table has the expected share of right answers.

A question asks something only if reading the panel pays: the last column marks those where the second student is not
clearly worse than the third. Rules are no minds. They count, compare, exclude and recognize; they cannot infer, so a
mark is a reason to look at a question, and not a verdict.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final

import regex
from msgspec.structs import replace

from explorer.analysis.vocabulary.index import By, Query
from explorer.answers.learn import spec_of
from explorer.answers.vocabulary import vocabulary_view
from explorer.errors import InputError
from explorer.learning.checks.cards import (
    Asked,
    OwnEngine,
    Shown,
    bare_ids,
    followers,
    prompt_rows,
    question_of,
    sentence_of,
    shown_by,
)
from explorer.learning.lessons import Lesson, library
from explorer.learning.lessons.reading import (
    Card,
    ComparePanel,
    Exercise,
    ExplorePanel,
    NextPanel,
    Panel,
    PromptPanel,
    QuestionRef,
    TrainPanel,
    VocabularyPanel,
    paragraphs,
)
from explorer.script.script import Replay, Script
from explorer.stages.spelling import plain_bytes
from explorer.text.say import plain

SEEDS: Final = 20
"""Questions of a kind that are asked on a card."""
SHARES: Final = ("guesses", "cards", "panels")
MOST_FOUND: Final = 20
"""Tokens of a search that are read."""
CLEARLY: Final = Fraction(1, 4)
"""How much better the third student must be."""
WORD: Final = re.compile(r"[−-]?\d[\d,.]*\d|[−-]?\d|[^\W\d_]+|[^\w\s]")
NUMBER: Final = re.compile(r"[−-]?\d[\d,]*(?:\.\d+)?")
NOISE: Final = frozenset([*"“”0123456789", *"the The and of a is not".split()])
"""What stands in every text and says nothing."""
FRIEND: Final = re.compile(r"[^.:]*\bfriend\b[^.]*\.[^.]*", re.IGNORECASE)
"""What a friend predicts is wrong in these lessons, and a reader notices."""
FIRST: Final = 1
"""Tokens of a prompt are named from 1, and its cells counted from 0."""
BYTE: Final = re.compile("[0-9A-F]{2}")
BEST, DRAW = 6, 4
"""Columns of the tables with the best sums and with what was drawn."""
SIZE: Final = 2
"""Where the row of a cell has its n."""
CONTINUES: Final = re.compile(r"\b80 \w+ BF\b")
ABSORBS: Final = re.compile(r"next step cell (\d+) absorbs cell (\d+)")
BEFORE: Final = re.compile(r"puts .*\bid (\d+), before every text")
FROM_TO: Final = re.compile(r"from the first token of .* to the (<\S+>)")
SHIFT: Final = re.compile(r"(?:byte|value|値) (?:\+|plus) (\d+)")
NAMED: Final = re.compile(r"“?([^“”\s]+)”? is (?:a piece: )?(?:token|id) (\d+)")
MARGIN: Final = 0.015
"""Two sums that are rounded to two digits."""
EXCLUDES: Final = ("not in the vocabulary", "is not a token", "is not a piece", "no edge", "not in the list")


@dataclass
class Notes:
    """What a student has read. sentences: in order. values: of texts, such as a pair's count or score. facts: phrases
    of a number and a unit. wrong: what a friend predicts. pieces: what the rules of a panel cut the text into, each
    with its rule. symbols: of the panel, as far as they are merged. tokens: those that it lists; whole: there are no
    others in the vocabulary.

    Of a panel, too: begins: its symbols at the start. waited: pairs that waited at any step, joined, with their
    values; waits: how many do now.
    text: its characters; sums: the best sum to each offset of them. drawn: pieces that were drawn, in that order.
    letters: what the last operation left. data: its bytes. sizes: of its cells. tokens_of: of a prompt, the tokens of
    its last message, each with whether the message wrote it; ids: of all.
    """

    sentences: list[str] = field(default_factory=list)
    values: dict[str, float] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    pieces: list[tuple[int, str]] = field(default_factory=list)
    symbols: list[str] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    whole: bool = False
    begins: list[str] = field(default_factory=list)
    waited: dict[str, float] = field(default_factory=dict)
    waits: int = 0
    text: str = ""
    sums: dict[int, float] = field(default_factory=dict)
    drawn: list[str] = field(default_factory=list)
    letters: set[str] = field(default_factory=set)
    data: list[int] = field(default_factory=list)
    sizes: dict[int, int] = field(default_factory=dict)
    tokens_of: list[tuple[str, bool]] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)

    def read(self, text: str) -> None:
        """Reads words; what a friend says is kept apart."""
        self.wrong += FRIEND.findall(text)
        self.sentences.append(FRIEND.sub(" ", text))

    def copy(self) -> Notes:
        """The same notes, to be written on."""
        return deepcopy(self)


# --- what a panel holds ---


def read_panel(notes: Notes, shown: Shown, step: int, covers: str) -> None:
    """Reads a panel at a step. covers: what the question hides."""
    panel, engine = shown.panel, shown.engine
    if covers == "all":
        return
    if shown.script is not None:
        for each in range(step + 1):
            notes.sentences.append(sentence_of(shown.script, each, shown.level))
        read_rows(notes, shown.script, step, covers, shown.level)
    if isinstance(panel, ComparePanel):
        for name in panel.tokenizers:
            notes.sentences.append(f"{name}: {len(bare_ids(engine, name, panel.text))} tokens")
    if isinstance(panel, VocabularyPanel):
        query = Query(panel.search, By(panel.by))
        rows = vocabulary_view(spec_of(panel.tokenizer, panel.implementation), query, False, MOST_FOUND).rows
        notes.tokens |= {str(row[1]) for row in rows}
    if isinstance(panel, NextPanel):
        notes.values |= {text: float(count) for _, text, count in followers(engine, panel).rows}
    if isinstance(panel, PromptPanel):
        read_prompt(notes, shown, panel)
    if isinstance(panel, ExplorePanel) and not covers and shown.trace is not None:
        notes.values[panel.text] = float(len(shown.trace.ids))
        notes.sentences += [f"{node.name}: {node.result}" for node in shown.nodes]


def read_rows(notes: Notes, script: Script, step: int, covers: str, level: str) -> None:
    """Reads the rows of a script's tracks. level: the story shows no rules of a pattern."""
    replay, texts = Replay(script), script.data["texts"]
    kinds = {track["name"]: track for track in script.data["tracks"]}
    notes.symbols, notes.drawn = [], []
    notes.whole = "vocabulary" in kinds
    if notes.whole:
        notes.tokens = set()  # those of a card before are another vocabulary's
    notes.begins = list(symbols_in(replay, kinds, texts))
    for at in range(step + 1):
        if at:
            replay.forward()
        queue = (row for (name, _), row in replay.state.items() if kinds[name]["type"] == "queue")
        notes.waited |= {texts[row[0]]: number_in(texts[row[2]]) or 0.0 for row in queue}
    notes.waits = sum(kinds[name]["type"] == "queue" and key >= 0 for name, key in replay.state)
    counts: Counter[str] = Counter()
    for (name, key), row in sorted(replay.state.items()):
        kind = kinds[name]["type"]
        if kind == "queue" and covers != "queue" and key >= 0:
            notes.values[texts[row[0]]] = number_in(texts[row[2]]) or 0.0
        elif name == "vocabulary":
            notes.tokens.add(texts[row[0]].replace("▁", "·"))
        elif name == "draws" and len(row) == DRAW:
            notes.drawn.append(texts[row[2]])
        elif name == "best" and len(row) == BEST:
            notes.sums[row[0]] = number_in(texts[row[4]]) or 0.0
        elif kind == "words" and key >= 0:
            symbols = [texts[index] for index in row[1::2]]
            for left, right in pairwise(symbols):
                counts[f"{left} + {right}"] += row[0]
        elif kind == "strip" and key >= 0 and "n" in kinds[name].get("meta", ())[:1]:
            notes.sizes[key] = row[SIZE]
    notes.symbols = list(symbols_in(replay, kinds, texts))
    notes.values |= {pair: float(count) for pair, count in counts.items()}
    for track in kinds.values():
        if track["type"] == "rules" and track.get("rules") and level != "story":
            apply_rules(notes, script, [rule[0] for rule in track["rules"]])
        elif track["type"] == "layers":
            last = max(key for name, key in replay.state if name == track["name"]) // len(track["spans"])
            rows = [row for (name, key), row in replay.state.items()
                    if name == track["name"] and key // len(track["spans"]) == last]  # fmt: skip
            notes.letters = {texts[index].strip("◌").lower() for row in rows for index in row[::3]}
        elif track["type"] == "strip":
            shown = [texts[cell[0]] for cell in track["cells"]]
            notes.text = "".join(shown)
            notes.data = [int(each, 16) for each in shown] if all(map(BYTE.fullmatch, shown)) else []


def symbols_in(replay: Replay, kinds: dict[str, Any], texts: list[str]) -> Iterator[str]:
    """The symbols that stand in the strips of merges now."""
    for (name, key), row in sorted(replay.state.items()):
        if kinds[name]["type"] == "strip" and key >= 0 and row[0] > 0 and "prev" in kinds[name].get("meta", ()):
            yield "".join(texts[cell[0]] for cell in kinds[name]["cells"][key : key + row[0]])


def apply_rules(notes: Notes, script: Script, patterns: list[str]) -> None:
    """Cuts the text of a scanner's panel by its rules, as a reader would by hand."""
    (reading,) = (track for track in script.data["tracks"] if track["type"] == "reads")
    text = bytes(byte for _, byte, _ in reading["bytes"]).decode("utf-8", "replace")
    try:
        whole = regex.compile("|".join(f"({pattern})" for pattern in patterns))
    except regex.error:
        return
    notes.pieces = [(found.lastindex or 0, found[0]) for found in whole.finditer(text)]
    notes.sentences.append(f"{len(notes.pieces)} pre-tokens")


def read_prompt(notes: Notes, shown: Shown, panel: PromptPanel) -> None:
    """Reads the rows of a prompt: who wrote the framed token, by its color, and the texts and ids of all."""
    notes.ids = []
    for label, tokens in prompt_rows(shown.engine, panel).rows:
        notes.sentences.append(f"{label}: {' '.join(cell['t'] for cell in tokens)}")
        notes.ids += [cell["id"] for cell in tokens]
        notes.tokens_of = [(cell["t"], cell["who"] != "template") for cell in tokens]
        for cell in tokens:
            if cell["n"] + FIRST == panel.chosen:
                authors = [part[0] for part in cell.get("parts") or ()] or [cell["who"]]
                said = ["The template" if who == "template" else f"Message {cell['m'] + 1}" for who in authors]
                notes.sentences.append(f"framed: {' and '.join(dict.fromkeys(said))}")


# --- how both readers think: each rule gives points to choices ---


def number_in(text: str) -> float | None:
    """The number in a text."""
    found = NUMBER.search(text)
    return None if found is None else float(found[0].replace("−", "-").replace(",", ""))


def values_of(notes: Notes, choices: list[str], hints: list[str]) -> list[float | None]:
    """The value of each choice: beside it, or of what it makes, or of its pair or text, as noted."""
    found = []
    for choice, hint in zip(choices, hints, strict=True):
        bare = re.sub(r"[“”]", "", choice)
        value = number_in(hint) if hint else None
        for name in (bare.rpartition(" → ")[2], bare, bare.partition(" → ")[0]):
            value = notes.values.get(name, value) if value is None else value
        found.append(value)
    return found


def compares(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """The best value, if words say whether high or low is best; the longest text, if the longest is asked for."""
    rule = " ".join((*notes.sentences[-40:], asked.prompt)).lower()
    values = values_of(notes, asked.choices, asked.notes)
    known = [value for value in values if value is not None]
    low = re.search(r"lowe(st|r) (number|rank)", rule)
    high = re.search(r"highest score|most frequent|nearest to zero|most tokens|the most", rule)
    if len(known) > 1 and (low or high) and asked.kind != "out-of-date" and not can_add(notes, asked):
        best = min(known) if low else max(known)
        yield from ((index, 10.0) for index, value in enumerate(values) if value == best)
    if asked.kind == "longest-match":
        left = [i for i, each in enumerate(asked.choices) if not excluded(notes, each)]
        longest = max((len(asked.choices[index]) for index in left), default=0)
        yield from ((index, 3.0) for index in left if len(asked.choices[index]) == longest)


def excluded(notes: Notes, choice: str) -> bool:
    """Whether something that was read rules a choice out."""
    return any(choice in each and any(word in each for word in EXCLUDES) for each in notes.sentences)


def excludes(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """What the panel says is none, and what a friend predicts."""
    for index, choice in enumerate(asked.choices):
        if excluded(notes, choice):
            yield index, -10.0
        if any(phrase_in(choice, each) for each in notes.wrong):
            yield index, -4.0


def phrase_in(choice: str, sentence: str) -> bool:
    """Whether a choice stands in a sentence, as a whole."""
    return re.search(rf"(?<!\w){re.escape(choice)}(?!\w)", sentence) is not None


def counts(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """A number with its unit that stands in what was read; the count of two characters that the question names."""
    letters = re.search(r"often does (\S) follow a (?:lowercase )?(\S)\b", asked.prompt)
    if letters and (count := notes.values.get(f"{letters[2]} + {letters[1]}")) is not None:
        yield from ((index, 10.0) for index, each in enumerate(asked.choices) if number_in(each) == count)
    units = set(re.findall(r"pre-tokens|tokens|bytes|ids", asked.prompt))
    for sentence in reversed(notes.sentences):
        said = []
        for index, choice in enumerate(asked.choices):
            number = number_in(choice) is not None
            phrases = [choice] if " " in choice else [f"{choice} {unit}" for unit in units] if number else []
            said += [index] if any(phrase_in(phrase, sentence) for phrase in phrases) else []
        if said:
            yield from ((index, 5.0) for index in said)
            return


def follows_rules(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """What the alternative that the question names takes."""
    named = re.search(r"alternative (\d+)", asked.prompt)
    if named:
        taken = {plain_bytes(text.encode()) for rule, text in notes.pieces if rule == int(named[1])}
        yield from ((i, 10.0) for i, each in enumerate(asked.choices) if each.strip("“”") in taken)


def remembers_last(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """The choice that was called a token last."""
    if asked.kind != "longest-match":
        return
    for sentence in reversed(notes.sentences):
        for index, choice in enumerate(asked.choices):
            if f"{choice} is token" in sentence:
                yield index, 6.0
                return


def is_stale(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """Of entries of a queue, those whose two symbols do not stand side by side any more; they never merge next."""
    if asked.kind not in ("out-of-date", "next-merge"):
        return
    symbols = notes.symbols or re.findall(r"“([^”]+)”", asked.prompt)
    beside = {f"“{left}” + “{right}”" for left, right in pairwise(symbols)}
    for index, choice in enumerate(asked.choices):
        if symbols and choice.partition(" → ")[0] not in beside:
            yield index, 10.0 if asked.kind == "out-of-date" else -20.0


def made(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """Pieces that all stand there, wait in the queue, or are listed."""
    known = {*notes.symbols, *notes.values, *notes.tokens}
    if asked.kind == "exercise" and (notes.symbols or notes.tokens):
        for index, choice in enumerate(asked.choices):
            pieces = [piece for piece in choice.split(" ") if notes.whole or not piece.startswith("[")]
            if pieces and all(piece in known for piece in pieces):
                yield index, 8.0 + (1 / len(pieces) if any("longest" in each for each in notes.sentences) else 0.0)


def still_joins(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """Pieces of which two that stand side by side were said to wait in the queue: they join sooner or later."""
    if asked.kind == "exercise" and notes.symbols:
        for index, choice in enumerate(asked.choices):
            if any(left + right in notes.waited for left, right in pairwise(choice.split(" "))):
                yield index, -8.0


def joins(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """What the last sentences say that something becomes; what joins the one before it stands there once."""
    for sentence in notes.sentences[-3:]:
        for token in re.findall(r"becomes “([^”]+)”", sentence):
            yield from ((index, 2.0) for index, choice in enumerate(asked.choices) if token in choice.split(" "))
        for token in re.findall(r"joins the “([^”]+)” before it", sentence):
            twice = f"{token} {token}"
            yield from ((index, -4.0) for index, choice in enumerate(asked.choices) if twice in choice)


def counts_symbols(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """Where no pair waits, every symbol becomes a token."""
    if "tokens" in asked.prompt.lower() and not notes.waits and len(notes.symbols) > 1:
        yield from ((index, 10.0) for index, each in enumerate(asked.choices) if each == str(len(notes.symbols)))


def merges_without(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """Merges the symbols of the beginning again without one pair, by the values that pairs had as they waited."""
    if asked.kind != "missing-merge" or not notes.waited:
        return
    _, *missing = re.findall(r"“([^”]+)”", asked.prompt)
    lowest = any("lowest" in each for each in notes.sentences)
    symbols = list(notes.begins)
    while True:
        pairs = [(notes.waited[left + right] * (1 if lowest else -1), at)
                 for at, (left, right) in enumerate(pairwise(symbols))
                 if left + right in notes.waited and missing not in ([left, right], [left + right])]  # fmt: skip
        if not pairs:
            break
        _, at = min(pairs)
        symbols[at : at + 2] = [symbols[at] + symbols[at + 1]]
    result = " ".join(symbols)
    for index, choice in enumerate(asked.choices):
        if f" {choice.replace('” | “', ' ').strip('“”')} " in f" {result} ":
            yield index, 10.0


def can_add(notes: Notes, asked: Seen) -> bool:
    """Whether scores are to be added to sums that the panel shows, so that they alone decide nothing."""
    return asked.kind == "best-path" and bool(notes.sums)


def adds(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """The sum of a path: the best one to where its last piece begins, and that piece's score."""
    if not can_add(notes, asked):
        return
    paths = [re.findall(r"“([^”]+)”", choice) for choice in asked.choices]
    end = notes.text.find("".join(paths[0])) + len("".join(paths[0]))
    found = [notes.sums.get(end - len(path[-1])) for path in paths]
    sums = [
        None if before is None or (score := number_in(note)) is None else before + score
        for before, note in zip(found, asked.notes, strict=True)
    ]
    distinct = sorted({round(each, 2) for each in sums if each is not None}, reverse=True)
    for index, (choice, each) in enumerate(zip(asked.choices, sums, strict=True)):
        if each is not None and len(distinct) > 1 and round(each, 2) == distinct[0]:
            ahead = number_in(choice.rpartition("”")[2])
            yield index, 10.0 if abs((ahead or 0.0) - (distinct[0] - distinct[1])) < MARGIN else 5.0


def reads_draw(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """The pieces that were drawn, in the order of the text, which a path from the end turns around."""
    way = " ".join(reversed(notes.drawn))
    if way:
        yield from ((index, 10.0) for index, choice in enumerate(asked.choices) if choice == way)


def spells_bytes(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """The ids of the last bytes on the panel, if words say by how much an id is more than its byte."""
    shifts = [int(found[1]) for each in notes.sentences if (found := SHIFT.search(each))]
    numbers = [[each for each in choice.split(" ") if NUMBER.fullmatch(each)] for choice in asked.choices]
    if shifts and len(notes.data) > 1:
        ids = [str(byte + shifts[-1]) for byte in notes.data]
        yield from ((index, 10.0) for index, each in enumerate(numbers) if len(each) > 2 and each[-3:] == ids[-3:])


def looks_up(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """The ids of the symbols that stand on the panel, which words and steps have named."""
    ids = {found[1]: found[2] for each in notes.sentences for found in NAMED.finditer(each)}
    row = " ".join(ids.get(symbol, "?") for symbol in notes.symbols)
    yield from ((index, 10.0) for index, choice in enumerate(asked.choices) if row and choice == row)


def keeps_letters(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """What is spelled with letters that the last operation left."""
    if notes.letters:
        for index, choice in enumerate(asked.choices):
            words = [word for word in re.findall(r"[^\W\d_]+", choice) if not word.isupper()]
            if words and all(letter.lower() in notes.letters for word in words for letter in word):
                yield index, 5.0


def continues(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """How many characters bytes make, if words say how those begin that continue one."""
    if notes.data and any(map(CONTINUES.search, notes.sentences)) and re.search("code point|Codepunkt", asked.prompt):
        begin = sum(byte >> 6 != 0b10 for byte in notes.data)
        yield from ((index, 10.0) for index, each in enumerate(asked.choices) if number_in(each) == begin)


def grows(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """The size of a cell that absorbs another: the sum of both."""
    found = [pair for each in notes.sentences for pair in ABSORBS.findall(each)]
    for left, right in found[-1:]:
        total = notes.sizes.get(int(left), 0) + notes.sizes.get(int(right), 0)
        if f"cell {left}" in asked.prompt and total:
            yield from ((index, 10.0) for index, each in enumerate(asked.choices) if number_in(each) == total)


def puts_before(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """The ids on the panel, after the one that is put before every text, if words say so."""
    added = [found[1] for each in notes.sentences if (found := BEFORE.search(each))]
    if added and notes.ids:
        ids = [added[-1], *map(str, notes.ids)]
        yield from ((i, 10.0) for i, each in enumerate(asked.choices) if each.split(" ") == ids[: each.count(" ") + 1])


def counts_to(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """How many tokens stand from a message's first one to the one that words name."""
    named = [found[1] for each in notes.sentences if (found := FROM_TO.search(each))]
    texts = [text for text, _ in notes.tokens_of]
    first = next((at for at, (_, wrote) in enumerate(notes.tokens_of) if wrote), None)
    if named and first is not None and named[-1] in texts[first:] and "How many tokens" in asked.prompt:
        count = texts.index(named[-1], first) - first + 1
        yield from ((index, 10.0) for index, each in enumerate(asked.choices) if each == str(count))


def framed(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """Who wrote the framed token."""
    said = [each.removeprefix("framed: ") for each in notes.sentences if each.startswith("framed: ")]
    if said:
        yield from ((index, 10.0) for index, each in enumerate(asked.choices) if each.lower() == said[-1].lower())


def recognizes(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """Words and numbers of a choice that were read, rare ones most; later sentences count more."""
    words = [set(WORD.findall(choice)) for choice in asked.choices]
    shared = Counter(word for each in words for word in each)
    read = [set(WORD.findall(each)) for each in notes.sentences[-60:]]
    for index, each in enumerate(words):
        distinct = [word for word in each if shared[word] < len(words) and word not in NOISE]
        if distinct:
            yield index, sum(any(word in seen for seen in read) for word in distinct) / len(distinct)


def converges(notes: Notes, asked: Seen) -> Iterator[tuple[int, float]]:
    """The choice that shares most with the others: wrong ones are made from the right one."""
    words = [set(WORD.findall(choice)) for choice in asked.choices]
    for index, each in enumerate(words):
        others = [len(each & other) / max(1, len(each | other)) for at, other in enumerate(words) if at != index]
        yield index, 0.4 * sum(others) / max(1, len(others))


@dataclass(frozen=True)
class Seen:
    """A question as a student sees it. kind: what it is about. notes: the values beside the choices."""

    kind: str
    prompt: str
    choices: list[str]
    notes: list[str]


RULES: Final[tuple[Callable[[Notes, Seen], Iterator[tuple[int, float]]], ...]] = (
    compares, excludes, counts, follows_rules, remembers_last, is_stale, made, still_joins, joins, counts_symbols,
    merges_without, adds, reads_draw, spells_bytes, looks_up, keeps_letters, continues, grows, puts_before, counts_to,
    framed, recognizes, converges,
)  # fmt: skip


def share(notes: Notes, asked: Asked) -> Fraction:
    """The probability of the right answer for a student with these notes."""
    beside = [each.note for each in asked.choices]
    seen = Seen(asked.kind, plain(asked.prompt), [each.shown for each in asked.choices], beside)
    points: defaultdict[int, float] = defaultdict(float)
    for rule in RULES:
        for index, more in rule(notes, seen):
            points[index] += more
    best = max(points[index] for index in range(len(seen.choices)))
    good = [index for index in range(len(seen.choices)) if points[index] > best - 1e-9]
    return Fraction(asked.right in good, len(good))


@dataclass(frozen=True)
class Row:
    """A question's shares: of who guesses, reads cards, reads panels."""

    lesson: str
    card: int
    kind: str
    guesses: Fraction
    cards: Fraction
    panels: Fraction

    @property
    def asks(self) -> bool:
        """Whether reading the panel clearly pays."""
        return self.panels - self.cards >= CLEARLY


def rows_of(engine: OwnEngine, lesson: Lesson) -> Iterator[Row]:
    """The questions of a lesson, its cards read in order."""
    card_notes, panel_notes = Notes(), Notes()
    for number, card in enumerate(lesson.cards, 1):
        for notes in (card_notes, panel_notes):
            words = "\n".join("".join(text for _, text in each) for each in paragraphs(card.words))
            notes.read(f"{card.title}. {words}")
        questions = list(questions_of(engine, card, lesson.language))
        if questions:
            shares = [shares_of(engine, card.panel, asked, card_notes, panel_notes) for asked in questions]
            means = [sum(each, Fraction()) / len(shares) for each in zip(*shares, strict=True)]
            yield Row(lesson.key, number, questions[0].kind, *means)
        shown = shown_by(engine, card.panel)
        read_panel(panel_notes, shown, len(shown.script) if questions and shown.script else shown.step, "")


def questions_of(engine: OwnEngine, card: Card, language: str) -> Iterator[Asked]:
    """An exercise, or questions of the card's kind with other seeds."""
    if isinstance(card.question, Exercise):
        asked = question_of(engine, card, language)
        assert asked is not None
        yield asked
    elif isinstance(card.question, QuestionRef):
        seen = set()
        for seed in range(card.question.seed, card.question.seed + SEEDS):
            try:
                asked = question_of(engine, card, language, seed)
            except InputError:
                continue
            if asked is not None and (key := (asked.prompt, asked.choices)) not in seen:
                seen.add(key)
                yield asked


def shares_of(
    engine: OwnEngine, panel: Panel, asked: Asked, card_notes: Notes, panel_notes: Notes
) -> tuple[Fraction, Fraction, Fraction]:
    """The three shares."""
    if isinstance(panel, ExplorePanel):
        panel = replace(panel, text=asked.text, stage=asked.stage, step=asked.step)
    elif isinstance(panel, TrainPanel):
        panel = replace(panel, step=asked.step)
    notes = panel_notes.copy()
    read_panel(notes, shown_by(engine, panel), asked.step, asked.covers or ("tokens" if asked.pairs else ""))
    return Fraction(1, len(asked.choices)), share(card_notes, asked), share(notes, asked)


def main() -> None:
    engine, found = OwnEngine(), list[Row]()
    print(f"{'lesson':<16}{'card':>5}  {'question':<14}{'guesses':>8}{'card':>7}{'panel':>7}")
    for key in sys.argv[1:] or list(library()):
        for row in rows_of(engine, library()[key]):
            found.append(row)
            mark = "" if row.asks else "  asks nothing"
            print(f"{row.lesson:<16}{row.card:>5}  {row.kind:<14}{percent(row.guesses, row.cards, row.panels)}{mark}")
    means = (sum((getattr(row, name) for row in found), Fraction()) / max(1, len(found)) for name in SHARES)
    nothing = sum(not row.asks for row in found)
    print(f"{'all':<37}{percent(*means)}  {nothing} of {len(found)} ask nothing")


def percent(*shares: Fraction) -> str:
    """Shares in columns."""
    widths = (8, 7, 7)
    return "".join(f"{float(share):>{width}.0%}" for share, width in zip(shares, widths, strict=True))


if __name__ == "__main__":
    main()

"""Models that match from the left, as everybody else asks about them: WordPiece, the walk through a trie, and the loop
that stops at the first miss. Why their tokens came about, a question for a quiz, drawings for lessons, and where the
loop differs from the trie.

WordPiece tries windows at each position, longest first, until one is a piece. Its unit is what the original measures
windows in: a character for Hugging Face, for llama.cpp a byte, those of the ▁ that it puts in front of a word
included. A unit of the other two is a byte.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import takewhile, zip_longest
from typing import Any, cast

from explorer.engine.models.longest_match import (
    FirstMiss,
    FirstMissEvent,
    FirstMissRow,
    LongestMatch,
    TrieEvent,
    TrieMatch,
    TrieRow,
    WordPieceEvent,
    WordPieceRow,
    Wpm,
)
from explorer.engine.part import Model, Segment, silent
from explorer.engine.tokenizer import Stage, Trace
from explorer.stages.longest_match.first_miss_story import FirstMissScript
from explorer.stages.longest_match.story import WordPieceScript
from explorer.stages.longest_match.walk_story import TrieScript
from explorer.stages.spelling import Form, Speller
from explorer.stages.stage import (
    DRAWN,
    LONGEST_SHOWN,
    Account,
    Choice,
    Count,
    CutAccount,
    CutCause,
    Draft,
    Drawing,
    Family,
    Joined,
    Kind,
    M,
    Made,
    MadePair,
    ModelKind,
    OriginKind,
    OtherCuts,
    Scene,
    SegmentEvents,
    TokenText,
    WhyStep,
    kinds_of,
    other_cuts,
    quoted_row,
    richest,
    start_of,
)
from explorer.text.input import character_of_each_byte
from explorer.text.say import Say, plural
from explorer.vocabulary import SPACE_MARK, Vocabulary

ATTEMPTS = (WordPieceEvent.MISS, WordPieceEvent.HIT)


class WordPieces(Family[LongestMatch]):
    """The account of WordPiece."""

    puts_out = (WordPieceEvent.HIT, WordPieceEvent.DISCARD, WordPieceEvent.TOO_LONG)

    def outputs(self, fragment: SegmentEvents) -> Iterable[Made]:
        """A token for each hit, or one for a word that pieces cannot spell."""
        found = list(super().outputs(fragment))
        if found[-1:] and found[-1].kind != WordPieceEvent.HIT:
            return [found[-1]._replace(start=0, end=self.size(fragment))]
        return found

    def size(self, fragment: SegmentEvents) -> int:
        """The number of units of a word."""
        row: WordPieceRow = self.events[fragment.first]
        return row.end

    def window(self, fragment: SegmentEvents, start: int, end: int) -> bytes:
        """A window as it is looked up."""
        text = fragment.segment.text
        if isinstance(self.model, Wpm):
            return (SPACE_MARK + text).encode()[start:end]
        return (self.model.prefix if start else b"") + text[start:end].encode()

    def shown(self, fragment: SegmentEvents, start: int, end: int) -> str:
        """A window for people."""
        return self.speller.symbol(self.window(fragment, start, end))

    def attempts(self, fragment: SegmentEvents, start: int, beyond: int = 0) -> list[WhyStep]:
        """The attempts at a position, those of windows that end after `beyond`."""
        steps = []
        for event, row in self.rows(fragment):
            if row.start != start or row.kind not in ATTEMPTS or row.end <= beyond:
                continue
            text = self.shown(fragment, row.start, row.end)
            hit = row.kind == WordPieceEvent.HIT
            note = Say("the longest piece: token {0:i}", row.token) if hit else Say("no such piece")
            steps.append(self.step(event, (text,), text if hit else "", note, good=hit))
        return steps

    def account(self, made: Made, token: TokenText) -> Account:
        """The attempts until the hit; for an unknown word, those that failed."""
        fragment = self.fragment(made)
        word = self.speller.text(fragment.segment.text)
        if made.kind == WordPieceEvent.TOO_LONG:
            row = self.events[made.event]
            said = Say("{0:q} has {1} characters, and words of more than {2} are not tried: it becomes {3:q}.",
                       word, row.start, row.end, token.text)  # fmt: skip
            return Account(OriginKind.UNKNOWN, said, lost=word)
        if made.kind == WordPieceEvent.DISCARD:
            at = self.events[made.event].start
            rest = self.shown(fragment, at, made.end)
            matched = [row.start for _, row in self.rows(fragment) if row.kind == WordPieceEvent.HIT]
            steps = [step for start in (*matched, at) for step in self.attempts(fragment, start)]
            said = Say("No piece begins {0:q}, so the whole word {1:q} becomes {2:q}, and its text is lost.",
                       rest, word, token.text)  # fmt: skip
            return Account(OriginKind.UNKNOWN, said, steps, lost=word)
        steps = self.attempts(fragment, made.start)
        longer = len(steps) - 1
        if not longer:
            said = Say("{0:q} is a piece and the whole rest of the word: token {1:i}.", token.text, token.id)
        else:
            said = Say(
                "{0:q} is the longest piece at the start of the remaining word: token {1:i}.", token.text, token.id
            )
            more = "One longer candidate is not a piece." if longer == 1 else "{0} longer candidates are not pieces."
            said = said.then(Say(more, longer))
        if self.skipped(fragment, made.start):
            said = said.then(Say("Candidates longer than every piece are not tried."))
        return Account(OriginKind.LONGEST_MATCH, said, steps)

    def skipped(self, fragment: SegmentEvents, start: int) -> bool:
        """Whether the windows at a position begin with a shorter one than the rest of the word."""
        tried = [row.end for _, row in self.rows(fragment) if row.start == start and row.kind in ATTEMPTS]
        return max(tried, default=0) < self.size(fragment)

    def cut_account(self, pair: MadePair, left: TokenText, right: TokenText) -> CutAccount:
        """The attempts that would have crossed the seam, and the hit that ends at it."""
        one, other = pair
        fragment = self.fragment(one)
        joined = self.joined(self.window(fragment, one.start, other.end))
        steps = self.attempts(fragment, one.start, one.end - 1)
        steps += [step for step in self.attempts(fragment, other.start) if step.good]
        said = Say("The longest match from here is {0:q}.", left.text)
        others = self.cuts(fragment, one.start, other.end, joined.text)
        return CutAccount(CutCause.LONGEST_MATCH, said, one.event, joined, steps, others)

    def cuts(self, fragment: SegmentEvents, start: int, end: int, text: str) -> OtherCuts | None:
        """The cuts of the units [start, end) of a word."""
        ids = self.model.ids
        return other_cuts(text, end - start, lambda a, b: self.window(fragment, start + a, start + b) in ids)


@partial(Kind, "longest-match", "Where does the longest match end?")
@richest
def longest_match(scene: Scene) -> Iterator[Draft]:
    """The longest matches of WordPiece."""
    family = cast(WordPieces, scene.family)
    found = [
        (fragment, event, hit)
        for fragment in family.fragments.values()
        for event, hit in family.rows(fragment)
        if hit.kind == WordPieceEvent.HIT and family.size(fragment) - hit.start > 1
    ]
    shuffled = scene.random.sample(found, len(found))
    # a match that takes the whole rest asks for little
    shuffled.sort(key=lambda each: each[2].end == family.size(each[0]))
    for fragment, event, hit in shuffled:
        yield in_word(scene, family, fragment, event, hit)


def in_word(scene: Scene, family: WordPieces, fragment: SegmentEvents, event: int, hit: WordPieceRow) -> Draft:
    """The longest match in a word, which an event found."""
    start, size = hit.start, family.size(fragment)
    missed = sorted(
        row.end for _, row in family.rows(fragment) if row.kind == WordPieceEvent.MISS and row.start == start
    )
    tried = [event for event, row in family.rows(fragment) if row.start == start and row.end in missed]
    ids = family.model.ids
    passed = [end for end in range(hit.end - 1, start, -1) if family.window(fragment, start, end) in ids]
    ends = [end for pair in zip_longest(missed[:2], passed[:2]) for end in pair if end]
    # a match that takes the whole rest has missed nothing: shorter starts, pieces or not
    ends += [*missed[-1:], *range(hit.end - 1, start, -1)]
    wrong = [
        Choice(
            quoted_row([family.shown(fragment, start, end)]),
            Say("It is a piece, but not the longest.") if end in passed else Say("It is not a piece."),
        )
        for end in ends
    ]
    rest = family.shown(fragment, start, size)
    prompt = Say("{0:t} looks for the longest piece at the start of {1:q}. Where does it end?", scene.name, rest)
    right = family.shown(fragment, start, hit.end)
    said = Say("{0:q} is token {1:t}.", right, str(hit.token))
    if missed:
        longer = Say("{0:q} is the next longer start, and it is not a piece.", family.shown(fragment, start, missed[0]))
        said = said.then(longer)
    return Draft(prompt, Choice(quoted_row([right])), wrong, said, max(tried, default=event - 1), event)


def count(stage: Stage) -> Count:
    """Pieces that were found."""
    return plural(kinds_of(stage).count(WordPieceEvent.HIT), "match", "matches"), True


def clause(model: Model) -> str:
    """What the model does."""
    return f"takes the longest piece that fits, by {cast(LongestMatch, model).unit}s,"


def refusal(stage: Stage, kinds: Collection[int]) -> Say | None:
    """A word with too many characters."""
    if WordPieceEvent.TOO_LONG not in kinds:
        return None
    limit = next(row.end for row in stage.events if row.kind == WordPieceEvent.TOO_LONG)
    return Say("doesn't try words of more than {0:i} characters", limit)


def drawing(stage: Stage, word: Segment, rows: Sequence[tuple[int, WordPieceRow]], speller: Speller) -> Drawing | None:
    """What was looked up in a word, longest first: [start, end, id], an id of -1 for what is no piece."""
    tries = [
        [row.start, row.end, row.token if row.kind == WordPieceEvent.HIT else -1]
        for _, row in rows
        if row.kind in ATTEMPTS
    ]
    return {"kind": "attempts", "leaves": list(word.text[:DRAWN]), "tries": tries} if len(tries) > 1 else None


LONGEST_MATCH = ModelKind(
    title="Longest match",
    purpose="Each word is cut from the left: the longest piece that fits, then the longest that fits the rest.",
    name="Longest match",
    script=WordPieceScript.of,
    count=count,
    account=WordPieces,
    discards=WordPieceEvent.DISCARD,
    clause=clause,
    starts_differ=True,
    refusal=refusal,
    questions=(longest_match,),
    drawing=drawing,
    whole_words=True,
    in_file="WordPiece",
    required=("unk_token", "continuing_subword_prefix", "max_input_chars_per_word", "vocab"),
)


class Bytewise(Family[M]):
    """What both models share."""

    item_field = 2

    def span(self, row: Any) -> tuple[int, int]:
        """From where the walk began."""
        return row.start, row.at

    def data(self, made: Made) -> bytes:
        """The bytes of a token's fragment."""
        return self.fragments[made.item].segment.text.encode()

    def prefix(self, data: bytes, start: int, end: int) -> str:
        """Bytes for people."""
        return self.speller.symbol(data[start:end])

    def seam(self, pair: MadePair) -> tuple[list[bytes], Joined]:
        """The units of both tokens, and their text as one."""
        data = self.data(pair[0])[pair[0].start : pair[1].end]
        return [data[at : at + 1] for at in range(len(data))], self.joined(data)

    def units(self, made: Made) -> Sequence[bytes] | None:
        """The bytes of a token."""
        data = self.data(made)[made.start : made.end]
        return [data[at : at + 1] for at in range(len(data))]

    def first_event(self, made: Made) -> int:
        """The first event about the bytes from the start of a token on."""
        first, start = made.event, self.events[made.event].start
        while first - 1 > self.fragments[made.item].first and self.events[first - 1].start == start:
            first -= 1
        return first


class Walks(Bytewise[TrieMatch]):
    """The account of the walk through a trie."""

    puts_out = (TrieEvent.TAKE, TrieEvent.FALL_BACK, TrieEvent.UNKNOWN)

    def walk(self, made: Made) -> list[WhyStep]:
        """The bytes of the walk that made a token: the tokens it passed, and where it ended."""
        data, steps = self.data(made), []
        for event in range(self.first_event(made), made.event):
            row = self.events[event]
            if row.kind == TrieEvent.END:
                steps.append(self.step(event, (), "", Say("the text ends, and so does the walk"), good=False))
                continue
            byte, text = f"{data[row.at]:02X}", self.prefix(data, row.start, row.at + 1)
            if row.kind == TrieEvent.SEEN:
                note = Say("token {0:i}", row.token)
            elif row.kind == TrieEvent.NODE:
                note = Say("a node that is not a token")
            else:
                note, text = Say("no edge for {0:t}: the walk ends", byte), ""
            steps.append(self.step(event, (byte,), text, note, good=row.kind != TrieEvent.NO_EDGE))
        return steps

    def end(self, made: Made, walk: Sequence[WhyStep]) -> Say:
        """Where the walk ended."""
        if walk and walk[-1].kind == TrieEvent.NO_EDGE.name:
            return Say("No edge for {0:t}: the walk ends.", walk[-1].parts[0])
        return Say("The text ends, and so does the walk.")

    def account(self, made: Made, token: TokenText) -> Account:
        """The walk."""
        walk = self.walk(made)
        if made.kind == TrieEvent.UNKNOWN:
            byte = f"{self.data(made)[made.start]:02X}"
            said = Say(
                "No token begins with {0:t} here: the byte becomes {1:q}, and what it was is lost.", byte, token.text
            )
            return Account(OriginKind.UNKNOWN, said, walk, lost=byte)
        passed = sum(step.kind == TrieEvent.SEEN.name for step in walk)
        last = Say("The last token passed is {0:q}, the longest match.", token.text) if passed > 1 else Say(
            "The only token passed is {0:q}.", token.text
        )  # fmt: skip
        said = self.end(made, walk).then(last)
        return Account(OriginKind.LONGEST_MATCH, said, walk)

    def cut_account(self, pair: MadePair, left: TokenText, right: TokenText) -> CutAccount:
        """The walk that ended before it reached a token across the seam."""
        one, _ = pair
        walk = [step for step in self.walk(one) if self.at(step) >= one.end - 1]
        units, joined = self.seam(pair)
        said = Say("The longest match from here is {0:q}.", left.text)
        cause = CutCause.LONGEST_MATCH
        if one.kind == TrieEvent.UNKNOWN:
            byte = f"{self.data(one)[one.start]:02X}"
            said = Say("No token begins with {0:t} here, so this byte alone becomes {1:q}.", byte, left.text)
            cause = CutCause.UNKNOWN
        return CutAccount(cause, said, one.event, joined, walk, self.others(units, joined.text))

    def at(self, step: WhyStep) -> int:
        """The byte of a step."""
        at: int = self.events[step.event].at
        return at

    def is_piece(self, units: Sequence[bytes]) -> bool:
        """Whether the trie has a token of these bytes."""
        data, trie = b"".join(units), self.model.trie
        nodes = trie.path(data)
        return len(nodes) == len(data) > 0 and trie.token[nodes[-1]] >= 0


class FirstMisses(Bytewise[FirstMiss]):
    """The account of the loop that stops at the first prefix that is not a token."""

    puts_out = (FirstMissEvent.TAKE, FirstMissEvent.BYTE)

    def span(self, row: FirstMissRow) -> tuple[int, int]:
        """One byte of a character without a token."""
        return (row.at, row.at + 1) if row.kind == FirstMissEvent.BYTE else super().span(row)

    def round(self, made: Made) -> list[WhyStep]:
        """The prefixes that the loop looked up."""
        data, start = self.data(made), self.events[made.event].start
        steps = []
        for event in range(self.first_event(made), made.event):
            row = self.events[event]
            if row.kind == FirstMissEvent.END:
                steps.append(self.step(event, (), "", Say("the text ends, and so does the loop"), good=False))
            elif row.kind == FirstMissEvent.PAST_END:
                steps.append(self.step(event, (), "", Say("it reads past the end of the text and stops"), good=False))
            elif row.kind in (FirstMissEvent.CHARACTER, FirstMissEvent.MISS):
                text, good = self.prefix(data, start, row.at + 1), row.kind == FirstMissEvent.CHARACTER
                note = Say("token {0:i}", row.token) if good else Say("not a token: the loop stops")
                steps.append(self.step(event, (text,), text if good else "", note, good=good))
        return steps

    def character(self, made: Made) -> tuple[int, int]:
        """The bytes [start, end) of the character that a byte belongs to."""
        start = self.events[made.event].start
        end = made.event
        while end + 1 < self.fragments[made.item].last and self.events[end + 1].kind == FirstMissEvent.BYTE and (
            self.events[end + 1].start == start
        ):  # fmt: skip
            end += 1
        return start, self.events[end].at + 1

    def account(self, made: Made, token: TokenText) -> Account:
        """The loop's prefixes."""
        steps = tuple(self.round(made))
        if made.kind == FirstMissEvent.BYTE:
            start, end = self.character(made)
            said = Say(
                "{0:q} is not a token. Its byte {1:t}, {2} of {3}, becomes token {4:i}.",
                self.prefix(self.data(made), start, end),
                token.text,
                made.start - start + 1,
                end - start,
                token.id,
            )
            return Account(OriginKind.BYTE, said, steps)
        missed = [step for step in steps if step.kind == FirstMissEvent.MISS.name]
        if missed:
            said = Say(
                "{0:q} is not a token, so the loop stops and takes the prefix before it, {1:q}.",
                missed[0].parts[0],
                token.text,
            )
        elif steps[-1].kind == FirstMissEvent.PAST_END.name:
            said = Say("The loop would read past the end of the text, so it takes what it has: {0:q}.", token.text)
        else:
            said = Say("The text ends, so the loop takes what it has: {0:q}.", token.text)
        return Account(OriginKind.FIRST_MISS, said, steps)

    def cut_account(self, pair: MadePair, left: TokenText, right: TokenText) -> CutAccount:
        """The prefix at which the loop stopped."""
        one, _ = pair
        steps = self.round(one)
        units, joined = self.seam(pair)
        others = self.others(units, joined.text)
        if one.kind == FirstMissEvent.BYTE:
            start, end = self.character(one)
            said = Say(
                "{0:q} is not a token: it becomes one token for each of its {1} bytes.",
                self.prefix(self.data(one), start, end),
                end - start,
            )
            return CutAccount(CutCause.BYTES, said, one.event, joined, steps, others)
        stops = FirstMissEvent.MISS.name, FirstMissEvent.PAST_END.name
        missed = [step for step in steps if step.kind in stops]
        said = Say("{0:q} is not a token, so the loop stops after {1:q}.", missed[0].parts[0], left.text) if (
            missed[0].parts
        ) else Say("The loop would read past the end of the text, so it stops after {0:q}.", left.text)  # fmt: skip
        if joined.id is not None:
            said = said.then(Say("It never tries {0:q}, which is token {1:i}.", joined.text, joined.id))
        tail = tuple(step for step in steps if self.events[step.event].at >= one.end - 1)
        return CutAccount(CutCause.FIRST_MISS, said, missed[0].event, joined, tail, others)

    def is_piece(self, units: Sequence[bytes]) -> bool:
        """Whether these bytes are a token that the loop may take."""
        return b"".join(units) in self.model.vocabulary.ids


def in_trie(scene: Scene) -> Iterator[Draft]:
    """The longest matches of a trie: shorter tokens that the walk passed, and nodes that are none."""
    family = cast(Walks, scene.family)
    found = []
    for token in family.made:
        walk = family.walk(token) if token.kind in (TrieEvent.TAKE, TrieEvent.FALL_BACK) else []
        nodes = [step for step in walk if step.makes]
        if len(nodes) > 1 and len(nodes[-1].makes) <= LONGEST_SHOWN:
            found.append((token, walk, nodes))
    shuffled = scene.random.sample(found, len(found))
    # a walk through tokens alone asks for little
    shuffled.sort(key=lambda each: all(step.kind == TrieEvent.SEEN.name for step in each[2]))
    for token, walk, nodes in shuffled:
        yield on_walk(scene, family, token, walk, nodes)


def on_walk(scene: Scene, family: Walks, made: Made, walk: list[WhyStep], nodes: list[WhyStep]) -> Draft:
    """The longest match of a walk. nodes: the steps that lead to one."""
    data = family.data(made)
    right = family.prefix(data, made.start, made.end)
    tokens = [step for step in nodes if step.kind == TrieEvent.SEEN.name and step.makes != right]
    beyond = [step for step in nodes if family.events[step.event].at >= made.end]
    within = [step for step in nodes if step.kind == TrieEvent.NODE.name and step not in beyond]
    first_miss = list(takewhile(lambda step: step.kind == TrieEvent.SEEN.name, nodes))[-1:]
    order = [*first_miss, *beyond[-1:], *tokens[-1:], *tokens[:1], *within[-1:], *tokens, *beyond, *within]
    wrong = [
        Choice(
            quoted_row([step.makes]),
            Say("A token, but a longer one follows.")
            if step.kind == TrieEvent.SEEN.name
            else Say("A node of the trie, but not a token."),
        )
        for step in order
    ]
    end = family.events[walk[-1].event].at
    if walk[-1].kind == TrieEvent.NO_EDGE.name:
        wrong.insert(2, Choice(quoted_row([family.prefix(data, made.start, end + 1)]), Say("No edge leads there.")))
    rest = start_of(data[made.start :], Form.AS_TEXT.value)
    prompt = Say("The walk through the trie begins at {0:q}. Where does the longest match end?", rest)
    said = family.end(made, walk).then(Say("The last token passed is {0:q}, token {1:t}.", right, str(made.id)))
    seen = [step for step in walk if step.kind != TrieEvent.NO_EDGE.name]  # that step names the match
    return Draft(prompt, Choice(quoted_row([right])), wrong, said, seen[-1].event, made.event)


def walk_drawing(
    stage: Stage, segment: Segment, rows: Sequence[tuple[int, TrieRow]], speller: Speller
) -> Drawing | None:
    """The longest walk through the trie: its bytes, and the tokens it passed."""
    data = segment.text.encode()
    walks: dict[int, list[TrieRow]] = {}
    for _, row in rows:
        walks.setdefault(row.start, []).append(row)
    if not walks:
        return None
    longest = max(walks.values(), key=lambda walk: sum(row.kind in (TrieEvent.NODE, TrieEvent.SEEN) for row in walk))
    nodes: list[list[Any]] = []
    for row in longest[: DRAWN - 4]:
        if row.kind not in (TrieEvent.NODE, TrieEvent.SEEN):
            break
        seen = row.kind == TrieEvent.SEEN
        text = data[row.start : row.at + 1].decode("utf-8", "replace") if seen else ""
        nodes.append([f"{data[row.at]:02X}", row.token if seen else -1, "" if "\ufffd" in text else text])
    taken = max((at for at, node in enumerate(nodes) if node[1] >= 0), default=-1)
    stop = next((row for row in longest if row.kind == TrieEvent.NO_EDGE), None)
    return {"kind": "walk", "nodes": nodes, "taken": taken, "stop": "" if stop is None else f"{data[stop.at]:02X}"}


def first_miss_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How many tokens the loop that stops at the first miss makes, how many the trie, and where they first differ.

    >>> import explorer
    >>> from explorer.text.say import plain
    >>> tok = explorer.load("rwkv-world@first-miss")
    >>> trace = tok.trace("a!--")
    >>> plain(first_miss_result(trace, trace.stage("model"), tok.vocabulary))
    'The loop makes 3 tokens of this text, the trie 2. They first differ at character 2.'
    """
    model = cast(FirstMiss, stage.part)
    by_loop = by_trie = 0
    first = -1
    for item in stage.before:
        if isinstance(item, Segment):
            data = item.text.encode()
            loop, trie = model.tokenize(data, silent), model.trie.tokenize(data, silent)
            by_loop, by_trie = by_loop + len(loop), by_trie + len(trie)
            differ = set(loop) ^ set(trie)
            if differ and first < 0:
                character = character_of_each_byte(data)[min(match.start for match in differ)]
                first = item.starts[character]
    if first < 0:
        return Say("The loop and the trie make the same tokens of this text.")
    words = "The loop makes {0:t} of this text, the trie {1:t}. They first differ at character {2:t}."
    return Say(words, plural(by_loop, "token"), f"{by_trie:,}", f"{first + 1:,}")


TRIE = ModelKind(
    title="A walk through the trie",
    purpose="Starting at each position, the bytes are followed down a tree; the last token passed is taken.",
    name="Longest match",
    script=TrieScript.of,
    account=Walks,
    clause=lambda model: "takes the longest token along a trie",
    questions=(longest_match._replace(write=richest(in_trie)),),
    drawing=walk_drawing,
)
FIRST_MISS = ModelKind(
    title="The loop that stops at the first miss",
    purpose="Starting at each position, characters are added as long as the result is a token. This common misreading "
    "of the trie is not a longest match; each step says where the trie takes another token.",
    name="First miss",
    script=FirstMissScript.of,
    result=first_miss_result,
    account=FirstMisses,
    clause=lambda model: "adds characters until the string is not a token",
)

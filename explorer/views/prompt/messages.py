"""Prompt: a row for each message, what is sent beside what the model reads, and the warnings.

A warning is a sentence about a message or token, with an offer where there is one.
"""

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from explorer.errors import InputError
from explorer.prompts.finding import NOTES, Finding, Kind
from explorer.prompts.findings import shown_alone
from explorer.prompts.llama_cpp.conversation import by_path
from explorer.prompts.model_input import LLAMA_CPP, Prompt, covered, prompt
from explorer.tables import Json, Record
from explorer.text.hidden import hidden
from explorer.text.say import Say, Text, plural, visible_words
from explorer.views.prompt.tokens import Badge, Scene, View


class Offer(NamedTuple):
    """What a click does. label: of the link. change: of what is asked (`store.js`), such as {"as_text": true}.

    Or it adds tokens to the vocabulary, on that page: {"add": ["<|a|>"]}.
    """

    label: str
    change: Json


class Warning(NamedTuple):
    """One warning. tokens: the numbers of those that it is about."""

    kind: str
    say: Say
    reason: Say
    offers: tuple[Offer, ...]
    message: int
    tokens: tuple[int, ...]


MOST_WARNINGS = 1_000
"""Those that are sent, the heaviest; the card counts all."""
MOST_RUNS = 1_000
"""Runs of hidden characters of a text that are drawn."""
READ_AS_TEXT = Offer(Text("Read it as text"), {"as_text": True})
ASK = Offer(Text("Ask for an answer"), {"then": "answer"})


def warnings_of(made: Prompt, *, dated: bool = False) -> list[Warning]:
    """All warnings, the heaviest first. Control tokens of one message are one warning. dated: the date is chosen."""
    found: list[Warning] = []
    controls: dict[int, list[Finding]] = {}
    for finding in made.findings:
        if finding.kind is Kind.CONTROL and finding.message is not None:
            controls.setdefault(finding.message, []).append(finding)
    for finding in made.findings:
        if (finding.kind is Kind.DATE and dated) or finding.kind is Kind.BORROWED:
            continue  # chosen; said above the stage
        message = -1 if finding.message is None else finding.message
        if finding.kind is Kind.CONTROL and message >= 0:
            if message in controls:
                found.append(control(made, message, controls.pop(message)))
            continue
        tokens = () if finding.is_note else tuple(range(finding.start, finding.end))
        found.append(
            Warning(finding.kind, finding.sentence, finding.reason, tuple(offers_of(made, finding)), message, tokens)
        )
    return found


def control(made: Prompt, message: int, findings: list[Finding]) -> Warning:
    """Control tokens that a message spells: what they do to the turns, and what reading them as text gives."""
    tokens = tuple(finding.start for finding in findings)
    first = made.tokens[tokens[0]]
    spelled = visible_words(made.text[first.start : first.end])
    begins = turn_start(made)
    sent = len(made.call.messages)
    read = made.ids.count(begins) - asked_turns(made, begins) if begins is not None else sent
    sentence = Say("{0:q} in message {1} is read as a control token.", spelled, message + 1)
    if begins is not None and read > sent:
        words = "{0:q} in message {1} ends the turn: the model reads {2} turns, not {3}."
        if first.id == begins:
            words = "{0:q} in message {1} begins a turn: the model reads {2} turns, not {3}."
        sentence = Say(words, spelled, message + 1, read, sent)
    reason = Say("So its author can write what only the template should.")
    roles = [role for role in written_turns(made, tokens, begins).values() if role]
    own = str(made.call.messages[message].get("role"))
    if roles:
        reason = Say("So a {0:t} can write as the {1:t}.", own, roles[0])
    offers: tuple[Offer, ...] = ()
    with suppress(InputError):
        if made.engine != LLAMA_CPP and not made.served:
            as_text = prompt(
                made.tokenizer, made.call, made.template, source=made.rendering.source, engine=made.engine,
                control_as_text=True,
            )  # fmt: skip
            turns = as_text.ids.count(begins) - asked_turns(as_text, begins) if begins is not None else 0
            then = Say("Read as text, the prompt has {0} tokens.", len(as_text.ids))
            if turns:
                then = Say("Read as text, the prompt has {0} tokens and {1} turns.", len(as_text.ids), turns)
            reason, offers = reason.then(then), (READ_AS_TEXT,)
    return Warning(Kind.CONTROL, sentence, reason, offers, message, tokens)


def turn_start(made: Prompt) -> int | None:
    """The control token that the template writes before each message, if it is one and the same."""
    firsts: dict[int, int | None] = {}
    before = None
    for token in made.tokens:
        authors = [each for each in token.authors if each is not None]
        if authors:
            firsts.setdefault(authors[0], before)
            before = None
        elif made.tokenizer.vocabulary.is_special(token.id):
            before = token.id
    last = {*firsts.values()}
    return last.pop() if len(last) == 1 and len(firsts) == len(made.call.messages) else None


def asked_turns(made: Prompt, begins: int) -> int:
    """Turns that are begun after the last message: the answer's."""
    last = max((i for i, token in enumerate(made.tokens) if any(a is not None for a in token.authors)), default=-1)
    return made.ids[last + 1 :].count(begins)


def written_turns(made: Prompt, tokens: tuple[int, ...], begins: int | None) -> dict[int, str]:
    """Of control tokens in a message those that begin a turn, with the role that the message writes after them."""
    found = {}
    for index in tokens:
        if made.ids[index] == begins:
            after = made.text[made.tokens[index].end :]
            role = after.split("\n", 1)[0].strip()
            found[index] = role if role.isidentifier() and len(role) < 20 else ""
    return found


def offers_of(made: Prompt, finding: Finding) -> Iterator[Offer]:
    """What clicks can do about a finding."""
    if finding.kind is Kind.NO_QUESTION and not made.call.add_generation_prompt:
        yield ASK
    elif finding.kind is Kind.CONTROL and made.engine != LLAMA_CPP and not made.served:
        yield READ_AS_TEXT
    elif finding.kind is Kind.DATE:
        yield Offer(Text("Fix the date"), {"date": "today"})
    elif finding.kind is Kind.MARKER:
        if made.tokenizer.chat.sources:
            yield Offer(Text("Take its own template"), {"template": "", "source": None})
        marks = [each.sentence.texts[0] for each in made.findings if each.kind is Kind.MARKER]
        missing = [each for each in marks if each.encode() not in made.tokenizer.vocabulary.ids]
        if missing:
            yield Offer(Text("Add {0} token…", len(missing), many="Add {0} tokens…"), {"add": missing})


def hidden_texts(sent: Prompt) -> Iterator[Record]:
    """The texts of the request that hold characters that nobody sees.

    runs: the first ones, with where they begin in the prompt, None where a server changed the request. tokens: of the
    text without one kind of them, without all, and as it was sent.
    """
    for path, text in by_path((sent.request or sent.call).to_json()):
        if not isinstance(text, str) or not (runs := [*hidden(text)]):
            continue
        at = {} if sent.served else covered(sent.rendering, path)
        kinds = {"all", "none", *(run.kind for run in runs)}
        texts = {
            kind: shown_alone(text, lambda run, each, kind=kind: "" if kind in ("all", run.kind) else each)  # type: ignore[misc]
            for kind in kinds
        }
        yield {
            "path": path,
            "runs": [[*run, at.get(run.start)] for run in runs[:MOST_RUNS]],
            "tokens": {kind: len(sent.tokenizer.encode(each, add_special=False).ids) for kind, each in texts.items()},
        }


def notes_of(made: Prompt) -> Iterator[tuple[int, Say]]:
    """Beside tokens: a turn that a message's author wrote."""
    begins = turn_start(made)
    for index, token in enumerate(made.tokens):
        author = next((each for each in token.authors if each is not None), None)
        if author is None or token.id != begins:
            continue
        role = written_turns(made, (index,), begins).get(index)
        own = str(made.call.messages[author].get("role"))
        if role:
            yield index, Say("a {0:t} turn, written by the {1:t}", role, own)


def badge(scene: Scene) -> Badge:
    """How many tokens, and how many warnings."""
    if scene.prompt is None:
        return Badge(Text("no prompt"), int(scene.has_run), not scene.source)
    warnings = warnings_of(scene.prompt, dated=scene.now is not None)
    return Badge(plural(len(scene.prompt.ids), "token"), sum(each.kind not in NOTES for each in warnings))


def stage(scene: Scene) -> Json | None:
    """Warnings, notes, the texts with hidden characters; the tokens are sent for all views."""
    if scene.prompt is None:
        return {"warnings": [], "notes": [], "hidden": []}
    return {
        "warnings": [
            each._asdict() | {"note": each.kind in NOTES}
            for each in warnings_of(scene.prompt, dated=scene.now is not None)[:MOST_WARNINGS]
        ],
        "notes": [[index, say] for index, say in islice(notes_of(scene.prompt), MOST_WARNINGS)],
        "hidden": [*hidden_texts(scene.prompt)],
    }


VIEW = View("prompt", Text("Prompt"), badge, stage)

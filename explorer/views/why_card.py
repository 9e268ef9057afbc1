"""The answer to "Why?" as the page draws it: a sentence, the steps that decided, the tree of merges.

Texts come from `analysis.why`; here they get a title, and each step the place in a stepper that shows it.
"""

from collections.abc import Callable, Iterable

from explorer.analysis.why import OtherSpelling, OtherTokenizers, other_spellings, why_cut, why_token
from explorer.engine.tokenizer import Trace
from explorer.implementations.opened import Opened
from explorer.script.script import Script
from explorer.stages.spelling import Form, Meaning, meanings
from explorer.stages.stage import Cut, Node, TokenOrigin, TokenText, WhyStep
from explorer.tables import Record
from explorer.text.say import Say, number

Card = Record
"""What the browser draws, as `Phrases.data` says it.

title, say: sentences. rows: the steps. tree: nodes of a merge tree, each with its children. joined: the text of both
tokens as one, and whether it is a piece. notes: sentences below. go: the row to go to, None without one.
ids: the tokens it is about. nearby: other spellings. elsewhere: other tokenizers, None until they are asked.
"""
Place = Record
"""A step on the page: the key of its stage, and its number there."""
Places = Callable[[int, int | None], Place | None]
"""The step that shows an event of a stage, by the stage's index; None if no step does."""


def cards_of(
    tokenizer: Opened, trace: Trace, script_of: Callable[[str], Script | None], title: str, form: Form
) -> Callable[..., Card | None]:
    """A function that answers "why" about a trace: of a token (False) or the cut after it (True), by its number.

    It gives None where there is no such token. script_of: the script of a stage that is drawn, by its key: steps within
    it are linked. title: of the tokenizer.
    """

    def place(stage: int, event: int | None) -> Place | None:
        key = trace.stages[stage].name
        script = script_of(key)
        if event is None or script is None or event not in script.events:
            return None
        return {"stage": key, "step": script.step_of(event)}

    def answer(cut: bool, index: int) -> Card | None:
        if not 0 <= index < len(trace.ids) - cut:
            return None
        if not cut:
            meaning = meanings(tokenizer.vocabulary, tokenizer.model)
            return token_card(why_token(trace, index, tokenizer_label=title, form=form), place, meaning)
        found = why_cut(trace, index, tokenizer_label=title, form=form)
        return cut_card(found, place, other_spellings(tokenizer, trace, found, form))

    return answer


def cut_card(cut: Cut, places: Places, spellings: Iterable[OtherSpelling]) -> Card:
    """Why there is a cut between two tokens. spellings: nearby."""
    joined = None if cut.joined is None else {"text": cut.joined.text, "piece": cut.joined.id is not None}
    return {
        "title": Say("Why cut {0:q} | {1:q}?", cut.left.text, cut.right.text),
        "say": cut.sentence,
        "joined": joined and {**joined, "left": token(cut.left), "right": token(cut.right)},
        "rows": [row(step, places) for step in cut.steps],
        "tree": [],
        "notes": [] if cut.others is None else [cut.others.sentence],
        "ids": [token(cut.left), token(cut.right)],
        "nearby": [each._asdict() for each in spellings],
        "elsewhere": None,
        "go": places(cut.stage, cut.event),
    }


def cuts_elsewhere(others: OtherTokenizers, refusals: list[tuple[str, str]]) -> Record:
    """The cuts of other tokenizers, and those without an answer: a name, why."""
    return {"say": others.say, "cuts": [each._asdict() for each in others.cuts], "refusals": refusals}


def token_card(origin: TokenOrigin, places: Places, meaning: Meaning) -> Card:
    """How a token came about. meaning: of the numbers in its tree."""
    return {
        "title": Say("How {0:q} came about", origin.token.text),
        "say": origin.sentence,
        "joined": None,
        "rows": [] if origin.tree else [row(step, places) for step in origin.steps],
        "tree": [node(each, origin.stage, places, meaning) for each in origin.tree],
        "notes": [] if origin.meaning is None else [origin.meaning],
        "ids": [token(origin.token)],
        "go": places(origin.stage, origin.event),
    }


def token(text: TokenText) -> Record:
    """A token as a chip."""
    return {"text": text.text, "id": text.id}


def row(step: WhyStep, places: Places) -> Record:
    """A step: what came together, what it makes, what became of it."""
    return {
        "at": places(step.stage, step.event),
        "parts": list(step.parts),
        "makes": step.makes,
        "note": step.note,
        "value": "" if step.value is None else number(step.value),
        "good": step.good,
    }


def node(each: Node, stage: int, places: Places, meaning: Meaning) -> Record:
    """A node of the tree; `span` counts its symbols within the token."""
    return {
        "text": each.text,
        "id": -1 if each.id is None or not each.children else each.id,
        "span": [each.start, each.end],
        "children": list(each.children),
        "value": "" if each.value is None else number(each.value),
        "means": "" if each.value is None or each.id is None else meaning(each.id, each.value),
        "at": None if each.event is None else places(stage, each.event),
    }

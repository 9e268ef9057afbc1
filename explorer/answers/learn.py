"""The Learn page's questions: what a card asks, at which steps, and whether its claims hold."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any, NamedTuple

from explorer.answers.compare import CompareRequest
from explorer.answers.explore import Request, sections_of, tokenizer
from explorer.answers.offers import TokenizerSpec, bundled
from explorer.answers.questions import question
from explorer.answers.train import TrainRequest
from explorer.answers.train_offers import OFFERED
from explorer.engine.options import Options
from explorer.errors import InputError
from explorer.learning.languages import ENGLISH
from explorer.learning.lessons.lesson import ComparePanel, ExplorePanel, NextPanel, PromptPanel, TrainPanel
from explorer.learning.questions import ask, quiz
from explorer.learning.questions.question import Question
from explorer.prompts.prompt import TRANSFORMERS, Prompt, prompt
from explorer.text.quantities import plural
from explorer.text.say import Say, fill
from explorer.text.visible import visible_words
from explorer.views.prompt.tokens import BEFORE, THEN, cells
from explorer.views.spelled import shown_vocabulary
from explorer.views.steppers.script import Script


class Asked(NamedTuple):
    """A question as the page draws it. step: where the stepper stands before the answer; after: where it is shown.

    pairs: it asks for a pair of the queue, which the stepper then covers. covers: what else would tell: the "tokens",
    the "queue" and they, or "all" of the panel.
    """

    prompt: Say
    choices: tuple[tuple[Say, str, Say], ...]
    right: int
    explanation: Say
    kind: str
    seed: int
    tokenizer: str
    text: str
    stage: str
    step: int
    after: int
    pairs: bool
    covers: str

    def data(self) -> dict[str, Any]:
        """As the browser gets it."""
        choices = [{"say": say._asdict(), "note": note, "why": why._asdict()} for say, note, why in self.choices]
        return {
            "prompt": self.prompt._asdict(), "choices": choices, "right": self.right, "kind": self.kind,
            "explanation": self.explanation._asdict(), "seed": self.seed, "stage": self.stage, "step": self.step,
            "after": self.after,
            "covers": self.covers, "id": f"{self.kind} {self.seed} {self.tokenizer} {self.text}",
        }  # fmt: skip


def spec_of(label: str, implementation: str = "") -> TokenizerSpec:
    """A bundled tokenizer by its name. implementation: the default one if empty."""
    offer = bundled()[label]
    return TokenizerSpec(offer, implementation or offer.implementations[0])


@question
def asked_of(
    spec: TokenizerSpec, texts: tuple[str, ...], kind: str, seed: int, language: str = ENGLISH
) -> Asked | None:
    """A question about one of these texts; None where they allow none of this kind."""
    found = ask(tokenizer(spec), texts, kind, seed, language)
    return None if found is None else placed(spec, found)


@question
def quiz_of(
    specs: tuple[TokenizerSpec, ...], texts: tuple[str, ...], count: int, seed: int, kinds: tuple[str, ...]
) -> tuple[Asked, ...]:
    """So many different questions; fewer where the texts allow no more."""
    toks = [tokenizer(each) for each in specs]
    named = {f"{tok.name}@{tok.implementation}": spec for tok, spec in zip(toks, specs, strict=True)}
    return tuple(placed(named[each.tokenizer], each) for each in quiz(toks, texts, count, seed, kinds))


def placed(spec: TokenizerSpec, found: Question) -> Asked:
    """A question with the steps of its events."""
    script = script_of(ExplorePanel(found.text, spec.offer.label, spec.implementation, found.stage))
    last = 0 if script is None else len(script)
    step = 0 if script is None else script.step_of(found.event)
    after = last if script is None or found.answer is None else script.step_of(found.answer)
    return Asked(
        found.prompt, tuple((each.say, each.note, each.why) for each in found.choices), found.right, found.explanation,
        found.kind, found.seed, spec.offer.label, found.text, found.stage, step, after, found.kind == "next-merge",
        "all" if found.stage == "post-process" else "queue" if found.kind == "out-of-date" else "tokens",
    )  # fmt: skip


def script_of(panel: ExplorePanel) -> Script | None:
    """The script of a panel's stage; None for a stage without a stepper."""
    spec = spec_of(panel.tokenizer, panel.implementation)
    (section,) = sections_of(Request(spec, panel.text, Options(panel.special)), 0, panel.stage, False)
    return section.script


def prompt_of(panel: PromptPanel) -> Prompt:
    """What the model of a panel reads. Raises InputError where there is no such template, or it refuses.

    >>> len(prompt_of(PromptPanel("qwen2.5", "huggingface", (("user", "Hi"),), "ours:chatml")).ids)
    9
    """
    return prompt(
        tokenizer(spec_of(panel.tokenizer, panel.implementation)),
        [{"role": role, "content": text} for role, text in panel.messages],
        panel.template,
        engine=TRANSFORMERS,
        control_as_text=panel.as_text,
        add_generation_prompt=panel.asks,
    )


class PromptRows(NamedTuple):
    """A panel's prompt, drawn. rows: a label and tokens each (`views.prompt.tokens.Cell`). size: how many tokens."""

    rows: list[tuple[str, list[dict[str, Any]]]]
    size: int
    findings: list[Say]


@question
def prompt_rows(panel: PromptPanel) -> PromptRows:
    """The rows of a prompt: one for each message, and what asks for an answer. Raises InputError."""
    made = prompt_of(panel)
    labels = {BEFORE: "before", THEN: "then"}
    rows: dict[int, list[dict[str, Any]]] = {}
    for each in cells(made):
        rows.setdefault(each["row"], []).append(each)
    named = [(labels.get(row) or panel.messages[row][0], tokens) for row, tokens in rows.items()]
    says = [finding.sentence for finding in made.findings[:2]]
    return PromptRows(named, len(made.ids), [say._replace(texts=tuple(map(visible_words, say.texts))) for say in says])


class Followers(NamedTuple):
    """The tokens that follow one: id, text as the panels write it, and how often, the most frequent first."""

    after: str
    total: int
    rows: tuple[tuple[int, str, int], ...]


@question
def followers(panel: NextPanel) -> Followers:
    """What follows a token in a text. Raises InputError where it is no single token.

    >>> followers(NextPanel("It is the cat, the dog, the cat", "gpt-2", "huggingface", " the")).rows
    ((3797, '·cat', 2), (3290, '·dog', 1))
    """
    tok = tokenizer(spec_of(panel.tokenizer, panel.implementation))
    wanted = tok.encode(panel.after, add_special=False).ids
    if len(wanted) != 1:
        raise InputError(f"next, after: {panel.after!r} is {plural(len(wanted), 'token')}; give one token")
    ids = tok.encode(panel.text, add_special=False).ids
    counts = Counter(right for left, right in pairwise(ids) if left == wanted[0])
    spelling = shown_vocabulary(tok.trace(""), False).spelling
    rows = tuple((id, spelling(id), count) for id, count in counts.most_common())
    return Followers(spelling(wanted[0]), counts.total(), rows)


def train_request(panel: TrainPanel) -> TrainRequest:
    """A training as the Train page asks for it."""
    trainer_id = panel.algorithm, panel.trainer
    return TrainRequest(trainer_id, panel.cutting, panel.text, panel.size, OFFERED[trainer_id].options)


def compare_request(panel: ComparePanel) -> CompareRequest:
    """A comparison as the Compare page asks for it."""
    specs = {label: spec_of(label) for label in panel.tokenizers}
    return CompareRequest(specs, panel.text, Options(False), panel.text, False, panel.tokenizers[0])


def sentence_of(script: Script | None, step: int, level: str) -> str:
    """The sentence of a step as a level shows it, with its reason; empty without a script."""
    if script is None:
        return ""
    step = min(step, len(script))
    words = script.kind(step) if step else script.data["start"]
    args = script.args(step) if step else words["args"]
    plain = level != "implementation" and bool(words.get("story"))
    parts = ("story", "story_why") if plain else ("say", "why")
    return " ".join(fill(words[part], args, script.data["texts"]) for part in parts if words.get(part))

"""Questions about the queue, answered by merging without one."""

from __future__ import annotations

import json
from itertools import pairwise

from tokenizers import Tokenizer

import explorer
from explorer.learning.questions import Question, ask
from explorer.stages.merging.stage import OUT_OF_DATE
from tests.bundled import bundled
from tests.learning.generated import questions, right, wrong
from tests.learning.naive import Priority, State, fragments, priority, shown, states
from tests.tiers import amount

MODELS = ("llama-2", "gpt-2", "cl100k_base")


def sides(choice: str) -> tuple[str, str]:
    """The two symbols of “a” + “b” → “ab”."""
    left, _, rest = choice.removeprefix("“").partition("” + “")
    return left, rest.partition("” → “")[0]


def pairs(state: State, rank: Priority) -> dict[tuple[str, str], float]:
    """The pairs of a state that may merge, as shown, each with its best priority."""
    found: dict[tuple[str, str], float] = {}
    for one, other in pairwise(state):
        each = rank(one, other)
        if each is not None:
            key = shown(one), shown(other)
            found[key] = min(each, found.get(key, each))
    return found


def asked_states(question: Question, name: str) -> list[list[State]]:
    """Up to the states that the question is about, those of its fragment from the first one on."""
    found = []
    for symbols in fragments(name, question.text):
        every = states(symbols, priority(name))
        for index, state in enumerate(every):
            texts = tuple(map(shown, state))
            if question.prompt.texts == texts or len(question.prompt.texts) == 1:
                found.append(every[: index + 1])
    return found


def test_the_next_merge_is_the_best_pair() -> None:
    for tokenizer, question in questions("next-merge", MODELS, amount(24)):
        name = tokenizer.name
        rank = priority(name)
        stale = {sides(each.shown) for each in question.choices if each.why == OUT_OF_DATE}
        choices = {sides(choice.shown) for choice in question.choices} - stale
        matching = []
        for every in asked_states(question, name):
            *before, found = (pairs(state, rank) for state in every)
            if choices <= found.keys() and stale <= set().union(*before) - found.keys():
                matching.append(found)
        assert matching, question
        best = [min(found, key=found.__getitem__) for found in matching]
        # without its symbols in the prompt, a long text may have the choices at several moments
        assert sides(right(question)) in best, question
        for found in matching:
            if best[0] == sides(right(question)):
                assert all(found[each] >= found[sides(right(question))] for each in choices), question
                break


def test_what_is_out_of_date_was_a_pair_and_is_none_now() -> None:
    for tokenizer, question in questions("out-of-date", MODELS, amount(24)):
        rank = priority(tokenizer.name)
        every = asked_states(question, tokenizer.name)
        assert every, question
        for run in every:
            now, *before = [pairs(state, rank) for state in reversed(run)]
            assert sides(right(question)) not in now, question
            assert any(sides(right(question)) in each for each in before), question
            assert all(sides(each) in now for each in wrong(question)), question


def tokens(choice: str) -> list[str]:
    """The tokens of “a” | “b”."""
    return choice.removeprefix("“").removesuffix("”").split("” | “")


def lacking(whole: Priority, missing: list[str]) -> Priority:
    """A priority without one pair, or without all pairs that make a text."""

    def rank(left: bytes, right: bytes) -> float | None:
        spelled = [shown(left), shown(right)] if len(missing) == 2 else [shown(left + right)]
        return None if spelled == missing else whole(left, right)

    return rank


def contains(state: State, wanted: list[str]) -> bool:
    """Whether symbols in a row are shown like this."""
    all_of_them = list(map(shown, state))
    return any(all_of_them[at : at + len(wanted)] == wanted for at in range(len(all_of_them)))


def test_without_a_merge_the_text_is_merged_again() -> None:
    for tokenizer, question in questions("missing-merge", MODELS, amount(24)):
        name = tokenizer.name
        _, *missing = question.prompt.texts

        rank = lacking(priority(name), missing)
        again = [states(symbols, rank)[-1] for symbols in fragments(name, question.text)]
        holding = [number for number, state in enumerate(again) if contains(state, tokens(right(question)))]
        assert holding, question
        for each in wrong(question):
            assert not all(contains(again[number], tokens(each)) for number in holding), question


def test_tokenizers_without_the_merge_agrees() -> None:
    """The original library on GPT-2's file, one line of it removed."""
    file = json.loads(explorer.catalog()["gpt-2"].path.read_text("utf-8"))
    text = "unaffable tokenizable thesis"
    question = ask(bundled("gpt-2"), text, "missing-merge", 3)
    assert question is not None
    spelled = [each.replace("·", "Ġ") for each in question.prompt.texts[1:]]
    merges = [tuple(each.split(" ")) if isinstance(each, str) else tuple(each) for each in file["model"]["merges"]]
    assert tuple(spelled) in merges
    file["model"]["merges"] = [each for each in merges if each != tuple(spelled)]
    theirs = Tokenizer.from_str(json.dumps(file)).encode(text).tokens
    wanted = [each.replace("·", "Ġ") for each in tokens(right(question))]
    assert any(theirs[at : at + len(wanted)] == wanted for at in range(len(theirs)))

"""A question about the trie: where does the longest match end?

Wrong ends are nodes that the walk reached, shorter tokens that it passed, and where the loop that stops at the first
miss ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import cast

from explorer.engine.models.trie import TrieEvent
from explorer.stages.question import LONGEST_SHOWN, Choice, Draft, Scene, quoted_row, richest, start_of
from explorer.stages.spelling import Form
from explorer.stages.trie.why import Walks
from explorer.stages.why import Made, WhyStep
from explorer.text.say import Say


def longest_match(scene: Scene) -> Draft | None:
    """Where does the longest match end?"""
    return richest(in_trie(scene))


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
            "",
            Say("A token, but a longer one follows.")
            if step.kind == TrieEvent.SEEN.name
            else Say("A node of the trie, but not a token."),
        )
        for step in order
    ]
    end = family.events[walk[-1].event].at
    if walk[-1].kind == TrieEvent.NO_EDGE.name:
        wrong.insert(2, Choice(quoted_row([family.prefix(data, made.start, end + 1)]), "", Say("No edge leads there.")))
    rest = start_of(data[made.start :], Form.AS_TEXT.value)
    prompt = scene.say("The walk through the trie begins at {0:q}. Where does the longest match end?", rest)
    said = family.end(made, walk).then(Say.of("The last token passed is {0:q}, token {1:t}.", right, str(made.id)))
    seen = [step for step in walk if step.kind != TrieEvent.NO_EDGE.name]  # that step names the match
    return Draft(prompt, Choice(quoted_row([right])), wrong, said, scene.stage.name, seen[-1].event, made.event)

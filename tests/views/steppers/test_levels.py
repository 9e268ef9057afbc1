"""Levels of detail never contradict each other: the claims of every sentence of a step, compared.

A sentence is read into claims by `CLAIMS`: phrases that say something of this run, each with what it is about and
whether it is so. Two sentences of one step contradict each other if they claim different things of the same.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.engine.models.longest_match import TrieEvent
from explorer.script.script import Script
from explorer.text.say import fill
from tests.originals.generators import texts
from tests.stages.trie.test_trie_script import script_of
from tests.tiers import amount
from tests.views.test_script_steps import MODELS, named, traced

CLAIMS = tuple((re.compile(phrase), about, so) for phrase, about, so in (
    (r"[Nn]o longer token begins with", "a longer token begins so", False),
    (r"A longer token may follow", "a longer token begins so", True),
    (r"but (?:\d[\d,]* tokens? goe?s? through|a longer one begins with) it|\d[\d,]* longer tokens? begins? with it",
     "a longer token begins so", True),
    (r"though \d[\d,]* tokens? begins? with it", "a longer token begins so", True),
    (r"“([^”]+)” (?:is|are) (?:not (?:in the vocabulary|a piece|a token)|no (?:piece|token))", "{0} is known", False),
    (r"“([^”]+)” is (?:a piece(?! of the vocabulary)|(?:itself a )?token)", "{0} is known", True),
    (r"token (\d+)\b", "token", "{0}"),
    (r"(?:text|character) is lost|What it was is lost|They are lost", "the text is lost", True),
    (r"loses? nothing", "the text is lost", False),
    (r"[Nn]either grows|(?:can't|never) join\b", "the pair joins", False),
    (r"They (?:may )?join later", "the pair joins", True),
    (r"makes? no new pair", "a new pair", False),
    (r"makes? a new pair|may make new pairs", "a new pair", True),
    (r"stays (?:better|the best)", "the candidate wins", False),
    (r"no better than", "the candidate wins", False),
    (r"(?:[Tt]hat |still )+beats|, better than", "the candidate wins", True),
    (r"stays better", "the sums are equal", False),
    (r"no better than", "the sums are equal", True),
    (r"[Nn]othing else fits", "something else fits", False),
    (r"still beats", "something else fits", True),
    (r"(?<!No )(?:cut might fit|other cuts? fits?\b|Another cut fits)", "another cut fits", True),
    (r"[Nn]o other cut fits", "another cut fits", False),
    (r"(?:one|1) (?:byte|character|unit) long", "one unit", True),
    (r"the text ends here|ends? with the text|The text ends", "the text ends", True),
    (r"ends before “", "the text ends", False),
    (r"does not match|does not apply", "the rule matches", False),
    (r"Alternative \d+ matches|rule \d+ takes “", "the rule matches", True),
    (r"is dropped|is removed|is left out|is not written", "it is kept", False),
    (r"stays text|is written\b|is put (?:in front|at the end)", "it is kept", True),
))  # fmt: skip
"""A phrase → what it is about, and whether that is so, or a value."""

SUMS = re.compile(r"(−?[\d,.]+) (?:in all|to the end)\. (?:That (?:still )?beats )?“[^”]*” with (−?[\d,.]*\d)")
"""The sums that the level Implementation compares."""


def claims(text: str) -> Iterator[tuple[str, object]]:
    """What a sentence says of its step."""
    for phrase, about, so in CLAIMS:
        for match in phrase.finditer(text):
            yield about.format(*match.groups()), so.format(*match.groups()) if isinstance(so, str) else so
    if sums := SUMS.search(text):
        yield "the sums are equal", sums[1] == sums[2]


def sentences(script: Script, step: int) -> dict[str, str]:
    """Level → the two sentences of a step. Algorithm shows the story where there is one."""
    kind, args, words = script.kind(step), script.args(step), script.data["texts"]
    levels = {"implementation": ("say", "why"), "story": ("story", "story_why")}
    return {
        level: " ".join(fill(kind[part], args, words) for part in parts if kind[part])
        for level, parts in levels.items()
        if kind[parts[0]]
    }


def contradictions(script: Script) -> list[str]:
    """The steps whose levels claim different things, with their sentences."""
    found = []
    for step in range(1, len(script) + 1):
        said: dict[str, dict[str, set[object]]] = {}
        told = sentences(script, step)
        for level, sentence in told.items():
            for about, so in claims(sentence):
                said.setdefault(about, {}).setdefault(level, set()).add(so)
        for about, levels in said.items():
            values = list(levels.values())
            apart = any(not (values[0] & each) for each in values[1:])
            if apart or (about != "token" and len(set.union(*values)) > 1):
                found.append(f"step {step}, {about}: {told}")
    return found


@pytest.mark.sample(11)
@pytest.mark.parametrize("spec", MODELS)
@settings(max_examples=amount(40), deadline=None)
@given(text=texts() | st.text("abc é漢!-🤗", max_size=12))
def test_no_level_contradicts_another(spec: str, text: str) -> None:
    _, scripts = traced(spec, text[:120])
    assert {key: found for key, script in scripts.items() if (found := contradictions(script))} == {}


@pytest.mark.sample(6)
@pytest.mark.parametrize(("spec", "text", "about"), [
    ("rwkv-world", "吾輩は猫である。", "a longer token begins so"), ("rwkv-world@first-miss", "!--", "token"),
    ("llama-2", "What is LoRA?", "the pair joins"), ("gpt-2", "What is LoRA?", "a new pair"),
    ("xlm-r", "What is LoRA?", "the candidate wins"), ("bert-uncased", "☃ab☃", "another cut fits"),
])  # fmt: skip
def test_both_levels_make_claims(spec: str, text: str, about: str) -> None:
    """Else nothing would be compared."""
    script = traced(spec, text)[1]["model"]
    levels = [sentences(script, step) for step in range(1, len(script) + 1)]
    made = {level for said in levels for level, sentence in said.items() if about in dict(claims(sentence))}
    assert "story" in made
    assert made == {"story", "implementation"} or about in ("a new pair", "the pair joins")


@given(text=texts())
@settings(max_examples=amount(60))
def test_what_is_said_of_longer_tokens_is_so(text: str) -> None:
    tok = named("rwkv-world")
    script, trace = script_of(tok, text[:100])
    pieces = sorted(tok.vocabulary.pieces)
    data, events = text[:100].encode(), trace.stage("model").events
    for step, event in enumerate(script.events, 1):
        row = events[event]
        if row.kind in (TrieEvent.SEEN, TrieEvent.NODE):
            prefix = data[row.start : row.at + 1]
            longer = any(piece.startswith(prefix) and piece != prefix for piece in near(pieces, prefix))
            for sentence in sentences(script, step).values():
                assert dict(claims(sentence)).get("a longer token begins so", longer) == longer


def near(pieces: list[bytes], prefix: bytes) -> list[bytes]:
    """The sorted pieces from a prefix on: itself and the next two."""
    at = bisect_left(pieces, prefix)
    return pieces[at : at + 3]


GENERAL = ("may not be output", "where a piece may begin", "a long word may take", "may stand before letters",
           "no pair may join")  # fmt: skip
"""What is said of a rule and not of this run."""


def test_a_sentence_decides() -> None:
    """What happens later, or what else fits, is known: a sentence about this run does not say that it may be so."""
    kinds = [kind for spec in MODELS for script in traced(spec, "☃ What's LoRA? 12 é!--🤗")[1].values()
             for kind in script.data["kinds"]]  # fmt: skip
    assert len(kinds) > 50
    said = {kind[part] for kind in kinds for part in ("say", "why", "story", "story_why")}
    assert [
        each for each in said if re.search(r"\b(?:may|might)\b", each) and not any(g in each for g in GENERAL)
    ] == []

"""Files that differ in one setting: every token and cut has an answer, whatever the stages are."""

from __future__ import annotations

import pytest

from explorer.analysis.why import why_cut, why_token
from explorer.errors import InputError
from explorer.stages.stage import CutCause, OriginKind
from explorer.text.say import plain
from tests.analysis.one_setting import BASES, opened, settings
from tests.originals.generators import strings
from tests.tiers import amount

TEXTS = ("hello world", "Hello  don't 漢字 각 <s>", "ab abab 123 fi ﬁ", "x</s> née", "😊 a\nb\t\u0301")
FILES = [*((base, "") for base in BASES), *settings()]


@pytest.mark.parametrize(("base", "setting"), FILES)
def test_every_token_and_cut_has_an_answer(base: str, setting: str) -> None:
    tok = opened(base, setting)
    pieces = set(tok.vocabulary.pieces)
    for text in (*TEXTS, *(text[:40] for text in strings(5, amount(60)))):
        try:
            trace = tok.trace(text)
        except InputError:
            continue
        for number in range(len(trace.ids)):
            token = why_token(trace, number)
            assert plain(token.sentence)
            assert token.tree == () or token.tree[-1].id == token.token.id or token.how == OriginKind.TAKEN_APART
            if number + 1 == len(trace.ids):
                continue
            found = why_cut(trace, number)
            assert plain(found.sentence)
            if found.cause == CutCause.NOT_A_PIECE:
                assert found.joined is not None
                assert found.joined.stored.encode() not in pieces
            if found.cause in (CutCause.NO_MERGE, CutCause.BETTER_PAIR, CutCause.NOT_FOR_TEXT, CutCause.BETTER_SUM):
                assert found.joined is not None
                assert found.joined.stored.encode() in pieces

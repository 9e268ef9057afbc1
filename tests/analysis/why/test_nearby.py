"""A cut under other tokenizers and in other spellings: what is said is what those give."""

from __future__ import annotations

from explorer.analysis.why import LONGEST, OtherCut, characters_of, other_spellings, other_tokenizers, parts_in, why_cut
from explorer.text.say import plain
from tests.bundled import bundled
from tests.meaning import mentions


def test_a_spelling_nearby_has_the_tokens_it_gets_when_typed() -> None:
    for name, text in (("llama-2", "What is LoRA?"), ("gpt-2", "a (Lorem) b"), ("bert-uncased", "unaffable words")):
        tok = bundled(name)
        trace = tok.trace(text)
        tokens = trace.encoding.tokens
        for number in range(len(tokens) - 1):
            for each in other_spellings(tok, trace, why_cut(trace, number)):
                assert text[each.start : each.end] == each.was
                typed = text[: each.start] + each.text + text[each.end :]
                assert typed != text
                ids = tok.encode(typed).ids
                mine = [id for _, id in each.tokens]
                assert any(ids[at : at + len(mine)] == mine for at in range(len(ids))), (name, number, each)


def test_the_whole_is_told_from_parts_unknown_and_longer_tokens() -> None:
    trace = bundled("llama-2").trace("I 🤗 it")
    span = characters_of(why_cut(trace, 3), trace.text)
    assert span is not None
    names = ("xlm-r", "bert-uncased", "gpt-2", "rwkv-world")
    others = [(name, parts_in(trace.text, bundled(name).encode(trace.text), *span)) for name in names]
    found = other_tokenizers(trace.text[slice(*span)], others)
    assert mentions(plain(found.say), "1 of the 4 other tokenizers here has “🤗” whole.")
    assert set(found.cuts) == {
        OtherCut(("🤗",), ("xlm-r",)),
        OtherCut(("🤗 unknown",), ("bert-uncased",)),
        OtherCut(("🤗 × 3",), ("gpt-2", "rwkv-world")),
    }


def test_nothing_is_asked_next_to_an_added_token_or_of_a_long_text() -> None:
    llama2 = bundled("llama-2")
    trace = llama2.trace("What")
    assert list(other_spellings(llama2, trace, why_cut(trace, 0))) == []
    assert characters_of(why_cut(trace, 0), trace.text) is None
    long = llama2.trace("LoRA " * (LONGEST // 5 + 1))
    assert list(other_spellings(llama2, long, why_cut(long, 1))) == []

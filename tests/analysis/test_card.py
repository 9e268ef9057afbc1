"""The card of a tokenizer: what its file says, what is in effect, what the vocabulary contains."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import explorer
from explorer.analysis.card import about, card
from explorer.cli.commands import card_lines as lines
from explorer.facts import Fact, FactKind
from explorer.formats.tokenizer_json import read
from explorer.implementations.huggingface import from_tokenizer_json
from explorer.vocabulary import PieceKind
from tests.bundled import bundled
from tests.meaning import mentions
from tests.toys import tokenizer

FACTS = (
    Fact("flags", "BOS is put in front of every text.", "tokenizer.ggml.add_bos_token"),
    Fact("normalizer", "The text becomes NFC.", "normalizer"),
    Fact("chat template", "A chat template, 2 kB.", "tokenizer.chat_template", kind=FactKind.UNUSED),
    Fact("pre-tokenizer", "This Split never matches.", "pre_tokenizer.pretokenizers[0]", "\\Z(?!)", FactKind.WARNING),
    Fact("my own", "Something of a topic nobody has heard of."),
)


def test_facts_are_grouped_by_kind_and_topic() -> None:
    found = card(tokenizer(*FACTS))
    assert [topic for topic, _ in found.topics] == ["normalizer", "pre-tokenizer", "flags", "my own"]
    assert [fact.says for fact in found.warnings] == ["This Split never matches."]
    assert [fact.topic for fact in found.unused] == ["chat template"]


def test_patterns_in_effect_are_shown_verbatim_even_without_a_fact() -> None:
    (topic,) = card(tokenizer(patterns=(r"\p{N}", r"\s+"))).topics
    assert [fact.code for fact in topic[1]] == [r"\p{N}", r"\s+"]
    fact = Fact("pre-tokenizer", "Cut by this.", "pre_tokenizer.pattern", r"\w+")
    (topic,) = card(tokenizer(fact)).topics
    assert topic == ("pre-tokenizer", (fact,)), "a fact about the patterns replaces them"


def test_numbers_of_the_vocabulary() -> None:
    found = card(tokenizer(special=("<s>", "</s>")))
    assert dict(found.numbers)["ids"] == "258: 256 normal, 2 control"
    assert [(special.id, special.piece) for special in found.special] == [(256, "<s>"), (257, "</s>")]
    assert dict(card(bundled("gpt-2")).numbers)["longest token"].startswith("128 bytes, id 35496: ÃÂ")
    assert dict(card(bundled("bert-uncased")).numbers)["behind a text"] == "[SEP] (id 102)"
    assert dict(card(bundled("llama-2")).numbers)["in front of a text"] == "<s> (id 1)"


@pytest.mark.parametrize("name", explorer.catalog())
def test_every_bundled_model_has_a_card(name: str) -> None:
    for implementation in explorer.catalog()[name].implementations:
        found = card(bundled(name, implementation), about(name))
        assert dict(found.about)["sha256"] == explorer.catalog()[name].sha256
        assert found.special
        assert json.loads(json.dumps(found.record()))["name"] == name
        assert all(line.isprintable() for line in lines(found)), "nothing a terminal would act on"


def test_the_text_of_a_card_is_the_card() -> None:
    hostile = Fact("flags", "A name: \x1b[31mred\u202e.", code="a\x0bb\t c\nd")
    text = list(lines(card(tokenizer(*FACTS, hostile), (("file", "x.json"),))))
    assert mentions(text[0], "toy: BPE, as toy runs it")
    assert "  file                x.json" in text
    for fact in FACTS:
        assert any(fact.says in line and fact.place in line for line in text)
    assert text.index("warnings") < text.index("normalizer") < text.index("in the file, but not used")
    assert "  A name: ␛[31mredU+202E." in text
    at = text.index("      a␋b⇥ c")
    assert text[at + 1] == "      d"
    assert "      ␣␣" in list(lines(card(tokenizer(Fact("normalizer", "Two spaces become one.", code="  ")))))


def test_a_tokenizer_that_fails_on_a_text_has_a_card_that_says_so() -> None:
    content = {"model": {"type": "Unigram", "vocab": [["b", -1.0]], "unk_id": None}}
    found = card(from_tokenizer_json(read(json.dumps(content).encode(), "toy"), "toy"))
    assert [fact.says for fact in found.warnings][-1].startswith("Running it for this card failed: ")
    assert found.numbers == (("ids", "1: 1 normal"), ("longest token", "1 byte, id 0: b"))


def test_ids_without_a_token_are_not_asked_for_their_bytes(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nab\na\n", "utf-8")
    found = card(explorer.load(path))
    assert [fact.says for fact in found.warnings] == ["Ids without a piece, because a later line has the same one: 1."]
    assert ("longest token", "2 bytes, id 6: ab") in found.numbers


def test_of_many_special_tokens_some_are_listed() -> None:
    special = tuple(f"<{number}>" for number in range(300))
    text = list(lines(card(tokenizer(special=special))))
    assert mentions(text[-1], "  … and 260 more; --json prints all of them")
    assert len(text) < 60
    ranks = [line for line in lines(card(bundled("cl100k_base"))) if "cut out of the text" in line]
    assert "<|endoftext|> (100257), <|fim_prefix|> (100258), " in ranks[0], "in one line"


@pytest.mark.parametrize("model", explorer.catalog())
def test_the_longest_token_is_the_longest_of_all(model: str) -> None:
    tok = bundled(model)
    kinds = {PieceKind.NORMAL, PieceKind.BYTE}
    ids = (id for id in range(len(tok.vocabulary)) if tok.vocabulary.kind(id) in kinds)
    size, id = max((len(tok.token_bytes(id)), -id) for id in ids)
    assert dict(card(tok).numbers)["longest token"].startswith(f"{size} bytes, id {-id}: ")


def test_the_longest_token_of_bert_is_21_bytes_as_llama_cpp_spells_it() -> None:
    """▁telecommunications; `max_token_len` in llama.cpp, whose window is one longer."""
    found = card(bundled("bert-uncased@llama.cpp"))
    assert max(map(len, bundled("bert-uncased@llama.cpp").vocabulary.pieces)) == 21
    assert mentions(
        dict(found.numbers)["longest token"], "19 bytes, id 12108: ␣telecommunications, spelled in 21 bytes"
    )
    said = " ".join(fact.says for topic, facts in found.topics for fact in facts if topic == "model")
    assert "max_token_len is 21 bytes" in said
    assert mentions(said, "at most one more, 22.")
    assert mentions(
        dict(card(bundled("bert-uncased")).numbers)["longest token"], "18 bytes, id 12108: telecommunications"
    )

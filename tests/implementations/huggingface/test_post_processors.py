"""The post-processors of tokenizer.json files against the original: added tokens and trimmed offsets."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from explorer.engine.part import Options
from explorer.engine.post_processors import PostProcessEvent
from explorer.errors import InputError
from explorer.facts import FactKind
from tests.originals.generators import strings
from tests.originals.hugging_face import both, refusal_of

LETTERS = [*map(chr, range(0x20, 0x7F)), "Ġ", "Ċ", "ĠĠ", "Ġa", "aĠ", "ĠaĠ", " a", "a ", "  ", "\u3000", "\u3000x", "é"]
VOCAB = {piece: id for id, piece in enumerate(dict.fromkeys(LETTERS))}
FIRST, LAST, MORE = len(VOCAB), len(VOCAB) + 1, len(VOCAB) + 2
MERGES = [["Ġ", "Ġ"], ["Ġ", "a"], ["a", "Ġ"], ["Ġa", "Ġ"], [" ", "a"], ["a", " "], [" ", " "], ["\u3000", "x"]]
ADDED = [
    {"id": FIRST, "content": "<s>", "special": True},
    {"id": LAST, "content": "</s>", "special": True, "rstrip": True},
    {"id": MORE, "content": "<more>", "special": False},
    {"id": MORE + 1, "content": "<mask>", "special": True, "lstrip": True},
    {"id": MORE + 2, "content": " <b> ", "special": False, "normalized": True},
]
TEXTS = [
        *("", " ", "  ", "a", " a", "a ", " a ", "  a  ", "a\u3000x b", "<s>", "<s>a", " <mask> x", "  <mask>"),
        *("x  <mask>", "<mask> "),
        *("<mask>", "\n <mask>", "</s> a", "</s>  ", " </s>", " <b>  <b> ", "a <b> a", "\n", "Ġ", "Ġ a", "a\n\n a"),
        *strings(51, 300),
]  # fmt: skip
BYTE_PRE = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


def file(processor: Any, pre_tokenizer: Any = None) -> dict[str, Any]:
    model = {"type": "BPE", "vocab": VOCAB, "merges": MERGES}
    return {"model": model, "post_processor": processor, "added_tokens": ADDED, "pre_tokenizer": pre_tokenizer}


def special(id: str) -> dict[str, Any]:
    return {"SpecialToken": {"id": id, "type_id": 0}}


A, B = ({"Sequence": {"id": id, "type_id": 0}} for id in "AB")
TOKENS = {
    "<s>": {"id": "<s>", "ids": [FIRST], "tokens": ["<s>"]},
    "</s>": {"id": "</s>", "ids": [LAST], "tokens": ["</s>"]},
    "many": {"id": "many", "ids": [MORE, FIRST, MORE], "tokens": ["<more>", "<s>", "<more>"]},
    "space": {"id": "space", "ids": [VOCAB[" "]], "tokens": [" "]},
}


def template(*single: Any, pair: Any = (A, B)) -> dict[str, Any]:
    return {"type": "TemplateProcessing", "single": list(single), "pair": list(pair), "special_tokens": TOKENS}


def byte_level(trim: bool, prefix: bool) -> dict[str, Any]:
    return {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": trim, "use_regex": True}


BERT = {"type": "BertProcessing", "cls": ["<s>", FIRST], "sep": ["</s>", LAST]}


def roberta(trim: bool, prefix: bool) -> dict[str, Any]:
    return BERT | {"type": "RobertaProcessing", "trim_offsets": trim, "add_prefix_space": prefix}


def sequence(*processors: Any) -> dict[str, Any]:
    return {"type": "Sequence", "processors": list(processors)}


PROCESSORS: dict[str, Any] = {
    "none": None,
    "first": template(special("<s>"), A),
    "last": template(A, special("</s>")),
    "both": template(special("<s>"), A, special("</s>")),
    "many": template(special("many"), special("<s>"), A, special("</s>"), special("many"), special("many")),
    "the text twice": template(special("<s>"), A, special("</s>"), A),
    "no text": template(special("<s>"), special("</s>")),
    "nothing": template(),
    "a space": template(special("space"), A),
    "ByteLevel": byte_level(False, False),
    "ByteLevel, trimmed": byte_level(True, False),
    "ByteLevel, trimmed but for the prefix": byte_level(True, True),
    "Bert": BERT,
    "Bert that says it is Roberta": BERT | {"type": "RobertaProcessing"},
    "Roberta": roberta(False, False),
    "Roberta, trimmed": roberta(True, False),
    "Roberta, trimmed but for the prefix": roberta(True, True),
    "Roberta that says it is Bert": roberta(True, True) | {"type": "BertProcessing"},
    "empty": sequence(),
    "trimmed and both": sequence(byte_level(True, False), template(special("<s>"), A, special("</s>"))),
    "both and trimmed": sequence(template(special("<s>"), A), byte_level(True, True)),
    "trimmed twice": sequence(byte_level(True, False), byte_level(True, False)),
    "a template for the pair of parts": sequence(
        template(special("<s>"), A), template(A, pair=(B, special("</s>"), A, special("many")))
    ),
    "Bert around each part": sequence(template(special("<s>"), A, special("<s>")), BERT),
    "within": sequence(sequence(BERT), sequence(sequence(roberta(True, False)))),
    "Bert twice": sequence(BERT, BERT),
}


@pytest.mark.sample(6)
@pytest.mark.parametrize("pre_tokenizer", [None, BYTE_PRE], ids=["text", "bytes"])
@pytest.mark.parametrize("name", PROCESSORS)
def test_ids_and_offsets_match_the_original(name: str, pre_tokenizer: Any) -> None:
    pair = both(file(PROCESSORS[name], pre_tokenizer))
    for add_special in (True, False):
        assert pair.differences(TEXTS, add_special=add_special) == []


SPACES = [
    {"id": 200, "content": "<mask>", "special": True, "lstrip": True},
    {"id": 201, "content": "  ", "rstrip": True},
    {"id": 202, "content": "<e>", "lstrip": True, "rstrip": True},
    {"id": 203, "content": "\n", "normalized": True},
    {"id": 204, "content": "\t\t", "rstrip": True, "normalized": True},
]


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", [name for name in PROCESSORS if "trimmed" in name or name == "within"])
@pytest.mark.parametrize("normalizer", [None, {"type": "Replace", "pattern": {"String": "e"}, "content": ""}])
def test_white_space_absorbed_by_an_added_token_is_trimmed_like_the_original(name: str, normalizer: Any) -> None:
    spaces = [*ADDED[:3], *SPACES]
    pair = both(file(PROCESSORS[name]) | {"added_tokens": spaces, "normalizer": normalizer})
    texts = [
        "a <mask> b",
        "a   <mask>",
        "a    b",
        "a  <e>   b",
        "a      ",
        "   a",
        " <mask>",
        "e <e> ",
        " \n",
        "e\te\t ",
    ]
    choose = random.Random(9)
    texts += [
        "".join(choose.choices([" ", " ", "\t", "\n", "a", "<mask>", "<e>", "e", "<s>"], k=6)) for _ in range(400)
    ]
    assert pair.differences(texts) == []


UNIGRAM = {"type": "Unigram", "unk_id": 0, "byte_fallback": False,
           "vocab": [["<unk>", 0.0], ["a", -1.0], [" a", -1.5], ["\u3000b", -1.5], ["▁c", -1.0]]}  # fmt: skip
OWN_TEXTS = ("\u3000", " x ", "x\u3000", " \u3000", "a x a", "\u3000b x", "<e> x ", " ▁c", "▁c ▁c", "x▁c ", "ac", " a")


@pytest.mark.parametrize("prefix", [False, True])
def test_a_span_is_trimmed_by_what_this_token_is_made_of_not_by_its_id(prefix: bool) -> None:
    """An unknown token is the text it stands for; an added token that is normalized is not the piece with its id."""
    added = [{"id": 4, "content": "▁c", "normalized": True}, SPACES[2] | {"id": 5}]
    mark = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
    word_level = {"type": "WordLevel", "unk_token": " ?", "vocab": {" ?": 0, "a": 1, " a": 2, "\u3000b": 3, "▁c": 4}}
    for model in (UNIGRAM, UNIGRAM | {"byte_fallback": True}, word_level):
        for normalizer in (None, mark):
            content = {"model": model, "added_tokens": added, "normalizer": normalizer}
            for processor in (byte_level(True, prefix), sequence(byte_level(True, prefix), byte_level(True, True))):
                assert both(content | {"post_processor": processor}).differences(OWN_TEXTS) == []


def test_a_model_piece_whose_id_an_added_token_has_is_trimmed_by_its_own_spelling() -> None:
    vocabulary = {"a": 0, "b": 1, " c": 3, "d": 2, "e": 5}
    content = {
        "model": {"type": "WordLevel", "unk_token": "a", "vocab": vocabulary},
        "added_tokens": [{"id": 5, "content": " <s>"}],
        "post_processor": byte_level(True, False),
    }
    pair = both(content)
    assert pair.ours.encode("e").ids == pair.ours.encode(" <s>").ids == [5]
    assert pair.differences(["e", " <s>", "e <s>", " c", " <s> <s>"]) == []


def test_random_sequences_of_processors_match_the_original_or_are_refused() -> None:
    choose = random.Random(5)
    single = [processor for processor in PROCESSORS.values() if processor and processor["type"] != "Sequence"]
    refused = 0
    for _ in range(120):
        processors = [choose.choice(single) for _ in range(choose.randint(2, 4))]
        content = file(sequence(*processors), BYTE_PRE)
        try:
            pair = both(content)
        except InputError:
            refused += 1
            continue
        assert pair.differences(choose.sample(TEXTS, 15)) == [], processors
    assert 20 < refused < 100


def test_added_tokens_are_dropped_when_decoding() -> None:
    for name in ("both", "many", "Bert", "trimmed and both", "Bert twice"):
        tok = both(file(PROCESSORS[name])).ours
        # without a decoder, pieces are joined with spaces
        assert tok.decode(tok.encode("xy").ids) == "x y", name
        assert tok.decode(tok.encode("xy", add_special=False).ids) == "x y"
        assert tok.encode("a b").spans[0] is None


def rows(processor: Any, text: str, **options: bool) -> list[tuple[int, ...]]:
    tok = both(file(processor)).ours
    return [tuple(row) for row in tok.trace(text, **options).stage("post-process").events]


def test_every_decision_is_an_event() -> None:
    a = VOCAB["a"]
    assert rows(PROCESSORS["both"], "a") == [(PostProcessEvent.FIRST, 0, 0, FIRST), (PostProcessEvent.LAST, 2, 0, LAST)]
    assert rows(PROCESSORS["both"], "a", add_special=False) == [
        (PostProcessEvent.NOT_ASKED, -1, 0, FIRST), (PostProcessEvent.NOT_ASKED, -1, 0, LAST)
    ]  # fmt: skip
    assert rows(PROCESSORS["the text twice"], "a")[-1] == (PostProcessEvent.AGAIN, 3, 0, a)
    assert rows(PROCESSORS["no text"], "aa")[0] == (PostProcessEvent.LEFT_OUT, -1, 2, -1)
    assert rows(byte_level(True, False), " a") == [(PostProcessEvent.TRIMMED, 0, 0, VOCAB[" a"])]
    assert rows(PROCESSORS["first"], "<s>")[0] == (PostProcessEvent.FIRST, 0, 0, FIRST)
    assert (PostProcessEvent.TWICE, 1, 0, FIRST) in rows(PROCESSORS["first"], "<s>")


BAD = [
    ({"type": "Magic"}, "post_processor: the post_processor 'Magic' is unknown; this version runs: Sequence, "),
    (sequence(BERT, {"type": "Magic"}), r"post_processor.processors\[1\]: the post_processor 'Magic'"),
    (template(B), "TemplateProcessing.single cannot be run: the template for a single text asks for the second"),
    (sequence(BERT, template(special("<s>"), A, A), template(A)),
     r"processors\[2\]: TemplateProcessing.single cannot be run: a template for one text or two gets 3 parts"),
    (template(special("<pad>"), A), r"single\[0\] is .*, neither a text nor one of special_tokens"),
    (template("A"), r"single\[0\] is 'A'"),
    (template(A) | {"special_tokens": {"<s>": {"ids": 1}}, "single": [special("<s>")]}, "has no list of ids"),
    (template(A) | {"special_tokens": {"<s>": {"ids": [999]}}, "single": [special("<s>")]}, "names the id 999"),
    (BERT | {"cls": ["<s>", -1]}, "BertProcessing.cls names the id -1"),
    (BERT | {"sep": "</s>"}, "BertProcessing.sep is '</s>', not a spelling and an id"),
    (byte_level(1, False), "ByteLevel.trim_offsets is 1"),  # type: ignore[arg-type]
]  # fmt: skip


@pytest.mark.parametrize(("processor", "says"), BAD)
def test_errors_name_the_path(processor: Any, says: str) -> None:
    said = refusal_of(file(processor))
    assert said.startswith("bad.json: post_processor")
    assert re.search(says, said)


def test_facts_about_added_tokens() -> None:
    facts = [fact for fact in both(file(PROCESSORS["trimmed and both"])).ours.facts if fact.topic == "post-processor"]
    assert [(fact.says, fact.place) for fact in facts] == [
        ("A token's span does not include white space at its ends.", "post_processor.processors[0].trim_offsets"),
        (f"<s> ({FIRST}) is put in front of the text.", "post_processor.processors[1].single"),
        (f"</s> ({LAST}) is put after it.", "post_processor.processors[1].single"),
        ("The template for pairs is for two texts at once.", "post_processor.processors[1].pair"),
    ]
    facts = [fact for fact in both(file(BERT | {"cls": ["<s>", LAST]})).ours.facts if fact.kind == FactKind.WARNING]
    assert facts[0].says == f"The id {LAST} is added as <s>, but it is the token </s>."
    (unused,) = (f for f in both(file(byte_level(False, True))).ours.facts if f.topic == "post-processor")
    assert unused.kind == FactKind.UNUSED


def test_options_reach_the_stage() -> None:
    tok = both(file(BERT)).ours
    assert [token.id for token in tok.parts[-1].run([], Options(), lambda *row: None)] == [FIRST, LAST]

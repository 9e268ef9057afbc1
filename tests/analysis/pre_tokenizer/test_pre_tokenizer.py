"""Which pre-tokenizer is this: llama.cpp's hash against tokenizers and tiktoken live, and tokens cut, one by one."""

from __future__ import annotations

import json
from hashlib import sha256
from html import escape
from pathlib import Path

import pytest
import tiktoken
from tokenizers import Regex, models, pre_tokenizers, trainers
from tokenizers import Tokenizer as Original

import explorer
from explorer.analysis.pre_tokenizer import fit, identity, known_splitters, pre_tokenizer_facts
from explorer.cli.main import main
from explorer.engine.part import Segment, silent
from explorer.engine.pre_tokenizers.by_regex import texts_of, tokens_cut
from explorer.facts import FactKind
from explorer.formats import tokenizer_json
from explorer.formats.gguf import Gguf
from explorer.formats.tiktoken_ranks import read
from explorer.implementations import llama_cpp
from explorer.implementations.llama_cpp import conversion
from explorer.implementations.llama_cpp.conversion import CHECK_TEXT, known_models
from explorer.implementations.tiktoken import ENCODINGS
from explorer.opening.formats import open_files
from explorer.views.card import facts_html
from tests.bundled import bundled
from tests.meaning import mentions
from tests.originals.compare_check_hashes import differences, table_of
from tests.originals.generators import strings


@pytest.mark.parametrize(("name", "pre"), [
    ("gpt-2", "gpt-2"), ("qwen2.5", "qwen2"), ("llama-3@llama.cpp", "llama-bpe"), ("cl100k_base", "dbrx"),
    ("o200k_base", "gpt-4o"), ("bert-uncased", "bert-bge"),
])  # fmt: skip
def test_models_that_the_converter_knows_are_recognized(name: str, pre: str) -> None:
    found = identity(bundled(name))
    assert found is not None
    assert (pre in [model.pre for model in found.models], found.special, found.under) == (True, "", "")


def test_the_hash_is_that_of_the_ids_of_the_originals() -> None:
    path = str(explorer.catalog()["qwen2.5"].path)
    for ids, name in (
        (Original.from_file(path).encode(CHECK_TEXT).ids, "qwen2.5"),
        (tiktoken_of("cl100k_base").encode(CHECK_TEXT, disallowed_special=()), "cl100k_base"),
    ):
        found = identity(bundled(name))
        assert found is not None
        assert found.hash == sha256(str(ids).encode()).hexdigest()
        assert found.hash in known_models()


def tiktoken_of(name: str) -> tiktoken.Encoding:
    encoding = ENCODINGS[name]
    return tiktoken.Encoding(
        name, pat_str=encoding.pattern.regex, mergeable_ranks=read(explorer.catalog()[name].path), special_tokens={}
    )


LLAMA_3 = ("smaug-bpe", "llama-bpe", "<|begin_of_text|>")


def without_bos(form: str) -> explorer.Tokenizer:
    """Llama 3 in a form that adds no BOS."""
    path = explorer.catalog()["llama-3"].path
    if form == "GGUF":
        keys = conversion.converted(tokenizer_json.read(path)).metadata
        keys = {**keys, "tokenizer.ggml.pre": "llama-bpe", "tokenizer.ggml.add_bos_token": False}
        return llama_cpp.from_gguf(Gguf(3, 0, keys), "toy")
    file = json.loads(path.read_bytes())
    file["post_processor"] = {"bytes": {"type": "ByteLevel", "trim_offsets": False}, "none": None}[form]
    file["model"]["ignore_merges"] = form == "bytes"
    return open_files({"tokenizer.json": json.dumps(file).encode()}, None)


@pytest.mark.parametrize("form", ["none", "bytes", "GGUF"])
def test_a_name_that_only_bos_decides_is_given_with_the_other_one(form: str) -> None:
    tokenizer = without_bos(form)
    found = identity(tokenizer)
    assert found is not None
    assert found.also is not None
    token, other = found.also
    assert (found.models[-1].pre, other.pre, token) == LLAMA_3
    assert found.pre == "smaug-bpe or llama-bpe"
    ids = tokenizer.encode(CHECK_TEXT).ids
    bos = tokenizer.vocabulary.ids[token.encode()]
    for model, given in ((found.models[-1], ids), (other, [bos, *ids])):
        assert model in known_models()[sha256(str(given).encode()).hexdigest()]
    said = next(fact.says for fact in pre_tokenizer_facts(tokenizer) if "abacusai" in fact.says)
    assert mentions(said, "smaug-bpe: llama-bpe <|begin_of_text|> meta-llama/Meta-Llama-3-8B")
    assert "used whole" in said


@pytest.mark.parametrize("name", ["gpt-2", "qwen2.5", "cl100k_base", "o200k_base", "bert-uncased", "llama-3@llama.cpp"])
def test_other_models_have_one_name(name: str) -> None:
    found = identity(bundled(name))
    assert found is not None
    assert found.also is None


def as_gguf(name: str, pre: str | None) -> explorer.Tokenizer:
    """A bundled tokenizer.json as a GGUF with another name for its pre-tokenizer."""
    file = tokenizer_json.read(explorer.catalog()[name].path)
    found = conversion.converted(file)
    keys = {key: value for key, value in found.metadata.items() if key != "tokenizer.ggml.pre"}
    return llama_cpp.from_gguf(Gguf(3, 0, keys | ({"tokenizer.ggml.pre": pre} if pre else {})), name)


def test_a_wrong_name_in_a_gguf_is_found() -> None:
    (first, *_) = pre_tokenizer_facts(as_gguf("gpt-2", None))
    assert (first.kind, "--override-kv tokenizer.ggml.pre=str:gpt-2" in first.says) == (FactKind.WARNING, True)


@pytest.mark.long
def test_a_name_in_a_gguf_whose_patterns_differ_is_found() -> None:
    found = identity(as_gguf("qwen2.5", "gpt-2"))
    assert found is not None
    assert (found.under, found.models[-1].pre) == ("qwen2", "qwen2")
    (first, *_) = pre_tokenizer_facts(as_gguf("gpt-2", "gpt-2"))
    assert first.kind == FactKind.USED
    # other patterns that give the ids of the test text all the same
    (first, *_) = pre_tokenizer_facts(as_gguf("qwen2.5", "qwen35"))
    assert (first.kind, first.says.startswith("It is qwen2:")) == (FactKind.WARNING, True)


def test_an_unknown_vocabulary_gets_advice() -> None:
    whole = json.loads(explorer.catalog()["gpt-2"].path.read_text("utf-8"))
    # two ids exchanged: another vocabulary with the same pattern
    vocab = whole["model"]["vocab"]
    vocab["3"], vocab["4"] = vocab["4"], vocab["3"]
    data = json.dumps(whole).encode()
    first, second = pre_tokenizer_facts(open_files({"tokenizer.json": data}, None))
    assert first.code.removeprefix("chkhsh ") not in known_models()
    assert ("gpt-2" in first.says, "gpt-2 0" in second.says) == (True, True)


@pytest.mark.long
def test_a_pattern_of_the_file_that_backtracks_without_end_costs_seconds() -> None:
    whole = json.loads(explorer.catalog()["gpt-2"].path.read_text("utf-8"))
    split = {"type": "Split", "pattern": {"Regex": r"(?:\w|\w\w)+[.!]"}, "behavior": "Isolated", "invert": False}
    spell = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
    whole["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [split, spell]}
    for piece in [piece for piece in whole["model"]["vocab"] if len(piece) > 9 and piece.isascii()]:
        whole["model"]["vocab"][piece * 50] = whole["model"]["vocab"].pop(piece)
    whole["model"]["merges"] = []
    tok = open_files({"tokenizer.json": json.dumps(whole).encode()}, None)
    assert fit(tok) is None


def test_only_byte_level_vocabularies_are_asked() -> None:
    for name in ("llama-2", "rwkv-world", "xlm-r"):
        assert pre_tokenizer_facts(bundled(name)) == ()
    assert fit(bundled("bert-uncased")) is None


@pytest.mark.parametrize("name", known_splitters())
def test_tokens_that_are_cut_are_those_of_several_pieces(name: str) -> None:
    splitters = known_splitters()[name]
    for text in strings(seed=31, count=150):
        whole = all(len(each.split(Segment.of(text), 0, silent)) < 2 for each in splitters)
        assert tokens_cut(splitters, [text]) == tokens_cut(splitters, [text], known=True) == (not whole), ascii(text)


@pytest.mark.long
def test_the_vocabulary_of_o200k_shows_its_pattern() -> None:
    found = fit(bundled("o200k_base"))
    assert found is not None
    assert (found.cut[0], found.own, found.other_fits) == (("gpt-4o", 12), 12, False)
    texts = texts_of(read(explorer.catalog()["o200k_base"].path))
    assert tokens_cut(known_splitters()["llama-bpe"], texts, known=True) == 11357


@pytest.mark.long
def test_the_commands_and_the_page_say_it(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(explorer.catalog()["gpt-2"].path)
    for command in (["info", "-m", "gpt-2"], ["lint", path], ["edit", "-m", "gpt-2", "--suggest-pre"]):
        assert main(command) == 0
        assert mentions(capsys.readouterr().out, "It is gpt-2: the ids of llama.cpp's test text")
    found = pre_tokenizer_facts(bundled("gpt-2"))
    assert all(escape(fact.says) in facts_html("Which", found, str) for fact in found)


def test_the_table_is_read_from_the_converters_source() -> None:
    row = 'if chkhsh == "{}":\n            # ref: https://huggingface.co/org/name\n            res = "own"\n'
    assert table_of(row.format("a" * 64)) == f"{'a' * 64}\town\torg/name\n"
    assert f"only there: {'a' * 64}\town\torg/name" in differences(row.format("a" * 64))
    assert all(len(hash) == 64 for hash in known_models())


def test_marks_at_the_ends_of_words_are_no_part_of_what_is_cut(tmp_path: Path) -> None:
    original = Original(models.BPE(end_of_word_suffix="</w>"))
    split = pre_tokenizers.Split(Regex(r"\p{L}+|\p{N}|[^\s\p{L}\p{N}]+"), "removed", invert=True)
    original.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(False, use_regex=False)])
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=600, end_of_word_suffix="</w>", initial_alphabet=alphabet)
    original.train_from_iterator([CHECK_TEXT, " ".join(strings(seed=3, count=200))], trainer)
    original.save(str(tmp_path / "tokenizer.json"))
    found = fit(explorer.load(tmp_path / "tokenizer.json"))
    assert found is not None
    assert any(piece.endswith("</w>") for piece in original.get_vocab())
    assert (found.own, found.other_fits) == (0, False)

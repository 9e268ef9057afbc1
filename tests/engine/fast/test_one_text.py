"""A text in which no special token may begin goes to its strategy as it is, with the ids of the stages."""

from __future__ import annotations

import pytest

import explorer
from explorer.engine.part import Options
from explorer.errors import InputError
from tests.bundled import bundled

TEXTS = ("a", " ", "\n\n", "What is LoRA?", "naïve 日本語 \U0001f98a\u0301", "<|endoftext|>", "a<|endoftext|>b", "<",
         "[CLS] a [MASK]", "<s>a</s>", "\ud83d\ude0a a", "x" * 500)  # fmt: skip


@pytest.mark.parametrize("name", explorer.catalog())
def test_ids_are_those_of_the_stages(name: str) -> None:
    path = bundled(name).untraced
    for text in TEXTS:
        for options in (Options(), Options(add_special=False), Options(parse_special=False)):
            assert path.ids(text, options) == path.by_stages(text, options), (text, options)


def test_only_where_a_token_may_begin_the_partition_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("gpt-2", "cl100k_base", "llama-3", "bert-uncased"):
        tokenizer = bundled(name)
        expected = tokenizer.encode("What is it?").ids
        assert tokenizer.untraced.of_one_text is not None, name
        partition = type(tokenizer.untraced.partitions[0])
        with monkeypatch.context() as patch:
            patch.setattr(partition, "run", refuses)
            assert tokenizer.encode("What is it?").ids == expected
            with pytest.raises(AssertionError):
                tokenizer.encode("<|endoftext|><|begin_of_text|>[CLS]")


def refuses(*_: object) -> None:
    raise AssertionError("the partition runs")


@pytest.mark.parametrize("name", ["gpt-2", "bert-uncased", "llama-2"])
def test_half_of_a_pair_is_refused_at_its_position(name: str) -> None:
    with pytest.raises(InputError, match="3"):
        bundled(name).encode("ab\ud83dc")

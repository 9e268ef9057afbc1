"""Questions about counts, answered by the original libraries."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import cache

import sentencepiece
import tiktoken
from tokenizers import Tokenizer

import explorer
from explorer.engine.part import Segment
from explorer.engine.pre_tokenizers.patterns import CL100K_BASE
from explorer.learning.questions import spellings
from explorer.stages.stage import readable
from tests.learning.generated import questions, right, wrong
from tests.originals.rwkv import Rwkv
from tests.tiers import amount

MODELS = ("gpt-2", "bert-uncased", "mistral-v1", "rwkv-world", "cl100k_base")


@cache
def original(name: str) -> Callable[[str], int]:
    """How many tokens the original makes of a text, with those that are added for its users."""
    path = explorer.catalog()[name].path
    if path.suffix == ".json":
        file = Tokenizer.from_file(str(path))
        # BERT's file asks for 128 tokens, which the page offers as a choice
        file.no_padding()
        file.no_truncation()
        return lambda text: len(file.encode(text))
    if path.suffix == ".model":
        model = sentencepiece.SentencePieceProcessor(model_file=str(path))
        return lambda text: len(model.encode(text, add_bos=True))
    if name == "rwkv-world":
        trie = Rwkv(path)
        return lambda text: len(trie.encode(text.encode()))
    lines = [line.split() for line in path.read_bytes().splitlines() if line]
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    encoding = tiktoken.Encoding(name, pat_str=CL100K_BASE.regex, mergeable_ranks=ranks, special_tokens={})
    return lambda text: len(encoding.encode(text))


def test_the_original_counts_as_many_tokens() -> None:
    for tokenizer, question in questions("how-many", MODELS, amount(24)):
        text, count = question.text, original(tokenizer.name)(question.text)
        assert right(question) == f"{count:,}", question
        words, added = len(text.split()), {"bert-uncased": 2, "mistral-v1": 1}.get(tokenizer.name, 0)
        kinds = len(set(tokenizer.encode(text).ids))
        pieces = sum(isinstance(item, Segment) for item in tokenizer.trace(text).stage("model").before)
        elsewhere = {count - added, words, words * 4 // 3, len(text), len(text.encode()), kinds, pieces}
        assert {int(each.replace(",", "")) for each in wrong(question)} <= elsewhere - {count}, question


def test_the_original_gives_the_dearest_text_most_tokens() -> None:
    for tokenizer, question in questions("costs-more", MODELS, amount(24)):
        counts = {choice.shown: original(tokenizer.name)(raw(question.text, choice.say.texts[0]))
                  for choice in question.choices}  # fmt: skip
        assert [shown for shown, count in counts.items() if count == max(counts.values())] == [right(question)]


def raw(text: str, shown: str) -> str:
    """The text that a choice shows: it is shown as it is, or one of the spellings of the question's text is."""
    known = {readable(each): each for each in (text, *spellings(text))}
    return known.get(shown, unseen(shown))


def unseen(shown: str) -> str:
    """A text from its visible form; the generated texts contain no such signs themselves."""
    if "␣" not in shown and "↵" not in shown and "⇥" not in shown:
        return shown
    return shown.replace("␣", " ").replace("↵", "\n").replace("⇥", "\t")

"""Counts Article 3 of the sample with the tokenizers of its result: `python -m tests.corpus.article` writes it."""

from __future__ import annotations

import json

import explorer
from explorer.corpus.sample import ARTICLE, article_texts, sample_result
from explorer.engine.tokenizer import Tokenizer


def counts(tokenizer: Tokenizer, text: str) -> tuple[int, float]:
    """The tokens of a text, and the share of them that is the unknown token."""
    ids = tokenizer.encode(text, add_special=False).ids
    return len(ids), round(sum(id == tokenizer.model.unknown for id in ids) / len(ids), 4)


def article() -> dict[str, object]:
    """The texts and the counts, as the file has them."""
    texts = article_texts()
    models = [explorer.load(f"{each.model}@{each.implementation}") for each in sample_result().made.tokenizers]
    return {
        "texts": texts,
        "costs": [{name: counts(model, text) for name, text in texts.items()} for model in models],
    }


if __name__ == "__main__":
    ARTICLE.write_text(json.dumps(article(), ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")

"""Counts Article 3 of the sample with the tokenizers of its result: `python -m tests.corpus.article` writes it."""

from __future__ import annotations

import gzip
import json

import explorer
from explorer.corpus.sample import ARTICLE, TEXTS, sample_result
from explorer.engine.tokenizer import Tokenizer

NUMBER = 3
"""Of the article: the record of each language at this index."""


def article_texts() -> dict[str, str]:
    """The text of Article 3 in each language that has all articles."""
    records: dict[str, list[str]] = {}
    for line in gzip.decompress(TEXTS.read_bytes()).splitlines():
        record = json.loads(line)
        records.setdefault(record["label"], []).append(record["text"])
    return {name: texts[NUMBER] for name, texts in records.items() if len(texts) == len(records["English"])}


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

"""A corpus to look at first: the Universal Declaration of Human Rights in 46 languages and some Python code, 0.9 MB.

`declaration.jsonl.gz` has a record for each of its 31 parts in each language, so the documents of all languages say the
same; `result.json.gz` is what `explorer corpus` makes of it with the bundled tokenizers, and `article.json` has the
counts of Article 3 alone (`python -m tests.corpus.article` writes it). Sources and licenses: vocabs/LICENSES.md.
"""

import gzip
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from explorer.corpus.result import Result, read

TEXTS = Path(__file__).with_name("declaration.jsonl.gz")
RESULT = Path(__file__).with_name("result.json.gz")
ARTICLE = Path(__file__).with_name("article.json")


class Article(NamedTuple):
    """Article 3 by language. costs: for each tokenizer of the sample's result, tokens and the share that is unknown."""

    texts: Mapping[str, str]
    costs: Sequence[Mapping[str, tuple[int, float]]]


@cache
def sample_texts() -> Mapping[str, list[str]]:
    """The documents by label.

    >>> len(sample_texts()), len(sample_texts()["English"])
    (47, 31)
    """
    texts: dict[str, list[str]] = {}
    for record in map(json.loads, gzip.decompress(TEXTS.read_bytes()).splitlines()):
        texts.setdefault(record["label"], []).append(record["text"])
    return texts


@cache
def sample_article() -> Article:
    """Article 3, with the counts that were made of it.

    >>> sample_article().costs[0]["English"]
    (14, 0.0)
    """
    article = json.loads(ARTICLE.read_text("utf-8"))
    costs = [{name: (tokens, unknown) for name, (tokens, unknown) in each.items()} for each in article["costs"]]
    return Article(article["texts"], costs)


@cache
def sample_result() -> Result:
    """The result of the sample.

    >>> result = sample_result()
    >>> result.baseline, len(result.labels), result.total.text["documents"]
    ('English', 47, 1432)
    """
    return read(gzip.decompress(RESULT.read_bytes()), "the sample")

"""A corpus to look at first: the Universal Declaration of Human Rights in 46 languages and some Python code, 0.9 MB.

`declaration.jsonl.gz` has a record for each of its 31 parts in each language, so the documents of all languages say the
same; `result.json.gz` is what `explorer corpus` makes of it with the bundled tokenizers. Sources and licenses:
vocabs/LICENSES.md.
"""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path
from typing import Final

from explorer.corpus.result import Result, read

TEXTS: Final = Path(__file__).with_name("declaration.jsonl.gz")
RESULT: Final = Path(__file__).with_name("result.json.gz")


@cache
def sample_result() -> Result:
    """The result of the sample.

    >>> result = sample_result()
    >>> result.baseline, len(result.labels), result.total.text["documents"]
    ('English', 47, 1432)
    """
    return read(gzip.decompress(RESULT.read_bytes()), "the sample")

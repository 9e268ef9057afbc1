"""The hash by which llama.cpp's converter recognizes the pre-tokenizer of a model, and the models it knows.

`get_vocab_base_pre` in `conversion/base.py` encodes a test text, hashes the list of ids as Python prints it, and looks
the hash up: chkhsh. `check_hashes.tsv` has its table, of the llama.cpp in llama-cpp-python 0.3.36 (0c1e57098);
`python -m tests.originals.compare_check_hashes PATH/TO/conversion/base.py` writes that of another copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

CHECK_TEXT: Final = (
    "\n \n\n \n\n\n \t \t\t \t\n  \n   \n    \n     \n🚀 (normal) 😶\u200d🌫️ (multiple emojis concatenated) ✅ 🦙🦙 3 "
    "33 333 3333 33333 333333 3333333 33333333 3.3 3..3 3...3 កាន់តែពិសេសអាច😁 ?我想在apple工作1314151天～ ------======= "
    "нещо на Български ''''''```````\"\"\"\"......!!!!!!?????? I've been 'told he's there, 'RE you sure? 'M not sure "
    "I'll make it, 'D you like some tea? We'Ve a'lL"
)
"""The converter's `chktxt`, character by character."""

TABLE: Final = Path(__file__).with_name("check_hashes.tsv")


class KnownModel(NamedTuple):
    """A model the converter knows. pre: its name for the pre-tokenizer. repository: the model's, on the Hub."""

    pre: str
    repository: str


def check_hash(ids: Iterable[int]) -> str:
    """The hash of the ids of the test text.

    >>> check_hash([1, 2])[:8]
    '3a316d6d'
    """
    return sha256(str(list(ids)).encode()).hexdigest()


@cache
def known_models() -> Mapping[str, tuple[KnownModel, ...]]:
    """Hash → the models with these ids."""
    found: dict[str, tuple[KnownModel, ...]] = {}
    for line in TABLE.read_text("utf-8").splitlines():
        hash, pre, repository = line.split("\t")
        found[hash] = (*found.get(hash, ()), KnownModel(pre, repository))
    return found

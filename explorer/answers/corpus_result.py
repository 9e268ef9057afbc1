"""The question of the Corpus page about a result in an upload: what it holds, read in the visitor's own process."""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

from explorer.answers.offers import Offer, Origin, TokenizerSpec, Upload
from explorer.answers.questions import question
from explorer.corpus.result import Result, read
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.opening.formats import Choices


class ResultFile(NamedTuple):
    """An uploaded result, which travels to the visitor's process as an upload's files do."""

    file: Upload

    def contents(self) -> bytes:
        """Its bytes."""
        return self.file.data

    def __call__(self, implementation: str, choices: Choices) -> Opened:
        """Raises InputError: a result is no tokenizer."""
        raise InputError(f"{self.file.name}: this is the result of a corpus job, not a tokenizer")


def result_spec(name: str, data: bytes) -> TokenizerSpec:
    """What the question is asked about: an upload, so a stranger's."""
    key = f"result {name} {sha256(data).hexdigest()}"
    file = Upload(name, data)
    return TokenizerSpec(Offer(name, key, Origin.UPLOAD, "result", len(data), (), (), ResultFile(file)), "")


@question
def corpus_result(spec: TokenizerSpec) -> Result:
    """The result. Raises InputError for anything that `explorer corpus` does not write, and beyond the limits."""
    return read(spec.offer.open.contents(), spec.offer.label)

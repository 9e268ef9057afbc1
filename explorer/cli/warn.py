"""What to know about tokenizers and ids first: warnings on standard error, each once a command."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from explorer.cautions import of_file, of_ids
from explorer.cli.terminal import say

if TYPE_CHECKING:
    from explorer.engine.tokenizer import Tokenizer


class Warned:
    """Says each warning once. The exit status does not change, and standard output stays what was asked for."""

    def __init__(self) -> None:
        self.said: set[str] = set()

    def of_files(self, tokenizers: Iterable[Tokenizer]) -> None:
        """What the files of these tokenizers warn about."""
        for tok in tokenizers:
            for warning in of_file(tok):
                self.say(f"{tok.name} ({tok.implementation}): {warning}")

    def of_ids(self, tokenizer: Tokenizer, ids: Sequence[int], add_special: bool, place: str = "") -> None:
        """What is odd about the ids of a text."""
        for warning in of_ids(tokenizer, ids, add_special):
            if warning not in self.said:
                self.said.add(warning)
                self.say(f"{place}{place and ': '}{tokenizer.name}: {warning}")

    def say(self, warning: str) -> None:
        """One line."""
        if warning not in self.said:
            self.said.add(warning)
            say(f"explorer: warning: {warning}", error=True)

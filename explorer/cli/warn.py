"""Warnings about tokenizers and ids, on standard error, each once per command."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from explorer.cautions import of_file, of_ids
from explorer.cli.terminal import say

if TYPE_CHECKING:
    from explorer.implementations.opened import Opened


class Warnings:
    """Prints each warning once. Neither the exit status nor standard output changes."""

    def __init__(self) -> None:
        self.said: set[str] = set()

    def of_files(self, tokenizers: Iterable[Opened]) -> None:
        """Prints the warnings of these tokenizers' files."""
        for tok in tokenizers:
            for warning in of_file(tok):
                self.say(f"{tok.name} ({tok.implementation}): {warning}")

    def of_ids(self, tokenizer: Opened, ids: Sequence[int], add_special: bool, place: str = "") -> None:
        """Prints the warnings about the ids of a text. place: its file and line, empty for a single text."""
        for warning in of_ids(tokenizer, ids, add_special):
            if warning not in self.said:
                self.said.add(warning)
                self.say(f"{place}{place and ': '}{tokenizer.name}: {warning}")

    def say(self, warning: str) -> None:
        """Prints one warning."""
        if warning not in self.said:
            self.said.add(warning)
            say(f"explorer: warning: {warning}", error=True)

"""Splits by a pattern as tiktoken does, which runs the Rust crate fancy-regex."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from explorer.engine.pre_tokenizers.by_regex import RegexSplit
from explorer.engine.pre_tokenizers.patterns import BY_REGEX
from explorer.errors import InputError, verbatim


class FancyRegexSplit(RegexSplit):
    """Splits by a known pattern, or one that `regexes.fancy` has translated.

    Raises InputError where a pattern matches the empty text and the original stops with an error of its own: anywhere
    but directly after another match.
    """

    def find_iter(self, text: str, seconds: float) -> Iterator[regex.Match[str]]:
        """The matches, none of them empty. Raises TimeoutError."""
        if self.pattern.regex in BY_REGEX:
            yield from super().find_iter(text, seconds)
            return
        from explorer.engine.regexes.oniguruma_matches import find_iter

        for match in find_iter(self.regex, text, seconds) if text else ():
            if match.end() == match.start():
                raise InputError(
                    f"the pattern {verbatim(self.pattern.regex)} matches the empty text at character "
                    f"{match.start() + 1}, and tiktoken stops there; let it match one character at least"
                )
            yield match

"""Generated patterns over the whole grammar of Oniguruma, beside Hugging Face's tokenizers.

`python -m tests.originals.oniguruma_patterns [COUNT] [SEED]` compares the matches in texts and prints what differs;
exit status 1 where matches differ.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tokenizers import Regex, normalizers

from explorer.engine.regexes.oniguruma import OnigurumaSpans
from explorer.errors import InputError
from tests.originals.fancy_patterns import ESCAPES, TEXTS, Grammar, main

MARK = "\ue123"
UNKNOWN = (r"\p{sc=Latin}", r"\p{gc!=Lu}", r"\p{Is_Lower}", r"\pN", r"\PN")


class OnigurumaGrammar(Grammar):
    """Writes random patterns of Oniguruma."""

    escapes = (*(each for each in ESCAPES if each not in UNKNOWN), r"\101", r"\o{101}", r"\cA", r"\q", r"\p{punct}",
               r"\p{PosixPunct}", r"\p{In_Basic_Latin}", r"\p{ l u }", r"\xC3\xA9", r"\x4")  # fmt: skip
    outside = (
        ".", ".", r"\R", r"\N", r"\O", "^", "$", r"\A", r"\z", r"\Z", r"\b", r"\B", r"\X", "{", "}", "]", "(?#c)",
        "(?i)", "(?m)", "(?x)", "(?-i)", "(?im)", "\\'", r"\w", r"\W",
    )  # fmt: skip
    refused = (r"\K", r"\G", "(?~a)", "(?(1)a|b)", r"\g<1>", "(*FAIL)", r"\k<n+0>", r"\y", "(?s)", r"\M-a", r"\xE3")
    quantifiers = (*Grammar.quantifiers, "{3,1}", "{2}{2}", "+*", "{2}??", "{1,2}+?", "?*")
    openings = (
        "(", "(", "(?:", "(?:", "(?>", "(?=", "(?!", "(?<=", "(?<!", "(?i:", "(?m:", "(?x:", "(?-i:", "(?i-m:", "(?<n>",
        "(?<m>", "(?'o'",
    )  # fmt: skip
    named = ("(?<n>", "(?<m>", "(?'o'")
    operators = ("&&",)


def ours(pattern: OnigurumaSpans, text: str) -> str:
    """The text with every match replaced by a mark."""
    found, at = [], 0
    for start, end in pattern(text):
        found += [text[at:start], MARK]
        at = end
    return "".join(found) + text[at:]


def theirs(pattern: str, text: str) -> str:
    """The same by the original."""
    return str(normalizers.Replace(Regex(pattern), MARK).normalize_str(text))


def verdict(pattern: str, texts: Sequence[str] = TEXTS) -> tuple[str, str]:
    """What a comparison shows: a word for its kind, and the details of a difference."""
    refusal = ""
    try:
        spans = OnigurumaSpans(pattern)
    except InputError as error:
        refusal = str(error)
    try:
        original = normalizers.Replace(Regex(pattern), MARK)
    except Exception as error:  # the original raises this type only
        return ("both refuse", "") if refusal else ("only theirs refuses", str(error))
    if refusal:
        return "only ours refuses", refusal
    for text in texts:
        try:
            want = str(original.normalize_str(text))
        except Exception:  # it gives up
            continue
        if (got := ours(spans, text)) != want:
            return "DIFFERENT", f"{text!r}: ours {got!r}, theirs {want!r}"
    return "equal", ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], OnigurumaGrammar, verdict))

"""Known patterns under `re`, against the `regex` module and the scanners that the traced path runs."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given

from explorer.engine.fast.strategies import ABOVE, BELOW, FAITHFUL, Split, split_of
from explorer.engine.part import Segment, silent
from explorer.engine.pre_tokenizers.by_regex import RegexSplit
from explorer.engine.pre_tokenizers.patterns import PATTERNS
from explorer.engine.pre_tokenizers.scanners import ScannerSplit
from explorer.engine.regexes.safe import Alternative, TooSlow
from tests.bundled import bundled
from tests.originals.generators import strings, texts

SPLITTERS: dict[str, RegexSplit | ScannerSplit] = {
    **{name: RegexSplit(pattern) for name, pattern in PATTERNS.items()},
    **{scanner.name: ScannerSplit(scanner) for scanner in FAITHFUL},
}
CONTEXTS = ("a{}b", " {}'s\n")
EMOJI = ABOVE.sub("", "".join(map(chr, range(0x10000, 0x110000))))
"""Characters above U+FFFF that `re` runs on."""


def cut(splitter: RegexSplit | ScannerSplit) -> Split:
    found = split_of(splitter)
    assert found is not None
    return found


def exact(splitter: RegexSplit | ScannerSplit, text: str) -> list[str]:
    return [piece.text for piece in splitter.split(Segment.of(text), 0, silent)]


# the others have the same character classes as one of these
@pytest.mark.long
@pytest.mark.parametrize("name", ["gpt-2", "o200k_base", "kimi", "llama-3 (llama.cpp)"])
def test_every_character_that_re_runs_on_in_several_contexts(name: str) -> None:
    splitter = SPLITTERS[name]
    for context in CONTEXTS:
        # in one text, separated by a line that no match crosses
        text = "x\n".join(context.replace("{}", ch) for ch in BELOW + EMOJI)
        assert cut(splitter)(text) == exact(splitter, text)


def test_emoji_are_in_no_class_that_a_known_pattern_names() -> None:
    assert (len(EMOJI), EMOJI[0], EMOJI[-1]) == (0x800, "\U0001f300", "\U0001faff")
    assert regex.fullmatch(r"[\p{S}\p{Cn}]+", EMOJI)
    known = [alternative.runs for one in SPLITTERS.values() for alternative in one.alternatives]
    names = set(regex.findall(r"\\[pP]\{(.*?)\}", " ".join(known)))
    assert {"L", "N", "M", "Han"} <= names
    assert not [name for name in names if regex.search(rf"\p{{{name}}}", EMOJI)]


@pytest.mark.parametrize("name", SPLITTERS)
def test_generated_texts_one_by_one_and_together(name: str) -> None:
    splitter = SPLITTERS[name]
    samples = strings(71, 150)
    for text in [*samples, "\n".join(samples), "".join(samples)]:
        assert cut(splitter)(text) == exact(splitter, text)


@given(texts())
def test_any_text_under_every_known_pattern(text: str) -> None:
    for splitter in SPLITTERS.values():
        assert cut(splitter)(text) == exact(splitter, text)


@pytest.mark.long
def test_an_unknown_pattern_runs_with_a_time_limit() -> None:
    part = next(part for part in bundled("gpt-2").parts if part.name == "pre-tokenize")
    known = part.splitters[0]  # type: ignore[attr-defined]
    own = RegexSplit(known.pattern._replace(alternatives=(Alternative("(?:a|aa)+(?!.)b", ""),)))
    cut_by_known, cut_by_own = split_of(known), split_of(own)
    assert cut_by_known is not None
    assert cut_by_own is not None
    assert cut_by_known("ab") == cut_by_own("ab") == ["ab"]
    with pytest.raises(TooSlow):
        cut_by_own("a" * 60 + "c")

"""The events of normalization are a full account: replayed alone, they give the text after each normalizer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.engine.normalizers.charsmap import CharsmapNormalization
from explorer.engine.normalizers.huggingface import (
    Literal,
    Lowercase,
    NfdFirst,
    Precompiled,
    Prepend,
    Replace,
    SpellBytes,
    Strip,
    StripAccents,
    bert_normalizers,
    nmt,
)
from explorer.engine.normalizers.stage import (
    BEGINNINGS,
    EscapeWhitespace,
    Lower,
    Normalization,
    NormalizeEvent,
    Normalizer,
    NormalizeRow,
    Pass,
    SpacePrefix,
    begun,
)
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.engine.part import Events, Item, Options, Segment, Token, silent
from explorer.engine.regexes.oniguruma import OnigurumaSpans
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.tiers import amount

XLM_R = bundled("xlm-r").parts[1]
assert isinstance(XLM_R, CharsmapNormalization)
assert XLM_R.charsmap is not None
EACH: list[Normalizer] = [
    *bert_normalizers(), UnicodeForm("NFC"), UnicodeForm("NFD"), UnicodeForm("NFKC"), UnicodeForm("NFKD"),
    StripAccents(), Lowercase(), Lower(), NfdFirst(), Strip(left=True, right=True), Strip(left=False, right=True),
    Replace(Literal(" "), "▁"), Replace(Literal("e"), ""), Replace(Literal(""), "-+"), Replace(Literal("aa"), "xyz"),
    Replace(OnigurumaSpans(r"\s+"), " "), Replace(OnigurumaSpans("a*"), "<>"), Prepend("▁"), Prepend("ab"),
    SpellBytes(), *nmt(), Precompiled(XLM_R.charsmap), SpacePrefix(), EscapeWhitespace(),
]  # fmt: skip
SOME = st.one_of(texts(), st.text("aAÅéİ각ﬁ漢e \t\u0301\u0323\u030a\U0001d15e\u200b\u3000", max_size=24))


def replayed(before: Sequence[Item], events: Iterable[NormalizeRow]) -> Iterator[Pass]:
    """Every pass over every item, in the order they ran, each as it is at its end."""
    current: Pass | None = None
    for row in events:
        if row.kind not in BEGINNINGS:
            assert current is not None, "a pass begins before its events"
            current.take(row)
            continue
        if current is not None:
            yield current
        current = begun(before, current, row)
    if current is not None:
        yield current


def after_each(normalizers: list[Normalizer], before: list[Item]) -> tuple[list[list[int]], list[list[int]]]:
    """The vector after each normalizer on each segment: run one by one, and replayed."""
    events: Events[NormalizeRow] = Events(NormalizeRow)
    Normalization(normalizers).run(before, Options(), events.emit)
    ran = []
    last_is_text = False
    for index, item in enumerate(before):
        if isinstance(item, Token):
            last_is_text = False
            continue
        segment = item
        for normalizer in normalizers:
            segment = normalizer.apply(segment, index, last_is_text, silent)
            ran.append([ord(ch) for ch in segment.text])
        last_is_text = last_is_text or bool(segment.text)
    replay = {(each.item, each.normalizer): each.vector for each in replayed(before, events)}
    return ran, list(replay.values())


@given(text=SOME, normalizers=st.lists(st.sampled_from(EACH), min_size=1, max_size=4))
@settings(max_examples=amount(600))
def test_a_replay_gives_the_text_after_each_normalizer(text: str, normalizers: list[Normalizer]) -> None:
    if text:
        ran, replay = after_each(normalizers, [Segment.of(text)])
        assert replay == ran


@pytest.mark.parametrize("normalizer", EACH, ids=lambda one: type(one).__name__)
def test_every_normalizer_on_texts_that_it_changes(normalizer: Normalizer) -> None:
    for text in (" Aée\u0323\u0301 漢\t\x01ﬁ \v aaa\u200b\U0001d15e İ각 e\u0301\u0323Ａ ", "\u0301", "aa", "  ", "▁"):
        ran, replay = after_each([normalizer], [Segment.of(text)])
        assert replay == ran, ascii(text)


def test_several_segments_keep_their_own_vectors() -> None:
    before: list[Item] = [Segment.of("Å "), Token(7, 2, 3), Segment.of(" É", 3), Segment.of("x", 5)]
    ran, replay = after_each([*bert_normalizers(), Strip(left=True, right=True), SpacePrefix()], before)
    assert replay == ran
    assert len(ran) == 3 * 8


def test_a_composing_form_makes_three_passes() -> None:
    events: Events[NormalizeRow] = Events(NormalizeRow)
    before = [Segment.of("ậ\u0061\u0302\u0323")]
    (after,) = Normalization([UnicodeForm("NFC")]).run(before, Options(), events.emit)
    passes = ["".join(map(chr, each.vector)) for each in replayed(before, events)]
    marks = "a\u0323\u0302"
    assert passes == [f"{marks}a\u0302\u0323", f"{marks}{marks}", "ậậ"]
    assert isinstance(after, Segment)
    assert after.text == "ậậ"
    found = [NormalizeEvent(row.kind).name for row in events]
    assert found.count("COMPOSE") == 4
    assert found[-1] == "FORM"

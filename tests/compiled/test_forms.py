"""Unicode forms of joined texts beside the stage's, and the quick check beside every character."""

from __future__ import annotations

import random
import unicodedata

import pytest

from explorer.compiled import build
from explorer.compiled.utf8 import END, NOTHING, PADDING
from explorer.engine.fast.compiling.encoder import LAST, UNSURE, InForm, unsure
from explorer.engine.models.bpe import Bpe, Bytes, MergeableRanks
from explorer.engine.normalizers.stage import Normalization
from explorer.engine.normalizers.unicode_forms import Form, UnicodeForm
from explorer.engine.part import Options, Segment, Token, run_through
from explorer.engine.partition.special_tokens import SpecialToken, SpecialTokenPartition
from explorer.engine.pre_tokenizers.by_regex import PreTokenization, RegexSplit
from explorer.engine.pre_tokenizers.patterns import PATTERNS
from explorer.vocabulary import Vocabulary
from tests.compiled.hostile import batches, hostile
from tests.tiers import amount

FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")
MARKED = ("e\u0301", "\u0301", "a\u0327\u0301", "a\u0301\u0327", "ᄀ\u1161\u11a8", "가\u11a8", "\u212b", "\u09c7\u09be",
          "\n\u0301", "ﬁ", "\u0915\u093c", "é", "\u0344", "\U0001d15e", "\u1b35", "\r\n", "\u0b47\u0b3e")  # fmt: skip


@pytest.mark.long
def test_characters_that_are_not_unsure_are_in_the_form_in_any_order() -> None:
    choose = random.Random(2)
    for form in FORMS:
        table, keeps = unsure(form), UnicodeForm(form).keeps
        sure = [chr(code) for code in (*range(0xD800), *range(0xE000, LAST)) if table[code] != UNSURE]
        marks = [ch for ch in sure if unicodedata.combining(ch)]
        assert not marks
        assert len(sure) > 100_000
        for _ in range(amount(80)):
            assert keeps("".join(choose.choices(sure, k=2000)))
        assert not table[NOTHING]
    rest = "".join(map(chr, range(LAST, 0x110000)))
    assert all(unicodedata.is_normalized(form, rest) for form in FORMS)


def test_joined_texts_are_put_into_each_form_as_one_by_one() -> None:
    choose = random.Random(6)
    texts = hostile(6, amount(300)) + [
        "".join(choose.choices([*MARKED, "a", " ", "\n", "b" * 9], k=12)) for _ in range(60)
    ]
    texts = [text for text in texts if len(text) < 500] + [f"\u0301\u0327{line_end}" * 4200 for line_end in ("", "\n")]
    for form in FORMS:
        one = UnicodeForm(form)
        found = InForm(one, unsure(one.form), build.PLAIN)(bytes([END]).join([*map(str.encode, texts), PADDING[1:]]))
        wanted = [one.apply(Segment.of(text), 0, False, lambda *row: None).text if text else "" for text in texts]
        assert found == bytes([END]).join([*map(str.encode, wanted), PADDING[1:]])


def test_a_toy_with_a_form_and_special_tokens() -> None:
    pieces = [*(b"%c" % byte for byte in range(256)), b"th", b"the", "é".encode(), " é".encode(), b"<s>"]
    ranks = {piece: rank for rank, piece in enumerate(pieces[:-1])}
    parts = (
        SpecialTokenPartition([SpecialToken(260, "<s>", True)]),
        Normalization([UnicodeForm("NFC")]),
        PreTokenization([RegexSplit(PATTERNS["cl100k_base"])]),
        Bpe(Vocabulary.of(pieces), MergeableRanks(ranks), Bytes(), whole=True, ids=ranks),
    )
    together = batches(parts, build.PLAIN, 16)
    texts = ["the e\u0301<s>\u0301 e\u0301\ne\u0301", "\u0301", "the", "", *MARKED, "x<s>", "e\u0301 " * 40]
    made = together.encode(texts, Options())
    assert made is not None
    ids, offsets = made
    for index, text in enumerate(texts):
        items = run_through(parts, [Segment.of(text)] if text else [], Options())
        expected = [item.id for item in items if isinstance(item, Token)]
        assert ids[offsets[index] : offsets[index + 1]].tolist() == expected, ascii(text)

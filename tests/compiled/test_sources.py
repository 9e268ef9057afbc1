"""The sources of the compiled encoder, run in Python: scanners beside patterns, merges beside chains, toys."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from explorer.compiled import build, tables
from explorer.compiled import pieces as solving
from explorer.compiled.scanners import MARK, NUMBER, OTHER_LETTER, SPACE, scan
from explorer.compiled.utf8 import NOTHING, PADDING, Table
from explorer.engine.fast import piece_encoder as solvers
from explorer.engine.fast.compiling import classes, encoder
from explorer.engine.fast.compiling.encoder import OF_PATTERNS, OF_SCANNERS, NotCompiled, scanner_of
from explorer.engine.fast.strategies import FAITHFUL, split_of
from explorer.engine.models.bpe import Bpe, Bytes, MergeableRanks
from explorer.engine.part import Options, Segment, Token, run_through
from explorer.engine.partition.special_tokens import SpecialToken, SpecialTokenPartition
from explorer.engine.post_processors import AddSpecial
from explorer.engine.pre_tokenizers.by_regex import PreTokenization, RegexSplit
from explorer.engine.pre_tokenizers.patterns import PATTERNS
from explorer.engine.pre_tokenizers.scanners import ScannerSplit
from explorer.engine.regexes.safe import as_16, everything
from explorer.text import WHITE_SPACE
from explorer.text.code_points import major_category
from explorer.vocabulary import Vocabulary
from tests.compiled.hostile import batches, hostile
from tests.tiers import amount

SPLITTERS: dict[str, RegexSplit | ScannerSplit] = {
    **{name: RegexSplit(pattern) for name, pattern in PATTERNS.items() if name != "kimi"},
    **{scanner.name: ScannerSplit(scanner) for scanner in FAITHFUL},
}


def test_every_known_pattern_and_faithful_scanner_is_compiled() -> None:
    assert set(SPLITTERS) == {*OF_PATTERNS, *OF_SCANNERS}
    with pytest.raises(NotCompiled, match="pattern"):
        scanner_of(RegexSplit(PATTERNS["gpt-2"]._replace(alternatives=PATTERNS["gpt-2"].alternatives[1:])))


def test_pieces_are_those_of_the_patterns() -> None:
    for name, splitter in SPLITTERS.items():
        family, digits, flags, table = scanner_of(splitter)()
        expected = split_of(splitter)
        assert expected is not None
        for text in hostile(3, amount(1600)):
            data = text.encode()
            ends = [0] * (len(data) + 1)
            count = scan(family, digits, flags, data + PADDING, 0, len(data), table, ends, len(ends))
            found = [data[start:end].decode() for start, end in pairwise([0, *ends[:count]])]
            assert found == expected(text), (name, ascii(text))


@pytest.mark.long
def test_classes_are_those_of_each_version_of_unicode() -> None:
    import regex

    table, seen = classes.of_regex(), as_16(everything())
    assert table[NOTHING] == 0
    for expression, kind in classes.OF_16.items():
        wanted = {match.start() for match in regex.finditer(expression.removesuffix("+"), seen)}
        assert {at for at, ch in enumerate(everything()) if table[ord(ch)] & kind} == wanted
    table = classes.of_scanners()
    bits = {"L": OTHER_LETTER, "N": NUMBER, "M": MARK}
    for code in (*range(0xD800), *range(0xE000, 0x110000)):
        wanted_bit = SPACE if code in WHITE_SPACE else bits.get(major_category.__wrapped__(code), 0)
        assert table[code] & (SPACE | OTHER_LETTER | NUMBER | MARK) == wanted_bit, hex(code)


def test_merges_by_search_and_by_heap_are_those_of_chains() -> None:
    choose = random.Random(8)
    letters = "abcd"
    for _ in range(amount(2400)):
        joined = {"".join(choose.choices(letters, k=choose.randrange(2, 6))): choose.randrange(4) for _ in range(20)}
        names = [*letters, *joined]
        symbols = {name: number for number, name in enumerate(names)}
        pairs = [-1] * (2 * 1024)
        for name, rank in joined.items():
            for at in range(1, len(name)):
                if name[:at] in symbols and name[at:] in symbols:
                    value = rank << 32 | symbols[name]
                    assert tables.put_pair(pairs, 1023, symbols[name[:at]], symbols[name[at:]], value)
        text = choose.choices(letters, k=choose.randrange(1, 40))
        expected = solvers.merged([*text], joined, "")
        for merged in (solving.merged_by_search, solving.merged_by_heap):
            chain = [symbols[letter] for letter in text]
            count = merged(chain, len(chain), pairs, 1023, [0] * (solving.SCRATCH * len(chain)))
            assert [names[symbol] for symbol in chain[:count]] == expected


def test_a_table_keeps_keys_apart_that_differ_in_their_size_or_their_last_byte() -> None:
    keys = [b"\0" * size for size in range(1, 40)] + [b"a" * size + b"b" for size in range(40)] + [b"a" * 40]
    texts, starts = b"".join(keys) + PADDING, [0]
    for key in keys:
        starts.append(starts[-1] + len(key))
    table = Table([0] * (256 * tables.SLOT), 255, texts)
    assert tables.fill(table, starts, len(keys)) == len(keys)
    found = [tables.symbol_of(table, key + PADDING, 0, len(key)) for key in keys]
    assert found == [*range(len(keys))]
    assert tables.symbol_of(table, b"a" * 39 + b"c" + PADDING, 0, 40) < 0


def test_a_full_table_ends_its_searches() -> None:
    table = Table([0] * (16 * tables.SLOT), 15, bytes(range(1, 18)) + PADDING)
    assert tables.fill(table, [*range(18)], 17) == 16
    assert tables.symbol_of(table, b"x" + PADDING, 0, 1) == tables.MISSING


def test_a_toy_in_python_with_special_tokens_and_a_memory_that_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same worker and memory as compiled; the smallest memory is renewed many times, and groups are small."""
    monkeypatch.setattr(encoder, "GROUP", 16)
    pieces = [*(b"%c" % byte for byte in range(256)), b"th", b"the", b" the", b"in", b"ing", b"  ", b"'s", b"<s>"]
    vocabulary = Vocabulary.of(pieces)
    ranks = {piece: rank for rank, piece in enumerate(pieces[:-1])}
    parts = (
        SpecialTokenPartition([SpecialToken(263, "<s>", True)]),
        PreTokenization([RegexSplit(PATTERNS["cl100k_base"])]),
        Bpe(vocabulary, MergeableRanks(ranks), Bytes(), whole=True, ids=ranks),
        AddSpecial(263, 256),
    )
    together = batches(parts, build.PLAIN, 16)
    texts = [*hostile(4, amount(800)), "", "the<s> thing's", "<s><s>"]
    texts = [text for text in texts if text.isprintable() or text.isascii()]
    for few, options in ((1000, Options()), (2, Options()), (1000, Options(False, True)), (1000, Options(True, False))):
        monkeypatch.setattr(encoder, "FEW", few)
        found = together.encode(texts, options)
        assert found is not None
        ids, offsets = found
        for index, text in enumerate(texts):
            items = run_through(parts, [Segment.of(text)] if text else [], options)
            expected = [item.id for item in items if isinstance(item, Token)]
            assert ids[offsets[index] : offsets[index + 1]].tolist() == expected, ascii(text)

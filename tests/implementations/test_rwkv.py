"""RWKV World against RWKV's own tokenizer, live; the first-miss loop against a dumb one; the file against `eval`."""

from __future__ import annotations

import ast
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.engine.models.longest_match import ByteModel, FirstMiss, FirstMissEvent, TrieMatch
from explorer.engine.part import silent
from explorer.errors import InputError
from explorer.facts import FactKind
from explorer.formats import rwkv as rwkv_txt
from explorer.implementations import rwkv
from tests.bundled import bundled
from tests.originals.generators import strings, texts
from tests.originals.rwkv import Rwkv
from tests.tiers import amount

MODEL = explorer.catalog()["rwkv-world"]


@pytest.fixture(scope="module")
def original() -> Rwkv:
    bundled("rwkv-world")  # checks the file's sha256 before the original evaluates it
    return Rwkv(MODEL.path)


@pytest.fixture(scope="module")
def world() -> explorer.Tokenizer:
    return bundled("rwkv-world")


@pytest.fixture(scope="module")
def first_miss() -> explorer.Tokenizer:
    return bundled("rwkv-world@first-miss")


def test_ids_are_the_originals_on_nasty_text(world: explorer.Tokenizer, original: Rwkv) -> None:
    for text in strings(51, 5_000):
        ids = world.encode(text).ids
        assert ids == world.trace(text).ids == original.encode(text.encode()), text
        assert world.decode(ids) == text


@given(text=texts())
@settings(max_examples=amount(300))
def test_ids_are_the_originals_on_any_text(world: explorer.Tokenizer, original: Rwkv, text: str) -> None:
    ids = world.encode(text).ids
    assert ids == original.encode(text.encode())
    assert world.decode(ids) == text


@pytest.mark.long
@given(data=st.binary(max_size=60))
@settings(max_examples=amount(300))
def test_ids_are_the_originals_on_any_bytes(world: explorer.Tokenizer, original: Rwkv, data: bytes) -> None:
    model = world.parts[0]
    assert isinstance(model, ByteModel)
    assert [found.id for found in model.tokenize(data, silent)] == original.encode(data)


def test_decoding_is_the_originals(world: explorer.Tokenizer, original: Rwkv) -> None:
    choose = random.Random(52)
    for _ in range(500):
        ids = choose.choices(range(1, len(world.vocabulary)), k=10)
        assert world.trace_decode(ids).data == original.decode(ids)


def test_the_end_of_text_is_spelled_or_left_out(world: explorer.Tokenizer) -> None:
    ids = [*world.encode("Hi").ids, 0]
    assert world.decode(ids) == "Hi<|endoftext|>"
    assert world.decode(ids, unparse_special=False) == "Hi"
    assert 0 not in world.encode("<|endoftext|>").ids
    with pytest.raises(InputError, match="65530 is not in this vocabulary"):
        world.decode([65530])


def test_walk_through(world: explorer.Tokenizer) -> None:
    assert world.encode("吾輩は猫である。").ids == [11080, 17065, 10139, 14398, 58552, 10080]
    assert world.encode("🫠").spans == [(0, 1), (0, 1), (0, 1)]


# --- the loop that stops at the first miss -------------------------------------------------------------------------


def dumb_first_miss(ids: dict[bytes, int], text: str) -> list[int]:
    """One character more for as long as it is a token; a character that is none gives its bytes, each + 1."""
    found: list[int] = []
    while text:
        count = 0
        while count < len(text) and text[: count + 1].encode() in ids:
            count += 1
        if count:
            found.append(ids[text[:count].encode()])
        else:
            found += [byte + 1 for byte in text[0].encode()]
        text = text[max(count, 1) :]
    return found


def test_the_loop_is_what_its_description_says(first_miss: explorer.Tokenizer) -> None:
    ids = dict(first_miss.vocabulary.ids)
    for text in strings(53, 3_000):
        assert first_miss.encode(text).ids == first_miss.trace(text).ids == dumb_first_miss(ids, text), text
        assert first_miss.decode(first_miss.encode(text).ids) == text


def utf8_len(lead: int) -> int:
    """llama.cpp's function of this name, by the four high bits."""
    return (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4)[lead >> 4]


def faulty_loop(ids: dict[bytes, int], data: bytes, end: bool, length: bool) -> list[int]:
    """The loop as it was first written down, by an index that moves and one that does not; each fault can be mended.

    Past the end there is a byte that no token contains.
    """
    out: list[int] = []
    at, last = 0, -1
    while at < len(data):
        so_far, last, reads = b"", -1, at
        first = utf8_len(data[at])
        while reads < len(data):
            size = first if length else utf8_len(data[reads])
            grown = so_far + (data[reads : reads + size] if reads + size <= len(data) else b"\xff\xff\xff")
            if grown not in ids:
                break
            so_far, last, reads = grown, ids[grown], reads + size
        if last >= 0:
            out.append(last)
        else:
            out += [byte + 1 for byte in data[at : at + first]]
            reads = at + first
        at = reads
    return [*out, -1] if end and last < 0 and data else out


FAULTY = ["né", "café", "20°C", "🫠", "a🫠", "🫠a", "猫🫠\n", "\u0378", "“a” — b", "é!", "猫", " “"]


@pytest.mark.parametrize("faults", rwkv.FAULTS)
def test_each_fault_of_the_loop_is_kept_or_mended(faults: str) -> None:
    """The ids, and −1 exactly where the loop outputs it."""
    tok = explorer.load("rwkv-world@first-miss", faults=faults)
    ids, kept = dict(tok.vocabulary.ids), faults.split(" and ")
    seen = {FirstMissEvent.NO_ID: 0, FirstMissEvent.PAST_END: 0}
    for text in [*FAULTY, *strings(54, 600)]:
        wanted, trace = faulty_loop(ids, text.encode(), "end" in kept, "length" in kept), tok.trace(text)
        rows = [row.kind for row in trace.stage("model").events]
        assert trace.ids == tok.encode(text).ids == [id for id in wanted if id >= 0], text
        assert rows.count(FirstMissEvent.NO_ID) == wanted.count(-1), text
        for kind in seen:
            seen[kind] += kind in rows
    assert (seen[FirstMissEvent.NO_ID] > 10) == ("end" in kept)
    assert (seen[FirstMissEvent.PAST_END] > 2) == ("length" in kept)
    assert tok.choosable[0].chosen == faults


@pytest.mark.parametrize(("text", "printed", "mended"), [
    ("né", [111, 2503], [8273]), ("café", [1784, 103, 2503], [1784, 7596]), ("20°C", [640, 2446, 68], [640, 9218]),
])  # fmt: skip
def test_the_loop_with_all_its_faults(text: str, printed: list[int], mended: list[int]) -> None:
    assert explorer.load("rwkv-world@first-miss", faults="end and length").encode(text).ids == printed
    assert explorer.load("rwkv-world@first-miss", faults="end").encode(text).ids == mended


def test_many_texts_at_once_keep_the_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiled walk has no such fault, so it is not used."""
    monkeypatch.setenv("EXPLORER_COMPILED", "always")
    tok = explorer.load("rwkv-world@first-miss", faults="length")
    many = ["né", "café", "20°C"] * 400
    assert [list(ids) for ids in tok.encode_batch(many)] == [tok.encode(text).ids for text in many]
    assert isinstance(tok.parts[0], FirstMiss)
    assert tok.batches.why_not


def test_no_fault_is_kept_unless_it_is_chosen(first_miss: explorer.Tokenizer) -> None:
    assert first_miss.choosable[0].chosen == "none"
    assert all(row.kind != FirstMissEvent.NO_ID for row in first_miss.trace("a🫠").stage("model").events)
    with pytest.raises(InputError, match="has the answers none, end, length, end and length"):
        explorer.load("rwkv-world@first-miss", faults="never")


@given(data=st.binary(max_size=60))
@settings(max_examples=amount(300))
def test_the_loop_ends_on_any_bytes_and_loses_none(first_miss: explorer.Tokenizer, data: bytes) -> None:
    model = first_miss.parts[0]
    assert isinstance(model, FirstMiss)
    found = model.tokenize(data, silent)
    assert first_miss.trace_decode([one.id for one in found]).data == data
    assert [one.start for one in found] == [0, *[one.end for one in found]][: len(found)]


def test_the_loop_never_finds_a_token_with_a_prefix_that_is_not_one(
    world: explorer.Tokenizer, first_miss: explorer.Tokenizer
) -> None:
    pieces = world.vocabulary.pieces[1:]
    known = set(pieces)
    assert sum(any(piece[:end] not in known for end in range(1, len(piece))) for piece in pieces) == 35_118
    slow, fast = first_miss.parts[0], world.parts[0]
    assert isinstance(slow, FirstMiss)
    assert isinstance(fast, TrieMatch)
    assert all(len(fast.tokenize(piece, silent)) == 1 for piece in pieces)
    missed = sum(len(slow.tokenize(piece, silent)) != 1 for piece in pieces)
    assert missed == 28_807


# --- the file ------------------------------------------------------------------------------------------------------


def test_the_strict_parser_reads_what_eval_would() -> None:
    data = MODEL.path.read_bytes()
    tokens = rwkv_txt.read(data, "world")
    assert len(tokens) == 65_529
    for token, line in zip(tokens, data.decode().split("\n"), strict=False):
        literal = ast.literal_eval(line[line.index(" ") + 1 : line.rindex(" ")])
        assert token == (literal.encode() if isinstance(literal, str) else literal)


def test_lines_may_end_in_either_way() -> None:
    # RWKV's own file has a carriage return before each line feed, and the original opens it as text, without them
    data = MODEL.path.read_bytes()
    assert data.count(b"\r\n") == data.count(b"\n")
    assert rwkv_txt.read(data.replace(b"\r\n", b"\n"), "world") == rwkv_txt.read(data, "world")


@given(value=st.one_of(st.text(min_size=1), st.binary(min_size=1)), id=st.integers(1, 10**8))
@settings(max_examples=amount(300))
def test_whatever_repr_writes_is_read(value: str | bytes, id: int) -> None:
    data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    if isinstance(value, str) and data != value.encode("utf-8", "replace"):
        return
    assert rwkv_txt.parse_line(f"{id} {value!r} {len(data)}") == (id, data)


@pytest.mark.parametrize(("line", "says"), [
    ("1 open('x') 1", "not an id, a quoted token"), ("1 'a'", "not an id, a quoted token"),
    ("1 'a'+'b' 2", "after the closing quote"), ("1 'a' + __import__('os') 'b' 2", "after the closing quote"),
    (r"1 '\N{DIGIT ONE}' 1", r"escape \\N is not supported"), (r"1 '\101' 1", r"escape \\1 is not supported"),
    (r"1 b'\u0041' 1", r"escape \\u0041 is not supported"), (r"1 '\x4' 1", r"escape \\x is not supported"),
    ("1 b'é' 2", "may contain only ASCII unescaped"), (r"1 '\ud800' 3", "half of a surrogate pair"),
    (r"1 '\U00110000' 4", "above the last code point"), ("1 'a' 2", "has 1 bytes, but the line says 2"),
    ("1 '' 0", "an empty token"), ("2 'a' 1", "the id 2 is not between 1 and 1"), ("0 'a' 1", "the id 0 is not"),
    ("1 '\\\u202e' 1", r"escape \\\\u202e is not supported"),
    ("-1 'a' 1", "not an id"), ("1 f'a' 1", "not an id"), (r"1 '\' 1", r"escape \\ is not supported"),
    ("1 'a' 1\n1 'b' 1", "line 2: the id 1 occurs twice"), ("1 'a' 1\n\n", "line 2: this is not"),
])  # fmt: skip
def test_a_bad_line_is_refused_by_number(line: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        rwkv_txt.read(line.encode(), "bad.txt")
    assert str(caught.value).startswith("bad.txt: line ")


def test_the_card_names_bytes_without_a_token() -> None:
    facts = rwkv.from_tokens([b"a", b"b"], "toy").facts
    warning = next(fact for fact in facts if fact.kind == FactKind.WARNING)
    assert warning.says.startswith("254 bytes are not tokens")
    assert not [fact for fact in bundled("rwkv-world").facts if fact.kind == FactKind.WARNING]


def test_other_bad_files_and_names_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="has no tokens"):
        rwkv_txt.read(b"", "bad.txt")
    with pytest.raises(InputError, match="byte offset 3 is not UTF-8"):
        rwkv_txt.read(b"1 '\xff' 1\n", "bad.txt")
    with pytest.raises(InputError, match="byte order mark"):
        rwkv_txt.read(b"\xef\xbb\xbf1 'a' 1\n", "bad.txt")
    monkeypatch.setattr(rwkv_txt, "MAX_FILE", 7)
    with pytest.raises(InputError, match="8 bytes, but such a file has at most 7"):
        rwkv_txt.read(b"1 'a' 1\n", "bad.txt")
    with pytest.raises(InputError, match="toy: token 1 and token 2 are both spelled"):
        rwkv.from_tokens([b"a", b"a"], "toy")
    with pytest.raises(InputError, match="it runs as: rwkv, first-miss"):
        rwkv.from_tokens([b"a"], "toy", "llama.cpp")
    with pytest.raises(InputError, match="ids 1 to 256 to be the bytes"):
        rwkv.from_tokens([b"a"], "toy", "first-miss")

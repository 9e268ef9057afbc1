"""Small files that would compute for minutes end with one error that names the stage, the size and the limit.

A budget that a test sets is a hundredth of what its attack takes, and far more than the stages before need. No time is
asserted: what is, is the refusal, and how many lines of Python run between two questions whether there is time left.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pytest

import explorer
from explorer.analysis.boundary.followers import stability
from explorer.analysis.divergence.comparer import diff_lines
from explorer.analysis.expected.explainer import explain
from explorer.analysis.inputs import Line
from explorer.analysis.languages import Language, measure
from explorer.analysis.round_trip import round_trips
from explorer.cli.main import main
from explorer.engine import budget
from explorer.engine.budget import TooSlow
from explorer.engine.models.longest_match import FirstMiss, TrieMatch, Wpm
from explorer.engine.models.lookup import CharWord, characters
from explorer.engine.models.spm import Spm
from explorer.engine.models.unigram import Plamo2
from explorer.engine.normalizers.charsmap import CharsmapNormalization
from explorer.engine.part import Options, Part, Segment, silent
from explorer.engine.partition.special_tokens import SpecialToken, SpecialTokenPartition
from explorer.engine.partition.user_defined import SymbolTree, UserDefinedSplit
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.opening.formats import open_files
from explorer.vocabulary import Vocabulary
from tests.ui.small_files import tokenizer_json

LONG: Final = 100_000
"""Length of the texts."""


def split(pattern: str, behavior: str = "Isolated") -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": False}


def added(content: str, id: int = 6, **changes: bool) -> dict[str, Any]:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}
    return {"id": id, "content": content, **flags, **changes}


def replace(pattern: str, content: str, kind: str = "Regex") -> dict[str, Any]:
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


LINES: Final = {"type": "Sequence", "pretokenizers": [split("\n", "Removed"), split("(a|aa)+!")]}
MANY_ADDED: Final = [added("a" * (2 + index) + "!", 6 + index) for index in range(2_999)]
UNIGRAM: Final = {
    "type": "Unigram", "unk_id": 0, "byte_fallback": False,
    "vocab": [["<unk>", 0.0], *(["a" * size, -float(size)] for size in range(1, 3_000))],
}  # fmt: skip
WORDPIECE: Final = {
    "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 10**9,
    "vocab": {"[UNK]": 0, "a": 1, "##a": 2, "##" + "b" * 3_000: 3},
}  # fmt: skip

ATTACKS: Final[dict[str, tuple[dict[str, Any], str, str]]] = {
    "a pattern on many lines": ({"pre_tokenizer": LINES}, "\n".join(["a" * 30] * 3_200), "the pre-tokenizer"),
    "added tokens": ({"added_tokens": MANY_ADDED}, "a" * LONG, "the partition into special tokens and text"),
    "normalized added tokens": (
        {"added_tokens": [each | {"normalized": True} for each in MANY_ADDED]},
        "a" * LONG,
        "the partition into special tokens and text",
    ),
    "pieces of a Unigram": ({"model": UNIGRAM, "pre_tokenizer": None}, "a" * LONG, "the model"),
    "windows of a WordPiece": ({"model": WORDPIECE, "pre_tokenizer": None}, "a" * LONG, "the model"),
    "a pattern that is replaced": (
        {"normalizer": {"type": "Sequence", "normalizers": [replace("(a|aa)+!", "b")] * 40},
         "pre_tokenizer": None, "added_tokens": [added("\n")]},
        "\n".join(["a" * 28] * 3_200),
        r"the pattern “\(a\|aa\)\+!”",
    ),
}  # fmt: skip
"""Sections of a tokenizer.json, a text, and the stage that takes too long."""


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits every run to half a second."""
    monkeypatch.setattr(budget, "SECONDS", 0.5)
    monkeypatch.setattr(budget, "SECONDS_A_CHARACTER", 0.0)


def opened(folder: Path, **changes: Any) -> Tokenizer:
    (folder / "tokenizer.json").write_bytes(tokenizer_json(**changes))
    return explorer.load(folder / "tokenizer.json")


WAYS: Final[dict[str, Callable[[Tokenizer, str], object]]] = {
    "encode": lambda tokenizer, text: tokenizer.encode(text),
    "encode_batch": lambda tokenizer, text: tokenizer.encode_batch(["a", text]),
    "trace": lambda tokenizer, text: tokenizer.trace(text),
    "trace_lazily": lambda tokenizer, text: tokenizer.trace_lazily(text),
}


@pytest.mark.sample(2)
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_run_that_takes_too_long_ends(attack: str, way: str, tmp_path: Path) -> None:
    file, text, stage = ATTACKS[attack]
    tokenizer = opened(tmp_path, **file)
    what = "texts of so many characters" if way == "encode_batch" else f"a text of {len(text):,} characters"
    says = rf"({stage}) took too long: {what} may take 0\.5 s of computing in all"
    with pytest.raises(InputError, match=says) as caught:
        WAYS[way](tokenizer, text)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith("give less of it, or another file")
    assert budget.thread_state().run is None
    assert tokenizer.encode("ab").ids == tokenizer.encode("ab").ids, "the next run has a budget of its own"


@pytest.mark.usefixtures("small")
def test_spans_and_traces_have_a_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = opened(tmp_path, model=UNIGRAM, pre_tokenizer=None)
    monkeypatch.setattr(budget, "SECONDS", 1_000.0)
    encoding, trace = tokenizer.encode("a" * 1_000), tokenizer.trace_lazily("a" * 1_000)
    monkeypatch.setattr(budget, "SECONDS", 0.0)
    for ask in (lambda: encoding.spans, lambda: len(trace.stage("model").events)):
        with pytest.raises(TooSlow, match="the model took too long: a text of 1,000 characters may take 0 s"):
            ask()


def test_the_chain_of_decoders_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chain = [replace("a", "b", "String"), replace("b", "a", "String")] * 200
    tokenizer = opened(tmp_path, decoder={"type": "Sequence", "decoders": chain})
    assert tokenizer.decode([0, 1]) == "aa"
    monkeypatch.setattr(budget, "SECONDS", 0.0)
    monkeypatch.setattr(budget, "SECONDS_AN_ID", 0.0)
    with pytest.raises(TooSlow, match="the decoder took too long: 1,000 ids may take 0 s"):
        tokenizer.decode([0] * 1_000)


# --- between two checks --------------------------------------------------------------------------------------------


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The lines of Python that run before the first check, between two checks and after the last."""
    lines = [0]

    def tell(frame: object, event: str, _: object) -> Any:
        lines[-1] += event == "line"
        return tell

    monkeypatch.setattr(budget.Budget, "ask", lambda self, stage: lines.append(0))
    before = sys.gettrace()
    sys.settrace(tell)
    try:
        with budget.run(budget.Budget("a text", 0.0)):
            yield lines
    finally:
        sys.settrace(before)


MOST_LINES: Final = 500_000
"""Less than a second on any machine. The longest piece bounds one iteration of a loop."""

DEEP: Final = "a" * 500 + "b"
"""A piece whose prefix matches at every position of a text, but never the whole."""


def vocabulary(*pieces: bytes, scores: bool = False) -> Vocabulary:
    return Vocabulary.of(list(pieces), [-1.0] * len(pieces) if scores else [])


BYTES: Final = tuple(bytes([byte]) for byte in range(256))

PARTS: Final[dict[str, Callable[[], Part]]] = {
    "special tokens": lambda: SpecialTokenPartition(
        [SpecialToken(index, "a" * (1_000 - index), True) for index in range(500)]
    ),
    "a trie": lambda: TrieMatch(vocabulary(b"a", DEEP.encode())),
    "the first miss": lambda: FirstMiss(vocabulary(b"", *BYTES, *(b"a" * size for size in range(2, 9)))),
    "windows of bytes": lambda: Wpm(vocabulary(b"[UNK]", "▁a".encode(), b"a", DEEP.encode()), 0),
    "merges of scores": lambda: Spm(vocabulary(*(b"a" * size for size in range(1, 300)), scores=True)),
    "user-defined symbols": lambda: UserDefinedSplit({DEEP: 0}),
    "characters and symbols": lambda: CharWord(vocabulary(b"a", DEEP.encode()), 0, characters({DEEP: 1})),
    "a character map": lambda: CharsmapNormalization(None, user_defined=SymbolTree([DEEP])),
    "from the end": lambda: Plamo2(
        vocabulary(*(b"a" * size for size in range(1, 300)), DEEP.encode()), [-1.0] * 300, [0] * 256
    ),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("part", PARTS)
def test_every_loop_that_grows_asks(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made, items = PARTS[part](), [Segment.of("a" * 1_500)]
    with counted(monkeypatch) as lines:
        made.run(items, Options(), silent)
    assert len(lines) > 3, "it asks"
    assert max(lines) < MOST_LINES


@pytest.mark.sample(2)
@pytest.mark.parametrize("attack", ATTACKS)
def test_the_work_between_two_checks_is_bounded(attack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, text, _ = ATTACKS[attack]
    text = text.replace("a" * 28, "a" * 12)[:3_000] if "\n" in text else text[:1_000]
    tokenizer = opened(tmp_path, **file)
    with counted(monkeypatch) as lines:
        for part in tokenizer.parts:
            part.run([Segment.of(text)], Options(), silent)
    assert max(lines) < MOST_LINES


# --- what is counted -----------------------------------------------------------------------------------------------


class Clocks:
    """The two clocks, set manually."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.wall = self.thread = 0.0
        monkeypatch.setattr(budget, "monotonic", lambda: self.wall)
        monkeypatch.setattr(budget, "thread_time", lambda: self.thread)


def test_a_busy_machine_does_not_end_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    clocks = Clocks(monkeypatch)
    one = budget.of_text(100)
    clocks.wall, clocks.thread = 10_000.0, 9.0
    one.ask("the model")
    clocks.wall, clocks.thread = 10_001.2, 10.2
    with pytest.raises(TooSlow, match=r"the model took too long: a text of 100 characters may take 10\.05 s"):
        one.ask("the model")


def test_an_outer_budget_ends_the_runs_in_it_even_if_an_error_is_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    clocks = Clocks(monkeypatch)
    says = r"the model took too long: a comparison may take 20\.1 s of computing in all"

    def compared() -> None:
        with budget.within("a comparison", 20.1):
            for at in (5.0, 15.0, 20.0):
                clocks.wall = clocks.thread = at
                with budget.run(budget.of_text(100)):
                    budget.ask("the model")
            clocks.wall = clocks.thread = 21.0
            with suppress(InputError), budget.run(budget.of_text(100)):
                budget.ask("the model")
                raise AssertionError("a run within it ends with it")

    with pytest.raises(TooSlow, match=says):
        compared()
    budget.ask("the model")


def test_the_budget_of_a_batch_grows_with_its_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    clocks = Clocks(monkeypatch)
    one = budget.growing()
    clocks.wall = clocks.thread = 11.0
    with pytest.raises(TooSlow):
        one.ask("the model")
    one.grow(4_000)
    one.ask("the model")


def test_the_events_of_a_trace_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = opened(tmp_path, model=WORDPIECE, pre_tokenizer=None)
    monkeypatch.setattr(budget, "EVENTS", 1_000)
    monkeypatch.setattr(budget, "EVENTS_A_CHARACTER", 2)
    with pytest.raises(InputError, match="the model makes more than 2,200 decisions on a text of 600 characters"):
        tokenizer.trace("a" * 600)
    tokenizer.encode("a" * 600)


def test_white_space_stripped_by_every_token_is_limited(tmp_path: Path) -> None:
    tokenizer = opened(tmp_path, added_tokens=[added(" ", rstrip=True)])
    assert tokenizer.encode(" " * 100).ids == [6] * 100
    with pytest.raises(InputError, match="the partition into special tokens and text makes more than 1400000 char"):
        tokenizer.encode(" " * 10_000)


@pytest.mark.long
def test_a_template_that_repeats_the_text_many_times_is_refused(tmp_path: Path) -> None:
    text = {"Sequence": {"id": "A", "type_id": 0}}
    template = {"type": "TemplateProcessing", "single": [text] * 1_000, "pair": [text], "special_tokens": {}}
    tokenizer = opened(tmp_path, post_processor=template)
    assert len(tokenizer.encode("a").ids) == 1_000
    with pytest.raises(InputError, match="the template makes more than 1400000 tokens of 10000, far more"):
        tokenizer.encode("a " * 10_000)


# --- many runs -----------------------------------------------------------------------------------------------------


def test_an_explanation_that_runs_out_of_time_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = opened(tmp_path, model=UNIGRAM, pre_tokenizer=None)
    given = tokenizer.trace_lazily("a" * 1_000)
    monkeypatch.setattr(budget, "WHOLE_TIMES", 0.0)
    says = "took too long: an explanation of a text of 1,000 characters may take 0 s of computing in all"
    with pytest.raises(TooSlow, match=says):
        explain(tokenizer, "a" * 1_000, [1, 2, 3], given=given)


MANY_RUNS: Final[dict[str, Callable[[Tokenizer, Tokenizer, str], object]]] = {
    "the prefixes": lambda one, other, text: stability(one, text),
    "a comparison": lambda one, other, text: diff_lines(one, other, [Line("x", 1, text)]),
    "a round trip": lambda one, other, text: list(round_trips(one, [Line("x", 1, text)])),
    "the cost": lambda one, other, text: measure([Language("en", "English", "English", "Latn", text)], [one]),
}


@pytest.mark.parametrize("what", MANY_RUNS)
def test_an_operation_of_many_runs_has_one_budget(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = opened(tmp_path, model=UNIGRAM, pre_tokenizer=None)
    other = explorer.load("gpt-2")
    monkeypatch.setattr(budget, "WHOLE_TIMES", 0.0)
    says = f"the model took too long: {what} of a text of 1,000 characters may take 0 s of computing in all"
    with pytest.raises(InputError, match=says):
        MANY_RUNS[what](one, other, "a" * 1_000)
    assert budget.thread_state().run is budget.thread_state().outer is None


def test_opening_a_file_has_a_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chain = [replace("ab"[number % 2], "ba"[number % 2], "String") for number in range(400)]
    file = tokenizer_json(
        normalizer={"type": "Sequence", "normalizers": chain},
        added_tokens=[added(f"{index}" + "a" * 1_000, 6 + index, normalized=True) for index in range(500)],
    )
    monkeypatch.setattr(budget, "OPENING", 0.1)
    with pytest.raises(
        TooSlow, match=r"the normalizer took too long: opening x\.json may take 0\.1 s of computing in all"
    ):
        open_files({"x.json": file}, None)


def test_a_task_of_a_corpus_has_one_budget_for_all_its_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tokenizer.json").write_bytes(tokenizer_json(model=UNIGRAM, pre_tokenizer=None))
    (tmp_path / "a.txt").write_text(("a" * 2_000 + "\n") * 500)
    monkeypatch.setattr(budget, "SECONDS_A_CHARACTER", 0.0)
    monkeypatch.setattr("explorer.corpus.run.TASK", 0.5)
    assert main(["corpus", "-m", str(tmp_path / "tokenizer.json"), str(tmp_path / "a.txt")]) == 1
    assert (
        "the model took too long: a task of this corpus may take 0.5 s of computing in all" in capsys.readouterr().err
    )

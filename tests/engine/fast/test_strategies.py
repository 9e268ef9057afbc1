"""The fast path of every bundled tokenizer against its stages, on texts joined in many ways."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

import explorer
from explorer.engine.fast import FastPath
from explorer.engine.fast.compiling.encoder import NotCompiled
from explorer.engine.fast.encoder import Batches
from explorer.engine.fast.piece_encoder import ByStages, PieceEncoder, longest_exact
from explorer.engine.fast.strategies import AtSpaces, AtWhiteSpace, ByPattern, characters_before
from explorer.engine.models.bpe import Bpe, KnownCharacters, MergeList
from explorer.engine.models.spm import Spm
from explorer.engine.models.unigram import PIECES, Unigram, huggingface_rules, llama_cpp_rules
from explorer.engine.normalizers.stage import EscapeWhitespace, Normalization, SpacePrefix
from explorer.engine.part import Model, Options, Segment
from explorer.engine.partition.special_tokens import AddedToken, AddedTokenPartition
from explorer.engine.pre_tokenizers.by_regex import Behavior, ByteLevel, PreTokenization, RegexSplit
from explorer.engine.pre_tokenizers.huggingface import OnigurumaSplit
from explorer.engine.regexes import oniguruma
from explorer.engine.regexes.safe import Alternative, Pattern
from explorer.errors import InputError
from explorer.vocabulary import PieceKind, Vocabulary
from tests.bundled import bundled
from tests.originals.generators import strings, texts

STRATEGIES = {
    "llama-2@llama.cpp": AtSpaces, "mistral-v1@sentencepiece": AtSpaces, "xlm-r@llama.cpp": AtSpaces,
    "bert-uncased@huggingface": AtWhiteSpace, "bert-uncased@llama.cpp": AtWhiteSpace, "rwkv-world@rwkv": AtSpaces,
    "rwkv-world@first-miss": ByStages, "gpt-2@huggingface": ByPattern, "gpt-2@llama.cpp": ByPattern,
    "llama-3@huggingface": ByPattern, "llama-3@llama.cpp": ByPattern, "qwen2.5@huggingface": ByPattern,
    "qwen2.5@llama.cpp": ByPattern, "cl100k_base@tiktoken": ByPattern, "o200k_base@tiktoken": ByPattern,
}  # fmt: skip


def test_every_bundled_tokenizer_has_a_row_here() -> None:
    known = {f"{model.name}@{one}" for model in explorer.catalog().values() for one in model.implementations}
    assert known == set(STRATEGIES)


@pytest.mark.parametrize("spec", STRATEGIES)
def test_ids_are_those_of_the_stages(spec: str) -> None:
    tok = bundled(spec)
    fast = FastPath(tok.parts)
    assert type(fast.strategy) is STRATEGIES[spec]
    choose = random.Random(spec)
    samples = strings(91, 120)
    long = ["".join(choose.choices(samples, k=40)) for _ in range(3)] + [" ".join(choose.choices(samples, k=60))]
    for text in [*samples, *long, *long]:
        options = Options(choose.random() < 0.5, choose.random() < 0.5)
        exact = [token.id for token in tok.encode(text, **options._asdict()).tokens]
        assert fast.ids(text, options) == exact, ascii(text)
    assert fast.memory.missed < fast.memory.asked


@pytest.mark.parametrize("spec", STRATEGIES)
def test_adjacent_tokens_without_a_space(spec: str) -> None:
    """A long piece is cut where no token crosses; its parts are merged, and never taken whole."""
    tok = bundled(spec)
    choose = random.Random(5)
    known = [tok.decode([id]).strip() for id in choose.sample(range(len(tok.vocabulary)), 1500)]
    words = [word for word in known if word.isalpha()]
    if spec.startswith("llama-3"):
        # cannot be built by merges
        words = ["підтрим", "しない", *words]
    fast = FastPath(tok.parts)
    for number in range(600):
        text = "".join((words[number % 2], *choose.choices(words, k=2)) if number < 99 else choose.choices(words, k=3))
        exact = [token.id for token in tok.encode(text).tokens]
        assert fast.ids(text, Options()) == exact, ascii(text)


PROPERTY = [
    spec for spec in STRATEGIES if spec.startswith(("llama-2", "xlm-r", "bert", "rwkv-world@rwkv", "qwen2.5@hug"))
]


@pytest.mark.parametrize("spec", PROPERTY)
@given(text=st.one_of(texts(), st.text("ab ▁\n\t\u3000é'.", max_size=60)))
def test_any_text(spec: str, text: str) -> None:
    tok = bundled(spec)
    assert tok.encode(text).ids == [token.id for token in tok.encode(text).tokens]


def test_a_first_short_text_does_not_wait_for_a_strategy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("explorer.engine.fast.encoder.PAYS", 100)
    fast = FastPath(bundled("gpt-2").parts)
    assert fast.ids("It is", Options()) == bundled("gpt-2").encode("It is").ids
    assert "strategy" not in vars(fast)
    fast.ids("It is so. " * 10, Options())
    assert "strategy" in vars(fast)


def test_errors_name_the_same_position() -> None:
    tok = bundled("llama-2")
    for text in ("\ud800", "a \udcff"):
        with pytest.raises(InputError) as fast:
            tok.encode(text)
        with pytest.raises(InputError) as traced:
            tok.trace(text)
        assert str(fast.value) == str(traced.value)


def test_an_error_within_a_piece_names_its_position_in_the_text() -> None:
    model = Spm(Vocabulary.of(["▁a".encode(), b"a", "▁".encode()], [0.0, -1.0, -1.0]), byte_fallback=False)
    stages = (Normalization([SpacePrefix(), EscapeWhitespace()]), model)
    with pytest.raises(InputError, match=r"^character 5: "):
        FastPath(stages).ids("a a b", Options())


def vocabulary_with_a_space(kind: PieceKind) -> Vocabulary:
    """The unknown token, a space of some kind, and a letter."""
    kinds = [PieceKind.UNKNOWN, kind, PieceKind.NORMAL]
    return Vocabulary.of([b"<unk>", "▁".encode(), b"a"], [0.0, -1.0, -1.0], kinds)


UNUSED, CONTROL = vocabulary_with_a_space(PieceKind.UNUSED), vocabulary_with_a_space(PieceKind.CONTROL)


@pytest.mark.parametrize(
    "model",
    [
        Spm(UNUSED, 0, resegment_unused=True, pieces=PIECES, byte_fallback=False),
        Spm(CONTROL, 0, pieces=PIECES, byte_fallback=False),
        Unigram(CONTROL, 0, llama_cpp_rules(CONTROL)),
    ],
    ids=["unused", "control", "unigram"],
)
def test_a_run_of_unknown_characters_may_cross_a_space_that_is_not_output(model: Model) -> None:
    """A space marked UNUSED or CONTROL is as unknown as the characters next to it: all of them are one token."""
    fast = FastPath((Normalization([SpacePrefix(), EscapeWhitespace()]), model))
    for text in ("x y", "a x ya y", "x" * 20 + " y"):
        assert fast.unlocated(text * 400, Options()) == fast.by_stages(text * 400, Options()), text


WHOLE = Vocabulary.of([b"?", *map(str.encode, ("▁", "a", "b", "▁ab", "c", "c▁a"))])


@pytest.mark.parametrize("whole", [True, lambda piece: piece != "c"])
def test_a_piece_is_taken_whole_only_if_it_is_the_whole_fragment(whole: bool | Callable[[str], bool]) -> None:
    known = KnownCharacters(WHOLE.ids, unknown=b"?")
    parts = (Normalization([EscapeWhitespace()]), Bpe(WHOLE, MergeList([]), known, whole=whole))
    fast = FastPath((AddedTokenPartition([AddedToken(0, "?")]), *parts))
    together = Batches(fast)
    for text, ids in (
        (" ab ab", [1, 2, 3] * 2),
        (" ab", [4]),
        (" ab? ab", [4, 0, 4]),
        ("c a", [6]),
        (" ab" * 900, [1, 2, 3] * 900),
    ):
        assert fast.by_stages(text, Options()) == ids
        assert FastPath(fast.parts).ids(text + "?" * 2_000, Options()) == ids + [0] * 2_000
    with pytest.raises(NotCompiled):
        together.parts()


def test_an_unknown_character_that_merges_with_a_space_is_not_cut_from_it() -> None:
    """An unknown token, or the byte tokens of a character, are symbols like any other."""
    pieces = ["Ġ", " ", "a", "Ġ ", "<0xC3>", "<0x83>", "<0x83> "]
    vocabulary = Vocabulary.of([*map(str.encode, pieces)])
    rule = MergeList([*map(str.encode, ("Ġ  ", "<0x83>  "))])
    for fallback in (False, True):
        known = KnownCharacters(vocabulary.ids, unknown="Ġ".encode(), byte_fallback=fallback)
        fast = FastPath((AddedTokenPartition([]), Bpe(vocabulary, rule, known)))
        for text in ("x a", "Ã a", "a x Ã a"):
            assert FastPath(fast.parts).ids(text * 900, Options()) == fast.by_stages(text * 900, Options()), text


def test_what_a_space_may_follow() -> None:
    assert characters_before([b"a b", b"  ", b" x"], b" ") == "a"
    assert characters_before(["é".encode()[1:] + b" b"], b" ") is None


def test_a_word_that_becomes_white_space_is_not_split_from_what_follows() -> None:
    # U+00A0 becomes a space in XLM-R's map, and of several spaces one stays; U+000B becomes nothing
    tok = bundled("xlm-r@llama.cpp")
    strategy = tok.untraced.strategy
    assert isinstance(strategy, AtSpaces)
    for text in ("a\v \v b", "a\u200b b", "\v", " \v ", "a\v", "x a\v\v  b\v c"):
        assert strategy.ids(Segment.of(text)) == strategy.fallback.ids(Segment.of(text)), ascii(text)


def test_unknown_patterns_split_as_the_stages_do() -> None:
    def split(pattern: str) -> RegexSplit:
        return OnigurumaSplit(Pattern("", "", oniguruma.alternatives(pattern), nested_sets=True))

    stage = PreTokenization([split(r"\p{N}{1,3}"), split("[一-龥]+"), split(r" ?\p{L}+|x*"), ByteLevel()])
    model = next(part for part in bundled("gpt-2").parts if part.name == "model")
    fast = FastPath((stage, model))
    assert isinstance(fast.strategy, ByPattern)
    for text in [*strings(17, 300), "1234 語 xx a", "", "x", "語1"]:
        assert fast.ids(text, Options()) == fast.by_stages(text, Options()), ascii(text)


def test_a_splitter_for_spaces_after_all_spaces_are_escaped() -> None:
    tok = bundled("llama-2")
    never = PreTokenization([OnigurumaSplit(Pattern("", "", (Alternative(r"\ ", ""),)), Behavior.MERGED_WITH_PREVIOUS)])
    model = next(part for part in tok.parts if part.name == "model")
    fast = FastPath((Normalization([EscapeWhitespace()]), never, model))
    assert isinstance(fast.strategy, AtSpaces)
    for text in strings(18, 300):
        assert fast.ids(text, Options()) == fast.by_stages(text, Options()), ascii(text)


def test_unigram_with_rounded_sums_is_not_cut() -> None:
    """-0.1 - 0.2 is less than -0.3, but -9 - 0.1 - 0.2 is not: preceding text decides."""
    vocabulary = Vocabulary.of([b"x", b"a", b"b", b"ab"], [-1.0, -0.1, -0.2, -0.3])
    fast = FastPath((Unigram(vocabulary, None, huggingface_rules(vocabulary.scores)),))
    for text in ("xxab", "x" * 9 + "ab"):
        assert fast.unlocated(text * 400, Options()) == fast.by_stages(text * 400, Options())
        assert PieceEncoder(fast.model)(text) == tuple(fast.by_stages(text, Options()))


def test_sums_of_high_scores_are_exact_only_for_short_texts() -> None:
    vocabulary = Vocabulary.of([b"<unk>", b"a", b"aa"], [0.0, -0.25, 2.0**46], [2, 1, 1])
    assert longest_exact(Unigram(vocabulary, 0, llama_cpp_rules(vocabulary))) < 32

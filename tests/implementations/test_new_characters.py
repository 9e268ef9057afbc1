"""Characters that came after the Unicode of an original, live: the original takes them for unassigned, and so do we.

None of this may depend on which version of the `regex` module or of Python is installed.
"""

from __future__ import annotations

import random
from array import array
from functools import cache
from itertools import product
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers

import explorer
from explorer.engine.fast.strategies import split_of
from explorer.engine.normalizers.huggingface import STAND_INS
from explorer.engine.part import Segment, silent
from explorer.engine.partition.special_tokens import is_word
from explorer.engine.pre_tokenizers.by_regex import RegexSplit, Splitter
from explorer.engine.pre_tokenizers.huggingface import OnigurumaSplit, whitespace
from explorer.engine.pre_tokenizers.patterns import GPT2, LLAMA3, O200K_BASE, QWEN2, TEKKEN
from explorer.engine.regexes.oniguruma import OnigurumaSpans
from explorer.engine.regexes.safe import CHANGED, everything
from explorer.implementations.huggingface.text_stages import pattern_of
from explorer.implementations.tiktoken import as_published, from_ranks
from explorer.text.code_points import after_15, after_16, of_15
from tests.formats.gguf_writer import written
from tests.implementations.huggingface.test_normalizers import TOY_MAP, precompiled
from tests.originals.hugging_face import both
from tests.originals.llama_cpp import LlamaCpp

NEW = [*map(chr, sorted(after_15() | set(of_15()))), *CHANGED]
"""All that came after Unicode 14, the oldest that a Python here may have, and what was changed."""
CONTEXT = "a{0}1{0} {0}\n"
ALL = "".join(map(CONTEXT.format, NEW))
_NEW = frozenset(NEW)
_EDGES = [ch for ch in NEW if not _NEW.issuperset((chr(ord(ch) - 1), chr(ord(ch) + 1)))]
FEW = [*_EDGES, *random.Random(5).sample(NEW, 300)]
"""The ends of their ranges, and some of those between."""
SOME = "".join(map(CONTEXT.format, FEW))

DEEPSEEK = r"\p{N}{1,3}|[一-龥぀-ゟ゠-ヿ]+|[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"  # noqa: E501
PATTERNS = {
    **{pattern.name: pattern.regex for pattern in (GPT2, QWEN2, LLAMA3, O200K_BASE, TEKKEN)},
    "deepseek-v3": DEEPSEEK,
}
CATEGORIES = "|".join(rf"\p{{{name}}}+" for name in "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No P S Z C".split())


def pieces(splitter: Splitter, text: str) -> list[str]:
    """What a text is cut into, by the traced way and by the fast one."""
    slow = [piece.text for piece in splitter.split(Segment.of(text), 0, silent)]
    fast = split_of(splitter)
    assert fast is None or fast(text) == slow
    return slow


def split(pattern: str) -> tuple[OnigurumaSplit, pre_tokenizers.PreTokenizer]:
    """Ours and the original's."""
    return OnigurumaSplit(pattern_of(pattern)), pre_tokenizers.Split(Regex(pattern), "isolated")


@pytest.mark.long
def test_the_category_of_every_character_there_is() -> None:
    ours, theirs = split(CATEGORIES)
    text = everything()
    assert pieces(ours, text) == [piece for piece, _ in theirs.pre_tokenize_str(text)]


@pytest.mark.sample(2)
@pytest.mark.parametrize("pattern", [
    r"\w+", r"\X", r"\p{Alphabetic}+", r"\p{Han}+", r"\p{Extended_Pictographic}+", r"\p{Lowercase}+", r"\p{Cased}+",
    r"\p{Diacritic}", r"[\u0530-\u058F]+", r"[^\x{2B820}-\x{2CEAF}]+", r"\p{In_Armenian}", r"\p{Cn}+", r"[ɐ-ʯ]+|\p{Lo}",
    *PATTERNS.values(),
])  # fmt: skip
def test_new_characters_beside_others_under_oniguruma(pattern: str) -> None:
    ours, theirs = split(pattern)
    text = ALL if pattern == O200K_BASE.regex else SOME + "".join(NEW)
    assert pieces(ours, text) == [piece for piece, _ in theirs.pre_tokenize_str(text)]


def test_what_replaces_new_characters() -> None:
    for pattern in (r"\p{L}", r"[^\p{P}\p{S}]", r"\p{M}+"):
        ours, last = [], 0
        for start, end in OnigurumaSpans(pattern)(ALL):
            ours.append(ALL[last:start])
            last = end
        assert "".join(ours) + ALL[last:] == normalizers.Replace(Regex(pattern), "").normalize_str(ALL)


def test_words_of_rust() -> None:
    theirs = [piece for piece, _ in pre_tokenizers.Whitespace().pre_tokenize_str(ALL)]
    assert pieces(whitespace(), ALL) == theirs
    original = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    original.add_tokens([AddedToken("x", single_word=True)])
    alone = {ch for ch in FEW if 1 in original.encode(f"{ch}x").ids}
    assert {ch for ch in FEW if not is_word(ch)} == alone


def test_graphemes_of_a_character_map() -> None:
    pair = both(
        {"normalizer": precompiled(TOY_MAP), "model": {"type": "WordLevel", "vocab": {"?": 0}, "unk_token": "?"}}
    )
    normalization = next(part for part in pair.ours.parts if part.name == "normalize")
    assert STAND_INS.keys() <= set(map(ord, NEW))
    text = "".join(f"a{ch}" for ch in NEW)
    ours = normalization.normalizers[0].apply(Segment.of(text), 0, False, silent)  # type: ignore[attr-defined]
    assert pair.theirs.normalizer is not None
    assert ours.text == pair.theirs.normalizer.normalize_str(text)


# --- ids: a merge across each position where a text might be cut ---------------------------------------------------


@cache
def ranks() -> dict[bytes, int]:
    """All bytes, and two neighbors where one character ends and another one begins."""
    parts = [ch.encode() for ch in [*NEW, *"a1 x!\n"]]
    pairs = product(sorted({part[-1:] for part in parts}), sorted({part[:1] for part in parts}))
    tokens = [*(bytes([byte]) for byte in range(256)), *(first + second for first, second in pairs)]
    return {token: rank for rank, token in enumerate(tokens)}


@pytest.mark.parametrize("name", PATTERNS)
def test_ids_of_tiktoken(name: str) -> None:
    ours = from_ranks(as_published(ranks()), "toy.tiktoken", {"pattern": PATTERNS[name]})
    theirs = tiktoken.Encoding("toy", pat_str=PATTERNS[name], mergeable_ranks=ranks(), special_tokens={})
    text = ALL if name == O200K_BASE.name else SOME
    assert ours.encode(text).ids == theirs.encode(text)
    assert ours.trace(SOME).ids == theirs.encode(SOME)


@pytest.fixture(scope="module", params=["gpt-2", "qwen2", "qwen35", "llama-bpe", "gpt-4o", "tekken", "deepseek-v3",
                                        "deepseek-llm", "default", "kimi-k2", "tiny_aya"])  # fmt: skip
def llama_cpp(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[explorer.Tokenizer, Path]:
    from explorer.vocabulary import printable

    tokens = [printable(token) for token in ranks()]
    merges = [f"{printable(token[:1])} {printable(token[1:])}" for token in ranks() if len(token) == 2]
    path = tmp_path_factory.mktemp("gguf") / f"{request.param}.gguf"
    path.write_bytes(written({
        "general.architecture": "llama",
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": request.param,
        "tokenizer.ggml.tokens": [token.encode() for token in tokens],
        "tokenizer.ggml.token_type": array("i", [1] * len(tokens)),
        "tokenizer.ggml.merges": [merge.encode() for merge in merges],
        "tokenizer.ggml.add_bos_token": False,
    }))  # fmt: skip
    return explorer.load(path), path


@pytest.mark.sample(2)
def test_ids_of_llama_cpp(llama_cpp: tuple[explorer.Tokenizer, Path]) -> None:
    ours, path = llama_cpp
    with LlamaCpp(path) as theirs:
        text = ALL if path.stem == "gpt-2" else SOME + "1".join(NEW) * (path.stem == "gpt-4o")
        assert ours.encode(text).ids == theirs.tokenize(text)
        assert ours.trace(SOME).ids == theirs.tokenize(SOME)


TEXTS = st.text(
    st.one_of(st.sampled_from(NEW), st.sampled_from("aZ1 \n\r'!漢é\u0301😊\x10"), st.sampled_from("\ua7ce\u088f"))
)


@given(TEXTS)
@settings(max_examples=20)
def test_any_text_full_of_them(text: str) -> None:
    for pattern in PATTERNS.values():
        ours, theirs = split(pattern)
        assert pieces(ours, text) == [piece for piece, _ in theirs.pre_tokenize_str(text)]
        assert pieces(RegexSplit(ours.pattern), text) == pieces(ours, text)


@given(text=TEXTS)
@settings(max_examples=20)
def test_any_text_full_of_them_under_llama_cpp(llama_cpp: tuple[explorer.Tokenizer, Path], text: str) -> None:
    ours, path = llama_cpp
    with LlamaCpp(path) as theirs:
        assert ours.encode(text).ids == ours.trace(text).ids == theirs.tokenize(text)


def test_the_text_that_showed_it() -> None:
    """U+3E784 is a letter of Unicode 18, U+333A0 one of 17, and neither to tokenizers."""
    for ch in "\U0003e784\U000333a0":
        assert ord(ch) in after_16()
        for pattern in PATTERNS.values():
            ours, theirs = split(pattern)
            text = f"a{ch}\x10 {ch}b"
            assert pieces(ours, text) == [piece for piece, _ in theirs.pre_tokenize_str(text)]

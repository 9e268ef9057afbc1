"""llama.cpp's pre-tokenizer patterns, as patterns.toml has them.

They are from `llm_tokenizer_bpe` in llama.cpp's `src/llama-vocab.cpp`. `tokenizer.ggml.pre` selects the ones a
vocabulary uses, usually several in turn (`implementations/llama_cpp/pre_tokenizers.py`). `scanners.py` and
`by_regex.py` run them as llama.cpp does: some are mere names for a hand-written scanner, and in the others `\\p{Lu}`,
`\\p{Ll}` and the like all mean `\\p{L}`.
"""

from explorer.engine.pre_tokenizers.patterns import read
from explorer.engine.regexes.safe import Pattern

SOURCE = "llama.cpp, llm_tokenizer_bpe in src/llama-vocab.cpp"
"""The source of these patterns but one."""

KNOWN = {
    key: Pattern(f"{row['name']} (llama.cpp)", row.get("source", f"{SOURCE}{row.get('note', '')}"), each)
    for key, (row, each) in read("llama_cpp").items()
}
"""Row of the table → its pattern."""

PATTERNS = {pattern.name: pattern for pattern in KNOWN.values()}
"""All patterns by name."""


def __getattr__(name: str) -> Pattern:
    """A pattern by its row, such as `patterns_llama_cpp.LLAMA3_ASCII`."""
    if name not in KNOWN:
        raise AttributeError(f"patterns.toml has no row {name} of llama.cpp")
    return KNOWN[name]

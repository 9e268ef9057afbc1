"""The settings behind every name of `tokenizer.ggml.pre` that llama.cpp has.

The name is that of a model; llama.cpp's converter finds it by tokenizing a test text. It selects the patterns, applied
in order, and settings that no file contains. Follows `llama_vocab::impl::load` and `llm_tokenizer_bpe` in llama.cpp's
`src/llama-vocab.cpp`, of the llama.cpp in llama-cpp-python 0.3.36 (0c1e57098);
`tests/originals/compare_llama_vocab.py` prints the differences of another copy of that file.

`FIRST_KNOWN` says which llama.cpp first knows each name.

Read from `llama-vocab.cpp` (before 0.2.83 `llama.cpp`) in the sources of the releases of llama-cpp-python that are
listed; releases between them were not looked at.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Final, NamedTuple

from explorer.engine.pre_tokenizers import patterns_llama_cpp as p
from explorer.engine.pre_tokenizers.by_regex import CollapsedSplit, Splitter
from explorer.engine.pre_tokenizers.scanners import ScannerSplit, scanner_of
from explorer.engine.regexes.safe import Pattern


class Pre(NamedTuple):
    """The settings of one name. The defaults are llama.cpp's for BPE.

    patterns: applied in order.
    ignore_merges: a piece that is a token is used whole, without merging.
    add_bos: BOS is put in front, unless the file says otherwise. bos: whether a file without a BOS id has the default.
    add_sep: a separator goes between two texts; it does not affect a single one.
    clean_spaces: decoding removes the space before punctuation and contractions.
    bytes_spelled: the bytes of a piece are spelled as printable characters; otherwise the merges run on the text
        itself, and what is not a token becomes its bytes `<0xXX>`.
    escape_spaces: every space is written ▁ first.
    line_feeds_whole: a piece of line feeds only that is a token is used whole, and BOS is always added.
    lowercase: for the tokenizer model `whitespace`: letters are lowercased, unless the file says otherwise.
    """

    patterns: tuple[Pattern, ...]
    ignore_merges: bool = False
    add_bos: bool = False
    bos: bool = True
    add_sep: bool = False
    clean_spaces: bool = True
    bytes_spelled: bool = True
    escape_spaces: bool = False
    line_feeds_whole: bool = False
    lowercase: bool = True

    @property
    def splitters(self) -> list[Splitter]:
        """The splitters: a scanner if llama.cpp has one for the pattern, otherwise the pattern itself."""
        return [_splitters[pattern] for pattern in self.patterns]


class _Splitters(dict[Pattern, Splitter]):
    """Pattern → its splitter, made when first used: compiling takes milliseconds, and one file needs few of them."""

    def __missing__(self, pattern: Pattern) -> Splitter:
        scanner = scanner_of(pattern)
        found = self[pattern] = ScannerSplit(scanner) if scanner else CollapsedSplit(pattern)
        return found


_splitters = _Splitters()

_GPT2, _LLAMA3, _QWEN2 = (p.GPT2_SHORT,), (p.LLAMA3_ASCII,), (p.QWEN2_ASCII,)
_NUMBER_GPT2 = (p.JUST_NUMBER, p.GPT2_SHORT)
_DEEPSEEK3 = (p.JUST_THREE_NUMBERS, p.HAN_AND_KANA, p.DEEPSEEK3)
_TEXT_ITSELF = Pre((p.LINE_FEEDS,), bytes_spelled=False, escape_spaces=True)

_GROUPS: tuple[tuple[str, Pre], ...] = (
    ("default", Pre((p.PUNCTUATION, p.GPT2_SHORT, p.JUST_NUMBERS, p.THREE_DIGITS))),
    ("llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano", Pre(
        _LLAMA3, ignore_merges=True, add_bos=True)),
    ("gpt-2 phi-2 jina-es jina-de gigachat jina-v2-es jina-v2-de a.x-4.0 mellum modern-bert mpt olmo jais exaone4", Pre(
        _GPT2)),
    ("qwen2 deepseek-r1-qwen kormo f2llmv2 hunyuan solar-open grok-2", Pre(_QWEN2, clean_spaces=False)),
    ("qwen35", Pre((p.QWEN35,), clean_spaces=False)),
    ("gpt-4o llama4 kanana2 talkie minimax-m2", Pre((p.GPT4O,), clean_spaces=False)),
    ("tekken", Pre((p.TEKKEN,), ignore_merges=True, add_bos=True, clean_spaces=False)),
    ("deepseek-v3 hunyuan-dense hy_v4 joyai-llm", Pre(_DEEPSEEK3, clean_spaces=False)),
    ("gemma4 granite-embed-multi-311m", _TEXT_ITSELF._replace(line_feeds_whole=True)),
    ("sarvam-moe", _TEXT_ITSELF._replace(clean_spaces=False)),
    ("glm4 glm5", Pre(_LLAMA3, ignore_merges=True, bos=False)),
    ("chatglm-bpe", Pre(_LLAMA3, bos=False)),
    ("dbrx smaug-bpe", Pre(_LLAMA3)),
    ("stablelm2 megrez", Pre(_QWEN2)),
    ("trillion granite-docling", Pre(_GPT2, clean_spaces=False)),
    ("jina-v1-en jina-v2-code roberta-bpe", Pre(_GPT2, add_sep=True)),
    ("starcoder refact codeshell exaone minerva-7b mellum2", Pre(_NUMBER_GPT2)),
    ("command-r smollm", Pre(_NUMBER_GPT2, clean_spaces=False)),
    ("kimi-k2", Pre((p.KIMI_K2,), clean_spaces=False)),
    ("deepseek-llm", Pre((p.LINE_BREAK, p.DEEPSEEK_LETTERS, p.DEEPSEEK_PUNCTUATION, p.WHITE_SPACE_AT_THE_END,
                          p.DEEPSEEK_HAN, p.JUST_NUMBERS), clean_spaces=False)),
    ("deepseek-coder", Pre(p.DEEPSEEK_CODER, clean_spaces=False)),
    ("falcon", Pre((p.FALCON_PUNCTUATION, p.GPT2_SHORT, p.THREE_DIGITS))),
    ("spark2_5", Pre((p.JUST_THREE_NUMBERS, p.HAN_AND_KANA, p.SPARK, p.JUST_NUMBER), clean_spaces=False)),
    ("youtu", Pre((p.YOUTU_ASIA, p.YOUTU), ignore_merges=True, clean_spaces=False)),
    ("minicpm5", Pre((p.JUST_THREE_NUMBERS, p.MINICPM5), ignore_merges=True)),
    ("jais-2", Pre((p.JAIS2,))),
    ("bloom gpt3-finnish", Pre((p.BLOOM,))),
    ("poro-chat", Pre((p.BLOOM,), clean_spaces=False)),
    ("viking", Pre((p.BLOOM, p.JUST_NUMBER), clean_spaces=False)),
    ("exaone-moe", Pre((p.EXAONE_MOE,))),
    ("chameleon", Pre(p.CHAMELEON, add_bos=True, clean_spaces=False)),
    ("granite-embed-multi-97m", Pre((p.GRANITE_EMBEDDING,), ignore_merges=True, clean_spaces=False)),
    ("tiny_aya cohere2moe", Pre((p.TINY_AYA_DIGITS, p.TINY_AYA), clean_spaces=False)),
    ("superbpe", Pre((p.JUST_NUMBERS, p.THOUSANDS), clean_spaces=False)),
    ("bailingmoe bailingmoe2 llada-moe", Pre((p.BAILING,), clean_spaces=False)),
    ("seed-coder", Pre((p.SEED_CODER,), clean_spaces=False)),
    ("ufakzeka", Pre((p.UFAKZEKA,), clean_spaces=False)),
    ("afmoe", Pre((p.AFMOE_DIGITS, p.AFMOE_ASIA, p.AFMOE), clean_spaces=False)),
    ("laguna", Pre((p.LINE_FEEDS, p.QWEN2_ASCII), clean_spaces=False)),
    ("whitespace", Pre((p.WORDS,), bytes_spelled=False, lowercase=False)),
)  # fmt: skip
PRE: Final = {name: pre for names, pre in _GROUPS for name in names.split()}
"""`tokenizer.ggml.pre` → its settings. The most common names come first."""

DEFAULT: Final = "default"
"""The name that llama.cpp uses if a file has none."""


def likeliest(name: str) -> tuple[str, ...]:
    """All names, those most similar to an unknown name first.

    >>> likeliest("llama-bpe2")[:2], len(likeliest("")) == len(PRE)
    (('llama-bpe', 'llama-v3'), True)
    """
    near = get_close_matches(name, PRE, n=3)
    return (*near, *(each for each in PRE if each not in near))


FIRST_KNOWN: Final = {
    "0.2.64": "",
    "0.2.68": "default llama-bpe llama3 llama-v3 gpt-2 mpt starcoder deepseek-llm deepseek-coder falcon",
    "0.2.70": "olmo refact command-r",
    "0.2.72": "qwen2 dbrx",
    "0.2.75": "jina-es jina-de jina-v2-es jina-v2-de",
    "0.2.77": "smaug-bpe stablelm2",
    "0.2.79": "jina-v2-code poro-chat",
    "0.2.82": "phi-2 jais chatglm-bpe viking",
    "0.2.85": "tekken codeshell smollm",
    "0.2.88": "",
    "0.2.90": "exaone bloom gpt3-finnish",
    "0.3.0": "",
    "0.3.2": "jina-v1-en chameleon",
    "0.3.5": "minerva-7b",
    "0.3.8": "falcon3 gigachat deepseek-r1-qwen gpt-4o deepseek-v3 megrez roberta-bpe",
    "0.3.9": "pixtral llama4 glm4 trillion superbpe bailingmoe",
    "0.3.12": "seed-coder",
    "0.3.14": "falcon-h1 midm-2.0 lfm2 a.x-4.0 hunyuan kimi-k2",
    "0.3.16": "mellum exaone4 hunyuan-dense",
    "0.3.18": (
        "jina-v5-nano modern-bert kormo solar-open grok-2 qwen35 kanana2 minimax-m2 joyai-llm granite-docling "
        "youtu jais-2 exaone-moe tiny_aya bailingmoe2 llada-moe afmoe"
    ),
    "0.3.20": "f2llmv2",
    "0.3.24": "talkie gemma4 sarvam-moe minicpm5 whitespace",
    "0.3.28": "granite-embed-multi-311m mellum2 granite-embed-multi-97m",
    "0.3.32": "cohere2moe",
    "0.3.36": "hy_v4 glm5 spark2_5 ufakzeka laguna",
}
"""Release, the oldest first → the names that the one before lacks."""

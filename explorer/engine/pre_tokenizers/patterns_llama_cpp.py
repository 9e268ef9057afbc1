"""llama.cpp's pre-tokenizer patterns, verbatim, one plain sentence per alternative.

They are from `llm_tokenizer_bpe` in llama.cpp's `src/llama-vocab.cpp`. `tokenizer.ggml.pre` selects the ones a
vocabulary uses, usually several in turn (`implementations/llama_cpp/pre_tokenizers.py`). `scanners.py` and
`by_regex.py` run them as llama.cpp does: some are mere names for a hand-written scanner, and in the others `\\p{Lu}`,
`\\p{Ll}` and the like all mean `\\p{L}`.
"""

from __future__ import annotations

from typing import Final

from explorer.engine.pre_tokenizers.patterns import GPT2, LLAMA3, LOWER, O200K_BASE, QWEN2, UPPER
from explorer.engine.regexes.safe import Alternative, Pattern

SOURCE: Final = "llama.cpp, llm_tokenizer_bpe in src/llama-vocab.cpp"
"""The source of all these patterns."""


PATTERNS: Final[dict[str, Pattern]] = {}
"""All patterns by name; `pattern` adds them."""


def pattern(name: str, *alternatives: Alternative, note: str = "") -> Pattern:
    """One of llama.cpp's patterns. note: appended to its source."""
    made = Pattern(f"{name} (llama.cpp)", f"{SOURCE}{note}", alternatives)
    PATTERNS[made.name] = made
    return made


_ASCII_CONTRACTION = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
_FRONT = "with one character in front that is not a letter, number or line break: usually the space"
_ANY_LETTER = "for llama.cpp \\p{Lu}, \\p{Ll} and the others match any letter"

CONTRACTION = Alternative(
    _ASCII_CONTRACTION,
    "The end of an English contraction, in any case, but only in ASCII letters: not ſ.",
    rewritten=LLAMA3.alternatives[0].regex,
)
LETTERS = LLAMA3.alternatives[1]
THREE_NUMBERS = LLAMA3.alternatives[2]
ONE_NUMBER = QWEN2.alternatives[2]
NUMBERS = Alternative(r"\p{N}+", "A run of digits.")
VISIBLE = LLAMA3.alternatives[3]
LINES = LLAMA3.alternatives[4]
ONE_LINE = LINES._replace(regex=r"\s*[\r\n]")
SPACES_BUT_ONE, SPACES = LLAMA3.alternatives[5:]
WHITE_SPACE = (LINES, SPACES_BUT_ONE, SPACES)
VISIBLE_AND_SLASHES = O200K_BASE.alternatives[3]
LETTERS_AND_MARKS = Alternative(r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+", f"Letters and marks, {_FRONT}.")

GPT2_SHORT: Final = pattern(
    "gpt-2",
    *GPT2.alternatives[:5],
    note="; run by a hand-written scanner that adds the last alternative, \\s+, which the source lacks",
)
LLAMA3_ASCII: Final = pattern("llama-3", CONTRACTION, *LLAMA3.alternatives[1:])
QWEN2_ASCII: Final = pattern("qwen-2", CONTRACTION, *QWEN2.alternatives[1:])
QWEN35: Final = pattern(
    "qwen-3.5",
    CONTRACTION,
    LETTERS_AND_MARKS,
    ONE_NUMBER,
    Alternative(
        r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*",
        "Anything else that is visible but not a mark, with the space in front and the line breaks after it.",
    ),
    *WHITE_SPACE,
)

JAIS2: Final = pattern(
    "jais-2", CONTRACTION, LETTERS, THREE_NUMBERS, VISIBLE, LINES,
    *(Alternative(rf"\s{{{count}}}(?!\S)", f"{count} characters of white space, unless a word follows directly.")
      for count in (512, 256, 128, 64, 32, 16, 8, 4)),
    Alternative(r"\s{1,2}(?!\S)", "One or two characters of white space, unless a word follows directly."),
    Alternative(r"\s{1}", "One character of white space: the one before a word."),
)  # fmt: skip

LINE_BREAK: Final = pattern("line break", Alternative("[\r\n]", "One line break."))
DEEPSEEK_LETTERS: Final = pattern(
    "letters, deepseek-llm",
    Alternative(
        "\\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-"
        "\u1f7dᾀ-ᾴᾶ-ᾼ\u1fbeῂ-ῄῆ-ῌῐ-\u1fd3ῖ-\u1fdbῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤ\u2126ℨ\u212a-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛ"
        "Ꜣ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+",
        "Letters of the scripts that have capitals, with one character of white space in front.",
    ),
)
DEEPSEEK_PUNCTUATION: Final = pattern(
    "punctuation, deepseek-llm",
    Alternative(
        r"\s?[!-/:-~！-／：-～‘-‟　-。]+",
        "A run of punctuation and ASCII letters (they are between : and ~), with one character of white space in "
        "front.",
    ),
)
WHITE_SPACE_AT_THE_END: Final = pattern(
    "white space at the end",
    # the engine's spelling tries only at the start of a run: the original takes quadratic time
    Alternative(r"\s+$", "White space at the very end of the pre-token.", r"(?<!\s)\s++\Z"),
)
DEEPSEEK_HAN: Final = pattern(
    "chinese and korean, deepseek",
    Alternative("[一-龥ࠀ-一가-퟿]+", "Code points from U+0800 to 龥 and Korean syllables, together."),
)
JUST_NUMBERS: Final = pattern("numbers", NUMBERS)
JUST_NUMBER: Final = pattern("number", Alternative(r"\p{N}", "One digit, always alone."))
JUST_THREE_NUMBERS: Final = pattern("three numbers", Alternative(r"\p{N}{1,3}", "Up to three digits."))
THREE_DIGITS: Final = pattern("three digits", Alternative("[0-9][0-9][0-9]", "Three ASCII digits."))

_PUNCTUATION_AND_WORD = Alternative(
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+""", "An ASCII punctuation mark and the ASCII letters after it."
)
_WORD_AND_MARKS = "Letters and marks, with one character in front: not a letter, punctuation, symbol or line break."
HAN_AND_KANA: Final = pattern(
    "han and kana", Alternative("[一-龥぀-ゟ゠-ヿ]+", "Chinese characters, Hiragana and Katakana.")
)
DEEPSEEK3: Final = pattern(
    "deepseek-v3",
    _PUNCTUATION_AND_WORD,
    Alternative("[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+", _WORD_AND_MARKS),
    Alternative(
        " ?[\\p{P}\\p{S}]+[\r\n]*", "Punctuation and symbols, with the space in front and the line breaks after it."
    ),
    LINES._replace(regex="\\s*[\r\n]+"),
    SPACES_BUT_ONE,
    SPACES,
)
SPARK: Final = pattern(
    "spark-2.5",
    _PUNCTUATION_AND_WORD,
    DEEPSEEK3.alternatives[1],
    Alternative(r" ?[\p{P}\p{S}]+", "Punctuation and symbols, with the space in front."),
    LINE_BREAK.alternatives[0],
    SPACES_BUT_ONE,
    SPACES,
)
AFMOE: Final = pattern(
    "afmoe",
    _PUNCTUATION_AND_WORD,
    Alternative(r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+", _WORD_AND_MARKS),
    Alternative(r" ?[\p{P}\p{S}]+[\r\n]*", DEEPSEEK3.alternatives[2].says),
    *WHITE_SPACE,
)
AFMOE_DIGITS: Final = pattern(
    "digits, afmoe",
    Alternative(
        r"\p{AFMoE_digits}",
        "Digits in threes, counted from their end; the first group includes all the "
        "text before it that is not split yet: abc1234 becomes abc1 and 234.",
    ),
    note="; a mere name for a hand-written scanner",
)
AFMOE_ASIA: Final = pattern(
    "asia, afmoe",
    Alternative(
        "[一-鿿㐀-䶿豈-﫿぀-ゟ゠-ヿ･-ﾟ⼀-⿟เ-๿຀-໿ក-៿က-႟ꩠ-ꩿꧠ-꧿가-힯ᄀ-ᇿ]+",
        "Chinese, Japanese, Thai, Lao, Khmer, Burmese and Korean, together.",
    ),
)

YOUTU_ASIA: Final = pattern(
    "asia, youtu",
    Alternative("[가-힣ㄱ-ㆎ]+", "Korean."),
    Alternative("[！…“”‘’—：；，、-〿︰-﹏]+", "Chinese punctuation and quotation marks."),
    Alternative("[ㄅ-ㄯ]+", "Bopomofo."),
    *HAN_AND_KANA.alternatives,
)
_WORDS = (
    Alternative(
        rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+{_ASCII_CONTRACTION}?",
        f"Letters and marks, {_FRONT}, and the end of a contraction after it. It is meant to separate lowercase "
        f"letters from capitals, but {_ANY_LETTER}.",
    ),
    Alternative(
        rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*{_ASCII_CONTRACTION}?",
        f"The same again; it never matches, because {_ANY_LETTER}.",
    ),
)
YOUTU: Final = pattern("youtu", *_WORDS, ONE_NUMBER, VISIBLE_AND_SLASHES, *WHITE_SPACE)
TINY_AYA: Final = pattern("tiny-aya", *_WORDS, THREE_NUMBERS, VISIBLE_AND_SLASHES, *WHITE_SPACE)
TINY_AYA_DIGITS: Final = pattern(
    "digits, tiny-aya",
    Alternative(r"\d{1,3}(?=(?:\d{3})*\b)", AFMOE_DIGITS.alternatives[0].says),
    note="; run by a hand-written scanner that does more than the pattern",
)

DEEPSEEK_CODER: Final = (
    LINE_BREAK,
    pattern("letters", Alternative(r"\s?\p{L}+", "Letters, with one character of white space in front.")),
    pattern("punctuation", Alternative(r"\s?\p{P}+", "Punctuation, with one character of white space in front.")),
    DEEPSEEK_HAN,
    JUST_NUMBER,
)

PUNCTUATION: Final = pattern("punctuation, default", Alternative(r"[\p{P}\$\+<=>\^~\|]+", "A run of punctuation."))
FALCON_PUNCTUATION: Final = pattern(
    "punctuation, falcon",
    Alternative(r"[\p{P}\$\+<=>\^~\|`]+", "A run of punctuation, including the grave accent."),
)

BLOOM: Final = pattern(
    "bloom",
    Alternative(
        " ?[^(\\s|.,!?…。，、।۔،)]+",
        "Anything but white space, brackets, bars and sentence marks, with the space in front.",
    ),
)

_NOT_SMALL, _NOT_CAPITAL = r"((?=[\p{L}])([^a-z]))", r"((?=[\p{L}])([^A-Z]))"
_SMALL_SAYS = (
    "A word that ends in letters other than A to Z, with letters other than a to z only at its beginning, "
    "and one character in front that is not a letter or number"
)
TEKKEN: Final = pattern(
    "tekken",
    Alternative(rf"[^\r\n\p{{L}}\p{{N}}]?{_NOT_SMALL}*{_NOT_CAPITAL}+", f"{_SMALL_SAYS}."),
    Alternative(rf"[^\r\n\p{{L}}\p{{N}}]?{_NOT_SMALL}+{_NOT_CAPITAL}*", "A word in capitals, likewise."),
    ONE_NUMBER,
    VISIBLE_AND_SLASHES,
    *WHITE_SPACE,
)
GPT4O: Final = pattern(
    "gpt-4o",
    Alternative(
        rf"[^\r\n\p{{L}}\p{{N}}]?{_NOT_SMALL}*{_NOT_CAPITAL}+{_ASCII_CONTRACTION}?",
        f"{_SMALL_SAYS}, and the end of a contraction after it.",
    ),
    Alternative(
        rf"[^\r\n\p{{L}}\p{{N}}]?{_NOT_SMALL}+{_NOT_CAPITAL}*{_ASCII_CONTRACTION}?", "A word in capitals, likewise."
    ),
    THREE_NUMBERS,
    VISIBLE_AND_SLASHES,
    *WHITE_SPACE,
)
_WITH_MARKS = [each.replace(r"[\p{L}]", r"[\p{L}\p{M}]") for each in (_NOT_SMALL, _NOT_CAPITAL)]
GRANITE_EMBEDDING: Final = pattern(
    "granite-embedding",
    Alternative(
        rf"[^\r\n\p{{L}}\p{{N}}]?{_WITH_MARKS[0]}*{_WITH_MARKS[1]}+{_ASCII_CONTRACTION}?",
        f"{_SMALL_SAYS}, and the end of a contraction after it. Marks count as letters.",
    ),
    Alternative(
        rf"[^\r\n\p{{L}}\p{{N}}]?{_WITH_MARKS[0]}+{_WITH_MARKS[1]}*{_ASCII_CONTRACTION}?",
        "A word in capitals, likewise.",
    ),
    THREE_NUMBERS,
    VISIBLE_AND_SLASHES,
    *WHITE_SPACE,
)

CHAMELEON: Final = (
    pattern("sentinels", Alternative("<sentinel:[0-9]+>", "A sentinel token.")),
    pattern("images", Alternative("(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z", "A token of an image.")),
    pattern("indents", Alternative("([\\t\\n]|    |  )", "A tab, a line feed, four spaces or two: each a pre-token.")),
    JUST_NUMBER,
    pattern("one punctuation mark", Alternative(r"[\p{P}!-/:-@\[-`{-~]", "One punctuation mark, always alone.")),
    GPT2_SHORT,
)

KIMI_K2: Final = pattern(
    "kimi-k2",
    Alternative(r"\p{Han}+", "A run of Chinese characters."),
    note="; a mere name for a hand-written scanner, which has seven more alternatives",
)

THOUSANDS: Final = pattern(
    "thousands",
    Alternative(r"(?=(\d{3})+(?!\d))", "The empty string before each third digit, counted from their end."),
)

BAILING: Final = pattern(
    "bailing",
    Alternative("'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])", CONTRACTION.says),
    LETTERS,
    ONE_NUMBER,
    VISIBLE,
    ONE_LINE,
    SPACES_BUT_ONE,
    SPACES,
)
SEED_CODER: Final = pattern(
    "seed-coder",
    CONTRACTION,
    LETTERS,
    ONE_NUMBER._replace(regex=r"\p{N}{1}"),
    Alternative(r" ?[^\s\p{L}\p{N}\r\n]+", "Anything else that is visible, with the space in front of it."),
    *WHITE_SPACE,
)
UFAKZEKA: Final = pattern("ufakzeka", *QWEN2.alternatives[1:])
EXAONE_MOE: Final = pattern(
    "exaone-moe", CONTRACTION,
    Alternative(r"[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+", f"Letters with their marks, {_FRONT}; words "
                "one space apart stay together."),
    ONE_NUMBER,
    Alternative(r" ?[^\s\p{L}\p{N}]+[\r\n/]?", "Anything else that is visible, with the space in front and one line "
                "break or slash after it."),
    ONE_LINE, SPACES_BUT_ONE, SPACES,
)  # fmt: skip
LINE_FEEDS: Final = pattern(
    "line feeds",
    Alternative(r"[^\n]+", "All the text up to a line feed: white space does not split."),
    Alternative(r"[\n]+", "A run of line feeds."),
)
MINICPM5: Final = pattern("minicpm-5", CONTRACTION, LETTERS, NUMBERS, VISIBLE, *WHITE_SPACE)
WORDS: Final = pattern("words", Alternative(r"\S+", "Anything but white space."))
DROPPED_WHITE_SPACE: Final = Pattern(
    "white space (llama.cpp)",
    "llama.cpp, llm_tokenizer_whitespace_session in src/llama-vocab.cpp, which does the same without a pattern",
    (Alternative(r"\s+", "White space: it is dropped."),),
)
PATTERNS[DROPPED_WHITE_SPACE.name] = DROPPED_WHITE_SPACE

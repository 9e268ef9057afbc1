"""Nasty texts: random but repeatable combinations of what tokenizers get wrong.

The kinds follow llama.cpp's `test-tokenizer-random.py` and RWKV's test corpus: white space of every sort,
digits of all scripts, marks, joiners, spellings of special tokens, code, and code points of all planes. `strings`
gives a seeded list for comparing with an original over many texts; `texts` is the same for hypothesis, which
shrinks. No text contains a surrogate, so each can be encoded as UTF-8.
"""

from __future__ import annotations

import random
import sys
import unicodedata
from collections.abc import Callable
from typing import Final

from hypothesis import strategies as st

from tests.tiers import amount, spread

WHITE_SPACE: Final = (
    *("\t", "\n", "\v", "\f", "\r", " ", "\x85", "\xa0", "\u1680"),
    *map(chr, range(0x2000, 0x200B)),
    *("\u2028", "\u2029", "\u202f", "\u205f", "\u3000"),
    # not White_Space, but some programs treat it as such
    *("\x1c", "\x1d", "\x1e", "\x1f", "\u180e", "\u200b", "\u2060", "\u2800", "\u3164", "\ufeff"),
    *("  ", "   ", "\r\n", "\n\n", "\n\n\n", " \n", "\t\t", " \t "),
)
APOSTROPHES: Final = (
    *("'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'S", "'T", "'RE", "'Ve", "'LL", "'D", "'ſ", "'x", "''s"),
    *("’s", "’re", "ʼs", "＇s", "`s", "´t", "don't", "I'll've", "'tis", "rock'n'roll"),
)
NUMBERS: Final = tuple(
    ch for ch in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(ch) in ("Nd", "Nl", "No")
)
MARKS: Final = (
    *("\u0300", "\u0301", "\u0308", "\u030a", "\u0323", "\u0327", "\u034f", "\u0345", "\u20dd", "\u20e3"),
    *("\u0591", "\u05b0", "\u064b", "\u0651", "\u093f", "\u094d", "\u0e31", "\u0e47", "\u1ab0", "\u3099"),
    *("e\u0301", "é", "A\u030a", "\u00c5", "\u212b", "ﬁ", "ﷺ", "q\u0323\u0307", "q\u0307\u0323", "Z\u0351\u036b\u0343"),
    *("क्षि", "நி", "กำ", "ປັ", "ᄀ\u1161\u11a8", "각", "\u1161", "\u11a8", "\ud7b0", "\u115f\u1160", "ᄒᆞᆫ글"),
)
HAN: Final = (
    *("漢字", "汉字", "一", "鿿", "\u3400", "\u4dbf", "\U00020000", "\U0002a6df", "\U0002a700", "\U0002ceb0"),
    *("\U00030000", "\U000323af", "\uf900", "\ufa6d", "\U0002f800", "々", "〇", "⼀", "⺀", "㍿"),
    *("ひらがな", "カタカナ", "ｶﾞ", "が", "か\u3099", "한국어", "、", "。", "「」", "全角ＡＢＣ１２３"),
)
EMOJI: Final = (
    *("😊", "🦙", "❤️", "❤", "☺︎", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🏴‍☠️", "🇩🇪", "🇩", "🇩🇪🇫", "👍🏽", "🏽", "1️⃣", "#️⃣"),
    *("🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "👁️‍🗨️", "\u200d", "\ufe0f"),
    *("🫠", "\U0001fae8"),
)
INVISIBLE: Final = (
    *("\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u061c", "\u202a", "\u202b", "\u202c"),
    *("\u202d", "\u202e"),
    *("\u2066", "\u2067", "\u2068", "\u2069", "\u00ad", "\u2060", "\u2061", "\ufeff", "\ufff9"),
    *("\ufffb", "\ufffc"),
    *("\ufffd", "\ue000", "\uf8ff", "\U000f0000", "\U0010fffd", "\ufdd0", "\ufffe", "\uffff", "\U0010ffff"),
    *("\u0378", "\U000e0001", "\U000e0100", "\U0001d173", "\u206a", "\ud7ff"),
)
CONTROLS: Final = (*map(chr, range(0x20)), "\x7f", *map(chr, range(0x80, 0xA0)), "\0\0", "a\0b", "\x1b[31m")
SPECIAL: Final = (
    *("<s>", "</s>", "<unk>", "<pad>", "<mask>", "<0x00>", "<0x0A>", "<0xE2>", "<0xFF>", "<0xff>", "<0x0G>"),
    *("<|endoftext|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>", "<|im_start|>", "<|im_end|>"),
    *("<|begin_of_text|>", "<|eot_id|>", "<|start_header_id|>", "<|reserved_special_token_0|>"),
    "<|fim_prefix|>",
    *("[CLS]", "[SEP]", "[MASK]", "[UNK]", "[PAD]", "[INST]", "[/INST]", "<<SYS>>", "[EMPTY_3]"),
    # partial, nested, doubled, in the wrong case, with space in them
    *("<s", "s>", "</s", "<", ">", "<s><s>", "<<s>>", "<s></s>", "<S>", "< s>", "<s >", "<s>\n"),
    *(" <s> ", "\n</s>"),
    *("<|endoftext", "endoftext|>", "<|", "|>", "<||>", "<|endof<|endoftext|>text|>", "<0x0"),
    *("<0x0A", "0x0A>"),
    *("<|end|> ", " <|end|>", "<|user|>\n\n", "[CLS", "CLS]", "[ CLS ]", "##ing", "##", "Ġ", "Ċ", "ĠĠ"),
    *("▁", "▁▁", "▁ ", " ▁", "▁▁▁▁", "▁the", "the▁", "_", "_ _"),
)
CODE: Final = (
    *("def f(x):\n\treturn x+1\n", "\t\tif (a&&b) {", "for(i=0;i<10;++i)", "0xDEADBEEF"),
    *("3.14e-10", "1,234,567.89"),
    *("        return None", "#include <vector>\r\n", '<div class="a">', "</script>", "a_b_c"),
    "camelCaseWord",
    *("SELECT * FROM t;", "$x^2_{i}$", "\\n\\t\\u00c5", "C:\\Users\\"),
    *("https://example.org/a?b=c#d", "a@b.c"),
    *("*it*", ":smile:", "```\n", "!!!???...", "-->", "==>", "=" * 40, "-" * 20, "0000000"),
    "12345678901234567890",
)
WORDS: Final = (
    *("What", "is", "LoRA", "the", "Hello", "world", "low", "lower", "lowest", "tokenization"),
    "antidisestablish",
    *("ÅNGSTRÖM", "straße", "STRASSE", "İstanbul", "ıI", "ŒUVRE", "ſtop", "ΣΊΣΥΦΟΣ", "ǅ", "Привет"),
    *("мир", "Ελληνικά"),
    *("שלום", "العربية", "مرحبا", "فارسی", "हिन्दी", "বাংলা", "தமிழ்", "ไทย", "ລາວ", "မြန်မာ"),
    *("ខ្មែរ", "አማርኛ", "ქართული"),
    *("𝓱𝓮𝓵𝓵𝓸", "ʰᵉˡˡᵒ", "ＨＥＬＬＯ", "𐍈", "𒀀", "𓀀", "ᚠᛇᚻ", "Ⅷ", "½", "①", "x²", "naïve", "Zürich", "ꙮ"),
    "ᏣᎳᎩ",
)

PIECES: Final = tuple(
    dict.fromkeys((*WHITE_SPACE, *APOSTROPHES, *MARKS, *HAN, *EMOJI, *INVISIBLE, *CONTROLS, *SPECIAL, *CODE, *WORDS))
)
"""Every listed piece once, without the 1,800 numbers."""


def code_point(choose: random.Random) -> str:
    """A code point of any plane, assigned or not, but not a surrogate. Lower planes are likelier."""
    top = choose.choice((0x7F, 0x7FF, 0x2FFF, 0xFFFF, 0x1FFFF, 0x3FFFF, 0x10FFFF))
    while True:
        number = choose.randint(0, top)
        if not 0xD800 <= number < 0xE000:
            return chr(number)


def _one_kind(choose: random.Random) -> str:
    kinds = (WHITE_SPACE, APOSTROPHES, NUMBERS, MARKS, HAN, EMOJI, INVISIBLE, CONTROLS, SPECIAL, CODE, WORDS)
    return "".join(choose.choices(choose.choice(kinds), k=choose.randint(1, 12)))


def _mixed(choose: random.Random) -> str:
    return "".join(choose.choices(PIECES, k=choose.randint(1, 20)))


def _sentence(choose: random.Random) -> str:
    glue = choose.choice((" ", "  ", "", "\n", "\t", "▁", "-", "\xa0", ", "))
    pieces = (
        *choose.choices(WORDS, k=choose.randint(1, 12)),
        *choose.choices(APOSTROPHES + SPECIAL + CODE, k=2),
    )
    return glue.join(choose.sample(pieces, len(pieces)))


def _edges(choose: random.Random) -> str:
    """White space and special tokens at both ends, where prefixes are added and stripped."""
    ends = WHITE_SPACE + SPECIAL
    return choose.choice(ends) + choose.choice(WORDS) + choose.choice(ends)


def _letters(choose: random.Random) -> str:
    return "".join(choose.choices("abcdeilnorst ", k=choose.randint(1, 60)))


def _digits(choose: random.Random) -> str:
    return "".join(choose.choices(NUMBERS if choose.random() < 0.5 else "0123456789 .,", k=choose.randint(1, 24)))


def _any_code_points(choose: random.Random) -> str:
    return "".join(code_point(choose) for _ in range(choose.randint(1, 30)))


def _long_word(choose: random.Random) -> str:
    """A text without spaces, which no pre-tokenizer splits; one letter, one syllable or many."""
    syllables = choose.choice((("a",), ("ab",), ("lo", "w", "er"), ("漢",), ("▁",), ("é", "e\u0301"), WORDS))
    return "".join(choose.choices(syllables, k=choose.randint(100, 400)))[:1000]


_KINDS: Final[tuple[tuple[Callable[[random.Random], str], int], ...]] = (
    (_one_kind, 25),
    (_mixed, 20),
    (_sentence, 15),
    (_edges, 10),
    (_letters, 10),
    (_digits, 5),
    (_any_code_points, 14),
    (_long_word, 1),
)


def all_strings(seed: int, count: int) -> list[str]:
    """`count` texts, the same for the same seed (and Unicode version of Python). The first one is empty.

    All of PIECES follow, one per text, then random combinations. No text has much more than 1,000 characters.

    >>> all_strings(1, 3)
    ['', '\\t', '\\n']
    """
    choose = random.Random(seed)
    kinds, weights = zip(*_KINDS, strict=True)
    listed = ["", *PIECES][:count]
    drawn = choose.choices(kinds, weights, k=count - len(listed))
    return listed + [kind(choose) for kind in drawn]


def strings(seed: int, count: int) -> list[str]:
    """All of them, or in the quick tier of the tests a sample that includes the empty text.

    >>> strings(1, 600)[0], len(strings(1, 600)) == amount(600)
    ('', True)
    """
    return spread(all_strings(seed, count), amount(count))


def characters() -> st.SearchStrategy[str]:
    """Any code point except surrogates; those of the listed pieces are likelier."""
    listed = sorted({ch for piece in PIECES for ch in piece})
    return st.one_of(st.sampled_from(listed), st.characters(exclude_categories=["Cs"]))


def texts() -> st.SearchStrategy[str]:
    """Nasty texts for hypothesis, of listed pieces, numbers and any code points."""
    piece = st.one_of(
        st.sampled_from(sorted(PIECES, key=len)), st.sampled_from(NUMBERS), st.text(characters(), max_size=5)
    )
    repeated = st.builds(str.__mul__, piece, st.integers(1, 30))
    return st.lists(st.one_of(piece, piece, repeated), max_size=12).map("".join)

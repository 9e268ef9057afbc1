"""Random tokenizer.json files of all sections, and texts that reach what they do.

Every type of every section with every setting, nested in Sequences: `whole_file` draws a file, `texts_for` texts of its
pieces, its added tokens and what its parts look for. Small alphabets make rules meet often.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final, TypeAlias

from explorer.engine.pre_tokenizers.patterns import LLAMA3, QWEN2
from explorer.vocabulary import printable
from tests.engine.charsmap_writer import charsmap
from tests.originals.generators import PIECES

Section: TypeAlias = dict[str, Any]
Draw: TypeAlias = Callable[[Random], Any]

CHARACTERS: Final = (
    *"aaabbbccde  ▁Ġ\n\t1٣²,.-'_#AÉ", "é", "e\u0301", "\u0301", "\u0323", "q\u0307\u0323", "ᄀ\u1161\u11a8", "각", "漢",
    "Å", "\u212b", "ﬁ", "¨", "İ", "\u3000", "\xa0", "\u200d", "\0", "\x01", "🤗", "ﷺ", "か\u3099", "\u0958", "ß",
    "\u0345",
)  # fmt: skip
WORDS: Final = (
    "ab",
    "abc",
    " ab",
    "ab ab",
    "  ",
    "\n\n",
    "the",
    "don't",
    "12",
    "Ab",
    "éa",
    "##",
    "</w>",
    "<0x41>",
    "|",
)
NAMES: Final = ("<unk>", "<s>", "</s>", "[CLS]", "[SEP]", "<pad>", " <t> ", "<|x|>", "<|x|>y")
MAPS: Final = (
    {"ﬁ": "fi", "\u3000": " ", "Å": "å", "\t": " ", "A": "a"},
    {"e\u0301": "é", "\u0301": "", "ab": "c", "ᄀ\u1161": "가", "각": "가c", "\x01": "", "ﷺ": "a b  a"},
)
BEHAVIORS: Final = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
REGEXES: Final = (
    r"\s+", r"[ab]+", r"(?=b)", r"\d", r"a|", r" ?\p{L}+| ?\p{N}+|\s+(?!\S)|\s+", r"\p{M}", r"(?i:'s|'t)|[^\s]+", "",
    "^a",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
)  # fmt: skip

EMPTY: Final = ({"String": ""}, *({"Regex": regex} for regex in (r"(?=b)", r"a|", r"")))
"""Patterns that may match nothing at the beginning of a text."""


def flag(choose: Random) -> bool:
    return choose.random() < 0.5


def rarely(choose: Random, part: float = 0.1) -> bool:
    return choose.random() < part


def text(choose: Random, most: int = 3) -> str:
    """A short text of what the files have."""
    return "".join(
        choose.choice(choose.choice((CHARACTERS, CHARACTERS, WORDS))) for _ in range(choose.randint(1, most))
    )


def pattern(choose: Random) -> dict[str, str]:
    if flag(choose):
        return {"Regex": choose.choice(REGEXES)}
    return {"String": choose.choice((" ", " ", "▁", "ab", "a", "e\u0301", "", text(choose)))}


def content(choose: Random) -> str:
    return choose.choice(("", " ", "▁", "▁", "ab", "  ", text(choose)))


def of_types(types: dict[str, Draw], inner: str, depth: int = 2) -> Draw:
    """A part of one of the types, or a Sequence of such parts. inner: the key of a Sequence."""

    def draw(choose: Random, left: int = depth) -> Section:
        if left and rarely(choose, 0.4):
            return {"type": "Sequence", inner: [draw(choose, left - 1) for _ in range(choose.choice((0, 1, 2, 2, 3)))]}
        kind = choose.choice([*types])
        return {"type": kind, **types[kind](choose)}

    return draw


def plain(choose: Random) -> Section:
    return {}


def metaspace(choose: Random) -> Section:
    replacement = choose.choice("▁▁▁_a ")
    return {
        "replacement": replacement,
        "prepend_scheme": choose.choice(("always", "first", "never")),
        "split": flag(choose),
    }


def byte_level(choose: Random) -> Section:
    return {key: flag(choose) for key in ("add_prefix_space", "trim_offsets", "use_regex")}


def replace(choose: Random) -> Section:
    return {"pattern": pattern(choose), "content": content(choose)}


normalizer: Final = of_types(
    {
        **dict.fromkeys(("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel"), plain),
        "BertNormalizer": lambda choose: {
            "clean_text": flag(choose), "handle_chinese_chars": flag(choose), "lowercase": flag(choose),
            "strip_accents": choose.choice((None, True, False)),
        },
        "Strip": lambda choose: {"strip_left": flag(choose), "strip_right": flag(choose)},
        "Replace": replace,
        "Prepend": lambda choose: {"prepend": content(choose)},
        "Precompiled": lambda choose: {"precompiled_charsmap": b64encode(charsmap(choose.choice(MAPS))).decode()},
    },
    "normalizers",
)  # fmt: skip

pre_tokenizer: Final = of_types(
    {
        **dict.fromkeys(("BertPreTokenizer", "Whitespace", "WhitespaceSplit", "UnicodeScripts"), plain),
        "ByteLevel": byte_level,
        "Metaspace": metaspace,
        "Split": lambda choose: {
            "pattern": pattern(choose),
            "behavior": choose.choice(BEHAVIORS),
            "invert": flag(choose),
        },
        "Punctuation": lambda choose: {"behavior": choose.choice(BEHAVIORS)},
        "Digits": lambda choose: {"individual_digits": flag(choose)},
        "CharDelimiterSplit": lambda choose: {"delimiter": choose.choice(" a▁,")},
        "FixedLength": lambda choose: {"length": choose.choice((1, 2, 5))},
    },
    "pretokenizers",
)

decoder: Final = of_types(
    {
        **dict.fromkeys(("ByteFallback", "Fuse"), plain),
        "ByteLevel": byte_level,
        "Metaspace": metaspace,
        "WordPiece": lambda choose: {"prefix": choose.choice(("##", "", "a")), "cleanup": flag(choose)},
        "BPEDecoder": lambda choose: {"suffix": choose.choice(("</w>", "", "a"))},
        "CTC": lambda choose: {
            "pad_token": choose.choice(("<pad>", "a")), "word_delimiter_token": choose.choice("| "),
            "cleanup": flag(choose),
        },
        "Replace": replace,
        "Strip": lambda choose: {
            "content": choose.choice(" ▁a"), "start": choose.randrange(3), "stop": choose.randrange(3)
        },
    },
    "decoders",
)  # fmt: skip


def post_processor(choose: Random, tokens: Sequence[tuple[str, int]]) -> Section:
    """A post-processor that adds some of these tokens."""

    def pair(choose: Random) -> list[Any]:
        return list(choose.choice(tokens))

    def enclose(choose: Random) -> Section:
        return {"sep": pair(choose), "cls": pair(choose)}

    def template(choose: Random) -> Section:
        special: Section = {}
        for name, id in choose.choices(tokens, k=2):
            times = 2 if rarely(choose) else 1
            special[name] = {"id": name, "ids": [id] * times, "tokens": [name] * times}

        def slots(*ids: str) -> list[Section]:
            found = [{"Sequence": {"id": id, "type_id": 0}} for id in ids]
            for name in special:
                if flag(choose):
                    found.insert(
                        choose.randint(0, len(found)), {"SpecialToken": {"id": name, "type_id": choose.randrange(2)}}
                    )
            return found

        single = slots("A") if not rarely(choose) else slots(*choose.choice(((), ("A", "A"))))
        return {"single": single, "pair": slots("A", "B"), "special_tokens": special}

    types: dict[str, Draw] = {
        "TemplateProcessing": template,
        "ByteLevel": byte_level,
        "BertProcessing": enclose,
        "RobertaProcessing": lambda choose: (
            enclose(choose) | {"trim_offsets": flag(choose), "add_prefix_space": flag(choose)}
        ),
    }
    made: Section = of_types(types, "processors")(choose)
    return made


# --- models ---------------------------------------------------------------------------------------------------------


def spelling(choose: Random, file: Section) -> Draw:
    """How the pieces of a file are spelled: as text, with ▁ for spaces, or as ByteLevel spells bytes."""
    said = json.dumps([file["normalizer"], file["pre_tokenizer"]], ensure_ascii=False)

    def spelled(choose: Random) -> str:
        found = text(choose)
        if "ByteLevel" in said and not rarely(choose):
            return printable(found.encode())
        return found.replace(" ", "▁") if "▁" in said and not rarely(choose) else found

    return spelled


BYTES: Final = [f"<0x{byte:02X}>" for byte in range(256)]


def listed(choose: Random, pieces: Sequence[str]) -> dict[str, int]:
    """Pieces with ids: from 0 on in any order, sometimes with a gap."""
    found = list(dict.fromkeys(pieces))
    choose.shuffle(found)
    gap = choose.randint(1, 5) if rarely(choose, 0.05) else 0
    return {piece: id + (gap if id > len(found) // 2 else 0) for id, piece in enumerate(found)}


def some_bytes(choose: Random) -> list[str]:
    return choose.choice(([], BYTES, choose.sample(BYTES, 40)))


def bpe(choose: Random, spelled: Draw) -> Section:
    """A BPE whose merges join pieces, or now and then something else."""
    prefix, suffix = choose.choice((None,) * 6 + ("", "##", "▁")), choose.choice((None,) * 6 + ("", "</w>", "▁"))
    words = [spelled(choose) for _ in range(30)]
    letters = list(dict.fromkeys(ch for word in words for ch in word if not rarely(choose, 0.15)))
    letters += printable(bytes(range(256))) if flag(choose) else ""
    if prefix:
        letters += [prefix + ch for ch in letters if not rarely(choose, 0.3)]
    if suffix:
        letters += [ch + suffix for ch in letters if not rarely(choose, 0.3)]
    bytes_of = some_bytes(choose)
    pieces, merges = [*letters, *bytes_of], []
    for _ in range(choose.choice((0, 10, 60))):
        left, right = choose.choice(pieces or ["a"]), choose.choice(pieces or ["a"])
        dropped = len(prefix.encode()) if prefix else 0
        joined = left.encode() + right.encode()[dropped:]
        try:
            pieces += () if rarely(choose, 0.002) else (joined.decode(),)
        except UnicodeDecodeError:
            continue
        merges.append([left, right])
    pieces += choose.sample(words, choose.choice((0, 5)))
    unknown = choose.choice((None, "<unk>", "<unk>", pieces[0] if pieces else "a"))
    pieces += ["<unk>"] if unknown == "<unk>" and not rarely(choose) else []
    as_text = rarely(choose, 0.3) and not any(" " in piece for pair in merges for piece in pair)
    return {
        "type": "BPE", "dropout": choose.choice((None, None, 0.0)), "unk_token": unknown,
        "continuing_subword_prefix": prefix, "end_of_word_suffix": suffix, "fuse_unk": flag(choose),
        "byte_fallback": flag(choose), "ignore_merges": flag(choose), "vocab": listed(choose, pieces),
        "merges": [" ".join(pair) for pair in merges] if as_text else merges,
    }  # fmt: skip


def word_piece(choose: Random, spelled: Draw) -> Section:
    prefix = choose.choice(("##", "##", "", "▁"))
    words = [spelled(choose) for _ in range(30)]
    pieces = [
        *words,
        *(ch for word in words for ch in word),
        *(prefix + ch for word in words for ch in word if flag(choose)),
    ]
    unknown = choose.choice(("[UNK]", "[UNK]", words[0], "absent"))
    pieces += ["[UNK]"] if unknown == "[UNK]" else []
    return {
        "type": "WordPiece", "unk_token": unknown, "continuing_subword_prefix": prefix,
        "max_input_chars_per_word": choose.choice((100, 100, 3, 0)), "vocab": listed(choose, pieces),
    }  # fmt: skip


def unigram(choose: Random, spelled: Draw) -> Section:
    words = [spelled(choose) for _ in range(30)]
    pieces = [*words, *(ch for word in words for ch in word if not rarely(choose, 0.2)), *some_bytes(choose), "<unk>"]
    found = list(listed(choose, pieces))
    drawn = choose.choice(
        (lambda: choose.uniform(-9, 0), lambda: -choose.randint(1, 4) / 2, lambda: choose.randint(-3, 3))
    )
    return {
        "type": "Unigram", "unk_id": choose.choice((None, found.index("<unk>"), found.index("<unk>"), 0)),
        "vocab": [[piece, drawn()] for piece in found], "byte_fallback": flag(choose),
    }  # fmt: skip


def word_level(choose: Random, spelled: Draw) -> Section:
    words = [spelled(choose) for _ in range(40)]
    unknown = choose.choice(("<unk>", "<unk>", words[0], "absent"))
    return {"type": "WordLevel", "vocab": listed(choose, [*words, "<unk>"]), "unk_token": unknown}


MODELS: Final = (bpe, bpe, bpe, word_piece, unigram, unigram, word_level)


def pieces_of(model: Section) -> dict[str, int]:
    vocabulary = model["vocab"]
    return {piece: id for id, (piece, _) in enumerate(vocabulary)} if isinstance(vocabulary, list) else vocabulary


def added_tokens(choose: Random, model: Section) -> list[Section]:
    """Added tokens with all flags: pieces of the model, names, other texts; now and then with another id."""
    pieces, found = pieces_of(model), []
    ids, free = dict(pieces), len(pieces)
    for _ in range(choose.choice((0, 2, 6))):
        known = choose.choice([*pieces]) if pieces else "a"
        each = choose.choice((choose.choice(NAMES), choose.choice(NAMES), known, text(choose), text(choose, 1)))
        if each not in ids:
            ids[each], free = free, free + 1
        flags = {key: rarely(choose, 0.3) for key in ("single_word", "lstrip", "rstrip")}
        id = ids[each] if not rarely(choose, 0.05) else choose.randrange(free + 5)
        found.append({"id": id, "content": each, **flags, "normalized": flag(choose), "special": flag(choose)})
    return found if rarely(choose) else sorted(found, key=lambda token: int(token["id"]))


def lengths(choose: Random) -> Section:
    """Truncation and padding."""
    cut = {
        "direction": choose.choice(("Left", "Right")), "max_length": choose.choice((0, 1, 4, 9)),
        "strategy": choose.choice(("LongestFirst", "OnlyFirst")), "stride": choose.choice((0, 0, 1)),
    }  # fmt: skip
    fill = {
        "strategy": choose.choice(("BatchLongest", {"Fixed": 6})), "direction": choose.choice(("Left", "Right")),
        "pad_to_multiple_of": choose.choice((None, None, 4)), "pad_id": choose.randrange(5), "pad_type_id": 0,
        "pad_token": "<pad>",
    }  # fmt: skip
    return {"truncation": cut if rarely(choose, 0.2) else None, "padding": fill if rarely(choose, 0.2) else None}


USUAL: Final[tuple[tuple[tuple[Any, ...], tuple[Any, ...]], ...]] = (
    (
        (
            None,
            {"type": "NFC"},
            {"type": "Sequence", "normalizers": [{"type": "Strip", "strip_left": True, "strip_right": False}]},
        ),
        (
            {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
            *({"type": "Sequence", "pretokenizers": [
                {"type": "Split", "pattern": {"Regex": pattern.regex}, "behavior": "Isolated", "invert": False},
                {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False},
            ]} for pattern in (LLAMA3, QWEN2)),
        ),
    ),
    (
        (
            None,
            {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
            {"type": "Sequence", "normalizers": [
                {"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
            ]},
        ),
        (None, None, {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False}),
    ),
    (
        tuple(
            {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": accents,
             "lowercase": lowercase}
            for accents in (None, False) for lowercase in (False, True)
        ),
        ({"type": "BertPreTokenizer"}, {"type": "WhitespaceSplit"}, {"type": "Whitespace"}),
    ),
)  # fmt: skip
"""Normalizers and pre-tokenizers of real files, which have a fast path and run compiled."""


def whole_file(choose: Random) -> Section:
    """A random tokenizer.json; every third has the normalizer and pre-tokenizer of a real one."""
    file: Section = {
        "version": "1.0", **lengths(choose), "added_tokens": [],
        "normalizer": None if rarely(choose, 0.3) else normalizer(choose),
        "pre_tokenizer": None if rarely(choose, 0.3) else pre_tokenizer(choose),
        "post_processor": None, "decoder": None if rarely(choose, 0.2) else decoder(choose),
    }  # fmt: skip
    if rarely(choose, 0.35):
        file["normalizer"], file["pre_tokenizer"] = map(choose.choice, choose.choice(USUAL))
    file["model"] = model = choose.choice(MODELS)(choose, spelling(choose, file))
    file["added_tokens"] = added_tokens(choose, model)
    tokens = [*pieces_of(model).items()][:8] + [(token["content"], token["id"]) for token in file["added_tokens"]]
    if tokens and not rarely(choose, 0.4):
        file["post_processor"] = post_processor(choose, tokens)
    return file


def texts_for(choose: Random, file: Section, count: int) -> list[str]:
    """Texts of the file's pieces and added tokens, and others; the empty one is among them."""
    known = [token["content"] for token in file["added_tokens"]] or ["a"]
    pieces = [*pieces_of(file["model"])] or ["a"]
    sources: list[Draw] = [
        lambda choose: choose.choice(known), lambda choose: choose.choice(pieces), lambda choose: text(choose, 6),
        lambda choose: choose.choice(CHARACTERS), lambda choose: choose.choice(PIECES), lambda choose: " ",
    ]  # fmt: skip
    made = ["", *("".join(choose.choice(sources)(choose) for _ in range(choose.randint(1, 8))) for _ in range(count))]
    return [*made, " ".join(made)]

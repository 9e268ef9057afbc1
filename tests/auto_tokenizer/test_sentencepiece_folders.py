"""Folders with a SentencePiece model and no tokenizer.json, live: every class that reads one, in every version.

The models are trained here, with the special pieces where the models of each class have them, and two more without: of
those most classes make something else than they want, and so must this engine.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
import sentencepiece

import explorer
from explorer.implementations.transformers.v4_build import CONVERTERS
from explorer.implementations.transformers.v4_classes import CLASSES
from tests.auto_tokenizer.comparing import differences, originals, texts
from tests.auto_tokenizer.folders import FILES, OWN, SETTINGS, SOME, TOKEN, Case
from tests.formats import sentencepiece_writer as writer
from tests.originals.generators import strings

ROOT: Final = Path(__file__).parents[2]
SIZE: Final = 700

DEFAULT: Final[Mapping[str, Any]] = {"model_type": "unigram"}
LAYOUTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "unigram": DEFAULT,
    "bpe": {"model_type": "bpe", "byte_fallback": True},
    "plain-bpe": {"model_type": "bpe"},
    "albert": DEFAULT | {"pad_id": 0, "unk_id": 1, "bos_id": -1, "eos_id": -1, "control_symbols": "[CLS],[SEP],[MASK]"},
    "rembert": DEFAULT | {
        "pad_id": 0, "unk_id": 2, "bos_id": -1, "eos_id": 1, "control_symbols": "[CLS],[SEP],[MASK]",
    },
    "xlnet": DEFAULT | {"control_symbols": "<cls>,<sep>,<pad>,<mask>,<eod>,<eop>"},
    "deberta": DEFAULT | {
        "pad_id": 0, "bos_id": 1, "eos_id": 2, "unk_id": 3, "pad_piece": "[PAD]", "bos_piece": "[CLS]",
        "eos_piece": "[SEP]", "unk_piece": "[UNK]",
    },
    "t5": DEFAULT | {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1},
    "barthez": DEFAULT | {"bos_id": 0, "pad_id": 1, "eos_id": 2, "unk_id": 3, "control_symbols": "<mask>"},
    "big-bird": DEFAULT | {
        "pad_id": 0, "eos_id": 1, "bos_id": 2, "unk_id": 100, "control_symbols": "[CLS],[SEP],[MASK]",
    },
    "gemma": {
        "model_type": "bpe", "byte_fallback": True, "pad_id": 0, "eos_id": 1, "bos_id": 2, "unk_id": 3,
        "bos_piece": "<bos>", "eos_piece": "<eos>", "normalization_rule_name": "identity",
        "user_defined_symbols": "<start_of_turn>,<end_of_turn>",
    },
}  # fmt: skip
"""Name → how a model is trained."""

KINDS: Final[Mapping[str, str]] = {
    "albert": "albert", "xlnet": "xlnet", "fnet": "albert", "rembert": "rembert", "deberta-v2": "deberta", "t5": "t5",
    "pegasus": "t5", "barthez": "barthez", "big-bird": "big-bird", "gemma": "gemma", "llama": "bpe", "nllb": "bpe",
    "seamless": "bpe", "reformer": "bpe",
}  # fmt: skip
"""`ClassSpecV4.slow` → the layout of its models, that of XLM-R for others."""
NAMES: Final = {
    spec.slow: kind.removesuffix("Fast")
    for kind, spec in reversed(CLASSES.items())
    if spec.slow and CONVERTERS[spec.slow].file.endswith(".model")
} | {"xlm-roberta": "XLMRobertaTokenizer"}

CASES: Final[Mapping[str, Mapping[str, Any]]] = {
    **{name: SETTINGS[name] for name in SOME},
    "lower": {"do_lower_case": True},
    "accents": {"keep_accents": True},
    "no-accents": {"keep_accents": False},
    "legacy": {"legacy": True},
    "no-legacy": {"legacy": False},
    "sentinels": {"extra_ids": 3},
    "german": {"src_lang": "de_DE"},
    "unknown": {"src_lang": "xx"},
    "renamed": {"cls_token": "<c>", "sep_token": "the", "unk_token": "<u>", "mask_token": TOKEN | {"content": "<m>"}},
    "eos": {"add_eos_token": True},
}


@cache
def model(layout: str) -> bytes:
    """A model in a layout, trained on this repository's words and hard strings."""
    lines = [*ROOT.joinpath("README.md").read_text("utf-8").splitlines(), *ROOT.joinpath("ARCHITECTURE.md").read_text(
        "utf-8").splitlines(), *strings(3, 300)]  # fmt: skip
    data = io.BytesIO()
    settings = {"vocab_size": SIZE, "hard_vocab_limit": False, "character_coverage": 0.98} | LAYOUTS[layout]
    user = ",".join(filter(None, (settings.pop("user_defined_symbols", ""), "[u],ser")))
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(line for line in lines if line.strip()), model_writer=data, user_defined_symbols=user,
        minloglevel=2, num_threads=1, **settings,
    )  # fmt: skip
    return data.getvalue()


def cases(slow: str, layout: str) -> Iterator[Case]:
    """The folders of a class. slow: its row of `CONVERTERS`."""
    name, kind = CONVERTERS[slow].file, NAMES[slow]
    few = {change: SETTINGS[change] for change in ("plain", "bos")}
    changes = CASES | OWN.get(kind, {}) if layout == KINDS.get(slow, "unigram") else few
    for change, settings in changes.items():
        files = {name: model(layout), "tokenizer_config.json": {"tokenizer_class": kind} | settings}
        yield Case(f"{slow}.{layout}.{change}", "", files)
    for change in ("map", "added-map"):
        files = {name: model(layout), "tokenizer_config.json": {"tokenizer_class": kind}, **FILES[change]}
        yield Case(f"{slow}.{layout}.{change}", "", files)


OWN_TEXTS: Final = (
    "1,000, 20, x, 3,", "``quotes'' \t\n tabs", "the [u]ser user <mask> x <mask_1> <extra_id_3> y",
    "Ünï ﬁ ① Å e\u0301 ", "a  b   c", "\u0000\u0007\u200b\u3000x", "en_XX hello __eng__ eng_Latn", "▁ ▁▁a",
    "Hello, WORLD! …",
)  # fmt: skip


STRICTER: Final = re.compile(
    "ours stops .*(and so is model|would have no vocabulary)|ours InputError: id number .* without a token"
)
"""A piece that comes twice, a file that the class doesn't read, and ids that no piece has are refused."""


@pytest.mark.long
@pytest.mark.parametrize("slow", NAMES)
@pytest.mark.parametrize("version", [5, 4])
def test_folders_match_auto_tokenizer(version: int, slow: str, tmp_path: Path) -> None:
    asked = [*OWN_TEXTS, *texts(40)]
    layouts = dict.fromkeys((KINDS.get(slow, "unigram"), "unigram", "bpe"))
    some = [case for layout in layouts for case in cases(slow, layout)]
    folders = [case.written(tmp_path) for case in some]
    answers = originals(version, folders, asked)
    wrong = [line for folder, theirs in zip(folders, answers, strict=True)
             for line in differences(version, folder, theirs, asked) if not STRICTER.search(line)]  # fmt: skip
    print(f"{slow}, version {version}: {len(folders)} folders, {sum('error' not in each for each in answers)} open")
    assert wrong[:10] == []


@pytest.mark.parametrize("version", [4, 5])
def test_a_toy_albert_by_eye(version: int, tmp_path: Path) -> None:
    """Accents and case go, and so does the byte order mark of the file's own character map."""
    rows = [("<pad>", 0.0, 3), ("<unk>", 0.0, 2), ("[CLS]", 0.0, 3), ("[SEP]", 0.0, 3), ("[MASK]", 0.0, 3),
            ("▁", -2.0, 1), ("a", -2.0, 1), ("b", -2.0, 1), ("▁ab", -1.0, 1)]  # fmt: skip
    data = writer.model(*rows, trainer=writer.message(f3=1, f40=1))
    files = {"spiece.model": data, "tokenizer_config.json": {"tokenizer_class": "AlbertTokenizer"},
             "config.json": {"model_type": "albert"}}  # fmt: skip
    tok = explorer.load(Case("albert", "", files).written(tmp_path), f"transformers-{version}")
    made = tok.encode("ÁBa")
    assert [tok.vocabulary.pieces[id].decode() for id in made.ids] == ["[CLS]", "▁ab", "a", "[SEP]"]
    assert tok.decode(made.ids) == "aba"

"""Classes in Python that read a vocabulary file, of which there is no fast one.

Live, on toy vocabularies and texts meant to break them.
"""

from __future__ import annotations

import json
import pickle
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

import explorer
from explorer.analysis.card import card
from explorer.answers.explore import Request, explore_view, stages_before_end
from explorer.answers.offers import TokenizerSpec, server_offer
from explorer.cli.main import main
from explorer.engine.part import Segment
from explorer.errors import InputError, Unfinished
from explorer.opening.formats import files_at
from explorer.script.script import window_of
from explorer.stages.table import kind_of
from explorer.text.say import Say, plain
from tests.auto_tokenizer.comparing import differences, originals, texts
from tests.auto_tokenizer.environments import python
from tests.originals.generators import strings

LETTERS = "abcdehilnorstw"
WORDS = ["the", "##ing", "word", "##s", "is", "un", "##known", "漢", "##字", "é", "e", "##e", "a", "##a", "##b", "!",
         ".", "'", "ss", "##ς", "ΟΔ", "οδ", "##ος", "i", "##\u0307", "<", ">", "cls", "##c", "[", "]", "s", "t", "ａ",
         "カ", "##ﬁ", "fi"]  # fmt: skip
VOCAB_TXT = "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, "a", "", "x y"]) + "\n"


PIECES = {"vocab.txt": VOCAB_TXT.encode()}
SPEECH = {"vocab.json": json.dumps({each: id for id, each in enumerate(
    ("<pad>", "<s>", "</s>", "<unk>", "|", *"ETAONIHSRDLÉ", "'", "SS", "a", "b", "İ", " "))}).encode()}  # fmt: skip


def added(content: str, **flags: bool) -> dict[str, Any]:
    """An added token as tokenizer_config.json writes it."""
    defaults = dict.fromkeys(("lstrip", "rstrip", "single_word", "normalized", "special"), False)
    return {"content": content, **defaults, **flags}


OVERLAPPING = {
    str(600 + at): added(
        content, lstrip=bool(at & 1), rstrip=bool(at & 2), special=bool(at & 4), normalized=bool(at & 8)
    )
    for at, content in enumerate(
        ("ab", "bcd", "[X]", "abcde", " [M] ", "<x>", "[CLS]b", "é", "Cab", "TH", "<Own>", "[a]", "the", "İx")
    )
}
COMMON: dict[str, dict[str, Any]] = {
    "bare": {},
    "overlap": {"added_tokens_decoder": OVERLAPPING},
    "named": {"mask_token": {"__type": "AddedToken", **added("<x>", lstrip=True)}, "unk_token": "is"},
    "list": {"additional_special_tokens": ["<x>", "[X]", "ab"]},
    "split": {"split_special_tokens": True},
    "clean": {"clean_up_tokenization_spaces": True},
    "not-clean": {"clean_up_tokenization_spaces": False},
    "null": {"pad_token": None},
}
OF_SPEECH: dict[str, dict[str, Any]] = {
    "lower": {"do_lower_case": True},
    "delimiter": {"word_delimiter_token": "E"},
    "long-delimiter": {"word_delimiter_token": "ET"},
    "space": {"replace_word_delimiter_char": "_"},
    "pad": {"pad_token": "T"},
    "no-unk": {"unk_token": "?"},
}
OF_JAPAN: dict[str, dict[str, Any]] = {
    "character": {"subword_tokenizer_type": "character"},
    "character-lower": {"subword_tokenizer_type": "character", "do_lower_case": True},
    "lower": {"do_lower_case": True, "additional_special_tokens": ["the!", "<X>"]},
    "no-words": {"do_word_tokenize": False, "subword_tokenizer_type": "character"},
    "no-words-pieces": {"do_word_tokenize": False},
    "no-subwords": {"do_subword_tokenize": False},
}


def folders(tmp_path: Path, kind: str, files: dict[str, bytes], configs: dict[str, dict[str, Any]]) -> list[Path]:
    """A folder for each of these settings."""
    made = []
    for name, config in configs.items():
        folder = tmp_path / f"{kind}.{name}"
        folder.mkdir()
        for file, data in files.items():
            (folder / file).write_bytes(data)
        (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": kind, **config}))
        made.append(folder)
    return made


def hostile(count: int) -> list[str]:
    """Nasty texts, and texts full of added tokens and characters that the vocabularies have."""
    draw = random.Random(7)
    parts = [*" \t\n\r\u00a0\u3000\u2028\x1c\x85\0\u200b\u0301\u0345İıßΣςΟΔKſ漢字カ゛ａﬁﷺ!'$", *LETTERS, *"THEABC|",
             "the", "ll", "[CLS]", "[cls]", "[CL\u200bS]", "[UNK]", "[X]", "<x>", "<X>", "abcde", " [M] ", "the!",
             "<Own>", "<|endoftext|>", "<|ENDOFTEXT|>", "<|startofText|>", "<s>", "</s>", "<unk>", "<pad>", "<mask>",
             "'S", "'ſ", "ΟΔΟΣ", "is", "TH", "é", "e\u0301", "\u0378", "\ue000", "🤗"]  # fmt: skip
    made = ["".join(draw.choices(parts, k=draw.randrange(1, 14))) for _ in range(count)]
    return [*texts(count), *made, *strings(3, count)]


@pytest.mark.long
@pytest.mark.parametrize("kind", ["Wav2Vec2CTCTokenizer", "BertJapaneseTokenizer"])
@pytest.mark.parametrize("version", [5, 4])
def test_classes_without_a_fast_one_are_the_originals(version: int, kind: str, tmp_path: Path) -> None:
    speech = kind.startswith("Wav2Vec2")
    files, configs = (SPEECH, COMMON | OF_SPEECH) if speech else (PIECES, COMMON | OF_JAPAN)
    made, asked = folders(tmp_path, kind, files, configs), hostile(80)
    answers = originals(version, made, asked)
    wrong = [
        line
        for folder, theirs in zip(made, answers, strict=True)
        for line in differences(version, folder, theirs, asked)
    ]
    assert wrong[:10] == []
    assert sum("error" not in each for each in answers) >= len(made) - 2


def opened(tmp_path: Path, kind: str, implementation: str, **config: Any) -> explorer.Tokenizer:
    """A toy folder of a class."""
    files = SPEECH if kind.startswith("Wav2Vec2") else PIECES
    (folder,) = folders(tmp_path, kind, files, {"one": config})
    return explorer.load(folder, implementation)


TEXT = "The wördING <x> IS\ne [MASK] a'b  \u200b漢字"
DRAWN = [("Wav2Vec2CTCTokenizer", "transformers-5"), ("BertJapaneseTokenizer", "transformers-4")]


@pytest.mark.parametrize(("kind", "implementation"), DRAWN)
def test_every_stage_is_drawn_and_spans_are_within_the_text(kind: str, implementation: str, tmp_path: Path) -> None:
    character = {"subword_tokenizer_type": "character"} if kind.startswith("BertJ") else {}
    tok = opened(tmp_path, kind, implementation, additional_special_tokens=["<x>"], do_lower_case=True, **character)
    trace = tok.trace(TEXT)
    window = window_of(trace)
    for stage in trace.stages:
        script = kind_of(stage).script(stage, tok.vocabulary, window, trace)
        assert all(map(script.sentence, range(1, len(script.events) + 1)))
    spans = [span for span in tok.encode(TEXT).spans if span is not None]
    assert spans == sorted(spans)
    assert all(0 <= start <= end <= len(TEXT) for start, end in spans)


def test_japanese_words_by_eye(tmp_path: Path) -> None:
    """The spelling of a special token stays whole, and e and its accent are composed."""
    tok = opened(tmp_path, "BertJapaneseTokenizer", "transformers-4")
    pieces = tok.vocabulary.pieces
    assert [pieces[id].decode() for id in tok.encode("[CL\u200bS] e\u0301").ids] == ["[CLS]", "[CLS]", "é", "[SEP]"]


@pytest.mark.parametrize(("config", "says"), [
    ({"tokenizer_class": "Wav2Vec2CTCTokenizer"}, "there is no vocab.json"),
    ({"tokenizer_class": "BertJapaneseTokenizer", "never_split": ["a"]}, "never_split is not supported"),
])  # fmt: skip
def test_what_a_class_lacks_is_refused(config: dict[str, Any], says: str, tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_bytes(PIECES["vocab.txt"])
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match=says):
        explorer.load(tmp_path, "transformers-4")


def test_speech_by_eye(tmp_path: Path) -> None:
    tok = opened(tmp_path, "Wav2Vec2CTCTokenizer", "transformers-5")
    ids = tok.encode("ET <s> A").ids
    pieces = [tok.vocabulary.pieces[id].decode() for id in ids]
    assert pieces == ["E", "T", "<s>", "A"]
    letters = tok.vocabulary.ids
    spelled = [letters[each.encode()] for each in ("T", "T", "<pad>", "T", "|", "E")]
    assert tok.decode(spelled) == "TT E"


@pytest.mark.parametrize("version", [5, 4])
def test_the_stages_end_at_the_text_that_mecab_gets(version: int, tmp_path: Path) -> None:
    config = {"word_tokenizer_type": "mecab", "do_lower_case": True, "additional_special_tokens": ["<x>"]}
    tok = opened(tmp_path, "BertJapaneseTokenizer", f"transformers-{version}", **config)
    with pytest.raises(Unfinished, match=r"MeCab cuts the text into words, .*no ids") as caught:
        tok.trace("Ａ漢字<x>ｶﾞ")
    assert [item.text for item in caught.value.stages[-1].after if isinstance(item, Segment)] == [
        "a漢字" if version == 4 else "A漢字", "ガ",
    ]  # fmt: skip
    assert not pickle.loads(pickle.dumps(caught.value)).stages
    for run in (tok.encode, lambda text: tok.encode_batch(["<x>", text]), tok.trace_lazily):
        for size in (1, 3_000):
            with pytest.raises(InputError, match="MeCab"):
                run("か" * size)  # type: ignore[operator]
    assert tok.encode("<x>").ids == tok.trace("<x>").ids == [2, tok.vocabulary.ids[b"<x>"], 3]
    found = card(tok)
    assert any("MeCab cuts the text into words" in fact.says for topic, facts in found.topics for fact in facts)
    assert not any("MeCab" in fact.says or "failed" in fact.says for fact in found.warnings)
    assert not any("word_tokenizer_type" in fact.says for fact in found.unused)


def test_the_stages_before_the_end_are_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    opened(tmp_path, "BertJapaneseTokenizer", "transformers-5", word_tokenizer_type="mecab")
    folder = tmp_path / "BertJapaneseTokenizer.one"
    offer = server_offer(folder, "own", files_at(folder))
    request = Request(TokenizerSpec(offer, "transformers-5"), "Ａ[MASK]ｶﾞ")
    with pytest.raises(Unfinished, match="MeCab"):
        explore_view(request, 0, "model")
    drawn = stages_before_end(request, False)
    assert [section.key for section in drawn] == ["partition", "normalize"]
    assert all(section.script is not None and section.result is not None for section in drawn)
    said_of_form = plain(drawn[1].result or Say(""))
    assert "looks the same" not in said_of_form, "Ａ becomes A"
    assert "llama.cpp" not in said_of_form, "it has a normalization of its own for these vocabularies"
    assert stages_before_end(request._replace(text="[MASK]"), False) == ()
    assert main(["trace", "-m", str(folder), "Ａ[MASK]ｶﾞ"]) == 1
    said = capsys.readouterr()
    assert "normalize: “A”, 4 [MASK], “ガ”" in said.out
    assert "MeCab" in said.err


@pytest.mark.parametrize(("config", "says"), [
    ({"word_tokenizer_type": "kytea"}, "'kytea'; known are basic, mecab, sudachi, jumanpp"),
    ({"word_tokenizer_type": "mecab", "mecab_kwargs": 3}, "mecab_kwargs is 3, not an object"),
])  # fmt: skip
def test_programs_that_the_class_does_not_know_are_refused(config: dict[str, Any], says: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=says):
        opened(tmp_path, "BertJapaneseTokenizer", "transformers-5", **config)


GIVEN = """
import json, sys
from types import SimpleNamespace
from unittest.mock import MagicMock
from transformers.models.bert_japanese import tokenization_bert_japanese as japanese
japanese.is_sudachi_projection_available = lambda: False
got = []
def words(text):
    got.append(text)
    return []
mecab, sudachi, juman = MagicMock(), MagicMock(), MagicMock()
mecab.GenericTagger.return_value = words
sudachi.dictionary.Dictionary.return_value.create.return_value.tokenize = words
juman.Jumanpp.return_value.apply_to_sentence = lambda text: SimpleNamespace(morphemes=words(text))
sys.modules |= {"fugashi": mecab, "sudachipy": sudachi, "rhoknp": juman}
found = []
for folder, texts in json.load(sys.stdin):
    tokenizer = japanese.BertJapaneseTokenizer.from_pretrained(folder)
    for text in texts:
        got.clear()
        tokenizer(text)
        found.append([each for each in got if each])
print(json.dumps(found))
"""
"""Prints what the original gives to the programs, which only record it."""


@pytest.mark.long
@pytest.mark.parametrize("version", [5, 4])
def test_the_programs_get_that_text_live(version: int, tmp_path: Path) -> None:
    configs: dict[str, dict[str, Any]] = {
        "mecab": {"mecab_kwargs": {"mecab_dic": None}, **OF_JAPAN["lower"]},
        "mecab-raw": {"mecab_kwargs": {"mecab_dic": None, "normalize_text": False}},
        "sudachi": {"subword_tokenizer_type": "character"},
        "jumanpp": {"do_subword_tokenize": False},
    }
    configs = {key: {"word_tokenizer_type": key.split("-")[0], **config} for key, config in configs.items()}
    made, asked = folders(tmp_path, "BertJapaneseTokenizer", PIECES, configs), hostile(300)
    question = json.dumps([[str(folder), asked] for folder in made])
    said = subprocess.run([python(version), "-c", GIVEN], input=question, check=True, capture_output=True, text=True)
    theirs = iter(json.loads(said.stdout.splitlines()[-1]))
    for folder in made:
        tok = explorer.load(folder, f"transformers-{version}")
        for text, want in zip(asked, theirs, strict=False):
            try:
                tok.trace(text)
                ours = []
            except Unfinished as error:
                ours = [item.text for item in error.stages[-1].after if isinstance(item, Segment) and item.text]
            assert ours == want, (folder.name, text)

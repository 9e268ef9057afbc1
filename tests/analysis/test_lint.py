"""Lint: each finding is a fault that the original shows on a text, and the mended file has neither."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import pytest
from tokenizers import Tokenizer

from explorer.analysis.lint import lint
from explorer.cli.main import main
from explorer.formats import tokenizer_json
from explorer.opening.catalog import catalog
from explorer.text.say import plain
from explorer.vocabulary import PRINTABLE

Json = dict[str, Any]
Change = Callable[[Json], object]
TEXT: Final = "low lower"
LETTERS: Final = ("l", "o", "w", "e", "r")


def bpe(*more: str, **model: Any) -> Json:
    """A file with a BPE model of letters and more tokens."""
    vocab = {text: id for id, text in enumerate((*LETTERS, "[UNK]", *more))}
    whole = {"type": "BPE", "unk_token": "[UNK]", "vocab": vocab, "merges": [], **model}
    return {"version": "1.0", "added_tokens": [], "pre_tokenizer": {"type": "WhitespaceSplit"}, "model": whole}


def decoded(file: Json, text: str = TEXT) -> str:
    """What the original makes of a text, there and back."""
    tokenizer = Tokenizer.from_str(json.dumps(file))
    return str(tokenizer.decode(tokenizer.encode(text).ids, skip_special_tokens=False))


def fails(file: Json, text: str) -> bool:
    """Whether the original can't encode a text."""
    try:
        Tokenizer.from_str(json.dumps(file)).encode(text)
    except Exception:  # the library raises its base class
        return True
    return False


def wordpiece(decoder: Json | None) -> Json:
    pieces = {text: id for id, text in enumerate(("[UNK]", "low", "##er"))}
    model = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
             "max_input_chars_per_word": 100, "vocab": pieces}  # fmt: skip
    return bpe() | {"model": model, "decoder": decoder}


def in_bytes(chars: str = "".join(PRINTABLE), decoder: bool = True) -> Json:
    part = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    model = {"type": "BPE", "vocab": {ch: id for id, ch in enumerate(chars)}, "merges": []}
    return bpe() | {"pre_tokenizer": part, "decoder": part if decoder else None, "model": model}


SUFFIXED: Final = bpe(*(f"{ch}</w>" for ch in LETTERS), end_of_word_suffix="</w>")
TEMPLATE: Final = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                   {"Sequence": {"id": "A", "type_id": 0}}], "pair": [{"Sequence": {"id": "A", "type_id": 0}}],
                   "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [6], "tokens": ["[CLS]"]}}}  # fmt: skip
SPACES: Final = {"Ġ": "ByteLevel", "▁": "Metaspace"}


@pytest.mark.parametrize(
    ("wrong", "right", "place", "fault"),
    [
        (SUFFIXED, SUFFIXED | {"decoder": {"type": "BPEDecoder", "suffix": "</w>"}}, "decoder",
         lambda file: "</w>" in decoded(file)),
        (bpe() | {"decoder": {"type": "BPEDecoder", "suffix": "</w>"}},
         SUFFIXED | {"decoder": {"type": "BPEDecoder", "suffix": "</w>"}}, "decoder.suffix",
         lambda file: decoded(file) == "lowlower"),
        (wordpiece(None), wordpiece({"type": "WordPiece", "prefix": "##", "cleanup": True}), "decoder",
         lambda file: "##" in decoded(file)),
        (wordpiece({"type": "WordPiece", "prefix": "@@", "cleanup": True}),
         wordpiece({"type": "WordPiece", "prefix": "##", "cleanup": True}), "decoder.prefix",
         lambda file: "##" in decoded(file)),
        (bpe(unk_token="<unk>"), bpe(), "model.unk_token", lambda file: fails(file, "猫")),
        (bpe(unk_token=None), bpe(), "model.unk_token", lambda file: "[UNK]" not in decoded(file, "猫 low")),
        (bpe() | {"model": {"type": "Unigram", "unk_id": None, "vocab": [["low", -1.0]]}},
         bpe() | {"model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["low", -1.0]]}}, "model.unk_id",
         lambda file: fails(file, "猫")),
        (bpe("[CLS]") | {"post_processor": TEMPLATE | {"special_tokens": {"[CLS]": {
            "id": "[CLS]", "ids": [1], "tokens": ["[CLS]"]}}}}, bpe("[CLS]") | {"post_processor": TEMPLATE},
         "post_processor.special_tokens['[CLS]']", lambda file: "[CLS]" not in decoded(file)),
        (bpe() | {"post_processor": TEMPLATE}, bpe("[CLS]") | {"post_processor": TEMPLATE},
         "post_processor.special_tokens['[CLS]']", lambda file: "[CLS]" not in decoded(file)),
        (in_bytes(decoder=False), in_bytes(), "decoder", lambda file: "Ġ" in decoded(file)),
        (in_bytes("".join(PRINTABLE).replace("©", "")), in_bytes(), "model.vocab",
         lambda file: decoded(file, "é") != "é"),
        (bpe("▁low", "▁") | {"model": bpe("▁", "▁l", merges=["▁ l"])["model"]},
         bpe() | {"model": bpe("▁", "▁l", merges=["▁ l"])["model"], "decoder": {"type": "Metaspace", "replacement": "▁",
                  "prepend_scheme": "always", "split": True}, "pre_tokenizer": {"type": "Metaspace",
                  "replacement": "▁", "prepend_scheme": "always", "split": True}}, "pre_tokenizer",
         lambda file: "▁l" not in Tokenizer.from_str(json.dumps(file)).encode(TEXT).tokens),
    ],
)  # fmt: skip
def test_a_finding_is_a_fault(wrong: Json, right: Json, place: str, fault: Callable[[Json], bool]) -> None:
    found = lint(tokenizer_json.read(json.dumps(wrong).encode(), "toy"))
    assert place in [finding.place for finding in found], [plain(finding.says) for finding in found]
    assert all(plain(finding.says) and finding.fix for finding in found)
    assert fault(wrong)
    assert lint(tokenizer_json.read(json.dumps(right).encode(), "toy")) == ()
    assert not fault(right)


def test_an_added_token_gets_another_id() -> None:
    entry = {"id": 40, "content": "<s>", "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
             "special": True}  # fmt: skip
    file = bpe() | {"added_tokens": [entry]}
    (found,) = lint(tokenizer_json.read(json.dumps(file).encode(), "toy"))
    id = Tokenizer.from_str(json.dumps(file)).token_to_id("<s>")
    assert plain(found.says).startswith(f"“<s>” has the id 40 here and gets the id {id}")
    mended = deepcopy(file)
    mended["added_tokens"][0]["id"] = id
    assert lint(tokenizer_json.read(json.dumps(mended).encode(), "toy")) == ()


def test_real_files_and_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for label in ("gpt-2", "llama-3", "qwen2.5"):
        path = catalog()[label].path
        if path.name.endswith(".json"):
            assert lint(tokenizer_json.read(path)) == (), label
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(wordpiece(None)), "utf-8")
    assert main(["lint", str(path)]) == 1
    assert capsys.readouterr().out.startswith(f"{path}: decoder: The model writes “##” before tokens")
    assert main(["lint", str(tmp_path / "none.json")]) == 1


def test_another_format_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    for label, what in (("cl100k_base", "a ranks file"), ("mistral-v1", "a SentencePiece model")):
        assert main(["lint", str(catalog()[label].path)]) == 1
        said = capsys.readouterr().err
        assert what in said
        assert "UTF-8" not in said


def test_a_folder_is_linted_by_its_vocabulary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tokenizer.json").write_text(json.dumps(bpe()))
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "PreTrainedTokenizerFast"}')
    codes = [main(["lint", str(path)]) for path in (tmp_path, tmp_path / "tokenizer.json")]
    folder, file = capsys.readouterr().out.split("tokenizer.json: ", 1)[0], tmp_path / "tokenizer.json"
    assert codes[0] == codes[1]
    assert str(tmp_path) in folder
    file.rename(tmp_path / "tokenizer.model")
    assert main(["lint", str(tmp_path)]) == codes[0], "the content decides, not the name"
    (tmp_path / "tokenizer.model").write_bytes(b"GGUF")
    assert main(["lint", str(tmp_path)]) == 1
    assert "It was not opened" in capsys.readouterr().out

"""What lint says of files that their original refuses, beside the original, live: whether it refuses them, and how."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from tokenizers import Tokenizer

from explorer.analysis.lint import of_tokenizer_json, refused
from explorer.cli.main import main
from explorer.formats.tokenizer_json import FLAGS
from explorer.opening.formats import open_path
from tests.auto_tokenizer.comparing import originals

Json = dict[str, Any]
ADDED: Final = {"id": 4, "content": "<x>", **dict.fromkeys(FLAGS, False)}
MODELS: Final[dict[str, Json]] = {
    "BPE": {"unk_token": None, "vocab": {"a": 0, "b": 1, "c": 2, "ab": 3}, "merges": [["a", "b"]]},
    "WordPiece": {
        "unk_token": "a",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 9,
        "vocab": {"a": 0},
    },
    "WordLevel": {"vocab": {"a": 0}, "unk_token": "a"},
    "Unigram": {"unk_id": 0, "vocab": [["a", 0.0], ["b", -1.0]]},
}


def whole(kind: str = "BPE", **model: Any) -> Json:
    sections = dict.fromkeys(("normalizer", "pre_tokenizer", "post_processor", "decoder"))
    return {
        "version": "1.0",
        "added_tokens": [],
        **sections,
        "model": {"type": kind, **deepcopy(MODELS[kind]), **model},
    }


def without(file: Json, *path: Any) -> Json:
    file = deepcopy(file)
    inner = file
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    return file


def merges() -> Iterator[Json]:
    """Merges with one that is wrong, first, in the middle and last, as pairs and as lines."""
    for at in range(3):
        for pair in (("x", "b"), ("a", "x"), ("b", "a"), ("a", "b", "c"), ("a",), ()):
            pairs = [["a", "b"]] * 2
            pairs.insert(at, list(pair))
            yield whole(merges=pairs)
            yield whole(merges=[" ".join(each) for each in pairs])
    for merge in ([1, 2], {"a": "b"}, None, 3):
        yield whole(merges=[["a", "b"], merge])
    yield from (whole(merges=None), whole(merges={}), whole(merges=["a b", ["a", "b"]]))


def models() -> Iterator[Json]:
    for kind, keys in MODELS.items():
        yield whole(kind)
        yield from (without(whole(kind), "model", key) for key in keys)
        for other in ("Foo", kind.lower(), "", None):
            yield whole(kind, type=other)
    for kind in ("BPE", "WordPiece", "WordLevel"):
        for id in ("0", -1, 0.5, "x"):
            yield whole(kind, vocab=MODELS[kind]["vocab"] | {"a": id})
        yield whole(kind, vocab=["a"])
        yield whole(kind, unk_token=3)
    for most in (-1, -100):
        yield whole("WordPiece", max_input_chars_per_word=most)
    for id in (2, 7):
        yield whole("Unigram", unk_id=id)


def sections() -> Iterator[Json]:
    for section in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
        for kind in ("Foo", "bytelevel", "Sentencepiece"):
            yield whole() | {section: {"type": kind}}
    for section, part in (
        ("pre_tokenizer", {"type": "Split"}), ("normalizer", {"type": "Replace"}), ("normalizer", {"type": "Prepend"}),
        ("decoder", {"type": "Replace"}),
    ):  # fmt: skip
        yield whole() | {section: part}
    for flag in FLAGS:
        yield whole() | {"added_tokens": [ADDED, without(ADDED, flag)]}
    yield whole() | {"added_tokens": [ADDED]}
    for version in ("2.0", "0.9", "1"):
        yield whole() | {"version": version}
    yield from (whole() | {"extra": 1}, without(whole(), "model"))


def files() -> list[bytes]:
    made = [json.dumps(each).encode() for kind in (merges, models, sections) for each in kind()]
    good = json.dumps(whole()).encode()
    return [*made, good, b"\xef\xbb\xbf" + good, good[:-1] + b",}", good.replace(b'"c": 2', b'"c": 2,\n'), good[:-9],
            good.replace(b"[]", b"[,]"), good.replace(b'"a"', b'"\xe9"')]  # fmt: skip


def test_lint_refuses_what_tokenizers_refuses_in_its_words() -> None:
    tried = files()
    with_error = 0
    for data in tried:
        said = list(of_tokenizer_json(data, "f"))
        try:
            Tokenizer.from_buffer(data)
            theirs = ""
        except Exception as error:  # the library raises its base class
            theirs = str(error)
        assert bool(theirs) <= bool(said), (data, theirs)
        known = [each.error for each in said if each.error]
        assert bool(theirs) or not known, (data, known)
        assert not known or any(each in theirs for each in known), (data, known, theirs)
        with_error += bool(known)
    assert len(tried) == 130
    assert with_error > 100


def test_the_command_says_it_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(whole(merges=[["a", "b"], ["x", "b"]])))
    assert main(["lint", str(path)]) == 1
    said = capsys.readouterr().out
    assert "Token `x` out of vocabulary" in said
    assert "can read it" not in said
    assert "nothing found" not in said
    main(["lint", "--in", str(tmp_path)])
    assert "Token `x` out of vocabulary" in capsys.readouterr().err


FOLDERS: Final[dict[str, Json]] = {
    "list": {"extra_special_tokens": ["<y>"]},
    "null": {"extra_special_tokens": None},
    "object": {"extra_special_tokens": {"y_token": "<y>"}},
    "both": {"extra_special_tokens": {"y_token": "<y>"}, "additional_special_tokens": ["<z>"]},
    "both lists": {"extra_special_tokens": ["<y>"], "additional_special_tokens": ["<z>"]},
    "decoder": {"added_tokens_decoder": {"9": {"content": "<y>", "special": True}}},
    "plain": {},
}
TOKEN: Final = {"content": "<y>", "special": True}
WRONG: Final[dict[str, Any]] = {
    "number": 5, "text": "<y>", "flag": True, "list": ["<y>"], "nothing": {}, "null": None,
    "no content": {"special": True},
    "content number": {"content": 5}, "content null": {"content": None}, "no type": TOKEN,
    "type": {"__type": "AddedToken", **TOKEN}, "type alone": {"__type": "AddedToken"},
    "type, number": {"__type": "AddedToken", "content": 5}, "flag of text": {"content": "<y>", "lstrip": "x"},
    "type, flag of text": {"__type": "AddedToken", "content": "<y>", "lstrip": "x"},
}  # fmt: skip
"""What may stand where a token does."""


def wrong_tokens() -> Iterator[tuple[str, str, Any]]:
    """A title, a file and what is in it."""
    config, names, added = "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"
    for title, value in WRONG.items():
        for name in (config, names):
            yield f"{title} by name in {name}", name, {"pad_token": value}
            yield f"{title} in a list in {name}", name, {"additional_special_tokens": [value]}
        yield f"{title} in an object", config, {"extra_special_tokens": {"y_token": value}}
        yield f"{title} by id", config, {"added_tokens_decoder": {"9": value}}
        yield f"{title} for an id", added, {"<y>": value}
    for id in ("x", "-1", "1.5", " 4", "4294967296", "²", "", "1_0", "0x9", "nine"):
        yield f"the id {id!r}", config, {"added_tokens_decoder": {id: TOKEN}}
    for title, whole in (("null", None), ("list", []), ("text", "x"), ("number", 3)):
        for key in ("added_tokens_decoder", "additional_special_tokens", "extra_special_tokens"):
            yield f"{title} for {key}", config, {key: whole}
        yield from ((f"{title} for {name}", name, whole) for name in (added, names))
    yield "an id twice", config, {"added_tokens_decoder": {"9": TOKEN, "09": {"content": "<z>"}}}
    yield "a token twice", config, {"added_tokens_decoder": {"9": TOKEN, "10": TOKEN}}
    yield "two tokens of an id", added, {"<y>": 9, "<z>": 9}


@pytest.mark.parametrize("version", [4, 5])
def test_what_a_class_can_not_hold_is_refused_in_its_words(version: int, tmp_path: Path) -> None:
    cases = list(wrong_tokens())
    paths = []
    for number, (_, name, inner) in enumerate(cases):
        path = tmp_path / f"{number}"
        path.mkdir()
        (path / "tokenizer.json").write_text(json.dumps(whole(unk_token="a") | {"added_tokens": [ADDED]}))
        files = {"tokenizer_config.json": {}, name: inner}
        settings = {"tokenizer_class": "PreTrainedTokenizerFast", **files["tokenizer_config.json"]}
        for each, content in (files | {"tokenizer_config.json": settings}).items():
            (path / each).write_text(json.dumps(content))
        paths.append(path)
    implementation, silent = f"transformers-{version}", []
    for (title, _, _), path, theirs in zip(cases, paths, originals(version, paths, ["a"]), strict=True):
        said = list(refused(implementation, partial(open_path, path, implementation), path.name))
        assert ("error" in theirs) <= bool(said), (title, theirs)
        assert all(each.error in theirs.get("error", "") for each in said), (title, said, theirs)
        silent += [title] * ("error" in theirs and not all(each.error for each in said))
    assert all("flag of text" in title for title in silent)  # this reader doesn't say if the token has a type


@pytest.mark.parametrize("version", [4, 5])
def test_folders_are_refused_where_transformers_refuses_them(version: int, tmp_path: Path) -> None:
    paths = []
    for name, config in FOLDERS.items():
        path = tmp_path / name
        path.mkdir()
        (path / "tokenizer.json").write_text(json.dumps(whole() | {"added_tokens": [ADDED]}))
        settings = {"tokenizer_class": "PreTrainedTokenizerFast", **config}
        (path / "tokenizer_config.json").write_text(json.dumps(settings))
        paths.append(path)
    known = 0
    for path, theirs in zip(paths, originals(version, paths, ["a"]), strict=True):
        implementation = f"transformers-{version}"
        said = list(refused(implementation, partial(open_path, path, implementation), path.name))
        assert bool(said) == ("error" in theirs), (path.name, theirs)
        for each in said:
            assert each.error in theirs["error"], (path.name, each, theirs)
            known += bool(each.error)
    assert known == (3 if version == 4 else 0)


def test_a_folder_is_linted_as_each_version_opens_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tokenizer.json").write_text(json.dumps(whole(unk_token="a") | {"added_tokens": [ADDED]}))
    (tmp_path / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", "extra_special_tokens": ["<y>"]})
    )
    assert main(["lint", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "transformers-4 doesn't open it" in said
    assert "transformers-5 doesn't" not in said
    # among many files it is counted, and the walk goes on
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "tokenizer.json").write_text(json.dumps(whole(unk_token="a")))
    assert main(["lint", "--in", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert "transformers-4 doesn't open it" in out
    assert "more/tokenizer.json: warning" in out
    assert "2 checked, 1 with contradictions" in out
    assert not err


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tokenizer_config.json", '{"a": 1,}'),
        ("tokenizer_config.json", '{"legacy": "x"}'),
        ("config.json", '{"vocab_size": "3"}'),
        ("special_tokens_map.json", "[]"),
        ("added_tokens.json", '{"<y>": "x"}'),
    ],
)
def test_a_folder_whose_settings_no_one_reads_is_never_silent(
    name: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tokenizer.json").write_text(json.dumps(whole(unk_token="a") | {"added_tokens": [ADDED]}))
    (tmp_path / "tokenizer_config.json").write_text("{}")
    (tmp_path / name).write_text(text)
    assert main(["lint", str(tmp_path)]) == 1
    assert name in capsys.readouterr().out
    main(["lint", "--in", str(tmp_path)])
    assert name in capsys.readouterr().err

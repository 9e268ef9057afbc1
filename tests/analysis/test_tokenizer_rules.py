"""Rules for tokenizers of any format: each finding is shown on ids and texts, by the original where it is one's own."""

from __future__ import annotations

import json
import subprocess
from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import pytest
from tokenizers import Tokenizer

import explorer
from explorer.analysis.card import card, folder_facts
from explorer.analysis.lint import OTHER_KEYS, ends, markers, merges, model_files, model_ids, since, words
from explorer.cli.main import main
from explorer.facts import FactKind
from explorer.formats import gguf
from explorer.formats.files import CONFIG, GENERATION_CONFIG
from explorer.formats.model_folder import NAMED
from explorer.formats.tokenizer_json import FLAGS
from explorer.implementations.llama_cpp.pre_tokenizers import FIRST_KNOWN, PRE
from explorer.text.say import plain
from tests.auto_tokenizer.comparing import originals
from tests.auto_tokenizer.environments import python
from tests.formats.gguf_writer import written
from tests.originals.llama_cpp import LlamaCpp

LETTERS: Final = {ch: id for id, ch in enumerate("abcdefghijklmnopqrstuvwxyz<>|_/ [].:'")}


def file(*added: tuple[str, bool]) -> dict[str, Any]:
    entries = [
        {"id": len(LETTERS) + at, "content": content, **dict.fromkeys(FLAGS, False), "special": special}
        for at, (content, special) in enumerate(added)
    ]
    model = {"type": "BPE", "unk_token": "a", "vocab": LETTERS, "merges": []}
    return {"version": "1.0", "added_tokens": entries, "model": model, "decoder": {"type": "Fuse"}}


def folder(root: Path, template: str = "", config: Any = None, **added: bool) -> Path:
    root.mkdir(exist_ok=True)
    (root / "tokenizer.json").write_text(json.dumps(file(*added.items())))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "chat_template": template or None, **(config or {})}
    (root / "tokenizer_config.json").write_text(json.dumps(settings))
    return root


@pytest.mark.parametrize("special", [True, False])
@pytest.mark.parametrize(
    ("content", "reads"),
    [
        *((word, True) for word in ("question", "Yes", " no", "the end", "user:", "don't", "well-known", "猫", "да")),
        *(
            (mark, False)
            for mark in ("<s>", "[CLS]", "<|im_end|>", "extra_id_0", "eng_Latn", "__en__", "###", "▁", "1")
        ),
    ],
)
def test_a_special_token_that_reads_like_a_word(content: str, reads: bool, special: bool, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(file((content, special))))
    ours, theirs = explorer.load(path), Tokenizer.from_file(str(path))
    found = list(words(ours))
    assert bool(found) == (reads and special)
    warned = [fact for fact in card(ours).warnings if "ordinary word" in fact.says]
    assert bool(warned) == bool(found)
    ids = theirs.encode(f"a{content}b", add_special_tokens=False).ids
    dropped = content not in theirs.decode(ids, skip_special_tokens=True)
    assert dropped == special
    if found:
        assert str(theirs.token_to_id(content)) in plain(found[0].says)
        assert main(["lint", str(path)]) == 1


@pytest.mark.parametrize("marker", ["<|im_end|>", "<|x|>", "<end_of_turn>", "</end_of_turn>"])
def test_a_marker_of_the_template_that_is_no_token(marker: str, tmp_path: Path) -> None:
    template = f"{{% for m in messages %}}{{{{ m.content }}}}{marker}{{% endfor %}}"
    without = explorer.load(folder(tmp_path / "without", template), "huggingface")
    (found,) = markers(without)
    count = len(Tokenizer.from_file(str(tmp_path / "without" / "tokenizer.json")).encode(marker).ids)
    assert f"becomes {count} tokens" in plain(found.says)
    assert not list(markers(explorer.load(folder(tmp_path / "with", template, **{marker: True}), "huggingface")))


def test_an_end_of_turn_that_is_not_eos(tmp_path: Path) -> None:
    template = "{% for m in messages %}{{ m.content }}<|im_end|>{% endfor %}"
    tok = explorer.load(folder(tmp_path / "a", template, {"eos_token": "</s>"}, **{"</s>": True, "<|im_end|>": True}))
    id = tok.vocabulary.ids[b"<|im_end|>"]
    (found,) = ends(tok, {})
    assert "“</s>”" in plain(found.says)
    assert str(id) in found.fix
    assert not list(ends(tok, {"eos_token_id": [3, id]}))
    assert not list(ends(tok, {"eos_token_id": id}))
    same = folder(tmp_path / "b", template, {"eos_token": "<|im_end|>"}, **{"</s>": True, "<|im_end|>": True})
    assert not list(ends(explorer.load(same), {}))
    assert main(["lint", str(tmp_path / "a")]) == 1
    (tmp_path / "a" / "generation_config.json").write_text(json.dumps({"eos_token_id": id}))
    assert main(["lint", str(tmp_path / "a")]) == 1  # </s> isn't in it
    both = {"eos_token_id": [id, tok.vocabulary.ids[b"</s>"]]}
    (tmp_path / "a" / "generation_config.json").write_text(json.dumps(both))
    assert main(["lint", str(tmp_path / "a")]) == 0


def entry(content: str) -> dict[str, Any]:
    return {"content": content, **dict.fromkeys(FLAGS, False), "special": True}


@pytest.mark.parametrize("version", [4, 5])
@pytest.mark.parametrize("moved", [0, 1, 2, 7])
def test_added_tokens_whose_ids_move_are_named_with_both_ids(moved: int, version: int, tmp_path: Path) -> None:
    free = len(LETTERS)
    decoder = {str(free): entry("<x>"), str(free + 1 + moved): entry("<y>"), str(free + 3 + moved): entry("<z>")}
    path = folder(tmp_path / "m", "", {"added_tokens_decoder": decoder}, **{"<x>": True})
    ours = explorer.load(path, f"transformers-{version}")
    (theirs,) = originals(version, [path], ["<x>", "<y>", "<z>"])
    said = [
        fact.says
        for fact in ours.facts
        if fact.place.endswith("added_tokens_decoder") and fact.kind == FactKind.WARNING
    ]
    got = {content: answer[1][0] for content, answer in zip(("<x>", "<y>", "<z>"), theirs["answers"], strict=True)}
    wrong = {
        content: id
        for id, content in ((int(id), each["content"]) for id, each in decoder.items())
        if got[content] != id
    }
    assert len(said) == bool(wrong)
    assert all(f"{content} gets {got[content]}, not {id}" in said[0] for content, id in wrong.items())
    assert "<x> gets" not in "".join(said)


@pytest.mark.parametrize("version", [4, 5])
@pytest.mark.parametrize("ids", [(0, 1), (0, 0), (1, 0), (0, 9), (9, 9), (-30, 0)])
def test_ids_of_added_tokens_json_that_move_or_are_lost(ids: tuple[int, int], version: int, tmp_path: Path) -> None:
    free = len(LETTERS)
    path = folder(tmp_path / "m")
    added = {content: free + id for content, id in zip(("<y>", "<z>"), ids, strict=True)}
    (path / "added_tokens.json").write_text(json.dumps(added))
    (theirs,) = originals(version, [path], [*added])
    ours = explorer.load(path, f"transformers-{version}")
    said = "".join(
        fact.says for fact in ours.facts if fact.place == "added_tokens.json" and fact.kind == FactKind.WARNING
    )
    for (content, id), (got, *_) in zip(added.items(), theirs["answers"], strict=True):
        lost = len(got) > 1
        assert (f"{content} ({id}) is no token" in said) == lost
        assert (f"{content} gets {got[0]}, not {id}" in said) == (not lost and got != [id])


KEYS: Final[dict[str, Any]] = {
    "additional_special_tokens": ["<a1>"],
    "extra_special_tokens": {"own_token": "<e1>"},
    "own_token": "<o1>",
    "pad_token": "<pad1>",
    "added_tokens_decoder": {"60": entry("<d1>")},
    "model_max_length": 12,
    "padding_side": "left",
}
FILES: Final[dict[str, Any]] = {
    **{f"tokenizer_config.json: {key}": value for key, value in KEYS.items()},
    "tokenizer_config.json: tokenizer_class": "LlamaTokenizer",
    "special_tokens_map.json: additional_special_tokens": ["<a1>", "<s1>"],
    "special_tokens_map.json: pad_token": "<pad2>",
    "special_tokens_map.json: own_token": "<o2>",
    "special_tokens_map.json: mask_token": {**entry("<m1>"), "lstrip": True},
    "added_tokens.json": {"<j1>": 50, "<a1>": 51},
    "config.json: model_type": "gpt2",
    "config.json: tokenizer_class": "RobertaTokenizer",
    "config.json: transformers_version": "4.57.1",
}
"""File and key → value; every key alone and every two of them are tried, with and without."""
PAIRS: Final = [dict.fromkeys([one, other]) for one in FILES for other in FILES if one <= other]
SWITCHED: Final = ("<a1>", "<e1>", "<o1>", "<pad1>", "<d1>", "<s1>", "<pad2>", "<o2>", "<m1>", "<j1>",
                   "<s>", "</s>", "<pad>", "<unk>", "<mask>", "<|endoftext|>")  # fmt: skip
GENERIC: Final = {"tokenizer_config.json: tokenizer_class": "PreTrainedTokenizerFast"}


def written_folder(root: Path, keys: Iterable[str], without: str = "") -> Path:
    """A folder with these keys but one, whose class is generic if the keys name none."""
    generic = {} if any("tokenizer_class" in key or "model_type" in key for key in keys) else GENERIC
    files: dict[str, Any] = {}
    for key, value in ({key: FILES[key] for key in keys} | generic).items():
        name, _, inner = key.partition(": ")
        whole = files.setdefault(name, {})
        if key != without:
            whole.update({inner: value} if inner else value)
    root.mkdir()
    (root / "tokenizer.json").write_text(json.dumps(file()))
    for name, whole in files.items():
        (root / name).write_text(json.dumps(whole))
    return root


@pytest.mark.parametrize("version", [4, 5])
def test_a_key_is_a_switch_exactly_if_the_original_gives_other_ids_without_it(version: int, tmp_path: Path) -> None:
    """Every key of every file alone and every two of them: with and without it, in the original."""
    asked = ["".join(f"a{each}b" for each in SWITCHED), "a b"]
    cases = []
    for number, keys in enumerate(PAIRS):
        paths = [written_folder(tmp_path / f"{number}.{at}", keys, key) for at, key in enumerate(["", *keys])]
        cases.append((keys, paths))
    answers = iter(originals(version, [path for _, paths in cases for path in paths], asked))
    tried = 0
    for keys, paths in cases:
        whole, *others = [next(answers) for _ in paths]
        if "error" in whole:
            continue
        ours = explorer.load(paths[0], f"transformers-{version}")
        switches = {each.name: each for each in ours.variants.all if each.removed}
        for key, other in zip(keys, others, strict=True):
            name = key.removeprefix("tokenizer_config.json: ")
            if "error" in other:
                assert name not in switches, (version, [*keys], key)
                continue
            differs = whole["answers"] != other["answers"]
            assert (name in switches) == differs, (version, [*keys], key)
            tried += differs
            if differs:
                flipped = [switches[name].flipped.encode(text).ids for text in asked]
                assert flipped == [each[0] for each in other["answers"]], ([*keys], key)
    assert tried > 60


MODEL: Final[dict[str, Any]] = {
    **{f"{name}_id": 3 for name in NAMED}, **dict.fromkeys(OTHER_KEYS, 5), "suppress_tokens": [1, 2],
}  # fmt: skip


@pytest.mark.parametrize("version", [4, 5])
def test_keys_for_the_model_change_nothing_in_the_original_and_are_listed(
    version: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain_folder = folder(tmp_path / "plain", "", {"eos_token": "a"})
    (plain_folder / "config.json").write_text(json.dumps({"model_type": "gpt2"}))
    paths = [plain_folder]
    for number, (name, key) in enumerate((name, key) for name in (CONFIG, GENERATION_CONFIG) for key in MODEL):
        path = folder(tmp_path / f"{number}", "", {"eos_token": "a"})
        wholes = {CONFIG: {"model_type": "gpt2"}, GENERATION_CONFIG: {}}
        wholes[name][key] = MODEL[key]
        for file_name, whole in wholes.items():
            (path / file_name).write_text(json.dumps(whole))
        paths.append(path)
        tok = explorer.load(path, f"transformers-{version}")
        assert not any(fact.place == CONFIG and "does not read" in fact.says for fact in tok.facts)
        facts = folder_facts(str(path), tok)
        assert any(fact.place == name and key in fact.says and fact.kind == FactKind.UNUSED for fact in facts)
    first, *others = originals(version, paths, ["abc <x>", "a b"])
    assert all(each == first for each in others)


@pytest.mark.parametrize("name", [CONFIG, GENERATION_CONFIG])
@pytest.mark.parametrize(
    ("value", "found"), [(1, 0), ([3, 1], 0), (2, 1), ([3, 2], 1), (999, 1), (-1, 1), ([1, 999], 1)]
)
@pytest.mark.parametrize("key", ["eos_token", "bos_token", "pad_token"])
def test_ids_of_the_model_and_of_the_tokenizer(key: str, value: Any, found: int, name: str, tmp_path: Path) -> None:
    path = folder(tmp_path / "m", "", {key: "b"})
    (path / name).write_text(json.dumps({f"{key}_id": value, "model_type": "gpt2"}))
    tok = explorer.load(path, "transformers-5")
    (said,) = [[fact for fact in folder_facts(str(path), tok) if fact.place == f"{name}: {key}_id"]]
    assert len(said) == found
    assert main(["lint", str(path)]) == found
    if found:
        asked = value[-1] if isinstance(value, list) else value
        assert f"{asked}" in said[0].says
        assert ("(1)" in said[0].says) == (asked == 2)  # the tokenizer's own, or how far ids go
        assert (str(len(tok.vocabulary) - 1) in said[0].says) == (asked != 2)


def test_generation_config_counts_before_config(tmp_path: Path) -> None:
    """As GenerationConfig does: what stops an answer is compared with eos_token."""
    path = folder(tmp_path / "m", "", {"eos_token": "b"})
    for files, stops in (({CONFIG: 2, GENERATION_CONFIG: [2, 1]}, [2, 1]), ({CONFIG: 1, GENERATION_CONFIG: 2}, 2)):
        for name, value in files.items():
            (path / name).write_text(json.dumps({"eos_token_id": value, "model_type": "gpt2"}))
        code = f"from transformers import GenerationConfig as G; print(G.from_pretrained({str(path)!r}).eos_token_id)"
        theirs = subprocess.run([python(5), "-c", code], capture_output=True, text=True, check=True).stdout
        assert theirs.strip() == str(stops)
        wrong = model_ids(explorer.load(path), model_files(path))
        assert [each.place for each in wrong] == ([] if stops == [2, 1] else [f"{GENERATION_CONFIG}: eos_token_id"])


def test_compare_names_the_key_that_differs_between_versions(tmp_path: Path) -> None:
    config = {"additional_special_tokens": ["<x>"], "extra_special_tokens": {"y_token": "<y>"}}
    path = str(folder(tmp_path / "both", "", config))
    found = explorer.compare(f"{path}@transformers-5", f"{path}@transformers-4", text="a<x>b")
    from explorer.analysis.notes import notes

    said = " ".join(map(plain, notes(found)))
    assert "special_tokens is in tokenizer_config.json. Without it the ids are the same" in said


PIECES: Final = ["a", "b", "c", "d", "ab", "cd", "<|zz|>"]


def bpe_gguf(
    path: Path, lines: list[str], kinds: list[int] | None = None, pre: str = "gpt-2", template: str = ""
) -> Path:
    keys: dict[str, Any] = {
        "general.architecture": "llama",
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": pre,
        "tokenizer.ggml.tokens": [piece.encode() for piece in PIECES],
        "tokenizer.ggml.token_type": array("i", kinds or [1] * 6 + [3]),
        "tokenizer.ggml.merges": [line.encode() for line in lines],
    }
    if template:
        keys["tokenizer.chat_template"] = template
    path.write_bytes(written(keys))
    return path


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        (["a b", "c d"], 0),
        (["a b", "b c", "c d"], 1),
        (["a b", "ab c"], 1),
        (["a b", "cd"], 1),
        (["a b", "c d a"], 1),
        (["x y", "a b"], 1),
    ],
)
def test_merges_of_a_gguf_that_make_no_token(lines: list[str], wrong: int, tmp_path: Path) -> None:
    path = bpe_gguf(tmp_path / "m.gguf", lines)
    tok = explorer.load(path)
    values = gguf.read(path).metadata["tokenizer.ggml.merges"]
    assert isinstance(values, list)
    found = list(merges(values, tok))
    assert len(found) == wrong
    assert main(["lint", str(path)]) == bool(wrong)
    with LlamaCpp(path) as theirs:
        for text in ("abcd", "bc", "abc", "cda"):
            assert tok.encode(text).ids == theirs.tokenize(text)
        if "b c" in lines:  # merged, and then without a token: the tokens of the bytes
            assert theirs.tokenize("bc") == [1, 2]


@pytest.mark.parametrize(("kind", "found"), [(1, 1), (3, 0), (4, 0)])
def test_a_marker_of_the_type_normal(kind: int, found: int, tmp_path: Path) -> None:
    path = bpe_gguf(tmp_path / "m.gguf", ["a b"], [1] * 6 + [kind], template="{{ x }}<|zz|>")
    tok = explorer.load(path)
    with LlamaCpp(path) as theirs:
        assert tok.encode("<|zz|>").ids == theirs.tokenize("<|zz|>") == ([] if found else [6])
    assert len(list(markers(tok))) == found


def test_a_gguf_that_llama_cpp_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = bpe_gguf(tmp_path / "m.gguf", ["a b"], pre="foo")
    assert main(["lint", str(path)]) == 1
    said = capsys.readouterr().out
    with pytest.raises(RuntimeError, match="unknown pre-tokenizer type: 'foo'"), LlamaCpp(path):
        pass
    assert "unknown pre-tokenizer type: 'foo'" in said


def test_every_name_has_the_release_that_first_knows_it() -> None:
    named = [name for names in FIRST_KNOWN.values() for name in names.split()]
    assert sorted(named) == sorted(PRE)
    assert "0.3.24" in since("gemma4")
    assert "0.3.20 doesn't" in since("gemma4")
    assert "none" in since("foo")


def test_info_names_what_only_one_version_uses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = {"additional_special_tokens": ["<x>"], "extra_special_tokens": ["<x>"]}
    refused = folder(tmp_path / "refused", "", config)
    assert main(["info", "-m", str(refused)]) == 0
    assert "Version 4 doesn't open this folder" in capsys.readouterr().out
    # a special token with a name of its own
    own = folder(tmp_path / "own", "", {"own_token": "<o1>"})
    assert main(["info", "-m", str(own)]) == 0
    five, four = (answers[0]["answers"][0][0] for answers in (originals(each, [own], ["<o1>"]) for each in (5, 4)))
    said = capsys.readouterr().out
    assert five != four
    assert "own_token: version 5 of transformers uses it" in said

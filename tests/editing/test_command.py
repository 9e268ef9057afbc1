"""`explorer edit`: what it prints and writes; tokens before and after against a recount."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tokenizers import pre_tokenizers

import explorer
from explorer.analysis.inputs import Line
from explorer.analysis.pre_tokenizer import PROBE, cuts_of, suggestions
from explorer.cli.main import main
from explorer.editing import edits as e
from explorer.editing import edits as edits_file
from explorer.editing.replay import changed, effect, replay
from explorer.errors import InputError
from explorer.opening.formats import open_bytes
from tests.bundled import bundled
from tests.editing import files
from tests.originals.generators import strings


def test_edits_are_printed_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, out, script = (str(tmp_path / name) for name in ("m.json", "out.json", "edits.toml"))
    Path(model).write_bytes(files.bpe())
    given = ["edit", "-m", model, "--remove", " the", "--add-special", "<tool>", "--add-merges", "zzz"]
    assert main([*given, "--output", out, "--save-script", script, "--text", "over the zzz", "--languages"]) == 0
    printed = capsys.readouterr().out
    for line in ("1. Remove “␣the”", "2. Add the special token “<tool>”", "1 text, 1 cut differently: ",
                 "1 word with more tokens",
                 "  the  1 → 2  × 1", "ja       Japanese"):  # fmt: skip
        assert line in printed
    edits = (e.Remove((" the",)), e.AddToken("<tool>", special=True), e.AddMerges(("zzz",)))
    assert edits_file.read(Path(script).read_bytes(), "x") == edits
    assert Path(out).read_bytes() == replay(files.bpe(), edits, "m.json").data
    again = str(tmp_path / "again.json")
    assert main(["edit", "-m", model, "--script", script, "--output", again]) == 0
    assert Path(again).read_bytes() == Path(out).read_bytes()


def test_bad_edits_end_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(tmp_path / "m.tiktoken")
    Path(model).write_bytes(files.ranks())
    choose = ["--choose", "pattern=gpt2"]
    for given, says in (
        (["--pre", "qwen2"], "edit 1, set-pre-tokenizer: a ranks file holds no pre-tokenizer"),
        (["--remove", "never"], "edit 1, remove: “never” is not in the vocabulary"),
        (["--script", str(tmp_path / "no.toml")], "cannot be read"),
    ):
        assert main(["edit", "-m", model, *choose, *given]) == 1
        assert says in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["edit", "-m", model, *choose])


def test_words_and_tokens_are_those_of_a_recount() -> None:
    before = open_bytes(files.bpe(), "before", None)
    edits = [e.Remove((" the", "er", " brown")), e.AddMerges((" lowest fox", "zzz", "東京都")), e.AddToken("jump")]
    after = open_bytes(replay(files.bpe(), edits, "toy").data, "after", None)
    texts = [*files.TEXTS, *strings(seed=5, count=80)]
    found = effect(before, after, [Line("x", 1, text) for text in texts])
    sums, words, otherwise = [0, 0], Counter[tuple[str, int, int]](), 0
    for text in texts:
        tokens = [each.encode(text, add_special=False).tokens for each in (before, after)]
        sums = [total + len(each) for total, each in zip(sums, tokens, strict=True)]
        otherwise += [(each.start, each.end) for each in tokens[0]] != [(each.start, each.end) for each in tokens[1]]
        at = 0
        for word in text.split():
            at = text.index(word, at)
            first = at - (text[at - 1 : at] == " ")
            touched = [sum(each.start < at + len(word) and each.end > first for each in side) for side in tokens]
            words[word, touched[0], touched[1]] += touched[0] != touched[1]
            at += len(word)
    assert [found.before, found.after] == sums
    assert (found.lines, found.changed) == (len(texts), otherwise)
    assert {tuple(each) for each in (*found.broken, *found.joined)} == {(*key, n) for key, n in words.items() if n}
    assert all(each.after > each.before for each in found.broken)
    assert found.broken
    assert found.joined


def test_new_tokens_that_text_never_gives_are_told() -> None:
    word = e.AddMerges(("a cut word",))
    after = open_bytes(replay(files.bpe(), [word], "toy").data, "after", None)
    found = changed(open_bytes(files.bpe(), "before", None), after)
    assert [found.right.texts[id] for id in found.difference.only_right][-1] == "a cut word"
    assert "a cut word" in {found.right.texts[id] for id in found.unreached}, "the pattern cuts at its spaces"


def test_a_file_that_names_none_is_not_compared_with_its_own_fallback(tmp_path: Path) -> None:
    unnamed = tmp_path / "none.gguf"
    unnamed.write_bytes(files.gguf_bpe(None))
    with pytest.raises(InputError, match="names no pre-tokenizer"):
        suggestions(explorer.load(unnamed))
    # what is known about the model counts, and so does a name in the file
    assert "gpt-2" in suggestions(explorer.load(unnamed, pre="gpt-2"))[0].names
    assert suggestions(open_bytes(files.gguf_bpe("default"), "named", None))[0].names[0] == "default"


def test_names_are_ranked_by_the_cuts_of_the_original() -> None:
    theirs = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str(PROBE)
    assert cuts_of(bundled("gpt-2"), PROBE) == {start for _, (start, _) in theirs} - {0}
    ranked = suggestions(bundled("gpt-2"))
    assert "gpt-2" in ranked[0].names
    assert [each.agreement for each in ranked] == sorted((each.agreement for each in ranked), reverse=True)
    for each in ranked:
        assert (each.difference is None) == (each.agreement == 1)
        if each.difference is not None:
            at, _, cuts = each.difference
            assert cuts == (at not in cuts_of(bundled("gpt-2"), PROBE))

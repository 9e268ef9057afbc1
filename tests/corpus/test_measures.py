"""The measures for a paper: from their formulas, beside other programs that compute them, in tables."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import io
import json
import math
import os
import subprocess
import sys
import types
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from zstandard import ZstdCompressor

import explorer
from explorer.cli.main import main
from explorer.corpus.counter import chosen
from explorer.corpus.document_rows import summed
from explorer.corpus.measures import (
    KNOWN,
    as_csv,
    as_latex,
    as_markdown,
    gini,
    gold_words,
    measuring,
    renyi_entropy,
)
from explorer.corpus.run import plan, run
from explorer.corpus.sample import TEXTS
from explorer.corpus.sources import Reading
from tests.bundled import bundled
from tests.corpus.command import refused
from tests.corpus.texts import plain, write_text
from tests.of import ROOT

MODELS = ("gpt-2", "llama-3", "bert-uncased")


def declaration() -> dict[str, list[str]]:
    """The lines of each language."""
    lines: dict[str, list[str]] = {}
    for line in gzip.decompress(TEXTS.read_bytes()).decode().splitlines():
        record = json.loads(line)
        lines.setdefault(record["label"], []).append(record["text"])
    return lines


@pytest.fixture(scope="module")
def sample() -> dict[str, Any]:
    return explorer.measure(MODELS, [str(TEXTS)], label="label", baseline="English", draws=200)


def values(result: dict[str, Any], model: str) -> dict[str, Any]:
    """The measures of a tokenizer, without their intervals."""
    paper = result["measures"]
    return {key: each[paper["tokenizers"].index(model)][0] for key, each in paper["values"].items()}


def test_measures_follow_their_formulas(sample: dict[str, Any]) -> None:
    lines = declaration()
    tok = bundled("gpt-2")
    ids = {
        name: [tok.encode(text, add_special=False, parse_special=False).ids for text in own]
        for name, own in lines.items()
    }
    sums = {name: sum(map(len, own)) for name, own in ids.items() if len(own) == len(lines["English"])}
    own = values(sample, "gpt-2")
    texts, tokens = [text for each in lines.values() for text in each], sum(len(x) for own in ids.values() for x in own)
    assert own["bytes_per_token"] == pytest.approx(sum(len(text.encode()) for text in texts) / tokens)
    assert own["characters_per_token"] == pytest.approx(sum(map(len, texts)) / tokens)
    assert own["premium"] == pytest.approx(median(n / sums["English"] for name, n in sums.items() if name != "English"))
    mean = sum(sums.values()) / len(sums)
    differences = sum(abs(a - b) for a in sums.values() for b in sums.values())
    assert own["gini"] == pytest.approx(differences / (2 * len(sums) ** 2 * mean))
    assert own["variation"] == pytest.approx(np.std(list(sums.values())) / mean)
    counts = Counter(id for each in ids.values() for line in each for id in line)
    assert own["never"] == pytest.approx(1 - len(counts) / 50257)
    assert own["rarely"] == pytest.approx(sum(n < 10 for n in counts.values()) / 50257)
    bits = tokens * 16 / 8
    joined = "".join(text.removesuffix("\n") + "\n" for text in texts).encode()
    assert own["to_gzip"] == pytest.approx(bits / len(gzip.compress(joined, 9)))
    stream = ZstdCompressor(level=3).compressobj()  # whose size it isn't told
    assert own["to_zstd"] == pytest.approx(bits / len(stream.compress(joined) + stream.flush()))
    long = [len(line) for each in ids.values() for line in each if len(line) > 2048]
    assert own["cut_share"] == pytest.approx(len(long) / len(texts))
    assert own["lost_share"] == pytest.approx(sum(n - 2048 for n in long) / tokens)


def test_words_in_running_text_and_alone(sample: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the unbelievable 12345 snake_case camelCase x\n")
    found = values(explorer.measure(["gpt-2"], [str(tmp_path)], draws=5), "gpt-2")
    tok = bundled("gpt-2")
    words = "the unbelievable 12345 snake_case camelCase x".split()
    alone = [len(tok.encode(word).ids) for word in words]
    running = [len(tok.encode(f"x {word}").ids) - 1 for word in words]
    assert found["fertility_alone"] == pytest.approx(sum(alone) / len(words))
    assert found["strr_alone"] == pytest.approx(alone.count(1) / len(words))
    assert found["strr"] == pytest.approx(running.count(1) / len(words))
    assert found["number_tokens"] == alone[2]
    assert found["identifier_tokens"] == pytest.approx((alone[3] + alone[4]) / 2)
    assert running != alone
    assert values(sample, "gpt-2")["fertility"] < values(sample, "gpt-2")["bytes_per_token"] * 10


@given(st.lists(st.integers(0, 50), min_size=2, max_size=30).filter(lambda counts: sum(map(bool, counts)) > 1))
def test_entropies_fall_with_alpha_and_meet_shannon(counts: list[int]) -> None:
    given = np.array(counts)
    found = [renyi_entropy(given, alpha) for alpha in (0, 0.5, 1, 2.5, 7, math.inf)]
    assert all(left >= right - 1e-9 for left, right in pairwise(found))
    assert found[0] == pytest.approx(math.log2(sum(map(bool, counts))))
    shares = [n / sum(counts) for n in counts if n]
    assert found[2] == pytest.approx(-sum(p * math.log2(p) for p in shares), abs=1e-12)
    assert renyi_entropy(given, 1 + 1e-6) == pytest.approx(found[2], abs=1e-4)


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=20))
def test_gini_is_the_mean_difference(numbers: list[float]) -> None:
    mean = sum(numbers) / len(numbers)
    pairs = sum(abs(a - b) for a in numbers for b in numbers) / len(numbers) ** 2
    assert gini(pd.DataFrame([numbers]))[0] == pytest.approx(pairs / (2 * mean), abs=1e-9)


def test_intervals_hold_the_value_and_a_difference_is_paired(sample: dict[str, Any]) -> None:
    for key, values_of in sample["measures"]["values"].items():
        for value in values_of:
            if value[1] is not None:
                assert value[1] <= value[0] * 1.05, key
                assert value[0] <= value[2] * 1.05, key
    lead = sample["measures"]["leads"]["bytes_per_token"]
    assert values(sample, "bert-uncased")["unknown"] > 0.05
    best = max(("gpt-2", "llama-3"), key=lambda name: values(sample, name)["bytes_per_token"])
    assert "bert-uncased" not in lead["behind"], "what loses text is in no ranking"
    assert lead["name"] == best
    assert (sample["measures"]["best"].get("bytes_per_token") == MODELS.index(best)) == lead["clear"]
    for name, (gap, low, high) in lead["behind"].items():
        own, its = values(sample, name), values(sample, best)
        assert gap == pytest.approx(own["bytes_per_token"] - its["bytes_per_token"])
        assert low <= gap <= high <= 0 if lead["clear"] else low <= gap <= high


def test_the_command_writes_the_table_and_the_methods(tmp_path: Path) -> None:
    text, out = write_text(tmp_path / "a.txt", 2_000), tmp_path / "out.json"
    ask = ["-m", "gpt-2", str(text), "--measures", "strr,premium", "--draws", "20", "--output", str(out)]
    papers = [f"--paper={tmp_path / name}" for name in ("t.tex", "t.md", "t.csv", "t.json", "m.txt")]
    assert main(["corpus", *ask, *papers]) == 0
    found = json.loads(out.read_bytes())
    assert found["measures"] == json.loads((tmp_path / "t.json").read_bytes())
    assert (tmp_path / "t.tex").read_text() == as_latex(found["measures"], ["strr"])
    assert (tmp_path / "m.txt").read_text() == found["measures"]["methods"]
    for wrong in (["--measures", "size"], ["--gold", "x"], ["--measures", "all", "--paper", "x.doc"]):
        with pytest.raises(SystemExit):
            main(["corpus", "-m", "gpt-2", str(text), *wrong])


def test_equal_tokenizers_are_never_told_apart(tmp_path: Path) -> None:
    text = write_text(tmp_path / "a.txt", 5_000)
    lead = explorer.measure(["gpt-2", "gpt-2@llama.cpp"], [str(text)], draws=50)["measures"]["leads"]["fertility"]
    assert not lead["clear"]
    assert all(each[0] == 0 for each in lead["behind"].values())


def test_the_interval_covers_the_truth_as_often_as_it_says(tmp_path: Path) -> None:
    """Of corpora drawn from one population, whose ratio is known."""
    population = np.random.default_rng(1).integers(1, 20, 400)
    truth, inside = population.mean() + 1, 0
    for number in range(60):
        drawn = np.random.default_rng([2, number]).choice(population, 80)
        (tmp_path / "a.txt").write_text("".join("a" * n + "\n" for n in drawn))
        found = explorer.measure(["rwkv-world"], [str(tmp_path / "a.txt")], draws=200)
        total = found["total"]
        (value,) = found["measures"]["values"]["bytes_per_token"]
        assert value[0] == pytest.approx(total["bytes"] / found["total"]["tokenizers"][0]["tokens"])
        tokens = [len(bundled("rwkv-world").encode("a" * n + "\n").ids) for n in population]
        inside += value[1] <= truth * len(population) / sum(tokens) <= value[2]
    assert inside >= 50


def test_missing_lines_are_left_out_on_both_sides(tmp_path: Path) -> None:
    (tmp_path / "en.txt").write_text("good day\nmy friend\nof old\n")
    (tmp_path / "de.txt").write_text("guten Tag\n\nvon früher\n")
    (tmp_path / "fr.txt").write_text("bonjour\n")
    paths = [str(tmp_path / f"{name}.txt") for name in ("en", "de", "fr")]
    found = explorer.measure(["gpt-2"], paths, baseline=paths[0], draws=5)["measures"]
    assert found["missing_lines"] == {paths[1]: 1}
    assert found["not_parallel"] == [paths[2]]
    tokens = [sum(len(bundled("gpt-2").encode(line).ids) for line in lines)
              for lines in (("guten Tag\n", "von früher\n"), ("good day\n", "of old\n"))]  # fmt: skip
    assert found["premiums"][paths[1]][0][0] == pytest.approx(tokens[0] / tokens[1])


def test_the_numbers_do_not_depend_on_how_the_corpus_is_cut(tmp_path: Path) -> None:
    text = write_text(tmp_path / "a.txt", 20_000)
    jobs = [measuring(plan([str(text)], chosen(["gpt-2"], {}), Reading(), size=size), 8) for size in (10**6, 3_000)]
    counts = [run(job.tasks, job.work)[0] for job in jobs]
    assert len(jobs[1].tasks) > 5
    assert plain(counts[0]) == plain(counts[1])
    rows = [pd.concat([pd.read_parquet(io.BytesIO(each)) for _, each in sorted(own.documents.items())])
            for own in counts]  # fmt: skip
    packed = ["gzip", "zstd"]  # what a compressor has written after a document depends on the part
    pd.testing.assert_frame_equal(rows[0].drop(columns=packed), rows[1].drop(columns=packed))
    plain_job = plan([str(text)], chosen(["gpt-2"], {}), Reading())
    counted = run(plain_job.tasks, plain_job.work)[0]
    assert plain(counted) == plain(counts[0])
    assert not counted.documents


def test_sums_of_runs_lose_nothing() -> None:
    rows = pd.DataFrame(np.arange(22).reshape(11, 2), index=list("aababbbbbaa"))
    pd.testing.assert_series_equal(summed(rows, 3).sum(), rows.sum())
    assert summed(rows, 3).index.value_counts().to_dict() == {"a": 2, "b": 2}
    assert summed(rows, 3).iloc[0].tolist() == rows.iloc[[0, 1, 3]].sum().tolist()


def test_gold_words_are_cut_at_their_morphemes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold, text = tmp_path / "gold.txt", write_text(tmp_path / "a.txt", 500)
    gold.write_text("unbelievable\tun+believ+able\t3\nthe\tthe\ncats\tcat+s\n")
    found = values(explorer.measure(["gpt-2"], [str(text)], gold=str(gold), draws=5), "gpt-2")
    hits = predicted = wanted = 0.0
    assert gold_words(str(gold))[0] == ("unbelievable", frozenset({2, 8}), 3.0)
    for word, borders, weight in gold_words(str(gold)):
        spans = bundled("gpt-2").encode(f"x {word}").spans
        cuts = {span[0] - 2 for span in spans if span is not None and span[0] > 2}
        hits += weight * len(cuts & borders)
        predicted += weight * len(cuts)
        wanted += weight * len(borders)
    assert found["morph_recall"] == pytest.approx(hits / wanted)
    assert found["morph_f1"] == pytest.approx(2 * hits / (predicted + wanted))
    assert found.get("morph_precision") == (pytest.approx(hits / predicted) if predicted else None)
    gold.write_text("cats\tca+t\n")
    assert "line 1" in refused(capsys, str(text), "--measures", "all", "--gold", str(gold))
    assert "reference" in refused(capsys, str(text), "--measures", "all", "--reference", "nobody")


def test_the_table_is_written_in_every_form(sample: dict[str, Any]) -> None:
    paper = sample["measures"]
    latex, markdown = as_latex(paper), as_markdown(paper)
    rows = [line for line in latex.splitlines() if line.endswith(r"\\")]
    assert len(rows) == len(MODELS) + 1
    assert len({row.count(" & ") for row in rows}) == 1
    assert all(rule in latex for rule in (r"\toprule", r"\midrule", r"\bottomrule"))
    assert r"45\%" not in latex.replace(r"\%", "")
    assert len({line.count("|") for line in markdown.splitlines()}) == 1
    table = list(csv.DictReader(io.StringIO(as_csv(paper))))
    for row in table:
        assert (float(row["value"]) if row["value"] else None) == values(sample, row["tokenizer"])[row["measure"]]
    assert {row["measure"] for row in table} == paper["values"].keys()
    assert as_latex(paper, ["premium"]).count(" & ") == len(MODELS) + 1
    assert json.loads(json.dumps(sample)) == sample
    said = paper["methods"]
    for each in sample["provenance"]["tokenizers"]:
        assert each["files"][0]["sha256"][:12] in said
    assert "Python code" in said
    assert "seed 0" in said
    assert KNOWN.keys() >= paper["values"].keys()


# --- beside other programs --------------------------------------------------------------------------------------------

PACKAGES = "toklens==0.1.2", "tokenization-scorer==1.1.8", "tktkt==2026.10.0"


@cache
def packages() -> Path:
    """Their folder; without what they need for other purposes."""
    folder = Path(os.environ.get("EXPLORER_MEASURES") or ROOT / ".measures")
    if not (folder / "tktkt").exists():
        pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--target", folder, *PACKAGES], check=True, stdout=sys.stderr)
    return folder


def original(path: str) -> Any:
    """A module of theirs, without its package."""
    spec = importlib.util.spec_from_file_location(path.replace("/", "_").removesuffix(".py"), packages() / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def function(path: str, *names: str) -> Any:
    """Functions of theirs whose module needs more than they do."""
    import ast

    tree = ast.parse((packages() / path).read_text("utf-8"))
    picked: list[ast.stmt] = [each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name in names]
    module = types.ModuleType(path)
    module.__dict__.update(np=np, ceil=math.ceil, Iterable=Sequence, DEFAULT_RENYI_ALPHA=2.5)
    exec(compile(ast.Module(picked, []), path, "exec"), module.__dict__)
    return module


def corpora() -> dict[str, str]:
    """46 languages, code, and one of numbers and names."""
    code = "".join(path.read_text("utf-8") for path in sorted((ROOT / "explorer" / "corpus").glob("*.py")))
    mixed = " ".join(f"item_{n} {n * 7919} caféNo{n} " for n in range(3_000))
    return {
        # its Python code names a special token of BERT's, which toklens takes for one
        "languages": "\n".join(text for own in declaration().values() for text in own).replace("[UNK]", "UNK"),
        "code": code,
        "mixed": mixed,
    }


@pytest.mark.long
@pytest.mark.xdist_group("measures")
@pytest.mark.parametrize("corpus", ["languages", "code", "mixed"])
@pytest.mark.parametrize("model", ["gpt-2", "bert-uncased", "llama-3"])
def test_the_numbers_are_those_of_other_programs(corpus: str, model: str, tmp_path: Path) -> None:
    text, theirs = corpora()[corpus], original("toklens/metrics.py")
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": text}))
    found = values(explorer.measure([model], [str(tmp_path / "a.jsonl")], draws=5), model)
    tok = Tokenizer.from_file(str(explorer.catalog()[model].path))
    tok.no_truncation()  # BERT's file cuts at 512 tokens and fills up to 128, and toklens counts that
    tok.no_padding()
    assert found["characters_per_token"] == pytest.approx(theirs.compute_cpt(tok, text), rel=1e-12)
    assert found["bytes_per_token"] == pytest.approx(theirs.compute_compression_ratio(tok, text), rel=1e-12)
    assert 1 / found["characters_per_token"] == pytest.approx(theirs.compute_nsl(tok, text), rel=1e-12)
    if corpus != "languages":  # there the words of languages without spaces are left out
        assert found["fertility_alone"] == pytest.approx(theirs.compute_fertility(tok, text), rel=1e-12)
        assert found["strr_alone"] == pytest.approx(theirs.compute_strr(tok, text), rel=1e-12)
    ids = bundled(model).encode(text, add_special=False, parse_special=False).ids
    score = original("tokenization_scorer/metrics.py").get_metric
    for alpha in (0.5, 1.0, 2.5, 3.0):
        own = renyi_entropy(np.bincount(ids), alpha)
        assert own == pytest.approx(score("renyi_entropy")([ids], power=alpha), rel=1e-9)
    assert found["renyi"] == pytest.approx(score("renyi")([ids], power=2.5), rel=1e-9)
    assert found["entropy"] == pytest.approx(score("shannon_entropy")([ids]), rel=1e-9)
    size = len(bundled(model).vocabulary)
    assert found["renyi_vocabulary"] == pytest.approx(score("renyi")([ids], power=2.5, vocab=size), rel=1e-9)
    counts = np.bincount(ids)
    third = function("tktkt/evaluation/entropy.py", "renyiEntropy", "renyiEfficiency")
    least, middle, _ = third.renyiEfficiency((counts[counts > 0] / len(ids)).tolist(), 2.5)
    assert found["renyi"] == pytest.approx(middle, rel=1e-9)
    assert least <= middle


@pytest.mark.long
@pytest.mark.xdist_group("measures")
def test_the_premium_of_one_language_is_the_parity_of_another_program(sample: dict[str, Any]) -> None:
    theirs, lines = original("toklens/metrics.py"), declaration()
    tok = Tokenizer.from_file(str(explorer.catalog()["llama-3"].path))
    premiums, at = sample["measures"]["premiums"], MODELS.index("llama-3")
    for name in ("German", "Thai"):
        tokens = [sum(len(tok.encode(text, add_special_tokens=False).ids) for text in lines[each])
                  for each in (name, "English")]  # fmt: skip
        assert premiums[name][at][0] == pytest.approx(tokens[0] / tokens[1], rel=1e-12)
        joined = [" ".join(lines[each]) for each in (name, "English")]
        assert premiums[name][at][0] == pytest.approx(theirs.compute_parity(tok, *joined), rel=0.02)


@pytest.mark.long
@pytest.mark.xdist_group("measures")
def test_cuts_of_gold_words_are_counted_as_another_program_does(tmp_path: Path) -> None:
    compare = function("tktkt/evaluation/morphological.py", "compareSplits_cursors").compareSplits_cursors
    gold, text = tmp_path / "gold.txt", write_text(tmp_path / "a.txt", 500)
    gold.write_text(
        "unbelievable\tun+believ+able\nthe\tthe\ncats\tcat+s\nantidisestablishment\tanti+dis+establish+ment\n"
    )
    found = values(explorer.measure(["gpt-2"], [str(text)], gold=str(gold), draws=5), "gpt-2")
    sums = np.zeros(3)
    for line in gold.read_text().splitlines():
        word, parts = line.split("\t")
        pieces = [each.lstrip("Ġ") for each in bundled("gpt-2").encode(f"x {word}").pieces[1:]]
        sums += compare(" ".join(pieces), parts.replace("+", " "))[:3]
    assert found["morph_precision"] == pytest.approx(sums[0] / sums[1])
    assert found["morph_recall"] == pytest.approx(sums[0] / sums[2])

"""The compiled encoder beside the stages: hostile texts, tiny memories, threads; and what happens without numba."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import explorer
from explorer.compiled import build
from explorer.compiled.worker import Worker
from explorer.corpus.counter import chosen, stats_of
from explorer.corpus.run import plan
from explorer.corpus.sources import Reading
from explorer.engine.fast import FastPath
from explorer.engine.fast.encoder import SWITCH, Batches
from explorer.engine.models.lookup import WordLevel
from explorer.engine.part import Options
from explorer.errors import InputError
from explorer.vocabulary import Vocabulary
from tests.bundled import bundled
from tests.compiled.hostile import COMPILED, batches, expected, found, hostile


# in one test, so that one process compiles, once
@pytest.mark.long
def test_compiled_ids_are_those_of_the_stages() -> None:
    options = (Options(), Options(False, False))
    for number, spec in enumerate(COMPILED):
        texts = hostile(number, 56)
        wanted = expected(bundled(spec), texts, options[number % 2])
        # so few slots that the memory is renewed every few pieces
        together = batches(bundled(spec).parts, build.compiled(), 16)
        assert found(together, texts, options[number % 2]) == wanted
        for text, ids in zip(texts[::8], wanted[::8], strict=True):
            assert found(together, [text], options[number % 2]) == [ids], ascii(text)
        together = batches(bundled(spec).parts, build.compiled(), 1 << 10)
        with ThreadPoolExecutor(4) as pool:
            tasks = [pool.submit(found, together, texts, options[number % 2]) for _ in range(4)]
            assert all(task.result() == wanted for task in tasks)


@pytest.mark.long
def test_new_pieces_of_sentencepiece_s_models_are_not_solved_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Worker, "solve_in_python", None)
    for spec in ("llama-2@llama.cpp", "mistral-v1@sentencepiece", "xlm-r@llama.cpp"):
        texts = [*hostile(9, 200), "".join(filter(str.isalnum, "".join(hostile(10, 400))))[:5000], "ab" * 2500]
        together = batches(bundled(spec).parts, build.compiled(), 1 << 10)
        assert found(together, texts, Options()) == expected(bundled(spec), texts, Options())


@pytest.mark.long
def test_a_long_piece_and_many_texts_grow_what_a_worker_holds() -> None:
    together = batches(bundled("gpt-2@huggingface").parts, build.compiled(), 1 << 10)
    texts = ["a" * 9000 + " b", "x" * 3, *["é"] * 5000, "ab" * 4000]
    assert found(together, texts, Options()) == expected(bundled("gpt-2@huggingface"), texts, Options())


@pytest.mark.long
def test_every_ascii_character_ends_a_word_where_it_does_in_the_stages() -> None:
    """Letters are read eight at a time: words of all lengths to 16, with every character after them."""
    texts = ["abcdEFghijklmnop"[:size] + chr(code) + "b" for size in range(17) for code in range(128)]
    for spec in ("gpt-2@huggingface", "llama-3@huggingface", "o200k_base@tiktoken"):
        together = batches(bundled(spec).parts, build.compiled(), 1 << 10)
        assert found(together, texts, Options()) == expected(bundled(spec), texts, Options())


def test_without_numba_everything_works_and_the_reason_is_given() -> None:
    code = """if True:
        import sys
        sys.modules["numba"] = None
        import explorer
        tok = explorer.load("gpt-2")
        assert tok.encode_batch(["hello world", "hi"]).ids.tolist() == [31373, 995, 5303]
        print(tok.batches.why_not_compiled(10**9))
    """
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                         env={**os.environ, SWITCH: "always"}, cwd=Path(explorer.__file__).parents[1])  # fmt: skip
    assert run.stdout == "numba is not installed\n"


def test_why_tokenizers_do_not_run_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "is_installed", lambda: True)
    monkeypatch.setattr(build, "is_loaded", lambda: False)
    monkeypatch.delenv(SWITCH, raising=False)
    for spec in COMPILED:
        assert Batches(bundled(spec).untraced).why_not_compiled(10**9) == ""
    words = FastPath((WordLevel(Vocabulary.of([b"a"]), 0),))
    assert Batches(words).why_not_compiled(10**9).startswith("its model is WordLevel, and only")
    assert "too short" in Batches(bundled("gpt-2").untraced).why_not_compiled(10)
    monkeypatch.setenv(SWITCH, "never")
    assert Batches(bundled("gpt-2").untraced).why_not_compiled(10**9) == f"{SWITCH} is never"


def test_a_job_that_knows_its_size_does_not_wait_for_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[int] = []
    monkeypatch.setattr(Batches, "pays", lambda self, characters: asked.append(characters))
    file = tmp_path / "text.txt"
    file.write_text("a line\n" * 1000)
    job = plan([str(file)], chosen(["gpt-2"], {}), Reading())
    batches_of_it = stats_of(job.work.models[0]).tokenizer.batches
    for name in ("seen", "expected"):  # other tests share the tokenizer
        monkeypatch.setattr(batches_of_it, name, 0)
    assert [job.work.do(task) for task in job.tasks]
    assert asked
    assert set(asked) == {7000}, "not the characters met so far"
    assert job.work.key(job.tasks[0]) == job.work._replace(text=1).key(job.tasks[0]), "what is done is done"


def test_an_error_names_its_text_whatever_way_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(texts: object, options: object) -> None:
        raise InputError("some text of these")

    monkeypatch.setattr(bundled("gpt-2").batches, "encode", refuse)
    with pytest.raises(InputError, match=r"texts\[1\]: "):
        bundled("gpt-2").encode_batch(["a", "b\ud800"])

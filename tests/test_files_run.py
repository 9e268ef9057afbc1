"""How many files of the house a comparison and a key press run: whoever follows one by reading opens no more."""

from __future__ import annotations

from benchmarks.files_run import comparison, key_press, page_of_comparison


def test_a_comparison_and_a_key_press_run_few_files() -> None:
    for question, most in ((comparison, 30), (page_of_comparison, 61), (key_press, 35)):
        files = {file for file, _ in question()}
        assert len(files) <= most, (question.__name__, sorted(files))
        assert len(files) > most // 2, "the question ran"

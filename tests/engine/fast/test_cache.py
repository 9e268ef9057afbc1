"""The cache of pieces: bounded, shared, counted."""

from __future__ import annotations

from threading import Thread

from explorer.engine.fast.cache import ENTRY, LARGEST, PieceCache


def test_a_piece_is_solved_once() -> None:
    asked: list[str] = []
    cache = PieceCache(lambda piece: asked.append(piece) or (len(piece),))  # type: ignore[func-returns-value]
    assert cache.all_of(["a", "bb", "a"]) == [1, 2, 1]
    assert asked == ["a", "bb"]
    assert (cache.asked, cache.missed) == (3, 2)


def test_it_stays_within_its_limit_and_keeps_entries_in_use() -> None:
    solved: list[str] = []

    def solve(piece: str) -> tuple[int, ...]:
        solved.append(piece)
        return (1,)

    limit = 400 * ENTRY
    cache = PieceCache(solve, limit)
    for number in range(10_000):
        cache.all_of([f"{number}", "often"])
        assert (len(cache) + len(cache._old)) * ENTRY <= limit
    assert solved.count("often") == 1
    assert len(solved) == 10_001


def test_a_very_long_piece_evicts_nothing() -> None:
    cache = PieceCache(lambda piece: (1,))
    cache.all_of(["a", "b" * LARGEST])
    assert list(cache) == ["a"]


def test_threads_share_it() -> None:
    cache = PieceCache(lambda piece: (int(piece),), limit=200 * ENTRY)
    pieces = [str(number % 300) for number in range(3_000)]
    found: list[list[int]] = []
    threads = [Thread(target=lambda: found.append(cache.all_of(pieces))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[int(piece) for piece in pieces]] * 8

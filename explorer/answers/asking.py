"""What a question is, and who answers it: the session that asks, or the process that works for it.

    @question(weighs=lambda answer: 1_000 * len(answer))
    def lengths(run: Run, text: str) -> list[int]: ...

    lengths(run, "text")            answered by the asker of this thread, kept by it
    lengths.later(run, "text")      a function of nothing that answers outside of the session's own thread, unkept

Arguments are data: runs, texts, numbers, and tuples and mappings of them. They are the key of the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial, update_wrapper
from typing import Any, Final, Generic, ParamSpec, Protocol, TypeVar

from explorer.answers.memory import LEAST, Memory, Weighed
from explorer.answers.offers import Run

P = ParamSpec("P")
T = TypeVar("T")

SHARED: Final = 200_000_000
"""Bytes of answers about bundled tokenizers and the operator's, for all sessions together."""
MATERIAL: Final = 800_000_000
"""And of what such answers are made of: traces, alignments, comparisons. Apart, because one of them weighs as much as
hundreds of answers, which would be forgotten for it."""
TOKENIZERS: Final = 1_500_000_000
"""And of those tokenizers themselves: all the bundled ones have a place."""


class Asker(Protocol):
    """Who answers. still: raises where nobody waits for the answer any more."""

    def answer(self, asked: Question[..., Any], args: tuple[Any, ...]) -> Any: ...

    def directly(self, asked: Question[..., Any], args: tuple[Any, ...]) -> Any: ...


@dataclass
class Alone:
    """Answers in this process, as a worker, the command line and tests do, and keeps all in one memory."""

    memory: Memory
    material: Memory
    tokenizers: Memory

    def answer(self, asked: Question[..., Any], args: tuple[Any, ...]) -> Any:
        memory = self.tokenizers if asked.opens else self.material if asked.material else self.memory
        return memory.get(asked.key(args), partial(asked.worked_out, args))

    def directly(self, asked: Question[..., Any], args: tuple[Any, ...]) -> Any:
        return asked.function(*args)


ALONE: Final = Alone(Memory(SHARED), Memory(MATERIAL), Memory(TOKENIZERS))
_asker: Callable[[], Asker] = lambda: ALONE  # noqa: E731


def ask_as(asker: Callable[[], Asker]) -> None:
    """From now on whoever this gives answers what is asked in its thread."""
    global _asker
    _asker = asker


class Question(Generic[P, T]):
    """A function whose answers are kept.

    opens: whether they are tokenizers, material: whether other answers are made of them. Both stay where they are made.
    """

    def __init__(self, function: Callable[P, T], weighs: Callable[[T], int], opens: bool, material: bool) -> None:
        self.function, self.weighs, self.opens, self.material = function, weighs, opens, material
        self.name = f"{function.__module__}:{function.__qualname__}"
        update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        assert not kwargs, "arguments of a question are given by their places, so that they make one key"
        found: T = _asker().answer(self, args)
        return found

    def later(self, *args: P.args, **kwargs: P.kwargs) -> Callable[[], T]:
        """What answers it whenever it is called, on any thread, and keeps nothing."""
        assert not kwargs
        return partial(_asker().directly, self, args)

    def key(self, args: tuple[Any, ...]) -> Hashable:
        return self.name, frozen(args)

    def worked_out(self, args: tuple[Any, ...]) -> Weighed:
        """The answer, worked out here and now."""
        answer = self.function(*args)  # type: ignore[call-arg]
        return Weighed(answer, self.weighs(answer))


def question(
    weighs: Callable[[Any], int] = lambda answer: LEAST, *, opens: bool = False, material: bool = False
) -> Callable[[Callable[P, T]], Question[P, T]]:
    """Makes a question of a function. weighs: about how many bytes an answer takes."""
    return lambda function: Question(function, weighs, opens, material)


def frozen(value: Any) -> Hashable:
    """Arguments as a key.

    >>> frozen(("a", {"b": 1}))
    ('a', (('b', 1),))
    """
    if isinstance(value, Mapping):
        return tuple((key, frozen(each)) for key, each in value.items())
    if isinstance(value, tuple):
        return tuple(map(frozen, value))
    key: Hashable = value
    return key


def runs_in(value: Any) -> Iterator[Run]:
    """The runs among arguments."""
    if isinstance(value, Run):
        yield value
    elif isinstance(value, (tuple, Mapping)):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from runs_in(each)

"""What a question is, and who answers it: this process, or the worker process of the session that asks.

    @question
    def lengths(spec: TokenizerSpec, text: str) -> list[int]: ...

    lengths(spec, "text")            answered by this thread's answerer, and cached
    lengths.deferred(spec, "text")   a function without arguments that answers on any thread, uncached

Arguments are plain data: specs, texts, numbers, and tuples and mappings of them. They form the key of the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial, update_wrapper
from typing import Any, Final, Generic, ParamSpec, Protocol, TypeVar

from explorer.answers.cache import AnswerCaches, CheckWanted, Store, Weighed
from explorer.answers.offers import TokenizerSpec
from explorer.answers.processes import dumps
from explorer.engine.limits.budget import while_wanted

P = ParamSpec("P")
T = TypeVar("T")

RESULT_BYTES: Final = 200_000_000
"""Bytes of results about bundled tokenizers and the operator's, for all sessions together."""
MATERIAL_BYTES: Final = 800_000_000
"""Bytes of the traces, alignments and comparisons these results are made of."""
TOKENIZER_BYTES: Final = 1_500_000_000
"""Bytes of the opened tokenizers: enough for all bundled ones."""
PICKLED: Final = 8
"""Bytes that an answer takes in memory for each byte of its pickle."""


Arguments = tuple[Any, ...]


class Answerer(Protocol):
    """Answers questions."""

    def answer(self, question: AnyQuestion, args: Arguments) -> Any:
        """The answer, from a cache if it is there."""

    def compute(self, question: AnyQuestion, args: Arguments) -> Any:
        """The answer, computed and not cached."""


@dataclass
class LocalAnswerer:
    """Answers in this process, as the command line, tests and a worker do."""

    caches: AnswerCaches

    def answer(self, question: AnyQuestion, args: Arguments, check_wanted: CheckWanted = lambda: None) -> Any:
        """The answer, from the cache of its store. check_wanted: called meanwhile; raises once it is not wanted."""
        compute = partial(question.wanted, args, check_wanted)
        return self.caches[question.store].get(question.key(args), compute, check_wanted)

    def compute(self, question: AnyQuestion, args: Arguments) -> Any:
        """The answer, computed. Questions it asks in turn are cached."""
        return question.function(*args)


LOCAL: Final = LocalAnswerer(AnswerCaches(results=RESULT_BYTES, material=MATERIAL_BYTES, tokenizers=TOKENIZER_BYTES))
_answerer: Callable[[], Answerer] = lambda: LOCAL  # noqa: E731


def set_answerer(answerer: Callable[[], Answerer]) -> None:
    """Sets the function that returns the answerer of the current thread."""
    global _answerer
    _answerer = answerer


class Question(Generic[P, T]):
    """A function whose answers are cached. weigh: the bytes of an answer, roughly; store: the cache it goes to.

    Answers in `Store.MATERIAL` and `Store.TOKENIZERS` stay in the process that made them.
    """

    def __init__(self, function: Callable[P, T], weigh: Callable[[T], int], store: Store) -> None:
        self.function, self.weigh, self.store = function, weigh, store
        self.name = f"{function.__module__}:{function.__qualname__}"
        update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """The answer of this thread's answerer."""
        assert not kwargs, "questions take positional arguments only, so that equal calls have equal keys"
        answer: T = _answerer().answer(self, args)
        return answer

    def deferred(self, *args: P.args, **kwargs: P.kwargs) -> Callable[[], T]:
        """A function that answers whenever it is called, on any thread, and caches nothing."""
        assert not kwargs, "questions take positional arguments only"
        return partial(_answerer().compute, self, args)

    def key(self, args: Arguments) -> Hashable:
        """The cache key of an answer."""
        return self.name, freeze(args)

    def wanted(self, args: Arguments, check_wanted: CheckWanted) -> Weighed:
        """`weighed`, ended once it is not wanted. Opening a tokenizer goes on, because the next run needs it, too."""
        with while_wanted(None if self.store is Store.TOKENIZERS else check_wanted):
            return self.weighed(args)

    def weighed(self, args: Arguments) -> Weighed:
        """The answer, computed here, with its weight."""
        answer = self.function(*args)  # type: ignore[call-arg]
        return Weighed(answer, self.weigh(answer))


AnyQuestion = Question[..., Any]


def question(function: Callable[P, T]) -> Question[P, T]:
    """Decorator: a question whose answer goes to a page. It weighs by its pickle, in which it may leave a process."""
    return Question(function, lambda answer: PICKLED * len(dumps(answer, {})[0]), Store.RESULTS)


def material(weigh: Callable[[Any], int], store: Store = Store.MATERIAL) -> Callable[[Callable[P, T]], Question[P, T]]:
    """Decorator: a question whose answer other answers are made of. weigh: its bytes in memory, roughly."""
    return lambda function: Question(function, weigh, store)


def freeze(value: Any) -> Hashable:
    """Arguments as a hashable key.

    >>> freeze(("a", {"b": 1}))
    ('a', (('b', 1),))
    """
    if isinstance(value, Mapping):
        return tuple((key, freeze(each)) for key, each in value.items())
    if isinstance(value, tuple):
        return tuple(map(freeze, value))
    key: Hashable = value
    return key


def specs_in(value: Any) -> Iterator[TokenizerSpec]:
    """Every tokenizer spec in the arguments, however deeply nested."""
    if isinstance(value, TokenizerSpec):
        yield value
    elif isinstance(value, (tuple, Mapping)):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from specs_in(each)

"""What a question is, who answers it, and the caches of answers.

    @question
    def lengths(spec: TokenizerSpec, text: str) -> list[int]: ...

    lengths(spec, "text")            answered by this thread's answerer, and cached
    lengths.deferred(spec, "text")   a function without arguments that answers on any thread, uncached

Arguments are plain data: specs, texts, numbers, and tuples and mappings of them. They form the key of the answer. A
question is answered by this process, or by the worker process of the session that asks.

Caches are bounded in bytes, least recently used first out; the caller states what an answer weighs. An `InputError` is
cached too, for a minute: a page asks several times for what it draws, and finding an error may take long. A thread that
asks for an answer another thread is computing waits for that thread, as long as the answer is wanted.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import partial, update_wrapper
from gc import get_referents
from math import inf
from sys import getsizeof
from threading import Lock
from time import monotonic
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Generic, NamedTuple, ParamSpec, Protocol, TypeVar
from weakref import WeakValueDictionary

from msgspec import Struct
from msgspec.structs import astuple

from explorer.answers.offers import TokenizerSpec, dumps
from explorer.engine.budget import while_wanted
from explorer.errors import InputError

RETRY_SECONDS = 60.0
"""How long an error is cached: by then a file may be repaired, or a machine less busy."""

MIN_WEIGHT = 500
"""Bytes that any entry weighs at least."""


NOT_WEIGHED = (type, ModuleType, FunctionType, BuiltinFunctionType, Enum)
"""What is there anyway."""


CheckWanted = Callable[[], None]
"""Raises once an answer is no longer wanted."""


class Weighed(NamedTuple):
    """An answer and its weight in bytes."""

    answer: Any
    weight: int


class CachedError(NamedTuple):
    """An error in place of an answer. until: when to try again, in seconds of `monotonic`."""

    error: InputError
    until: float


def size_of(value: object) -> int:
    """The bytes of a value and of all it refers to, without code and classes.

    Takes about 0.3 µs an object, so it is for answers of few objects, or of an unknown number of them.

    >>> 1_000 < size_of(["a" * 500, ("b" * 500,)]) < 1_500
    True
    """
    seen: set[int] = set()
    found, size = [value], 0
    while found:
        each = found.pop()
        if id(each) in seen or isinstance(each, NOT_WEIGHED):
            continue
        seen.add(id(each))
        size += getsizeof(each)
        found += get_referents(each)
    return size


class AnswerCache:
    """Answers by key, `max_bytes` in all. An answer heavier than that is returned and not stored.

    >>> cache = AnswerCache(10_000)
    >>> cache.get("key", lambda: Weighed("computed", 1_000)), cache.get("key", lambda: Weighed("again", 1_000))
    ('computed', 'computed')
    >>> cache.get("other", lambda: Weighed("large", 9_500)), cache.weight
    ('large', 9500)
    """

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.weight = 0
        """Bytes of all entries."""
        self._entries: OrderedDict[Hashable, tuple[Weighed, float]] = OrderedDict()
        """each with the time when it was last asked for, in seconds of `monotonic`, the oldest first"""
        self._computing: WeakValueDictionary[Hashable, Lock] = WeakValueDictionary()
        """by key, the lock of the thread that computes, for as long as a thread uses it"""
        self._lock = Lock()

    def clear(self) -> None:
        """Removes every entry."""
        self.drop_unused(inf)

    def drop_unused(self, since: float) -> bool:
        """Removes every entry that nobody has asked for since then, in seconds of `monotonic`. Returns whether any.

        >>> cache = AnswerCache(10_000)
        >>> cache.get("key", lambda: Weighed("computed", 1_000)), cache.drop_unused(monotonic() + 1), cache.weight
        ('computed', True, 0)
        """
        with self._lock:
            count = len(self._entries)
            while self._entries and next(iter(self._entries.values()))[1] < since:
                self._remove(next(iter(self._entries)))
            return len(self._entries) < count

    def _remove(self, key: Hashable) -> None:
        entry, _ = self._entries.pop(key)
        self.weight -= entry.weight

    def get(self, key: Hashable, compute: Callable[[], Weighed], check_wanted: CheckWanted = lambda: None) -> Any:
        """The cached answer, computed if missing. check_wanted: called while waiting; raises to stop waiting."""
        entry = self._find(key)
        if entry is None:
            with self._lock:
                computing = self._computing.setdefault(key, Lock())
            with acquired(computing, check_wanted):
                entry = self._find(key)
                if entry is None:
                    entry = self._store(key, compute)
        if isinstance(entry.answer, CachedError):
            # without the traceback of the previous raise
            raise entry.answer.error.with_traceback(None)
        return entry.answer

    def _find(self, key: Hashable) -> Weighed | None:
        with self._lock:
            if key not in self._entries:
                return None
            entry, _ = self._entries[key]
            if isinstance(entry.answer, CachedError) and monotonic() > entry.answer.until:
                self._remove(key)
                return None
            self._entries[key] = entry, monotonic()
            self._entries.move_to_end(key)
            return entry

    def _store(self, key: Hashable, compute: Callable[[], Weighed]) -> Weighed:
        try:
            computed = compute()
        except InputError as error:
            computed = Weighed(CachedError(error, monotonic() + RETRY_SECONDS), MIN_WEIGHT)
        computed = computed._replace(weight=max(MIN_WEIGHT, computed.weight))
        with self._lock:
            if computed.weight <= self.max_bytes:
                self._entries[key] = computed, monotonic()
                self.weight += computed.weight
                while self.weight > self.max_bytes:
                    self._remove(next(iter(self._entries)))
        return computed


class Store(Enum):
    """Which cache an answer is stored in."""

    RESULTS = "results"
    """what pages draw"""
    MATERIAL = "material"
    """what results are made of: traces, alignments, comparisons"""
    TOKENIZERS = "tokenizers"
    """opened tokenizers"""


class AnswerCaches:
    """One cache for each store, so that a trace, which weighs as much as hundreds of results, doesn't evict them.

    >>> caches = AnswerCaches(results=10_000, material=20_000, tokenizers=30_000)
    >>> caches[Store.MATERIAL].get("key", lambda: Weighed("trace", 15_000)), caches[Store.RESULTS].weight
    ('trace', 0)
    """

    def __init__(self, **most: int) -> None:
        """most: bytes, by the value of a store."""
        self._caches = {store: AnswerCache(most[store.value]) for store in Store}

    def __getitem__(self, store: Store) -> AnswerCache:
        return self._caches[store]

    def clear(self) -> None:
        """Removes every entry of every cache."""
        for cache in self._caches.values():
            cache.clear()

    @property
    def weight(self) -> int:
        """Bytes of all entries of all caches."""
        return sum(cache.weight for cache in self._caches.values())

    def drop_unused(self, since: float) -> bool:
        """Removes what nobody has asked for since then, but for tokenizers. Returns whether there was any."""
        dropped = [self._caches[store].drop_unused(since) for store in (Store.RESULTS, Store.MATERIAL)]
        return any(dropped)


POLL_SECONDS = 0.05
"""Seconds between two checks whether the result is still wanted."""


@contextmanager
def acquired(lock: Lock, check_wanted: CheckWanted) -> Iterator[None]:
    """Holds a lock. While waiting, calls `check_wanted`, which raises once the result isn't wanted.

    >>> with acquired(Lock(), lambda: None):
    ...     print("acquired")
    acquired
    """
    while not lock.acquire(timeout=POLL_SECONDS):
        check_wanted()
    try:
        yield
    finally:
        lock.release()


P = ParamSpec("P")
T = TypeVar("T")

RESULT_BYTES = 200_000_000
"""Bytes of results about bundled tokenizers and the operator's, for all sessions together."""
MATERIAL_BYTES = 800_000_000
"""Bytes of the traces, alignments and comparisons these results are made of."""
TOKENIZER_BYTES = 1_500_000_000
"""Bytes of the opened tokenizers: enough for all bundled ones."""
PICKLED = 8
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
        compute = partial(question.weighed, args, check_wanted)
        return self.caches[question.store].get(question.key(args), compute, check_wanted)

    def compute(self, question: AnyQuestion, args: Arguments) -> Any:
        """The answer, computed. Questions it asks in turn are cached."""
        return question.function(*args)


LOCAL = LocalAnswerer(AnswerCaches(results=RESULT_BYTES, material=MATERIAL_BYTES, tokenizers=TOKENIZER_BYTES))
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

    def weighed(self, args: Arguments, check_wanted: CheckWanted) -> Weighed:
        """The answer, computed here, with its weight; ended once it is not wanted.

        Opening a tokenizer goes on, because the next run needs it, too.
        """
        with while_wanted(None if self.store is Store.TOKENIZERS else check_wanted):
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
    if isinstance(value, Struct):
        return type(value), freeze(astuple(value))
    key: Hashable = value
    return key


def specs_in(value: Any) -> Iterator[TokenizerSpec]:
    """Every tokenizer spec in the arguments, however deeply nested."""
    if isinstance(value, TokenizerSpec):
        yield value
    elif isinstance(value, tuple | Mapping):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from specs_in(each)

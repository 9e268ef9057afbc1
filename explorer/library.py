"""The library as others call it: `explorer.load` and what its tokenizers, traces and comparisons offer.

The engine knows nothing of what analyzes, draws or saves its results; the classes here add that as methods. What a
method needs is imported when it is first called, so that `load` and `encode` stay light.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from explorer.engine import tokenizer
from explorer.implementations.opened import Opened
from explorer.opening import catalog

if TYPE_CHECKING:
    from explorer.analysis.boundary.followers import Boundary
    from explorer.analysis.divergence.result import Comparison
    from explorer.analysis.sampling import Candidate, Distribution, Sample
    from explorer.analysis.streaming import Stream
    from explorer.analysis.why import Why
    from explorer.prompts.messages import Call
    from explorer.prompts.model_input import Prompt
    from explorer.saved.explore import Shown

Made = TypeVar("Made")


def with_methods(kind: type[Made], of: Any) -> Made:
    """The same content as a subclass of its dataclass."""
    return kind(**{each.name: getattr(of, each.name) for each in fields(of)})


class Trace(tokenizer.Trace):
    """A trace of a loaded tokenizer.

    >>> import explorer
    >>> trace = explorer.load("llama-2").trace("What is LoRA?")
    >>> trace.ids
    [1, 1724, 338, 4309, 4717, 29973]
    """

    __slots__ = ()

    def why(self, at: int) -> Why:
        """How the tokens at an offset of the text came about, and why there is a cut.

        at: in code points. Raises InputError for an offset outside the text.

        >>> import explorer
        >>> found = explorer.load("llama-2").trace("What is LoRA?").why(10)
        >>> found.cuts[0].cause.value, found.origins[0].token.text
        ('not-a-piece', 'RA')
        """
        from explorer.analysis.why import why

        return why(self, at)

    def show(
        self,
        *,
        stage: str = "",
        step: int | None = None,
        level: str = "",
        theme: str = "",
        height: int = 0,
        app: str = "",
    ) -> Shown:
        """The steps as a page that plays in a notebook.

        stage: the one shown first, such as "model"; step: of it, of the model's if none is named; level: story,
        algorithm or implementation; theme: light or dark; height: in pixels, 0 for that of its content; app: the URL of
        an explorer, for links to it. Raises InputError.

        >>> import explorer
        >>> explorer.load("llama-2").trace("What is LoRA?").show(stage="model", step=14)
        <Page: “What is LoRA?” in Llama 2. As the last line of a notebook's cell, it plays; save(PATH) writes its file>
        """
        from explorer.saved.explore import show_trace

        return show_trace(self, stage=stage, step=step, level=level, theme=theme, height=height, app=app)


class Tokenizer(Opened):
    """An opened tokenizer, and all that can be asked of it.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> tok.decode(tok.encode("What is LoRA?").ids)
    'What is LoRA?'
    """

    def trace(self, text: str, *, add_special: bool = True, parse_special: bool = True) -> Trace:
        """The tokens of `text`, with every stage and every decision. Raises InputError as `encode` does."""
        return with_methods(Trace, super().trace(text, add_special=add_special, parse_special=parse_special))

    def why(self, text: str, at: int) -> Why:
        """How the tokens at an offset of a text came about, and why there is a cut: `Trace.why`."""
        return self.trace(text).why(at)

    def show(
        self,
        text: str,
        *,
        stage: str = "",
        step: int | None = None,
        level: str = "",
        theme: str = "",
        height: int = 0,
        app: str = "",
    ) -> Shown:
        """The trace of a text as a page that plays in a notebook: `Trace.show`."""
        asked = self.trace(text)
        return asked.show(stage=stage, step=step, level=level, theme=theme, height=height, app=app)

    def compare(
        self, other: str | Path | Opened, text: str, *, add_special: bool = True, parse_special: bool = True
    ) -> Comparison:
        """Where this tokenizer and another one differ on a text: `explorer.compare`."""
        return compare(self, other, text, add_special=add_special, parse_special=parse_special)

    def prompt(
        self,
        messages: Sequence[Mapping[str, Any]] | Mapping[str, Any] | Call,
        template: str = "",
        *,
        source: str | None = None,
        engine: str = "",
        server: str = "",
        control_as_text: bool = False,
        now: datetime | None = None,
        **changes: Any,
    ) -> Prompt:
        """What the model reads of messages: `explorer.prompt`, whose arguments these are."""
        from explorer.prompts.model_input import prompt

        return prompt(
            self,
            messages,
            template,
            source=source,
            engine=engine,
            server=server,
            control_as_text=control_as_text,
            now=now,
            **changes,
        )

    def stream(
        self, ids: Iterable[int], *, methods: Sequence[str] | None = None, unparse_special: bool = True
    ) -> Stream:
        """What programs show of ids that arrive one by one.

        methods: those of `explorer.analysis.streaming.Method`, None for all. unparse_special: as for `decode`.
        Raises InputError for an id outside the vocabulary, a method that is none, and more than 10,000 ids.
        """
        from explorer.analysis.streaming import Method, stream

        return stream(self, ids, methods=tuple(Method) if methods is None else methods, unparse_special=unparse_special)

    def boundary(self, left: str, right: str = "", *, parse_special: bool = True) -> Boundary:
        """What a border between two texts does to the ids. Raises InputError for texts that are too long or unusable.

        >>> import explorer
        >>> found = explorer.load("gpt-2").boundary("https:", "//example.org")
        >>> found.left_ids, found.ids[:2], found.stable.drop
        ([5450, 25], [5450, 1378], (25,))
        """
        from explorer.analysis.boundary.boundary import boundary

        return boundary(self, left, right, parse_special=parse_special)

    def sample(
        self,
        text: str,
        alpha: float = 0.1,
        seed: int = 0,
        *,
        rule: str = "",
        draw: int = 1,
        add_special: bool = True,
        parse_special: bool = True,
    ) -> Sample:
        """A segmentation of a text drawn at random: `explorer.sample`, whose arguments these are."""
        from explorer.analysis.sampling import sample

        return sample(
            self, text, alpha, seed, rule=rule, draw=draw, add_special=add_special, parse_special=parse_special
        )

    def nbest(self, text: str, n: int = 10, *, add_special: bool = True, parse_special: bool = True) -> list[Candidate]:
        """The n best segmentations of a text by a Unigram model, the best first: `explorer.nbest`."""
        from explorer.analysis.sampling import nbest

        return nbest(self, text, n, add_special=add_special, parse_special=parse_special)

    def distribution(
        self,
        text: str,
        alpha: float = 0.1,
        seed: int = 0,
        *,
        samples: int = 1_000,
        rule: str = "",
        add_special: bool = True,
        parse_special: bool = True,
    ) -> Distribution:
        """The segmentations of a short text with their probabilities: `explorer.distribution`."""
        from explorer.analysis.sampling import distribution

        return distribution(
            self, text, alpha, seed, samples=samples, rule=rule, add_special=add_special, parse_special=parse_special
        )


def load(spec: str | Path, implementation: str | None = None, **choices: str) -> Tokenizer:
    """The tokenizer named by `spec`: a catalog name, the path of a file, or a model's name on the Hugging Face Hub.

    Each may have `@IMPLEMENTATION` at its end. A model on the Hub is `org/name`, `org/name@REVISION` or
    `org/name:FILE`; the files of its tokenizer are fetched once, into the usual cache. Names of OpenAI are known, too,
    and models that other programs keep (`ollama:NAME`).

    implementation: the original to follow; the model's default if None. choices: settings that a file leaves open, such
    as `pre="qwen2"`; a `ChoiceNeeded` names the key. Raises InputError for an unknown name, path or implementation,
    listing the known ones. A name that is deprecated opens the nearest, with a FutureWarning.

    >>> load("llama-2@llama.cpp").encode("is").ids
    [1, 338]
    """
    opened = catalog.load(spec, implementation, **choices)
    for fact in opened.facts:
        if fact.topic == "implementation":  # a name that is no longer offered
            warnings.warn(fact.says, FutureWarning, stacklevel=2)
    return with_methods(Tokenizer, opened)


def compare(
    left: str | Path | Opened,
    right: str | Path | Opened,
    text: str,
    *,
    add_special: bool = True,
    parse_special: bool = True,
) -> Comparison:
    """Where two tokenizers differ on a text, at which stage first, and why.

    left, right: tokenizers, or what `load` takes. Raises InputError as `load` and `encode` do.

    >>> found = compare("qwen2.5", "qwen2.5@llama.cpp", text="A\\u030angstrom")
    >>> found.same, found.first.stage, found.kind.value
    (False, 'normalize', 'composition')
    >>> found.sentence
    'normalize, characters 1 to 2: Hugging Face composes A + U+030A to Å (NFC); llama.cpp leaves two code points.'
    """
    from explorer.analysis.divergence.comparer import compare as compared
    from explorer.analysis.divergence.result import runs

    sides = [each if isinstance(each, Opened) else load(each) for each in (left, right)]
    return compared(*runs(sides, text, add_special=add_special, parse_special=parse_special))

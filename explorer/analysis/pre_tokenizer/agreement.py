"""The name of a pre-tokenizer that llama.cpp would need: its names ranked by agreement with a tokenizer that is known.

A probe text is cut by the known tokenizer and by the patterns of every name. The agreement of two is the share of their
cuts that both make. llama.cpp's converter compares the ids of a test text instead (`get_vocab_base_pre`), which tells
that two differ, but not where. Names that cut alike may still differ in settings that no file holds
(`implementations/llama_cpp/pre_tokenizers.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from explorer.engine.budget import many_runs
from explorer.engine.items import Items, Segment, Token, initial_items
from explorer.engine.part import Options
from explorer.engine.pre_tokenizers.stage import PreTokenization
from explorer.engine.regexes.pattern import Pattern
from explorer.engine.trace import silent
from explorer.errors import InputError
from explorer.implementations.llama_cpp.bpe import pre_is_of_file
from explorer.implementations.llama_cpp.pre_tokenizers import DEFAULT, PRE
from explorer.implementations.opened import Opened
from explorer.text.visible import visible

PROBE: Final = (
    "Hello, World! He's GOING; they'Ll don't. 3 33 333 3333 33333 1,234.5 2nd v1.0-beta\n\n \n\t\n  indented\ttabs "
    "  end  \r\ncamelCase HTTPServer snake_case __init__(self): return x+=1 //!?--==== $5.00 50% #tag @user a@b.c "
    "https://x.org/a?b=c\n"
    "ｆｕｌｌ３３３ ½ Ⅷ 東京都に行く。カタカナひらがな 漢字かな 한국어 입니다 e\u0301te\u0301 naïve café Привет, "
    "мир! ἀλήθεια हिन्दी में क्षि ไทยแลนด์ العربية ١٢٣ 𝓱𝓮 😀👩‍👩‍👧 'S 'sX ’s \u00a0nbsp\u3000wide\u200bzero …“q”—dash"
)
"""A text in which known patterns differ: contractions, digits, white space, signs, scripts, marks."""

AROUND: Final = 12
"""Characters of the probe shown around a difference."""


class FirstDifference(NamedTuple):
    """Where a name cuts otherwise. at: the character, from 0. text: the probe around it.

    cuts: whether this name cuts there and the known tokenizer does not.
    """

    at: int
    text: str
    cuts: bool


class Suggestion(NamedTuple):
    """Names with the same patterns. agreement: the share of cuts that both make, from 0 to 1."""

    names: tuple[str, ...]
    agreement: float
    difference: FirstDifference | None

    @property
    def lines(self) -> tuple[str, ...]:
        """The agreement with the names, and the first difference, as text.

        >>> Suggestion(("gpt-2", "jais"), 0.5, FirstDifference(2, "ab|c", True)).lines
        (' 50.0 %  gpt-2, jais', 'first difference at character 3: it cuts “ab|c”')
        """
        named = f"{self.agreement:6.1%}  {', '.join(self.names)}".replace("%", " %")
        if self.difference is None:
            return (named,)
        at, text, does = self.difference
        cuts = "it cuts" if does else "it does not cut"
        return named, f"first difference at character {at + 1}: {cuts} “{visible(text)}”"


def suggestions(known: Opened, probe: str = PROBE) -> tuple[Suggestion, ...]:
    """llama.cpp's names, those that cut a probe text most like a tokenizer first.

    Raises InputError for an empty text, and for a tokenizer without cuts of its own: it has no pre-tokenizer, or its
    file names none, so that it is cut by llama.cpp's fallback.

    >>> import explorer
    >>> first = suggestions(explorer.load("gpt-2"))[0]
    >>> "gpt-2" in first.names, first.agreement
    (True, 1.0)
    """
    if not probe:
        raise InputError("there is no text to cut; give one")
    if not pre_is_of_file(known):
        raise InputError(
            f"{known.name} names no pre-tokenizer, and what llama.cpp falls back to, {DEFAULT}, says nothing about the "
            "model; give its tokenizer.json, or compare ids that the model's own program gives"
        )
    wanted = cuts_of(known, probe)
    found = []
    with many_runs("the probe", len(probe) * len(PRE)):
        for names in by_patterns().values():
            own = frozenset(cuts(names[0], probe))
            both = len(wanted & own)
            least = min(wanted ^ own, default=None)
            part = None if least is None else FirstDifference(
                least, probe[max(0, least - AROUND) : least] + "|" + probe[least : least + AROUND], least in own
            )  # fmt: skip
            found.append(Suggestion(names, both / max(1, len(wanted | own)), part))
    return tuple(sorted(found, key=lambda each: -each.agreement))


def by_patterns() -> Mapping[tuple[Pattern, ...], tuple[str, ...]]:
    """The names by their patterns, the most common first."""
    found: dict[tuple[Pattern, ...], tuple[str, ...]] = {}
    for name, pre in PRE.items():
        found[pre.patterns] = (*found.get(pre.patterns, ()), name)
    return found


def cuts_of(tokenizer: Opened, text: str) -> frozenset[int]:
    """Where a tokenizer's pieces begin, in code points of the text. Raises InputError if nothing is cut."""
    stages = tokenizer.trace(text, add_special=False, parse_special=False).stages
    at = next((at for at, stage in enumerate(stages) if stage.name == "pre-tokenize"), None)
    if at is None:
        raise InputError(
            f"{tokenizer.name} has no pre-tokenizer as {tokenizer.implementation} runs it, so nothing can be compared; "
            "give a tokenizer that has one"
        )
    return frozenset(begins(stages[at].after))


def cuts(name: str, text: str) -> list[int]:
    """Where the pieces of a name's patterns begin."""
    return begins(PreTokenization(PRE[name].splitters).run(initial_items(text), Options(), silent))


def begins(items: Items) -> list[int]:
    """Where items begin in the original text, without its start."""
    starts = [
        item.starts[0] if isinstance(item, Segment) else item.start
        for item in items
        if isinstance(item, Token) or item.text
    ]
    return [start for start in starts if start > 0]

"""Tokens worth looking at, and why: the longest of their sort and script, parts of characters, some that are known.

What the Vocabulary page opens on, and what its button chooses among. Nothing here is random: the same vocabulary has
the same list. Vocabularies of all code points have none; the longest token of them is one character.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from explorer.analysis.vocabulary.classes import NO_SCRIPT, TokenClass
from explorer.analysis.vocabulary.index import VocabularyIndex
from explorer.analysis.vocabulary.pictures import GIVEN, ranked
from explorer.engine.models.lookup import CodePointPieces
from explorer.errors import InputError
from explorer.text.say import Say, plural

OPENING: Final = (" token", "token", " language", "language")
"""Texts whose token the page opens on, the first that is one."""
FAMOUS: Final = (" SolidGoldMagikarp", " TheNitromeFan", " petertodd", "StreamerBot", " davidjl", " guiActiveUn",
                 "rawdownloadcloneembedreportprint", " attRot", "ÃÂÃÂÃÂÃÂÃÂÃÂÃÂÃÂ")  # fmt: skip
"""Tokens known because models failed at them: their text was in the tokenizer's corpus, and hardly in the model's."""
EACH: Final = 5
"""Tokens of a sort."""
LONG: Final = 4
"""Characters of one that is worth it for its length."""
CODE: Final = re.compile(r"[a-z]{3,}[A-Z][a-z]{3,}")
PHRASE: Final = re.compile(r"\S+ \S+")


class Notable(NamedTuple):
    """A token, and why it is worth looking at."""

    id: int
    why: Say


def notable(index: VocabularyIndex) -> list[Notable]:
    """The tokens, each once, those with the best reason first.

    >>> import explorer
    >>> from explorer.analysis.vocabulary.index import index_of
    >>> from explorer.text.say import plain
    >>> index = index_of(explorer.load("gpt-2"))
    >>> [(index.texts[id], plain(why)) for id, why in notable(index)][0]
    (' SolidGoldMagikarp', 'One of the tokens known for confusing GPT models.')
    """
    if isinstance(index.tokenizer.vocabulary.pieces, CodePointPieces):
        return []
    learned = ranked(index)
    whole = [id for id in learned if index.classes[id] is not TokenClass.PART]
    found: dict[int, Say] = {}
    for id, why in (*famous(index, learned), *of_sorts(index, learned), *of_scripts(index, whole)):
        found.setdefault(id, why)
    return [Notable(id, why) for id, why in found.items()]


def famous(index: VocabularyIndex, learned: Iterable[int]) -> Iterator[tuple[int, Say]]:
    """Those that models failed at."""
    texts = {index.texts[id]: id for id in learned}
    why = Say.of("One of the tokens known for confusing GPT models.")
    yield from ((texts[text], why) for text in FAMOUS if text in texts)


def of_sorts(index: VocabularyIndex, learned: list[int]) -> Iterator[tuple[int, Say]]:
    """The longest of each sort, and those learned last."""
    texts, classes = index.texts, index.classes

    def longest(wanted: Iterable[int]) -> list[int]:
        found = sorted(wanted, key=lambda id: -len(texts[id]))[:EACH]
        return [id for id in found if len(texts[id]) >= LONG]

    whole = [id for id in learned if classes[id] is not TokenClass.PART]
    for id in longest(id for id in whole if texts[id].strip().isalpha()):
        yield id, Say.of("One of the longest words that is one token: {0:t}.", plural(len(texts[id].strip()), "letter"))
    for id in longest(id for id in whole if CODE.search(texts[id])):
        yield id, Say.of("Several words in one token, as program code joins them.")
    for id in longest(id for id in whole if PHRASE.search(texts[id].strip())):
        yield id, Say.of("It goes across a space: several words are one token.")
    for id in longest(id for id in whole if texts[id].isspace()):
        yield id, Say.of("{0:t} of white space are one token.", plural(len(texts[id]), "character"))
    for id in longest(id for id in whole if texts[id].strip() and not any(map(str.isalnum, texts[id]))):
        yield id, Say.of("{0:t} are one token, none of them a letter or a digit.", plural(len(texts[id]), "character"))
    for id in learned[-EACH:]:
        yield id, Say.of("It is among the last that were learned.")
    parts = [id for id in learned if classes[id] is TokenClass.PART]
    for id in sorted(parts, key=lambda id: -len(index.data[id]))[:EACH]:
        yield id, Say.of("It ends or begins inside a character: alone it is no text.")


def of_scripts(index: VocabularyIndex, learned: Iterable[int]) -> Iterator[tuple[int, Say]]:
    """The longest token of each script."""
    best: dict[str, int] = {}
    for id in learned:
        script = index.scripts[id]
        if (
            script != NO_SCRIPT
            and len(index.texts[id]) >= LONG
            and (script not in best or len(index.texts[id]) > len(index.texts[best[script]]))
        ):
            best[script] = id
    for script, id in best.items():
        yield id, Say.of("The longest token in {0:t}: {1:t}.", script, plural(len(index.texts[id]), "character"))


def opening_token(index: VocabularyIndex) -> int | None:
    """The token that the page opens on; None for a vocabulary without a learned one."""
    for text in OPENING:
        try:
            ids = index.tokenizer.encode(text, add_special=False).ids
        except InputError:
            continue
        if len(ids) == 1 and index.classes[ids[0]] not in GIVEN:
            return ids[0]
    found = notable(index)
    return found[0].id if found else None

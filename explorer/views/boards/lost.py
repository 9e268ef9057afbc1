"""What a WordPiece tokenizer loses of a text, stage by stage: why decoding does not give it back."""

from __future__ import annotations

from collections import Counter

from explorer.engine.normalizers import Normalize
from explorer.engine.pretokenizers import PreTokenize
from explorer.engine.tokenizer import Trace
from explorer.engine.wordpiece import Match
from explorer.views.say import Say, plural

LOST = {
    Normalize.DROP_CONTROL: ("control", None),
    Normalize.SPACE: ("kind of white space", "kinds of white space"),
    Normalize.DECOMPOSE: ("composed character", None),
    Normalize.REORDER: ("place of a mark", "places of marks"),
    Normalize.FIRST_OF_NFD: (
        "decomposition but for its first code point",
        "decompositions but for their first code points",
    ),
    Normalize.DROP_MARK: ("combining mark", None),
    Normalize.LOWER: ("capital letter", None),
}
"""Events of the normalization that cannot be undone, and what each loses."""


def lost_say(trace: Trace) -> Say | None:
    """Which stage lost what, for a text that does not come back; None where this is not WordPiece.

    >>> import explorer
    >>> from explorer.views.say import plain
    >>> plain(lost_say(explorer.load("bert-uncased").trace("W😊")))
    'Not the same text. Lost at normalization: 1 capital letter; in the model: 1 word that became the unknown token.'
    """
    kinds = {stage.name: stage.part.kinds for stage in trace.stages}
    if kinds.get("model") is not Match:
        return None
    counts = {stage.name: Counter(event.kind for event in stage.events) for stage in trace.stages}
    parts = []
    if kinds.get("normalize") is Normalize:
        found = [plural(counts["normalize"][kind], *words) for kind, words in LOST.items() if counts["normalize"][kind]]
        if found:
            parts.append(f"at normalization: {', '.join(found)}")
    spaces = counts["pre-tokenize"][PreTokenize.REMOVED] if kinds.get("pre-tokenize") is PreTokenize else 0
    if spaces:
        stretches = plural(spaces, "stretch of white space", "stretches of white space")
        parts.append(f"in the words: {stretches}, which decoding guesses")
    unknown = counts["model"][Match.DISCARD] + counts["model"][Match.TOO_LONG]
    if unknown:
        words = plural(unknown, "word that became the unknown token", "words that became the unknown token")
        parts.append(f"in the model: {words}")
    if not parts:
        return Say.of("Not the same text. Nothing was lost on the way, but decoding guesses where spaces stood.")
    return Say.of("Not the same text. Lost {0:t}.", "; ".join(parts))

"""Ids that somebody expected for a text, and why this tokenizer gives others.

Tokens added in front of and behind the text are looked at first and apart from the rest, so that a missing BOS hides
nothing. Then the first explanation that gives exactly the expected ids is told, the nearest to hand first: other
options, an added token's `normalized`, an escape that was read or not, white space at the ends, the prefix space, BOS
twice, another implementation of the same model, a text encoded in parts, another tokenizer. Where none does, the
expected ids are decoded, and either they spell another text, or the same text is cut otherwise. Nothing is guessed:
what is said was tried, and `Explanation.recipe` makes the expected ids again. Every region that differs is reported,
explained or not.

Other tokenizers are opened one after the other and only when nothing nearer explains the ids; whoever calls says how,
so that a page can take them from its memory.

`explainer` asks in this order; `texts`, `normalized` and `parts` are what it tries, `stretches` puts both lists of ids
beside each other by content, `answers` holds what comes of it.
"""

from explorer.analysis.expected.answers import Encoded, Explanation, Place, Reason, Recipe, Region, Stretch
from explorer.analysis.expected.explainer import explain
from explorer.analysis.expected.placed import placed

__all__ = ["Encoded", "Explanation", "Place", "Reason", "Recipe", "Region", "Stretch", "explain", "placed"]

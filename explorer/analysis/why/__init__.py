"""Why a token came about, and why there is a cut between two tokens, from the events of a trace.

- `questions`: `why`, `why_token`, `why_cut`; which stage answers.
- `record`: what they return, and the same as JSON.
- `crossings`: why a token has text on both sides of a border.
- `before_model`: special tokens in the text, and cuts that no token crosses.
- `nearby`: a cut under other tokenizers, and in other spellings.

The accounts of models are in `stages/`.

Nothing is guessed: every step is an event, and what the events do not tell is not said.
"""

from explorer.analysis.why.questions import why, why_cut, why_token
from explorer.analysis.why.record import Why
from explorer.stages.answers import Cut, CutCause, Joined, Node, OriginKind, OtherCuts, TokenOrigin, TokenText, WhyStep
from explorer.stages.speller import Form, Speller

__all__ = [
    "Cut",
    "CutCause",
    "Form",
    "Joined",
    "Node",
    "OriginKind",
    "OtherCuts",
    "Speller",
    "TokenOrigin",
    "TokenText",
    "Why",
    "WhyStep",
    "why",
    "why_cut",
    "why_token",
]

"""Two texts side by side: what a border between them does to the ids, and how to continue a text without harm.

boundary      `boundary(tokenizer, left, right)`: ids of both parts and of the whole, the tokens across the border with
              the reason, the last cut that holds before it, a lone space
borders       every border of a text: which keep the ids
followers     the tokens that may follow a cut, by the text that was dropped; which ids of a text any continuation keeps
within        whether some ids occur within others, and if not, which token stands across their ends
stop_strings  in which sequences of tokens a stop string can occur, and where it may begin inside a token
answers       what these return, and the same as JSON
sentences     the sentences about a border
"""

from explorer.analysis.boundary.boundary import Borders, borders, boundary, boundary_at
from explorer.analysis.boundary.followers import (
    Boundary,
    BoundaryCause,
    Crossing,
    Followers,
    LoneSpace,
    OpenEnd,
    StableCut,
    followers,
    open_end,
)
from explorer.analysis.boundary.searches import Occurrence, StopString, Within, stop_string, within

__all__ = [
    "Borders", "Boundary", "BoundaryCause", "Crossing", "Followers", "LoneSpace", "Occurrence", "OpenEnd", "StableCut",
    "StopString", "Within", "borders", "boundary", "boundary_at", "followers", "open_end", "stop_string", "within",
]  # fmt: skip

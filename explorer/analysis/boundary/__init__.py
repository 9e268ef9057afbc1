"""Two texts side by side: what a border between them does to the ids, and how to continue a text without harm.

boundary      `boundary(tokenizer, left, right)`: ids of both parts and of the whole, the tokens across the border with
              the reason, the last cut that holds before it, a lone space
              `borders`: every border of a text; `within`: whether some ids occur within others; `stop_string`: in
              which sequences of tokens a stop string can occur; sentences about a border, and its export
followers     the tokens that may follow a cut, by the text that was dropped; which ids of a text any continuation
              keeps, and which change while it is typed
"""

from explorer.analysis.boundary.boundary import borders as borders
from explorer.analysis.boundary.boundary import stop_string as stop_string
from explorer.analysis.boundary.boundary import within as within
from explorer.analysis.boundary.followers import open_end as open_end

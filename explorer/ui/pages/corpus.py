"""Corpus: what do these tokenizers cost on a whole corpus?"""

from explorer.ui.corpus.controls import choose
from explorer.ui.corpus.result import explain, show
from explorer.ui.heading import heading

heading(
    "Corpus",
    "Tokenizers measured on a whole collection of texts: how many tokens it takes, how evenly "
    "they are used, and which languages pay more.",
)
result = choose()
if result is None:
    explain()
else:
    show(result)

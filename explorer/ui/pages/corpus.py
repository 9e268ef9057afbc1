"""Corpus: what do these tokenizers cost on a whole corpus?"""

from explorer.ui.bar import begin_page
from explorer.ui.corpus.controls import choose
from explorer.ui.corpus.result import explain, show

begin_page("Tokenizers on a corpus")
result = choose()
if result is None:
    explain()
else:
    show(result)

"""Vocabulary: which tokens are there, where do they come from, and does text give them?"""

from explorer.ui.frame import bar, begin_page
from explorer.ui.tokenizers import chooser
from explorer.ui.vocabulary.page import follow

begin_page("Vocabulary", "vocabulary")
with bar(), chooser.row("vocabulary") as chosen:
    pass
if chooser.is_usable(chosen):
    follow(chosen.spec)

"""Explore: what happens to my text, stage by stage, and why?"""

from explorer.ui.explore.controls import draw_bar
from explorer.ui.explore.stages import follow_text
from explorer.ui.frame import begin_page
from explorer.ui.tokenizers import chooser

begin_page("Tokenizer explorer", "explore")
bar = draw_bar()
follow_text(bar, chooser.is_usable(bar.chosen))

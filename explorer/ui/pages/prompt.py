"""Prompt: what does the model really get of my messages?"""

from explorer.ui.frame import begin_page
from explorer.ui.prompt import draw_bar, follow
from explorer.ui.tokenizers import chooser

begin_page("What the model reads", "prompt")
bar = draw_bar()
follow(bar, chooser.is_usable(bar.chosen))

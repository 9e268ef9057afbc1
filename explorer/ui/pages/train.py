"""Train: where do tokens come from?"""

from explorer.ui.frame import begin_page
from explorer.ui.parameters import context
from explorer.ui.train import follow

begin_page("Train a tokenizer", "train")
context().page = "train"  # a link from here leads to another page
follow()

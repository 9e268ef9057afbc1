"""Train: where do tokens come from?"""

from explorer.ui.bar import begin_page
from explorer.ui.train.page import follow

begin_page("Train a tokenizer", "train")
follow()

"""Train: where do tokens come from?"""

from explorer.ui.frame import begin_page
from explorer.ui.train.page import follow
from explorer.ui.widget_values import linked_choices

begin_page("Train a tokenizer", "train")
linked_choices().page = "train"  # a link from here leads to another page
follow()

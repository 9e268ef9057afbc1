"""The lattice of one word under a Unigram model: the script of the model stage alone, its arcs drawn by themselves."""

from __future__ import annotations

from dataclasses import replace

from explorer.engine.models.unigram import UnigramRow
from explorer.engine.tokenizer import Tokenizer
from explorer.views.steppers.lattice_script import lattice_script
from explorer.views.steppers.script import Script
from explorer.views.window import window_of


def word_lattice(tokenizer: Tokenizer, word: str) -> Script:
    """The script for a word that is spelled as the vocabulary spells it.

    >>> import explorer
    >>> script = word_lattice(explorer.load("xlm-r"), "▁is")
    >>> script.data["layout"], script.sentence(len(script))
    ([['arcs']], '“▁is” from offset 0 to 3 is token 83.')
    """
    (model,) = (part for part in tokenizer.parts if part.row is UnigramRow)
    alone = replace(tokenizer, parts=(model,))
    trace = alone.trace(word)
    script = lattice_script(trace.stages[0], tokenizer.vocabulary, window_of(trace))
    return replace(script, data=script.data | {"layout": [["arcs"]]})

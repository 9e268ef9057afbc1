"""Tokenizer explorer: takes a text through a real vocabulary, stage by stage, with the ids of the originals.

>>> import explorer
>>> tok = explorer.load("llama-2")
>>> tok.encode("What is LoRA?").pieces
['<s>', '▁What', '▁is', '▁Lo', 'RA', '?']
>>> tok.trace("What is LoRA?").stages[2].events[0]
MergeRow(kind=0, left=0, right=14, token=-1)
"""

from explorer.catalog import Model, catalog, load
from explorer.engine.tokenizer import DecodeTrace, Encoding, Stage, Tokenizer, Trace
from explorer.errors import ChoiceNeeded, InputError
from explorer.facts import Fact

__all__ = [
    "ChoiceNeeded",
    "DecodeTrace",
    "Encoding",
    "Fact",
    "InputError",
    "Model",
    "Stage",
    "Tokenizer",
    "Trace",
    "catalog",
    "load",
]

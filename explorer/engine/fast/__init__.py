"""The untraced path: the ids of a text without spans and events, as fast as plain Python can.

The stages are those of the tokenizer. Special tokens are cut out by its own partition; what lies between them goes a
way (`strategies`) that cuts it into pieces which do not know of each other, remembers the ids of each, and asks the
model itself for those it has not met. So a text is mostly one search and one look-up a piece, both of them loops in C.
What post-processing puts around is found once and put around again.

Left out: spans (asked for, they are made by the stages themselves), and models whose tokens depend on what lies far
away: sentencepiece's Unigram adds its scores in 32 bits, and the sum so far decides between ways that are almost equal.
"""

from explorer.engine.fast.encoder import Untraced

__all__ = ["Untraced"]

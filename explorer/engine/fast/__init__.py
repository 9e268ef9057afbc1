"""The fast path: the ids of a text without spans and events, as fast as plain Python can.

The stages are those of the tokenizer. Its own partition cuts special tokens out. The text between them is split by a
strategy into independent pieces; a bounded cache is asked for the ids of each, and the model for pieces it has not met.
So a text is mostly one search, and one look-up per piece, both of them loops in C. What post-processing adds is found
once and added again.

encoder          the path, put together from a tokenizer's parts; many texts at once: compiled where numba is installed
strategies       which strategy a tokenizer can use: by pattern, at white space; spaces
piece_encoder    the ids of one piece, and where a long one may be cut; the strategy that is always safe
cache            piece → ids
compiling        what is compiled of a tokenizer

Left out: spans (the stages make them when asked), and models whose tokens depend on distant text: sentencepiece's
Unigram adds its scores in 32 bits, so the sum so far decides between paths that are almost equal.
"""

from explorer.engine.fast.encoder import FastPath

__all__ = ["FastPath"]

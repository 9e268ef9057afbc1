"""Models: pieces of text → tokens. One file per algorithm, with its events. All inherit from `engine.part.Model`.

merges         the merge queue, with and without events; a segment's merges, from its events
spm, bpe       the two that merge: by score, and by rank or list; in spm those with the ids of another vocabulary
unigram        the best path through a lattice of pieces
lattice_replay a lattice's sums, from its events
plamo2         PLaMo-2's best path, computed from the end
wordpiece      longest match first, as Hugging Face and llama.cpp run it
trie           RWKV's longest match in a trie, and the loop often mistaken for it
prefixes       the tokens with one prefix, for drawings of a trie
lookup         whole words; sentencepiece's character and word models; bytes and code points
"""

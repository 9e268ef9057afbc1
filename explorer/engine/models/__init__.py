"""Models: pieces of text → tokens. One file per algorithm, with its events. All inherit from `engine.part.Model`.

merges         the merge queue, with and without events; a segment's merges, from its events
spm, bpe       the two that merge: by score, and by rank or list; in spm those with the ids of another vocabulary
unigram        the best path through a lattice of pieces; PLaMo-2's, computed from the end
lattice_replay a lattice's sums, from its events
longest_match  RWKV's in a trie, and the loop often mistaken for it; WordPiece, as Hugging Face and llama.cpp run it
prefixes       the tokens with one prefix, for drawings of a trie
lookup         whole words; sentencepiece's character and word models; bytes and code points
"""

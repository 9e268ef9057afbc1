"""Models: pieces of text → tokens. One file for each algorithm, beside the rows of its events.

merges         the merge queue, and the same without events
spm, bpe       the two that merge: by score, by rank or list
bpe_rules, bpe_symbols   which pair merges first; what BPE begins with
unigram        the best path through a lattice of pieces
plamo2         PLaMo-2's, computed from the end
wordpiece      longest match first
trie           RWKV's longest match in a trie; first_miss: the loop often taken for it
word_level     whole words
char_word      sentencepiece's character and word models
unknown        what an unknown character becomes
"""

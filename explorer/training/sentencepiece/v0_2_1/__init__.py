"""BPE as sentencepiece 0.2.1 and before learn it, frozen: those versions are out, so nothing here changes but mistakes.

bpe         the trainer
hash_order  the order of a C++ hash map, which decides between equally frequent pairs
"""

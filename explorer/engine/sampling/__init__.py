"""Segmentations drawn at random, and lists of the best ones: what models are trained with, and not what they run.

generator   the Mersenne Twister as C++ has it, so that a seed gives what it gives there
lattice     Unigram: all pieces of a text as a lattice; forward sums, a path drawn from the end, all paths
nbest       Unigram: the n best paths, in the order of sentencepiece
dropout     BPE: merges left out at random, as Hugging Face, sentencepiece and subword-nmt do it
exact       the exact odds of each way a word can end under these
"""

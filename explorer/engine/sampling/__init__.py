"""Segmentations drawn at random, and lists of the best ones: what models are trained with, and not what they run.

lattice     Unigram: all pieces of a text as a lattice; forward sums, a path drawn from the end, the n best
dropout     BPE: merges left out at random, as Hugging Face, sentencepiece and subword-nmt do it, and the exact odds
"""

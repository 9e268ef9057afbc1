"""Unigram and PLaMo-2: the best path through a lattice of pieces.

stage      what they say of themselves to everybody else
story      the stepper's script; its kinds of step are in kinds
why        how their tokens came about
question   which path wins?
"""

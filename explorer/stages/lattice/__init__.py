"""Unigram and PLaMo-2: the best path through a lattice of pieces.

story   the stepper's script; its kinds of step are in kinds
why     the account
"""

"""Unigram and PLaMo-2: the best path through a lattice of pieces.

stage   what everybody else asks: how their tokens came about, which path wins, a drawing
story   the stepper's kinds of step, and its script
"""

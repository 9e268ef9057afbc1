"""Models that merge pairs from a queue: SentencePiece BPE and byte-level BPE.

stage       what everybody else asks: their kinds, a drawing, the merges by which two models are compared
why         how their tokens came about
questions   which pair merges next, which entry is out of date, what if this merge were missing?
story       the stepper's script; its kinds of step are in kinds
"""

"""Models that merge pairs from a queue: SentencePiece BPE and byte-level BPE.

stage   what everybody else asks: their kinds, a drawing, questions, the merges by which two models are compared
why     how their tokens came about
story   the stepper's kinds of step, and its script
"""

"""Models that merge pairs from a queue: SentencePiece BPE and byte-level BPE.

stage           what they say of themselves to everybody else
story           the stepper's script; its kinds of step are in kinds
why             how their tokens came about
parting         the merges of a stage, by which two models are compared
question        which pair merges next? missing_merge: what if this merge were missing?
"""

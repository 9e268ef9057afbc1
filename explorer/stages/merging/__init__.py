"""Models that merge pairs from a queue: SentencePiece BPE and byte-level BPE.

story   the stepper's script; its kinds of step are in kinds
why     the account
"""

"""Ids back to text.

story    the stepper's script (changes: what a decoder's operation changed)
losses   where a round trip loses text, in which stage, and the sentence about it
"""

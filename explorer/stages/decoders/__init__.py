"""Ids back to text.

story    the stepper's script (changes: what a decoder's operation changed)
losses   where a round trip loses text, and in which stage
result   a sentence about the round trip
"""

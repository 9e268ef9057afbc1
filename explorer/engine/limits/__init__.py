"""Limits on what untrusted input may cost, checked before or while something grows.

budget     processor time of a whole run
length     length of a text while it is rewritten
pattern    cost of compiling a pattern, and time of its matches
"""

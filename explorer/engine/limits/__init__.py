"""Limits on what untrusted input may cost, checked before or while something grows.

budget     processor time of a whole run
time       time of one pattern on one text
length     length of a text while it is rewritten
pattern    cost of compiling a pattern
"""

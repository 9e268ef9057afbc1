"""Models that look text up whole: characters, words.

stage   what they say of themselves to everybody else
story   the stepper's script
why     how their tokens came about
"""

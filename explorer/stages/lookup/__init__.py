"""Models that look text up whole: characters, words.

story   the stepper's script
why     the accounts
"""

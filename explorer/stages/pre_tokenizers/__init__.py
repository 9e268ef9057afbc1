"""How a text is cut before the model.

stage         what everybody else asks: the events about a span and a cut, which pre-token an alternative matches
story         the stepper's script: the alternatives of a pattern, or a scanner
words_story   the same for llama.cpp's words for WordPiece
alternatives  what an alternative of a pattern takes, in words
scanner       what a scanner reads, and its source
"""

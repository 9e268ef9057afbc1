"""How a text is cut before the model.

story         the alternatives of a pattern, or a scanner (scanner_reading, scanner_words)
words_story   llama.cpp's words for WordPiece
alternatives  what an alternative of a pattern takes
"""

"""How a text is cut before the model.

stage         what these stages say of themselves to everybody else
story         the alternatives of a pattern, or a scanner (scanner_reading, scanner_words)
words_story   llama.cpp's words for WordPiece
alternatives  what an alternative of a pattern takes
finding       the events about a span, and about a cut
question      which pre-token does the alternative match?
"""

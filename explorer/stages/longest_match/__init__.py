"""WordPiece: the longest piece that fits, again and again.

story   the stepper's script: windows that shrink, attempts, the word so far
"""

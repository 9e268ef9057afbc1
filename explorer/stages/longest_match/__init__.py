"""WordPiece: the longest piece that fits, again and again.

stage   what everybody else asks: how its tokens came about, where the longest match ends, a drawing
story   the stepper's script: windows that shrink, attempts, the word so far
"""

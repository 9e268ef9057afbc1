"""WordPiece: the longest piece that fits, again and again.

stage      what it says of itself to everybody else
story      the stepper's script: windows that shrink, attempts, the word so far
why        how its tokens came about
question   where does the longest match end?
"""

"""Models that match from the left: WordPiece's longest piece that fits, a walk through a trie, and its misreading.

stage             what everybody else asks: how their tokens came about, where the longest match ends, drawings
story             the stepper's script of WordPiece: windows that shrink, attempts, the word so far
walk_story        that of the trie: the path, and the last token on it
first_miss_story  that of the loop that stops at the first miss
"""

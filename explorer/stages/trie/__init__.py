"""Walks over bytes: RWKV's longest match in a trie, and the loop that stops at the first miss.

stage              what everybody else asks: how their tokens came about, where the longest match ends, a drawing
walk_story         the stepper's script of the walk
first_miss_story   the same for the loop
"""

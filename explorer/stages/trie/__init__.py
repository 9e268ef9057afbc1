"""Walks over bytes: RWKV's longest match in a trie, and the loop that stops at the first miss.

stage              what they say of themselves to everybody else
walk_story         the stepper's script of the walk; first_miss_story: of the loop; byte_strip: what both draw
why                how their tokens came about
question           where does the longest match end?
"""

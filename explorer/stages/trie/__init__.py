"""Walks over bytes: RWKV's longest match in a trie, and the loop that stops at the first miss.

walk_story         the stepper's script of the walk
first_miss_story   that of the loop
byte_strip         what both draw
why                their accounts, and WordPiece's
"""

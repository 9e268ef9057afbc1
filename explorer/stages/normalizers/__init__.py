"""How a text is rewritten.

story           operation by operation (operations, layers, lookups)
charsmap_story  a character map
result          a sentence about what changed
"""

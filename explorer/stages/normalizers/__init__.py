"""How a text is rewritten.

stage           what everybody else asks: what changed, the event that wrote a character, a question
story           the stepper's script, operation by operation (operations, layers, lookups)
charsmap_story  the same for a character map
"""

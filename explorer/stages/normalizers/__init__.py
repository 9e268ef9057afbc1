"""How a text is rewritten.

stage           what everybody else asks: what changed, the event that wrote a character, a question
story           the stepper's script, operation by operation
layers          the operations, how each finds what to write, and the layers that are drawn
charsmap_story  the same for a character map
"""

"""How a text is rewritten.

stage           what normalization says of itself to everybody else
story           operation by operation (operations, layers, lookups)
charsmap_story  a character map
result          a sentence about what changed
finding         the event that wrote or dropped a character
question        what does normalization make of this?
"""

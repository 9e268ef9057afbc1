"""What of a text does not come back when its ids are decoded, and which stage lost it.

losses      `losses(trace, decoded, vocabulary)`: every lost character and every insertion, each with its stage
lines       the same for the lines of files
drift       ids decoded and encoded again: where the two lists part, and which stage makes them differ
units       a stage's items as the decoder reads them back, gathered over the characters of the text they share, and
            which of these characters are still there
"""

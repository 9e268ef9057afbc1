"""What of a text does not come back when its ids are decoded, and which stage lost it.

lines       the same for the lines of files
drift       ids decoded and encoded again: where the two lists part, and which stage makes them differ

The losses of one text are found in `stages/decoders/`.
"""

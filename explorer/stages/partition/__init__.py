"""What is cut out of a text before its stages.

stage           what everybody else asks: what was found, the event about a span or a special token
story           the stepper's script: special tokens searched and cut out
cut_out_story   the same for user-defined pieces and DNA
"""

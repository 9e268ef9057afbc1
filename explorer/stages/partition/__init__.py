"""What is cut out of a text before its stages.

story           special tokens searched and cut out
cut_out_story   user-defined pieces and DNA
"""

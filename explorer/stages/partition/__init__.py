"""What is cut out of a text before its stages.

stage           what these stages say of themselves to everybody else
story           special tokens searched and cut out
cut_out_story   user-defined pieces and DNA
finding         the event about a span or a special token
"""

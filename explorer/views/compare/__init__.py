"""What Compare draws: aligned rows, sentences about differences, tables.

aligned     rows of tokens on one text            picture   such rows with sentences, links and lists around them
expected    pasted ids above a tokenizer's own    verdict, remedies   what they are, and what to change
again       pasted ids above those of their text
flips       a row for each switch, flipped        typing    a row after each key
line        sentences parts of which stand out
"""

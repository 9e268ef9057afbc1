"""What Compare draws: aligned rows, sentences about differences, tables.

aligned     rows of tokens on one text, with sentences, links and lists around them; where rows part, and where stages
            do
expected    pasted ids above a tokenizer's own, or above those of their text
verdict     what expected ids are, and what to change
flips       a row for each switch, flipped
typing      a row after each key
"""

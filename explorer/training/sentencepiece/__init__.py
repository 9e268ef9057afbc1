"""The trainers of sentencepiece: 0.2.3, and 0.2.1 and before, which learn otherwise.

options     the options, and the ids of special pieces
rule_tables the normalization rules of each version, by name
sentences   texts → normalized sentences → words in symbols, with the characters that become pieces
pieces      which strings may be pieces
model       pieces with ids and scores, in the order of a `.model` file
bpe         BPE of 0.2.3 (and 0.2.2)
coverage    which characters 0.2.3 makes pieces where it chooses by itself
unigram     Unigram of 0.2.3, and of 0.2.1 and before
seeds       the pieces that Unigram begins with
v0_2_1      BPE of 0.2.1 and before, frozen
"""

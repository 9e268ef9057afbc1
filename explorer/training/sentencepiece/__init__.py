"""The trainers of sentencepiece 0.2.3. (0.2.2 learns the same; 0.2.1 and before learn otherwise and are left out.)

options     the options, and the ids of special pieces
sentences   texts → normalized sentences → words in symbols, with the characters that become pieces
pieces      which strings may be pieces; pieces with ids and scores, in the order of a `.model` file
bpe         BPE, and which characters become pieces where it chooses by itself
unigram     Unigram
seeds       the pieces that Unigram begins with
"""

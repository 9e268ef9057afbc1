"""The trainers of sentencepiece 0.2.3. (0.2.2 learns the same; 0.2.1 and before learn otherwise and are left out.)

sentences   the options, the ids of special pieces, which strings may be pieces; the pieces in the order of a `.model`;
            texts → normalized sentences → words in symbols, with the characters that become pieces
bpe         BPE, and which characters become pieces where it chooses by itself
unigram     Unigram, and the pieces that it begins with
"""

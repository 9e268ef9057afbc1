"""Where two tokenizers diverge on one text, at which stage, and why.

comparer           two runs → a `Comparison`: every region in which the ids differ, each with its stage and its cause
result             a `Run`, its text after each stage in plain characters, the event at which a difference begins; the
                   `Comparison` and what it holds, every kind of difference, the answer in two sentences

matching           what differs before the model: characters, special tokens, cuts
text_causes        causes in special tokens, the normalizer and the pre-tokenizer; experiments decide between stages
model_causes       causes in the model; differences in post-processing, truncation and padding

changes            names what a normalizer did, from its input and output
"""

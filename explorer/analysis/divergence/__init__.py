"""Where two tokenizers diverge on one text, at which stage, and why.

comparer           two runs → a `Comparison`: every region in which the ids differ, each with its stage and its cause
result             the `Comparison` and what it holds
kinds              every kind of difference

text_differences   what differs before the model: characters, special tokens, cuts
text_causes        causes in special tokens, the normalizer and the pre-tokenizer; experiments decide between stages
model_causes       causes in the model
list_stages        differences in post-processing, truncation and padding

states             the text after each stage in plain characters, whatever the vocabulary writes for a space
matching           which characters of two texts match, by span and by content
spans              searches in sorted spans, and in overlapping ones
changes            names what a normalizer did, from its input and output
events             the trace event at which a difference begins
"""

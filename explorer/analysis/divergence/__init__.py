"""Where two tokenizers diverge on one text, at which stage, and why.

comparer           two runs → a `Comparison`: every region in which the ids differ, each with its stage and its cause
result             the `Comparison` and what it holds
kinds              every kind of difference

regions            where the ids differ
text_differences   what differs before the model: characters, special tokens, cuts
cause              why one region differs
special_causes     causes in the partition stage
text_causes        causes in the normalizer and the pre-tokenizer
model_causes       causes in the model
list_stages        differences in post-processing, truncation and padding
experiments        whether an earlier stage explains a later difference, by running stages again

states             the text after each stage
plain              that text in plain characters, whatever the vocabulary writes for a space
spelling           how a vocabulary spells characters, found with a probe
matching           which characters of two texts match, by span and by content
uneven             the parts of two long texts that may differ at all
spans, covers      searches in sorted spans; in overlapping ones
changes            names what a normalizer did, from its input and output
pre_tokens         what a pre-tokenizer did
events             the trace event at which a difference begins
"""

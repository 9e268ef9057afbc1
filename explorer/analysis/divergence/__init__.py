"""Where two tokenizers diverge on one text, at which stage, and why.

comparer     two runs → a `Comparison`: every region in which the ids differ, each with its stage and its cause
result       what that holds
states       the text after each stage; what-if experiments that continue with the other side's text
plain        that text in plain characters, whatever the vocabulary writes for a space
spelling     how a vocabulary spells characters, found with a probe
matching     which characters of two texts match, by span and by content
uneven       the parts of two long texts that may differ at all
covers       which characters tokens cover
changes      what a normalizer did, named from its input and output
pieces       what a pre-tokenizer did
causes       what two models decided differently
events       the trace event at which a difference begins
kinds        every kind of difference
"""

"""What is said and drawn of a stage: the meaning of its events, in a folder or a module for each.

partition, normalizers, pre_tokenizers, post_processors, decoders, utf8   the stages around the model
merging, longest_match, lattice, lookup   the models, by what they do

In each folder `stage` has what everybody else asks (its kind, its account for Why, its questions for a quiz, its small
drawing), and `story` the stepper's script; a module has all of that.

stage      what one kind of stage says of itself (`StageKind`, `ModelKind`), its results, the event of a span, the
           questions of a quiz; the answers to "Why?" as plain data, and what the accounts of all models share
table      all kinds of stage
spelling   how a vocabulary spells its pieces, what its scores and ranks mean; symbols and tokens as texts for people
"""

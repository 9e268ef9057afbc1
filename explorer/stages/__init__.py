"""What is said and drawn of a stage: the meaning of its events, in a folder or a module for each.

partition, normalizers, pre_tokenizers, post_processors, decoders, utf8   the stages around the model
merging, longest_match, trie, lattice, lookup   the models, by what they do

In each folder `stage` has what everybody else asks (its kind, its account for Why, its questions for a quiz, its small
drawing), and `story` the stepper's script; a module has all of that.

stage          what one kind of stage says of itself (`StageKind`, `ModelKind`); table: all of them
why            the answers to "Why?" as plain data, and what the accounts of all models share
finders        the event about a span of the text, or about a cut
question       a question of a quiz, and the scene that it looks at
results        what a stage did in two or three words, and what the model made of a text in a sentence
spelling       how a vocabulary spells its pieces; symbols and tokens as texts for people
score_meaning  what the scores and ranks of a vocabulary mean
"""

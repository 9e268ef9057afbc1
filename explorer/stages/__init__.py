"""What is said and drawn of a stage: the meaning of its events, in a folder for each.

partition, normalizers, pre_tokenizers, post_processors, decoders, utf8   the stages around the model
merging, longest_match, trie, lattice, lookup   the models, by what they do

stage          what one kind of stage says of itself (`StageKind`, `ModelKind`); table: all of them
answers        what is known of a token and of a cut, as plain data; family: what the accounts of all models share
seam           a cut between two segments; finding, covers: the event about a span
question       a question of a quiz, and the scene that it looks at
counts         what a stage did in two or three words; results: what the model made of a text, in a sentence
spelling       how a vocabulary spells its pieces; speller: symbols and tokens as texts for people
score_meaning  what the scores and ranks of a vocabulary mean
"""

"""What is said and drawn of a stage: the meaning of its events, in a folder for each.

partition, normalizers, pre_tokenizers, post_processors, decoders, utf8   the stages around the model
merging, longest_match, trie, lattice, lookup   the models, by what they do

answers        what is known of a token and of a cut, as plain data
family         what the accounts of all models share
counts         what a stage did in two or three words; results: in a sentence
spelling       how a vocabulary spells its pieces; speller: symbols and tokens as texts for people
score_meaning  what the scores and ranks of a vocabulary mean
"""

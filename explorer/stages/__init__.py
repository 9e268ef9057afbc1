"""What is said and drawn of a stage: the meaning of its events, in a folder for each.

answers    what is known of a token and of a cut, as plain data
family     what the accounts of all models share
spelling   how a vocabulary spells its pieces
speller    symbols and tokens as texts for people
"""

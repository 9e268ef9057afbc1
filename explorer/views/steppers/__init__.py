"""Steppers of what is no stage of a trace: draws, streams, templates, trainings. Those of stages are in `stages/`.

draw_script      one draw at random, through Unigram's lattice here; dropout_script (BPE)
stream_script    ids one by one, and what programs show meanwhile
template_script  a chat template, statement by statement, beside its source
training_script  the script of any training: those that merge, those of words and of substrings kept whole;
                 train_unigram_script
train_board      what they share, and their columns on the Train page
"""

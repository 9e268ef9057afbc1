"""Steppers: the events of a stage → a script that the browser plays forward and back.

merge_script     SPM and BPE; their kinds of step are in merge_kinds
lattice_script   Unigram and PLaMo-2; their kinds of step are in lattice_kinds
byte_strip       the trie (trie_script) and the loop that stops at the first miss (first_miss_script)
wordpiece_script, char_word_script   the other models
pretokenize_script   the alternatives of a pattern, or a scanner (scanner_reading, scanner_words)
words_script     llama.cpp's words for WordPiece
normalize_script   operation by operation (operations, layers, lookups); charsmap_script for a character map
utf8_script      bytes to code points
decode_script    ids to bytes to text; with decode_changes
draw_script      one draw at random: dropout_script (BPE), path_script (Unigram)
stream_script    ids one by one, and what programs show meanwhile
partition_script   special tokens searched and cut out
cut_out_script   user-defined pieces and DNA
ids_script       the stages after the model: the template, truncation, padding
template_script  a chat template, statement by statement (template_source, template_kinds)
columns          the track of columns that ids and decoding draw
training_script  the script of any training
train_script     trainings that merge; train_words_script, train_top_down_script, train_unigram_script
train_board      their columns on the Train page: bars, words, pieces left; train_unigram_board

A new stepper is one file here, with its kinds of step and a function from a stage to a script, and one row in
`views/sections.py`.
"""

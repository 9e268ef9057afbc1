"""Steppers: the events of a stage → a script that the browser plays forwards and back.

script          named tracks, and the rows each step puts
model_script    what the scripts of all stages share
merge_script    SPM and BPE; with merge_symbols, merge_arguments, merge_sentences and queue_tracks
lattice_base    Unigram (lattice_script) and PLaMo-2 (plamo2_script)
byte_strip      the trie (trie_script) and the loop that stops at the first miss (first_miss_script)
wordpiece_script, char_word_script   the other models
pretokenize_script   the alternatives of a pattern
"""

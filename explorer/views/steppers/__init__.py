"""Steppers: the events of a stage → a script that the browser plays forwards and back.

script         a script: named tracks, and the rows that each step puts
model_script   what the scripts of all models share
queue_tracks, byte_strip   the tracks of the merge queue; the bytes of a text
merge_script, merge_sentences   SPM and BPE
lattice_script, plamo2_script   Unigram; PLaMo-2
wordpiece_script, trie_script, first_miss_script, char_word_script   the other models
pretokenize_script   the alternatives of a pattern
"""

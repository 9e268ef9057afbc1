"""Steppers: the events of a stage → a script that the browser plays forwards and back.

script          named tracks, and the rows each step puts
model_script    what the scripts of all stages share
merge_script    SPM and BPE; with merge_symbols, merge_arguments, merge_sentences, merge_future,
                merge_code and queue_tracks
lattice_base    Unigram (lattice_script) and PLaMo-2 (plamo2_script)
byte_strip      the trie (trie_script) and the loop that stops at the first miss (first_miss_script)
wordpiece_script, char_word_script   the other models
pretokenize_script   the alternatives of a pattern
utf8_script     bytes to code points; with utf8_kinds
decode_script   ids to bytes to text; with decode_changes and decode_kinds; its track of columns is in columns
partition_script   special tokens searched and cut out; with partition_kinds
ids_script      the stages after the model: the template, truncation, padding; with ids_kinds
"""

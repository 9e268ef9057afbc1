"""The command line: `main` parses the arguments and runs one command.

commands     encode, trace, decode, info, models: one tokenizer
compare      compare, diff: several tokenizers
roundtrip    roundtrip: encode and decode lines
boundary     boundary: a border between two texts
corpus       corpus: its options; corpus_job runs it, and needs numpy
app          app: starts the web app
completion   completion: scripts for the shell
shared       options, input, output (escaped) and warnings that commands share
card_text    the card of a tokenizer as text
train        train: its options, of which train_flags has the names; train_job runs it

A module is imported when one of its commands runs (`main.GROUPS`).
"""

"""The command line: `main` parses the arguments and runs one command. `commands.toml` declares all of them.

parser       builds the parser of commands.toml
commands     encode, trace, decode, info, models: one tokenizer
compare      compare, diff, roundtrip: several tokenizers, or one and its own text
save         save, site: what the app shows, as files (on the floor of the pages)
pieces       stream, boundary, why, sample, nbest: a text in pieces, and why these
prompt       prompt: what a model reads of messages; prompt_check tries templates with conversations
quiz         quiz: questions, graded
vocab        patterns, vocab, edit: what differs between two patterns; whole vocabularies, and changed ones
corpus       corpus: types of its options; corpus_job runs it, and needs numpy
train        train: its algorithms, trainers and options; train_job runs it
checks       lint, lesson: what is wrong with a file (on the floor of what is drawn)
app          app, completion: the web app, scripts for the shell
shared       input, output (escaped) and warnings that commands share

A module is imported when one of its commands runs.
"""

"""Trainers: a corpus → the vocabulary that an original learns from it, with an event for every decision.

words          how texts are cut into words; a corpus as distinct words and how often each occurs, in parts if it is
               large; words as strings of symbols, the pairs in them, one merge, ties and runners-up; tokens by size
training       a training: every decision as a row, what was learned, the state after each event
trainers       all trainers, the files they give, recipes; a training on a small text, as a page asks for it
why            why a token is in a vocabulary or not, for every trainer; two trainings side by side; where another
               trainer's merges part
unigram        the estimates and prunings of Unigram models, and the strings they begin with
lattice        all ways to write a word in pieces: expected counts, the best way, the best two
huggingface/   the trainers of Hugging Face's tokenizers
sentencepiece/ the trainers of sentencepiece
teaching       minbpe and tiktoken's teaching code
likelihood     WordPiece by likelihood, as the Hugging Face course describes it
top_down       WordPiece as the learner that Google published
"""

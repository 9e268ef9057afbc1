"""Trainers: a corpus → the vocabulary that an original learns from it, with an event for every decision.

words          a corpus as distinct words and how often each occurs
rows           the events of all trainers that merge pairs
training       a finished training: what was learned, and its events once they are asked for
symbols        words as strings of symbols, the pairs in them, one merge
occurrences    where each pair occurs first
ranking        ties and runners-up, for the events
replay         the state of a training after each of its events
huggingface/   the trainers of Hugging Face's tokenizers
sentencepiece/ the trainers of sentencepiece
teaching       minbpe and tiktoken's teaching code
likelihood     WordPiece by likelihood, as the Hugging Face course describes it
top_down       WordPiece as the learner that Google published
"""

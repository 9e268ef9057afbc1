"""Trainers: a corpus → the vocabulary that an original learns from it, with an event for every decision.

words          a corpus as distinct words and how often each occurs
rows           the events of trainers that merge pairs, and of trainers of Unigram models
training       a finished training: what was learned, and its events once they are asked for
cuts           how texts are cut into words, by name
counting       the words of a large corpus, in parts
recipe         a training written down, to be repeated
offered        the trainers that the page offers, by the names people know
request        a training on a small text as a page or a lesson asks for it, within limits
short          a training on a short text, for notebooks
trainers       all trainers, with what each reads and writes
saving         what was learned, as a file that its original opens
symbols        words as strings of symbols, the pairs in them, where each occurs first, one merge
ranking        ties and runners-up, for the events
replay         the state of a training after each of its events
asked          why a token is in a vocabulary, asked of any trainer
why            why a text is a token or not, from the events of trainers that merge pairs
why_words      the same for the other trainers
what_if        the difference of what two trainings learned
word_ways      all ways to write one word with a trained Unigram model
growth         tokens of the corpus by the size of the vocabulary, without events
unigram        the estimates and prunings of Unigram models
lattice        all ways to write a word in pieces: expected counts, the best way, the best two
best_first     the priority queues of the originals, which decide between equally good ways
substrings     strings that repeat: the pieces that a Unigram training begins with
huggingface/   the trainers of Hugging Face's tokenizers
sentencepiece/ the trainers of sentencepiece
teaching       minbpe and tiktoken's teaching code
likelihood     WordPiece by likelihood, as the Hugging Face course describes it
top_down       WordPiece as the learner that Google published
"""

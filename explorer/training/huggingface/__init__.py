"""The trainers of Hugging Face's tokenizers 0.23.

bpe          `BpeTrainer`, and the ids before its first merge: special tokens, characters with a prefix or suffix;
             `WordPieceTrainer`: the same merges, thrown away at the end
unigram      `UnigramTrainer`: too many pieces, pruned by what their loss costs
word_level   `WordLevelTrainer`: the most frequent words
"""

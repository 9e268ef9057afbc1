"""The trainers of Hugging Face's tokenizers 0.23.

alphabet     ids before the first merge: special tokens, characters, characters with a prefix or suffix
bpe          `BpeTrainer`
wordpiece    `WordPieceTrainer`: the same merges, thrown away at the end
unigram      `UnigramTrainer`: too many pieces, pruned by what their loss costs
word_level   `WordLevelTrainer`: the most frequent words
"""

"""The whole vocabulary of a tokenizer: found, understood, checked and compared.

index          what is known of every token, computed once per tokenizer; of all code points by rule; the class of a
               token by its text, its script, and sets of ids as bits; a search: text, regular expression, bytes or
               ids, within facets
derivation     the merges that make a token, the tokens made from it, the pieces that merges build
uncut_pieces   the pieces of a Unigram vocabulary that no other path beats
reach          whether text gives a token, many at once where that is certain; if not, what comes instead and why;
               all of this about one token, and its text in other tokenizers
checks         all checks of a vocabulary, each with its tokens, and what two vocabularies share
figures        numbers for charts, where what was learned turns, tokens worth looking at

Left out: changing a vocabulary, and what a model makes of its tokens (embeddings).
"""

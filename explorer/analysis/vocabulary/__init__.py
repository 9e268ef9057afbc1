"""The whole vocabulary of a tokenizer: found, understood, checked and compared.

classes        the class of a token by its text, and its script
selections     sets of ids as bits, which are quick to intersect and to count
index          what is known of every token, computed once per tokenizer: a vocabulary_index, or one of all code points
query          a search: text, regular expression, bytes or ids, within facets
derivation     the merges that make a token, and the tokens made from it
built_pieces   the pieces that merges build, proved from their parents
reach          whether text gives a token, many at once where that is certain; if not, what comes instead and why
dossier        all of this about one token, and its text in other tokenizers
checks         all checks of a vocabulary, each with its tokens
pictures       numbers for charts, and where what was learned turns
notable        tokens worth looking at, and why
difference     what two vocabularies share

Left out: changing a vocabulary, and what a model makes of its tokens (embeddings).
"""

"""The encoder that numba compiles: many texts at once. README.md beside this file says how it works.

Sources, which run in Python as they are and compile unchanged; lowest first:

utf8       the arguments of compiled functions, grouped; code points, words of eight bytes, runs of a class
lines      lines as texts, and what they count
scanners   where the pieces of GPT-2's, Llama 3's and o200k's patterns end, and those between spaces
tables     open-addressing tables of bytes and of pairs; the pieces met so far
tries      tries over bytes as double arrays: the longest piece in them, RWKV's walk, and words of WordPiece
respelling a piece as SentencePiece's models see it: ▁, and the character map
viterbi    Unigram: the best path
pieces     texts → ids: finds pieces, and asks the memory, else the model: merges by rank or by score, or another

And what calls them:

build      compiles with numba, and keeps the result, which runs without numba
kept       files of arrays in the user's cache folder, which only the user can have written
worker     a vocabulary as tables; arrays with addresses, and calls; one thread's memory and buffers; a block of lines,
           and its ids
"""

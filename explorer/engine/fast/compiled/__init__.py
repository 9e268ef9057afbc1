"""The fast path for many texts at once, plain Python that numba compiles: byte-level BPE, SentencePiece's BPE and
Unigram where a text may be cut at spaces, WordPiece, and RWKV's trie.

Sources, which run in Python as they are and compile unchanged; lowest first:

utf8       code points, words of eight bytes, runs of a class
lines      lines as texts, and what they count
contractions  English ones, after an apostrophe
windows    where pieces begin in 64 bytes of ASCII at once
scanners   where the pieces of GPT-2's, Llama 3's and o200k's patterns end, and those between spaces
tables     open-addressing tables of bytes and of pairs
memory     the pieces met so far, in two generations
merging    merges by rank: a search for short pieces, a heap for long ones
tries      tries over bytes as double arrays, and the longest piece in them
wordpiece  words as the normalization spells them, matched by a trie
respelling a piece as SentencePiece's models see it: ▁, and the character map
scored_merges  SentencePiece's BPE: merges by score, byte fallback
viterbi    Unigram: the best path
solving    a new piece → ids: which of these
pieces     pieces → ids: the memory, else the model
texts      texts → ids: finds pieces, and encodes them
walks      a text → ids by a walk through a trie: RWKV

And what calls them:

build      compiles with numba, and keeps the result
machine_code LLVM's text → functions, without numba
kept       files of arrays in the user's cache folder
private    files that only the user can have written
arrays     arrays with addresses; calls
classes    the class of each code point, per version of Unicode
vocabulary a model that merges, as tables
respelled_tables  the same of SentencePiece's models, and what is done to pieces
trie_tables the same of WordPiece and of RWKV, and what characters become
blocks     a block of lines, and its ids
forms      Unicode forms, of the lines that need them
applies    which tokenizers have a compiled way, and why others don't
worker     one thread's memory and buffers
walker     the same for a walk
way        many texts → ids and offsets

numba is optional. Nothing here is imported before `encode_batch` or a corpus job has met enough text (`fast.batches`).
Left out: spans and events, which the stages make.
"""

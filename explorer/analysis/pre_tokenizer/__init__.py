"""Which of the known pre-tokenizers is this? Asked by llama.cpp's converter, by the vocabulary, and by where it cuts.

facts       `pre_tokenizer_facts(tokenizer)`: the answers as sentences; `identity(tokenizer)`: the ids of llama.cpp's
            test text, looked up among those its converter knows; `fit(tokenizer)`:
            how many tokens of the vocabulary each known pattern would cut
agreement   `suggestions(tokenizer)`: llama.cpp's names, those that cut a probe text most like it first
"""

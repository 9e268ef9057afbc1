"""An answer back: what a model wrote, the message that each server's parser makes of it, and why a call was lost.

parsers.toml        the formats, and the parsers of four servers that read them, with their sources
reading             the algorithms of these parsers, and what a client that streams has been sent so far
reasoning           what a server splits off as reasoning first, by the patterns of reasoning.toml
grammar             what llama.cpp makes of answers, by the grammars of grammars.toml
harmony             Harmony's messages, and what openai-harmony, vLLM and Ollama make of them
ollama              what Ollama makes of calls in JSON
message             the message that a parser makes
response_template   transformers' response templates: run, and checked
answer              an answer beside all parsers of its format: regions, messages, losses with a tried cause
"""

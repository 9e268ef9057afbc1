"""llama.cpp's own engine for chat templates (`common/jinja`), in Python, with every step recorded.

syntax        a template's tokens, and the parts of its tree
values        values, what they are as text, truth and JSON, and what stops a template
builtins      functions, tests, filters and methods
interpreter   runs the tree
rules         what llama.cpp does differently, each of which can be left out
program       a template parsed into its tree, and run within bounds
conversation  what llama-server makes of messages and tools, and what a template can take, by probes
formats       formats that it recognizes, and the tags around a thought that it finds in other templates
rendering     messages rendered as llama.cpp renders them
"""

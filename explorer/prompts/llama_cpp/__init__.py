"""llama.cpp's own engine for chat templates (`common/jinja`), in Python, with every step recorded.

lexer         a template's tokens
nodes         the parts of a template
parser        tokens → the tree of a template
values        values, and what they are as text, truth and JSON
builtins      functions, tests, filters and methods
interpreter   runs the tree
rules         what llama.cpp does differently, each of which can be left out
program       a template parsed, and run within bounds
conversation  what llama-server makes of messages and tools
formats       formats that it recognizes, and changes messages for
thinking      the tags around a thought, found by comparing what a template writes
capabilities  what a template can take, by probes
rendering     messages rendered as llama.cpp renders them
errors        what stops a template
"""

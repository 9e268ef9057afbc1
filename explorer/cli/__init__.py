"""The command line: `main` reads it and runs one command.

`commands` runs one tokenizer, `compare` several, `corpus` a whole corpus (`corpus_job` is what that command does, and
is imported only then, for it needs numpy). `shared` is what they have in common.
"""

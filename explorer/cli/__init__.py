"""The command line: `main` reads it and runs one command.

`commands` runs one tokenizer, `compare` several, `roundtrip` there and back, `corpus` over a whole corpus (`corpus_job`
is what that does, and needs numpy), `app` starts the web app, `completion` serves the shell. `shared` is what they have
in common. A module is imported when one of its commands runs (`main.GROUPS`).
"""

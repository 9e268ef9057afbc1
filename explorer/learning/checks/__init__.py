"""A lesson held against the engine: what its panels show, and whether it says and asks what is true.

It reads the sentences that `explorer.views` writes, and so stands on its floor.

engine        opens, traces and trains; the pages bring their caches
panels        what a card's panel shows at its step, and prints
prompt_facts  what claims and exercises ask of a prompt
claims        claim → what the engine finds
asked         a card's question, ready to be asked
tasks         a typed text, judged
faults        all that is wrong with a file, with its lines
"""

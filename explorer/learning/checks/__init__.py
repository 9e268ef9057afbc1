"""A lesson held against the engine: what its panels show, and whether it says and asks what is true.

It reads the sentences that `explorer.views` writes, and so stands on its floor.

cards      what a card's panel shows at its step, and prints; what opens, traces and trains for it; a card's question,
           ready to be asked; a typed text, judged
claims     claim → what the engine finds; all that is wrong with a file, with its lines
"""

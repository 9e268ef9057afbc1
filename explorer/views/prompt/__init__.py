"""The page Prompt, drawn: what a model reads of messages, in six views, each behind a card that tells its answer.

A view is registered in three steps:

1. A `View("NAME", "Title", badge, stage)` here, in the list of `registry.py`. `badge(scene)` gives the card's `Badge`;
   `stage(scene)` gives what is drawn below, as plain data, or None where nothing of it is drawn by the page's own
   component. `tokens.py` has these types, and `Scene`: the prompt, its error, the tokenizer.
2. What the page's component draws: `explorer/ui/components/prompt/NAME.js` sets `STAGES.NAME = class { … }`
   (`stages.js` says how), and stands in the list of files in `explorer/ui/prompt.py`; so does `NAME.css`.
3. What Streamlit draws below the cards, such as a stepper: a function in `DRAWN` of `explorer/ui/prompt.py`. Questions
   of its own take the `PromptRequest` of `explorer/answers/prompt.py`, whose `scene_of(request)` is cached.

A badge is asked for with every key; keep it quick. A stage is asked for while its view is in focus. Sentences are
`Say`s, and a word of our own is a `Text`: the browser gets them in the visitor's language.

tokens     what a view is given and gives; who wrote each token of a prompt, which row it stands in; notebooks
registry   the views in the order of their cards; Template, Next turn and Training are there
messages   the view Prompt: rows and warnings
engines    the view Engines
check      its second half, a template tried with many conversations
sent       the view Sent
answer     the view Answer
"""

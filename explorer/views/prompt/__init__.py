"""The page Prompt, drawn: what a model reads of messages, in five views, each behind a card that tells its answer.

A view is registered in four lines:

1. `explorer/views/prompt/NAME.py` defines `VIEW: Final = View("NAME", "Title", badge, stage)`. `badge(scene)` gives the
   card's `Badge`; `stage(scene)` gives what is drawn below, as plain data, or None where nothing of it is drawn by the
   page's own component. `scene.py` has these types, and `Scene`: the prompt, its error, the tokenizer.
2. `registry.py` lists it in `VIEWS`. All five are there; a view that isn't built has a stub in its file.
3. What the page's component draws: `explorer/ui/components/prompt/NAME.js` sets `STAGES.NAME = class { … }`
   (`stages.js` says how), and stands in the list of files in `explorer/ui/prompt.py`; so does `NAME.css`.
4. What Streamlit draws below the cards, such as a stepper: `explorer/ui/prompt/NAME.py` with `draw(request)`, in
   `DRAWN` of `explorer/ui/prompt.py`. Questions of its own go to `explorer/answers/prompt_NAME.py` and take the
   `Request` of `explorer/answers/prompt.py`, whose `scene_of(request)` is cached.

A badge is asked for with every key; keep it quick. A stage is asked for while its view is in focus. Sentences are
`Say`s, sent as they are: [template, args, texts].

scene      what a view is given, and what it gives
registry   the views, in the order of their cards
tokens     the prompt's tokens: who wrote each, which row it stands in
warnings   findings as sentences with an offer
source     which line and operand of the template wrote a token
notebook   a prompt in a notebook
examples   the conversations that the page offers
messages, template, engines, turns, training   the views
"""

"""Saved pages: one HTML file that plays anywhere, with the JavaScript of the app's own pages.

page        joins code, styles, data and page into one file; `page.js` and `page.css` are what is around the components;
            `start.js` unpacks its code; the frame that a page is in (`frame.js`)
explore     a text under one tokenizer: its tokens, its stages, why (`explore.js`); a page as a notebook's output; a
            prompt's, step by step (`prompt.js`)
widget      the same as a Jupyter widget (`widget.js`)
lesson      a lesson with its questions, or a quiz whose result is a CSV (`lesson.js`); all lessons and
            examples as pages on a web host, and their index (`site.css`)
training.js  draws `explorer.answers.saved`: a vocabulary learned from a text
live        a live Explore on that host: its page (`live.js`), its worker, what is kept for the next visit
comparison.js  draws `explorer.answers.saved`: rows of several tokenizers, where two part

`panels.js` draws what pages of several kinds show.
"""

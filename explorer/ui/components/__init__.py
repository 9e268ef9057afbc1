"""The browser components: what Python tells them and reads from them; each has a folder of JavaScript and CSS.

live_text    a text field that reports while you type
tokens       the text in its tokens: with the stages, around a border, cut in other ways
stepper      plays a script of steps
sentence     a sentence about texts
comparison   several tokenizers: aligned rows, rows while typing, where two part, languages, chips
saving       an answer's files, a picture of it, a page
assets       registers a component with Streamlit, and reads what a browser reports

Components that one page or module has alone stand there.
"""

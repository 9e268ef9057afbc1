"""The browser components: a Python module and a folder of JavaScript and CSS for each.

    stepper     plays a script of steps          sentence  a sentence about texts
    aligned     rows of tokens, aligned          live_text a text field that reports while you type
    typed_rows  a row of tokens after each key
    tokenizer_chips  the tokenizers compared
    saved_page  a button that saves a page as one file
    url_values  writes choices to the URL; acknowledges values that Python set

`assets` joins a component's files with the shared base files and registers it with Streamlit.
"""

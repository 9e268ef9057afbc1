"""The Compare page's questions about several tokenizers, a module for each tab.

    request      what is compared: specs, text, options; downloads and their names
    trace        one text traced under each tokenizer, for all tabs
    rows         Side by side        divergence   Where they part       expected    Expected ids
    what_if      What if             while_typing While typing          languages   Languages

In each module, questions in `Store.MATERIAL` compute what the views are made of; `…_view` is ready to draw, and
`…_download` is a file.
"""

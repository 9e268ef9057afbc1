"""Several tokenizers on one text: aligned, compared, and asked where and why they part. Pure Python.

What a page or a program calls, module by module; all that is given back is immutable:

    run                `runs(tokenizers, text)` traces a text with each of them, under labels for sentences
    alignment          `align(text, [(label, encoding)])`: rows of cells on the characters of the text, and numbers
    divergence         `compare(run, run)`: the regions in which the ids differ, the first stage that does, and why
    divergence.kinds   `Kind`: every kind of difference with its sentence
    id_lists, expected `read_ids(text)`, `explain(tokenizer, text, ids)`: ids from elsewhere
    what_if            `variations(tokenizer, text)`, `what_if(tokenizer, text, variation)`: one switch flipped
    prefix_stability   `stability(tokenizer, text)`: the tokens of a text while it is typed
    line_diff          `differences(tokenizer, tokenizer, lines)`: a report over many texts
    languages          `languages()`, `read_parallel(bytes, name)`, `measure(languages, tokenizers, baseline)`
    take_away          any of these as values for JSON, rows for CSV, Markdown

The others serve these; `divergence/` and `expected/` have maps of their own.
"""

"""Several tokenizers on one text: aligned, compared, and asked where and why they differ. Pure Python.

What a page or a program calls, module by module. All results are immutable.

    run                `runs(tokenizers, text)` traces a text with each of them, under labels for sentences
    ownership          `align(text, [(label, encoding)])`: rows of cells over the characters of the text, and numbers
    divergence         `compare(run, run)`: the regions in which the ids differ, the first stage that differs, and why;
                       `diff_lines(tokenizer, tokenizer, lines)`: a report over many texts
    inputs, expected   `read_ids(text)`, `explain(tokenizer, text, ids)`: ids from elsewhere
    what_if            `variations(tokenizer, text)`, `flip(run, variation)`: one switch flipped
    why                `why(trace, at)`: how a token came about, why there is a cut; the cut in other spellings
    lint               `lint(file)`, `findings(tokenizer)`: contradictions in a tokenizer.json, or in any format;
                       `of_tokenizer_json(data, name)`: what the original refuses, and its own error
    card               `card(tokenizer)`; `inventory(folder, problems)`: the tokenizers below a folder
    pre_tokenizer      `pre_tokenizer_facts(tokenizer)`: which of the known pre-tokenizers it has
    languages          `languages()`, `read_parallel(bytes, name)`, `measure(languages, tokenizers, baseline)`
    boundary           `boundary(tokenizer, left, right)`: what a border between two texts does to the ids;
                       `stability(tokenizer, text)`: the tokens of a text while it is typed
    round_trip         `round_trip(tokenizer, trace)`: what does not come back when ids are decoded, by stage
    streaming          `stream(tokenizer, ids)`: ids one by one, and what programs show meanwhile
    sampling           `sample`, `distribution`, `nbest`: segmentations at random, their odds, the best ones
    export             `Export`: any of these as values for JSON, rows for CSV, Markdown, with its provenance; made in
                       tokenizer_exports and comparison_exports

The other modules serve these. Each folder has a map of its own.
"""

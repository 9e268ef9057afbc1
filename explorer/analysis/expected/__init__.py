"""Explains why a tokenizer gives other ids for a text than expected.

Special tokens before and after the text are compared first and separately, so that a missing BOS hides nothing else.
Then the result is the first explanation that gives exactly the expected ids, the simplest first: other options, an
added token's `normalized`, escapes replaced or not, white space at the ends, the prefix space, BOS twice, another
implementation of the same model, the same vocabulary with another known pattern, a text encoded in parts, another
tokenizer. If none does, the expected ids are decoded: they spell a different text, or the same text split differently.
Nothing is guessed: every explanation was tried, and `Explanation.recipe` reproduces the expected ids. Every region that
differs is reported, explained or not.

Other tokenizers are opened one at a time, and only if nothing simpler explains the ids. The caller says how, so that a
page can take them from its cache.

explainer      tries the explanations in this order, and runs each tokenizer on each text or its parts once, only if the
               ids don't rule it out; examples of what other programs often give
expected_ids   the ids in question beside the text's own: what both spell, how they align, sentences about them; the
               result, and the ids laid on the text, to draw them

The other tokenizers that are tried, with an added token or the pattern changed, are made by `what_if`.
"""

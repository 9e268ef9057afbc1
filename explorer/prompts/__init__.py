"""What a model reads of chat messages: a template's text, its ids, and who wrote each token.

messages     a call as it is sent, checked, and its strings with their paths
program      a template compiled and run by jinja2, bounded, with every step and operand recorded
run          the record: what a template wrote, tested, set and looped over, also of one that failed
places       where the parts of a template stand in its source
layout       the tags of a source, the blocks that they open, the white space that they cut
bounds       how long and heavy a value may be
guards       the end of a run inside one operation: the system ends its process
traced_text  a string that knows where each of its characters comes from
rendering    messages rendered as `transformers` renders them
llama_cpp/   messages rendered as llama.cpp renders them, by an engine of its own
prompt       the prompt of a tokenizer: text, ids, tokens with their authors, masks
turns        whether a prompt is the beginning of the next one, and why not
masks        which tokens a training's loss counts, made in three ways
engines      where transformers and llama.cpp make different prompts, each cause proved by leaving it out
engine_sentences  what is said about that
control_tokens  those that a message's text spells, read as text
against      where a text that another program has parts from a prompt
findings     what is worth a look in it
encodings    what a template encodes that should be read as it was sent
refusals     the message and field that a template can't take
export       a prompt as JSON and CSV
links        a call in a link
templates    templates of our own
"""

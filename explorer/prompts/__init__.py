"""What a model reads of chat messages: a template's text, its ids, and who wrote each token.

messages     a call as it is sent, checked, its strings with their paths, and a call in a link
requests     a chat request on its way to a template: what each step of a server made of which field
servers      the steps of transformers, vLLM, SGLang, llama.cpp and Ollama; servers.toml has their order and sources
partings     where the prompts of several servers part, and which field causes it
program      a template compiled and run by jinja2, bounded, with every step and operand recorded
run          the record: what a template wrote, tested, set and looped over, and on what it failed
layout       where the parts of a template stand in its source, its tags, blocks, and the white space that they cut
bounds       how long and heavy a value may be
guards       the end of a run inside one operation: the system ends its process
traced_text  a string that knows where each of its characters comes from
rendering    messages rendered as `transformers` renders them, control tokens in them as text if asked
llama_cpp/   messages rendered as llama.cpp renders them, by an engine of its own
model_input  the prompt of a tokenizer: text, ids, tokens with their authors, masks
turns        whether a prompt is the beginning of the next one, or where another text parts from it
masks        which tokens a training's loss counts, made in three ways
engines      where transformers and llama.cpp make different prompts, each cause proved, and the sentences about it
finding      something worth a look, and its kinds
findings     what is worth a look in a prompt; what a template spells that looks like a control token
left_out     what a prompt lacks of a call, and the line that leaves it out
check        a template tried with many conversations, those of checks.toml, in each server; in words, as JSON and JUnit
parsers/     an answer back: the message that each server's parser makes of it, and why a call is lost
repairs      changes to a template that it tries
export       a prompt as JSON and CSV
templates    templates of our own
formats/     formats that are no template: what mistral-common and other packages write, as templates with functions
"""

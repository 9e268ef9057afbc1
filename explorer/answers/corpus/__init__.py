"""Corpus jobs that a page starts: one process for each, beside the server.

limits       what a visitor's job may use
tokenizers   what the process gets of the chosen tokenizers, the visitor's own among them
folders      a folder for each job, which doesn't outlive its server for long
page_words   what errors call the page's fields
process      the process: reads the texts, reports, writes the result
jobs         as the server sees it: started, followed, stopped, continued, released
"""

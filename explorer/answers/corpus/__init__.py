"""Corpus jobs that a page starts: one process for each, beside the server.

limits     what a visitor's job may use
process    the process: reads the texts, reports, writes the result
jobs       as the server sees it: started, followed, stopped, continued, released
"""

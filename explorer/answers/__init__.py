"""Answers to the pages' questions about tokenizers and texts, as plain data ready to draw.

    questions        what a question is, and who answers it
    cache            bounded caches of answers; locks that stop waiting when the answer is no longer wanted
    offers           tokenizers a visitor can choose, and how each is opened
    upload_groups, upload_offer, server_offer   offers made of uploads and of the server's files
    hub_models       models of the Hugging Face Hub that a visitor opens by name
    explore, compare, train, …   the questions of each page
    sessions         who asks: each session's caches and worker process
    processes        the environment and the limits of processes beside the server
    corpus/          corpus jobs that a page starts
    worker_process, worker, messages   the worker process: from the server, from inside, and what they exchange

A question about bundled tokenizers or the operator's files is answered in the server. One about a visitor's upload or
pattern is answered in the session's own worker process, which has a time and a memory limit and is canceled when the
answer is no longer wanted. The server never opens an uploaded tokenizer.

Nothing here imports the web framework; `sessions.use_sessions` tells it which session is asking.
"""

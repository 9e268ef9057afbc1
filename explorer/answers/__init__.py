"""Answers to the pages' questions about tokenizers and texts, as plain data ready to draw.

    questions        what a question is, who answers it, and the caches of answers
    offers           tokenizers a visitor can choose, how each is opened, and offers made of uploads and files
    hub_models       models of the Hugging Face Hub that a visitor opens by name
    explore, compare, corpus_jobs, learn, prompt, train, trim, vocabulary   the questions of the pages
    saved            pages as saved files
    live             what a page asks whose engine runs in the visitor's browser
    sessions         who asks: each session's caches and worker process
    worker_process, worker, turns   worker processes: from the server, from inside, and when each computes
    processes        what the server and the processes beside it share: limits, messages
    corpus_process   the process of a corpus job

A question about bundled tokenizers or the operator's files is answered in the server. One about a visitor's upload or
pattern is answered in the session's own worker process, which has a time and a memory limit and is canceled when the
answer is no longer wanted. The server never opens an uploaded tokenizer.

Nothing here imports the web framework; `sessions.use_sessions` tells it which session is asking.
"""

"""What the pages ask: a question about tokenizers and a text, answered in plain data that is drawn as it comes.

A question is a function of names, texts and numbers (`asking.question`). Its answer is kept in a memory bounded in
bytes (`memory`), and it is worked out where it does no harm: of bundled tokenizers and the operator's in the server
itself, of a stranger's file or pattern in a process of its own (`workers`, `worker`, `messages`), which has a deadline
and a memory limit and is stopped when nobody waits any more. No tokenizer of a stranger is ever opened in the server.

Nothing here knows the web framework; who asks is told by whoever imports this (`sessions.ask_as`).
"""

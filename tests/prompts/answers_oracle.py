"""Runs in an environment with `transformers`: reads answers by response templates.

Reads a list of `[template, prefix, texts, counts]` as JSON, and answers with a list for each: the message, None where
reading fails, and what a client that streams was sent of each field after so many characters.
"""

import json
import sys

from transformers.utils.chat_parsing import ResponseParser


def whole(template, prefix, text):
    """The message."""
    try:
        parser = ResponseParser(template, prefix=prefix)
        parser.feed(text)
        return parser.finalize()[0]
    except Exception:
        return None


def streamed(template, prefix, text):
    """What was sent."""
    fields = {}
    try:
        for event in ResponseParser(template, prefix=prefix).feed(text):
            if event["type"] == "region_chunk":
                fields[event["field"]] = fields.get(event["field"], "") + event["text"]
    except Exception:
        return None
    return fields


def both(template, prefix, texts, counts):
    """Both, for each text."""
    pairs = zip(texts, counts, strict=True)
    return [[whole(template, prefix, text), streamed(template, prefix, text[:count])] for text, count in pairs]


print(json.dumps([both(*job) for job in json.load(sys.stdin)]))

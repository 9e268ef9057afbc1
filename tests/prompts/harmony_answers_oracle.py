"""Runs in an environment with openai-harmony: reads answers, with TIKTOKEN_ENCODINGS_BASE set to a folder of ranks.

Reads a list of `[text, share]` as JSON, and answers with a list for each: the messages, None where it raises; after
this share of its tokens the contents so far, None where it raises; and these tokens' text, None where they are none.
"""

import json
import sys

from openai_harmony import HarmonyEncodingName, HarmonyError, Role, StreamableParser, load_harmony_encoding

ENCODING = load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS)


def fields(message):
    """What a message has."""
    author = message.author
    text = message.content[0].text
    return [author.role.value, author.name, message.recipient, message.channel, message.content_type, text]


def whole(tokens):
    """All messages."""
    try:
        return [*map(fields, ENCODING.parse_messages_from_completion_tokens(tokens, Role.ASSISTANT))]
    except HarmonyError:
        return None


def streamed(tokens):
    """The content of messages so far, and of the one that has begun."""
    parser = StreamableParser(ENCODING, role=Role.ASSISTANT)
    try:
        for token in tokens:
            parser.process(token)
    except HarmonyError:
        return None
    begun = [parser.current_content] if parser.current_content else []
    return [message.content[0].text for message in parser.messages] + begun


def both(text, share):
    """Both, of a text and of a share of its tokens."""
    tokens = ENCODING.encode(text, allowed_special="all")
    part = tokens[: int(share * len(tokens))]
    return [whole(tokens), streamed(part), ENCODING.decode_utf8(part) if intact(part) else None]


def intact(tokens):
    """Whether tokens are a text."""
    try:
        ENCODING.decode_utf8(tokens)
    except Exception:
        return False
    return True


print(json.dumps([both(*job) for job in json.load(sys.stdin)]))

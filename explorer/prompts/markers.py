"""What a template spells that looks like a control token: of known templates, and of the vocabulary."""

import re
from collections.abc import Iterator

from explorer.text.say import Text
from explorer.vocabulary import PieceKind, Vocabulary

MARKER = re.compile(
    r"<\|[^\s<>|]{1,60}\|>|<｜[^\s<>｜]{1,60}｜>|<(?:start_of_turn|end_of_turn|bos|eos|/?s)>"
    r"|<</?SYS>>|\[/?INST\]"
)
"""What control tokens of known templates look like."""
SPELLED = re.compile(r"</?[A-Za-z_][\w:.-]{0,40}>|\[/?[A-Za-z_]{2,40}\]")
"""What may be one, if the vocabulary has it."""
TEXT_OF = {"[INST]": b"<s>", "[/INST]": b"<s>", "<<SYS>>": b"<s>", "<</SYS>>": b"<s>"}
"""Markers that are plain text by design, in vocabularies that have this piece: Llama 2 and the first Mistral."""


def marker_spans(text: str, vocabulary: Vocabulary) -> Iterator[tuple[int, int]]:
    """[start, end) of what looks like a control token, but for what is text by design."""
    for match in re.finditer(f"{MARKER.pattern}|{SPELLED.pattern}", text):
        piece = match[0].encode()
        by_design = vocabulary.ids.get(TEXT_OF.get(match[0], b""))
        if piece in vocabulary.ids or (
            MARKER.fullmatch(match[0]) and (by_design is None or not vocabulary.is_special(by_design))
        ):
            yield match.span()


def all_tokens(text: str, vocabulary: Vocabulary) -> bool:
    """Whether there is a marker in a text, and each is a control token."""
    spelled = {text[start:end] for start, end in marker_spans(text, vocabulary)}
    ids = [vocabulary.ids.get(each.encode()) for each in spelled if MARKER.fullmatch(each)]
    return bool(ids) and all(id is not None and vocabulary.is_special(id) for id in ids)


KINDS = {
    PieceKind.NORMAL: Text("normal"),
    PieceKind.UNUSED: Text("unused"),
    PieceKind.USER_DEFINED: Text("user-defined"),
}
"""What a file calls a piece that is no control token."""

"""Models without a vocabulary file: the id of a byte, or of a character, is its value.

Follows `_tokenize` and `_convert_token_to_id` of `ByT5Tokenizer` and `CanineTokenizer` of `transformers`. No text is
unknown to them. They are character models (`char_word`) that look nothing up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from explorer.engine.items import Segment, Token
from explorer.engine.limits.budget import MODEL, ask
from explorer.engine.models.char_word import CharWord, CharWordEvent, characters
from explorer.engine.trace import Emit
from explorer.vocabulary import Vocabulary


class ByteValues(CharWord):
    """The model stage of ByT5: a token for each byte of the text's UTF-8.

    byte_tokens: the id of each of the 256 bytes.

    >>> from explorer.engine.options import Options
    >>> model = ByteValues(Vocabulary.of([]), range(3, 259))
    >>> [token.id for token in model.run([Segment.of("aé")], Options(), lambda *row: None)]
    [100, 198, 172]
    """

    def __init__(self, vocabulary: Vocabulary, byte_tokens: Sequence[int]) -> None:
        super().__init__(vocabulary, None, characters({}), tuple(byte_tokens))

    def tokenize(self, segment: Segment, index: int, emit: Emit) -> list[Token]:
        """The tokens of one segment. index: of the segment among the stage's items, for the trace."""
        emit(CharWordEvent.SEGMENT, index, len(segment.text), -1)
        tokens: list[Token] = []
        for at, character in enumerate(segment.text):
            if not at & 63:
                ask(MODEL)
            span = segment.starts[at], segment.ends[at]
            for byte in character.encode():
                id = self.byte_tokens[byte]
                emit(CharWordEvent.BYTE_VALUE, at, at + 1, id)
                tokens.append(Token(id, *span))
        return tokens


class CodePoints(CharWord):
    """The model stage of CANINE: a token for each character, whose id is its code point.

    others: the characters that the folder's settings give another id.

    >>> from explorer.engine.options import Options
    >>> model = CodePoints(Vocabulary.of([]), {})
    >>> [token.id for token in model.run([Segment.of("aé")], Options(), lambda *row: None)]
    [97, 233]
    """

    def __init__(self, vocabulary: Vocabulary, others: Mapping[str, int]) -> None:
        super().__init__(vocabulary, None, characters({}))
        self.others = others

    def tokenize(self, segment: Segment, index: int, emit: Emit) -> list[Token]:
        """The tokens of one segment. index: of the segment among the stage's items, for the trace."""
        emit(CharWordEvent.SEGMENT, index, len(segment.text), -1)
        tokens: list[Token] = []
        for at, character in enumerate(segment.text):
            if not at & 63:
                ask(MODEL)
            id = self.others.get(character, ord(character))
            emit(CharWordEvent.CODE_POINT, at, at + 1, id)
            tokens.append(Token(id, segment.starts[at], segment.ends[at]))
        return tokens

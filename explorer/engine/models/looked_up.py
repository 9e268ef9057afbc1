"""The model that looks up every unit of a text on its own: each character, or the whole of it.

Follows `_tokenize` of `Wav2Vec2CTCTokenizer` and `CharacterTokenizer` of BertJapanese in `transformers`. Unlike
sentencepiece's character model (`char_word`), every unit that is not a piece is an unknown token of its own, and
nothing keeps several characters together.
"""

from __future__ import annotations

from collections.abc import Mapping

from explorer.engine.items import Segment, Token
from explorer.engine.limits.budget import MODEL, ask
from explorer.engine.models.char_word import CharWord, CharWordEvent, characters
from explorer.engine.models.unknown import missing
from explorer.engine.trace import Emit
from explorer.vocabulary import Vocabulary


class LookedUp(CharWord):
    """The model stage. known: the id of each unit. unknown: of any other, None for an error. whole: a text is one unit.

    >>> from explorer.engine.options import Options
    >>> model = LookedUp(Vocabulary.of([b"?", b"a"]), {"a": 1}, 0)
    >>> [token.id for token in model.run([Segment.of("axx")], Options(), lambda *row: None)]
    [1, 0, 0]
    """

    def __init__(
        self, vocabulary: Vocabulary, known: Mapping[str, int], unknown: int | None, *, whole: bool = False
    ) -> None:
        super().__init__(vocabulary, unknown, (lambda text: iter([len(text)])) if whole else characters({}))
        self.known = known

    def tokenize(self, segment: Segment, index: int, emit: Emit) -> list[Token]:
        """The tokens of one segment. index: of the segment among the stage's items, for the trace."""
        emit(CharWordEvent.SEGMENT, index, len(segment.text), -1)
        tokens: list[Token] = []
        start = 0
        for number, end in enumerate(self.unit_ends(segment.text)):
            if not number & 63:
                ask(MODEL)
            unit = segment.text[start:end]
            id = self.known.get(unit)
            if id is None and self.unknown is None:
                raise missing(unit, segment.starts[start])
            token = self.unknown if id is None else id
            assert token is not None
            emit(CharWordEvent.LOST if id is None else CharWordEvent.FOUND, start, end, token)
            tokens.append(Token(token, segment.starts[start], segment.ends[end - 1]))
            start = end
        return tokens

"""The stepper's script for WordPiece: the shrinking window, hit or miss, the word so far, and what is discarded.

One step per event of WordPiece in `engine/models/longest_match.py`, on these tracks: the characters (with llama.cpp's
phantom ▁ before each word), the attempts for the current word, its pieces so far, and the output. A trie of the pieces
shows the same match: the last piece on a path is the first that a shrinking window finds. Hugging Face measures windows
in characters, llama.cpp in bytes. Cells are characters for both: a window that ends within a character covers its whole
cell, and only the sentence gives the exact bytes.

Of a word longer than the window, only attempts within the window become steps.
"""

from collections.abc import Iterable, Sequence

from explorer.engine.models.longest_match import WordPiece, WordPieceEvent, WordPieceRow, Wpm
from explorer.engine.part import Item, Segment, Token
from explorer.script.model_script import FOLLOW, MARKED, Fragment, ModelScript, WalkTrack
from explorer.script.script import WINDOW, Script, ScriptBuilder, Values, Window, kinds, roles, table
from explorer.stages.stage import MOST_UNITS, ways
from explorer.text.input import character_of_each_byte, character_offsets
from explorer.text.say import Text, plural, shortened
from explorer.vocabulary import SPACE_MARK, spelled

ROLES = roles("window reject, piece done, next, gone, hit")
WINDOW_ROLE, PIECE, NEXT, GONE, HIT = range(len(ROLES))
CODE = {
    "character": """\
for each word:
    if it has more than 100 characters:
        output [UNK]; next word
    start = 0
    while start < the end of the word:
        for end from the end of the word down to start + 1:
            piece = word[start:end], after ## if start > 0
            if it is in the vocabulary: leave the loop
        if no piece is found: discard, output [UNK]; next word
        keep the piece; start = end
    output the pieces kept
""".splitlines(),
    "byte": """\
for each word:
    word = ▁ + word
    start = 0
    while start < the end of the word:
        for end from start + longest piece + 1 down to start + 1:
            piece = word[start:end], in bytes
            if it is in the vocabulary: leave the loop
        if no piece is found: discard, output [UNK]; next word
        keep the piece; start = end
    output the pieces kept
""".splitlines(),
}
NOTE = "Thin lines: characters not taken, with the number of pieces they lead to. A filled dot is a piece."

_KINDS = """
WORD: word
    look: info ring 30
    lines: 0
    fields: number word:q size:t phantom:t
    say: Word {number}: {word}, {size}{phantom}.
    why: A piece within a word is spelled with ## before it.
    log: word {word}
    story: The next word is {word}, {size}{phantom}.
    story_why: It is matched from the left.

TOO_LONG: unknown
    look: byte dot 100 landmark
    lines: 1 2
    fields: characters limit piece:q id:t
    say: The word has {characters} characters, more than {limit}: it is not matched and becomes {piece}, token {id}.
    why: The limit bounds the time a long word may take.
    log: too long → {piece}

MISS: miss
    look: miss ring 25
    lines: 5 6 7
    fields: start end text:q
    say: {start}–{end}: {text} is not in the vocabulary.
    why: The window shrinks by one character.
    log: {text}: no piece
    story: {text} is not in the vocabulary. Try it without its last character.
    story_why: The goal is the longest piece that fits.

HIT: hit
    look: merge dot 80 landmark
    lines: 7 9
    fields: start end text:q id:t
    say: {start}–{end}: {text} is token {id}, the longest piece that fits here. Go on at {end}.
    why: A match is never taken back.
    log: {text} {id}
    story: {text} is the longest piece that fits: token {id}.

DISCARD: discard
    look: stale diamond 100 landmark
    lines: 8
    fields: start end lost:t piece:q id:t others:t
    say: At {start} no piece fits: {lost}, and the whole word becomes {piece}, token {id}.
    why: {others}
    log: discard, {piece}
    story: No piece fits here: {lost}, and the whole word becomes {piece}.

DONE: done
    look: token dot 60
    lines: 10
    fields: pieces:t
    say: The word is complete: {pieces} to the output.
    log: {pieces} out

limited like MISS
    fields: start end text:q window longest
    say: {start}–{end}: {text} is not in the vocabulary. The word is longer, but a window has at most {window}
        bytes.
    why: That is one more than max_token_len, the {longest} bytes of the longest piece; llama.cpp counts bytes, not
        characters. The window shrinks by one character.
    story_why: No piece is longer than this.

shortest like MISS
    why: It is one character long: the window can't shrink any more.
    story: {text} is not in the vocabulary.
    story_why: It is one character long: no shorter start is left.
"""
_BYTES = """
WORD
    lines: 0 1
    why: The ▁ is a phantom: it isn't in the text, but tells pieces that begin a word from those that continue one.

MISS
    lines: 4 5 6
    why: The window shrinks by one byte, even if that cuts a character.
    story: {text} is not in the vocabulary. Try it without its last byte.

HIT
    lines: 6 8

DISCARD
    lines: 7

DONE
    lines: 9

limited
    lines: 4 5 6
    why: That is one more than max_token_len, the {longest} bytes of the longest piece; llama.cpp counts bytes, not
        characters. The window shrinks by one byte, even if that cuts a character.
    story: {text} is not in the vocabulary. Try it without its last byte.

shortest
    lines: 4 5 6
    why: It is one byte long: the window can't shrink any more.
    story_why: It is one byte long: no shorter start is left.
"""
"""What differs where units are bytes."""
KINDS = {
    "character": kinds(WordPieceEvent, _KINDS, FOLLOW),
    "byte": kinds(WordPieceEvent, _KINDS, _BYTES, FOLLOW),
}
"""Unit → kinds of step: the events, a miss whose window ends before the word ends, and one after which nothing shorter
is left to try."""


class _Word(Fragment):
    """One word, with its phantom ▁ if it has one.

    of: unit of the engine's positions (character or byte) → its cell; one more for the end.
    """

    def __init__(self, segment: Segment, unit: str, window: Window) -> None:
        front = 1 if unit == "byte" else 0
        super().__init__(segment, window, [-1] * front + list(segment.starts), [-1] * front + list(segment.ends))
        self.text = (SPACE_MARK if front else "") + segment.text
        self.data = SPACE_MARK.encode() + segment.text.encode() if front else b""
        if front:
            self.of = character_of_each_byte(self.data)
        else:
            self.of = list(range(len(self.text)))
        self.of.append(len(self.text))
        self.high = min(self.high, self.low + WINDOW)
        if self.high and self.low == front:
            self.low = 0  # the phantom comes with the first character

    def window(self, start: int, end: int) -> range:
        """The drawn cells of the window [start, end), in units."""
        return range(max(self.of[start], self.low), min(self.of[end - 1] + 1, self.high))


class WordPieceScript(ModelScript[_Word]):
    """The script for WordPiece: one pass over the events.

    >>> import explorer
    >>> from explorer.script.model_script import example
    >>> example(WordPieceScript.of, explorer.load("bert-uncased@llama.cpp").trace("what")).sentence(2)
    '0–7: “▁what” is token 2054, the longest piece that fits here. Go on at 7. A match is never taken back.'
    """

    def prepare(self) -> None:
        part = self.stage.part
        assert isinstance(part, WordPiece | Wpm)
        self.part = part
        self.tokens = self.stage.after
        where = "characters"
        if isinstance(part, Wpm):
            where = (
                f"bytes of ▁ and the word; the longest piece has {part.max_token_len} (llama.cpp's max_token_len), "
                f"a window at most {part.window}"
            )
        self.walk = WalkTrack("The same in a trie", NOTE, "The last one is the longest match:", by_byte=False)
        self.builder = ScriptBuilder.laid_out(
            "longest_match",
            kinds=KINDS[part.unit],
            tracks=(
                self.strip("Words", "one cell per code point; each piece found becomes one box",
                           ["n"] if part.unit == "byte" else []),
                table(
                    "attempts",
                    "Attempts",
                    "from number, to number, looked up quoted, found text",
                    "No attempt yet.",
                    newest_first=True,
                    note=f"for the current word; from and to are offsets in {where}",
                ),
                "word_so_far",
                self.output("No tokens yet. They appear when a word is complete."),
                self.walk.track,
            ),
            roles=ROLES,
            code=CODE[part.unit],
        )  # fmt: skip
        self.walk.builder = self.builder
        for index, item in enumerate(self.items):
            if isinstance(item, Segment) and (word := _Word(item, part.unit, self.window)).drawn():
                self.draw(index, word, lambda cell: self.builder.text(self.fragment.text[cell]))
        self.count: dict[int, int] = {}
        """index among the items → how many tokens the word became"""
        self.rows = self._rows_by_item(self.stage.events)
        self.attempts: list[int] = []
        self.kept: list[int] = []

    def _rows_by_item(self, events: Iterable[WordPieceRow]) -> dict[int, list[tuple[int, WordPieceRow]]]:
        """Index among the items → the events of a word that is drawn; attempts outside the window are left out."""
        rows: dict[int, list[tuple[int, WordPieceRow]]] = {}
        word: _Word | None = None
        index = -1
        for event, row in enumerate(events):
            if row.kind in (WordPieceEvent.TOO_LONG, WordPieceEvent.DISCARD, WordPieceEvent.DONE):
                self.count[index] = row.end if row.kind == WordPieceEvent.DONE else 1
            if row.kind == WordPieceEvent.WORD:
                index = row.start
                word = self.fragments.get(index)
                if word is not None:
                    rows[row.start] = into = [(event, row)]
            elif word is not None and (
                row.kind not in (WordPieceEvent.MISS, WordPieceEvent.HIT) or word.holds(word.of[row.start])
            ):
                into.append((event, row))
        return rows

    def write(self) -> Script:
        builder, count = self.builder, len(self.fragments)
        for word in self.fragments.values():
            self.fragment = word
            for cell in word.drawn():
                self.put(cell, *self._row(cell, 1, -1))
        if not count:
            self._put_out(self.tokens)
            builder.phase("Words")
            builder.begin("There is no word to match.", "The text is empty, or contains only tokens and white space.")
            return builder.script()
        builder.phase("Words")
        builder.begin(
            "Each of the {words} words is matched separately." if count > 1 else "There is one word to match.",
            "At each position the longest piece that fits is taken.",
            lines=(0,),
            words=count,
        )
        taken = begun = 0  # tokens of `after` already assigned to words, words begun
        for index, item in enumerate(self.items):
            if not isinstance(item, Segment):
                taken += 1
                continue
            until = taken + self.count[index]
            if index in self.rows:
                self.fragment = self.fragments[index]
                self.pass_tokens(index)
                self.phase_of(begun, count, Text("{0:t}", shortened(self.fragment.text)))
                self._word(self.rows[index], begun, self.tokens[taken:until])
                begun += 1
            taken = until
        self.follow()
        return builder.script()

    # --- one word -------------------------------------------------------------------------------------------------

    def _word(self, rows: Sequence[tuple[int, WordPieceRow]], number: int, tokens: Sequence[Item]) -> None:
        word = self.fragment
        builder = self.builder
        for index, (builder.event, row) in enumerate(rows):
            self.row = row
            kind: WordPieceEvent | str = WordPieceEvent(row.kind)
            if kind == WordPieceEvent.WORD:
                self._clear("attempts", self.attempts)
                self._walk(0, -1)
                builder.put("cells", -1, number)
                told: Values = {"number": number + 1, "word": word.text, "size": plural(row.end, self.part.unit)}
                told["phantom"] = " with the ▁ before it" if self.part.unit == "byte" else ""
                self.mark(word.drawn()[:MARKED], NEXT)
            elif kind in (WordPieceEvent.MISS, WordPieceEvent.HIT):
                told = self._attempt()
                if isinstance(self.part, Wpm) and row.end - row.start == self.part.window and row.end < len(word.data):
                    kind = "limited"
                    told |= {"window": self.part.window, "longest": self.part.max_token_len}
                elif kind == WordPieceEvent.MISS and row.end - row.start == 1:
                    kind = "shortest"
            else:
                told = self._end(tokens)
            if row.kind == WordPieceEvent.HIT:
                self._walk(row.start, row.end)
            elif row.kind == WordPieceEvent.DISCARD:
                self._walk(row.start, row.start)
            for _, after in rows[index + 1 : index + 2]:
                if (
                    after.kind in (WordPieceEvent.MISS, WordPieceEvent.HIT)
                    and after.start != row.start
                    and row.kind != WordPieceEvent.WORD
                ):
                    self.mark(word.window(after.start, after.start + 1), NEXT)
            builder.step(kind, **told)

    def _attempt(self) -> Values:
        word, row = self.fragment, self.row
        builder, cells = self.builder, word.window(row.start, row.end)
        text = builder.text(self._looked_up())
        told: Values = {"start": row.start, "end": row.end, "text": text}
        hit = row.kind == WordPieceEvent.HIT
        found = builder.plain(Text("token {0:i}", row.token) if hit else "no piece")
        key = len(self.attempts)
        self.attempts.append(key)
        builder.put("attempts", key, row.start, row.end, text, found)
        if not hit:
            self.mark(cells, WINDOW_ROLE)
            return told
        builder.mark("attempts", key, HIT)
        self._box(cells, row.token)
        self.mark(cells[:1], PIECE)
        kept = len(self.kept)
        self.kept.append(kept)
        builder.put("word", kept, builder.text(self.vocabulary.spelling(row.token)), row.token)
        builder.mark("word", kept, HIT)
        return told | {"id": str(row.token)}

    def _walk(self, start: int, end: int) -> None:
        """Draws the pieces from a position as a trie: the path down to where no piece goes on.

        end: of the piece that is taken, equal to the start without one; -1 for the root alone.
        """
        word = self.fragment
        prefixes, front = self.part.prefixes[start > 0], self.part.prefix if start else b""
        text, begin, data = word.text, word.of[start], b""

        def branches(at: int) -> int:
            following = text[at : at + 1].encode() if end >= 0 else b""
            return self.walk.branches_of(data, following, prefixes, front)

        self.walk.begin(branches(begin))
        for at in range(begin, len(text) if end >= 0 else begin):
            if not prefixes.count(data + text[at].encode()):
                self.walk.stop(text[at].encode(), "no piece")
                break
            data += text[at].encode()
            token = self.part.ids.get(front + data, -1)
            spelling = self.builder.text((front + data).decode())
            self.walk.node(text[at].encode(), token, spelling, len(data), branches(at + 1))
        else:
            if end >= 0:
                self.walk.stop(b"", "the word ends")
        if end > start:
            rest = text[word.of[end] :]
            taken = text[begin : word.of[end]].encode()
            self.walk.take(len(taken), self.builder.text(rest) if rest else -1)

    def _end(self, tokens: Sequence[Item]) -> Values:
        """The word is complete or discarded: its tokens go to the output."""
        word, row = self.fragment, self.row
        self._clear("word", self.kept)
        self._put_out(tokens)
        if row.kind == WordPieceEvent.DONE:
            self.mark(word.drawn()[:MARKED], HIT)
            return {"pieces": Text("its {0} pieces go", row.end) if row.end > 1 else "its piece goes"}
        self._box(word.drawn(), row.token)
        self.mark(word.drawn()[:1], GONE)
        told: Values = {"piece": self.vocabulary.spelling(row.token), "id": str(row.token)}
        if row.kind == WordPieceEvent.TOO_LONG:
            return told | {"characters": row.start, "limit": row.end}
        lost = {0: "nothing has been found", 1: "the piece found so far is discarded"}.get(
            row.end, f"the {row.end} pieces found so far are discarded"
        )
        return told | {"start": row.start, "end": row.end, "lost": lost, "others": self._other_splits()}

    def _other_splits(self) -> str:
        """Whether the pieces could spell a word that longest match gives up."""
        word = self.fragment
        data = word.data or word.text.encode()
        begin = range(len(data) + 1) if word.data else character_offsets(data)
        size, ids, front = len(begin) - 1, self.part.ids, self.part.prefix
        if size == 1:
            return Text("A single {0:t} has no other cut.", Text(self.part.unit))
        if size > MOST_UNITS:
            return "Longest match never backtracks."
        count, _ = ways(size, lambda a, b: (front if a else b"") + data[begin[a] : begin[b]] in ids)
        if not count:
            return "No other cut fits either."
        if count == 1:
            return "Another cut fits, but longest match never backtracks."
        return Text("{0} other cuts fit, but longest match never backtracks.", count)

    # --- tracks --------------------------------------------------------------------------------------------------

    def _looked_up(self) -> str:
        """The spelling looked up in the vocabulary."""
        row = self.row
        if isinstance(self.part, WordPiece):
            return (self.part.prefix.decode() if row.start else "") + self.fragment.text[row.start : row.end]
        return spelled(self.fragment.data[row.start : row.end])

    def _row(self, cell: int, span: int, token: int) -> tuple[int, ...]:
        if self.part.unit != "byte":
            return span, token
        return span, token, len(self.fragment.text[cell : cell + span].encode())

    def _box(self, cells: range, token: int) -> None:
        """Draws cells as one box."""
        for cell in cells:
            self.put(cell, *self._row(cell, *((len(cells), token) if cell == cells[0] else (0, -1))))

    def _clear(self, track: str, keys: list[int]) -> None:
        for key in keys:
            self.builder.delete(track, key)
        keys.clear()

    def _put_out(self, tokens: Iterable[Item]) -> None:
        """Outputs the tokens of a word that begin in the window."""
        for token in tokens:
            if isinstance(token, Token) and self.window.holds(token.start):
                self.put_out(*token)

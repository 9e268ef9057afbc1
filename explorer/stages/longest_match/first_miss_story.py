"""The stepper's script for the loop that stops at the first miss, compared with what the trie would take.

One step per event of `FirstMiss`. If a walk through the trie from the same byte would take another
token, the step says which. With the fault of `first_length` a step takes as many bytes as the round's first character
has, so what it reads is named as bytes where it is not one character.
"""

from typing import cast

from explorer.engine.models.longest_match import ByteMatch, FirstMiss, FirstMissEvent
from explorer.engine.part import silent
from explorer.script.model_script import BEYOND, FOLLOW, WalkTrack
from explorer.script.script import TRACKS, Values, kinds
from explorer.stages.longest_match.walk_story import NOWHERE, PATH, SEGMENT, ByteFragment, ByteScript, Told
from explorer.text.input import width
from explorer.text.say import Text, plural

CODE = """\
start = 0
while start < the end of the text:
    so far = nothing
    for each character from start on:
        if so far + character is not a token: leave the loop
        so far = so far + character
    if so far is nothing: output byte + 1 for each byte
    else: output its token; start = its end
""".splitlines()
CODE_FIRST_LENGTH = (
    *CODE[:3],
    "    for each n bytes, n = length of the character at start:",
    "        if so far + these is not a token: leave the loop",
    "        so far = so far + these",
    *CODE[6:],
)
CODE_END = ("output the last token found in the last round, or −1",)

NOTE = "Thin lines: characters not taken, with the number of tokens they lead to. A filled dot is a token."
KINDS = kinds(
    FirstMissEvent,
    SEGMENT,
    """
CHARACTER: token seen
    look: push dot 60
    lines: 3 4 5
    fields: text:q so_far:q id:t
    say: With the character {text} it is {so_far}, token {id}: try one more character.
    log: {so_far} {id}
    story: With {text} it is {so_far}: token {id}. Try one more character.
    story_why: The loop goes on as long as it is a token.

MISS: first miss
    look: stale diamond 45
    lines: 3 4
    fields: text:q so_far:q through:t
    say: With the character {text} it is {so_far}, which is not a token: stop.
    why: {through}
    log: {so_far}: no token
    story: With {text} it is {so_far}: not a token, so the loop stops.

END: text ends
    look: stale diamond 30
    lines: 3
    fields: so_far:q
    say: The text ends after {so_far}, so the round ends.
    log: ends with the text
    story: The text ends after {so_far}.

TAKE: token
    look: merge dot 100 landmark
    lines: 7
    fields: piece:q id:t taken:q
    say: The last token found is {piece}, token {id}: output it. The next round begins after it.
    log: {piece} {id}
    story: {taken} is taken: token {id}.
    story_why: It was the last one found. The next round begins after it.

BYTE: byte
    look: byte dot 70 landmark
    lines: 6
    fields: text:q byte:t id:t name_of_byte:q
    say: The character {text} is not a token: its byte {byte} becomes token {id}, byte + 1.
    why: A character without a token costs one token per byte.
    log: byte {byte} {id}
    story: {text} is not a token. Its byte {name_of_byte} becomes token {id}.
    story_why: Tokens 1 to 256 are the bytes 0 to 255, so the id is the byte + 1.

NO_ID: −1
    look: stale diamond 100 landmark
    lines: 8
    say: The text is over, and the loop outputs the last id it found. After a character that became bytes it has
        found none: it outputs −1.
    why: A fault that is kept here, “end”. −1 is not an id, so no token is made of it.
    log: −1, which is not an id
    story: The text is over, and no id was found last: the loop outputs −1.

PAST_END: past the end
    look: stale diamond 45
    lines: 3 4
    fields: length:t
    say: The next {length} would end after the text: what is there can't match, so the round ends.
    why: A fault: it reads {length} at a time, the length of the round's first character.
    log: past the end
    story: The next {length} would end after the text. Nothing there matches, so the loop stops.

token, not the longest: not the longest
    look: merge diamond 100 landmark
    lines: 7
    fields: piece:q id:t taken:q longest:q longest_id:t name:q
    say: The last token found is {piece}, token {id}: output it. The next round begins after it.
    why: From here the trie takes {longest}, token {longest_id}: it walks on through prefixes that are not tokens.
    log: {piece} {id}, the trie {longest}
    story: {taken} is taken: token {id}.
    story_why: The trie takes {name} here: it walks on through prefixes that are not tokens.

byte, not the longest: not the longest
    look: byte diamond 70 landmark
    lines: 6
    fields: text:q byte:t id:t name_of_byte:q longest:q longest_id:t name:q
    say: The character {text} is not a token: its byte {byte} becomes token {id}, byte + 1.
    why: From here the trie takes {longest}, token {longest_id}: it walks on through prefixes that are not tokens.
    log: byte {byte} {id}, the trie {longest}
    story: {text} is not a token. Its byte {name_of_byte} becomes token {id}.
    story_why: The trie takes {name} here: it walks on through prefixes that are not tokens.

cheaper like byte, not the longest
    fields: text:q byte:t id:t name_of_byte:q longest:q longest_id:t name:q by_loop:t by_trie:t
    why: From here the trie takes {name}, token {longest_id}. The character {text} costs {by_loop} here, one for
        each byte. The trie needs {by_trie}, because {name} is a token.
    story_why: The character {text} costs {by_loop} here, one for each byte. The trie needs {by_trie}, because
        {name} is a token.

last byte like BYTE
    why: The text ends here. A loop that doesn't check what it found outputs −1 as well: keep the fault “end” to see
        it.
    story_why: The text ends here. A loop that doesn't check what it found outputs −1 as well.

bytes like CHARACTER
    fields: text:q so_far:q id:t length:t
    say: With the next {length}, {text}, it is {so_far}, token {id}: go on.
    why: A fault: it reads {length} at a time, the length of the round's first character.
    story: With the next {length} it is {so_far}: token {id}. Go on.
    story_why: A fault: it reads {length} at a time, the length of the round's first character.

bytes missed like MISS
    fields: text:q so_far:q through:t length:t
    say: With the next {length}, {text}, it is {so_far}, which is not a token: stop.
    why: A fault: it reads {length} at a time, the length of the round's first character. {through}
    story: With the next {length} it is {so_far}: not a token, so the loop stops.
""",
    FOLLOW,
)
"""An event, or a variant of one: the trie would take a longer token here, or needs fewer tokens for the character; the
text ends with this byte; what is read is not one character, because of the fault of `first_length`."""


class FirstMissScript(ByteScript):
    """The script for the loop that stops at the first miss.

    >>> import explorer
    >>> from explorer.script.model_script import example
    >>> example(FirstMissScript.of, explorer.load("rwkv-world@first-miss").trace("!--")).sentence(3)
    'The last token found is “!”, token 34: output it. The next round begins after it. From here the trie takes “!--”, \
token 5169: it walks on through prefixes that are not tokens.'
    """

    kinds = KINDS
    ends = (FirstMissEvent.TAKE, FirstMissEvent.BYTE)
    opening = "The loop adds one character at a time, as long as the result is a token."
    beside = (TRACKS["trie_tokens"],)

    title = "First miss"

    def prepare(self) -> None:
        self.walk = WalkTrack("Tokens found on the way", NOTE, "The last one is taken:", by_byte=False)
        self.model = cast(FirstMiss, self.stage.part)
        self.code = (*(CODE_FIRST_LENGTH if self.model.first_length else CODE), *CODE_END * self.model.unchecked_end)
        super().prepare()
        for fragment in self.fragments.values():
            self._put_trie(fragment)

    def _put_trie(self, fragment: ByteFragment) -> None:
        """The trie's tokens of a fragment within the window; those that the loop does not take say so."""
        builder, by_loop = self.builder, set(self.model.tokenize(fragment.data, silent))
        for match in self.model.trie.tokenize(fragment.data, silent):
            if fragment.holds(match.start):
                start, end = fragment.starts[match.start], fragment.ends[match.end - 1]
                label = str(match.id) if match in by_loop else Text("{0:i}, not the loop's", match.id)
                row = self.spelling(match.id), match.id, start, end, builder.plain(label)
                builder.put("trie", fragment.base + match.start, *row)

    def begin_walk(self, index: int) -> None:
        super().begin_walk(index)
        self.walk.begin(self._branches(self.start, self.start))

    def event(self) -> Told:
        fragment, row = self.fragment, self.row
        kind, at, start, token = row
        if kind == FirstMissEvent.NO_ID:
            return kind, {}
        if kind == FirstMissEvent.PAST_END:
            self.walk.stop(b"", "past the end")
            return kind, {"length": plural(width(fragment.data[start]), "byte")}
        if kind in self.ends:
            return self._token()
        missed = kind == FirstMissEvent.MISS
        self.mark(range(start, min(at + 1, len(fragment.data))), NOWHERE if missed else PATH)
        if kind == FirstMissEvent.END:
            self.walk.stop(b"", "the text ends")
            return kind, {"so_far": self.text(start, len(fragment.data))}
        length = len(fragment.character(at).encode())
        if self.model.first_length:
            length = min(width(fragment.data[start]), at + 1 - start)
        read = fragment.data[at + 1 - length : at + 1]
        text, so_far = self.name(read), self.text(start, at + 1)
        told: Values = {"text": text, "so_far": so_far}
        if by_bytes := read != fragment.character(at).encode():
            told["length"] = plural(length, "byte")
        if missed:
            self.walk.stop(read, "no token")
            through = self._through(fragment.data[start : at + 1])
            return "bytes missed" if by_bytes else kind, told | {"through": through}
        self.walk.node(read, token, so_far, at + 1 - start, self._branches(start, at + 1))
        return "bytes" if by_bytes else kind, told | {"id": str(token)}

    def _token(self) -> Told:
        """A round ends with a token, or with the next byte of a character."""
        fragment = self.fragment
        kind, at, start, token = self.row
        told: Values = {"id": str(token)}
        if kind == FirstMissEvent.TAKE:
            taken = ByteMatch(token, start, at)
            told |= {"piece": self.spelling(token), "taken": self.name(fragment.data[start:at])}
            self.walk.take(at - start, self.next_text(at))
        else:
            taken = ByteMatch(token, at, at + 1)
            told |= {"text": fragment.character(at), "byte": self.read(fragment.data[at])}
            told["name_of_byte"] = self.name(fragment.data[at : at + 1])
        self.take(taken)
        longest = self.model.trie.trie.longest(fragment.data, start) if taken.start == start else None
        if longest in (None, taken):
            last = kind == FirstMissEvent.BYTE and taken.end == len(fragment.data) and not self.model.unchecked_end
            return "last byte" if last else kind, told
        assert longest is not None
        told |= {"longest": self.spelling(longest.id), "longest_id": str(longest.id)}
        told["name"] = self.name(fragment.data[start : longest.end])
        character = fragment.character(start).encode()
        if kind == FirstMissEvent.BYTE and longest.end - start < len(character):
            by_trie = plural(len(self.model.trie.tokenize(character, silent)), "token")
            return "cheaper", told | {"by_loop": plural(len(character), "token"), "by_trie": by_trie}
        self._go_on(start, at, longest)
        return f"{'token' if kind == FirstMissEvent.TAKE else 'byte'}, not the longest", told

    def _go_on(self, start: int, at: int, longest: ByteMatch) -> None:
        """Draws where the trie would walk on to, character by character."""
        begin = at
        while begin < longest.end:
            end = min(longest.end, begin + len(self.fragment.character(begin).encode()))
            found = longest.id if end == longest.end else -1
            shown = self.name(self.fragment.data[start:end]) if found >= 0 else -1
            self.walk.node(self.fragment.data[begin:end], found, shown, end - start, 0, BEYOND)
            begin = end

    def _branches(self, start: int, at: int) -> int:
        fragment = self.fragment
        prefix = fragment.data[start:at]
        following = fragment.character(at).encode() if at < len(fragment.data) else b""
        if self.model.first_length:
            following = fragment.data[at : at + width(fragment.data[start])]
        return self.walk.branches_of(prefix, following, self.model.trie.prefixes)

    def _through(self, prefix: bytes) -> str:
        """Whether the loop misses something by stopping here."""
        count = self.model.trie.prefixes.count(prefix)
        if not count:
            return "No longer token begins with it either."
        return Text(
            "It doesn't look further, though {0} token begins with it.", count,
            many="It doesn't look further, though {0} tokens begin with it.",
        )  # fmt: skip

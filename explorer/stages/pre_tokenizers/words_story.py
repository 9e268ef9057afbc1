"""The stepper's script for llama.cpp's WordPiece loop: the flags of a code point, the rule taken, the words growing.

Replays the events of `engine/pre_tokenizers/wpm.py` on three tracks: the code points of the text, grouped into words as
they are taken; the twelve flags of the code point at work, zeros too; and the list `words`.
"""

from collections.abc import Hashable
from dataclasses import replace
from typing import cast

from explorer.engine.normalizers.huggingface import is_chinese_char
from explorer.engine.pre_tokenizers.wpm import WpmEvent, WpmWords
from explorer.script.model_script import Fragment, ModelScript
from explorer.script.script import Script, ScriptBuilder, kinds, roles
from explorer.text import Flag, label
from explorer.text.code_points import flags_of
from explorer.text.say import Text, plural

CODE = """\
words = {""}
for each code point c:
    flags = the flags of c
    if white space:
        if the last word is not "": words += ""
    else if c is NULL, U+FFFD or a control: skip it
    else if a mark: skip it
    else if punctuation, ASCII symbol or Chinese:
        if the last word is not "": words += ""
        the last word = lower case of c
        words += ""
    else: the last word += lower case of c
if the last word is "": drop it
""".splitlines()
SOURCE = """\
words(1, "")
for cpt in cpts_nfd:
    flags = unicode_cpt_flags_from_cpt(cpt)
    if flags.is_whitespace:
        if words.back().size(): words.emplace_back()
    else if cpt == 0, cpt == 0xFFFD or flags.is_control: continue
    else if strip_accents and flags.is_accent_mark: continue
    else if flags.is_punctuation, cpt < 0x7F and flags.is_symbol, or is_chinese_char(cpt):
        if words.back().size(): words.emplace_back()
        words.back() = unicode_tolower(cpt)
        words.emplace_back()
    else: words.back() += unicode_tolower(cpt)
if !words.back().size(): words.pop_back()
""".splitlines()
"""The same in the names of the source, line by line."""
ROLES = roles("done, gone, hit")
TAKEN, GONE, HIT = range(len(ROLES))
EMPTY = '""'
"""How the empty word is drawn; no word is spelled so, because quotation marks are words by themselves."""

KINDS = kinds(
    WpmEvent,
    """
BEGIN: begin
    fields:
    look: info ring 30
    lines: 0
    say: llama.cpp: words = {{""}}: one word, and it is empty.
    why: What follows is one loop over llama.cpp's cpts_nfd, the decomposed code points. No pattern is used.
    log: begin
    story: The list of words begins with one empty word.
    story_why: The text is read once, from the left.

WHITE_SPACE: white space
    look: push dot 60 landmark
    lines: 1 2 3 4
    say: llama.cpp: {label}, flags = {flags}: is_whitespace. words.emplace_back().
    why: It belongs to no word.
    log: ␣ ends {word}
    story: White space ends the word {word}.

more white space like WHITE_SPACE
    look: miss ring 30
    say: llama.cpp: {label}, flags = {flags}: is_whitespace. words.back() is empty: nothing to do.
    log: ␣
    story: White space again: no word has begun since.

DROP: drop
    look: stale diamond 60
    lines: 1 2 5
    say: llama.cpp: {label}, flags = {flags}: cpt == 0, cpt == 0xFFFD or is_control. continue.
    why: It belongs to no word.
    log: {text} dropped
    story: {text} is dropped: it is a control or invisible character.

DROP_MARK like DROP
    lines: 1 2 6
    say: llama.cpp: {label}, flags = {flags}: strip_accents and is_accent_mark. continue.
    story: {text} is dropped: it is a mark on another character.
    story_why: This model keeps no accents.

ALONE: alone
    look: merge dot 100 landmark
    lines: 1 2 7 8 9 10
    say: llama.cpp: {label}, flags = {flags}: {rule}. words.back() = {written}.
    why: llama.cpp then calls words.emplace_back(): it is a word by itself.
    log: {written}
    story: {text} is {what}: a word by itself.
    story_why: The word before it ends here.

alone at once like ALONE
    lines: 1 2 7 9 10
    why: llama.cpp's words.back() was empty: no word ends here.
    story_why: No word ends here, because none has begun.

APPEND: append
    look: token dot 45
    lines: 1 2 11
    say: llama.cpp: {label}, flags = {flags}: no rule applies. words.back() += {written}, now {word}.
    why: llama.cpp's unicode_tolower comes after the flags are read: {label} → {lower}.
    log: {written} → {word}
    story: {text} is appended to the word, which is now {word}.
    story_why: It is {what}. In the word it is written {written}.

as it is like APPEND
    why: llama.cpp's unicode_tolower leaves it as it is.
    story_why: It is {what}, and no rule applies to it.

POP: end
    fields:
    look: info ring 40
    lines: 12
    say: llama.cpp: the loop is over, and words.back() is empty: words.pop_back().
    log: end
    story: The text ends before another word begins: the empty one is dropped.
""",
    fields="label:t flags:t word:q text:q written:q rule:t lower:t what:t",
)
CLASSES, OTHERS = tuple(Flag)[:8], tuple(Flag)[8:]
"""The flags a code point has one of, and those it may have besides."""


class WordsScript(ModelScript[Fragment]):
    """One pass over the events. A cell's row is how many cells it covers as a word, and the word's number.

    >>> import explorer
    >>> from explorer.script.model_script import example
    >>> example(WordsScript.of, explorer.load("bert-uncased@llama.cpp").trace("AB"), "pre-tokenize").sentence(2)
    "llama.cpp: U+0041, flags = 0x0C04: no rule applies. words.back() += “a”, now “a”. llama.cpp's unicode_tolower \
comes after the flags are read: U+0041 → U+0061."
    """

    def prepare(self) -> None:
        self.part = cast(WpmWords, self.stage.part)
        self.builder = ScriptBuilder.laid_out(
            "words",
            kinds={key: replace(kind, source=kind.lines) for key, kind in KINDS.items()},
            tracks=(
                self.strip("Text", "one cell per code point; a word is drawn as one"),
                "flags",
                "words",
            ),
            roles=ROLES,
            code=CODE,
            source=SOURCE,
        )
        self.draw_segments(Fragment)
        self.words = 0
        """words that are complete"""
        self.word: list[int] = []
        """the cells of the last word, in the text of its fragment"""
        self.spelled = self.last = ""
        """the last word; the one that was written to last"""
        self.flags = -1

    def write(self) -> Script:
        """The finished script."""
        self._begin()
        for event, row in enumerate(self.stage.events):
            self.builder.event, self.row, self.fragment = event, row, self.fragments[row.item]
            if self.fragment.drawn():
                self._event()
        return self.builder.script()

    def _begin(self) -> None:
        builder = self.builder
        self.put_single_cells()
        self._put_flags(Flag(0), -1)
        builder.phase("Start")
        if not self.cells:
            builder.begin("There is no text to cut.", lines=(0,))
            return
        builder.begin(
            "The text has {points} here. One loop reads each of them once.",
            "What it does with each depends on its flags, which llama.cpp keeps in a table. No pattern is used.",
            lines=(0,),
            points=plural(len(self.cells), "code point"),
        )

    # --- what each event changes ----------------------------------------------------------------------------------

    def _event(self) -> None:
        """One step; what lies before the window only grows the words."""
        row = self.row
        kind, before, text = row.kind, self.spelled, self.fragment.segment.text
        drawn = self.fragment.holds(row.at) or kind in (WpmEvent.BEGIN, WpmEvent.POP)
        told: Hashable = kind
        if kind == WpmEvent.BEGIN:
            self._new_word(drawn)
            number = list(self.fragments).index(row.item)
            self.phase_of(number, len(self.fragments), f"Fragment {number + 1}" if len(self.fragments) > 1 else "Loop")
        elif kind == WpmEvent.APPEND:
            self._append(drawn)
            told = "as it is" if text[row.at] == chr(row.code_point) else kind
        elif kind == WpmEvent.ALONE:
            told = kind if self._close(drawn) else "alone at once"
            self._append(drawn)
            self._close(drawn)
        elif kind == WpmEvent.WHITE_SPACE:
            told = kind if self._close(drawn) else "more white space"
        elif kind == WpmEvent.POP:
            self.builder.delete("output", self.words)
        if kind == WpmEvent.POP or (row.at == len(text) - 1 and self.spelled):
            self.words += bool(self.spelled)
            self.spelled, self.word = "", []
        if drawn:
            self._step(told, text, before if kind == WpmEvent.WHITE_SPACE else self.last)

    def _new_word(self, drawn: bool) -> None:
        self.spelled, self.word = "", []
        if drawn:
            self.builder.write("output", self.words, EMPTY, self.words, -1, -1)

    def _append(self, drawn: bool) -> None:
        """The last word grows by a code point."""
        row = self.row
        at = self.word[-1] if self.word else row.at
        self.word.append(row.at)
        self.spelled += chr(row.code_point)
        self.last = self.spelled
        if not drawn:
            return
        builder, segment = self.builder, self.fragment.segment
        first = max(self.word[0], self.fragment.low)
        for cell in range(max(at + 1, first + 1), row.at + 1):
            self.put(cell, 0, -1)
        self.put(first, row.at + 1 - first, self.words)
        start, end = segment.starts[self.word[0]], segment.ends[row.at]
        builder.put("output", self.words, builder.text(shown(self.spelled)), self.words, start, end)

    def _close(self, drawn: bool) -> bool:
        """The last word is complete, and an empty one follows, unless it is empty itself. Whether it is not."""
        if not self.spelled:
            return False
        self.words += 1
        self._new_word(drawn)
        return True

    def _step(self, kind: Hashable, text: str, word: str) -> None:
        row = self.row
        builder = self.builder
        if kind in (WpmEvent.BEGIN, WpmEvent.POP):
            self._put_flags(Flag(0), -1)
            builder.step(kind)
            return
        ch = text[row.at]
        flags = flags_of(ord(ch))
        self._put_flags(flags, int(flags))
        self.mark([row.at], GONE if row.code_point < 0 else TAKEN)
        for flag in self.deciding(ch, flags):
            builder.mark("flags", CLASSES.index(flag), HIT)
        now = chr(row.code_point) if row.code_point >= 0 else ""
        builder.step(
            kind,
            label=label(ch),
            flags=f"0x{int(flags):04X}",
            word=shown(word),
            text=ch,
            written=now,
            rule=self.rule(ch, flags),
            lower=label(now) if now else "",
            what=what(ch, flags),
        )

    def _put_flags(self, flags: Flag, value: int) -> None:
        """The table of flags, if it shows others. value: -1 for no code point."""
        if value == self.flags and self.builder.kind_of:
            return
        self.flags = value
        builder = self.builder
        for index, flag in enumerate(CLASSES):
            cells: list[str] = []
            for each in (flag, *OTHERS[index : index + 1]):
                cells += (f"0x{each:04X}", Text("{0:t}", words(each)), "" if value < 0 else str(int(each in flags)))
            builder.write("flags", index, *(*cells, "", "", "")[:6])

    # --- what is said ---------------------------------------------------------------------------------------------

    def deciding(self, ch: str, flags: Flag) -> list[Flag]:
        """The flags of a class that decided."""
        if Flag.WHITESPACE in flags:
            return []
        tested = Flag.CONTROL | Flag.PUNCTUATION
        if self.part.strip_accents:
            tested |= Flag.ACCENT_MARK
        if ch < "\x7f":
            tested |= Flag.SYMBOL
        return [flag for flag in CLASSES if flag in flags & tested]

    def rule(self, ch: str, flags: Flag) -> str:
        """The test that holds for a word by itself, in the source's words."""
        if Flag.PUNCTUATION in flags:
            return "is_punctuation"
        return "is_chinese_char(cpt)" if is_chinese_char(ch) else "cpt < 0x7F and is_symbol"


def shown(word: str) -> str:
    """A word, without its middle if it is long.

    >>> shown("a" * 50)
    'aaaaaaaaaaaaaaaaaaaa … aaaaaaaaaaaaaaaa'
    """
    return word if len(word) <= LONG else f"{word[:20]} … {word[-16:]}"


LONG = 40
"""Characters of a word that are shown in full."""


def words(flag: Flag) -> str:
    """A flag's name on the page."""
    return "white space" if flag == Flag.WHITESPACE else (flag.name or "").lower().replace("_", " ")


NOUNS = {
    Flag.NUMBER: "a number", Flag.LETTER: "a letter", Flag.SEPARATOR: "a separator", Flag.ACCENT_MARK: "a mark",
    Flag.PUNCTUATION: "punctuation", Flag.SYMBOL: "a symbol", Flag.CONTROL: "a control", Flag.UNDEFINED: "undefined",
}  # fmt: skip


def what(ch: str, flags: Flag) -> str:
    """What a code point is, in a sentence.

    >>> what("a", flags_of(ord("a"))), what("漢", flags_of(ord("漢"))), what("$", flags_of(ord("$")))
    ('a letter', 'a Chinese character', 'a symbol')
    """
    if is_chinese_char(ch):
        return "a Chinese character"
    return next(noun for flag, noun in NOUNS.items() if flag in flags)

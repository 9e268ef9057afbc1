"""What people read: text made visible, and sentences, each a template and typed values until it is drawn.

Text made visible: invisible characters, and those that act on the display, become a glyph or a label (U+202E). The
general category of `unicodedata` decides, with a list of characters that are blank despite their category. The space
and the ASCII controls have the glyphs of Unicode's block Control Pictures, but line feed and tab are arrows; labels are
those of `explorer.text.code_points`. Left out: grapheme clusters (an emoji sequence is split at its joiners) and an
inverse, since a text may contain a literal ␣.

A language says a sentence its own way, and a token may be spelled like markup, so a sentence never has tokens pasted
in. The browser fills the template with text nodes; `plain` fills it for the command line and for tests. `{i}` is the
i-th value as a count, with separated thousands, `{i:i}` as an id or index, without; `{i:q}` is a text, quoted, `{i:t}`
that text unquoted; `{{` and `}}` are braces. The English template is what a catalog (`explorer.languages`) is asked
for. Quantities are spelled as in American English; a `Figure` is written anew in another language.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, reduce
from typing import Any, NamedTuple

from explorer.text.code_points import label

FIELD = re.compile(r"\{\{|\}\}|\{(\d+)(?::([qti]))?\}")
KEPT = 1_000
"""Numbers whose text is kept: the steps of a stepper say the same ones again and again."""


class Flat(NamedTuple):
    """A sentence as the browser has it. template: all in one. args: whole numbers, or indices in `texts`."""

    template: str
    args: tuple[int, ...] = ()
    texts: tuple[str, ...] = ()


class Say:
    """A sentence before it is said. words: its template in English; empty for `values` that are sentences in a row.

    values: a number for `{i}` and `{i:i}`, a text for `{i:q}` and `{i:t}`, a sentence of its own for either. many: the
    template where the first value is a count other than 1.

    >>> plain(Say("{0:q} is token {1:i} of {2}.", "▁is", 1338, 32000))
    '“▁is” is token 1338 of 32,000.'
    >>> plain(Say("{0:q}: {1}.", "a", Say("{0} of {1:q}", 2, "b")))
    '“a”: 2 of “b”.'
    >>> [plain(Say("{0} token is new.", count, many="{0} tokens are new.")) for count in (1, 2)]
    ['1 token is new.', '2 tokens are new.']
    """

    __slots__ = ("_flat", "many", "values", "words")

    def __init__(self, words: str, *values: Value, many: str = "") -> None:
        self.words, self.values, self.many = words, values, many
        self._flat: Flat | None = None

    @classmethod
    def made(cls, flat: Flat) -> Say:
        """A sentence that is said already."""
        shown = {int(field[1]): field[2] for field in FIELD.finditer(flat.template) if field[1]}
        values = tuple(flat.texts[arg] if shown.get(at) in ("q", "t") else arg for at, arg in enumerate(flat.args))
        return cls(flat.template, *values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Say) and self.__getstate__() == other.__getstate__()

    def __hash__(self) -> int:
        return hash(self.__getstate__())

    def __repr__(self) -> str:
        return f"Say{self.__getstate__()}"

    def __getstate__(self) -> tuple[str, tuple[Value, ...], str]:
        return self.words, self.values, self.many

    def __setstate__(self, state: tuple[str, tuple[Value, ...], str]) -> None:
        words, values, many = state
        self.__init__(words, *values, many=many)  # type: ignore[misc]

    @property
    def flat(self) -> Flat:
        """The sentence in English."""
        if self._flat is None:
            self._flat = flat(self, english, str)
        return self._flat

    @property
    def template(self) -> str:
        """The whole English template."""
        return self.flat.template

    @property
    def args(self) -> tuple[int, ...]:
        """Of the whole English template."""
        return self.flat.args

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts in it, in English."""
        return self.flat.texts

    def _asdict(self) -> dict[str, Any]:
        """The English sentence for the browser."""
        return Sent(self)

    def shown(self, show: Callable[[str], str]) -> Say:
        """The same with each text as `show` writes it; words of our own stay."""
        if not self.values:
            return self
        values = (
            each.shown(show) if isinstance(each, Say) else show(each) if type(each) is str else each
            for each in self.values
        )
        return Say(self.words, *values, many=self.many)

    def then(self, *others: Say) -> Say:
        """This sentence followed by others, as one.

        >>> plain(Say("{0} for {1:q}.", 2, "is").then(Say("Also {0:q}.", "it"), Say("And {0}.", 3)))
        '2 for “is”. Also “it”. And 3.'
        """
        return Say("", self, *others) if others else self


def paragraph(sentences: Sequence[Say]) -> Say:
    """One or more sentences, in this order, as one."""
    first, *others = sentences
    return first.then(*others)


class Sent(dict[str, Any]):
    """A sentence as the browser has it: English, and what it is made of."""

    def __init__(self, say: Say) -> None:
        super().__init__(say.flat._asdict())
        self.say = say

    def __reduce__(self) -> tuple[type[Sent], tuple[Say]]:
        return Sent, (self.say,)


class Figure(str):
    """A number as English writes it; another language may write its thousands and decimals otherwise."""


class Text(str):
    """Words of our own that are put into a sentence or beside a drawing: English, and what they are made of.

    >>> text = Text("{0} of {1:q}", 3, "a")
    >>> text, text.say.values
    ('3 of “a”', (3, 'a'))
    """

    say: Say

    def __new__(cls, words: str | Say, *values: Value, many: str = "") -> Text:
        """Of a sentence, or of a template and values, see `Say`."""
        if not isinstance(words, Say):
            return text_of(words, *values, many=many)
        made = super().__new__(cls, plain(words))
        made.say = words
        return made

    def __getnewargs__(self) -> tuple[Say]:  # type: ignore[override]
        return (self.say,)

    def __getstate__(self) -> None:
        """Nothing: what it is in a language, which `Phrases.text` keeps, stays in this process."""


@lru_cache(5 * KEPT, typed=True)
def text_of(words: str, *values: Value, many: str = "") -> Text:
    """A text, kept: the steps of a stepper say the same ones again and again."""
    return Text(Say(words, *values, many=many))


def worded(text: str) -> Text:
    """A text of our own as one that a language says."""
    return text if isinstance(text, Text) else Text(text)


Value = int | str | Say
Words = Callable[[str], str]
"""Says English in another language."""


def english(say: Say) -> str:
    """The template of a sentence in English, by its count."""
    return say.many if say.many and say.values[0] != 1 else say.words


def flat(say: Say, template_of: Callable[[Say], str], text_of: Callable[[str], str]) -> Flat:
    """A sentence as the browser has it. template_of: its template in a language. text_of: a text of our own in it."""
    args: list[int] = []
    texts: list[str] = []

    def whole(say: Say) -> str:
        """Its template, whose fields are numbered as `args`."""
        if not say.values:
            return template_of(say)
        places: list[int | str] = []
        """by value, the number of its argument, or its own template"""
        for value in say.values:
            if isinstance(value, Say):
                places.append(whole(value))
                continue
            places.append(len(args))
            if isinstance(value, str):
                args.append(len(texts))
                texts.append(text_of(value) if isinstance(value, Text | Figure) else value)
            else:
                args.append(value)
        if not say.words:
            # Japanese and Chinese have no space between sentences
            return reduce(lambda one, other: f"{one}{'' if one.endswith('。') else ' '}{other}", map(str, places))
        template = template_of(say)
        if places == list(range(len(places))):
            return template

        def put(field: re.Match[str]) -> str:
            place = field[0] if field[1] is None else places[int(field[1])]
            return place if isinstance(place, str) else f"{{{place}{':' if field[2] else ''}{field[2] or ''}}}"

        return FIELD.sub(put, template)

    return Flat(whole(say), tuple(args), tuple(texts))


def listed(texts: Sequence[str], most: int = 8, each: str = "{0:q}") -> Say:
    """Texts as a list; of more than `most` the first ones, and how many more there are. each: how one is written.

    >>> plain(listed(["a", "b", "c"])), plain(listed(["a", "b", "c"], 2))
    ('“a”, “b” and “c”', '“a”, “b” and 1 more')
    """
    shown = [Say(each, text) for text in texts[:most]]
    if len(texts) > most:
        shown.append(Say("{0} more", len(texts) - most))
    *others, last = shown
    if not others:
        return last
    return Say("{0} and {1}", reduce(lambda one, other: Say("{0}, {1}", one, other), others), last)


def without_stop(say: Say) -> Say:
    """A sentence in English that goes on."""
    return Say.made(say.flat._replace(template=say.template.rstrip(".")))


def in_a_row(*texts: str | int, between: str = "{0:t}, {1:t}") -> str:
    """Short facts as one text, without those that are empty or 0. between: how two of them are joined.

    >>> in_a_row(plural(1, "byte"), "", "none")
    '1 byte, none'
    """
    facts = [text for text in texts if isinstance(text, str) and text]
    return reduce(lambda one, other: Text(between, one, other), facts) if facts else ""


def decimal(value: float) -> Figure:
    """A score with a true minus sign: four significant digits, or a whole number.

    >>> decimal(-1e9), decimal(-3.46417236328125)
    ('−1,000,000,000', '−3.464')
    """
    return Figure((f"{int(value):,}" if value == int(value) else f"{value:,.4g}").replace("-", "−"))


def size(bytes: int) -> str:
    """A number of bytes in bytes, kB, MB, GB or TB.

    >>> size(999), size(1_300_000), size(35_000_000), size(2 * 10**15)
    ('999 bytes', '1.3 MB', '35.0 MB', '2,000.0 TB')
    """
    if bytes < 1000:
        return plural(bytes, "byte")
    power = min(4, (len(str(bytes)) - 1) // 3)
    return Figure(f"{bytes / 1000**power:,.1f} {'kMGT'[power - 1]}B")


def three_digits(count: int) -> str:
    """An estimated number, in three digits.

    >>> three_digits(709_519_570_542), three_digits(1_234_567), three_digits(12_345), three_digits(999_999)
    ('710 billion', '1.23 million', '12,300', '1 million')
    """
    rounded = int(float(f"{count:.3g}"))
    for size, words in ((10**12, "{0:t} trillion"), (10**9, "{0:t} billion"), (10**6, "{0:t} million")):
        if rounded >= size:
            return Text(words, Figure(f"{rounded / size:,.4g}"))
    return Figure(f"{rounded:,}")


@lru_cache(KEPT)
def two_digits(value: float) -> Figure:
    """A number with two digits after the point, rounded once.

    >>> two_digits(-10.86498), two_digits(-0.001), two_digits(1234.5)
    ('−10.86', '0.00', '1,234.50')
    """
    shown = fixed(value, 2)
    return shown if shown.strip("\u22120.") else Figure(shown.removeprefix("\u2212"))


def told_apart(one: float, other: float, shown: Callable[[float], str]) -> tuple[str, str]:
    """Two numbers as `shown` writes them; with more digits if they would look the same and are not.

    >>> [told_apart(*pair, two_digits) for pair in ((-3.9312, -3.9287), (-3.93, -3.94), (1.5, 1.5))]
    [('−3.931', '−3.929'), ('−3.93', '−3.94'), ('1.50', '1.50')]
    """
    found, digits = (shown(one), shown(other)), 2
    while found[0] == found[1] and one != other:
        digits += 1
        found = (fixed(one, digits), fixed(other, digits))
    return found


def fixed(value: float, digits: int) -> Figure:
    """A number with so many digits after the point."""
    return Figure(f"{value:,.{digits}f}".replace("-", "\u2212"))


def clock_time(seconds: float) -> str:
    """A duration as minutes and seconds, a long one with hours.

    >>> clock_time(75), clock_time(2 * 3600 + 90)
    ('1:15', '2:01:30')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def stretches(numbers: Iterable[int]) -> list[str]:
    """Ascending whole numbers, neighbors as one stretch.

    >>> stretches([3, 5, 6, 7, 9])
    ['3', '5 to 7', '9']
    """
    found: list[list[int]] = []
    for each in numbers:
        if found and each == found[-1][1] + 1:
            found[-1][1] = each
        else:
            found.append([each, each])
    return [f"{first}" if first == last else f"{first} to {last}" for first, last in found]


@lru_cache(KEPT)
def number(value: float) -> Figure:
    """A number with a true minus sign and separated thousands; four decimals if it is not whole.

    >>> number(-8550), number(1234567), number(-11.5123456)
    ('−8,550', '1,234,567', '−11.5123')
    """
    text = f"{int(value):,}" if value == int(value) else f"{value:,.4f}"
    return Figure(text.replace("-", "−"))


@lru_cache(KEPT)
def plural(count: int, one: str, many: str | None = None) -> Text:
    """A count with its noun: `1 token`, `2 tokens`. many: the plural, if it is not `one` + s."""
    return Text(f"{{0}} {one}", count, many=f"{{0}} {many or one + 's'}")


def fill(
    template: str,
    args: Sequence[int],
    texts: Sequence[str],
    counted: Callable[[int], str] = number,
    quotes: str = "“”",
) -> str:
    """The template with its fields filled, as one string. counted, quotes: of a language."""

    said = []
    for part in parts(template):
        if isinstance(part, str):
            said.append(part)
            continue
        index, how = part
        value = args[index]
        if how == "t":
            said.append(texts[value])
        elif how == "q":
            said.append(f"{quotes[0]}{texts[value]}{quotes[1]}")
        else:
            said.append(str(value).replace("-", "−") if how == "i" else counted(value))
    return "".join(said)


@lru_cache(10_000)
def parts(template: str) -> tuple[str | tuple[int, str], ...]:
    """A template's words, and its fields: which value, and how it is shown.

    >>> parts("{{{0:q}}} is {1}.")
    ('{', (0, 'q'), '} is ', (1, ''), '.')
    """
    found: list[str | tuple[int, str]] = []
    words, at = "", 0
    for field in FIELD.finditer(template):
        words += template[at : field.start()]
        at = field.end()
        if field[1] is None:
            words += field[0][0]
            continue
        found += [words] if words else []
        found.append((int(field[1]), field[2] or ""))
        words = ""
    words += template[at:]
    return (*found, words) if words else tuple(found)


def plain(say: Say | Flat) -> str:
    """The sentence in English, as one string."""
    return fill(say.template, say.args, say.texts)


# --- text made visible ---------------------------------------------------------------------------------------------

# Characters that are blank despite their category (letter, mark, symbol).
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U00016fe4\U0001d159"  # joiner, fillers, blank braille …
    "\u180b\u180c\u180d\u180f"  # Mongolian variation selectors
    + "".join(map(chr, range(0xFE00, 0xFE10)))  # variation selectors 1 to 16
    + "".join(map(chr, range(0xE0100, 0xE01F0)))  # variation selectors 17 to 256
)
_EMOJI_SELECTORS = "\ufe0e\ufe0f"
_GLYPHS = {" ": "␣", "\n": "↵", "\t": "⇥", "\x7f": "␡"} | {
    chr(code): chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)
}


def is_control_label(ch: str) -> bool:
    """Whether a character is shown as a glyph or label instead of itself.

    These are white space, controls, format characters (including bidi controls and zero-width ones), surrogates,
    private use, unassigned, variation selectors and other blank characters.
    """
    return unicodedata.category(ch)[0] in "ZC" or ch in _BLANK


def visible_char(ch: str) -> tuple[str, bool]:
    """One character as it is shown on its own: (shown, is_label as in `is_control_label`).

    A mark is put on a dotted circle, which does not count as a label.

    >>> visible_char("a"), visible_char(" "), visible_char("\\u202e"), visible_char("\\u0301")
    (('a', False), ('␣', True), ('U+202E', True), ('◌́', False))
    """
    if is_control_label(ch):
        return _GLYPHS.get(ch) or label(ch), True
    if unicodedata.category(ch)[0] == "M":
        return "◌" + ch, False
    return ch, False


def visible(text: str) -> str:
    """The text with every character visible; printable text is unchanged, except for its spaces.

    Glyphs: ␣ space, ↵ line feed, ⇥ tab, ␍ carriage return, ␀ and the other control pictures; everything else that is
    invisible or acts on the display becomes a label such as U+202E. A mark stays on the character before it, or gets a
    dotted circle; an emoji or text selector stays after a symbol. The result contains no control, format or bidi
    character and no surrogate.

    >>> visible("a b\\n"), visible("\\u202eabc"), visible("x \\u0301")
    ('a␣b↵', 'U+202Eabc', 'x␣◌́')
    """
    if text.isascii() and text.isprintable():
        return text.replace(" ", "␣")
    shown = []
    before = ""  # the last base character shown as itself; "" at the start and after a label
    for ch in text:
        kind = unicodedata.category(ch)[0]
        if ch in _EMOJI_SELECTORS and before and unicodedata.category(before)[0] == "S":
            shown.append(ch)
            before = ""  # one selector only
        elif kind == "M" and before and ch not in _BLANK:
            shown.append(ch)
        else:
            glyph, is_label = visible_char(ch)
            shown.append(glyph)
            before = "" if is_label else ch
    return "".join(shown)


def shortened(text: str, most: int = 40) -> str:
    """A text made visible; the middle of a text of more than `most` characters is left out.

    >>> shortened("What is LoRA?", 6)
    'Wha … RA?'
    """
    if len(text) <= most:
        return visible(text)
    return f"{visible(text[: most // 2])} … {visible(text[-(most // 2) :])}"


def quoted(data: bytes, most: int = 40) -> str:
    """Bytes for a sentence: text in quotes, invalid UTF-8 as bytes.

    >>> quoted(" é".encode()), quoted(b"\\xc3"), quoted(b" \\xe6\\xbc")
    ('“␣é”', 'byte C3', '“␣” + bytes E6 BC')
    """
    parts = []
    for run in _RUNS.findall(data.decode("utf-8", "surrogateescape")) or [""]:
        if run and "\udc80" <= run[0] <= "\udcff":
            raw = run.encode("utf-8", "surrogateescape")
            shown = raw.hex(" ").upper() if len(raw) <= most else f"{raw[:most].hex(' ').upper()} …"
            parts.append(f"byte{'s' * (len(raw) > 1)} {shown}")
        else:
            parts.append(f"“{shortened(run, most)}”")
    if len(parts) > _PARTS:
        parts[_PARTS // 2 : -_PARTS // 2] = ["…"]
    return " + ".join(parts)


_RUNS = re.compile("[\udc80-\udcff]+|[^\udc80-\udcff]+")
"""Runs of invalid bytes, as Python decodes them, and of text."""
_PARTS = 8
"""Runs that a sentence writes out."""


def dotted(text: str, most: int = 24) -> str:
    """A text made visible for a sentence: a space is a ·. The middle of a text of more than `most` is left out.

    >>> dotted(" café\\n"), dotted("What is LoRA?", 6)
    ('·café↵', 'Wha…RA?')
    """
    if len(text) > most:
        return f"{dotted(text[: most // 2])}…{dotted(text[-(most // 2) :])}"
    return "·".join(map(visible, text.split(" ")))


def visible_words(text: str) -> str:
    """The same for a name, whose spaces stay spaces.

    >>> visible_words("New Zealand\\n")
    'New Zealand↵'
    """
    return " ".join(map(visible, text.split(" ")))


def hexadecimal(data: bytes, most: int = 24) -> str:
    """Bytes as `E2 96 81`, at most the first `most`.

    >>> hexadecimal(b"abc", 2)
    '61 62 … 3 bytes'
    """
    return data[:most].hex(" ").upper() + (f" … {len(data)} bytes" if len(data) > most else "")

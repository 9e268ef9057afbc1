"""What the program says in other languages: a gettext catalog each, `de.po` and `ja.po`, keyed by the English.

A sentence is a template with typed values (`explorer.text.say`): a language says the template its own way, chooses the
plural by the count, and writes counts, quotes and the texts within as it does. What has no translation stays English.
An entry's context is "browser" for what components say by themselves, "term" and "forms" for the glossary, "language"
for the name of one, and "caption" for a word beside a drawing that means something else in a sentence.
`python -m tests.languages` lists what lacks a translation, and with `--merge` brings the catalogs up to date with the
English.
"""

import gettext
import json
import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from explorer.text.say import Figure, Say, Sent, Text, english, fill, flat, number

FOLDER = Path(__file__).parent
ENGLISH = "en"
CONTEXT = "\x04"
"""Between the context of a message and its English, as in gettext's own files."""


TOGETHER = re.compile(
    r"`[^`\n]*`|(?<=[!-~“”…−▁·→])(?P<space> )(?=[ぁ-んァ-ヶー一-龥々])"
    r"|(?P<hyphen>(?<=[A-Za-z])-(?=\d|RoBERTa)|-(?=mal\b))"
)
"""Code, which stays; the space between other letters and the Japanese after them; the hyphen of a name such as GPT-2 or
XLM-RoBERTa, and of a German count such as 3-mal."""


SAME = frozenset({str, int, bool, float, type(None)})
"""What is the same in all languages."""


class Format(NamedTuple):
    """How a language writes. marks: between thousands, before decimals. quotes: around a text. comma: between facts."""

    marks: str = ",."
    quotes: str = "“”"
    comma: str = ", "


FORMATS = {
    ENGLISH: Format(),
    "de": Format("\u202f,", "„“"),
    "ja": Format(quotes="「」", comma="、"),
}


class Forms(dict[str, tuple[str, ...]]):
    """The messages of a catalog: words in the language, singular first, by the English. Hashed as an object."""

    __hash__ = object.__hash__  # type: ignore[assignment]


class Phrases(NamedTuple):
    """One language. plural: which of the forms a count takes."""

    language: str
    forms: Forms
    plural: Callable[[int], int]
    format: Format

    def words(self, text: str, context: str = "") -> str:
        """A template, a paragraph of a card, a word of our own.

        >>> phrases("de").words("Which pair merges next?"), phrases("de").words("Nobody says this.")
        ('Welches Paar wird als Nächstes verbunden?', 'Nobody says this.')
        """
        forms = (context and self.forms.get(context + CONTEXT + text)) or self.forms.get(text)
        return forms[0] if forms else text

    def caption(self, text: str) -> str:
        """A word or two beside a drawing."""
        return self.text(text) if isinstance(text, Text) else self.words(text, "caption")

    def text(self, text: str) -> str:
        """Words of our own, whatever they are made of; a number.

        >>> from explorer.text.say import number, plural
        >>> phrases("de").text(plural(3, "token")), phrases("de").text(number(-8550)), phrases("de").text("tok")
        ('3 Tokens', '−8\u202f550', 'tok')
        """
        if type(text) is str:
            return self.words(text)
        if isinstance(text, Text):
            # the same ones come again with the next key press
            spoken: dict[Forms, str] = text.__dict__.setdefault("spoken", {})
            if self.forms not in spoken:
                spoken[self.forms] = self.plain(text.say)
            return spoken[self.forms]
        return text.translate(digits(self.format.marks)) if isinstance(text, Figure) else self.words(text)

    def answer(self, text: str) -> str:
        """An answer of a lesson: what the engine measures, or what the author wrote, who may mean a token."""
        return self.text(text) if isinstance(text, Text | Figure) else self.named(text, "answer")

    def named(self, text: str, context: str = "language") -> str:
        """The name of a language; any other text, such as a visitor's, stays."""
        return self.forms.get(context + CONTEXT + text, (text,))[0]

    def template(self, say: Say) -> str:
        """Of a sentence, by its count."""
        forms = self.forms.get(say.words)
        if forms is None:
            return english(say)
        count = say.values[0] if say.many else 1
        return forms[self.plural(count)] if isinstance(count, int) and len(forms) > 1 else forms[0]

    def say(self, say: Say) -> Say:
        """A sentence with the texts in it.

        >>> from explorer.text.say import plural
        >>> phrases("de").say(Say("{0:q} has {1:t} and is {2:t}.", "ab", plural(2, "letter"), plural(1, "token")))
        Say('{0:q} hat {1:t} und ist {2:t}.', ('ab', '2 Buchstaben', '1 Token'), '')
        """
        return say if self.language == ENGLISH else Say.made(flat(say, self.template, self.text))

    def plain(self, say: Say) -> str:
        """A sentence as one string."""
        return fill(*flat(say, self.template, self.text), self.counted, self.format.quotes)

    def counted(self, value: int) -> str:
        """A count with its thousands."""
        return self.text(number(value))

    def data(self, value: Any) -> Any:
        """What a component is sent: the sentences, words and numbers anywhere in it, said."""
        if type(value) in SAME:
            return value
        if isinstance(value, (Say, Sent)):
            say = value if isinstance(value, Say) else value.say
            return say._asdict() if self.language == ENGLISH else flat(say, self.template, self.text)._asdict()
        if isinstance(value, (Text, Figure)):
            return value if self.language == ENGLISH else self.text(value)
        # most of it is the same, and a call for each would be half of the time
        if isinstance(value, (list, tuple)):
            return [each if type(each) in SAME else self.data(each) for each in value]
        if isinstance(value, dict):
            return {name: each if type(each) in SAME else self.data(each) for name, each in value.items()}
        return value

    def within(self, context: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """All messages of a context, by their English."""
        for key, forms in self.forms.items():
            found, mark, text = key.partition(CONTEXT)
            if mark and found == context:
                yield text, forms


@cache
def digits(marks: str) -> dict[int, int]:
    """What becomes of the marks in an English number."""
    return str.maketrans(",.", marks)


@cache
def languages() -> tuple[str, ...]:
    """The languages there are, English among them."""
    return tuple(sorted([ENGLISH, *(path.stem for path in FOLDER.glob("*.po"))]))


def known_language(name: str) -> str:
    """The language that a name means, such as "de-AT"; English where it has no catalog.

    >>> known_language("de-AT"), known_language("xx")
    ('de', 'en')
    """
    language = name.partition("-")[0].lower()
    return language if language in languages() else ENGLISH


@lru_cache(100)
def phrases(name: str) -> Phrases:
    """The phrases of a language, such as "de" or "de-AT"; English ones where it has none."""
    return read(known_language(name))


@cache
def read(language: str) -> Phrases:
    """The phrases of a language that has a catalog."""
    forms = Forms(() if language == ENGLISH else messages((FOLDER / f"{language}.po").read_text("utf-8")))
    header = dict(line.split(": ", 1) for line in forms.pop("", ("",))[0].splitlines())
    rule = header.get("Plural-Forms", "plural=n != 1;").partition("plural=")[2].rstrip(";")
    return Phrases(language, forms, gettext.c2py(rule), FORMATS.get(language, Format()))


def messages(catalog: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The translated messages of a catalog in gettext's format: context and English, and its forms.

    >>> list(messages('msgctxt "c"\\nmsgid "a {0}"\\nmsgid_plural "b"\\nmsgstr[0] ""\\n"x"\\nmsgstr[1] "y"\\n'))
    [('c\\x04a {0}', ('x', 'y'))]
    """
    for entry in catalog.split("\n\n"):
        found: dict[str, str] = {}
        key = ""
        for line in filter(None, entry.split("\n")):
            if line.startswith("#"):
                key = "#" if line.startswith("#~") else key
                if line.startswith("#,") and "fuzzy" in line:
                    break
            else:
                name, _, quoted = line.partition('"')
                key = name.strip() or key
                found[key] = found.get(key, "") + json.loads(f'"{quoted}')
        else:
            forms = tuple(text for name, text in found.items() if name.startswith("msgstr"))
            if forms and all(forms):
                context = found["msgctxt"] + CONTEXT if "msgctxt" in found else ""
                yield context + found["msgid"], tuple(map(kept_together, forms))


def kept_together(text: str) -> str:
    """A text in which no line begins with the number of a name, such as GPT-2, nor with a Japanese particle: it stays
    with the token or number before it.

    >>> kept_together("`the` の次は 2 つ")
    '`the`\\xa0の次は 2\\xa0つ'
    """
    return TOGETHER.sub(lambda each: "\u00a0" if each["space"] else "-\u2060" if each["hyphen"] else each[0], text)


def for_browsers(to: Phrases) -> dict[str, Any]:
    """What components say by themselves (`base/sentences.js`), by the English; a counted noun has all its forms."""
    said = {text: forms if len(forms) > 1 else forms[0] for text, forms in to.within("browser")}
    return {"": to.language, **said}

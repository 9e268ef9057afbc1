"""What Learn says in other languages: one TOML file a language, English → that language.

`[page]` has the words of the page by name, and `en.toml` the English ones. Every other table is keyed by the English
itself: a template (`explorer.text.say`), a paragraph of a card, a caption. So a changed English sentence has no
translation until somebody writes it; until then it is shown in English, marked. `python -m tests.languages` lists what
is missing, and what no English sentence uses any more.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from explorer.text.say import FIELD, Say, numbered_field

FOLDER: Final = Path(__file__).parent
ENGLISH: Final = "en"
MARK: Final = " [en]"
"""After a sentence that has no translation."""
SENTENCE_END: Final = re.compile(r"(?<=[.?]) (?=[A-Z{“\d])")
WORDED: Final = re.compile(r"[A-Za-z]{2,} [a-z]{2,}.*\.$")
"""A text that is a sentence, not a token or a pair of them."""
VALUE: Final = re.compile(
    r"−?\d+(?:[.,]\d+)+|0x[0-9A-F]+|U\+[0-9A-F]+|\b[0-9A-F]{2}\b|−?\d+|“[^”]*”|(?<=\d of )\S{1,2}(?=,|$)"
)
"""What differs between two texts that say the same: a number, also a hexadecimal one, a quoted text, or a character of
which some bytes are meant."""
NUMBER: Final = re.compile(r"−?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
"""A number with separated thousands."""
RUN: Final = re.compile(r"\{(\d+):q\}(?: as unknown| as bytes)?(?: \+ \{\d+:q\}(?: as unknown| as bytes)?)*")
"""The pieces of a path, of which a sentence may have any number; a table has the first."""
AS: Final = re.compile(r"as unknown|as bytes")
JAPANESE: Final = "[ぁ-んァ-ヶー一-龥々]"
UNSPACED: Final = re.compile(rf"(?<=[!-~“”…−▁·→]) (?={JAPANESE})")
"""A space between other letters and the Japanese after them."""
NAMED: Final = re.compile(r"(?<=[A-Za-z])-(?=\d|RoBERTa)")
"""The hyphen of a name such as GPT-2 or XLM-RoBERTa."""


class Phrases(NamedTuple):
    """One language. page: its words by name. table: English → this language. captions: the same for single words.

    components: the same for what the browser's components say by themselves. glossary: English term → term,
    explanation, a regex of its forms.

    Captions have a table of their own, because a token may be spelled as they are.
    """

    language: str
    page: Mapping[str, str]
    table: Mapping[str, str]
    captions: Mapping[str, str]
    components: Mapping[str, str]
    glossary: Mapping[str, Sequence[str]] = MappingProxyType({})

    def words(self, english: str) -> str:
        """A template or a paragraph; in English, with a mark, where there is no translation.

        >>> phrases("de").words("Which pair merges next?"), phrases("en").words("Which pair merges next?")
        ('Welches Paar wird als Nächstes verbunden?', 'Which pair merges next?')
        >>> phrases("de").words("{0:q} is new."), phrases("de").words("{0:q} + {1:q}")
        ('{0:q} is new. [en]', '{0:q} + {1:q}')
        """
        if self.language == ENGLISH:
            return english
        found = self.table.get(english)
        if found is not None:
            return found
        return english + MARK if is_worded(english) else english

    def caption(self, english: str) -> str:
        """A word or two beside a drawing, which stay English where there is no translation."""
        return self.captions.get(english) or self.table.get(english, english)

    def value(self, english: str) -> str:
        """A text that is put into a sentence, such as "3 tokens": by its words, whatever its numbers and quotes are.

        >>> phrases("de").value("3 tokens"), phrases("de").value("tok")
        ('3 Tokens', 'tok')
        >>> phrases("de").value("fo + x."), phrases("de").value("Nobody says this.")
        ('fo + x.', 'Nobody says this. [en]')
        """
        if self.language == ENGLISH or english in self.table:
            return self.table.get(english, english)
        if NUMBER.fullmatch(english):
            return self.number(english)
        said = [self._value(each) for each in SENTENCE_END.split(english)]
        if all(each is not None for each in said):
            return joined(map(str, said))
        return english + MARK if WORDED.search(english) else english

    def number(self, text: str) -> str:
        """A number with this language's separator of thousands; another text as it is.

        >>> phrases("de").number("−8,550"), phrases("ja").number("−8,550")
        ('−8\u202f550', '−8,550')
        """
        return text.replace(",", self.components.get(",", ",")) if NUMBER.fullmatch(text) else text

    def _value(self, english: str) -> str | None:
        """One sentence of it; None without a translation."""
        values: list[str] = []

        def numbered(found: re.Match[str]) -> str:
            values.append(self.number(found[0]))
            return f"{{{len(values) - 1}}}"

        template = self.table.get(VALUE.sub(numbered, english.replace("{", "{{").replace("}", "}}")))
        return template and FIELD.sub(lambda field: values[int(field[1])] if field[1] else field[0][0], template)

    def say(self, say: Say) -> Say:
        """A sentence, or several in a row, with the texts in it.

        >>> phrases("de").say(Say.of("{0:q} has {1:t} and is {2:t}.", "ab", "2 letters", "1 token"))
        Say(template='{0:q} hat {1:t} und ist {2:t}.', args=(0, 1, 2), texts=('ab', '2 Buchstaben', '1 Token'))
        """
        if self.language == ENGLISH:
            return say
        known = self.table[say.template] if say.template in self.table else self.captions.get(say.template)
        template = known or joined(map(self._sentence, SENTENCE_END.split(say.template)))
        unquoted = {say.args[int(field[1])] for field in FIELD.finditer(say.template) if field[2] == "t"}
        texts = tuple(self.value(text) if at in unquoted else text for at, text in enumerate(say.texts))
        return Say(template, say.args, texts)

    def _sentence(self, template: str) -> str:
        """One sentence of several, whose fields are not numbered from 0."""
        numbers = list(dict.fromkeys(int(field[1]) for field in FIELD.finditer(template) if field[1]))

        def put(field: re.Match[str]) -> str:
            return field[0] if field[1] is None else numbered_field(field, numbers.index(int(field[1])))

        numbered = FIELD.sub(put, template)
        runs = {found[1]: found[0] for found in RUN.finditer(template)}
        if numbered not in self.table and any(each != f"{{{first}:q}}" for first, each in runs.items()):
            said = self._sentence(RUN.sub(r"{\1:q}", template))
            return RUN.sub(lambda found: AS.sub(lambda what: self.caption(what[0]), runs[found[1]]), said)
        found = self.words(numbered)
        return FIELD.sub(
            lambda field: field[0] if not field[1] else numbered_field(field, numbers[int(field[1])]), found
        )


def kept_together(text: str) -> str:
    """A text in which no line begins with the number of a name, such as GPT-2, nor with a Japanese particle: it stays
    with the token or number before it.

    >>> kept_together("`the` の次は 2 つ")
    '`the`\\xa0の次は 2\\xa0つ'
    """
    return NAMED.sub("-\u2060", UNSPACED.sub("\u00a0", text))


def is_worded(template: str) -> bool:
    """Whether a template has words of its own."""
    return any(each.isalpha() for each in re.sub(r"\{[^}]*\}", "", template))


def joined(sentences: Iterator[str]) -> str:
    """Sentences in a row; Japanese and Chinese have no space between them.

    >>> joined(iter(["a.", "b."])), joined(iter(["あ。", "い。"]))
    ('a. b.', 'あ。い。')
    """
    return re.sub(r"(?<=。) ", "", " ".join(sentences))


@cache
def languages() -> tuple[str, ...]:
    """The languages that have a table."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def phrases(language: str) -> Phrases:
    """The phrases of a language, such as "de" or "de-AT"; English ones where it has none.

    >>> phrases("de-AT").page["next"], phrases("xx").page["next"]
    ('Weiter ▶', 'Next ▶')
    """
    return read(known_language(language))


def known_language(name: str) -> str:
    """The language that a name means, such as "de-AT"; English where it has no table.

    >>> known_language("de-AT"), known_language("xx")
    ('de', 'en')
    """
    language = name.partition("-")[0].lower()
    return language if language in languages() else ENGLISH


@cache
def read(name: str) -> Phrases:
    """The phrases of a language that has a table."""
    tables = tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))
    glossary = tables.pop("glossary", {})
    tables = {key: {english: kept_together(other) for english, other in each.items()} for key, each in tables.items()}
    page = {**({} if name == ENGLISH else read(ENGLISH).page), **tables.pop("page")}
    captions, components = (tables.pop(each, {}) for each in ("captions", "components"))
    table = {english: other for table in tables.values() for english, other in table.items()}
    return Phrases(name, page, table, captions, components, glossary)

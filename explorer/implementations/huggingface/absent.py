"""What cannot be in the text any more at a place of the pipeline, and which patterns therefore never match there.

A Split at a space behind a ByteLevel, which writes spaces as Ġ, cuts nothing; so does a Replace of a capital behind
Lowercase, or of e and an accent behind NFC. Only what can be proved is said: a rule is dropped as soon as a later part
might bring back what it rules out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from explorer.engine import oniguruma
from explorer.engine.bert_normalizer import is_white_space
from explorer.engine.byte_map import BYTE_OF
from explorer.engine.items import Segment
from explorer.engine.old_unicode import is_any_mark, lower
from explorer.engine.rewriting import NMT_CONTROLS, NMT_SPACES
from explorer.engine.unicode_forms import Form, UnicodeForm
from explorer.implementations.huggingface.reading import Placed
from explorer.trace import silent

PRINTABLE: Final = "".join(BYTE_OF)


class Rule(NamedTuple):
    """What cannot be in the text.

    because: the part that took it out, such as "behind Lowercase (normalizer)". character: whether a character cannot
    be there. text: whether a text cannot be there, for rules about more than one character. alphabet: all
    characters that can be there, where they are few.
    """

    because: str
    character: Callable[[str], bool] = lambda ch: False
    text: Callable[[str], bool] = lambda text: False
    alphabet: str = ""


@dataclass
class Absent:
    """What is known of the text, whatever text it is, behind the parts it was told of."""

    rules: list[Rule] = field(default_factory=list)

    def behind(self, part: Placed) -> None:
        """Goes on behind a normalizer or pre-tokenizer."""
        because = f"behind {part.kind} ({part.place})"
        match part.kind:
            case "NFC" | "NFD" | "NFKC" | "NFKD" as form:
                # a part of a text in a form is in that form, too
                self.rules = [Rule(because, text=lambda text: in_form(form, text) != text)]
            case "Lowercase":
                self.rules = [Rule(because, lambda ch: lower(ch) != ch)]
            case "BertNormalizer":
                self.rules = []
                if part.part.get("lowercase"):
                    self.rules.append(Rule(because, lambda ch: lower(ch) != ch))
                if part.part.get("clean_text"):
                    self.rules.append(Rule(because, lambda ch: ch != " " and is_white_space(ch)))
            case "ByteLevel":
                self.rules = [Rule(because, lambda ch: ch not in BYTE_OF, alphabet=PRINTABLE)]
            case "Precompiled":
                self.rules = []
            case "StripAccents":
                self.only_characters()
                self.rules.append(Rule(because, is_any_mark))
            case "Nmt":
                self.only_characters()
                self.adds(" ")
                self.rules.append(Rule(because, lambda ch: ch in NMT_CONTROLS or ch in NMT_SPACES))
            case "Prepend":
                self.only_characters()
                self.adds(part.get("prepend", str))
            case "Replace":
                kind, pattern = part.pattern()
                content = part.get("content", str)
                self.only_characters()
                self.adds(content)
                if kind is None and len(pattern) == 1 and pattern not in content:
                    self.rules.append(Rule(because, pattern.__eq__))
            case "Split":
                kind, pattern = part.pattern()
                removed = part.get("behavior", str) == "Removed" and not part.get("invert", bool)
                if kind is None and len(pattern) == 1 and removed:
                    self.rules.append(Rule(because, pattern.__eq__))
                if not pattern:
                    self.rules.append(Rule(because, text=lambda text: len(text) > 1))
            case "CharDelimiterSplit":
                self.rules.append(Rule(because, part.get("delimiter", str).__eq__))
            case "Whitespace" | "WhitespaceSplit" | "BertPreTokenizer":
                self.rules.append(Rule(because, is_white_space))
            case "Metaspace":
                mark = part.get("replacement", str)
                self.only_characters()
                self.adds(mark)
                if mark != " ":
                    self.rules.append(Rule(because, " ".__eq__))
            case "FixedLength":
                size = part.get("length", int, 5)
                self.rules.append(Rule(because, text=lambda text: len(text) > size))

    def adds(self, text: str) -> None:
        """A text may be there now: what ruled its characters out rules them out no longer."""
        self.rules = [without(rule, frozenset(text)) for rule in self.rules]

    def only_characters(self) -> None:
        """A part that puts characters together anew: what is known of more than one of them is known no longer."""
        self.rules = [rule._replace(text=lambda text: False) for rule in self.rules]

    def never(self, text: str) -> str:
        """Why a text cannot be there; empty where it can."""
        for rule in self.rules:
            if rule.text(text) or any(map(rule.character, text)):
                return rule.because
        return ""

    def why_not(self, pattern: str) -> list[str]:
        """Of each alternative of an Oniguruma pattern why it cannot match; empty where it may."""
        return [next(filter(None, map(self.lacks, needs)), "") for needs in oniguruma.needs(pattern)]

    def lacks(self, need: str) -> str:
        """Why no character is there that an expression for one character matches; empty where one may be."""
        literal = need[-1] if len(need) == 1 or (len(need) == 2 and need[0] == "\\" and not need[1].isalnum()) else ""
        for rule in self.rules:
            if literal:
                if rule.character(literal):
                    return rule.because
            elif rule.alphabet and not oniguruma.found_in(need, rule.alphabet):
                return rule.because
        return ""


def without(rule: Rule, added: frozenset[str]) -> Rule:
    """A rule that says nothing of some characters."""
    character = rule.character
    alphabet = rule.alphabet and rule.alphabet + "".join(added)
    return rule._replace(character=lambda ch: ch not in added and character(ch), alphabet=alphabet)


def in_form(form: Form, text: str) -> str:
    return UnicodeForm(form).apply(Segment.of(text), 0, False, silent).text if text else ""

"""What cannot be in the text any more at a place of the pipeline, and which patterns therefore never match there.

A Split at a space behind a ByteLevel, which writes spaces as Ġ, cuts nothing; so does a Replace of a capital behind
Lowercase, or of e and an accent behind NFC. Only what can be proved is said: a rule is dropped as soon as a later part
might bring back what it rules out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from explorer.engine.items import Segment
from explorer.engine.normalizers.bert import is_white_space
from explorer.engine.normalizers.huggingface import NMT_CONTROLS, NMT_SPACES
from explorer.engine.normalizers.unicode_forms import Form, UnicodeForm
from explorer.engine.trace import silent
from explorer.engine.unicode.byte_map import BYTE_OF
from explorer.engine.unicode.versions import is_any_mark, lower
from explorer.implementations.huggingface.reading import Placed

PRINTABLE: Final = "".join(BYTE_OF)


Says = Callable[[str], bool]


def never_holds(text: str) -> bool:
    """Of a rule that says nothing."""
    return False


@dataclass
class Rule:
    """What cannot be in the text.

    because: the part that took it out, such as "behind Lowercase (normalizer)". character: whether a character cannot
    be there. text: whether a text cannot be there, for rules about more than one character. alphabet: all
    characters that can be there, where they are few. added: what a later part may have brought back.
    """

    because: str
    character: Says = never_holds
    text: Says = never_holds
    alphabet: str = ""
    added: set[str] = field(default_factory=set)

    def rules_out(self, ch: str) -> bool:
        return self.character(ch) and ch not in self.added


@dataclass
class Absent:
    """What is known of the text, whatever text it is, behind the parts it was told of.

    There is one rule of a name, the last: it rules out all that the one before did. So the work is linear in the parts.
    """

    rules: dict[str, Rule] = field(default_factory=dict)
    gone: dict[str, str] = field(default_factory=dict)
    """single characters that were taken out → by which part"""

    def behind(self, part: Placed) -> None:
        """Goes on behind a normalizer or pre-tokenizer."""
        because = f"behind {part.kind} ({part.place})"
        match part.kind:
            case "NFC" | "NFD" | "NFKC" | "NFKD" as form:
                # a part of a text in a form is in that form, too
                self.only("form", Rule(because, text=lambda text: in_form(form, text) != text))
            case "Lowercase":
                self.only("capitals", Rule(because, is_capital))
            case "BertNormalizer":
                self.only()
                if part.part.get("lowercase"):
                    self.rule("capitals", Rule(because, is_capital))
                if part.part.get("clean_text"):
                    self.rule("white space but spaces", Rule(because, lambda ch: ch != " " and is_white_space(ch)))
            case "ByteLevel":
                self.only("bytes", Rule(because, lambda ch: ch not in BYTE_OF, alphabet=PRINTABLE))
            case "Precompiled":
                self.only()
            case "StripAccents":
                self.only_characters()
                self.rule("marks", Rule(because, is_any_mark))
            case "Nmt":
                self.only_characters()
                self.adds(" ")
                self.rule("nmt", Rule(because, lambda ch: ch in NMT_CONTROLS or ch in NMT_SPACES))
            case "Prepend":
                self.only_characters()
                self.adds(part.get("prepend", str))
            case "Replace":
                kind, pattern = part.pattern()
                content = part.get("content", str)
                self.only_characters()
                self.adds(content)
                if kind is None and len(pattern) == 1 and pattern not in content:
                    self.gone[pattern] = because
            case "Split":
                kind, pattern = part.pattern()
                removed = part.get("behavior", str) == "Removed" and not part.get("invert", bool)
                if kind is None and len(pattern) == 1 and removed:
                    self.gone[pattern] = because
                if not pattern:
                    self.rule("length 1", Rule(because, text=lambda text: len(text) > 1))
            case "CharDelimiterSplit":
                self.gone[part.get("delimiter", str)] = because
            case "Whitespace" | "WhitespaceSplit" | "BertPreTokenizer":
                self.rule("white space", Rule(because, is_white_space))
            case "Metaspace":
                mark = part.get("replacement", str)
                self.only_characters()
                self.adds(mark)
                if mark != " ":
                    self.gone[" "] = because
            case "FixedLength":
                size = part.get("length", int, 5)
                self.rule(f"length {size}", Rule(because, text=lambda text: len(text) > size))

    def rule(self, name: str, rule: Rule) -> None:
        self.rules[name] = rule

    def only(self, name: str = "", rule: Rule | None = None) -> None:
        """Nothing else is known any longer."""
        self.rules, self.gone = ({} if rule is None else {name: rule}), {}

    def adds(self, text: str) -> None:
        """A text may be there now: what ruled its characters out rules them out no longer."""
        characters = set(text)
        for ch in characters:
            self.gone.pop(ch, None)
        for rule in self.rules.values():
            rule.added |= characters

    def only_characters(self) -> None:
        """A part that puts characters together anew: what is known of more than one of them is known no longer."""
        for rule in self.rules.values():
            rule.text = never_holds

    def never(self, text: str) -> str:
        """Why a text cannot be there; empty where it can."""
        characters = set(text)
        for rule in self.rules.values():
            if rule.text(text) or any(map(rule.rules_out, characters)):
                return rule.because
        return next((self.gone[ch] for ch in text if ch in self.gone), "")

    def why_not(self, pattern: str) -> list[str]:
        """Of each alternative of an Oniguruma pattern why it cannot match; empty where it may."""
        from explorer.engine.regexes import oniguruma

        return [next(filter(None, map(self.lacks, needs)), "") for needs in oniguruma.needs(pattern)]

    def lacks(self, need: str) -> str:
        """Why no character is there that an expression for one character matches; empty where one may be."""
        from explorer.engine.regexes import oniguruma

        literal = need[-1] if len(need) == 1 or (len(need) == 2 and need[0] == "\\" and not need[1].isalnum()) else ""
        for rule in self.rules.values():
            if literal:
                if rule.rules_out(literal):
                    return rule.because
            elif rule.alphabet and not oniguruma.found_in(need, rule.alphabet + "".join(rule.added)):
                return rule.because
        return self.gone.get(literal, "")


def is_capital(ch: str) -> bool:
    return lower(ch) != ch


def in_form(form: Form, text: str) -> str:
    return UnicodeForm(form).apply(Segment.of(text), 0, False, silent).text if text else ""

"""Which characters can no longer occur at a point of the pipeline, and which patterns therefore never match there.

A Split at a space after a ByteLevel, which writes spaces as Ġ, cuts nothing. Neither does a Replace of a capital after
Lowercase, or of e and an accent after NFC. Only what can be proved is reported: a rule is dropped as soon as a later
part might restore what it rules out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from explorer.engine.items import Segment
from explorer.engine.normalizers.huggingface import NMT_CONTROLS, NMT_SPACES
from explorer.engine.normalizers.unicode_forms import Form, UnicodeForm
from explorer.engine.trace import silent
from explorer.engine.unicode.byte_map import BYTE_OF
from explorer.engine.unicode.versions import is_any_mark, lower
from explorer.implementations.huggingface.reading import LocatedPart
from explorer.text.code_points import is_white_space

PRINTABLE: Final = "".join(BYTE_OF)


Predicate = Callable[[str], bool]


def _never(text: str) -> bool:
    return False


@dataclass
class Rule:
    """Text that cannot occur.

    because: the part that removed it, such as "after Lowercase (normalizer)". character: whether a character cannot
    occur. text: whether a text cannot occur, for rules about more than one character. alphabet: all characters that can
    occur, if they are few. added: characters that a later part may have restored.
    """

    because: str
    character: Predicate = _never
    text: Predicate = _never
    alphabet: str = ""
    added: set[str] = field(default_factory=set)

    def rules_out(self, ch: str) -> bool:
        """Whether a character cannot occur."""
        return self.character(ch) and ch not in self.added


@dataclass
class AbsentText:
    """What is known about any text after the parts seen so far.

    Of the rules with one name only the last is kept: it rules out everything the earlier one did. So the work is linear
    in the number of parts.
    """

    rules: dict[str, Rule] = field(default_factory=dict)
    removed: dict[str, str] = field(default_factory=dict)
    """single characters that were removed → by which part"""

    def after(self, part: LocatedPart) -> None:
        """Continues after a normalizer or pre-tokenizer."""
        because = f"after {part.kind} ({part.path})"
        if part.kind in REWRITES:
            self._after_rewrite(part, because)
        else:
            self._after_edit(part, because)

    def _after_rewrite(self, part: LocatedPart, because: str) -> None:
        """After a part that may change any character, so that nothing known before it still holds."""
        self.rules, self.removed = {}, {}
        match part.kind:
            case "NFC" | "NFD" | "NFKC" | "NFKD" as form:
                # any part of a text in a form is in that form, too
                self.rules["form"] = Rule(because, text=lambda text: in_form(form, text) != text)
            case "Lowercase":
                self.rules["capitals"] = Rule(because, is_capital)
            case "BertNormalizer":
                if part.part.get("lowercase"):
                    self.rules["capitals"] = Rule(because, is_capital)
                if part.part.get("clean_text"):
                    self.rules["white space"] = Rule(because, lambda ch: ch != " " and is_white_space(ch))
            case "ByteLevel":
                self.rules["bytes"] = Rule(because, lambda ch: ch not in BYTE_OF, alphabet=PRINTABLE)

    def _after_edit(self, part: LocatedPart, because: str) -> None:
        """After a part that removes or adds known characters, or only splits."""
        match part.kind:
            case "StripAccents":
                self._keep_character_rules()
                self.rules["marks"] = Rule(because, is_any_mark)
            case "Nmt":
                self._keep_character_rules()
                self._allow(" ")
                self.rules["nmt"] = Rule(because, lambda ch: ch in NMT_CONTROLS or ch in NMT_SPACES)
            case "Prepend":
                self._keep_character_rules()
                self._allow(part.get("prepend", str))
            case "Replace":
                kind, pattern = part.pattern()
                content = part.get("content", str)
                self._keep_character_rules()
                self._allow(content)
                if kind is None and len(pattern) == 1 and pattern not in content:
                    self.removed[pattern] = because
            case "Split":
                kind, pattern = part.pattern()
                removed = part.get("behavior", str) == "Removed" and not part.get("invert", bool)
                if kind is None and len(pattern) == 1 and removed:
                    self.removed[pattern] = because
                if not pattern:
                    self.rules["length 1"] = Rule(because, text=lambda text: len(text) > 1)
            case "CharDelimiterSplit":
                self.removed[part.get("delimiter", str)] = because
            case "Whitespace" | "WhitespaceSplit" | "BertPreTokenizer":
                self.rules["any white space"] = Rule(because, is_white_space)
            case "Metaspace":
                mark = part.get("replacement", str)
                self._keep_character_rules()
                self._allow(mark)
                if mark != " ":
                    self.removed[" "] = because
            case "FixedLength":
                size = part.get("length", int, 5)
                self.rules[f"length {size}"] = Rule(because, text=lambda text: len(text) > size)

    def _allow(self, text: str) -> None:
        """A text may occur from now on: rules no longer rule its characters out."""
        characters = set(text)
        for ch in characters:
            self.removed.pop(ch, None)
        for rule in self.rules.values():
            rule.added |= characters

    def _keep_character_rules(self) -> None:
        """After a part that makes new neighbors: rules about more than one character no longer hold."""
        for rule in self.rules.values():
            rule.text = _never

    def never(self, text: str) -> str:
        """Why a text cannot occur; empty if it can."""
        characters = set(text)
        for rule in self.rules.values():
            if rule.text(text) or any(map(rule.rules_out, characters)):
                return rule.because
        return next((self.removed[ch] for ch in text if ch in self.removed), "")

    def why_not(self, pattern: str) -> list[str]:
        """For each alternative of an Oniguruma pattern, why it cannot match; empty if it can."""
        from explorer.engine.regexes import oniguruma

        return [next(filter(None, map(self._lacks, needs)), "") for needs in oniguruma.needs(pattern)]

    def _lacks(self, need: str) -> str:
        """Why an expression for one character cannot match; empty if it can."""
        from explorer.engine.regexes import oniguruma

        literal = need[-1] if len(need) == 1 or (len(need) == 2 and need[0] == "\\" and not need[1].isalnum()) else ""
        for rule in self.rules.values():
            if literal:
                if rule.rules_out(literal):
                    return rule.because
            elif rule.alphabet and not oniguruma.found_in(need, rule.alphabet + "".join(rule.added)):
                return rule.because
        return self.removed.get(literal, "")


REWRITES: Final = frozenset({"NFC", "NFD", "NFKC", "NFKD", "Lowercase", "BertNormalizer", "ByteLevel", "Precompiled"})
"""Types that may change any character."""


def is_capital(ch: str) -> bool:
    """Whether lowercasing changes a character."""
    return lower(ch) != ch


def in_form(form: Form, text: str) -> str:
    """A text in a Unicode normalization form."""
    return UnicodeForm(form).apply(Segment.of(text), 0, False, silent).text if text else ""

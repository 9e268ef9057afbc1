"""A template as a program of llama.cpp's engine: parsed, and run within bounds.

The tree is as llama.cpp parses it: `common/jinja/parser.cpp`.

It accepts less than jinja2 (no `do`, `include`, blocks or slots), and some more: a missing comma in a list, an integer
after a dot. `not a == b` and `a is b == c` bind differently.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import accumulate
from math import isfinite
from typing import Any, NamedTuple, TypeVar

from explorer.engine import budget
from explorer.errors import shown
from explorer.prompts.llama_cpp import syntax
from explorer.prompts.llama_cpp.interpreter import Interpreter
from explorer.prompts.llama_cpp.rules import Rule
from explorer.prompts.llama_cpp.syntax import Node, Token
from explorer.prompts.llama_cpp.values import Break, Continue, Failed, Raised
from explorer.prompts.program import (
    LIMITS,
    LONGEST_TEMPLATE,
    SECONDS,
    one_line,
    stopped,
)
from explorer.prompts.run import WORDS, Operand, Run, TemplateFailed, Tree, has_parts

LONGEST_NUMBER = 20
"""Digits, more than a whole number of C++ has."""
Kind = TypeVar("Kind", bound=Node)
Decided = TypeVar("Decided", syntax.If, syntax.Choice)
END = Token("end", "", 0, 0)


class Parser:
    """Parses the tokens of a source.

    operands: what writes, tests, sets or loops, as it is found.
    """

    def __init__(self, source: str) -> None:
        """Reads a normalized source. Raises Failed."""
        self.source = source
        self.tokens = syntax.tokens(source)
        self.at = 0
        self.operands: list[Operand] = []
        self.texts: dict[int, str] = {}
        """the texts that operands copy, by their index"""

    def parse(self) -> list[Node]:
        """The body of the template. Raises Failed."""
        body = []
        while self.at < len(self.tokens):
            body.append(self._any())
        return body

    # --- tokens -------------------------------------------------------------------------------------------------------

    def _peek(self, offset: int = 0) -> Token:
        return self.tokens[self.at + offset] if self.at + offset < len(self.tokens) else END

    def _next(self) -> Token:
        if self.at >= len(self.tokens):
            raise Failed("Unexpected end of the template", len(self.source))
        self.at += 1
        return self.tokens[self.at - 1]

    def _is(self, *whats: str) -> bool:
        """Whether the next token is of one of these kinds, or one of these names."""
        return self._peek().what in whats

    def _take(self, what: str) -> bool:
        """Whether the next token is that, which is then consumed."""
        taken = self._is(what)
        self.at += taken
        return taken

    def _expect(self, what: str) -> None:
        if not self._take(what):
            raise Failed(f"Expected {what}, got {self._peek().text!r}", self._peek().start or len(self.source))

    def _ends(self, *names: str) -> bool:
        """Whether a tag with one of these names follows."""
        return self._is(syntax.OPEN_STATEMENT) and self._peek(1).what in names

    def _make(
        self,
        kind: type[Kind],
        start: int,
        operand: str = "",
        of: Node | None = None,
        name: Node | None = None,
        /,
        **fields: Any,
    ) -> Kind:
        """A node that begins at an offset and ends before the next token.

        operand: what it does, of: in which part. name: of what it sets, loops with or calls.
        """
        end = self.tokens[self.at - 1].end if self.at else 0
        node = kind(start=start, end=max(start, end), **fields)
        if operand:
            node.operand = self._operand(operand, of or node, name)
            if "text" in fields:
                self.texts[node.operand] = fields["text"]
        return node

    def _operand(self, kind: str, node: Node, name: Node | None = None, of: int = -1) -> int:
        line = self.source.count("\n", 0, node.start) + 1
        spelled = self.source[name.start : name.end] if name else ""
        self.operands.append(
            Operand(kind, line, node.start, node.end, spelled, WORDS["parts"][type(node).__name__], of=of)
        )
        return len(self.operands) - 1

    def _joined(self, node: Node, of: int) -> None:
        """Records the parts of what is joined by + and ~."""
        if isinstance(node, syntax.Binary) and node.operator in ("+", "~"):
            self._joined(node.left, of)
            self._joined(node.right, of)
        else:
            node.part = self._operand("part", node, of=of)

    def _decided(self, node: Node, of: int) -> Tree:
        """Records the parts of what is joined by and, or and not. How it is joined."""
        if isinstance(node, syntax.Binary) and node.operator in ("and", "or"):
            return node.operator, self._decided(node.left, of), self._decided(node.right, of)
        if isinstance(node, syntax.Unary) and node.operator == "not" and isinstance(node.argument, syntax.Binary):
            return "not", self._decided(node.argument, of)
        node.part = self._operand("part", node, of=of)
        return node.part

    def _with_decisions(self, node: Decided) -> Decided:
        """A node whose test is joined from parts, if it is."""
        if isinstance(node.test, syntax.Binary) and node.test.operator in ("and", "or"):
            has_parts(self.operands, node.operand, self._decided(node.test, node.operand))
        return node

    # --- statements ---------------------------------------------------------------------------------------------------

    def _any(self) -> Node:
        token = self._peek()
        if token.kind in (syntax.COMMENT, syntax.TEXT):
            self.at += 1
            if token.kind == syntax.COMMENT:
                return self._make(syntax.Nothing, token.start)
            return self._make(syntax.Text, token.start, "data", text=token.text)
        if self._take(syntax.OPEN_EXPRESSION):
            value = self._expression()
            output = self._make(syntax.Output, token.start, "write", value, value=value)
            if isinstance(value, syntax.Binary) and value.operator in ("+", "~"):
                self._joined(value, output.operand)
                has_parts(self.operands, output.operand)
            self._expect(syntax.CLOSE_EXPRESSION)
            return output
        self._expect(syntax.OPEN_STATEMENT)
        return self._statement()

    def _body(self, *ends: str) -> list[Node]:
        """What stands before a tag with one of these names."""
        body = []
        while not self._ends(*ends):
            if self.at >= len(self.tokens):
                raise Failed(f"Expected {ends[-1]}", len(self.source))
            body.append(self._any())
        return body

    def _close(self, name: str) -> None:
        """Consumes a tag with this name."""
        for what in (syntax.OPEN_STATEMENT, name, syntax.CLOSE_STATEMENT):
            self._expect(what)

    def _else(self, end: str) -> list[Node]:
        """What stands between `else`, if it follows, and a tag with the name `end`."""
        if not self._ends("else"):
            return []
        self.at += 2
        self._expect(syntax.CLOSE_STATEMENT)
        return self._body(end)

    def _inside(self, end: str) -> list[Node]:
        """The rest of a tag, and what stands between it and the tag with the name `end`, which is consumed."""
        self._expect(syntax.CLOSE_STATEMENT)
        body = self._body(end)
        self._close(end)
        return body

    def _statement(self) -> Node:
        if self._peek().kind != syntax.NAME:
            raise Failed("Unknown statement", self._peek().start)
        token = self._next()
        statements: dict[str, Callable[[int], Node]] = {
            "set": self._set,
            "if": self._if,
            "macro": self._macro,
            "for": self._for,
            "call": self._call_block,
            "filter": self._filter_block,
        }
        if token.text in statements:
            return statements[token.text](token.start)
        if token.text in ("break", "continue"):
            self._expect(syntax.CLOSE_STATEMENT)
            return self._make(syntax.Jump, token.start, to=token.text)
        if token.text in ("generation", "endgeneration"):
            self.at += 1  # whatever closes it
            return self._make(syntax.Nothing, token.start)
        raise Failed(f"Unknown statement: {token.text}", token.start)

    def _set(self, start: int) -> Node:
        target = self._sequence(self._expression)
        value, body = None, []
        if self._take("="):
            value = self._sequence(self._expression)
        else:
            self._expect(syntax.CLOSE_STATEMENT)
            body = self._body("endset")
            self._expect(syntax.OPEN_STATEMENT)
            self._expect("endset")
        node = self._make(syntax.Set, start, "set", value or target, target, target=target, value=value, body=body)
        self._expect(syntax.CLOSE_STATEMENT)
        return node

    def _if(self, start: int, *, closes: bool = True) -> Node:
        test = self._expression()
        node = self._with_decisions(self._make(syntax.If, start, "test", test, test=test, body=[], others=[]))
        self._expect(syntax.CLOSE_STATEMENT)
        node.body = self._body("elif", "else", "endif")
        if self._ends("elif"):
            self.at += 2
            node.others = [self._if(self._peek().start, closes=False)]
        else:
            node.others = self._else("endif")
        if closes:
            self._close("endif")
        return node

    def _macro(self, start: int) -> Node:
        name = self._primary()
        node = self._make(syntax.Macro, start, "call", name, name, name=name, parameters=self._arguments(), body=[])
        node.body = self._inside("endmacro")
        return node

    def _for(self, start: int) -> Node:
        variable = self._sequence(self._primary)
        self._expect("in")
        iterable = self._expression()
        node = self._make(
            syntax.For, start, "loop", iterable, variable, variable=variable, iterable=iterable, body=[], others=[]
        )
        self._expect(syntax.CLOSE_STATEMENT)
        node.body = self._body("endfor", "else")
        node.others = self._else("endfor")
        self._close("endfor")
        return node

    def _call_block(self, start: int) -> Node:
        parameters = self._arguments() if self._is("(") else []
        callee = self._primary()
        if not isinstance(callee, syntax.Name):
            raise Failed("Expected a name", callee.start)
        call = self._make(syntax.Call, start, callee=callee, arguments=self._arguments())
        body = self._inside("endcall")
        return self._make(syntax.CallBlock, start, "write", call, call=call, parameters=parameters, body=body)

    def _filter_block(self, start: int) -> Node:
        filter = self._primary()
        if isinstance(filter, syntax.Name) and self._is("("):
            filter = self._call(filter)
        body = self._inside("endfilter")
        return self._make(syntax.FilterBlock, start, "write", filter, filter=filter, body=body)

    # --- expressions, the loosest first -------------------------------------------------------------------------------

    def _sequence(self, part: Callable[[], Node]) -> Node:
        """One part, or a tuple of those that commas separate."""
        start = self._peek().start
        items = [part()]
        is_tuple = self._is(",")
        while self._take(","):
            items.append(part())
        return self._make(syntax.Items, start, items=items, is_tuple=True) if is_tuple else items[0]

    def _expression(self) -> Node:
        value = self._or()
        if not self._take("if"):
            return value
        test = self._or()
        no = self._expression() if self._take("else") else None
        return self._with_decisions(self._make(syntax.Choice, value.start, "test", test, test=test, yes=value, no=no))

    def _binary(self, part: Callable[[], Node], operator: Callable[[], str]) -> Node:
        """Parts with operators between them, from left to right."""
        left = part()
        while sign := operator():
            left = self._make(syntax.Binary, left.start, operator=sign, left=left, right=part())
        return left

    def _operator(self, *whats: str) -> Callable[[], str]:
        return lambda: self._next().text if self._is(*whats) else ""

    def _or(self) -> Node:
        return self._binary(self._and, self._operator("or"))

    def _and(self) -> Node:
        return self._binary(self._not, self._operator("and"))

    def _not(self) -> Node:
        start = self._peek().start
        if self._take("not"):
            return self._make(syntax.Unary, start, operator="not", argument=self._not())
        return self._binary(self._additive, self._comparison)

    def _comparison(self) -> str:
        if self._is("not") and self._peek(1).what == "in":
            self.at += 2
            return "not in"
        return self._operator("in", syntax.COMPARISON)()

    def _additive(self) -> Node:
        return self._binary(self._multiplicative, self._operator(syntax.ADDITIVE))

    def _multiplicative(self) -> Node:
        return self._binary(self._test, self._operator(syntax.MULTIPLICATIVE))

    def _test(self) -> Node:
        node = self._filter()
        while self._take("is"):
            negated = self._take("not")
            test = self._primary()
            if self._is("("):
                test = self._call(test)
            elif self._is(syntax.NUMBER, syntax.STRING, "{", "[") or (
                self._peek().kind == syntax.NAME and not self._is("and", "or", "else")
            ):
                start = self._peek().start
                test = self._make(syntax.Call, start, callee=test, arguments=[self._unary()])
            node = self._make(syntax.Test, node.start, input=node, test=test, negated=negated)
        return node

    def _filter(self) -> Node:
        node = self._unary()
        while self._take("|"):
            filter = self._primary()
            if self._is("("):
                filter = self._call(filter)
            node = self._make(syntax.Filter, node.start, input=node, filter=filter)
        return node

    def _unary(self) -> Node:
        if self._is(syntax.UNARY):
            token = self._next()
            return self._make(syntax.Unary, token.start, operator=token.text, argument=self._unary())
        member = self._members(self._primary())
        return self._call(member) if self._is("(") else member

    def _call(self, callee: Node) -> Node:
        call = self._make(syntax.Call, callee.start, callee=callee, arguments=self._arguments())
        call.end = self.tokens[self.at - 1].end
        member = self._members(call)
        return self._call(member) if self._is("(") else member

    def _arguments(self) -> list[Node]:
        self._expect("(")
        arguments = []
        while not self._is(")"):
            start = self._peek().start
            if self._is(syntax.MULTIPLICATIVE) and self._peek().text == "*":
                self.at += 1
                self._expression()
                argument: Node = self._make(syntax.Nothing, start, refused="*arguments can't be passed")
            else:
                argument = self._expression()
                if self._take("="):
                    argument = self._make(syntax.Keyword, start, key=argument, value=self._expression())
            arguments.append(argument)
            self._take(",")
        self._expect(")")
        return arguments

    def _members(self, node: Node) -> Node:
        while self._is(".", "["):
            computed = self._next().kind == "["
            property = self._index() if computed else self._primary()
            if computed:
                self._expect("]")
            node = self._make(syntax.Member, node.start, object=node, property=property, computed=computed)
        return node

    def _index(self) -> Node:
        start = self._peek().start
        parts: list[Node | None] = []
        is_slice = False
        while not self._is("]"):
            if self._take(":"):
                parts.append(None)
                is_slice = True
            else:
                parts.append(self._expression())
                is_slice |= self._take(":")
        if is_slice:
            first, stop, step = (*parts, None, None, None)[:3]
            return self._make(syntax.Slice, start, first=first, stop=stop, step=step)
        if not parts or parts[0] is None:
            return self._make(syntax.Nothing, start, refused="an index is missing")
        return parts[0]

    def _primary(self) -> Node:
        token = self._next()
        if token.kind == syntax.NUMBER:
            return self._make(syntax.Number, token.start, value=number_of(token))
        if token.kind == syntax.STRING:
            text = token.text
            while self._is(syntax.STRING):
                text += self._next().text
            return self._make(syntax.Text, token.start, "literal", text=text)
        if token.kind == syntax.NAME:
            return self._make(syntax.Name, token.start, name=token.text)
        if token.kind == "(":
            inner = self._sequence(self._expression)
            self._expect(")")
            return inner
        if token.kind == "[":
            items = []
            while not self._take("]"):
                items.append(self._expression())
                self._take(",")
            return self._make(syntax.Items, token.start, items=items)
        if token.kind == "{":
            pairs = []
            while not self._take("}"):
                key = self._expression()
                self._expect(":")
                pairs.append((key, self._expression()))
                self._take(",")
            return self._make(syntax.Object, token.start, pairs=pairs)
        raise Failed(f"Unexpected {token.text!r}", token.start)


def number_of(token: Token) -> float:
    """A number as C++ reads it, by `stod` or `stoll`. Raises Failed for one that is out of range."""
    if "." in token.text and isfinite(fraction := float(token.text)):
        return fraction
    short = "." not in token.text and len(token.text.lstrip("+-0")) < LONGEST_NUMBER  # Python reads no longer ones
    if short and -(2**63) <= (whole := int(token.text)) < 2**63:
        return whole
    raise Failed(f"The number {shown(token.text)} is out of range", token.start)


PRESERVE = {
    "preserve_thinking": True,
    "clear_thinking": False,
    "truncate_history_thinking": False,
    "drop_thinking": False,
}
"""What `preserve_reasoning` sets; llama-server switches it on."""


def as_bytes(text: str) -> str:
    """A text whose characters are the bytes of its UTF-8.

    >>> as_bytes("é")
    'Ã©'
    """
    return text.encode("utf-8", "replace").decode("latin-1")


def as_text(text: str) -> str:
    """What the bytes in a text are as UTF-8. Characters that are no bytes stay.

    >>> as_text("Ã©…")
    'é…'
    """
    return BYTES.sub(lambda found: found[0].encode("latin-1").decode("utf-8", "ignore"), text)


BYTES = re.compile("[\x80-\xff]+")


class Parsed(NamedTuple):
    """A template as llama.cpp parses it. source: normalized, as characters. texts: byte texts of operands, by index."""

    source: str
    body: Sequence[Node]
    operands: tuple[Operand, ...]
    texts: Mapping[int, str]


@lru_cache(maxsize=64)
def parsed(template: str) -> Parsed:
    """A template's source, parsed. Raises TemplateFailed."""
    if len(template) > LONGEST_TEMPLATE:
        raise TemplateFailed("The template has more than {0} characters.", LONGEST_TEMPLATE)
    source = syntax.normalized(as_bytes(template))
    try:
        parser = Parser(source)
        body = parser.parse()
    except Failed as error:
        line = source.count("\n", 0, max(error.at, 0)) + 1
        raise TemplateFailed(as_text(str(error)), line=line) from error
    except RecursionError:
        raise TemplateFailed("The template is nested too deeply.") from None
    counts = [0, *accumulate(not "\x80" <= byte < "\xc0" for byte in str.__iter__(source))]
    """by byte offset, the number of characters before it"""
    operands = [
        each._replace(start=counts[each.start], end=counts[each.end], name=as_text(each.name))
        for each in parser.operands
    ]
    return Parsed(source.encode("latin-1").decode("utf-8", "replace"), body, tuple(operands), parser.texts)


def run(
    template: Parsed, variables: Mapping[str, Any], now: datetime, without: Collection[Rule] = (), *, spent: int = 0
) -> tuple[Run, Interpreter]:
    """Runs a template with these variables. without: rules that are left out. spent: of its steps, before it runs.

    Raises TemplateFailed.
    """
    record = Run(template.operands, now, readable=as_text, spent=spent)
    interpreter = Interpreter(record, now, without)

    def line() -> int:
        return as_bytes(template.source).count("\n", 0, max(interpreter.at, 0)) + 1

    try:
        with budget.within("running a template", SECONDS):
            interpreter.write(template.body, dict(variables))
    except TemplateFailed as error:
        error.line, error.run = error.line or line(), record
        raise
    except Raised as error:
        raise TemplateFailed(one_line(as_text(str(error))), line=line(), refused=True, run=record) from error
    except LIMITS as error:
        raise stopped(error, line(), record) from error
    except (Failed, Break, Continue) as error:
        words = as_text(str(error)) or "break or continue outside a loop"
        raise TemplateFailed(words, line=line(), run=record) from error
    return record, interpreter

"""Runs a template as llama.cpp does, and records what it did: `common/jinja/runtime.cpp`.

A scope is a copy of the variables around it: what a loop or macro sets is gone after it. A macro sees the variables of
its caller. Writes what jinja2 wouldn't: nothing for none and undefined, a list's items one after the other.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import add, ge, gt, le, lt, mul, sub, truediv
from typing import Any, TypeAlias

from explorer.errors import InputError
from explorer.prompts.bounds import bounded, weighed
from explorer.prompts.llama_cpp import syntax
from explorer.prompts.llama_cpp.builtins import GLOBALS, LISTS, TESTS, Arguments, Builtin, Loop, of_type
from explorer.prompts.llama_cpp.rules import Lazy, Rule, Safe, as_json, as_python, decoded, escaped
from explorer.prompts.llama_cpp.syntax import Node
from explorer.prompts.llama_cpp.values import (
    Break,
    Continue,
    Failed,
    Function,
    Keyword,
    Undefined,
    contains,
    equal,
    is_hashable,
    is_int,
    is_missing,
    is_number,
    key_of,
    text,
    truth,
    type_name,
    written,
)
from explorer.prompts.run import Run
from explorer.prompts.traced_text import TracedText, joined

Scope: TypeAlias = dict[str, Any]

CONSTANTS: Scope = {"true": True, "True": True, "false": False, "False": False, "none": None, "None": None}
ALIASES = {"count": "length", "d": "default", "e": "escape", "trim": "strip"}
COERCED = frozenset({"capitalize", "lower", "replace", "strip", "title", "upper", "wordcount"})
"""Filters without arguments that make a text of their input."""
GENERATORS = frozenset({"map", "reject", "rejectattr", "select", "selectattr"})
"""Filters that give a generator in jinja2."""


@dataclass(slots=True)
class Uses:
    """Which values of the input a template used, and how: for probes. By identity; the input outlives the run."""

    operations: dict[int, set[str]] = field(default_factory=dict)

    def mark(self, value: Any, operation: str = "") -> None:
        """A value was used."""
        found = self.operations.setdefault(id(value), set())
        if operation:
            found.add(operation)

    def mark_all(self, value: Any) -> None:
        """A value and all inside it were used."""
        self.mark(value)
        if isinstance(value, list | tuple):
            for item in value:
                self.mark_all(item)
        elif isinstance(value, dict):
            for pair in value.items():
                self.mark_all(pair[0])
                self.mark_all(pair[1])

    def used(self, value: Any) -> bool:
        """Whether a value was used."""
        return id(value) in self.operations

    def did(self, value: Any, *operations: str) -> bool:
        """Whether one of these was done with a value."""
        return bool(self.operations.get(id(value), set()) & set(operations))


class Interpreter:
    """Runs the body of a template. run: what records it. now: the engine's clock. without: rules that are left out."""

    def __init__(self, run: Run, now: datetime, without: Collection[Rule] = ()) -> None:
        self.run, self.now, self.without = run, now, without
        self.uses = Uses()
        self.at = -1
        """where the node that is run begins"""

    def write(self, body: Iterable[Node], variables: Scope) -> TracedText:
        """What a template writes with these variables. Raises Failed."""
        scope = {**CONSTANTS, **variables}
        for node in body:
            self.run.pieces.append(self.written(self.value(node, scope)))
        return self.run.text

    def value(self, node: Node, scope: Scope) -> Any:
        """What a node gives. Raises Failed, Break and Continue."""
        self.run.spend()
        self.at = node.start
        found = getattr(self, f"visit_{type(node).__name__}")(node, scope)
        if node.part >= 0:
            self.run.evaluated.append((node.part, found))
        return found

    def text(self, body: Iterable[Node], scope: Scope) -> TracedText:
        """What a body writes."""
        made: list[TracedText] = []
        for node in body:
            try:
                made.append(self.written(self.value(node, scope)))
            except (Break, Continue) as jump:
                jump.text = joined([*made, jump.text])
                raise
        return joined(made)

    def written(self, value: Any) -> TracedText:
        """What a value writes."""
        is_shown = Rule.SHOWN in self.without and (value is None or isinstance(value, list | tuple | dict))
        return as_python(value) if is_shown else written(value)

    def buffered(self, body: Iterable[Node], scope: Scope) -> TracedText:
        """What a body writes whose text isn't the prompt's."""
        self.run.buffers += 1
        try:
            return self.text(body, scope)
        finally:
            self.run.buffers -= 1

    # --- what gives a value -------------------------------------------------------------------------------------------

    def visit_Text(self, node: syntax.Text, scope: Scope) -> Any:
        text = TracedText.from_source(node.text, node.operand)
        if self.run.operands[node.operand].kind == "data":
            self.run.wrote(node.operand, text)
        return text

    def visit_Number(self, node: syntax.Number, scope: Scope) -> Any:
        return node.value

    def visit_Name(self, node: syntax.Name, scope: Scope) -> Any:
        value = scope.get(node.name)
        if node.name in scope and not isinstance(value, Undefined):
            self.uses.mark(value)
            return value
        if node.name in GLOBALS:
            return self.function(node.name, GLOBALS[node.name])
        return Undefined(node.name)

    def visit_Items(self, node: syntax.Items, scope: Scope) -> Any:
        weighed(values := [self.value(item, scope) for item in node.items])
        return tuple(values) if node.is_tuple else values

    def visit_Object(self, node: syntax.Object, scope: Scope) -> Any:
        made = {key_of(self.value(key, scope)): self.value(value, scope) for key, value in node.pairs}
        weighed(made)
        return made

    def visit_Choice(self, node: syntax.Choice, scope: Scope) -> Any:
        chosen = self.tested(node, self.value(node.test, scope))
        if chosen:
            return self.value(node.yes, scope)
        return Undefined() if node.no is None else self.value(node.no, scope)

    def visit_Unary(self, node: syntax.Unary, scope: Scope) -> Any:
        value = self.value(node.argument, scope)
        if node.operator == "not":
            return not truth(value)
        self.run.given = (value,)
        if not is_number(value):
            raise Failed(f"Unary {node.operator} needs a number")
        return -value if node.operator == "-" else value

    def visit_Binary(self, node: syntax.Binary, scope: Scope) -> Any:
        left = self.value(node.left, scope)
        if node.operator in ("and", "or"):
            return self.value(node.right, scope) if truth(left) == (node.operator == "and") else left
        right = self.value(node.right, scope)
        self.at = node.start
        self.run.given = (left, right)
        weighed(left, right)
        if self.without:
            left, right = self.as_jinja2(node.operator, left, right)
        made = operated(node.operator, left, right)
        return Safe(made) if node.operator == "+" and (isinstance(left, Safe) or isinstance(right, Safe)) else made

    def as_jinja2(self, operator: str, left: Any, right: Any) -> tuple[Any, Any]:
        """The operands as jinja2's operator takes them. Raises Failed where it takes none of such types."""
        texts = [isinstance(each, str) for each in (left, right)]
        absent = any(isinstance(each, Undefined) for each in (left, right))
        if absent and operator in ("+", "-", "*", "/", "%", "<", ">", "<=", ">=") and Rule.UNDEFINED in self.without:
            raise Failed(f"{operator} with an undefined value")
        if operator == "+" and any(texts) and not all(texts) and not absent and Rule.JOINS in self.without:
            raise Failed("+ joins only texts")
        if operator == "~" and Rule.SHOWN in self.without:
            left, right = (each if isinstance(each, str | Undefined) else as_python(each) for each in (left, right))
        if operator == "+" and all(texts) and (isinstance(left, Safe) or isinstance(right, Safe)):
            left, right = escaped(left), escaped(right)
        return left, right

    def visit_Keyword(self, node: syntax.Keyword, scope: Scope) -> Any:
        return Keyword(named(node.key), self.value(node.value, scope))

    def visit_Member(self, node: syntax.Member, scope: Scope) -> Any:
        value = self.value(node.object, scope)
        if isinstance(value, Undefined) and Rule.UNDEFINED in self.without:
            raise Failed(f"{value.name or 'a value'} is undefined")
        if isinstance(value, Lazy):
            raise Failed("a generator has no items")
        if isinstance(node.property, syntax.Slice):
            return self.sliced(value, node.property, scope)
        if node.computed:
            key = self.value(node.property, scope)
        elif isinstance(node.property, syntax.Number):
            key = node.property.value
        else:
            key = TracedText(named(node.property))
            if isinstance(value, list) and key in ("append", "pop") and Rule.CHANGED in self.without:
                raise Failed(f"{key.plain!r} of a list is unsafe")
            method = self.method(key.plain, value)
            if not isinstance(method, Undefined):
                return method
        if isinstance(key, Undefined):
            return Undefined()
        if not is_hashable(key):
            raise Failed(f"Type {type_name(key)} is not allowed as object key")
        found = self.attribute(value, key)
        for used in (found, value, key):
            self.uses.mark(used)
        if isinstance(value, dict) or not isinstance(key, int):
            self.uses.mark(value, "object_access")
        else:
            self.uses.mark(value, "array_access")
        return found

    def attribute(self, value: Any, key: Any) -> Any:
        if isinstance(value, Undefined):
            return value.inner()
        if isinstance(value, dict):
            found = value.get(key_of(key), Undefined())
            return self.method(text(key).plain, value) if isinstance(found, Undefined) else found
        if isinstance(value, list | tuple | str) and isinstance(key, int):
            least = 0 if isinstance(value, str) else -len(value)
            return value[key] if least <= key < len(value) else Undefined()
        if isinstance(key, str):
            return self.method(key.plain if isinstance(key, TracedText) else key, value)
        if isinstance(value, list | tuple | str):
            return Undefined()
        raise Failed(f"Cannot access property with non-string: got {type_name(key)}")

    def sliced(self, value: Any, node: syntax.Slice, scope: Scope) -> Any:
        step = 1 if node.step is None else self.value(node.step, scope)
        size = len(value) if isinstance(value, list | tuple | str) else 0
        back = is_int(step) and step < 0
        first = (size - 1 if back else 0) if node.first is None else self.value(node.first, scope)
        stop = (-1 if back else size) if node.stop is None else self.value(node.stop, scope)
        return self.called(self.method("slice", value, needed=True), [first, stop, step], scope)

    def method(self, name: str, value: Any, *, needed: bool = False) -> Any:
        """A filter or method bound to a value; undefined if its type has none of this name."""
        self.uses.mark(value, name)
        found = of_type(value).get(name)
        if found is None and isinstance(value, str) and Rule.CHARACTERS in self.without and name in LISTS:
            return self.function(name, LISTS[name], list(value))
        if found is None:
            self.run.given = (value,)
            if needed:
                raise Failed(f"Unknown filter {name!r} for type {type_name(value)}")
            return Undefined(name, value)
        return self.function(name, found, value)

    def function(self, name: str, builtin: Builtin, *bound: Any) -> Function:
        def call(values: list[Any], scope: Scope) -> Any:
            self.run.given = *bound, *(each.value if isinstance(each, Keyword) else each for each in values)
            weighed(*self.run.given)
            return builtin(self.arguments(*bound, *values))

        return Function(name, call)

    def arguments(self, *values: Any) -> Arguments:
        return Arguments([*values], self.uses.mark_all, self.now)

    def visit_Call(self, node: syntax.Call, scope: Scope) -> Any:
        values = [self.value(each, scope) for each in node.arguments]
        return self.called(self.value(node.callee, scope), values, scope)

    def called(self, function: Any, values: list[Any], scope: Scope) -> Any:
        self.run.given = values if isinstance(function, Function) else (function,)
        if not isinstance(function, Function):
            raise Failed(f"Callee is not a function: got {type_name(function)}")
        try:
            found = function.call(values, scope)
        except InputError:
            raise
        except (TypeError, ValueError, OverflowError, AttributeError) as error:
            raise Failed(f"{function.name}: {error}") from error
        if function.name == "strftime_now":
            self.run.dates.append(str(found))
        return found

    def visit_Filter(self, node: syntax.Filter, scope: Scope) -> Any:
        return self.filtered(node.filter, self.value(node.input, scope), scope)

    def filtered(self, filter: Node, value: Any, scope: Scope) -> Any:
        name, values = self.with_arguments(filter, scope)
        name = ALIASES.get(name, name)
        if self.without and not isinstance(made := self.filtered_as_jinja2(name, value, values), Undefined):
            return made
        if isinstance(filter, syntax.Name) and name in COERCED and not isinstance(value, str | Undefined):
            value = text(value)
        made = self.called(self.method(name, value, needed=True), values, scope)
        return Lazy(made) if name in GENERATORS and Rule.LAZY in self.without else made

    def with_arguments(self, node: Node, scope: Scope) -> tuple[str, list[Any]]:
        """The name of a filter or test, and its arguments besides the input."""
        if isinstance(node, syntax.Call):
            return named(node.callee), [self.value(each, scope) for each in node.arguments]
        return named(node), []

    def filtered_as_jinja2(self, name: str, value: Any, values: list[Any]) -> Any:
        """What jinja2's filter gives where its rule is in force, undefined elsewhere."""
        if isinstance(value, Lazy) and name in ("length", "tojson"):
            raise Failed(f"{name} of a generator")
        if name == "safe" and isinstance(value, str) and Rule.SAFE in self.without:
            return Safe(value)
        if name == "string" and not isinstance(value, str | Undefined) and Rule.SHOWN in self.without:
            return as_python(value)
        if name in COERCED and not isinstance(value, str | Undefined) and Rule.SHOWN in self.without:
            return self.called(self.method(name, as_python(value), needed=True), values, {})
        if name == "format" and isinstance(value, str) and Rule.FORMAT in self.without:
            given = tuple(decoded(each) for each in values if not isinstance(each, Keyword))
            if all(isinstance(each, str | int | float) for each in given) and not re.search(r"%[^%s]", value):
                return TracedText((decoded(value) % given).encode().decode("latin-1"))
        if name == "tojson" and Rule.JSON in self.without:
            options = dict(zip(("ensure_ascii", "indent", "separators", "sort_keys"), values, strict=False))
            options = {key: each for key, each in options.items() if not isinstance(each, Keyword)}
            options |= {each.key: each.value for each in values if isinstance(each, Keyword)}
            try:
                return as_json(value, **{key: decoded(each) for key, each in options.items()})
            except (TypeError, ValueError) as error:
                raise Failed(str(error)) from error
        return Undefined()

    def visit_Test(self, node: syntax.Test, scope: Scope) -> Any:
        value = self.value(node.input, scope)
        name, values = self.with_arguments(node.test, scope)
        if name not in TESTS:
            raise Failed(f"Unknown test {name!r}")
        self.uses.mark(value, f"test_is_{name}")
        return bool(TESTS[name](self.arguments(value, *values))) != node.negated

    # --- what writes --------------------------------------------------------------------------------------------------

    def visit_Output(self, node: syntax.Output, scope: Scope) -> Any:
        weighed(value := self.value(node.value, scope))
        return self.wrote(node, self.written(value))

    def wrote(self, node: Node, text: TracedText) -> TracedText:
        made = text.or_computed(node.operand)
        self.run.wrote(node.operand, made)
        bounded(len(made))
        return made

    def visit_Nothing(self, node: syntax.Nothing, scope: Scope) -> Any:
        if node.refused:
            raise Failed(node.refused)
        return Undefined()

    def tested(self, node: Node, value: Any) -> bool:
        self.run.tested(node.operand, truth(value))
        return truth(value)

    def visit_If(self, node: syntax.If, scope: Scope) -> Any:
        return self.text(node.body if self.tested(node, self.value(node.test, scope)) else node.others, scope)

    def visit_For(self, node: syntax.For, scope: Scope) -> Any:
        inner = dict(scope)
        chosen = node.iterable if isinstance(node.iterable, syntax.Choice) and node.iterable.no is None else None
        value = self.value(chosen.yes if chosen else node.iterable, inner)
        self.uses.mark(value, "array_access")
        if isinstance(value, dict):
            self.uses.mark(value, "object_access")
        elif isinstance(value, Undefined):
            value = []
        elif isinstance(value, str) and Rule.CHARACTERS in self.without:
            value = list(value)
        self.run.given = (value,)
        if not isinstance(value, list | tuple | dict):
            raise Failed(f"Expected iterable or object type in for loop: got {type_name(value)}")
        items = (
            list(value.items()) if isinstance(value, dict) and isinstance(node.variable, syntax.Items) else list(value)
        )
        for item in items:
            if isinstance(node.variable, syntax.Items):
                bind(node.variable, item, dict(inner))  # fails before the first turn
        if chosen is not None:
            items = [item for item in items if self.chooses(chosen, node.variable, item, inner)]
        self.run.loop_begins(node.operand, items)
        made: list[TracedText] = []
        ran = False
        for index, item in enumerate(items):
            if Rule.TURNS in self.without:
                inner = dict(scope)
            inner["loop"] = loop_variable(items, index)
            bind(node.variable, item, inner)
            self.run.turn(node.operand, item)
            try:
                for each_node in node.body:
                    before = len(self.run.steps), len(self.run.writes)
                    made.append(self.written(self.value(each_node, inner)))
            except (Break, Continue) as jump:
                if Rule.JUMPS in self.without:
                    made.append(jump.text)
                else:
                    self.run.lost(*before)  # what else the statement around the jump wrote
                if isinstance(jump, Break):
                    break
                continue
            ran = True
        self.run.loop_ends()
        if not ran:
            made += [self.written(self.value(each_node, scope)) for each_node in node.others]
        return joined(made)

    def chooses(self, node: syntax.Choice, variable: Node, item: Any, scope: Scope) -> bool:
        """Whether a loop takes an item."""
        bind(variable, item, inner := dict(scope))
        return self.tested(node, self.value(node.test, inner))

    def visit_Set(self, node: syntax.Set, scope: Scope) -> Any:
        value = self.buffered(node.body, scope) if node.value is None else self.value(node.value, scope)
        self.run.set(node.operand, value)
        target = node.target
        if isinstance(target, syntax.Member):
            if target.computed:
                raise Failed("Cannot assign to computed member")
            owner = self.value(target.object, scope)
            if not isinstance(owner, dict):
                raise Failed("Cannot assign to member of non-object")
            owner[TracedText(named(target.property))] = value
        elif isinstance(target, syntax.Name | syntax.Items):
            bind(target, value, scope)
        else:
            raise Failed("Invalid target of an assignment")
        return Undefined()

    def visit_Macro(self, node: syntax.Macro, scope: Scope) -> Any:
        name = named(node.name)

        def call(values: list[Any], outer: Scope) -> Any:
            inner = dict(scope if Rule.MACROS in self.without else outer)
            self.bind_parameters(node.parameters, values, inner, outer)
            self.run.step(node.operand, None)
            return self.buffered(node.body, inner)

        scope[name] = Function(name, call)
        return Undefined()

    def visit_CallBlock(self, node: syntax.CallBlock, scope: Scope) -> Any:
        function = self.value(node.call.callee, scope)
        around = dict(scope)

        def caller(values: list[Any], outer: Scope) -> Any:
            inner = dict(around)
            self.bind_parameters(node.parameters, values, inner, outer)
            return self.buffered(node.body, inner)

        values = [self.value(each, scope) for each in node.call.arguments]
        return self.wrote(node, written(self.called(function, values, {**scope, "caller": Function("caller", caller)})))

    def bind_parameters(self, parameters: Sequence[Node], values: list[Any], scope: Scope, outer: Scope) -> None:
        args = self.arguments(*values)
        for index, parameter in enumerate(parameters):
            name = named(parameter.key if isinstance(parameter, syntax.Keyword) else parameter)
            if index < len(values):
                scope[name] = args.named(name, index)
            elif isinstance(parameter, syntax.Keyword):
                scope[name] = self.value(parameter.value, outer)
            else:
                raise Failed("Not enough arguments for a macro")

    def visit_FilterBlock(self, node: syntax.FilterBlock, scope: Scope) -> Any:
        return self.wrote(node, written(self.filtered(node.filter, self.buffered(node.body, scope), scope)))

    def visit_Jump(self, node: syntax.Jump, scope: Scope) -> Any:
        raise Break if node.to == "break" else Continue


def named(node: Node) -> str:
    """The name that a node is. Raises Failed if it is something else."""
    if not isinstance(node, syntax.Name):
        raise Failed("A name is needed here")
    return node.name


def bind(target: Node, value: Any, scope: Scope) -> None:
    """Assigns a value to a variable, or its items to several. Raises Failed."""
    if isinstance(target, syntax.Name):
        scope[target.name] = value
        return
    if not isinstance(target, syntax.Items) or not target.is_tuple:
        raise Failed("Invalid variable")
    if not isinstance(value, list | tuple):
        raise Failed(f"Cannot unpack non-iterable type: {type_name(value)}")
    if len(value) != len(target.items):
        raise Failed(f"Too {'few' if len(target.items) > len(value) else 'many'} items to unpack")
    for each, item in zip(target.items, value, strict=True):
        scope[named(each)] = item


def loop_variable(items: list[Any], index: int) -> Loop:
    """The variable `loop` in a turn."""
    size = len(items)
    return Loop(
        index=index + 1,
        index0=index,
        revindex=size - index,
        revindex0=size - index - 1,
        first=index == 0,
        last=index == size - 1,
        length=size,
        previtem=items[index - 1] if index else Undefined("previtem"),
        nextitem=items[index + 1] if index < size - 1 else Undefined("nextitem"),
    )


def operated(operator: str, left: Any, right: Any) -> Any:
    """left operator right, but for `and` and `or`. Raises Failed."""
    if operator in ("==", "!="):
        return equal(left, right) == (operator == "==")
    inside = operator in ("in", "not in")
    if isinstance(right, Undefined) and inside:
        return operator == "not in"
    if is_missing(left) or is_missing(right):
        if not isinstance(left, Undefined) and right is not None and inside:
            return contains(right, left) == (operator == "in")
        if operator in "+~" and (isinstance(left, str) or isinstance(right, str)):
            return joined([text(each) for each in (left, right) if not is_missing(each)])
        raise Failed(f"Cannot perform operation {operator} on {'none' if None in (left, right) else 'undefined'}")
    if is_number(left) and is_number(right) and operator in ARITHMETIC:
        return arithmetic(operator, left, right)
    lists = [isinstance(each, list | tuple) for each in (left, right)]
    if all(lists) and operator == "+":
        bounded(len(left) + len(right))
        return [*left, *right]
    if lists == [False, True] and inside:
        return contains(right, left) == (operator == "in")
    if (isinstance(left, str) or isinstance(right, str)) and operator in "+~":
        return joined((text(left), text(right)))
    if operator == "*" and ((isinstance(left, str) and is_int(right)) or (is_int(left) and isinstance(right, str))):
        return left * right
    if inside and (isinstance(right, dict) or (isinstance(left, str) and isinstance(right, str))):
        return contains(right, left) == (operator == "in")
    raise Failed(f'Unknown operator "{operator}" between {type_name(left)} and {type_name(right)}')


ARITHMETIC: dict[str, Callable[[float, float], float | bool]] = {
    "+": add,
    "-": sub,
    "*": mul,
    "/": truediv,
    "<": lt,
    ">": gt,
    ">=": ge,
    "<=": le,
    "%": lambda a, b: a - b * int(a / b),
}


def arithmetic(operator: str, left: float, right: float) -> Any:
    """An operation on numbers, which are doubles in between. Raises Failed without a result, such as for 1 / 0."""
    try:
        value = ARITHMETIC[operator](float(left), float(right))
        if isinstance(value, bool) or operator == "/" or isinstance(left, float) or isinstance(right, float):
            return value
        return int(value)  # of infinity there is none
    except (ArithmeticError, ValueError) as error:
        raise Failed(str(error)) from error

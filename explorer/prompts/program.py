"""A chat template as a program that reports what it does: which line and operand writes each character, what it tests.

`jinja2` compiles and runs the template, in the sandbox of `transformers`. Before that the tree of the template is
rewritten: what it writes, tests, sets and loops over passes through a filter that records it and gives it back. So
the text is jinja2's own, and a recording can't drift from it.

A template is a stranger's program, and the sandbox doesn't bound it. Limits do: on steps, characters written,
the length of any text or list that an operator or filter makes, and processor time. What exceeds one raises
`TemplateStopped`; nothing is kept of the run.
"""

import re
import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from contextvars import ContextVar
from datetime import datetime
from functools import lru_cache, wraps
from secrets import token_hex
from threading import Lock
from typing import Any, NamedTuple

from jinja2 import (
    Template,
    TemplateError,
    TemplateSyntaxError,
    nodes,
    pass_context,
    pass_environment,
    pass_eval_context,
)
from jinja2 import Undefined as JinjaUndefined
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension, loopcontrols
from jinja2.filters import FILTERS, do_format
from jinja2.meta import find_undeclared_variables
from jinja2.parser import Parser
from jinja2.runtime import Context, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace, generate_lorem_ipsum, missing
from jinja2.visitor import NodeTransformer
from markupsafe import Markup

from explorer.engine import budget
from explorer.engine.budget import TooSlow
from explorer.prompts.bounds import LONGEST, TooLong, bounded, weighed
from explorer.prompts.guards import guarded
from explorer.prompts.layout import Place, Places, Spans, normalized
from explorer.prompts.run import SHOWN, Operand, Run, Tree, has_parts, in_words_of_the_original
from explorer.prompts.run import TemplateFailed as TemplateFailed
from explorer.prompts.run import TemplateStopped as TemplateStopped
from explorer.prompts.traced_text import SafeText, TracedText, joined, json_text, text_of

LONGEST_TEMPLATE = 500_000
"""Characters of a template that are parsed. The longest of 786 published ones has about 30,000."""

SECONDS = 2.0
"""Seconds of the processor that a run may take. It may write `bounds.LONGEST` characters."""


_RUN: ContextVar[Run | None] = ContextVar("run of a template", default=None)


def _run() -> Run:
    run = _RUN.get()
    assert run is not None, "outside a run"
    return run


# What records, as filters: a run, what is filtered, and the index of its operand. What marks a place gives nothing.


def _data(run: Run, text: str, operand: int) -> TracedText:
    written = _counted(run, TracedText.from_source(text, operand))
    run.wrote(operand, written)
    return written


def _literal(run: Run, text: str, operand: int) -> TracedText:
    run.spend()
    return TracedText.from_source(text, operand)


def _write(run: Run, value: Any, operand: int) -> TracedText:
    weighed(value)
    text = text_of(value).or_computed(operand)
    run.wrote(operand, _counted(run, text))
    return text


def _counted(run: Run, text: TracedText) -> TracedText:
    run.written += len(text)
    if run.written > LONGEST:
        raise TemplateStopped("The template was stopped: it wrote more than {0} characters.", LONGEST)
    return text


def _test(run: Run, value: Any, operand: int) -> Any:
    # jinja2 asks for the truth of the value itself; an Undefined may raise only there
    run.tested(operand, None if isinstance(value, JinjaUndefined) else bool(value))
    return value


def _set(run: Run, value: Any, operand: int) -> Any:
    weighed(value)
    run.set(operand, value)
    return value


def _part(run: Run, value: Any, operand: int) -> Any:
    run.spend()
    run.evaluated.append((operand, value))
    return value


def _items(run: Run, value: Any, operand: int, counted: bool) -> Any:
    run.given = (value,)
    run.loop_begins(operand, value, counted=counted)
    return value


def _buffers(run: Run, more: int) -> None:
    run.buffers += more


def _concatenated(run: Run, values: list[Any], operand: int) -> TracedText:
    weighed(values)
    texts = [text_of(value) for value in values]
    bounded(sum(map(len, texts)))
    return joined(texts).or_computed(operand)


def _weighed(run: Run, value: Any) -> Any:
    weighed(value)
    return value


def _compared(run: Run, value: Any, is_first: bool) -> Any:
    weighed(value)
    run.given = (value,) if is_first else (*run.given, value)
    return value


def _recorder(record: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that records in the current run. `pass_context` keeps jinja2 from folding it."""
    return pass_context(lambda context, *values: record(_run(), *values))


_MARK = token_hex(8)
"""In front of the recorders' names: nobody can guess it."""
RECORDERS: Mapping[str, Callable[..., Any]] = {
    "data": _data,
    "literal": _literal,
    "write": _write,
    "test": _test,
    "set": _set,
    "part": _part,
    "items": _items,
    "loop": lambda run, item, operand: run.turn(operand, item),
    "end": lambda run, nothing: run.loop_ends(),
    "call": lambda run, nothing, operand: run.step(operand, nothing),
    "buffers": _buffers,
    "concatenated": _concatenated,
    "weighed": _weighed,
    "compared": _compared,
}


class _Recorded(NodeTransformer):
    """Rewrites a template's tree, so that it records what it does."""

    def __init__(self, spans: Spans) -> None:
        self.spans = spans
        self.operands: list[Operand] = []
        self._plain: set[int] = set()

    def _operand(self, kind: str, node: nodes.Node, name: str = "", of: int = -1) -> nodes.Const:
        start, end = self.spans.of(node)
        self.operands.append(Operand(kind, int(node.lineno), start, end, name, type(node).__name__, of=of))
        return nodes.Const(len(self.operands) - 1, lineno=node.lineno)

    def _through(self, kind: str, node: nodes.Expr | None, *values: nodes.Expr) -> nodes.Filter:
        line = node.lineno if node is not None else values[0].lineno
        return nodes.Filter(node, f"{_MARK} {kind}", [*values], [], None, None, lineno=line)

    def _marker(self, kind: str, node: nodes.Node, value: Any = None, *values: nodes.Expr) -> nodes.Stmt:
        """What records something between statements."""
        constant = nodes.Const(value, lineno=node.lineno)
        return nodes.ExprStmt(self._through(kind, constant, *values), lineno=node.lineno)

    def _buffered(self, node: nodes.Node, body: Sequence[Any]) -> list[Any]:
        """A body whose text isn't the prompt's."""
        return [self._marker("buffers", node, 1), *self._all(body), self._marker("buffers", node, -1)]

    def visit_Output(self, node: nodes.Output) -> nodes.Output:
        written: list[nodes.Expr] = []
        for child in node.nodes:
            kind = "data" if isinstance(child, nodes.TemplateData) else "write"
            index = self._operand(kind, child)
            if isinstance(child, nodes.Add | nodes.Concat):
                made = self._joined(child, index.value)
                has_parts(self.operands, index.value)
            else:
                made = child if kind == "data" else self.visit(child)
            written.append(self._through(kind, made, index))
        node.nodes = written
        return node

    def _part(self, node: nodes.Expr, of: int) -> tuple[nodes.Expr, int]:
        index = self._operand("part", node, of=of)
        return self._through("part", self.visit(node), index), index.value

    def _joined(self, node: nodes.Expr, of: int) -> nodes.Expr:
        """What is joined by + and ~: each part is recorded."""
        if isinstance(node, nodes.Add):
            node.left, node.right = self._joined(node.left, of), self._joined(node.right, of)
            return node
        if isinstance(node, nodes.Concat):
            return self._concatenated(node, lambda each: self._joined(each, of))
        return self._part(node, of)[0]

    def _decided(self, node: nodes.Expr, of: int) -> tuple[nodes.Expr, Tree]:
        """What is joined by and, or and not: each part is recorded. The node, and how it is joined."""
        if isinstance(node, nodes.And | nodes.Or):
            operator = type(node).__name__.lower()
            node.left, left = self._decided(node.left, of)
            node.right, right = self._decided(node.right, of)
            return node, (operator, left, right)
        if isinstance(node, nodes.Not) and isinstance(node.node, nodes.And | nodes.Or | nodes.Not):
            node.node, inner = self._decided(node.node, of)
            return node, ("not", inner)
        return self._part(node, of)

    def _test(self, node: nodes.Node) -> nodes.Filter:
        index = self._operand("test", node)
        if not isinstance(node, nodes.And | nodes.Or):
            return self._through("test", self.visit(node), index)
        made, tree = self._decided(node, index.value)
        has_parts(self.operands, index.value, tree)
        return self._through("test", made, index)

    def visit_Const(self, node: nodes.Const) -> nodes.Expr:
        if type(node.value) is not str or id(node) in self._plain:
            return node
        return self._through("literal", node, self._operand("literal", node))

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:
        self._plain |= {id(node.expr), *(id(each.expr) for each in node.ops)}
        self.generic_visit(node)
        node.expr = self._through("compared", node.expr, nodes.Const(True))
        for each in node.ops:
            each.expr = self._through("compared", each.expr, nodes.Const(False))
        return node

    def _light(self, node: nodes.Expr) -> nodes.Expr:
        """A node whose value is weighed, unless it is a constant."""
        return node if isinstance(node, nodes.Const) else self._through("weighed", node)

    def visit_List(self, node: nodes.List) -> nodes.Expr:
        self.generic_visit(node)
        return self._light(node)

    def visit_Dict(self, node: nodes.Dict) -> nodes.Expr:
        node.items = self._all(node.items)
        for pair in node.items:
            pair.key = self._light(pair.key)
        return self._light(node)

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Expr:
        self.generic_visit(node)
        return self._light(node) if node.ctx == "load" else node

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:
        self._plain.add(id(node.arg))
        return self.generic_visit(node)

    def visit_Pair(self, node: nodes.Pair) -> nodes.Node:
        self._plain.add(id(node.key))
        return self.generic_visit(node)

    def visit_Concat(self, node: nodes.Concat) -> nodes.Expr:
        return self._concatenated(node, self.visit)

    def _concatenated(self, node: nodes.Concat, each: Callable[[nodes.Expr], nodes.Expr]) -> nodes.Expr:
        index = self._operand("write", node)
        parts = nodes.List([each(part) for part in node.nodes], lineno=node.lineno)
        return self._through("concatenated", parts, index)

    def visit_If(self, node: nodes.If) -> nodes.Node:
        node.test = self._test(node.test)
        node.body, node.elif_, node.else_ = (self._all(each) for each in (node.body, node.elif_, node.else_))
        return node

    def visit_CondExpr(self, node: nodes.CondExpr) -> nodes.Node:
        node.test = self._test(node.test)
        node.expr1 = self.visit(node.expr1)
        node.expr2 = node.expr2 and self.visit(node.expr2)
        return node

    def visit_For(self, node: nodes.For) -> list[nodes.Node]:
        variable = node.target if isinstance(node.target, nodes.Name) else None
        index = self._operand("loop", node.iter, self.spans.source[slice(*self.spans.of(node.target))])
        item = nodes.Name(variable.name, "load") if variable else nodes.Const(None)
        item.set_lineno(node.lineno)
        turn = nodes.ExprStmt(self._through("loop", item, index), lineno=node.lineno)
        counted = nodes.Const(node.test is None, lineno=node.lineno)
        node.iter = self._through("items", self.visit(node.iter), index, counted)
        node.test = node.test and self._test(node.test)
        node.body, node.else_ = [turn, *self._all(node.body)], self._all(node.else_)
        return [node, self._marker("end", node)]

    def visit_Macro(self, node: nodes.Macro) -> nodes.Node:
        index = self._operand("call", node, node.name)
        if isinstance(node.lineno, Place):  # of `macro`
            start = self.spans.source.index(node.name, node.lineno.end)
            self.operands[-1] = self.operands[-1]._replace(start=start, end=start + len(node.name))
        call = self._marker("call", node, None, index)
        node.defaults = self._all(node.defaults)
        node.body = [call, *self._buffered(node, node.body)]
        return node

    def visit_CallBlock(self, node: nodes.CallBlock) -> nodes.Node:
        if isinstance(node.call.node, nodes.ExtensionAttribute):  # `{% generation %}` writes what is in it
            return self.generic_visit(node)
        index = self._operand("write", node.call)
        node.call = self.visit(node.call)
        node.defaults = self._all(node.defaults)
        node.body = self._buffered(node, node.body)
        block = [self._marker("buffers", node, 1), node, self._marker("buffers", node, -1)]
        return nodes.FilterBlock(block, self._through("write", None, index), lineno=node.lineno)

    def visit_FilterBlock(self, node: nodes.FilterBlock) -> nodes.Node:
        index = self._operand("write", node.filter)
        node.filter = self._through("write", self.visit(node.filter), index)
        node.body = self._buffered(node, node.body)
        return node

    def visit_Assign(self, node: nodes.Assign) -> nodes.Node:
        index = self._operand("set", node.node, self._name(node.target))
        node.node = self._through("set", self.visit(node.node), index)
        return node

    def visit_AssignBlock(self, node: nodes.AssignBlock) -> nodes.Node:
        index = self._operand("set", node.target, self._name(node.target))
        node.filter = self._through("set", node.filter and self.visit(node.filter), index)
        node.body = self._buffered(node, node.body)
        return node

    def _name(self, node: nodes.Node) -> str:
        """What is set, as it is written."""
        if isinstance(node, nodes.NSRef):
            return f"{node.name}.{node.attr}"
        return self.spans.source[slice(*self.spans.of(node))]

    def _all(self, each: Sequence[Any]) -> list[Any]:
        visited = (self.visit(node) for node in each)
        return [node for made in visited for node in (made if isinstance(made, list) else [made])]


class GenerationBlocks(Extension):
    """`{% generation %}`: marks what the assistant wrote, for the mask of a training."""

    tags: set[str] = {"generation"}  # noqa: RUF012 - as jinja2 declares it

    def parse(self, parser: Parser) -> nodes.Node:
        """A block whose text passes through `_mark`."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_mark"), [], [], body).set_lineno(line)

    @pass_eval_context
    def _mark(self, context: nodes.EvalContext, caller: Macro) -> str:
        text: str = caller()
        run = _run()
        # as in transformers: counted from what has left the template, so a block inside a macro is marked too early
        start = sum(map(len, run.pieces))
        run.generation.append((start, start + len(text)))
        return text


class _Dict:
    """`dict` as templates get it: callable, without the attributes of a class."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args, **kwargs)


class _Namespace(Namespace):
    """`namespace` that refuses names with an underscore in front."""

    def __init__(*args: Any, **kwargs: Any) -> None:
        self, args = args[0], args[1:]
        attributes = dict(*args, **kwargs)
        for name in attributes:
            _Namespace._check(name)
        Namespace.__init__(self, attributes)

    def __setitem__(self, name: str, value: Any) -> None:
        _Namespace._check(name)
        Namespace.__setitem__(self, name, value)

    @staticmethod
    def _check(name: Any) -> None:
        if isinstance(name, str) and name.startswith("_"):
            raise SecurityError(f"A template can't keep {name!r} in a namespace: its name begins with an underscore.")


class _Refused(TemplateError):
    """What `raise_exception` raises."""


def _raise_exception(message: Any) -> None:
    raise _Refused(str(message))


def _strftime_now(format: str) -> TracedText:
    run = _run()
    text = (run.now or datetime.now()).strftime(format)
    run.dates.append(text)
    return TracedText(text)


def _largest(*args: Any, **kwargs: Any) -> int:
    """The largest number among arguments: a width, a count, a precision."""
    return max((abs(each) for each in [*args, *kwargs.values()] if isinstance(each, int)), default=0)


def _width(text: str, values: Collection[Any]) -> int:
    """The largest number in a format and among its values: what a width or precision can be."""
    numbers = (int(digits[:9]) for digits in re.findall(r"\d+", text))
    inner = (item for value in values if isinstance(value, Mapping) for item in value.values())
    return max(_largest(*values, *inner), *numbers, 0)


class _Environment(ImmutableSandboxedEnvironment):
    """The environment of `transformers`, with bounds, and with joins that keep origins."""

    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "**", "%"})
    concat = staticmethod(joined)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """`left operator right`, if the result is short enough."""
        _run().spend()
        _given(left, right)
        if operator == "%" and isinstance(left, str):
            values = right.values() if isinstance(right, dict) else right if isinstance(right, tuple) else (right,)
            _bound_format(left, "%", [*values])
        elif operator == "*" and (pair := _sequence_and_count(left, right)):
            bounded(len(pair[0]) * pair[1])
        elif operator == "+" and isinstance(left, list | tuple) and isinstance(right, list | tuple):
            bounded(len(left) + len(right))
        elif isinstance(left, int) and isinstance(right, int):
            bounded(left.bit_length() * abs(right) if operator == "**" else left.bit_length() + right.bit_length())
        return super().call_binop(context, operator, left, right)

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:
        """`function(…)`: a step. No method of a text gets a width that is too large."""
        _run().spend()
        owner = getattr(__obj, "__self__", None)
        _given(*args, *kwargs.values(), owner, *([] if callable(__obj) else [__obj]))
        if isinstance(owner, str | bytes | int):
            bounded(_largest(*args, **kwargs))
        if isinstance(owner, str | bytes) and __obj.__name__ in ("expandtabs", "translate"):
            bounded(len(owner) * max(_largest(*args), weighed(*args)) // 10)
        return super().call(__context, __obj, *args, **kwargs)

    def wrap_str_format(self, value: Any) -> Any:
        """`str.format`, with bounded widths."""
        wrapped = super().wrap_str_format(value)
        return wrapped and _checked(
            wrapped, lambda *args, **kwargs: _bound_fields(value.__self__, [*args, *kwargs.values()])
        )


def _sequence_and_count(left: Any, right: Any) -> tuple[Sequence[Any], int] | None:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, str | bytes | list | tuple) and isinstance(other, int):
            return one, other
    return None


def _bound_format(text: str, sign: str, values: Collection[Any], nested: int = 0) -> None:
    """Raises TooLong where a format could make too long a text. sign: of a field. nested: the largest inner width."""
    bounded(max(nested, _width(text, values)))
    bounded(text.count(sign) * weighed(*values) // 10)


def _bound_fields(text: str, values: Sequence[Any]) -> None:
    """The same for `str.format`, where a width may be inside any of the values."""
    numbers, waiting = [0], [*values]
    while waiting:
        value = waiting.pop()
        numbers += [abs(value)] if isinstance(value, int) else []
        numbers += [_width(value, ())] if isinstance(value, str) and len(value) < SHOWN else []
        waiting += value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    _bound_format(text, "{", values, max(numbers) if re.search("[{][^}]*[{]", text) else 0)


def _checked(function: Callable[..., Any], check: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose arguments are checked first, as the function gets them."""

    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        check(*args, **kwargs)
        return function(*args, **kwargs)

    return checked


def _light(*args: Any, **kwargs: Any) -> None:
    """Raises TooLong for arguments that are too heavy."""
    _given(*args, *kwargs.values())


def _given(*values: Any) -> None:
    """Keeps what an operation works on, for its error. Raises TooLong for values that are too heavy."""
    _run().given = values
    weighed(*values)


def _short(value: Any, *args: Any, **kwargs: Any) -> None:
    """Raises TooLong for a width or count that is too large."""
    _run().spend()
    _run().given = (value, *args)
    bounded(_largest(*args, **kwargs))


@pass_environment
def _sum(environment: Any, iterable: Any, attribute: Any = None, start: Any = 0) -> Any:
    if not isinstance(start, int | float):  # each sum is a copy of the one before it
        iterable = list(iterable)
        bounded(len(iterable) * weighed(iterable) // 1000)
    return FILTERS["sum"](environment, iterable, attribute, start)


def _few_words(environment: Any, s: str, *args: Any, **kwargs: Any) -> None:
    """Raises TooLong for a text that `wordwrap` would take too long for: Python's loop over words is slow."""
    bounded(10 * len(s))


def _small_format(text: Any, *args: Any, **kwargs: Any) -> None:
    _given(text, *args, *kwargs.values())
    _bound_format(str(text), "%", [*args, *kwargs.values()])


@pass_eval_context
def _join(context: nodes.EvalContext, value: Any, d: str = "", attribute: str | int | None = None) -> Any:
    _given(value, d)
    if attribute is None and isinstance(value, list | tuple):
        value = [text_of(each) if isinstance(each, list | tuple | dict) else each for each in value]
    return FILTERS["join"](context, value, TracedText(d), attribute)


def _of_text(name: str) -> Callable[..., Any]:
    """A filter of texts. What it gets of a list or dict is a text that keeps origins."""
    function = FILTERS[name]

    @wraps(function)
    def filtered(*args: Any, **kwargs: Any) -> Any:
        _given(*args)
        return function(*(text_of(each) if isinstance(each, list | tuple | dict) else each for each in args), **kwargs)

    return filtered


def _safe(value: Any) -> Markup:
    weighed(value)
    return SafeText.of(value) if not hasattr(value, "__html__") else Markup(value)


def _lipsum(n: int = 5, html: bool = True, min: int = 20, max: int = 100) -> str:
    bounded(abs(n) * abs(max))
    return generate_lorem_ipsum(n, html, min, max)


class Undefined(JinjaUndefined):
    """What is not there. As in jinja2; the run keeps what an error is about."""

    __slots__ = ()

    @property
    def _undefined_message(self) -> str:
        run = _RUN.get()
        if run is not None and self._undefined_obj is not missing:
            run.missing = self.missing
        return str(super()._undefined_message)

    @property
    def missing(self) -> tuple[Any, Any]:
        """Whose attribute or item is not there, and which; nobody's for a variable."""
        return (None if self._undefined_obj is missing else self._undefined_obj), self._undefined_name


@lru_cache(maxsize=1)
def _environment() -> _Environment:
    environment = _Environment(
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=[Places, GenerationBlocks, loopcontrols],
        undefined=Undefined,
    )
    filters: dict[str, Any] = environment.filters
    tests: dict[str, Any] = environment.tests
    filters.update(sum=_sum, wordwrap=_checked(FILTERS["wordwrap"], _few_words))
    for table in (filters, tests):
        table.update({name: _checked(each, _light) for name, each in table.items()})
    filters |= {f"{_MARK} {name}": _recorder(each) for name, each in RECORDERS.items()}
    filters |= {name: _checked(FILTERS[name], _short) for name in ("center", "indent", "batch", "slice")}
    filters.update(
        tojson=_checked(json_text, _light), join=_join, format=_checked(do_format, _small_format), safe=_safe
    )
    filters |= {name: _of_text(name) for name in ("string", "trim", "replace")}
    environment.globals.update(
        raise_exception=_raise_exception,
        strftime_now=_strftime_now,
        dict=_Dict(),
        namespace=_Namespace,
        lipsum=_lipsum,
    )
    return environment


class Program(NamedTuple):
    """A template, ready to run.

    source: as its lexer reads it. operands: what writes, tests, sets or loops.
    """

    source: str
    operands: tuple[Operand, ...]
    template: Template

    @property
    def variables(self) -> frozenset[str]:
        """The names that the template reads and doesn't set.

        >>> sorted(program("{% set x = 1 %}{{ x }}{{ enable_thinking }}").variables)
        ['enable_thinking']
        """
        return frozenset(find_undeclared_variables(self.tree))

    @property
    def tree(self) -> nodes.Template:
        """The template's syntax tree."""
        with _COMPILING:
            return _environment().parse(self.source)

    @property
    def literals(self) -> str:
        """The texts that the template holds, in tags and outside, with a null character between them."""
        tree = self.tree
        data = {node.data for node in tree.find_all(nodes.TemplateData)}
        return "\0".join(data | {node.value for node in tree.find_all(nodes.Const) if isinstance(node.value, str)})

    def run(self, variables: Mapping[str, Any], *, now: datetime | None = None) -> Run:
        """Runs the template with these variables; the strings in them may be traced. now: for `strftime_now`.

        Raises TemplateFailed if the template fails, TemplateStopped if it exceeds a limit.

        >>> program("Hello {{ name }}!").run({"name": TracedText.from_source("you", 100)}).text.origins()[4:8]
        [(0, 4), (0, 5), (100, 0), (100, 1)]
        """
        run = Run(self.operands, now)
        token = _RUN.set(run)
        try:
            with budget.within("running a template", SECONDS):
                for piece in self.template.generate(variables):
                    run.pieces.append(piece)
        except TemplateFailed as error:
            error.line, error.run = error.line or _line(error), run
            raise
        except LIMITS as error:
            raise stopped(error, _line(error), run) from error
        except _Refused as error:
            raise TemplateFailed(one_line(error), line=_line(error), refused=True, run=run) from error
        except Exception as error:  # a template can raise anything: TypeError, KeyError, a filter's own
            words = f"{type(error).__name__}: {one_line(in_words_of_the_original(str(error)))}"
            raise TemplateFailed(words, line=_line(error), run=run) from error
        finally:
            _RUN.reset(token)
        return run


LIMITS = (TooLong, TooSlow, MemoryError, RecursionError)
"""What a run raises that needs too much of something."""


def stopped(error: BaseException, line: int, run: Run) -> TemplateStopped:
    """The error for people about one of `LIMITS`. line: where it was raised, 0 if unknown."""
    if isinstance(error, MemoryError):
        return TemplateStopped("The template was stopped: it needs too much memory.")
    if isinstance(error, RecursionError):
        return TemplateStopped("The template was stopped: its macros call each other too deeply.", run=run)
    return TemplateStopped(str(error), line=line, run=run)


def one_line(error: object) -> str:
    """A stranger's words, as one line that isn't too long."""
    words = " ".join(str(error)[:1000].split())
    return words if len(words) <= 300 else words[:300] + "…"


def _line(error: Exception) -> int:
    """The template's line in which an error was raised, 0 if none was."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<template>"]
    return lines[-1] or 0 if lines else 0


_COMPILING = Lock()


@lru_cache(maxsize=64)
def program(source: str) -> Program:
    """A template's source as a program. Raises TemplateFailed if it isn't one.

    >>> [operand.kind for operand in program("{% if a %}{{ b }}{% endif %}").operands]
    ['test', 'write']
    """
    if len(source) > LONGEST_TEMPLATE:
        raise TemplateFailed("The template has more than {0} characters.", LONGEST_TEMPLATE)
    with _COMPILING, guarded("transformers", source):  # a run of `prompt.rendered`, so it ends one process at most
        environment = _environment()
        try:
            tree = environment.parse(source)
            recorded = _Recorded(Spans(source))
            recorded.visit(tree)
            code = environment.compile(tree)
        except TemplateSyntaxError as error:
            raise TemplateFailed(str(error.message), line=error.lineno) from error
        except (RecursionError, MemoryError) as error:
            raise TemplateFailed("The template is nested too deeply.") from error
        except (SyntaxError, ValueError) as error:  # Python refuses what jinja2 makes of it
            raise TemplateFailed("The template can't be compiled: {0:t}", str(error)) from error
        template = environment.template_class.from_code(environment, code, environment.make_globals(None))
    return Program(normalized(source), tuple(recorded.operands), template)

"""Compiles the sources of this folder with numba, once per machine, and loads the result from then on.

The sources are plain Python over anything that is indexed. Compiled, every array is a bare pointer, because an array of
numba's in a hot loop costs two to three times as much (bounds, reference counts). A call passes one address, that of a
block with the other addresses and numbers, in the order of the parameters and of the fields of records.

The machine code is kept in the user's cache folder, under a hash of the sources. numba is imported here only, and only
to compile: what is kept is loaded by llvmlite alone, whose import takes a tenth of a second; numba and its dispatchers
take one. The functions are those that numba makes of `entry`: they get the addresses of their result and of an
exception, and one argument. They call nothing outside of themselves.
"""

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from ctypes import CFUNCTYPE, byref, c_int32, c_int64, c_void_p
from ctypes import POINTER as POINTER_TO
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from threading import Lock
from types import FunctionType, ModuleType
from typing import Annotated, Any, get_origin, get_type_hints

from explorer.compiled import kept

ENTRY = CFUNCTYPE(c_int32, POINTER_TO(c_int64), POINTER_TO(c_void_p), c_int64)
"""A call without the interpreter's lock."""


@cache
def llvm() -> Any:
    """LLVM, ready for this processor. Raises ImportError without llvmlite."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


def processor() -> str:
    """What the machine code of this processor is kept under."""
    names = (llvm().get_process_triple(), llvm().get_host_cpu_name(), llvm().get_host_cpu_features().flatten())
    return sha256(" ".join(names).encode()).hexdigest()[:16]


def target() -> Any:
    """LLVM's description of this processor."""
    return (
        llvm()
        .Target.from_triple(llvm().get_process_triple())
        .create_target_machine(
            cpu=llvm().get_host_cpu_name(),
            features=llvm().get_host_cpu_features().flatten(),
            opt=3,
            reloc="default",
            codemodel="jitdefault",
            jit=True,
        )
    )


def object_code(sources: Mapping[str, tuple[str, str]]) -> bytes:
    """Machine code of functions: name → LLVM's text and the function's name in it. Raises ImportError."""
    whole = llvm().parse_assembly("")
    for name, (text, symbol) in sources.items():
        part = llvm().parse_assembly(text)
        part.get_function(symbol).name = name
        whole.link_in(part)
    for each in whole.functions:
        outside = each.is_declaration and not each.name.startswith("llvm.")
        assert not outside, f"compiled code calls {each.name}, which is not part of it"
        if not each.is_declaration and each.name not in sources:
            each.linkage = "internal"
    return bytes(target().emit_object(whole))


def functions(code: bytes, names: Iterable[str]) -> dict[str, Callable[[int], int]]:
    """The functions of machine code, by name. Raises ImportError."""
    engine = llvm().create_mcjit_compiler(llvm().parse_assembly(""), target())
    engine.add_object_file(llvm().ObjectFileRef.from_data(code))
    engine.finalize_object()
    return {name: Function(engine, engine.get_function_address(name)) for name in names}


class Function:
    """A function in memory. engine: owns that memory."""

    def __init__(self, engine: Any, address: int) -> None:
        self.engine, self.run = engine, ENTRY(address)

    def __call__(self, argument: int) -> int:
        """Calls the function with the address of its arguments."""
        result, raised = c_int64(), c_void_p()
        status = self.run(byref(result), byref(raised), argument)
        assert not status, "compiled code never raises"
        return result.value


SOURCES = ("utf8", "lines", "scanners", "tables", "tries", "respelling", "viterbi", "pieces")
"""Modules compiled as they are, lowest first."""

INLINED = frozenset(
    (
        "code_point width run letters low_word high_word mixed hash_of find written merge_of pair_hash child longest "
        "not_zero ones"
    ).split()
)
"""Functions of the hot loops, written out where they are called."""

INSTRUCTIONS = frozenset({"word", "zeros_below", "product", "within", "prefetch"})
"""Functions of `utf8` and `tables` that are a few instructions."""

ENTRIES = {
    "first_in": "utf8",
    "spread": "lines",
    "count_ids": "lines",
    "encode_texts": "pieces",
    "learn": "pieces",
    "fill": "tables",
    "fill_pairs": "tables",
    "split_pairs": "tables",
    "fill_trie": "tries",
    "walk": "tries",
}
"""The functions that Python calls, and their modules."""

Functions = Mapping[str, Callable[[int], int]]
"""Those that are compiled, by name, each to be called with the address of its arguments."""

PLAIN: Functions = {}
"""None of them is: the sources run in Python."""

announce: Callable[[str], None] = lambda said: None  # noqa: E731
"""Is told when code is compiled, and how long that took. Replaced by programs that show it."""


def is_installed() -> bool:
    """Whether numba can be imported, found out without importing it."""
    return sys.modules.get("numba", numba_absent) is not None and find_spec("numba") is not None


numba_absent = object()
ONE_AT_A_TIME = Lock()


def source(name: str) -> ModuleType:
    """A module of SOURCES."""
    return import_module(f"{__package__}.{name}")


@cache
def folder() -> Path:
    """Where compiled code is kept for these sources, this Python and this numba; it may not exist yet."""
    # it imports a tenth of what one short text needs, which is not compiled
    from importlib.metadata import PackageNotFoundError, version

    hashed = sha256()
    for name in (*SOURCES, "build"):
        hashed.update(Path(__file__).with_name(f"{name}.py").read_bytes())
    try:
        made_by = f"{version('numba')}-{version('llvmlite')}"
    except PackageNotFoundError:
        made_by = "unknown"
    key = f"{hashed.hexdigest()[:16]}-python-{sys.version_info[0]}.{sys.version_info[1]}-numba-{made_by}"
    return kept.root() / key


def is_compiled() -> bool:
    """Whether the compiled code lies in the cache folder."""
    return kept.is_kept(folder())


def is_loaded() -> bool:
    """Whether this process has the compiled code."""
    return compiled.cache_info().currsize > 0


def loaded() -> Functions:
    """Everything compiled, if this process has it."""
    return compiled() if is_loaded() else PLAIN


@cache
def compiled() -> Functions:
    """Everything compiled, or loaded from the cache folder. Raises ImportError without numba."""
    with ONE_AT_A_TIME:
        code = kept.kept(folder() / f"{processor()}{kept.SUFFIX}", compiled_anew)
        return functions(code, ENTRIES)


def compiled_anew() -> bytes:
    """Everything compiled, as machine code. Raises ImportError without numba."""
    began = time.perf_counter()
    announce("compiling the encoder for this machine, once: about 20 seconds")
    import numba

    make_callable(numba)
    made = {name: entry(numba, name, getattr(source(module), name)) for name, module in ENTRIES.items()}
    code = object_code(made)
    announce(f"compiled in {time.perf_counter() - began:.0f} seconds")
    return code


@cache
def make_callable(numba: Any) -> None:
    """Makes the functions of the sources callable from compiled code."""
    make_instructions(numba)
    for name in SOURCES:
        module = source(name)
        for each in vars(module).values():
            own = isinstance(each, FunctionType) and each.__module__ == module.__name__
            if own and each.__name__ not in INSTRUCTIONS:
                numba.extending.register_jitable(forceinline=each.__name__ in INLINED)(each)


def make_instructions(numba: Any) -> None:
    """Compiles `utf8.word` to one unaligned load, `zeros_below` to a count, `product` to one that may overflow,
    `within` to comparisons of vectors, and `tables.prefetch` to an instruction of that name."""
    from llvmlite import ir

    tables, utf8 = source("tables"), source("utf8")
    octet, number, bits = ir.IntType(8), ir.IntType(32), ir.IntType(64)
    wide = ir.VectorType(octet, 64)
    int64 = numba.int64
    intrinsic, overload = numba.extending.intrinsic, numba.extending.overload

    def read(builder: Any, data: Any, at: Any, kind: Any) -> Any:
        found = builder.load(builder.bitcast(builder.gep(data, [at]), kind.as_pointer()))
        found.align = 1
        return found

    def compare(builder: Any, data: Any, at: Any, low: Any, high: Any, case: Any) -> Any:
        def spread(value: Any) -> Any:
            one = builder.insert_element(ir.Constant(wide, ir.Undefined), builder.trunc(value, octet), bits(0))
            return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(number, 64), [0] * 64))

        above = builder.sub(builder.or_(read(builder, data, at, wide), spread(case)), spread(low))
        return builder.bitcast(builder.icmp_unsigned("<=", above, spread(builder.sub(high, low))), bits)

    def fetch(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words, at = arguments
        pointer = octet.as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        function = numba.core.cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        place = builder.bitcast(builder.gep(words, [at]), pointer)
        # to be read, into all caches
        builder.call(function, [place, number(0), number(3), number(1)])
        return context.get_dummy_value()

    def generated(make: Callable[..., Any]) -> Callable[..., Any]:
        return lambda context, builder, signature, arguments: make(builder, *arguments)

    loaded = generated(lambda builder, data, at: read(builder, data, at, bits))
    counted = generated(lambda builder, number: builder.cttz(number, ir.IntType(1)(1)))
    multiplied = generated(lambda builder, one, other: builder.and_(builder.mul(one, other), bits((1 << 63) - 1)))
    compared = generated(compare)
    # numba compares the parameters of each with those of the function in Python
    load = intrinsic(lambda context, data, at: (int64(data, int64), loaded))
    count = intrinsic(lambda context, number: (int64(int64), counted))
    multiply = intrinsic(lambda context, one, other: (int64(int64, int64), multiplied))
    compares = intrinsic(lambda context, data, at, low, high, case: (int64(data, *[int64] * 4), compared))
    fetches = intrinsic(lambda context, words, at: (numba.types.none(words, int64), fetch))
    overload(utf8.word)(lambda data, at: lambda data, at: load(data, at))
    overload(utf8.zeros_below)(lambda number: lambda number: count(number))
    overload(utf8.product)(lambda one, other: lambda one, other: multiply(one, other))
    overload(utf8.within)(
        lambda data, at, low, high, case: lambda data, at, low, high, case: compares(data, at, low, high, case)
    )
    overload(tables.prefetch)(lambda words, at: lambda words, at: fetches(words, at))


@cache
def parameters(function: Callable[..., int]) -> dict[str, Any]:
    """The parameters of a function of the sources, each with its annotation."""
    return {name: hint for name, hint in get_type_hints(function, include_extras=True).items() if name != "return"}


@cache
def fields_of(hint: Any) -> dict[str, Any]:
    """The fields of a record with their annotations; none for another annotation."""
    return get_type_hints(hint, include_extras=True) if hasattr(hint, "_fields") else {}


def kind_of(hint: Any) -> str:
    """The kind of numbers that an array of this annotation has; empty for a number."""
    return hint.__metadata__[0] if get_origin(hint) is Annotated else ""


@cache
def pointer(numba: Any, kind: str) -> Any:
    """A function of compiled code: an address as a pointer to numbers of this kind."""
    pointing = numba.types.CPointer(getattr(numba, kind))

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def cast(context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(pointing))

        return pointing(numba.int64), generate

    return cast


def entry(numba: Any, name: str, function: FunctionType) -> tuple[str, str]:
    """A function of the sources, compiled to take the address of a block with its arguments in order: LLVM's text of
    it, and its name there."""
    namespace: dict[str, Any] = {"int64": pointer(numba, "int64"), "function": function, "__name__": __name__}
    words = count()

    def argument(hint: Any) -> str:
        if fields := fields_of(hint):
            namespace[hint.__name__] = hint
            return f"{hint.__name__}({', '.join(map(argument, fields.values()))})"
        word, kind = f"block[{next(words)}]", kind_of(hint)
        if kind:
            namespace[kind] = pointer(numba, kind)
        return f"{kind}({word})"

    arguments = ", ".join(map(argument, parameters(function).values()))
    written = f"def {name}_of(address):\n    block = int64(address)\n    return function({arguments})\n"
    # the text is made of the names of our own parameters
    exec(compile(written, __file__, "exec"), namespace)
    # without the wrappers that Python would call
    options = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    made = numba.njit(numba.int64(numba.int64), **options)(namespace[f"{name}_of"])
    ((signature, result),) = made.overloads.items()
    return made.inspect_llvm(signature), result.fndesc.llvm_func_name

"""Machine code from LLVM's text form, and calls of it, by llvmlite alone: importing it takes a tenth of a second, numba
and its dispatchers take one.

The functions are those that numba makes of `build.entry`: they get the addresses of their result and of an exception,
and one argument. They call nothing outside of themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from ctypes import CFUNCTYPE, byref, c_int32, c_int64, c_void_p
from ctypes import POINTER as POINTER_TO
from functools import cache
from hashlib import sha256
from typing import Any, Final

ENTRY: Final = CFUNCTYPE(c_int32, POINTER_TO(c_int64), POINTER_TO(c_void_p), c_int64)
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
    found = (llvm().get_process_triple(), llvm().get_host_cpu_name(), llvm().get_host_cpu_features().flatten())
    return sha256(" ".join(found).encode()).hexdigest()[:16]


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


def machine_code(sources: Mapping[str, tuple[str, str]]) -> bytes:
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

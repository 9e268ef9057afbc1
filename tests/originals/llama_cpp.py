"""llama.cpp itself, for comparison.

PyPI's wheel `xllamacpp` carries llama.cpp in its extension module, which exports llama.cpp's C interface. It
is called through ctypes and loads only a vocabulary, so a test takes milliseconds and needs no weights.

The layout of `llama_model_params` is that of `include/llama.h` at the pinned version. It is checked:
`MismatchError` is raised unless the defaults that llama.cpp fills in are at the expected offsets. A test is never
skipped, because a comparison that silently doesn't run proves nothing.
"""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Sequence
from ctypes import POINTER, c_bool, c_char_p, c_int32, c_ubyte, c_uint16, c_uint32, c_void_p
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

PINNED = "2026.10.11549"
INSTALL = f"pip install xllamacpp=={PINNED}"


class MismatchError(RuntimeError):
    """The original cannot be run, or its version is not the one this file was written for."""


class _ModelParams(ctypes.Structure):
    """`struct llama_model_params`, which llama.cpp passes by value."""

    _fields_ = (
        ("devices", c_void_p),
        ("tensor_buft_overrides", c_void_p),
        ("n_gpu_layers", c_int32),
        ("split_mode", c_int32),
        ("load_mode", c_int32),
        ("lazy_mode", c_int32),
        ("main_gpu", c_int32),
        ("tensor_split", c_void_p),
        ("progress_callback", c_void_p),
        ("progress_callback_user_data", c_void_p),
        ("kv_overrides", c_void_p),
        ("vocab_only", c_bool),
        ("check_tensors", c_bool),
        ("use_extra_bufts", c_bool),
        ("no_host", c_bool),
        ("no_alloc", c_bool),
        ("load_mtp", c_bool),
        # Room for a longer struct, whose defaults would overflow ours before any check.
        ("room", c_ubyte * 256),
    )


# llama_model_default_params(); unnamed pointers are null.
_DEFAULTS = {
    "n_gpu_layers": -1,
    "split_mode": 1,
    "load_mode": -1,
    "lazy_mode": 1,
    "main_gpu": 0,
    "vocab_only": False,
    "check_tensors": False,
    "use_extra_bufts": True,
    "no_host": False,
    "no_alloc": False,
    "load_mtp": False,
}

_LOG_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int, c_char_p, c_void_p)
_LOG_ERROR = 4
_errors: list[str] = []


@_LOG_CALLBACK  # type: ignore[untyped-decorator]  # ctypes makes function types that mypy cannot know
def _keep_errors(level: int, text: bytes, _user_data: int | None) -> None:
    """Silences llama.cpp's log, but keeps its errors for the exception."""
    if level == _LOG_ERROR:
        _errors.append(text.decode("utf-8", "replace").strip())


@cache
def library() -> ctypes.CDLL:
    """The shared library of the wheel, with declared functions and a silenced log."""
    found = importlib.util.find_spec("xllamacpp")
    files = [
        file for folder in (found and found.submodule_search_locations) or () for file in Path(folder).glob("*.so")
    ]
    if len(files) != 1:
        raise MismatchError(f"the original llama.cpp is not installed; run: {INSTALL}")
    lib = ctypes.CDLL(str(files[0]))
    signatures: dict[str, tuple[Any, list[Any]]] = {
        "llama_log_set": (None, [_LOG_CALLBACK, c_void_p]),
        "llama_backend_init": (None, []),
        "llama_model_default_params": (_ModelParams, []),
        "llama_model_load_from_file": (c_void_p, [c_char_p, _ModelParams]),
        "llama_model_free": (None, [c_void_p]),
        "llama_model_get_vocab": (c_void_p, [c_void_p]),
        "llama_vocab_n_tokens": (c_int32, [c_void_p]),
        "llama_tokenize": (
            c_int32,
            [c_void_p, c_char_p, c_int32, POINTER(c_int32), c_int32, c_bool, c_bool],
        ),
        "llama_token_to_piece": (c_int32, [c_void_p, c_int32, c_char_p, c_int32, c_int32, c_bool]),
        "llama_detokenize": (
            c_int32,
            [c_void_p, POINTER(c_int32), c_int32, c_char_p, c_int32, c_bool, c_bool],
        ),
        # unicode_cpt_flags unicode_cpt_flags_from_cpt(uint32_t), a struct of 16 one-bit fields, and
        # uint32_t unicode_tolower(uint32_t): C++ functions, by their mangled names
        "_Z26unicode_cpt_flags_from_cptj": (c_uint16, [c_uint32]),
        "_Z15unicode_tolowerj": (c_uint32, [c_uint32]),
    }
    for name, (result, arguments) in signatures.items():
        try:
            function = getattr(lib, name)
        except AttributeError:
            raise MismatchError(f"xllamacpp exports no {name}; run: {INSTALL}") from None
        function.restype, function.argtypes = result, arguments
    lib.llama_log_set(_keep_errors, None)
    lib.llama_backend_init()
    return lib


def _vocab_only() -> _ModelParams:
    """Parameters that load only a vocabulary, after a check of the offsets of llama.cpp's defaults."""
    params = library().llama_model_default_params()
    for name, *_ in _ModelParams._fields_:
        found, expected = getattr(params, name), _DEFAULTS.get(name)
        if name != "room" and found != expected:
            raise MismatchError(
                f"llama_model_params.{name} is {found!r}, not {expected!r}: the struct has another layout; "
                f"run: {INSTALL}"
            )
    params.vocab_only = True
    assert isinstance(params, _ModelParams)
    return params


def codepoint_flags(code_point: int) -> int:
    """llama.cpp's flags of a code point, as one number (see explorer.text.Flag)."""
    return int(library()._Z26unicode_cpt_flags_from_cptj(code_point))


def to_lower(code_point: int) -> int:
    """llama.cpp's lower case of a code point."""
    return int(library()._Z15unicode_tolowerj(code_point))


class LlamaCpp:
    """The vocabulary of one GGUF file in llama.cpp. Use it in a `with`, or call `close`.

    >>> with LlamaCpp(Path("vocabs/ggml-vocab-llama-spm.gguf")) as original:
    ...     original.tokenize("What is LoRA?")
    [1, 1724, 338, 4309, 4717, 29973]
    """

    def __init__(self, path: Path) -> None:
        _errors.clear()
        self._model: int | None = library().llama_model_load_from_file(str(path).encode(), _vocab_only())
        if self._model is None:
            raise MismatchError(f"llama.cpp cannot load {path}: " + " / ".join(_errors))
        self._vocab = library().llama_model_get_vocab(self._model)
        self.size = int(library().llama_vocab_n_tokens(self._vocab))

    def tokenize(self, text: str | bytes, add_special: bool = True, parse_special: bool = True) -> list[int]:
        """`llama_tokenize`: the ids of a text. Bytes need not be UTF-8; text must be encodable."""
        self._check_open()
        data = text.encode() if isinstance(text, str) else text
        room = len(data) + 2  # apart from special tokens, a text never has more tokens than bytes
        while True:
            ids = (c_int32 * room)()
            found = library().llama_tokenize(self._vocab, data, len(data), ids, room, add_special, parse_special)
            if found >= 0:
                return list(ids[:found])
            room = _enlarged(room, -found)

    def detokenize(self, ids: Sequence[int], remove_special: bool = False, unparse_special: bool = True) -> bytes:
        """`llama_detokenize`: the bytes of the ids, which may end within a character."""
        self._check_open()
        for id in ids:
            if not 0 <= id < self.size:  # llama.cpp throws a C++ exception, which would end the test run
                raise ValueError(f"id {id} is not in the vocabulary of {self.size}")
        numbers = (c_int32 * len(ids))(*ids)
        room = 16 * len(ids) + 16
        while True:
            text = ctypes.create_string_buffer(room)
            found = library().llama_detokenize(
                self._vocab, numbers, len(ids), text, room, remove_special, unparse_special
            )
            if found >= 0:
                return text.raw[:found]
            room = _enlarged(room, -found)

    def piece(self, id: int, special: bool = True) -> bytes:
        """The bytes of one token, as its server puts them together. special: of a control token, too."""
        self._check_open()
        buffer = ctypes.create_string_buffer(256)
        size = library().llama_token_to_piece(self._vocab, id, buffer, len(buffer), 0, special)
        if size < 0:
            buffer = ctypes.create_string_buffer(-size)
            size = library().llama_token_to_piece(self._vocab, id, buffer, len(buffer), 0, special)
        return buffer.raw[:size]

    def close(self) -> None:
        """Frees the model; a second call does nothing."""
        if self._model is not None:
            library().llama_model_free(self._model)
        self._model = None

    def _check_open(self) -> None:
        if self._model is None:
            raise ValueError("the model has been closed")  # the vocabulary is freed memory

    def __enter__(self) -> LlamaCpp:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _enlarged(room: int, needed: int) -> int:
    if not room < needed < 1 << 31:
        raise MismatchError(f"llama.cpp asks for {needed} places having had {room}; run: {INSTALL}")
    return needed

"""Functions that the kernels of a module call; each is printed once, and only when called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from vyre_dialect.lowering.opencl.types import EXTENSIONS, CType

POCL = "POCL_DEVICE_ADDRESS_BITS"
"""What PoCL defines in every program."""
NVIDIA = "__NV_CL_C_VERSION"
"""What NVIDIA's compiler defines in every program."""


@dataclass
class Helpers:
    """Everything that stands before the kernels of a module: extensions, types, functions."""

    _texts: dict[str, str] = field(default_factory=dict[str, str])
    _extensions: set[str] = field(default_factory=set[str])
    _aliased: set[str] = field(default_factory=set[str])
    _packed: set[CType] = field(default_factory=set[CType])
    _extended: set[CType] = field(default_factory=set[CType])
    _uses_floats: bool = False

    def function(self, name: str, text: Callable[[], str]) -> str:
        """The name of a function, whose text is printed before that of whatever needs it."""
        if name not in self._texts:
            body = text()
            self._texts[name] = body
        return name

    def extension(self, name: str) -> None:
        """Let the module use an extension of OpenCL."""
        self._extensions.add(name)

    @property
    def extensions(self) -> frozenset[str]:
        """The extensions of OpenCL that the module uses."""
        return frozenset(self._extensions)

    def use_type(self, type: CType) -> CType:
        """Let the module use a type, with the extension that it needs."""
        if type.is_float:
            self._uses_floats = True
        if type.is_extended:
            self._extended.add(type.unsigned)
        if type.base in EXTENSIONS:
            self.extension(EXTENSIONS[type.base])
        return type

    def aliased(self, type: CType) -> str:
        """A type for pointers to memory that is also accessed as another scalar type."""
        if type.is_vector:
            return str(type)
        self._aliased.add(type.base)
        return f"aliased_{type.base}"

    def packed(self, type: CType) -> str:
        """A vector type for pointers to lanes that begin anywhere, whatever else they are."""
        if not type.is_extended:
            self._packed.add(type)
        return f"aliased_{type}"

    def prologue(self) -> list[str]:
        """The paragraphs that precede the kernels."""
        paragraphs = list[str]()
        pragmas = [f"#pragma OPENCL EXTENSION {name} : enable" for name in sorted(self._extensions)]
        if self._uses_floats:
            pragmas.append("#pragma OPENCL FP_CONTRACT OFF")
        if pragmas:
            paragraphs.append("\n".join(pragmas))
        if self._aliased:
            typedefs = [
                f"typedef {base} __attribute__((may_alias)) aliased_{base};"
                for base in sorted(self._aliased)
            ]
            paragraphs.append("\n".join(typedefs))
        if self._extended:
            types = sorted(self._extended, key=lambda type: (type.lanes, type.width))
            both = [each for type in types for each in (type, type.signed)]
            paragraphs.append("\n".join(map(_extended_text, both)))
        if self._packed:
            typedefs = [
                f"typedef {type} __attribute__((aligned({type.lane_bytes}), may_alias)) "
                f"aliased_{type};"
                for type in sorted(self._packed, key=str)
            ]
            paragraphs.append("\n".join(typedefs))
        # Intel's compiler for CPUs drops calls of functions that it inlines into some kernels only.
        functions = [f"__attribute__((always_inline)) {text}" for text in self._texts.values()]
        return paragraphs + functions


def _extended_text(type: CType) -> str:
    """A vector type of Clang, with what OpenCL has for those of its own."""
    return (
        f"typedef {type.base} {type} __attribute__((ext_vector_type({type.lanes})));\n"
        f"typedef {type} aliased_{type} "
        f"__attribute__((aligned({type.lane_bytes}), may_alias));\n"
        f"#define as_{type}(v) __builtin_astype((v), {type})\n"
        f"#define convert_{type}(v) __builtin_convertvector((v), {type})"
    )

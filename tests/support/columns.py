"""Programs of one decoder of columns, from its inputs to `decoded`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32, f64, i8, i16, i32, i64
from xdsl.ir import Attribute

from vyre_dialect.builder import Buffer, constant, program
from vyre_dialect.ops.columns import AlpOp, ByteStreamSplitOp, DictionaryOp, RunLengthOp
from vyre_dialect.passes.program.expand import ExpandPass

Build = Callable[[Mapping[str, Buffer]], object]
TYPES = {"i8": i8, "i16": i16, "i32": i32, "i64": i64, "f32": f32, "f64": f64}
DTYPES: dict[str, Any] = {
    **{"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64},
    **{"f32": np.float32, "f64": np.float64},
}


def column(build: Build, **types: Attribute) -> ModuleOp:
    """The program of one decoder, whose buffers have these types; to `decoded`."""
    with program("decode") as p:
        buffers = {
            name: p.buffer(name, type, live_out=name == "decoded") for name, type in types.items()
        }
        build(buffers | {"errors": p.buffer("errors", i32, 1, fill=-1)})
    module = p.module
    ExpandPass().apply(Context(), module)
    module.verify()
    return module


def dictionary(codes: Attribute, values: Attribute, lanes: int | None = None) -> ModuleOp:
    def build(b: Mapping[str, Buffer]) -> None:
        DictionaryOp(b["codes"], b["decoded"], b["table"], b["errors"], lanes=lanes)

    return column(build, codes=codes, table=values, decoded=values)


def split(values: Attribute, lanes: int | None = None) -> ModuleOp:
    def build(b: Mapping[str, Buffer]) -> None:
        ByteStreamSplitOp(b["streams"], b["decoded"], b["errors"], lanes=lanes)

    return column(build, streams=i8, decoded=values)


def alp(
    digits: Attribute, floats: Attribute, exponent: int, factor: int | None, lanes: int
) -> ModuleOp:
    def build(b: Mapping[str, Buffer]) -> None:
        AlpOp(b["digits"], b["decoded"], exponent, factor=factor, lanes=lanes)

    return column(build, digits=digits, decoded=floats)


def patched(values: int, positions: Attribute = i32) -> ModuleOp:
    def build(b: Mapping[str, Buffer]) -> None:
        exceptions, positions = b["exceptions"], b["positions"]
        AlpOp(
            b["digits"],
            b["decoded"],
            2,
            exceptions=exceptions,
            positions=positions,
            values=values,
        )

    return column(build, digits=i64, exceptions=f64, positions=positions, decoded=f64)


def run_length(count: int, ends: Attribute = i32, values: int | None = None) -> ModuleOp:
    def build(b: Mapping[str, Buffer]) -> None:
        count_ = constant(count)
        RunLengthOp(b["ends"], b["decoded"], b["table"], count_, b["errors"], values=values)

    return column(build, ends=ends, table=i32, decoded=i32)

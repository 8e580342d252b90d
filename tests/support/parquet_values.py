"""Columns of Parquet files decoded by a program, and what pyarrow says that they hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.builder import program
from vyre_dialect.columns.column import Column
from vyre_dialect.columns.parquet import ParquetColumn, ParquetError, ParquetFile
from vyre_dialect.passes.program.expand import ExpandPass
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter import Interpreter
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.program.compilation import compile_module

Array = NDArray[Any]
Run = Callable[[Mapping[str, Array]], Mapping[str, Array]]
pa = pytest.importorskip("pyarrow", reason="files of Parquet need pyarrow")
pq = pytest.importorskip("pyarrow.parquet", reason="files of Parquet need pyarrow")

FILES = Path(__file__).parents[1] / "data" / "parquet-testing"


@dataclass
class Decodes:
    """Decodes columns by programs, of which each is made ready once."""

    prepare: Callable[[ModuleOp], Run]
    ready: dict[str, Run] = field(default_factory=dict[str, Run])

    def column(self, column: ParquetColumn) -> list[object]:
        """The values of a column, floats by their bits, and None where there is none."""
        elements = self._elements(column)
        valid = None if column.validity is None else self._elements(column.validity).tolist()
        values: list[Any] = _comparable(elements)
        if column.dictionary is not None:
            known = [*column.dictionary, None]
            values = [known[min(each, len(known) - 1)] for each in values]
        if valid is None:
            return values
        return [each if there else None for each, there in zip(values, valid, strict=True)]

    def _elements(self, column: ParquetColumn) -> Array:
        # Programs are alike where columns are called alike, and are of the same buffers.
        column = replace(column, identifier="column")
        buffers = {name: each.dtype for name, each in column.inputs.items()}
        key = f"{column.element_type} {type(column.decoder)} {buffers}"
        if key not in self.ready:
            self.ready[key] = self.prepare(decoding(column))
        return self.ready[key](column.inputs)["decoded"][: column.rows]


def decoding(column: Column) -> ModuleOp:
    """The program that decodes a column, to `decoded`."""
    with program("decode") as p:
        values = column.declare(p)
        decoded = p.buffer("decoded", column.element_type, values.length, live_out=True)
        with p.arm("copy", values.length) as i:
            decoded[i] = values[i]
    return p.module


def interpreted() -> Decodes:
    """Decodes on the reference interpreter."""

    def prepare(module: ModuleOp) -> Run:
        ExpandPass().apply(Context(), module)
        module.verify()
        interpreter = Interpreter(module)
        return lambda inputs: _signed(interpreter.run(inputs).outputs)

    return Decodes(prepare)


def compiled(session: Any) -> Decodes:
    """Decodes on a device, or what stands for one."""

    def prepare(module: ModuleOp) -> Run:
        info = getattr(session, "info", None)
        executor = Executor(compile_module(module, device=info), session)
        return lambda inputs: _signed(executor.run(inputs).outputs)

    return Decodes(prepare)


def _signed(outputs: Mapping[str, Array]) -> Mapping[str, Array]:
    return {name: each.view(each.dtype.str.replace("u", "i")) for name, each in outputs.items()}


def _comparable(elements: Array) -> list[Any]:
    """Integers as they are, floats as their bits, but for those of NaN, of which there are many."""
    if elements.dtype.kind != "f":
        return elements.tolist()
    bits = elements.view(f"i{elements.dtype.itemsize}").tolist()
    return ["nan" if nan else each for each, nan in zip(bits, np.isnan(elements), strict=True)]


def expected(array: Any) -> list[object]:
    """What pyarrow says that a column holds, as `Decodes.column` has it."""
    if not array.num_chunks:
        return []
    array = pa.concat_arrays(array.chunks)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    kind, types = array.type, pa.types
    if types.is_floating(kind):
        wide = array.cast(pa.float32()) if types.is_float16(kind) else array
        floats = np.array(wide.fill_null(0).to_numpy(zero_copy_only=False))
        return _with_nulls(_comparable(floats), array)
    if types.is_decimal(kind):
        return [None if each is None else _unscaled(each, kind.scale) for each in array.to_pylist()]
    if types.is_date(kind):
        array = array.cast(pa.date32()).cast(pa.int32())
    elif types.is_temporal(kind):
        array = array.cast(pa.int32() if types.is_time32(kind) else pa.int64())
    elif types.is_boolean(kind):
        array = array.cast(pa.int8())
    elif types.is_uint64(kind):
        bits = array.fill_null(0).to_numpy().view(np.int64).tolist()
        return _with_nulls(bits, array)
    return array.to_pylist()


def _with_nulls(values: list[Any], array: Any) -> list[object]:
    there = array.is_valid().to_pylist()
    return [value if valid else None for value, valid in zip(values, there, strict=True)]


def _unscaled(value: Decimal, scale: int) -> int:
    return int(value.scaleb(scale))


def read_by_pyarrow(source: Path | bytes) -> Any:
    """The table of a file."""
    return pq.ParquetFile(BytesIO(source) if isinstance(source, bytes) else source).read()


def assert_like_pyarrow(
    source: Path | bytes, decodes: Decodes, *, in_place: bool = False
) -> ParquetFile:
    """Every column of a file holds what pyarrow says."""
    file, table = ParquetFile(source, in_place=in_place), read_by_pyarrow(source)
    for number, name in enumerate(file.names):
        assert decodes.column(file.column(name)) == expected(table.column(number)), name
    return file


def outcomes(
    source: Path | bytes, decodes: Decodes, most_rows: int = 1 << 20, *, in_place: bool = False
) -> list[str]:
    """
    What happens to a file that may be damaged: for each column, or for the file, "read", or the
    message of an error. What is read, and pyarrow reads too, is compared.
    """
    try:
        file = ParquetFile(source, in_place=in_place)
        if file.rows > most_rows:
            return [f"{file.rows} rows"]
    except ParquetError as error:
        return [str(error)]
    return [_outcome(source, file, name, decodes) for name in file.names]


def _outcome(source: Path | bytes, file: ParquetFile, name: str, decodes: Decodes) -> str:
    try:
        column = file.column(name)
        found = decodes.column(column)
    except (ParquetError, VyreError) as error:
        return str(error)
    try:
        given = pq.ParquetFile(BytesIO(source) if isinstance(source, bytes) else source)
        array = given.read(columns=[column.name]).column(column.name)
        array.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, KeyError):
        assert len(found) == column.rows
    else:
        assert _wrapped(found, array.type) == expected(array), column.name
    return "read"


def _wrapped(values: list[Any], type: Any) -> list[Any]:
    """What is left of damaged numbers in the few bits that pyarrow holds them in."""
    if not pa.types.is_integer(type) or type.bit_width > 16:
        return values
    dtype = np.dtype(type.to_pandas_dtype())
    return [each if each is None else int(np.int64(each).astype(dtype)) for each in values]

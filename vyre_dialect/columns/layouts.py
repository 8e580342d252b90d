"""How the elements of a column lie in buffers, and the decoders that read them from there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from xdsl.dialects.builtin import AnyFloat, IntegerType, i8, i32, i64
from xdsl.ir import Attribute

from vyre_dialect.builder import Buffer, Program, constant
from vyre_dialect.columns.declarations import error_buffer, input_buffer
from vyre_dialect.columns.packing import Array, pack
from vyre_dialect.ir.element_types import element_type_of
from vyre_dialect.ir.types import Initial
from vyre_dialect.ops.columns import AlpOp, DictionaryOp, RunLengthOp
from vyre_dialect.ops.packed import BitUnpackOp, Layout


class ColumnLayout(Protocol):
    """Buffers with the elements of a column."""

    @property
    def buffers(self) -> Mapping[str, Array]:
        """The contents of each buffer, by what it is in this layout."""
        ...

    def declare(self, program: Program, name: str, type: Attribute, rows: int) -> Buffer:
        """
        Declare the buffers, each called `name` and what it is, and the decoders of `rows` elements
        of a type; gives the decoded buffer.
        """
        ...


@dataclass(frozen=True, eq=False)
class Plain:
    """One element after the other, as a program reads them."""

    values: Array

    @property
    def buffers(self) -> Mapping[str, Array]:
        """The elements."""
        return {"plain": self.values}

    def declare(self, program: Program, name: str, type: Attribute, rows: int) -> Buffer:
        """The elements themselves."""
        return input_buffer(program, f"{name}_plain", type)


@dataclass(frozen=True, eq=False)
class Packed:
    """Integers less a base, in as many bits as the largest takes (frame of reference)."""

    bytes: Array
    bits: int
    base: int
    layout: Layout

    @classmethod
    def of(cls, values: Array, width: int, layout: Layout = Layout.SEQUENTIAL) -> Packed:
        """The narrowest form of signed integers, to be decoded to those of `width` bits."""
        base = int(values.min()) if values.size else 0
        # Modulo 2^64, as the difference of two of 64 bits may have one more.
        above = values.astype(np.int64).view(np.uint64) - np.uint64(base % (1 << 64))
        bits = int(above.max()).bit_length() if values.size else 0
        return cls(pack(above, bits, width, layout), bits, base, layout)

    @property
    def buffers(self) -> Mapping[str, Array]:
        """What is packed."""
        return {"packed": self.bytes}

    def declare(self, program: Program, name: str, type: Attribute, rows: int) -> Buffer:
        """Bits to integers; without any bits, `rows` times the base."""
        packed = input_buffer(program, f"{name}_packed", i8)
        decoded = _decoded(program, name, type)
        count = None if self.bits else constant(rows)
        errors = None if self.bits else error_buffer(program, name)
        BitUnpackOp(
            packed,
            decoded,
            self.bits,
            layout=self.layout,
            base=self.base or None,
            count=count,
            errors=errors,
        )
        return decoded


@dataclass(frozen=True, eq=False)
class Coded:
    """Codes, packed, of the elements of a table."""

    codes: Packed
    table: Array

    @property
    def buffers(self) -> Mapping[str, Array]:
        """What is packed, and the table."""
        return {**_inner("codes", self.codes), "table": self.table}

    def declare(self, program: Program, name: str, type: Attribute, rows: int) -> Buffer:
        """Bits to codes, and codes to elements."""
        codes = self.codes.declare(program, f"{name}_codes", i32, rows)
        table = input_buffer(program, f"{name}_table", type)
        decoded = _decoded(program, name, type)
        DictionaryOp(codes, decoded, table, error_buffer(program, name))
        return decoded


@dataclass(frozen=True, eq=False)
class Runs:
    """Where runs of one element end, and the element of each."""

    ends: Array
    table: Array

    @classmethod
    def of(cls, values: Array) -> Runs:
        """The longest runs of some values, of which there is one at least."""
        ends = np.append(np.flatnonzero(values[1:] != values[:-1]) + 1, len(values))
        return cls(ends.astype(np.int32 if len(values) < 1 << 31 else np.int64), values[ends - 1])

    @property
    def buffers(self) -> Mapping[str, Array]:
        """The ends and the table."""
        return {"ends": self.ends, "table": self.table}

    def declare(self, program: Program, name: str, type: Attribute, rows: int) -> Buffer:
        """Runs to elements."""
        ends = input_buffer(program, f"{name}_ends", element_type_of(self.ends.dtype))
        table = input_buffer(program, f"{name}_table", type)
        decoded = _decoded(program, name, type)
        RunLengthOp(ends, decoded, table, constant(rows), error_buffer(program, name))
        return decoded


@dataclass(frozen=True, eq=False)
class Decimals:
    """Floats as decimals, packed, and those that are none (ALP)."""

    digits: Packed
    exponent: int
    factor: int
    exceptions: Array
    positions: Array

    @property
    def buffers(self) -> Mapping[str, Array]:
        """What is packed, and the exceptions if there are any."""
        digits = _inner("digits", self.digits)
        if not len(self.exceptions):
            return digits
        return {**digits, "exceptions": self.exceptions, "positions": self.positions}

    def declare(self, program: Program, name: str, type: Attribute, rows: int) -> Buffer:
        """Bits to integers, and integers to floats."""
        digits = self.digits.declare(program, f"{name}_digits", i64, rows)
        decoded = _decoded(program, name, type)
        exceptions = positions = None
        if len(self.exceptions):
            exceptions = input_buffer(program, f"{name}_exceptions", type)
            positions = input_buffer(
                program, f"{name}_positions", element_type_of(self.positions.dtype)
            )
        AlpOp(
            digits,
            decoded,
            self.exponent,
            factor=self.factor or None,
            exceptions=exceptions,
            positions=positions,
        )
        return decoded


def width_of(type: Attribute) -> int:
    """The bits of an element."""
    assert isinstance(type, IntegerType | AnyFloat)
    return type.bitwidth


def _inner(name: str, layout: ColumnLayout) -> dict[str, Array]:
    return {f"{name}_{what}": contents for what, contents in layout.buffers.items()}


def _decoded(program: Program, name: str, type: Attribute) -> Buffer:
    return program.buffer(name, type, initial=Initial.UNDEFINED)

"""Text that reads or writes a run of consecutive elements that lies inside its buffer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from vyre_dialect.ir.types import VECTOR_LANES
from vyre_dialect.lowering.opencl.helpers import Helpers
from vyre_dialect.lowering.opencl.types import CType


@dataclass(frozen=True)
class Run:
    """Consecutive objects of type `unit` that are accessed as one `value`."""

    unit: CType
    value: CType
    alignment: int
    """Of the first byte, in bytes; at least the size of a unit."""
    qualifier: str
    """The memory space: `__global`, …"""

    @property
    def units(self) -> int:
        """How many units the value takes."""
        return self.value.bytes // self.unit.bytes

    @property
    def is_one_access(self) -> bool:
        """Whether a pointer to the value's type may be used."""
        return self.value.lanes != 3 and self.alignment >= self.value.bytes

    @property
    def is_lanes(self) -> bool:
        """Whether vload and vstore of the value's lanes may be used."""
        return self.value.is_vector and (
            self.value.scalar == self.unit or self.alignment >= self.value.lane_bytes
        )

    @property
    def pieces(self) -> CType:
        """The vector type to read or write and then reinterpret; it has at most 16 lanes."""
        size = min(self.alignment, self.value.lane_bytes, 8)
        piece = self.unit
        if size > self.unit.bytes:
            piece = CType({2: "ushort", 4: "uint", 8: "ulong"}[size])
        return piece.with_lanes(self.value.bytes // piece.bytes)

    @property
    def is_split(self) -> bool:
        """Whether no vector type has as many lanes as there are pieces."""
        if self.value == self.unit or self.is_one_access or self.is_lanes:
            return False
        return self.pieces.lanes not in VECTOR_LANES

    def parts(self) -> Iterator[tuple[int, str, Run]]:
        """Offset in units, suffix of the value, and type of the parts of a split value."""
        value = self.value
        if value.lanes == 3:
            names, part = ("s0", "s1", "s2"), value.scalar
        else:
            names, part = ("lo", "hi"), value.with_lanes(value.lanes // 2)
        units = part.bytes // self.unit.bytes
        alignment = min(self.alignment, part.bytes & -part.bytes)
        for number, name in enumerate(names):
            yield number * units, name, Run(self.unit, part, alignment, self.qualifier)


def address(pointer: str, index: str, offset: int = 0) -> str:
    """`&pointer[index + offset]`."""
    return f"&{pointer}[{index} + {offset}]" if offset else f"&{pointer}[{index}]"


def _pointer(run: Run, type: CType, place: str, helpers: Helpers, *, const: bool) -> str:
    if type == run.unit:
        return place
    qualifiers = f"{run.qualifier} const" if const else run.qualifier
    return f"({qualifiers} {helpers.aliased(type)} *){place}"


def read(run: Run, pointer: str, index: str, helpers: Helpers, offset: int = 0) -> str:
    """An expression for the value; it is primary unless it starts with `*`."""
    place = address(pointer, index, offset)
    if run.value == run.unit:
        return place[1:]
    if run.is_one_access:
        return f"*{_pointer(run, run.value, place, helpers, const=True)}"
    if run.is_lanes:
        lanes = _pointer(run, run.value.scalar, place, helpers, const=True)
        return f"vload{run.value.lanes}(0, {lanes})"
    if run.is_split:
        parts = (read(part, pointer, index, helpers, offset + at) for at, _, part in run.parts())
        return f"({run.value})({', '.join(parts)})"
    pieces = run.pieces
    start = _pointer(run, pieces.scalar, place, helpers, const=True)
    loaded = f"vload{pieces.lanes}(0, {start})" if pieces.is_vector else place[1:]
    return f"as_{run.value}({loaded})"


def write(
    run: Run, pointer: str, index: str, value: str, helpers: Helpers, offset: int = 0
) -> list[str]:
    """Statements that write the value, whose text is a variable where it is split."""
    place = address(pointer, index, offset)
    if run.value == run.unit:
        return [f"{place[1:]} = {value};"]
    if run.is_one_access:
        return [f"*{_pointer(run, run.value, place, helpers, const=False)} = {value};"]
    if run.is_lanes:
        lanes = _pointer(run, run.value.scalar, place, helpers, const=False)
        return [f"vstore{run.value.lanes}({value}, 0, {lanes});"]
    if run.is_split:
        return [
            statement
            for at, name, part in run.parts()
            for statement in write(part, pointer, index, f"{value}.{name}", helpers, offset + at)
        ]
    pieces = run.pieces
    start = _pointer(run, pieces.scalar, place, helpers, const=False)
    if pieces.is_vector:
        return [f"vstore{pieces.lanes}(as_{pieces}({value}), 0, {start});"]
    return [f"{place[1:]} = as_{pieces}({value});"]

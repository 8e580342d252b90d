"""
What a program decodes the values of a column from: the buffers that the host binds, and the ops.

Each gives the values that are there, one after the other; `Spaced` makes room for those that are
not. Names of buffers begin with a prefix of the column.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from xdsl.dialects.builtin import IntegerType, i8, i32, i64
from xdsl.ir import Attribute

from vyre_dialect.builder import Buffer, Program, Value, arm, index
from vyre_dialect.columns.declarations import (
    declared_buffer,
    error_buffer,
    input_buffer,
    shared_buffer,
)
from vyre_dialect.columns.parquet.runs import Array, FileBytes, PageRuns, Runs, Source
from vyre_dialect.ir.element_types import element_type_of
from vyre_dialect.ops.columns import ByteStreamSplitOp, DictionaryOp, RunLengthOp
from vyre_dialect.ops.runs import SKIP, BitUnpackRunsOp, DictionaryRunsOp
from vyre_dialect.ops.scan import PrefixSumOp

Inputs = dict[str, Array]
_SHARED = "file_"
"""The buffer of the bytes of a file: a name that no buffer of a column has."""


class Decoder(Protocol):
    """A way from buffers of the host to values."""

    @property
    def element_type(self) -> Attribute:
        """What values are."""
        ...

    @property
    def form(self) -> Hashable:
        """What the ops depend on, which is not what is bound."""
        ...

    @property
    def own_bytes(self) -> int:
        """What it takes besides the bytes of the file."""
        ...

    def inputs(self, prefix: str) -> Inputs:
        """What the host binds."""
        ...

    def declare(self, program: Program, prefix: str) -> Buffer:
        """The values, decoded at the current place."""
        ...


@dataclass(frozen=True)
class Plain:
    """Values as they are."""

    values: Array

    @property
    def element_type(self) -> Attribute:
        """What values are."""
        return element_type_of(self.values.dtype)

    @property
    def form(self) -> Hashable:
        """What the ops depend on."""
        return (Plain, self.element_type)

    @property
    def own_bytes(self) -> int:
        """What it takes besides the bytes of the file."""
        return self.values.nbytes

    def inputs(self, prefix: str) -> Inputs:
        """The values."""
        return {f"{prefix}_values": self.values}

    def declare(self, program: Program, prefix: str) -> Buffer:
        """The values."""
        return input_buffer(program, f"{prefix}_values", self.element_type)


@dataclass(frozen=True)
class PackedRuns:
    """Runs of packed integers."""

    data: Array
    runs: Runs
    element_type: IntegerType
    limits: Array | None = None
    """What the integers of a run are below, without its base."""

    is_shared: bool = False
    """Whether the bytes are those of the whole file, which columns share."""

    @staticmethod
    def of(
        source: Source,
        pages: Sequence[FileBytes],
        found: PageRuns,
        element_type: IntegerType,
        limits: Sequence[int] | None = None,
        own: bytes = b"",
    ) -> PackedRuns:
        """
        The runs of pages of a file, and what the integers of each page are below. With bytes of
        its `own`, the runs of pages without any are in these, and nothing is read in place.
        """
        runs, numbers = found
        of_runs = None if limits is None else np.array(limits, np.int64)[numbers]
        if source.in_place and not own:
            return PackedRuns(source.data, runs, element_type, of_runs, is_shared=True)
        sizes = np.array([len(page.data) for page in pages], np.int64)
        begins = np.array([page.begin for page in pages], np.int64)
        moves = np.where(sizes, np.cumsum(sizes) - sizes + len(own) - begins, 0)
        data = np.frombuffer(b"".join([own, *(page.data for page in pages)]), np.uint8)
        return PackedRuns(data, runs.moved(moves[numbers]), element_type, of_runs)

    @cached_property
    def _ends(self) -> Array:
        ends = np.cumsum(self.runs.lengths)
        ends = ends if len(ends) else np.zeros(1, np.int64)
        return ends.astype(np.int32) if ends[-1] < 1 << 31 else ends

    @cached_property
    def _skips(self) -> Array:
        """The run of each value that a skip table has one for, and the last."""
        count = int(self._ends[-1])
        places = np.append(np.arange(0, count, SKIP), count - 1)
        return np.searchsorted(self._ends, places, side="right").astype(np.int32)

    @property
    def form(self) -> Hashable:
        """What the ops depend on."""
        return (
            PackedRuns,
            self.element_type,
            self._ends.dtype,
            self.limits is not None,
            self.is_shared,
        )

    @property
    def own_bytes(self) -> int:
        """What it takes besides the bytes of the file."""
        return 5 * self.runs.bits.nbytes + (0 if self.is_shared else self.data.nbytes)

    def inputs(self, prefix: str) -> Inputs:
        """The bytes, and what runs say of themselves."""
        limits = {} if self.limits is None else {f"{prefix}_limits": self.limits}
        return self.run_inputs(prefix) | {f"{prefix}_runs": self._table} | limits

    def run_inputs(self, prefix: str) -> Inputs:
        """The bytes, where runs end, and the skip table."""
        packed = _SHARED if self.is_shared else f"{prefix}_packed"
        return {packed: self.data, f"{prefix}_ends": self._ends, f"{prefix}_skips": self._skips}

    @cached_property
    def _table(self) -> Array:
        return np.stack([self.runs.starts, self.runs.bits, self.runs.bases], axis=1).ravel()

    def declare_runs(self, program: Program, prefix: str) -> tuple[Buffer, ...]:
        """The bytes, where runs end, what they say of themselves, and the skip table."""
        packed = (
            shared_buffer(program, _SHARED, i8)
            if self.is_shared
            else input_buffer(program, f"{prefix}_packed", i8)
        )
        ends = input_buffer(program, f"{prefix}_ends", element_type_of(self._ends.dtype))
        runs = input_buffer(program, f"{prefix}_runs", i64)
        return packed, ends, runs, input_buffer(program, f"{prefix}_skips", i32)

    def declare(self, program: Program, prefix: str) -> Buffer:
        """
        The integers, of which there are as many as the end of the last run says. Levels tell where
        values go and which rows have one: they are decoded once.
        """
        if (known := declared_buffer(program, f"{prefix}_unpacked")) is not None:
            return known
        packed, ends, runs, skips = self.declare_runs(program, prefix)
        limits = None if self.limits is None else input_buffer(program, f"{prefix}_limits", i64)
        decoded = program.buffer(f"{prefix}_unpacked", self.element_type)
        count = ends[ends.length - 1].to(index)
        errors = error_buffer(program, prefix)
        BitUnpackRunsOp(packed, decoded, ends, runs, count, errors, limits=limits, skips=skips)
        return decoded


@dataclass(frozen=True)
class Coded:
    """Codes, and the values that they stand for."""

    codes: PackedRuns
    table: Array

    @property
    def element_type(self) -> Attribute:
        """What values are."""
        return element_type_of(self.table.dtype)

    @property
    def form(self) -> Hashable:
        """What the ops depend on."""
        return (Coded, self.codes.form, self.element_type)

    @property
    def own_bytes(self) -> int:
        """What it takes besides the bytes of the file."""
        return self.codes.own_bytes + self.table.nbytes

    def inputs(self, prefix: str) -> Inputs:
        """The codes and the table."""
        return self.codes.inputs(f"{prefix}_codes") | {f"{prefix}_table": self.table}

    def declare(self, program: Program, prefix: str) -> Buffer:
        """The values."""
        codes = self.codes.declare(program, f"{prefix}_codes")
        table = input_buffer(program, f"{prefix}_table", self.element_type)
        decoded = program.buffer(f"{prefix}_decoded", self.element_type)
        DictionaryOp(codes, decoded, table, error_buffer(program, prefix))
        return decoded


@dataclass(frozen=True)
class InPlace:
    """Numbers where they lie in the file: in dictionaries, by codes, and in plain pages."""

    codes: PackedRuns
    """In the bytes of the file; of 0 bits, those that count up or repeat, by `steps`."""
    steps: Array
    tables: Array
    """The byte where what the codes of a run stand for begins."""
    limits: Array
    """How many values that are."""
    element_type: Attribute

    @property
    def form(self) -> Hashable:
        """What the ops depend on."""
        return (InPlace, self.codes.form, self.element_type)

    @property
    def own_bytes(self) -> int:
        """What it takes besides the bytes of the file."""
        return 2 * self.codes.own_bytes

    def inputs(self, prefix: str) -> Inputs:
        """The bytes of the file, and what runs say of themselves."""
        return self.codes.run_inputs(prefix) | {f"{prefix}_runs": self._table}

    @cached_property
    def _table(self) -> Array:
        runs = self.codes.runs
        starts = np.where(runs.bits > 0, runs.starts, self.steps)
        return np.stack([starts, runs.bits, self.tables, self.limits], axis=1).ravel()

    def declare(self, program: Program, prefix: str) -> Buffer:
        """The numbers."""
        packed, ends, runs, skips = self.codes.declare_runs(program, prefix)
        decoded = program.buffer(f"{prefix}_decoded", self.element_type)
        count, errors = ends[ends.length - 1].to(index), error_buffer(program, prefix)
        DictionaryRunsOp(packed, decoded, ends, runs, count, errors, skips=skips)
        return decoded


@dataclass(frozen=True)
class Differences:
    """Differences, summed up anew from the beginning of each page."""

    differences: PackedRuns
    ends: Array
    """The number of values up to the end of each page."""

    @property
    def element_type(self) -> Attribute:
        """What values are."""
        return self.differences.element_type

    @property
    def form(self) -> Hashable:
        """What the ops depend on."""
        return (Differences, self.differences.form, len(self.ends) < 2)

    @property
    def own_bytes(self) -> int:
        """What it takes besides the bytes of the file."""
        return self.differences.own_bytes

    def inputs(self, prefix: str) -> Inputs:
        """The differences, and where pages begin and end."""
        inputs = self.differences.inputs(f"{prefix}_differences")
        if len(self.ends) < 2:
            return inputs
        starts = np.concatenate([[0], self.ends[:-1]])
        return inputs | {f"{prefix}_starts": starts, f"{prefix}_ends": self.ends}

    def declare(self, program: Program, prefix: str) -> Buffer:
        """The sums since the beginning of a page are all sums less those up to there."""
        differences = self.differences.declare(program, f"{prefix}_differences")
        count = differences.length
        sums = program.buffer(f"{prefix}_sums", self.element_type, count)
        PrefixSumOp(differences, sums)
        if len(self.ends) < 2:
            return sums
        decoded = program.buffer(f"{prefix}_decoded", self.element_type, count)
        before = self._before(program, prefix, sums, count)
        with arm("decode.sums_of_pages", count) as i:
            decoded[i] = sums[i] - before[i]
        return decoded

    def _before(self, program: Program, prefix: str, sums: Buffer, count: Value) -> Buffer:
        """What has been summed up in front of the page of each value."""
        starts = input_buffer(program, f"{prefix}_starts", i64)
        ends = input_buffer(program, f"{prefix}_ends", i64)
        of_pages = program.buffer(f"{prefix}_before_pages", self.element_type, starts.length)
        with arm("decode.sums_before_pages", starts.length) as i:
            # In front of the first page there is nothing, which reads as 0.
            of_pages[i] = sums[starts[i].to(index) - 1]
        before = program.buffer(f"{prefix}_before", self.element_type)
        RunLengthOp(ends, before, of_pages, count, error_buffer(program, prefix))
        return before


@dataclass(frozen=True)
class Split:
    """Bytes of numbers, first all first ones, then all second ones."""

    streams: Array
    element_type: Attribute

    @property
    def form(self) -> Hashable:
        """What the ops depend on."""
        return (Split, self.element_type)

    @property
    def own_bytes(self) -> int:
        """What it takes besides the bytes of the file."""
        return self.streams.nbytes

    def inputs(self, prefix: str) -> Inputs:
        """The bytes."""
        return {f"{prefix}_streams": self.streams}

    def declare(self, program: Program, prefix: str) -> Buffer:
        """The numbers."""
        streams = input_buffer(program, f"{prefix}_streams", i8)
        decoded = program.buffer(f"{prefix}_decoded", self.element_type)
        ByteStreamSplitOp(streams, decoded, error_buffer(program, prefix))
        return decoded


def levels_of(prefix: str) -> str:
    """The prefix of the levels of a column."""
    return f"{prefix}_levels"


@dataclass(frozen=True)
class Spaced:
    """Values where a level is 1, and anything where it is 0."""

    values: Decoder
    levels: PackedRuns
    """Of i32, whose buffers are called as `levels_of` says."""

    @property
    def element_type(self) -> Attribute:
        """What values are."""
        return self.values.element_type

    @property
    def form(self) -> Hashable:
        """What the ops depend on."""
        return (Spaced, self.values.form, self.levels.form)

    @property
    def own_bytes(self) -> int:
        """What it takes besides the bytes of the file."""
        return self.values.own_bytes + self.levels.own_bytes

    def inputs(self, prefix: str) -> Inputs:
        """The values and the levels."""
        return self.values.inputs(prefix) | self.levels.inputs(levels_of(prefix))

    def declare(self, program: Program, prefix: str) -> Buffer:
        """The n-th value goes where there are n of them, that one included."""
        values = self.values.declare(program, prefix)
        levels = self.levels.declare(program, levels_of(prefix))
        rows = levels.length
        ranks = program.buffer(f"{prefix}_ranks", i32, rows)
        PrefixSumOp(levels, ranks)
        spaced = program.buffer(f"{prefix}_spaced", self.element_type, rows)
        with arm("decode.spaced", rows) as i:
            # In front of the first value there is none, which reads as 0.
            spaced[i] = values[ranks[i].to(index, signed=True) - 1]
        return spaced

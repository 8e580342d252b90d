"""
Control flow. Where invocations part, each path runs in a frame of those that take it, and
loops go on in a frame of those still in them; the results are put together again after.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects import scf
from xdsl.ir import Region

from vyre_dialect.runtime.interpreter.formats import (
    Array,
    IntegerFormat,
    UnsupportedError,
    integer_format,
)
from vyre_dialect.runtime.interpreter.machine import Body, Compiler, Frame, Key, Step


class Join:
    """Results of invocations that took different paths, put in their places."""

    def __init__(self, size: int):
        self._size = size
        self._values: list[Array] = []

    def put(self, positions: Array | None, values: Sequence[Array]) -> None:
        """The results at `positions`, or, with None, those of everybody."""
        if positions is None:
            self._values = list(values)
            return
        if not self._values:
            self._values = [np.empty((self._size, *v.shape[1:]), v.dtype) for v in values]
        for joined, value in zip(self._values, values, strict=True):
            joined[positions] = value

    def bind(self, frame: Frame, results: Sequence[Key]) -> None:
        """Make the results values of `frame`."""
        frame.values.update(zip(results, self._values, strict=True))


def _body(region: Region, compiler: Compiler) -> Body | None:
    return compiler.body(region.block) if region.blocks else None


def _run_path(body: Body | None, frame: Frame, chosen: Array, join: Join) -> None:
    """Run `body` for the invocations that are `chosen`; a missing one does nothing."""
    positions = np.flatnonzero(chosen)
    if body is None or not len(positions):
        return
    join.put(positions, body.run(frame.narrow(positions)))


def _run_together(body: Body | None, frame: Frame, results: Sequence[Key]) -> None:
    if body is not None:
        frame.values.update(zip(results, body.run(frame), strict=True))


def if_op(op: scf.IfOp, compiler: Compiler) -> Step:
    """Invocations part ways."""
    condition, results = compiler.key(op.cond), compiler.keys(op.results)
    true = _body(op.true_region, compiler)
    false = _body(op.false_region, compiler)

    def step(frame: Frame) -> None:
        chosen = frame.get(condition)
        count = np.count_nonzero(chosen)
        if count in (0, len(chosen)):
            _run_together(true if count else false, frame, results)
            return
        join = Join(frame.size)
        _run_path(true, frame, chosen, join)
        _run_path(false, frame, ~chosen, join)
        join.bind(frame, results)

    return step


def index_switch(op: scf.IndexSwitchOp, compiler: Compiler) -> Step:
    """Invocations part ways by a number."""
    argument, results = compiler.key(op.arg), compiler.keys(op.results)
    default = compiler.body(op.default_region.block)
    cases = [
        (case, compiler.body(region.block))
        for case, region in zip(op.cases.get_values(), op.case_regions, strict=True)
    ]

    def step(frame: Frame) -> None:
        values = frame.get(argument)
        if len(values) == 1:
            body = next((body for case, body in cases if case == values.item()), default)
            _run_together(body, frame, results)
            return
        join = Join(frame.size)
        remaining = np.ones(len(values), dtype=np.bool_)
        for case, body in cases:
            chosen = values == case
            remaining &= ~chosen
            _run_path(body, frame, chosen, join)
        _run_path(default, frame, remaining, join)
        join.bind(frame, results)

    return step


def execute_region(op: scf.ExecuteRegionOp, compiler: Compiler) -> Step:
    """The ops of a region, in place."""
    if len(op.region.blocks) != 1:
        raise UnsupportedError(
            f"'{op.name}' expected a region of one block, got {len(op.region.blocks)}"
        )
    body, results = compiler.body(op.region.block), compiler.keys(op.results)
    return lambda frame: _run_together(body, frame, results)


def for_op(op: scf.ForOp, compiler: Compiler) -> Step:
    """A counted loop, which each invocation leaves when it is done."""
    fmt = integer_format(op.lb.type)
    bounds = compiler.keys((op.lb, op.ub, op.step))
    initial, results = compiler.keys(op.iter_args), compiler.keys(op.results)
    body = compiler.body(op.body.block)

    def step(frame: Frame) -> None:
        lower, upper, stride = (_wide(fmt, frame.get(bound)) for bound in bounds)
        carried = [frame.get(key) for key in initial]
        trips = _Trips(fmt, lower, stride, _trip_count(lower, upper, stride))
        join = _counted_loop(frame, body, trips, carried)
        join.bind(frame, results)

    return step


def _wide(fmt: IntegerFormat, values: Array) -> Array:
    return fmt.signed(values).astype(np.int64, copy=False)


def _trip_count(lower: Array, upper: Array, stride: Array) -> Array:
    """How often the counter is below `upper`, exactly; never with a step that is not positive."""
    distance = upper.view(np.uint64) - lower.view(np.uint64)
    last = (distance - 1) // np.maximum(stride, 1).view(np.uint64)
    return np.where((lower < upper) & (stride > 0), last + 1, 0)


@dataclass(frozen=True)
class _Trips:
    """How often each invocation goes through a loop, and its counter on the way."""

    format: IntegerFormat
    lower: Array
    stride: Array
    count: Array

    def counter(self, trip: int) -> Array:
        numbers = self.lower + trip * self.stride
        return self.format.pack(numbers.astype(self.format.signed_dtype, copy=False))

    def of(self, selection: Array) -> _Trips:
        return _Trips(self.format, *_rows([self.lower, self.stride, self.count], selection))


def _counted_loop(frame: Frame, body: Body, trips: _Trips, carried: list[Array]) -> Join:
    """Run `body` as often as `trips` says in each invocation."""
    join = Join(frame.size)
    active, positions = frame, None
    done = 0
    while True:
        shortest = int(trips.count.min())
        for trip in range(done, shortest):
            carried = body.run(active, [trips.counter(trip), *carried])
        done = shortest
        staying = np.flatnonzero(trips.count > done)
        if not len(staying):
            join.put(positions, carried)
            return join
        leaving = np.flatnonzero(trips.count == done)
        join.put(_among(positions, leaving), _rows(carried, leaving))
        positions = _among(positions, staying)
        active = frame.narrow(positions)
        trips, carried = trips.of(staying), _rows(carried, staying)


def _among(positions: Array | None, selection: Array) -> Array:
    return selection if positions is None else positions[selection]


def _rows(values: Sequence[Array], selection: Array) -> list[Array]:
    return [value if len(value) == 1 else value.take(selection, axis=0) for value in values]


def while_op(op: scf.WhileOp, compiler: Compiler) -> Step:
    """A loop that ends in its middle."""
    initial, results = compiler.keys(op.arguments), compiler.keys(op.results)
    before = compiler.body(op.before_region.block)
    after = compiler.body(op.after_region.block)

    def step(frame: Frame) -> None:
        join = Join(frame.size)
        active, positions = frame, None
        carried = [frame.get(key) for key in initial]
        while True:
            going_on, *values = before.run(active, carried)
            count = np.count_nonzero(going_on)
            if not count:
                join.put(positions, values)
                break
            if count < len(going_on):
                leaving, staying = np.flatnonzero(~going_on), np.flatnonzero(going_on)
                join.put(_among(positions, leaving), _rows(values, leaving))
                positions = _among(positions, staying)
                active = frame.narrow(positions)
                values = _rows(values, staying)
            carried = after.run(active, values)
        join.bind(frame, results)

    return step

"""What each op of a program makes of numbers that drift, and whether it forbids to cut it."""

from __future__ import annotations

from dataclasses import replace

from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.streams import control_flow, memory
from vyre_dialect.analysis.streams.drift import Drift, fixed
from vyre_dialect.analysis.streams.evaluation import Evaluation
from vyre_dialect.analysis.streams.transfers import DRIFT, logic
from vyre_dialect.analysis.value_ranges import MAX_COUNT, Range, bit_width
from vyre_dialect.ir.interfaces import HasAccessesInterface, Id, ids_of
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.invocation import InvocationIdOp, WorkgroupIdOp


class Steps(Evaluation):
    """The walk, op by op."""

    def step(self, op: Operation) -> None:
        """Evaluate one op."""
        if isinstance(op, HasAccessesInterface):
            memory.access(self, op)
        elif op.regions:
            control_flow.enter(self, op)
        elif isinstance(op, InvocationIdOp | WorkgroupIdOp):
            self.known[op.id] = self._id(op)
        elif isinstance(op, BufLenOp):
            self.known[op.length] = self._length(op)
        else:
            self._compute(op)

    def _id(self, op: InvocationIdOp | WorkgroupIdOp) -> Drift:
        axis = "xyz".index(op.axis.data)
        if axis != self.scope.axis:
            return fixed(self.range_of(op.id))
        size = 1
        if isinstance(op, WorkgroupIdOp):
            assert self.scope.arm is not None
            size = self.scope.arm.workgroup[axis]
        rate = self.scope.rate // size
        return Drift(rate, 0, Range(0, rate - 1))

    def _length(self, op: BufLenOp) -> Drift:
        owner = op.buffer.owner
        facts = self.buffers.get(owner) if isinstance(owner, BufferOp) else None
        return fixed(self.range_of(op.length)) if facts is None else facts.length

    def _compute(self, op: Operation) -> None:
        if (decided := logic(self, op)) is not None:
            self.known[op.results[0]] = decided
            return
        if self._takes_places(op):
            transfer = DRIFT.of(type(op))
            if transfer is not None and (result := transfer(self, op)) is not None:
                self.known[op.results[0]] = self._held(op.results[0], result)
                return
        cause = self.all_as_data(op) or self._unknown(op)
        for result in op.results:
            self.known[result] = fixed(self.range_of(result), cause)

    def _held(self, value: SSAValue, number: Drift) -> Drift:
        """A number as `value` holds it, whose type it may overflow."""
        width = bit_width(value.type)
        least, most = (0, 1) if width == 1 else (-(1 << width - 1), (1 << width - 1) - 1)
        reach = (abs(number.begin) + abs(number.end)) * (MAX_COUNT // self.unit)
        if least <= number.rest.low - reach and number.rest.high + reach <= most:
            return number
        if number.is_fixed:
            return fixed(self.range_of(value), number.cause)
        return replace(number, wraps=True)

    def _takes_places(self, op: Operation) -> bool:
        operands = [self.of(operand) for operand in op.operands]
        return any(not each.is_fixed or each.cause is not None for each in operands)

    def _unknown(self, op: Operation) -> Operation | None:
        """The op itself where nobody says what it depends on."""
        ids = ids_of(op)
        return op if ids is None or ids & {Id.INVOCATION, Id.WORKGROUP} else None

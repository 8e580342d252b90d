"""Which ops are computed in few bits: those that hand on to each other, where that is less work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue, Use

from vyre_dialect.analysis.places import places
from vyre_dialect.passes.rewriting.joint_ops import joint_ops
from vyre_dialect.passes.scalar.narrowing.forms import Form, Reading, Width

Extension = arith.ExtUIOp | arith.ExtSIOp


class Choice:
    """The ops of an arm that are computed in so many bits."""

    def __init__(self, ops: Sequence[Operation], width: Width):
        self.width = width
        self.forms = dict[Operation, Form]()
        self.readings = dict[Operation, Reading | None]()
        """How results are read that have as many bits as before, None where none has."""
        self._ops = ops
        for op in reversed(ops):  # those that use a result come first
            self._add(op)
        for group in joint_ops(list(self.forms), self.taken):
            if not self._is_halved(group):
                self._leave_out(group)

    @cached_property
    def _places(self) -> AbstractSet[SSAValue]:
        """What no data decide; found where some op has a form, as few arms have any."""
        return places(self._ops)

    def _add(self, op: Operation) -> None:
        """Take an op whose result fits, or of which nothing but low bits is read."""
        form = self.width.form(op)
        if form is None or all(op.operands[place] in self._places for place in form.places):
            return
        (result,) = op.results
        reading = None
        if self.width.is_exceeded_by(result):
            reading = self.width.reading(op, result)
            if reading is None and not all(map(self._reads_low_bits, result.uses)):
                return
        self.forms[op], self.readings[op] = form, reading

    def _reads_low_bits(self, use: Use) -> bool:
        if self.cuts(use.operation):
            return True
        form = self.forms.get(use.operation)
        return form is not None and form.takes_low_bits and use.index in form.places

    def cuts(self, op: Operation) -> bool:
        """Whether an op takes so many low bits of a number, or fewer."""
        return isinstance(op, arith.TruncIOp) and not self.width.is_exceeded_by(op.result)

    def taken(self, op: Operation) -> Iterator[SSAValue]:
        """The operands that an op takes in few bits."""
        for place in self.forms[op].places:
            yield op.operands[place]

    def extended(self, value: SSAValue) -> Extension | None:
        """What extends so few bits to a value, if that is how it is made."""
        op = value.owner
        if not isinstance(op, Extension) or self.width.is_exceeded_by(op.input):
            return None
        return op

    def _leave_out(self, group: set[Operation]) -> None:
        for op in group:
            del self.forms[op]

    def _is_halved(self, group: set[Operation]) -> bool:
        """Whether no more than half of the bits are computed then, conversions included."""
        before, after = sum(map(self._wide_cost, group)), sum(map(self._cost, group))
        outside = {each for op in group for each in self.taken(op) if each.owner not in group}
        for value in outside:
            spared, added = self._conversions_of_operand(value, group)
            before, after = before + spared, after + added
        for op in group:
            spared, added = self._conversions_of_result(op.results[0], group)
            before, after = before + spared, after + added
        return 2 * after <= before

    def _wide_cost(self, op: Operation) -> int:
        form = self.forms[op]
        return _bits(op.operands[form.places[0]]) * form.wide_steps

    def _cost(self, op: Operation) -> int:
        return self.width.bits * self.forms[op].steps

    def _conversions_of_operand(
        self, value: SSAValue, group: AbstractSet[Operation]
    ) -> tuple[int, int]:
        """The bits of an extension that nothing else needs, and of what is added."""
        if value in self._places:
            return 0, 0
        extension = self.extended(value)
        if extension is None:
            return 0, _bits(value)
        spared = all(use.operation in group for use in value.uses)
        is_same = _bits(extension.input) == self.width.bits
        return spared * _bits(value), 0 if is_same else self.width.bits

    def _conversions_of_result(
        self, result: SSAValue, group: AbstractSet[Operation]
    ) -> tuple[int, int]:
        """The bits of what cut a result, which is spared, and of what is added for others."""
        others = [use.operation for use in result.uses if use.operation not in group]
        if not self.width.is_exceeded_by(result):
            return 0, 0
        cut = [each for each in others if self.cuts(each)]
        narrowed = [each for each in cut if _bits(each.results[0]) < self.width.bits]
        widened = len(cut) < len(others)
        return len(cut) * _bits(result), len(narrowed) * self.width.bits + widened * _bits(result)


def _bits(value: SSAValue) -> int:
    assert isinstance(value.type, IntegerType)
    return value.type.width.data

"""What an op does in few bits that is defined by others: what all of these do in as many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.by_definition import Readings, readings_within
from vyre_dialect.builder.definition import Defined, defined
from vyre_dialect.builder.values import constant
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.meaning import Definition
from vyre_dialect.passes.scalar.narrowing.forms import Form, Narrow, Width


def narrow(definition: Definition) -> Narrow:
    """The forms of the ops of the definition, which has one of its own if each of these has."""

    def form_of(width: Width, op: Operation) -> Form | None:
        made = defined(definition, op)
        forms = _forms(_width_inside(width, op, made), made)
        if not forms:
            return None
        return Form(
            _Inlined(width, made, forms).compute,
            width.places(op),
            takes_low_bits=all(form.takes_low_bits for form in forms.values()),
            steps=sum(form.steps for form in forms.values()),
            wide_steps=sum(form.wide_steps for form in forms.values()),
        )

    return form_of


def _width_inside(width: Width, op: Operation, made: Defined) -> Width:
    """So many bits, and what is known of the numbers that the definition computes."""
    operands = [
        Readings(width.unsigned(each, op.parent), width.signed(each)) for each in op.operands
    ]
    known = readings_within(made, operands)
    return Width(
        width.bits, lambda value, _: known[value].unsigned, lambda value: known[value].signed
    )


def _forms(width: Width, made: Defined) -> Mapping[Operation, Form]:
    """The forms of all but constants; none where an op has no form, or not of all its operands."""
    forms = dict[Operation, Form]()
    for op in made.block.ops:
        if integer_of(op.results[0]) is not None:
            continue
        form = width.form(op)
        if form is None or [*form.places] != [*width.places(op)]:
            return {}
        forms[op] = form
    return forms


@dataclass(frozen=True)
class _Inlined:
    """A definition that is written in few bits."""

    width: Width
    made: Defined
    forms: Mapping[Operation, Form]

    def compute(self, *operands: SSAValue) -> SSAValue:
        """Write it, of operands that have few bits where they have more elsewhere."""
        values = dict[SSAValue, SSAValue](zip(self.made.block.args, operands, strict=True))
        for op in self.made.block.ops:
            taken = [values[each] for each in op.operands]
            form = self.forms.get(op)
            (result,) = op.results
            values[result] = self._constant(result) if form is None else form.compute(*taken)
        return values[self.made.result]

    def _constant(self, value: SSAValue) -> SSAValue:
        number, type = integer_of(value), value.type
        assert number is not None
        if isinstance(type, IntegerType) and self.width.is_exceeded_by(value):
            number, type = number % (1 << self.width.bits), self.width.type
        return constant(number, type).ssa

"""What ops say of themselves, as that they do not wrap around, checked as the interpreter runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeAlias
from unittest import mock

import numpy as np
from xdsl.dialects import arith, scf
from xdsl.dialects.arith import IntegerOverflowAttr, IntegerOverflowFlag
from xdsl.ir import Operation

from vyre_dialect.analysis.value_ranges import bit_width
from vyre_dialect.ir.types import NO_WRAP, WITHIN_WIDTH, scalar_type
from vyre_dialect.runtime.interpreter.machine import Compiler, Frame, Step

Numbers: TypeAlias = Any
"""An array of integers of Python, which no number is too large for."""

Check: TypeAlias = Callable[[list[Any]], None]
"""Checks what an op says of itself, by its operands."""

_EXACT: dict[type[Operation], Callable[[Numbers, Numbers], Numbers]] = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.ShLIOp: lambda a, b: a * 2**b,
}


class ProofChecker:
    """Counts the proofs that hold whenever their op runs, and keeps what is wrong."""

    def __init__(self) -> None:
        self.held = Counter[str]()
        self.wrong = list[str]()

    def around(self, op: Operation, compiler: Compiler, step: Step) -> Step:
        """A step that is preceded by the check of what its op says, if that is anything."""
        checks = list(self._checks_of(op))
        keys = compiler.keys(op.operands) if checks else ()

        def checked(frame: Frame) -> None:
            operands = [frame.get(key) for key in keys]
            for check in checks:
                check(operands)
            step(frame)

        return checked if checks else step

    def _checks_of(self, op: Operation) -> Iterator[Check]:
        flags = op.properties.get("overflowFlags")
        if isinstance(flags, IntegerOverflowAttr) and flags.data:
            yield partial(self._check_flags, op, flags)
        if WITHIN_WIDTH in op.attributes:
            yield partial(self._check_amount, op)
        if isinstance(op, scf.ForOp) and NO_WRAP in op.attributes:
            yield partial(self._check_loop, op)

    def _check_amount(self, op: Operation, operands: list[Any]) -> None:
        width = bit_width(scalar_type(op.operands[1].type))
        self._note(WITHIN_WIDTH, op, holds=bool((_unsigned(operands[1], width) < width).all()))

    def _check_flags(self, op: Operation, flags: IntegerOverflowAttr, operands: list[Any]) -> None:
        width = bit_width(scalar_type(op.results[0].type))
        left, right = (_unsigned(each, width) for each in operands)
        if IntegerOverflowFlag.NUW in flags.data:
            exact = _EXACT[type(op)](left, right)
            self._note("nuw", op, holds=bool(((exact >= 0) & (exact < 2**width)).all()))
        if IntegerOverflowFlag.NSW in flags.data:
            amount = right if isinstance(op, arith.ShLIOp) else _signed(right, width)
            exact, half = _EXACT[type(op)](_signed(left, width), amount), 2 ** (width - 1)
            self._note("nsw", op, holds=bool(((exact >= -half) & (exact < half)).all()))

    def _check_loop(self, op: scf.ForOp, operands: list[Any]) -> None:
        width = bit_width(op.lb.type)
        begin, end, step = (_signed(_unsigned(each, width), width) for each in operands[:3])
        trips = np.maximum(-((begin - end) // np.maximum(step, 1)), 0)
        holds = (step > 0) & (begin + trips * step < 2 ** (width - 1))
        self._note(NO_WRAP, op, holds=bool(holds.all()))

    def _note(self, what: str, op: Operation, *, holds: bool) -> None:
        if holds:
            self.held[what] += 1
        else:
            self.wrong.append(f"'{what}' does not hold of {op}")


def _unsigned(numbers: Any, width: int) -> Numbers:
    return np.asarray(numbers).astype(object) % 2**width


def _signed(unsigned: Numbers, width: int) -> Numbers:
    half = 2 ** (width - 1)
    return (unsigned + half) % 2**width - half


@contextmanager
def checked_proofs() -> Generator[ProofChecker]:
    """
    Check what ops say of their numbers in programs that the interpreter makes ready and runs
    meanwhile; of accesses, it does so by itself.
    """
    checker, compiled = ProofChecker(), Compiler.step

    def step(compiler: Compiler, op: Operation) -> Step:
        return checker.around(op, compiler, compiled(compiler, op))

    with mock.patch.object(Compiler, "step", step):
        yield checker

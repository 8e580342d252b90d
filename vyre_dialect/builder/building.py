"""
Where the builder of programs stands: the blocks that are open, and the line of Python that asks.

An op gets the line that builds it as its location. One that uses a value of a block that has been
left, as of an earlier arm, is refused there and then.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import local
from weakref import WeakSet

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import VerifyException

from vyre_dialect.ir.python_lines import line_that_builds, place_of
from vyre_dialect.ir.verification import failing_op
from vyre_dialect.ops.program import ProgramOp


@dataclass
class _State(local):
    """What this thread builds."""

    programs: int = 0
    left: WeakSet[Block] = field(default_factory=WeakSet[Block])


_state = _State()


@contextmanager
def building_program(program: ProgramOp) -> Generator[None]:
    """
    Build the body of a program, and verify it.

    Raises a VerifyException that names a line of Python where a rule of an op is broken.
    """
    program.location = line_that_builds()
    _state.programs += 1
    try:
        with building(program.body.block):
            yield
    finally:
        _state.programs -= 1
    try:
        program.verify()
    except VerifyException as error:
        # The rest is the IR, in which the op is marked.
        raise _told(failing_op(program, error), str(error).splitlines()[0]) from None


@contextmanager
def building(body: Block) -> Generator[None]:
    """Build at the end of a block; what is defined in it cannot be used after it."""
    if not _state.programs:  # a rewrite, whose ops have the location of what it rewrites
        with ImplicitBuilder(body):
            yield
        return
    builder = Builder(InsertPoint.at_end(body), operation_insertion_handler=[_place])
    try:
        with ImplicitBuilder(builder):
            yield
    finally:
        _state.left.add(body)


def _told(op: Operation, message: str) -> VerifyException:
    """What is wrong with an op that is built, and where."""
    place = place_of(op.location)
    return VerifyException(message if place is None else f"{place}: {message}")


def _place(op: Operation) -> None:
    op.location = line_that_builds() if isinstance(op.location, UnknownLoc) else op.location
    for operand in op.operands:
        _check_in_reach(op, operand)


def _check_in_reach(op: Operation, value: SSAValue) -> None:
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    if block is None or block not in _state.left:
        return
    name = "a value" if value.name_hint is None else f"%{value.name_hint}"
    outside = "program" if isinstance(block.parent_op(), ProgramOp) else "arm, branch or loop"
    raise _told(
        op,
        f"'{op.name}' uses {name} of the {outside} that has been left; "
        "store it in a buffer, or let the branch or loop yield it",
    )

"""Ops that are defined by others: what the definition of one builds, on its own."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.builder.values import Value
from vyre_dialect.ir.effects import is_effect_free
from vyre_dialect.ir.interfaces import ids_of
from vyre_dialect.ir.meaning import DEFINITION, Definition


@dataclass(frozen=True)
class Defined:
    """The ops that an op stands for."""

    block: Block
    """Has an argument for each operand."""
    result: SSAValue
    """What stands for the result."""


def defined(
    definition: Definition, op: Operation, within: tuple[type[Operation], ...] = ()
) -> Defined:
    """
    What the definition of `op`, which has one result, builds: in a block that stands nowhere.
    `within` are the classes of ops in whose definitions `op` stands.

    Raises DiagnosticException where it gives something of another type, or has ops that have
    effects or depend on ids.
    """
    block = Block(arg_types=op.operand_types)
    with ImplicitBuilder(block):
        value = definition(op, *map(Value, block.args))
    if len(op.results) != 1 or not isinstance(value, Value):
        raise DiagnosticException(f"'{op.name}' is not defined as one value")
    if value.type != op.results[0].type:
        raise DiagnosticException(
            f"'{op.name}' is defined as a value of type {value.type}, expected {op.results[0].type}"
        )
    for inner in block.ops:
        _check(op, inner, (*within, type(op)))
    return Defined(block, value.ssa)


def _check(op: Operation, inner: Operation, within: tuple[type[Operation], ...]) -> None:
    if type(inner) in within or not _is_function(inner):
        raise DiagnosticException(
            f"'{op.name}' is defined by '{inner.name}', expected other ops, of one result that is "
            "a function of their operands"
        )
    if (nested := DEFINITION.of(type(inner))) is not None:
        defined(nested, inner, within)


def _is_function(op: Operation) -> bool:
    """Whether an op computes one result of its operands, and of nothing else."""
    is_one = len(op.results) == 1 and not op.regions
    return is_one and is_effect_free(type(op)) and ids_of(op) == frozenset()

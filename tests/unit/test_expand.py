"""`vyre-expand` expands the ops of any package that say how."""

from collections.abc import Callable

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i8
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.builder import program
from vyre_dialect.ir.interfaces import HasExpansionInterface
from vyre_dialect.ir.types import BufferType
from vyre_dialect.ops.decode import XorOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.program.expand import ExpandLibraryOps, ExpandPass


@irdl_op_definition
class SwapCaseOp(IRDLOperation, HasExpansionInterface):
    """A decoder of another package: swaps the case of letters."""

    name = "other.swap_case"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)

    def __init__(self, source: SSAValue, destination: SSAValue):
        super().__init__(operands=[source, destination])

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        return (ExpandSwapCase(),)


class ExpandSwapCase(RewritePattern):
    """To a decoder that is itself to be expanded."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SwapCaseOp, rewriter: PatternRewriter, /) -> None:
        rewriter.replace(op, XorOp(op.source, op.destination, " "))


@irdl_op_definition
class UnexpandedOp(IRDLOperation, HasExpansionInterface):
    """A decoder without a pattern."""

    name = "other.unexpanded"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)

    def __init__(self, source: SSAValue, destination: SSAValue):
        super().__init__(operands=[source, destination])

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        return ()


def module_with(op: Callable[[SSAValue, SSAValue], object]) -> ModuleOp:
    with program("other") as p:
        op(p.buffer("source", i8).ssa, p.buffer("destination", i8).ssa)
    return p.module


def test_expands_ops_of_other_packages_and_what_they_expand_to():
    module = module_with(SwapCaseOp)
    ExpandPass().apply(Context(), module)
    module.verify()
    arms = [op.generator.data for op in module.walk() if isinstance(op, RegionOp)]
    assert arms == ["decode.xor"]


def test_refuses_an_op_that_no_pattern_expands():
    with pytest.raises(PassFailedException, match=r"'other.unexpanded' expected an expansion"):
        ExpandPass().apply(Context(), module_with(UnexpandedOp))


@irdl_op_definition
class FailingOp(IRDLOperation, HasExpansionInterface):
    """A decoder whose pattern fails and leaves a handler of its own behind."""

    name = "other.failing"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)

    def __init__(self, source: SSAValue, destination: SSAValue):
        super().__init__(operands=[source, destination])

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        return (FailToExpand(),)


class FailToExpand(RewritePattern):
    """Listens to insertions, as a pattern may, and raises."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        rewriter.operation_insertion_handler.append(ignore)
        raise PassFailedException("no luck")


def ignore(_: Operation) -> None:
    """A handler of insertions that does nothing."""


def test_a_pattern_that_fails_leaves_only_its_own_handlers():
    module = module_with(FailingOp)
    (op,) = (op for op in module.walk() if isinstance(op, FailingOp))
    rewriter = PatternRewriter(op)
    with pytest.raises(PassFailedException, match="no luck"):
        ExpandLibraryOps().match_and_rewrite(op, rewriter)
    assert rewriter.operation_insertion_handler == [ignore]

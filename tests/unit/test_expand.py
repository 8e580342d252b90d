"""`vyre-expand` expands the ops of any package that say how."""

from collections.abc import Callable
from pathlib import Path

import pytest
from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i8
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.builder import Buffer, arm, program
from vyre_dialect.ir.interfaces import HasExpansionInterface
from vyre_dialect.ir.types import BufferType
from vyre_dialect.ops.decode import XorOp
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.passes.fusion.decode_scan_fuse import candidate_handoffs
from vyre_dialect.passes.program.expand import ExpandLibraryOps, ExpandPass
from vyre_dialect.runtime.program.compilation import make_context, parse_module


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


def refusal_of(monkeypatch: pytest.MonkeyPatch, pattern: RewritePattern) -> str:
    """What is said where a package's op has this pattern."""
    monkeypatch.setattr(SwapCaseOp, "get_expansion_patterns", lambda: (pattern,))
    with pytest.raises(PassFailedException) as refused:
        ExpandPass().apply(Context(), module_with(SwapCaseOp))
    return str(refused.value)


class Misspelt(RewritePattern):
    """Asks a buffer for something that it does not have."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SwapCaseOp, rewriter: PatternRewriter, /) -> None:
        rewriter.erase(Buffer(op.source).size)  # pyright: ignore  # the line that is misspelt


def line_with(text: str) -> int:
    lines = Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_a_mistake_in_a_pattern_is_told_with_the_op_and_the_line(
    monkeypatch: pytest.MonkeyPatch,
):
    said = refusal_of(monkeypatch, Misspelt())
    assert said.startswith(f"'other.swap_case' ({__file__}:{line_with('op(p.buffer')}) cannot be")
    assert "AttributeError: 'Buffer' object has no attribute 'size'" in said
    assert said.endswith(f"({__file__}:{line_with('# the line that is misspelt')})")


class Forgetful(RewritePattern):
    """Builds an arm, and leaves the op where it is."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SwapCaseOp, rewriter: PatternRewriter, /) -> None:
        source, destination = Buffer(op.source), Buffer(op.destination)
        with ImplicitBuilder(rewriter), arm("decode.swap_case", source.length) as i:
            destination[i] = source[i]


def test_a_pattern_that_leaves_its_op_is_told_instead_of_applied_for_ever(
    monkeypatch: pytest.MonkeyPatch,
):
    said = refusal_of(monkeypatch, Forgetful())
    assert "expected its expansion to take it out of the program" in said
    assert "rewriter.erase(op)" in said


TWO_DECODERS = """
vyre.program @two {
  %packed = vyre.buffer @packed : !vyre.buffer<96xi8, read_only>
  %one = vyre.buffer @one initial undefined : !vyre.buffer<256xi32, read_write>
  %other = vyre.buffer @other initial undefined : !vyre.buffer<256xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack %packed to %one bits 3 : !vyre.buffer<96xi8, read_only>, !vyre.buffer<256xi32, read_write>
  vyre.decode.bitunpack %packed to %other bits 3 : !vyre.buffer<96xi8, read_only>, !vyre.buffer<256xi32, read_write>
  vyre.scan.filter %one in [0, 9) count %count : !vyre.buffer<256xi32, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.scan.filter %other in [0, 9) count %count : !vyre.buffer<256xi32, read_write>, !vyre.buffer<1xi32, read_write>
}
"""  # noqa: E501


def trials_to_expand(monkeypatch: pytest.MonkeyPatch, expand: ExpandPass) -> int:
    """How often fusion of a program of two decoders is tried, to choose their parameters."""
    module = parse_module(TWO_DECODERS, make_context())
    tried = list[ProgramOp]()

    def trial(program: ProgramOp) -> dict[str, int | None]:
        tried.append(program)
        return candidate_handoffs(program)

    monkeypatch.setattr("vyre_dialect.passes.program.expand.candidate_handoffs", trial)
    expand.apply(Context(), module)
    return len(tried)


def test_fusion_is_tried_once_where_a_choice_depends_on_it(monkeypatch: pytest.MonkeyPatch):
    expand = ExpandPass(defaults=("values=32",), unfused=("values=4",))
    assert trials_to_expand(monkeypatch, expand) == 1


@pytest.mark.parametrize(
    "expand",
    [
        pytest.param(ExpandPass(defaults=("values=8",), unfused=("values=8",)), id="same"),
        pytest.param(
            ExpandPass(choices=("vyre.decode.bitunpack.values=8",), unfused=("values=4",)),
            id="chosen",
        ),
        pytest.param(ExpandPass(unfused=("values=4",), fusing=False), id="not-fusing"),
        pytest.param(ExpandPass(unfused=("values=5",)), id="not-legal"),
    ],
)
def test_fusion_is_not_tried_where_no_choice_depends_on_it(
    monkeypatch: pytest.MonkeyPatch, expand: ExpandPass
):
    assert trials_to_expand(monkeypatch, expand) == 0

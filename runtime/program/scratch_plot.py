"""The scratch plan of a program as a picture, for inputs of some size."""

from __future__ import annotations

from typing import Any

from xdsl.ir import Operation

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.passes.memory.scratch_reuse import ScratchReusePlan, packed
from vyre_dialect.runtime.interpreter.host_plan import HostPlan
from vyre_dialect.runtime.program.memory_plot import Rectangle, memory_plot


def scratch_plot(program: ProgramOp, elements: int) -> str:
    """
    When and where the buffers that escape nowhere lie in their arena, as SVG; inputs of run-time
    size have `elements` elements. Buffers whose size an arm computes are left out.

    Raises a VyreError for sizes that make no sense.
    """
    plan = HostPlan[Any](program, lambda op, compiler, is_sized: lambda run, frame: None, {})
    inputs = (each for each in plan.declarations.values() if each.static_count is None)
    supplied = {each.name: elements for each in inputs if each.op.size is None}
    counts = plan.sizing(supplied).counts
    recyclable = AnalysisManager().get(ScratchReusePlan, program).non_escaping
    declared = [plan.declarations[each] for each in recyclable]
    sizes = {
        each.op: counts[each.key] * each.element_size for each in declared if each.key in counts
    }
    live_ranges, packing = program.live_ranges(), packed(program, sizes)
    rectangles = [
        Rectangle(op.sym_name.data, live_ranges[op].begin, live_ranges[op].end, offset, size)
        for (op, size), offset in zip(sizes.items(), packing.offsets, strict=True)
    ]
    steps = [_step(op) for op in program.body.block.ops]
    title = f"'{program.sym_name.data}' with inputs of {elements} elements"
    return memory_plot(title, rectangles, steps)


def _step(op: Operation) -> str:
    """What a place in the program is called: only arms have a name there."""
    if isinstance(op, RegionOp):
        return op.generator.data
    return op.kernel_name if isinstance(op, LaunchOp) else ""

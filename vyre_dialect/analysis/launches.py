"""The launches of kernels, and what the host computes for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Self

from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.traits import Pure

from vyre_dialect.analysis.manager import Analysis, AnalysisManager
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.kernel import CheckWholeWorkgroupsOp, KernelOp, LaunchOp


class Launches(Analysis):
    """The launches of the kernels of a module."""

    def __init__(self, module: Operation):
        self._launches = defaultdict[str, list[LaunchOp]](list)
        self._typical = dict[str, LaunchOp | None]()
        for op in ops_inside(module):
            if isinstance(op, LaunchOp):
                self._launches[op.kernel.root_reference.data].append(op)

    @classmethod
    def of_scope(cls, scope: Operation, facts: AnalysisManager) -> Self:
        """Those of the module around `scope`."""
        module = scope.get_toplevel_object()
        assert isinstance(module, Operation)
        return cls(module) if module is scope else facts.get(cls, module)

    def of(self, kernel: KernelOp) -> Sequence[LaunchOp]:
        """The launches of a kernel, in order."""
        return self._launches.get(kernel.sym_name.data, ())

    def typical_of(self, kernel: KernelOp) -> LaunchOp | None:
        """
        One of the launches of a kernel: what follows from how the host computes it holds of each.
        None where they are not computed alike, or there is none.
        """
        launches = self.of(kernel)
        name = kernel.sym_name.data
        if name not in self._typical:
            is_alike = len(launches) == 1 or len({computation_of(each) for each in launches}) == 1
            self._typical[name] = launches[0] if is_alike else None
        return self._typical[name]


def computation_of(launch: LaunchOp) -> str:
    """
    What the host computes for a launch, with buffers and what is read of them by numbers: equal
    texts stand for computations that are the same but for those. Linear, without recursion.
    """
    lines, numbers = list[str](), dict[SSAValue, int]()
    for value in _computed_for(launch):
        numbers[value] = len(numbers)
        lines.append(_line_of(value, launch, numbers))
    passed = [numbers[each] for each in launch.operands]
    return "\n".join([*lines, f"{passed} {launch.static_grid}"])


def _line_of(value: SSAValue, launch: LaunchOp, numbers: dict[SSAValue, int]) -> str:
    op = value.owner
    assert isinstance(op, Operation) and isinstance(value, OpResult)
    checks = sorted(
        check.workgroup_size.value.data
        for check in (use.operation for use in value.uses)
        if isinstance(check, CheckWholeWorkgroupsOp) and check.is_before_in_block(launch)
    )
    operands = [numbers[each] for each in _traced(op)]
    stated = op.attributes if isinstance(op, BufferOp) else op.properties | op.attributes
    attributes = sorted(f"{name}={attribute}" for name, attribute in stated.items())
    return f"{op.name}.{value.index}:{value.type} {operands} {attributes} {checks}"


def _traced(op: Operation) -> Sequence[SSAValue]:
    """The operands that a value is known by; what is read of a buffer is known by nothing."""
    return op.operands if isinstance(op, BufferOp) or op.has_trait(Pure) else ()


def _computed_for(launch: LaunchOp) -> Iterator[SSAValue]:
    """All values that the operands of a launch are computed of, each after its operands."""
    seen, pending = set[SSAValue](), [(each, False) for each in reversed(launch.operands)]
    while pending:
        value, is_ready = pending.pop()
        if is_ready:
            yield value
        elif value not in seen:
            seen.add(value)
            pending.append((value, True))
            assert isinstance(value.owner, Operation)
            pending += ((each, False) for each in reversed(_traced(value.owner)))

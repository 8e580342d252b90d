"""How many workgroups run each arm of a program."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from vyre_dialect.runtime.interpreter import ObservedAccess, interpret
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.program.compilation import CompiledProgram


class _Workgroups:
    """The workgroups that touch anything, by arm."""

    def __init__(self) -> None:
        self.of_arm: dict[int, set[int]] = {}

    def begin_arm(self, arm: int, op: Operation) -> None:
        self.of_arm[arm] = set()

    def access(self, access: ObservedAccess) -> None:
        self.of_arm[access.arm].update(access.workgroups.tolist())

    def end_run(self) -> None:
        """Everything has been seen."""


def workgroups_of_arms(compiled: CompiledProgram, inputs: Mapping[str, Array]) -> list[int]:
    """How many workgroups of each kernel touch memory in a run of the program."""
    module, workgroups = compiled.program.parent_op(), _Workgroups()
    assert isinstance(module, ModuleOp)
    interpret(module, inputs, observer=workgroups)
    return [len(each) for each in workgroups.of_arm.values()]

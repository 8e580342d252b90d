"""The launches of a program, as the interpreter sees them: what each was given, and what it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.ir.types import BufferType
from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.interpreter import run as interpreter_run
from vyre_dialect.runtime.interpreter.arms import compile_launch
from vyre_dialect.runtime.interpreter.arrays import element_dtype
from vyre_dialect.runtime.interpreter.machine import Compiler

Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class Launch:
    """A launch of a kernel."""

    kernel: str
    grid: tuple[int, int, int]
    workgroup: tuple[int, int, int]
    arguments: tuple[Bytes | int, ...]
    """The bytes of each buffer before it, and each number."""
    results: tuple[Bytes | None, ...]
    """The bytes of each buffer after it."""
    dtypes: tuple[np.dtype[Any], ...]
    """What the bytes of each buffer stand for."""

    def differences(self, got: Sequence[Bytes]) -> list[int]:
        """Which of its buffers are other than they should be; every NaN is as good as another."""
        expected = [each for each in self.results if each is not None]
        cases = enumerate(zip(expected, got, self.dtypes, strict=True))
        return [number for number, case in cases if not _are_equal(*case)]


def _are_equal(expected: Bytes, got: Bytes, dtype: np.dtype[Any]) -> bool:
    if dtype.kind != "f":
        return np.array_equal(expected, got)
    one, other = expected.view(dtype), got.view(dtype)
    nan = np.isnan(one)
    same = expected.reshape(len(one), -1) == got.reshape(len(one), -1)
    return bool(np.array_equal(nan, np.isnan(other)) and (nan | same.all(axis=1)).all())


def launches_of(module: ModuleOp, inputs: Mapping[str, Any]) -> list[Launch]:
    """Interpret a program of kernels; gives its launches, in order."""
    recorded = list[Launch]()

    def compile_recorded(op: LaunchOp, compiler: Compiler, _: bool) -> Any:
        arm, keys = compile_launch(op, compiler), compiler.keys(op.arguments)
        kernel = op.callee()
        assert kernel is not None
        types = (each.type for each in op.arguments)
        dtypes = tuple(element_dtype(each) for each in types if isinstance(each, BufferType))

        def step(run: Any, frame: Any) -> None:
            stored = [run.storages.get(key) for key in keys]
            before = tuple(
                int(frame.get(key).item()) if storage is None else storage.bytes.copy()
                for key, storage in zip(keys, stored, strict=True)
            )
            run.runner.run(arm, frame)
            after = tuple(None if each is None else each.bytes.copy() for each in stored)
            name, grid = kernel.sym_name.data, arm.extents(frame)
            recorded.append(Launch(name, grid, kernel.workgroup, before, after, dtypes))

        return step

    with patch.object(interpreter_run, "_compile_arm", compile_recorded):
        interpret(module, inputs)
    return recorded

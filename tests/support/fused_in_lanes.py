"""Programs whose arms have lanes and fuse all the same, each of which was two kernels once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import IntegerType, ModuleOp

from examples.encodings import Array
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.runtime.program.compilation import load_module, make_context

FOLDER = Path(__file__).parents[1] / "data" / "fused_in_lanes"
NAMES = sorted(path.stem for path in FOLDER.glob("*.mlir"))
SIZES = (0, 1, 5, 63, 64, 65, 129, 1000)


def program_of(name: str) -> ModuleOp:
    """A program, by the name of its file."""
    return load_module(FOLDER / f"{name}.mlir", make_context())


def inputs_of(module: ModuleOp, size: int) -> dict[str, Array]:
    """So many numbers for the one input, in which one in three is a zero."""
    (program,) = (op for op in module.ops if isinstance(op, ProgramOp))
    source = next(op for op in program.body.block.ops if isinstance(op, BufferOp))
    element = source.type.element_type
    assert isinstance(element, IntegerType)
    random = np.random.default_rng(size)
    numbers = random.integers(0, 1 << 7, size) * (random.integers(0, 3, size) > 0)
    return {source.sym_name.data: numbers.astype(f"uint{element.width.data}")}

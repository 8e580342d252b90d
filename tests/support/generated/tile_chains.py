"""Programs of one arm whose workgroups hand values on through several tiles, with barriers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects.builtin import IntegerType, ModuleOp, i8, i16, i32, i64

from support.generated.drawing import ShownAsText
from vyre_dialect.builder import Buffer, Value, barrier, local_id, program
from vyre_dialect.ir.types import Access, MemorySpace
from vyre_dialect.runtime.interpreter.arrays import Array

WORKGROUP = 32
GROUPS = 3


@dataclass(frozen=True)
class Stage:
    """What each invocation stores in the next tile: an element of an earlier one, and a number."""

    back: int
    """How many tiles before; the last tile but so many."""
    shift: int
    """Whose element: that of so many invocations further on."""
    addend: int
    element: IntegerType


@dataclass(frozen=True)
class TileChain(ShownAsText):
    """Stages with a barrier after each."""

    stages: tuple[Stage, ...]

    @property
    def inputs(self) -> dict[str, Array]:
        """Contents of the input."""
        return {"source": np.arange(WORKGROUP * GROUPS, dtype=np.int32) * 7 + 1}

    def module(self) -> ModuleOp:
        """The program."""
        count = WORKGROUP * GROUPS
        with program("tiles") as p:
            source = p.buffer("source", i32, count, access=Access.READ_ONLY)
            out = p.buffer("out", i64, count, live_out=True)
            tiles = [
                p.buffer(f"t{k}", stage.element, WORKGROUP, memory_space=MemorySpace.WORKGROUP)
                for k, stage in enumerate(self.stages)
            ]
            with p.arm("tiles", count, workgroup_size=[WORKGROUP]) as i:
                lane = local_id()
                for k, (stage, tile) in enumerate(zip(self.stages, tiles, strict=True)):
                    value = source[i] if not k else _earlier(tiles[:k], stage, lane)
                    tile[lane] = value.to(stage.element) + stage.addend
                    barrier()
                out[i] = tiles[-1][(lane + 5) % WORKGROUP].to(i64)
        return p.module

    def __repr__(self) -> str:
        return f"\n{self.stages}\n{self.module()}\n"


def _earlier(tiles: list[Buffer], stage: Stage, lane: Value) -> Value:
    tile = tiles[max(0, len(tiles) - stage.back)]
    return tile[(lane + stage.shift) % WORKGROUP]


def tile_chains() -> st.SearchStrategy[TileChain]:
    """Chains of three to seven tiles, of which some are read again later."""
    stage = st.builds(
        Stage,
        back=st.sampled_from([1, 1, 1, 2, 3]),
        shift=st.integers(0, WORKGROUP - 1),
        addend=st.integers(0, 99),
        element=st.sampled_from([i8, i16, i32, i64]),
    )
    return st.lists(stage, min_size=3, max_size=7).map(tuple).map(TileChain)

"""Private memory at known offsets holds the same as values do, whatever widths touch it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from support.generated.drawing import Draws, ShownAsText, for_each
from xdsl.dialects.builtin import ModuleOp, VectorType, f32, i8, i16, i32, i64
from xdsl.ir import Attribute

from vyre_dialect.builder import Buffer, Program, Value, for_, if_, program
from vyre_dialect.ir.types import Access, MemorySpace, accessed_elements, element_bytes
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.runtime.interpreter.run import interpret
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context

CONTEXT = make_context()
BYTES = 32
INVOCATIONS = 3
SLOTS = 40
ELEMENTS: tuple[Attribute, ...] = (i8, i8, i16, i32)
TYPES: tuple[Attribute, ...] = (
    *(i8, i16, i32, i64, f32),
    *(VectorType(i8, [4]), VectorType(i32, [2]), VectorType(i32, [4]), VectorType(i16, [8])),
)
MAX_DEPTH = 2
PROGRAMS = 100


class Body:
    """Builds random accesses to a private tile, of which every load is written out."""

    def __init__(self, draw: st.DrawFn, i: Value, data: Buffer, tile: Buffer, out: Buffer):
        self.draw, self.i, self.data, self.tile, self.out = draw, i, data, tile, out
        self.slot = 0

    def access(self) -> None:
        """A load or a store of some type at some element."""
        elements = [type for type in TYPES if accessed_elements(self.tile.type, type)]
        type = self.draw(st.sampled_from(elements))
        count = accessed_elements(self.tile.type, type)
        assert count is not None and self.tile.type.static_count is not None
        alignment = self.draw(st.sampled_from([1, count]))
        last = (self.tile.type.static_count - count) // alignment
        place = self.draw(st.integers(0, last)) * alignment
        if self.draw(st.booleans()):
            source = self.draw(st.integers(0, 60))
            self.tile.store(self.data.load(self.i + source, type), place)
        elif self.slot + 2 <= SLOTS // 8:
            self.out.store(self.tile.load(place, type), (self.i * SLOTS + self.slot * 8) * 2)
            self.slot += 2

    def run(self, depth: int = 0) -> None:
        """Some accesses, on one path or another."""
        for _ in range(self.draw(st.integers(1, 4))):
            kind = self.draw(st.sampled_from(["access", "access", "if", "for"]))
            if kind == "if" and depth < MAX_DEPTH:
                with if_(self.i < self.draw(st.integers(0, 3))) as branch:
                    self.run(depth + 1)
                if self.draw(st.booleans()):
                    with branch.else_():
                        self.run(depth + 1)
            elif kind == "for" and depth < MAX_DEPTH:
                with for_(0, self.i):
                    self.run(depth + 1)
            else:
                self.access()


def _declared(p: Program, element: Attribute) -> tuple[Buffer, Buffer, Buffer]:
    size = element_bytes(element) or 1
    data = p.buffer("data", i8, 128, access=Access.READ_ONLY)
    tile = p.buffer("tile", element, BYTES // size, memory_space=MemorySpace.PRIVATE)
    out = p.buffer("out", i8, INVOCATIONS * SLOTS * 16, live_out=True)
    return data, tile, out


@dataclass(frozen=True)
class Sample(ShownAsText):
    """A program, which shows itself as text."""

    module: ModuleOp

    def __repr__(self) -> str:
        return f"\n{self.module}\n"


@st.composite
def programs(draw: st.DrawFn) -> Sample:
    element = draw(st.sampled_from(ELEMENTS))
    with program("private", workgroup_size=[4]) as p:
        data, tile, out = _declared(p, element)
        with p.arm("private", INVOCATIONS) as i:
            whole = VectorType(element, [min(16, BYTES // (element_bytes(element) or 1))])
            half = accessed_elements(tile.type, whole) or 1
            for place in range(0, tile.type.static_count or 0, half):
                tile.store(data.load(i * 16 + place, whole), place)
            Body(draw, i, data, tile, out).run()
    return Sample(p.module)


def outputs(module: ModuleOp) -> dict[str, object]:
    inputs = {"data": np.arange(128, dtype=np.uint8) * 37}
    return {name: found.tolist() for name, found in interpret(module, inputs).outputs.items()}


def test_values_hold_what_memory_held(draws: Draws):
    promoted = 0

    def check(sample: Sample) -> None:
        nonlocal promoted
        after = sample.module.clone()
        apply_pipeline(after, "vyre-sroa", CONTEXT)
        buffers = [op for op in after.walk() if isinstance(op, BufferOp)]
        promoted += all(op.type.space == MemorySpace.GLOBAL for op in buffers)
        assert outputs(after) == outputs(sample.module)

    for_each(programs(), check, examples=draws(PROGRAMS))
    # Overlapping stores may leave chunks of more words than a vector has.
    assert promoted > 0.3 * draws(PROGRAMS)

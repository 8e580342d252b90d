"""What decoders write in lanes means the same lane after lane, whatever reads it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.fusion import require_same_meaning
from support.schedules import CONTEXT

from vyre_dialect.runtime.program.compilation import apply_pipeline, parse_module

DECODER = """
vyre.program @drawn workgroup_size [8] {{
  %in = vyre.buffer @in : !vyre.buffer<?xi32, read_only>
  %rows = vyre.buffer @rows : !vyre.buffer<?xi8, read_only>
  %count = vyre.buf_len %rows : !vyre.buffer<?xi8, read_only>
  %size = arith.constant {size} : index
  %lanes = arith.constant {lanes} : index
  %blocks = arith.ceildivui %count, %size : index
  %whole = arith.muli %blocks, %size : index
  %writers = arith.muli %blocks, %lanes : index
  %decoded = vyre.buffer @decoded[%{held}] initial undefined : !vyre.buffer<?x{type}, read_write>
  %mapped = vyre.buffer @mapped[%{held}] initial undefined : !vyre.buffer<?x{type}, read_write>
  %out = vyre.buffer @out[%whole] live_out : !vyre.buffer<?x{type}, read_write>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<4x{type}, read_write>
  vyre.region "decode" invocations [%writers] {{
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %width = arith.constant {lanes} : index
    %steps = arith.constant {rows} : index
    %per_block = arith.constant {size} : index
    %seven = arith.constant 7 : i32
    %word = vyre.load %in[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %block = arith.divui %i, %width : index
    %lane = arith.remui %i, %width : index
    %before = arith.muli %block, %per_block : index
    %first = arith.addi %before, %lane : index
    %last = scf.for %row = %c0 to %steps step %c1 iter_args(%left = %word) -> (i32) {{
      %down = arith.muli %row, %width : index
      %element = arith.addi %first, %down : index
      {narrow}
      vyre.store %value, %decoded[%element] : {type}, !vyre.buffer<?x{type}, read_write>
      %next = arith.muli %left, %seven : i32
      scf.yield %next : i32
    }}
  }}
"""
SECOND = """
  %per_block = arith.constant {other_size} : index
  %side_by_side = arith.constant {other_lanes} : index
  %other_blocks = arith.ceildivui %{held}, %per_block : index
  %other_writers = arith.muli %other_blocks, %side_by_side : index
  %other = vyre.buffer @other[%{held}] initial undefined : !vyre.buffer<?x{type}, read_write>
  vyre.region "decode.other" invocations [%other_writers] {{
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %width = arith.constant {other_lanes} : index
    %steps = arith.constant {rows} : index
    %length = arith.constant {other_size} : index
    %block = arith.divui %i, %width : index
    %lane = arith.remui %i, %width : index
    %before = arith.muli %block, %length : index
    %first = arith.addi %before, %lane : index
    scf.for %row = %c0 to %steps step %c1 {{
      %down = arith.muli %row, %width : index
      %element = arith.addi %first, %down : index
      %wide = arith.index_cast %element : index to {type}
      vyre.store %wide, %other[%element] : {type}, !vyre.buffer<?x{type}, read_write>
    }}
  }}
  vyre.region "add" invocations [%{held}] {{
    %i = vyre.invocation_id x
    %x = vyre.load %decoded[%i] : !vyre.buffer<?x{type}, read_write> -> {type}
    %y = vyre.load %other[%i] : !vyre.buffer<?x{type}, read_write> -> {type}
    %sum = arith.muli %x, %y : {type}
    vyre.store %sum, %mapped[%i] : {type}, !vyre.buffer<?x{type}, read_write>
  }}
"""
"""A decoder in lanes of its own, and an arm that reads both."""
MAPPED = """
  vyre.region "map" invocations [%{held}] {{
    %i = vyre.invocation_id x
    %three = arith.constant 3 : {type}
    %x = vyre.load %decoded[%i] : !vyre.buffer<?x{type}, read_write> -> {type}
    %y = arith.addi %x, %three : {type}
    vyre.store %y, %mapped[%i] : {type}, !vyre.buffer<?x{type}, read_write>
  }}
"""
AGAIN = (
    DECODER[DECODER.index("  vyre.region") :]
    .replace("%decoded[%element]", "%mapped[%element]")
    .replace('"decode" invocations [%writers]', '"again" invocations [%whole]')
    .replace(
        "%in[%i] : !vyre.buffer<?xi32, read_only>", "%decoded[%i] : !vyre.buffer<?xi32, read_write>"
    )
)
"""Takes what the decoder made by its own number, and writes it in lanes."""
SCANNER = """
  vyre.region "scan" invocations [%{read}] {{
    %i = vyre.invocation_id x
    %four = arith.constant 4 : index
    %x = vyre.load %{source}[%i] : !vyre.buffer<?x{type}, read_write> -> {type}
    vyre.store %x, %out[%i] : {type}, !vyre.buffer<?x{type}, read_write>
    %bin = arith.remui %i, %four : index
    %old = vyre.atomic_rmw addi %x, %sums[%bin] : {type}, !vyre.buffer<4x{type}, read_write>
  }}
}}
"""


@dataclass(frozen=True)
class Drawn:
    """A decoder in lanes, perhaps another or an arm that maps what it makes, and a scanner."""

    lanes: int
    rows: int
    type: str
    is_mapped: bool
    held: str
    """The elements of the handoffs: `count`, or `whole` blocks."""
    read: str
    """The invocations of the scanner: `count`, or as many as whole blocks have."""
    other_lanes: int = 0
    """Those of a second decoder, in place of what maps, if there is one."""

    @property
    def text(self) -> str:
        """The program."""
        between = SECOND if self.other_lanes else MAPPED if self.is_mapped else ""
        return self.with_arms(between, SCANNER)

    def with_arms(self, *arms: str) -> str:
        """The program of the decoder and these arms."""
        narrow = "%value = arith.extui %left : i32 to i64"
        if self.type == "i32":
            narrow = "%zero = arith.constant 0 : i32\n      %value = arith.ori %left, %zero : i32"
        return "".join((DECODER, *arms)).format(
            **vars(self),
            size=self.lanes * self.rows,
            other_size=self.other_lanes * self.rows,
            source="mapped" if self.is_mapped or self.other_lanes else "decoded",
            narrow=narrow,
        )


DRAWN = st.builds(
    Drawn,
    st.sampled_from([8, 16, 32]),
    st.sampled_from([2, 4, 8, 32]),
    st.sampled_from(["i32", "i64"]),
    st.booleans(),
    st.sampled_from(["count", "whole"]),
    st.sampled_from(["count", "whole"]),
    st.sampled_from([0, 8, 16]),
)


@pytest.mark.slow
@given(DRAWN, st.integers(0, 700), st.integers(0, 100))
@example(Drawn(8, 4, "i32", True, "count", "count"), 45, 20)
@example(Drawn(8, 4, "i32", True, "whole", "count"), 45, 20)
@example(Drawn(8, 4, "i32", False, "whole", "whole", 8), 45, 20)
@example(Drawn(8, 4, "i32", False, "count", "count", 16), 45, 20)
def test_layout_and_order_change_no_meaning(drawn: Drawn, count: int, given_words: int) -> None:
    _require_same_meaning(drawn.text, count, given_words)


def test_an_arm_reads_one_handoff_by_its_number_and_writes_another_in_lanes() -> None:
    drawn = Drawn(8, 4, "i32", is_mapped=True, held="whole", read="whole")
    _require_same_meaning(drawn.with_arms(AGAIN, SCANNER), 90, 24)


def test_invocations_have_no_number_along_other_axes() -> None:
    number = "%i = vyre.invocation_id x"
    own = f"%y = vyre.invocation_id y\n    {number}"
    scanner = SCANNER.replace(number, own).replace("%bin = arith.remui %i", "%bin = arith.remui %y")
    drawn = Drawn(8, 4, "i32", is_mapped=False, held="count", read="count")
    _require_same_meaning(drawn.with_arms(scanner), 90, 24)


def _require_same_meaning(text: str, count: int, given_words: int) -> None:
    before = parse_module(text, CONTEXT)
    words = np.random.default_rng(count).integers(0, 1 << 32, given_words, np.uint32)
    inputs = {"in": words.view(np.int32), "rows": np.zeros(count, np.uint8)}
    for pipeline in ("vyre-transpose-handoffs", "vyre-transpose-handoffs,vyre-decode-scan-fuse"):
        after = before.clone()
        apply_pipeline(after, pipeline, CONTEXT)
        require_same_meaning(before, after, inputs)


@pytest.mark.parametrize("other_lanes", [0, 8])
def test_such_programs_are_transposed(other_lanes: int) -> None:
    drawn = Drawn(8, 4, "i32", True, "count", "count", other_lanes)
    module = parse_module(drawn.text, CONTEXT)
    before = str(module)
    apply_pipeline(module, "vyre-transpose-handoffs", CONTEXT)
    assert str(module) != before

"""What a program consists of is listed whole, in order, and as it then was."""

from __future__ import annotations

from support.counting import function_calls
from support.schedules import CONTEXT

from benchmarks.compile_time import many_pairs
from vyre_dialect.analysis.listing import Listing
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.runtime.program.compilation import parse_module

NESTED = """
vyre.program @p {
  %out = vyre.buffer @out live_out : !vyre.buffer<4xi32, read_write>
  vyre.region "a" invocations [4] {
    %i = vyre.invocation_id x
    %true = arith.constant true
    %x = scf.if %true -> (index) {
      scf.if %true {
      }
      scf.yield %i : index
    } else {
      scf.yield %i : index
    }
    scf.for %k = %i to %x step %i {
    }
  }
  vyre.region "b" invocations [4] {
  }
}
"""


def test_each_op_stands_before_those_in_its_regions() -> None:
    module = parse_module(NESTED, CONTEXT)
    listing = Listing.of(module)
    assert list(listing.ops) == ops_inside(module)
    assert list(listing.ops) == list(module.walk())


def test_columns_are_what_the_ops_say() -> None:
    module = parse_module(NESTED, CONTEXT)
    listing = Listing.of(module)
    ops = list(module.walk())
    blocks = [block for op in ops for region in op.regions for block in region.blocks]
    assert list(listing.parents) == [op.parent for op in ops]
    assert list(listing.operands) == [tuple(op.operands) for op in ops]
    assert list(listing.results) == [tuple(op.results) for op in ops]
    assert list(listing.regions) == [tuple(op.regions) for op in ops]
    assert [block for each in listing.blocks for block in each] == blocks
    assert list(listing.arguments) == [tuple(block.args) for block in blocks]


def test_a_root_has_no_siblings() -> None:
    program = parse_module(NESTED, CONTEXT).body.block.first_op
    assert program is not None
    buffer = program.regions[0].block.first_op
    assert buffer is not None
    assert list(Listing.of(buffer).ops) == [buffer]


def test_it_stays_as_it_is() -> None:
    module = parse_module(NESTED, CONTEXT)
    listing = Listing.of(module)
    loop = next(op for op in module.walk() if op.name == "scf.for")
    place = list(listing.ops).index(loop)
    before = tuple(loop.operands)
    loop.operands = list(reversed(loop.operands))
    loop.detach()
    assert listing.operands[place] == before
    assert loop in listing.ops


def test_work_is_linear() -> None:
    few, many = many_pairs(4), many_pairs(16)
    work = function_calls(lambda: Listing.of(few))
    assert function_calls(lambda: Listing.of(many)) < 4.2 * work

"""
Write programs from Python.

    with program("double") as p:
        values = p.buffer("values", i32, live_out=True)
        with p.arm("double", values.length) as i:
            values[i] = values[i] + values[i]
    print(p)

Everything is built at the current place: in the program, in the arm, in the branch or loop
whose `with` is open. Operators and conversions are those of `Value`; `if_`, `for_` and
`while_` build control flow. Any other op is built by constructing it, and
`Value(op.result)` goes on from there.
"""

from vyre_dialect.builder.buffers import (
    Buffer,
    async_copy,
    async_wait,
    barrier,
    invocation_id,
    local_id,
    subgroup_id,
    subgroup_lane,
    workgroup_id,
)
from vyre_dialect.builder.control_flow import Branch, Loop, WhileLoop, for_, if_, while_
from vyre_dialect.builder.program import Program, arm, program
from vyre_dialect.builder.queries import Aggregation, Query, Selection, aggregate, select
from vyre_dialect.builder.values import Scalar, Value, constant, constants, index, ssa

__all__ = [
    "Aggregation",
    "Branch",
    "Buffer",
    "Loop",
    "Program",
    "Query",
    "Scalar",
    "Selection",
    "Value",
    "WhileLoop",
    "aggregate",
    "arm",
    "async_copy",
    "async_wait",
    "barrier",
    "constant",
    "constants",
    "for_",
    "if_",
    "index",
    "invocation_id",
    "local_id",
    "program",
    "select",
    "ssa",
    "subgroup_id",
    "subgroup_lane",
    "while_",
    "workgroup_id",
]

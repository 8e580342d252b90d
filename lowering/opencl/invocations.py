"""Ids, barriers, copies by a workgroup, and what subgroups do."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from vyre_dialect.ir.effects import is_effect_free
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import Axis, MemorySpace, ReduceKind
from vyre_dialect.lowering.opencl.arithmetic import is_i1
from vyre_dialect.lowering.opencl.expressions import Expression, binary
from vyre_dialect.lowering.opencl.helpers import POCL
from vyre_dialect.lowering.opencl.literals import literal
from vyre_dialect.lowering.opencl.memory import load_element, store_element
from vyre_dialect.lowering.opencl.scope import StatementScope
from vyre_dialect.lowering.opencl.types import BOOL, INDEX, CType, storage_type
from vyre_dialect.ops.invocation import (
    AsyncCopyOp,
    AsyncWaitOp,
    BarrierOp,
    InvocationIdOp,
    LocalIdOp,
    SubgroupIdOp,
    SubgroupLaneOp,
    SubgroupReduceOp,
    SubgroupShuffleOp,
    WorkgroupIdOp,
)
from vyre_dialect.ops.kernel import KernelOp

_ID_FUNCTIONS: dict[type[Operation], str] = {
    InvocationIdOp: "get_global_id",
    WorkgroupIdOp: "get_group_id",
    LocalIdOp: "get_local_id",
}
_ID_NAMES = {
    "get_global_id": "i",
    "get_group_id": "group",
    "get_local_id": "local_i",
}
_NEEDS_LINEAR_ID = (
    AsyncCopyOp,
    SubgroupIdOp,
    SubgroupLaneOp,
    SubgroupReduceOp,
    SubgroupShuffleOp,
)
LOCAL_BARRIER = "barrier(CLK_LOCAL_MEM_FENCE);"
GLOBAL_BARRIER = "barrier(CLK_GLOBAL_MEM_FENCE);"
FULL_BARRIER = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"

# PoCL 3.1 aborts where a barrier under a condition in a loop has a branch right behind it, unless
# something that moves nowhere stands in between.
_BRANCH = "vyre_branch_behind_barrier"
_BRANCH_TEXT = f"""\
static void {_BRANCH}(void)
{{
#ifdef {POCL}
    __asm__ volatile("");
#endif
}}"""


def declare_ids(printer: StatementScope) -> None:
    """Print a variable for each id that the kernel uses, whatever the number of its uses."""
    groups = dict[tuple[str, int], list[SSAValue]]()
    for op in ops_inside(printer.kernel.body):
        if (function := _ID_FUNCTIONS.get(type(op))) is not None:
            assert isinstance(op, InvocationIdOp | WorkgroupIdOp | LocalIdOp)
            groups.setdefault((function, list(Axis).index(op.axis.data)), []).append(op.id)
    for (function, axis), ids in groups.items():
        if any(value.uses for value in ids):
            _declare_id(printer, f"{function}({axis})", ids, _ID_NAMES[function])


def _declare_id(printer: StatementScope, text: str, ids: list[SSAValue], role: str) -> None:
    hint = next((value.name_hint for value in ids if value.name_hint), role)
    name = printer.names.fresh(hint)
    printer.line(f"{INDEX} {name} = {text};")
    for value in ids:
        printer.bind(value, Expression(name, INDEX))


def declare_exchanges(printer: StatementScope) -> None:
    """Print the arrays through which subgroups exchange values, and the id within a workgroup."""
    ops = ops_inside(printer.kernel.body)
    x, y, z = printer.kernel.workgroup
    for op in ops:
        if isinstance(op, SubgroupShuffleOp | SubgroupReduceOp):
            type = printer.helpers.use_type(storage_type(op.value.type))
            if type not in printer.exchanges:
                name = printer.names.fresh(f"exchange_{type.short_name}")
                printer.line(f"__local {type} {name}[{x * y * z}];")
                printer.exchanges[type] = name
    if any(isinstance(op, _NEEDS_LINEAR_ID) for op in ops):
        name = printer.names.fresh("linear_id")
        printer.line(f"{INDEX} {name} = {_linear_id(printer.kernel)};")
        printer.linear_id = Expression(name, INDEX)


def _linear_id(kernel: KernelOp) -> str:
    x, y, z = kernel.workgroup
    terms = ["get_local_id(0)"] if x > 1 else []
    terms += [f"get_local_id(1) * {x}" if x > 1 else "get_local_id(1)"] if y > 1 else []
    terms += [f"get_local_id(2) * {x * y}" if x * y > 1 else "get_local_id(2)"] if z > 1 else []
    return " + ".join(terms) or "0"


def already_declared(printer: StatementScope, op: Operation) -> None:
    """An id stands at the top of the kernel."""


def subgroup_lane(printer: StatementScope, op: SubgroupLaneOp) -> None:
    """The position in the subgroup."""
    lanes = literal(printer.kernel.lanes, INDEX)
    lane = binary(printer.linear_id, "%", lanes, INDEX)
    printer.bind(op.id, printer.declare(op.id, lane, "lane"))


def subgroup_id(printer: StatementScope, op: SubgroupIdOp) -> None:
    """Which subgroup of the workgroup it is."""
    lanes = literal(printer.kernel.lanes, INDEX)
    subgroup = binary(printer.linear_id, "/", lanes, INDEX)
    printer.bind(op.id, printer.declare(op.id, subgroup, "subgroup"))


def barrier(printer: StatementScope, op: BarrierOp) -> None:
    """A barrier that orders the memory that the op says."""
    space = None if op.memory_space is None else op.memory_space.data
    if space is None:
        print_barrier(printer, op, FULL_BARRIER)
    elif space == MemorySpace.GLOBAL:
        print_barrier(printer, op, GLOBAL_BARRIER)
    else:
        print_barrier(printer, op, LOCAL_BARRIER)


def print_barrier(printer: StatementScope, op: Operation, barrier: str) -> None:
    """Print the barrier that `op` ends in."""
    printer.line(barrier)
    if _is_followed_by_branch(op) and _is_in_branch_of_loop(op):
        printer.line(f"{printer.helpers.function(_BRANCH, lambda: _BRANCH_TEXT)}();")


def _is_followed_by_branch(op: Operation) -> bool:
    """Whether nothing but arithmetic, which may move, stands between `op` and control flow."""
    following = op.next_op
    while following is not None and not following.regions and is_effect_free(type(following)):
        following = following.next_op
    return following is not None and bool(following.regions)


def _is_in_branch_of_loop(op: Operation) -> bool:
    """Whether `op` stands, at any depth, in an `scf.if` in a loop."""
    in_branch = False
    while (parent := op.parent_op()) is not None and not isinstance(parent, KernelOp):
        if in_branch and isinstance(parent, scf.ForOp | scf.WhileOp):
            return True
        in_branch, op = in_branch or isinstance(parent, scf.IfOp), parent
    return False


def async_copy(printer: StatementScope, op: AsyncCopyOp) -> None:
    """Every invocation copies its share; the wait is a barrier, whichever token it is given."""
    printer.bind(op.token, literal(True, BOOL))
    x, y, z = printer.kernel.workgroup
    counter = Expression(printer.names.fresh("k"), INDEX)
    count = printer.simple(op.count)
    start, size = printer.linear_id.text, x * y * z
    indices = [
        _offset(printer.simple(index), counter) for index in (op.source_index, op.destination_index)
    ]
    loaded = load_element(printer, printer.buffer(op.source), indices[0])
    stored = store_element(printer, printer.buffer(op.destination), indices[1], loaded)
    head = (
        f"{INDEX} {counter.text} = {start}; {counter.text} < {count.text}; {counter.text} += {size}"
    )
    printer.line(f"for ({head})")
    printer.line(f"    {stored}")


def _offset(start: Expression, counter: Expression) -> Expression:
    return counter if start.constant == 0 else binary(start, "+", counter, INDEX)


def async_wait(printer: StatementScope, op: AsyncWaitOp) -> None:
    """A barrier, after which copies have arrived."""
    print_barrier(printer, op, FULL_BARRIER)


def _publish(printer: StatementScope, value: SSAValue) -> tuple[str, CType]:
    """Print statements that put `value` where the whole workgroup can read it."""
    type = storage_type(value.type)
    array = printer.exchanges[type]
    printer.line(f"{array}[{printer.linear_id.text}] = {printer.value(value).converted};")
    printer.line(LOCAL_BARRIER)
    return array, type


def _first_lane(printer: StatementScope) -> str:
    lanes = printer.kernel.lanes
    linear = printer.linear_id.text
    return f"{linear} / {lanes} * {lanes}"


def subgroup_shuffle(printer: StatementScope, op: SubgroupShuffleOp) -> None:
    """A value of another invocation, through workgroup memory."""
    lane = printer.simple(op.lane)
    array, _ = _publish(printer, op.value)
    type = printer.type_of(op.result)
    name = printer.names.fresh(op.result.name_hint or "shuffled")
    zero = f"({type})(0)" if type.is_vector else "0"
    source = f"{array}[{_first_lane(printer)} + {lane.text}]"
    inside = f"(ulong){lane.text} < {printer.kernel.lanes}"
    printer.line(f"{type} {name} = {inside} ? {source} : {zero};")
    printer.line(LOCAL_BARRIER)
    printer.bind(op.result, Expression(name, type))


_COMBINED = {
    ReduceKind.ADDI: "{a} + {b}",
    ReduceKind.ANDI: "{a} & {b}",
    ReduceKind.ORI: "{a} | {b}",
    ReduceKind.XORI: "{a} ^ {b}",
    ReduceKind.MAXS: "max(({signed}){a}, ({signed}){b})",
    ReduceKind.MAXU: "max({a}, {b})",
    ReduceKind.MINS: "min(({signed}){a}, ({signed}){b})",
    ReduceKind.MINU: "min({a}, {b})",
}


_OF_BITS = {
    ReduceKind.ADDI: ReduceKind.XORI,
    ReduceKind.MAXS: ReduceKind.ANDI,
    ReduceKind.MAXU: ReduceKind.ORI,
    ReduceKind.MINS: ReduceKind.ORI,
    ReduceKind.MINU: ReduceKind.ANDI,
}
"""The same on an i1, where true is -1 as a signed number."""


def subgroup_reduce(printer: StatementScope, op: SubgroupReduceOp) -> None:
    """The values of a subgroup combined, through workgroup memory."""
    array, type = _publish(printer, op.value)
    name = printer.names.fresh(op.result.name_hint or "reduced")
    first, lane = printer.names.fresh("first_lane"), printer.names.fresh("lane")
    printer.line(f"{INDEX} {first} = {_first_lane(printer)};")
    printer.line(f"{type} {name} = {array}[{first}];")
    element = f"{array}[{first} + {lane}]"
    kind = _OF_BITS.get(op.kind.data, op.kind.data) if is_i1(op.value.type) else op.kind.data
    combined = _COMBINED[kind].format(a=name, b=element, signed=type.signed)
    printer.line(f"for (int {lane} = 1; {lane} < {printer.kernel.lanes}; {lane}++)")
    printer.line(f"    {name} = {combined};")
    printer.line(LOCAL_BARRIER)
    printer.bind(op.result, Expression(name, printer.type_of(op.result)))

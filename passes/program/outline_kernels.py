"""`vyre-outline-kernels`: arms become kernels of the module and launches of the program."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import ClassVar, TypeAlias

from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.builder import Value
from vyre_dialect.ir.cooperation import unknown_op
from vyre_dialect.ir.interfaces import ops_outside_arms
from vyre_dialect.ir.meaning import OPS, OWN_DIALECT, unsaid
from vyre_dialect.ir.scheduling import Boundary, Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import Axis, BufferType, MemorySpace, three_axes_of
from vyre_dialect.ir.value_names import value_name
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.invocation import InvocationIdOp
from vyre_dialect.ops.kernel import CheckWholeWorkgroupsOp, KernelOp, LaunchOp
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.passes.rewriting.invocation_body import guarded
from vyre_dialect.passes.rewriting.moving import take_out_all
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import building, rewriter_of
from vyre_dialect.passes.rewriting.whole_workgroups import is_multiple

MAX_REMATERIALISED_OPS = 8
"""A host value is computed anew in the kernel up to this many ops, and passed to it beyond."""

_DIVISIONS = (
    arith.DivSIOp,
    arith.DivUIOp,
    arith.FloorDivSIOp,
    arith.CeilDivSIOp,
    arith.CeilDivUIOp,
    arith.RemSIOp,
    arith.RemUIOp,
)


@dataclass(frozen=True)
class OutlineKernelsPass(RewritePass):
    """
    Turns each `vyre.region` into a `vyre.kernel` of the module and a `vyre.launch` in its place.

    Buffers and host scalars that the arm uses become arguments: buffers in the order in which
    the program declares them, run-time sized ones with their length behind them, then scalars by
    first use. Data-parallel arms get a guard along
    each axis whose count is not a known multiple of the workgroup size.
    """

    name = "vyre-outline-kernels"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.OUTLINE,
        Family.UNKNOWN,
        requires=("vyre-privatize-reductions", "vyre-stage-tables"),
        boundary=Boundary.MODULE,
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        programs = [child for child in ops_outside_arms(module) if isinstance(child, ProgramOp)]
        names = {name.data for child in ops_inside(module) if (name := _symbol(child)) is not None}
        known = [(program, facts.get(Integers, program)) for program in programs]
        rewriter = rewriter_of(module, facts)
        for program, integers in known:
            _outline_program(program, names, integers, rewriter)
        return rewriter.has_done_action


def _symbol(op: Operation) -> StringAttr | None:
    name = op.properties.get("sym_name")
    return name if isinstance(name, StringAttr) else None


def _outline_program(
    program: ProgramOp, names: set[str], integers: Integers, rewriter: PatternRewriter
) -> None:
    place: Operation = program
    host = _HostBuffers(program, rewriter)
    arms = 0
    for op in list(program.body.block.ops):
        if isinstance(op, BufLenOp):
            host.add(op)
        if isinstance(op, RegionOp):
            name = _kernel_name(program, arms, op, names)
            kernel = _outline(op, name, host, integers, rewriter)
            rewriter.insert(kernel, InsertPoint.after(place))
            place = kernel
            arms += 1
    for buffer in list(program.buffers()):
        if buffer.type.space != MemorySpace.GLOBAL and not buffer.buffer.uses:
            rewriter.erase(buffer)


def _kernel_name(program: ProgramOp, number: int, arm: RegionOp, names: set[str]) -> str:
    """
    A name of the module that no symbol has yet: `<program>_<number>_<generator>`, unless compilers
    might take that for something of their own.
    """
    generator = re.sub(r"\W+", "_", arm.generator.data, flags=re.ASCII).strip("_") or "arm"
    stem = re.sub(r"\W+", "_", program.sym_name.data, flags=re.ASCII)
    if not stem[0].isalpha() or not re.search("[a-z]", stem) or stem.startswith("vyre_"):
        stem = f"program_{stem}"
    while (name := f"{stem}_{number}_{generator}") in names:
        number += 1
    names.add(name)
    return name


@dataclass
class _HostBuffers:
    """The buffers of a program, and their lengths that the host knows at the arm outlined."""

    program: ProgramOp
    rewriter: PatternRewriter
    _known: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def in_order(self, buffers: Set[BufferOp]) -> list[BufferOp]:
        """Those of `buffers` that the program declares, as it does."""
        return sorted(self._places.keys() & buffers, key=self._places.__getitem__)

    @cached_property
    def _places(self) -> dict[BufferOp, int]:
        return {buffer: place for place, buffer in enumerate(self.program.buffers())}

    def add(self, op: BufLenOp) -> None:
        """A length that the host computes before the arms to come."""
        self._known.setdefault(op.buffer, op.length)

    def length(self, buffer: BufferOp, arm: RegionOp) -> SSAValue:
        """The length of a buffer, computed in front of `arm` if it is not known yet."""
        if buffer.buffer not in self._known:
            op = BufLenOp(buffer.buffer)
            op.length.name_hint = _length_hint(buffer)
            self.rewriter.insert(op, InsertPoint.before(arm))
            self.add(op)
        return self._known[buffer.buffer]


def _length_hint(buffer: BufferOp) -> str | None:
    hint = f"{buffer.sym_name.data}_len"
    return hint if SSAValue.is_valid_name(hint) else None


def _what_it_is_to_say(op: type[Operation]) -> str:
    """What is missing of an op that may be of no use in arms, or not described yet."""
    if OPS.find(op) is None:
        return (
            f"has no meaning: {unsaid(op)}; arms compute with 'arith', 'math', 'scf', 'vector' and "
            "'vyre'"
        )
    said = "expected to say which ids it depends on: give it 'DependsOn'"
    return said if op.dialect_name() == OWN_DIALECT else f"{said}, or describe its 'numpy'"


def _outline(
    arm: RegionOp,
    name: str,
    host: _HostBuffers,
    integers: Integers,
    rewriter: PatternRewriter,
) -> KernelOp:
    """Move the body of `arm` to a kernel and put a launch in its place."""
    kernel = KernelOp(
        name,
        (),
        workgroup_size=arm.workgroup,
        generator=arm.generator.data,
        subgroup_size=None if arm.subgroup_size is None else arm.subgroup_size.value.data,
    )
    kernel.attributes |= arm.attributes
    kernel.location = arm.location
    if arm.source_region is not None:
        kernel.attributes["source_region"] = arm.source_region
    if (silent := unknown_op(arm.body)) is not None:
        raise DiagnosticException(
            f"'{silent.name}' in the arm '{arm.generator.data}' {_what_it_is_to_say(type(silent))}"
        )
    data_parallel = arm.is_data_parallel
    captures = _Captures(arm, kernel.body.block, host, rewriter)
    guarded = _guarded_axes(arm, integers) if data_parallel else {}
    counts = {axis: captures.count(count) for axis, count in guarded.items()}
    captures.replace_lengths(arm.body.block)
    captures.replace_operands(arm.body.block)
    body = take_out_all(arm.body.block, rewriter)
    _add_guarded(kernel.body.block, counts, body, rewriter)
    _launch(arm, name, captures.arguments, rewriter, is_cooperative=not data_parallel)
    return kernel


@dataclass
class _Captures:
    """What an arm uses of the program around it, and what stands for it in the kernel."""

    arm: RegionOp
    entry: Block
    """The block of the kernel, where constants and local buffers are put."""
    host: _HostBuffers
    rewriter: PatternRewriter
    arguments: list[SSAValue] = field(default_factory=list[SSAValue])
    """The values of the program that the launch passes, in the order of the kernel's arguments."""
    _known: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    _lengths: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """The length of each buffer of the program that the kernel uses."""

    def __post_init__(self) -> None:
        used = {buffer for _, buffer in self.arm.accesses()}
        for buffer in self.host.in_order(used):
            self._declare(buffer)

    def _declare(self, buffer: BufferOp) -> None:
        if buffer.type.space == MemorySpace.GLOBAL:
            self._pass(buffer.buffer, buffer.type, buffer.sym_name.data)
            if buffer.type.static_count is None:
                length = self.host.length(buffer, self.arm)
                self._lengths[buffer.buffer] = self._pass(length, length.type, _length_hint(buffer))
            return
        local = buffer.clone()
        self._enter(local)
        self._known[buffer.buffer] = local.buffer

    def _enter(self, op: Operation) -> None:
        """Let an op stand at the entry of the kernel, behind those that do already."""
        self.rewriter.insert(op, InsertPoint.at_end(self.entry))

    def _pass(self, value: SSAValue, type: Attribute, hint: str | None) -> SSAValue:
        argument = self.rewriter.insert_block_argument(self.entry, len(self.entry.args), type)
        argument.name_hint = None if hint is None else value_name(hint)
        self.arguments.append(value)
        self._known[value] = argument
        return argument

    def replace_lengths(self, body: Block) -> None:
        """Let what the arm computes of the lengths of buffers be what the kernel knows of them."""
        for op in [op for op in ops_inside(body) if isinstance(op, BufLenOp)]:
            length = self._length(op)
            assert length is not None, "the buffer is one that the arm uses"
            self.rewriter.replace(op, [], [length])

    def _length(self, op: BufLenOp) -> SSAValue | None:
        """What the kernel knows as the length of a buffer, or None for one that it does not use."""
        assert isinstance(op.buffer.type, BufferType)
        count = op.buffer.type.static_count
        if op.buffer not in self._lengths and op.buffer in self._known and count is not None:
            self._lengths[op.buffer] = self.count(count)
        return self._lengths.get(op.buffer)

    def replace_operands(self, body: Block) -> None:
        """Let the ops of the arm use what stands in the kernel."""
        for op in body.walk():
            captured = [n for n, operand in enumerate(op.operands) if self._is_captured(operand)]
            for position in captured:
                op.operands[position] = self.get(op.operands[position])
                self.rewriter.notify_op_modified(op)

    def _is_captured(self, value: SSAValue) -> bool:
        owner = value.owner
        return isinstance(owner, Operation) and owner.parent is self.arm.parent

    def count(self, count: SSAValue | int) -> SSAValue:
        """An invocation count, as a value of the kernel."""
        if isinstance(count, SSAValue):
            return self.get(count)
        constant = arith.ConstantOp(IntegerAttr(count, IndexType()))
        self._enter(constant)
        return constant.result

    def get(self, value: SSAValue) -> SSAValue:
        """What stands for `value` of the program in the kernel."""
        if self._is_known(value):
            return self._known[value]
        if len(self._rematerialisable(value, MAX_REMATERIALISED_OPS)) <= MAX_REMATERIALISED_OPS:
            return self._rematerialise(value)
        return self._pass_scalar(value)

    def _is_known(self, value: SSAValue) -> bool:
        """Whether the kernel knows `value`, if only as the length of a buffer."""
        if value not in self._known and isinstance(value.owner, BufLenOp):
            length = self._length(value.owner)
            if length is not None:
                self._known[value] = length
        return value in self._known

    def _rematerialisable(self, value: SSAValue, limit: int) -> list[Operation]:
        """The ops that compute `value` from known values, or more than `limit` when they do not."""
        pending, found = [value], list[Operation]()
        while pending and len(found) <= limit:
            current = pending.pop()
            if self._is_known(current):
                continue
            op = current.owner
            if not isinstance(op, Operation) or not _is_cheap(op):
                return [self.arm] * (limit + 1)
            found.append(op)
            pending.extend(op.operands)
        return found

    def _rematerialise(self, value: SSAValue) -> SSAValue:
        if self._is_known(value):
            return self._known[value]
        assert isinstance(value.owner, Operation)
        for operand in value.owner.operands:
            self._rematerialise(operand)
        copy = value.owner.clone(value_mapper=self._known)
        self._enter(copy)
        return self._known[value]

    def _pass_scalar(self, value: SSAValue) -> SSAValue:
        """Pass a scalar of the host; what is no index travels as the index of the same bits."""
        if isinstance(value.type, IndexType):
            return self._pass(value, value.type, value.name_hint)
        there, back = _casts(self.arm, value)
        passed = value
        for to in there:
            cast = to(passed)
            self.rewriter.insert(cast, InsertPoint.before(self.arm))
            passed = cast.results[0]
        received: SSAValue = self._pass(passed, IndexType(), value.name_hint)
        for to in back:
            cast = to(received)
            self._enter(cast)
            received = cast.results[0]
        received.name_hint = value.name_hint
        self._known[value] = received
        return received


_Cast: TypeAlias = Callable[[SSAValue], Operation]


def _casts(arm: RegionOp, value: SSAValue) -> tuple[list[_Cast], list[_Cast]]:
    """Casts of `value` to index on the host, and from it in the kernel."""
    type = value.type
    if isinstance(type, AnyFloat) and type.bitwidth in (16, 32, 64):
        integer = IntegerType(type.bitwidth)
        return (
            [partial(_bitcast, integer), partial(_index_cast, IndexType())],
            [partial(_index_cast, integer), partial(_bitcast, type)],
        )
    if isinstance(type, IntegerType) and type.width.data <= 64:
        return [partial(_index_cast, IndexType())], [partial(_index_cast, type)]
    raise DiagnosticException(
        f"'vyre.region' \"{arm.generator.data}\" expected to use buffers and scalars of the "
        f"program, got a value of type '{type}'; compute it inside the arm"
    )


def _bitcast(type: Attribute, value: SSAValue) -> Operation:
    return arith.BitcastOp(value, type)


def _index_cast(type: Attribute, value: SSAValue) -> Operation:
    return arith.IndexCastOp(value, type)


def _is_cheap(op: Operation) -> bool:
    """Whether the kernel may compute `op` of the host anew in every invocation."""
    if op.dialect_name() != "arith":
        return False
    return not isinstance(op, _DIVISIONS) or isinstance(op.rhs.owner, arith.ConstantOp)


def _guarded_axes(arm: RegionOp, integers: Integers) -> dict[Axis, SSAValue | int]:
    """The axes whose count is not known to be a multiple of the workgroup size, with the count."""
    sizes = zip(Axis, three_axes_of(arm.domain), arm.workgroup, strict=True)
    return {axis: n for axis, n, size in sizes if not is_multiple(n, size, integers)}


def _add_guarded(
    block: Block,
    counts: dict[Axis, SSAValue],
    body: list[Operation],
    rewriter: PatternRewriter,
) -> None:
    """Run `body` at the end of `block` for the invocations below all `counts`."""
    inside: Value | None = None
    for axis, count in counts.items():
        id_op = _shared_id(axis, body, rewriter)
        rewriter.insert(id_op, InsertPoint.at_end(block))
        with ImplicitBuilder(block):
            below = Value(id_op.id) < Value(count)
            inside = below if inside is None else inside & below
    if inside is None:
        rewriter.insert(body, InsertPoint.at_end(block))
    else:
        guarded(block, inside, body)


def _shared_id(axis: Axis, body: list[Operation], rewriter: PatternRewriter) -> InvocationIdOp:
    """The id along `axis`, taking the place of those that `body` has at its top level."""
    shared = InvocationIdOp(axis)
    for op in [op for op in body if isinstance(op, InvocationIdOp) and op.axis.data == axis]:
        shared.id.name_hint = shared.id.name_hint or op.id.name_hint
        rewriter.replace_all_uses_with(op.id, shared.id)
        body.remove(op)
        rewriter.erase(op)
    return shared


def _launch(
    arm: RegionOp,
    name: str,
    arguments: Sequence[SSAValue],
    rewriter: PatternRewriter,
    *,
    is_cooperative: bool,
) -> None:
    """Put a launch in the place of an arm."""
    pairs = list(zip(arm.domain, arm.workgroup, strict=False))
    with building(rewriter, InsertPoint.before(arm)):
        if is_cooperative:
            _check_whole_workgroups(arm, pairs)
        grid = [_workgroups(count, size) for count, size in pairs]
    launch = LaunchOp(name, grid, arguments)
    launch.location = arm.location
    rewriter.replace(arm, launch, [])


def _check_whole_workgroups(arm: RegionOp, pairs: list[tuple[SSAValue | int, int]]) -> None:
    """Let the host check the counts that the verifier could not."""
    for count, size in pairs:
        if isinstance(count, SSAValue) and size > 1:
            check = CheckWholeWorkgroupsOp(count, size, arm.generator.data)
            check.location = arm.location


def _workgroups(count: SSAValue | int, size: int) -> SSAValue | int:
    """The number of workgroups that cover `count` invocations; computed at the current place."""
    if isinstance(count, int):
        return -(-count // size)
    if size == 1:
        return count
    return Value(count).ceildiv(size).named("workgroups").ssa

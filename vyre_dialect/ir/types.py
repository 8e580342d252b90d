"""Types and attributes of the dialect, and the sizes of what buffers hold."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I64,
    AnyFloat,
    ComplexType,
    DenseArrayBase,
    IntAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    VectorType,
    i64,
)
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import (
    Attribute,
    ParametrizedAttribute,
    SpacedOpaqueSyntaxAttribute,
    SSAValue,
    TypeAttribute,
)
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

DYNAMIC = DYNAMIC_INDEX
"""Marks an element count or an extent that is known at run time only."""

UNROLL = "vyre.unroll"
"""Attribute of an `scf.for`: how many times the device's compiler is to write its body out."""

MAX_UNROLL = 1024
"""The most times that it may be asked to: more would take compilers minutes."""

REMAINDER = "vyre.remainder"
"""Attribute of an `scf.for`: it runs what vectors leave over, which is less than one."""

PROBE = "vyre.probe"
"""Attribute of an arm: it does again, for the host, a few elements of what others do in tiles."""

ITEMS = "vyre.items"
"""Attribute of an arm: how many items each invocation or workgroup does, one after the other."""

GROUPS = "vyre.groups"
"""Attribute of an arm: how many workgroups at most coarsening has left it."""

LANES = "vyre.lanes"
"""Attribute of an arm: how many items vectorization has given each invocation, as lanes."""

EACH_ITEM = "vyre.each_item"
"""
Attribute of a loop, a unit: each iteration is an item, or, once loops are pipelined, computes one
and updates by the one before. Private memory that is touched in the loop alone begins anew in each.
"""

NO_WRAP = "vyre.no_wrap"
"""
Attribute of an `scf.for`, a unit: its step is positive, and the first number past its bound is one
of the counter's type. So the counter may simply be added to.
"""

WITHIN_WIDTH = "vyre.within_width"
"""Attribute of a shift, a unit: its amount, in every lane, is less than the width."""

ALL_LANES = "vyre.all_lanes"
"""
Attribute of an `scf.if`, a unit: its condition says whether all invocations exist that the lanes
of one are.
"""

MAX_COUNT = 2**48
"""More elements than any buffer has, and more invocations than any launch."""

MAX_LANES = 256
"""Of a vector: what is wider is no vector of any device, and is split into parts lane by lane."""

MAX_WORKGROUP_INVOCATIONS = 1024
MAX_WORKGROUP_SIZE = (1024, 1024, 64)


class Access(StrEnum):
    """What the arms of a program may do with a buffer."""

    READ_ONLY = "read_only"
    WRITE_ONLY = "write_only"
    READ_WRITE = "read_write"
    UNIFORM = "uniform"


class MemorySpace(StrEnum):
    """Where a buffer lives: shared by all, by one workgroup, or private."""

    GLOBAL = "global"
    WORKGROUP = "workgroup"
    PRIVATE = "private"


class Initial(StrEnum):
    """What a buffer holds before the first arm: the host's contents, or nothing."""

    HOST = "host"
    UNDEFINED = "undefined"


class Escape(StrEnum):
    """Why the contents of a buffer matter to more than the arms of its program."""

    LIVE_OUT = "live_out"
    """The host reads it back."""
    TABLE = "table"
    """Its contents are the program's, the same in every run."""
    HOST_READ = "host_read"
    """The host loads an element of it between arms."""
    ATOMIC_HOST_READ = "atomic_host_read"
    """The host loads an element that arms update atomically."""
    DISPATCH_COUNT = "dispatch_count"
    """The host loads from it how many invocations an arm has."""
    TRAP = "trap"
    """Arms report bad input in it."""
    UNKNOWN_USER = "unknown_user"
    """An op uses it that does not say how."""


class Axis(StrEnum):
    """An axis of an invocation domain; `x` varies fastest."""

    X = "x"
    Y = "y"
    Z = "z"


class AtomicKind(StrEnum):
    """How an atomic combines the old value of an element with its operand."""

    ADDI = "addi"
    ANDI = "andi"
    ORI = "ori"
    XORI = "xori"
    MAXS = "maxs"
    MAXU = "maxu"
    MINS = "mins"
    MINU = "minu"
    ASSIGN = "assign"

    def neutral(self, width: int) -> int:
        """
        The operand that changes no integer of `width` bits, as a signed number; 0 for `assign`,
        which has none.
        """
        largest = (1 << width - 1) - 1
        others = {
            AtomicKind.ANDI: -1,
            AtomicKind.MINU: -1,
            AtomicKind.MINS: largest,
            AtomicKind.MAXS: -largest - 1,
        }
        return others.get(self, 0)


IDEMPOTENT_ATOMICS = frozenset(
    {
        AtomicKind.ANDI,
        AtomicKind.ORI,
        AtomicKind.MAXS,
        AtomicKind.MAXU,
        AtomicKind.MINS,
        AtomicKind.MINU,
    }
)
"""Kinds whose repetition with the same operand changes nothing."""


class ReduceKind(StrEnum):
    """How a subgroup reduction combines the values of its lanes."""

    ADDI = "addi"
    ANDI = "andi"
    ORI = "ori"
    XORI = "xori"
    MAXS = "maxs"
    MAXU = "maxu"
    MINS = "mins"
    MINU = "minu"


@irdl_attr_definition
class AccessAttr(EnumAttribute[Access], SpacedOpaqueSyntaxAttribute):
    """An access, as an attribute."""

    name = "vyre.access"


@irdl_attr_definition
class MemorySpaceAttr(EnumAttribute[MemorySpace], SpacedOpaqueSyntaxAttribute):
    """A memory space, as an attribute."""

    name = "vyre.memory_space"


@irdl_attr_definition
class InitialAttr(EnumAttribute[Initial], SpacedOpaqueSyntaxAttribute):
    """What a buffer holds at first, as an attribute."""

    name = "vyre.initial"


@irdl_attr_definition
class EscapeAttr(EnumAttribute[Escape], SpacedOpaqueSyntaxAttribute):
    """Why a buffer escapes, as an attribute."""

    name = "vyre.escape"


@irdl_attr_definition
class AxisAttr(EnumAttribute[Axis], SpacedOpaqueSyntaxAttribute):
    """An axis, as an attribute."""

    name = "vyre.axis"


@irdl_attr_definition
class AtomicKindAttr(EnumAttribute[AtomicKind], SpacedOpaqueSyntaxAttribute):
    """The kind of an atomic update, as an attribute."""

    name = "vyre.atomic_kind"


@irdl_attr_definition
class ReduceKindAttr(EnumAttribute[ReduceKind], SpacedOpaqueSyntaxAttribute):
    """The kind of a reduction, as an attribute."""

    name = "vyre.reduce_kind"


@irdl_attr_definition
class TokenType(ParametrizedAttribute, TypeAttribute):
    """An asynchronous copy under way, to be waited for."""

    name = "vyre.token"


@irdl_attr_definition
class BufferType(ParametrizedAttribute, TypeAttribute):
    """
    A named, flat buffer: `!vyre.buffer<4096xi8, read_only>`, or with a run-time sized
    count and a memory space other than `global`: `!vyre.buffer<?xi32, read_write, workgroup>`.
    """

    name = "vyre.buffer"

    count: IntAttr
    element_type: Attribute
    access: AccessAttr
    memory_space: MemorySpaceAttr

    def __init__(
        self,
        count: int | IntAttr,
        element_type: Attribute,
        access: Access | AccessAttr = Access.READ_WRITE,
        memory_space: MemorySpace | MemorySpaceAttr = MemorySpace.GLOBAL,
    ):
        super().__init__(
            count if isinstance(count, IntAttr) else IntAttr(count),
            element_type,
            access if isinstance(access, AccessAttr) else AccessAttr(access),
            memory_space
            if isinstance(memory_space, MemorySpaceAttr)
            else MemorySpaceAttr(memory_space),
        )

    @property
    def static_count(self) -> int | None:
        """The element count, or None when it is known at run time only."""
        return None if self.count.data == DYNAMIC else self.count.data

    @property
    def static_bytes(self) -> int | None:
        """The size in bytes, or None when the count or the element size is unknown."""
        size = element_bytes(self.element_type)
        if size is None or self.static_count is None:
            return None
        return size * self.static_count

    @property
    def space(self) -> MemorySpace:
        """Where the buffer lives."""
        return self.memory_space.data

    @property
    def readable(self) -> bool:
        """Whether kernels may load from it."""
        return self.access.data != Access.WRITE_ONLY

    @property
    def writable(self) -> bool:
        """Whether kernels may store to it."""
        return self.access.data in (Access.WRITE_ONLY, Access.READ_WRITE)

    def verify(self) -> None:
        if not isinstance(self.element_type, TypeAttribute):
            raise VerifyException(
                f"'{self.name}' expected an element type, got {self.element_type}"
            )
        if isinstance(self.element_type, VectorType) and not lane_count(self.element_type):
            raise VerifyException(
                f"'{self.name}' expected elements of at least one lane, got {self.element_type}"
            )
        if self.count.data != DYNAMIC and self.count.data <= 0:
            raise VerifyException(
                f"'{self.name}' expected a positive element count or '?', got {self.count.data}"
            )
        if self.count.data > MAX_COUNT:
            raise VerifyException(
                f"'{self.name}' expected at most {MAX_COUNT} elements, got {self.count.data}"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            count = parser.parse_shape_dimension()
            parser.parse_shape_delimiter()
            element_type = parser.parse_type()
            parser.parse_punctuation(",")
            access = AccessAttr.parse_parameter(parser)
            space = MemorySpace.GLOBAL
            if parser.parse_optional_punctuation(",") is not None:
                space = MemorySpaceAttr.parse_parameter(parser)
        return (IntAttr(count), element_type, AccessAttr(access), MemorySpaceAttr(space))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("?" if self.static_count is None else str(self.static_count))
            printer.print_string("x")
            printer.print_attribute(self.element_type)
            printer.print_string(f", {self.access.data}")
            if self.space != MemorySpace.GLOBAL:
                printer.print_string(f", {self.space}")


def is_private(type: Attribute) -> bool:
    """Whether it is the type of a buffer of which each invocation has its own."""
    return isinstance(type, BufferType) and type.space == MemorySpace.PRIVATE


def element_bytes(type: Attribute) -> int | None:
    """
    Size in bytes of one element of `type` in a buffer, or None when it has no fixed size.

    Integers and floats narrower than a byte take one byte; vectors are packed lane by lane.
    """
    if isinstance(type, IntegerType):
        return max(1, (type.width.data + 7) // 8)
    if isinstance(type, VectorType):  # before abstract classes, which take long to ask for
        return _vector_bytes(type)
    if isinstance(type, AnyFloat):
        return max(1, (type.bitwidth + 7) // 8)
    if isinstance(type, ComplexType):
        lane = element_bytes(type.element_type)
        return None if lane is None else 2 * lane
    return None


def _vector_bytes(type: VectorType) -> int | None:
    if any(flag.value.data for flag in type.scalable_dims):
        return None
    lane = element_bytes(type.element_type)
    return None if lane is None else lane * prod(type.get_shape())


VECTOR_LANES = (1, 2, 3, 4, 8, 16)
"""Numbers of lanes that OpenCL has; `vyre-split-vectors` makes such of others."""
CLANG_LANES = (32, 64)
"""Those that vectors of integers may have besides, where Clang compiles them for a CPU."""


def lane_count(type: Attribute) -> int:
    """Number of lanes of a vector type; 1 for a scalar."""
    return prod(type.get_shape()) if isinstance(type, VectorType) else 1


def scalar_type(type: Attribute) -> Attribute:
    """The type of one lane: the element type of a vector, or the scalar itself."""
    return type.element_type if isinstance(type, VectorType) else type


def accessed_elements(buffer: BufferType, value: Attribute) -> int | None:
    """
    Number of consecutive elements of `buffer` that one access as `value` covers, or
    None when `value` cannot be read from or written to it.
    """
    if value == buffer.element_type:
        return 1 if element_bytes(value) is not None else None
    size, element = element_bytes(value), element_bytes(buffer.element_type)
    if not size or element is None or size % element:
        return None
    if not (_fills_its_bytes(value) and _fills_its_bytes(buffer.element_type)):
        return None
    return size // element


def _fills_its_bytes(type: Attribute) -> bool:
    scalar = scalar_type(type)
    if isinstance(scalar, IntegerType):
        return scalar.width.data % 8 == 0
    return isinstance(scalar, AnyFloat) and scalar.bitwidth % 8 == 0


def three_axes(sizes: Sequence[int]) -> tuple[int, int, int]:
    """Pad up to three sizes with ones."""
    x, y, z = (*sizes, 1, 1, 1)[:3]
    return x, y, z


def three_axes_of(domain: Sequence[SSAValue | int]) -> list[SSAValue | int]:
    """Pad an invocation domain to three axes with ones."""
    return [*domain, 1, 1][:3]


def sizes_attr(sizes: Sequence[int]) -> DenseArrayBase[I64]:
    """The attribute that holds a workgroup size."""
    return DenseArrayBase.from_list(i64, list(sizes))


def optional_i64(number: int | None) -> IntegerAttr | None:
    """The attribute that holds a number, if there is one."""
    return None if number is None else IntegerAttr(number, i64)


def verify_text(op_name: str, *texts: StringAttr | None) -> None:
    """Raise VerifyException for a text that is not ASCII: xDSL would not read it back."""
    for text in texts:
        if text is not None and not text.data.isascii():
            raise VerifyException(f"'{op_name}' expected ASCII text, got {text.data!r}")


def verify_workgroup_size(op_name: str, sizes: Sequence[int]) -> None:
    """
    Raise VerifyException unless `sizes` is a workgroup that devices can run: one to three
    positive axes within MAX_WORKGROUP_SIZE, at most MAX_WORKGROUP_INVOCATIONS in all.
    """
    if not 1 <= len(sizes) <= 3:
        raise VerifyException(
            f"'{op_name}' expected a workgroup size of 1 to 3 axes, got {len(sizes)}"
        )
    for axis, size, limit in zip(Axis, sizes, MAX_WORKGROUP_SIZE, strict=False):
        if not 1 <= size <= limit:
            raise VerifyException(
                f"'{op_name}' expected a workgroup size of 1 to {limit} along {axis}, got {size}"
            )
    if (total := prod(sizes)) > MAX_WORKGROUP_INVOCATIONS:
        raise VerifyException(
            f"'{op_name}' expected at most {MAX_WORKGROUP_INVOCATIONS} invocations in a "
            f"workgroup, got {total}"
        )


def verify_subgroup_size(op_name: str, lanes: int, workgroup: Sequence[int]) -> None:
    """
    Raise VerifyException unless subgroups of `lanes` invocations, a power of two, fill a
    workgroup of the given size.
    """
    if lanes <= 0 or lanes & (lanes - 1):
        raise VerifyException(f"'{op_name}' expected a power of two as subgroup size, got {lanes}")
    if (total := prod(workgroup)) % lanes:
        raise VerifyException(
            f"'{op_name}' expected whole subgroups of {lanes} invocations in a workgroup, "
            f"got {total} invocations"
        )

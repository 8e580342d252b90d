"""The columns of queries that a decoder fills for them alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.row_tests import RowTest
from vyre_dialect.builder import Value
from vyre_dialect.ir.interfaces import HasAccessesInterface
from vyre_dialect.ir.types import BufferType, Initial
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.library import DecodeOp
from vyre_dialect.ops.query import QueryOp
from vyre_dialect.passes.program.predicates.conditions import replace_conditions
from vyre_dialect.passes.program.predicates.outcome import Kept, Reason
from vyre_dialect.passes.rewriting.host_side import name_of
from vyre_dialect.passes.rewriting.rewriters import building


@dataclass(frozen=True)
class DecodedBuffer:
    """A buffer that a decoder fills for one op alone."""

    declaration: BufferOp
    decoder: DecodeOp

    @property
    def name(self) -> str:
        """The name of the decoded buffer."""
        return self.declaration.sym_name.data


def decoded_for(reader: Operation, buffer: SSAValue) -> DecodedBuffer | Kept:
    """A buffer that is decoded for one reader, or why what that tests stays as it is."""
    name = name_of(buffer)
    declaration = buffer.owner
    assert isinstance(declaration, BufferOp)
    decoders = [op for op in users(buffer) if isinstance(op, DecodeOp) and op.decoded is buffer]
    if not decoders:
        return Kept(Reason.NOT_ENCODED, f"nothing decodes '@{name}'")
    decoder = decoders[0]
    if declaration.live_out is not None:
        return Kept(Reason.SHARED, f"the host reads '@{name}' back")
    for op in users(buffer):
        if op not in (decoder, reader) and not isinstance(op, BufLenOp):
            return Kept(Reason.SHARED, f"'{op.name}' uses '@{name}', too")
    if decoder.parent is not reader.parent or not decoder.is_before_in_block(reader):
        return Kept(Reason.NOT_READY, f"'@{name}' is decoded after it is read")
    if not _ends_with_what_is_decoded(declaration, decoder):
        return Kept(
            Reason.UNKNOWN_LENGTH,
            f"'@{name}' may be longer than what is decoded: declare it with '?' and no size",
        )
    return DecodedBuffer(declaration, decoder)


@dataclass(frozen=True)
class EncodedColumn(DecodedBuffer):
    """A column of a query, and what decodes it."""

    query: QueryOp
    argument: BlockArgument

    @classmethod
    def of(cls, query: QueryOp, argument: BlockArgument) -> EncodedColumn | Kept:
        """The column that an argument of the body is, or why its tests stay."""
        buffer = query.columns[argument.index]
        found = decoded_for(query, buffer)
        if isinstance(found, Kept):
            return found
        if query.columns.count(buffer) > 1:
            return Kept(Reason.SHARED, f"'@{found.name}' is more than one column")
        return cls(found.declaration, found.decoder, query, argument)


def decoder_of(buffer: SSAValue) -> DecodeOp | None:
    """What decodes to a buffer, if it holds what that decodes and nothing else."""
    declaration = buffer.owner
    writers = [op for op in users(buffer) if _writes(op, buffer)]
    if not isinstance(declaration, BufferOp) or len(writers) != 1:
        return None
    (decoder,) = writers
    if not isinstance(decoder, DecodeOp) or decoder.decoded is not buffer:
        return None
    return decoder if _ends_with_what_is_decoded(declaration, decoder) else None


def users(buffer: SSAValue) -> Iterator[Operation]:
    """The ops that have a buffer as operand, each once."""
    return iter(dict.fromkeys(use.operation for use in buffer.uses))


def is_only_for(buffer: SSAValue, writer: Operation, reader: Operation) -> bool:
    """Whether nothing but one op reads what another one writes, and neither does the host."""
    declaration = buffer.owner
    others = (op for op in users(buffer) if op not in (writer, reader))
    is_alone = all(isinstance(op, BufLenOp) for op in others)
    return isinstance(declaration, BufferOp) and declaration.live_out is None and is_alone


def is_settled(buffer: SSAValue, by: Operation) -> bool:
    """Whether nothing writes a buffer from an op of the program on."""
    return all(_is_before(op, by) for op in users(buffer) if _writes(op, buffer))


def is_known_at(value: SSAValue, place: Operation) -> bool:
    """Whether a value of the program is computed before one of its ops."""
    return isinstance(value.owner, Operation) and _is_before(value.owner, place)


def is_only_reported_to(errors: SSAValue, begin: Operation, end: Operation) -> bool:
    """Whether all that happens to errors between two ops of the program is that there are more."""
    return all(
        isinstance(op, DecodeOp | BufLenOp) or _is_before(op, begin) or not _is_before(op, end)
        for op in users(errors)
        if op is not end
    )


def _is_before(op: Operation, place: Operation) -> bool:
    outer: Operation | None = op
    while outer is not None and outer.parent is not place.parent:
        outer = outer.parent_op()
    return outer is not None and outer.is_before_in_block(place)


def _writes(op: Operation, buffer: SSAValue) -> bool:
    if isinstance(op, BufLenOp):
        return False
    if not isinstance(op, HasAccessesInterface):
        return True
    return any(each.writes for each in op.get_accesses() if each.buffer is buffer)


def has_what_is_decoded(declaration: BufferOp, decoder: DecodeOp) -> bool:
    """Whether a buffer is as long as what is decoded to it."""
    if declaration.is_sized_by_host:
        return True
    source = decoder.encoded.type
    assert isinstance(source, BufferType)
    if declaration.type.static_count is None or source.static_count is None:
        return False
    # The verifier has compared them, where what is decoded has one length.
    lengths = decoder.decoded_lengths(source.static_count)
    return lengths is not None and len(lengths) == 1


def _ends_with_what_is_decoded(declaration: BufferOp, decoder: DecodeOp) -> bool:
    """Whether no row is read behind what is decoded, but one that is unspecified anyway."""
    is_undefined = declaration.initial_contents == Initial.UNDEFINED
    return is_undefined or has_what_is_decoded(declaration, decoder)


def replace_column(
    column: EncodedColumn,
    buffer: SSAValue,
    build: Callable[[Value], Mapping[RowTest, Value]],
    rewriter: PatternRewriter,
) -> None:
    """
    Let a query read another buffer of equal length, from whose elements `build` builds its tests,
    and drop the one that it read, with its decoder.
    """
    query, old = column.query, column.argument
    place = old.index
    assert isinstance(buffer.type, BufferType)
    new = rewriter.insert_block_argument(old.block, place, buffer.type.element_type)
    new.name_hint = old.name_hint
    with building(rewriter, InsertPoint.at_start(old.block)):
        values = build(Value(new))
    replace_conditions(query, values, rewriter)
    rewriter.erase_block_argument(old)
    query.operands[place] = buffer
    rewriter.notify_op_modified(query)
    drop(column, buffer, rewriter)


def drop(column: DecodedBuffer, other: SSAValue, rewriter: PatternRewriter) -> None:
    """Erase a buffer that nothing reads any more, with its decoder; `other` is as long."""
    rewriter.erase(column.decoder)
    for op in list(users(column.declaration.buffer)):
        assert isinstance(op, BufLenOp)
        rewriter.replace(op, BufLenOp(other))
    rewriter.erase(column.declaration)
